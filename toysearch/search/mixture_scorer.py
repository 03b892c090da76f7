"""A mixture over an index: the scores of its models and priors, made comparable, multiplied and added."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, ModelError, Remedy, counted, malformed, note
from toysearch.formats.text_files import numbered_lines
from toysearch.index.document_columns import number_in
from toysearch.index.inverted_index import Index
from toysearch.index.postings import contained
from toysearch.models.mixture import FACTOR_NORMALISATIONS, Factor, Mixture, Prior
from toysearch.models.model import Array
from toysearch.search.scoring import QueryTerms, Ranked, Scorer, model_scorer, top
from toysearch.search.term_weights import MEMORY

_AT_ONCE = 1 << 9  # queries whose feedback documents are read together


class FactorScores(NamedTuple):
    """The scores of a factor for the documents of the mixture, before and after normalisation."""

    factor: Factor
    raw: Array
    counted: Array
    ranked: np.ndarray  # bool; whether the factor ranks the document: if not, both scores are 0


@dataclass
class _LastQuery:
    """The last query that was scored, with its scores and its terms inside wrappers."""

    query: QueryTerms
    products: tuple[np.ndarray, list[list[FactorScores]]] | None = None
    wrapped: dict[object, QueryTerms] = field(default_factory=dict)


class MixtureScorer:
    """A mixture over an index; it ranks the documents that one of its models ranks."""

    def __init__(self, index: Index, mixture: Mixture, memory: int = MEMORY) -> None:
        self.index = index
        self.mixture = mixture
        models = dict.fromkeys(mixture.models)  # a model in several products is weighed once
        self.scorers: dict[object, Any] = {  # a ModelScorer, a VectorScorer or a LearnedScorer
            each: model_scorer(index, each, memory // len(models)) for each in models
        }
        for each in dict.fromkeys(mixture.vectors):
            from toysearch.search.vector_scorer import vector_scorer  # most mixtures do not need it

            self.scorers[each] = vector_scorer(each, index)
        for ranker in mixture.rankers:
            from toysearch.search.learned_scorer import LearnedScorer  # most mixtures do not need it

            self.scorers[ranker] = LearnedScorer(index, ranker, whole=False)  # type: ignore[arg-type]
        priors = dict.fromkeys(scorer for scorer in mixture.scorers if isinstance(scorer, Prior))
        if any(factor.wrappers for product in mixture.products for factor in product.factors):
            from toysearch.search.relevance_feedback import told_of

            if told := told_of(mixture, index):
                note(told)
        self._priors = {each: prior_values(each, index) for each in priors}
        self._last: _LastQuery | None = None

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers, in one call of each model."""
        numbers = list(terms)
        for scorer in self.scorers.values():
            scorer.prepare(numbers)

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that one of the models ranks, by ascending number, and their scores."""
        docs, products = self.products(query)
        return docs, self.total(docs, products)

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all matches if k is None."""
        if self._alone:
            factor = self.mixture.products[0].factors[0]
            scorer: Scorer = self.scorers[factor.scorer]
            ranked: list[Ranked] = []
            for start in range(0, len(queries), _AT_ONCE):
                some = self._all_wrapped(factor, queries[start : start + _AT_ONCE], threads)
                ranked += scorer.best(some, k, threads)
            return ranked
        ranked = []
        for query in queries:
            docs, scores = self.score(query)
            best = top(scores, k)
            ranked.append((docs[best], scores[best]))
        return ranked

    @property
    def _alone(self) -> bool:
        """Whether the scores are those of a single model."""
        [product, *others] = self.mixture.products
        [factor, *more] = product.factors
        return not others and not more and product.weight == 1 and not factor.normalisation

    def total(self, docs: np.ndarray, products: list[list[FactorScores]]) -> Array:
        """The scores of documents: the weighted sum of the products of their factor scores."""
        total = weighted_sum(self.mixture, [[each.counted for each in factors] for factors in products], len(docs))
        if not np.isfinite(total).all():
            doc = int(docs[np.flatnonzero(~np.isfinite(total))[0]])
            raise ModelError(f"'{self.mixture}' gives document '{self.index.doc_ids[doc]}' a score that is not finite")
        return total

    def products(self, query: QueryTerms) -> tuple[np.ndarray, list[list[FactorScores]]]:
        """The ranked documents, and their scores from each factor of each product."""
        last = self._of(query)
        if last.products is None:
            last.products = self._scored(query)
        return last.products

    def _scored(self, query: QueryTerms) -> tuple[np.ndarray, list[list[FactorScores]]]:
        """The ranked documents of a query that was not the last one, and their scores."""
        every = [factor for product in self.mixture.products for factor in product.factors]
        models = {(factor.scorer, factor.wrappers): factor for factor in every if factor.scorer in self.scorers}
        scored = {key: self.scorers[factor.scorer].score(self.wrapped(factor, query)) for key, factor in models.items()}
        docs = _union([own for own, _ in scored.values()])

        def scores(factor: Factor) -> FactorScores:
            scorer, normalise = factor.scorer, FACTOR_NORMALISATIONS.get(factor.normalisation)
            if isinstance(scorer, Prior):
                ranked_docs, raw = docs, self._priors[scorer][docs]
            else:
                ranked_docs, raw = scored[scorer, factor.wrappers]
            counted = normalise(raw) if normalise and len(raw) else raw
            if len(ranked_docs) == len(docs):
                return FactorScores(factor, raw, counted, np.ones(len(docs), dtype=bool))
            ranked = contained(docs, ranked_docs)
            return FactorScores(factor, _spread(raw, ranked), _spread(counted, ranked), ranked)

        return docs, [[scores(factor) for factor in product.factors] for product in self.mixture.products]

    def wrapped(self, factor: Factor, query: QueryTerms) -> QueryTerms:
        """The terms of a query that a factor scores."""
        if not factor.wrappers:
            return query
        from toysearch.search.relevance_feedback import wrapped  # most mixtures do not need it

        wrapped_queries, key = self._of(query).wrapped, (factor.scorer, factor.wrappers)
        if key not in wrapped_queries:
            [wrapped_queries[key]] = wrapped(self.scorers[factor.scorer], [query], factor.wrappers)
        return wrapped_queries[key]

    def _all_wrapped(self, factor: Factor, queries: Sequence[QueryTerms], threads: int | None) -> Sequence[QueryTerms]:
        """The terms of queries that a factor scores; feedback documents of all are read together."""
        if len(queries) == 1 or not factor.wrappers:
            return [self.wrapped(factor, query) for query in queries]
        from toysearch.search.relevance_feedback import wrapped  # most mixtures do not need it

        return wrapped(self.scorers[factor.scorer], queries, factor.wrappers, threads)

    def _of(self, query: QueryTerms) -> _LastQuery:
        """What is known of a query if it is the last one: several of its documents may be explained."""
        last = self._last
        if last is None or last.query is not query:
            last = self._last = _LastQuery(query)
        return last


