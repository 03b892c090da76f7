"""Values by their group: rows by their first part, as lists, dicts and sums; and numbers in arrays, as counts and sums.

The functions of arrays take 64-bit counts and places even if Python has 32 bits, where numpy refuses wider ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)
V = TypeVar("V")
N = TypeVar("N", int, float)
D = TypeVar("D")

_AT_ONCE = 1 << 18  # values


def groups_of(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key; keys in the order of their first pair.

    >>> groups_of((len(word), word) for word in ("cat", "parrot", "dog"))
    {3: ['cat', 'dog'], 6: ['parrot']}
    """
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def nested(rows: Iterable[tuple[K, L, V]]) -> dict[K, dict[L, V]]:
    """Return, for each first key, the values by second key; the last value of two keys counts.

    >>> nested([("1", "a", 1.0), ("2", "a", 0.0), ("1", "b", 2.0)])
    {'1': {'a': 1.0, 'b': 2.0}, '2': {'a': 0.0}}
    """
    return {key: dict(pairs) for key, pairs in groups_of((key, (other, value)) for key, other, value in rows).items()}


def aligned(rows: Sequence[Mapping[K, V]], absent: D) -> dict[K, list[V | D]]:
    """Return the values of each key in several mappings, side by side; keys in the order in which they first occur.

    >>> aligned([{"cat": 1, "dog": 2}, {"dog": 3}], 0)
    {'cat': [1, 0], 'dog': [2, 3]}
    """
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key, absent) for row in rows] for key in keys}


def totals(pairs: Iterable[tuple[K, N]]) -> dict[K, N]:
    """Return the sum of the values of each key, added up in their order.

    >>> totals([("cat", 1), ("dog", 2), ("cat", 3)])
    {'cat': 4, 'dog': 2}
    """
    sums: dict[K, N] = {}
    for key, value in pairs:  # the function `sum` rounds floats in another way from Python 3.12 on
        sums[key] = sums.get(key, 0) + value
    return sums


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
