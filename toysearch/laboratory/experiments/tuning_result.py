"""The result of tuning: the settings tried, the best one, and the plateau of those as good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.result_tables import Column, Result, ResultTable, number_columns, plain
from toysearch.base.wording import counted
from toysearch.laboratory.effects import (
    difference_cells,
    difference_columns,
    difference_data,
    held_out_sentence,
    verdict,
)
from toysearch.laboratory.experiments.grids import Axis, Setting, setting_text
from toysearch.laboratory.experiments.stats.significance import TestResult, finite_differences, paired_test
from toysearch.models.model import Value, value_text

__all__ = ["Tuning", "TuningProgress"]

_MOST_NAMED = 4  # values that are listed; of more, only the number is given
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

    def data(self) -> dict[str, Any]:
        """The plateau for JSON."""
        data = {"name": self.name, "best_value": self.best, "as_good": self.near, "indistinguishable": self.alike}
        return data | {"at_end": self.at_end}

    def range_text(self, values: Sequence[Value]) -> str:
        """Values in short: the ends of a range of numbers, or the texts themselves."""
        if self.ordered and len(values) > 1:
            return f"{value_text(values[0])} to {value_text(values[-1])}"
        texts = [value_text(value) for value in values]
        return ", ".join(texts) if len(texts) <= _MOST_NAMED else f"{len(texts)} of {len(self.tried)}"

    def sentences(self, search: str) -> list[str]:
        """The shape of the axis around the best setting."""
        within, values = f"within {100 * TOLERANCE:g} % of the best", self.range_text(self.near)
        sentences = []
        if len(self.near) > 1 and search == "random":
            sentences.append(f"{self.name}: settings {within} have {values}.")
        elif len(self.near) == len(self.tried) > 1:
            span = self.range_text(self.tried)
            sentences.append(f"{self.name} hardly matters: all values tried, {span}, are {within}.")
        elif len(self.near) > 1 and self.ordered:
            first, last = value_text(self.near[0]), value_text(self.near[-1])
            sentences.append(f"{self.name}: any value from {first} to {last} is as good ({within}).")
        elif len(self.near) > 1:
            sentences.append(f"{self.name}: {values} are as good ({within}).")
        if self.at_end and len(self.near) < len(self.tried):
            sentences.append(
                f"{self.name}: the best, {value_text(self.best)}, is the "
                f"{'first' if self.best == self.tried[0] else 'last'} value tried; a better one may lie beyond it."
            )
        return sentences


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
class Tuning(Result):
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

    @property
    def gap(self) -> float:
        """The optimistic value minus the honest one (usually negative if lower is better)."""
        return self.best.value - self.held_out.value

    @property
    def verdict(self) -> str:
        """The verdict of the test: ``better`` or ``worse`` than the default, or ``""`` if it is inconclusive."""
        return verdict(self.gain, self.alpha, self.sign)

    @property
    def agreeing(self) -> int:
        """The number of folds that choose the best setting on all queries."""
        return sum(fold.setting == self.best.setting for fold in self.folds)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The held-out value, the optimistic one, that of the default; and how flat the surface is along each axis."""
        columns = [Column("system"), Column("value", self.measure, "right", ".4f")]
        rows: list[list[Any]] = [
            [f"tuned, held out ({len(self.folds)} folds)", self.held_out.value],
            ["tuned, on the same queries", self.best.value],
        ]
        if self.default is not None:
            rows.append([f"as given ({self.model})", self.default.value])
        if self.default is not None and self.gain is not None:
            columns += difference_columns(self.alpha, form)
            gap = float(np.nanmean(self.best.per_query - self.default.per_query))
            rows[0] += difference_cells(self.gain.mean, self.gain, self.gain.p, form)
            rows[1] += difference_cells(gap, None, 1.0, form)
            rows[2] += difference_cells(None, None, 1.0, form)
        return [ResultTable(columns, rows), self.axes_table()]

    def axes_table(self) -> ResultTable:
        """Each parameter: its given value, the best, the choices of the folds, and how flat the surface is."""
        columns = [Column("parameter"), *number_columns("", default="as given", best="")]
        columns += [Column("folds", "in the folds"), Column("as_good", "as good")]
        columns.append(Column("not_worse", "indistinguishable"))
        rows: list[list[Any]] = []
        for plateau in self.plateaus:
            default = value_text(self.default.setting[plateau.name]) if self.default else None
            texts = [value_text(fold.setting[plateau.name]) for fold in self.folds]
            counts = sorted(dict.fromkeys(texts), key=lambda text: -texts.count(text))
            choices = [text if len(counts) == 1 else f"{text} ×{texts.count(text)}" for text in counts]
            chosen = ", ".join(choices) if len(choices) <= _MOST_NAMED else f"{len(choices)} different"
            ranges = plateau.range_text(plateau.near), plateau.range_text(plateau.alike)
            rows.append([plateau.name, default, value_text(plateau.best), chosen, *ranges])
        caption = (
            f"as good: within {100 * TOLERANCE:g} % of the best · indistinguishable: p ≥ {self.alpha:g}, uncorrected"
        )
        return ResultTable(columns, rows, "", caption)

    def sentences(self) -> list[str]:
        """The conclusions, one sentence each."""
        sentences = []
        if self.gain is not None:
            sentences.append(held_out_sentence("tuning", "the model as given", self.gain, self.verdict))
        optimistic = self.sign * self.gap > 0
        end = f"optimistic by {abs(self.gap):.4f}." if optimistic else "no better than the held-out value."
        sentences.append(f"The best setting has {self.best.value:.4f} on the queries that chose it, which is {end}")
        n, best = len(self.folds), setting_text(self.best.setting)
        if self.agreeing == n:
            sentences.append(f"All {n} folds choose the setting that is best on all queries: {best}.")
        else:
            different = len({tuple(sorted(fold.setting.items())) for fold in self.folds})
            sentences.append(
                f"{self.agreeing or 'None'} of {n} folds {'chooses' if self.agreeing == 1 else 'choose'} the setting "
                f"that is best on all queries, {best}; the folds choose {different} different settings."
            )
        return [*sentences, *(sentence for plateau in self.plateaus for sentence in plateau.sentences(self.search))]

    def about(self) -> list[str]:
        """The collection, the analysis, and the numbers of queries and settings."""
        numbers = counted(len(self.query_ids), "query", "queries"), counted(len(self.trials), "setting")
        return [" · ".join([self.collection, self.analyzer, *numbers])]

    def data(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""

        def per_query(trial: Trial) -> dict[str, float]:
            return dict(zip(self.query_ids, trial.per_query.tolist(), strict=True))

        data = {name: getattr(self, name) for name in ("collection", "analyzer", "model", "measure")}
        data |= {"queries": len(self.query_ids), "search": self.search, "seed": self.seed, "alpha": self.alpha}
        data |= {
            "grid": {axis.name: axis.values for axis in self.axes},
            "held_out": {"value": self.held_out.value, "per_query": per_query(self.held_out)},
            "best_setting": {"setting": self.best.setting, "value": self.best.value},
            "gap": self.gap,
            "as_given": self.default and self.default._asdict() | {"per_query": per_query(self.default)},
            "held_out_difference": self.gain and difference_data(self.gain),
            "verdict": self.verdict,
            "folds": self.folds,
            "folds_that_choose_the_best": self.agreeing,
            "parameters": [plateau.data() for plateau in self.plateaus],
            "settings": [{"setting": trial.setting, "value": trial.value} for trial in self.trials],
            "remarks": self.sentences(),
        }
        return plain(data)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return (
            f"<Tuning of {self.model} on {len(self.query_ids)} queries: {self.measure} {self.held_out.value:.4f} held "
            f"out, {self.best.value:.4f} at best>"
        )
