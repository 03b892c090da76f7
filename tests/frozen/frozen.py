"""What users get, frozen: the output of every documented command, results, scores, index files, signatures and pages.

    python tests/frozen/frozen.py record FOLDER   write what this checkout prints, one file per item
    python tests/frozen/frozen.py check           compare it with tests/frozen/digests.tsv; show the difference
    python tests/frozen/frozen.py accept          take what this checkout prints as the new state

With `--only REGEX` they do so for the items whose name begins so: help/, examples/, pages/, results/, html/.

`digests.tsv` names the revision that was recorded and a checksum per item. Where one differs, `check` records that
revision in a worktree of git and prints both. A wanted difference is a line of CHANGELOG.md, and is then accepted.
It takes some minutes, needs TOYSEARCH_CORPORA and os.fork, and is run by hand: `make frozen`.
"""

import argparse
import contextlib
import difflib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
DIGESTS = HERE / "digests.tsv"
COMMANDS = HERE / "commands.json"
FORMS = ("json", "csv", "latex")
LONGEST = 300  # seconds for one command
NAME = re.compile(r"^  ([a-z_]+(?:-[a-z]+)*)  ", re.MULTILINE)
"""A command, where a help lists commands."""
UNSTEADY = [
    (re.compile(r"\d+(?:\.\d+)? m?s\b"), "… s"),
    (re.compile(r"\S*/frozen-\w{8}\b"), "TEMPORARY"),
    (re.compile(r"\.html: (.*) \([\d.]+ [kM]B\)"), r".html: \1 (…)"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?"), "…time"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:…"),
    (re.compile(r'"seconds": ?[\d.e+-]+'), '"seconds": …'),
    (re.compile(r" at 0x[0-9a-f]+"), " at …"),
]
"""What differs from run to run, and what stands for it."""
SKIPPED = re.compile(r"^toysearch serve ")
"""Commands that wait for somebody; `serve` is frozen by its pages."""


def steady(text: str, folder: Path) -> str:
    """A text without times, ports and the name of a temporary folder."""
    text = text.replace(str(folder.resolve()), "FOLDER").replace(str(folder), "FOLDER").replace(str(ROOT), "PROJECT")
    for pattern, replacement in UNSTEADY:
        text = pattern.sub(replacement, text)
    return text


