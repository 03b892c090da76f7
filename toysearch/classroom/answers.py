"""Kinds of answers: how each is observed, compared with the right one, and commented on."""

from __future__ import annotations

import copy
import functools
import html
import inspect
import json
import math
import numbers
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

from toysearch.base import SECONDS, TooLong, agreeing, at_most, cut, sentence, without_notes
from toysearch.classroom.exercise import Answer, Case, Exercise, Given, Unanswered, Unusable

_SLACK = 1e-12
"""Relative tolerance for different orders of addition."""

_LONGEST = 120  # characters of an answer that are shown
_DIGITS = 300  # of a whole number that is still a float


def _items(answer: Any, case: Case, of: Answer, is_ordered: bool) -> list[Any]:
    value = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | Set):
        raise Unusable(_found(answer))
    if is_ordered and isinstance(value, Set):
        raise Unusable("a set, which has no order")
    try:
        return [of.look(item, case) for item in value]
    except Unusable as error:
        raise Unusable(f"a {type(value).__name__} with {error}") from None


def _unmatched(items: list[Any], right: list[Any], of: Answer) -> tuple[int, int]:
    """Count the seen items and the right items without a counterpart."""
    rest = list(right)
    wrong = 0
    for item in items:
        place = next((place for place, other in enumerate(rest) if of.same(item, other)), None)
        if place is None:
            wrong += 1
        else:
            rest.pop(place)
    return wrong, len(rest)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _found(answer: Any) -> str:
    if isinstance(answer, str):
        return f"the text '{_cut(answer)}'"
    if isinstance(answer, int) and abs(answer) >= 10**_DIGITS:
        return f"a number of more than {_DIGITS} digits"
    if isinstance(answer, int | float):
        return f"{answer!r}"
    if answer is None:
        return "None"
    kind = type(answer)
    return f"a {kind.__name__}" if kind.__module__ == "builtins" else f"an object of type {kind.__name__}"


def _cut(text: str, longest: int = _LONGEST) -> str:
    """Shorten a text for display, in one line that can be printed."""
    return sentence(cut(text, longest))


def number(decimals: int = 3) -> Answer:
    """Expect a number, right to a number of decimals: a whole number, a float, or a numpy number."""

    def look(answer: Any, case: Case) -> float:
        value = _plain(answer)
        if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d+[.,]\d+\s*", value):
            raise Unusable(f"{_found(answer)}; write {value.strip().replace(',', '.')}, without quotation marks")
        if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
            raise Unusable(_found(answer))
        try:
            number = float(value)
        except (OverflowError, ValueError):  # a whole number or a fraction beyond all floats, a decimal that signals
            raise Unusable(_found(answer)) from None
        if not math.isfinite(number):
            raise Unusable(f"the number {number}")
        return number

    def same(seen: float, right: float, places: int = decimals) -> bool:
        return abs(seen - right) <= 0.5 * 10.0**-places + _SLACK * max(1.0, abs(right))

    def remark(seen: float, right: float, case: Case) -> str:
        if 0 < right <= 1 and (same(seen, 100 * right) or same(seen / 100, right)):
            return "this is a hundred times too large: give a share between 0 and 1, not per cent"
        if same(-seen, right):
            return "the sign is wrong"
        for fewer in range(decimals - 1, max(0, decimals - 3), -1):
            if same(seen, right, fewer) and round(seen, fewer) == seen:
                return f"this is rounded too far: give {decimals} decimals"
        return ""

    return Answer(f"a number, to {decimals} decimal{'s' * (decimals != 1)}", look, same, remark)


def whole() -> Answer:
    """Expect a whole number; 3.0 is one."""
    number_look = number().look

    def look(answer: Any, case: Case) -> int:
        if isinstance(answer, str):
            raise Unusable(_found(answer))
        value = number_look(answer, case)
        if value != int(value):
            raise Unusable(f"the number {value:g}")
        return int(value)

    def remark(seen: int, right: int, case: Case) -> str:
        return "you are off by one" if abs(seen - right) == 1 else ""

    return Answer("a whole number", look, remark=remark)


def text(exact: bool = False, bare: bool = False) -> Answer:
    """Expect a text: unless it is bare, surrounding blanks are ignored; unless exact, case and more blanks inside."""

    def look(answer: Any, case: Case) -> str:
        value = _plain(answer)
        if not isinstance(value, str):
            raise Unusable(_found(answer))
        own = value if bare else value.strip()
        return own if exact else " ".join(own.split()).casefold()

    def remark(seen: str, right: str, case: Case) -> str:
        return "mind the capitals" if seen.casefold() == right.casefold() else ""

    return Answer("a text in quotation marks", look, remark=remark)


