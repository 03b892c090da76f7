"""The score of a document explained: by terms for a model, by models for a mixture, by features for a ranker."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import Query, checked, counted
from toysearch.base.explanation import PRODUCT, SUM, Explanation, Expression, PartName, bracketed, sum_of_texts
from toysearch.laboratory.explain.model_explanation import ExplainedScore, ScoreExplanation, explain_plan
from toysearch.laboratory.results.tables import Column, render, rounded_together
from toysearch.models.model import Model
from toysearch.models.ranker import Linear
from toysearch.query.syntax import Node
from toysearch.search.learned_scorer import LearnedScorer, learned_scores, with_rest
from toysearch.search.mixture_scorer import FactorScores, MixtureScorer
from toysearch.search.scoring import ModelScorer, QueryTerms, Scorer, plan
from toysearch.search.searcher import SearcherLike, searcher_of

if TYPE_CHECKING:
    from toysearch.laboratory.explain.vector_explanation import VectorExplanation

__all__ = ["FeatureShare", "MixtureExplanation", "RankerExplanation", "explain"]


class FeatureShare(NamedTuple):
    """A feature of a document, and its share in the score."""

    feature: str
    value: float
    share: float


_FEATURE_SHARES = {
    "linear": "share = weight × (value − mean) / deviation, by the training documents; the rest is the intercept",
    "trees": "share = sum of the changes at the branches on the feature, from root to leaf (Saabas 2014); "
    "the rest is the mean score of the training documents",
}


@dataclass(frozen=True, repr=False)
class RankerExplanation(ExplainedScore):
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
        ``linear`` or ``trees``: what a share is.
    """

    doc_id: str
    model: str
    score: float | None
    base: float
    shares: list[FeatureShare]
    below: int
    kind: str

    @property
    def tree(self) -> Explanation:
        """The score as the sum of the base and of the shares of the features."""
        if self.score is None:
            return Explanation(self.model, math.nan, SUM, kind="model")
        base = Explanation("", self.base if self.shares else self.score, kind="base")
        features = [
            Explanation(share.feature, share.share, "", {"value": share.value}, kind="feature")
            for share in self.shares
            if share.share
        ]
        return Explanation(self.model, self.score, SUM, {}, (base, *features), "model")

    def lines(self, most: int | None) -> list[str]:
        """The features with their shares."""
        if self.below:
            return [f"outside the pool, {self.below} below its lowest document, which has {self.base:.6f}"]
        base, *rounded = rounded_together([self.base, *(share.share for share in self.shares)], self.score or 0.0)
        columns = [Column("feature"), Column("value", "", "right", ".6g"), Column("share", "", "right", "+.6f")]
        rows = [[share.feature, share.value, part] for share, part in zip(self.shares, rounded, strict=True)]
        rest = rounded[most:] if most else []
        more = [f"… {counted(len(rest), 'more feature')}: {sum(rest):+.6f}"] if rest else []
        return [render(columns, rows[:most]), *more, f"base: {base:.6f}", _FEATURE_SHARES[self.kind]]

    def expressions(self, _: Model | None) -> list[Expression]:
        """The score as the sum of the base and the shares."""
        if self.score is None:
            return []
        if self.below:
            return [Expression("score", "lowest − places", f"{self.base:.6g} − {self.below}", self.score)]
        numbers = [f"{part.share:.6g}" for part in self.shares if part.share] or ["0"]
        return [Expression("score", "base + Σ share", sum_of_texts([f"{self.base:.6g}", *numbers]), self.score)]


class FactorShare(NamedTuple):
    """The score of a document under one factor of a product."""

    factor: str  # the model or the prior, with its normalisation
    raw: float  # the score before normalisation
    counted: float  # the score in the product
    scale: float  # the increase of the counted score when the raw score increases by 1: 1 without a normalisation
    # of a model's score; None for a prior, and if the model does not rank it
    explanation: ScoreExplanation | VectorExplanation | None

    @property
    def tree(self) -> Explanation:
        """The counted score: the scaled score of the model, and what the normalisation adds apart from its scale."""
        if self.explanation is None:
            return Explanation(self.factor, self.counted)
        scaled = self.explanation.tree
        if self.scale != 1:
            factors = Explanation("scale", self.scale), scaled
            scaled = Explanation(scaled.label, self.scale * self.raw, PRODUCT, parts=factors)
        moved = self.counted - self.scale * self.raw
        if not moved:
            return scaled
        shift = Explanation(self.factor, moved, kind="normalisation")
        return Explanation(self.factor, self.counted, SUM, parts=(scaled, shift))


