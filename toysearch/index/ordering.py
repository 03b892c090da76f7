"""Sorting many strings by their UTF-8 bytes, eight bytes at a time."""

from __future__ import annotations

import numpy as np

from toysearch.index.strings import Strings

_BYTES = 8  # of a string in a key
_FIRST = np.array([(1 << 64) - (1 << 8 * (_BYTES - left)) for left in range(_BYTES + 1)], dtype=np.uint64)
"""By how many bytes of a key are a string's: what keeps these, the first ones."""

_COLUMNS = 3  # keys; what they do not tell apart is compared as a whole


def byte_order(strings: Strings) -> np.ndarray:
    """The positions of strings in the order of their UTF-8 bytes, equal ones as they stand; int64.

    Parameters
    ----------
    strings : Strings
        Any strings.

    Examples
    --------
    >>> byte_order(Strings.of(["dog", "cat", "catfish", "cat"])).tolist()
    [1, 3, 2, 0]
    """
    lengths = np.diff(strings.offsets)
    longest = int(lengths.max(initial=0))
    everything = np.arange(len(strings))
    columns = [_keys(strings, everything, depth) for depth in range(0, longest, _BYTES)[:_COLUMNS]]
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
    """Of each sorted string, whether it equals the one before it; bool, the first is False.

    Parameters
    ----------
    strings : Strings
        Any strings.
    order : ndarray of int
        What `byte_order` gave for them.

    Examples
    --------
    >>> repeated(Strings.of(["dog", "cat", "cat"]), np.array([1, 2, 0])).tolist()
    [False, True, False]
    """
    equal = np.zeros(len(order), dtype=bool)
    lengths = np.diff(strings.offsets)
    places = np.flatnonzero(lengths[order[1:]] == lengths[order[:-1]]) + 1
    depth = 0
    while places.size:
        ended = lengths[order[places]] <= depth
        equal[places[ended]] = True
        places = places[~ended]
        same = _keys(strings, order[places], depth) == _keys(strings, order[places - 1], depth)
        places, depth = places[same], depth + _BYTES
    return equal


def _keys(strings: Strings, numbers: np.ndarray, depth: int) -> np.ndarray:
    """Eight bytes of each string, from this one on, as a number; zeros where it has ended."""
    starts = strings.offsets[numbers].astype(np.int64) + depth
    left = np.clip(strings.offsets[numbers + 1] - starts, 0, _BYTES)
    padded = np.concatenate([strings.blob, np.zeros(_BYTES, dtype=np.uint8)])
    # The eight bytes from every place on, as numbers whose first byte weighs most.
    each = np.ndarray((padded.size - _BYTES + 1,), dtype=">u8", buffer=padded.data, strides=(1,))
    keys: np.ndarray = each[np.minimum(starts, strings.blob.size)].astype(np.uint64)
    keys &= _FIRST[left]
    return keys
