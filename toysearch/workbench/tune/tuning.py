"""Tuning: the setting of a model with the best value of a measure, and its value on queries not used to choose it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.analysis.analyzer_text import CHOICES
from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    ResultTable,
    TextNeeds,
    counted,
    expect,
    expect_seed,
    number_columns,
    plain,
    pool,
    table_columns,
)
from toysearch.base.platform import cores
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import SIZE, Measure, out_of_reach, parse_measures
from toysearch.evaluation.intervals import interval_name
from toysearch.evaluation.values_and_means import aggregated
from toysearch.files import QrelsLike
from toysearch.index.inverted_index import Index
from toysearch.models import Model, ModelLike, Ranker, Value, public_name, value_text
from toysearch.models.bm25 import fields_of, widened
from toysearch.retrieval.searcher import check_request
from toysearch.study.compare.significance import TestResult, finite_differences, paired_test
from toysearch.study.compare.tested_differences import difference_cells, difference_columns, difference_data
from toysearch.study.study import JudgedLike, Study, model_in, ranked_of, refuse_documents_first
from toysearch.study.system import System
from toysearch.workbench.effects import HeldOutResult
from toysearch.workbench.ranker_reads import reads_index, reads_words
from toysearch.workbench.tune.grids import (
    ANALYZER,
    Axis,
    Setting,
    axes_of,
    own_values,
    planned,
    setting_text,
    settings_of,
    size_of,
    variation,
)
from toysearch.workbench.tune.study_evaluation import study_evaluator

__all__ = ["Tuning", "tune"]

_MOST_NAMED = 4  # values that are listed; of more, only the number is given
TOLERANCE = 0.01
"""Share below the best value within which settings count as equally good."""


class Plateau(NamedTuple):
    """Axis around the best setting."""

    name: str  # the axis
    best: Value  # its value in the best setting
    # the values that are as good: within `TOLERANCE` of the best value; for numbers an unbroken range around `best`
    near: tuple[Value, ...]
    # likewise the values without a significant difference from the best: p ≥ alpha, not corrected
    alike: tuple[Value, ...]
    tried: tuple[Value, ...]  # all values tried; numbers in ascending order
    ordered: bool  # whether they are numbers
    at_end: bool  # whether the best is the first or last of several numbers, and values beyond it are allowed

    def data(self) -> dict[str, Any]:
        """Return the plateau as plain values, for JSON."""
        return {
            "name": self.name,
            "best_value": self.best,
            "as_good": self.near,
            "indistinguishable": self.alike,
            "at_end": self.at_end,
        }

    def range_text(self, values: Sequence[Value]) -> str:
        """Write values in short: the ends of a range of numbers, or the texts themselves."""
        if self.ordered and len(values) > 1:
            return f"{value_text(values[0])} to {value_text(values[-1])}"
        texts = [value_text(value) for value in values]
        return ", ".join(texts) if len(texts) <= _MOST_NAMED else f"{len(texts)} of {len(self.tried)}"

    def sentences(self) -> list[str]:
        """Describe the shape of the axis around the best setting."""
        within, values = f"within {TOLERANCE:.0%} of the best", self.range_text(self.near)
        sentences = []
        if len(self.near) == len(self.tried) > 1:
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
                f"{'lowest' if self.best == self.tried[0] else 'highest'} value tried; a better one may lie beyond it."
            )
        return sentences


def plateau(
    axis: Axis,
    best: Value,
    tried: Sequence[tuple[Value, np.ndarray]],
    value_of: Callable[[np.ndarray], float],
    alpha: float,
) -> Plateau:
    """Measure the flatness of the surface along an axis."""
    of_best = max((row for value, row in tried if value == best), key=value_of)
    least = value_of(of_best) - TOLERANCE * abs(value_of(of_best))
    near = {value for value, row in tried if value_of(row) >= least}
    alike = {best}
    for value, row in tried:
        differences = finite_differences(of_best, row)
        if not differences.size or paired_test(differences, alpha=alpha).p >= alpha:
            alike.add(value)
    values = tuple(dict.fromkeys(value for value, _ in tried))
    if axis.ordered:
        values = tuple(sorted(values, key=float))  # type: ignore[arg-type]
        as_good, not_worse = (_around(values, best, good) for good in (near, alike))
    else:
        as_good, not_worse = (tuple(value for value in values if value in good) for good in (near, alike))
    ends = (min(axis.values, key=float), max(axis.values, key=float)) if axis.ordered else ()  # type: ignore[arg-type]
    at_end = len(axis.values) > 1 and any(best == end != limit for end, limit in zip(ends, axis.limits, strict=False))
    return Plateau(axis.name, best, as_good, not_worse, values, axis.ordered, at_end)


def _around(values: tuple[Value, ...], best: Value, good: set[Value]) -> tuple[Value, ...]:
    first = last = values.index(best)
    while first > 0 and values[first - 1] in good:
        first -= 1
    while last + 1 < len(values) and values[last + 1] in good:
        last += 1
    return values[first : last + 1]


class Trial(NamedTuple):
    """Setting with its value for all queries and for each, in the order of the judgments."""

    setting: Setting
    value: float
    per_query: np.ndarray

    def __repr__(self) -> str:
        return f"<Trial {setting_text(self.setting)}: {self.value:.4f} on {len(self.per_query)} queries>"


class Fold(NamedTuple):
    """Fold: its queries, the best setting on all other queries, its value there, and its value on the fold."""

    query_ids: tuple[str, ...]
    setting: Setting
    on_rest: float
    held_out: float


@dataclass(frozen=True, repr=False)
class Tuning(HeldOutResult):
    """Result of `tune`.

    Attributes
    ----------
    collection, model, analyzer, measure : str
        The collection, the model tuned, the analysis, and the measure optimised.
    axes : tuple of Axis
        The axes that were varied.
    seed : int
        The seed of the folds.
    query_ids : tuple of str
        The judged queries; the needs, if some have several texts.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
    trials : tuple of Trial
        All settings, in order.
    best : Trial
        The best of them, chosen as in each fold; its value is the optimistic one.
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
    seed: int
    query_ids: tuple[str, ...]
    needs: TextNeeds
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
        """Return the optimistic value minus the honest one (usually negative if lower is better)."""
        return self.best.value - self.held_out.value

    @property
    def agreeing(self) -> int:
        """Count the folds that choose the best setting on all queries."""
        return sum(fold.setting == self.best.setting for fold in self.folds)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the held-out value, the optimistic one, that of the default; and the flatness along each axis."""
        columns = table_columns("system", number_columns(".4f", value=self.measure))
        rows = [
            [f"tuned, held out ({len(self.folds)} folds)", self.held_out.value],
            ["tuned, on the same queries", self.best.value],
        ]
        if self.default is not None:
            rows.append([f"as given ({self.model})", self.default.value])
        if self.default is not None and self.gain is not None:
            columns += difference_columns(interval_name(self.alpha), form)
            gap = float(np.nanmean(self.best.per_query - self.default.per_query))
            rows[0] += difference_cells(self.gain, self.gain.p, form)
            rows[1] += difference_cells(gap, 1.0, form)
            rows[2] += difference_cells(None, 1.0, form)
        return [ResultTable(columns, rows), self.axes_table()]

    def axes_table(self) -> ResultTable:
        """Return one row per parameter: its given value, the best, those of the folds, and the flatness."""
        columns = table_columns(
            "parameter",
            number_columns("", default="as given", best=""),
            Column("folds", "in the folds"),
            Column("as_good", "as good"),
            Column("not_worse", "indistinguishable"),
        )
        rows = []
        for plateau in self.plateaus:
            default = value_text(self.default.setting[plateau.name]) if self.default else None
            texts = [value_text(fold.setting[plateau.name]) for fold in self.folds]
            counts = sorted(dict.fromkeys(texts), key=lambda text: -texts.count(text))
            choices = [text if len(counts) == 1 else f"{text} ×{texts.count(text)}" for text in counts]
            chosen = ", ".join(choices) if len(choices) <= _MOST_NAMED else f"{len(choices)} different"
            ranges = plateau.range_text(plateau.near), plateau.range_text(plateau.alike)
            rows.append([plateau.name, default, value_text(plateau.best), chosen, *ranges])
        caption = f"as good: within {TOLERANCE:.0%} of the best · indistinguishable: p ≥ {self.alpha:g}, uncorrected"
        return ResultTable(columns, rows, "", caption)

    def sentences(self) -> list[str]:
        """State the conclusions, one sentence each."""
        sentences = self._held_out_sentence("tuning", "the model as given")
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
        return [*sentences, *(sentence for plateau in self.plateaus for sentence in plateau.sentences())]

    def about(self) -> list[str]:
        """Name the collection, the analysis, and the numbers of queries and settings."""
        settings = counted(len(self.trials), "setting")
        if len(self.trials) < size_of(self.axes):
            settings += ", one parameter at a time"
        return [" · ".join([self.collection, self.analyzer, self.size, settings])]

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        grid = {axis.name: axis.values for axis in self.axes}
        as_given = self.default and self.default._asdict() | {"per_query": self._by_query(self.default.per_query)}
        parameters = [plateau.data() for plateau in self.plateaus]
        trials = [{"setting": trial.setting, "value": trial.value} for trial in self.trials]
        data = {
            **self._setup("collection", "analyzer", "model", "measure"),
            "seed": self.seed,
            "alpha": self.alpha,
            "grid": grid,
            "held_out": {"value": self.held_out.value, "per_query": self._by_query(self.held_out.per_query)},
            "best_setting": {"setting": self.best.setting, "value": self.best.value},
            "gap": self.gap,
            "as_given": as_given,
            "held_out_difference": self.gain and difference_data(self.gain),
            "verdict": self.verdict,
            "folds": self.folds,
            "folds_that_choose_the_best": self.agreeing,
            "parameters": parameters,
            "settings": trials,
            "remarks": self.sentences(),
        }
        return plain(data)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return (
            f"<Tuning of {self.model} on {self.size}: {self.measure} {self.held_out.value:.4f} held "
            f"out, {self.best.value:.4f} at best>"
        )


USUAL = 5
"""Default number of folds; with fewer queries, one per query."""


def fold_numbers(n_queries: int, n_folds: int | None = None, seed: int = 0) -> np.ndarray:
    """Draw the fold of each query at random; the sizes differ by at most one."""
    # Returns (n_queries,) int64.
    if n_queries < 2:
        raise ArgumentError(
            f"cross-validation needs at least 2 judged queries; the collection has {n_queries or 'none'}"
        )
    n_folds = min(USUAL, n_queries) if n_folds is None else n_folds
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or not 2 <= n_folds <= n_queries:
        raise ArgumentError(
            f"the number of folds must be from 2 to {n_queries}, the number of judged queries, not {n_folds!r}"
        )
    fold_of = np.empty(n_queries, dtype=np.int64)
    fold_of[np.random.default_rng(seed).permutation(n_queries)] = np.arange(n_queries) % n_folds
    return fold_of


@dataclass(frozen=True)
class Objective:
    """Measure to optimise."""

    measure: Measure  # the measure

    @classmethod
    def of(cls, measure: str | Measure) -> Objective:
        """Return the objective for the name of a measure.

        >>> Objective.of("AP").worth(np.array([0.5, 0.25]))
        0.375
        """
        measures = parse_measures([measure] if isinstance(measure, Measure) else measure, SIZE)
        if len(measures) != 1:
            raise ArgumentError(f"expected exactly one measure, found {len(measures)}: {measure}")
        if measures[0].definition.better is None:
            raise ArgumentError(f"of {measures[0]} neither high nor low values are better; name a measure of quality")
        return cls(measures[0])

    def on(self, study: Study) -> tuple[Study, Objective]:
        """Return the study, read and built, and the objective on it; refuse it if no grade can reach it."""
        [measure] = study.sized([self.measure])
        if unreachable := out_of_reach(study.qrels(), [measure], study.scoring.threshold):
            raise ArgumentError(unreachable)
        return study.ready(), Objective(measure)

    def value(self, per_query: np.ndarray) -> float:
        """Return the measure over some queries, as in an evaluation; of counts the mean, as in every test."""
        usual = self.measure.definition.aggregate
        return aggregated(per_query.tolist(), "mean" if usual == "sum" else usual)

    def worth(self, per_query: np.ndarray) -> float:
        """Return the measure with a sign so that larger is better; an undefined value is the worst."""
        value = self.measure.sign * self.value(per_query)
        return -np.inf if np.isnan(value) else value

    def check(self, per_query: np.ndarray) -> None:
        """Refuse values with an infinite mean, which no setting can improve."""
        infinite = int(np.isinf(per_query).sum())
        if np.isinf(self.value(per_query)):
            raise DataError(
                f"{self.measure} is infinite for {infinite} of {counted(len(per_query), 'query', 'queries')}, and so "
                "is its mean: there is nothing to improve; name a measure that is finite for every query, such as RR"
            )

    def gain(self, after: np.ndarray, before: np.ndarray, alpha: float) -> TestResult | None:
        """Test after − before in pairs; None for a measure that is not a mean."""
        if self.measure.definition.aggregate == "gm":
            return None
        return paired_test(finite_differences(after, before), alpha=alpha)


_AT_ONCE = 256  # settings queued at once


class Trials:
    """Values of each query by setting."""

    def __init__(
        self,
        study: Study,
        model: Model | Ranker,
        axes: Sequence[Axis],
        objective: Objective,
        *,
        threads: int | None = None,
        tell: Callable[[Setting, np.ndarray], None] | None = None,
    ) -> None:
        check_request(None, threads=threads)
        self._study, self._model, self._axes, self._objective = study, model, axes, objective
        self.given, self._tell = own_values(axes, model, study.analyzer()), tell
        self._threads = threads or cores()
        self._last = study  # of the analysis whose index is kept
        self._known: dict[frozenset[tuple[str, Value]], np.ndarray] = {}

    def values(self, settings: Iterable[Setting]) -> list[np.ndarray]:
        """Return the values of settings, each of shape (queries,), in the order of the judgments."""
        settings = list(settings)
        keys = [frozenset(setting.items()) for setting in settings]
        missing = {key: setting for key, setting in zip(keys, settings, strict=True) if key not in self._known}
        systems = [
            (setting, *variation(self._axes, setting).apply(self._study, self._model)) for setting in missing.values()
        ]
        for _, group in groupby(systems, lambda system: system[1].analyzer()):
            of_analyzer = list(group)
            computed = self._computed(of_analyzer[0][1], [model for _, _, model in of_analyzer])
            for (setting, _, _), values in zip(of_analyzer, computed, strict=True):
                self._known[frozenset(setting.items())] = values
                if self._tell is not None:
                    self._tell(setting, values)
        return [self._known[key] for key in keys]

    def _computed(self, study: Study, models: list[Model | Ranker]) -> Iterator[np.ndarray]:
        if study.analyzer() != self._last.analyzer():
            self._last = study
        evaluator = study_evaluator(self._last, [self._objective.measure])
        yield evaluator.values(models[0])  # alone, so that the evaluator prepares shared data only once
        if self._threads == 1:
            yield from map(evaluator.values, models[1:])
            return
        waiting = iter(models[1:])
        beside = pool(self._threads)
        try:
            while batch := list(islice(waiting, _AT_ONCE)):
                yield from beside.map(evaluator.values, batch)
        finally:
            beside.shutdown()

    def trial(self, setting: Setting) -> Trial:
        """Return a setting with its values."""
        row = self.values([setting])[0]
        return Trial(setting, self._objective.value(row), row)

    def best(self, settings: list[Setting], queries: np.ndarray) -> Setting:
        """Return the setting that is best on some queries; of equal ones the first that changes the fewest values."""
        worth = [self._objective.worth(row[queries]) for row in self.values(settings)]
        kept = [len(setting.items() & self.given.items()) for setting in settings]
        order = [*zip(worth, kept, strict=True)]
        return settings[order.index(max(order))]


def tune(
    model: ModelLike | System,
    collection: JudgedLike,
    grid: Mapping[str, Any] | None = None,
    measure: str | Measure = "AP",
    *,
    folds: int | None = None,
    seed: int = 0,
    k: int | None = 1000,
    threshold: float | None = None,
    analyzer: AnalyzerLike | None = None,
    index: Index | None = None,
    default: bool = True,
    alpha: float = 0.05,
    threads: int | None = None,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    progress: Callable[[int, int, str], object] | None = None,
) -> Tuning:
    """Find the best parameters of a model, and their held-out value.

    Every setting of the grid is evaluated on the collection. The queries are split into folds; the setting that is best
    on all folds but one is evaluated on the remaining fold. These held-out values are unbiased, whereas the best value
    on the queries that chose it is optimistic. Of settings with equal values
    that is taken which changes the fewest values of the model as given: itself, if it is among them.

    Parameters
    ----------
    model : str, function, Model, Ranker or System
        The model to tune, as `Searcher` takes it, or a system, whose analysis applies. Its parameters as given are the
        default to beat.
    collection : Collection, Index, Searcher, name or path
        Documents with judged queries. An index of a named collection has those of the collection; for any other, give
        `queries` and `qrels`.
    grid : mapping of str to str, iterable or None
        Name → values: ``"0.2:3:0.2"`` (low, high, step), ``"0.2:3"``, ``"0.5,1,2"``, the values themselves, or None for
        the declared range of the model. Without a grid, a few values of each parameter that declares a range, and its
        given value: all their combinations, or one parameter at a time if there are more than 60. Names are parameters
        of the model and choices of the analysis: analyzer (whole ones, ``"plain,english:stem=porter"``), language,
        tokens, stop, stem, html, fold_accents, cjk, numbers, min_length, max_length, ngrams, char_ngrams; an index is
        built for each combination of these. For `bm25f` every searched field of the collection is a parameter
        (``brand``, ``b_brand``); one that the model does not name has the weight 0 by default.
    measure : str or Measure, default "AP"
        The measure to optimise.
    folds : int, optional
        The number of folds; by default 5, or the number of judged queries if smaller.
    seed : int, default 0
        The seed of the folds.
    k : int or None, default 1000
        The maximum number of documents retrieved per query.
    threshold : float, optional
        The lowest grade of a relevant document; by default the threshold of the collection.
    analyzer : Analyzer, str or function, optional
        By default that of the collection's language.
    index : Index, optional
        An index of the collection to use instead of building one; its analyzer applies.
    default : bool, default True
        Whether to compare with the model as given.
    alpha : float, default 0.05
        The level of the test and of the intervals.
    threads : int, optional
        The number of threads that evaluate settings; by default one per core. The result does not depend on it.
    queries, qrels : optional
        Other queries and judgments, as `read_queries` and `evaluate` take them.
    progress : callable, optional
        Called after each setting with the number of settings evaluated, their total, and the best
        so far in words.

    Returns
    -------
    Tuning

    Raises
    ------
    ArgumentError
        If a name, a value or the measure is unknown or out of range, there is nothing to try, or there are fewer
        judged queries than folds.
    ModelError
        If the model breaks its contract.

    References
    ----------
    Varma & Simon, "Bias in error estimation when using cross-validation for model selection", BMC Bioinformatics 7:91,
    2006: the best value of a search is not an unbiased estimate.

    Examples
    --------
    >>> found = tune("bm25", "cat-dog-parrot", {"k1": [0.5, 1.2], "b": "0:1:0.25"}, "nDCG")
    >>> found
    <Tuning of bm25 on 3 queries: nDCG 1.0000 held out, 1.0000 at best>
    """
    expect_seed(seed)
    expect(Mapping, grid={} if grid is None else grid)
    refuse_documents_first(model, [collection], "tune('bm25', collection, grid)")
    ranked, objective = ranked_of(model), Objective.of(measure)
    base = model_in(ranked)
    paired_test([0.0], alpha=alpha)  # refuses an invalid alpha before the work
    if index is not None:
        expect(Index, index=index)
    study = (
        Study.of(collection, queries, qrels)
        .with_index(index, analyzer)
        .of_system(ranked)
        .with_models([base])
        .with_scoring(k=k, threshold=threshold)
    )
    study, objective = objective.on(study)
    judgments, analyzer = study.qrels(), study.analyzer()
    query_ids = tuple(judgments.need_ids)
    names = {*map(public_name, base.parameters), ANALYZER, *CHOICES}
    if any(not {name, name.replace("-", "_")} & names for name in grid or {}):
        single, fields = base.single, study.index().fields.names
        if single is not None and fields_of(single) and fields:  # BM25F over some fields becomes one over all
            base = widened(single, fields)
    axes = axes_of(grid or {}, base, analyzer)
    _refuse_choices(study, [axis.name for axis in axes if axis.of_analysis])
    settings = settings_of(axes) if grid else planned(axes, own_values(axes, base, analyzer), base)
    fold_of = fold_numbers(len(query_ids), folds, seed)
    tell = None if progress is None else _told(objective, len(settings) + default, progress)
    trials = Trials(study, base, axes, objective, threads=threads, tell=tell)
    default_trial = trials.trial({})._replace(setting=trials.given) if default else None
    best = trials.trial(trials.best(settings, np.full(len(fold_of), True)))
    objective.check(best.per_query)
    rows, fold_choices = _held_out(trials, objective, settings, fold_of, query_ids)
    plateaus = []
    others = best.setting if len(settings) == size_of(axes) else trials.given
    for axis in axes:
        along = trials.values({**others, axis.name: value} for value in axis.values)
        values = list(zip(axis.values, along, strict=True))
        plateaus.append(plateau(axis, best.setting[axis.name], values, objective.worth, alpha))
    return Tuning(
        collection=study.judged().name,
        model=str(base),
        analyzer=str(analyzer),
        measure=str(objective.measure),
        axes=axes,
        seed=seed,
        query_ids=query_ids,
        needs=judgments.needs.among(judgments.query_ids),
        trials=tuple(map(trials.trial, settings)),
        best=best,
        default=default_trial,
        folds=tuple(fold_choices),
        held_out=Trial({}, objective.value(rows), rows),
        gain=objective.gain(rows, default_trial.per_query, alpha) if default_trial else None,
        plateaus=tuple(plateaus),
        alpha=alpha,
        sign=objective.measure.sign,
    )


def _held_out(
    trials: Trials, objective: Objective, settings: list[Setting], fold_of: np.ndarray, query_ids: Sequence[str]
) -> tuple[np.ndarray, list[Fold]]:
    """Return the value of each query under the setting that is best outside its fold, and the folds."""
    rows, fold_choices = np.empty(len(fold_of)), []
    for fold in range(int(fold_of.max()) + 1):
        inside = fold_of == fold
        best = trials.best(settings, ~inside)
        [values] = trials.values([best])
        rows[inside] = values[inside]
        names = tuple(query_ids[place] for place in np.flatnonzero(inside).tolist())
        on_rest, held_out = (objective.value(values[queries]) for queries in (~inside, inside))
        fold_choices.append(Fold(names, best, on_rest, held_out))
    return rows, fold_choices


def _told(
    objective: Objective, total: int, progress: Callable[[int, int, str], object]
) -> Callable[[Setting, np.ndarray], None]:
    """Tell of each setting how many are done, and the best so far."""
    done, best, highest = 0, "", -float("inf")

    def tell(setting: Setting, row: np.ndarray) -> None:
        nonlocal done, best, highest
        done += 1
        worth = objective.worth(row)
        if not best or worth > highest:
            best = f"{objective.measure} {objective.value(row):.4f} at {setting_text(setting) or 'default'}"
            highest = worth
        progress(done, total, best)

    return tell


def _refuse_choices(study: Study, choices: list[str]) -> None:
    """Refuse choices of the analysis if the index was given, which stores its own, or if no ranker reads it."""
    if not (names := " and ".join(choices)):
        return
    if study.opened() is not None:
        raise ArgumentError(
            f"an index stores its own analysis: {names} cannot be varied on it; name the collection instead of the "
            "index"
        )
    for model in map(model_in, study.models):
        reads = reads_words(model) and choices != ["stem"]
        if not reads and not reads_index(model):
            raise ArgumentError(f"{names} cannot be varied for {model}, which does not read the terms of the index")
