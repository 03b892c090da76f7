"""Queries → documents and scores, for one model over an index: by plain numpy or compiled loops, equal to the bit."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from toysearch.paths import compiled, cores
from toysearch.ranking.model import Array, names_of
from toysearch.ranking.scoring import QueryTerms, finish, of_query, plan
from toysearch.ranking.scoring import score as plain_score
from toysearch.ranking.similarity import dot
from toysearch.ranking.topk import top
from toysearch.ranking.weights import Weights

if TYPE_CHECKING:
    from toysearch.ranking.lists import Lists, TermList

_AT_ONCE = 64  # queries that a thread answers in one call of the compiled loop
_MOST_ROWS = 1 << 19  # of results in one call
_CALLS = 8  # of the loop that each thread has to do before more are prepared
_MOST_PARTS = 8  # of documents, one for each length of a query, that are kept
_SPARE = 16  # documents found beyond the k best before those are sought out among them

Value = TypeVar("Value")
Ranked = tuple[np.ndarray, Array]
"""The numbers of documents and their scores."""


class Part(NamedTuple):
    """What a model adds to each document.

    Attributes
    ----------
    values : ndarray of float64, shape (N,)
        One a document; empty where the model adds nothing.
    highest : ndarray of float64, shape (windows,)
        The largest of each window of documents.
    lowest, size : float
        The smallest of all, and the largest by absolute value.
    """

    values: Array
    highest: Array
    lowest: float
    size: float


_NOTHING = Part(np.empty(0), np.empty(0), 0.0, 0.0)


class Call(NamedTuple):
    """Queries for one call of the compiled loop, what it takes and where it puts their documents.

    `held` keeps the lists in memory whose addresses the loop is given; `places` says which of all queries these are.
    """

    places: Sequence[int]
    held: list[TermList]
    query_weights: Array
    every: Array
    bounds: np.ndarray
    most_terms: int
    part: Part
    docs: np.ndarray
    scores: Array
    counts: np.ndarray


class Retrieval:
    """Finds the documents for queries, with their scores.

    Parameters
    ----------
    weights : Weights
        The model over the index. Its memory budget is that of the compiled path's lists too.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._postings = 0  # asked for so far
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._parts: dict[float, Part | None] = {}
        self._of_query: dict[bytes, tuple[Array, Array]] = {}

    def prepare(self, terms: Iterable[int]) -> None:
        """Weigh the terms with these numbers in one call of the model, which is much cheaper than one a term."""
        numbers = np.fromiter(terms, dtype=np.int64)
        if not compiled("search", self._postings + int(self.weights.index.df[numbers].sum())):
            self.weights.prepare(numbers.tolist())

    def score(self, query: QueryTerms) -> Ranked:
        """The documents that hold a term of the query, by rising number, and their scores."""
        if self._compiled([query]):
            return self._added_up(query)
        return plain_score(self.weights, plan(self.weights, query))

    def _added_up(self, query: QueryTerms) -> Ranked:
        """As the compiled loop adds up the weights; numpy does what comes after."""
        from toysearch.ranking import kernels

        lists = self._lists
        held = lists.of(query.numbers.tolist())
        terms = [lists.term_weights(each) for each in held]
        planned = plan(self.weights, query, terms)
        room = min(self.weights.index.stats.N, sum(len(term.docs) for term in terms))
        docs, totals = np.empty(room, dtype=np.int64), np.empty(room)
        n = kernels.add_up(
            self.weights.index.stats.N,
            np.array([each.address for each in held], dtype=np.int64),
            self._parts_of(query)[0],
            self.weights.model.similarity.meet == "product",
            np.zeros(kernels.WINDOW),
            np.zeros(kernels.WINDOW // 64, dtype=np.int64),
            docs,
            totals,
        )
        return docs[:n], finish(self.weights, planned, docs[:n], totals[:n])

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> list[Ranked]:
        """The k best documents of each query, best first, equal ones by number; all that match where k is None.

        Parameters
        ----------
        queries : sequence of QueryTerms
            What is asked.
        k : int or None
            How many documents at the most.
        threads : int or None
            How many threads search; None means as many as there are cores. The results are the same.
        """
        by_sum = self.weights.model.similarity.function is dot and self.weights.model.similarity.meet == "product"
        if not self._compiled(queries):
            return [self._plain_best(query, k) for query in queries]
        if k is None or not by_sum:
            return [self._cut(*self._added_up(query), k) for query in queries]
        k = min(k, self.weights.index.stats.N)
        at_once, threads = max(1, min(_AT_ONCE, _MOST_ROWS // k)), threads or cores()
        if len(queries) <= at_once or threads == 1:
            return [ranked for some in _parted(queries, at_once) for ranked in self._ranked(some, k, map)]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            ahead = _parted(queries, at_once * threads * _CALLS)
            return [ranked for some in ahead for ranked in self._ranked(some, k, pool.map)]

    @staticmethod
    def _cut(docs: np.ndarray, scores: Array, k: int | None) -> Ranked:
        best = top(scores, k)
        return docs[best], scores[best]

    def _plain_best(self, query: QueryTerms, k: int | None) -> Ranked:
        """As the plain path finds them, which also says what is wrong where a score is not finite."""
        return self._cut(*plain_score(self.weights, plan(self.weights, query)), k)

    def _compiled(self, queries: Sequence[QueryTerms]) -> bool:
        """Whether compiled loops answer; one who has asked much already will ask more."""
        if "_lists" in self.__dict__:
            return True
        df = self.weights.index.df
        self._postings += sum(int(df[query.numbers].sum()) for query in queries)
        return compiled("search", self._postings)

    @functools.cached_property
    def _lists(self) -> Lists:
        from toysearch.ranking.lists import Lists

        return Lists(self.weights, self.weights.memory)

    def _ranked(self, queries: Sequence[QueryTerms], k: int, each: Callable[..., Iterable[None]]) -> Iterator[Ranked]:
        """The k best documents of queries. The calls of the loop are all prepared first: it lets other threads run."""
        calls, lost = self._calls(queries, k)
        for _ in each(functools.partial(self._search, k), calls):
            pass
        found: dict[int, Ranked] = {}
        for call in calls:
            for i, (place, count) in enumerate(zip(call.places, call.counts.tolist(), strict=True)):
                if count < 0:
                    lost.append(place)
                else:
                    found[place] = call.docs[i * k : i * k + count], call.scores[i * k : i * k + count]
        found |= {place: self._plain_best(queries[place], k) for place in lost}
        return map(found.__getitem__, range(len(queries)))

    def _calls(self, queries: Sequence[QueryTerms], k: int) -> tuple[list[Call], list[int]]:
        """The calls of the loop that answer queries, and which of the queries only the plain path can."""
        by_part: dict[float, list[int]] = {}
        for place, query in enumerate(queries):
            by_part.setdefault(self._part_key(query), []).append(place)
        calls: list[Call] = []
        lost: list[int] = []
        for places in by_part.values():
            part = self._part(queries[places[0]])
            if part is None:
                lost += places
                continue
            for some in _parted(places, max(1, min(_AT_ONCE, _MOST_ROWS // k))):
                calls.append(self._call([queries[place] for place in some], some, part, k))
        return calls, lost

    def _call(self, queries: Sequence[QueryTerms], places: Sequence[int], part: Part, k: int) -> Call:
        parts, n = [self._parts_of(query) for query in queries], len(queries)
        lengths = [len(query.numbers) for query in queries]
        numbers = [number for query in queries for number in query.numbers.tolist()]
        return Call(
            places,
            self._lists.of(numbers),
            np.concatenate([query_weights for query_weights, _ in parts]) if n > 1 else parts[0][0],
            np.concatenate([every for _, every in parts]) if n > 1 else parts[0][1],
            np.array(list(accumulate(lengths, initial=0))),
            max(lengths),
            part,
            np.empty(n * k, np.int64),
            np.empty(n * k),
            np.empty(n, np.int64),
        )

    def _search(self, k: int, call: Call) -> None:
        from toysearch.ranking import kernels

        kernels.search(
            self.weights.index.stats.N,
            np.array([each.address for each in call.held], dtype=np.int64),
            call.query_weights,
            call.every,
            call.bounds,
            *call.part,
            k,
            *self._room(k, call.most_terms),
            call.docs,
            call.scores,
            call.counts,
        )

    def _room(self, k: int, n_terms: int) -> tuple[Array, np.ndarray, Array, Array, np.ndarray]:
        """What the loop works with: a thread's own, kept for its next call."""
        from toysearch.ranking import kernels

        work, found = getattr(self._of_thread, "room", (_NOTHING.values, _NOTHING.values))
        if len(work) < kernels.words_of_work(n_terms):
            work = np.zeros(kernels.words_of_work(n_terms))
        room = k + max(k, _SPARE)
        if len(found) != 5 * room:
            found = np.empty(5 * room)
        self._of_thread.room = work, found
        whole = found.view(np.int64)
        return work, whole[:room], found[room : 2 * room], found[2 * room : 3 * room], whole[3 * room :].reshape(2, -1)

    def _parts_of(self, query: QueryTerms) -> tuple[Array, Array]:
        """What `of_query` gives; remembered where it depends on nothing but how often the terms occur in the query."""
        if not self._by_qtf:
            return of_query(self.weights, query)
        key = query.qtf.tobytes()
        found = self._of_query.get(key)
        if found is None:
            if len(self._of_query) >= 1000:
                self._of_query.clear()
            found = self._of_query[key] = of_query(self.weights, query)
        return found

    @functools.cached_property
    def _by_qtf(self) -> bool:
        hooks = self.weights.model.hooks
        names = {name for hook in ("query", "every") if hook in hooks for name in names_of(hooks[hook])}
        return not names & {"df", "cf"}

    def _part_key(self, query: QueryTerms) -> float:
        """What a query's `_part` depends on."""
        hook = self.weights.model.hooks.get("document")
        return query.statistics["ql"] if hook is not None and "ql" in names_of(hook) else 0.0

    def _part(self, query: QueryTerms) -> Part | None:
        """What the model adds to each document for a query of this length; None where that is not a finite number."""
        if "document" not in self.weights.model.hooks:
            return _NOTHING
        key = self._part_key(query)
        with self._lock:
            if key not in self._parts:
                if len(self._parts) >= _MOST_PARTS:
                    self._parts.pop(next(iter(self._parts)))
                self._parts[key] = self._document_part(query)
            return self._parts[key]

    def _document_part(self, query: QueryTerms) -> Part | None:
        from toysearch.ranking.kernels import WINDOW

        index = self.weights.index
        names = names_of(self.weights.model.hooks["document"])
        statistics = {**query.statistics, **self.weights.document_statistics(np.arange(index.stats.N), names)}
        values = self.weights.hook("document", statistics, index.stats.N)
        values[index.distinct == 0] = 0.0  # no query finds an empty document
        if not np.isfinite(values).all():
            return None
        highest = np.maximum.reduceat(values, np.arange(0, len(values), WINDOW))
        return Part(values, highest, float(values.min()), float(np.abs(values).max()))


def _parted(values: Sequence[Value], size: int) -> Iterator[Sequence[Value]]:
    """A sequence in parts of a size."""
    return (values[start : start + size] for start in range(0, len(values), size))
