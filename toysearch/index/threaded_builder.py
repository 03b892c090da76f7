"""Many documents → postings by compiled loops: blocks of texts, counted in threads and put together in their order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from mmap import mmap
from queue import LifoQueue
from threading import Lock
from typing import NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.scanner import Scanner
from toysearch.analysis.tokenizer import Tokenizer
from toysearch.compiled.choice import cores
from toysearch.corpus.documents import Batch
from toysearch.encoded_texts import Encoded, Utf8
from toysearch.index.builder import TermNumbers
from toysearch.index.merge_blocks import postings_of
from toysearch.index.strings import Strings

MOST_DOCUMENTS = 1 << 16
"""The documents of a block at the most: their numbers in it take two bytes each."""


class Block(NamedTuple):
    """What was counted in documents that stand together."""

    first_doc: int  # the number of the first of them
    terms: np.ndarray  # the terms that occur in them, by their counter's numbers, rising
    df: np.ndarray  # how many of the documents hold each
    docs: np.ndarray  # the documents that hold the first term, from 0, then those that hold the second …
    tf: np.ndarray  # how often it occurs in each, aligned; 255 for 255 or more
    large: np.ndarray  # (any, 2) int64; the places in `tf` of those that are 255 or more, rising, and how many they are
    # dl, distinct, max_tf: of each document: tokens, distinct terms, the greatest tf
    dl: np.ndarray
    distinct: np.ndarray
    max_tf: np.ndarray
    counter: int  # the number of the counter that has counted


def _returned(length: int, dtype: type[np.generic]) -> np.ndarray:
    """Room for an array that the system has back once it is let go of: what malloc keeps would add to the peak."""
    size = length * np.dtype(dtype).itemsize
    return np.frombuffer(mmap(-1, max(size, 1)), dtype=dtype, count=length)


class SharedTerms:
    """The terms of an analyzer that does something to tokens, for several counters: each token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._numbers = TermNumbers(analyzer)
        self._lock = Lock()

    def of(self, tokens: list[str]) -> np.ndarray:
        """The numbers of the tokens' terms, -1 for those that are left out; int32."""
        with self._lock:
            return np.fromiter(map(self._numbers.__getitem__, tokens), dtype=np.int32, count=len(tokens))

    def __len__(self) -> int:
        return len(self._numbers.terms)

    def strings(self) -> Strings:
        """All terms so far."""
        return Strings.of(self._numbers.terms)


class BlockCounter:
    """Counts terms in blocks of documents, one block at a time."""

    def __init__(
        self, number: int, shared: SharedTerms | None, tokenizer: Tokenizer | None = None, **hashing: int
    ) -> None:
        self._number = number
        self._scanner = Scanner(tokenizer, **hashing)
        self._shared = shared
        self._term_of = np.empty(0, dtype=np.int32)
        self._table = np.zeros((0, 2), dtype=np.int64)
        self._postings = np.empty((4, 0), dtype=np.int32)  # used again for each block

    def count(self, first_doc: int, texts: Utf8) -> Block:
        """What is counted in the texts, in UTF-8, of a document and those after it, `MOST_DOCUMENTS` at the most."""
        from toysearch.compiled.posting_sort import LARGE, count, invert

        found, ends = self._scanner.scan(texts)
        self._follow()
        if self._postings.shape[1] < len(found):
            self._postings = np.empty((4, len(found) + len(found) // 4), dtype=np.int32)
        terms, tf, met, df = self._postings
        dl, distinct, max_tf = (np.empty(texts.n, dtype=np.int32) for _ in range(3))
        columns = (terms, tf, dl, distinct, max_tf, met, df)
        n, n_met, _ = count(found, ends, self._term_of, first_doc, self._table, *columns)
        order = np.argsort(met[:n_met])
        met, df = met[order], df[order]
        places = np.empty(n_met, dtype=np.int32)
        places[order] = np.cumsum(df) - df
        docs, small = _returned(n, np.uint16), _returned(n, np.uint8)
        large = np.empty((np.count_nonzero(tf[:n] >= LARGE), 2), dtype=np.int64)
        invert(terms, tf, distinct, places, docs, small, large)
        large = large[np.argsort(large[:, 0])]
        return Block(first_doc, met, df, docs, small, large, dl, distinct, max_tf, self._number)

    def _follow(self) -> None:
        """Give the scanner's new tokens their terms, and new terms their rows."""
        known, n_terms = self._term_of.size, self._scanner.n_tokens
        if self._shared is not None:
            new = [self._scanner.token(number) for number in range(known, n_terms)]
            self._term_of = np.concatenate([self._term_of, self._shared.of(new)])
            n_terms = len(self._shared)
        if n_terms > len(self._table):
            table = np.zeros((n_terms + n_terms // 4, 2), dtype=np.int64)
            table[: len(self._table)] = self._table
            self._table = table

    def terms(self) -> Strings:
        """The terms by the counter's numbers, where they are its own."""
        return Strings(*self._scanner.tokens())


BLOCK = 1 << 23
"""Bytes of text that are counted together: as many as keep a thread busy, few enough for several to be in memory."""


class ScannedTerms:
    """Counts the terms of documents in blocks."""

    def __init__(self, analyzer: Analyzer, threads: int | None = None, block: int = BLOCK, **hashing: int) -> None:
        self._threads = threads or cores()
        self._shared = None if analyzer.keeps_tokens else SharedTerms(analyzer)
        self._counters = [
            BlockCounter(number, self._shared, analyzer.tokenizer, **hashing) for number in range(self._threads)
        ]
        # The last one that has counted goes first: where one is enough, the others need no room.
        self._free: LifoQueue[BlockCounter] = LifoQueue()
        for counter in self._counters:
            self._free.put(counter)
        self._pool = ThreadPoolExecutor(self._threads)
        self._waiting: deque[Future[Block]] = deque()
        self._blocks: list[Block] = []
        self._texts: list[Utf8] = []
        self._block, self._size, self._first, self._documents = block, 0, 0, 0

    def add(self, batch: Batch | Encoded, texts: Utf8) -> None:
        """Count the terms of some documents, sooner or later."""
        large = 2 * texts.size >= self._block  # a block by itself: nothing is copied
        if self._texts and (large or self._documents + texts.n > MOST_DOCUMENTS):
            self._hand_over()
        self._texts.append(texts)
        self._documents += texts.n
        self._size += texts.size
        if large or self._size >= self._block:
            self._hand_over()

    def _hand_over(self) -> None:
        """Have the texts that have been gathered counted as a block."""
        self._waiting.append(self._pool.submit(self._count, self._first, Utf8.joined(self._texts)))
        self._first += self._documents
        self._texts, self._size, self._documents = [], 0, 0
        if len(self._waiting) > self._threads:
            self._blocks.append(self._waiting.popleft().result())

    def _count(self, first_doc: int, texts: Utf8) -> Block:
        counter = self._free.get()
        try:
            return counter.count(first_doc, texts)
        finally:
            self._free.put(counter)

    def finish(self) -> dict[str, np.ndarray]:
        """Terms, postings and what is counted from them."""
        if self._texts:
            self._hand_over()
        self._blocks += [future.result() for future in self._waiting]
        self._pool.shutdown()
        each = [self._shared.strings()] if self._shared is not None else [counter.terms() for counter in self._counters]
        # Their tables are done with, and the room is needed.
        del self._counters, self._free, self._shared
        return postings_of(self._blocks, each, self._threads)
