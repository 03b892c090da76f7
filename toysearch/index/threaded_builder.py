"""Many documents → postings by compiled loops: threads count blocks of texts, which are then joined in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import pairwise, repeat
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.scanner import Scanner
from toysearch.analysis.tokenizer import Tokenizer
from toysearch.base import BORDER, GAP, Utf8, awaited, count_each, pool, repeat_each
from toysearch.base.platform import cores, own_pages
from toysearch.collection.document_batches import Batch
from toysearch.index.postings import Counts, offsets_of, refuse_positions
from toysearch.index.strings import Strings, byte_order, repeated, strings_in_one
from toysearch.index.term_numbers import TermNumbers

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_ITSELF = np.empty(0, np.int32)  # stands for 0, 1, 2, …


class _Numbered(NamedTuple):
    """Terms of all counters, with a row for each in the order of first occurrence.

    Frequent terms occur early, so the rows that are used most are close together.
    """

    terms: Strings  # all terms, sorted
    rank: np.ndarray  # by row: the place of its term among all terms
    rows: list[np.ndarray]  # for each counter, the rows of its terms; empty if a term's number is its row


def postings_of(blocks: list[Block], terms: Sequence[Strings], threads: int, positions: bool) -> dict[str, Any]:
    """Make the arrays of terms, postings and their statistics; the blocks are consumed."""
    numbered = _numbered(terms)
    if len(terms) < threads:
        numbered = numbered._replace(rows=numbered.rows * threads)
    of_rows = _total(blocks, numbered, "df")
    offsets = _offsets(of_rows, numbered)
    names = ("dl", "distinct", "max_tf", *["holes"] * positions)
    of_documents = {name: np.concatenate([getattr(block, name) for block in blocks]) for name in names}
    edges = np.searchsorted(np.cumsum(of_rows), np.linspace(0, offsets[-1], threads + 1)[1:-1])
    postings = _sorted(blocks, numbered, offsets, [0, *edges.tolist(), len(of_rows)], positions)
    return numbered.terms.arrays("terms") | {"offsets": offsets} | postings | of_documents


def _numbered(each: Sequence[Strings]) -> _Numbered:
    from toysearch.compiled.posting_sort import gather

    everything = strings_in_one(each)
    order = byte_order(everything)
    new = ~repeated(everything, order) if len(each) > 1 else np.ones(len(order), bool)
    first = np.empty(len(order), np.int64)  # for each string, the place of its first occurrence
    first[order] = order[new][np.cumsum(new) - 1]
    row = (np.cumsum(first == np.arange(len(first))) - 1)[first].astype(np.int32)
    order = order[new]
    rank = np.empty(len(order), np.int64)
    rank[row[order]] = np.arange(len(order))
    others = np.split(row, np.cumsum([len(strings) for strings in each])[:-1])[1:]
    offsets = offsets_of(np.diff(everything.offsets)[order])
    blob = np.empty(offsets[-1], np.uint8)
    gather(everything.blob, everything.offsets, order, blob)
    return _Numbered(Strings(blob, offsets), rank, [_ITSELF, *others])


def _total(blocks: list[Block], numbered: _Numbered, name: str) -> np.ndarray:
    total = np.zeros(len(numbered.rank), np.int64)
    for block in blocks:
        rows = numbered.rows[block.counter]
        total[rows[block.terms] if rows.size else block.terms] += getattr(block, name)
    return total


def _offsets(of_rows: np.ndarray, numbered: _Numbered) -> np.ndarray:
    offsets = np.zeros(len(of_rows) + 1, np.int64)
    offsets[1 + numbered.rank] = of_rows
    return np.cumsum(offsets)


def _sorted(
    blocks: list[Block], numbered: _Numbered, offsets: np.ndarray, edges: list[int], positions: bool
) -> dict[str, Any]:
    from toysearch.compiled.posting_sort import CF, NEXT, JoinedPostings, PostingPart, append, append_places

    docs, tf = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.uint8)
    table = np.zeros((len(numbered.rank), 2), np.int64)
    table[:, NEXT] = offsets[:-1][numbered.rank]
    joined, large = JoinedPostings(docs, tf, table), sum(len(block.large) for block in blocks)
    following = _offsets(_total(blocks, numbered, "cf"), numbered) if positions else np.zeros(1, np.int64)
    places = np.empty(following[-1], np.result_type(*{block.places.dtype for block in blocks}))
    following = following[:-1][numbered.rank] if positions else following
    aparts = [np.empty((large, 2), np.int64) for _ in edges[1:]]  # the large counts of each part
    parts = [PostingPart(low, high, apart) for (low, high), apart in zip(pairwise(edges), aparts, strict=True)]

    def put(part: PostingPart, block: Block) -> None:
        rows = numbered.rows[block.counter]
        append(part, joined, block.terms, block.df, block.docs, block.tf, block.large, block.first_doc, rows)
        if positions:
            own_places = block.places.astype(places.dtype, copy=False)
            append_places(part, block.terms, block.cf, own_places, rows, following, places)

    blocks.reverse()
    with pool(len(parts)) if len(parts) > 1 else nullcontext() as beside:
        while blocks:  # each block is freed as soon as it is copied
            list((beside.map if beside else map)(put, parts, repeat(blocks.pop())))
    apart = np.concatenate([apart[: part.n] for part, apart in zip(parts, aparts, strict=True)])
    apart = apart[np.argsort(apart[:, 0])]
    cf = np.empty(len(table), np.int64)
    cf[numbered.rank] = table[:, CF]
    return {"cf": cf, "docs": docs, "tf": Counts(tf, apart[:, 1].copy())} | ({"places": places} if positions else {})


MOST_DOCUMENTS = 1 << 16
"""Maximum number of documents of a block: their numbers take two bytes."""


class Block(NamedTuple):
    """Counts of consecutive documents."""

    first_doc: int  # the number of the first of them
    terms: np.ndarray  # their terms, by the numbers of the counter, rising
    df: np.ndarray  # the document frequency of each term in the block
    docs: np.ndarray  # the documents with the first term, numbered from 0 in the block, then with the second …
    tf: np.ndarray  # the term frequencies, aligned; 255 means 255 or more
    large: np.ndarray  # (any, 2) int64; for each frequency of 255 or more, its place in `tf`, rising, and its value
    # dl, distinct, max_tf: for each document, the numbers of tokens and of distinct terms, and the highest tf
    dl: np.ndarray
    distinct: np.ndarray
    max_tf: np.ndarray
    counter: int  # the number of the counter that made the block
    # with positions: the frequency of each term in the block, the positions by term, and the holes of each document
    cf: np.ndarray
    places: np.ndarray
    holes: np.ndarray


def _returned(length: int, dtype: type[np.generic]) -> np.ndarray:
    """Make an array in memory that is returned to the system when freed; memory kept by malloc would raise the peak."""
    size = max(length * np.dtype(dtype).itemsize, 1)
    return np.frombuffer(own_pages(size), dtype, count=length)


class _Parts(NamedTuple):
    """Texts cut at their borders."""

    texts: Utf8  # all parts
    docs: np.ndarray  # the document of each, int64
    last: np.ndarray  # the last part of each document, int64

    @classmethod
    def of(cls, texts: Utf8, positions: bool) -> _Parts:
        """Cut texts, if their positions are counted."""
        numbers = np.arange(texts.n)
        if not positions:
            return cls(texts, numbers, numbers)
        borders = np.flatnonzero(texts.blob == ord(BORDER))
        before = np.searchsorted(borders, texts.offsets)
        offsets = np.sort(np.concatenate([texts.offsets, borders]), kind="stable")
        docs = repeat_each(numbers, np.diff(before) + 1)
        return cls(Utf8(texts.blob, offsets), docs, before[1:] + numbers)


class SharedTerms:
    """Terms of an analyzer with token rules, shared by several counters: each token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._numbers = TermNumbers(analyzer)
        self._lock = Lock()

    def of(self, tokens: list[str]) -> np.ndarray:
        """Return the numbers of the tokens' terms, -1 for those that are left out; int32."""
        with self._lock:
            return np.fromiter(map(self._numbers.__getitem__, tokens), np.int32, count=len(tokens))

    def __len__(self) -> int:
        return len(self._numbers.terms)

    def strings(self) -> Strings:
        """Return all terms so far."""
        return Strings.of(self._numbers.terms)