def choice(*choices: str) -> Answer:
    """Expect one of a few words, such as "stems" or "a"."""
    *others, last = (f'"{word}"' for word in choices)
    text_look = text().look

    def look(answer: Any, case: Case) -> str:
        word: str = text_look(answer, case)
        if word not in {choice.casefold() for choice in choices}:
            raise Unusable(f"the text '{_cut(str(answer))}'")
        return word

    return Answer(f"{', '.join(others)} or {last}", look)


def ordered(of: Answer, what: str = "items") -> Answer:
    """Expect an ordered list of items of one kind, with their name in the plural."""

    def same(seen: list[Any], right: list[Any]) -> bool:
        return len(seen) == len(right) and all(map(of.same, seen, right))

    def remark(seen: list[Any], right: list[Any], case: Case) -> str:
        if len(seen) == len(right) and _unmatched(seen, right, of) == (0, 0):
            return f"these are the right {what}, in the wrong order"
        pairs = enumerate(zip(seen, right, strict=False), 1)
        place = next((place for place, pair in pairs if not of.same(*pair)), min(len(seen), len(right)) + 1)
        if len(seen) != len(right):
            so_far = f"; yours are right up to place {place - 1}" if place > 1 else ""
            return f"there should be {'more' if len(seen) < len(right) else 'fewer'} {what}{so_far}"
        if place > 1:
            return f"the {what} are right up to place {place - 1}, not at place {place}"
        good = sum(map(of.same, seen, right))
        found = f"the first of the {what} is not right; {good} of the {len(right)} [is|are]"
        return agreeing(good, found) if good else ""

    expects = f"a list of {what} in order, each {of.expects}"
    return Answer(expects, functools.partial(_items, of=of, is_ordered=True), same, remark)


def unordered(of: Answer, what: str = "items") -> Answer:
    """Expect a set, or an unordered list, of items of one kind, with their name in the plural."""

    def same(seen: list[Any], right: list[Any]) -> bool:
        return _unmatched(seen, right, of) == (0, 0)

    def count(item: Any, among: list[Any]) -> int:
        return sum(of.same(other, item) for other in among)

    def remark(seen: list[Any], right: list[Any], case: Case) -> str:
        wrong, missing = _unmatched(seen, right, of)
        often = next((item for item in right if count(item, seen) > count(item, right)), None)
        repeated = next((item for item in seen if often is not None and of.same(item, often)), None)
        quoted = f"'{_cut(repeated)}'" if isinstance(repeated, str) else _cut(repr(repeated))
        parts = [f"{quoted} occurs too often"] if repeated is not None else []
        if wrong and not parts:
            some = f"{wrong} of your {len(seen)} {what} should not be there"
            parts.append(f"none of your {what} should be there" if wrong == len(seen) else some)
        parts += [f"{missing} {'is' if missing == 1 else 'are'} missing"] if missing else []
        return "; ".join(parts)

    expects = f"a set or a list of {what} in any order, each {of.expects}"
    return Answer(expects, functools.partial(_items, of=of, is_ordered=False), same, remark)


def table(of: Answer, keys: str = "keys") -> Answer:
    """Expect a dict from names to values of a kind, such as ``{"cat": 2, "dog": 1}``; keys 1 and "1" are equal."""

    def look(answer: Any, case: Case) -> dict[str, Any]:
        if not isinstance(answer, Mapping):
            raise Unusable(_found(answer))
        try:
            return {str(_plain(key)): of.look(value, case) for key, value in answer.items()}
        except Unusable as error:
            raise Unusable(f"a dict with {error}") from None

    def same(seen: dict[str, Any], right: dict[str, Any]) -> bool:
        return seen.keys() == right.keys() and all(of.same(seen[key], right[key]) for key in right)

    def remark(seen: dict[str, Any], right: dict[str, Any], case: Case) -> str:
        odd = [key for key in seen if key not in right]
        missing = len(right.keys() - seen.keys())
        wrong = [key for key in seen if key in right and not of.same(seen[key], right[key])]
        parts = [f"'{_cut(odd[0])}' should not be among the {keys}"] if odd else []
        parts += [f"{missing} of the {keys} {'is' if missing == 1 else 'are'} missing"] if missing else []
        many = f" ({len(wrong)} are not)" * (len(wrong) > 1)
        parts += [f"the value of '{_cut(wrong[0])}' is not right{many}"] if wrong else []
        more = of.remark(seen[wrong[0]], right[wrong[0]], case) if len(wrong) == len(parts) == 1 else ""
        return "; ".join(parts) + (f": {more}" if more else "")

    return Answer(f"a dict from {keys} to values, each {of.expects}", look, same, remark)


