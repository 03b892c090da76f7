"""Tables of weights for the terms of a query, and the search for its k best documents in the packed postings."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from toysearch.compiled import block_max
from toysearch.errors import StorageError
from toysearch.models.model import COLLECTION, Array, call, names_of
from toysearch.search.scoring import QueryTerms, Ranked, canonical_order, query_norms, top, weigh_query
from toysearch.search.term_weights import Weights

LARGEST = 1 << 20
"""The largest number of weights in the tables of a query."""
_LENGTHS = 1 << 24  # the documents may have no more tokens
_KINDS: Mapping[str, int] = {
    "dot": block_max.DOT,
    "cosine": block_max.COSINE,
    "dice": block_max.DICE,
    "jaccard": block_max.JACCARD,
    "cosine-document": block_max.COSINE_DOCUMENT,
    "cosine-query": block_max.COSINE_QUERY,
}
_SPARE = 16  # documents found beyond the k best, at least, before those are chosen
_HUGE = 1e300  # sums beyond might not be finite
_NOTHING = np.empty(0)


class BlockSearch:
    """The k best documents of queries by a model whose weights depend on term, term frequency and document length."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        index = weights.index
        self._kind = _KINDS[weights.model.similarity.name]
        self._own = not weights.model.function.__module__.startswith("toysearch.")
        dl = np.asarray(index.dl)
        occurs = np.bincount(dl) > 0
        self._lengths = np.flatnonzero(occurs).astype(np.float64)
        below = np.cumsum(occurs) - occurs  # for each number of tokens, how many lengths are smaller
        blocks = index.blocks
        self._first, self._df = blocks.first_blocks, np.asarray(index.df)
        self._highest_tf = np.asarray(blocks.highest_tf, np.int32)
        columns = blocks.words.view(np.uint32), blocks.starts, blocks.counts, blocks.gap_bits, blocks.tf_bits
        least_dl = np.minimum(blocks.least_dl, len(below) - 1).astype(np.int32)
        more = blocks.before, blocks.last_docs, self._highest_tf, least_dl, below
        self._blocks = block_max.Blocks(*map(np.ascontiguousarray, (*columns, *more, below[dl].astype(np.uint16))))
        self._dd, self._least_dd = _NOTHING, 0.0
        if "dd" in names_of(weights.model.similarity.function):
            self._dd = weights.squared_norms
            self._least_dd = float(self._dd[self._dd > 0].min(initial=np.inf))
        self._of_thread = threading.local()
        self._grids: dict[int, tuple[Array, Array]] = {}

    @staticmethod
    def fits(weights: Weights) -> bool:
        """Whether the search knows how the model makes a score."""
        model = weights.model
        of_documents = {*model.hooks} & {"per_matched_document", "document"}
        if model.similarity.name not in _KINDS or (model.similarity.name != "dot" and of_documents):
            return False
        of_query = {"qtf", "ql", "max_qtf", "distinct_q"}
        hook = names_of(model.hooks["document"]) if "document" in model.hooks else ()
        return (
            {*hook} <= {"dl", *of_query, *weights.constants, *COLLECTION, *model.parameters}
            and weights.index.stats.n_postings > 0
            and int(weights.index.dl.max()) < _LENGTHS
            and _only_by_length(weights)
        )

    def best(self, query: QueryTerms, k: int) -> Ranked | None:
        """The k best documents; None if the tables would be too large or a score may not be finite."""
        n = len(query.numbers)
        if not n:
            return np.empty(0, np.int64), np.empty(0)
        query_weights, every = weigh_query(self.weights, query)
        order = canonical_order(self.weights, query)
        numbers, query_weights = query.numbers[order], query_weights[order]
        first, stop = self._first[numbers], self._first[numbers + 1]
        highest = [int(self._highest_tf[a:b].max()) for a, b in zip(first.tolist(), stop.tolist(), strict=True)]
        first_row = np.cumsum([0, *highest])
        if int(first_row[-1]) * len(self._lengths) > LARGEST:
            return None
        table = self._weights_of(numbers, highest)
        table *= np.repeat(query_weights, highest)[:, None]
        part = self._part(query)
        common = float(np.add.accumulate(every[order])[-1])
        qq = query_norms(self.weights, query, query_weights)[0] if self._kind != block_max.DOT else 0.0
        room = self._room(k)
        terms = block_max.Terms(first, stop, self._df[numbers], first_row, table)
        score = block_max.Score(self._kind, common, part, self._dd, qq)
        found = block_max.search(self._blocks, terms, score, self._least_dd, k, room)
        if found < 0:
            del self._of_thread.room
            if found == block_max.DAMAGED:
                raise StorageError("the index is damaged: its postings contradict each other; build it again")
            return None
        return room.docs[:found].copy(), room.scores[:found].copy()

    def _weights_of(self, numbers: np.ndarray, highest: list[int]) -> Array:
        """The weights of terms: for each a row per frequency up to its highest, a column per length; not all finite."""
        tf = np.concatenate([np.arange(1.0, most + 1) for most in highest])[:, None]
        rows, columns = len(tf), len(self._lengths)
        named: dict[str, Any] = {
            name: np.repeat(column, highest)[:, None] for name, column in self._statistics(numbers).items()
        }
        named |= {"tf": tf, "dl": self._lengths[None, :], **dict.fromkeys(_others(self.weights), 1.0)}
        if self._own:
            size = rows * columns
            named = {
                name: np.broadcast_to(value, (rows, columns)).reshape(size)
                for name, value in named.items()
                if name in self.weights.model.statistics
            }
            return self.weights.apply("weight", named, size).reshape(rows, columns)
        with np.errstate(all="ignore"):
            made = call(self.weights.model.function, {**self.weights.constants, **named}, self.weights.model.parameters)
        return np.array(np.broadcast_to(np.asarray(made, np.float64), (rows, columns)))

    def _statistics(self, numbers: np.ndarray) -> dict[str, Array]:
        named = self.weights.term_statistics(numbers)
        return {name: column for name, column in named.items() if name in self.weights.model.statistics}

    def _part(self, query: QueryTerms) -> Array:
        """What the model adds to a document of each length."""
        if "document" not in self.weights.model.hooks:
            return _NOTHING
        part = self.weights.apply("document", {**query.statistics, "dl": self._lengths.copy()}, len(self._lengths))
        part[self._lengths == 0] = 0.0  # no query finds an empty document
        return part

    def _room(self, k: int) -> block_max.Room:
        """Arrays to work in, kept for the next query of this thread."""
        room: block_max.Room | None = getattr(self._of_thread, "room", None)
        size = k + max(k, _SPARE)
        if room is None or len(room.docs) != size:
            window = min(block_max.WINDOW, self.weights.index.stats.N) + 1
            arrays = np.full(window, np.nan), np.empty(window, np.uint32), np.empty(window)
            room = block_max.Room(*arrays, np.empty(size, np.int64), np.empty(size), np.empty(size))
            self._of_thread.room = room
        return room


def _others(weights: Weights) -> set[str]:
    """The statistics of a model besides term frequency, length, and those of terms and of all documents."""
    return {*weights.model.statistics} - {"tf", "df", "cf", "dl", *weights.constants}


def _only_by_length(weights: Weights) -> bool:
    """Whether no other statistic of a document changes a weight: a variant of a model may not use all that it names."""
    others, model = _others(weights), weights.model
    if not others or not model.function.__module__.startswith("toysearch."):
        return not others
    sample = {"tf": np.array([1.0, 2.0, 5.0]), "dl": np.array([4.0, 9.0, 30.0])}
    sample |= {"df": np.array([1.0, 2.0, 3.0]), "cf": np.array([1.0, 4.0, 15.0])}
    made = []
    for value in (5.0, 7.0, 13.0):
        with np.errstate(all="ignore"):
            named = {**weights.constants, **sample, **dict.fromkeys(others, np.full(3, value))}
            made.append(np.broadcast_to(call(model.function, named, model.parameters), 3))
    return all(np.array_equal(made[0], each, equal_nan=True) for each in made[1:])
