"""Scorer of vectors over an index: every document has a score, whether or not it shares a word with the query.

The vectors are those of latent topics, or those that the user brings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from toysearch.base import (
    EQUAL,
    PRODUCT,
    SUM,
    Explanation,
)
from toysearch.index import Index, idf
from toysearch.index.latent_topics import NOISE, LatentTopics
from toysearch.models.calls import DIMENSIONS
from toysearch.models.model import Array
from toysearch.models.rankers import Ranker
from toysearch.retrieval.query_terms import QueryTerms, word_counts
from toysearch.retrieval.scoring import Ranked, Scorer, ScorerOf, highest
from toysearch.workbench.vectors.nearest_vectors import Points, nearest

_AT_ONCE = 64  # queries that one pass over the vectors serves
_NAMED = 10  # topics with the largest shares, which are described by terms
_TERMS = 4  # that describe a topic


class Vectors(Protocol):
    """Vectors of the documents of an index, and of queries."""

    points: Points

    def of_query(self, query: QueryTerms) -> Array | None:
        """Return the vector of a query; None if it has none, and so no document is ranked."""


class LatentVectors:
    """Documents and queries in the space of latent topics."""

    def __init__(self, index: Index, model: Ranker) -> None:
        self.index = index
        self.topics = topics_of(index, model)
        self.points = Points(self.topics.documents, cosine=True)

    def of_query(self, query: QueryTerms) -> Array | None:
        """Return the sum of the query terms, each times its count and its idf; None if no topic has any."""
        if query.document >= 0:
            row = self.topics.documents[query.document].astype(np.float64)
            return row if row.any() else None
        numbers, weights = self.weights(query)
        vector: Array = (self.topics.terms[numbers] * weights[:, None]).sum(axis=0)
        has_direction = np.sqrt(np.square(vector).sum()) > NOISE * np.sqrt(np.square(weights).sum())
        return vector if has_direction else None

    def weights(self, query: QueryTerms) -> tuple[np.ndarray, Array]:
        """Return the terms of the index in a query, by rising number, and their weights: count times idf.

        Those of a document are the weights of its row of the matrix.
        """
        terms, weights = word_counts(self.index, query)
        idf_of_terms = idf(self.index.df_by_term[terms], self.index.stats.N)
        if query.document < 0:
            return terms, weights * idf_of_terms
        weights = np.log1p(weights) * idf_of_terms
        return terms, weights / (np.sqrt(np.square(weights).sum()) or 1.0)


def topics_of(index: Index, model: Any) -> LatentTopics:
    """Return the topics of an index for a model; one without a number takes those that are stored."""
    stored = index.latent_topics
    [typed] = model.values
    return index.topics(int(typed or (stored.dimensions if stored else DIMENSIONS)))


class VectorScorer(Scorer):
    """Scorer of a model of vectors over an index."""

    vectors_of: Callable[[Index, Ranker], Vectors]  # of the documents, and of queries

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.vectors = self.vectors_of(index, model)

    def score(self, query: QueryTerms) -> Ranked:
        """Score all documents, or those that the structure of the query matches, by ascending number."""
        vector = self.vectors.of_query(query)
        if vector is None:
            docs = np.zeros(0, np.int64) if query.matched is None else query.matched
            return docs, np.zeros(len(docs))
        scores = self.vectors.points.all_scores(vector)
        if query.matched is not None:
            return query.matched, scores[query.matched]
        return np.arange(len(scores)), scores

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Return the k best documents of each query, best first, ties by number; all documents if k is None."""
        ranked = []
        for start in range(0, len(queries), _AT_ONCE):
            ranked += self._best(queries[start : start + _AT_ONCE], k)
        return ranked

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the score of a document under a model of vectors; 0 for a document that only the structure matches.

        The shares of the query terms add up to the score, and so do those of the topics, or of the dimensions of
        vectors of the user, which have no terms. The largest shares come first.
        """
        vectors, number, model = self.vectors, self.index.doc_number(doc_id), str(self.model)
        point, vector = vectors.points.row(number), vectors.of_query(query)
        if vector is None:
            return Explanation(model, 0.0, EQUAL, {}, (Explanation(model, 0.0, kind="product"),), "vectors")
        score = float(vectors.points.all_scores(vector)[number])
        scale, lengths = 1.0, [1.0, 1.0]
        if vectors.points.cosine:
            product = float(np.sqrt(np.square(point).sum()) * np.sqrt(np.square(vector).sum()))
            scale = 1 / product if product else 0.0
            lengths = [float(np.sqrt(np.square(entries).sum())) or 1.0 for entries in (vector, point)]
        topics = vectors if isinstance(vectors, LatentVectors) else None
        shares, axes = point * vector * scale, []
        for place, axis in enumerate(np.argsort(-np.abs(shares), kind="stable").tolist()):
            # The entries of both vectors, divided by their lengths if the score is a cosine.
            entries = zip(("query", "document"), (vector, point), lengths, strict=True)
            factors = tuple(Explanation(name, float(values[axis] / length)) for name, values, length in entries)
            words = {}
            if topics is not None and place < _NAMED:
                of_terms = topics.topics.terms[:, axis]
                strongest = np.argsort(-np.abs(of_terms), kind="stable")[:_TERMS].tolist()
                pairs = ((topics.index.term(term), of_terms[term]) for term in strongest)
                words["terms"] = tuple(f"−{term}" if entry < 0 else term for term, entry in pairs)
            kind = "dimension" if topics is None else "topic"
            axes.append(Explanation(str(axis + 1), float(shares[axis]), PRODUCT, words, factors, kind))
        terms = [] if topics is None else _dimension_terms(topics, query, number, point * scale)
        by_terms = (
            Explanation("terms", score, SUM, {}, tuple(terms)) if terms else Explanation(model, score, kind="product")
        )
        by_axes = Explanation("axes", score, SUM, {}, tuple(axes))
        return Explanation(model, score, EQUAL, {}, (by_terms, by_axes), "vectors")

    def _best(self, queries: Sequence[QueryTerms], k: int | None) -> list[Ranked]:
        if k is None or k >= len(self.vectors.points.matrix) or any(query.matched is not None for query in queries):
            return [highest(self.score(query), k) for query in queries]
        vectors = [self.vectors.of_query(query) for query in queries]
        nearest_of_each = iter(nearest(self.vectors.points, [vector for vector in vectors if vector is not None], k))
        return [(np.zeros(0, np.int64), np.zeros(0)) if vector is None else next(nearest_of_each) for vector in vectors]


def _dimension_terms(vectors: LatentVectors, query: QueryTerms, number: int, point: np.ndarray) -> list[Explanation]:
    """Explain the shares of the query terms, which the document need not contain."""
    # The vector of a query is the weighted sum of those of its terms.
    index = vectors.index
    numbers, weights = vectors.weights(query)
    shares = weights * (vectors.topics.terms[numbers].astype(np.float64) @ point)
    counts = dict(zip(*(column.tolist() for column in index.blocks.of_document(number)), strict=True))
    terms = [
        Explanation(index.term(term), share, "", {"weight": weight, "tf": counts.get(term, 0)}, kind="term")
        for term, weight, share in zip(numbers.tolist(), weights.tolist(), shares.tolist(), strict=True)
    ]
    return sorted(terms, key=lambda term: (-term.value, term.label))


class TopicScorer(VectorScorer):
    """Scorer of ``lsa``: latent topics."""

    vectors_of = LatentVectors


class FileScorer(VectorScorer):
    """Scorer of ``dense``: vectors that the user brings."""

    @staticmethod
    def vectors_of(index: Index, model: Ranker) -> Vectors:
        """Return those in the files, which may be of a collection that comes with toysearch."""
        from toysearch.workbench.vectors.user_vectors import (  # topics do not need it
            VectorFiles,
            user_vectors,
            with_bundled,
        )

        vectors: Vectors = user_vectors(index, with_bundled(VectorFiles(*model.values)))
        return vectors
