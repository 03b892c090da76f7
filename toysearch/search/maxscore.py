"""Top-k by compiled loops that skip what cannot be among the best, where scores are sums or a sum bounds them."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from toysearch.compiled import best_documents, list_layout
from toysearch.models.model import Array, names_of
from toysearch.models.model import call as call_with
from toysearch.search.posting_lists import PostingLists, TermList
from toysearch.search.scoring import Plan, QueryTerms, Ranked, finish, plan, top, weigh_query
from toysearch.search.term_weights import Weights

AT_ONCE = 64
"""Queries that a thread answers in one call of the loop."""
BOUNDED_FROM = 5 * list_layout.SPAN
"""The least number of documents for which bounds are computed before scores: with few windows, bounds skip little."""
_MOST_ROWS = 1 << 19  # of results in one call
_MOST_PARTS = 8  # of documents, one for each length of a query, that are kept
_SPARE = 16  # documents found beyond the k best before those are sought out among them, or sought beyond them
_HUGE = 1e140  # products of squares within it, and above 1 / it, keep all their digits
_WIDER = 4  # times as many are sought where those may not be all
_MOST = 2000  # documents sought, or 2 k of them: where more are needed, adding all up is as quick

Value = TypeVar("Value")
Each = Callable[..., Iterable[None]]
"""A function like `map`, possibly of a thread pool."""


class DocumentPart(NamedTuple):
    """The addition of a model to each document."""

    values: Array  # (N,) float64; one a document; empty where the model adds nothing
    highest: Array  # (windows,) float64; the largest of each window of documents
    # lowest, size: the smallest of all, and the largest by absolute value
    lowest: float
    size: float


_NOTHING = DocumentPart(np.empty(0), np.empty(0), 0.0, 0.0)


class KernelCall(NamedTuple):
    """Queries for one call of the compiled loop, with its arguments and the room for its results.

    `held` keeps the lists in memory whose addresses the loop is given; `places` says which of all queries these are.
    """

    places: Sequence[int]
    held: list[TermList]
    query_weights: Array
    every: Array
    bounds: np.ndarray
    most_terms: int
    part: DocumentPart
    docs: np.ndarray
    scores: Array
    counts: np.ndarray


class MaxScore:
    """The k best documents by the sum of term weights, the parts common to all documents and those of each document."""

    def __init__(self, weights: Weights, lists: PostingLists) -> None:
        self.weights = weights
        self.lists = lists
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._parts: dict[float, DocumentPart | None] = {}
        self._of_query: dict[bytes, tuple[Array, Array]] = {}

    def ranked(self, queries: Sequence[QueryTerms], k: int, each: Each = map) -> list[Ranked | None]:
        """The k best documents of each query, None for a query whose scores may be infinite."""
        # The calls of the loop are all prepared first: it lets other threads run, what prepares it does not.
        calls = self._calls(queries, k)
        for _ in each(functools.partial(self._search, k), calls):
            pass
        found: list[Ranked | None] = [None] * len(queries)
        for call in calls:
            start = 0
            for place, count in zip(call.places, call.counts.tolist(), strict=True):
                if count >= 0:
                    found[place] = call.docs[start : start + count], call.scores[start : start + count]
                start += k
        return found

    def _calls(self, queries: Sequence[QueryTerms], k: int) -> list[KernelCall]:
        """The calls of the loop that answer queries, without queries whose document parts are not finite."""
        groups: Iterable[Sequence[int]] = [range(len(queries))] if queries else []
        if self._by_length:
            by_length: dict[float, list[int]] = {}
            for place, query in enumerate(queries):
                by_length.setdefault(query.statistics["ql"], []).append(place)
            groups = by_length.values()
        calls = []
        for places in groups:
            part = self._part(queries[places[0]])
            if part is not None:
                for some in parted(places, at_once(k)):
                    calls.append(self._call([queries[place] for place in some], some, part, k))
        return calls

    def _call(self, queries: Sequence[QueryTerms], places: Sequence[int], part: DocumentPart, k: int) -> KernelCall:
        n, numbers, bounds, most_terms = len(queries), [], [0], 0
        for query in queries:
            numbers += query.numbers.tolist()
            most_terms = max(most_terms, len(numbers) - bounds[-1])
            bounds.append(len(numbers))
        parts = [self._parts_of(query) for query in queries]
        query_weights, every = parts[0] if n == 1 else (np.concatenate(each) for each in zip(*parts, strict=True))
        return KernelCall(
            places,
            self.lists.of_terms(numbers),
            query_weights,
            every,
            np.array(bounds),
            most_terms,
            part,
            np.empty(n * k, np.int64),
            np.empty(n * k),
            np.empty(n, np.int64),
        )

    def _search(self, k: int, call: KernelCall) -> None:
        n_docs = self.weights.index.stats.N
        best_documents.search(
            n_docs,
            np.array([each.address for each in call.held], dtype=np.int64),
            call.query_weights,
            call.every,
            call.bounds,
            *call.part,
            k,
            n_docs >= BOUNDED_FROM,
            *self._room(k, call.most_terms),
            call.docs,
            call.scores,
            call.counts,
        )

    def _room(self, k: int, n_terms: int) -> tuple[Array, np.ndarray, Array, Array, np.ndarray]:
        """The buffers of the loop, kept per thread for the next call."""
        room = getattr(self._of_thread, "room", None)
        if room is None or self._of_thread.k != k or len(room[0]) < best_documents.words_of_work(n_terms):
            work = np.zeros(best_documents.words_of_work(n_terms) + 7)
            size = k + max(k, _SPARE)
            found = np.empty(5 * size)
            whole = found.view(np.int64)
            room = self._of_thread.room = (
                work[-work.ctypes.data % 64 // 8 :],  # from the beginning of a cache line
                whole[:size],
                found[size : 2 * size],
                found[2 * size : 3 * size],
                whole[3 * size :].reshape(2, -1),
            )
            self._of_thread.k = k
        return room

    def _parts_of(self, query: QueryTerms) -> tuple[Array, Array]:
        """The result of `weigh_query`, cached if it depends only on the counts of the query terms."""
        if not self._by_qtf:
            return weigh_query(self.weights, query)
        key = query.qtf.tobytes()
        found = self._of_query.get(key)
        if found is None:
            if len(self._of_query) >= 1000:
                self._of_query.clear()
            found = self._of_query[key] = weigh_query(self.weights, query)
        return found

    @functools.cached_property
    def _by_qtf(self) -> bool:
        hooks = [self.weights.model.hooks.get(name) for name in ("query", "per_matched_document")]
        names = {name for hook in hooks if hook for name in names_of(hook)}
        return not names & {"df", "cf"}

    @functools.cached_property
    def _by_length(self) -> bool:
        """Whether the addition of the model to a document depends on the query length."""
        hook = self.weights.model.hooks.get("document")
        return hook is not None and "ql" in names_of(hook)

    def _part(self, query: QueryTerms) -> DocumentPart | None:
        """The addition of the model to each document for this query length; None if it is not finite."""
        if "document" not in self.weights.model.hooks:
            return _NOTHING
        key = query.statistics["ql"] if self._by_length else 0.0
        with self._lock:
            if key not in self._parts:
                if len(self._parts) >= _MOST_PARTS:
                    self._parts.pop(next(iter(self._parts)))
                self._parts[key] = self._document_part(query)
            return self._parts[key]

    def _document_part(self, query: QueryTerms) -> DocumentPart | None:
        index = self.weights.index
        names = names_of(self.weights.model.hooks["document"])
        statistics = {**query.statistics, **self.weights.document_statistics(np.arange(index.stats.N), names)}
        values = self.weights.apply("document", statistics, index.stats.N)
        values[index.distinct == 0] = 0.0  # no query finds an empty document
        if not np.isfinite(values).all():
            return None
        highest = np.maximum.reduceat(values, np.arange(0, len(values), list_layout.WINDOW))
        return DocumentPart(values, highest, float(values.min()), float(np.abs(values).max()))


def added_up(weights: Weights, lists: PostingLists, query: QueryTerms) -> tuple[np.ndarray, Array, Plan]:
    """The documents that hold a query term, by rising number, the sums of their weights, and the plan of the query."""
    held = lists.of_terms(query.numbers.tolist())
    terms = [lists.term_weights(each) for each in held]
    room = min(weights.index.stats.N, sum(len(term.weights) for term in terms))
    docs, totals = np.empty(room, dtype=np.int64), np.empty(room)
    n = best_documents.add_up(
        weights.index.stats.N,
        np.array([each.address for each in held], dtype=np.int64),
        weigh_query(weights, query)[0],
        weights.model.similarity.combine == "product",
        np.zeros(list_layout.WINDOW),
        np.zeros(list_layout.WINDOW // 64, dtype=np.int64),
        docs,
        totals,
    )
    return docs[:n], totals[:n], plan(weights, query, terms)


def at_once(k: int) -> int:
    """The number of queries per call of the loop."""
    return max(1, min(AT_ONCE, _MOST_ROWS // k))


def parted(values: Sequence[Value], size: int) -> Iterator[Sequence[Value]]:
    """A sequence in parts of a size."""
    return (values[start : start + size] for start in range(0, len(values), size))


class MaxScoreCosine:
    """The k best documents by a similarity bounded by the sum of weights divided by the document length.

    The best documents by this sum are found first, and then scored by the model. All others have a lower sum; once none
    of them can reach the score of the k-th, the k best are known.
    """

    def __init__(self, weights: Weights, lists: PostingLists) -> None:
        self.weights = weights
        self.lists = lists
        self._near = lists
        if weights.model.similarity.bounded_by != "s":
            lengths = np.sqrt(weights.squared_norms)
            times = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths != 0)
            lists.memory //= 2
            self._near = PostingLists(weights, lists.memory, times)
        self._maxscore = MaxScore(weights, self._near)

    @staticmethod
    def fits(weights: Weights) -> bool:
        """Whether the similarity of the model is of this kind, and the lengths keep their precision in its formula."""
        if not weights.model.similarity.bounded_by or {"per_matched_document", "document"} & set(weights.model.hooks):
            return False
        lengths = weights.squared_norms[weights.squared_norms != 0]
        return not len(lengths) or bool(lengths.min() > 1 / _HUGE and lengths.max() < _HUGE)

    def ranked(self, queries: Sequence[QueryTerms], k: int, each: Each = map) -> list[Ranked | None]:
        """As `MaxScore.ranked`; also None if too many documents would have to be scored."""
        sought = min(k + _SPARE, self.weights.index.stats.N)
        near = self._maxscore.ranked(queries, sought, each)
        return [found and self._best(query, found, sought, k) for query, found in zip(queries, near, strict=True)]

    def _best(self, query: QueryTerms, found: Ranked | None, sought: int, k: int) -> Ranked | None:
        """The k best, from the documents found by the sum, extended if some may be missing."""
        held = self.lists.of_terms(query.numbers.tolist())
        query_weights = weigh_query(self.weights, query)[0]
        planned = plan(self.weights, query, [self.lists.term_weights(each) for each in held])
        if not 1 / _HUGE < planned.squared_norm < _HUGE:
            return None
        addresses = np.array([each.address for each in held], dtype=np.int64)
        rounding = self._rounding(query, query_weights)
        while found is not None:
            docs, near = np.sort(found[0]), found[1]
            totals = np.empty(len(docs))
            best_documents.totals_of(addresses, query_weights, docs, totals, np.empty(len(docs), np.int64))
            scores = finish(self.weights, planned, docs, totals)
            best = top(scores, k)
            all_found = len(docs) < sought or sought == self.weights.index.stats.N
            if all_found or self._highest(planned, near[-1] + rounding) < scores[best[-1]]:
                return docs[best], scores[best]
            sought = min(_WIDER * sought, self.weights.index.stats.N)
            if sought > max(_MOST, 2 * k):
                return None
            found = self._maxscore.ranked([query], sought)[0]
        return None

    def _highest(self, planned: Plan, near: float) -> float:
        """The highest possible score of a document whose sum is at most this."""
        qq, near = planned.squared_norm, max(0.0, near)
        s = near if self.weights.model.similarity.bounded_by == "s" else near * np.sqrt(qq)
        named: dict[str, Any] = {"s": s, "dd": qq, "qq": qq}
        return float(call_with(self.weights.model.similarity.function, named, self.weights.model.parameters))

    def _rounding(self, query: QueryTerms, query_weights: Array) -> float:
        """The allowance for rounding of the sum and the score."""
        lists = self._near.of_terms(query.numbers.tolist())
        largest = [max(abs(each.values[list_layout.HIGHEST]), abs(each.values[list_layout.LOWEST])) for each in lists]
        return best_documents.ROUNDING * (8 * len(lists) + 64) * float(np.dot(np.abs(query_weights), largest))
