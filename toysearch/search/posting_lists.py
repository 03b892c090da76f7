"""Term weights for the compiled loops: one list per term, kept within a memory budget."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from toysearch.compiled import list_layout as layout
from toysearch.models.model import Array
from toysearch.search.term_weights import TermWeights, Weights, in_blocks

_NO_DOCS = np.empty(0, np.int32)


class TermList(NamedTuple):
    """A term's list, as `list_layout` describes it, and where it lies in memory."""

    address: int
    values: np.ndarray


class PostingLists:
    """The lists of the terms of a model, made at first use; the least recently used are dropped when memory is full.

    times: (N,) float64, the factor for the weights of each document.
    """

    def __init__(self, weights: Weights, memory: int, times: Array | None = None) -> None:
        self.weights = weights
        self.memory = memory
        self.times = times
        self._kept: dict[int, TermList] = {}  # in the order of their last use
        self._bytes = 0
        self._lock = threading.Lock()
        self._n_windows = -(-weights.index.stats.N // layout.WINDOW)

    def of_terms(self, terms: Sequence[int]) -> list[TermList]:
        """The lists of the terms with these numbers. Hold on to them for as long as their addresses are used."""
        with self._lock:
            kept = self._kept
            try:
                found = [kept[term] for term in terms]
            except KeyError:
                self._make([term for term in dict.fromkeys(terms) if term not in kept])
                found = [kept[term] for term in terms]
            if self._bytes > self.memory // 2:  # the order of use matters only if a list may be dropped
                self._let_go(dict.fromkeys(terms))
            return found

    @staticmethod
    def term_weights(term: TermList) -> TermWeights:
        """The list of a term for the plan of a query, without its documents, which are not needed there."""
        words = term.values.view(np.int64)
        weights = term.values[words[layout.WEIGHTS] // 8 :][: words[layout.SIZE]]
        return TermWeights(_NO_DOCS, weights, float(term.values[layout.HIGHEST]), float(term.values[layout.LOWEST]))

    def _make(self, terms: list[int]) -> None:
        for block, spans in in_blocks(self.weights.index.offsets, terms):
            docs, weights = self.weights.weigh(block, spans)
            if self.times is not None:
                weights = weights * self.times[docs]
            end = 0
            for term, (start, stop) in zip(block, spans, strict=True):
                begin, end = end, end + stop - start
                made = self._list(term, docs[begin:end], weights[begin:end])
                self._kept[term] = TermList(made.ctypes.data, made)
                self._bytes += made.nbytes

    def _list(self, term: int, docs: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The list of a term."""
        size, n_docs = len(weights), self.weights.index.stats.N
        # 16 to 32 bits per posting: they identify all but 3 to 6 in a hundred of the documents that lack the term.
        shift = min(layout.MOST_SHIFT, max(0, (n_docs // size // 16).bit_length() - 1))
        n_entries = ((n_docs - 1) >> shift >> 6) + 2
        n_starts = -(-n_docs // layout.SPAN) * layout.N_LEVELS + 1, self._n_windows + 1
        parts = (4 * n_starts[0], 2 * size, 4 * n_starts[1], 2 * size, 8 * size, 16 * n_entries)  # bytes
        ends = list(accumulate((-(-part // 8) for part in parts), initial=layout.HEADER))
        made = np.empty(ends[-1])
        words = made.view(np.int64)
        words[layout.NUMBER], words[layout.SIZE], words[layout.SHIFT] = term, size, shift
        words[layout.LEVEL_STARTS : layout.DIRECTORY + 1] = np.multiply(8, ends[:-1])
        layout.complete(made, docs, weights, n_docs)
        return made

    def _let_go(self, used: Collection[int]) -> None:
        """Move the used terms to the end, then drop terms from the front until the others fit."""
        for term in used:
            self._kept[term] = self._kept.pop(term)
        for term in list(self._kept)[: -len(used)] if self._bytes > self.memory else ():
            if self._bytes <= self.memory:
                break
            self._bytes -= self._kept.pop(term).values.nbytes
