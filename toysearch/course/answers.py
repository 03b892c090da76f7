"""The kinds of answers: how each is observed, compared with the right one, and commented on."""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from toysearch.base import SECONDS, TooLong, at_most, cut, sentence
from toysearch.course.exercise import Answer, Case, Given, Unanswered, Unusable

_SLACK = 1e-12
"""Relative tolerance for different orders of addition."""

_LONGEST = 120  # characters of an answer that are shown
_DIGITS = 300  # of a whole number that is still a float


def _items(answer: Any, of: Answer, case: Case, ordered: bool) -> list[Any]:
    """The items of a list-like value."""
    value = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | Set):
        raise Unusable(_found(answer))
    if ordered and isinstance(value, Set):
        raise Unusable("a set, which has no order")
    try:
        return [of.look(item, case) for item in value]
    except Unusable as error:
        raise Unusable(f"a {type(value).__name__} with {error}") from None


def _unmatched(items: list[Any], right: list[Any], of: Answer) -> tuple[int, int]:
    """The numbers of seen items and of right items without a counterpart."""
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
    """A numpy number or string as a Python value."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _found(answer: Any) -> str:
    """A description of an answer of the wrong kind."""
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


def _cut(text: str) -> str:
    """A text, shortened for display, in one line that can be printed."""
    return sentence(cut(text, _LONGEST))


def _quoted(item: Any) -> str:
    """An item of an answer for display: a text in quotation marks, anything else as Python writes it."""
    return f"'{_cut(item)}'" if isinstance(item, str) else _cut(repr(item))


class _Equal:
    """Base of the kinds of answers that are right if equal and that any hint would give away."""

    def same(self, seen: Any, right: Any) -> bool:
        """Whether they are equal."""
        return bool(seen == right)

    def remark(self, seen: Any, right: Any, case: Case) -> str:
        """Nothing."""
        return ""


@dataclass(frozen=True)
class Number:
    """A number, right to a number of decimals: a whole number, a float, or a numpy number."""

    decimals: int = 3  # an answer may be off by half a unit of the last of them

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return f"a number, to {self.decimals} decimal{'s' * (self.decimals != 1)}"

    def look(self, answer: Any, case: Case) -> float:
        """The number as a float."""
        value = _plain(answer)
        if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
            raise Unusable(_found(answer))
        try:
            number = float(value)
        except (OverflowError, ValueError):  # a whole number or a fraction beyond all floats, a decimal that signals
            raise Unusable(_found(answer)) from None
        if not math.isfinite(number):
            raise Unusable(f"the number {number}")
        return number

    def same(self, seen: float, right: float) -> bool:
        """Whether both round to nearly the same value."""
        return self._near(seen, right, self.decimals)

    def remark(self, seen: float, right: float, case: Case) -> str:
        """Hints for per cent instead of a share, a wrong sign, and excessive rounding."""
        if self.same(seen, 100 * right) or self.same(seen / 100, right):
            return "this is a hundred times too large: give a share between 0 and 1, not per cent"
        if self.same(-seen, right):
            return "the sign is wrong"
        for fewer in range(self.decimals - 1, max(0, self.decimals - 3), -1):
            if self._near(seen, right, fewer) and round(seen, fewer) == seen:
                return f"this is rounded too far: give {self.decimals} decimals"
        return ""

    def _near(self, seen: float, right: float, decimals: int) -> bool:
        return abs(seen - right) <= 0.5 * 10.0**-decimals + _SLACK * max(1.0, abs(right))


@dataclass(frozen=True)
class Whole(_Equal):
    """A whole number; 3.0 is one."""

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return "a whole number"

    def look(self, answer: Any, case: Case) -> int:
        """The number as an int."""
        value = Number().look(answer, case)
        if value != int(value):
            raise Unusable(f"the number {value:g}")
        return int(value)

    def remark(self, seen: int, right: int, case: Case) -> str:
        """One too many or too few."""
        return "you are off by one" if abs(seen - right) == 1 else ""


@dataclass(frozen=True)
class Text(_Equal):
    """A text; surrounding blanks are ignored, and so is case unless stated."""

    exact: bool = False  # whether capitals count

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return "a text in quotation marks"

    def look(self, answer: Any, case: Case) -> str:
        """The text with single blanks."""
        value = _plain(answer)
        if not isinstance(value, str):
            raise Unusable(_found(answer))
        text = " ".join(value.split())
        return text if self.exact else text.casefold()

    def remark(self, seen: str, right: str, case: Case) -> str:
        """A hint about case, if it counts."""
        return "mind the capitals" if seen.casefold() == right.casefold() else ""


@dataclass(frozen=True)
class Choice(_Equal):
    """One of a few words, such as "stems" or "a"."""

    choices: tuple[str, ...]  # all possible answers

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        *others, last = (f'"{choice}"' for choice in self.choices)
        return f"{', '.join(others)} or {last}"

    def look(self, answer: Any, case: Case) -> str:
        """The choice."""
        text = Text().look(answer, case)
        if text not in {choice.casefold() for choice in self.choices}:
            raise Unusable(f"the text '{_cut(str(answer))}'")
        return text


@dataclass(frozen=True)
class Ordered:
    """An ordered list."""

    of: Answer  # the kind of its items
    what: str = "items"  # their name, in the plural

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return f"a list of {self.what} in order, each {self.of.expects}"

    def look(self, answer: Any, case: Case) -> list[Any]:
        """Its items."""
        return _items(answer, self.of, case, ordered=True)

    def same(self, seen: list[Any], right: list[Any]) -> bool:
        """Whether every item is the same as its counterpart."""
        return len(seen) == len(right) and all(map(self.of.same, seen, right))

    def remark(self, seen: list[Any], right: list[Any], case: Case) -> str:
        """A hint about a wrong order, a wrong number of items, or the first wrong place."""
        if len(seen) == len(right) and _unmatched(seen, right, self.of) == (0, 0):
            return f"these are the right {self.what}, in the wrong order"
        pairs = enumerate(zip(seen, right, strict=False), 1)
        place = next((place for place, pair in pairs if not self.of.same(*pair)), min(len(seen), len(right)) + 1)
        if len(seen) != len(right):
            so_far = f"; yours are right up to place {place - 1}" if place > 1 else ""
            return f"there should be {'more' if len(seen) < len(right) else 'fewer'} {self.what}{so_far}"
        if place > 1:
            return f"the {self.what} are right up to place {place - 1}, not at place {place}"
        good = sum(map(self.of.same, seen, right))
        return f"the first of the {self.what} is not right; {good} of the {len(right)} are" if good else ""


@dataclass(frozen=True)
class Unordered:
    """A set, or an unordered list."""

    of: Answer  # the kind of its items
    what: str = "items"  # their name, in the plural

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return f"a set or a list of {self.what} in any order, each {self.of.expects}"

    def look(self, answer: Any, case: Case) -> list[Any]:
        """Its items, in any order."""
        return _items(answer, self.of, case, ordered=False)

    def same(self, seen: list[Any], right: list[Any]) -> bool:
        """Whether each has its counterpart."""
        return _unmatched(seen, right, self.of) == (0, 0)

    def remark(self, seen: list[Any], right: list[Any], case: Case) -> str:
        """The numbers of wrong and of missing items."""
        wrong, missing = _unmatched(seen, right, self.of)
        often = next((item for item in right if self._times(item, seen) > self._times(item, right)), None)
        repeated = next((item for item in seen if often is not None and self.of.same(item, often)), None)
        parts = [f"{_quoted(repeated)} occurs too often"] if repeated is not None else []
        parts += [f"{wrong} of your {len(seen)} {self.what} should not be there"] if wrong and not parts else []
        parts += [f"{missing} {'is' if missing == 1 else 'are'} missing"] if missing else []
        return "; ".join(parts)

    def _times(self, item: Any, among: list[Any]) -> int:
        return sum(self.of.same(other, item) for other in among)


@dataclass(frozen=True)
class Table:
    """A dict from names to values, such as ``{"cat": 2, "dog": 1}``."""

    of: Answer  # the kind of its values
    keys: str = "keys"  # the name of its keys, in the plural

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return f"a dict from {self.keys} to values, each {self.of.expects}"

    def look(self, answer: Any, case: Case) -> dict[str, Any]:
        """Its values by name; the keys 1 and "1" are equal."""
        if not isinstance(answer, Mapping):
            raise Unusable(_found(answer))
        try:
            return {str(_plain(key)): self.of.look(value, case) for key, value in answer.items()}
        except Unusable as error:
            raise Unusable(f"a dict with {error}") from None

    def same(self, seen: dict[str, Any], right: dict[str, Any]) -> bool:
        """Whether the keys are equal, and each value is the same as its counterpart."""
        return seen.keys() == right.keys() and all(self.of.same(seen[key], right[key]) for key in right)

    def remark(self, seen: dict[str, Any], right: dict[str, Any], case: Case) -> str:
        """A hint about surplus keys, missing keys, or the first wrong value."""
        odd = [key for key in seen if key not in right]
        missing = len(right.keys() - seen.keys())
        wrong = [key for key in seen if key in right and not self.of.same(seen[key], right[key])]
        parts = [f"'{_cut(odd[0])}' should not be among the {self.keys}"] if odd else []
        parts += [f"{missing} of the {self.keys} {'is' if missing == 1 else 'are'} missing"] if missing else []
        many = f" ({len(wrong)} are not)" * (len(wrong) > 1)
        parts += [f"the value of '{_cut(wrong[0])}' is not right{many}"] if wrong else []
        more = self.of.remark(seen[wrong[0]], right[wrong[0]], case) if len(wrong) == len(parts) == 1 else ""
        return "; ".join(parts) + (f": {more}" if more else "")


_NOTHING = "nothing"


@dataclass(frozen=True)
class Function:
    """A function, judged by its results for the inputs of the exercise."""

    of: Answer  # the kind of its results
    signature: str  # its call, such as "tokens(text)"

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return f"a function {self.signature} that returns {self.of.expects}"

    def look(self, answer: Any, case: Case) -> list[dict[str, Any]]:
        """The result or the exception for each input."""
        if not callable(answer):
            raise Unusable(_found(answer))
        results = []
        for arguments in case.inputs:
            results.append(self._result(answer, arguments, case))
            if results[-1].get("raised") == TooLong.__name__:  # the next call would take as long
                break
        if results and all(result.get("unusable") == _NOTHING for result in results):
            raise Unanswered("your function returns nothing; put its result after the word return")
        return results

    def same(self, seen: list[dict[str, Any]], right: list[dict[str, Any]]) -> bool:
        """Whether each result is the same as its counterpart."""
        return len(seen) == len(right) and all(map(self._alike, seen, right))

    def remark(self, seen: list[dict[str, Any]], right: list[dict[str, Any]], case: Case) -> str:
        """The first input with a wrong result, and that result."""
        for result, expected, arguments in zip(seen, right, case.inputs, strict=False):
            if self._alike(result, expected):
                continue
            call = f"{self.signature.partition('(')[0]}({_cut(', '.join(map(repr, arguments)))})"
            if "raised" in result:
                if result["raised"] == TooLong.__name__:
                    return f"{call} takes more than {SECONDS['call']:g} s; does its loop end?"
                return f"{call} raises {result['raised']}: {result['message']}"
            if "unusable" in result:
                return f"{call} returns {result['unusable']}; {self.of.expects} was expected"
            more = self.of.remark(result["returned"], expected["returned"], case)
            return f"{call} returns {_cut(repr(result['returned']))}" + (
                f": {more}" if more else ", which is not right"
            )
        return ""

    def _result(self, function: Callable[..., Any], arguments: tuple[Any, ...], case: Case) -> dict[str, Any]:
        try:
            with at_most("call"):
                returned = function(*copy.deepcopy(arguments))
            if returned is None or returned is ...:
                return {"unusable": _NOTHING}
            return {"returned": self.of.look(returned, case)}
        except Unusable as error:
            return {"unusable": str(error)}
        except (Exception, TooLong) as error:  # any exception of a student's function is an observation
            return {"raised": type(error).__name__, "message": _cut(str(error))}

    def _alike(self, seen: dict[str, Any], right: dict[str, Any]) -> bool:
        if "returned" in seen and "returned" in right:
            return self.of.same(seen["returned"], right["returned"])
        return "raised" in seen and seen["raised"] == right.get("raised")


@dataclass(frozen=True)
class Computed:
    """Any object, judged by a value computed from it."""

    # (answer, given values) → the value compared; it raises for an answer of the wrong kind
    by: Callable[[Any, Given], Any]
    of: Answer  # the kind of the computed value
    asked: str  # the expected answer, such as "a Ranking"

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return self.asked

    def look(self, answer: Any, case: Case) -> Any:
        """The value computed from the answer."""
        return self.of.look(_computed(self.by, answer, case), case)

    def same(self, seen: Any, right: Any) -> bool:
        """Whether the computed value is right."""
        return self.of.same(seen, right)

    def remark(self, seen: Any, right: Any, case: Case) -> str:
        """A hint about the computed value."""
        return self.of.remark(seen, right, case)


@dataclass(frozen=True)
class AtLeast:
    """An object that must be as good as the expected one, such as a model by its mean AP."""

    by: Callable[[Any, Given], float]  # (answer, given values) → the number that should be high
    asked: str  # the expected answer, such as "a ranking model"
    what: str  # the name of the number, such as "mean AP"

    @property
    def expects(self) -> str:
        """The expected answer, in words."""
        return self.asked

    def look(self, answer: Any, case: Case) -> float:
        """The number."""
        return Number().look(_computed(self.by, answer, case), case)

    def same(self, seen: float, right: float) -> bool:
        """Whether it reaches the required value."""
        return seen >= right - _SLACK

    def remark(self, seen: float, right: float, case: Case) -> str:
        """The number, and the required value."""
        return f"its {self.what} is {seen:.4f}, and {right:.4f} is the bar"


def _computed(by: Callable[[Any, Given], Any], answer: Any, case: Case) -> Any:
    try:
        with at_most("cell"):
            return by(answer, case.given)
    except Unusable:
        raise
    except TooLong as error:
        raise Unusable(f"{_found(answer)} ({error})") from None
    except Exception as error:  # an answer of the wrong kind can fail in any way
        raise Unusable(f"{_found(answer)} ({type(error).__name__}: {_cut(str(error))})") from None
