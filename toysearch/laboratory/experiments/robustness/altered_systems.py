"""Systems on the queries of a collection, on altered ones, and on corrected ones: three runs of each to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import NamedTuple

from toysearch.base.argument_checks import checked
from toysearch.base.errors import DataError, without_notes
from toysearch.base.records import Query, Run
from toysearch.corpus.collection import Collection, Queries
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.robustness.alteration import (
    Alteration,
    Vocabulary,
    altered_queries,
    corrected_queries,
)
from toysearch.laboratory.experiments.robustness.query_alterations import alteration_named
from toysearch.laboratory.judged_collection import runs_of_models
from toysearch.models.mixture import ModelLike
from toysearch.models.registry import model as find_model

__all__ = ["AlteredSystems", "altered_systems"]


class AlteredSystems(NamedTuple):
    """Runs to compare.

    Attributes
    ----------
    runs : list of Run
        For each model its run of the queries, such as ``bm25``, of the altered queries, such as ``bm25, upper case``,
        and of misspelt queries after correction, ``bm25, corrected``.
    collection : Collection
        The collection with only the queries that the alteration changes, and their judgments.
    altered : list of Query
        These queries, altered.
    alteration : Alteration
        The alteration.
    """

    runs: list[Run]
    collection: Collection
    altered: list[Query]
    alteration: Alteration


@checked
def altered_systems(
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
) -> AlteredSystems:
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
    AlteredSystems
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
    >>> found = altered_systems(pets, Index.build(pets), ["bm25"], "every word misspelt")
    >>> for system, mean in toysearch.compare(found.runs, found.collection, "AP").means["AP"].items():
    ...     print(system, round(mean, 4))
    bm25 0.3899
    bm25, every word misspelt 0.0206
    bm25, corrected 0.3523
    """
    vocabulary = Vocabulary(index, index.texts if index.texts is not None else collection.documents.texts)
    language = index.analyzer.language if index.analyzer.language != "none" else collection.language
    change = alteration_named(alteration, vocabulary, language)
    altered = altered_queries(change, collection.judged_queries, seed)
    if not altered:
        raise DataError(f"the alteration '{change.name}' cannot be compared on '{collection.name}': {change.idle}")
    changed = {query.query_id for query in altered}
    judged = collection.qrels.of_queries(q for q in collection.qrels.query_ids if q in changed)
    before = [query for query in collection.judged_queries if query.query_id in changed]
    given = {"": before, f", {change.name}": altered}
    if change.misspells:
        given[", corrected"] = corrected_queries(index, altered)
    topics = {
        name: collection.with_topics(Queries(queries), judged, collection.threshold) for name, queries in given.items()
    }
    runs: list[Run] = []
    for model in map(find_model, models):
        for name, asked in topics.items():
            # Notes on the original queries matter; a misspelt query that finds nothing is expected.
            with without_notes() if name else nullcontext():
                [run] = runs_of_models([model], index, asked, k, ties=ties, threads=threads)
            run.name += name
            runs.append(run)
            if progress:
                progress(len(runs))
    return AlteredSystems(runs, topics[""], altered, change)
