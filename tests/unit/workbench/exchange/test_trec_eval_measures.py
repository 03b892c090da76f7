"""Measures of trec_eval alone, by hand."""

import math

import pytest

from toysearch import evaluate


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("Utility", 1 - 2),  # found minus others: a missed document costs nothing
        ("Utility(TP=2)", 2 - 2),
        ("Utility(FP=0)", 1),
        ("Utility(FN=-1)", 1 - 2 - 3),
        ("Utility(FN=1)", 1 - 2 + 3),
    ],
)
def test_the_worth_of_a_retrieved_set(measure, value):
    """One relevant document and two others are found, three are missed."""
    judged = {"1": dict.fromkeys("abcd", 1) | {"x": 0}}
    assert evaluate({"1": ["a", "x", "y"]}, judged, measure)[measure] == value


# The gains of the ranking are 2 0 0 0 1, of the ideal one 3 2 1; with 1:3,2:9 they are 9 0 0 0 3 and 9 3 3.
LOG = math.log2
BY_HAND = [
    ("Utility(TP=0,FP=0,FN=-4)", -4 * 1),
    ("RprecMult(times=0.35)", 1.0),  # 0.35 · 3 + 0.9 is 1
    ("RprecMult(times=2)", 2 / 6),
    ("nDCG(gains={1:3,2:9})", (9 + 3 / LOG(6)) / (9 + 3 / LOG(3) + 3 / LOG(4))),
    ("G", (2 / LOG(2 + 3 - 2) + 1 / LOG(2 + (3 + 2 + 1 + 1 + 1) - 3)) / 6),
    ("BinG", (1 / LOG(2) + 1 / LOG(2 + 3)) / 3),
    ("SetF(beta=0.5)", 1.25 * (2 / 5) * (2 / 3) / (0.25 * 2 / 5 + 2 / 3)),
    ("NumNonRelRet", 1),
    ("Yaap", math.log((1 + 1 + 2 / 5) / (1 + 3 - 1 - 2 / 5))),
]


@pytest.mark.parametrize(("measure", "expected"), BY_HAND)
def test_a_graded_ranking(measure, expected):
    qrels = {"1": {"a": 1, "b": 2, "c": 0, "d": 3, "e": -1}}
    assert evaluate({"1": list("bxcea")}, qrels, measure)[measure] == pytest.approx(expected, rel=1e-12)
