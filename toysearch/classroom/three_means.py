"""Three means of the same numbers: arithmetic, geometric and harmonic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from toysearch.base import ArgumentError, Rows, expect_list
from toysearch.evaluation.values_and_means import arithmetic, geometric, harmonic

__all__ = ["Means", "means"]


class _Means(NamedTuple):
    arithmetic: float
    geometric: float
    harmonic: float


class Means(Rows, _Means):
    """Three means of the same numbers; they never rise in this order, and are equal only if all numbers are."""


def means(values: Sequence[float]) -> Means:
    """Compute the three means of numbers of at least 0.

    Parameters
    ----------
    values : sequence of float
        At least one.

    Raises
    ------
    ArgumentError
        If there is none, or one of them is negative or not finite.

    Examples
    --------
    >>> means([2, 8])
    Means(arithmetic=5.0, geometric=4.0, harmonic=3.2)
    """
    expect_list(float, values=values)
    if not len(values):
        raise ArgumentError("a mean needs at least one number")
    for value in values:
        if not math.isfinite(value):
            raise ArgumentError(f"a mean needs finite numbers, and {value} is not finite")
    return Means(arithmetic(values), geometric(values), harmonic(values))
