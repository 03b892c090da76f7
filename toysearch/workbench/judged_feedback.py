"""Feedback from judgments, evaluated on the residual collection: without the documents that the user has seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

from toysearch.base import ArgumentError, DataError, Qrels, Run, expect
from toysearch.collection.collection import Collection
from toysearch.index.inverted_index import Index
from toysearch.models import Model, ModelLike
from toysearch.retrieval import Searcher, search_again
from toysearch.retrieval.relevance_feedback import wrapped_scorer
from toysearch.workbench.residual_run import residual_run

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


def judged_feedback(
    collection: Collection,
    index: Index,
    models: Iterable[ModelLike],
    docs: int = 10,
    *,
    k: int = 1000,
    threshold: float | None = None,
    query_mode: str | None = None,
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
    models : iterable of str, function, Model or Ranker
        Models with feedback around the same model, such as ``rocchio(bm25)`` and ``rm3(bm25)``; a model without gets
        Rocchio's.
    docs : int, default 10
        The number of documents seen per query.
    k : int, default 1000
        The maximum number of documents per query, those seen included.
    threshold : float, optional
        The lowest grade of a relevant document; by default the threshold of the collection.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How queries are read, with feedback and without, as in `Searcher.run`; by default as words.

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
    >>> feedback = judged_feedback(pets, Index.build(pets), ["rocchio(bm25)"], docs=5)
    >>> for system, mean in toysearch.compare(feedback.runs, feedback.qrels, "AP").means["AP"].items():
    ...     print(system, round(mean, 4))
    bm25 0.1501
    rocchio(bm25), 5 judged 0.2777
    """
    expect(Collection, collection=collection)
    expect(Index, index=index)
    expect(int, docs=docs, k=k)
    searchers = [Searcher(index, model) for model in models]
    factors = [wrapped_scorer(searcher.scorer)[1] for searcher in searchers]
    insides = {str(factor.scorer): factor.scorer for factor in factors}
    if len(insides) != 1:
        raise ArgumentError(f"feedback from judgments needs one model to see documents of, found {', '.join(insides)}")
    [(name, inside)] = insides.items()
    threshold = collection.threshold if threshold is None else threshold
    first = Searcher(index, cast(Model, inside)).run(collection.judged_queries, k, query_mode=query_mode, name=name)
    texts = dict(collection.judged_queries)
    first_docs = {query_id: tuple(first.doc_ids_of(query_id)[:docs]) for query_id in texts}
    unseen = {
        query_id: {doc: grade for doc, grade in collection.qrels[query_id].items() if doc not in first_docs[query_id]}
        for query_id in texts
    }
    unseen = {q: grades for q, grades in unseen.items() if any(grade >= threshold for grade in grades.values())}
    if not unseen:
        raise DataError(f"no query of '{collection.name}' has a relevant document that is not among the first {docs}")
    seen_of = {query_id: first_docs[query_id] for query_id in unseen}
    runs = [residual_run(first, seen_of)]
    for searcher, factor in zip(searchers, factors, strict=True):
        # Only Rocchio's formula has a part for documents that are not relevant.
        negative = any("gamma" in wrapper.declared for wrapper in factor.wrappers)
        rankings = []
        for query_id, doc_ids in seen_of.items():
            grades = collection.qrels[query_id]
            relevant = [doc_id for doc_id in doc_ids if grades.get(doc_id, threshold - 1) >= threshold]
            others = [doc_id for doc_id in doc_ids if doc_id not in relevant] if negative else []
            rankings.append(
                search_again(searcher, texts[query_id], relevant, others, k=k, query_mode=query_mode, query_id=query_id)
            )
        runs.append(residual_run(Run.from_rankings(rankings, f"{factor}, {docs} judged"), seen_of))
    rows = [place for place, row in enumerate(collection.qrels) if row.doc_id in unseen.get(row.query_id, ())]
    return JudgedFeedback(runs, collection.qrels.of_rows(rows), first_docs)
