"""The lab that is going on in this process: whose it is, what was given, what is checked, which hints were told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toysearch.labs.exercise import Exercise, Given
from toysearch.labs.judging import judge, observe
from toysearch.labs.lessons import exercise, lesson
from toysearch.labs.students import ANYONE, checked_name
from toysearch.labs.verdict import Notice, Verdict

Record = dict[str, Any]


@dataclass
class Session:
    """What is kept between two calls.

    Attributes
    ----------
    student : str
        Whose numbers are given.
    hints : Counter of str
        Exercise → how many of its hints were told.
    record : callable, optional
        In a grading run: takes what was started and what was seen, and judges nothing.
    salt : str
        The grader's, for the inputs of functions.
    """

    student: str = ANYONE
    hints: Counter[str] = field(default_factory=Counter)
    record: Callable[[Record], None] | None = None
    salt: str = ""


SESSION = Session()


def start(number: int, student: str | None = None) -> Notice:
    """Begin a lab: from now on the exercises give this student's numbers.

    Parameters
    ----------
    number : int
        The lab's.
    student : str, optional
        The name, which decides the numbers. By default the numbers are those of the examples.

    Raises
    ------
    ArgumentError
        If there is no such lab, or the name is no text.

    Examples
    --------
    >>> start(1, student="ada")  # doctest: +ELLIPSIS
    Lab 1: Tokens and terms
      ...
    """
    begun = lesson(number)
    SESSION.student = checked_name(student)
    SESSION.hints.clear()
    if SESSION.record is not None:
        SESSION.record({"lab": number, "student": SESSION.student})
    points = sum(each.points for each in begun.exercises)
    whose = (
        "You work with the numbers of the examples; your name gives you your own: "
        f'labs.start({number}, student="your name").'
        if SESSION.student == ANYONE
        else f"The numbers are those of {SESSION.student}."
    )
    size = f"{len(begun.exercises)} exercises, {points} points, about {begun.minutes} minutes."
    return Notice(f"Lab {number}: {begun.title}", (size, whose))


def given(number: str) -> Given:
    """What an exercise gives to the student who started the lab.

    Parameters
    ----------
    number : str
        The exercise's, such as "3.2".

    Raises
    ------
    ArgumentError
        If there is none.
    """
    return exercise(number).case(SESSION.student).given


def check(number: str, answer: Any) -> Verdict:
    """What is right or wrong about an answer; the right one is not told.

    Parameters
    ----------
    number : str
        The exercise's, such as "3.2".
    answer : object
        The answer; ``...`` for none yet.

    Raises
    ------
    ArgumentError
        If there is no such exercise.
    """
    asked = exercise(number)
    case = asked.case(SESSION.student, SESSION.salt)
    seen = observe(asked, answer, case)
    if SESSION.record is not None:
        SESSION.record({"exercise": number, "student": SESSION.student, **seen})
        return Verdict(number, asked.title, "noted", ("Noted.",), asked.points)
    return judge(asked, seen, case)


def hint(number: str) -> Notice:
    """The next hint for an exercise; each helps more than the one before.

    Parameters
    ----------
    number : str
        The exercise's, such as "3.2".

    Raises
    ------
    ArgumentError
        If there is none.
    """
    asked = exercise(number)
    told = SESSION.hints[number]
    SESSION.hints[number] += 1
    return Notice(
        _hint_heading(asked, told), (asked.hints[told],) if told < len(asked.hints) else ("There are no more.",)
    )


def _hint_heading(asked: Exercise, told: int) -> str:
    place = f", {told + 1} of {len(asked.hints)}" if told < len(asked.hints) else ""
    return f"Hint for {asked.number} {asked.title}{place}"
