"""The matrix of an edit distance: by hand, by its definition, and as the search counts edits."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from toysearch import Index
from toysearch.course.textbook_query import edit_matrix
from toysearch.search.fitting_terms import terms_within


def by_definition(first, second):
    """The distance of two words by recursion from their ends."""

    @cache
    def distance(a, b):
        if not a or not b:
            return len(a) + len(b)
        ways = [distance(a[:-1], b) + 1, distance(a, b[:-1]) + 1, distance(a[:-1], b[:-1]) + (a[-1] != b[-1])]
        if len(a) > 1 and a[-2:] == b[:-3:-1]:
            ways.append(distance(a[:-2], b[:-2]) + 1)
        return min(ways)

    return distance(first, second)


def test_a_matrix_by_hand():
    """The words of figure 3.5 of Manning, Raghavan & Schütze; here the exchange of t and s saves one edit."""
    assert edit_matrix("cats", "fast").rows == [
        [0, 1, 2, 3, 4],
        [1, 1, 2, 3, 4],
        [2, 2, 1, 2, 3],
        [3, 3, 2, 2, 2],
        [4, 4, 3, 2, 2],
    ]
    assert edit_matrix("cats", "fast").edits == ["replace c by f", "exchange t and s"]


WORDS = Random(3)
PAIRS = [tuple("".join(WORDS.choices("abc", k=WORDS.randint(0, 6))) for _ in range(2)) for _ in range(200)]


def test_a_cell_is_the_distance_of_two_beginnings():
    for first, second in PAIRS:
        rows = edit_matrix(first, second).rows
        assert rows == [
            [by_definition(first[:i], second[:j]) for j in range(len(second) + 1)] for i in range(len(first) + 1)
        ]


def test_there_are_as_many_edits_as_the_distance():
    for first, second in PAIRS:
        matrix = edit_matrix(first, second)
        assert len(matrix.edits) == matrix.distance
        grown = sum(edit.startswith("insert") - edit.startswith("delete") for edit in matrix.edits)
        assert len(first) + grown == len(second)


@pytest.mark.parametrize("word", ["tikc", "boundery", "guinae", "übung"])
def test_the_search_counts_the_same_edits(word):
    terms = ["tick", "ticks", "trick", "boundary", "bounder", "guinea", "guinean", "ubung", "bung"]
    index = Index.build([" ".join(terms)])
    near = terms_within(index, word, 9)
    found = dict(zip(index.terms.take(near.numbers), near.edits.tolist(), strict=True))
    assert found == {term: edit_matrix(word, term).distance for term in index.terms}
