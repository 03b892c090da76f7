"""Searches in parts: the shards of an index, and workers that search shards or rank with whole models.

Each shard finds its best documents with the statistics of the whole; each worker opens or builds an index once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import ArgumentError, Run, Tell, all_done, checked, report, without_notes
from toysearch.corpus import Collection, load, place_of_documents, shared_path
from toysearch.index import MANIFEST, Index, Shard, ShardedIndex, is_index_folder, one_shard, seal
from toysearch.models import Mixture, Model
from toysearch.search.scoring import ModelScorer, QueryTerms, Ranked, Weights, highest
from toysearch.search.searcher import Searcher

__all__ = ["spread_over"]

_OPEN = 64  # shards that a worker keeps open

QUERIES = 2
"""The place of the queries among the arguments of `answers` after the shard."""

_AT_ONCE = 64  # queries, at least, that a shard answers before it says so
_TOLD = 20  # times, at most, that it says so


class ShardedScorer(ModelScorer):
    """One model over an index in shards; equal scores are ranked in the order of the documents, as in one index."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        assert isinstance(weights.index, ShardedIndex)
        self._index: ShardedIndex = weights.index

    def prepare(self, terms: Iterable[int]) -> None:
        """Nothing: the shards weigh their own postings."""

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that contain a query term, by ascending number, and their scores."""
        [(docs, scores)] = self._joined([query], None, None, ranked=False)
        return docs, scores

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all matches if k is None."""
        return [highest(ranked, k) for ranked in self._joined(queries, k, threads, ranked=True)]

    def _joined(
        self, queries: Sequence[QueryTerms], k: int | None, threads: int | None, *, ranked: bool
    ) -> Iterator[Ranked]:
        """The documents of each query and their scores, those of the first shard first, one query at a time."""
        index, spread = self._index, [*pairwise(self._index.bases)]
        memory = self.weights.memory // len(spread)
        arguments = [
            (self.weights.model, memory, [_between(query, *span) for query in queries], k, threads, ranked)
            for span in spread
        ]
        of_shards = index.spread(answers, arguments)
        for parts in zip(*of_shards, strict=True):
            docs = [local_docs + base for (local_docs, _), base in zip(parts, index.bases, strict=False)]
            yield np.concatenate(docs), np.concatenate([scores for _, scores in parts])


