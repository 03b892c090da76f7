"""Collection that the labs work on, its index, and what systems are worth on it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

from toysearch import Collection, Index, evaluate, load
from toysearch.base import without_notes
from toysearch.study import Study
from toysearch.workbench.tune.study_evaluation import study_evaluator

COLLECTION = "companions"
"""Default collection of the labs."""


@functools.cache
def collection() -> Collection:
    """Return the collection that the labs work on: `toysearch.load` of its name, once."""
    return load(COLLECTION)


@functools.cache
def index() -> Index:
    """Return the index of that collection: `toysearch.Index.build` of it, once."""
    return Index.build(collection())


@functools.cache
def study() -> Study:
    """Return the study of that collection, on which systems are scored."""
    return Study.of(collection()).with_index(index())


@functools.lru_cache(maxsize=512)
def query_values(model: str, measure: str = "AP", on: Study | None = None) -> dict[str, float]:
    """Compute a measure of a model for each judged query, of that collection or of another study."""
    with without_notes():  # a query without a known term has the value 0 and a note
        per_query = study_evaluator(on or study(), [measure])(model).per_query
    return {query_id: values[measure] for query_id, values in per_query.items()}


def judged_ids() -> list[str]:
    """Return the ids of the judged queries of that collection."""
    return [query.query_id for query in collection().judged_queries]


def value_of(ranking: Sequence[str], relevant: Iterable[str] | Mapping[str, float], measure: str = "AP") -> float:
    """Compute a measure of one ranking, from its relevant documents, or from grades.

    >>> value_of(["a", "b"], ["b"]), value_of(["a", "b"], {"a": 0, "b": 3}, "P@1")
    (0.5, 0.0)
    """
    grades = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
    with without_notes():  # a mistake may leave nothing relevant, or no grade of 0
        return evaluate({"q": [*ranking]}, {"q": grades or {"": 0}}, measure)[measure]
