"""Runs of systems on the queries of a collection, on altered ones, and on corrected ones, to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import NamedTuple

from toysearch.base import DataError, Run, checked, without_notes
from toysearch.corpus.collection import Collection, Queries
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.robustness.query_alterations import (
    Vocabulary,
    altered_queries,
    change_named,
    corrected_queries,
)
from toysearch.laboratory.study import Study
from toysearch.laboratory.variations import Example
from toysearch.models.mixture import ModelLike
from toysearch.models.registry import model as find_model

__all__ = ["AlteredRuns", "altered_runs"]


class AlteredRuns(NamedTuple):
    """Runs to compare.

    Attributes
    ----------
    runs : list of Run
        For each model its run of the queries, such as ``bm25``, of the altered queries, such as ``bm25, upper case``,
        and of misspelt queries after correction, ``bm25, corrected``.
    collection : Collection
        The collection with only the queries that the alteration changes, and their judgments.
    what : str
        The alteration, as a sentence.
    example : Example
        The first query that it changes.
    """

    runs: list[Run]
    collection: Collection
    what: str
    example: Example


@checked
def altered_runs(
    collection: Collection,
    index: Index,
    models: Iterable[ModelLike],
    alteration: str,
    *,
    k: int | None = 1000,
    seed: int = 0,
    ties: str | None = None,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> AlteredRuns:
    """Rank the queries of a collection as they are, altered, and, if misspelt, corrected by `suggest`.

    Parameters
    ----------
    collection : Collection
        The queries and judgments.
    index : Index
        The documents to rank.
    models : iterable of str, function, Model or Mixture
        The ranking models.
    alteration : str
        The name of an alteration of the queries in `robustness`, such as "every word misspelt".
    k : int or None, default 1000
        The maximum number of documents per query.
    seed : int, default 0
        The seed of the alteration. The queries are those of `robustness` with the same seed.
    ties : {"rank", "trec_eval"}, optional
        As for `Searcher.run`.
    threads : int, optional
        As for `Searcher.run`.
    progress : callable, optional
        Called with the number of runs made.

    Returns
    -------
    AlteredRuns
        The runs, for `compare`, and the collection with the queries that the alteration changes.

    Raises
    ------
    ArgumentError
        If the alteration or a model is unknown.
    DataError
        If the alteration changes no query.

    Examples
    --------
    >>> import toysearch
    >>> pets = toysearch.load("companions")
    >>> altered = altered_runs(pets, Index.build(pets), ["bm25"], "every word misspelt")
    >>> for system, mean in toysearch.compare(altered.runs, altered.collection, "AP").means["AP"].items():
    ...     print(system, round(mean, 4))
    bm25 0.3899
    bm25, every word misspelt 0.0206
    bm25, corrected 0.3523
    """
    vocabulary = Vocabulary(index, index.texts if index.texts is not None else collection.documents.texts)
    language = index.analyzer.language if index.analyzer.language != "none" else collection.language
    change = change_named(alteration, vocabulary, language)
    altered = altered_queries(change, collection.judged_queries, seed)
    if not altered:
        raise DataError(f"the alteration '{change.name}' cannot be compared on '{collection.name}': {change.idle}")
    texts = dict(altered)
    before = [query for query in collection.judged_queries if query.query_id in texts]
    queries = {"": before, f", {change.name}": altered}
    if change.misspells:
        queries[", corrected"] = corrected_queries(index, altered)
    judged = collection.qrels.of_queries(query_id for query_id in collection.qrels.query_ids if query_id in texts)
    runs: list[Run] = []
    original = collection.with_topics(Queries(before), judged, collection.threshold)
    rankers = list(map(find_model, models))
    study = Study.of(original, index=index, models=rankers, k=k, ties=ties, threads=threads, doubts=False)
    for model in rankers:
        for name, of_run in queries.items():
            # Notes on the original queries matter; a misspelt query that finds nothing is expected.
            with without_notes() if name else nullcontext():
                run = study.with_(queries=of_run).run(model)
            run.name += name
            runs.append(run)
            if progress:
                progress(len(runs))
    example = Example(f"query {before[0].query_id}", before[0].text, texts[before[0].query_id])
    return AlteredRuns(runs, original, change.what, example)
