"""Queries with added terms: those of wrappers, and those of documents that someone found relevant, or not relevant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Query, Ranking, checked, counted
from toysearch.index import Index, Picked
from toysearch.models import WRAPPERS, Array, Factor, Mixture, Wrapper
from toysearch.query import Node, settled_mode
from toysearch.search.expansions import EXPANSIONS, Added, Feedback, highest_df
from toysearch.search.mixture_scorer import MixtureScorer
from toysearch.search.scoring import ModelScorer, QueryTerms, Ranked, weigh_query
from toysearch.search.searcher import Searcher, SearcherLike, check_request, searcher_of
from toysearch.search.typed_query import IndexTexts

__all__ = ["search_again"]


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
    return [_checked(scorer, wrapper, feedback) for feedback in feedback_of(scorer.weights.index, queries, ranked)]


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
    query = feedback.query
    weights = dict(zip(query.numbers.tolist(), (query.qtf * added.factor).tolist(), strict=True))
    for term, weight in zip(added.terms.tolist(), added.weights.tolist(), strict=True):
        weights[term] = weights.get(term, 0.0) + weight
    positive = {term: weight for term, weight in weights.items() if weight > 0}
    numbers, qtf = np.array([*positive], np.int64), np.array([*positive.values()], np.float64)
    return Expansion(query._replace(numbers=numbers, qtf=qtf), added, feedback)


def _checked(scorer: ModelScorer, wrapper: Wrapper, feedback: Feedback) -> Expansion:
    """An expansion, refused if the model gives one of its terms a negative weight."""
    result, weights = expansion(wrapper, feedback), scorer.weights
    if "query" in weights.model.hooks and (weigh_query(weights, result.query).query_weights < 0).any():
        raise ArgumentError(
            f"{wrapper.name}({scorer.weights.model}): the model gives the fractional count of an added term a negative "
            "weight; take a model whose query weights do not use a logarithm of the count"
        )
    return result


def wrapped(
    scorer: ModelScorer, queries: Sequence[QueryTerms], wrappers: Iterable[Wrapper], threads: int | None = None
) -> list[QueryTerms]:
    """The terms of queries after all wrappers, the innermost first."""
    terms = [*queries]
    for wrapper in reversed([*wrappers]):
        if wrapper.name in EXPANSIONS:
            terms = [expansion.query for expansion in expanded(scorer, terms, wrapper, threads)]
        else:
            from toysearch.search.derived_terms import sdm  # an expansion does not need it

            terms = [sdm(scorer.weights.index, query, **wrapper.parameters) for query in terms]
    return terms


def doubt_of_expansion(mixture: Mixture, index: Index) -> str:
    """A sentence if a collection is so small that no term can come in; else ""."""
    N = index.stats.N
    for factor in (factor for product in mixture.products for factor in product.factors):
        for wrapper in factor.wrappers:
            if highest_df(N, wrapper.parameters.get("df", 1.0)) < 1:
                documents = counted(N, "document")
                return f"{wrapper.name} adds no term among {documents}: a term in all documents does not come in"
    return ""


ROCCHIO = Wrapper("rocchio", tuple(parameter.default for parameter in WRAPPERS["rocchio"].values()))
"""The feedback around a model that has none."""


class KnownFeedback(NamedTuple):
    """A model, the terms of a query without feedback, and these with the terms of known documents."""

    model: str
    scorer: ModelScorer
    before: QueryTerms
    expansion: Expansion
    after: QueryTerms


@checked
def search_again(
    searcher: SearcherLike,
    text: str | Node | Query | QueryTerms,
    relevant: Iterable[str],
    not_relevant: Iterable[str] = (),
    *,
    k: int | None = 10,
    query_mode: str | None = None,
    query_id: str = "",
) -> Ranking:
    """The best documents for a query and for documents that someone found relevant, or not relevant.

    Parameters
    ----------
    searcher : Searcher
        The index and the model: one with feedback, such as ``rm3(bm25)``, which takes these documents instead of the
        first ones, each with the weight 1; or any other single model, around which Rocchio's feedback is put.
    text : str or Node
        The query.
    relevant, not_relevant : iterable of str
        The ids of documents. Only Rocchio's feedback uses those that are not relevant.
    k : int or None
        The maximum number of documents; None means all that match.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How a text is read, as in `Searcher.search`.
    query_id : str
        The id of the ranking; with one, a text is read as words, as in `Searcher.search`.

    Returns
    -------
    Ranking
        All documents with a term of the expanded query, the known ones included.

    Raises
    ------
    ArgumentError
        If the index lacks a document, a document is in both lists, or the model is a mixture.

    References
    ----------
    Rocchio, "Relevance feedback in information retrieval", in Salton (ed.), The SMART Retrieval System, 1971.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["a cat purrs", "purring sounds", "a cat and a dog", "dogs bark", "purrs"])
    >>> searcher = toysearch.Searcher(index, "rocchio(bm25:df=0.5)")
    >>> [hit.doc_id for hit in search_again(searcher, "cat", ["1"], ["3"])]
    ['1', '3', '5']
    """
    check_request(k)
    feedback = known_feedback(
        searcher_of(searcher), text, relevant, not_relevant, query_mode=query_mode, query_id=query_id
    )
    [(docs, scores)] = feedback.scorer.best([feedback.after], k)
    index = feedback.scorer.weights.index
    typed = text.text if isinstance(text, Query | QueryTerms) else text
    texts = IndexTexts(index, typed, settled_mode(query_mode, query_id))
    return Ranking.of_index(query_id, Picked(index.doc_ids, docs), scores, texts)


def known_feedback(
    searcher: SearcherLike,
    text: str | Node | Query | QueryTerms,
    relevant: Iterable[str],
    not_relevant: Iterable[str] = (),
    *,
    query_mode: str | None = None,
    query_id: str = "",
) -> KnownFeedback:
    """The expansion of a query by known documents."""
    searcher = searcher_of(searcher)
    good, bad = _numbers(searcher, relevant), _numbers(searcher, not_relevant)
    if both := {*good.tolist()} & {*bad.tolist()}:
        raise ArgumentError(f"document '{searcher.index.doc_ids[min(both)]}' is given as relevant and as not relevant")
    scorer, factor = wrapped_scorer(searcher.scorer)
    place = next(place for place, wrapper in enumerate(factor.wrappers) if wrapper.name in EXPANSIONS)
    wrapper = factor.wrappers[place]
    if len(bad) and wrapper.name != ROCCHIO.name:
        raise ArgumentError(f"{wrapper.name} does not use documents that are not relevant; rocchio(…) does")
    [before] = wrapped(scorer, [searcher.terms(text, query_mode, query_id)], factor.wrappers[place + 1 :])
    expansion = expanded_by(scorer, before, wrapper, good, np.ones(len(good)), bad if len(bad) else None)
    [after] = wrapped(scorer, [expansion.query], factor.wrappers[:place])
    return KnownFeedback(str(factor), scorer, before, expansion, after)


def _numbers(searcher: Searcher, doc_ids: Iterable[str]) -> np.ndarray:
    """The numbers of documents, rising."""
    return np.array(sorted({searcher.index.doc_number(doc_id) for doc_id in doc_ids}), np.int64)


def wrapped_scorer(scorer: object) -> tuple[ModelScorer, Factor]:
    """The model of a scorer, and it with its feedback, or with Rocchio's feedback around it."""
    if isinstance(scorer, ModelScorer):
        return scorer, Factor(scorer.weights.model, wrappers=(ROCCHIO,))
    factor = scorer.mixture.wrapped if isinstance(scorer, MixtureScorer) else None
    inside = scorer.scorers[factor.scorer] if factor is not None and isinstance(scorer, MixtureScorer) else None
    if factor is None or not isinstance(inside, ModelScorer):
        raise ArgumentError("relevance feedback takes one model, such as bm25 or rm3(bm25), not a mixture")
    if not any(wrapper.name in EXPANSIONS for wrapper in factor.wrappers):
        factor = factor._replace(wrappers=(ROCCHIO, *factor.wrappers))
    return inside, factor._replace(normalisation="")
