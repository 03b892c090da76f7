"""The result of tuning: the settings tried, the best one, and the plateau of those as good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch.base import display
from toysearch.laboratory.experiments.grids import Axis, Setting
from toysearch.laboratory.experiments.stats.significance import TestResult, finite_differences, paired_test
from toysearch.models.model import Value

__all__ = ["Tuning", "TuningProgress"]

TOLERANCE = 0.01
"""The share below the best value within which settings count as equally good."""


class Plateau(NamedTuple):
    """One axis around the best setting."""

    name: str  # the axis
    best: Value  # its value in the best setting
    # the values that are as good: within `TOLERANCE` of the best value; for numbers an unbroken range around `best`,
    # unless settings were drawn at random
    near: tuple[Value, ...]
    # likewise the values without a significant difference from the best: p ≥ alpha, not corrected
    alike: tuple[Value, ...]
    tried: tuple[Value, ...]  # all values tried; numbers in ascending order
    ordered: bool  # whether they are numbers
    at_end: bool  # whether the best is the first or last of several numbers, and values beyond it are allowed


def plateau(
    axis: Axis,
    best: Value,
    tried: Sequence[tuple[Value, np.ndarray]],
    value_of: Callable[[np.ndarray], float],
    alpha: float,
    *,
    unbroken: bool = True,
) -> Plateau:
    """The flatness of the surface along an axis."""
    of_best = max((row for value, row in tried if value == best), key=value_of)
    least = value_of(of_best) - TOLERANCE * abs(value_of(of_best))
    near, alike = set(), set()
    for value, row in tried:
        if value_of(row) >= least:
            near.add(value)
        differences = finite_differences(of_best, row)
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
    """The good values; for numbers those in an unbroken range around the best."""
    if not ordered:
        return tuple(value for value in values if value in good)
    first = last = values.index(best)
    while first > 0 and values[first - 1] in good:
        first -= 1
    while last + 1 < len(values) and values[last + 1] in good:
        last += 1
    return values[first : last + 1]


class Trial(NamedTuple):
    """A setting with its value for all queries and for each, in the order of the judgments."""

    setting: Setting
    value: float
    per_query: np.ndarray


class Fold(NamedTuple):
    """A fold: its queries, the best setting on all other queries, its value there, and its value on the fold."""

    query_ids: tuple[str, ...]
    setting: Setting
    on_rest: float
    held_out: float


class TuningProgress(NamedTuple):
    """The progress of a search: settings evaluated, their total (None if unknown), and the best so far."""

    done: int
    total: int | None
    best: Trial


@dataclass(frozen=True, repr=False)
class Tuning:
    """The result of `tune`.

    Attributes
    ----------
    collection, model, analyzer, measure : str
        The collection, the model tuned, the analysis, and the measure optimised.
    axes : tuple of Axis
        The axes that were varied.
    search : {"grid", "random", "ascent"}
        The kind of search.
    seed : int
        The seed of the folds and of random settings.
    query_ids : tuple of str
        The judged queries.
    trials : tuple of Trial
        All settings that the search on all queries visited, in order.
    best : Trial
        The best of them, or the first of several; its value is the optimistic one.
    default : Trial or None
        The model as given; its setting has the values of the model and the analyzer on the axes.
    folds : tuple of Fold
        The choice of each fold, made without its queries.
    held_out : Trial
        The honest values: each query has the value under the setting chosen for its fold. Its setting is empty.
    gain : TestResult or None
        The paired test of `held_out` minus `default`: mean difference, interval, p, effect.
    plateaus : tuple of Plateau
        The flatness of the surface, axis by axis.
    alpha : float
        The level of tests and intervals.
    sign : int
        1 if higher values are better, −1 if lower ones are.
    """

    collection: str
    model: str
    analyzer: str
    measure: str
    axes: tuple[Axis, ...]
    search: str
    seed: int
    query_ids: tuple[str, ...]
    trials: tuple[Trial, ...]
    best: Trial
    default: Trial | None
    folds: tuple[Fold, ...]
    held_out: Trial
    gain: TestResult | None
    plateaus: tuple[Plateau, ...]
    alpha: float
    sign: int

    __str__ = display.text
    _repr_html_ = display.html
    frame = display.frame

    @property
    def gap(self) -> float:
        """The optimistic value minus the honest one (usually negative if lower is better)."""
        return self.best.value - self.held_out.value

    @property
    def verdict(self) -> str:
        """The verdict of the test: ``better`` or ``worse`` than the default, or ``""`` if it is inconclusive."""
        if self.gain is None or self.gain.p >= self.alpha:
            return ""
        return "better" if self.sign * self.gain.mean > 0 else "worse"

    @property
    def agreeing(self) -> int:
        """The number of folds that choose the best setting on all queries."""
        return sum(fold.setting == self.best.setting for fold in self.folds)

    def __repr__(self) -> str:
        return (
            f"<Tuning of {self.model} on {len(self.query_ids)} queries: {self.measure} {self.held_out.value:.4f} held "
            f"out, {self.best.value:.4f} at best>"
        )
