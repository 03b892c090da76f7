"""Postings and a query → scores: add up term weights in one canonical order, then finish.

The order in which a document's terms are added is the same on every path, so that scores are the same to the
last bit: by falling maximum, over the term's postings in the whole collection, of query weight · weight; equal
ones by term. Then the parts of every ranked document, then the document's own part, then the similarity.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from toysearch.errors import ModelError
from toysearch.index.index import Index
from toysearch.ranking.model import Array, call, names_of
from toysearch.ranking.similarity import MEETS
from toysearch.ranking.weights import TermWeights, Weights


class QueryTerms(NamedTuple):
    """A query's terms: those that the index knows, by number, and those it does not."""

    numbers: np.ndarray  # (n,) int64; the known terms, each once, in the order of the query
    qtf: Array  # (n,) float64; how often each occurs in the query
    unknown: dict[str, int]  # the terms that no document holds, with their counts

    @property
    def statistics(self) -> dict[str, Any]:
        """The statistics qtf, ql, max_qtf and distinct_q, which count known terms only."""
        return {
            "qtf": self.qtf,
            "ql": float(self.qtf.sum()),
            "max_qtf": float(self.qtf.max()) if len(self.qtf) else 0.0,
            "distinct_q": float(len(self.qtf)),
        }


def query_terms(index: Index, terms: Iterable[str]) -> QueryTerms:
    """The analysed terms of a query, looked up in an index.

    Where terms are pairs of characters, one that stands alone is looked for in all pairs: each counts as a term.
    """
    known: dict[int, float] = {}
    unknown: dict[str, int] = {}
    for term in terms:
        numbers = _numbers(index, term)
        for number in numbers:
            known[number] = known.get(number, 0.0) + 1.0
        if not numbers:
            unknown[term] = unknown.get(term, 0) + 1
    return QueryTerms(np.array(list(known), np.int64), np.array(list(known.values()), np.float64), unknown)


def _numbers(index: Index, term: str) -> list[int]:
    """The numbers of the terms that a term of a query stands for: its own, if it has one, but for few."""
    if index.analyzer.cjk and not index.analyzer.makes_grams:
        from toysearch.analysis.cjk import is_character

        if is_character(term):
            return [int(number) for number in index.terms.holding(term)]
    number = index.term_numbers[term]
    return [] if number < 0 else [number]


class Plan(NamedTuple):
    """All that scoring a query needs, in the canonical order of its terms."""

    query: QueryTerms  # the query, its known terms in the canonical order
    query_weights: Array  # (n,) float64; q of each term
    terms: list[TermWeights]  # postings and weights of each
    every: Array  # (n,) float64; what each term adds to every ranked document
    # squared_norm, absolute_norm: qq = Σ q² and q1 = Σ |q|, with the unknown terms where the model counts them
    squared_norm: float
    absolute_norm: float


def of_query(weights: Weights, query: QueryTerms) -> tuple[Array, Array]:
    """The weight of each term in the query, and what each adds to every ranked document."""
    n, hooks = len(query.numbers), weights.model.hooks
    if not n or not ("query" in hooks or "every" in hooks):
        return query.qtf, np.zeros(n)
    statistics = {**query.statistics, **weights.term_statistics(query.numbers)}
    query_weights = weights.hook("query", statistics, n) if "query" in hooks else query.qtf
    every = weights.hook("every", statistics, n) if "every" in hooks else np.zeros(n)
    if not (np.isfinite(query_weights).all() and np.isfinite(every).all()):
        raise ModelError(f"model '{weights.model}' gives a query term a weight that is not a finite number")
    return query_weights, every


def plan(weights: Weights, query: QueryTerms, terms: list[TermWeights] | None = None) -> Plan:
    """The query's terms in the canonical order, with their weights: those given, or computed where there are none."""
    terms = weights.of(query.numbers.tolist()) if terms is None else terms
    query_weights, every = of_query(weights, query)
    meet = MEETS[weights.model.similarity.meet]
    highest = [
        float(max(meet(q, term.highest), meet(q, term.lowest)))
        for q, term in zip(query_weights.tolist(), terms, strict=True)
    ]
    order = np.lexsort((query.numbers, -np.array(highest)))
    norm_weights = np.concatenate([query_weights[order], _unknown_weights(weights, query)])
    return Plan(
        QueryTerms(query.numbers[order], query.qtf[order], query.unknown),
        query_weights[order],
        [terms[i] for i in order],
        every[order],
        float(np.sum(np.square(norm_weights))),
        float(np.sum(np.abs(norm_weights))),
    )


def _unknown_weights(weights: Weights, query: QueryTerms) -> Array:
    """The query weights of terms that the index does not know: none unless the model says so."""
    if not query.unknown or "unknown" not in weights.model.hooks:
        return np.zeros(0)
    qtf = np.array(list(query.unknown.values()), dtype=np.float64)
    return weights.hook("unknown", {**query.statistics, "qtf": qtf}, len(qtf))


def score(weights: Weights, planned: Plan) -> tuple[np.ndarray, Array]:
    """The documents that hold a term of the query, by rising number, and their scores."""
    sums = np.zeros(weights.index.stats.N)
    matched = np.zeros(weights.index.stats.N, dtype=bool)
    meet = MEETS[weights.model.similarity.meet]
    for q, term in zip(planned.query_weights.tolist(), planned.terms, strict=True):
        sums[term.docs] += meet(q, term.weights)
        matched[term.docs] = True
    docs = np.flatnonzero(matched)
    return docs, finish(weights, planned, docs, sums[docs])


def finish(weights: Weights, planned: Plan, docs: np.ndarray, sums: Array) -> Array:
    """The scores of documents from the sums of their term weights: the other parts, then the similarity."""
    model = weights.model
    scores = sums + every_part(planned)
    if "document" in model.hooks:
        scores = scores + document_part(weights, planned, docs)
    similarity = model.similarity.function
    named: dict[str, Any] = {"s": scores, "qq": planned.squared_norm, "q1": planned.absolute_norm}
    if "dd" in names_of(similarity):
        named["dd"] = weights.squared_norms[docs]
    if "d1" in names_of(similarity):
        named["d1"] = weights.absolute_norms[docs]
    with np.errstate(all="ignore"):
        scores = call(similarity, named, model.parameters)
    if not np.isfinite(scores).all():
        doc = int(docs[np.flatnonzero(~np.isfinite(scores))[0]])
        raise ModelError(f"model '{model}' gives document '{weights.index.doc_ids[doc]}' a score that is not finite")
    return np.asarray(scores, dtype=np.float64)


def every_part(planned: Plan) -> float:
    """What the query's terms add to every ranked document, summed in the canonical order."""
    return added(planned.every)


def added(values: Array) -> float:
    """The sum of values, added one by one from the first; the built-in sum rounds otherwise from Python 3.12 on.

    >>> added(np.array([0.1, 0.2, 0.3])), 0.1 + 0.2 + 0.3
    (0.6000000000000001, 0.6000000000000001)
    """
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def document_part(weights: Weights, planned: Plan, docs: np.ndarray) -> Array:
    """What the model adds once to each of these documents; zeros where it adds nothing."""
    if "document" not in weights.model.hooks:
        return np.zeros(len(docs))
    names = names_of(weights.model.hooks["document"])
    statistics = {**planned.query.statistics, **weights.document_statistics(docs, names)}
    return weights.hook("document", statistics, len(docs))
