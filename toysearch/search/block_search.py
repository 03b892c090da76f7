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
        least = below[np.clip(blocks.least_dl, 0, len(below) - 1)]
        self._first = blocks.first_blocks
        self._highest = np.maximum.reduceat(blocks.highest_tf, self._first[:-1]).astype(np.int64)
        self._df = np.asarray(index.df)
        columns = (blocks.words.view(np.uint32), blocks.starts, blocks.counts, blocks.gap_bits, blocks.tf_bits)
        more = (blocks.before, blocks.last_docs, blocks.highest_tf, least.astype(np.int32), below[dl].astype(np.int32))
        self._blocks = block_max.Blocks(*map(np.ascontiguousarray, (*columns, *more)))
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
        highest = self._highest[numbers]
        rows, n_lengths = int(highest.max()), len(self._lengths)
        if n * (rows + 1) * n_lengths > LARGEST:
            return None
        table, bounds = np.empty((2, n, rows + 1, n_lengths))
        table[:, 0] = 0.0
        np.multiply(query_weights[:, None, None], self._weights_of(numbers, rows), out=table[:, 1:])
        size = block_max.bound(table, highest, bounds)
        part = self._part(query)
        largest = n * size + float(np.abs(every).sum()) + (float(np.abs(part).max()) if len(part) else 0.0)
        if not largest < _HUGE:
            return None
        own = block_max.Terms(self._first[numbers], self._first[numbers + 1], self._df[numbers], highest, table, bounds)
        common = float(np.add.accumulate(every[order])[-1])
        qq = query_norms(self.weights, query, query_weights)[0] if self._kind != block_max.DOT else 0.0
        score = block_max.Score(self._kind, common, part, self._dd, qq)
        room = self._room(k)
        found = block_max.search(self._blocks, own, score, size, self._least_dd, k, room)
        if found < 0:
            del self._of_thread.room
            if found == block_max.DAMAGED:
                raise StorageError("the index is damaged: its postings contradict each other; build it again")
            return None
        by_number = np.argsort(room.docs[:found])
        docs, scores = room.docs[by_number], room.scores[by_number]
        chosen = top(scores, k)
        return docs[chosen], scores[chosen]

    def _weights_of(self, numbers: np.ndarray, rows: int) -> Array:
        """The weights of terms for each frequency up to a highest and each length; infinite ones may be among them."""
        n, n_lengths, model = len(numbers), len(self._lengths), self.weights.model
        if rows not in self._grids:
            tf, dl = np.meshgrid(np.arange(1.0, rows + 1), self._lengths, indexing="ij")
            self._grids[rows] = tf.reshape(1, -1), dl.reshape(1, -1)
        tf, dl = self._grids[rows]
        named: dict[str, Any] = {name: column[:, None] for name, column in self._statistics(numbers).items()}
        named |= {"tf": tf, "dl": dl, **dict.fromkeys(_others(self.weights), 1.0)}
        if self._own:
            size = n * tf.size
            named = {
                name: np.broadcast_to(value, (n, tf.size)).reshape(size)
                for name, value in named.items()
                if name in model.statistics
            }
            return self.weights.apply("weight", named, size).reshape(n, rows, n_lengths)
        with np.errstate(all="ignore"):
            made = call(model.function, {**self.weights.constants, **named}, model.parameters)
        return np.broadcast_to(np.asarray(made, np.float64), (n, tf.size)).reshape(n, rows, n_lengths)

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
