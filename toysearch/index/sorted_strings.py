"""Where strings stand among sorted ones: many binary searches at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.index.strings import Strings

_BYTES = 7  # of a string in a key: with 9 bits for each, 63 bits in all
_ENDED = 0  # stands where a string has no byte any more; byte b is b + 1, so that a beginning comes before the whole
_BITS = 9


class Places(NamedTuple):
    """Of each string looked for: how many of the sorted ones come before it, and whether it is one of them; aligned."""

    before: np.ndarray
    found: np.ndarray


def places(strings: Strings, order: np.ndarray, wanted: Strings) -> Places:
    """Where each string stands among others.

    Parameters
    ----------
    strings : Strings
        The others, no two of them equal.
    order : ndarray of int, shape (len(strings),)
        Their positions in the order of their UTF-8 bytes.
    wanted : Strings
        The strings looked for, in any order.

    Examples
    --------
    >>> found = places(Strings.of(["cat", "dog"]), np.arange(2), Strings.of(["dog", "catfish", ""]))
    >>> found.before.tolist(), found.found.tolist()
    ([1, 1, 0], [True, False, False])
    """
    low = np.zeros(len(wanted), dtype=np.int64)
    high = np.full(len(wanted), len(strings), dtype=np.int64)
    undecided, depth = np.arange(len(wanted)), 0
    while undecided.size:
        # Only those of the others are left that agree with a string so far: of these, the ones that go on as it does.
        keys = _keys(wanted, undecided, depth)
        low[undecided] = start = _narrowed(strings, order, depth, keys, low[undecided], high[undecided])
        high[undecided] = stop = _narrowed(strings, order, depth, keys + 1, start, high[undecided])
        ended = keys % (1 << _BITS) == _ENDED
        undecided = undecided[(start < stop) & ~ended]
        depth += 1
    return Places(low, low < high)


def _narrowed(
    strings: Strings, order: np.ndarray, depth: int, keys: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """For each key, the first place from low up to high where the key at this depth is not less than it."""
    if depth == 0:  # all places are open: the keys of all strings are soon made, and numpy's own search is fast
        return np.searchsorted(_keys(strings, order, 0), keys).astype(np.int64)
    low, high = low.copy(), high.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        less = _keys(strings, order[middle], depth) < keys[open_]
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]
    return low


def _keys(strings: Strings, numbers: np.ndarray, depth: int) -> np.ndarray:
    """Seven bytes of each string as a number that compares as they do: at depth 0 the first seven, then the next."""
    starts = strings.offsets[numbers].astype(np.int64) + _BYTES * depth
    left = strings.offsets[numbers + 1] - starts
    blob = strings.blob if strings.blob.size else np.zeros(1, dtype=np.uint8)
    keys = np.zeros(len(numbers), dtype=np.int64)
    for place in range(_BYTES):
        inside = left > place
        keys <<= _BITS
        keys += np.where(inside, blob[np.where(inside, starts + place, 0)].astype(np.int64) + 1, _ENDED)
    return keys
