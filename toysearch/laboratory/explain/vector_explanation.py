"""The score of a document under a model of vectors, as a sum over the query terms and over the topics."""

from __future__ import annotations

import numpy as np

from toysearch.base.explanation import EQUAL, PRODUCT, SUM, Explanation
from toysearch.search.scoring import QueryTerms
from toysearch.search.vector_scorer import LatentVectors, VectorScorer

_NAMED = 10  # topics with the largest shares, which are described by terms
_TERMS = 4  # that describe a topic


def explain_vectors(scorer: VectorScorer, query: QueryTerms, doc_id: str, model: str) -> Explanation:
    """Why a document has its score under a model of vectors; 0 for a document that only the structure matches.

    The shares of the query terms add up to the score, and so do those of the topics, or of the dimensions of vectors
    of the user, which have no terms. The largest shares come first.
    """
    vectors, number = scorer.vectors, scorer.index.doc_number(doc_id)
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
        words = {"terms": _topic(topics, axis)} if topics is not None and place < _NAMED else {}
        kind = "dimension" if topics is None else "topic"
        axes.append(Explanation(str(axis + 1), float(shares[axis]), PRODUCT, words, factors, kind))
    terms = [] if topics is None else _terms(topics, query, number, point * scale)
    by_terms = (
        Explanation("terms", score, SUM, {}, tuple(terms)) if terms else Explanation(model, score, kind="product")
    )
    by_axes = Explanation("axes", score, SUM, {}, tuple(axes))
    return Explanation(model, score, EQUAL, {}, (by_terms, by_axes), "vectors")


def _terms(vectors: LatentVectors, query: QueryTerms, number: int, point: np.ndarray) -> list[Explanation]:
    """The shares of the query terms, which the document need not contain."""
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


def _topic(vectors: LatentVectors, axis: int) -> tuple[str, ...]:
    """The terms that describe a topic."""
    entries = vectors.topics.terms[:, axis]
    strongest = np.argsort(-np.abs(entries), kind="stable")[:_TERMS].tolist()
    return tuple(f"{'−' if entries[term] < 0 else ''}{vectors.index.term(term)}" for term in strongest)
