"""Checks of arguments where they enter: a wrong type ends in one sentence, and never in a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, MappingView, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from toysearch.base.errors import ArgumentError, a

_ELEMENTS = 100  # of a list, whose types are looked at
_WIDER: dict[type, Any] = {float: Real, int: Integral}  # the numbers of NumPy too
_WORDS: dict[Any, str] = {
    **{str: "a text", float: "a number", int: "a whole number", bool: "True or False", Mapping: "a dict"},
}
_ORDERED = (Sequence, np.ndarray, MappingView, Iterator)


def expect(kind: type, **arguments: object) -> None:
    """Refuse an argument that is not of a class; `float` is any number, `int` a whole one but not True.

    >>> expect(int, k=2.5)
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: k must be a whole number, not a float
    """
    expected = _WIDER.get(kind, kind)
    for name, value in arguments.items():
        if not isinstance(value, expected) or (kind is int and isinstance(value, bool)):
            article = "an" if kind.__name__[0] in "AEIOU" else "a"
            raise ArgumentError(f"{name} must be {_WORDS.get(kind, f'{article} {kind.__name__}')}, not {a(value)}")


def expect_finite(number: float | None, name: str) -> None:
    """Reject a number that is nan or infinite, in one sentence; None counts as not given."""
    try:
        is_finite = number is None or math.isfinite(number)
    except (OverflowError, TypeError):
        is_finite = False
    if not is_finite:
        shown = repr(number) if isinstance(number, str) else number
        raise ArgumentError(f"{name} must be a finite number, not {shown}")


def expect_count(least: int = 1, otherwise: str = "", **arguments: object) -> None:
    """Refuse what is not a whole number of at least so many; `otherwise` says what else the argument may be.

    >>> expect_count(k=0)
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: k must be a whole number of at least 1, not 0
    """
    for name, number in arguments.items():
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < least:
            raise ArgumentError(f"{name} must be a whole number of at least {least}{otherwise}, not {number!r}")


def expect_seed(seed: int) -> None:
    """Refuse what random number generators do not take: anything but a whole number of at least 0."""
    expect(int, seed=seed)
    if seed < 0:
        raise ArgumentError(f"seed must be a whole number of at least 0, not {seed}")


def expect_list(kind: type, *, ordered: bool = True, **arguments: object) -> None:
    """Refuse an argument that is not a list of objects of a class: a text is not a list of its letters.

    kind : `object` for items of any kind, which letters are too
    ordered : whether a set, or a dict, is refused; what can be read only once is not looked into

    >>> expect_list(str, doc_ids="d1")
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: doc_ids must be a list of str, not a str
    """
    lists = _ORDERED if ordered else Iterable
    for name, value in arguments.items():
        of_kind = ""
        if isinstance(value, lists) and (kind is object or not isinstance(value, str | bytes)):
            looked_at = value[:_ELEMENTS] if isinstance(value, list | tuple) else ()
            wrong = [one for one in looked_at if not isinstance(one, _WIDER.get(kind, kind))]
            if not wrong:
                continue
            is_first = wrong[0] is looked_at[0]
            of_kind = f" of {type(wrong[0]).__name__}" if is_first else f" with {a(wrong[0])}"
        expected = "a list" if kind is object else f"a list of {kind.__name__}"
        raise ArgumentError(f"{name} must be {expected}, not {a(value)}{of_kind}")


def numbers(values: object, name: str) -> np.ndarray:
    """Return numbers as an array, or refuse them in a sentence that names the argument.

    >>> numbers([1, 2], "values")
    array([1., 2.])
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise ArgumentError(f"{name} holds a number that is too large: a float holds at most 1.8e308") from None
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be numbers, not {a(values)}") from None
