"""One judgment made of several: by majority, the best, the worst, the mean; ties, and decisions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError, DataError
from toysearch.evaluation.judge_agreement import MERGE_RULES, merge_qrels


def test_most_votes_count_and_decisions_stand():
    judged = {"a": {"1": {"x": 1, "y": 0, "z": 2}}, "b": {"1": {"x": 1, "y": 2}}, "c": {"1": {"x": 0}}}
    found = merge_qrels(judged)
    assert found.qrels["1"] == {"x": 1, "z": 2}
    assert [(each.doc_id, each.grades) for each in found.undecided] == [("y", {"a": 0, "b": 2})]
    decided = merge_qrels(judged, {"1": {"y": 1, "x": 3, "new": 1}})
    assert decided.qrels["1"] == {"x": 3, "y": 1, "z": 2, "new": 1}
    assert decided.undecided == ()
    with pytest.raises(DataError, match="no pair has a grade that most judges gave"):
        merge_qrels({"a": {"1": {"x": 1}}, "b": {"1": {"x": 0}}})
    with pytest.raises(ArgumentError, match=r"unknown rule 'median'; did you mean 'mean'\? Rules: "):
        merge_qrels(judged, rule="median")


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=9), st.sampled_from([*MERGE_RULES]))
def test_each_rule_is_its_definition_in_any_order_of_the_judges(grades, rule):
    judged = {f"judge {place}": {"1": {"x": grade, "y": 0}} for place, grade in enumerate(grades)}
    found = merge_qrels(judged, rule=rule).qrels["1"].get("x")
    votes = Counter(grades)
    most = [grade for grade in votes if votes[grade] == max(votes.values())]
    expected = {
        "majority": most[0] if len(most) == 1 else None,
        "optimistic": sorted(grades)[-1],
        "pessimistic": sorted(grades)[0],
        "mean": float(Fraction(sum(grades), len(grades))),
    }[rule]
    assert found == expected
    assert merge_qrels(dict(reversed(judged.items())), rule=rule).qrels["1"].get("x") == expected
