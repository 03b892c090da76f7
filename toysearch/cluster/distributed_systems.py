"""Systems ranked by workers: each opens or builds the index once, and ranks all queries with one model at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.cluster.connection import SharedPlace, Tell, done, report
from toysearch.corpus.catalog import load
from toysearch.errors import without_notes
from toysearch.index.inverted_index import Index
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.records import Run
from toysearch.search.searcher import Searcher, is_index_folder


class IndexSource(NamedTuple):
    """Where a worker finds an index, or the collection to build it from, with the settings of both."""

    place: SharedPlace
    reading: tuple[tuple[str, Any], ...]
    analyzer: Analyzer | None
    fields: tuple[str, ...] | None
    values: tuple[str, ...]

    @classmethod
    def of(cls, source: str, reading: Mapping[str, Any], index: Index) -> IndexSource:
        """The source of an index that the command has opened or built."""
        kept = tuple(index.fields.names) if index.fields.names else None
        return cls(SharedPlace.of(source), tuple(reading.items()), index.analyzer, kept, tuple(index.values))


def runs_by_workers(
    client: Any,
    source: IndexSource,
    models: Sequence[Model | Mixture],
    queries: Sequence[tuple[str, str]],
    how: Mapping[str, Any],
    tell: Tell | None = None,
) -> list[Run]:
    """The run of each model, made by the workers of a client; how: the other arguments of `Searcher.run`."""
    tasks = [(source, model, list(queries), dict(how)) for model in models]
    return done(client, _run, tasks, tell)


def _run(source: IndexSource, model: Model | Mixture, queries: list[tuple[str, str]], how: dict[str, Any]) -> Run:
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
        collection = load(path, **{**dict(source.reading), "topics": False})
        return Index.build(collection, source.analyzer, fields=source.fields or (), values=source.values)
