"""The score of a document explained: under a model term by term, under a mixture by its models and priors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

import toysearch
from toysearch.laboratory.explain.model_explanation import ScoreExplanation, explain_plan
from toysearch.search.mixture_scorer import FactorScores, MixtureScorer
from toysearch.search.scoring import ModelScorer, QueryTerms, Scorer, plan
from toysearch.search.searcher import SearcherLike, searcher_of


class FactorShare(NamedTuple):
    """The score that one factor of a product gives a document."""

    factor: str  # the model or the prior, with its normalisation
    raw: float  # its score as it is
    counted: float  # its score as it counts in the product
    scale: float  # how much more it counts where its score is higher by 1: 1 without a normalisation
    explanation: ScoreExplanation | None  # of a model's score; None for a prior


class ProductShare(NamedTuple):
    """A product of the mixture: ``share`` is ``weight`` times the counted scores of its factors."""

    weight: float
    factors: list[FactorShare]
    share: float


class MixtureExplanation(NamedTuple):
    """The parts of a mixture's score: the shares of its products add up to it, to rounding.

    Attributes
    ----------
    doc_id, model : str
        The document, the mixture.
    score : float or None
        None if the document holds no query term and so is not ranked.
    products : list of ProductShare
        In the order in which they are added.
    """

    doc_id: str
    model: str
    score: float | None
    products: list[ProductShare]

    def __str__(self) -> str:
        return toysearch.as_text(self)

    def _repr_html_(self) -> str:
        return toysearch.as_html(self)


def explain(searcher: SearcherLike, text: str, doc_id: str) -> ScoreExplanation | MixtureExplanation:
    """Why a document has its score for a text.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture; or what a `Searcher` is made of, which then ranks by BM25.
    text : str
        The query.
    doc_id : str
        The document.

    Returns
    -------
    ScoreExplanation or MixtureExplanation
        Made from the same arrays and functions that score.

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
    return explain_terms(searcher.scorer, searcher.terms(text), doc_id)


def explain_terms(scorer: Scorer, terms: QueryTerms, doc_id: str) -> ScoreExplanation | MixtureExplanation:
    """Why a document has its score for the terms of a text, or of another document."""
    return _EXPLAIN[type(scorer)](scorer, terms, doc_id)


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
        shares.append(
            ProductShare(product.weight, [_share(scorer, each, place, terms, doc_id) for each in factors], share)
        )
    return MixtureExplanation(doc_id, name, float(scorer.total(docs, products)[place]), shares)


_EXPLAIN: Mapping[type, Callable[..., ScoreExplanation | MixtureExplanation]] = {
    ModelScorer: _explain_model,
    MixtureScorer: _explain_mixture,
}


def _share(scorer: MixtureScorer, factor: FactorScores, place: int, terms: QueryTerms, doc_id: str) -> FactorShare:
    why = None
    if factor.factor.scorer in scorer.scorers:  # a model; a prior is a number of its own
        why = _explain_model(scorer.scorers[factor.factor.scorer], terms, doc_id)
    return FactorShare(str(factor.factor), float(factor.raw[place]), float(factor.counted[place]), _scale(factor), why)


def _scale(factor: FactorScores) -> float:
    """The factor by which a normalisation scales all scores, from the lowest and the highest."""
    if not factor.factor.normalisation:
        return 1.0
    low, high = int(factor.raw.argmin()), int(factor.raw.argmax())
    span = factor.raw[high] - factor.raw[low]
    return float((factor.counted[high] - factor.counted[low]) / span) if span else 0.0
