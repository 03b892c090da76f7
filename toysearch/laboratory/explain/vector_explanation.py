"""The score of a document under a model of vectors, as a sum over the query terms and over the topics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from toysearch.base import counted
from toysearch.base.explanation import SUM, Explanation
from toysearch.laboratory.results.tables import Column, render, rounded_together
from toysearch.search.scoring import QueryTerms
from toysearch.search.vector_scorer import LatentVectors, VectorScorer

_NAMED = 10  # topics with the largest shares, which are described by terms
_TERMS = 4  # that describe a topic
_SHARES = 8  # terms and topics that are shown


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

    @property
    def tree(self) -> Explanation:
        """The score as the sum of the shares of its terms; vectors of the user have no terms."""
        terms = [
            Explanation(term.term, term.share, "", {"weight": term.weight, "tf": term.tf}, kind="term")
            for term in self.terms
        ]
        parts = terms or [Explanation(self.model, self.score, kind="product")]
        return Explanation(self.model, self.score, SUM, parts=tuple(parts), kind="model")

    def lines(self, _: int | None) -> list[str]:
        """The query terms and the topics with the largest shares; each column adds up to the score."""
        lines: list[str] = []
        number = Column("number", "topic" if self.terms else "dimension", "right", "d")
        last = Column("share", "", "right", ".6f")
        entries = [Column(name, "", "right", ".4f") for name in ("query", "document")]
        topics = [Column("terms", "by its strongest terms")] if self.terms else []
        weights = [Column("term"), Column("weight", "", "right", ".4f"), Column("tf", "", "right", "d"), last]
        kinds: list[tuple[list[Column], list[Any]]] = [
            (weights, self.terms),
            ([number, *entries, last, *topics], self.axes),
        ]
        for columns, numbers in kinds:
            shares = rounded_together([part.share for part in numbers], self.score)
            rows = [part._replace(share=share)._asdict() for part, share in zip(numbers, shares, strict=True)]
            cells = [
                [", ".join(row["terms"]) if column.name == "terms" else row[column.name] for column in columns]
                for row in rows[:_SHARES]
            ]
            if cells:
                lines += [*([""] if lines else []), render(columns, cells)]
            if rest := shares[_SHARES:]:
                heading = columns[0].header or columns[0].name
                lines.append(f"… {counted(len(rest), f'more {heading}')}: {sum(rest):.6f}")
        return lines


def explain_vectors(scorer: VectorScorer, query: QueryTerms, doc_id: str, model: str) -> VectorExplanation:
    """Why a document has its score under a model of vectors; 0 for a document that only the structure matches."""
    vectors, number = scorer.vectors, scorer.index.doc_number(doc_id)
    point, vector = vectors.points.row(number), vectors.of_query(query)
    if vector is None:
        return VectorExplanation(doc_id, model, 0.0, [], [])
    scale = 1.0
    if vectors.points.cosine:
        product = float(np.sqrt(np.square(point).sum()) * np.sqrt(np.square(vector).sum()))
        scale = 1 / product if product else 0.0
    shares = point * vector * scale
    terms = _terms(vectors, query, number, point * scale) if isinstance(vectors, LatentVectors) else []
    axes = []
    lengths = [float(np.sqrt(np.square(entries).sum())) or 1.0 for entries in (vector, point)]
    lengths = lengths if vectors.points.cosine else [1.0, 1.0]
    for place, axis in enumerate(np.argsort(-np.abs(shares), kind="stable").tolist()):
        words = _topic(vectors, axis) if place < _NAMED and isinstance(vectors, LatentVectors) else ()
        entries = float(vector[axis] / lengths[0]), float(point[axis] / lengths[1])
        axes.append(VectorAxis(axis + 1, words, *entries, float(shares[axis])))
    score = float(vectors.points.all_scores(vector)[number])
    return VectorExplanation(doc_id, model, score, terms, axes)


def _terms(vectors: LatentVectors, query: QueryTerms, number: int, point: np.ndarray) -> list[VectorTerm]:
    """The shares of the query terms: the vector of a query is the weighted sum of those of its terms."""
    index = vectors.index
    numbers, weights = vectors.weights(query)
    shares = weights * (vectors.topics.terms[numbers].astype(np.float64) @ point)
    counts = dict(zip(*(column.tolist() for column in index.blocks.of_document(number)), strict=True))
    rows = [
        VectorTerm(index.term(term), weight, counts.get(term, 0), share)
        for term, weight, share in zip(numbers.tolist(), weights.tolist(), shares.tolist(), strict=True)
    ]
    return sorted(rows, key=lambda row: (-row.share, row.term))


def _topic(vectors: LatentVectors, axis: int) -> tuple[str, ...]:
    """The terms that describe a topic."""
    entries = vectors.topics.terms[:, axis]
    strongest = np.argsort(-np.abs(entries), kind="stable")[:_TERMS].tolist()
    return tuple(f"{'−' if entries[term] < 0 else ''}{vectors.index.term(term)}" for term in strongest)
