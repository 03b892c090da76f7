"""The terms of a query that a model inside wrappers scores: pairs of words, and terms of feedback documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base.errors import ArgumentError
from toysearch.base.wording import counted
from toysearch.index.inverted_index import Index
from toysearch.models.mixture import Mixture
from toysearch.models.model import Array
from toysearch.models.query_wrappers import Wrapper
from toysearch.search.expansions import EXPANSIONS
from toysearch.search.feedback import Added, Feedback
from toysearch.search.scoring import ModelScorer, QueryTerms, Ranked, weigh_query


class Expansion(NamedTuple):
    """A query with added terms, and what they come from."""

    query: QueryTerms
    added: Added
    feedback: Feedback


def expanded(
    scorer: ModelScorer,
    queries: Sequence[QueryTerms],
    wrapper: Wrapper,
    threads: int | None = None,
) -> list[Expansion]:
    """Queries with the terms that a wrapper adds from the best documents of the model for each."""
    k = int(wrapper.parameters["docs"])
    ranked = scorer.best(queries, k, threads) if k else no_documents(queries)
    return [_checked(scorer, wrapper, each) for each in feedback_of(scorer.weights.index, queries, ranked)]


def no_documents(queries: Sequence[QueryTerms]) -> list[Ranked]:
    """No feedback documents for each query."""
    return [(np.empty(0, np.int64), np.empty(0)) for _ in queries]


def feedback_of(index: Index, queries: Sequence[QueryTerms], ranked: Sequence[Ranked]) -> list[Feedback]:
    """The best documents of queries with their terms; each document is read once."""
    every = index.documents.vectors_of_all([docs for docs, _ in ranked])
    rows = zip(queries, ranked, every, strict=True)
    return [Feedback(index, query, docs, scores, vectors) for query, (docs, scores), vectors in rows]


def expanded_by(
    scorer: ModelScorer,
    query: QueryTerms,
    wrapper: Wrapper,
    docs: np.ndarray,
    scores: Array,
    against: np.ndarray | None = None,
) -> Expansion:
    """A query with the terms that a wrapper adds from given documents."""
    documents = scorer.weights.index.documents
    others = None if against is None else documents.vectors(against)
    feedback = Feedback(scorer.weights.index, query, docs, scores, documents.vectors(docs), others)
    return _checked(scorer, wrapper, feedback)


def expansion(wrapper: Wrapper, feedback: Feedback) -> Expansion:
    """A query with the terms that a wrapper adds from its feedback documents."""
    values = {name: value for name, value in wrapper.parameters.items() if name != "docs"}
    added = EXPANSIONS[wrapper.name](feedback, **{name.replace("lambda", "lambda_"): v for name, v in values.items()})
    return Expansion(_with_terms(feedback.query, added), added, feedback)


def _checked(scorer: ModelScorer, wrapper: Wrapper, feedback: Feedback) -> Expansion:
    """An expansion, refused if the model gives one of its terms a negative weight."""
    made = expansion(wrapper, feedback)
    if "query" in scorer.weights.model.hooks and (weigh_query(scorer.weights, made.query).query_weights < 0).any():
        raise ArgumentError(
            f"{wrapper.name}({scorer.weights.model}): the model gives the fractional count of an added term a negative "
            "weight; take a model whose query weights do not use a logarithm of the count"
        )
    return made


def _with_terms(query: QueryTerms, added: Added) -> QueryTerms:
    """A query with added weights; terms whose weight is not above 0 are dropped."""
    weights = dict(zip(query.numbers.tolist(), (query.qtf * added.own).tolist(), strict=True))
    for term, weight in zip(added.terms.tolist(), added.weights.tolist(), strict=True):
        weights[term] = weights.get(term, 0.0) + weight
    kept = {term: weight for term, weight in weights.items() if weight > 0}
    return query._replace(numbers=np.array([*kept], np.int64), qtf=np.array([*kept.values()], np.float64))


def wrapped(
    scorer: ModelScorer, queries: Sequence[QueryTerms], wrappers: Iterable[Wrapper], threads: int | None = None
) -> list[QueryTerms]:
    """The terms of queries after all wrappers, the innermost first."""
    found = [*queries]
    for wrapper in reversed([*wrappers]):
        if wrapper.name in EXPANSIONS:
            found = [each.query for each in expanded(scorer, found, wrapper, threads)]
        else:
            from toysearch.search.dependence import sdm  # an expansion does not need it

            found = [sdm(scorer.weights.index, query, **wrapper.parameters) for query in found]
    return found


def told_of(mixture: Mixture, index: Index) -> str:
    """A sentence if a collection is so small that no term can come in; else ""."""
    for factor in (factor for product in mixture.products for factor in product.factors):
        for wrapper in factor.wrappers:
            share = wrapper.parameters.get("df", 1.0)
            if share * index.stats.N < 1:
                limit = f"a term in more than {share:g} of the {counted(index.stats.N, 'document')} does not come in"
                return f"{wrapper.name} adds no term: {limit}; set df, as in {wrapper.name}(bm25:df=0.5)"
    return ""
