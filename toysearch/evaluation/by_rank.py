"""What stands at each rank: relevant documents, judged ones that are not, unjudged ones, or none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.evaluation.judged import Judged, blocks, join
from toysearch.evaluation.order import rows_in_order
from toysearch.records import Qrels, Run


class ByRank(NamedTuple):
    """For ranks 1, 2, …: for how many of the judged queries the document there is of a kind."""

    # relevant, not_relevant, unjudged, nothing: (depth,) int64; Of the grade that is relevant; judged, and not; without
    # a judgment (a negative grade is none, as in trec_eval's Judged); and no document, as fewer were retrieved. They
    # add up to the number of judged queries
    relevant: np.ndarray
    not_relevant: np.ndarray
    unjudged: np.ndarray
    nothing: np.ndarray


def by_rank(run: Run, qrels: Qrels, threshold: float = 1.0, depth: int = 20, ties: str | None = None) -> ByRank:
    """What stands at each of the first ranks."""
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
