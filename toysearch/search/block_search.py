"""Tables of weights for the terms of a query, and the search for its k best documents in the packed postings."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from toysearch.compiled import block_max
from toysearch.errors import StorageError
from toysearch.models.model import COLLECTION, Array, call, names_of
from toysearch.search.scoring import Plan, QueryTerms, Ranked, in_turn, weigh_query
from toysearch.search.term_weights import Weights

SMALL = 1 << 13  # weights of a term that are made in a table, even if it has fewer postings
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
        self._others = _others(weights)
        self._by_length = _only_by_length(weights)
        self._own = not weights.model.function.__module__.startswith("toysearch.")
        dl = np.asarray(index.dl)
        occurs: np.ndarray = np.bincount(dl) > 0
        self._lengths = np.flatnonzero(occurs).astype(np.float64)
        below: np.ndarray = np.cumsum(occurs) - occurs  # for each number of tokens, how many lengths are smaller
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
        )

    def best(self, query: QueryTerms, k: int) -> Ranked | None:
        """The k best documents; None if the tables would be too large or a score may not be finite."""
        n = len(query.numbers)
        if not n:
            return np.empty(0, np.int64), np.empty(0)
        planned = weigh_query(self.weights, query)
        numbers = planned.query.numbers
        first, stop = self._first[numbers], self._first[numbers + 1]
        part = self._part(query)
        terms = block_max.Terms(first, stop, self._df[numbers], *self._weigh(planned, first, stop))
        room = self._room(k)
        score = block_max.Score(
            self._kind, in_turn(planned.every), part, self._dd, planned.norms["qq"] if self._kind else 0.0
        )
        found = block_max.search(self._blocks, terms, score, self._least_dd, k, room)
        if found < 0:
            del self._of_thread.room
            if found == block_max.DAMAGED:
                raise StorageError("the index is damaged: its postings contradict each other; build it again")
            return None
        return room.docs[:found].copy(), room.scores[:found].copy()

    def _weigh(self, planned: Plan, first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, int, Array, np.ndarray]:
        """The weights of terms, times those in the query: in rows of a table, or of postings; see `block_max.Terms`."""
        numbers, query_weights = planned.query.numbers, planned.query_weights
        df, n_lengths = self._df[numbers], len(self._lengths)
        highest = np.array([self._highest_tf[a:b].max() for a, b in zip(first.tolist(), stop.tolist(), strict=True)])
        in_rows = (highest * n_lengths <= np.maximum(df, SMALL)) & self._by_length
        rows = np.where(in_rows, highest, 1)
        first_row = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(rows, out=first_row[1:])
        listed = np.zeros(len(numbers), np.int64)
        if in_rows.all():
            table = self._table(numbers, rows)
            table *= np.repeat(query_weights, rows)[:, None]
            return first_row, n_lengths, table.ravel(), listed
        table = np.empty((int(first_row[-1]), n_lengths))
        if in_rows.any():
            of_rows = np.repeat(query_weights[in_rows], rows[in_rows])[:, None]
            table[np.repeat(in_rows, rows)] = self._table(numbers[in_rows], rows[in_rows]) * of_rows
        lists = [table.ravel()]
        made = self.weights.of_terms(numbers[~in_rows].tolist())
        for i, term in zip(np.flatnonzero(~in_rows).tolist(), made, strict=True):
            listed[i] = sum(map(len, lists))
            lists.append(term.weights * query_weights[i])
            table[first_row[i]] = max(abs(term.highest), abs(term.lowest)) * abs(query_weights[i])
        return first_row, n_lengths, np.concatenate(lists), listed

    def _table(self, numbers: np.ndarray, rows: np.ndarray) -> Array:
        """The weights of terms: so many rows for each, one per frequency, and a column per length; not all finite."""
        n, n_lengths = int(rows.sum()), len(self._lengths)
        tf = np.arange(1.0, n + 1) - np.repeat(np.cumsum(rows) - rows, rows)
        named: dict[str, Any] = {"tf": tf[:, None], "dl": self._lengths[None, :], **dict.fromkeys(self._others, 1.0)}
        for name, column in self.weights.term_statistics(numbers).items():
            named[name] = np.repeat(column, rows)[:, None]
        model = self.weights.model
        if self._own:
            wide = {
                name: np.broadcast_to(named[name], (n, n_lengths)).ravel() for name in named if name in model.statistics
            }
            return self.weights.apply("weight", wide, n * n_lengths).reshape(n, n_lengths)
        with np.errstate(all="ignore"):
            made = call(model.function, {**self.weights.constants, **named}, model.parameters)
        return np.array(np.broadcast_to(made, (n, n_lengths)), np.float64)

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
