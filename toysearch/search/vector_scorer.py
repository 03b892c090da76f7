"""A model of vectors over an index: every document has a score, whether or not it shares a word with the query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from toysearch.base.wide_counts import count_each
from toysearch.index.inverted_index import Index
from toysearch.index.latent_topics import NOISE, LatentTopics, idf
from toysearch.models.model import Array
from toysearch.models.vector_models import DIMENSIONS, DenseVectors, LatentModel
from toysearch.search.nearest_vectors import Points, nearest
from toysearch.search.scoring import QueryTerms, Ranked, top

_AT_ONCE = 64  # queries that one pass over the vectors serves


class Vectors(Protocol):
    """The vectors of the documents of an index, and of queries."""

    points: Points

    def of_query(self, query: QueryTerms) -> Array | None:
        """The vector of a query; None if it has none, and so no document is ranked."""


class LatentVectors:
    """Documents and queries in the space of latent topics."""

    def __init__(self, index: Index, model: LatentModel) -> None:
        self.index = index
        self.topics = topics_of(index, model)
        self.points = Points(self.topics.documents, cosine=True)

    def of_query(self, query: QueryTerms) -> Array | None:
        """The sum of the entries of the query terms, each times its count and its idf; None if no topic has any."""
        if query.document >= 0:
            own = self.topics.documents[query.document].astype(np.float64)
            return own if own.any() else None
        numbers, weights = self.weights(query)
        found: Array = (self.topics.terms[numbers] * weights[:, None]).sum(axis=0)
        kept = np.sqrt(np.square(found).sum()) > NOISE * np.sqrt(np.square(weights).sum())
        return found if kept else None

    def weights(self, query: QueryTerms) -> tuple[np.ndarray, Array]:
        """The terms of the index in a query, by rising number, and their weights: count times idf.

        Those of a document are the weights of its row of the matrix.
        """
        numbers, weights = _words_of(query, self.index.stats.n_terms)
        if query.document < 0:
            return numbers, weights * idf(self.index.df_by_term[numbers], self.index.stats.N)
        weights = np.log1p(weights) * idf(self.index.df_by_term[numbers], self.index.stats.N)
        return numbers, weights / (np.sqrt(np.square(weights).sum()) or 1.0)


def _words_of(query: QueryTerms, n_terms: int) -> tuple[np.ndarray, Array]:
    """The terms of the index in a query, by rising number, and their counts; the words of phrases and patterns too."""
    known = query.numbers < n_terms
    numbers, counts = [query.numbers[known]], [query.qtf[known]]
    for number, qtf in zip(query.numbers[~known].tolist(), query.qtf[~known].tolist(), strict=True):
        term = query.derived[number - n_terms]
        words = np.concatenate([term.terms, *(np.array(each.terms, dtype=np.int64) for each in term.phrases)])
        numbers.append(words)
        counts.append(np.full(len(words), qtf))
    found, places = np.unique(np.concatenate(numbers), return_inverse=True)
    return found, count_each(places, np.concatenate(counts), len(found))


def topics_of(index: Index, model: LatentModel) -> LatentTopics:
    """The topics of an index for a model; one without a number takes those that are stored."""
    stored = index.latent_topics
    return index.topics(model.dimensions or (stored.dimensions if stored else DIMENSIONS))


class VectorScorer:
    """A model of vectors over an index, as `toysearch.search.scoring.Scorer` says."""

    def __init__(self, index: Index, vectors: Vectors) -> None:
        self.index = index
        self.vectors = vectors

    def prepare(self, terms: Iterable[int]) -> None:
        """Nothing: vectors have no weights of terms."""

    def score(self, query: QueryTerms) -> Ranked:
        """All documents, or those that the structure of the query matches, by ascending number, and their scores."""
        vector = self.vectors.of_query(query)
        if vector is None:
            docs = np.zeros(0, np.int64) if query.matched is None else query.matched
            return docs, np.zeros(len(docs))
        scores = self.vectors.points.all_scores(vector)
        if query.matched is not None:
            return query.matched, scores[query.matched]
        return np.arange(len(scores)), scores

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all documents if k is None."""
        found: list[Ranked] = []
        for start in range(0, len(queries), _AT_ONCE):
            found += self._best(queries[start : start + _AT_ONCE], k)
        return found

    def _best(self, queries: Sequence[QueryTerms], k: int | None) -> list[Ranked]:
        if k is None or k >= len(self.vectors.points.matrix) or any(query.matched is not None for query in queries):
            ranked = [self.score(query) for query in queries]
            return [(docs[best], scores[best]) for docs, scores in ranked for best in [top(scores, k)]]
        vectors = [self.vectors.of_query(query) for query in queries]
        found = iter(nearest(self.vectors.points, [each for each in vectors if each is not None], k))
        return [(np.zeros(0, np.int64), np.zeros(0)) if each is None else next(found) for each in vectors]


def vector_scorer(model: LatentModel | DenseVectors, index: Index) -> VectorScorer:
    """The scorer of a model of vectors over an index."""
    if isinstance(model, LatentModel):
        return VectorScorer(index, LatentVectors(index, model))
    from toysearch.search.dense_vectors import user_vectors  # most models do not need it

    vectors = user_vectors(index, replace(model, approximate=0))
    if not model.approximate:
        return VectorScorer(index, vectors)
    from toysearch.search.approximate_scorer import ApproximateScorer  # which is a scorer of this file

    return ApproximateScorer(index, vectors, model)
