"""Postings in blocks of 128, packed by bits, with the same layout in memory and in files; blocks are decoded when read.

The postings of a term are cut into blocks. A block holds the gaps between its document numbers, minus one, each with
the bits of the widest gap; then the term frequencies, minus one, each with the bits of the highest frequency. Separate
arrays have the last document of each block, its highest frequency and the length of its shortest document: these tell
whether a block needs decoding (Lemire & Boytsov 2015; Ding & Suel 2011).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from toysearch import loops
from toysearch.base import StorageError, reduce_at, repeat_each
from toysearch.base.plain_or_compiled import compiled
from toysearch.index.checksums import Paged
from toysearch.index.postings import LARGE_COUNT, NO_NUMBERS, Counts, Postings, TermPostings, contained, offsets_of

_AT_ONCE = 1 << 15  # postings decoded at a time without compiled loops: their arrays stay in the processor's cache
_MOST_OPENED = 1 << 21  # blocks of terms that were searched for, which stay in memory: 36 bytes each


def packed(
    docs: np.ndarray, tf: Counts, offsets: np.ndarray, dl: np.ndarray, before: np.ndarray | int = -1
) -> dict[str, np.ndarray]:
    """Pack postings in blocks; `before`: the document before the first one of each term, -1 without one.

    >>> made = packed(np.array([0, 2, 7]), Counts.of(np.array([1, 3, 1])), np.array([0, 3]), np.full(8, 5))
    >>> made["gap_bits"].tolist(), made["highest_tf"].tolist(), made["last_docs"].tolist(), made["postings"].tolist()
    ([3], [3], [7], [4360, 0])
    """
    # docs: (P,) int32, rising within a term; offsets: (n_terms + 1,) int64, the first posting of each term.
    first_blocks, small = cut_in_blocks(offsets)
    counts = small.astype(np.int64)
    rows = offsets_of(counts)
    earlier = np.empty(counts.size, np.int32)  # the document before each block
    earlier[1:] = docs[rows[1:-1] - 1]
    earlier[first_blocks[:-1]] = before
    if compiled():
        gap_bits, last_docs, least_dl = (np.empty(rows.size - 1, np.int32) for _ in range(3))
        highest_tf = np.empty(rows.size - 1, np.int64)
        columns = np.asarray(docs, np.int32), tf.small, np.asarray(tf.large, np.int64)
        lengths = np.asarray(dl, np.int32)
        bits = loops.measure(*columns, lengths, rows, earlier, gap_bits, highest_tf, last_docs, least_dl)
        words = np.zeros(bits // WORD + 2, np.uint64)
        loops.pack(*columns, rows, earlier, gap_bits, highest_tf, words)
        return _arrays(words, gap_bits, highest_tf, last_docs, least_dl)
    preceding = np.concatenate([[-1], docs[:-1]])
    preceding[rows[:-1]] = earlier
    gaps, frequencies = docs - preceding - 1, np.asarray(tf)
    if not counts.size:
        return _arrays(np.zeros(2, np.uint64), *[NO_NUMBERS] * 4)
    gap_bits = bit_lengths(reduce_at(np.maximum, gaps, rows[:-1]))
    highest_tf = reduce_at(np.maximum, frequencies, rows[:-1])
    widths = gap_bits, bit_lengths(highest_tf - 1)
    ends = np.cumsum(counts * (widths[0] + widths[1]))
    words = np.zeros(int(ends[-1]) // WORD + 2, np.uint64)
    within = np.arange(docs.size) - repeat_each(rows[:-1], counts)
    starts = ends - counts * (widths[0] + widths[1])
    for numbers, width, start in ((gaps, widths[0], starts), (frequencies - 1, widths[1], starts + counts * widths[0])):
        put_numbers(words, repeat_each(start, counts) + within * repeat_each(width, counts), numbers.astype(np.uint64))
    least_dl = reduce_at(np.minimum, np.asarray(dl)[docs], rows[:-1])
    return _arrays(words, gap_bits, highest_tf, docs[rows[1:] - 1], least_dl)


def _arrays(
    words: np.ndarray, gap_bits: np.ndarray, highest_tf: np.ndarray, last_docs: np.ndarray, least_dl: np.ndarray
) -> dict[str, np.ndarray]:
    return {
        "postings": words,
        "gap_bits": gap_bits.astype(np.uint8),
        "highest_tf": highest_tf.astype(np.int32),
        "last_docs": last_docs.astype(np.int32),
        "least_dl": least_dl.astype(np.int32),
    }


def put_numbers(words: np.ndarray, positions: np.ndarray, numbers: np.ndarray) -> None:
    """Write numbers at bit positions into words that are all 0."""
    shifts = (positions % WORD).astype(np.uint64)
    np.bitwise_or.at(words, positions // WORD, numbers << shifts)
    np.bitwise_or.at(words, positions // WORD + 1, (numbers >> np.uint64(1)) >> (np.uint64(WORD - 1) - shifts))


def copy_bits(
    source: np.ndarray, starts: np.ndarray, sizes: np.ndarray, words: np.ndarray, positions: np.ndarray
) -> None:
    """Copy stretches of bits to some positions in words that are 0 there.

    >>> words = np.zeros(2, dtype=np.uint64)
    >>> copy_bits(np.array([0b1011_00, 0], np.uint64), np.array([2]), np.array([4]), words, np.array([60]))
    >>> [int(word) >> 60 for word in words]
    [11, 0]
    """
    if compiled():
        loops.copy_bits(source, *(np.asarray(numbers, np.int64) for numbers in (starts, sizes)), words, positions)
        return
    n = -(-sizes.astype(np.int64) // MOST_BITS)
    within = MOST_BITS * (np.arange(n.sum()) - repeat_each(offsets_of(n)[:-1], n))
    widths = np.minimum(repeat_each(sizes, n) - within, MOST_BITS)
    numbers = numbers_at(source, repeat_each(starts, n) + within, widths)
    put_numbers(words, repeat_each(positions, n) + within, numbers.astype(np.uint64))


def numbers_at(words: np.ndarray, positions: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Read the numbers at bit positions, each with its width of at most 32 bits; int64.

    >>> numbers_at(np.array([0b10_101_00, 0], dtype=np.uint64), np.array([2, 5]), np.array([3, 2])).tolist()
    [5, 2]
    """
    return _masked(words, positions.copy(), _masks(widths))


