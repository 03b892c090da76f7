"""Evaluation of models on workers, with any analysis of the texts."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base import Qrels, each_done, without_notes, workers_of
from toysearch.collection.catalog import load
from toysearch.collection.collection import Collection, Queries
from toysearch.evaluation import Measure
from toysearch.index import Index, is_index_folder
from toysearch.models import Model, Ranker
from toysearch.study.fast_evaluator import Evaluator
from toysearch.study.study import Study, stored_collection
from toysearch.workbench.shards.distributed_search import IndexSource, index_of_source
from toysearch.workbench.shards.document_shares import place_of_documents

if TYPE_CHECKING:
    import numpy as np

    from toysearch.analysis.analyzer import Analyzer

_PIECES = 8  # tasks per worker, so that one with quick settings gets more of them

_LARGEST = 64  # settings of a task

_kept: dict[str, dict[Analyzer | None, Evaluator]] = {}  # of a worker: the evaluators of one search


class _Search(NamedTuple):
    name: str
    place: IndexSource
    evaluation: Mapping[str, Any]  # the arguments of `Evaluator` after the index


def evaluated_by(
    client: Any, study: Study, measure: Measure
) -> Callable[[Study, Sequence[Model | Ranker]], Iterator[np.ndarray]]:
    """Return a function that evaluates models by the workers of a client, on variants of a study."""
    searched = None if study.opened() is not None else study.searched()
    name, usual = uuid.uuid4().hex, IndexSource.of(study.index(), searched)
    evaluation = {"queries": study.queries(), "qrels": study.qrels(), "measures": [measure]}
    evaluation |= {"k": study.scoring.k, "threshold": study.threshold(), "query_mode": study.scoring.query_mode}

    def values(changed: Study, models: Sequence[Model | Ranker]) -> Iterator[np.ndarray]:
        place = usual if changed is study else usual._replace(analyzer=changed.analyzer())
        search = _Search(name, place, evaluation)
        size = min(_LARGEST, -(-len(models) // (_PIECES * len(workers_of(client)))))
        pieces = [(search, models[start : start + size]) for start in range(0, len(models), size)]
        for rows in each_done(client, _values, pieces):
            yield from rows

    return values


def _values(search: _Search, models: Sequence[Model | Ranker]) -> list[np.ndarray]:
    if search.name not in _kept:
        _kept.clear()
        _kept[search.name] = {}
    evaluators, key = _kept[search.name], search.place.analyzer
    if key not in evaluators:
        evaluators.clear()
        evaluators[key] = Evaluator(index_of_source(search.place), **search.evaluation)
    return [evaluators[key].values(model) for model in models]


class CollectionSource(NamedTuple):
    """Place where a worker finds the documents of a judged collection or their index, and its topics."""

    place: str
    reading: Mapping[str, Any]
    name: str
    topics: tuple[Queries, Qrels, float]

    @classmethod
    def of(cls, collection: Collection) -> CollectionSource:
        """Return the source of a collection."""
        topics = (collection.queries, collection.qrels, collection.threshold)
        return cls(*place_of_documents(collection), collection.name, topics)

    def load(self) -> Collection:
        """Load the collection, in a worker."""
        with without_notes():  # those of reading, which have been issued
            path = self.place
            if is_index_folder(path):
                collection = stored_collection(Index.open(path), self.name)
            else:
                collection = load(path, **self.reading)
            return collection.with_topics(*self.topics)