def answers(
    shard: Shard,
    model: Model,
    memory: int,
    queries: Sequence[QueryTerms],
    k: int | None,
    threads: int | None,
    ranked: bool,
    tell: Callable[[int], object] | None = None,
) -> Sequence[Ranked]:
    """The documents of a shard for each query with their scores: the k best, best first, or all by number.

    tell: called now and then with the number of queries answered.
    """
    scorer = shard.scorers.get(model)
    if scorer is None:
        scorer = shard.scorers[model] = ModelScorer(Weights(shard, model, memory))
    ranked_queries: list[Ranked] = []
    step = max(_AT_ONCE, -(-len(queries) // _TOLD)) if tell else max(1, len(queries))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        ranked_queries += scorer.best(some, k, threads) if ranked else [scorer.score(query) for query in some]
        if tell:
            tell(len(ranked_queries))
    return ranked_queries


def _between(query: QueryTerms, start: int, stop: int) -> QueryTerms:
    """The part of a query that concerns the documents from start up to stop, which a shard numbers from 0."""
    matched = query.matched
    if matched is not None:
        first, last = np.searchsorted(matched, (start, stop)).tolist()
        matched = matched[first:last] - start
    allowed = None if query.allowed is None else query.allowed[start:stop]
    derived = tuple(term.between(start, stop) for term in query.derived)
    return query._replace(matched=matched, allowed=allowed, derived=derived, postings={}, unknown=dict(query.unknown))


@checked
def spread_over(client: Any, index: Index, progress: Callable[[int, int], object] | None = None) -> None:
    """Nothing; workers search the shards of an index from now on, all queries of a run at once in each shard.

    Parameters
    ----------
    client : distributed.Client
        The Dask workers, which must be able to read the folder of the index.
    index : Index
        An index in shards, opened from a folder.
    progress : callable, optional
        Called now and then with the number of queries that the shards have answered, on average, and with that of all.

    Raises
    ------
    ArgumentError
        If the index has no shards, or is not in a folder.
    """
    if not isinstance(index, ShardedIndex) or index.folder is None:
        raise ArgumentError("workers search an index in shards, opened from a folder that all of them can read")
    place = shared_path(index.folder)
    checksum = seal((index.folder / MANIFEST).read_bytes())
    names = [part.folder.name for part in index.parts if part.folder is not None]

    def spread(task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The results of a function of each shard."""
        tasks = [(place, checksum, name, task, values) for name, values in zip(names, arguments, strict=True)]
        total = len(arguments[0][QUERIES])
        tell = None if progress is None else lambda count: progress(count // len(tasks), total)
        return all_done(client, _shard_result, tasks, tell)

    index.spread = spread


def _shard_result(place: str, checksum: str, name: str, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result of a function of a shard, in a worker."""
    return task(_opened_shard(place, checksum, name), *arguments, tell=report)


@lru_cache(_OPEN)
def _opened_shard(place: str, checksum: str, name: str) -> Shard:
    """A shard, opened once by each worker."""
    return one_shard(Path(place), checksum, name)


class IndexSource(NamedTuple):
    """Where a worker finds an index, or the collection to build it from, with the settings of both."""

    place: str
    reading: tuple[tuple[str, Any], ...] = ()
    analyzer: Analyzer | None = None
    fields: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @classmethod
    def of(cls, index: Index, collection: Collection | None = None) -> IndexSource:
        """The source of an opened index, or of one built from a collection."""
        if index.folder is not None:
            return cls(shared_path(index.folder))
        if collection is None:
            raise ArgumentError(
                "the index is in the memory of this process only, where workers cannot read it; save it to a folder "
                "and open that (Index.open)"
            )
        place, reading = place_of_documents(collection)
        columns = tuple(index.fields.names), tuple(index.values), tuple(index.keywords)
        return cls(place, tuple(reading.items()), index.analyzer, *columns)


RankedElsewhere = Callable[[Sequence[Model | Mixture], Sequence[tuple[str, str]], Mapping[str, Any]], list[Run]]
"""The runs of models on queries, with the other arguments of `Searcher.run`."""


def ranked_by(
    client: Any, index: Index, collection: Collection | None = None, tell: Tell | None = None
) -> RankedElsewhere:
    """A function that ranks with models by the workers of a client, on an opened index or one built from a collection.

    tell: called with the number of queries ranked with all models.
    """
    source = IndexSource.of(index, collection)
    return lambda models, queries, how: all_done(
        client, _run, [(source, model, queries, how) for model in models], tell
    )


@contextmanager
def ranking(client: Any, index: Index, collection: Collection | None = None) -> Iterator[RankedElsewhere | None]:
    """What `ranked_by` gives; for an index in shards None, and the workers search its shards inside the context."""
    if not isinstance(index, ShardedIndex):
        yield ranked_by(client, index, collection)
        return
    before = index.spread
    spread_over(client, index)
    try:
        yield None
    finally:
        index.spread = before


def _run(
    source: IndexSource, model: Model | Mixture, queries: Sequence[tuple[str, str]], how: Mapping[str, Any]
) -> Run:
    """The run of a model, in a worker."""
    run = Searcher(index_of_source(source), model).run(queries, **how)
    report(len(queries))
    return run


@lru_cache(1)
def index_of_source(source: IndexSource) -> Index:
    """The index of a source, made once by each worker."""
    path = source.place
    if is_index_folder(path):
        return Index.open(path)
    with without_notes():  # the command has issued them
        collection = load(path, **dict(source.reading))
        kept: dict[str, Any] = {"fields": source.fields, "values": source.values, "keywords": source.keywords}
        return Index.build(collection, source.analyzer, **kept)
