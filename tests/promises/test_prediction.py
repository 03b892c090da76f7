"""The correlations of predictors with the AP of BM25, as in the docs."""

import math
import re
import statistics

import pytest
from conftest import ROOT
from tiers import thinned

import toysearch
from toysearch.workbench.prediction import predict

pytestmark = pytest.mark.system

PAGE = (ROOT / "docs" / "do" / "predict-difficulty.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([a-z-]+) \| (\S+ / \S+) \| (\S+ / \S+) \| (\S+ / \S+) \|$", PAGE, re.MULTILINE)


HARD = re.findall(r"^\| (\w+) \| (0\.\d+) \| (0\.\d+) \| (\d+)% \|$", PAGE, re.MULTILINE)


def written(value: float) -> str:
    """A correlation without its leading zero."""
    return f"{value:.3f}".replace("0.", ".", 1)


@pytest.mark.parametrize(("column", "name"), thinned([(1, "cranfield"), (2, "cisi")], 2))  # SciFact takes the longest
def test_the_table_of_correlations(corpora, column, name):
    found = predict(toysearch.load(name))
    expected = {row[0]: row[column] for row in ROWS}
    assert len(expected) == len(found.predictors)
    for each in found.predictors:
        assert f"{written(each.pearson.value)} / {written(each.kendall.value)}" == expected[each.predictor]


@pytest.mark.parametrize(("name", "lowest", "others", "below"), thinned(HARD, 4))
def test_queries_that_look_hard_have_a_low_ap(corpora, name, lowest, others, below):
    found = predict(toysearch.load(name.lower()), predictors="wig")
    known = [query for query in found.queries if not math.isnan(query.predicted["wig"])]
    values = [query.predicted["wig"] for query in known]
    hard = [sum(other < value for other in values) < 0.1 * len(values) for value in values]
    own, rest = (
        [query.value for query, is_hard in zip(known, hard, strict=True) if is_hard is kind] for kind in (True, False)
    )
    assert (f"{statistics.mean(own):.3f}", f"{statistics.mean(rest):.3f}") == (lowest, others)
    middle = statistics.median([query.value for query in known])
    assert int(100 * statistics.mean(value < middle for value in own)) == int(below)
