"""Cells run one after the other, with IPython or without."""

import importlib.util
import json
import sys

import pytest

from toysearch.classroom.grading.notebook_run import read_notes, run_cells


@pytest.fixture
def no_ipython(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "IPython" else found(name))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "100")


def test_a_package_of_the_labs_that_is_missing_is_named_with_what_brings_it():
    troubles = [f"ModuleNotFoundError: No module named '{name}'" for name in ("altair", "mine")]
    troubles += [f"NameError: name '{name}' is not defined" for name in ("alt", "mine", "alt")]
    lines = [json.dumps({"cell": cell, "trouble": trouble}) for cell, trouble in enumerate(troubles, 1)]
    assert read_notes("\n".join(lines).encode(), 5).troubles() == [
        f"{troubles[0]}; pip install 'toysearch[labs]' brings it",
        f"cell 2: {troubles[1]}",
        f"cell 4: {troubles[3]}",
    ]


def test_without_ipython_cells_run_and_magics_are_left_out(no_ipython, capsys):
    cells = [
        *("%matplotlib inline\nx = 1", "print(x)\n1 / 0", "import sys; sys.exit(2)", "!ls\nx += 1", "def"),
        "assert x == 2",
    ]
    results = list(run_cells(cells))
    assert [result.failed for result in results] == [False, True, True, False, True, False]
    assert [result.trouble for result in results[1:3]] == ["ZeroDivisionError: division by zero", "SystemExit: 2"]
    assert capsys.readouterr().out == ""