class ProductShare(NamedTuple):
    """A product of the mixture: ``share`` is ``weight`` times the counted scores of its factors."""

    weight: float
    factors: list[FactorShare]
    share: float

    @property
    def tree(self) -> Explanation:
        """The share as the product of the weight and the factors."""
        parts = Explanation("weight", self.weight), *(factor.tree for factor in self.factors)
        label = "*".join(factor.factor for factor in self.factors)
        return Explanation(label, self.share, PRODUCT, {}, parts, "product")

    def text(self, value: Callable[[FactorShare], str]) -> str:
        """The product as arithmetic, with a text for each factor."""
        weight = [] if self.weight == 1 else [f"{self.weight:g}"]
        return " · ".join([*weight, *map(value, self.factors)])


@dataclass(frozen=True, repr=False)
class MixtureExplanation(ExplainedScore):
    """The parts of a mixture's score: the shares of its products add up to it, to rounding.

    Attributes
    ----------
    doc_id, model : str
        The document and the mixture.
    score : float or None
        None if the document holds no query term and so is not ranked.
    products : list of ProductShare
        In the order in which they are added.
    """

    doc_id: str
    model: str
    score: float | None
    products: list[ProductShare]

    @property
    def tree(self) -> Explanation:
        """The score as the sum of the products."""
        score = math.nan if self.score is None else self.score
        return Explanation(self.model, score, SUM, {}, tuple(product.tree for product in self.products), "model")

    def lines(self, most: int | None) -> list[str]:
        """The models of each product, and the explanation of each model's score; of a single model, that alone."""
        every = [factor.explanation for product in self.products for factor in product.factors]
        is_alone = len(every) == 1 and every[0] is not None and every[0].score == self.score
        lines = [] if is_alone else [self._table()]
        for why in every:
            if why is not None:
                lines += ["", f"{why.model} gives {why.score:.6f}:"] if lines else []
                lines += why.lines(most)
        return lines

    def _table(self) -> str:
        """One row per factor; the contributions of the products add up to the score."""
        rows: list[list[Any]] = []
        shares = rounded_together([product.share for product in self.products], self.score or 0.0)
        for product, share in zip(self.products, shares, strict=True):
            first, *others = product.factors
            rows.append([product.weight, first.factor, first.raw, first.counted, share])
            rows += [[None, f"× {factor.factor}", factor.raw, factor.counted, None] for factor in others]
        columns = [
            Column("weight", "", "right", "g"),
            Column("factor", "model"),
            Column("raw", "score", "right", ".6f"),
            Column("counted", "normalised", "right", ".6f"),
            Column("share", "contribution", "right", ".6f"),
        ]
        return render(columns, rows)

    def expressions(self, _: Model | None) -> list[Expression]:
        """The score as the sum of the products."""
        if self.score is None:
            return []
        formula = " + ".join(product.text(lambda factor: factor.factor) for product in self.products)
        numbers = [product.text(lambda factor: bracketed(factor.counted)) for product in self.products]
        return [Expression("score", formula, sum_of_texts(numbers), self.score)]


AnyExplanation: TypeAlias = ScoreExplanation | MixtureExplanation | RankerExplanation
"""What explains a score: of a model, of a mixture, or of a learned ranker. Each makes a tree, lines and expressions."""


@checked
def explain(
    searcher: SearcherLike, text: str | Node | Query | QueryTerms, doc_id: str, *, query_mode: str | None = None
) -> AnyExplanation:
    """Why a document has its score for a text.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture or a learned ranker; or anything that `Searcher` accepts, then
        ranked by BM25.
    text : str, Node, Query or QueryTerms
        The query; with its id for a model that has vectors of queries by their ids. To explain several documents, the
        result of ``searcher.terms(text)``, in which the query is matched once.
    doc_id : str
        The document.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How a text is read, as in `Searcher.search`.

    Returns
    -------
    ScoreExplanation, MixtureExplanation or RankerExplanation
        Computed from the same arrays and functions as the score.

    Raises
    ------
    ArgumentError
        If the index has no such document.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = explain(toysearch.Searcher(index, "bm25"), "black cat", "2")
    >>> [(share.term, share.statistics["tf"], round(share.parts["idf"], 4)) for share in why.terms]
    [('cat', 2.0, 0.47)]
    >>> why.unknown
    ['black']
    """
    searcher = searcher_of(searcher)
    return explain_terms(searcher.scorer, searcher.terms(text, query_mode), doc_id)


def explain_terms(scorer: Scorer, terms: QueryTerms, doc_id: str) -> AnyExplanation:
    """Why a document has its score for the terms of a text, or of another document."""
    return next(explain for kind, explain in _EXPLAIN.items() if isinstance(scorer, kind))(scorer, terms, doc_id)


def _explain_model(scorer: ModelScorer, terms: QueryTerms, doc_id: str) -> ScoreExplanation:
    return explain_plan(scorer.weights, plan(scorer.weights, terms), doc_id)


