"""The package stays below the ceilings of tools/ceilings.toml, counted as from outside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, loaded

weight = loaded(ROOT / "tools" / "weight.py")
CHECKS = Path(os.environ.get("TOYSEARCH_CHECKS", ROOT.parent / "shared" / "checks")) / "weight.py"


@pytest.fixture(scope="module")
def weights():
    return weight.weights()


def test_no_folder_is_above_its_ceiling(weights):
    counts = {folder: counted["tokens"] for folder, counted in weights.items()}
    counts |= {"data": weights["all"]["data"], **weight.words_and_lines()}
    ceilings = weight.ceilings()
    assert counts.keys() == ceilings["now"].keys() >= ceilings["round"].keys()
    assert {what: count for what, count in counts.items() if count > ceilings["now"][what]} == {}


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("a = 1  # one", {"tokens": 3, "stmts": 1}),
        ('"""A docstring."""', {"files": 0}),
        ('def f():\n    """One two."""\n    return "three four"', {"tokens": 7, "stmts": 2, "strings": 2}),
        ('f"{a} {b.c}"', {"tokens": 1, "stmts": 1, "fstr": 3}),
        ("if a:\n    b()\nelse:\n    c()", {"tokens": 11, "stmts": 3}),
        (f"f({', '.join('a' * 20)})", {"tokens": 42, "excess": 17, "stmts": 1}),
        ("[a for a in b if a or c], *d, (e if f else g)", {"crowd": 1, "stmts": 1}),
    ],
)
def test_what_is_counted(source, counts):
    found = weight.weight_of_python(source)
    assert {name: found[name] for name in counts} == counts


def test_the_counter_from_outside_finds_the_same(weights):
    if not CHECKS.exists():
        pytest.skip("the counter from outside is not here; set TOYSEARCH_CHECKS to its folder")
    lines = subprocess.check_output([sys.executable, CHECKS, ROOT], text=True).splitlines()[1:]
    columns = ("tokens", "stmts", "t/st", "excess", "crowd", "files", "strings", "fstr", "data")
    for line in lines:
        folder, *cells = line.removeprefix("= ").rsplit(maxsplit=len(columns))
        theirs = dict(zip(columns, (cell.replace(",", "") for cell in cells), strict=True))
        del theirs["t/st"]
        ours = weights[folder.strip()]
        assert {name: str(ours[name]) for name in theirs} == theirs, folder
