"""Sorting many strings by their UTF-8 bytes, eight bytes at a time."""

from __future__ import annotations

import numpy as np

from toysearch.index.strings import Strings

_BYTES = 8  # of a string in a key
_FIRST = np.array([(1 << 64) - (1 << 8 * (_BYTES - left)) for left in range(_BYTES + 1)], dtype=np.uint64)
"""By how many bytes of a key are a string's: what keeps these, the first ones."""

_COLUMNS = 3  # keys; what they do not tell apart is compared as a whole


def byte_order(strings: Strings) -> np.ndarray:
    """The positions of strings in the order of their UTF-8 bytes, equal ones as they stand; int64."""
    lengths = np.diff(strings.offsets)
    longest = int(lengths.max(initial=0))
    everything = np.arange(len(strings))
    keys = Keys(strings)
    columns = [keys.at(everything, depth) for depth in range(0, longest, _BYTES)[:_COLUMNS]]
    # A string that ends has zeros in its key; one with zero bytes in their place is longer.
    order = np.lexsort((np.minimum(lengths, _BYTES * _COLUMNS + 1), *reversed(columns)))
    longer = lengths[order] > _BYTES * _COLUMNS
    if not longer.any():
        return order
    alike = longer[1:] & longer[:-1]
    for column in columns:
        alike &= np.diff(column[order]) == 0
    # Runs of strings that go on, and agree so far.
    edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]]).astype(np.int8)))
    for start, stop in edges.reshape(-1, 2).tolist():
        order[start : stop + 1] = sorted(order[start : stop + 1].tolist(), key=strings.raw)
    return order


def repeated(strings: Strings, order: np.ndarray) -> np.ndarray:
    """Of each sorted string, whether it equals the one before it; bool, the first is False."""
    equal = np.zeros(len(order), dtype=bool)
    lengths = np.diff(strings.offsets)
    places = np.flatnonzero(lengths[order[1:]] == lengths[order[:-1]]) + 1
    keys, depth = Keys(strings), 0
    while places.size:
        ended = lengths[order[places]] <= depth
        equal[places[ended]] = True
        places = places[~ended]
        same = keys.at(order[places], depth) == keys.at(order[places - 1], depth)
        places, depth = places[same], depth + _BYTES
    return equal


class Keys:
    """Strings as numbers, eight bytes at a time."""

    def __init__(self, strings: Strings) -> None:
        self._offsets, self._size = strings.offsets, strings.blob.size
        padded = np.concatenate([strings.blob, np.zeros(_BYTES, dtype=np.uint8)])
        # The eight bytes from every place on, as numbers whose first byte weighs most.
        self._eights = np.ndarray((self._size + 1,), dtype=">u8", buffer=padded.data, strides=(1,))

    def left(self, numbers: np.ndarray, depth: int) -> np.ndarray:
        """How many bytes each string has from this one on, 0 to 8; int64."""
        starts = self._offsets[numbers].astype(np.int64) + depth
        left: np.ndarray = np.clip(self._offsets[numbers + 1] - starts, 0, _BYTES)
        return left

    def at(self, numbers: np.ndarray, depth: int) -> np.ndarray:
        """Eight bytes of each string, from this one on, as a number; zeros where it has ended; uint64."""
        starts = self._offsets[numbers].astype(np.int64) + depth
        keys: np.ndarray = self._eights[np.minimum(starts, self._size)].astype(np.uint64)
        keys &= _FIRST[self.left(numbers, depth)]
        return keys
