"""The frame: help, exit codes, and what goes to stdout and stderr when something is wrong."""

import errno
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from on_windows import WINDOWS
from shell import every_command, run

import toysearch
from toysearch.base.elsewhere import here
from toysearch.base.errors import DataError, note
from toysearch.cli import main
from toysearch.cli.options import output_options

PROGRAM = [sys.executable, "-c", "from toysearch.__main__ import main; main()"]
REPLACED = (
    "import click; from toysearch.cli import main; from toysearch.cli import check; "
    "check.check_command = click.command('check')(lambda: {})"
)
GROUPS = {"corpora": ["show"], "labs": ["start", "grade"]}
COMMANDS = [
    *((name,) for name in main.command.lines),
    *((group, name) for group, names in GROUPS.items() for name in names),
]


@pytest.fixture
def probe(monkeypatch):
    """Puts a function in the place of `toysearch check`."""

    def put(function):
        module = importlib.import_module("toysearch.cli.check")
        monkeypatch.setattr(module, "check_command", click.command("check")(function))

    return put


def test_alone_it_prints_its_help_on_one_screen():
    result = run()
    assert result.exit_code == 0
    assert result.stdout == run("--help").stdout
    lines = result.stdout.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    for name, line in main.command.lines.items():
        described = re.search(rf"^ +{name} +{re.escape(line)}$", result.stdout, re.MULTILINE)
        assert (name in main.FIRST) is (described is not None)
        assert re.search(rf" {name}\b", result.stdout)
    first = re.search(r"^Begin with: +toysearch (.+)$", result.stdout, re.MULTILINE)
    assert run(*shlex.split(first[1])).exit_code == 0


def test_each_command_has_its_line_in_a_group_of_at_most_eight():
    listed = run("--commands").stdout
    for name, line in main.command.lines.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", listed, re.MULTILINE)


def test_options_stand_under_headings_and_shared_ones_are_named_only():
    shown = run("eval", "--help").stdout
    parts = re.split(r"^(\S.*):$", shown, flags=re.MULTILINE)
    assert parts[1::2] == [
        "Ranking",
        "Evaluation",
        "Queries",
        "Input",
        "Output",
        "Also, as in `toysearch search -h`",
        "Also, as in `toysearch run -h`",
        "Also, as in `toysearch compare -h`",
    ]
    assert "\nHow files are read (--columns, …): toysearch docs collections#reading-options\n" in parts[-1]
    assert "--query-columns" not in shown
    assert "\n  --fields A,B " in run("corpora", "show", "--help").stdout


def test_version():
    assert run("--version").stdout.splitlines()[0] == f"toysearch {toysearch.__version__}"


@pytest.mark.parametrize("name", main.command.lines)
def test_the_line_of_the_table_is_the_short_help_of_the_command(name):
    command = main.command.get_command(click.Context(main.command), name)
    assert command.get_short_help_str(limit=200) == main.command.lines[name]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_help_has_examples_of_its_command_and_fits_80_columns(words):
    result = run(*words, "--help")
    assert result.exit_code == 0
    head, block, examples = result.stdout.partition("  Examples:\n")
    assert block
    lines = examples.splitlines()
    assert lines
    assert all(line.startswith(("    toysearch ", "    make ", "    echo ", "      ")) for line in lines)
    assert any(line.startswith(f"    toysearch {' '.join(words)}") for line in lines)
    assert max(map(len, head.splitlines())) <= 80
    assert "(, " not in head


@pytest.mark.parametrize("name", here("command"))
def test_a_name_that_people_type_leads_to_commands(name):
    line = run(name, "cranfield").stderr.splitlines()[-1]
    assert line == f"Error: there is no command '{name}'; {here('command')[name]}"
    assert name not in main.command.lines
    for typed in re.findall(r"`([^`]+)`", line):
        first, *rest = typed.split()
        command = main.command.get_command(click.Context(main.command), first)
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), rest[0]) if rest else command
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("-")} <= options


EVERY_GROUP = sorted({name.rpartition(" ")[0] for name, _ in every_command()} - {""})


