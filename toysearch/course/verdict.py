"""Observes an answer, judges it, and shows the verdict: text on a terminal, HTML in a notebook.

Observing and judging are two steps, so that a grader can judge in another process.
"""

from __future__ import annotations

import html
import inspect
import json
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from toysearch.base import sentence
from toysearch.course.exercise import Case, Exercise, Unanswered, Unusable


class Panel(Protocol):
    """A displayed result: text for a terminal, HTML for a notebook."""

    def _repr_html_(self) -> str: ...


P = TypeVar("P", bound=Panel)

_LATEST: list[Any] = [None, None]
"""The panel shown last, and the number of the cell that showed it."""


def shown_at_once(panel: P) -> P:
    """Show a panel now, in a notebook or in a script; in a Python shell it is shown as the value of its line."""
    if (shell := _shell()) is not None:
        _LATEST[:] = panel, shell.execution_count
        _display(panel)
    elif called_by_a_script():
        print(panel)
    return panel


def display_once(panel: Panel) -> None:
    """The display of the value of a cell in a notebook, unless the cell has already shown it."""
    shell = _shell()
    if shell is None or _LATEST[0] is not panel or _LATEST[1] != shell.execution_count:
        _display(panel)


def called_by_a_script() -> bool:
    """Whether the caller is a Python file run as a program, which does not display values."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("toysearch."):
        frame = frame.f_back
    names = frame.f_globals if frame is not None else {}
    return names.get("__name__") == "__main__" and "__file__" in names and not hasattr(sys, "ps1")


def stop_cell(waiting: type[Exception], notice: Panel) -> None:
    """Let a notebook show a notice instead of a traceback when this kind of exception ends a cell."""
    if (shell := _shell()) is not None:
        shell.set_custom_exc((waiting,), lambda *_, **__: _display(notice))


def _shell() -> Any:
    """The running IPython, if any; it is never imported for this."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _display(panel: Panel) -> None:
    import IPython.display

    show: Any = IPython.display.display
    show({"text/plain": repr(panel), "text/html": panel._repr_html_()}, raw=True)


_SIGNS = {"right": "✓", "wrong": "✗", "refused": "✗", "unanswered": "·", "noted": "·"}
_COLOURS = {"right": "#009E73", "wrong": "#D55E00", "refused": "#D55E00"}
_GREY = "#777777"


@dataclass(frozen=True, repr=False)
class Verdict:
    """The verdict on one answer."""

    # number, title: of the exercise
    number: str
    title: str
    # "right" | "wrong" | "refused" | "unanswered" | "noted": refused is an answer of the wrong kind; noted is one to be
    # judged later
    state: str
    sentences: tuple[str, ...]  # the comment
    points: int  # the points of the exercise

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == "right"

    @property
    def score(self) -> int:
        """The points earned."""
        return self.points if self.passed else 0

    def __repr__(self) -> str:
        return text_panel(f"{_SIGNS[self.state]} {self.number} {self.title}", self.sentences)

    def _repr_html_(self) -> str:
        heading = f"{_SIGNS[self.state]} {self.number} {self.title}"
        return html_panel(heading, self.sentences, _COLOURS.get(self.state, _GREY))

    def _ipython_display_(self) -> None:
        display_once(self)


@dataclass(frozen=True, repr=False)
class Notice:
    """A heading and a few sentences, for people."""

    heading: str  # in bold if possible
    sentences: tuple[str, ...]  # one paragraph each

    def __repr__(self) -> str:
        return text_panel(self.heading, self.sentences)

    def _repr_html_(self) -> str:
        return html_panel(self.heading, self.sentences, _GREY)

    def _ipython_display_(self) -> None:
        display_once(self)


class Waiting(Exception):
    """A cell that needs an earlier answer; its message names the exercise."""


def text_panel(heading: str, sentences: Sequence[str]) -> str:
    """A heading, and sentences below it, wrapped and indented."""
    paragraphs = (textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="  ") for text in sentences)
    return "\n".join([heading, *paragraphs])


def html_panel(heading: str, sentences: Sequence[str], colour: str) -> str:
    """The same for a notebook, with a coloured edge."""
    lines = [f"<strong>{html.escape(heading)}</strong>", *map(html.escape, sentences)]
    return f'<div style="border-left: 4px solid {colour}; padding: 0.2em 0.8em">{"<br>".join(lines)}</div>'


_LONGEST_ANSWER = 500_000  # characters of an answer as JSON

Observation = dict[str, Any]
"""The observation of an answer: ``{"state": "seen", "seen": …}``, or that it is missing or refused."""


def observe(exercise: Exercise, answer: Any, case: Case) -> Observation:
    """The observed answer as JSON."""
    if answer is ... or answer is None:
        return {"state": "unanswered"}
    try:
        value = exercise.answer.look(answer, case)
    except Unanswered as error:
        return {"state": "unanswered", "found": str(error)}
    except Unusable as error:
        return {"state": "refused", "found": str(error)}
    except Exception as error:  # an object of a student may fail in any way when it is looked at
        return {"state": "refused", "found": f"an object of type {type(answer).__name__} ({type(error).__name__})"}
    text = json.dumps(value)
    if len(text) > _LONGEST_ANSWER:
        return {"state": "refused", "found": f"an answer of {len(text):,} characters"}
    return {"state": "seen", "seen": json.loads(text)}


def judge(exercise: Exercise, observation: Observation, case: Case) -> Verdict:
    """The verdict on an observation."""
    state, sentences = _judged(exercise, observation, case)
    return Verdict(exercise.number, exercise.title, state, tuple(map(sentence, sentences)), exercise.points)


def _judged(exercise: Exercise, observation: Observation, case: Case) -> tuple[str, list[str]]:
    kind = exercise.answer
    if observation["state"] == "unanswered":
        details = [f"Found: {observation['found']}."] if "found" in observation else []
        return "unanswered", [f"Not answered yet. Expected: {kind.expects}.", *details]
    if observation["state"] == "refused":
        return "refused", [f"Expected: {kind.expects}. Found: {observation['found']}."]
    value = observation["seen"]
    right = observe(exercise, exercise.expected(case.given), case)["seen"]
    if kind.same(value, right):
        points = f"{exercise.points} point{'s' * (exercise.points != 1)}"
        return "right", [f"Right: {points}.", *filter(None, [exercise.why])]
    for mistake in exercise.mistakes:
        theirs = observe(exercise, mistake.answer(case.given), case)
        if theirs["state"] == "seen" and kind.same(value, theirs["seen"]):
            if kind.is_bar and not kind.same(theirs["seen"], value):
                continue  # more than the mistake reaches
            return "wrong", ["Not right: " + mistake.sentence]
    remark = kind.remark(value, right, case)
    return "wrong", [_ended(f"Not right: {remark}" if remark else "Not right"), *_way_out(exercise)]


def _ended(text: str) -> str:
    """A sentence with a full stop, unless it asks or calls."""
    return text if text.endswith(("?", "!", ".")) else f"{text}."


def _way_out(exercise: Exercise) -> list[str]:
    return [f'labs.hint("{exercise.number}") helps.'] if exercise.hints else []
