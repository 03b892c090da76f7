"""Rows by their first part: as lists, as dicts, as sums."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)
V = TypeVar("V")
N = TypeVar("N", int, float)
D = TypeVar("D")


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
