"""The tables of docs/look-up/analyzers.md, which measure the options of the analysis, computed again."""

import functools
import json
import re

import pytest
from conftest import ROOT
from scipy.stats import ttest_rel
from shell import run
from tiers import EVERYTHING, exhaustive, longer, thinned

import toysearch

pytestmark = pytest.mark.system

PAGE = (ROOT / "docs" / "look-up" / "analyzers.md").read_text(encoding="utf-8")
TABLE, _, LISTS = PAGE.partition("## Effect of the options")[2].partition("## Effect of the stop list")
STOPPED = ("english:stop=none", "english", "english:stop=iso")
ROWS = re.findall(r"^\| `(english[^`]*)` \|", TABLE, re.MULTILINE)
MEASURES = ("AP", "nDCG@10", "P@5", "R@100")
LISTED = [(name, spec) for name in ("cranfield", "cisi", "scifact") for spec in ("plain", *STOPPED)]
LISTED = [
    each for each in LISTED if each != ("scifact", "english:stop=none")
]  # one of the large collection's is enough


@functools.cache
def values(collection: str, analyzer: str) -> list[dict[str, float]]:
    """The measures of each query."""
    arguments = ["eval", collection, "--model", "bm25", "--ties", "trec_eval", "-m", " ".join(MEASURES), "--json"]
    result = run(*arguments, "--analyzer", analyzer)
    (system,) = json.loads(result.stdout)["systems"]
    return list(system["per_query"].values())


def average_precisions(collection: str, analyzer: str) -> list[float]:
    """AP of each query."""
    return [row["AP"] for row in values(collection, analyzer)]


def difference(collection: str, analyzer: str) -> str:
    """The mean difference in AP from plain English analysis, with the p of a paired t test."""
    ap, before = average_precisions(collection, analyzer), average_precisions(collection, "english")
    p = ttest_rel(ap, before).pvalue
    found = f"p = {p:.2f}" if p >= 0.01 else f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    return f"{sum(ap) / len(ap) - sum(before) / len(before):+.4f} ({found})".replace("-", "−")


def cells(analyzer: str) -> list[str]:
    """The first cells of a row: AP, and its difference from plain English analysis; of some rows for SciFact too."""
    shown = []
    for collection in ("cranfield", "scifact")[: 2 if EVERYTHING and ROWS.index(analyzer) % 4 == 0 else 1]:
        ap = average_precisions(collection, analyzer)
        shown += [f"{sum(ap) / len(ap):.4f}", "" if analyzer == "english" else difference(collection, analyzer)]
    return shown


def line(analyzer: str) -> str:
    """A row of the table."""
    return " | ".join([f"| `{analyzer}`", *cells(analyzer)]) + " |"


@longer
@pytest.mark.parametrize("analyzer", thinned([*ROWS[1:], ROWS[0]], 12))
def test_the_page_says_what_an_option_gives(corpora, analyzer):
    assert line(analyzer) in TABLE


def list_line(collection: str, spec: str) -> str:
    """A row of the tables of stop lists, from its second column on."""
    rows = values(collection, spec)
    analyzer = toysearch.Analyzer.parse(spec)
    index = toysearch.Index.build(toysearch.load(collection), analyzer=analyzer)
    means = [f"{sum(row[name] for row in rows) / len(rows):.4f}" for name in MEASURES]
    size = [str(len(index.terms)), f"{index.stats.avgdl:.1f}"]
    return " | ".join([str(len(analyzer.stop)), *means, *size]) + " |"


@pytest.mark.parametrize(("collection", "spec"), thinned(LISTED, 12))
def test_the_page_says_what_a_stop_list_gives(corpora, collection, spec):
    table = re.search(rf"^\| {collection} .*?(?=\n\n|\n<!--)", LISTS, re.MULTILINE | re.DOTALL | re.IGNORECASE)[0]
    [row] = re.findall(rf"^\| `{re.escape(spec)}`[^|]*\| (.*)$", table, re.MULTILINE)
    assert row == list_line(collection, spec)


@exhaustive
@pytest.mark.parametrize("name", ["none", "iso"])
def test_the_page_says_how_stop_lists_differ(corpora, name):
    shown = [difference(collection, f"english:stop={name}") for collection in ("cranfield", "cisi", "scifact")]
    assert f"| `{name}` | {' | '.join(shown)} |" in LISTS


def test_there_are_rows():
    assert len(ROWS) == 15
