"""A learned ranker over an index: the pool of a query in the order of the learned score, then the rest as before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from toysearch.base.errors import ModelError
from toysearch.index.inverted_index import Index
from toysearch.models.learned_model import LearnedModel
from toysearch.models.model import Array
from toysearch.models.ranker import Function
from toysearch.search.query_features import Pooled, QueryFeatures
from toysearch.search.scoring import QueryTerms, Ranked, top

LARGEST = 1e15
"""The largest score of a ranker: below it a number of documents is subtracted without a loss of their order."""


class LearnedScorer:
    """A learned ranker over an index, as used by `Searcher`; in a mixture, it ranks the documents of its pool only."""

    def __init__(self, index: Index, model: LearnedModel, *, whole: bool = True) -> None:
        self.index, self.model, self.whole = index, model, whole
        self.features = QueryFeatures(index, model.ranker.features, model.ranker.pool)

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers, in one call of each model."""
        numbers = list(terms)
        for searcher in self.features.searchers.values():
            searcher.scorer.prepare(numbers)

    def score(self, query: QueryTerms) -> Ranked:
        """The documents of the pool, and those that the first model of the pool ranks, by number, with their scores."""
        pooled, scores = self._scored(query)
        return with_rest(pooled, scores) if self.whole else (pooled.docs, scores)

    def pool(self, query: QueryTerms) -> Ranked:
        """The documents of the pool, by number, with their scores."""
        pooled, scores = self._scored(query)
        return pooled.docs, scores

    def _scored(self, query: QueryTerms) -> tuple[Pooled, Array]:
        pooled, features = self.features.of(query)
        return pooled, learned_scores(self.model.ranker.function, features, str(self.model))

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all matches if k is None."""
        found = []
        for query in queries:
            docs, scores = self.score(query)
            best = top(scores, k)
            found.append((docs[best], scores[best]))
        return found


def learned_scores(function: Function, features: Array, name: str) -> Array:
    """The scores of documents by a learned function; refused if one is not finite or beyond `LARGEST`."""
    scores = function.scores(features)
    beyond = scores[~(np.abs(scores) <= LARGEST)]
    if len(beyond):
        raise ModelError(
            f"{name} gives a document the score {beyond[0]:.3g}, expected from −{LARGEST:g} to {LARGEST:g}; learn a "
            "ranker with other settings or features"
        )
    return scores


def with_rest(pooled: Pooled, scores: Array) -> Ranked:
    """The documents of a pool with their scores and the rest below them in the old order, by rising number.

    >>> with_rest(Pooled(np.array([2, 5]), np.array([7, 1])), np.array([0.5, 0.75]))
    (array([1, 2, 5, 7]), array([-1.5 ,  0.5 ,  0.75, -0.5 ]))
    """
    floor = float(scores.min()) if len(scores) else 0.0
    docs = np.concatenate([pooled.docs, pooled.rest])
    values = np.concatenate([scores, floor - np.arange(1.0, len(pooled.rest) + 1)])
    order = np.argsort(docs, kind="stable")
    return docs[order], values[order]