def _masks(widths: np.ndarray) -> np.ndarray:
    return (np.uint64(1) << widths.astype(np.uint64)) - np.uint64(1)


def _masked(words: np.ndarray, positions: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Read the numbers at bit positions, which are overwritten, each with its mask."""
    # A number is in two words at most. In place, because new memory takes longer than the arithmetic.
    places = positions >> 6
    numbers = words.take(places)
    places += 1
    rest = words.take(places, mode="clip")
    positions &= WORD - 1
    shifts = positions.view(np.uint64)
    numbers >>= shifts
    shifts ^= np.uint64(WORD - 1)
    rest <<= np.uint64(1)
    rest <<= shifts
    numbers |= rest
    numbers &= masks
    return numbers.view(np.int64)


def ends_in_zeros(words: np.ndarray, bits: int) -> bool:
    """True if words are 0 after this number of bits, and end with one spare word."""
    rest = words[bits // WORD :]
    return rest.size == 2 and not int(rest[0]) >> bits % WORD and not rest[1]


def blocks_with(docs: np.ndarray, last_docs: np.ndarray) -> np.ndarray:
    """Find the blocks of a term that may hold some documents, given by rising number; both rise.

    >>> blocks_with(np.array([3, 4, 9, 30]), np.array([2, 5, 8, 20])).tolist()
    [1, 3]
    """
    if docs.size < last_docs.size:  # the shorter is looked up in the longer
        blocks = np.searchsorted(last_docs, docs)
        return blocks[(np.diff(blocks, prepend=-1) > 0) & (blocks < last_docs.size)]
    return np.flatnonzero(np.diff(np.searchsorted(docs, last_docs, side="right"), prepend=0))


class PostingBlocks:
    """Postings of an index, decoded block by block.

    A block is checked when it is decoded. So even with damaged content, nothing outside the arrays is read.
    """

    def __init__(self, arrays: Any, offsets: Any) -> None:
        postings = arrays["postings"]
        self._paged = postings if isinstance(postings, Paged) else None
        self.words = np.asarray(postings if self._paged is None else self._paged.unverified)
        self._least_dl = arrays["least_dl"]
        self.terms = TermGroups(arrays, offsets)
        self._group = BLOCKS_OF_POSITIONS if "positions" in arrays else 1
        self._opened: loops.OpenedBlocks | None = None
        self._of_thread, self._lock = threading.local(), threading.Lock()

    @property
    def packed(self) -> PostingBlocks:
        """These postings."""
        return self

    @cached_property
    def least_dl(self) -> np.ndarray:
        """Length of the shortest document in each block."""
        return np.asarray(self._least_dl)

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first posting of each of some terms, and the first one after it; int64."""
        spans = [group.spans(part) for group, part in self.terms.ranges(terms)]
        starts, stops = map(np.concatenate, zip(*spans, strict=True)) if spans else (terms, terms)
        return starts, stops

    def of_terms(self, terms: np.ndarray) -> Postings:
        """Return the postings of the terms with these numbers, one term after the other."""
        if not terms.size:
            return self.span(0, 0)
        return self.of_columns(joined([group.blocks_of(part) for group, part in self.terms.ranges(terms)]))

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """Return the first documents of each of some terms, at most 128."""
        if not terms.size:
            return []
        blocks = joined([group.first_blocks_of(part) for group, part in self.terms.ranges(terms)])
        return np.split(self.of_columns(blocks).docs, np.cumsum(blocks.counts, dtype=np.int64)[:-1])

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """Return the postings of a term in some documents, given by rising number, from blocks that may hold them."""
        if compiled():
            common, tf = self.common(np.array([term]), docs)
            return Postings(common, tf[0])
        _, columns = self.blocks_of(term)
        blocks = blocks_with(docs, columns.last_docs)
        return self.among(columns.at(blocks), docs)[0]

    def common(self, terms: np.ndarray, among: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Find the documents (of all, or of some) that contain all of some terms, and the tf; by a compiled loop."""
        # among: by rising number. docs: (n,) int32; tf: (n_terms, n) int64.
        search = self.search_for(terms.tolist(), among)
        go_through(search)
        return search.answer()

    def search_for(
        self, terms: list[int], among: np.ndarray | None = None, positions: loops.OpenedPositions | None = None
    ) -> loops.CommonPostings:
        """Begin a search for the documents that contain some terms, with the work arrays of this thread."""
        name = "common" if positions is None else "placed"
        search: loops.CommonPostings | None = getattr(self._of_thread, name, None)
        if search is None:
            search = loops.CommonPostings(self.words.view(np.uint32), self.terms.n_documents, positions)
            setattr(self._of_thread, name, search)
        sought = None if among is None else np.ascontiguousarray(among, np.int32)  # for the loop, in one piece
        search.begin(self._opened_blocks(terms), terms, sought)
        return search

    def _opened_blocks(self, terms: list[int]) -> loops.OpenedBlocks:
        opened = self._opened
        if opened is not None and all(term in opened.slots for term in terms):
            return opened
        with self._lock:
            opened = self._opened
            if opened is None or opened.n_blocks > _MOST_OPENED:
                opened = loops.OpenedBlocks(0, 0, self._group)
            more: loops.OpenedBlocks | None = opened.with_terms(self.single_terms, terms)
            if more is None:
                raise contradiction()
            self._opened = more
        return more

    def blocks_of(self, term: int) -> tuple[int, BlockColumns]:
        """Return the number of the first block of a term, and the term's blocks."""
        [(group, part)] = self.terms.ranges(np.array([term]))
        return int(group.first_blocks[term - group.first_term]), group.blocks_of(part)

    def among(self, blocks: BlockColumns, docs: np.ndarray) -> tuple[Postings, np.ndarray]:
        """Return the postings of some documents, given by rising number, in blocks of terms; and each one's block."""
        if not compiled():
            postings, counts = self.of_columns(blocks), np.cumsum(blocks.counts, dtype=np.int64)
            rows = np.flatnonzero(contained(postings.docs, docs))
            return Postings(postings.docs[rows], postings.tf[rows]), np.searchsorted(counts, rows, side="right")
        rows = self.verified(blocks)
        size = int(np.minimum(rows[1], docs.size).sum())
        docs_found, tf, places = (np.empty(size, dtype) for dtype in (np.int32, np.int64, np.int64))
        n = loops.pick_documents(self.words, rows, np.asarray(docs, np.int32), docs_found, tf, places)
        if n < 0:
            raise contradiction()
        return Postings(docs_found[:n], tf[:n]), places[:n]

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """Return the postings from start up to stop, counted through all terms; by default all."""
        stop = int(self.terms.whole.offsets[-1]) if stop is None else stop
        if start >= stop:
            return Postings(np.empty(0, np.int32), NO_NUMBERS)
        offsets, first_blocks = self.terms.whole.offsets, self.terms.whole.first_blocks
        terms = np.searchsorted(offsets, [start, stop - 1], side="right") - 1
        places = ([start, stop - 1] - offsets[terms]) // BLOCK
        (first, last), row = (first_blocks[terms] + places).tolist(), int(offsets[terms[0]] + places[0] * BLOCK)
        docs, tf = self.decoded(np.arange(first, last + 1))
        return Postings(docs[start - row : stop - row], tf[start - row : stop - row])

    def of_document(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms of a document, by rising number, and their frequencies in it; int64."""
        whole = self.terms.whole
        blocks = np.flatnonzero((whole.columns.last_docs >= number) & (whole.columns.before < number))
        docs, tf = self.decoded(blocks)
        rows = np.flatnonzero(docs == number)
        blocks = repeat_each(blocks, whole.columns.counts[blocks])[rows]
        return np.searchsorted(whole.first_blocks, blocks, side="right") - 1, tf[rows]

    def decoded(self, blocks: np.ndarray) -> Postings:
        """Decode the postings of some blocks: documents as int32, frequencies as int64."""
        return self.of_columns(self.terms.blocks_at(blocks))

    def verified(self, blocks: BlockColumns) -> np.ndarray:
        """Verify the pages of blocks, and return the blocks as rows of `compiled.bit_packing`; int64."""
        if (blocks.last_docs <= blocks.before).any():
            raise contradiction()
        rows = np.empty((7, blocks.counts.size), np.int64)
        for row, name in enumerate(("starts", "counts", "gap_bits", "tf_bits", "before", "last_docs", "highest_tf")):
            rows[row] = getattr(blocks, name)
        if self._paged is not None:
            starts, counts, gap_bits, tf_bits = rows[:4]
            stops = starts + counts * (gap_bits + tf_bits)
            self._paged.verify(starts // WORD, -(-stops // WORD))
        return rows

    def of_columns(self, blocks: BlockColumns) -> Postings:
        """Decode the postings of some blocks."""
        rows = self.verified(blocks)
        size = int(rows[1].sum())
        if compiled():
            docs, tf = np.empty(size, np.int32), np.empty(size, np.int64)
            if not loops.unpack_blocks(self.words, rows, docs, tf):
                raise contradiction()
            return Postings(docs, tf)
        ends = np.cumsum(rows[1])
        edges = [0, *np.searchsorted(ends, np.arange(_AT_ONCE, size, _AT_ONCE)).tolist(), ends.size]
        parts = [self._unpacked(*rows[:5, a:b]) for a, b in pairwise(edges)]
        docs, tf = map(np.concatenate, zip(*parts, strict=True))
        if (
            not np.array_equal(docs[ends - 1], blocks.last_docs)
            or (reduce_at(np.maximum, tf, ends - rows[1]) > blocks.highest_tf).any()
        ):
            raise contradiction()
        return Postings(docs.astype(np.int32), tf)

    def df_of(self, terms: np.ndarray) -> np.ndarray:
        """Return the document frequencies of some terms; int64."""
        if compiled():
            df = self.single_terms.df_of(terms)
            if df is None:
                raise contradiction()
            return df
        starts, stops = self.spans(terms)
        frequencies: np.ndarray = stops - starts
        return frequencies

    @cached_property
    def single_terms(self) -> loops.TermBlocks:
        """Blocks of single terms, as compiled loops find them."""
        terms = self.terms
        postings = self.words if self._paged is None else self._paged
        least: Any = self._least_dl.small if isinstance(self._least_dl, Counts) else self._least_dl
        gap_bits, highest_tf, last_docs = terms.columns
        columns = [_of_type(gap_bits, np.uint8), _of_type(last_docs, np.int32), _of_type(least, np.int32, np.uint8)]
        try:
            df, tf = (loops.NumberColumn(*_small_and_large(numbers)) for numbers in (terms.df, highest_tf))
            return loops.TermBlocks(terms.groups_of_all(), GROUP, df, tf, [*columns, postings], terms.n_documents)
        except ValueError:
            raise contradiction() from None

    def _unpacked(
        self, starts: np.ndarray, counts: np.ndarray, gap_bits: np.ndarray, tf_bits: np.ndarray, before: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        ends = np.cumsum(counts)
        first, rows = ends - counts, np.arange(int(ends[-1]) if ends.size else 0)
        gaps = self._numbers(starts, gap_bits, counts, first, rows)
        gaps += 1
        docs = np.cumsum(gaps)
        docs -= repeat_each(docs[first] - gaps[first] - before, counts)
        if not tf_bits.any():
            return docs, np.ones_like(docs)
        tf = self._numbers(starts + counts * gap_bits, tf_bits, counts, first, rows)
        tf += 1
        return docs, tf

    def _numbers(
        self, starts: np.ndarray, widths: np.ndarray, counts: np.ndarray, first: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """Read the numbers of blocks from the start of each, each with its width; `first`: the first row of each."""
        positions = repeat_each(widths, counts)
        positions *= rows
        positions += repeat_each(starts - first * widths, counts)
        return _masked(self.words, positions, repeat_each(_masks(widths), counts))


def go_through(search: loops.CommonPostings) -> None:
    """Search until the end; answer Ctrl-C between parts of the search."""
    while state := search.go_on():
        if state < 0:
            raise contradiction()


def common_postings(lists: TermPostings, terms: np.ndarray) -> tuple[np.ndarray, dict[int, Postings]]:
    """Find the documents that contain all terms, by rising number, and the postings of each term, at least in these."""
    starts, stops = lists.spans(terms)
    if (starts == stops).any():  # a shard need not contain each term of the whole
        nothing = lists.span(0, 0)
        return nothing.docs, dict.fromkeys(terms.tolist(), nothing)
    if isinstance(lists, PostingBlocks) and compiled():
        docs, tf = lists.common(terms)
        return docs, {term: Postings(docs, own_tf) for term, own_tf in zip(terms.tolist(), tf, strict=True)}
    rarest, *others = terms[np.argsort(stops - starts, kind="stable")].tolist()
    postings = {rarest: lists.of_terms(np.array([rarest]))}
    docs = postings[rarest].docs
    for term in others:
        postings[term] = lists.in_documents(term, docs)
        docs = postings[term].docs
    return docs, postings


class DocumentFrequencies:
    """Document frequencies of some terms by number, read like an array of all."""

    def __init__(self, blocks: PostingBlocks) -> None:
        self._blocks = blocks

    def __getitem__(self, terms: np.ndarray | Sequence[int]) -> np.ndarray:
        return self._blocks.df_of(np.asarray(terms, np.int64))


BLOCK = 128
"""Largest number of postings of a block."""

GROUP = 256
"""Number of terms in a group."""

MOST_BITS = 32
"""Largest number of bits of a gap or a frequency."""

BLOCKS_OF_POSITIONS = 8
"""Number of blocks in a group of `position_blocks`."""

N_COLUMNS = 5
POSTING, BLOCKS, BIT, LARGE_DF, LARGE_TF = range(N_COLUMNS)
"""Columns of the starts of groups: the postings, blocks and bits before a group, and the numbers of 255 or more among
the document frequencies of terms and the highest frequencies of blocks before it.
"""

_MANY = 64  # groups asked for one by one before all are computed
_MOST = (1 << 31) - 1  # the highest frequency
_SHIFT = BLOCK.bit_length() - 1
WORD = 64
"""Bits of a word of packed numbers."""


def bit_lengths(numbers: np.ndarray) -> np.ndarray:
    """Count the bits of each whole number below 2^53; int64.

    >>> bit_lengths(np.array([0, 1, 2, 255, 256])).tolist()
    [0, 1, 2, 8, 9]
    """
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64)


_OF_BYTES = bit_lengths(np.arange(256)).astype(np.uint8)


def cut_in_blocks(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first block of each term and the end of the last (int64); the number of postings per block (uint8).

    >>> first_blocks, counts = cut_in_blocks(np.array([0, 3, 133]))
    >>> first_blocks.tolist(), counts.tolist()
    ([0, 1, 3], [3, 128, 2])
    """
    # offsets: (n_terms + 1,) int64, the first posting of each term, and the end of the last.
    # In place where possible: an index may have millions of terms, and new memory takes longer than the arithmetic.
    df = np.diff(offsets)
    first_blocks = np.zeros(offsets.size, np.int64)
    ends = np.add(df, BLOCK - 1, out=first_blocks[1:])
    ends >>= _SHIFT
    np.cumsum(ends, out=ends)
    df -= 1
    df &= BLOCK - 1
    df += 1
    counts = np.full(int(first_blocks[-1]) + 1, BLOCK, np.uint8)
    counts[first_blocks[1:]] = df  # at the last block of each term, plus one
    return first_blocks, counts[1:]


def bits_of_blocks(counts: np.ndarray, gap_bits: Any, tf_bits: np.ndarray) -> np.ndarray:
    """Count the bits of each block, from the number of its postings, and the bits of a gap and of a frequency."""
    # The types are narrow, because an index may have millions of blocks.
    bits: np.ndarray = counts * (np.asarray(gap_bits) + tf_bits).astype(np.uint16)
    return bits


def bits_of_tf(highest_tf: Any) -> np.ndarray:
    """Return the bits of a frequency in each block, from the highest; uint8."""
    highest = np.asarray(highest_tf)
    most = highest - highest.dtype.type(1)
    return _OF_BYTES[most] if most.dtype == np.uint8 else bit_lengths(most).astype(np.uint8)


def starts_of_groups(offsets: np.ndarray, gap_bits: np.ndarray, highest_tf: np.ndarray) -> np.ndarray:
    """Count what comes before each group of terms and, in the last row, before the end; int64, (n_groups + 1, 5).

    >>> starts_of_groups(np.array([0, 3]), np.array([3]), np.array([3])).tolist()
    [[0, 0, 0, 0, 0], [3, 1, 15, 0, 0]]
    """
    first_blocks, counts = cut_in_blocks(offsets)
    edges = np.append(np.arange(0, offsets.size - 1, GROUP), offsets.size - 1)
    blocks = first_blocks[edges]
    if counts.size != gap_bits.size:
        raise contradiction()
    bits = bits_of_blocks(counts, gap_bits, bits_of_tf(highest_tf))
    large_df, large_tf = np.diff(offsets) >= LARGE_COUNT, np.asarray(highest_tf) >= LARGE_COUNT
    sums = [offsets_of(sizes)[where] for sizes, where in ((bits, blocks), (large_df, edges), (large_tf, blocks))]
    return np.stack([offsets[edges], blocks, *sums], axis=1)


class BlockColumns(NamedTuple):
    """Blocks of postings: one number per block in each column."""

    counts: np.ndarray  # the postings; uint8
    starts: np.ndarray  # the first bit; int64
    before: np.ndarray  # the last document of the block before, -1 for the first block of a term; int32
    tf_bits: np.ndarray  # the bits of a frequency; uint8
    gap_bits: np.ndarray
    highest_tf: np.ndarray
    last_docs: np.ndarray

    def at(self, blocks: Any) -> BlockColumns:
        """Return the blocks with these numbers, or in this slice."""
        return BlockColumns(*(column[blocks] for column in self))


def joined(several: list[BlockColumns]) -> BlockColumns:
    """Join blocks, one after the other; at least one."""
    return BlockColumns(*map(np.concatenate, zip(*several, strict=True))) if len(several) > 1 else several[0]


class TermRange(NamedTuple):
    """Consecutive terms and their blocks."""

    first_term: int
    offsets: np.ndarray  # (n + 1,) int64; the first posting of each term, and the end of the last
    first_blocks: np.ndarray  # (n + 1,) int64; the first block of each term, and the end of the last
    columns: BlockColumns
    bits: int  # of all postings up to the last term

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first posting of each of some terms, and the first one after it."""
        places = terms - self.first_term
        return self.offsets[places], self.offsets[places + 1]

    def first_blocks_of(self, terms: np.ndarray) -> BlockColumns:
        """Return the first block of each of some terms."""
        return self.columns.at(self.first_blocks[terms - self.first_term] - self.first_blocks[0])

    def blocks_of(self, terms: np.ndarray) -> BlockColumns:
        """Return the blocks of some terms, at least one, one term after the other."""
        places = terms - self.first_term
        starts, stops = self.first_blocks[places] - self.first_blocks[0], self.first_blocks[places + 1]
        stops -= self.first_blocks[0]
        if (starts[1:] == stops[:-1]).all():  # neighbours, or a single term
            return self.columns.at(slice(int(starts[0]), int(stops[-1])))
        n = stops - starts
        ends = np.cumsum(n)
        return self.columns.at(repeat_each(stops - ends, n) + np.arange(int(ends[-1])))


class TermGroups:
    """Terms of an index and their blocks, by group or as a whole.

    The numbers of blocks are checked when they are computed. So even with damaged content, nothing outside the arrays
    is read.
    """

    def __init__(self, arrays: Any, offsets: Any) -> None:
        # offsets: the first posting of each term, and the end of the last: `Starts` in an opened index, else an array.
        self._offsets, self.columns = offsets, [arrays[name] for name in ("gap_bits", "highest_tf", "last_docs")]
        self.n_terms, self.n_documents = int(offsets.size) - 1, int(arrays["dl"].size)
        self._n_blocks, self._n_bits = int(self.columns[0].size), WORD * (int(arrays["postings"].size) - 1)
        self._groups: np.ndarray | None = getattr(offsets, "groups", None)
        self._known: dict[int, TermRange] = {}
        if any(column.size != self._n_blocks for column in (*self.columns, arrays["least_dl"])):
            raise contradiction()

    @cached_property
    def whole(self) -> TermRange:
        """All terms."""
        offsets = np.asarray(self._offsets, np.int64)
        return self._computed(0, offsets, [0] * N_COLUMNS, self.columns)

    @property
    def df(self) -> Any:
        """Document frequency of each term."""
        return np.diff(self._offsets) if self._groups is None else self._offsets.lengths

    def groups_of_all(self) -> np.ndarray:
        """Return the counts before each group of terms, also in an index in memory."""
        groups = self._groups
        if groups is None:
            gap_bits, highest_tf, _ = map(np.asarray, self.columns)
            groups = starts_of_groups(np.asarray(self._offsets, np.int64), gap_bits, highest_tf)
        if groups[-1, POSTING] > BLOCK * self._n_blocks:
            raise contradiction()
        return groups

    def ranges(self, terms: np.ndarray) -> list[tuple[TermRange, np.ndarray]]:
        """Divide terms, in their order, into parts, each with a range that contains it."""
        if self._groups is None or "whole" in self.__dict__ or terms.size > _MANY * GROUP:
            return [(self.whole, terms)]
        groups = terms // GROUP
        edges = np.flatnonzero(groups[1:] != groups[:-1]) + 1
        group_numbers = groups[np.append(0, edges)].tolist() if terms.size else []
        ranges = self._some(group_numbers)
        if ranges is None:
            return [(self.whole, terms)]
        cuts = pairwise([0, *edges.tolist(), terms.size])
        return [(ranges[group], terms[slice(*cut)]) for group, cut in zip(group_numbers, cuts, strict=False)]

    def blocks_at(self, blocks: np.ndarray) -> BlockColumns:
        """Return the blocks with these rising numbers."""
        if self._groups is not None and "whole" not in self.__dict__ and blocks.size:
            of_group = np.searchsorted(self._groups[:, BLOCKS], blocks, side="right") - 1
            ranges = self._some(of_group[np.append(True, np.diff(of_group) > 0)].tolist())
            if ranges is not None:
                cuts = pairwise([*np.searchsorted(of_group, list(ranges)).tolist(), blocks.size])
                parts = [(group, blocks[slice(*cut)]) for group, cut in zip(ranges.values(), cuts, strict=True)]
                return joined([group.columns.at(part - group.first_blocks[0]) for group, part in parts])
        return self.whole.columns.at(blocks)

    def _some(self, groups: list[int]) -> dict[int, TermRange] | None:
        """Return the terms of a few groups; None if it is better to compute all."""
        assert self._groups is not None
        new = {*groups} - {*self._known}
        if len(self._known) + len(new) > _MANY:
            return None
        for group in new:
            self._known[group] = self.between(self._groups, group, group + 1)
        return {group: self._known[group] for group in groups}

    def numbers_between(self, first: int, last: int) -> tuple[int, int]:
        """Return the number of the first term of the groups from first up to last, and of the one after them."""
        return first * GROUP, min(last * GROUP, self.n_terms)

    def between(self, groups: np.ndarray, first: int, last: int) -> TermRange:
        """Return the terms of the groups from first up to last; groups: the counts before each of all."""
        before, after = groups[[first, last]].tolist()
        first, last = self.numbers_between(first, last)
        df = _part(self.df, first, last, before[LARGE_DF], after[LARGE_DF])
        terms = self._computed(first, offsets_of(df) + before[POSTING], before, self.columns_between(before, after))
        if [terms.offsets[-1], terms.first_blocks[-1], terms.bits] != after[: BIT + 1]:
            raise contradiction()
        return terms

    def columns_between(self, before: Sequence[int], after: Sequence[int]) -> list[np.ndarray]:
        """Return columns of the blocks between two counts: the bits of a gap, the highest tf, the last document."""
        start, stop = before[BLOCKS], after[BLOCKS]
        gap_bits, highest_tf, last_docs = self.columns
        highest_tf = _part(highest_tf, start, stop, before[LARGE_TF], after[LARGE_TF])
        return [gap_bits[start:stop], highest_tf, last_docs[start:stop]]

    def _computed(self, first: int, offsets: np.ndarray, before: list[int], columns: list[Any]) -> TermRange:
        df = np.diff(offsets)
        if df.size and not (int(df.min()) >= 1 and int(df.max()) <= self.n_documents):
            raise contradiction()
        first_blocks, counts = cut_in_blocks(offsets)
        gap_bits, highest_tf, last_docs = map(np.asarray, columns)
        if counts.size != gap_bits.size:  # the others have as many
            raise contradiction()
        if counts.size and not (
            gap_bits.max() <= MOST_BITS
            and 1 <= highest_tf.min() <= highest_tf.max() <= _MOST
            and 0 <= last_docs.min() <= last_docs.max() < self.n_documents
        ):
            raise contradiction()
        tf_bits = bits_of_tf(highest_tf)
        sizes = bits_of_blocks(counts, gap_bits, tf_bits)
        starts = sizes.astype(np.int64)
        np.cumsum(starts, out=starts)
        starts += before[BIT]
        bits = int(starts[-1]) if starts.size else int(before[BIT])
        starts -= sizes
        if bits > self._n_bits:
            raise contradiction()
        earlier = np.empty(counts.size, np.int32)
        earlier[1:] = last_docs[:-1]
        earlier[first_blocks[:-1]] = -1
        blocks = BlockColumns(counts, starts, earlier, tf_bits, gap_bits, highest_tf, last_docs)
        return TermRange(first, offsets, first_blocks + before[BLOCKS], blocks, bits)


def _part(values: Any, start: int, stop: int, *large: int) -> np.ndarray:
    """Return the numbers from start up to stop; large: how many of 255 or more come before these two."""
    return values.between(start, stop, *large) if isinstance(values, Counts) else values[start:stop]


def _of_type(values: Any, *types: Any) -> Any:
    """Convert a column to the first of some types, unless it has another of them; a mapped one stays mapped."""
    return np.asarray(values, types[0]) if isinstance(values, Counts) or values.dtype not in types else values


def _small_and_large(numbers: Any) -> tuple[Any, np.ndarray | None]:
    """Return whole numbers as bytes, and the large ones; None if a byte of 255 is a number like any other."""
    if isinstance(numbers, Counts):
        return numbers.small, np.asarray(numbers.large)
    if numbers.dtype == np.uint8:
        return numbers, None
    counts = Counts.of(np.asarray(numbers))
    return counts.small, counts.large


def contradiction() -> StorageError:
    """Return the error for postings that contradict each other."""
    return StorageError("the index is damaged: its postings contradict each other; build it again")
