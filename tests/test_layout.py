"""The folders of tests/unit are those of toysearch/, and a test file begins with the name of the module it tests."""

import re

import pytest
from conftest import LONG_EXAMPLES, ROOT

UNIT = ROOT / "tests" / "unit"
TOP = {
    *("ARCHITECTURE.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile"),
    *("README.md", "pyproject.toml", "setup.py", "benchmarks", "build_backend", "corpora", "docs"),
    *("notebooks", "tests", "tools", "toysearch"),
}
"""The files and folders at the top, without hidden ones."""
MADE = {"build", "dist", "__pycache__", "toysearch.egg-info"}
"""Those that a build leaves there."""


def source_of(path):
    """The module or folder of toysearch/ whose name a test file begins with, if there is one."""
    folder = ROOT / "toysearch" / path.parent.relative_to(UNIT)
    known = {each.stem for each in folder.glob("*") if each.suffix == ".py" or each.is_dir()}
    words = path.stem.split("_")[1:]
    return next((folder / name for end in range(len(words), 0, -1) if (name := "_".join(words[:end])) in known), None)


def test_the_top_level_holds_no_stray_file():
    assert {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - MADE == TOP


def test_pages_and_modules_whose_examples_take_long_exist():
    assert [name for name in LONG_EXAMPLES if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "notebooks/README.md"])
def test_the_files_that_a_page_on_the_code_names_exist(page):
    folders = ("toysearch", "tests", "tools", "docs", "notebooks", "build_backend")
    paths = [*ROOT.glob("*.py"), *(path for folder in folders for path in (ROOT / folder).rglob("*.py"))]
    files = [f"/{path.relative_to(ROOT).as_posix()}" for path in paths]
    names = re.findall(r"`([a-z0-9_/]+\.py)`", (ROOT / page).read_text(encoding="utf-8"))
    assert names
    assert [name for name in names if not any(file.endswith(f"/{name}") for file in files)] == []


def test_a_file_of_tests_says_itself_that_it_is_of_a_tier():
    """A tier imports only such files (conftest.py), so no helper may mark the tests of another file."""
    marking = re.compile(r"tiers import .*\b(exhaustive|longer|thinned)\b|mark\.(system|exhaustive|longer)\b")
    helpers = [
        path for path in (ROOT / "tests").glob("*.py") if not path.name.startswith(("test_", "conftest", "tiers"))
    ]
    assert len(helpers) > 20
    assert not [path.name for path in helpers if marking.search(path.read_text(encoding="utf-8"))]


def test_a_test_is_found_from_the_name_of_its_source():
    strays = [str(path.relative_to(ROOT)) for path in sorted(UNIT.rglob("test_*.py")) if not source_of(path)]
    assert strays == [], (
        "name each after a module of toysearch/, in the same folder: test_MODULE.py, test_MODULE_SUBJECT.py"
    )


def test_only_noted_collects_notes_that_are_compared():
    """Elsewhere a socket that another package leaves open, collected at any moment, would be among them."""
    collecting = "pytest.warns(" + "ToysearchNote) as "
    assert not [path for path in (ROOT / "tests").rglob("*.py") if collecting in path.read_text(encoding="utf-8")]
