"""Where the blocks of a term are: computed from its group of 256 terms, or for all terms at once.

An index stores where each group begins. So the first queries to an opened index do not add up the sizes of all blocks.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.errors import StorageError
from toysearch.base.wide_counts import repeat_each
from toysearch.index.postings import LARGE_COUNT, Counts

BLOCK = 128
"""The largest number of postings of a block."""

GROUP = 256
"""The number of terms in a group."""

MOST_BITS = 32
"""The largest number of bits of a gap or a frequency."""

N_COLUMNS = 5
POSTING, BLOCKS, BIT, LARGE_DF, LARGE_TF = range(N_COLUMNS)
"""The columns of the starts of groups: the postings, blocks and bits before a group, and the numbers of 255 or more
among the document frequencies of terms and the highest frequencies of blocks before it."""

_MANY = 64  # groups asked for one by one before all are computed
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


def starts_of_groups(offsets: np.ndarray, gap_bits: np.ndarray, highest_tf: np.ndarray) -> np.ndarray:
    """What comes before each group of terms, and, as the last row, before the end; int64, shape (n_groups + 1, 5).

    >>> starts_of_groups(np.array([0, 3]), np.array([3]), np.array([3])).tolist()
    [[0, 0, 0, 0, 0], [3, 1, 15, 0, 0]]
    """
    first_blocks, counts = cut_in_blocks(offsets)
    edges = np.append(np.arange(0, offsets.size - 1, GROUP), offsets.size - 1)
    blocks = first_blocks[edges]
    bits = counts * (np.asarray(gap_bits, np.int64) + bit_lengths(np.asarray(highest_tf) - 1))
    large_df, large_tf = np.diff(offsets) >= LARGE_COUNT, np.asarray(highest_tf) >= LARGE_COUNT
    sums = [_ends(each)[where] for each, where in ((bits, blocks), (large_df, edges), (large_tf, blocks))]
    return np.stack([offsets[edges], blocks, *sums], axis=1)


def _ends(numbers: np.ndarray) -> np.ndarray:
    """The sums of the first numbers, from none to all."""
    return np.concatenate([[0], np.cumsum(numbers, dtype=np.int64)])


class BlockColumns(NamedTuple):
    """Some blocks: one number per block in each column."""

    counts: np.ndarray  # the postings; uint8
    starts: np.ndarray  # the first bit; int64
    before: np.ndarray  # the last document of the block before, -1 for the first block of a term; int32
    tf_bits: np.ndarray  # the bits of a frequency; uint8
    gap_bits: np.ndarray
    highest_tf: np.ndarray
    last_docs: np.ndarray

    def at(self, blocks: Any) -> BlockColumns:
        """The blocks with these numbers, or in this slice."""
        return BlockColumns(*(column[blocks] for column in self))


def joined(several: list[BlockColumns]) -> BlockColumns:
    """The blocks of all, one after the other; at least one."""
    return BlockColumns(*map(np.concatenate, zip(*several, strict=True))) if len(several) > 1 else several[0]


class TermRange(NamedTuple):
    """Consecutive terms and their blocks."""

    first_term: int
    offsets: np.ndarray  # (n + 1,) int64; the first posting of each term, and the end of the last
    first_blocks: np.ndarray  # (n + 1,) int64; the first block of each term, and the end of the last
    columns: BlockColumns
    bits: int  # of all postings up to the last term

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first posting of each of some terms, and the first one after it."""
        places = terms - self.first_term
        return self.offsets[places], self.offsets[places + 1]

    def first_blocks_of(self, terms: np.ndarray) -> BlockColumns:
        """The first block of each of some terms."""
        return self.columns.at(self.first_blocks[terms - self.first_term] - self.first_blocks[0])

    def blocks_of(self, terms: np.ndarray) -> BlockColumns:
        """The blocks of some terms, at least one, one term after the other."""
        places = terms - self.first_term
        starts, stops = self.first_blocks[places] - self.first_blocks[0], self.first_blocks[places + 1]
        stops -= self.first_blocks[0]
        if (starts[1:] == stops[:-1]).all():  # neighbours, or a single term
            return self.columns.at(slice(int(starts[0]), int(stops[-1])))
        n = stops - starts
        ends = np.cumsum(n)
        return self.columns.at(repeat_each(stops - ends, n) + np.arange(int(ends[-1])))