def weighted_sum(mixture: Mixture, products: Sequence[Sequence[Array]], n: int) -> Array:
    """The weighted sum of the products of n scores of each factor of a mixture."""
    total = np.zeros(n)
    for product, factors in zip(mixture.products, products, strict=True):
        part = np.full(n, product.weight)
        with np.errstate(all="ignore"):
            for counted in factors:
                part = part * counted
            total = total + part
    return total


def _union(ranked: Sequence[np.ndarray]) -> np.ndarray:
    """The documents that are in one of several lists of documents by rising number, by rising number."""
    first, *others = ranked
    if all(len(docs) == len(first) and np.array_equal(docs, first) for docs in others):
        return first
    return np.unique(np.concatenate(ranked))


def _spread(scores: Array, ranked: np.ndarray) -> Array:
    """The scores of the ranked documents, and 0 for the others."""
    every = np.zeros(len(ranked))
    every[ranked] = scores
    return every


def prior_values(prior: Prior, index: Index) -> Array:
    """The prior of each document; missing numbers become the lowest one, with a note."""
    # Returns (N,) float64.
    values = _from_file(prior, index) if prior.field is None else _from_index(prior, index)
    lacking = np.isnan(values)
    if lacking.all():
        raise ArgumentError(f"{prior}: no document has a number there; expected numbers, or dates such as 2024-07-01")
    if lacking.any():
        lowest = float(np.nanmin(values))
        has = f"{counted(int(lacking.sum()), 'document')} of {len(values)} without a number"
        note(f"{prior}: {has}; the lowest of the others, {lowest:g}, is used for them")
        values = np.where(lacking, lowest, values)
    return values


def _from_index(prior: Prior, index: Index) -> Array:
    if prior.source not in index.values:
        keeps = f"it keeps {', '.join(index.values)}" if index.values else "it keeps none"
        raise ArgumentError(
            f"{prior}: the index does not keep numbers of the field '{prior.source}' ({keeps}); build it with "
            f"{Remedy('Index.build', values=[prior.source])}"
        )
    return index.values[prior.source]


def _from_file(prior: Prior, index: Index) -> Array:
    """The numbers in a file, by document; NaN for a document without a line."""
    values = np.full(len(index), np.nan)
    first_lines: dict[str, int] = {}
    unknown = 0
    for line, doc_id, value in _rows(Path(prior.source)):
        first = first_lines.setdefault(doc_id, line)
        if first != line:
            raise malformed(prior.source, line, f"doc_id '{doc_id}' was already given on line {first}")
        number = index.doc_ids.find(doc_id, index.doc_ids_order)
        if number < 0:
            unknown += 1
        else:
            values[number] = value
    if unknown:
        note(f"{prior}: {counted(unknown, 'line')} of documents that the index does not have")
    return values


def _rows(path: Path) -> list[tuple[int, str, float]]:
    """Line, doc_id and number of each line; a first line without a number is a header."""
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    rows: list[tuple[int, str, float]] = []
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            cells = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter, strict=True))]
        except csv.Error as error:
            raise malformed(path, line, f"expected doc_id and value, found a malformed row: {error}") from None
        if len(cells) != 2:
            raise malformed(path, line, f"expected doc_id and value, found {counted(len(cells), 'column')}: '{text}'")
        value = number_in(cells[1])
        if np.isnan(value):
            if line == 1:
                continue
            raise malformed(path, line, f"expected a number or a date as value, found '{cells[1]}'")
        rows.append((line, cells[0], value))
    return rows
