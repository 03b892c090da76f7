"""The search for the k best documents in packed postings, by compiled loops, equal bit by bit to `scoring`."""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ModelError, count_each, repeat_each
from toysearch.compiled import block_max, packed_blocks
from toysearch.compiled.plain_or_compiled import cores
from toysearch.index.posting_blocks import contradiction
from toysearch.models.model import COLLECTION, Array, call, names_of
from toysearch.search.scoring import Plan, QueryTerms, Ranked, Recent, Weights, in_turn, weigh_query

SMALL = 1 << 13  # a table of at most this many weights is made even if the term has fewer postings
GROUPS = 6  # bits in the number of a group of lengths: at most 64 groups
_LONGEST = 1 << 24  # every document must have fewer tokens
LENGTHS = 1 << 16  # the most different lengths of documents: their columns are numbered in 16 bits
_KINDS: Mapping[str, int] = {
    "dot": block_max.DOT,
    "cosine": block_max.COSINE,
    "dice": block_max.DICE,
    "jaccard": block_max.JACCARD,
    "cosine-document": block_max.COSINE_DOCUMENT,
    "cosine-query": block_max.COSINE_QUERY,
}
_SPARE = 16  # the fewest places beyond k in the list of documents found; a full list is reduced to the k best
_NOTHING = np.empty(0)


class _Made(NamedTuple):
    """The weights of a term: a table, or one row with its largest |weight| and one weight per posting."""

    rows: Array
    postings: Array


