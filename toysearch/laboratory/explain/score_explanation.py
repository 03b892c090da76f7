"""The score of a document explained: by terms for a model, by models for a mixture, by features for a ranker."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import Query, checked
from toysearch.base.explanation import DIFFERENCE, PRODUCT, SUM, Explanation, PartName
from toysearch.base.result_tables import Part, Result, summary
from toysearch.laboratory.explain.score_explanation import TermShare, explain_plan, term_shares
from toysearch.models.ranker import Linear
from toysearch.query.syntax import Node
from toysearch.search.learned_scorer import LearnedScorer, learned_scores, with_rest
from toysearch.search.mixture_scorer import FactorScores, MixtureScorer
from toysearch.search.scoring import ModelScorer, QueryTerms, Scorer, plan
from toysearch.search.searcher import SearcherLike, searcher_of

__all__ = ["ScoreExplanation", "explain"]


@dataclass(frozen=True, repr=False)
class ScoreExplanation(Result):
    """The score of a document, and the numbers that make it.

    Attributes
    ----------
    doc_id : str
        The document.
    tree : Explanation
        The score as the sum of the shares of query terms (one model), of products of models (a mixture), or of
        features (a learned ranker). Its value is NaN if the document is not ranked.
    """

    doc_id: str
    tree: Explanation

    __repr__ = summary

    @property
    def score(self) -> float | None:
        """The score; None if the document is not ranked."""
        return None if math.isnan(self.tree.value) else self.tree.value

    @property
    def model(self) -> str:
        """The model."""
        return self.tree.label

    @property
    def terms(self) -> list[TermShare]:
        """The query terms in the document, in the order in which they are added; empty unless a single model ranks."""
        return term_shares(self.tree)

    @property
    def absent(self) -> list[str]:
        """Query terms that only other documents hold."""
        return [part.label for part in self.tree.of_kind("absent")]

    @property
    def unknown(self) -> list[str]:
        """Query terms that no document holds."""
        return [part.label for part in self.tree.of_kind("unknown")]

    @property
    def collection(self) -> dict[str, float]:
        """The statistics of the collection that the model uses, and its collection constants."""
        return {**self.tree.quantities}

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """One row per term of a model, per factor of a mixture, or per feature."""
        from toysearch.laboratory.results.explanation_text import explanation_text

        return [explanation_text(None, self)]

    def data(self) -> dict[str, Any]:
        """The document and the tree as plain values, for JSON."""
        return {"doc_id": self.doc_id, **self.tree.data()}


@checked
def explain(
    searcher: SearcherLike, text: str | Node | Query | QueryTerms, doc_id: str, *, query_mode: str | None = None
) -> ScoreExplanation:
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
    ScoreExplanation
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
    >>> [(part.kind, part.label, round(part.value, 4)) for part in why.tree.parts]
    [('term', 'cat', 0.2686), ('unknown', 'black', 0.0)]
    """
    searcher = searcher_of(searcher)
    return explain_terms(searcher.scorer, searcher.terms(text, query_mode), doc_id)


def explain_terms(scorer: Scorer, terms: QueryTerms, doc_id: str) -> ScoreExplanation:
    """Why a document has its score for the terms of a text, or of another document."""
    tree = next(tree for kind, tree in _TREES.items() if isinstance(scorer, kind))
    return ScoreExplanation(doc_id, tree(scorer, terms, doc_id))


def _model_tree(scorer: ModelScorer, terms: QueryTerms, doc_id: str) -> Explanation:
    """The score of a model as the sum of the shares of its terms."""
    return explain_plan(scorer.weights, plan(scorer.weights, terms), doc_id)


