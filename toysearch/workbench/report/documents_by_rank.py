"""How many of the documents at each rank are relevant, not relevant or unjudged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Qrels, Run, count_each
from toysearch.base.run_order import order_of
from toysearch.evaluation.joined_run import JoinedRun, blocks, join

_WHOLE = 9  # digits to which sums of parts of needs are exact


class ByRank(NamedTuple):
    """For each rank and each kind of document, number of judged queries with such a document at that rank."""

    # relevant, not_relevant, unjudged, nothing: (depth,) int64. At each rank, they add up to the number of judged
    # queries. With complete judgments, a document without one is not relevant. `nothing` counts queries for which fewer
    # documents were retrieved. Of a need with n texts, each counts 1 / n, as float64.
    relevant: np.ndarray
    not_relevant: np.ndarray
    unjudged: np.ndarray
    nothing: np.ndarray


def by_rank(run: Run, qrels: Qrels, threshold: float = 1.0, depth: int = 20, ties: str | None = None) -> ByRank:
    """Count the kinds of documents at each of the first ranks."""
    if depth < 1:
        raise ArgumentError(f"depth={depth}: expected a last rank of at least 1")
    order = order_of(run, ties)
    weights, kind = np.array([*qrels.needs.weights(qrels.query_ids).values()]), np.float64 if qrels.needs else np.int64
    relevant, judged, retrieved = np.zeros((3, depth))
    for queries in blocks(qrels):
        joined, of_queries = join(run, qrels, threshold, order, queries), weights[queries]
        relevant += _at_ranks(joined, joined.hits(), depth, of_queries)
        judged += _at_ranks(joined, np.isfinite(joined.ranks), depth, of_queries)
        retrieved += of_queries @ (joined.retrieved[:, np.newaxis] > np.arange(depth))
    judged = retrieved if qrels.complete else judged
    counts = (relevant, judged - relevant, retrieved - judged, weights.sum() - retrieved)
    return ByRank(*(of_kind.round(_WHOLE).astype(kind) for of_kind in counts))


def _at_ranks(joined: JoinedRun, chosen: np.ndarray, depth: int, weights: np.ndarray) -> np.ndarray:
    rows, columns = np.nonzero(chosen & (joined.ranks <= depth))
    ranks = joined.ranks[rows, columns].astype(np.int64)
    return count_each(ranks - 1, weights[rows], minlength=depth)[:depth]
