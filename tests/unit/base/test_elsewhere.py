"""The phrasebook: each row can be looked up, and the page *Coming from another tool* has what it says."""

import runpy
import tomllib
from pathlib import Path

from conftest import ROOT

from toysearch.base import elsewhere
from toysearch.base.elsewhere import phrases

KINDS = {"setting", "name", "measure", "model", "learner", "statistic", "command", "option", "value", "key"}
LOOKED_UP = KINDS - {"setting", "option"}


def test_each_row_is_of_a_kind_that_is_looked_up() -> None:
    tables = tomllib.loads(Path(elsewhere.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    assert {kind for kinds in tables.values() for kind in kinds} == KINDS


def test_each_row_says_something_or_that_nothing_in_a_command_means_the_same() -> None:
    for row in [row for kind in KINDS for row in phrases(kind)]:
        assert row.ours is not None or row.advice or row.only, row


def test_a_name_has_one_meaning() -> None:
    for kind in LOOKED_UP:
        names = [(row.theirs, row.only) for row in phrases(kind)]
        assert len(names) == len(set(names)), kind


def test_the_tables_of_the_page_are_those_of_the_phrasebook() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "make_coming_from.py"))["written"]
    page = (ROOT / "docs" / "look-up" / "coming-from.md").read_text(encoding="utf-8")
    assert written(page) == page, "python docs/make_coming_from.py"
