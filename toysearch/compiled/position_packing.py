"""The compiled twin of `position_blocks`: positions are packed into bits, and unpacked again."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.bit_packing import bit_length, number_at, put
from toysearch.compiled.compilation import kernel
from toysearch.compiled.posting_sort import LARGE


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
        taken, n, widest, several = large_before, n_before, np.int64(0), np.int64(0)
        for row in range(rows[block], rows[block + 1]):
            count, before = np.int64(tf[row]), np.int64(-1)
            if count == LARGE:
                count = large[taken]
                taken += 1
            several |= count - 1
            for _ in range(count):
                widest |= places[n] - before - 1
                before = np.int64(places[n])
                n += 1
        if several > 0:
            block_bits[block] = max(1, bit_length(widest))
        taken, n, start = large_before, n_before, position
        for row in range(rows[block], rows[block + 1]):
            width = np.int64(min(block_bits[block], place_bits[docs[row]]))
            count, before = np.int64(tf[row]), np.int64(-1)
            if count == LARGE:
                count = large[taken]
                taken += 1
            for _ in range(count):
                put(words, position, places[n] - before - 1)
                before = np.int64(places[n])
                position += int(width)
                n += 1
        sizes[block] = position - start
        large_before, n_before = taken, n


@kernel
def unpack_positions(
    words: np.ndarray,
    start: int,
    tf: np.ndarray,
    widths: np.ndarray,
    n_places: np.ndarray,
    places: np.ndarray,
) -> bool:
    """Decode the positions of postings; False, with some left out, if a position is beyond the end of its document."""
    position = n = 0
    for row in range(tf.size):
        width, place = np.int64(widths[row]), np.int64(-1)
        mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
        for _ in range(tf[row]):
            place += np.int64(number_at(words, np.uint64(start + position), mask)) + 1
            if place >= n_places[row]:
                return False
            places[n] = place
            position += int(width)
            n += 1
    return True


@kernel
def unpack_some_positions(
    words: np.ndarray,
    edges: np.ndarray,
    group: int,
    counts: np.ndarray,
    block_bits: np.ndarray,
    place_bits: np.ndarray,
    n_places: np.ndarray,
    docs: np.ndarray,
    tf: np.ndarray,
    own: np.ndarray,
    places: np.ndarray,
) -> bool:
    """Decode the positions of some of the postings of groups of blocks; False if they do not fit their groups."""
    # edges: (groups, 2), the first bit of each group and the end of the last; own: the rising rows of the postings.
    first = at = n = 0
    position = end = np.int64(0)
    for block in range(counts.size):
        if block % group == 0:
            if position != end:
                return False
            position, end = edges[block // group, 0], edges[block // group, 1]
        for row in range(first, first + counts[block]):
            width = np.int64(min(block_bits[block], place_bits[docs[row]]))
            after = position + width * tf[row]
            if after > end:
                return False
            if at < own.size and own[at] == row:
                place, mask = np.int64(-1), (np.uint64(1) << np.uint64(width)) - np.uint64(1)
                for start in range(position, after, width):
                    place += np.int64(number_at(words, np.uint64(start), mask)) + 1
                    if place >= n_places[docs[row]]:
                        return False
                    places[n] = place
                    n += 1
                at += 1
            position = after
        first += counts[block]
    return bool(position == end)
