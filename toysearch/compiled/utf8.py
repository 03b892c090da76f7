"""Compiled loops over UTF-8 and over ids as bytes: hashing, comparing, ordering, finding duplicates."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import kernel

SEED = np.uint64(0xCBF29CE484222325)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HIGH = np.uint64(32)
"""A hash: begin with the seed; for each byte, exclusive or, then times the factor; the high 32 bits count."""


Whole = int | np.int64


@kernel
def decoded(text: np.ndarray, position: int) -> tuple[Whole, int]:
    """The code point of two bytes or more that begins here, and where the next one does."""
    byte = text[position]
    if byte < 0xE0:
        size, point = 2, np.int64(byte & 0x1F)
    elif byte < 0xF0:
        size, point = 3, np.int64(byte & 0x0F)
    else:
        size, point = 4, np.int64(byte & 0x07)
    for following in range(position + 1, position + size):
        point = point << 6 | np.int64(text[following] & 0x3F)
    return point, position + size


@kernel
def encoded(point: Whole, lowered: np.ndarray, end: int) -> int:
    """Write a code point as UTF-8; where its bytes end."""
    if point < 0x80:
        lowered[end] = point
        return end + 1
    size = 2 + (point >= 0x800) + (point >= 0x10000)
    lowered[end] = (0xF00 >> size | point >> 6 * (size - 1)) & 0xFF
    for left in range(size - 2, -1, -1):
        end += 1
        lowered[end] = 0x80 | point >> 6 * left & 0x3F
    return end + 1


@kernel
def slots_for(count: int) -> int:
    """The size of a table for some entries: a power of two, at most half of it used."""
    size = 2
    while size < 2 * count:
        size *= 2
    return size


@kernel
def hash_of(blob: np.ndarray, start: int, stop: int) -> int:
    """The hash of some bytes: 32 bits, of which each depends on each byte."""
    mixed = SEED
    for place in range(start, stop):
        mixed = (mixed ^ np.uint64(blob[place])) * FACTOR
    return np.uint32(mixed >> HIGH)  # type: ignore[return-value]


@kernel
def hash_ids(blob: np.ndarray, offsets: np.ndarray, hashes: np.ndarray) -> None:
    """Fill in the hash of each id."""
    for row in range(hashes.size):
        hashes[row] = hash_of(blob, offsets[row], offsets[row + 1])


@kernel
def same(one: np.ndarray, start: int, stop: int, other: np.ndarray, other_start: int, other_stop: int) -> bool:
    """Whether two ids have the same bytes."""
    if stop - start != other_stop - other_start:
        return False
    for step in range(stop - start):  # noqa: SIM110
        if one[start + step] != other[other_start + step]:
            return False
    return True


@kernel
def gather(
    blob: np.ndarray, offsets: np.ndarray, order: np.ndarray, new_blob: np.ndarray, new_offsets: np.ndarray
) -> None:
    """Put ids in another order."""
    at = 0
    new_offsets[0] = 0
    for place in range(order.size):
        row = order[place]
        for byte in range(offsets[row], offsets[row + 1]):
            new_blob[at] = blob[byte]
            at += 1
        new_offsets[place + 1] = at


@kernel
def repeats(groups: np.ndarray, blob: np.ndarray, offsets: np.ndarray, hashes: np.ndarray) -> bool:
    """Whether an id occurs twice among the rows of one group."""
    table = np.empty(0, dtype=np.int64)
    for group in range(groups.size - 1):
        first, stop = groups[group], groups[group + 1]
        size = slots_for(stop - first)
        if size > table.size:
            table = np.empty(size, dtype=np.int64)
        table[:size] = -1
        mask = size - 1
        for row in range(first, stop):
            slot = hashes[row] & mask
            while table[slot] >= 0:
                other = table[slot]
                if hashes[other] == hashes[row] and same(
                    blob, offsets[row], offsets[row + 1], blob, offsets[other], offsets[other + 1]
                ):
                    return True
                slot = (slot + 1) & mask
            table[slot] = row
    return False
