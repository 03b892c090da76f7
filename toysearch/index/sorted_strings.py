"""Where strings stand among sorted ones: many binary searches at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.index.byte_order import Keys
from toysearch.index.strings import Strings

_BYTES = 7  # of a string in a key
_LEFT = np.uint64(0xFF)  # the rest of a key: how many bytes were left


class Places(NamedTuple):
    """Of each string looked for: how many of the sorted ones come before it, and whether it is one of them; aligned."""

    before: np.ndarray
    found: np.ndarray


def places(strings: Strings, order: np.ndarray, wanted: Strings) -> Places:
    """Where each string stands among others.

    order: (len(strings),) int, the positions of the strings in the order of their UTF-8 bytes.

    >>> found = places(Strings.of(["cat", "dog"]), np.arange(2), Strings.of(["dog", "catfish", ""]))
    >>> found.before.tolist(), found.found.tolist()
    ([1, 1, 0], [True, False, False])
    """
    ours, theirs = Keys(strings), Keys(wanted)
    low = np.zeros(len(wanted), dtype=np.int64)
    high = np.full(len(wanted), len(strings), dtype=np.int64)
    undecided, depth = np.arange(len(wanted)), 0
    while undecided.size:
        # Only those of the others are left that agree with a string so far: of these, the ones that go on as it does.
        keys = _keys(theirs, undecided, depth)
        if depth == 0:  # all places are open: the keys of all strings are soon made, and numpy's own search is fast
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
    """For each key, the first place from low up to high where the key at this depth is not less than it."""
    low, high = low.copy(), high.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        less = _keys(strings, order[middle], depth) < keys[open_]
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]
    return low


def _keys(strings: Keys, numbers: np.ndarray, depth: int) -> np.ndarray:
    """Seven bytes of each string as a number that compares as they do: at depth 0 the first seven, then the next.

    The lowest byte is how many there were, so that a beginning comes before the whole; more than seven if it goes on.
    """
    depth *= _BYTES
    keys = strings.at(numbers, depth) & ~_LEFT
    keys |= strings.left(numbers, depth).astype(np.uint64)
    return keys
