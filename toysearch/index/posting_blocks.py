"""Postings in blocks of 128, packed by bits, with the same layout in memory and in files; blocks are decoded when read.

The postings of a term are cut into blocks. A block holds the gaps between its document numbers, minus one, each with
the bits of the widest gap; then the term frequencies, minus one, each with the bits of the highest frequency. Separate
arrays have the last document of each block, its highest frequency and the length of its shortest document: these tell
whether a block needs decoding (Lemire & Boytsov 2015; Ding & Suel 2011).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from toysearch.compiled.choice import compiled
from toysearch.errors import StorageError
from toysearch.index.checksums import Paged
from toysearch.index.postings import Counts, Postings, rows_of

BLOCK = 128
"""The largest number of postings of a block."""

MOST_BITS = 32
"""The largest number of bits of a gap or a frequency."""

_MOST = (1 << 31) - 1  # the highest frequency
_SHIFT = BLOCK.bit_length() - 1
_WORD = 64  # bits


def bit_lengths(numbers: np.ndarray) -> np.ndarray:
    """The number of bits of each whole number below 2^53; int64.

    >>> bit_lengths(np.array([0, 1, 2, 255, 256])).tolist()
    [0, 1, 2, 8, 9]
    """
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64)


_OF_BYTES = bit_lengths(np.arange(256)).astype(np.uint8)


def cut_in_blocks(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first block of each term, and the end of the last (int64); the number of postings in each block (uint8).

    >>> first_blocks, counts = cut_in_blocks(np.array([0, 3, 133]))
    >>> first_blocks.tolist(), counts.tolist()
    ([0, 1, 3], [3, 128, 2])
    """
    # offsets: (n_terms + 1,) int64, the first posting of each term, and the end of the last.
    # In place where possible: an index may have millions of terms, and new memory takes longer than the arithmetic.
    df = np.diff(offsets)
    first_blocks = np.zeros(offsets.size, dtype=np.int64)
    ends = np.add(df, BLOCK - 1, out=first_blocks[1:])
    ends >>= _SHIFT
    np.cumsum(ends, out=ends)
    df -= 1
    df &= BLOCK - 1
    df += 1
    counts = np.full(int(first_blocks[-1]) + 1, BLOCK, dtype=np.uint8)
    counts[first_blocks[1:]] = df  # at the last block of each term, plus one
    return first_blocks, counts[1:]


