"""Values of a measure at rising cutoffs: precision against recall, or recall against rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, Result, ResultTable, number_columns
from toysearch.evaluation import mean_measures
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.values_and_means import aggregated
from toysearch.files import QrelsLike, RunLike

__all__ = ["Curve", "curve"]

_MOST = 10_000
"""Largest number of points, each of which is a measure."""


@dataclass(frozen=True)
class Curve(Result):
    """Values of a measure at rising cutoffs.

    Attributes
    ----------
    measure : str
        The measure without its cutoff.
    at : ndarray of float64, shape (n_points,)
        Levels of recall, or ranks.
    per_query : dict of str to ndarray of float64, shape (n_points,)
        Query_id → values; NaN where undefined.
    mean : ndarray of float64, shape (n_points,)
        The mean over the queries, without NaN; of needs with several texts, over the needs.
    kind : {"queries", "needs"}
        What a mean counts once.
    """

    measure: str
    at: np.ndarray
    per_query: dict[str, np.ndarray]
    mean: np.ndarray
    kind: str = "queries"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the points in a table."""
        return [ResultTable([*number_columns("g", "at"), *number_columns(".4f", self.measure)], self.points)]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Pairs of cutoff and mean."""
        return list(zip(self.at.tolist(), self.mean.tolist(), strict=True))


def curve(
    run: RunLike,
    qrels: QrelsLike,
    measure: str = "IPrec",
    *,
    points: int | None = None,
    depth: int | None = None,
    **rules: Any,
) -> Curve:
    """Compute the values of a measure at rising cutoffs.

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
    [first] = mean_measures(f"{measure}@1")
    at: list[float]
    if first.definition.cutoff == "recall":
        number, other, idle = 11 if points is None else points, "depth", depth
        if not 2 <= number <= _MOST:
            raise ArgumentError(f"points={number}: expected 2 to {_MOST:,} points, such as 11 or 101")
        at = [level / (number - 1) for level in range(number)]
    else:
        last, other, idle = 100 if depth is None else depth, "points", points
        if not 1 <= last <= _MOST:
            raise ArgumentError(f"depth={last}: expected a last rank from 1 to {_MOST:,}, such as depth=100")
        at = [*range(1, last + 1)]
    if idle is not None:
        raise ArgumentError(f"a curve of {measure} takes no {other}")
    measures = [replace(first, cutoff=cutoff) for cutoff in at]
    names = [str(one) for one in measures]
    evaluation = evaluate(run=run, qrels=qrels, measures=measures, **rules)
    per_query = {query_id: np.array([row[name] for name in names]) for query_id, row in evaluation.per_query.items()}
    mean = [aggregated([row[name] for row in evaluation.by_need.values()], "mean") for name in names]
    text = str(replace(first, cutoff=None))
    return Curve(text, np.array(at, np.float64), per_query, np.array(mean), evaluation.needs.kind[1])
