"""Exercise 9.1 takes anybody's judgments, if only they are whole."""

import pytest

import toysearch
from toysearch.course.answers import judge, observe
from toysearch.course.exercise import lesson

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
