"""Grade mappings: codes become gains, chosen by name and options."""

from __future__ import annotations

import pytest
from raising import raising

from toysearch.base import Qrels
from toysearch.base.errors import ArgumentError, DataError
from toysearch.corpus.collection import GradeMapping, GradeOption, apply_gains, choose_grades

MINUS1 = GradeOption("", "nonrelevant", {"nonrelevant": {-1: 0.0}, "removed": {-1: None}, "relevant": {-1: 4.0}})
MAPPINGS = {
    "graded": GradeMapping("graded", "", {1: 4.0, 2: 3.0}, {"minus1": MINUS1}),
    "binary": GradeMapping("binary", "", {1: 1.0, 2: 1.0}, {}),
}


@pytest.mark.parametrize(
    ("text", "full", "gains"),
    [
        (None, "graded:minus1=nonrelevant", {1: 4, 2: 3, -1: 0}),
        ("graded", "graded:minus1=nonrelevant", {1: 4, 2: 3, -1: 0}),
        ("graded:minus1=removed", "graded:minus1=removed", {1: 4, 2: 3, -1: None}),
        ("graded:minus1=relevant", "graded:minus1=relevant", {1: 4, 2: 3, -1: 4}),
        ("binary", "binary", {1: 1, 2: 1}),
    ],
)
def test_a_choice_names_all_its_options(text: str | None, full: str, gains: dict[float, float]) -> None:
    assert choose_grades(MAPPINGS, "graded", text) == (full, gains)


@pytest.mark.parametrize(
    ("mappings", "text", "message"),
    [
        (MAPPINGS, "gradde", "unknown grade mapping 'gradde'; did you mean 'graded'? Grade mappings: graded, binary"),
        (
            MAPPINGS,
            "graded:minus=removed",
            "unknown grade option 'minus'; did you mean 'minus1'? Grade options: minus1",
        ),
        (
            MAPPINGS,
            "graded:minus1=irrelevant",
            "unknown value of minus1 'irrelevant'; did you mean 'relevant'? Values: nonrelevant, removed, relevant",
        ),
        (MAPPINGS, "binary:minus1=removed", "grade mapping 'binary' has no options, found 'minus1'"),
        (MAPPINGS, "graded:", "'graded:' is not of the form name or name:key=value,key=value"),
        (
            {},
            "graded",
            "grades 'graded' cannot be chosen: this collection has no grade mappings and uses its grades as given; "
            "leave grades out",
        ),
    ],
)
def test_choices_that_are_refused(mappings: dict[str, GradeMapping], text: str, message: str) -> None:
    with raising(ArgumentError, message):
        choose_grades(mappings, "graded", text)


def test_gains_keep_the_rows_in_order_and_some_are_removed() -> None:
    assert choose_grades({}, "", None) == ("as given", None)
    qrels = Qrels.from_dict({"2": {"a": 1, "b": -1}, "1": {"a": 2}, "3": {"a": -1}})
    graded = apply_gains(qrels, {1: 4, 2: 3, -1: 0}, "graded")
    assert [tuple(row) for row in graded] == [("2", "a", 4), ("2", "b", 0), ("1", "a", 3), ("3", "a", 0)]
    left = apply_gains(qrels, {1: 4, 2: 3, -1: None}, "graded")
    assert ([tuple(row) for row in left], left.query_ids) == ([("2", "a", 4), ("1", "a", 3)], ["2", "1"])


def test_a_code_that_the_mapping_does_not_know() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"b": 1, "c": 5}})
    with pytest.raises(DataError) as error:
        apply_gains(qrels, {1: 4, 2: 3, -1: 0}, "graded:minus1=nonrelevant")
    assert str(error.value) == (
        "query '2' has the code 5 for document 'c', which grade mapping "
        "'graded:minus1=nonrelevant' does not define; it defines 1, 2, -1"
    )