class TermGroups:
    """The terms of an index and their blocks, by group or as a whole.

    The numbers of blocks are checked when they are computed. So even with damaged content, nothing outside the arrays
    is read.
    """

    def __init__(self, arrays: Any, offsets: Any) -> None:
        # offsets: the first posting of each term, and the end of the last: `Starts` in an opened index, else an array.
        self._offsets, self._columns = offsets, [arrays[name] for name in ("gap_bits", "highest_tf", "last_docs")]
        self._n_terms, self._n_documents = int(offsets.size) - 1, int(arrays["dl"].size)
        self._n_blocks, self._n_bits = int(self._columns[0].size), _WORD * (int(arrays["postings"].size) - 1)
        self._groups: np.ndarray | None = getattr(offsets, "groups", None)
        self._known: dict[int, TermRange] = {}
        if any(column.size != self._n_blocks for column in (*self._columns, arrays["least_dl"])):
            raise contradiction()

    @cached_property
    def whole(self) -> TermRange:
        """All terms."""
        offsets = np.asarray(self._offsets, dtype=np.int64)
        return self._computed(0, offsets, [0] * N_COLUMNS, self._columns)

    def ranges(self, terms: np.ndarray) -> list[tuple[TermRange, np.ndarray]]:
        """Some terms in their order, in parts, each with a range that contains it."""
        if self._groups is None or "whole" in self.__dict__ or terms.size > _MANY * GROUP:
            return [(self.whole, terms)]
        groups = terms // GROUP
        edges = np.flatnonzero(groups[1:] != groups[:-1]) + 1
        own = groups[np.append(0, edges)].tolist() if terms.size else []
        known = self._some(own)
        if known is None:
            return [(self.whole, terms)]
        cuts = pairwise([0, *edges.tolist(), terms.size])
        return [(known[group], terms[slice(*cut)]) for group, cut in zip(own, cuts, strict=False)]

    def blocks_at(self, blocks: np.ndarray) -> BlockColumns:
        """The blocks with these rising numbers."""
        if self._groups is not None and "whole" not in self.__dict__ and blocks.size:
            of_group = np.searchsorted(self._groups[:, BLOCKS], blocks, side="right") - 1
            own = self._some(of_group[np.append(True, np.diff(of_group) > 0)].tolist())
            if own is not None:
                cuts = pairwise([*np.searchsorted(of_group, list(own)).tolist(), blocks.size])
                parts = [(each, blocks[slice(*cut)]) for each, cut in zip(own.values(), cuts, strict=True)]
                return joined([each.columns.at(part - each.first_blocks[0]) for each, part in parts])
        return self.whole.columns.at(blocks)

    def _some(self, groups: list[int]) -> dict[int, TermRange] | None:
        """The terms of a few groups; None if it is better to compute all."""
        new = {*groups} - {*self._known}
        if len(self._known) + len(new) > _MANY:
            return None
        for group in new:
            self._known[group] = self._group(group)
        return {group: self._known[group] for group in groups}

    def _group(self, group: int) -> TermRange:
        """The terms of a group."""
        assert self._groups is not None
        before, after = self._groups[group : group + 2].tolist()
        first, last = group * GROUP, min((group + 1) * GROUP, self._n_terms)
        df = _part(self._offsets.lengths, first, last, before[LARGE_DF], after[LARGE_DF])
        start, stop = before[BLOCKS], after[BLOCKS]
        gap_bits, highest_tf, last_docs = self._columns
        highest_tf = _part(highest_tf, start, stop, before[LARGE_TF], after[LARGE_TF])
        columns = [gap_bits[start:stop], highest_tf, last_docs[start:stop]]
        found = self._computed(first, _ends(df) + before[POSTING], before, columns)
        if [found.offsets[-1], found.first_blocks[-1], found.bits] != after[: BIT + 1]:
            raise contradiction()
        return found

    def _computed(self, first: int, offsets: np.ndarray, before: list[int], columns: list[Any]) -> TermRange:
        """Consecutive terms, from their first postings, what comes before them, and the columns of their blocks."""
        df = np.diff(offsets)
        if df.size and not (int(df.min()) >= 1 and int(df.max()) <= self._n_documents):
            raise contradiction()
        first_blocks, counts = cut_in_blocks(offsets)
        gap_bits, highest_tf, last_docs = map(np.asarray, columns)
        if counts.size != gap_bits.size:  # the others have as many
            raise contradiction()
        if counts.size and not (
            gap_bits.max() <= MOST_BITS
            and 1 <= highest_tf.min() <= highest_tf.max() <= _MOST
            and 0 <= last_docs.min() <= last_docs.max() < self._n_documents
        ):
            raise contradiction()
        most = highest_tf - highest_tf.dtype.type(1)
        tf_bits = _OF_BYTES[most] if most.dtype == np.uint8 else bit_lengths(most).astype(np.uint8)
        # The types are narrow, because an index may have millions of blocks.
        sizes = np.multiply(counts, gap_bits + tf_bits, dtype=np.uint16)
        starts = sizes.astype(np.int64)
        np.cumsum(starts, out=starts)
        starts += before[BIT]
        bits = int(starts[-1]) if starts.size else int(before[BIT])
        starts -= sizes
        if bits > self._n_bits:
            raise contradiction()
        earlier = np.empty(counts.size, dtype=np.int32)
        earlier[1:] = last_docs[:-1]
        earlier[first_blocks[:-1]] = -1
        own = BlockColumns(counts, starts, earlier, tf_bits, gap_bits, highest_tf, last_docs)
        return TermRange(first, offsets, first_blocks + before[BLOCKS], own, bits)


def _part(values: Any, start: int, stop: int, *large: int) -> np.ndarray:
    """The numbers from start up to stop; large: how many of 255 or more come before these two."""
    part: np.ndarray = values.between(start, stop, *large) if isinstance(values, Counts) else values[start:stop]
    return part


def contradiction() -> StorageError:
    """The error for postings that contradict each other."""
    return StorageError("the index is damaged: its postings contradict each other; build it again")