@pytest.mark.parametrize("group", EVERY_GROUP)
def test_a_group_alone_lists_what_it_has(group):
    result = run(group)
    assert (result.exit_code, result.stderr) == (0, "")
    assert group in ("corpora", "labs") or result.stdout == run(group, "--help").stdout


@pytest.mark.parametrize("group", EVERY_GROUP)
def test_no_line_of_a_group_is_cut(group):
    assert not [
        line for line in run(group, "--help").stdout.splitlines() if line.startswith("  ") and line.endswith("...")
    ]


@pytest.mark.parametrize(
    ("code", "name", "sentence"),
    [
        (errno.ENOENT, "a.txt", "there is no file or folder 'a.txt'; check the name and the folder you are in"),
        (errno.EACCES, "a.txt", "permission denied: 'a.txt' may not be read or written by you"),
        (errno.EISDIR, b"corpus", "'corpus' is a folder; a file was expected"),
        (errno.ENOTDIR, "a.txt/b", "'a.txt/b' is not inside a folder: a part of the path is a file"),
        (errno.EEXIST, "a.txt", "'a.txt' already exists; choose another name"),
        (errno.ENAMETOOLONG, "aaa", "'aaa': File name too long"),
        (errno.ENOSPC, "x.idx", "no room left on the disk for 'x.idx'; free some or choose another place"),
        (errno.ENOSPC, None, "no room left on the disk; free some or choose another place"),
        (errno.EACCES, None, "the system refuses what the command needs: permission denied"),
        (errno.EIO, None, "the system refuses what the command needs: input/output error"),
        (errno.EROFS, "a", "'a' is on a disk that cannot be written to; choose another place"),
        (errno.ELOOP, "a", "'a' is a link that leads to itself; name the file"),
        (
            errno.EMFILE,
            "lib.so",
            "this process may not open more files: raise the limit (ulimit -n 1024) or use fewer --threads",
        ),
    ],
)
def test_trouble_with_a_file_is_a_sentence_and_exit_code_2(probe, code, name, sentence):
    def fails():
        raise OSError(code, os.strerror(code), name)

    probe(fails)
    result = run("check")
    assert [result.exit_code, result.stdout, result.stderr] == [2, "", f"toysearch: {sentence}\n"]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "not enough memory; "),
        (ImportError("libx.so: failed to map segment from shared object"), "not enough memory; "),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "not enough memory; "),
        (OSError("Could not load: libx.so: failed to map segment from shared object"), "not enough memory; "),
        (OverflowError("intermediate overflow in fsum"), "some numbers are too large to be added up; "),
        (RuntimeError("can't start new thread"), "no more threads can be started here; "),
        (ImportError("libx.so: cannot open shared object file: Too many open files"), "this process may not open more"),
    ],
)
def test_what_the_system_has_no_more_of_is_a_sentence(probe, error, sentence):
    def fails():
        raise error

    probe(fails)
    result = run("check")
    assert [result.exit_code, result.stdout, result.stderr.count("\n")] == [2, "", 1]
    assert result.stderr.startswith(f"toysearch: {sentence}")


@pytest.mark.parametrize("error", [OSError("no number, no file"), ValueError("a bug"), RuntimeError("a bug")])
def test_what_is_no_user_error_keeps_its_traceback(probe, error):
    def fails():
        raise error

    probe(fails)
    result = run("check")
    assert result.exit_code == 1
    assert result.exception is error


def test_notes_are_lines_on_stderr_once_each_and_before_the_error_that_follows(probe):
    def notes():
        note("2 queries have no judgments")
        note("no term of the query is in the index")
        note("2 queries have no judgments")
        click.echo("data")
        raise DataError("no documents")

    probe(notes)
    result = run("check")
    assert [result.exit_code, result.stdout] == [2, "data\n"]
    assert result.stderr.splitlines() == [
        "note: 2 queries have no judgments",
        "note: no term of the query is in the index",
        "toysearch: no documents",
    ]


