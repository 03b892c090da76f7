"""The score of a document under a model of vectors, as a sum over the query terms and over the topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.search.scoring import QueryTerms
from toysearch.search.vector_scorer import LatentVectors, VectorScorer

_NAMED = 10  # topics with the largest shares, which are described by terms
_TERMS = 4  # that describe a topic


class VectorTerm(NamedTuple):
    """The share of one query term in the score of a document, which need not contain it."""

    term: str
    weight: float  # in the query: count times idf
    tf: int  # in the document
    share: float


class VectorAxis(NamedTuple):
    """The share of one topic, or of one dimension of the user's vectors."""

    number: int  # from 1
    terms: tuple[str, ...]  # those with the largest entries in the topic; a minus before negative ones
    query: float  # the entries of both vectors, divided by their lengths if the score is a cosine
    document: float
    share: float  # their product


class VectorExplanation(NamedTuple):
    """The parts of a score: the shares of the axes add up to it, and so do those of the terms, to rounding."""

    doc_id: str
    model: str
    score: float
    terms: list[VectorTerm]  # largest share first; empty for vectors of the user
    axes: list[VectorAxis]  # likewise


def explain_vectors(scorer: VectorScorer, query: QueryTerms, doc_id: str, model: str) -> VectorExplanation:
    """Why a document has its score under a model of vectors; 0 for a document that only the structure matches."""
    vectors, number = scorer.vectors, scorer.index.doc_number(doc_id)
    own, vector = vectors.points.row(number), vectors.of_query(query)
    if vector is None:
        return VectorExplanation(doc_id, model, 0.0, [], [])
    scale = 1.0
    if vectors.points.cosine:
        product = float(np.sqrt(np.square(own).sum()) * np.sqrt(np.square(vector).sum()))
        scale = 1 / product if product else 0.0
    shares = own * vector * scale
    terms = _terms(vectors, query, number, own * scale) if isinstance(vectors, LatentVectors) else []
    axes = []
    lengths = [float(np.sqrt(np.square(each).sum())) or 1.0 for each in (vector, own)]
    lengths = lengths if vectors.points.cosine else [1.0, 1.0]
    for place, axis in enumerate(np.argsort(-np.abs(shares), kind="stable").tolist()):
        named = _topic(vectors, axis) if place < _NAMED and isinstance(vectors, LatentVectors) else ()
        entries = float(vector[axis] / lengths[0]), float(own[axis] / lengths[1])
        axes.append(VectorAxis(axis + 1, named, *entries, float(shares[axis])))
    score = float(vectors.points.all_scores(vector)[number])
    return VectorExplanation(doc_id, model, score, terms, axes)


def _terms(vectors: LatentVectors, query: QueryTerms, number: int, own: np.ndarray) -> list[VectorTerm]:
    """The shares of the query terms: the vector of a query is the weighted sum of those of its terms."""
    index = vectors.index
    numbers, weights = vectors.weights(query)
    shares = weights * (vectors.topics.terms[numbers].astype(np.float64) @ own)
    held = dict(zip(*(each.tolist() for each in index.blocks.of_document(number)), strict=True))
    found = [
        VectorTerm(index.term(term), weight, held.get(term, 0), share)
        for term, weight, share in zip(numbers.tolist(), weights.tolist(), shares.tolist(), strict=True)
    ]
    return sorted(found, key=lambda each: (-each.share, each.term))


def _topic(vectors: LatentVectors, axis: int) -> tuple[str, ...]:
    """The terms that describe a topic."""
    entries = vectors.topics.terms[:, axis]
    strongest = np.argsort(-np.abs(entries), kind="stable")[:_TERMS].tolist()
    return tuple(f"{'−' if entries[term] < 0 else ''}{vectors.index.term(term)}" for term in strongest)
