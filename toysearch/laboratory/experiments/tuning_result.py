"""What a search for the best setting finds: settings, their values, folds, the honest value and the optimistic one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import toysearch
from toysearch import display
from toysearch.laboratory.experiments.grids import Axis, Setting
from toysearch.laboratory.experiments.plateaus import Plateau
from toysearch.laboratory.experiments.stats.significance import TestResult


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

    def __str__(self) -> str:
        return toysearch.as_text(self)
