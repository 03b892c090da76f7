"""Workers that search the shards of an index, or rank with whole models; each opens or builds an index once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import ArgumentError, Run, Tell, all_done, report, without_notes
from toysearch.collection.catalog import load
from toysearch.collection.collection import Collection
from toysearch.index import MANIFEST, Index, is_index_folder
from toysearch.index.file_layout import seal
from toysearch.models import Model, Ranker
from toysearch.retrieval.searcher import RankedElsewhere, Searcher
from toysearch.workbench.shards.document_shares import place_of_documents, shared_path
from toysearch.workbench.shards.sharded_index import Shard, ShardedIndex, one_shard
from toysearch.workbench.shards.sharded_scorer import QUERIES

__all__ = ["spread_over"]

_OPEN = 64  # shards that a worker keeps open


def spread_over(client: Any, index: Index, progress: Callable[[int, int], object] | None = None) -> None:
    """Let workers search the shards of an index from now on, all queries of a run at once in each shard.

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
        tasks = [(place, checksum, name, task, values) for name, values in zip(names, arguments, strict=True)]
        total = len(arguments[0][QUERIES])
        tell = None if progress is None else lambda count: progress(count // len(tasks), total)
        return all_done(client, _shard_result, tasks, tell)

    index.spread = spread


def _shard_result(place: str, checksum: str, name: str, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return task(_opened_shard(place, checksum, name), *arguments, tell=report)


@lru_cache(_OPEN)
def _opened_shard(place: str, checksum: str, name: str) -> Shard:
    return one_shard(Path(place), checksum, name)


class IndexSource(NamedTuple):
    """Place where a worker finds an index, or the collection to build it from, with the settings of both."""

    place: str
    reading: tuple[tuple[str, Any], ...] = ()
    analyzer: Analyzer | None = None
    fields: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, index: Index, collection: Collection | None = None) -> IndexSource:
        """Return the source of an opened index, or of one built from a collection."""
        if index.folder is not None:
            return cls(shared_path(index.folder))
        if collection is None:
            raise ArgumentError(
                "the index is in the memory of this process only, where workers cannot read it; save it to a folder "
                "and open that (Index.open)"
            )
        place, reading = place_of_documents(collection)
        columns = tuple(index.fields.names), tuple(index.values)
        return cls(place, tuple(reading.items()), index.analyzer, *columns)


def ranked_by(
    client: Any, index: Index, collection: Collection | None = None, tell: Tell | None = None
) -> RankedElsewhere:
    """Return a function by which workers of a client rank, on an index opened or built from a collection.

    tell: called with the number of queries ranked with all models.
    """
    source = IndexSource.of(index, collection)
    return lambda models, queries, how: all_done(
        client, _run, [(source, model, queries, how) for model in models], tell
    )


@contextmanager
def ranking(client: Any, index: Index, collection: Collection | None = None) -> Iterator[RankedElsewhere | None]:
    """Yield the function of `ranked_by`; or None for an index in shards, which workers then search."""
    if not isinstance(index, ShardedIndex):
        yield ranked_by(client, index, collection)
        return
    before = index.spread
    spread_over(client, index)
    try:
        yield None
    finally:
        index.spread = before


def _run(source: IndexSource, model: Model | Ranker, queries: Sequence[tuple[str, str]], how: Mapping[str, Any]) -> Run:
    run = Searcher(index_of_source(source), model).run(queries, **how)
    report(len(queries))
    return run


@lru_cache(1)
def index_of_source(source: IndexSource) -> Index:
    """Open or build the index of a source, once in each worker."""
    path = source.place
    if is_index_folder(path):
        return Index.open(path)
    with without_notes():  # the command has issued them
        collection = load(path, **dict(source.reading))
        stored: dict[str, Any] = {"fields": source.fields, "values": source.values}
        return Index.build(collection, source.analyzer, **stored)
