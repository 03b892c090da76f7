"""The search for the k best documents in packed postings, by compiled loops, equal bit by bit to `scoring`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ModelError, count_each, repeat_each
from toysearch.compiled.block_max import MaxScore, PackedPostings, QueryBatch, WeighedTerms
from toysearch.compiled.plain_or_compiled import cores
from toysearch.index.posting_blocks import BLOCK, contradiction
from toysearch.models.model import COLLECTION, Array, call, names_of
from toysearch.search.scoring import Plan, QueryTerms, Ranked, Weights, in_turn, not_finite, weigh_query

WINDOW = 1 << 15  # documents
FIRST = 1 << 11  # documents in the first window; each window is twice as wide as the one before, up to WINDOW
SMALL = 1 << 13  # a table of at most this many weights is made even if the term has fewer postings
GROUPS = 6  # bits in the number of a group of lengths: at most 64 groups
_LONGEST = 1 << 24  # every document must have fewer tokens
LENGTHS = 1 << 16  # the most different lengths of documents: their columns are numbered in 16 bits
_KINDS = ("dot", "cosine", "dice", "jaccard", "cosine-document", "cosine-query")  # as the compiled loops number them
_SPARE = 16  # the fewest places beyond k in the list of documents found; a full list is reduced to the k best
_AT_ONCE = 16  # queries that a thread answers in one go
_BATCH = 1 << 10  # queries whose terms are weighed together
_ANSWERS = 1 << 22  # documents found for the queries of a batch, at most
_CELLS = 1 << 16  # weights in tables that are made together, unless one is larger: they stay in the processor's cache
_BYTES = (26, 66, 8, 8)  # of a block, a term, a weight and a bound among the weighed terms
_DAMAGED = -2
_NOTHING, _NO_DOCS = np.empty(0), np.empty(0, np.int64)


class _Planned(NamedTuple):
    """Queries as the compiled loops take them."""

    numbers: np.ndarray  # of the terms
    query_weights: Array
    ends: np.ndarray  # (n,) the end of the terms of each query
    every: Array  # (n,) added to each sum
    parts: Array  # added next, by query and length; may be empty
    qq: Array  # (n,) Σ q² of each query
    required: np.ndarray  # (n,) uint8


class BlockSearch:
    """The k best documents of queries by compiled loops over packed postings, for a model that `fits` accepts."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        index, hooks = weights.index, weights.model.hooks
        alone = {*hooks} & {"per_matched_document", "document", "unknown"} == set()
        self._q: dict[float, float] = {}  # the weight of a query term by its count, where nothing else decides
        self._by_count = "query" not in hooks or (
            hooks["query"].__module__.startswith("toysearch.")
            and {*names_of(hooks["query"])} <= {"qtf", *weights.constants, *weights.model.parameters}
        )
        self._own_terms = index.own_terms(_NO_DOCS) is _NO_DOCS  # no shard
        self._plain = weights.model.similarity.name == "dot" and alone and self._by_count and self._own_terms
        self._others = _others(weights)
        self._by_length = _only_by_length(weights)
        self._own = not weights.model.function.__module__.startswith("toysearch.")
        dl = np.asarray(index.dl)
        occurs: np.ndarray = count_each(dl) > 0
        occurs[0] = False  # an empty document matches no query
        self._lengths = np.flatnonzero(occurs).astype(np.float64)
        self._below: np.ndarray = (np.cumsum(occurs) - occurs).astype(np.uint16)  # by length: how many shorter ones
        dd = weights.squared_norms if "dd" in names_of(weights.model.similarity.function) else _NOTHING
        self._postings = PackedPostings(
            index.blocks.packed.words.view(np.uint32),
            self._below[dl],
            _KINDS.index(weights.model.similarity.name),
            dd,
            float(dd[dd > 0].min(initial=np.inf)) if len(dd) else 0.0,
        )
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._forget()

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

    def best(self, queries: Sequence[QueryTerms], k: int, threads: int = 1) -> list[Ranked | None]:
        """The k best documents of each query; None if a score may not be finite, or a query has derived terms."""
        answers: list[Ranked | None] = []
        n = max(1, min(_BATCH, _ANSWERS // k))
        for start in range(0, len(queries), n):
            batch = queries[start : start + n]
            plain = [query for query in batch if not query.derived and query.matched is None]
            ranked = iter(self._of_batch(plain, k, threads))
            answers += [None if query.derived or query.matched is not None else next(ranked) for query in batch]
        return answers

    def _of_batch(self, queries: Sequence[QueryTerms], k: int, threads: int) -> list[Ranked | None]:
        """The k best documents of each query of a batch; no query has derived terms or a structure."""
        planned = self._planned(queries) if self._plain else self._planned_one_by_one(queries)
        weighed = self._weighed(planned.numbers, one=len(queries) == 1)
        if weighed is None:
            half = len(queries) // 2
            return self._of_batch(queries[:half], k, threads) + self._of_batch(queries[half:], k, threads)
        terms, slots = weighed
        sums = planned.every, planned.parts, planned.qq
        request = QueryBatch(slots, planned.query_weights, planned.ends, sums, planned.required, k)
        n = len(queries)
        if threads == 1 or n <= _AT_ONCE:
            for start in range(0, n, _AT_ONCE):  # one after the other, so that Ctrl-C is answered
                self._room(k).answer(terms, request, start, min(start + _AT_ONCE, n))
        else:
            from concurrent.futures import ThreadPoolExecutor

            def answer(start: int) -> None:
                self._room(k).answer(terms, request, start, min(start + _AT_ONCE, n))

            with ThreadPoolExecutor(threads) as pool:
                for _ in pool.map(answer, range(0, n, _AT_ONCE)):
                    pass
        counts, docs, scores = request.answers()
        if counts.min(initial=0) == _DAMAGED:
            raise contradiction()
        return [
            None if count < 0 else (docs[row, :count], scores[row, :count]) for row, count in enumerate(counts.tolist())
        ]

    def _planned(self, queries: Sequence[QueryTerms]) -> _Planned:
        """The terms of queries, where the count of a term decides what it weighs and nothing else is added."""
        none, required = np.zeros(len(queries)), np.array([query.required for query in queries], np.uint8)
        if len(queries) == 1:
            numbers, qtf = queries[0].numbers, queries[0].qtf
            ends = np.array([len(numbers)])
        else:
            numbers = np.concatenate([_NO_DOCS, *(query.numbers for query in queries)])
            qtf = np.concatenate([_NOTHING, *(query.qtf for query in queries)])
            ends = np.cumsum([len(query.numbers) for query in queries], dtype=np.int64)
        return _Planned(numbers, self._query_weights(qtf), ends, none, _NOTHING, none, required)

    def _query_weights(self, qtf: Array) -> Array:
        """The weights of query terms, which are decided by their counts."""
        if "query" not in self.weights.model.hooks:
            return qtf
        counts = qtf.tolist()
        new = [*{*counts} - {*self._q}]
        if new:
            weights = self.weights.apply("query", {"qtf": np.array(new)}, len(new))
            if not np.isfinite(weights).all():
                raise not_finite(self.weights)
            self._q |= dict(zip(new, weights.tolist(), strict=True))
        return np.array([self._q[count] for count in counts], np.float64)

    def _planned_one_by_one(self, queries: Sequence[QueryTerms]) -> _Planned:
        """The terms of queries in the canonical order, with what the model makes of each query."""
        plans, parts = [], []
        dot = self.weights.model.similarity.name == "dot"
        for query in queries:
            planned = Plan(query, _NOTHING, _NOTHING, _NOTHING)
            if len(query.numbers):
                planned = weigh_query(self.weights, query)
                present = self.weights.index.own_terms(planned.query.numbers) >= 0
                if query.required and not present.all():  # a shard may lack a term
                    present[:] = False
                planned = planned.of(present)
            plans.append(planned)
            if "document" in self.weights.model.hooks:
                has_terms = len(planned.query.numbers) > 0
                parts.append(self._part(query) if has_terms else np.zeros(len(self._lengths)))
        return _Planned(
            np.concatenate([_NO_DOCS, *(planned.query.numbers for planned in plans)]),
            np.concatenate([_NOTHING, *(planned.query_weights for planned in plans)]),
            np.cumsum([len(planned.query.numbers) for planned in plans], dtype=np.int64),
            np.array([in_turn(planned.every) for planned in plans]),
            np.concatenate([_NOTHING, *parts]),
            np.array([0.0 if dot else planned.norms["qq"] for planned in plans]),
            np.array([query.required for query in queries], np.uint8),
        )

    def _forget(self) -> None:
        """Begin without the weights of any term."""
        n_lengths = len(self._lengths)
        shift = max(0, (n_lengths - 1).bit_length() - GROUPS)
        self._terms = WeighedTerms(n_lengths, shift, [0] * 4)
        n_terms = self.weights.index.blocks.packed.n_terms
        self._slots = np.zeros(n_terms, np.int32)  # for each term, its number among the weighed ones, plus 1

    def _weighed(self, numbers: np.ndarray, *, one: bool) -> tuple[WeighedTerms, np.ndarray] | None:
        """Weighed terms, among them those with these numbers, and their numbers there; None if the memory is too small.

        The terms of one query are weighed in any case.
        """
        own_terms = self.weights.index.own_terms(numbers)
        with self._lock:
            slots = self._slots[own_terms]
            if not slots.all():
                if int(np.dot(self._terms.sizes(), _BYTES)) > self.weights.memory // 2:
                    self._forget()
                    slots[:] = 0
                missing = np.flatnonzero(slots == 0)
                new = dict(zip(own_terms[missing].tolist(), numbers[missing].tolist(), strict=True))
                new_terms = np.array(sorted(new))
                if not self._add(np.array([new[term] for term in new_terms.tolist()]), new_terms, one=one):
                    return None
                slots = self._slots[own_terms]
            return self._terms, slots.astype(np.int64) - 1

    def _add(self, numbers: np.ndarray, own_terms: np.ndarray, *, one: bool) -> bool:
        """Weigh terms, each by a table or by one weight per posting; False if the memory is too small for them."""
        n_lengths = len(self._lengths)
        (own_df, n_blocks, highest, first), blocks = self.weights.index.blocks.packed.to_search(own_terms)
        df = own_df if self._own_terms else self.weights.index.df_by_term[numbers]
        in_rows = (highest * n_lengths <= np.maximum(own_df, SMALL)) & self._by_length
        n_rows, listed = int(highest[in_rows].sum()), np.flatnonzero(~in_rows)
        more = (
            n_rows * n_lengths + int(own_df[listed].sum()),
            n_rows * self._terms.n_groups + int(n_blocks[listed].sum()),
        )
        if 8 * more[0] > self.weights.memory // 2 and not one:
            return False
        self._terms = self._terms.with_room([blocks.shape[1], len(df), *more])
        first += self._terms.add_blocks(blocks, self._below)
        entries = np.stack([first, first + n_blocks, highest, df, numbers])
        table_terms, start = np.flatnonzero(in_rows), 0
        rows = highest[table_terms]
        ends = np.cumsum(rows)
        while start < len(rows):
            before = int(ends[start] - rows[start])
            end = max(start + 1, int(np.searchsorted(ends, before + _CELLS // n_lengths, side="right")))
            some = table_terms[start:end]
            chosen = np.ascontiguousarray(entries[:, some])
            try:
                table = self._table(*chosen[2:])
            except ModelError:  # possibly caused by pairs that never occur, such as a tf above the dl
                self._by_length = False
                unknown = self._slots[own_terms] == 0
                return self._add(numbers[unknown], own_terms[unknown], one=True)
            self._terms.add_tables(chosen, table.ravel())
            self._number(own_terms[some])
            start = end
        if not len(listed):
            return True
        for place, term in zip(listed.tolist(), self.weights.of_terms(numbers[listed].tolist()), strict=True):
            self._terms.add_list(entries[:, place].tolist(), term.weights, BLOCK)
            self._number(own_terms[place : place + 1])
        return True

    def _number(self, own_terms: np.ndarray) -> None:
        """Number the terms that were added last."""
        n = self._terms.n_terms
        self._slots[own_terms] = np.arange(n - len(own_terms) + 1, n + 1)

    def _table(self, rows: np.ndarray, df: np.ndarray, numbers: np.ndarray) -> Array:
        """The tables of terms, joined: one row per term frequency, one column per length; weights may be infinite."""
        model = self.weights.model
        n, n_lengths = int(rows.sum()), len(self._lengths)
        tf = np.arange(1.0, n + 1) - repeat_each(np.cumsum(rows) - rows, rows)
        statistics: dict[str, Any] = {
            "tf": tf[:, None],
            "dl": self._lengths[None, :],
            **dict.fromkeys(self._others, 1.0),
        }
        if "df" in model.statistics:
            statistics["df"] = repeat_each(df.astype(np.float64), rows)[:, None]
        if "cf" in model.statistics:
            statistics["cf"] = repeat_each(self.weights.term_statistics(numbers, ("cf",))["cf"], rows)[:, None]
        if self._own:
            wide = {
                name: np.broadcast_to(statistics[name], (n, n_lengths)).ravel()
                for name in statistics
                if name in model.statistics
            }
            return self.weights.apply("weight", wide, n * n_lengths).reshape(n, n_lengths)
        with np.errstate(all="ignore"):
            weights = call(model.function, {**self.weights.constants, **statistics}, model.parameters)
        table: Array = np.ascontiguousarray(np.broadcast_to(weights, (n, n_lengths)), np.float64)
        return table

    def _part(self, query: QueryTerms) -> Array:
        """The part that the model adds once to a document, by document length; empty if it has none."""
        if "document" not in self.weights.model.hooks:
            return _NOTHING
        return self.weights.apply("document", {**query.statistics, "dl": self._lengths.copy()}, len(self._lengths))

    def _room(self, k: int) -> MaxScore:
        """The work arrays of this thread, kept for its next query."""
        room: MaxScore | None = getattr(self._of_thread, "room", None)
        if room is None or self._of_thread.k != k:
            window = min(WINDOW, len(self.weights.index))
            room = MaxScore(self._postings, k, k + max(k, _SPARE), window, FIRST)
            self._of_thread.room, self._of_thread.k = room, k
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


class CompiledScorer:
    """One model over an index, by compiled loops."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def best(self, queries: Sequence[QueryTerms], k: int, threads: int | None = None) -> Sequence[Ranked | None]:
        """The k best documents of each query, or None for plain numpy to find; None for `threads`: one per core."""
        if self._search is None:
            return [None] * len(queries)
        return self._search.best(queries, min(k, len(self.weights.index)), threads or cores())

    @functools.cached_property
    def _search(self) -> BlockSearch | None:
        """The search in packed postings, if the form of the score permits it."""
        return BlockSearch(self.weights) if BlockSearch.fits(self.weights) else None
