"""Current lab of this process: its student, verdicts and hints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toysearch.base import ArgumentError, without_notes
from toysearch.classroom.answers import (
    Notice,
    P,
    Verdict,
    Waiting,
    called_by_a_script,
    judge,
    observe,
    shown_at_once,
    stop_cell,
)
from toysearch.classroom.exercise import ANYONE, Given, Lesson, checked_name, exercise, lesson

StudentRecord = dict[str, Any]


@dataclass
class Session:
    """State of the current lab.

    Attributes
    ----------
    lab : Lesson or None
        The lab that was started.
    student : str
        The student, who decides the numbers.
    verdicts : dict of str to Verdict
        Exercise → the verdict on its last answer; one of a wrong form does not replace another.
    hints : Counter of str
        Exercise → the number of hints shown.
    record : callable, optional
        In a grading run: records the start and the observed answers, without judging.
    salt : str
        The secret of the grader, for the inputs of functions.
    individual : str
        The number that the owner of a key has put into the notebook of the student.
    """

    lab: Lesson | None = None
    student: str = ANYONE
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    hints: Counter[str] = field(default_factory=Counter)
    record: Callable[[StudentRecord], None] | None = None
    salt: str = ""
    individual: str = ""


SESSION = Session()


def start(number: int, student: str | None = None, individual: str = "") -> Notice:
    """Begin a lab: from now on the exercises give the numbers of this student.

    Parameters
    ----------
    number : int
        The number of the lab.
    student : str, optional
        The name, which decides the numbers. By default the numbers are those of the examples.
    individual : str
        What `toysearch labs start --key` has put there: with the name it decides the numbers, and nobody else knows it.

    Raises
    ------
    ArgumentError
        If the lab is unknown, or the name or the individual number is not a text.

    Examples
    --------
    >>> start(1, student="ada")  # doctest: +ELLIPSIS
    Lab 1: Tokens and terms
      ...
    """
    begun = lesson(number)
    if not isinstance(individual, str):
        raise ArgumentError(f"individual must be the text that labs start has put there, not {individual!r}")
    SESSION.student, SESSION.individual = checked_name(student), individual
    SESSION.lab = begun
    SESSION.hints.clear()
    SESSION.verdicts.clear()
    if SESSION.record is not None:
        SESSION.record({"lab": number, "student": SESSION.student, "individual": individual})
    points = sum(task.points for task in begun.exercises)
    whose = (
        "You work with the numbers of the examples; your name gives you your own numbers: "
        f'labs.start({number}, student="your name").'
        if SESSION.student == ANYONE
        else f"The numbers are those of {SESSION.student}."
    )
    size = f"{len(begun.exercises)} exercises, {points} points, about {begun.minutes} minutes."
    return _shown(Notice(f"Lab {number}: {begun.title}", (size, whose)))


def given(number: str) -> Given:
    """Return the values that an exercise gives to the student who started the lab.

    Parameters
    ----------
    number : str
        The number of the exercise, such as "3.2".

    Raises
    ------
    ArgumentError
        If the exercise is unknown.
    """
    return exercise(number).case(SESSION.student, individual=SESSION.individual).given


def check(number: str, answer: Any) -> Verdict:
    """Check an answer and comment on it, without revealing the right one; of a function, show one call done right.

    Parameters
    ----------
    number : str
        The number of the exercise, such as "3.2".
    answer : object
        The answer; ``...`` for none yet.

    Raises
    ------
    ArgumentError
        If the exercise is unknown.
    """
    task = exercise(number)
    case = task.case(SESSION.student, SESSION.salt, SESSION.individual)
    with without_notes():
        observation = observe(task, answer, case)
    if SESSION.record is not None:
        SESSION.record({"exercise": number, "student": SESSION.student, **observation})
        state = "noted" if observation["state"] == "seen" else observation["state"]
        verdict = Verdict(number, task.title, state, ("Noted.",), task.points)
    else:
        verdict = judge(task, observation, case)
    if verdict.state != "refused" or not _answered(number):
        SESSION.verdicts[number] = verdict
    return _shown(verdict)


def hint(number: str) -> Notice:
    """Give the next hint for an exercise; each is more helpful than the one before.

    Parameters
    ----------
    number : str
        The number of the exercise, such as "3.2".

    Raises
    ------
    ArgumentError
        If the exercise is unknown.
    """
    task = exercise(number)
    index = SESSION.hints[number]
    SESSION.hints[number] += 1
    heading = f"Hint for {task.number} {task.title}"
    if index >= len(task.hints):
        return _shown(Notice(heading, ("There are no more hints.",)))
    return _shown(Notice(f"{heading}, {index + 1} of {len(task.hints)}", (task.hints[index],)))


def needs(*numbers: str) -> None:
    """Stop the cell here until these exercises are answered, with a line that says so and no traceback.

    Parameters
    ----------
    *numbers : str
        The exercises whose answers the cell uses, such as "6.3".

    Raises
    ------
    ArgumentError
        If the exercise is unknown.
    Waiting
        If one is not answered yet; a notebook shows a line instead.

    Examples
    --------
    >>> needs("6.3")
    Traceback (most recent call last):
    toysearch.classroom.answers.Waiting: Wait for exercise 6.3. This cell needs your answer to it.
    """
    open_ones = [exercise(number).number for number in numbers if not _answered(number)]
    if not open_ones:
        return
    several = len(open_ones) > 1
    heading = f"Wait for exercise{'s' * several} {' and '.join(open_ones)}"
    sentence = f"This cell needs your answer{'s' * several} to {'them' if several else 'it'}."
    if called_by_a_script():
        raise SystemExit(f"{heading}. {sentence}")
    stop_cell(Waiting, Notice(heading, (sentence,)))
    raise Waiting(f"{heading}. {sentence}")


def progress() -> Notice:
    """Show the points earned in this session, and the open exercises.

    Raises
    ------
    ArgumentError
        If no lab was started.

    Examples
    --------
    >>> started = start(5, student="ada")
    >>> progress()
    Lab 5: 0 of 10 points
      Not answered: 5.1, 5.2, 5.3, 5.4, 5.5, 5.6, 5.7, 5.8.
    """
    if SESSION.lab is None:
        raise ArgumentError("no lab was started; run the cell with labs.start first")
    groups: dict[str, list[str]] = {"Right": [], "Not right yet": [], "Not answered": []}
    for task in SESSION.lab.exercises:
        state = SESSION.verdicts[task.number].state if task.number in SESSION.verdicts else "unanswered"
        groups[{"right": "Right", "unanswered": "Not answered"}.get(state, "Not right yet")].append(task.number)
    earned = sum(verdict.score for verdict in SESSION.verdicts.values())
    points = sum(task.points for task in SESSION.lab.exercises)
    sentences = tuple(f"{way}: {', '.join(numbers)}." for way, numbers in groups.items() if numbers)
    return _shown(Notice(f"Lab {SESSION.lab.number}: {earned} of {points} points", sentences))


def _answered(number: str) -> bool:
    return number in SESSION.verdicts and SESSION.verdicts[number].state not in ("unanswered", "refused")


def _shown(panel: P) -> P:
    """Return the panel, shown at once unless nobody looks."""
    return panel if SESSION.record is not None else shown_at_once(panel)
