"""The score of a document explained: by terms for a model, by models for a mixture, by features for a ranker."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import display
from toysearch.base.argument_checks import checked
from toysearch.base.records import Query
from toysearch.laboratory.explain.expressions import Expression
from toysearch.laboratory.explain.model_explanation import ScoreExplanation, explain_plan
from toysearch.laboratory.explain.ranker_explanation import RankerExplanation, explain_learned, ranker_expressions
from toysearch.models.model import Model, public_name
from toysearch.models.similarity import COMBINE
from toysearch.query.syntax import Node
from toysearch.search.learned_scorer import LearnedScorer
from toysearch.search.mixture_scorer import FactorScores, MixtureScorer
from toysearch.search.scoring import ModelScorer, QueryTerms, Scorer, plan
from toysearch.search.searcher import SearcherLike, searcher_of

if TYPE_CHECKING:
    from toysearch.laboratory.explain.vector_explanation import VectorExplanation

__all__ = ["MixtureExplanation", "explain"]


class FactorShare(NamedTuple):
    """The score of a document under one factor of a product."""

    factor: str  # the model or the prior, with its normalisation
    raw: float  # the score before normalisation
    counted: float  # the score in the product
    scale: float  # the increase of the counted score when the raw score increases by 1: 1 without a normalisation
    # of a model's score; None for a prior, and if the model does not rank it
    explanation: ScoreExplanation | VectorExplanation | None


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

    def __str__(self) -> str:
        return display.text(self)

    def __repr__(self) -> str:
        return display.summary(self)

    def _repr_html_(self) -> str:
        return display.html(self)


AnyExplanation: TypeAlias = ScoreExplanation | MixtureExplanation | RankerExplanation
"""What explains a score: of a model, of a mixture, or of a learned ranker."""


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
    terms = searcher.terms(text, query_mode)
    return explain_terms(searcher.scorer, terms, doc_id)


def explain_terms(scorer: Scorer, terms: QueryTerms, doc_id: str) -> AnyExplanation:
    """Why a document has its score for the terms of a text, or of another document."""
    explained = next(explain for kind, explain in _EXPLAIN.items() if isinstance(scorer, kind))
    return explained(scorer, terms, doc_id)


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


_EXPLAIN: Mapping[type, Callable[..., AnyExplanation]] = {
    ModelScorer: _explain_model,
    MixtureScorer: _explain_mixture,
    LearnedScorer: explain_learned,
}


def _share(scorer: MixtureScorer, factor: FactorScores, place: int, terms: QueryTerms, doc_id: str) -> FactorShare:
    why: ScoreExplanation | VectorExplanation | None = None
    a_number = factor.factor.scorer in scorer.mixture.rankers  # whose features `learned:FOLDER` alone explains
    if factor.ranked[place] and factor.factor.scorer in scorer.scorers and not a_number:  # nor a prior
        own = scorer.scorers[factor.factor.scorer]
        if factor.factor.scorer in scorer.mixture.vectors:
            from toysearch.laboratory.explain.vector_explanation import explain_vectors  # most models do not need it

            why = explain_vectors(own, terms, doc_id, str(factor.factor.scorer))
        else:
            why = _explain_model(own, scorer.wrapped(factor.factor, terms), doc_id)
    return FactorShare(str(factor.factor), float(factor.raw[place]), float(factor.counted[place]), _scale(factor), why)


def _scale(factor: FactorScores) -> float:
    """The factor by which a normalisation scales all scores, derived from the lowest and the highest."""
    if not factor.factor.normalisation:
        return 1.0
    if factor.factor.normalisation == "rrf":  # it keeps only the ranks
        return 0.0
    if not factor.ranked.any():
        return 0.0
    raw, counted = factor.raw[factor.ranked], factor.counted[factor.ranked]
    low, high = int(raw.argmin()), int(raw.argmax())
    span = raw[high] - raw[low]
    return float((counted[high] - counted[low]) / span) if span else 0.0


class ScorePart(NamedTuple):
    """A part of a score."""

    # 'term': a query term in the document. 'per_matched_document': the part added to each ranked document.
    # 'document': the document's own part (a length part; for a distance, that of two disjoint vectors).
    # 'normalisation': the constant that a normalisation of a mixture adds after scaling. 'product': a product of a
    # mixture that cannot be divided among terms, because it has several models, or none. 'feature': the share of a
    # feature of a learned ranker. 'base': the score of a learned ranker without the shares
    kind: str
    name: str = ""  # the term, the normalised factor, the product; "" for the others


class PartDifference(NamedTuple):
    """A part in two scores, and the second minus the first."""

    kind: str
    name: str
    first: float
    second: float
    difference: float


def parts(why: AnyExplanation) -> dict[ScorePart, float]:
    """The parts of a score, which add up to it (to rounding); empty if the document is not ranked."""
    # Under a similarity that divides by lengths (cosine, Dice …) the part of a term is its part of the sum s, times
    # score / s: a longer document changes the part of every term. A product of one model and any priors is spread over
    # the parts of the model; a normalisation scales them all alike, and the constant that it adds is a separate part.
    found: dict[ScorePart, float] = {}
    if isinstance(why, ScoreExplanation):
        _add_model(found, why, 1.0)
    elif isinstance(why, RankerExplanation):
        if why.score is not None:
            found[ScorePart("base")] = why.base if why.shares else why.score
        found |= {ScorePart("feature", part.feature): part.share for part in why.shares if part.share}
    else:
        for product in why.products:
            _add_product(found, product)
    return found


def part_differences(first: Mapping[ScorePart, float], second: Mapping[ScorePart, float]) -> list[PartDifference]:
    """The difference of each part of two scores, largest first; they add up to the difference of the scores."""
    rows = []
    for part in dict.fromkeys([*first, *second]):
        before, after = first.get(part, 0.0), second.get(part, 0.0)
        rows.append(PartDifference(*part, before, after, after - before))
    return sorted(rows, key=lambda row: (-abs(row.difference), row.kind, row.name))


def _add_model(found: dict[ScorePart, float], why: ScoreExplanation, factor: float) -> None:
    """Add the parts of a single model's score, times a factor."""
    for share in why.terms:
        _add(found, ScorePart("term", share.term), factor * share.share)
    for kind, value in (("per_matched_document", why.per_matched_document), ("document", why.document)):
        if value:
            _add(found, ScorePart(kind), factor * value)


