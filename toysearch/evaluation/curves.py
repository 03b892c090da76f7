"""The data behind curves: the values of a measure at rising cutoffs, and the kinds of documents at each rank."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Qrels, ResultTable, Run, count_each, number_columns, result_tables
from toysearch.base.run_and_qrels import order_of
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.joined_run import JoinedRun, blocks, join
from toysearch.evaluation.measures.measure import Measure
from toysearch.evaluation.result import aggregated
from toysearch.formats.runs_and_judgments import QrelsLike, RunLike, either_order

__all__ = ["Curve", "curve"]


class Curve(NamedTuple):
    """The values of a measure at rising cutoffs.

    Attributes
    ----------
    measure : str
        The measure without its cutoff.
    at : ndarray of float64, shape (n_points,)
        Levels of recall, or ranks.
    per_query : dict of str to ndarray of float64, shape (n_points,)
        Query_id → values; NaN where undefined.
    mean : ndarray of float64, shape (n_points,)
        The mean over the queries, without NaN.
    """

    measure: str
    at: np.ndarray
    per_query: dict[str, np.ndarray]
    mean: np.ndarray

    def _repr_html_(self) -> str:
        return result_tables.html(self)

    def frame(self, library: str | None = None) -> Any:
        """Its rows as a data frame, of pandas or else of polars."""
        return result_tables.frame(self, library)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The points."""
        return [ResultTable([*number_columns("g", "at"), *number_columns(".4f", self.measure)], self.points)]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Pairs of cutoff and mean."""
        return list(zip(self.at.tolist(), self.mean.tolist(), strict=True))


@either_order(2)
def curve(
    run: RunLike,
    qrels: QrelsLike,
    measure: str = "IPrec",
    *,
    points: int | None = None,
    depth: int | None = None,
    **rules: Any,
) -> Curve:
    """The values of a measure at rising cutoffs.

    Parameters
    ----------
    run, qrels
        As in `evaluate`.
    measure : str, default "IPrec"
        A measure that takes a cutoff, without one. "IPrec" gives the interpolated precision-recall curve, "R" recall
        against rank, "DCG" the gain that a reader has had down to each rank.
    points : int, optional
        For "IPrec": how many levels of recall from 0 to 1, evenly spread; 11 by default, often 101.
    depth : int, optional
        For all others: the last rank; 100 by default.
    **rules
        Other arguments of `evaluate`: threshold, ties, only_retrieved, undefined, …

    Returns
    -------
    Curve

    Raises
    ------
    ArgumentError
        If the measure takes no cutoff, the number of points or ranks is too small, or the measure does not take it.

    Examples
    --------
    Relevant at ranks 1 and 4, of two:

    >>> run, qrels = {"1": ["a", "x", "y", "b"]}, {"1": {"a": 1, "b": 1}}
    >>> curve(run, qrels, points=5).points
    [(0.0, 1.0), (0.25, 1.0), (0.5, 1.0), (0.75, 0.5), (1.0, 0.5)]
    >>> curve(run, qrels, "R", depth=4).mean
    array([0.5, 0.5, 0.5, 1. ])
    """
    first = Measure.parse(f"{measure}@1")
    at: list[float]
    if first.definition.cutoff == "recall":
        number, other, idle = 11 if points is None else points, "depth", depth
        if number < 2:
            raise ArgumentError(f"points={number}: expected at least 2 points, such as 11 or 101")
        at = [level / (number - 1) for level in range(number)]
    else:
        last, other, idle = 100 if depth is None else depth, "points", points
        if last < 1:
            raise ArgumentError(f"depth={last}: expected a last rank of at least 1, such as depth=100")
        at = [*range(1, last + 1)]
    if idle is not None:
        raise ArgumentError(f"a curve of {measure} takes no {other}")
    measures = [dataclasses.replace(first, cutoff=cutoff) for cutoff in at]
    names = [str(one) for one in measures]
    rows = evaluate(run=run, qrels=qrels, measures=measures, **rules).per_query
    per_query = {query_id: np.array([row[name] for name in names]) for query_id, row in rows.items()}
    mean = [aggregated([row[name] for row in rows.values()], "mean") for name in names]
    text = str(dataclasses.replace(first, cutoff=None))
    return Curve(text, np.array(at, dtype=np.float64), per_query, np.array(mean))


class ByRank(NamedTuple):
    """For each rank and each kind of document, the number of judged queries with such a document at that rank."""

    # relevant, not_relevant, unjudged, nothing: (depth,) int64. At each rank, they add up to the number of judged
    # queries. A document with a negative grade is unjudged, as in Judged of trec_eval; with complete judgments, all
    # others are not relevant. `nothing` counts queries for which fewer documents were retrieved.
    relevant: np.ndarray
    not_relevant: np.ndarray
    unjudged: np.ndarray
    nothing: np.ndarray


def by_rank(run: Run, qrels: Qrels, threshold: float = 1.0, depth: int = 20, ties: str | None = None) -> ByRank:
    """The kinds of documents at each of the first ranks."""
    if depth < 1:
        raise ArgumentError(f"depth={depth}: expected a last rank of at least 1")
    order = order_of(run, ties)
    relevant, judged, retrieved = (np.zeros(depth, dtype=np.int64) for _ in range(3))
    for queries in blocks(qrels):
        joined = join(run, qrels, threshold, order, queries)
        relevant += _at_ranks(joined, joined.hits(), depth)
        judged += _at_ranks(joined, joined.grades >= 0, depth)
        retrieved += (joined.retrieved[:, np.newaxis] > np.arange(depth)).sum(axis=0)
    judged = retrieved if qrels.complete else judged
    return ByRank(relevant, judged - relevant, retrieved - judged, len(qrels.query_ids) - retrieved)


def _at_ranks(joined: JoinedRun, chosen: np.ndarray, depth: int) -> np.ndarray:
    """The number of chosen documents at each rank."""
    ranks = joined.ranks[chosen & (joined.ranks <= depth)].astype(np.int64)
    return count_each(ranks - 1, minlength=depth)[:depth]
