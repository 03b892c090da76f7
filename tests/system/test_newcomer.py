"""Every command on every bundled collection, where neither texts nor extras are: an answer, or one sentence."""

import importlib.abc
import json
import os
import re
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import ROOT
from documented_lines import FOR_NEWCOMERS, NEEDING
from shell import every_command
from tiers import exhaustive

from toysearch.base.optional_packages import present
from toysearch.cli.main import command
from toysearch.collection.catalog import collections

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore")]

EXTRAS = {
    "altair",
    "vl_convert",
    "starlette",
    "uvicorn",
    "dask",
    "distributed",
    "ir_datasets",
    "jupyterlab",
}
LINES = """
ablate C
add pets.idx C
analyze cat
check C
clicks interleave C.run C.run --users C
compare C --model bm25 --model tfidf
convert C --to beir -o made
corpora
corpora show C
delete C.idx 1
diff C bm25 tfidf
docs C
eval C
explain C -q flow 1
fuse C.run C.run
gate --init C
index C -o C.idx
judge agree C C
judge merge C
judge pool C.run --texts C -o sheet.csv
judge rejudge --qrels C C.run C.run --by C
learn C --learner logistic
measures AP
models bm25
query flow C
report C -o made.html
robustness C
run C -o C.run
score 1 0 1
search C flow
search C flow --facets T
search C flow --sort A
serve C
show C.idx
similar C 1
textbook relevance C flow --relevant 1
tune C --grid k1=1,2
verify C
"""
"""Commands with a collection in the place of C; what they make has its name."""
SLOW = ("ablate", "learn", "robustness", "tune", "gate", "verify", "judge rejudge")
WALKED = [page for page in FOR_NEWCOMERS if page.name != "teach.md"]  # tests/system/test_teaching.py runs that
SMALL = ("cat-dog-parrot", "cranfield")


class Absent(importlib.abc.MetaPathFinder):
    """What finds no extra, as where none is installed."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


@pytest.fixture
def newcomer(tmp_path, monkeypatch):
    """An empty folder and an empty home, without texts and extras."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "TOYSEARCH_CACHE", "IR_DATASETS_HOME", "PYTERRIER_HOME", "NLTK_DATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("TOYSEARCH_CORPORA", "")
    for module in [name for name in sys.modules if name.partition(".")[0] in EXTRAS]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    present.cache_clear()
    yield
    present.cache_clear()


def test_the_lines_have_every_command_of_a_collection():
    firsts = {line.split()[0] for line in LINES.strip().splitlines()}
    assert {name.split()[0] for name, _ in every_command()} - firsts <= {"demo", "labs"}


@pytest.mark.parametrize(
    "name", [name if name in SMALL else pytest.param(name, marks=exhaustive) for name in collections()]
)
def test_every_command_answers_or_says_in_a_sentence_why_not(name, newcomer):
    lines = [line for line in LINES.strip().splitlines() if name == "cat-dog-parrot" or not line.startswith(SLOW)]
    lines.sort(key=lambda line: not line.startswith(("index", "run")))  # what others take
    for line in lines:
        words = [re.sub(r"^C(?=$|\.)", name, word) for word in line.split()]
        result = CliRunner().invoke(command, words, env={"COLUMNS": "80"}, prog_name="toysearch")
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            " ".join(words),
            "".join(traceback.format_exception(result.exception)),
        )
        if result.exit_code == 2:
            assert result.stdout == "", words
            assert re.match("toysearch: |  Error: |Error: ", result.stderr.splitlines()[-1]), (words, result.stderr)
        else:
            assert result.exit_code in (0, 1), words
            assert result.stdout or result.stderr, words


@pytest.mark.waits
@pytest.mark.parametrize(
    "page", [page for page in FOR_NEWCOMERS if page.name != "teach.md"], ids=lambda page: page.name
)
def test_a_page_shows_what_is_printed_there_or_says_what_its_line_needs(page, tmp_path):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TOYSEARCH_", "XDG_"))}
    own |= {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "tests" / "offline"), "COLUMNS": "80"}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    walk = [sys.executable, ROOT / "tests" / "newcomer_machine.py", page]
    done = subprocess.run(walk, cwd=tmp_path, env=own, capture_output=True, text=True, check=True)
    text = page.read_text(encoding="utf-8")
    for line, missing, printed in json.loads(done.stdout):
        remedy = re.search(r"pip install 'toysearch\[(\w+)\]'|`toysearch corpora get \w+`", printed)
        assert remedy, (line, missing, printed)
        assert re.search(NEEDING[remedy[1]], line) if remedy[1] else remedy[0] in text.partition(line)[0], line
