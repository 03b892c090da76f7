"""Kinds of answers that are one value: numbers, texts, choices."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from toysearch.course.exercise import Case, Unusable
from toysearch.course.plain_values import SLACK, cut, found, plain


@dataclass(frozen=True)
class Number:
    """A number, right to so many decimals: a whole number, a float, or one of numpy's."""

    decimals: int = 3  # an answer may be off by half a unit of the last of them

    @property
    def expects(self) -> str:
        """What a student should give."""
        return f"a number, to {self.decimals} decimal{'s' * (self.decimals != 1)}"

    def look(self, answer: Any, case: Case) -> float:
        """The number as a float."""
        value = plain(answer)
        if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
            raise Unusable(found(answer))
        if not math.isfinite(value):
            raise Unusable(f"the number {float(value)}")
        return float(value)

    def same(self, seen: float, right: float) -> bool:
        """Whether both round alike, or nearly."""
        return self._near(seen, right, self.decimals)

    def remark(self, seen: float, right: float, case: Case) -> str:
        """Per cent for a share, a lost sign, rounding that went too far."""
        if self.same(seen, 100 * right) or self.same(seen / 100, right):
            return "this is a hundred times what was asked for: give a share between 0 and 1, not per cent"
        if self.same(-seen, right):
            return "the sign is wrong"
        for fewer in range(self.decimals - 1, max(0, self.decimals - 3), -1):
            if self._near(seen, right, fewer) and round(seen, fewer) == seen:
                return f"this is rounded too far: give {self.decimals} decimals"
        return ""

    def _near(self, seen: float, right: float, decimals: int) -> bool:
        return abs(seen - right) <= 0.5 * 10.0**-decimals + SLACK * max(1.0, abs(right))


@dataclass(frozen=True)
class Whole:
    """A whole number; 3.0 is one."""

    @property
    def expects(self) -> str:
        """What a student should give."""
        return "a whole number"

    def look(self, answer: Any, case: Case) -> int:
        """The number as an int."""
        value = Number().look(answer, case)
        if value != int(value):
            raise Unusable(f"the number {value:g}")
        return int(value)

    def same(self, seen: int, right: int) -> bool:
        """Whether they are equal."""
        return seen == right

    def remark(self, seen: int, right: int, case: Case) -> str:
        """One too many or too few."""
        return "you are off by one" if abs(seen - right) == 1 else ""


@dataclass(frozen=True)
class Text:
    """A text; blanks around it and capitals do not matter unless told."""

    exact: bool = False  # whether capitals count

    @property
    def expects(self) -> str:
        """What a student should give."""
        return "a text in quotation marks"

    def look(self, answer: Any, case: Case) -> str:
        """The text, its blanks made single."""
        value = plain(answer)
        if not isinstance(value, str):
            raise Unusable(found(answer))
        text = " ".join(value.split())
        return text if self.exact else text.casefold()

    def same(self, seen: str, right: str) -> bool:
        """Whether they are equal."""
        return seen == right

    def remark(self, seen: str, right: str, case: Case) -> str:
        """Capitals, where they count."""
        return "mind the capitals" if seen.casefold() == right.casefold() else ""


@dataclass(frozen=True)
class Choice:
    """One of a few words, such as "stems" or "a"."""

    choices: tuple[str, ...]  # all that can be answered

    @property
    def expects(self) -> str:
        """What a student should give."""
        *others, last = (f'"{choice}"' for choice in self.choices)
        return f"{', '.join(others)} or {last}"

    def look(self, answer: Any, case: Case) -> str:
        """The choice."""
        text = Text().look(answer, case)
        if text not in {choice.casefold() for choice in self.choices}:
            raise Unusable(f"the text '{cut(str(answer))}'")
        return text

    def same(self, seen: str, right: str) -> bool:
        """Whether they are equal."""
        return seen == right

    def remark(self, seen: str, right: str, case: Case) -> str:
        """Nothing: it would be the answer."""
        return ""


@dataclass(frozen=True)
class Truth:
    """True or False."""

    @property
    def expects(self) -> str:
        """What a student should give."""
        return "True or False"

    def look(self, answer: Any, case: Case) -> bool:
        """The truth value."""
        value = plain(answer)
        if not isinstance(value, bool):
            raise Unusable(found(answer))
        return value

    def same(self, seen: bool, right: bool) -> bool:
        """Whether they are equal."""
        return seen == right

    def remark(self, seen: bool, right: bool, case: Case) -> str:
        """Nothing: it would be the answer."""
        return ""