class BlockCounter:
    """Counter of terms in blocks of documents, one block at a time."""

    def __init__(
        self,
        number: int,
        shared: SharedTerms | None,
        tokenizer: Tokenizer | None = None,
        positions: bool = False,
        **hashing: int,
    ) -> None:
        self._number, self._positions = number, positions
        self.scanner = Scanner(tokenizer, **hashing)  # it numbers the terms, unless they are shared
        self._shared = shared
        self._term_of = np.empty(0, np.int32)
        self._table = np.zeros((0, 2), np.int64)
        self._postings = np.empty((4, 0), np.int32)  # reused for each block

    def count(self, first_doc: int, texts: Utf8) -> Block:
        """Count consecutive UTF-8 texts, at most `MOST_DOCUMENTS`, from a given document on."""
        from toysearch.compiled.posting_sort import LARGE, count, invert

        parts = _Parts.of(texts, self._positions)
        tokens, part_ends = self.scanner.scan(parts.texts)
        ends = part_ends[parts.last]
        self._follow()
        if self._postings.shape[1] < len(tokens):
            self._postings = np.empty((4, len(tokens) + len(tokens) // 4), np.int32)
        terms, tf, met, df = self._postings
        dl, distinct, max_tf = documents = np.empty((3, texts.n), np.int32)
        columns = (self._postings, documents)
        n, n_met, _ = count(tokens, ends, self._term_of, first_doc, self._table, *columns, self._positions)
        order = np.argsort(met[:n_met])
        met, df = met[order], df[order]
        places = np.empty(n_met, np.int32)
        places[order] = np.cumsum(df) - df
        docs, small = _returned(n, np.uint16), _returned(n, np.uint8)
        large = np.empty((np.count_nonzero(tf[:n] >= LARGE), 2), np.int64)
        invert(terms, tf, distinct, places, docs, small, large)
        large = large[np.argsort(large[:, 0])]
        placed = self._sorted_places(tokens, part_ends, parts.docs, order, dl) if self._positions else [_ITSELF] * 3
        return Block(first_doc, met, df, docs, small, large, dl, distinct, max_tf, self._number, *placed)

    def _sorted_places(
        self, found: np.ndarray, ends: np.ndarray, docs: np.ndarray, order: np.ndarray, dl: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return frequencies and positions of a block's terms, and the holes of documents."""
        from toysearch.compiled.posting_sort import sort_places

        spans = count_each(docs, np.diff(ends, prepend=0) + GAP, minlength=dl.size)
        refuse_positions(int(spans.max(initial=0)))
        narrow = spans.max(initial=0) <= 1 << 16
        places = _returned(int(dl.sum(dtype=np.int64)), np.uint16 if narrow else np.int32)
        cf, holes = np.zeros(order.size, np.int32), np.empty(dl.size, np.int32)
        sort_places(found, ends, docs, GAP, dl, order, cf, places, holes)
        return cf[order], places, holes

    def _follow(self) -> None:
        n_known, n_terms = self._term_of.size, self.scanner.n_tokens
        if self._shared is not None:
            new = [self.scanner.token(number) for number in range(n_known, n_terms)]
            self._term_of = np.concatenate([self._term_of, self._shared.of(new)])
            n_terms = len(self._shared)
        if n_terms > len(self._table):
            table = np.zeros((n_terms + n_terms // 4, 2), np.int64)
            table[: len(self._table)] = self._table
            self._table = table


BLOCK = 1 << 23
"""Bytes of text counted together: enough to keep a thread busy, few enough for several blocks in memory."""


class ScannedTerms:
    """Counter of the terms of documents in blocks."""

    def __init__(
        self,
        analyzer: Analyzer,
        threads: int | None = None,
        block: int = BLOCK,
        positions: bool = False,
        **hashing: int,
    ) -> None:
        self._threads, self._positions = threads or cores(), positions
        self._shared = None if analyzer.keeps_tokens else SharedTerms(analyzer)
        self._counters = [
            BlockCounter(number, self._shared, analyzer.tokenizer, positions, **hashing)
            for number in range(self._threads)
        ]
        # The counter used last is reused first: if one is enough, the others need no memory.
        self._free = self._counters[::-1]
        self._pool: Executor | None = None
        self._waiting: deque[Future[Block]] = deque()
        self._blocks: list[Block] = []
        self._texts: list[Utf8] = []
        self._block, self._size, self._first, self._documents = block, 0, 0, 0

    def add(self, batch: Batch, texts: Utf8) -> None:
        """Count the terms of some documents, possibly later."""
        n, size = texts.n, texts.size
        large = 2 * size >= self._block  # a block by itself: nothing is copied
        if self._texts and (large or self._documents + n > MOST_DOCUMENTS):
            self._hand_over()
        self._texts.append(texts)
        self._documents += n
        self._size += size
        if large or self._size >= self._block:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._pool is None:
            self._pool = pool(self._threads)
        self._waiting.append(self._pool.submit(self._count, self._first, Utf8.joined(self._texts)))
        self._first += self._documents
        self._texts, self._size, self._documents = [], 0, 0
        if len(self._waiting) > self._threads:
            self._blocks.append(awaited(self._waiting.popleft()))

    def _count(self, first_doc: int, texts: Utf8) -> Block:
        counter = self._free.pop()  # there are as many as threads
        try:
            return counter.count(first_doc, texts)
        finally:
            self._free.append(counter)

    def finish(self) -> dict[str, Any]:
        """Return terms, postings and their statistics."""
        if self._pool is None:  # a single block
            self._blocks.append(self._count(0, Utf8.joined(self._texts)))
            del self._counters[1:]
        elif self._texts:
            self._hand_over()
        self._blocks += map(awaited, self._waiting)
        if self._pool is not None:
            self._pool.shutdown()
        threads = len(self._counters)
        if self._shared is None:
            terms = [Strings(*counter.scanner.tokens()) for counter in self._counters]
        else:
            terms = [self._shared.strings()]
        # Their tables are no longer needed: free the memory.
        del self._counters, self._free, self._shared
        return postings_of(self._blocks, terms, threads, self._positions)
