"""Bounds of a measure over all grades that the unjudged documents could have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from toysearch.base import ArgumentError, Column, Result, ResultTable, expect_finite, number_columns, ordered, records
from toysearch.evaluation import JoinedRun, Measure, join, parse_measures, top_of_scale
from toysearch.evaluation.evaluate import Evaluation, evaluate, remapped
from toysearch.evaluation.given_judgments import judgments_of
from toysearch.evaluation.values_and_means import over_needs
from toysearch.files import QrelsLike, RunLike, as_run

__all__ = ["UnjudgedBounds", "unjudged_bounds"]

RISING = ("P", "Success", "RR", "CG", "DCG", "ERR", "RBP")
"""Measures that depend on retrieved documents only, and never fall if the grade of one rises."""

BOUNDED = ("AP", *RISING)
"""Measures that have bounds over the unjudged documents."""


@dataclass(frozen=True)
class UnjudgedBounds(Result):
    """Lowest and highest value of measures over all possible grades of the unjudged documents.

    Attributes
    ----------
    per_query : dict of str to dict of str to (float, float)
        Query_id → measure's text form → lowest and highest value.
    means : dict of str to (float, float)
        Measure's text form → lowest and highest mean.
    evaluation : Evaluation
        The values if every unjudged document is not relevant.
    """

    per_query: dict[str, dict[str, tuple[float, float]]]
    means: dict[str, tuple[float, float]]
    evaluation: Evaluation

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show the lowest value, that with unjudged documents not relevant, and the highest: per query and of all."""
        values = self.evaluation
        means = [(name, "all", low, values[name], high) for name, (low, high) in self.means.items()]
        rows = [
            (name, query_id, low, values.per_query[query_id][name], high)
            for query_id, row in self.per_query.items()
            for name, (low, high) in row.items()
        ]
        numbers = number_columns(".4f", "lowest", "value", "highest")
        both = means + rows if form in ("html", "frame") else rows + means  # a notebook shows only the beginning
        return [ResultTable([Column("measure"), Column("query_id", "query"), *numbers], both)]

    def data(self) -> list[dict[str, object]]:
        """Return the rows of the table."""
        return records(self.tables()[0])


def unjudged_bounds(
    run: RunLike,
    qrels: QrelsLike,
    measures: str | Iterable[object] = ("AP", "P@10"),
    *,
    max_rel: float | None = None,
    threshold: float | None = None,
    ties: str | None = None,
    only_retrieved: bool = False,
    gains: Mapping[float, float] | None = None,
) -> UnjudgedBounds:
    """Bound each measure over all possible grades of the unjudged documents: the lowest and the highest value.

    Each retrieved document without a judgment may have any grade from 0 to the top of the scale, and both bounds are
    reached. A document that was not retrieved keeps its grade, and is not relevant if it has none; this matters only
    for AP. A document of a negative grade is judged: it is not relevant.

    Parameters
    ----------
    run, qrels
        As for `evaluate`.
    measures : str or iterable, default ("AP", "P@10")
        Among AP, P, Success, RR, CG, DCG, ERR and RBP.
    max_rel : float, optional
        The top of the scale; by default a measure's own ``max_rel``, or the highest grade of the judgments or the
        threshold, whichever is higher.
    threshold, ties, only_retrieved, gains
        As for `evaluate`, where `ties` has to be an order. A query for which nothing is relevant counts as 0.

    Returns
    -------
    UnjudgedBounds

    Raises
    ------
    ArgumentError
        If a measure or an option is unknown, a measure has no such bounds, or a grade is above `max_rel`.
    DataError
        As for `evaluate`.

    Examples
    --------
    The second of three documents is unjudged. It gives P@2 1 if it is relevant; AP is then (1/1 + 2/2) / 3:

    >>> found = unjudged_bounds({"1": ["a", "x", "b"]}, {"1": {"a": 1, "b": 0, "c": 1}}, "P@2 AP")
    >>> found.per_query["1"]
    {'P@2': (0.5, 1.0), 'AP': (0.5, 0.6666666666666666)}
    """
    expect_finite(max_rel, "max_rel")
    parsed = parse_measures(measures)
    run, (qrels, usual) = as_run(run), judgments_of(qrels)
    threshold = usual if threshold is None and gains is None else threshold
    if gains is not None:
        qrels = remapped(qrels, gains)
    # This checks the arguments, and tells which queries count and which grades are relevant.
    evaluation = evaluate(run, qrels, parsed, threshold=threshold, ties=ties, only_retrieved=only_retrieved)
    judged = join(ordered(run, evaluation.ties)[0], qrels, evaluation.threshold)
    by_measure = {measure.text: np.stack(bounds(measure, judged, max_rel), axis=1) for measure in parsed}
    rows = {query_id: row for row, query_id in enumerate(judged.query_ids) if query_id in evaluation.per_query}
    per_query = {
        query_id: {name: _pair(pair[row]) for name, pair in by_measure.items()} for query_id, row in rows.items()
    }
    means = {}
    for name, pair in by_measure.items():
        _, of_needs = over_needs([*rows], pair[[*rows.values()]], qrels.needs)
        means[name] = _pair(of_needs.mean(axis=0))
    return UnjudgedBounds(per_query, means, evaluation)


