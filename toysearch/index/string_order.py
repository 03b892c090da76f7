"""The order of many strings by their UTF-8 bytes, and the places of others among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from toysearch.index.strings import Strings

_BYTES = 7  # bytes of a string in a key
_ALL = 8  # if there is one wanted string per so many, the keys of all are made at once
_LEFT = np.uint64(0xFF)  # the lowest byte of a key: how many bytes were left


class Places(NamedTuple):
    """Places of wanted strings among sorted strings: how many come before each, and whether it is one of them."""

    before: np.ndarray
    found: np.ndarray


def places(strings: Strings, order: np.ndarray, wanted: Strings) -> Places:
    """Find where each wanted string belongs among sorted strings.

    >>> from toysearch.index.strings import Strings
    >>> found = places(Strings.of(["cat", "dog"]), np.arange(2), Strings.of(["dog", "catfish", ""]))
    >>> found.before.tolist(), found.found.tolist()
    ([1, 1, 0], [True, False, False])
    """
    # order: (len(strings),) int, the positions of the strings in the order of their UTF-8 bytes.
    ours, theirs = Keys(strings), Keys(wanted)
    low = np.zeros(len(wanted), np.int64)
    high = np.full(len(wanted), len(strings), np.int64)
    undecided, depth = np.arange(len(wanted)), 0
    while undecided.size:
        # The candidates for a wanted string equal it so far; keep those with the same next bytes.
        keys = _keys(theirs, undecided, depth)
        if depth == 0 and len(wanted) * _ALL > len(strings):  # keys of all strings, for numpy's own, fast search
            every = _keys(ours, order, 0)
            start, stop = np.searchsorted(every, keys), np.searchsorted(every, keys, side="right")
        else:
            start = _narrowed(ours, order, depth, keys, low[undecided], high[undecided])
            stop = _narrowed(ours, order, depth, keys + np.uint64(1), start, high[undecided])
        low[undecided], high[undecided] = start, stop
        ended = keys & _LEFT <= _BYTES
        undecided = undecided[(start < stop) & ~ended]
        depth += 1
    return Places(low, low < high)


def _narrowed(
    strings: Keys, order: np.ndarray, depth: int, keys: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Find, for each key, the first place from low up to high where the key at this depth is not less than it."""
    low, high = low.copy(), high.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        less = _keys(strings, order[middle], depth) < keys[open_]
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]
    return low


def _keys(strings: Keys, numbers: np.ndarray, depth: int) -> np.ndarray:
    """Read seven bytes of each string as a number with the same order: the first seven at depth 0, then the next."""
    # The lowest byte is the number of bytes left, at most eight, so that a prefix comes before a longer string.
    depth *= _BYTES
    keys = strings.at(numbers, depth) & ~_LEFT
    keys |= strings.left(numbers, depth).astype(np.uint64)
    return keys


KEY_BYTES = 8  # bytes of a string in a key
_FIRST = np.array([(1 << 64) - (1 << 8 * (KEY_BYTES - n)) for n in range(KEY_BYTES + 1)], np.uint64)
"""Mask that keeps the bytes left of a key, by their number."""

_BEGINNING = np.uint64(48)  # the lower bits of a key, after the first two bytes
_AT_ONCE = 1 << 15  # strings that are sorted at a time, more if they begin with the same two bytes
_COLUMNS = 3  # keys per string; strings with equal keys are compared as a whole


def byte_order(strings: Strings) -> np.ndarray:
    """Sort the positions of strings by their UTF-8 bytes, equal ones in the given order; int64."""
    lengths, keys, most = np.diff(strings.offsets), Keys(strings), KEY_BYTES * _COLUMNS
    depths = range(0, min(int(lengths.max(initial=0)), most), KEY_BYTES)
    # A key has zeros after the end of its string. A string with zero bytes there is longer: lengths decide.
    lengths = np.minimum(lengths, most + 1).astype(np.uint8)
    beginnings = (keys.at(np.arange(len(strings)), 0) >> _BEGINNING).astype(np.uint16)
    order = np.argsort(beginnings, kind="stable")
    changes = np.flatnonzero(np.diff(beginnings[order])) + 1
    cuts = changes[np.diff(changes // _AT_ONCE, prepend=0) > 0]
    for part in np.split(order, cuts):  # in parts, between which Ctrl-C is answered
        columns = [keys.at(part, depth) for depth in reversed(depths)]
        part[:] = part[np.lexsort([lengths[part], *columns])]
    longer = lengths[order] > most
    if not longer.any():
        return order
    alike = longer[1:] & longer[:-1]
    for depth in depths:
        alike &= np.diff(keys.at(order, depth)) == 0
    # Runs of longer strings with equal keys.
    edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]]).astype(np.int8)))
    for start, stop in edges.reshape(-1, 2).tolist():
        order[start : stop + 1] = sorted(order[start : stop + 1].tolist(), key=strings.raw)
    return order


def repeated(strings: Strings, order: np.ndarray) -> np.ndarray:
    """Tell for each sorted string whether it equals the one before it; bool, the first is False."""
    equal, lengths, keys = np.zeros(len(order), bool), np.diff(strings.offsets), Keys(strings)
    for first in range(1, len(order), _AT_ONCE):
        places, depth = np.arange(first, min(first + _AT_ONCE, len(order))), 0
        places = places[lengths[order[places]] == lengths[order[places - 1]]]
        while places.size:
            ended = lengths[order[places]] <= depth
            equal[places[ended]] = True
            places = places[~ended]
            same = keys.at(order[places], depth) == keys.at(order[places - 1], depth)
            places, depth = places[same], depth + KEY_BYTES
    return equal


class Keys:
    """Strings as numbers, eight bytes at a time."""

    def __init__(self, strings: Strings) -> None:
        self._offsets, self._size = strings.offsets, strings.blob.size
        padded = np.concatenate([strings.blob, np.zeros(KEY_BYTES, np.uint8)])
        # The eight bytes from every place on, as big-endian numbers.
        self._eights = np.ndarray((self._size + 1,), dtype=">u8", buffer=padded.data, strides=(1,))

    def left(self, numbers: np.ndarray, depth: int) -> np.ndarray:
        """Return the number of bytes of each string from a depth on, 0 to 8; int64."""
        starts = self._offsets[numbers].astype(np.int64) + depth
        lengths: np.ndarray = np.clip(self._offsets[numbers + 1] - starts, 0, KEY_BYTES)
        return lengths

    def at(self, numbers: np.ndarray, depth: int) -> np.ndarray:
        """Read eight bytes of each string from a depth on as a number, with zeros after its end; uint64."""
        keys = np.empty(len(numbers), np.uint64)
        for first in range(0, len(numbers), _AT_ONCE):  # in parts, whose arrays stay in the processor's cache
            some = numbers[first : first + _AT_ONCE]
            starts = self._offsets[some].astype(np.int64) + depth
            eights = self._eights[np.minimum(starts, self._size)].astype(np.uint64)
            keys[first : first + _AT_ONCE] = eights & _FIRST[self.left(some, depth)]
        return keys
