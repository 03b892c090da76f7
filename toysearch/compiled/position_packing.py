"""The compiled twin of `position_blocks`: positions are packed into bits, and unpacked again."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.bit_packing import bit_length, number_at, put, unpack
from toysearch.compiled.compilation import kernel
from toysearch.compiled.posting_sort import LARGE

_ONE = np.uint64(1)


@kernel
def pack_positions(
    places: np.ndarray,
    docs: np.ndarray,
    tf: np.ndarray,
    large: np.ndarray,
    rows: np.ndarray,
    place_bits: np.ndarray,
    block_bits: np.ndarray,
    sizes: np.ndarray,
    words: np.ndarray,
) -> None:
    """Write the gaps between positions into words that are all 0, and fill in the bits of each block."""
    # `block_bits` is 255 at first; a block with a frequency above 1 gets the bits of its widest gap.
    large_before = n_before = position = 0
    for block in range(rows.size - 1):
        n_large, n, widest, several = large_before, n_before, np.int64(0), np.int64(0)
        for row in range(rows[block], rows[block + 1]):
            count, before = np.int64(tf[row]), np.int64(-1)
            if count == LARGE:
                count = large[n_large]
                n_large += 1
            several |= count - 1
            for _ in range(count):
                widest |= places[n] - before - 1
                before = np.int64(places[n])
                n += 1
        if several > 0:
            block_bits[block] = max(1, bit_length(widest))
        n_large, n, start = large_before, n_before, position
        for row in range(rows[block], rows[block + 1]):
            width = np.int64(min(block_bits[block], place_bits[docs[row]]))
            count, before = np.int64(tf[row]), np.int64(-1)
            if count == LARGE:
                count = large[n_large]
                n_large += 1
            for _ in range(count):
                put(words, position, places[n] - before - 1)
                before = np.int64(places[n])
                position += int(width)
                n += 1
        sizes[block] = position - start
        large_before, n_before = n_large, n


@kernel
def unpack_positions(
    words: np.ndarray,
    starts: np.ndarray,
    tf: np.ndarray,
    widths: np.ndarray,
    n_places: np.ndarray,
    places: np.ndarray,
) -> bool:
    """Decode the positions of postings; False, with some left out, if a position is beyond the end of its document."""
    n = 0
    for row in range(tf.size):
        position, width, place = np.uint64(starts[row]), np.uint64(widths[row]), np.int64(-1)
        mask = (_ONE << width) - _ONE
        for _ in range(tf[row]):
            place += np.int64(number_at(words, position, mask)) + 1
            if place >= n_places[row]:
                return False
            places[n] = place
            position += width
            n += 1
    return True


@kernel
def find_positions(
    words: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
    gap_bits: np.ndarray,
    tf_bits: np.ndarray,
    before: np.ndarray,
    own: np.ndarray,
    edges: np.ndarray,
    group: int,
    block_bits: np.ndarray,
    place_bits: np.ndarray,
    wanted: np.ndarray,
    bits: np.ndarray,
    tf: np.ndarray,
    widths: np.ndarray,
) -> bool:
    """Find the first bit, number and width of a term's positions in documents; False if blocks contradict groups."""
    # The blocks are those of whole groups: own says which are the term's; edges: (groups, 2), first bits and ends.
    # wanted ends with -1, so one of each document is found; the three results have one more place for what is not.
    n, bit, end = 0, np.int64(0), np.int64(0)
    gaps, frequencies = np.empty(counts.max(), np.uint64), np.empty(counts.max(), np.uint64)
    for block in range(starts.size):
        if block % group == 0:
            if bit != end:
                return False
            bit, end = edges[block // group, 0], edges[block // group, 1]
        unpack(words, starts[block], counts[block], gap_bits[block], gaps)
        unpack(words, starts[block] + counts[block] * gap_bits[block], counts[block], tf_bits[block], frequencies)
        doc, mine = before[block], own[block]
        for row in range(counts[block]):
            doc += np.int64(gaps[row]) + 1
            if doc >= place_bits.size:
                return False
            count, width = np.int64(frequencies[row]) + 1, np.int64(min(block_bits[block], place_bits[doc]))
            bits[n], tf[n], widths[n] = bit, count, width
            n += mine & (doc == wanted[n])
            bit += count * width
    return bool(bit == end and n == wanted.size - 1)