_NOTHING = "nothing"
_DEEPEST = 2500  # calls inside calls: a recursive function may go through a ranking of a thousand documents


@contextmanager
def _deeper() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


CallResult = dict[str, Any]
"""What a call of a student's function gave, as JSON: what it returned, or why that is not usable, or what it raised."""


def function(of: Answer, signature: str) -> Answer:
    """Expect a function, such as ``tokens(text)``, judged by its results for the inputs of the exercise.

    A function that changes its arguments is wrong, because the caller still needs them.
    """
    name = signature.partition("(")[0]

    def result(student_function: Callable[..., Any], arguments: tuple[Any, ...], case: Case) -> CallResult:
        theirs = copy.deepcopy(arguments)
        try:
            with at_most("call"), _deeper():
                returned = student_function(*theirs)
            if returned is None or returned is ...:
                return {"unusable": _NOTHING}
            seen = {"returned": of.look(returned, case)}
            return seen if theirs == arguments else seen | {"changed": True}
        except Unusable as error:
            return {"unusable": str(error)}
        except (Exception, TooLong) as error:  # any exception of a student's function is an observation
            return {"raised": type(error).__name__, "message": _cut(str(error))}

    def look(answer: Any, case: Case) -> list[CallResult]:
        if not callable(answer):
            raise Unusable(_found(answer))
        results = []
        for arguments in case.inputs:
            results.append(result(answer, arguments, case))
            if results[-1].get("raised") == TooLong.__name__:  # the next call would take as long
                break
        if results and all(result.get("unusable") == _NOTHING for result in results):
            raise Unanswered("your function returns nothing; put its result after the word return")
        return results

    def alike(seen: CallResult, right: CallResult) -> bool:
        if "returned" in seen and "returned" in right:
            return "changed" not in seen and of.same(seen["returned"], right["returned"])
        return "raised" in seen and seen["raised"] == right.get("raised")

    def same(seen: list[CallResult], right: list[CallResult]) -> bool:
        return len(seen) == len(right) and all(map(alike, seen, right))

    def remark(seen: list[CallResult], right: list[CallResult], case: Case) -> str:
        calls = zip(seen, right, case.inputs, strict=False)
        wrong = [each for each in calls if not alike(*each[:2])]
        if not wrong:
            return ""
        result, expected, arguments = min(wrong, key=lambda each: len(repr(each[2])))
        call = f"{name}({_cut(', '.join(map(repr, arguments)))})"
        if "raised" in result:
            if result["raised"] == TooLong.__name__:
                return f"{call} takes more than {SECONDS['call']:g} s; does its loop end?"
            return f"{call} raises {result['raised']}: {result['message']}"
        if "unusable" in result:
            return f"{call} returns {result['unusable']}; {of.expects} was expected"
        if "changed" in result:
            return f"{call} changes what it is called with, which the caller still needs; work on a copy"
        more = of.remark(result["returned"], expected["returned"], case)
        found = f"{call} returns {_cut(repr(result['returned']))}" + (f": {more}" if more else "")
        return f"{found}; right is {_cut(repr(expected['returned']))}"

    return Answer(f"a function {signature} that returns {of.expects}", look, same, remark)


def computed(by: Callable[[Any, Given], Any], of: Answer, expects: str) -> Answer:
    """Expect any object, judged by a value computed from it and the given values; `by` raises for a wrong kind."""

    def look(answer: Any, case: Case) -> Any:
        try:
            with at_most("cell"):
                value = by(answer, case.given)
        except Unusable:
            raise
        except TooLong as error:
            raise Unusable(f"{_found(answer)} ({error})") from None
        except Exception as error:  # an answer of the wrong kind can fail in any way
            raise Unusable(f"{_found(answer)} ({type(error).__name__}: {_cut(str(error), 3 * _LONGEST)})") from None
        return of.look(value, case)

    return Answer(expects, look, of.same, of.remark)


