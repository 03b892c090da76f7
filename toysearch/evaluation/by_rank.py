"""What stands at each rank: relevant documents, judged ones that are not, unjudged ones, or none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.evaluation.judged import Judged, blocks, join
from toysearch.evaluation.order import rows_in_order
from toysearch.records import Qrels, Run


class ByRank(NamedTuple):
    """For ranks 1, 2, …: for how many of the judged queries the document there is of a kind.

    Attributes
    ----------
    relevant, not_relevant, unjudged, nothing : ndarray of int64, shape (depth,)
        Of the grade that is relevant; judged, and not; without a judgment (a negative grade is none, as in trec_eval's
        Judged); and no document, as fewer were retrieved. They add up to the number of judged queries.
    """

    relevant: np.ndarray
    not_relevant: np.ndarray
    unjudged: np.ndarray
    nothing: np.ndarray


def by_rank(run: Run, qrels: Qrels, threshold: float = 1.0, depth: int = 20, ties: str | None = None) -> ByRank:
    """What stands at each of the first ranks.

    Parameters
    ----------
    run : Run
        The rankings.
    qrels : Qrels
        The judgments; a judged query that the run lacks has nothing at any rank.
    threshold : float, default 1
        The grade from which on a document is relevant; one of 0 or less never is.
    depth : int, default 20
        The last rank.
    ties : str, optional
        As of `evaluate`.

    Raises
    ------
    ArgumentError
        If the depth is below 1, or the rule for ties unknown.

    Examples
    --------
    >>> run = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1}, "2": {"b": 1}})
    >>> found = by_rank(run, Qrels.from_dict({"1": {"a": 1, "c": 0}, "2": {"a": 1}}), depth=3)
    >>> for kind, counts in found._asdict().items():
    ...     print(kind, counts.tolist())
    relevant [1, 0, 0]
    not_relevant [0, 0, 1]
    unjudged [1, 1, 0]
    nothing [0, 1, 1]
    """
    if depth < 1:
        raise ArgumentError(f"depth={depth}: the last rank is 1 at least")
    order, _ = rows_in_order(run, ties)
    relevant, judged, retrieved = (np.zeros(depth, dtype=np.int64) for _ in range(3))
    for queries in blocks(qrels):
        joined = join(run, qrels, threshold, order, queries)
        relevant += _at_ranks(joined, joined.hits(), depth)
        judged += _at_ranks(joined, joined.grades >= 0, depth)
        retrieved += (joined.retrieved[:, np.newaxis] > np.arange(depth)).sum(axis=0)
    return ByRank(relevant, judged - relevant, retrieved - judged, len(qrels.query_ids) - retrieved)


def _at_ranks(joined: Judged, chosen: np.ndarray, depth: int) -> np.ndarray:
    """How many of the chosen documents stand at each rank."""
    ranks = joined.ranks[chosen & (joined.ranks <= depth)].astype(np.int64)
    return np.bincount(ranks - 1, minlength=depth)[:depth]