def _mixture_tree(scorer: MixtureScorer, terms: QueryTerms, doc_id: str) -> Explanation:
    """The score of a mixture as the sum of its products, each the product of a weight and of factors."""
    number, name = scorer.index.doc_number(doc_id), str(scorer.mixture)
    docs, scores = scorer.products(terms)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return Explanation(name, math.nan, SUM, kind="mixture")
    products = []
    for product, factors in zip(scorer.mixture.products, scores, strict=True):
        share = product.weight
        for factor in factors:
            share = share * float(factor.counted[place])
        label = "*".join(str(factor.factor) for factor in factors)
        parts = (_factor_tree(scorer, factor, place, terms, doc_id) for factor in factors)
        products.append(
            Explanation(label, share, PRODUCT, {}, (Explanation("weight", product.weight), *parts), "product")
        )
    return Explanation(name, float(scorer.total(docs, scores)[place]), SUM, {}, tuple(products), "mixture")


def _factor_tree(
    scorer: MixtureScorer, factor: FactorScores, place: int, terms: QueryTerms, doc_id: str
) -> Explanation:
    """The score under one factor: its model times the scale of the normalisation, and what this adds apart from it."""
    key, label = factor.factor.scorer, str(factor.factor)
    raw, counted = float(factor.raw[place]), float(factor.counted[place])
    # A prior is a number, and the features of a ranker are explained only by itself.
    if not factor.ranked[place] or key not in scorer.scorers or key in scorer.mixture.rankers:
        return Explanation(label, counted, "", {"raw": raw}, kind="factor")
    if key in scorer.mixture.vectors:
        from toysearch.laboratory.explain.score_explanation import explain_vectors  # most models do not need it

        tree = explain_vectors(scorer.scorers[key], terms, doc_id, str(key))
    else:
        tree = _model_tree(scorer.scorers[key], scorer.wrapped(factor.factor, terms), doc_id)
    scale = _scale(factor)
    if scale != 1:
        tree = Explanation(tree.label, scale * raw, PRODUCT, {}, (Explanation("scale", scale), tree))
    shift = counted - scale * raw
    shifts = [Explanation(label, shift, kind="normalisation")] if shift else []
    return Explanation(label, counted, SUM, {"raw": raw}, (tree, *shifts), "factor")


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


def _ranker_tree(scorer: LearnedScorer, terms: QueryTerms, doc_id: str) -> Explanation:
    """The score of a learned ranker as the sum of its base and the shares of its features, the largest first."""
    ranker, number, name = scorer.model.ranker, scorer.index.doc_number(doc_id), str(scorer.model)
    kind = "linear" if isinstance(ranker.function, Linear) else "trees"
    pooled, features = scorer.features.of(terms)
    scores = learned_scores(ranker.function, features, name)
    docs, values = with_rest(pooled, scores)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return Explanation(name, math.nan, SUM, kind=kind)
    score, row = float(values[place]), int(np.searchsorted(pooled.docs, number))
    if row == len(pooled.docs) or pooled.docs[row] != number:
        # A document outside the pool is ranked below the lowest document of the pool.
        below = int(np.flatnonzero(pooled.rest == number)[0]) + 1
        ends = Explanation("lowest of the pool", float(scores.min())), Explanation("places below it", below)
        return Explanation(name, score, SUM, {}, (Explanation("", score, DIFFERENCE, {}, ends, "base"),), kind)
    base, shares = ranker.function.shares(features[row : row + 1])
    parts = zip(ranker.features, features[row].tolist(), shares[0].tolist(), strict=True)
    every = [Explanation(feature, share, "", {"value": value}, kind="feature") for feature, value, share in parts]
    every.sort(key=lambda feature: -abs(feature.value))
    return Explanation(name, score, SUM, {}, (Explanation("", base, kind="base"), *every), kind)


_TREES: Mapping[type, Callable[..., Explanation]] = {
    ModelScorer: _model_tree,
    MixtureScorer: _mixture_tree,
    LearnedScorer: _ranker_tree,
}


class PartDifference(NamedTuple):
    """A part in two scores, and the second minus the first."""

    kind: str
    name: str
    first: float
    second: float
    difference: float


def parts(why: ScoreExplanation) -> dict[PartName, float]:
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
