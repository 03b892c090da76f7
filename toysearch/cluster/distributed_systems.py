"""Systems ranked by workers: each opens or builds the index once, and ranks all queries with one model at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import ArgumentError, without_notes
from toysearch.base.records import Run
from toysearch.cluster.connection import SharedPlace, Tell, done, place_of_documents, report
from toysearch.cluster.distributed_search import spread_over
from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection
from toysearch.index.inverted_index import Index
from toysearch.index.sharded_index import ShardedIndex
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.search.searcher import Searcher, is_index_folder


class IndexSource(NamedTuple):
    """Where a worker finds an index, or the collection to build it from, with the settings of both."""

    place: SharedPlace
    reading: tuple[tuple[str, Any], ...] = ()
    analyzer: Analyzer | None = None
    fields: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @classmethod
    def of(cls, index: Index, collection: Collection | None = None) -> IndexSource:
        """The source of an opened index, or of one built from a collection."""
        if index.folder is not None:
            return cls(SharedPlace.of(index.folder))
        if collection is None:
            raise ArgumentError(
                "the index is in the memory of this process only, where workers cannot read it; save it to a folder "
                "and open that (Index.open)"
            )
        place, reading = place_of_documents(collection)
        kept = tuple(index.fields.names), tuple(index.values), tuple(index.keywords)
        return cls(place, tuple(reading.items()), index.analyzer, *kept)


Ranked = Callable[[Sequence[Model | Mixture], Sequence[tuple[str, str]], Mapping[str, Any]], list[Run]]
"""The runs of models on queries, with the other arguments of `Searcher.run`."""


def ranked_by(client: Any, index: Index, collection: Collection | None = None, tell: Tell | None = None) -> Ranked:
    """A function that ranks with models by the workers of a client, on an opened index or one built from a collection.

    tell: called with the number of queries ranked with all models.
    """
    source = IndexSource.of(index, collection)
    return lambda models, queries, how: done(client, _run, [(source, model, queries, how) for model in models], tell)


@contextmanager
def ranking(client: Any, index: Index, collection: Collection | None = None) -> Iterator[Ranked | None]:
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
    found = Searcher(index_of_source(source), model).run(queries, **how)
    report(len(queries))
    return found


@lru_cache(1)
def index_of_source(source: IndexSource) -> Index:
    """The index of a source, made once by each worker."""
    path = source.place.here()
    if is_index_folder(path):
        return Index.open(path)
    with without_notes():  # the command has issued them
        collection = load(path, **dict(source.reading))
        kept: dict[str, Any] = {"fields": source.fields, "values": source.values, "keywords": source.keywords}
        return Index.build(collection, source.analyzer, **kept)
