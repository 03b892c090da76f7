"""Exercises of labs 1, 2 and 9 by other ways: merges, phrases, wildcards, spelling, judgments."""

import functools
import math

import pytest
from tiers import thinned

import toysearch
from toysearch import Analyzer, Index
from toysearch.classroom.answers import Unusable, judge, observe
from toysearch.classroom.exercise import Given, exercise, lesson
from toysearch.classroom.exercises import lab04
from toysearch.query.syntax import Phrase, Wildcard
from toysearch.retrieval.fuzzy_and_wildcard_terms import terms_within
from toysearch.retrieval.matching import Matcher
from toysearch.retrieval.spelling import suggest

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
    for phrase, documents in case.inputs[:-1]:  # the last one has no documents
        index = Index.build([" ".join(tokens) for tokens in documents], Analyzer(lowercase=False))
        found = Matcher(index).matches(Phrase(*phrase)) + 1
        assert phrases.expected(case.given)(phrase, documents) == found.tolist()


@pytest.mark.parametrize("student", STUDENTS)
def test_a_wildcard_by_hand_is_found_as_in_the_query_language(student):
    wildcards = exercise("2.10")
    given = wildcards.case(student).given
    steps, (begin, end) = wildcards.expected(given), given.pattern.split("*")
    assert steps["rotation"] == [f"{end}${begin}*"]
    pairs = [*zip(f"${begin}", begin, strict=False), *zip(end, f"{end}$"[1:], strict=False)]
    assert steps["2-grams"] == [first + second for first, second in pairs]
    holding = [word for word in given.words if all(gram in f"${word}$" for gram in steps["2-grams"])]
    assert steps["candidates"] == holding
    index = Index.build(given.words, Analyzer())
    found = Matcher(index).matches(Wildcard(given.pattern))
    assert [given.words[number] for number in found] == steps["terms"]
    assert (len(steps["terms"]), len(steps["candidates"])) == (3, 5)


# Exercises 1.9 and 1.10: a matrix by hand, and correctors that reach the bar or do not.


SPELLERS = ["anyone", "ada", "grace", "student 7"]
MATRIX, CORRECTOR = exercise("1.9"), exercise("1.10")


def test_a_matrix_by_hand():
    """From tikc to tick: k and c are exchanged in the last cell."""
    rows = [[0, 1, 2, 3, 4], [1, 0, 1, 2, 3], [2, 1, 0, 1, 2], [3, 2, 1, 1, 1], [4, 3, 2, 1, 1]]
    assert MATRIX.expected(Given(typed="tikc", meant="tick")) == rows


@pytest.mark.parametrize("student", SPELLERS)
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


@pytest.mark.system
@pytest.mark.parametrize("student", thinned(SPELLERS, 4))
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


# Exercise 9.1 takes anybody's judgments, if only they are whole.


EXERCISE = lesson(9).exercises[0]
CASE = EXERCISE.case("ada")
NEEDS = CASE.given.needs
NEED, DOC_IDS = next(iter(NEEDS.items()))
FORM = {need: dict.fromkeys(doc_ids, 1) for need, doc_ids in NEEDS.items()}


def verdict(answer):
    return judge(EXERCISE, observe(EXERCISE, answer, CASE), CASE)


def with_grades(**grades):
    return FORM | {NEED: FORM[NEED] | grades}


@pytest.mark.parametrize("grade", [0, 1, 2, 3, 2.0])
def test_any_grade_of_the_scale_is_right(grade):
    assert verdict(with_grades(**{DOC_IDS[0]: grade})).passed


def test_a_need_may_be_named_by_its_number():
    assert verdict({int(need): grades for need, grades in FORM.items()}).passed


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (with_grades(**{DOC_IDS[0]: None}), f"no grade yet for {DOC_IDS[0]} of need {NEED}"),
        (with_grades(**{DOC_IDS[0]: ...}), f"no grade yet for {DOC_IDS[0]} of need {NEED}"),
        (with_grades(**{DOC_IDS[0]: 4}), f"the grade 4 for {DOC_IDS[0]} of need {NEED}"),
        (with_grades(**{DOC_IDS[0]: "3"}), f"the grade '3' for {DOC_IDS[0]} of need {NEED}"),
        (with_grades(**{DOC_IDS[0]: True}), f"the grade True for {DOC_IDS[0]} of need {NEED}"),
        (with_grades(p999=1), f"'p999' among the passages of need {NEED}, which was not given"),
        (FORM | {NEED: {DOC_IDS[0]: 1}}, f"no grade yet for {DOC_IDS[1]} of need {NEED}"),
        ({NEED: FORM[NEED]}, f"nothing for need {list(NEEDS)[1]}"),
        (FORM[NEED], f"nothing for need {NEED}"),
        (["p001"], "['p001'] (list)"),
    ],
)
def test_what_is_not_whole_is_told(answer, found):
    assert verdict(answer).sentences == (f"Expected: {EXERCISE.answer.expects}. Found: {found}.",)


@pytest.mark.parametrize("student", ["anyone", "ada", "student 3"])
def test_everybody_reads_relevant_and_other_passages(student):
    qrels = toysearch.load("companions").qrels
    for need, doc_ids in EXERCISE.case(student).given.needs.items():
        grades = [qrels[need][doc_id] for doc_id in doc_ids]
        assert len(set(doc_ids)) == 5
        assert sum(grade >= 1 for grade in grades) == 2
        assert len({grade for grade in grades if grade >= 1}) == 2


def test_a_ranking_function_for_single_numbers_is_told_about_arrays() -> None:
    with pytest.raises(Unusable, match=r"does not accept arrays: np\.log accepts them"):
        lab04._first_scores(lambda tf, dl, df, N, avgdl: math.log(1 + tf) * dl, None)
    with pytest.raises(TypeError, match="positional"):  # another cause
        lab04._first_scores(lambda tf: tf, None)


def test_an_index_of_another_collection_is_told_as_such():
    asked = exercise("7.5")
    observation = observe(asked, toysearch.Searcher("cat-dog-parrot"), asked.case("ada"))
    assert observation["state"] == "refused"
    assert observation["found"].startswith("the index of cat-dog-parrot; the queries and judgments are of ")


def test_a_ranking_function_without_its_parameters_is_told_which():
    asked = exercise("4.4")
    observation = observe(asked, lambda tf, dl, df, N, avgdl: tf, asked.case("ada"))
    assert observation["found"] == "a function without k1 and b in its brackets"
