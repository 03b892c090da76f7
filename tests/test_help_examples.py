"""Every example that a command's help shows is run as it stands there, in a folder that holds the files it names."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import shell
from click.testing import Result
from help_example_files import EXAMPLES, prepared_folder
from interruptible_command import PROGRAM
from shell import alone, every_command, typed
from simulated_tab import a_tab
from student_notebooks import notebook_file
from tiers import exhaustive, thinned

from toysearch.workbench.judging.judgment_log import JudgmentLog, VoteLog

pytestmark = pytest.mark.system


ROOT = Path(__file__).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Iterator[Path]:
    """A folder with the files that the examples name, on a machine without texts."""
    with pytest.MonkeyPatch.context() as machine:
        machine.setenv("TOYSEARCH_CORPORA", "")
        machine.setenv("TOYSEARCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield _folder(tmp_path_factory)


def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = prepared_folder(tmp_path_factory.mktemp("examples"))
    with JudgmentLog(folder / "class.jsonl") as log:
        for judge in ("ada", "ben"):
            log.add(judge, "1", "1", 2)
    with VoteLog(folder / "votes.jsonl") as votes:
        votes.thumb("ada", "1", "1", up=True)
    (folder / "clicks.csv").write_text(
        "session,query,rank,doc,clicked,system\n1,1,1,1,1,bm25\n1,1,2,2,0,lsa\n2,1,1,2,1,lsa\n2,1,2,1,0,bm25\n"
    )
    (folder / "ratings.csv").write_text("search_term,sku,Rating (0-3),Minutes\ncat,S1,2,4\ncat,S2,n/a,12\n")
    (folder / "products.csv").write_text("id,text\nS1,a basket for a small cat\nS2,a bed for an old dog\n")
    _put_notebooks(folder)
    return folder


def _put_notebooks(folder: Path) -> None:
    """Lab 1 as somebody with all answers hands it in."""
    solve = "from toysearch import labs\nfrom toysearch.classroom.exercise import exercise, lesson\n"
    solve += "labs.start(1, student='ada')\nfor each in lesson(1).exercises:\n"
    solve += "    labs.check(each.number, exercise(each.number).expected(labs.given(each.number)))\n"
    (folder / "homework.py").write_text(solve)
    for name in ("01-tokens.ipynb", "handed-in/ada.ipynb", "submission/01-tokens.ipynb"):
        notebook_file(folder / name, solve)
    solved = folder / "01-tokens.ipynb"
    for archive, name in (
        ("moodle.zip", "Lovelace Ada_501_assignsubmission_file_/01-tokens.ipynb"),
        ("canvas.zip", "lovelaceada_501_77_01-tokens.ipynb"),
    ):
        with zipfile.ZipFile(folder / archive, "w") as packed:
            packed.write(solved, name)


def _run(line: str, folder: Path) -> Result | None:
    """Run a line that has to succeed and to say something; what it printed, if it is toysearch by itself."""
    if line.startswith("toysearch serve"):
        _serve(line, folder)
        return None
    if alone(line):
        result = typed(line, folder)
        assert result.exit_code == 0, result.output
        assert result.output
        return result
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {**os.environ, "PATH": path}
    result = subprocess.run(line, shell=True, cwd=folder, env=own, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout or result.stderr
    return None


def _serve(line: str, folder: Path) -> None:
    """Run a line that serves until it is interrupted, on any free port, and ask it once."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    own = {**os.environ, "BROWSER": "true"}  # a program that does nothing
    command = [*PROGRAM, *shlex.split(re.sub(r" --port \d+", "", line))[1:], "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=own, stdout=subprocess.PIPE, text=True) as process:
        try:
            with urllib.request.urlopen(process.stdout.readline().strip(), timeout=120) as reply:
                assert reply.status == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        finally:
            process.kill()


SMALL = [line for line in EXAMPLES if " cat-dog-parrot" in line or "--grid k=" in line]
NAMES = {name for name, _ in every_command()}


def name_of(line: str) -> str:
    """The command of an example, with its group."""
    first, second, *_ = [*line.split()[1:3], ""]
    return f"{first} {second}" if f"{first} {second}" in NAMES else first


FIRST = {name_of(line): line for line in reversed([*SMALL, *EXAMPLES])}
"""Of each command, the first on the smallest collection or grid; where there is none, the first."""
HERE = [line for line in EXAMPLES if not line.startswith("toysearch corpora get cranfield")]  # which needs a network
SOME = [line if line in FIRST.values() else pytest.param(line, marks=exhaustive) for line in HERE]


ELSEWHERE = re.compile(
    r"toysearch ((serve|labs grade) |check .*\.(py|ipynb)|report (?!.*--json))"
    r"|--(chart|workers) |[a-z0-9]+://(?!127)"
)
"""What a tab of a browser cannot do: servers, processes, drawn charts, connections."""


@pytest.mark.waits
@pytest.mark.parametrize("line", thinned(SOME, 3))
def test_the_example_runs_and_prints_and_writes_the_same_in_a_tab_of_a_browser(folder, line, tmp_path):
    here = shutil.copytree(folder, tmp_path / "here" / "examples")  # none needs what another one makes
    if line.startswith("toysearch delete"):
        _run("toysearch add pets.idx more.jsonl", here)
    if not alone(line) or "boosting" in line:  # its compiled parts have 64 bits here
        _run(line, here)
        return
    tab = shutil.copytree(here, tmp_path / "tabs" / "examples")
    with a_tab():
        result = typed(line, tab)
    expected = _run(line, here)
    if ELSEWHERE.search(line):
        assert (result.exit_code, result.stdout) == (2, "")
        assert re.fullmatch(r"toysearch: .+ cannot be had in a tab of a browser: .+\n", result.stderr)
        return
    assert result.exit_code == 0, result.stderr
    assert result.stdout.replace(str(tab), str(here)).split() == expected.stdout.split()
    ours, theirs = (_files(each) for each in (tab, here))
    assert ours == theirs


def _files(folder: Path) -> dict[str, bytes]:
    """The content of all files in a folder."""
    return {
        str(path.relative_to(folder)): re.sub(rb'"time": "[^"]+"', b"", path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_every_example_runs_on_a_newcomers_machine_or_its_help_says_what_it_needs(folder, tmp_path):
    """There are no texts, extras and network; what needs an extra or a network is refused in a sentence with it."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TOYSEARCH_", "XDG_"))}
    own |= {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "offline"), "COLUMNS": "200"}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    walk = [sys.executable, str(ROOT / "newcomer_machine.py"), str(folder)]
    done = subprocess.run(walk, cwd=tmp_path, env=own, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert [*found] == EXAMPLES
    assert [line for line, (code, *said) in found.items() if code == 0 and not any(said)] == []
    refused = {line: (out, err) for line, (code, out, err) in found.items() if code}
    for line, (out, err) in refused.items():
        *_, sentence = err.splitlines()
        need = re.search(r"^toysearch: .*(pip install 'toysearch\[\w+\]'|cannot be reached)", sentence)
        assert need, (line, err)
        assert out == "", line
        told = shell.done(*name_of(line).split(), "--help").stdout
        assert ("needs a connection" if need[1] == "cannot be reached" else need[1]) in " ".join(told.split())
    assert {name_of(line) for line in refused} == {"corpora get", "report", "serve"}


def test_there_are_examples_of_every_command():
    assert [name for name in NAMES if not any(f"toysearch {name}" in line for line in EXAMPLES)] == []
