"""A mixture over an index: the scores of its models and priors, made comparable, multiplied and added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from toysearch.errors import ModelError
from toysearch.index.index import Index
from toysearch.ranking.document_prior import prior_values
from toysearch.ranking.mixture import Factor, Mixture, Prior
from toysearch.ranking.model import Array, Model
from toysearch.ranking.normalisations import NORMALISATIONS
from toysearch.ranking.retrieval import Retrieval
from toysearch.ranking.scoring import QueryTerms
from toysearch.ranking.weights import MEMORY, Weights


class FactorScores(NamedTuple):
    """What a factor gives the ranked documents: its scores as they are, and as they count in the product."""

    factor: Factor
    raw: Array
    counted: Array


class Mixing:
    """A mixture over an index. Every model of it ranks the same documents: those that hold a term of the query."""

    def __init__(self, index: Index, mixture: Mixture, memory: int = MEMORY) -> None:
        self.index = index
        self.mixture = mixture
        scorers = dict.fromkeys(mixture.scorers)  # one that stands in several products is weighed, and read, once
        models = [each for each in scorers if isinstance(each, Model)]
        self.weights = {each: Weights(index, each, memory // len(models)) for each in models}
        self._retrievals = {each: Retrieval(weights) for each, weights in self.weights.items()}
        self._priors = {each: prior_values(each, index) for each in scorers if isinstance(each, Prior)}

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers, in one call of each model."""
        numbers = list(terms)
        for retrieval in self._retrievals.values():
            retrieval.prepare(numbers)

    def score(self, query: QueryTerms) -> tuple[np.ndarray, Array]:
        """The documents that hold a term of the query, by rising number, and their scores."""
        docs, products = self.products(query)
        return docs, self.total(docs, products)

    def total(self, docs: np.ndarray, products: list[list[FactorScores]]) -> Array:
        """The scores of documents, added up from what `products` gives them."""
        total = np.zeros(len(docs))
        for product, factors in zip(self.mixture.products, products, strict=True):
            part = np.full(len(docs), product.weight)
            with np.errstate(all="ignore"):
                for factor in factors:
                    part = part * factor.counted
                total = total + part
        if not np.isfinite(total).all():
            doc = int(docs[np.flatnonzero(~np.isfinite(total))[0]])
            raise ModelError(f"'{self.mixture}' gives document '{self.index.doc_ids[doc]}' a score that is not finite")
        return total

    def products(self, query: QueryTerms) -> tuple[np.ndarray, list[list[FactorScores]]]:
        """The ranked documents, and what each factor of each product gives them."""
        scored = {model: retrieval.score(query) for model, retrieval in self._retrievals.items()}
        docs = next(docs for docs, _ in scored.values())

        def scores(factor: Factor) -> FactorScores:
            scorer = factor.scorer
            raw = scored[scorer][1] if isinstance(scorer, Model) else self._priors[scorer][docs]
            normalise = NORMALISATIONS.get(factor.normalisation)
            return FactorScores(factor, raw, normalise(raw) if normalise and len(raw) else raw)

        return docs, [[scores(factor) for factor in product.factors] for product in self.mixture.products]
