"""Every exercise of every lab against wrong answers of the right form, and against odd objects: always a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from lengths import EVERYTHING, longer, thinned

from toysearch.course.answers import judge, observe
from toysearch.course.exercise import LESSONS, Case, Exercise, exercise
from toysearch.course.grading.graded_notebook import _verdict
from toysearch.course.grading.notebook_run import read_notes

EXERCISES = [exercise for lesson in LESSONS for exercise in lesson.exercises]
STUDENTS = ["ada", "anyone", "ben"][: 3 if EVERYTHING else 1]
FEW = 100 if EVERYTHING else 8  # wrong answers of an exercise, of each form
MANY = 100

pytestmark = [pytest.mark.system, longer]


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
    *(
        lambda: range(3),
        lambda: (each for each in "abc"),
        lambda: b"\xff",
        lambda: "\ud800\x1b[31m\n",
        lambda: "a" * 10**5,
    ),
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


@pytest.mark.parametrize("asked", thinned(EXERCISES, 6), ids=lambda each: each.number)
def test_a_wrong_answer_of_any_form_gets_a_verdict_with_a_sentence(asked):
    for student in STUDENTS:
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


def test_groups_that_are_wrong_get_the_sentence_of_a_set():
    """Lab 12: folds of queries, an unordered list of unordered lists."""
    asked = exercise("12.6")
    case = asked.case("ada")
    right = asked.expected(case.given)
    groups = [list(each) for each in right]

    def told(answer: Any) -> str:
        return judge(asked, observe(asked, answer, case), case).sentences[0]

    assert told([*groups, groups[0]]).endswith("occurs too often.")
    assert "missing" in told(groups[1:]) or "Not right" in told(groups[1:])