def at_least(by: Callable[[Any, Given], float], expects: str, what: str) -> Answer:
    """Expect an object with a number as high as that of the expected one, such as a model by its mean AP."""

    def same(seen: float, right: float) -> bool:
        return seen >= right - _SLACK

    def remark(seen: float, right: float, case: Case) -> str:
        return f"its {what} is {seen:.4f}, and {right:.4f} is the bar"

    return replace(computed(by, number(), expects), same=same, remark=remark, is_bar=True)


class Panel:
    """Result that is displayed, a heading and a few sentences: text for a terminal, HTML for a notebook."""

    sentences: tuple[str, ...]

    def _head(self) -> tuple[str, str]:
        """Return the heading, and the colour of the edge in a notebook."""
        raise NotImplementedError

    def __repr__(self) -> str:
        paragraphs = (textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="  ") for text in self.sentences)
        return "\n".join([self._head()[0], *paragraphs])

    def _repr_html_(self) -> str:
        heading, colour = self._head()
        lines = [f"<strong>{html.escape(heading)}</strong>", *map(html.escape, self.sentences)]
        return f'<div style="border-left: 4px solid {colour}; padding: 0.2em 0.8em">{"<br>".join(lines)}</div>'

    def _ipython_display_(self) -> None:
        """Display the value of a cell, unless the cell has already shown it."""
        shell = _shell()
        if shell is None or _LATEST[0] is not self or _LATEST[1] != shell.execution_count:
            _display(self)


P = TypeVar("P", bound=Panel)

_LATEST: list[Any] = [None, None]
"""Panel shown last, and the number of the cell that showed it."""


def shown_at_once(panel: P) -> P:
    """Show a panel now, in a notebook or in a script; in a Python shell it is shown as the value of its line."""
    if (shell := _shell()) is not None:
        _LATEST[:] = panel, shell.execution_count
        _display(panel)
    elif called_by_a_script():
        print(panel)
    return panel


def called_by_a_script() -> bool:
    """True if the caller is a Python file run as a program, which does not display values."""
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
    """Return the running IPython, if any; it is never imported for this."""
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
class Verdict(Panel):
    """Verdict on one answer."""

    # number, title: of the exercise
    number: str
    title: str
    # "right" | "wrong" | "refused" | "unanswered" | "noted": refused is an answer of the wrong kind; noted is one to be
    # judged later
    state: str
    sentences: tuple[str, ...]  # the comment
    points: int
    by_hand: float | None = None  # the points that a tutor gave instead

    @property
    def passed(self) -> bool:
        """True if the answer is right."""
        return self.state == "right"

    @property
    def score(self) -> float:
        """Return the points earned."""
        if self.by_hand is not None:
            return int(self.by_hand) if self.by_hand == int(self.by_hand) else self.by_hand
        return self.points if self.passed else 0

    def _head(self) -> tuple[str, str]:
        return f"{_SIGNS[self.state]} {self.number} {self.title}", _COLOURS.get(self.state, _GREY)


@dataclass(frozen=True, repr=False)
class Notice(Panel):
    """Heading and a few sentences, for people."""

    heading: str  # in bold if possible
    sentences: tuple[str, ...]  # one paragraph each

    def _head(self) -> tuple[str, str]:
        return self.heading, _GREY


class Waiting(Exception):
    """Raised by a cell that needs an earlier answer; its message names the exercise."""


_LONGEST_ANSWER = 500_000  # characters of an answer as JSON

Observation = dict[str, Any]
"""Observation of an answer: ``{"state": "seen", "seen": …}``, or that it is missing or refused."""


def observe(exercise: Exercise, answer: Any, case: Case) -> Observation:
    """Observe an answer, as JSON."""
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
    """Judge an observation; notes of searches that compute right and wrong answers are not shown."""
    with without_notes():
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
    for mistake in exercise.wrong_answers():
        theirs = observe(exercise, mistake.answer(case.given), case)
        if theirs["state"] == "seen" and kind.same(value, theirs["seen"]):
            if kind.is_bar and not kind.same(theirs["seen"], value):
                continue  # more than the mistake reaches
            return "wrong", ["Not right: " + mistake.sentence]
    remark = kind.remark(value, right, case)
    way_out = [f'labs.hint("{exercise.number}") helps.'] if exercise.hints else []
    text = f"Not right: {remark}" if remark else "Not right"
    return "wrong", [text if text.endswith(("?", "!", ".")) else f"{text}.", *way_out]