def bounds(measure: Measure, judged: JoinedRun, max_rel: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Bound a measure for each query over the grades of the unjudged documents: the lowest and the highest value."""
    # Returns (n_queries,) float64.
    parameters = dict(measure.parameters)
    if measure.name not in BOUNDED or {"judged_only", "gains"} & parameters.keys():
        raise ArgumentError(
            f"{measure} has no bounds over the unjudged documents; {', '.join(BOUNDED)} have, without judged_only "
            "and gains"
        )
    scale = _number(measure, "max_rel")
    if scale is not None and max_rel not in (None, scale):
        raise ArgumentError(f"{measure}: its scale ends at {scale:g}, that of the unjudged documents at {max_rel:g}")
    end = max_rel if scale is None else scale
    top = max(judged.top, judged.threshold) if end is None else top_of_scale(judged, end, "bounds")
    judged = replace(judged, top=top)
    # The grade at each rank, one row per query, NaN beyond its end; and a mark on each unjudged rank.
    within = np.arange(int(judged.retrieved.max(initial=0))) < judged.retrieved[:, np.newaxis]
    grades, unjudged = np.where(within, -1.0, np.nan), within.copy()
    rows, columns = np.nonzero(np.isfinite(judged.ranks))
    places = rows, judged.ranks[rows, columns].astype(np.int64) - 1
    grades[places], unjudged[places] = judged.grades[rows, columns], False
    if measure.name == "AP":
        # Moving a relevant document up never lowers the precisions, and their number is m either way. So only the
        # values of m are tried.
        rel_given = _number(measure, "rel")
        rel = judged.threshold if rel_given is None else rel_given
        relevant = (grades >= rel) & (grades > 0)
        if judged.top < rel or judged.top <= 0:
            unjudged = np.zeros_like(unjudged)  # none of them can be relevant
        cutoff = math.inf if measure.cutoff is None else measure.cutoff
        pairs = [
            _extremes(*row, cutoff) for row in zip(relevant, unjudged, judged.n_relevant(rel).tolist(), strict=True)
        ]
        lows, highs = zip(*pairs, strict=True)
        return np.array(lows), np.array(highs)
    # All retrieved unjudged documents have the top grade of the scale.
    ranks = np.where(np.isfinite(grades), np.arange(1.0, grades.shape[1] + 1), np.inf)
    tops = np.where(unjudged, judged.top, np.nan)
    ideal = -np.sort(-np.concatenate([judged.ideal, tops], axis=1), axis=1)
    best = replace(judged, ranks=ranks, grades=np.where(unjudged, judged.top, grades), ideal=ideal)
    return _values(measure, judged), _values(measure, best)


def _number(measure: Measure, name: str) -> float | None:
    value = dict(measure.parameters).get(name)
    return float(value) if isinstance(value, float | int) else None


def _values(measure: Measure, judged: JoinedRun) -> np.ndarray:
    values = measure.values(judged)
    return np.where(np.isnan(values), 0.0, values)


def _pair(values: np.ndarray) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _extremes(relevant: np.ndarray, unjudged: np.ndarray, n_relevant: int, cutoff: float) -> tuple[float, float]:
    # A further relevant document at rank r adds its own precision, (1 + those above it) / r, and 1/i to that of each
    # one at a rank i below it.
    ranks = np.arange(1.0, relevant.size + 1)
    reciprocals = np.where(ranks <= cutoff, 1 / ranks, 0)
    known_above = relevant.cumsum()
    below = (reciprocals * relevant)[::-1].cumsum()[::-1]  # 1/i of the known ones below
    as_it_is = float((reciprocals * relevant * known_above).sum())
    places = np.flatnonzero(unjudged)
    alone = reciprocals[places] * (known_above[places] + 1) + below[places]
    # Added from the top down, each has the earlier ones above it; from the bottom up, below it.
    downward = alone + reciprocals[places] * np.arange(places.size)
    upward = (alone + reciprocals[places][::-1].cumsum()[::-1] - reciprocals[places])[::-1]
    of_how_many = np.maximum(n_relevant + np.arange(places.size + 1), 1)
    first, last = (as_it_is + np.concatenate([[0.0], added.cumsum()]) for added in (downward, upward))
    return float((last / of_how_many).min()), float((first / of_how_many).max())