def _explain_mixture(scorer: MixtureScorer, terms: QueryTerms, doc_id: str) -> MixtureExplanation:
    number, name = scorer.index.doc_number(doc_id), str(scorer.mixture)
    docs, products = scorer.products(terms)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return MixtureExplanation(doc_id, name, None, [])
    shares = []
    for product, factors in zip(scorer.mixture.products, products, strict=True):
        share = product.weight
        for factor in factors:
            share = share * float(factor.counted[place])
        parts = [_factor_share(scorer, factor, place, terms, doc_id) for factor in factors]
        shares.append(ProductShare(product.weight, parts, share))
    return MixtureExplanation(doc_id, name, float(scorer.total(docs, products)[place]), shares)


def _explain_learned(scorer: LearnedScorer, terms: QueryTerms, doc_id: str) -> RankerExplanation:
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
        return RankerExplanation(doc_id, str(scorer.model), score, float(scores.min()), [], below, kind)
    base, shares = ranker.function.shares(features[row : row + 1])
    parts = zip(ranker.features, features[row].tolist(), shares[0].tolist(), strict=True)
    falling = sorted((FeatureShare(*part) for part in parts), key=lambda part: -abs(part.share))
    return RankerExplanation(doc_id, str(scorer.model), score, base, falling, 0, kind)


_EXPLAIN: Mapping[type, Callable[..., AnyExplanation]] = {
    ModelScorer: _explain_model,
    MixtureScorer: _explain_mixture,
    LearnedScorer: _explain_learned,
}


def _factor_share(
    scorer: MixtureScorer, factor: FactorScores, place: int, terms: QueryTerms, doc_id: str
) -> FactorShare:
    """The score of a document under one factor; the features of a ranker are explained only by itself."""
    why: ScoreExplanation | VectorExplanation | None = None
    key = factor.factor.scorer
    if factor.ranked[place] and key in scorer.scorers and key not in scorer.mixture.rankers:
        if key in scorer.mixture.vectors:
            from toysearch.laboratory.explain.vector_explanation import explain_vectors  # most models do not need it

            why = explain_vectors(scorer.scorers[key], terms, doc_id, str(key))
        else:
            why = _explain_model(scorer.scorers[key], scorer.wrapped(factor.factor, terms), doc_id)
    return FactorShare(str(factor.factor), float(factor.raw[place]), float(factor.counted[place]), _scale(factor), why)


def _scale(factor: FactorScores) -> float:
    """The factor by which a normalisation scales all scores, derived from the lowest and the highest."""
    if not factor.factor.normalisation:
        return 1.0
    if factor.factor.normalisation == "rrf" or not factor.ranked.any():  # rrf keeps only the ranks
        return 0.0
    raw, normalised = factor.raw[factor.ranked], factor.counted[factor.ranked]
    low, high = int(raw.argmin()), int(raw.argmax())
    span = raw[high] - raw[low]
    return float((normalised[high] - normalised[low]) / span) if span else 0.0


class PartDifference(NamedTuple):
    """A part in two scores, and the second minus the first."""

    kind: str
    name: str
    first: float
    second: float
    difference: float


def parts(why: AnyExplanation) -> dict[PartName, float]:
    """The parts of a score, which add up to it (to rounding); empty if the document is not ranked."""
    # Under a similarity that divides by lengths (cosine, Dice …) the part of a term is its part of the sum s, times
    # score / s: a longer document changes the part of every term. A product of one model and any priors is spread over
    # the parts of the model; a normalisation scales them all alike, and the constant that it adds is a separate part.
    return why.tree.shares()


def part_differences(first: Mapping[PartName, float], second: Mapping[PartName, float]) -> list[PartDifference]:
    """The difference of each part of two scores, largest first; they add up to the difference of the scores."""
    rows = []
    for part in dict.fromkeys([*first, *second]):
        before, after = first.get(part, 0.0), second.get(part, 0.0)
        rows.append(PartDifference(*part, before, after, after - before))
    return sorted(rows, key=lambda row: (-abs(row.difference), row.kind, row.name))


def score_expressions(why: AnyExplanation, model: Model | None = None) -> list[Expression]:
    """The sum s over the terms, and the score made from it; for a mixture, the sum of its products.

    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = toysearch.explain(toysearch.Searcher(index, "dice"), "cat sat", "1")
    >>> for line in score_expressions(why):
    ...     print(line.name, "=", line.formula, "=", line.numbers, "=", line.value)
    s = Σ weight · q = 1 + 1 = 2.0
    score = 2s / (dd + qq) = 2 · 2 / (3 + 2) = 0.8
    """
    return why.expressions(model)
