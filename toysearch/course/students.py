"""A student's own numbers: drawn from a seed that the name and the exercise decide, the same on every machine."""

from __future__ import annotations

import hashlib
import random
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

from toysearch.errors import ArgumentError

ANYONE = "anyone"
"""Whose numbers the examples show, and who starts a lab without a name."""

_LONGEST = 100

T = TypeVar("T")


class Draw:
    """Numbers drawn for one student and one exercise.

    Everything is made from `random.Random.random`, the one method whose sequence Python promises to keep.
    """

    def __init__(self, *seed: str) -> None:
        digest = hashlib.sha256("\n".join(seed).encode()).digest()
        self._random = random.Random(int.from_bytes(digest)).random

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def number(self, low: float, high: float, decimals: int) -> float:
        """A number between two others, of few decimals."""
        return round(low + self._random() * (high - low), decimals)

    def one(self, among: Sequence[T]) -> T:
        """One of several."""
        return among[self.whole(0, len(among) - 1)]

    def some(self, among: Sequence[T], count: int) -> list[T]:
        """Several different ones, in random order."""
        left = list(among)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(count)]

    def shuffled(self, among: Sequence[T]) -> list[T]:
        """All of them, in random order."""
        return self.some(among, len(among))


def checked_name(student: str | None) -> str:
    """A student's name without stray blanks; `ANYONE` for none."""
    if student is not None and not isinstance(student, str):
        raise ArgumentError(f'a student\'s name is a text such as student="ada", not {type(student).__name__}')
    name = " ".join((student or "").split()) or ANYONE
    if len(name) > _LONGEST or not name.isprintable():
        raise ArgumentError(f"a student's name has at most {_LONGEST} letters, all of them printable, not {name!a}")
    return name


def seed(student: str) -> str:
    """What of a name decides the numbers: neither capitals nor blanks."""
    return unicodedata.normalize("NFKC", checked_name(student)).casefold()
