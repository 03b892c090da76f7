"""Experiments done by workers: the settings of a search for parameters, the properties of robustness."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer_text import variant
from toysearch.cluster.connection import SharedPlace, Tell, each_done, report, workers_of
from toysearch.cluster.distributed_systems import IndexSource, index_of_source
from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection, Queries
from toysearch.errors import without_notes
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.fast_evaluator import Evaluator, Workbench
from toysearch.laboratory.experiments.robustness.scorecard import Robustness, joined_properties, robustness
from toysearch.laboratory.judged_collection import collection_of
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.records import Qrels
from toysearch.search.searcher import is_index_folder

_PIECES = 8  # tasks per worker, so that one with quick settings gets more of them
_LARGEST = 64  # settings of a task
_kept: dict[str, dict[str, Evaluator]] = {}  # of a worker: the evaluators of one search


class _Search(NamedTuple):
    """What the workers evaluate the models of a search on."""

    name: str
    place: IndexSource
    evaluation: Mapping[str, Any]  # the arguments of `Evaluator` after the index


def evaluated_by(
    client: Any, source: str, reading: Mapping[str, Any]
) -> Callable[[Workbench, Mapping[str, str], Sequence[Model | Mixture]], Iterator[np.ndarray]]:
    """A function for `tune` that evaluates models by the workers of a client, on what `load` reads of a source."""
    name = uuid.uuid4().hex

    def values(bench: Workbench, choices: Mapping[str, str], models: Sequence[Model | Mixture]) -> Iterator[np.ndarray]:
        """The measure of each model for each query, with these choices of the analysis."""
        place = IndexSource.of(source, reading, bench.index)
        if choices:
            place = place._replace(analyzer=variant(bench.analyzer, choices))
        search = _Search(name, place, bench.evaluation)
        size = min(_LARGEST, -(-len(models) // (_PIECES * len(workers_of(client)))))
        pieces = [(search, models[start : start + size]) for start in range(0, len(models), size)]
        for rows in each_done(client, _values, pieces):
            yield from rows

    return values


def _values(search: _Search, models: Sequence[Model | Mixture]) -> list[np.ndarray]:
    """The measure of each model for each query, in a worker."""
    if search.name not in _kept:
        _kept.clear()
        _kept[search.name] = {}
    evaluators, key = _kept[search.name], str(search.place.analyzer and search.place.analyzer.to_dict())
    if key not in evaluators:
        evaluators.clear()
        evaluators[key] = Evaluator(index_of_source(search.place), **search.evaluation)
    return [evaluators[key].values(model) for model in models]


class TopicsSource(NamedTuple):
    """Where a worker finds a judged collection: its documents, or the index that stores them, and its topics."""

    place: SharedPlace
    reading: tuple[tuple[str, Any], ...]
    name: str
    topics: tuple[Queries, Qrels, float] | None  # None: those of the collection itself

    @classmethod
    def of(cls, source: str, reading: Mapping[str, Any], collection: Collection, *, own: bool) -> TopicsSource:
        """The source of a collection that the command has loaded; own: whether its topics are read along with it."""
        topics = None if own else (collection.queries, collection.qrels, collection.threshold)
        return cls(SharedPlace.of(source), tuple(reading.items()), collection.name, topics)

    def load(self) -> Collection:
        """The collection, in a worker."""
        with without_notes():  # the command has issued them
            path = self.place.here()
            if is_index_folder(path):
                collection = collection_of(Index.open(path), self.name, own=False)
            else:
                collection = load(path, **{**dict(self.reading), "topics": self.topics is None})
            return collection if self.topics is None else collection.with_topics(*self.topics)


def robustness_by(
    client: Any, source: TopicsSource, properties: Sequence[str], settings: Mapping[str, Any], tell: Tell | None = None
) -> Robustness:
    """The result of `robustness`, each property of which is measured by a worker; settings: its other arguments."""
    tasks = [(source, each, dict(settings)) for each in properties]
    return joined_properties(list(each_done(client, _robustness, tasks, tell)))


def _robustness(source: TopicsSource, only: str, settings: dict[str, Any]) -> Robustness:
    """One property, in a worker."""
    return robustness(source.load(), only=only, progress=report, **settings)
