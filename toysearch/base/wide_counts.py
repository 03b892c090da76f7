"""numpy functions that take counts and places of 64 bits also where Python has 32: there numpy refuses wider ones."""

from __future__ import annotations

from typing import Any

import numpy as np

_AT_ONCE = 1 << 18  # values


def repeat_each(values: Any, counts: Any) -> np.ndarray:
    """Each value as often as its count says.

    >>> repeat_each(np.array([7, 8]), np.array([2, 1])).tolist()
    [7, 7, 8]
    """
    return np.repeat(values, _as_places(counts))


def count_each(numbers: Any, weights: Any = None, minlength: int = 0) -> np.ndarray:
    """How often each number occurs, int64, or the sum of its weights.

    >>> count_each(np.array([1, 1, 3])).tolist()
    [0, 2, 0, 1]
    """
    counts: np.ndarray = np.bincount(_as_places(numbers), weights, minlength)
    return counts if weights is not None else counts.astype(np.int64, copy=False)


def reduce_at(function: np.ufunc, values: Any, starts: Any) -> Any:
    """The function over each stretch of values, from its start to the next.

    >>> reduce_at(np.add, np.array([1, 2, 3]), np.array([0, 2])).tolist()
    [3, 3]
    """
    return function.reduceat(values, _as_places(starts))


def gather_at(function: np.ufunc, totals: np.ndarray, places: np.ndarray, values: np.ndarray) -> None:
    """Put each value into the total at its place by a function of two numbers, in order.

    In parts, between which Ctrl-C is answered; numpy is quick only if both arrays have one type.

    >>> totals = np.zeros(3)
    >>> gather_at(np.add, totals, np.array([0, 2, 0]), np.array([1, 2, 3]))
    >>> totals.tolist()
    [4.0, 0.0, 2.0]
    """
    for start in range(0, len(places), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        function.at(totals, places[part], values[part].astype(totals.dtype, copy=False))


def _as_places(numbers: Any) -> np.ndarray:
    """Whole numbers of the type that numpy counts with."""
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.intp, casting="same_kind", copy=False)
    return np.array(numbers, dtype=np.intp)
