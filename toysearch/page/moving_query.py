"""Query on which a page opens: the judged one whose first documents move most along a slider."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch import Searcher
from toysearch.base import Query, without_notes
from toysearch.page.model_picker import AnyModel, sliders

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index

K, STOPS = 10, 5
"""Documents of a ranking that are looked at, and values of a slider, evenly between its ends."""

_QUERIES, _SEED = 100, 0  # that are tried at most, and how they are drawn
_BATCH = 10  # queries between two looks at the clock
_LONGEST = 2.0  # seconds of computing


class MovingQuery(NamedTuple):
    """Query, and the parameter whose slider moves its documents."""

    query_id: str
    parameter: str


def moving_query(index: Index, queries: Sequence[Query], model: AnyModel) -> MovingQuery | None:
    """Return the query whose first documents move most along a slider of a model; None if none moves.

    At most 100 queries are tried, drawn by a fixed seed, and no more after two seconds of computing.
    """
    tried = [*queries]
    if len(tried) > _QUERIES:
        tried = random.Random(_SEED).sample(tried, _QUERIES)
    searchers = {each["name"]: _along(each, index, model) for each in sliders(model) if each["kind"] == "slider"}
    moves, end = dict[MovingQuery, int](), time.thread_time() + _LONGEST
    for start in range(0, len(tried), _BATCH):
        if time.thread_time() > end:
            break
        batch = tried[start : start + _BATCH]
        for parameter, stops in searchers.items():
            with without_notes():
                runs = [searcher.run(batch, K) for searcher in stops]
            for query in batch:
                tops = [run.doc_ids_of(query.query_id) for run in runs]
                moves[MovingQuery(query.query_id, parameter)] = sum(_moved(*pair) for pair in pairwise(tops))
    best = max(moves, key=moves.__getitem__, default=None)
    return best if best is not None and moves[best] else None


def _along(slider: dict[str, Any], index: Index, model: AnyModel) -> list[Searcher]:
    """Return a searcher for each stop of a slider."""
    low, high, step = slider["low"], slider["high"], slider["step"]
    values = [low + (high - low) * stop / (STOPS - 1) for stop in range(STOPS)]
    if step != "any":
        values = [min(high, low + step * round((value - low) / step)) for value in values]
    return [Searcher(index, model.bind(**{slider["name"]: value})) for value in values]


def _moved(first: Sequence[str], second: Sequence[str]) -> int:
    """Return by how many ranks documents move; one that only one ranking has is at K + 1 in the other.

    The footrule of Fagin, Kumar & Sivakumar (Comparing top k lists, 2003), with location parameter K + 1.
    """
    before, after = ({doc_id: rank for rank, doc_id in enumerate(ids, 1)} for ids in (first, second))
    return sum(abs(before.get(doc_id, K + 1) - after.get(doc_id, K + 1)) for doc_id in before | after)
