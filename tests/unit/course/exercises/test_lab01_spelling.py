"""Exercises 1.9 and 1.10: a matrix by hand, and correctors that reach the bar or do not."""

import functools

import pytest
from lengths import thinned

import toysearch
from toysearch.course.answers import judge, observe
from toysearch.course.exercise import Given, exercise
from toysearch.search.fitting_terms import terms_within
from toysearch.search.spelling import suggest

pytestmark = pytest.mark.system

STUDENTS = ["anyone", "ada", "grace", "student 7"]
MATRIX, CORRECTOR = exercise("1.9"), exercise("1.10")


def test_a_matrix_by_hand():
    """From tikc to tick: k and c are exchanged in the last cell."""
    rows = [[0, 1, 2, 3, 4], [1, 0, 1, 2, 3], [2, 1, 0, 1, 2], [3, 2, 1, 1, 1], [4, 3, 2, 1, 1]]
    assert MATRIX.expected(Given(typed="tikc", meant="tick")) == rows


@pytest.mark.parametrize("student", STUDENTS)
def test_two_words_are_two_edits_apart(student):
    given = MATRIX.case(student).given
    assert MATRIX.expected(given)[-1][-1] == 2
    near = terms_within(toysearch.Index.build([given.meant], toysearch.Analyzer()), given.typed, 9)
    assert near.edits.tolist() == [2]


@pytest.fixture(scope="module")
def index():
    return toysearch.Index.build(toysearch.load("companions"), analyzer=toysearch.Analyzer())


@pytest.fixture(scope="module")
def near(index):
    """A function that gives the terms near a word, each with its edits and its cf."""

    @functools.cache
    def terms(word, edits):
        found = terms_within(index, word, edits)
        columns = found.edits.tolist(), index.cf[found.numbers].tolist(), index.terms.take(found.numbers)
        return [*zip(*columns, strict=True)]

    return terms


def by(near, order, edits=2):
    """A corrector that takes the first of the near terms in an order."""
    return lambda word: min(near(word, edits), key=lambda found: order(*found), default=(0, 0, word))[2]


@pytest.mark.parametrize("student", thinned(STUDENTS, 4))
def test_distance_and_frequency_reach_the_bar_and_one_of_them_does_not(index, near, student):
    case = CORRECTOR.case(student)

    def passes(correct):
        return judge(CORRECTOR, observe(CORRECTOR, correct, case), case).passed

    assert passes(by(near, lambda edits, cf, term: (edits, -cf, term)))
    assert passes(lambda word: getattr(suggest(index, word), "text", word))
    assert not passes(by(near, lambda edits, cf, term: (edits, term)))
    assert not passes(by(near, lambda edits, cf, term: (-cf, term)))
    assert not passes(by(near, lambda edits, cf, term: (-cf, term), edits=1))
    assert not passes(lambda word: case.given.typos.get(word, word)), "other errors are scored than are shown"
