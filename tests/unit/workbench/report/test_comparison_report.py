"""The parts of a report that show a comparison."""

import pytest

from toysearch.study.compare.comparison import compare
from toysearch.workbench.report.charts import ranks_of
from toysearch.workbench.report.comparison_report import true_minus, unjudged_sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [("-0.5 to +0.5", "−0.5 to +0.5"), ("(-.5)", "(−.5)"), ("lm-jm bm25-2", "lm-jm bm25-2"), ("", "")],
)
def test_hyphens_before_numbers_are_minus_signs(text, expected):
    assert true_minus(text) == expected


def test_the_share_of_unjudged_documents_is_said_where_there_is_one():
    judged = compare({"x": {"1": ["a"], "2": ["a"]}}, {"1": {"a": 1}, "2": {"a": 1}}, "RR")
    assert unjudged_sentence(ranks_of(judged)) == ""
    half = compare({"x": {"1": ["a", "b"], "2": ["a", "c"]}}, {"1": {"a": 1}, "2": {"a": 1}}, "RR")
    assert unjudged_sentence(ranks_of(half)) == (
        "Some of the first 10 documents are unjudged and count as not relevant: x 50%."
    )
