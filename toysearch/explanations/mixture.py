"""Why a document has its score under a mixture: what each model and each prior contributes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import toysearch
from toysearch.errors import ArgumentError
from toysearch.explanations.score import ScoreExplanation, explain_plan
from toysearch.ranking.mixing import FactorScores, Mixing
from toysearch.ranking.model import Model
from toysearch.ranking.scoring import QueryTerms, plan
from toysearch.searcher import SearcherLike, searcher_of


class FactorShare(NamedTuple):
    """What a factor of a product gives a document."""

    factor: str  # the model or the prior, with its normalisation
    # raw, counted: its score as it is, and as it counts in the product
    raw: float
    counted: float
    scale: float  # how much more it counts where its score is higher by 1: 1 without a normalisation
    explanation: ScoreExplanation | None  # why it is that; None for a prior


class ProductShare(NamedTuple):
    """A product of the mixture: ``share`` is ``weight`` times what its factors count."""

    weight: float
    factors: list[FactorShare]
    share: float


class MixtureExplanation(NamedTuple):
    """A mixture's score taken apart: the shares of its products add up to it, to rounding.

    Attributes
    ----------
    doc_id, model : str
        The document, the mixture.
    score : float or None
        None where the document holds no term of the query and is therefore not ranked.
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


def explain_mixture(searcher: SearcherLike, text: str, doc_id: str) -> MixtureExplanation:
    """Why a document has its score for a text under a mixture.

    Parameters
    ----------
    searcher : Searcher
        The index and the mixture.
    text : str
        The query.
    doc_id : str
        The document.

    Raises
    ------
    ArgumentError
        If the searcher has a single model, or the index has no such document.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = explain_mixture(toysearch.Searcher(index, "0.5*overlap + 0.5*min-max(bm25)"), "cat", "2")
    >>> [(str(product.factors[0].factor), product.share) for product in why.products], why.score
    ([('overlap', 0.5), ('min-max(bm25)', 0.5)], 1.0)
    """
    searcher = searcher_of(searcher)
    if not isinstance(searcher.scorer, Mixing):
        raise ArgumentError(f"'{searcher.model}' is a single model; explain() tells why a document has its score")
    return explain_mixing(searcher.scorer, searcher.terms(text), doc_id)


def explain_mixing(mixing: Mixing, terms: QueryTerms, doc_id: str) -> MixtureExplanation:
    """Why a document has its score under a mixture for the terms of a text, or of another document."""
    number, name = mixing.index.doc_number(doc_id), str(mixing.mixture)
    if not len(terms.numbers):
        return MixtureExplanation(doc_id, name, None, [])
    docs, products = mixing.products(terms)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return MixtureExplanation(doc_id, name, None, [])
    shares = []
    for product, factors in zip(mixing.mixture.products, products, strict=True):
        share = product.weight
        for factor in factors:
            share = share * float(factor.counted[place])
        shares.append(
            ProductShare(product.weight, [_share(mixing, each, place, terms, doc_id) for each in factors], share)
        )
    return MixtureExplanation(doc_id, name, float(mixing.total(docs, products)[place]), shares)


def _share(mixing: Mixing, factor: FactorScores, place: int, terms: QueryTerms, doc_id: str) -> FactorShare:
    scorer, why = factor.factor.scorer, None
    if isinstance(scorer, Model):
        weights = mixing.weights[scorer]
        why = explain_plan(weights, plan(weights, terms), doc_id)
    return FactorShare(str(factor.factor), float(factor.raw[place]), float(factor.counted[place]), _scale(factor), why)


def _scale(factor: FactorScores) -> float:
    """What a normalisation multiplies scores with, read off the lowest and the highest: it is the same for all."""
    if not factor.factor.normalisation:
        return 1.0
    low, high = int(factor.raw.argmin()), int(factor.raw.argmax())
    span = factor.raw[high] - factor.raw[low]
    return float((factor.counted[high] - factor.counted[low]) / span) if span else 0.0
