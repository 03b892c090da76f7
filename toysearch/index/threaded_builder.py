"""Many documents → postings by compiled loops: blocks of texts, counted in threads and put together in their order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.compiled.choice import cores
from toysearch.corpus.documents import Batch
from toysearch.encoded_texts import Encoded, Utf8
from toysearch.index.merge_blocks import postings_of
from toysearch.index.scan_blocks import MOST_DOCUMENTS, Block, BlockCounter, SharedTerms

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
