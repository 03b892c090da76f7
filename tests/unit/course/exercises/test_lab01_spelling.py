"""Exercises 1.9 and 1.10: a matrix by hand, and correctors that reach the bar or do not."""

from __future__ import annotations

import pytest

import toysearch
from toysearch.course.exercise import Given
from toysearch.course.lessons import exercise
from toysearch.course.verdict import judge, observe
from toysearch.search.edit_distance import terms_within
from toysearch.search.spelling import suggest

STUDENTS = ["anyone", "ada", "grace", "student 7"]
MATRIX, CORRECTOR = exercise("1.9"), exercise("1.10")


def test_a_matrix_by_hand():
    """From tikc to tick: k and c are exchanged in the last cell."""
    assert MATRIX.expected(Given(typed="tikc", meant="tick")) == [
        [0, 1, 2, 3, 4],
        [1, 0, 1, 2, 3],
        [2, 1, 0, 1, 2],
        [3, 2, 1, 1, 1],
        [4, 3, 2, 1, 1],
    ]


@pytest.mark.parametrize("student", STUDENTS)
def test_two_words_are_two_edits_apart(student):
    given = MATRIX.case(student).given
    assert MATRIX.expected(given)[-1][-1] == 2
    near = terms_within(toysearch.Index.build([given.meant], toysearch.Analyzer()), given.typed, 9)
    assert near.edits.tolist() == [2]


@pytest.fixture(scope="module")
def index():
    return toysearch.Index.build(toysearch.load("companions"), analyzer=toysearch.Analyzer())


def by(index, order, edits=2):
    """A corrector that takes the first of the near terms in an order."""

    def correct(word):
        near = terms_within(index, word, edits)
        columns = near.edits.tolist(), index.cf[near.numbers].tolist(), index.terms.take(near.numbers)
        return min(zip(*columns, strict=True), key=lambda found: order(*found), default=(0, 0, word))[2]

    return correct


@pytest.mark.parametrize("student", STUDENTS)
def test_distance_and_frequency_reach_the_bar_and_one_of_them_does_not(index, student):
    case = CORRECTOR.case(student)

    def passes(correct):
        return judge(CORRECTOR, observe(CORRECTOR, correct, case), case).passed

    assert passes(by(index, lambda edits, cf, term: (edits, -cf, term)))
    assert passes(lambda word: getattr(suggest(index, word), "text", word))
    assert not passes(by(index, lambda edits, cf, term: (edits, term)))
    assert not passes(by(index, lambda edits, cf, term: (-cf, term)))
    assert not passes(by(index, lambda edits, cf, term: (-cf, term), edits=1))
    assert not passes(lambda word: case.given.typos.get(word, word)), "other errors are scored than are shown"


def test_an_empty_function_is_not_answered_yet():
    case = CORRECTOR.case("ada")
    assert judge(CORRECTOR, observe(CORRECTOR, lambda word: None, case), case).state == "unanswered"
