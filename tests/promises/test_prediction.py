"""The correlations of predictors with the AP of BM25, as in the docs."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT
from lengths import thinned

import toysearch
from toysearch.laboratory.experiments.prediction.query_prediction import predict

PAGE = (ROOT / "docs" / "do" / "predict-difficulty.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([a-z-]+) \| (\S+ / \S+) \| (\S+ / \S+) \| (\S+ / \S+) \|$", PAGE, re.MULTILINE)


def written(value: float) -> str:
    """A correlation without its leading zero."""
    return f"{value:.3f}".replace("0.", ".", 1)


@pytest.mark.parametrize(("column", "name"), thinned([(1, "cranfield"), (2, "cisi"), (3, "scifact")], 3))
def test_the_table_of_correlations(corpora, column, name):
    found = predict(toysearch.load(name))
    expected = {row[0]: row[column] for row in ROWS}
    assert len(expected) == len(found.predictors)
    for each in found.predictors:
        assert f"{written(each.pearson.value)} / {written(each.kendall.value)}" == expected[each.predictor]
