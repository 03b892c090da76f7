"""The table of docs/understand/analysis.md that says what the further steps of the analysis give, computed again."""

from __future__ import annotations

import functools
import json
import re

import pytest
from click.testing import CliRunner
from conftest import ROOT
from lengths import thinned
from scipy.stats import ttest_rel

from toysearch.cli.main import command

PAGE = (ROOT / "docs" / "understand" / "analysis.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("### What they give")[2].partition("## Which English list?")[0]
ROWS = re.findall(r"^\| `(english[^`]*)` \|", TABLE, re.MULTILINE)
COLLECTIONS = ("cranfield", "scifact")


@functools.cache
def average_precisions(collection: str, analyzer: str) -> list[float]:
    """AP of each query."""
    arguments = ["eval", collection, "--model", "bm25", "--ties", "trec_eval", "-m", "AP", "--json"]
    result = CliRunner().invoke(command, [*arguments, "--analyzer", analyzer])
    (system,) = json.loads(result.stdout)["systems"]
    return [row["AP"] for row in system["per_query"].values()]


def cells(analyzer: str) -> list[str]:
    """The cells of a row: AP, and its difference from plain English analysis, for each collection."""
    shown = []
    for collection in COLLECTIONS:
        ap, before = average_precisions(collection, analyzer), average_precisions(collection, "english")
        mean = sum(ap) / len(ap)
        shown.append(f"{mean:.4f}")
        if analyzer == "english":
            shown.append("")
            continue
        p = ttest_rel(ap, before).pvalue
        found = f"p = {p:.2f}" if p >= 0.01 else f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
        shown.append(f"{mean - sum(before) / len(before):+.4f} ({found})".replace("-", "−"))
    return shown


def line(analyzer: str) -> str:
    """A row of the table."""
    return " | ".join([f"| `{analyzer}`", *cells(analyzer)]) + " |"


@pytest.mark.parametrize("analyzer", thinned([*ROWS[1:], ROWS[0]], 12))
def test_the_page_says_what_an_option_gives(corpora, analyzer):
    assert line(analyzer) in TABLE


def test_there_are_rows():
    assert len(ROWS) == 12
