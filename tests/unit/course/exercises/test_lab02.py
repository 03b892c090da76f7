"""Exercise 2.4: merges against sets, and their comparisons counted by hand."""

import pytest

from toysearch import Analyzer, Index
from toysearch.course.exercise import exercise
from toysearch.course.textbook import wildcard_lookup
from toysearch.query.syntax import Phrase, Wildcard
from toysearch.search.matching import Matcher

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


# Exercises 2.8, 2.9 and 2.10 against the phrases, windows and wildcards of the query language.


STUDENTS = ["ada", "grace", *(f"student {number}" for number in range(10))]


def starts(text, phrase):
    """The positions in a text where a phrase starts."""
    index = Index.build([text], Analyzer(), positions=True)
    matcher = Matcher(index)
    return [place for each in matcher.query_terms(phrase).derived for place in each.positions(index, 0)]


@pytest.mark.parametrize("student", STUDENTS)
def test_positions_by_hand_are_those_of_the_query_language(student):
    positions = exercise("2.8")
    given = positions.case(student).given
    tokens = ["other"] * 30
    for term, places in given.positions.items():
        for place in places:
            tokens[place] = term
    text, terms = " ".join(tokens), tuple(given.positions)
    assert given.phrase == str(Phrase(*terms))
    assert positions.expected(given) == {
        "phrase": starts(text, Phrase(*terms)),
        "window": starts(text, Phrase(*terms, slop=given.width)),
    }


@pytest.mark.parametrize("student", STUDENTS[:3])
def test_documents_with_a_phrase_are_those_of_the_query_language(student):
    phrases = exercise("2.9")
    case = phrases.case(student)
    for phrase, documents in case.inputs:
        index = Index.build([" ".join(tokens) for tokens in documents], Analyzer())
        found = Matcher(index).matches(Phrase(*phrase)) + 1
        assert phrases.expected(case.given)(phrase, documents) == found.tolist()


@pytest.mark.parametrize("student", STUDENTS)
def test_a_wildcard_by_hand_is_found_as_in_the_query_language(student):
    wildcards = exercise("2.10")
    given = wildcards.case(student).given
    steps, lookup = wildcards.expected(given), wildcard_lookup(given.words, given.pattern)
    assert steps["rotation"] == [lookup.rotation]
    assert steps["2-grams"] == [each.gram for each in lookup.grams]
    assert steps["candidates"] == lookup.candidates
    assert steps["terms"] == lookup.terms
    index = Index.build(given.words, Analyzer())
    found = Matcher(index).matches(Wildcard(given.pattern))
    assert [given.words[number] for number in found] == steps["terms"]
    assert (len(steps["terms"]), len(steps["candidates"])) == (3, 5)
