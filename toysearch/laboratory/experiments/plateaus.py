"""How flat the surface is around the best setting: which other values of each parameter would have done as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.laboratory.experiments.grids import Axis
from toysearch.laboratory.experiments.stats.significance import paired_test
from toysearch.models.parameter_ranges import Value

TOLERANCE = 0.01
"""Settings whose value is no more than this share below the best count as as good."""


class Plateau(NamedTuple):
    """One axis around the best setting."""

    name: str  # the axis
    best: Value  # its value in the best setting
    # Its values that are as good: within `TOLERANCE` of the best value. Of numbers an unbroken run around `best`,
    # unless settings were drawn at random
    near: tuple[Value, ...]
    # in the same way its values for which no difference to the best is shown: p ≥ alpha, not corrected
    alike: tuple[Value, ...]
    tried: tuple[Value, ...]  # all values that were tried; numbers rising
    ordered: bool  # whether they are numbers
    at_end: bool  # whether the best is the first or the last of several numbers, and more is allowed beyond it


def plateau(
    axis: Axis,
    best: Value,
    tried: Sequence[tuple[Value, np.ndarray]],
    value_of: Callable[[np.ndarray], float],
    alpha: float,
    *,
    unbroken: bool = True,
) -> Plateau:
    """How flat the surface is along an axis."""
    of_best = max((row for value, row in tried if value == best), key=value_of)
    least = value_of(of_best) - TOLERANCE * abs(value_of(of_best))
    near, alike = set(), set()
    for value, row in tried:
        if value_of(row) >= least:
            near.add(value)
        differences = (of_best - row)[~np.isnan(of_best - row)]
        if value == best or not differences.size or paired_test(differences, alpha=alpha).p >= alpha:
            alike.add(value)
    values = tuple(dict.fromkeys(value for value, _ in tried))
    if axis.ordered:
        values = tuple(sorted(values, key=float))  # type: ignore[arg-type]
    as_good, not_worse = (_around(values, best, good, axis.ordered and unbroken) for good in (near, alike))
    ends = (min(axis.values, key=float), max(axis.values, key=float)) if axis.ordered else ()  # type: ignore[arg-type]
    at_end = len(axis.values) > 1 and any(best == end != limit for end, limit in zip(ends, axis.limits, strict=False))
    return Plateau(axis.name, best, as_good, not_worse, values, axis.ordered, at_end)


def _around(values: tuple[Value, ...], best: Value, good: set[Value], ordered: bool) -> tuple[Value, ...]:
    """The good ones; of numbers those that no other separates from the best."""
    if not ordered:
        return tuple(value for value in values if value in good)
    first = last = values.index(best)
    while first > 0 and values[first - 1] in good:
        first -= 1
    while last + 1 < len(values) and values[last + 1] in good:
        last += 1
    return values[first : last + 1]
