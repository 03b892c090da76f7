"""Numpy functions that take 64-bit counts and places even if Python has 32 bits, where numpy refuses wider ones."""

from __future__ import annotations

from typing import Any

import numpy as np

_AT_ONCE = 1 << 18  # values


def repeat_each(values: Any, counts: Any) -> np.ndarray:
    """Repeat each value as often as its count says.

    >>> repeat_each(np.array([7, 8]), np.array([2, 1])).tolist()
    [7, 7, 8]
    """
    return np.repeat(values, _as_places(counts))


def count_each(numbers: Any, weights: Any = None, minlength: int = 0) -> np.ndarray:
    """Count how often each number occurs, int64, or add up its weights.

    >>> count_each(np.array([1, 1, 3])).tolist()
    [0, 2, 0, 1]
    """
    counts: np.ndarray = np.bincount(_as_places(numbers), weights, minlength)
    return counts if weights is not None else counts.astype(np.int64, copy=False)


def reduce_at(function: np.ufunc, values: Any, starts: Any) -> Any:
    """Apply the function to each stretch of values, along the first axis, from its start to the next.

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
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.intp, casting="same_kind", copy=False)
    return np.array(numbers, dtype=np.intp)
