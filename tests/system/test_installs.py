"""Each line of the documentation that installs something, in a fresh environment that then does what the page says."""

import ast
import json
import re
import subprocess
import textwrap
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import loaded
from fresh_environments import ROOT, python_of, run
from small_collections import contents
from student_notebooks import notebook_file
from tiers import exhaustive

from toysearch.classroom.exercise import LESSONS
from toysearch.classroom.sandbox import kernel_confinement

pytestmark = [pytest.mark.system, pytest.mark.waits]

TEXTS = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "toysearch").rglob("*.py")]
INSTALL = re.compile(
    r"pip (?:install|wheel)(?: --?[\w-]+(?: wheels)?)* '(?:\.|toysearch)(?:\[([\w,-]+)\])?'|pip install \.(?=[ `])"
)
Toysearch = Callable[..., str]


def block(page: str, beginning: str) -> str:
    """The Python block of a page that begins in this way."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return next(each for each in blocks if beginning in each)


def of_charts(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    toysearch("report", "--chart", "pr", "companions", "--model", "bm25", "-o", "bm25.svg")
    assert "<svg" in (folder / "bm25.svg").read_text()
    toysearch("report", "cat-dog-parrot", "--model", "bm25", "-o", "report.html")
    assert "<html" in (folder / "report.html").read_text()


def of_page(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    command = [*toysearch.command, "serve", "companions", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as page:
        address = page.stdout.readline().strip()
        try:
            assert b"p057" in urllib.request.urlopen(f"{address}companions/search?q=tick", timeout=60).read()
        finally:
            page.kill()


def of_charts_and_page(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    of_charts(toysearch, python, folder)
    of_page(toysearch, python, folder)


SOLVED = [1, 5]
"""Labs that are run in Jupyter unanswered, and graded with the answers of the teacher."""


def of_labs(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    build = loaded(ROOT / "notebooks" / "build.py")
    for lesson in (each for each in LESSONS if each.number in SOLVED):
        toysearch("labs", "start", str(lesson.number), "--student", "ada", "-o", "begun")
        path = folder / "begun" / f"{lesson.stem}.ipynb"
        python(
            "import sys, nbclient, nbformat\nnotebook = nbformat.read(sys.argv[1], as_version=4)\n"
            "nbclient.NotebookClient(notebook, timeout=300, kernel_name='python3').execute()\n"
            "nbformat.write(notebook, sys.argv[1])",
            path,
        )
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] for cell in cells)
        outputs = [output for cell in cells for output in cell["outputs"]]
        assert not [each for each in outputs if each["output_type"] == "error" or each.get("name") == "stderr"]
        assert any("image/png" in each.get("data", {}) for each in outputs)
        codes = [cell.teacher for cell in build.read(build.SOURCES / f"{lesson.stem}.py") if cell.kind == "code"]
        notebook_file(folder / "solved" / path.name, *codes)
    if not kernel_confinement.missing():
        for graded in json.loads(toysearch("labs", "grade", "solved", "--to", "json", "-")):
            assert graded["score"] == graded["max_score"] > 0, graded
    trees = [ast.parse(cell.teacher) for path in build.sources() for cell in build.read(path) if cell.kind == "code"]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    python("\n".join(sorted({ast.unparse(node) for node in nodes})))
    python("import jupyterlab")


def of_datasets(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    """A collection of that package is downloaded; here only its names are looked at."""
    python("import ir_datasets\nassert 'cranfield' in ir_datasets.registry._registered")
    command = [*toysearch.command, "search", "ir_datasets:no-such-collection", "x"]
    refused = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (refused.returncode, "needs the package" in refused.stderr) == (2, False), refused.stderr


def of_vectors(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    (folder / "pets.jsonl").write_text('{"_id": "d1", "text": "parrot"}\n{"_id": "d2", "text": "cat"}\n')
    (folder / "mine.py").write_text("def embed(text):\n    return [text.count('cat'), 1]\n")
    python(
        """
        import npids, pyarrow, pyarrow.parquet
        table = pyarrow.table({"_id": ["d1", "d2"], "vector": [[0.0, 1.0], [1.0, 0.0]]})
        pyarrow.parquet.write_table(table, "vectors.parquet")
        """
    )
    printed = toysearch(
        "search", "pets.jsonl", "cat", "--model", "dense:vectors.parquet,queries=mine.py:embed", "--tsv"
    )
    assert "d1" in printed


def of_cluster(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    toysearch("index", "companions", "-o", "alone.idx")
    toysearch("index", "companions", "-o", "together.idx", "--workers", "2")
    assert contents(folder / "alone.idx") == contents(folder / "together.idx")


def of_files(toysearch: Toysearch, python: Toysearch, folder: Path) -> None:
    python(
        """
        import pypdf, pyarrow, pyarrow.parquet, python_calamine
        pyarrow.parquet.write_table(pyarrow.table({"id": ["d1"], "text": ["a parrot"]}), "pets.parquet")
        """
    )
    assert "d1" in toysearch("search", "pets.parquet", "parrot", "--tsv")


EXTRAS = {
    "charts": of_charts,
    "charts,page": of_charts_and_page,
    "cluster": of_cluster,
    "datasets": of_datasets,
    "files": of_files,
    "labs": of_labs,
    "page": of_page,
    "vectors": of_vectors,
}
"""Extras of an install line → what its page says that one can do then."""

OFTEN = "page"
"""The extra that `make test-system` tries; `make test-all` tries the others, of which each takes up to minutes."""


class In:
    """Runs programs of an environment in a folder."""

    def __init__(self, environment: Path, folder: Path, *program: str) -> None:
        self.command = [str(python_of(environment)), *program]
        self.folder = folder

    def __call__(self, *arguments: object) -> str:
        code = [textwrap.dedent(str(arguments[0])), *arguments[1:]] if self.command[-1] == "-c" else arguments
        cache = str(self.folder.parent / "cache" / "toysearch")
        return run(*self.command, *code, cwd=self.folder, TOYSEARCH_CACHE=cache)


def test_every_line_that_installs_something_is_tried():
    found = {match[1] for path in TEXTS for match in INSTALL.finditer(path.read_text(encoding="utf-8"))}
    assert found - {None} == set(EXTRAS)
    assert None in found, "README.md says how to install toysearch alone"


def test_toysearch_alone_does_what_the_readme_shows(plain, tmp_path):
    toysearch, python = In(plain, tmp_path, "-m", "toysearch"), In(plain, tmp_path, "-c")
    assert "How to train a parrot" in toysearch("demo")
    assert "p057" in toysearch("search", "companions", "removing a tick", "-k", "1", "--explain")
    flags = "doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE"
    test = f"doctest.testfile({str(ROOT / 'README.md')!r}, module_relative=False, optionflags={flags})"
    python(f"import doctest, sys\nsys.exit({test}.failed)")


@pytest.mark.parametrize(
    "extras",
    [
        OFTEN,
        *(pytest.param(each, marks=exhaustive) for each in EXTRAS if each not in (OFTEN, "charts")),  # page and charts
    ],
)
def test_what_an_extra_installs_does_what_its_page_says(extras, with_extras, tmp_path):
    environment = with_extras(extras)
    EXTRAS[extras](In(environment, tmp_path, "-m", "toysearch"), In(environment, tmp_path, "-c"), tmp_path)
