"""Every exercise of every lab: right answers pass, each mistake is told as what it is, nothing is given away."""

from __future__ import annotations

from itertools import product

import pytest
from lengths import EVERYTHING, drawn, longer, often, thinned
from scipy import stats

from toysearch.course.answers import judge, observe
from toysearch.course.exercise import Exercise, shifted
from toysearch.course.exercise import exercise as exercise_numbered
from toysearch.labs import LESSONS

EXERCISES = [exercise for lesson in LESSONS for exercise in lesson.exercises]
CLASS = ["anyone", "ada", *(f"student {number}" for number in range(drawn(8)))]
STUDENTS = CLASS[: None if EVERYTHING else 2]

pytestmark = longer


def each_of(exercises: list[Exercise]):
    return pytest.mark.parametrize("exercise", exercises, ids=lambda exercise: exercise.number)


each_exercise = each_of(EXERCISES)
some_exercises = each_of(thinned(EXERCISES, 12))


def calls(exercise: Exercise) -> bool:
    """Whether the answer is a function that is called with inputs."""
    return exercise.inputs is not Exercise.__dataclass_fields__["inputs"].default


def verdict(exercise: Exercise, answer, student: str = "anyone", salt: str = ""):
    case = exercise.case(student, salt)
    return judge(exercise, observe(exercise, answer, case), case)


@pytest.mark.system
@each_exercise
def test_a_right_answer_passes_for_every_student(exercise):
    for student, salt in product(STUDENTS, ["", "a grader's"]):
        case = exercise.case(student, salt)
        found = verdict(exercise, exercise.expected(case.given), student, salt)
        assert found.passed, f"{student}: {found}"
        assert found.score == exercise.points > 0


@pytest.mark.system
@each_exercise
def test_a_mistake_is_told_as_what_it_is_for_every_student(exercise):
    for mistake, student in product(exercise.mistakes, STUDENTS):
        found = verdict(exercise, mistake.answer(exercise.case(student).given), student)
        assert not found.passed, f"{student}: the right answer here: {mistake.sentence}"
        assert found.sentences == (f"Not right: {mistake.sentence}",), student


@some_exercises
def test_no_answer_and_a_wrong_kind_are_told(exercise):
    for nothing in (..., None):
        assert verdict(exercise, nothing).state == "unanswered"
    found = verdict(exercise, object())
    assert found.state == "refused"
    assert exercise.answer.expects in found.sentences[0]


@some_exercises
def test_a_wrong_number_is_not_told_the_right_one(exercise):
    for student in STUDENTS:
        case = exercise.case(student)
        right = observe(exercise, exercise.expected(case.given), case)["seen"]
        if exercise.answer.is_bar or not isinstance(right, int | float) or len(f"{right:.6g}") < 4:
            continue
        for wrong in (right + 1, -right, 100 * right, right / 2):
            assert f"{right:.4g}" not in " ".join(verdict(exercise, wrong, student).sentences)


@each_of(thinned((each for each in EXERCISES if each.answer.expects.startswith("a dict from")), 8))
def test_one_wrong_number_in_a_table_is_not_told_the_right_one(exercise):
    for student in STUDENTS:
        case = exercise.case(student)
        right = observe(exercise, exercise.expected(case.given), case)["seen"]
        for key, value in right.items():
            if not isinstance(value, int | float) or len(f"{value:.6g}") < 4:
                continue
            for wrong in (value + 1, -value, 100 * value, round(value, 2)):
                told = " ".join(verdict(exercise, right | {key: wrong}, student).sentences)
                assert f"{value:.4g}" not in told.replace(f"'{key}'", "")


NOT_COUNTED_ONE_BY_ONE = {
    "1.4": ("cf_1", "cf_2"),  # frequencies in the hundreds
    "1.5": ("k",),  # has no part in the answer, which the exercise is about
    "2.7": ("document",),  # names one
    "3.3": ("N",),
    "4.3": ("N", "avgdl"),
    "4.5": ("avgdl", "long_dl", "short_dl"),
    "4.7": ("T", "mu"),
    "5.2": ("N",),
    "5.3": ("N", "relevant", "returned"),  # the answer is the same for all N, and for two neighbours of the others
    "8.4": ("ties",),  # have no part in the answer
    "10.7": ("queries", "tried"),  # are in p already
}
"""Whole numbers of an exercise that nobody is off by one in: they are copied, not counted."""


@each_of(thinned((each for each in EXERCISES if not each.answer.is_bar and not calls(each)), 12))
def test_off_by_one_is_not_right_for_any_student(exercise):
    """In a first or last place, a cutoff, a depth: one more or less gives another answer, whoever the student.

    Functions are looked at through what they compute, for many inputs.
    """
    for student in (*STUDENTS, *(f"number {each}" for each in range(12 * EVERYTHING))):
        given = exercise.case(student).given
        for name, value in vars(given).items():
            if type(value) is not int or name in NOT_COUNTED_ONE_BY_ONE.get(exercise.number, ()):
                continue
            for by in (-1, 1):
                try:
                    wrong = exercise.expected(shifted(given, **{name: by}))
                except (ValueError, ZeroDivisionError):  # there is no such place
                    continue
                assert not verdict(exercise, wrong, student).passed, f"{student}: {name} {value + by}"


def test_what_a_finding_of_lab_10_says_of_chance_comes_from_one_test():
    """p, an interval and a mean difference belong together: the t test of these has that interval and that p."""
    for number in range(often(100)):
        given = exercise_numbered("10.7").case(f"student {number}").given
        for each in given.findings:
            half = (each["high"] - each["low"]) / 2
            assert each["low"] + half == pytest.approx(each["difference"])
            freedom = given.queries - 1
            raw = 2 * stats.t.sf(abs(each["difference"]) / (half / stats.t.ppf(0.975, freedom)), freedom)
            assert each["p"] == pytest.approx(min(1, raw * given.tried), abs=1e-4)
            assert each["p"] >= round(raw, 4)
            assert (each["low"] <= 0 <= each["high"]) == (raw > 0.05)
            assert not 0.04 < each["p"] < 0.06


@some_exercises
def test_an_exercise_gives_the_same_to_the_same_student_and_helps(exercise):
    assert repr(exercise.case("ada").given) == repr(exercise.case(" ADA ").given)
    assert exercise.case("ada").inputs == exercise.case("ada").inputs
    assert len(exercise.hints) >= 1
    assert all(sentence.endswith((".", "?", "!")) for sentence in exercise.hints)
    assert all(mistake.sentence.endswith((".", "?")) for mistake in exercise.mistakes)


@some_exercises
def test_students_get_different_numbers(exercise):
    cases = [exercise.case(student) for student in CLASS[: None if EVERYTHING else 4]]
    assert len({repr(case) for case in cases}) > len(cases) / 4


def test_a_right_answer_is_told_why_it_matters():
    assert all(exercise.why.endswith(".") and len(exercise.why) < 130 for exercise in EXERCISES)
    given = exercise_numbered("5.3").case("ada").given
    assert verdict(exercise_numbered("5.3"), exercise_numbered("5.3").expected(given), "ada").sentences == (
        "Right: 1 point.",
        exercise_numbered("5.3").why,
    )


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lab_numbers_its_exercises(lesson):
    numbers = [exercise.number for exercise in lesson.exercises]
    assert numbers == [f"{lesson.number}.{place}" for place in range(1, len(numbers) + 1)]
    assert 60 <= lesson.minutes <= 120
    assert lesson.topics
