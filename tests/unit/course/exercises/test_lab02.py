"""Exercise 2.4: merges against sets, and their comparisons counted by hand."""

from __future__ import annotations

import pytest

from toysearch.course.exercise import exercise

MERGES = exercise("2.4")
MERGE = MERGES.expected(MERGES.case("ada").given)


@pytest.mark.parametrize(
    ("a", "b", "comparisons"),
    [
        ([2, 4, 7, 9], [4, 8, 9], 5),  # 2<4 4=4 7<8 9>8 9=9
        ([1, 3, 4, 8], [2, 3, 4, 9, 10, 12], 5),  # 1<2 3>2 3=3 4=4 8<9
        ([5], [1, 2, 3], 3),
        ([], [4, 7], 0),
    ],
)
def test_comparisons_end_with_one_list(a, b, comparisons):
    assert [MERGE(a, b, operator)[1] for operator in ("AND", "OR", "NOT")] == [comparisons] * 3


@pytest.mark.parametrize("student", ["ada", "grace", "student 3"])
def test_a_merge_finds_the_documents_of_a_set_operation(student):
    operations = {"AND": set.intersection, "OR": set.union, "NOT": set.difference}
    for a, b, operator in MERGES.case(student).inputs:
        documents, comparisons = MERGE(a, b, operator)
        assert documents == sorted(operations[operator](set(a), set(b)))
        assert comparisons <= len(a) + len(b)