def test_one_form_of_output_is_chosen(probe):
    @output_options
    def echo(form):
        click.echo(form)

    probe(echo)
    asked = {"": "table", "--format table": "table", "--json": "json", "--tsv": "tsv", "--json --format json": "json"}
    assert {options: run("check", *options.split()).stdout.strip() for options in asked} == asked
    result = run("check", "--json", "--tsv")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: the output can have one form, not both json and tsv\n")


@pytest.mark.waits
@pytest.mark.system
def test_a_reader_that_stops_early_is_no_error():
    text = "cat dog " * (3_900 if WINDOWS else 10_000)  # a command line of Windows has 32,767 characters
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [*PROGRAM, "analyze", text, "--tsv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout.readline() == b"token\tstop_word\tterm\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.waits
@pytest.mark.system
def test_nor_is_one_that_is_gone_when_the_last_lines_leave():
    reading, writing = os.pipe()
    os.close(reading)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    code = f"{REPLACED}; main.main()".format("print('data')")
    result = subprocess.run(
        [sys.executable, "-c", code, "check"], stdout=writing, stderr=subprocess.PIPE, env=environment
    )
    os.close(writing)
    assert [result.returncode, result.stderr] == [141, b""]


@pytest.mark.waits
@pytest.mark.system
def test_what_leaves_for_a_pipe_is_utf8_in_any_locale():
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    code = f"{REPLACED}; main.main()".format("print('\\u732b \\udce9')")
    result = subprocess.run([sys.executable, "-c", code, "check"], capture_output=True, env=environment)
    assert [result.returncode, result.stdout, result.stderr] == [0, "猫 ?\n".encode(), b""]


@pytest.mark.waits
def test_help_imports_neither_numpy_nor_a_command():
    code = (
        "import sys; from toysearch.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    loaded = set(result.stderr.split())
    assert loaded.isdisjoint({"numpy", "rich", "toysearch.base.run_and_qrels", "toysearch.base.rendering"})
    ours = {name for name in loaded if name.startswith("toysearch")}
    assert ours == {
        "toysearch",
        "toysearch.base",
        "toysearch.cli",
        "toysearch.cli.main",
        "toysearch.cli.commands",
        "toysearch.base.errors",
        "toysearch.base.lazy_namespaces",
        "toysearch.base.interrupts",
        "toysearch.base.platform",
        "toysearch.base.wording",
    }


@pytest.mark.waits
def test_the_console_script_is_this_program():
    script = Path(sys.executable).parent / "toysearch"
    if sys.platform == "win32" and not (script := script.with_suffix(".exe")).exists():
        pytest.skip("Wine's Python has no programs installed beside it")
    result = subprocess.run([script, "serch"], capture_output=True, text=True)
    assert result.returncode == 2
    assert "Error: unknown command 'serch'; did you mean 'search'?" in result.stderr


def test_several_bad_lines_are_told_below_each_other(tmp_path):
    (tmp_path / "run").write_text("q1 Q0 a 1 2.5 t\n")
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nq1,a,\x1b[2J\nq1,b,1\n,c,1\n")
    result = run("eval", str(tmp_path / "run"), str(tmp_path / "qrels.csv"))
    assert result.exit_code == 2
    first, *details = result.stderr.splitlines()
    assert first.endswith("qrels.csv: 2 lines cannot be read:")
    assert [line[:10] for line in details[:-1]] == ["  line 2: ", "  line 4: "]
    assert details[-1] == "  --on-error skip leaves them out"
    assert "\x1b" not in result.stderr


@pytest.mark.system
@pytest.mark.skipif(sys.platform == "win32", reason="its shell closes no stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("command", "exit_code"),
    [
        ("search companions tick", 0),
        ("search companions tick --json", 0),
        ("eval companions --model bm25", 0),
        ("index companions -o ix", 0),
        ("nope", 2),
        ("eval - companions", 2),
    ],
)
def test_a_closed_stream_changes_no_exit_code(tmp_path, command, exit_code, closed):
    line = f"{sys.executable} -m toysearch {command} {closed}"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (exit_code, False)
    if command.startswith("index"):
        assert len(toysearch.Index.open(tmp_path / "ix")) == len(toysearch.load("companions").documents)
