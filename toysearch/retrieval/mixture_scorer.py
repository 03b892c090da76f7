"""Scorer of a mixture over an index: scores of models and priors, made comparable, multiplied and added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    PRODUCT,
    SUM,
    Explanation,
    ModelError,
    note,
    without_notes,
)
from toysearch.index import Index, contained
from toysearch.models.model import Array
from toysearch.models.normalisations import FACTOR_NORMALISATIONS, RANKS
from toysearch.models.prior import Prior
from toysearch.models.rankers import Factor, Product, Ranker
from toysearch.retrieval.priors import prior_values
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import MEMORY, Ranked, Scorer, ScorerOf

_AT_ONCE = 1 << 11  # queries whose feedback documents are read together


class FactorScores(NamedTuple):
    """Scores of a factor for the documents of the mixture, before and after normalisation."""

    factor: Factor
    raw: Array
    counted: Array
    ranked: np.ndarray  # bool; false for a document that the factor does not rank: both scores are 0


@dataclass
class _LastQuery:
    query: QueryTerms
    products: tuple[np.ndarray, list[list[FactorScores]]] | None = None
    wrapped: dict[object, QueryTerms] = field(default_factory=dict)


class MixtureScorer(Scorer):
    """Scores a mixture over an index; it ranks the documents that one of its models ranks."""

    def __init__(self, index: Index, mixture: Ranker, scorer_of: ScorerOf, memory: int = MEMORY) -> None:
        self.index = index
        self.mixture = mixture
        self.parts = mixture.products
        self.factors = [factor for product in self.parts for factor in product.factors]
        rankers = dict.fromkeys(factor.scorer for factor in self.factors if factor.prior is None)
        memory //= max(1, len({*mixture.models}))
        # A ranker in several products is weighed once. Any: a ModelScorer, a VectorScorer or a PoolScorer.
        self.scorers: dict[object, Any] = {ranker: scorer_of(index, ranker, memory, inside=True) for ranker in rankers}
        if any(factor.wrappers for factor in self.factors):
            from toysearch.retrieval.expanded_queries import doubt_of_expansion

            if remark := doubt_of_expansion(self.factors, index):
                note(remark)
        priors = dict.fromkeys(factor.prior for factor in self.factors if factor.prior)
        self._priors = {prior: prior_values(prior, index) for prior in priors}
        self._last: _LastQuery | None = None

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents that one of the models ranks, by ascending number."""
        docs, products = self.products(query)
        return docs, self.total(docs, products)

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """Find the k best documents of each query, best first, ties by number; all matches if k is None."""
        [factor, *others] = self.factors
        if others or self.parts[0].weight != 1 or factor.normalisation or factor.prior:
            return super().best(queries, k)
        scorer, ranked = self.scorers[factor.scorer], []
        for start in range(0, len(queries), _AT_ONCE):
            some = queries[start : start + _AT_ONCE]
            if len(queries) == 1 or not factor.wrappers:
                wrapped_queries = [self.wrapped(factor, query) for query in some]
            else:  # feedback documents of all are read together
                from toysearch.retrieval.expanded_queries import wrapped  # most mixtures do not need it

                wrapped_queries = wrapped(scorer, some, factor.wrappers, threads)
            ranked += scorer.best(wrapped_queries, k, threads)
        return ranked

    def total(self, docs: np.ndarray, products: list[list[FactorScores]]) -> Array:
        """Score documents: the weighted sum of the products of their factor scores."""
        total = weighted_sum(self.parts, [[scores.counted for scores in factors] for factors in products], len(docs))
        if not np.isfinite(total).all():
            doc = int(docs[np.flatnonzero(~np.isfinite(total))[0]])
            raise ModelError(f"'{self.mixture}' gives document '{self.index.doc_ids[doc]}' a score that is not finite")
        return total

    def products(self, query: QueryTerms) -> tuple[np.ndarray, list[list[FactorScores]]]:
        """Return the ranked documents, and their scores from each factor of each product."""
        last = self._of(query)
        if last.products is None:
            last.products = self._scored(query)
        return last.products

    def _scored(self, query: QueryTerms) -> tuple[np.ndarray, list[list[FactorScores]]]:
        models = {(factor.scorer, factor.wrappers): factor for factor in self.factors if factor.scorer in self.scorers}
        scored = {key: self.scorers[factor.scorer].score(self.wrapped(factor, query)) for key, factor in models.items()}
        ranked_docs = [docs_of_model for docs_of_model, _ in scored.values()]
        if any(prior.ranks_every for prior in self._priors):
            ranked_docs.append(np.arange(len(self.index)) if query.matched is None else query.matched)
        docs = _union(ranked_docs)

        def scores(factor: Factor) -> FactorScores:
            normalise = FACTOR_NORMALISATIONS.get(factor.normalisation)
            if factor.prior:
                ranked_docs, raw = docs, self._priors[factor.prior][docs]
            else:
                ranked_docs, raw = scored[factor.scorer, factor.wrappers]
            compared = raw
            if factor.normalisation == RANKS and factor.scorer in self.scorers:
                compared = self.scorers[factor.scorer].ranking_keys(query, raw)
            counted = normalise(compared) if normalise and len(raw) else raw
            if len(ranked_docs) == len(docs):
                return FactorScores(factor, raw, counted, np.ones(len(docs), bool))
            ranked = contained(docs, ranked_docs)
            return FactorScores(factor, _spread(raw, ranked), _spread(counted, ranked), ranked)

        return docs, [[scores(factor) for factor in product.factors] for product in self.parts]

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the score of a mixture as the sum of its products, each the product of a weight and of factors."""
        number, name = self.index.doc_number(doc_id), str(self.mixture)
        docs, scores = self.products(query)
        place = int(np.searchsorted(docs, number))
        if place == len(docs) or docs[place] != number:
            return Explanation(name, math.nan, SUM, kind="mixture")
        products = []
        for product, factors in zip(self.parts, scores, strict=True):
            share = product.weight
            for factor in factors:
                share = share * float(factor.counted[place])
            label = "*".join(str(factor.factor) for factor in factors)
            parts = (self._explained_factor(factor, place, query, doc_id) for factor in factors)
            products.append(
                Explanation(label, share, PRODUCT, {}, (Explanation("weight", product.weight), *parts), "product")
            )
        return Explanation(name, float(self.total(docs, scores)[place]), SUM, {}, tuple(products), "mixture")

    def _explained_factor(self, factor: FactorScores, place: int, query: QueryTerms, doc_id: str) -> Explanation:
        key, label = factor.factor.scorer, str(factor.factor)
        raw, counted = float(factor.raw[place]), float(factor.counted[place])
        if prior := factor.factor.prior:
            doc = self.index.doc_number(doc_id)
            sources = map(Prior, prior.sources) if prior.formula else ()
            with without_notes():  # they were noted with the formula
                numbers = {str(part): float(prior_values(part, self.index)[doc]) for part in sources}
            return Explanation(label, counted, "", {"raw": raw, **numbers}, kind="factor")
        if not factor.ranked[place] or key not in self.scorers:
            return Explanation(label, counted, "", {"raw": raw}, kind="factor")
        tree = self.scorers[key].explained(self.wrapped(factor.factor, query), doc_id)
        scale = _scale(factor)
        if scale != 1:
            tree = Explanation(tree.label, scale * raw, PRODUCT, {}, (Explanation("scale", scale), tree))
        shift = counted - scale * raw
        shifts = [Explanation(label, shift, kind="normalisation")] if shift else []
        return Explanation(label, counted, SUM, {"raw": raw}, (tree, *shifts), "factor")

    def wrapped(self, factor: Factor, query: QueryTerms) -> QueryTerms:
        """Return the terms of a query that a factor scores."""
        if not factor.wrappers:
            return query
        from toysearch.retrieval.expanded_queries import wrapped  # most mixtures do not need it

        wrapped_queries, key = self._of(query).wrapped, (factor.scorer, factor.wrappers)
        if key not in wrapped_queries:
            [wrapped_queries[key]] = wrapped(self.scorers[factor.scorer], [query], factor.wrappers)
        return wrapped_queries[key]

    def _of(self, query: QueryTerms) -> _LastQuery:
        last = self._last
        if last is None or last.query is not query:
            last = self._last = _LastQuery(query)
        return last


def _scale(factor: FactorScores) -> float:
    """Derive the factor by which a normalisation scales all scores from the lowest and the highest."""
    if not factor.factor.normalisation:
        return 1.0
    if factor.factor.normalisation == RANKS or not factor.ranked.any():  # rrf keeps only the ranks
        return 0.0
    raw, normalised = factor.raw[factor.ranked], factor.counted[factor.ranked]
    low, high = int(raw.argmin()), int(raw.argmax())
    span = raw[high] - raw[low]
    return float((normalised[high] - normalised[low]) / span) if span else 0.0


def weighted_sum(parts: Sequence[Product], products: Sequence[Sequence[Array]], n: int) -> Array:
    """Add the products of n scores of each factor of a sum, by their weights."""
    total = np.zeros(n)
    for product, factors in zip(parts, products, strict=True):
        part = np.full(n, product.weight)
        with np.errstate(all="ignore"):
            for counted in factors:
                part = part * counted
            total = total + part
    return total


def _union(ranked: Sequence[np.ndarray]) -> np.ndarray:
    first, *others = ranked
    if all(len(docs) == len(first) and np.array_equal(docs, first) for docs in others):
        return first
    return np.unique(np.concatenate(ranked))


def _spread(scores: Array, ranked: np.ndarray) -> Array:
    every = np.zeros(len(ranked))
    every[ranked] = scores
    return every