def in_child(action: Callable[[], object], folder: Path, log: Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a function, run in a copy of this process."""
    out, err = Path(f"{log}.out"), Path(f"{log}.err")
    child = os.fork()
    if not child:
        code = 1
        try:
            os.chdir(folder)
            for number, path in ((0, Path(os.devnull)), (1, out), (2, err)):
                opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(opened, number)
            import signal

            signal.alarm(LONGEST)
            code = leave(action)
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    text = [path.read_text(encoding="utf-8", errors="replace") if path.exists() else "" for path in (out, err)]
    return os.waitstatus_to_exitcode(status), text[0], text[1]


def leave(action: Callable[[], object]) -> int:
    """The exit code of a function that may leave by SystemExit or an error."""
    try:
        action()
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        return error.code if isinstance(error.code, int) else int(bool(error.code))
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 99
    return 0


def typed_command(line: str) -> Callable[[], object]:
    """The command line of toysearch, as a function."""

    def run() -> None:
        sys.argv = shlex.split(line)
        from toysearch.__main__ import main

        main()

    return run


def in_shell(line: str, folder: Path) -> tuple[int, str, str]:
    """The same of a line that needs a shell."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    try:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        return 98, "", "timeout"
    return done.returncode, done.stdout, done.stderr


def outcome(line: str, folder: Path, log: Path) -> str:
    """A line with its exit code, output and errors, as they are frozen."""
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    alone = line.split()[0] == "toysearch" and not set(outside) & set("|<>;&$`*?#~\n")
    code, out, err = in_child(typed_command(line), folder, log) if alone else in_shell(line, folder)
    return steady(f"$ {line}\n[exit {code}]\n{out}[stderr]\n{err}", folder)


def variants(line: str, formatted: set[str]) -> list[str]:
    """A line, and the line in each other form if its command knows forms and the line names none."""
    words = line.split()
    if words[0] != "toysearch" or not {" ".join(words[1:2]), " ".join(words[1:3])} & formatted:
        return [line]
    if re.search(r"--(json|tsv|format|help|dry-run)\b| -o |[|<>;]", line):
        return [line]
    return [line, *(f"{line} --format {form}" for form in FORMS)]


def name_of(line: str) -> str:
    """A file name for a line."""
    short = re.sub(r"[^A-Za-z0-9=.@-]+", "-", line.removeprefix("toysearch "))[:60].strip("-.")
    return f"{short}-{hashlib.sha256(line.encode()).hexdigest()[:6]}"


def sections() -> dict[str, list[str]]:
    """The documented lines, by heading: `help` for examples that stand alone, a page for its lines in their order.

    An earlier revision is given those of this one in a file.
    """
    if COMMANDS.exists():
        return json.loads(COMMANDS.read_bytes())
    from test_docs import BLOCK, PAGES, TYPED, command_of
    from test_help_examples import EXAMPLES

    result = {"help": EXAMPLES}
    for page in PAGES:
        blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
        result[page.relative_to(ROOT).as_posix()] = [
            command_of(typed) for block in blocks for typed in TYPED.findall(block)
        ]
    return {heading: [line for line in lines if not SKIPPED.search(line)] for heading, lines in result.items() if lines}


def commands_with_forms(folder: Path, log: Path) -> set[str]:
    """The commands whose help names --format."""
    helps = {}
    names = NAME.findall(in_child(typed_command("toysearch --commands"), folder, log)[1])
    while names:
        name = names.pop()
        helps[name] = in_child(typed_command(f"toysearch {name} -h"), folder, log)[1]
        names += [f"{name} {each}" for each in NAME.findall(helps[name].partition("\nCommands:\n")[2])]
    return {name for name, text in helps.items() if "--format" in text}


def items(work: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Every frozen item: its name, and a function that makes its text."""
    from frozen.results import RESULTS, prepared_folder, served_pages

    prepared = prepared_folder(work)
    formatted = commands_with_forms(work, work / "forms")
    listed = in_child(typed_command("toysearch --commands"), work, work / "listed")[1]
    for name in ["", *NAME.findall(listed)]:
        line = f"toysearch {name} --help".replace("  ", " ")
        yield f"help/{name or 'toysearch'}", lambda line=line: outcome(line, work, work / name_of(line))
    for heading, lines in sections().items():
        if heading == "help":
            for line in lines:
                yield f"examples/{name_of(line)}", lambda line=line: alone_in(prepared, line, formatted, work)
        else:
            yield f"pages/{heading}", lambda lines=lines, heading=heading: in_turn(heading, lines, formatted, work)
    for name, action in RESULTS.items():
        yield f"results/{name}", lambda name=name, action=action: result_text(name, action, work)
    yield "html/pages", lambda: served_pages(prepared)


def alone_in(prepared: Path, line: str, formatted: set[str], work: Path) -> str:
    """The outcome of an example, each form in a copy of the prepared folder."""
    texts = []
    for variant in variants(line, formatted):
        folder = work / "alone" / name_of(variant)
        shutil.copytree(prepared, folder)
        texts.append(outcome(variant, folder, work / name_of(variant)))
        shutil.rmtree(folder)
    return "\n".join(texts)


def in_turn(heading: str, lines: list[str], formatted: set[str], work: Path) -> str:
    """The outcomes of the lines of a page, one after the other in one folder."""
    folder = work / "pages" / heading.replace("/", "-")
    folder.mkdir(parents=True)
    texts = [
        outcome(variant, folder, work / f"page-{name_of(heading + variant)}")
        for line in lines
        for variant in variants(line, formatted)
    ]
    shutil.rmtree(folder)
    return "\n".join(texts)


def result_text(name: str, action: Callable[[], str], work: Path) -> str:
    """What a Python expression shows, made in a process of its own."""
    log = work / f"result-{name.replace('/', '-')}"
    code, out, err = in_child(lambda: print(action()), work, log)
    return steady(f"{out}\n[exit {code}]\n[stderr]\n{err}", work)


def record(folder: Path, only: str = "") -> dict[str, str]:
    """Write the text of each item into a folder; the checksums by name."""
    digests = {}
    with tempfile.TemporaryDirectory(prefix="frozen-") as temporary:
        os.environ.update(TOYSEARCH_CACHE=f"{temporary}/cache/toysearch", COLUMNS="80", NO_COLOR="1", BROWSER="true")
        chosen = [(name, action) for name, action in items(Path(temporary)) if re.match(only, name)]
        with ThreadPoolExecutor(2) as pool:
            made = pool.map(lambda pair: (pair[0], pair[1]()), chosen)
            for number, (name, text) in enumerate(made, 1):
                path = folder / f"{name}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                digests[name] = hashlib.sha256(text.encode()).hexdigest()[:12]
                if sys.stderr.isatty():
                    print(f"\r{number} of {len(chosen)}", end="", file=sys.stderr)
    return digests


def frozen() -> tuple[str, dict[str, str]]:
    """The recorded revision and its checksums."""
    first, *lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    return first.split("\t")[1], dict(line.split("\t") for line in lines)


def accept(digests: dict[str, str], revision: str) -> None:
    """Write the checksums of a revision."""
    lines = [f"# revision\t{revision}", *(f"{name}\t{digest}" for name, digest in sorted(digests.items()))]
    DIGESTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def recorded_again(revision: str, names: list[str], folder: Path) -> None:
    """Record some items of an earlier revision, with the recorder and the commands of this one."""
    with tempfile.TemporaryDirectory(prefix="frozen-tree-") as tree:
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", tree, revision], check=True)
        try:
            shutil.copytree(HERE, Path(tree) / "tests" / "frozen", dirs_exist_ok=True)
            (Path(tree) / "tests" / "frozen" / COMMANDS.name).write_text(json.dumps(sections()), encoding="utf-8")
            pattern = "|".join(f"^{re.escape(name)}$" for name in names)
            script = Path(tree) / "tests" / "frozen" / "frozen.py"
            subprocess.run([sys.executable, script, "record", folder, "--only", pattern], check=True, cwd=tree)
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)


def check(only: str) -> int:
    """Print how this checkout differs from the recorded revision; the number of items that differ."""
    revision, expected = frozen()
    with tempfile.TemporaryDirectory() as now, tempfile.TemporaryDirectory() as before:
        digests = record(Path(now), only)
        differing = [name for name in digests if expected.get(name, digests[name]) != digests[name]]
        missing = [name for name in expected if re.match(only, name) and name not in digests]
        if differing:
            recorded_again(revision, differing, Path(before))
        for name in differing:
            old, new = (
                (Path(folder) / f"{name}.txt").read_text(encoding="utf-8").splitlines() for folder in (before, now)
            )
            print("\n".join(difflib.unified_diff(old, new, f"{name} ({revision})", f"{name} (now)", lineterm="")))
        for name in missing:
            print(f"{name} is not there any more")
        print(f"{len(digests)} items, {len(differing)} differ, {len(missing)} are missing", file=sys.stderr)
        return len(differing) + len(missing)


def main() -> None:
    """Record, check or accept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "check", "accept"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only", default="", help="a regular expression for the names of items")
    arguments = parser.parse_args()
    sys.path[:1] = [str(ROOT), str(HERE.parent)]
    if not os.environ.get("TOYSEARCH_CORPORA"):
        sys.exit(
            "set TOYSEARCH_CORPORA to the folder with the files of Cranfield and CISI: their results are frozen too"
        )
    if arguments.action == "check":
        sys.exit(bool(check(arguments.only)))
    if arguments.action == "record":
        folder = arguments.folder.resolve()
        digests = record(folder, arguments.only)
        print(f"{len(digests)} items in {folder}", file=sys.stderr)
        return
    if subprocess.check_output(["git", "-C", ROOT, "status", "--porcelain"]).strip():
        sys.exit("commit first: a state is accepted together with its revision")
    revision = subprocess.check_output(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], text=True).strip()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        digests, again = record(Path(first), arguments.only), record(Path(second), arguments.only)
    for name in [name for name in digests if digests[name] != again[name]]:
        print(f"{name} differs from run to run and is left out", file=sys.stderr)
        del digests[name]
    accept(digests if not arguments.only else {**frozen()[1], **digests}, revision)


if __name__ == "__main__":
    main()
