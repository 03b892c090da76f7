"""Pool of documents that are re-ranked, and the others below them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base import Explanation
from toysearch.base.explanation import DIFFERENCE
from toysearch.models import Array
from toysearch.retrieval.scoring import Ranked


class Pooled(NamedTuple):
    """Documents of a query: those to re-rank, and those that follow in their old order."""

    docs: np.ndarray  # by rising number
    rest: np.ndarray  # best first: the other documents that the first model of the pool ranks


def scores_of(docs: np.ndarray, ranked: np.ndarray, scores: Array) -> Array:
    """Score documents under a model; one that it does not rank has its lowest score, or 0 if that is lower.

    >>> scores_of(np.array([1, 4, 5]), np.array([1, 2, 5]), np.array([3.0, 2.0, 1.0]))
    array([3., 0., 1.])
    """
    places = np.minimum(np.searchsorted(ranked, docs), max(len(ranked) - 1, 0))
    if not len(ranked):
        return np.zeros(len(docs))
    return np.where(ranked[places] == docs, scores[places], min(0.0, float(scores.min())))


def below_pool(pooled: Pooled, scores: Array, number: int, score: float) -> Explanation:
    """Explain the score of a document outside the pool: it is ranked below the lowest document of the pool."""
    below = int(np.flatnonzero(pooled.rest == number)[0]) + 1
    lowest = float(scores.min()) if len(scores) else 0.0
    ends = Explanation("lowest of the pool", lowest), Explanation("places below it", below)
    return Explanation("", score, DIFFERENCE, {}, ends, "base")


def with_rest(pooled: Pooled, scores: Array) -> Ranked:
    """Return the documents of a pool with their scores and the rest below them in the old order, by rising number.

    >>> with_rest(Pooled(np.array([2, 5]), np.array([7, 1])), np.array([0.5, 0.75]))
    (array([1, 2, 5, 7]), array([-1.5 ,  0.5 ,  0.75, -0.5 ]))
    """
    floor = float(scores.min()) if len(scores) else 0.0
    docs = np.concatenate([pooled.docs, pooled.rest])
    values = np.concatenate([scores, floor - np.arange(1.0, len(pooled.rest) + 1)])
    order = np.argsort(docs, kind="stable")
    return docs[order], values[order]