def _add_product(found: dict[ScorePart, float], product: ProductShare) -> None:
    """Add a product of a mixture: spread over the terms of its model if it has exactly one, otherwise as a whole."""
    explained = [factor for factor in product.factors if factor.explanation]
    if len(explained) != 1:
        _add(found, ScorePart("product", "*".join(factor.factor for factor in product.factors)), product.share)
        return
    [factor] = explained
    assert factor.explanation is not None
    others = product.weight * math.prod(other.counted for other in product.factors if other is not factor)
    if isinstance(factor.explanation, ScoreExplanation):
        _add_model(found, factor.explanation, others * factor.scale)
    else:
        _add_vectors(found, factor.explanation, others * factor.scale)
    moved = others * (factor.counted - factor.scale * factor.raw)
    if moved:
        _add(found, ScorePart("normalisation", factor.factor), moved)


def _add_vectors(found: dict[ScorePart, float], why: VectorExplanation, factor: float) -> None:
    """Add the terms of a score by vectors, times a factor; vectors of the user have no terms."""
    for share in why.terms:
        _add(found, ScorePart("term", share.term), factor * share.share)
    if not why.terms:
        _add(found, ScorePart("product", why.model), factor * why.score)


def _add(found: dict[ScorePart, float], part: ScorePart, value: float) -> None:
    found[part] = found.get(part, 0.0) + value


_NEGLIGIBLE = 1e-9  # of a sum: at most the rounding error


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
    if isinstance(why, MixtureExplanation):
        return _of_mixture(why)
    if isinstance(why, RankerExplanation):
        return ranker_expressions(why)
    if why.score is None or why.s is None:
        return []
    terms = [_product(share.weight, share.query_weight, why.combine) for share in why.terms]
    summed = sum(float(COMBINE[why.combine](share.query_weight, share.weight)) for share in why.terms)
    formula = "Σ weight · q" if why.combine == "product" else "Σ min(weight, q)"
    rest = why.s - summed
    if why.similarity == "s":
        named = [
            (name, value)
            for name, value in (("per_matched_document", why.per_matched_document), ("document", why.document))
            if value
        ]
    else:
        named = [("per_matched_document + document", rest)] if abs(rest) > _NEGLIGIBLE * max(abs(summed), 1.0) else []
    formula = " + ".join([formula, *(name for name, _ in named)])
    numbers = _added([*terms, *(f"{value:.6g}" for _, value in named)])
    if why.similarity == "s":
        return [Expression("score", formula, numbers, why.score)]
    values = {"s": why.s, **why.norms}
    if model is not None:
        values |= {public_name(name): v for name, v in model.parameters.items() if isinstance(v, float)}
    put_in = _put_in(why.similarity, values)
    return [Expression("s", formula, numbers, why.s), Expression("score", why.similarity, put_in, why.score)]


def _of_mixture(why: MixtureExplanation) -> list[Expression]:
    if why.score is None:
        return []
    formulas, numbers = [], []
    for product in why.products:
        weight = [] if product.weight == 1 else [f"{product.weight:g}"]
        formulas.append(" · ".join([*weight, *(factor.factor for factor in product.factors)]))
        numbers.append(" · ".join([*weight, *(_bracketed(factor.counted) for factor in product.factors)]))
    return [Expression("score", " + ".join(formulas), _added(numbers), why.score)]


def _product(weight: float, q: float, combine: str) -> str:
    if combine == "min":
        return f"min({weight:.6g}, {q:.6g})"
    return f"{weight:.6g}" if q == 1 else f"{weight:.6g} · {_bracketed(q)}"


def _bracketed(value: float) -> str:
    return f"({value:.6g})" if value < 0 else f"{value:.6g}"


def _added(texts: list[str]) -> str:
    """Summands joined by plus, or by minus before a negative one."""
    joined = " + ".join(texts) or "0"
    return joined.replace("+ -", "− ")


def _put_in(formula: str, values: dict[str, float]) -> str:
    """The formula of a similarity with numbers instead of names: 2s becomes 2 · 0.5."""

    def number(match: re.Match[str]) -> str:
        if match[2] not in values:
            return match[0]
        return f"{match[1]} · {_bracketed(values[match[2]])}" if match[1] else _bracketed(values[match[2]])

    return re.sub(r"(?<![A-Za-z])(\d*)([A-Za-z][A-Za-z0-9]*)", number, formula)
