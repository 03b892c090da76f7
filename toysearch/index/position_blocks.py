"""Positions: where the terms of documents stand, packed by bits beside the blocks of postings.

A position is the place of a token in the text of its document, counted from 0 before tokens are left out. The positions
of a posting are stored as gaps, minus one. The width of a gap is the number of bits of the last place in its document,
or that of the widest gap of its block if this is lower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from toysearch import loops
from toysearch.base import ArgumentError, Remedy, StorageError, reduce_at, repeat_each
from toysearch.base.plain_or_compiled import compiled
from toysearch.index.checksums import Paged
from toysearch.index.posting_blocks import (
    BLOCKS_OF_POSITIONS,
    WORD,
    PostingBlocks,
    bit_lengths,
    copy_bits,
    cut_in_blocks,
    go_through,
    numbers_at,
    put_numbers,
)
from toysearch.index.postings import NO_NUMBERS, Counts, Postings, offsets_of, places_of, rows_of

GROUP = BLOCKS_OF_POSITIONS
"""Blocks in a group: the index stores how many bits the positions of each group take."""

_MOST_BITS = 31
_ANY_BITS = 255  # for a block where each posting has one position: only its document limits the width


def bits_of_places(n_places: np.ndarray) -> np.ndarray:
    """Return the number of bits of the last place of each document, at least 1; uint8.

    >>> bits_of_places(np.array([0, 1, 2, 3, 256, 257])).tolist()
    [1, 1, 1, 2, 8, 9]
    """
    bits: np.ndarray = np.maximum(bit_lengths(np.maximum(n_places, 1) - 1), 1).astype(np.uint8)
    return bits


def packed_positions(
    places: np.ndarray, docs: np.ndarray, tf: Counts, offsets: np.ndarray, dl: np.ndarray, holes: np.ndarray
) -> dict[str, np.ndarray]:
    """Pack the positions of postings in blocks.

    >>> docs, tf, offsets, holes = np.array([0, 1]), Counts.of(np.array([1, 2])), np.array([0, 2]), np.array([0, 2])
    >>> made = packed_positions(np.array([0, 2, 3]), docs, tf, offsets, np.array([1, 2]), holes)
    >>> made["positions"].tolist(), made["positions_offsets"].tolist(), made["position_bits"].tolist()
    ([4, 0], [0, 5], [2])
    """
    return joined_positions([positions_in_blocks(places, docs, tf, offsets, dl, holes)])


def positions_in_blocks(
    places: np.ndarray, docs: np.ndarray, tf: Counts, offsets: np.ndarray, dl: np.ndarray, holes: np.ndarray
) -> dict[str, np.ndarray]:
    """Pack the positions of some terms: their words, the bits of each block, and those of its widest gap."""
    # places: (T,) uint16 or int32, of the first posting, then of the second …; docs, tf, offsets as for `packed`.
    rows = offsets_of(cut_in_blocks(offsets)[1])
    place_bits, block_bits = bits_of_places(dl.astype(np.int64) + holes), np.full(rows.size - 1, _ANY_BITS, np.uint8)
    most_bits = places.size * int(place_bits.max(initial=0))  # an upper bound
    words = np.zeros(most_bits // WORD + 2, np.uint64)
    if compiled():
        sizes = np.empty(rows.size - 1, np.int64)
        narrow = places if places.dtype == np.uint16 else np.asarray(places, np.int32)
        columns = np.asarray(docs, np.int32), tf.small, np.asarray(tf.large, np.int64)
        loops.pack_positions(narrow, *columns, rows, place_bits, block_bits, sizes, words)
        several = block_bits < _ANY_BITS
    elif not places.size:
        several, sizes = np.empty(0, bool), NO_NUMBERS
    else:
        frequencies = np.asarray(tf)
        gaps, widest = gaps_of(places, frequencies, rows)
        several = reduce_at(np.maximum, frequencies, rows[:-1]) > 1
        block_bits[several] = widest[several]
        widths = np.minimum(repeat_each(block_bits, np.diff(rows)), place_bits[docs]).astype(np.int64)
        sizes, of_each = reduce_at(np.add, widths * frequencies, rows[:-1]), repeat_each(widths, frequencies)
        put_numbers(words, offsets_of(of_each)[:-1], gaps.astype(np.uint64))
    words = words[: int(sizes.sum()) // WORD + 2].copy()
    return {"positions": words, "position_sizes": sizes, "position_bits": block_bits[several]}


def joined_positions(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Make the arrays of an index from the packed positions of consecutive terms."""
    ends = offsets_of(np.concatenate([NO_NUMBERS, *(part["position_sizes"] for part in parts)]))
    if len(parts) == 1:
        words = parts[0]["positions"]
    else:
        words, start = np.zeros(int(ends[-1]) // WORD + 2, np.uint64), 0
        for part in parts:
            size = int(part["position_sizes"].sum())
            copy_bits(part["positions"], np.array([0]), np.array([size]), words, np.array([start]))
            start += size
    return {
        "positions": words,
        "positions_offsets": np.append(ends[:-1:GROUP], ends[-1]),
        "position_bits": np.concatenate([np.empty(0, np.uint8), *(part["position_bits"] for part in parts)]),
    }


def gaps_of(places: np.ndarray, tf: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the gaps between positions, less one, and the bits of the widest in each block, at least 1."""
    starts = offsets_of(tf)[:-1]
    gaps = np.diff(places.astype(np.int64), prepend=0) - 1
    gaps[starts] = places[starts]
    return gaps, np.maximum(bit_lengths(reduce_at(np.maximum, gaps, starts[rows[:-1]])), 1)


class PositionBlocks:
    """Positions of an index, decoded in groups of blocks.

    The sizes of the arrays are checked at once, and positions when they are decoded. So even with damaged content,
    nothing outside the arrays is read.
    """

    def __init__(self, arrays: Any, blocks: PostingBlocks) -> None:
        self._blocks = blocks
        positions = arrays["positions"]
        self._paged = positions if isinstance(positions, Paged) else None
        self.words = np.asarray(positions if self._paged is None else self._paged.unverified)
        self.offsets = np.asarray(arrays["positions_offsets"], np.int64)
        n_places = np.asarray(arrays["dl"], np.int64) + np.asarray(arrays["holes"], np.int64)
        highest_tf = arrays["highest_tf"]
        several = np.asarray(highest_tf.small if isinstance(highest_tf, Counts) else highest_tf) > 1
        bits = np.asarray(arrays["position_bits"])
        lengths, room = np.diff(self.offsets), WORD * (self.words.size - 1)
        if self.offsets.size != -(-several.size // GROUP) + 1 or bits.size != np.count_nonzero(several):
            raise _contradiction()
        if (lengths < 0).any() or (lengths > room).any() or not 0 <= self.offsets[-1] <= room:
            raise _contradiction()
        if bits.size and not (bits.min() >= 1 and bits.max() <= _MOST_BITS):
            raise _contradiction()
        if n_places.min(initial=0) < 0 or n_places.max(initial=0) >= 1 << _MOST_BITS:
            raise _contradiction()
        self.n_places = n_places.astype(np.int32)
        self.block_bits = np.full(several.size, _ANY_BITS, np.uint8)
        self.block_bits[several] = bits

    @cached_property
    def _place_bits(self) -> np.ndarray:
        return bits_of_places(self.n_places)

    def of_term(self, term: int, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the tf of a term in documents that contain it, given by rising number, and its positions there."""
        if not docs.size:
            return NO_NUMBERS, np.empty(0, np.int32)
        if compiled():
            starts, tf, widths = self._found(term, docs)
            return tf, self._unpacked(starts, tf, widths, docs)
        first, blocks = self._blocks.blocks_of(term)
        all_docs, tf, places = self.between(first, first + blocks.counts.size)
        rows = rows_of(docs, all_docs)
        if rows.size < docs.size:
            raise _contradiction()
        return tf[rows], places[places_of(offsets_of(tf)[rows], tf[rows])]

    def phrase(self, terms: Sequence[int], distances: Sequence[int]) -> Postings:
        """Find the documents with some terms at some distances from the first, and how often, by a compiled loop."""
        distinct = [*dict.fromkeys(terms)]
        search = self._blocks.search_for(distinct, positions=self._opened)
        search.match([distinct.index(term) for term in terms], [*distances])
        go_through(search)
        docs, [tf] = search.answer()
        return Postings(docs, tf)

    @cached_property
    def _opened(self) -> loops.OpenedPositions:
        words, widths = self.words.view(np.uint32), (self.block_bits, self._place_bits)
        return loops.OpenedPositions(words, self._paged, self.offsets, widths, self.n_places, GROUP)

    def _found(self, term: int, docs: np.ndarray) -> list[np.ndarray]:
        """Find the first bit, number and width of the positions of a term in documents, by a compiled loop; int64."""
        search = self._blocks.search_for([term], docs, self._opened)
        search.locate()
        go_through(search)
        _, [tf] = search.answer()
        if tf.size < docs.size:
            raise _contradiction()
        starts, widths = search.places()
        return [starts, tf, widths]

    def _unpacked(self, starts: np.ndarray, tf: np.ndarray, widths: np.ndarray, docs: np.ndarray) -> np.ndarray:
        size = int(tf.sum())
        if compiled():
            places = np.empty(size, np.int32)
            if not loops.unpack_positions(self.words, starts, tf, widths, self.n_places[docs], places):
                raise _contradiction()
            return places
        of_each, ends = repeat_each(widths, tf), offsets_of(tf)
        bits = repeat_each(starts, tf) + (np.arange(of_each.size) - repeat_each(ends[:-1], tf)) * of_each
        steps = offsets_of(numbers_at(self.words, bits, of_each) + 1)
        edges = steps[ends]
        if (np.diff(edges) > self.n_places[docs]).any():
            raise _contradiction()
        positions: np.ndarray = (steps[1:] - repeat_each(edges[:-1], tf) - 1).astype(np.int32)
        return positions

    def between(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Decode the blocks from first up to last: their documents, frequencies and positions."""
        low, high = first // GROUP * GROUP, min(-(-last // GROUP) * GROUP, self.block_bits.size)
        (docs, tf), places = self.decoded(low, high)
        counts = self._blocks.terms.whole.columns.counts
        start = int(counts[low:first].sum())
        rows = slice(start, start + int(counts[first:last].sum()))
        start = int(tf[: rows.start].sum())
        return docs[rows], tf[rows], places[start : start + int(tf[rows].sum())]

    def decoded(self, first: int = 0, last: int | None = None) -> tuple[Postings, np.ndarray]:
        """Decode whole groups, from block first up to block last: their postings and all their positions; int32."""
        last = self.block_bits.size if last is None else last
        docs, tf = postings = self._blocks.decoded(np.arange(first, last))
        rows = offsets_of(self._blocks.terms.whole.columns.counts[first:last])
        widths = np.minimum(repeat_each(self.block_bits[first:last], np.diff(rows)), self._place_bits[docs])
        if not docs.size:
            return postings, np.empty(0, np.int32)
        edges = self.offsets[first // GROUP : -(-last // GROUP) + 1]
        if not np.array_equal(reduce_at(np.add, tf * widths, rows[:-1:GROUP]), np.diff(edges)):
            raise _contradiction()
        if self._paged is not None:
            self._paged.verify(edges[:1] // WORD, -(-edges[-1:] // WORD))
        sizes = tf * widths
        starts = int(edges[0]) + np.cumsum(sizes) - sizes
        return postings, self._unpacked(starts, tf, widths.astype(np.int64), docs)


def no_positions(collection: str, word_counts: bool) -> ArgumentError:
    """Return the error for an index without positions."""
    if word_counts:
        from toysearch.collection.catalog import without_texts  # most documents are texts

        return without_texts("positions are places of words in a text", collection)
    return ArgumentError(
        f"this index has no positions; build it again with them: {Remedy('Index.build', positions=True)}"
    )


def _contradiction() -> StorageError:
    return StorageError("the index is damaged: its positions contradict its postings; build it again")
