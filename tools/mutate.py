"""Put faults of one line into a copy of toysearch, one at a time, and tell which quick tests see them.

    python tools/mutate.py OUT [--number 300] [--seed 0] [--minutes 60] [--seconds 60] [--workers 2] [--only REGEX]
    python tools/mutate.py compare BEFORE AFTER

A fault is another comparison, sign, word of logic, number, bound of a slice, order, function, or order of arguments;
never in a docstring, a type, or the text of a message or an error. It is known by its file, its line before and after,
and which of several equal lines it is in; a seed gives each a rank, and the first are tried, at most one of a line. So
the list is the same for the same commit, and most of it for the next one, where lines have moved.

Each is tried with the tests that tests/changed.py selects, then with those of its folder, and its line of JSON ends as
`killed` by a test, `timeout` (of CPU seconds, so that other work on the machine matters little) or `survived`. After
9/10 of the minutes none is begun any more. Last, the tests that killed are run without a fault: none of them may fail.

No program can tell that a fault changes nothing which a caller could see. Among those that survive are such faults, and
those which only tests of the system, the command line or another folder see: look at the lines, not at the share.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path, PurePath
from queue import SimpleQueue
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))
import changed  # noqa: E402 (the tests are no package)

FOLDERS = ("evaluation", "index", "models", "query", "retrieval", "study", "workbench")
OTHER = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "and": "or", "or": "and"},
    **{"is": "is not", "is not": "is", "in": "not in", "not in": "in"},
    **{"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "**": "*"},
    **{"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin"},
    **{"any": "all", "all": "any", "floor": "ceil", "ceil": "floor"},
}
"""What stands in the place of an operator or a function."""

_OPERATOR = re.compile(rb"\b(?:is not|not in|is|in|and|or)\b|[<>=!]=|\*\*|//|[<>*/+-]")
_TELLING = re.compile(r"note|warn|remark|echo|log|progress")
_JOINED = {ast.JoinedStr, ast.List, ast.Tuple, str}
_LIMITED = 'ulimit -d 6000000 -t "$0"; exec timeout --kill-after=5 "$@"'
"""A command that may take some KB of memory and some CPU seconds: a fault may fill a list without end."""

Edit = tuple[int, int, int, str]
"""Another text between two bytes of a line: the line, counted from 0, the first byte, the end, the text."""


class Fault(NamedTuple):
    """A line that is another one."""

    file: str
    line: int
    was: str
    becomes: str
    nth: int

    def known_by(self) -> tuple[str, str, str, int]:
        """What stays when the line moves."""
        return self.file, self.was, self.becomes, self.nth

    def put_into(self, source: bytes) -> bytes:
        """Return the file with the fault."""
        lines = source.splitlines(keepends=True)
        lines[self.line - 1] = lines[self.line - 1].replace(self.was.encode(), self.becomes.encode(), 1)
        return b"".join(lines)


def called(node: ast.AST) -> str:
    """Return the last name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""