def packed(docs: np.ndarray, tf: Counts, offsets: np.ndarray, dl: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of postings in blocks.

    >>> made = packed(np.array([0, 2, 7]), Counts.of(np.array([1, 3, 1])), np.array([0, 3]), np.full(8, 5))
    >>> made["gap_bits"].tolist(), made["highest_tf"].tolist(), made["last_docs"].tolist(), made["postings"].tolist()
    ([3], [3], [7], [4360, 0])
    """
    # docs: (P,) int32, rising within a term; offsets: (n_terms + 1,) int64, the first posting of each term.
    first_blocks, small = cut_in_blocks(offsets)
    counts = small.astype(np.int64)
    rows = np.concatenate([[0], np.cumsum(counts)])
    first_of_term = np.zeros(counts.size, dtype=bool)
    first_of_term[first_blocks[:-1]] = True
    if compiled("pack", docs.size):
        return _packed_by_loops(docs, tf, dl, rows, first_of_term)
    before = np.concatenate([[-1], docs[:-1]])
    before[offsets[:-1]] = -1
    gaps, frequencies = docs - before - 1, np.asarray(tf)
    if not counts.size:
        nothing = np.empty(0, dtype=np.int64)
        return _arrays(np.zeros(2, dtype=np.uint64), nothing, nothing, nothing, nothing)
    gap_bits = bit_lengths(np.maximum.reduceat(gaps, rows[:-1]))
    highest_tf = np.maximum.reduceat(frequencies, rows[:-1])
    widths = gap_bits, bit_lengths(highest_tf - 1)
    ends = np.cumsum(counts * (widths[0] + widths[1]))
    words = np.zeros(int(ends[-1]) // _WORD + 2, dtype=np.uint64)
    within = np.arange(docs.size) - np.repeat(rows[:-1], counts)
    starts = ends - counts * (widths[0] + widths[1])
    for numbers, width, start in ((gaps, widths[0], starts), (frequencies - 1, widths[1], starts + counts * widths[0])):
        put_numbers(words, np.repeat(start, counts) + within * np.repeat(width, counts), numbers.astype(np.uint64))
    least_dl = np.minimum.reduceat(np.asarray(dl)[docs], rows[:-1])
    return _arrays(words, gap_bits, highest_tf, docs[rows[1:] - 1], least_dl)


def _packed_by_loops(
    docs: np.ndarray, tf: Counts, dl: np.ndarray, rows: np.ndarray, first_of_term: np.ndarray
) -> dict[str, np.ndarray]:
    """The arrays of `packed`, by compiled loops."""
    from toysearch.compiled.bit_packing import measure, pack

    gap_bits, last_docs, least_dl = (np.empty(rows.size - 1, dtype=np.int32) for _ in range(3))
    highest_tf = np.empty(rows.size - 1, dtype=np.int64)
    large = np.asarray(tf.large, dtype=np.int64)
    bits = measure(docs, tf.small, large, dl, rows, first_of_term, gap_bits, highest_tf, last_docs, least_dl)
    words = np.zeros(bits // _WORD + 2, dtype=np.uint64)
    pack(docs, tf.small, large, rows, first_of_term, gap_bits, highest_tf, words)
    return _arrays(words, gap_bits, highest_tf, last_docs, least_dl)


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
    shifts = (positions % _WORD).astype(np.uint64)
    np.bitwise_or.at(words, positions // _WORD, numbers << shifts)
    np.bitwise_or.at(words, positions // _WORD + 1, (numbers >> np.uint64(1)) >> (np.uint64(_WORD - 1) - shifts))


def numbers_at(words: np.ndarray, positions: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """The numbers at bit positions, each with its width of at most 32 bits; int64.

    >>> numbers_at(np.array([0b10_101_00, 0], dtype=np.uint64), np.array([2, 5]), np.array([3, 2])).tolist()
    [5, 2]
    """
    # The eight bytes from each byte on, as a number.
    eights = np.ndarray((words.nbytes - 7,), dtype="<u8", buffer=words.data, strides=(1,))
    found = eights[positions >> 3] >> (positions & 7).astype(np.uint64)
    numbers: np.ndarray = (found & ((np.uint64(1) << widths.astype(np.uint64)) - np.uint64(1))).astype(np.int64)
    return numbers


def ends_in_zeros(words: np.ndarray, bits: int) -> bool:
    """Whether words are 0 after this number of bits, and end with one spare word."""
    rest = words[bits // _WORD :]
    return rest.size == 2 and not int(rest[0]) >> bits % _WORD and not rest[1]


class PostingBlocks:
    """The postings of an index, decoded block by block.

    The sizes of the arrays are checked at once, and a block when it is decoded. So even with damaged content, nothing
    outside the arrays is read.
    """

    def __init__(self, arrays: Any, offsets: np.ndarray) -> None:
        postings = arrays["postings"]
        self._paged = postings if isinstance(postings, Paged) else None
        self.words = np.asarray(postings if self._paged is None else self._paged.unverified)
        self.gap_bits = np.asarray(arrays["gap_bits"])
        self.highest_tf = np.asarray(arrays["highest_tf"])
        self.last_docs = np.asarray(arrays["last_docs"])
        self._least_dl = arrays["least_dl"]
        self.n_documents = int(arrays["dl"].size)
        self.offsets = offsets
        self._decoded = 0  # postings, so far
        df = np.diff(offsets)
        if df.size and not (int(df.min()) >= 1 and int(df.max()) <= self.n_documents):
            raise contradiction()
        self.first_blocks, self.counts = cut_in_blocks(offsets)
        columns = (self.gap_bits, self.highest_tf, self.last_docs, self._least_dl)
        if any(column.size != self.counts.size for column in columns):
            raise contradiction()
        if self.counts.size and not (
            self.gap_bits.max() <= MOST_BITS
            and 1 <= self.highest_tf.min() <= self.highest_tf.max() <= _MOST
            and 0 <= self.last_docs.min() <= self.last_docs.max() < self.n_documents
        ):
            raise contradiction()
        # The types are narrow, because an index may have millions of blocks, and all their starts are computed here.
        sizes = np.multiply(self.counts, self.gap_bits + self.tf_bits, dtype=np.uint16)
        self.starts = sizes.astype(np.int64)
        np.cumsum(self.starts, out=self.starts)
        self.bits = int(self.starts[-1]) if sizes.size else 0
        self.starts -= sizes
        if self.bits > _WORD * (self.words.size - 1):
            raise contradiction()

    @cached_property
    def least_dl(self) -> np.ndarray:
        """The length of the shortest document in each block."""
        return np.asarray(self._least_dl)

    @cached_property
    def tf_bits(self) -> np.ndarray:
        """The number of bits of a frequency in each block; uint8."""
        most = self.highest_tf - self.highest_tf.dtype.type(1)
        lengths: np.ndarray = _OF_BYTES[most] if most.dtype == np.uint8 else bit_lengths(most).astype(np.uint8)
        return lengths

    @cached_property
    def before(self) -> np.ndarray:
        """The last document of the block before, -1 for the first block of a term; int32."""
        before = np.empty(self.counts.size, dtype=np.int32)
        before[1:] = self.last_docs[:-1]
        before[self.first_blocks[:-1]] = -1
        return before

    def of_terms(self, terms: np.ndarray) -> Postings:
        """The postings of the terms with these numbers, one term after the other."""
        first = self.first_blocks[terms]
        n = self.first_blocks[terms + 1] - first
        ends = np.cumsum(n)
        blocks = np.repeat(first - ends + n, n) + np.arange(ends[-1] if ends.size else 0)
        return self.decoded(blocks)

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """The postings of a term in some documents, given by rising number; only blocks that may hold them are read."""
        low, high = self.first_blocks[term : term + 2].tolist()
        blocks = low + np.unique(np.searchsorted(self.last_docs[low:high], docs))
        found, tf = self.decoded(blocks[blocks < high])
        own = rows_of(docs, found)
        return Postings(found[own], tf[own])

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """The postings from start up to stop, counted through all terms; by default all."""
        stop = int(self.offsets[-1]) if stop is None else stop
        if start >= stop:
            return Postings(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64))
        (first, row), (last, _) = self._block_of(start), self._block_of(stop - 1)
        docs, tf = self.decoded(np.arange(first, last + 1))
        return Postings(docs[start - row : stop - row], tf[start - row : stop - row])

    def of_document(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The terms of a document, by rising number, and their frequencies in it; int64."""
        blocks = np.flatnonzero((self.last_docs >= number) & (self.before < number))
        docs, tf = self.decoded(blocks)
        own = np.flatnonzero(docs == number)
        blocks = np.repeat(blocks, self.counts[blocks])[own]
        return np.searchsorted(self.first_blocks, blocks, side="right") - 1, tf[own]

    def _block_of(self, posting: int) -> tuple[int, int]:
        """The block of a posting, and the number of the block's first posting."""
        term = int(np.searchsorted(self.offsets, posting, side="right")) - 1
        place = (posting - int(self.offsets[term])) // BLOCK
        return int(self.first_blocks[term]) + place, int(self.offsets[term]) + place * BLOCK

    def decoded(self, blocks: np.ndarray) -> Postings:
        """The postings of some blocks: documents as int32, frequencies as int64."""
        counts, starts = self.counts[blocks].astype(np.int64), self.starts[blocks]
        gap_bits, tf_bits = (bits[blocks].astype(np.int64) for bits in (self.gap_bits, self.tf_bits))
        before, ends = self.before[blocks].astype(np.int64), np.cumsum(counts)
        size = int(ends[-1]) if ends.size else 0
        last = self.last_docs[blocks]
        if (last <= before).any():
            raise contradiction()
        self.verify(starts, starts + counts * (gap_bits + tf_bits))
        if size and self.pays_to_compile(size):
            from toysearch.compiled.bit_packing import unpack_blocks

            docs, tf = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
            unpack_blocks(self.words, starts, counts, gap_bits, tf_bits, before, docs, tf)
        else:
            within = np.arange(size) - np.repeat(ends - counts, counts)
            gaps = self._numbers(starts, gap_bits, counts, within)
            sums = np.cumsum(gaps + 1)
            docs = sums - np.repeat(sums[ends - counts] - gaps[ends - counts] - 1 - before, counts)
            tf = 1 + self._numbers(starts + counts * gap_bits, tf_bits, counts, within)
        if not np.array_equal(docs[ends - 1], last) or (tf > np.repeat(self.highest_tf[blocks], counts)).any():
            raise contradiction()
        return Postings(docs.astype(np.int32), tf)

    def pays_to_compile(self, size: int) -> bool:
        """Whether compiled code decodes the next postings: once all those so far would have paid for loading it."""
        self._decoded += size
        return compiled("unpack", self._decoded)

    def verify(self, starts: np.ndarray, stops: np.ndarray) -> None:
        """Compare the pages with some ranges of bits with their checksums, unless that has been done."""
        if self._paged is not None:
            self._paged.verify(starts // _WORD, -(-stops // _WORD))

    def verify_terms(self, terms: np.ndarray) -> None:
        """Compare the pages with the postings of some terms with their checksums, unless that has been done."""
        if self._paged is not None:
            last = self.first_blocks[terms + 1] - 1
            bits = self.counts[last].astype(np.int64) * (self.gap_bits[last] + self.tf_bits[last])
            self.verify(self.starts[self.first_blocks[terms]], self.starts[last] + bits)

    def _numbers(self, starts: np.ndarray, widths: np.ndarray, counts: np.ndarray, within: np.ndarray) -> np.ndarray:
        """The numbers of blocks from the start of each, with the width of each; int64."""
        widths = np.repeat(widths, counts)
        return numbers_at(self.words, np.repeat(starts, counts) + within * widths, widths)


def contradiction() -> StorageError:
    """The error for postings that contradict each other."""
    return StorageError("the index is damaged: its postings contradict each other; build it again")
