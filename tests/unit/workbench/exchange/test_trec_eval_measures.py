"""Measures of trec_eval alone, by hand."""

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
