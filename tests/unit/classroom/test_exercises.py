"""Every exercise of every lab: right answers pass, each mistake is told as what it is, nothing is given away."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tiers import EVERYTHING, longer, often, thinned

from toysearch.classroom.answers import judge, observe
from toysearch.classroom.exercise import LESSONS, Case, Exercise, shifted
from toysearch.classroom.exercise import exercise as exercise_numbered
from toysearch.classroom.grading.graded_notebook import _verdict
from toysearch.classroom.grading.notebook_run import read_notes

EXERCISES = [exercise for lesson in LESSONS for exercise in lesson.exercises]
CLASS = ["anyone", "ada", *(f"student {number}" for number in range(8))]
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
@each_of([each for each in EXERCISES if not each.answer.expects.startswith("a function ")])  # those: the next file
def test_a_mistake_is_told_as_what_it_is_for_every_student(exercise):
    for mistake, student in product(exercise.wrong_answers(), STUDENTS):
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
    assert all(sentence.endswith((".", "?")) for sentence in exercise.mistakes)


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


# Every exercise of every lab against wrong answers of the right form, and against odd objects: always a verdict.


FUZZED = ["ada", "anyone", "ben"][: 3 if EVERYTHING else 1]
FEW = 100 if EVERYTHING else 8  # wrong answers of an exercise, of each form
MANY = 100


class Broken:
    """An object of a student on which everything fails."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"no {name} \x1b[31m\ud800")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no items")

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class BrokenList(list):
    """A list whose items cannot be looked at."""

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no items")


def without_end() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


ODD: list[Callable[[], Any]] = [
    *(object, list, dict, set, str, int, bytes, Broken, lambda: BrokenList([1]), without_end),
    *(lambda: float("nan"), lambda: float("-inf"), lambda: 10**400, lambda: -(10**5000), lambda: 1j, lambda: True),
    *(lambda: Fraction(10**400, 3), lambda: Decimal("sNaN"), lambda: Decimal("1e999"), lambda: np.float32(0.5)),
    *(lambda: np.zeros((2, 2)), lambda: np.array([]), lambda: np.array([["a"]], dtype=object), lambda: np.array("a")),
    *(lambda: range(3), lambda: (each for each in "abc"), lambda: b"\xff", lambda: "\ud800\x1b[31m\n"),
    lambda: "a" * 10**5,
    *(lambda: {1: 2, (3, 4): [5]}, lambda: {Fraction(1, 3): None}, lambda: [None, ...], lambda: {frozenset(): set()}),
    *(lambda: type, lambda: len, lambda: print, lambda: lambda: 1, lambda: lambda *_: without_end()),
    *(lambda: [[]] * MANY, lambda: [0] * 10_000, lambda: {str(each): each for each in range(5_000)}),
]


def wrong(right: Any) -> Iterator[Any]:
    """Values of the form of a right one: with parts missing, added, repeated, nested, reordered, of another type."""
    if isinstance(right, bool):
        yield from (not right, int(right), str(right), [right])
    elif isinstance(right, int | float):
        yield from (right + 1, -right, 100 * right, right / 3, round(right), str(right), [right], {"a": right}, True)
        yield from (np.float64(right), Decimal(right), right + 10**30)
    elif isinstance(right, str):
        yield from (
            "",
            right.upper(),
            right[::-1],
            f"{right} {right}",
            right[:-1],
            list(right),
            [right],
            right.encode(),
        )
    elif isinstance(right, Mapping):
        items = list(right.items())
        yield from (dict(items[1:]), dict(items[:-1]), {**right, "more": 1}, {}, items, [right], dict(reversed(items)))
        yield from ({key: [value] for key, value in items}, {key: {key: value} for key, value in items}, list(right))
        yield {(key, 1): value for key, value in items}
        for key, value in items:
            yield from ({**right, key: each} for each in wrong(value))
    elif isinstance(right, set | frozenset):
        yield from (set(list(right)[1:]), right | {"more"}, set(), [*right, *right], [list(right)])
        yield from wrong(list(right))
    elif isinstance(right, Sequence):
        items = list(right)
        yield from (items[1:], items[:-1], items + items, [*items, *items[:1]], [items], [[each] for each in items])
        yield from (items[::-1], sorted(items, key=repr), [], [None] * len(items), items * MANY, tuple(items))
        yield from ([*items, "more"], [*items, []], [*items, [*items]], ["".join(map(str, items))])
        yield dict(enumerate(items))
        flat = [each for item in items if isinstance(item, list | tuple) for each in item]
        yield from ([flat], [[each] for each in flat], [*items, flat])
        for place, item in enumerate(items):
            yield from ([*items[:place], each, *items[place + 1 :]] for each in wrong(item))


def answers(asked: Exercise, case: Case) -> Iterator[Any]:
    """Wrong answers of an exercise."""
    yield from (make() for make in ODD)
    right = asked.expected(case.given)
    if not callable(right):
        yield from islice(wrong(right), FEW)
    if case.inputs:
        results = [right(*arguments) for arguments in case.inputs[: 2 if EVERYTHING else 1]]
        for result in results:
            yield from (lambda *_, made=made: made for made in islice(wrong(result), FEW))
        yield from (lambda *_, make=make: make() for make in ODD[:: 1 if EVERYTHING else 5])
        yield from (lambda: right, lambda *_: 1 / 0, lambda *_: without_end().index(0), lambda *given: given)
    elif not asked.answer.is_bar:
        seen = observe(asked, right, case)["seen"]
        yield from islice(wrong(seen), FEW)


@pytest.mark.system
@pytest.mark.parametrize("asked", thinned(EXERCISES, 6), ids=lambda each: each.number)
def test_a_wrong_answer_of_any_form_gets_a_verdict_with_a_sentence(asked):
    for student in FUZZED:
        case = asked.case(student)
        for answer in answers(asked, case):
            observation = observe(asked, answer, case)
            found = judge(asked, observation, case)
            text = " ".join(found.sentences)
            assert found.state in ("right", "wrong", "refused", "unanswered")
            assert text.endswith((".", "?", "!"))
            assert text.isprintable()
            text.encode()
            note = json.dumps({"exercise": asked.number, "student": student, **observation}).encode()
            assert _verdict(asked, read_notes(note, 1).observations[asked.number], (student, "", "")) == found