class BlockSearch:
    """The k best documents of queries by compiled loops over packed postings, for a model that `fits` accepts."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        index = weights.index
        self._kind = _KINDS[weights.model.similarity.name]
        self._others = _others(weights)
        self._by_length = _only_by_length(weights)
        self._own = not weights.model.function.__module__.startswith("toysearch.")
        dl = np.asarray(index.dl)
        occurs: np.ndarray = count_each(dl) > 0
        occurs[0] = False  # an empty document matches no query
        self._lengths = np.flatnonzero(occurs).astype(np.float64)
        self._shift = max(0, (len(self._lengths) - 1).bit_length() - GROUPS)
        below: np.ndarray = np.cumsum(occurs) - occurs  # for each length, how many shorter ones occur
        blocks = index.blocks.packed
        self._first, self._df = blocks.first_blocks, np.diff(blocks.offsets)
        self._highest_tf, last_docs = np.array(blocks.highest_tf, np.int32), np.array(blocks.last_docs, np.int32)
        columns = blocks.words.view(np.uint32), blocks.starts, blocks.counts, blocks.gap_bits, blocks.tf_bits
        least_dl = np.clip(np.asarray(blocks.least_dl, np.int64), 0, len(below) - 1).astype(np.int32)
        more = blocks.before, last_docs, self._highest_tf, least_dl, below
        self._blocks = packed_blocks.Blocks(*map(np.ascontiguousarray, (*columns, *more, below[dl].astype(np.uint16))))
        self._dd, self._least_dd = _NOTHING, 0.0
        if "dd" in names_of(weights.model.similarity.function):
            self._dd = weights.squared_norms
            self._least_dd = float(self._dd[self._dd > 0].min(initial=np.inf))
        self._of_thread = threading.local()
        self._kept = Recent[_Made](weights.memory)

    @staticmethod
    def fits(weights: Weights) -> bool:
        """Whether the search supports the form of the model's scores."""
        model = weights.model
        of_documents = {*model.hooks} & {"per_matched_document", "document"}
        if model.similarity.name not in _KINDS or (model.similarity.name != "dot" and of_documents):
            return False
        of_query = {"qtf", "ql", "max_qtf", "distinct_q"}
        hook = names_of(model.hooks["document"]) if "document" in model.hooks else ()
        return (
            {*hook} <= {"dl", *of_query, *weights.constants, *COLLECTION, *model.parameters}
            and bool(weights.index.dl.any())
            and int(weights.index.dl.max()) < _LONGEST
            and int(np.count_nonzero(count_each(weights.index.dl))) <= LENGTHS
        )

    def best(self, query: QueryTerms, k: int) -> Ranked | None:
        """The k best documents; None if a score may not be finite, or the query has derived terms or a structure."""
        if query.derived or query.matched is not None:
            return None
        n = len(query.numbers)
        if not n:
            return np.empty(0, np.int64), np.empty(0)
        planned = weigh_query(self.weights, query)
        numbers = self.weights.index.own_terms(planned.query.numbers)
        if (numbers < 0).any():  # a shard may lack a term
            planned, numbers = planned.of(numbers >= 0), numbers[numbers >= 0]
            if query.required or not len(numbers):
                return np.empty(0, np.int64), np.empty(0)
        weighed, part, room = self._weigh(planned), self._part(query), self._room(k)
        terms = packed_blocks.WeighedTerms(self._first[numbers], self._first[numbers + 1], self._df[numbers], *weighed)
        qq = 0.0 if self._kind == block_max.DOT else planned.norms["qq"]
        score = block_max.Score(self._kind, in_turn(planned.every), part, self._dd, qq)
        n_ranked = block_max.search(self._blocks, terms, score, self._least_dd, k, room, query.required)
        if n_ranked < 0:
            del self._of_thread.room
            if n_ranked == packed_blocks.DAMAGED:
                raise contradiction()
            return None
        return room.docs[:n_ranked].copy(), room.scores[:n_ranked].copy()

    def _weigh(self, planned: Plan) -> tuple[np.ndarray, int, int, Array, np.ndarray]:
        """The weights of terms, multiplied by their query weights, as `packed_blocks.WeighedTerms` stores them."""
        tables, n_lengths = self._kept.of(planned.query.numbers.tolist(), self._made), len(self._lengths)
        parts, q = [term.rows for term in tables], planned.query_weights
        first_row = np.array([0, *itertools.accumulate(len(rows) // n_lengths for rows in parts)])
        listed = np.zeros(len(tables), np.int64)
        if any(len(term.postings) for term in tables):
            ends = itertools.accumulate((len(term.postings) for term in tables), initial=int(first_row[-1]) * n_lengths)
            listed[:] = [end if len(term.postings) else 0 for term, end in zip(tables, ends, strict=False)]
            parts += [term.postings for term in tables]
            q = np.concatenate([np.where(listed, np.abs(q), q), q])
        weights = np.concatenate(parts)
        if (q != 1.0).any():
            weights *= repeat_each(q, [len(part) for part in parts])
        return first_row, n_lengths, self._shift, weights, listed

    def _made(self, terms: Sequence[int]) -> Iterator[_Made]:
        """The weights of terms, each as a table or as one weight per posting."""
        numbers, n_lengths = np.asarray(terms), len(self._lengths)
        of_shard = self.weights.index.own_terms(numbers)
        self.weights.index.blocks.packed.verify_terms(of_shard)
        first, stop = self._first[of_shard].tolist(), self._first[of_shard + 1].tolist()
        highest = np.array([self._highest_tf[a:b].max() for a, b in zip(first, stop, strict=True)], np.int64)
        in_rows = (highest * n_lengths <= np.maximum(self._df[of_shard], SMALL)) & self._by_length
        rows = highest[in_rows]
        try:
            table = self._table(numbers[in_rows], rows) if len(rows) else np.empty((0, n_lengths))
        except ModelError:  # possibly caused by pairs that never occur, such as a tf above the dl
            self._by_length = False
            yield from self._made(terms)
            return
        lists = iter(self.weights.of_terms(numbers[~in_rows].tolist()))
        start = 0
        for most, has_rows in zip(highest.tolist(), in_rows.tolist(), strict=True):
            if has_rows:
                yield _Made(table[start : start + most].flatten(), _NOTHING)
                start += most
            else:
                term = next(lists)
                yield _Made(np.full(n_lengths, np.abs(term.weights).max()), term.weights)

    def _table(self, numbers: np.ndarray, rows: np.ndarray) -> Array:
        """The tables of terms, joined: one row per term frequency, one column per length; weights may be infinite."""
        n, n_lengths = int(rows.sum()), len(self._lengths)
        tf = np.arange(1.0, n + 1) - repeat_each(np.cumsum(rows) - rows, rows)
        statistics: dict[str, Any] = {
            "tf": tf[:, None],
            "dl": self._lengths[None, :],
            **dict.fromkeys(self._others, 1.0),
        }
        for name, column in self.weights.term_statistics(numbers, self.weights.model.statistics).items():
            statistics[name] = repeat_each(column, rows)[:, None]
        model = self.weights.model
        if self._own:
            wide = {
                name: np.broadcast_to(statistics[name], (n, n_lengths)).ravel()
                for name in statistics
                if name in model.statistics
            }
            return self.weights.apply("weight", wide, n * n_lengths).reshape(n, n_lengths)
        with np.errstate(all="ignore"):
            weights = call(model.function, {**self.weights.constants, **statistics}, model.parameters)
        return np.array(np.broadcast_to(weights, (n, n_lengths)), np.float64)

    def _part(self, query: QueryTerms) -> Array:
        """The part that the model adds once to a document, by document length; empty if it has none."""
        if "document" not in self.weights.model.hooks:
            return _NOTHING
        return self.weights.apply("document", {**query.statistics, "dl": self._lengths.copy()}, len(self._lengths))

    def _room(self, k: int) -> block_max.Room:
        """The work arrays of this thread, kept for its next query."""
        room: block_max.Room | None = getattr(self._of_thread, "room", None)
        size = k + max(k, _SPARE)
        if room is None or len(room.docs) != size:
            window = min(block_max.WINDOW, len(self.weights.index)) + 1
            arrays = np.full(window, np.nan), np.empty(window, np.uint32), np.empty(window)
            room = block_max.Room(*arrays, np.empty(size, np.int64), np.empty(size), np.empty(size))
            self._of_thread.room = room
        return room


def _others(weights: Weights) -> set[str]:
    """The statistics in a model's weight besides tf, dl, df, cf and the constants of the collection."""
    return {*weights.model.statistics} - {"tf", "df", "cf", "dl", *weights.constants}


def _only_by_length(weights: Weights) -> bool:
    """Whether a weight depends on no document statistic but the length; model variants ignore some that they name."""
    others, model = _others(weights), weights.model
    if not others or not model.function.__module__.startswith("toysearch."):
        return not others
    sample = {"tf": np.array([1.0, 2.0, 5.0]), "dl": np.array([4.0, 9.0, 30.0])}
    sample |= {"df": np.array([1.0, 2.0, 3.0]), "cf": np.array([1.0, 4.0, 15.0])}
    samples = []
    for value in (5.0, 7.0, 13.0):
        with np.errstate(all="ignore"):
            statistics = {**weights.constants, **sample, **dict.fromkeys(others, np.full(3, value))}
            samples.append(np.broadcast_to(call(model.function, statistics, model.parameters), 3))
    return all(np.array_equal(samples[0], weights_again, equal_nan=True) for weights_again in samples[1:])


_AT_ONCE = 16  # queries that a thread answers in one go


class CompiledScorer:
    """One model over an index, by compiled loops."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def best(self, queries: Sequence[QueryTerms], k: int, threads: int | None = None) -> Sequence[Ranked | None]:
        """The k best documents of each query, or None for plain numpy to find; None for `threads`: one per core."""
        search = self._search
        if search is None:
            return [None] * len(queries)
        k = min(k, len(self.weights.index))

        def answered(some: Sequence[QueryTerms]) -> list[Ranked | None]:
            return [search.best(query, k) for query in some]

        threads = 1 if len(queries) == 1 else threads or cores()
        if threads == 1:
            return answered(queries)
        from concurrent.futures import ThreadPoolExecutor

        # Many queries at a time, because handing over a single one costs as much as a short query.
        parts = [queries[start : start + _AT_ONCE] for start in range(0, len(queries), _AT_ONCE)]
        with ThreadPoolExecutor(threads) as pool:
            return [ranked for part in pool.map(answered, parts) for ranked in part]

    @functools.cached_property
    def _search(self) -> BlockSearch | None:
        """The search in packed postings, if the form of the score permits it."""
        return BlockSearch(self.weights) if BlockSearch.fits(self.weights) else None
