"""Groups, folds and controls of lab 12, compared with the library and with what they should show."""

from __future__ import annotations

import pytest

from toysearch.analysis.analyzer import Analyzer
from toysearch.course.lessons import exercise
from toysearch.laboratory.learning.ranker_training import query_groups

each_student = pytest.mark.parametrize("student", ["anyone", "ada", "student 3"])


@each_student
def test_a_held_out_value_is_that_of_the_ranker_without_the_query(student):
    given = exercise("12.5").case(student).given
    made = exercise("12.5").expected(given)
    total = sum(min(values.values()) for values in given.AP.values())  # all other rankers have seen the query
    assert made["held out"] == pytest.approx(total / 7)
    assert made["on the same queries"] > made["held out"] + 0.05


@each_student
def test_groups_are_those_of_the_library(student):
    given = exercise("12.6").case(student).given
    queries = {query_id: " ".join(words) for query_id, words in given.queries.items()}
    groups = query_groups(queries, Analyzer.for_language("none"), given.least)
    assert sorted(map(sorted, exercise("12.6").expected(given))) == sorted(map(sorted, groups))
    assert sorted(map(len, groups)) == [2, 3]


@each_student
def test_experiments_have_every_verdict_and_no_interval_that_ends_near_0(student):
    given = exercise("12.7").case(student).given
    assert set(exercise("12.7").expected(given)) == {"gain", "inconclusive", "error"}
    for each in given.experiments:
        for found in (each["held out"], each["shuffled"]):
            assert found["low"] < found["gain"] < found["high"]
        assert min(abs(each["held out"]["low"]), abs(each["shuffled"]["low"])) > 0.004