def computing(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what computes: no types, no messages, no errors."""
    is_told = isinstance(node, ast.Expr) and _TELLING.match(called(node.value))
    if is_told or isinstance(node, ast.Raise | ast.JoinedStr) or getattr(node, "arg", "") == "strict":
        return
    yield node
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in ("annotation", "returns"):
                yield from computing(child)


def operators(lines: list[bytes], operands: list[ast.expr]) -> Iterator[Edit]:
    """Change an operator between two operands that share a line."""
    for before, after in pairwise(operands):
        row, begin = before.end_lineno - 1, before.end_col_offset
        if row == after.lineno - 1 and (found := _OPERATOR.search(lines[row], begin, after.col_offset)):
            yield row, *found.span(), OTHER[found[0].decode()]


def edits(lines: list[bytes], node: ast.AST) -> Iterator[Edit]:
    """Yield the faults of one expression."""
    if not hasattr(node, "lineno"):
        return
    row, begin, end = node.end_lineno - 1, node.col_offset, node.end_col_offset
    match node:
        case ast.Compare(left=left, comparators=others):
            yield from operators(lines, [left, *others])
        case ast.BoolOp(values=values):
            yield from operators(lines, values)
        case ast.BinOp(left=left, right=right):
            if not {type(left), type(right), *(type(getattr(side, "value", 0)) for side in (left, right))} & _JOINED:
                yield from operators(lines, [left, right])
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand) if node.lineno == operand.lineno:
            yield node.lineno - 1, begin, operand.col_offset, ""
        case ast.Constant(value=bool() as value):
            yield row, begin, end, str(not value)
        case ast.Constant(value=int() | float() as value):
            yield row, begin, end, str(value + 1)
            yield row, begin, end, f"({value - 1})" if value < 1 else str(value - 1)
        case ast.Return(value=ast.Name() as name):
            yield from ((row, name.col_offset, end, text) for text in ("None", "0"))
        case ast.Slice(lower=lower, upper=upper):
            for bound in (lower, upper):
                if isinstance(bound, ast.Name | ast.Call | ast.Attribute):
                    yield bound.end_lineno - 1, bound.end_col_offset, bound.end_col_offset, " + 1"
        case ast.Call(func=function, args=arguments):
            name, stop = called(node), function.end_col_offset
            if name in OTHER:
                yield function.end_lineno - 1, stop - len(name), stop, OTHER[name]
            if name == "sorted":
                yield row, end, end, "[::-1]"
            match arguments:
                case [ast.Name() as one, ast.Name() as two] if one.lineno == two.lineno and name != "isinstance":
                    text = f"{two.id}{lines[one.lineno - 1][one.end_col_offset : two.col_offset].decode()}{one.id}"
                    yield one.lineno - 1, one.col_offset, two.end_col_offset, text


def faults_of(file: str, source: bytes) -> Iterator[Fault]:
    """Yield each fault of a file."""
    lines, known = source.splitlines(), Counter[tuple[str, str]]()
    for row, begin, end, text in sorted({each for node in computing(ast.parse(source)) for each in edits(lines, node)}):
        was = lines[row].strip().decode()
        becomes = (lines[row][:begin] + text.encode() + lines[row][end:]).strip().decode()
        known[was, becomes] += 1
        yield Fault(file, row + 1, was, becomes, known[was, becomes])


def faults(seed: int, number: int, only: str = "") -> list[Fault]:
    """Return the faults to try, in the order of their ranks."""
    paths = [path for folder in FOLDERS for path in (ROOT / "toysearch" / folder).rglob("*.py")]
    sources = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    possible = [fault for file in sources if re.search(only, file) for fault in faults_of(file, sources[file])]
    possible.sort(key=lambda fault: hashlib.sha256(repr((seed, fault.known_by())).encode()).digest())
    found: dict[tuple[str, int], Fault] = {}
    for fault in possible:
        if len(found) == number:
            break
        try:
            ast.parse(fault.put_into(sources[fault.file]))
        except SyntaxError:
            continue
        found.setdefault((fault.file, fault.line), fault)
    return [*found.values()]


class Copy:
    """A copy of the checkout, in which tests are run."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "toysearch"
        shutil.copytree(ROOT, self.place, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist"))
        given = {name: value for name, value in os.environ.items() if not name.startswith("TOYSEARCH_")}
        fixed = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        places = dict.fromkeys(("HOME", "TMPDIR"), str(folder)) | {"PYTHONPATH": str(self.place)}
        self.environment = given | fixed | places | {"PYTHONDONTWRITEBYTECODE": ""}
        # By time and size, Python would take a fault of the same length, in the same second, for what it has compiled.
        compiled = (sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "toysearch")
        subprocess.run(compiled, cwd=self.place, env=self.environment, check=True)

    def failed(self, seconds: int, *arguments: str) -> list[str] | None:
        """Run tests; return those that fail, or None after too long, which is ten times as long by the clock."""
        limited = ("sh", "-c", _LIMITED, str(seconds), str(10 * seconds), sys.executable)
        quick = ("-m", "pytest", "-p", "no:cacheprovider", "-m", "not exhaustive and not system")
        command = (*limited, *quick, *arguments)
        with tempfile.TemporaryFile() as out:  # not a pipe, which a process that outlives the tests holds open
            code = subprocess.run(command, cwd=self.place, env=self.environment, stdout=out, stderr=out).returncode
            out.seek(0)
            failed = re.findall(
                r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", out.read().decode(errors="replace"), re.MULTILINE
            )
        if code in (124, 137, -9, -24):  # by timeout, by ulimit
            return None
        return failed or ([] if code in (0, 5) else ["pytest"])  # 5: none of the tests is quick

    def tried(self, fault: Fault, seconds: int) -> dict[str, Any]:
        """Return the line of the record for a fault."""
        path, start = self.place / fault.file, time.monotonic()
        source, failed = path.read_bytes(), []
        own, beside = changed.tests_of(PurePath(fault.file)), changed.tests_beside(PurePath(fault.file))
        path.write_bytes(fault.put_into(source))
        for tests in filter(None, (own, [test for test in beside if test not in own])):
            failed = self.failed(seconds, "-x", *(str(test.relative_to(ROOT)) for test in tests))
            if failed != []:
                break
        path.write_bytes(source)
        end, seconds = "killed" if failed else "survived" if failed == [] else "timeout", time.monotonic() - start
        return {**fault._asdict(), "end": end, "by": (failed or [None])[0], "seconds": round(seconds, 1)}


def recorded(chosen: argparse.Namespace, tried: list[Fault]) -> Iterator[dict[str, Any]]:
    """Yield the line of each fault in the order of the list; at the end, of each test that fails without a fault."""
    stop, killers = time.monotonic() + 0.9 * 60 * chosen.minutes, set[str]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(chosen.workers) as pool:
        copies = SimpleQueue[Copy]()
        for number in range(chosen.workers):
            copies.put(Copy(Path(folder, str(number))))

        def line_of(fault: Fault) -> dict[str, Any]:
            copy = copies.get()
            line = copy.tried(fault, chosen.seconds) if time.monotonic() < stop else {}
            copies.put(copy)
            return line

        for line in filter(None, pool.map(line_of, tried)):
            killers |= {line["by"]} - {None, "pytest"}
            yield line
        failed = copies.get().failed(10 * chosen.seconds, *sorted(killers)) if killers else []
        yield from ({"fails without a fault": test} for test in (["too slow"] if failed is None else failed))


def compare(before: Path, after: Path) -> None:
    """Print the faults of two records that do not end alike."""
    records = [map(json.loads, path.read_text(encoding="utf-8").splitlines()) for path in (before, after)]
    old, new = ({Fault(*[*line.values()][:5]).known_by(): line for line in lines if "end" in line} for lines in records)
    found: dict[str, list[str]] = {}
    for key, line in sorted((old | new).items()):
        change = " → ".join(record[key]["end"] if key in record else "not tried" for record in (old, new))
        found.setdefault(change, []).append(f"{line['file']}:{line['line']}: {line['was']} → {line['becomes']}")
    for change, places in found.items():
        is_listed = "not tried" not in change and len({*change.split(" → ")}) == 2
        print(f"{change}: {len(places)}", *(places if is_listed else []), sep="\n  ")


def main() -> None:
    """Try faults, or compare two records."""
    if sys.argv[1:2] == ["compare"]:
        return compare(*map(Path, sys.argv[2:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="file to write: one line of JSON per fault")
    parser.add_argument("--only", default="", help="only faults of the files that match this pattern")
    counts = {"number": 300, "seed": 0, "minutes": 60, "seconds": 60, "workers": 2}
    for name, default in counts.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    chosen = parser.parse_args()
    tried, ends = faults(chosen.seed, chosen.number, chosen.only), Counter[str]()
    with chosen.out.open("w", encoding="utf-8", buffering=1) as out:
        for line in recorded(chosen, tried):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            ends[line.get("end", "fails without a fault")] += 1
    print(f"{chosen.out}: of {len(tried)} faults", *(f"{count} {end}" for end, count in ends.items()), sep=", ")
    sys.exit(ends["fails without a fault"])


if __name__ == "__main__":
    main()
