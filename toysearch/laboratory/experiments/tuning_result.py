"""The result of tuning: the settings tried, the best one, and the plateau of those that are as good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch import display
from toysearch.laboratory.experiments.grids import Axis, Setting
from toysearch.laboratory.experiments.stats.significance import TestResult, paired_test
from toysearch.models.parameter_ranges import Value

__all__ = ["Tuning", "TuningProgress"]

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


class Trial(NamedTuple):
    """A setting and what it is worth: for all queries, and for each, in the order of the judgments."""

    setting: Setting
    value: float
    per_query: np.ndarray


class Fold(NamedTuple):
    """Some queries, the setting that is best on all others, its value there, and its value on these."""

    query_ids: tuple[str, ...]
    setting: Setting
    on_rest: float
    held_out: float


class TuningProgress(NamedTuple):
    """How far a search is: settings valued, all there will be (None where nobody knows), and the best so far."""

    done: int
    total: int | None
    best: Trial


@dataclass(frozen=True, repr=False)
class Tuning:
    """What `tune` has found.

    Attributes
    ----------
    collection, model, analyzer, measure : str
        What was tuned, on what, on which terms, by what.
    axes : tuple of Axis
        What was varied.
    search : {"grid", "random", "ascent"}
        How.
    seed : int
        Of the folds and of what was drawn.
    query_ids : tuple of str
        The judged queries.
    trials : tuple of Trial
        All settings that the search on all queries came past, in its order.
    best : Trial
        The best of them, the first where several are: its value is the optimistic one.
    default : Trial or None
        The model as it was given, its setting what it and the analyzer have on the axes by themselves.
    folds : tuple of Fold
        The choice of each fold, made without its queries.
    held_out : Trial
        The honest values: those of each query under the setting that its fold got. Its setting is empty.
    gain : TestResult or None
        The paired test of `held_out` less `default`: mean difference, interval, p, effect.
    plateaus : tuple of Plateau
        How flat the surface is, axis by axis.
    alpha : float
        The level of tests and intervals.
    sign : int
        1 where high values are better, −1 where low ones are.
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
        """By how much the optimistic value is above the honest one (below it, where lower is better)."""
        return self.best.value - self.held_out.value

    @property
    def verdict(self) -> str:
        """What the test says of tuning: ``better`` or ``worse`` than the default, or ``""`` where it shows neither."""
        if self.gain is None or self.gain.p >= self.alpha:
            return ""
        return "better" if self.sign * self.gain.mean > 0 else "worse"

    @property
    def agreeing(self) -> int:
        """How many folds choose the setting that is best on all queries."""
        return sum(fold.setting == self.best.setting for fold in self.folds)

    def __repr__(self) -> str:
        return (
            f"<Tuning of {self.model} on {len(self.query_ids)} queries: {self.measure} {self.held_out.value:.4f} held "
            f"out, {self.best.value:.4f} at best>"
        )
