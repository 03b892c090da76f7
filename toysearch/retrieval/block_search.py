"""Search for the k best documents in packed postings, by compiled loops, equal bit by bit to `scoring`.

The weights of most models have the form (a · b) / c, where a depends on the term alone, and b and c on the term
frequency and the document length: in BM25, a is the idf, b is tf, and c is tf + k1 · (1 − b + b · dl/avgdl). To find
these factors, the function of the model is called with objects instead of tf and dl, which do with numpy's
operations what arrays of all pairs would do, and note where an array of terms comes in. A function that does anything
else with them has no factors. The operations are those of the function, in the same order: the weights are equal to the
last bit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import isfinite, isnan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from toysearch.base import ModelError, pool, repeat_each
from toysearch.base.errors import go_on
from toysearch.compiled.block_max import DocumentLengths, MaxScore, PackedPostings, WeighedTerms
from toysearch.index.inverted_index import Index, once_per_index
from toysearch.index.posting_blocks import BLOCK, contradiction
from toysearch.index.postings import NO_NUMBERS, Counts
from toysearch.models.model import COLLECTION, Array, Model, call, is_shipped, names_of
from toysearch.retrieval.query_terms import QueryTerms, counts_of
from toysearch.retrieval.scoring import Ranked, Weights, in_turn, not_finite, weigh_query

WINDOW = 1 << 15  # documents
FIRST = 1 << 11  # documents in the first window; each window is twice as wide as the one before, up to WINDOW
SMALL = 1 << 13  # a table of at most this many weights is made even if the term has fewer postings
GROUPS = 6  # bits in the number of a group of lengths: at most 64 groups
SHARED = 1 << 20  # the most numbers in a table that terms share
LENGTHS = 1 << 16  # there are fewer different lengths of documents: their columns are numbered in 16 bits
_LONGEST = 1 << 24  # every document must have fewer tokens
_FIRST_ROWS = 24  # of the tables that terms share
_KINDS = ("dot", "cosine", "dice", "jaccard", "cosine-document", "cosine-query")  # as the compiled loops number them
_SPARE = 16  # the fewest places beyond k in the list of documents found; a full list is reduced to the k best
_AT_ONCE = 16  # queries that a thread answers in one go
_BATCH = 1 << 10  # queries whose terms are weighed together
_CELLS = 1 << 16  # weights in tables that are made together, unless one is larger: they stay in the processor's cache
_ROOM = 1 << 12  # blocks and terms for which there is room in the beginning
_NOTHING = np.empty(0)
_LEAST, _MOST = 1e-100, 1e100  # no product or quotient of numbers between them loses digits


_Entry: TypeAlias = tuple[int, int, int, int, int]  # of a term: first block, end, highest tf, df and number


class _Request(NamedTuple):
    numbers: list[int]  # of the terms
    q: list[float]  # the weight of each
    every: float = 0.0  # added to each sum
    parts: Array | None = None  # added next, by length
    qq: float = 0.0  # Σ q²
    required: bool = False  # true if only documents with all terms are ranked
    allowed: np.ndarray | None = None  # 1 for each document that a filter keeps


@once_per_index
def document_lengths(index: Index) -> DocumentLengths | None:
    """Return document lengths for the compiled loops; None if these do not support them."""
    dl: Any = index.arrays["dl"]
    dl = dl if isinstance(dl, Counts) else Counts.of(np.asarray(dl))
    small, large = np.asarray(dl.small), np.asarray(dl.large, np.int64)
    lengths = DocumentLengths(small, large) if large.max(initial=0) < _LONGEST else None
    return lengths if lengths is not None and small.any() and len(lengths.occurring) < LENGTHS else None


class BlockSearch:
    """Finds the k best documents of queries by compiled loops over packed postings, for a model that `fits` accepts."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        index, hooks = weights.index, weights.model.hooks
        alone = hooks.keys().isdisjoint({"per_matched_document", "document", "unknown"})
        known = {"qtf"}.union(weights.constants, weights.model.parameters)
        query = hooks.get("query")
        self._by_count = query is None or (is_shipped(query) and known.issuperset(names_of(query)))
        # the weight of a query term by its count, where nothing else decides
        self._q: Callable[[float], float] = float if query is None else cache(partial(_weight_of_count, weights))
        self._own_terms = index.own_terms(NO_NUMBERS) is NO_NUMBERS  # no shard
        self._plain = weights.model.similarity.name == "dot" and alone and self._by_count and self._own_terms
        # statistics in its weight besides tf, dl, df, cf and the constants of the collection
        self._others = {*weights.model.statistics} - {"tf", "df", "cf", "dl", *weights.constants}
        self._by_length = _only_by_length(weights, self._others)
        self._own = not is_shipped(weights.model.function)
        self._blocks = index.blocks.packed
        lengths = document_lengths(index)
        assert lengths is not None
        self._lengths, self._document_lengths = lengths.occurring, lengths
        dd = weights.squared_norms if "dd" in names_of(weights.model.similarity.function) else _NOTHING
        self._postings = PackedPostings(
            self._blocks.words.view(np.uint32),
            lengths,
            _KINDS.index(weights.model.similarity.name),
            dd,
            float(dd[dd > 0].min(initial=np.inf)) if len(dd) else 0.0,
        )
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._scales: dict[int, float] = {}  # by document frequency
        self._factored = self._by_length and not self._own  # true if the weights have factors
        self._forget()
        self._share(1)
        if self._factored and "cf" not in weights.model.statistics:
            self._scale({1})

    @staticmethod
    def fits(weights: Weights) -> bool:
        """True if the compiled loops support the form of the model's scores."""
        model = weights.model
        of_documents = {*model.hooks} & {"per_matched_document", "document"}
        if (
            model.fields_of_priors
            or model.similarity.name not in _KINDS
            or (model.similarity.name != "dot" and of_documents)
        ):
            return False
        of_query = "qtf", "ql", "max_qtf", "distinct_q"
        known = {"dl"}.union(of_query, weights.constants, COLLECTION, model.parameters)
        hook = names_of(model.hooks["document"]) if "document" in model.hooks else ()
        return known.issuperset(hook) and document_lengths(weights.index) is not None

    def best(self, queries: Sequence[QueryTerms], k: int, threads: int = 1) -> list[Ranked | None]:
        """Find the k best documents of each query; None if a score may not be finite, or terms join a derived one."""
        answers = []
        for start in range(0, len(queries), _BATCH):
            go_on()
            answers += self._of_batch(queries[start : start + _BATCH], k, threads)
        return answers

    def _of_batch(self, queries: Sequence[QueryTerms], k: int, threads: int) -> list[Ranked | None]:
        request = self._plain_request if self._plain else self._request
        requests = [None if query.derived or query.matched is not None else request(query) for query in queries]
        numbers = [number for one in requests if one is not None for number in one.numbers]
        weighed = self._weighed(numbers, one=len(queries) == 1)
        if weighed is None:
            half = len(queries) // 2
            return self._of_batch(queries[:half], k, threads) + self._of_batch(queries[half:], k, threads)
        terms, slots = weighed

        def answer(start: int, stop: int) -> list[Ranked | None]:
            room = self._room(k)
            answers: list[Ranked | None] = []
            for place, one in enumerate(requests[start:stop], start):
                if one is not None:
                    answers.append(room.answer(terms, [slots[number] for number in one.numbers], *one[1:]))
                else:
                    answers.append(self._of_derived(queries[place], k))
            return answers

        n = len(queries)
        try:
            if threads == 1 or n <= _AT_ONCE:
                return answer(0, n)
            starts = range(0, n, _AT_ONCE)
            with pool(threads) as beside:
                several = beside.map(answer, starts, [*starts[1:], n])
                return [one for answers in several for one in answers]
        except LookupError:
            raise contradiction() from None

    def _of_derived(self, query: QueryTerms, k: int) -> Ranked | None:
        alone = len(query.derived) == len(query.numbers) == 1 and query.matched is None and query.allowed is None
        if not (alone and self._plain and self._factored) or "cf" in self.weights.model.statistics:
            return None
        [term], [q] = query.derived, self._plain_request(query).q
        with self._lock:
            self._scale({term.df})
            scale, terms = self._scales[term.df], self._terms
        return None if isnan(scale) else self._room(k).answer_derived(terms, scale, q, term.docs, term.tf)

    def _plain_request(self, query: QueryTerms) -> _Request:
        q = [*map(self._q, query.qtf.tolist())]
        return _Request(query.numbers.tolist(), q, required=query.required, allowed=query.allowed)

    def _request(self, query: QueryTerms) -> _Request:
        planned = weigh_query(self.weights, query)
        present = self.weights.index.own_terms(planned.query.numbers) >= 0
        if query.required and not present.all():  # a shard may lack a term
            present[:] = False
        planned = planned.of(present)
        parts = None
        if "document" in self.weights.model.hooks and len(planned.query.numbers):
            statistics = {**query.statistics, "dl": self._lengths.copy()}
            parts = self.weights.apply("document", statistics, len(self._lengths))
        dot = self.weights.model.similarity.name == "dot"
        qq = 0.0 if dot else planned.norms["qq"]
        q, every = planned.query_weights.tolist(), in_turn(planned.every)
        return _Request(planned.query.numbers.tolist(), q, every, parts, qq, query.required, query.allowed)

    def _forget(self) -> None:
        shift = max(0, (len(self._lengths) - 1).bit_length() - GROUPS)
        self._terms = WeighedTerms(self._document_lengths, shift, [_ROOM, _ROOM, 0, 0])
        self._slots: dict[int, int] = {}  # the number of a term among the weighed ones

    def _weighed(self, numbers: list[int], *, one: bool) -> tuple[WeighedTerms, dict[int, int]] | None:
        """Weigh terms; return all weighed ones and the places of these among them; None if the memory is too small.

        The terms of one query are weighed in any case.
        """
        with self._lock:
            slots = self._slots
            missing = {number for number in numbers if number not in slots}
            if missing:
                if self._terms.n_bytes() > self.weights.memory // 2:
                    self._forget()
                    missing = {*numbers}
                if not self._add(sorted(missing), one=one):
                    return None
            return self._terms, self._slots

    def _add(self, new: list[int], *, one: bool) -> bool:
        """Weigh terms by factors, tables or one weight per posting; False if the memory is too small for them."""
        own, df = new, None
        if not self._own_terms:
            index, numbers = self.weights.index, np.array(new)
            own, df = index.own_terms(numbers).tolist(), index.df_by_term[numbers].tolist()
        lookup = self._blocks.single_terms
        self._terms, entries = self._terms.with_terms(lookup, own, new, df, self._scales, self._slots)
        if entries is None:
            raise contradiction()
        if entries and self._factored:
            entries = self._add_factored(entries)
        return not entries or self._add_others(np.array(entries).T, one=one)

    def _add_factored(self, entries: list[_Entry]) -> list[_Entry]:
        """Weigh terms by factors; return the entries of those that need tables of their own."""
        self._share(max(entry[2] for entry in entries))
        others: list[_Entry] = []
        if "cf" not in self.weights.model.statistics:
            self._scale({entry[3] for entry in entries})
            others += self._terms.add_shared(entries, self._scales, self._slots)
            return others
        parts = self._factors(np.array(entries).T[3:], self._lengths[:1], 1)
        if parts is None:
            return entries
        for entry, scale in zip(entries, parts.scales.tolist(), strict=True):
            others += self._terms.add_shared([entry], {entry[3]: scale}, self._slots)
        return others

    def _add_others(self, entries: np.ndarray, *, one: bool) -> bool:
        index, n_lengths = self.weights.index, len(self._lengths)
        own_df = entries[3] if self._own_terms else self._blocks.df_of(index.own_terms(entries[4]))
        in_rows = (entries[2] * n_lengths <= np.maximum(own_df, SMALL)) & self._by_length
        tables, lists = entries[:, in_rows], entries[:, ~in_rows]
        n_rows, n_blocks = int(tables[2].sum()), int((lists[1] - lists[0]).sum())
        n_weights = n_rows * n_lengths + int(own_df[~in_rows].sum())
        if 8 * n_weights > self.weights.memory // 2 and not one:
            return False
        n_bounds = n_rows * self._terms.n_groups + n_blocks
        self._terms = self._terms.with_room(0, entries.shape[1], n_weights, n_bounds)
        start, ends = 0, np.cumsum(tables[2])
        while start < len(ends):
            before = int(ends[start] - tables[2, start])
            end = max(start + 1, int(np.searchsorted(ends, before + _CELLS // n_lengths, side="right")))
            some = np.ascontiguousarray(tables[:, start:end])
            try:
                table = self._table(*some[2:])
            except ModelError:  # possibly caused by pairs that never occur, such as a tf above the dl
                self._by_length = False
                is_new = [number not in self._slots for number in entries[4].tolist()]
                return self._add_others(entries[:, is_new], one=True)
            self._terms.add_tables(some, table.ravel())
            self._number(some[4].tolist())
            start = end
        for entry, term in zip(lists.T.tolist(), self.weights.of_terms(lists[4].tolist()), strict=True):
            self._terms.add_list(entry, term.weights, BLOCK)
            self._number(entry[4:])
        return True

    def _number(self, numbers: list[int]) -> None:
        for number in numbers:
            self._slots[number] = len(self._slots)

    def _share(self, highest_tf: int) -> None:
        """Make the tables that terms share, at least up to a term frequency if that is possible."""
        n_rows = min(max(_FIRST_ROWS, 2 * highest_tf), SHARED // len(self._lengths))
        if self._factored and highest_tf > self._terms.n_shared and n_rows > self._terms.n_shared:
            parts = self._factors(np.array([[1], [0]]), self._lengths, n_rows)
            self._factored = parts is not None
            if parts is not None:
                self._terms = self._terms.with_shared(parts.over, parts.under)

    def _scale(self, df: set[int]) -> None:
        """Compute the scales of terms with shared tables, by document frequency; NaN for terms that need their own."""
        if new := df.difference(self._scales):
            several = np.array([*new])
            if not self._scales:  # also the low ones, of nearly all terms, and those of the frequent terms of the index
                n_low = 64 + self.weights.index.n_documents // 512
                df_of_terms = self._blocks.terms.df
                high = np.asarray(df_of_terms.large if isinstance(df_of_terms, Counts) else df_of_terms)
                several = np.concatenate([np.arange(n_low), high[high >= n_low], several])
            parts = self._factors(several[None], self._lengths[:1], 1)
            of_several = [np.nan] * len(several) if parts is None else parts.scales.tolist()
            self._scales.update(zip(several.tolist(), of_several, strict=True))

    def _factors(self, df_and_numbers: np.ndarray, lengths: Array, n_rows: int) -> Factors | None:
        model, df = self.weights.model, df_and_numbers[0].astype(np.float64)
        statistics = {**self.weights.constants, **dict.fromkeys(self._others, 1.0), "df": df}
        if "cf" in model.statistics:
            statistics |= counts_of(self.weights.index, df_and_numbers[1], ("cf",))
        parts = factors(model, statistics, lengths, n_rows)
        return parts if parts is None else parts._replace(scales=np.broadcast_to(parts.scales, df.shape).copy())

    def _table(self, rows: np.ndarray, df: np.ndarray, numbers: np.ndarray) -> Array:
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
            statistics["cf"] = repeat_each(counts_of(self.weights.index, numbers, ("cf",))["cf"], rows)[:, None]
        if self._own:
            wide = {
                name: np.broadcast_to(statistics[name], (n, n_lengths)).ravel()
                for name in statistics
                if name in model.statistics
            }
            return self.weights.apply("weight", wide, n * n_lengths).reshape(n, n_lengths)
        with np.errstate(all="ignore"):
            weights = call(model.function, {**self.weights.constants, **statistics}, model.parameters)
        return np.ascontiguousarray(np.broadcast_to(weights, (n, n_lengths)), np.float64)

    def _room(self, k: int) -> MaxScore:
        room: MaxScore | None = getattr(self._of_thread, "room", None)
        if room is None or self._of_thread.k != k:
            window = min(WINDOW, len(self.weights.index))
            room = MaxScore(self._postings, k, k + max(k, _SPARE), window, FIRST)
            self._of_thread.room, self._of_thread.k = room, k
        return room


def _weight_of_count(weights: Weights, count: float) -> float:
    weight = float(weights.apply("query", {"qtf": np.array([count])}, 1)[0])
    if not isfinite(weight):
        raise not_finite(weights)
    return weight


def _only_by_length(weights: Weights, others: set[str]) -> bool:
    """True if weights depend on no document statistic but the length; variants ignore some that they name."""
    model = weights.model
    if not others or not is_shipped(model.function):
        return not others
    sample = {"tf": np.array([1.0, 2.0, 5.0]), "dl": np.array([4.0, 9.0, 30.0])}
    sample |= {"df": np.array([1.0, 2.0, 3.0]), "cf": np.array([1.0, 4.0, 15.0])}
    samples = []
    for value in (5.0, 7.0, 13.0):
        with np.errstate(all="ignore"):
            statistics = {**weights.constants, **sample, **dict.fromkeys(others, np.full(3, value))}
            samples.append(np.broadcast_to(call(model.function, statistics, model.parameters), 3))
    return all(np.array_equal(samples[0], weights_again, equal_nan=True) for weights_again in samples[1:])


class Factors(NamedTuple):
    """Numbers a of some terms, and b and c for each tf from 1 up (rows) and each length (columns)."""

    scales: Array
    over: Array
    under: Array


class _Pairs(NDArrayOperatorsMixin):
    """Stands for numbers by tf and length, (of_terms · over) / under; None for an absent part."""

    def __init__(self, of_terms: Any, over: Any, under: Any) -> None:
        self.of_terms, self.over, self.under = of_terms, over, under

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if all(_is_plain(value) for value in inputs):
            values = [value.over if isinstance(value, _Pairs) else value for value in inputs]
            return _Pairs(None, ufunc(*values), None)
        if len(inputs) != 2:
            return NotImplemented
        one, other = inputs
        if ufunc is np.multiply and _is_of_terms(other):
            one, other = other, one
        if not (isinstance(other, _Pairs) and _is_plain(other)):
            return NotImplemented
        if ufunc is np.multiply and _is_of_terms(one):
            return _Pairs(one, other.over, None)
        if ufunc is np.divide and _is_of_terms(one):
            return _Pairs(one, 1.0, other.over)
        if ufunc is np.divide and isinstance(one, _Pairs) and one.under is None:
            return _Pairs(one.of_terms, one.over, other.over)
        return NotImplemented

    def __array_function__(self, *_: Any) -> Any:
        return NotImplemented

    def __bool__(self) -> bool:
        raise TypeError("these are many numbers")


def _is_plain(value: Any) -> bool:
    return value.of_terms is None if isinstance(value, _Pairs) else isinstance(value, int | float)


def _is_of_terms(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == np.float64


def factors(model: Model, statistics: Mapping[str, Any], lengths: Array, n_tf: int) -> Factors | None:
    """Return the factors of a model's weights; None if it has none, or some numbers are too large or too small.

    The scale of a term whose number is too large or too small is NaN.
    """
    # statistics: df and cf of the terms, each (n,) float64, and the constants of the collection.
    tf, dl = np.arange(1.0, n_tf + 1)[:, None], lengths[None, :]
    of_pairs = {"tf": _Pairs(None, tf, None), "dl": _Pairs(None, dl, None)}
    with np.errstate(all="ignore"):
        try:
            weights = call(model.function, {**statistics, **of_pairs}, model.parameters)
        except Exception:  # the function may fail in any way on objects that it does not expect
            return None
    if not isinstance(weights, _Pairs):
        return None
    shape, parts = (n_tf, len(lengths)), (weights.over, 1.0 if weights.under is None else weights.under)
    over, under = (np.ascontiguousarray(np.broadcast_to(part, shape), np.float64) for part in parts)
    if any(not (part.min() >= _LEAST and part.max() <= _MOST) for part in (over, under)):
        return None
    scales = np.ones(1) if weights.of_terms is None else weights.of_terms.copy()
    size = np.abs(scales)
    scales[~((size == 0.0) | (size >= _LEAST) & (size <= _MOST))] = np.nan
    return Factors(scales, over, under)
