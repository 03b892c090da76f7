"""Relevance feedback: another search, with the terms of documents that a user found relevant, or not relevant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, Ranking, expect_list
from toysearch.index import Picked
from toysearch.models import Factor, Ranker
from toysearch.models.calls import CALLS
from toysearch.models.rankers import factor_of
from toysearch.query.modes import mode_of
from toysearch.retrieval.expanded_queries import Expansion, expanded_by, wrapped
from toysearch.retrieval.model_scorer import ModelScorer
from toysearch.retrieval.query_terms import QueryTerms
from toysearch.retrieval.scoring import Scorer
from toysearch.retrieval.searcher import Asked, Searcher, SearcherLike, asked, check_request, searcher_of
from toysearch.retrieval.typed_query import IndexTexts

__all__ = ["search_again"]


ROCCHIO = "rocchio"
"""Feedback around a model that has none."""


class KnownFeedback(NamedTuple):
    """Model, terms of a query without feedback, and these with the terms of known documents."""

    model: str
    scorer: ModelScorer
    before: QueryTerms
    expansion: Expansion
    after: QueryTerms


def expect_relevant(relevant: Iterable[str]) -> None:
    """Refuse what is not a list of the ids of documents, such as a dict with their grades."""
    if isinstance(relevant, Mapping):
        raise ArgumentError("relevant must be a list of doc_ids, not a dict; those of grade 0 belong in not_relevant")
    expect_list(str, ordered=False, relevant=relevant)


def search_again(
    searcher: SearcherLike,
    text: Asked,
    relevant: Iterable[str],
    not_relevant: Iterable[str] = (),
    *,
    k: int | None = 10,
    query_mode: str | None = None,
    query_id: str = "",
) -> Ranking:
    """Find the best documents for a query and for documents that a user found relevant, or not relevant.

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
    >>> searcher = toysearch.Searcher(index, "rocchio(bm25, df=0.5)")
    >>> [hit.doc_id for hit in search_again(searcher, "cat", ["1"], ["3"])]
    ['1', '3', '5']
    """
    expect_relevant(relevant)
    check_request(k)
    feedback = known_feedback(searcher, text, relevant, not_relevant, query_mode=query_mode, query_id=query_id)
    [(docs, scores)] = feedback.scorer.best([feedback.after], k)
    index = feedback.scorer.weights.index
    texts = IndexTexts(index, asked(text), mode_of(query_mode, query_id))
    return Ranking.of_index(query_id, Picked(index.doc_ids, docs), scores, texts)


def known_feedback(
    searcher: SearcherLike,
    text: Asked,
    relevant: Iterable[str],
    not_relevant: Iterable[str] = (),
    *,
    query_mode: str | None = None,
    query_id: str = "",
) -> KnownFeedback:
    """Expand a query by known documents."""
    searcher = searcher_of(searcher)
    good, bad = _numbers(searcher, relevant), _numbers(searcher, not_relevant)
    if both := {*good.tolist()} & {*bad.tolist()}:
        raise ArgumentError(f"document '{searcher.index.doc_ids[min(both)]}' is given as relevant and as not relevant")
    scorer, factor = wrapped_scorer(searcher.scorer)
    place = next(place for place, wrapper in enumerate(factor.wrappers) if wrapper.expands)
    wrapper = factor.wrappers[place]
    if len(bad) and "gamma" not in wrapper.declared:
        raise ArgumentError(f"{wrapper.call} does not use documents that are not relevant; rocchio(…) does")
    [before] = wrapped(scorer, [searcher.terms(text, query_mode, query_id)], factor.wrappers[place + 1 :])
    expansion = expanded_by(scorer, before, wrapper, good, np.ones(len(good)), bad if len(bad) else None)
    [after] = wrapped(scorer, [expansion.query], factor.wrappers[:place])
    return KnownFeedback(str(factor), scorer, before, expansion, after)


def _numbers(searcher: Searcher, doc_ids: Iterable[str]) -> np.ndarray:
    return np.array(sorted({searcher.index.doc_number(doc_id) for doc_id in doc_ids}), np.int64)


def wrapped_scorer(scorer: Scorer) -> tuple[ModelScorer, Factor]:
    """Return the model of a scorer, and the model inside its feedback, or inside Rocchio's feedback."""
    inside: Any = scorer
    wrapped_by = scorer.factors[0].wrappers if len(scorer.factors) == 1 else ()
    if wrapped_by:
        inside = scorer.scorers.get(scorer.factors[0].scorer, scorer)
    if inside.weights is None:
        raise ArgumentError("relevance feedback takes one model, such as bm25 or rm3(bm25), not a mixture")
    ranker = scorer.factors[0].inside if wrapped_by else inside.weights.model
    if not any(wrapper.expands for wrapper in wrapped_by):
        settings = CALLS[ROCCHIO].settings.values()
        ranker = Ranker(ROCCHIO, (ranker,), tuple(setting.default for setting in settings))
    return inside, factor_of(ranker)
