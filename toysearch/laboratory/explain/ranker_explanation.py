"""The score of a learned ranker explained: the share of each feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base import display
from toysearch.laboratory.explain.expressions import Expression
from toysearch.models.ranker import Linear
from toysearch.search.learned_scorer import LearnedScorer, learned_scores, with_rest
from toysearch.search.scoring import QueryTerms

__all__ = ["FeatureShare", "RankerExplanation"]

SHARES = {
    "linear": "share = weight × (value − mean) / deviation, by the training documents; the rest is the intercept",
    "trees": "share = sum of the changes at the branches on the feature, from root to leaf (Saabas 2014); "
    "the rest is the mean score of the training documents",
}
"""What the share of a feature is, by the kind of the function."""


class FeatureShare(NamedTuple):
    """A feature of a document, and its share in the score."""

    feature: str
    value: float
    share: float


class RankerExplanation(NamedTuple):
    """The parts of the score of a learned ranker: the base and the shares add up to it, to rounding.

    Attributes
    ----------
    doc_id, model : str
        The document and the ranker.
    score : float or None
        None if the document is not ranked.
    base : float
        The part that is the same for all documents of the pool.
    shares : list of FeatureShare
        The largest first; empty outside the pool.
    below : int
        For a document outside the pool, its place below the lowest document of the pool; the score is that of the
        lowest document minus this number. Otherwise 0.
    kind : str
        ``linear`` or ``trees``: what a share is (`SHARES`).
    """

    doc_id: str
    model: str
    score: float | None
    base: float
    shares: list[FeatureShare]
    below: int
    kind: str

    def __str__(self) -> str:
        return display.text(self)

    def __repr__(self) -> str:
        return display.summary(self)

    def _repr_html_(self) -> str:
        return display.html(self)


def explain_learned(scorer: LearnedScorer, terms: QueryTerms, doc_id: str) -> RankerExplanation:
    """Why a document has its score under a learned ranker."""
    ranker, number = scorer.model.ranker, scorer.index.doc_number(doc_id)
    kind = "linear" if isinstance(ranker.function, Linear) else "trees"
    pooled, features = scorer.features.of(terms)
    scores = learned_scores(ranker.function, features, str(scorer.model))
    docs, values = with_rest(pooled, scores)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return RankerExplanation(doc_id, str(scorer.model), None, 0.0, [], 0, kind)
    score, row = float(values[place]), int(np.searchsorted(pooled.docs, number))
    if row == len(pooled.docs) or pooled.docs[row] != number:
        below = int(np.flatnonzero(pooled.rest == number)[0]) + 1
        lowest = float(scores.min())
        return RankerExplanation(doc_id, str(scorer.model), score, lowest, [], below, kind)
    base, shares = ranker.function.shares(features[row : row + 1])
    parts = zip(ranker.features, features[row].tolist(), shares[0].tolist(), strict=True)
    found = sorted((FeatureShare(*part) for part in parts), key=lambda part: -abs(part.share))
    return RankerExplanation(doc_id, str(scorer.model), score, base, found, 0, kind)


def ranker_expressions(why: RankerExplanation) -> list[Expression]:
    """The score as the sum of the base and the shares."""
    if why.score is None:
        return []
    if why.below:
        return [Expression("score", "lowest − places", f"{why.base:.6g} − {why.below}", why.score)]
    numbers = " + ".join(f"{part.share:.6g}" for part in why.shares if part.share).replace("+ -", "− ")
    return [Expression("score", "base + Σ share", f"{why.base:.6g} + {numbers or 0}".replace("+ -", "− "), why.score)]
