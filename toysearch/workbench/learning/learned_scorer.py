"""Learned ranker over an index: the features of the documents in a pool, and the pool in the order of their score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from toysearch.base import SUM, Explanation, ModelError
from toysearch.index.inverted_index import Index
from toysearch.models import Array, Model, Prior, Ranker
from toysearch.models.normalisations import NORMALISATIONS
from toysearch.models.registry import model as find_model
from toysearch.retrieval.model_scorer import note_left_out_fields
from toysearch.retrieval.priors import prior_values
from toysearch.retrieval.query_terms import QueryTerms, term_counts
from toysearch.retrieval.rerank_pool import Pooled, below_pool, scores_of, with_rest
from toysearch.retrieval.scoring import Ranked, Scorer, ScorerOf, postings_in, top
from toysearch.workbench.learning.learned_ranker import (
    COUNTED,
    DEFAULT_POOL,
    Counted,
    LearnedRanker,
    PoolPart,
    QueryCounts,
    feature_of,
)
from toysearch.workbench.learning.learners import Function, Linear


class QueryFeatures:
    """Features of the documents in the pool of a query, over an index."""

    def __init__(
        self, index: Index, features: Iterable[str], scorer_of: ScorerOf, pool: Sequence[PoolPart] = DEFAULT_POOL
    ) -> None:
        self.index, self.pool = index, tuple(pool)
        self.features = tuple(feature_of(text, find_model) for text in features)
        sources = [feature.source for feature in self.features]
        models = {str(source): source for source in sources if isinstance(source, Model | Ranker)}
        models |= {part.model: find_model(part.model) for part in self.pool}
        self.scorers = {name: scorer_of(index, model) for name, model in models.items()}
        for model in models.values():
            note_left_out_fields(index, model)
        self._priors = {source: prior_values(source, index) for source in sources if isinstance(source, Prior)}

    def of(self, query: QueryTerms) -> tuple[Pooled, Array]:
        """Return the pool of a query and the features of its documents, (n_docs, n_features) float64.

        In a pipeline, the stage before has chosen the pool.
        """
        scored = {name: scorer.score(query) for name, scorer in self.scorers.items()}
        ranked, rest = [], np.zeros(0, np.int64)
        for place, part in enumerate(self.pool):
            docs, scores = scored[part.model]
            keys = self.scorers[part.model].ranking_keys(query, scores)
            best = docs[top(keys, None if place == 0 else part.k)]
            ranked.append(best[: part.k])
            rest = best if place == 0 else rest
        docs = np.unique(np.concatenate(ranked)).astype(np.int64)
        if query.pool is not None:
            docs, rest = query.pool, rest[:0]
        features = np.zeros((len(docs), len(self.features)))
        counts = query_counts(self.index, query, docs)
        for column, feature in enumerate(self.features):
            source = feature.source
            if isinstance(source, Prior):
                values = np.asarray(self._priors[source][docs])
            elif isinstance(source, Counted):
                values = COUNTED[source.name](counts)
            else:
                values = scores_of(docs, *scored[str(source)])
            normalise = NORMALISATIONS.get(feature.normalisation)
            with np.errstate(all="ignore"):  # of priors up to 1e308
                features[:, column] = normalise(values) if normalise and len(values) else values
        return Pooled(docs, rest[~np.isin(rest, docs)]), features


def query_counts(index: Index, query: QueryTerms, docs: np.ndarray) -> QueryCounts:
    """Count the terms of a query in documents, given by rising number."""
    n_known, n_unknown = len(query.numbers), len(query.unknown)
    df = np.concatenate([term_counts(index, query)["df"], np.zeros(n_unknown)])
    contained, tf = np.zeros((len(docs), n_known + n_unknown), bool), np.zeros(len(docs))
    for column, number in enumerate(query.numbers.tolist()):
        postings = postings_in(index, query, number, docs)
        rows = np.searchsorted(docs, postings.docs)
        contained[rows, column] = True
        tf[rows] += postings.tf
    N = index.stats.N
    return QueryCounts(np.log(1 + (N - df + 0.5) / (df + 0.5)), contained, tf, index.dl[docs].astype(np.float64))


LARGEST = 1e15
"""Largest score of a ranker; below it, a number of documents can be subtracted without losing their order."""


_SHARES = {
    "linear": "share = weight × (value − mean) / deviation, by the training documents; the rest is the intercept",
    "trees": "share = score − the score with the mean of the training documents as value; the rest is what several "
    "features have together",
}
"""Origin of the shares of the features, by the kind of function."""


class LearnedScorer(Scorer):
    """Learned ranker over an index, as used by `Searcher`: the documents of its pool, and those below them."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.ranker: LearnedRanker = model.values[1]
        self.features = QueryFeatures(index, self.ranker.features, scorer_of, self.ranker.pool)
        self.scorers = self.features.scorers

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents of the pool and those that the first model of the pool ranks, by number."""
        return with_rest(*self.pool(query))

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain a score as the sum of the base and the shares of the features, the largest first."""
        ranker, number, name = self.ranker, self.index.doc_number(doc_id), str(self.model)
        kind = "linear" if isinstance(ranker.function, Linear) else "trees"
        pooled, features = self.features.of(query)
        scores = learned_scores(ranker.function, features, name)
        docs, values = with_rest(pooled, scores)
        place = int(np.searchsorted(docs, number))
        if place == len(docs) or docs[place] != number:
            return Explanation(name, math.nan, SUM, kind=kind)
        score, row = float(values[place]), int(np.searchsorted(pooled.docs, number))
        if row == len(pooled.docs) or pooled.docs[row] != number:
            return Explanation(name, score, SUM, {}, (below_pool(pooled, scores, number, score),), kind)
        shares = ranker.function.shares(features[row : row + 1])[0].tolist()
        base = ranker.function.intercept if isinstance(ranker.function, Linear) else score - math.fsum(shares)
        parts = zip(ranker.features, features[row].tolist(), shares, strict=True)
        every = [Explanation(feature, share, "", {"value": value}, kind="feature") for feature, value, share in parts]
        every.sort(key=lambda feature: -abs(feature.value))
        return Explanation(name, score, SUM, {}, (Explanation("", base, kind="base"), *every), kind, (_SHARES[kind],))

    def pool(self, query: QueryTerms) -> tuple[Pooled, Array]:
        """Return the pool, and the scores of its documents."""
        pooled, features = self.features.of(query)
        return pooled, learned_scores(self.ranker.function, features, str(self.model))


class PoolScorer(LearnedScorer):
    """Learned ranker as a part of a sum: it ranks the documents of its pool only."""

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents of the pool, by number."""
        pooled, scores = self.pool(query)
        return pooled.docs, scores


def learned_scores(function: Function, features: Array, name: str) -> Array:
    """Score documents by a learned function; refuse a score that is not finite or beyond `LARGEST`."""
    scores = function.scores(features)
    beyond = scores[~(np.abs(scores) <= LARGEST)]
    if len(beyond):
        raise ModelError(
            f"{name} gives a document the score {beyond[0]:.3g}, expected from −{LARGEST:g} to {LARGEST:g}; learn a "
            "ranker with other settings or features"
        )
    return scores
