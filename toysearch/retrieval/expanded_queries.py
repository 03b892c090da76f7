"""Queries with the terms that wrappers add: terms of the best documents of a model, and pairs of neighbouring words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, counted
from toysearch.index import NO_NUMBERS, Index
from toysearch.models.model import Array
from toysearch.models.rankers import Factor, Ranker
from toysearch.retrieval.expansion_formulas import EXPANSIONS, Added, Feedback, highest_df
from toysearch.retrieval.model_scorer import ModelScorer
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import Ranked, weigh_query


class Expansion(NamedTuple):
    """Query with added terms, and their sources."""

    query: QueryTerms
    added: Added
    feedback: Feedback


def expanded(
    scorer: ModelScorer,
    queries: Sequence[QueryTerms],
    wrapper: Ranker,
    threads: int | None = None,
) -> list[Expansion]:
    """Expand queries by the terms that a wrapper adds from the best documents of the model for each."""
    k = int(wrapper.settings["docs"])
    ranked = scorer.best(queries, k, threads) if k else no_documents(queries)
    return [_checked(scorer, wrapper, feedback) for feedback in feedback_of(scorer.weights.index, queries, ranked)]


def no_documents(queries: Sequence[QueryTerms]) -> list[Ranked]:
    """Return an empty list of feedback documents for each query."""
    return [(NO_NUMBERS, np.empty(0)) for _ in queries]


def feedback_of(index: Index, queries: Sequence[QueryTerms], ranked: Sequence[Ranked]) -> list[Feedback]:
    """Read the best documents of queries with their terms; each document is read once."""
    every = index.documents.vectors_of_all([docs for docs, _ in ranked])
    rows = zip(queries, ranked, every, strict=True)
    return [Feedback(index, query, docs, scores, vectors) for query, (docs, scores), vectors in rows]


def expanded_by(
    scorer: ModelScorer,
    query: QueryTerms,
    wrapper: Ranker,
    docs: np.ndarray,
    scores: Array,
    against: np.ndarray | None = None,
) -> Expansion:
    """Expand a query by the terms that a wrapper adds from given documents."""
    documents = scorer.weights.index.documents
    others = None if against is None else documents.vectors(against)
    feedback = Feedback(scorer.weights.index, query, docs, scores, documents.vectors(docs), others)
    return _checked(scorer, wrapper, feedback)


def expansion(wrapper: Ranker, feedback: Feedback) -> Expansion:
    """Expand a query by the terms that a wrapper adds from its feedback documents."""
    settings = {name.replace("lambda", "lambda_"): v for name, v in wrapper.settings.items() if name != "docs"}
    added = EXPANSIONS[wrapper.call](feedback, **settings)
    query = feedback.query
    weights = dict(zip(query.numbers.tolist(), (query.qtf * added.factor).tolist(), strict=True))
    for term, weight in zip(added.terms.tolist(), added.weights.tolist(), strict=True):
        weights[term] = weights.get(term, 0.0) + weight
    positive = {term: weight for term, weight in weights.items() if weight > 0}
    numbers, qtf = np.array([*positive], np.int64), np.array([*positive.values()], np.float64)
    return Expansion(query._replace(numbers=numbers, qtf=qtf), added, feedback)


def _checked(scorer: ModelScorer, wrapper: Ranker, feedback: Feedback) -> Expansion:
    """Refuse an expansion if the model gives one of its terms a negative weight."""
    result, weights = expansion(wrapper, feedback), scorer.weights
    if "query" in weights.model.hooks and (weigh_query(weights, result.query).query_weights < 0).any():
        raise ArgumentError(
            f"{wrapper.call}({scorer.weights.model}): the model gives the fractional count of an added term a negative "
            "weight; take a model whose query weights do not use a logarithm of the count"
        )
    return result


def wrapped(
    scorer: ModelScorer, queries: Sequence[QueryTerms], wrappers: Iterable[Ranker], threads: int | None = None
) -> list[QueryTerms]:
    """Apply all wrappers to queries, the innermost first, and return the terms."""
    terms = [*queries]
    for wrapper in reversed([*wrappers]):
        if wrapper.expands:
            terms = [expansion.query for expansion in expanded(scorer, terms, wrapper, threads)]
        else:
            from toysearch.retrieval.derived_terms import sdm  # an expansion does not need it

            terms = [sdm(scorer.weights.index, query, **wrapper.settings) for query in terms]
    return terms


def doubt_of_expansion(factors: Iterable[Factor], index: Index) -> str:
    """Return a sentence if a collection is too small for any term to be added; else ""."""
    N = index.stats.N
    for factor in factors:
        for wrapper in factor.wrappers:
            if highest_df(N, wrapper.settings.get("df", 1.0)) < 1:
                documents = counted(N, "document")
                return f"{wrapper.call} adds no term among {documents}: a term in all documents does not come in"
    return ""
