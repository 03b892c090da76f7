"""Feedback from judgments, evaluated on the residual collection: without the documents that the user has seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, DataError
from toysearch.base.records import Qrels, Run
from toysearch.corpus.collection import Collection
from toysearch.index.inverted_index import Index
from toysearch.models.mixture import ModelLike
from toysearch.models.model import Model
from toysearch.search.relevance_feedback import search_again, wrapped_scorer
from toysearch.search.searcher import Searcher

__all__ = ["JudgedFeedback", "judged_feedback"]


class JudgedFeedback(NamedTuple):
    """Runs and judgments of the residual collection, to compare.

    Attributes
    ----------
    runs : list of Run
        That of the model without feedback, and one for each model with feedback, all without the documents seen.
    qrels : Qrels
        The judgments of the other documents, for queries that have a relevant one left.
    seen : dict of str to tuple of str
        Query → the documents seen, best first.
    """

    runs: list[Run]
    qrels: Qrels
    seen: dict[str, tuple[str, ...]]


@checked
def judged_feedback(
    collection: Collection,
    index: Index,
    models: Iterable[ModelLike],
    docs: int = 10,
    *,
    k: int = 1000,
    threshold: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> JudgedFeedback:
    """Search again with the judgments of the first documents, and leave these out of the evaluation.

    A user sees the first documents of the model without feedback. Those judged relevant are the relevant documents of
    the feedback, and for Rocchio's all others are not relevant. A system that has been told the judgments of documents
    gets no credit for them: they are taken out of all rankings and of the judgments (residual collection). A query
    without another relevant document is left out.

    Parameters
    ----------
    collection : Collection
        The queries and judgments.
    index : Index
        The documents to rank.
    models : iterable of str, function, Model or Mixture
        Models with feedback around the same model, such as ``rocchio(bm25)`` and ``rm3(bm25)``; a model without gets
        Rocchio's.
    docs : int, default 10
        The number of documents seen per query.
    k : int, default 1000
        The maximum number of documents per query, those seen included.
    threshold : float, optional
        The lowest grade of a relevant document; by default the threshold of the collection.
    progress : callable, optional
        Called with the number of runs made.

    Raises
    ------
    ArgumentError
        If the models have feedback around different models.
    DataError
        If no query has a relevant document left.

    References
    ----------
    Salton & Buckley, "Improving retrieval performance by relevance feedback", JASIS 41, 1990, sec. 4.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> found = judged_feedback(pets, Index.build(pets), ["rocchio(bm25)"], docs=5)
    >>> for system, mean in toysearch.compare(found.runs, found.qrels, "AP").means["AP"].items():
    ...     print(system, round(mean, 4))
    bm25 0.1501
    rocchio(bm25), 5 judged 0.2777
    """
    searchers = [Searcher(index, model) for model in models]
    factors = [wrapped_scorer(searcher.scorer)[1] for searcher in searchers]
    insides = {str(factor.scorer): factor.scorer for factor in factors}
    if len(insides) != 1:
        raise ArgumentError(f"feedback from judgments needs one model to see documents of, found {', '.join(insides)}")
    [(name, inside)] = insides.items()
    queries, least = dict(collection.judged_queries), collection.threshold if threshold is None else threshold
    first = Searcher(index, cast(Model, inside)).run(queries, k)
    seen = {query_id: tuple(first.doc_ids_of(query_id)[:docs]) for query_id in queries}
    left = {}
    for query_id in queries:
        rest = {doc: grade for doc, grade in collection.qrels[query_id].items() if doc not in seen[query_id]}
        if any(grade >= least for grade in rest.values()):
            left[query_id] = rest
    if not left:
        raise DataError(f"no query of '{collection.name}' has a relevant document that is not among the first {docs}")
    runs = [_without(first, seen, left, name)]
    for searcher, factor in zip(searchers, factors, strict=True):
        good = {q: {doc for doc, grade in collection.qrels[q].items() if grade >= least} for q in left}
        again = _again(searcher, {query_id: queries[query_id] for query_id in left}, seen, good, k)
        runs.append(_without(again, seen, left, f"{factor}, {docs} judged"))
        if progress:
            progress(len(runs))
    return JudgedFeedback(runs, Qrels.from_dict(left), seen)


def _again(
    searcher: Searcher,
    queries: dict[str, str],
    seen: dict[str, tuple[str, ...]],
    relevant: dict[str, set[str]],
    k: int,
) -> Run:
    """The rankings of queries searched again with the documents seen, of which some are relevant."""
    negative = any(wrapper.name == "rocchio" for wrapper in wrapped_scorer(searcher.scorer)[1].wrappers)
    rankings = []
    for query_id, text in queries.items():
        good = [each for each in seen[query_id] if each in relevant[query_id]]
        others = [each for each in seen[query_id] if each not in good] if negative else []
        rankings.append(search_again(searcher, text, good, others, k=k))
    offsets = np.cumsum([0, *map(len, rankings)])
    hits = [hit for ranking in rankings for hit in ranking]
    return Run([*queries], offsets, [hit.doc_id for hit in hits], [hit.score for hit in hits], ranked=True)


def _without(run: Run, seen: dict[str, tuple[str, ...]], queries: Iterable[str], name: str) -> Run:
    """The rankings of some queries without the documents seen."""
    query_ids, offsets, doc_ids, scores = [*queries], [0], [], []
    for query_id in query_ids:
        rows, known = run.rows(query_id), {*seen[query_id]}
        for doc_id, score in zip(run.doc_ids_of(query_id), run.values[rows].tolist(), strict=True):
            if doc_id not in known:
                doc_ids.append(doc_id)
                scores.append(score)
        offsets.append(len(doc_ids))
    return Run(query_ids, np.array(offsets), doc_ids, np.array(scores), name, ranked=True)
