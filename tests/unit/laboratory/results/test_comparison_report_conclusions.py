"""The summary of a report: which system is best, by how much, how surely; marks, minus signs, unjudged shares."""

from __future__ import annotations

import pytest

from toysearch import compare
from toysearch.laboratory.results.charts import ranks_of
from toysearch.laboratory.results.comparison_report import (
    differences_table,
    headline,
    means_table,
    true_minus,
    unjudged_sentence,
    verdicts,
)

JUDGED = {str(n): {"a": 1} for n in range(30)}
GOOD = {n: ["a"] for n in JUDGED}
POOR = {n: ["b", "a"] if int(n) < 15 else ["b", "c", "d", "a"] for n in JUDGED}
NEARLY = {n: ["a"] if int(n) < 29 else ["b", "a"] for n in JUDGED}


def sentences(systems, measures="RR", **options):
    return [" ".join(verdict) for verdict in verdicts(compare(systems, JUDGED, measures, **options))]


def test_the_best_is_named_with_its_lead_before_p():
    assert sentences({"poor": POOR, "good": GOOD}) == [
        "By RR, good is best (1.0000): 0.6250 above poor, more than chance (95 % interval of the difference +0.5775 to "
        "+0.6725, corrected p < 0.0001; better for 30 queries, equal for 0, worse for 0)."
    ]


def test_the_sentence_is_the_same_whichever_is_the_baseline():
    assert sentences({"poor": POOR, "good": GOOD}) == sentences({"good": GOOD, "poor": POOR})


def test_what_cannot_be_distinguished_is_named():
    (found,) = sentences({"poor": POOR, "good": GOOD, "nearly": NEARLY})
    assert found == (
        "By RR, good leads (1.0000). It is 0.0167 above nearly, which may be chance (95 % "
        "interval of the difference −0.0174 to +0.0508, corrected p = 0.3256; better for 1 query, equal for 29, worse "
        "for 0). It can be distinguished from poor."
    )


def test_systems_of_one_mean_are_equal():
    systems = {"good": GOOD, "again": GOOD, "poor": POOR, "nearly": NEARLY}
    (verdict,) = sentences(systems)
    assert verdict == (
        "By RR, good and again are equal (1.0000): no difference (95 % interval of the difference +0.0000 to +0.0000, "
        "corrected p = 1.0000; better for 0 queries, equal for 30, worse for 0). They cannot be distinguished from "
        "nearly. They can be distinguished from poor."
    )
    assert headline(compare(systems, JUDGED, "RR AP")) == "good and again are equal by both measures."


def test_the_lowest_can_be_the_best():
    wide = {n: ["a", "b", "c"] for n in JUDGED}
    (found,) = sentences({"wide": wide, "good": GOOD}, "FP")
    assert found.startswith("By FP, good is best (0.0000): 2.0000 below wide, more than chance (")


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        ({"good": GOOD, "poor": POOR}, "good is best by both measures, by more than chance."),
        ({"good": GOOD, "nearly": NEARLY}, "good is best by both measures. Each lead may be chance."),
        ({"good": GOOD}, ""),
    ],
)
def test_the_headline(systems, expected):
    assert headline(compare(systems, JUDGED, "RR AP")) == expected


def test_one_table_has_all_measures_and_says_what_may_be_as_good():
    table = means_table(compare({"poor": POOR, "good": GOOD, "nearly": NEARLY}, JUDGED, "RR P@1"))
    assert table.title == "Means over 30 queries"
    assert [column.name for column in table.columns] == ["system", "RR", "P@1"]
    assert [[str(cell).replace("*", "").strip() for cell in row] for row in table.rows] == [
        ["poor", "0.3750", "0.0000"],
        ["good", "1.0000", "1.0000"],
        ["nearly", "0.9833~", "0.9667~"],
    ]


def test_the_differences_are_those_of_the_comparison():
    found = compare({"poor": POOR, "good": GOOD}, JUDGED, "RR P@1")
    rows = differences_table(found).rows
    assert [row[:4] for row in rows] == [[pair.measure, "good", "poor", pair.result.mean] for pair in found.pairs]


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
        "Some of the first 10 documents are unjudged and count as not relevant: x 50 %."
    )
