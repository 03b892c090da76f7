"""The wheel holds all that it needs: installed into a clean environment, it runs the demo outside the checkout."""

import zipfile
from pathlib import Path

import pytest
from circles import RINGS
from core_alone import CORE
from fresh_environments import ROOT, run

from toysearch.base.plain_or_compiled import ARRAYS, LOOPS, loops_compiled

pytestmark = [pytest.mark.system, pytest.mark.waits]


def test_the_wheel_holds_the_bundled_collections_and_no_text_of_others(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    corpora = ROOT / "corpora"
    bundled = {file.relative_to(corpora).as_posix() for file in corpora.rglob("*") if file.is_file()}
    assert {name.removeprefix("toysearch/_corpora/") for name in names if "/_corpora/" in name} == bundled
    assert {"cat-dog-parrot/corpus.jsonl", "cranfield/collection.toml", "scifact/collection.toml"} <= bundled
    figures = {"qrels.txt.gz", "queries.svm.gz", "vocab.txt.gz", "T.svm.gz", "W.svm.gz"}
    assert {name for name in bundled if name.startswith(("cranfield/", "cisi/", "scifact/"))} == {
        *(f"{name}/collection.toml" for name in ("cranfield", "cisi", "scifact")),
        *(f"{name}/{file}" for name in ("cranfield", "cisi") for file in figures),
        "cisi/A.svm.gz",
    }
    assert "toysearch/py.typed" in names
    folders = [ROOT / "toysearch" / "page" / folder for folder in ("templates", "static")]
    assert {file.relative_to(ROOT).as_posix() for folder in folders for file in folder.iterdir()} <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/", "notebooks/"))]
    assert "toysearch/_notebooks/01-tokens.ipynb" in names
    assert not [name for name in names if "teacher" in name]
    assert {Path(name).suffix for name in names if "/_notebooks/" in name} == {".ipynb", ".md"}  # no source: solutions
    pages = {file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*.md")}
    pages -= {"site/templates/front.md"}  # of the site alone
    assert {name.removeprefix("toysearch/_docs/") for name in names if "/_docs/" in name} == pages


def test_the_wheel_holds_all_rings_and_the_compiled_loops(wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("toysearch/")]
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert folders - {"_corpora", "_docs", "_notebooks"} == {*CORE, *RINGS, "compiled"}
    tops = {name.split("/")[1] for name in names if name.count("/") == 1}
    assert tops == {path.name for path in (ROOT / "toysearch").iterdir() if path.is_file()}
    if loops_compiled():
        extensions = {name.split("/")[2].split(".")[0] for name in names if name.endswith((".so", ".pyd"))}
        assert extensions == {*LOOPS, ARRAYS}
        assert {name.split("/")[1] for name in names if name.endswith((".so", ".pyd"))} == {"compiled"}


def test_the_demo_runs_from_the_wheel(environment, tmp_path):
    script = environment / "bin" / "toysearch"
    where = run(environment / "bin" / "python", "-c", "import toysearch; print(toysearch.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    assert "How to train a parrot" in run(script, "demo", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_compiled_or_kept_at_the_first_use(environment, tmp_path):
    """So that a session on a computer of others, which begins with an empty disk, is as quick as any."""

    def files():
        return {path: path.stat().st_mtime_ns for path in environment.rglob("toysearch/**/*") if path.is_file()}

    before = files()
    run(environment / "bin" / "toysearch", "eval", "companions", cwd=tmp_path, TOYSEARCH_CACHE=str(tmp_path / "cache"))
    assert files() == before
    assert list(tmp_path.iterdir()) == []


def test_a_lab_starts_from_the_wheel(environment, tmp_path):
    script = environment / "bin" / "toysearch"
    assert run(script, "labs", "start", "1", "--student", "ada", cwd=tmp_path) == "01-tokens.ipynb\n"
    assert 'student=\\"ada\\"' in (tmp_path / "01-tokens.ipynb").read_text(encoding="utf-8")


def test_pytest_finds_relevance_tests_by_itself(environment, tmp_path):
    (tmp_path / "relevance.toml").write_text(
        'collection = "cat-dog-parrot"\n[[expect]]\nmeasure = "AP"\nat_least = 0.9\n'
    )
    printed = run(environment / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert "1 passed" in printed
