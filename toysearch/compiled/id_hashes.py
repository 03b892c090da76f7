"""Documents compared by the hashes of their ids, query by query, in small hash tables with open addressing."""

from __future__ import annotations

import cython
import numpy as np

ROOM = 4  # slots of a table, at least, for each of the hashes in it


@cython.cfunc
@cython.locals(largest=cython.Py_ssize_t, group=cython.Py_ssize_t)
def _bits(bounds: cython.const[cython.longlong][::1]) -> cython.int:
    """The number of leading bits of a hash that make a slot of a table for any of the groups."""
    largest = 1
    for group in range(bounds.shape[0] - 1):
        largest = max(largest, bounds[group + 1] - bounds[group])
    return int(ROOM * largest).bit_length()


@cython.locals(
    shift=cython.int,
    mask=cython.ulonglong,
    slots=cython.int[::1],
    group=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    slot=cython.ulonglong,
    first=cython.Py_ssize_t,
    twice=cython.bint,
)
def repeated(hashes: cython.const[cython.ulonglong][::1], bounds: cython.const[cython.longlong][::1]) -> bool:
    """Whether two hashes of a group are equal; group i is `bounds[i]:bounds[i + 1]`."""
    bits = _bits(bounds)
    slots = np.zeros(1 << bits, dtype=np.int32)  # the number of a row within its group, from 1
    shift, mask, twice = 64 - bits, (1 << bits) - 1, False
    with cython.nogil:
        for group in range(bounds.shape[0] - 1):
            first = bounds[group]
            slots[:] = 0
            for row in range(first, bounds[group + 1]):
                slot = hashes[row] >> shift
                while slots[slot] > 0 and hashes[first + slots[slot] - 1] != hashes[row]:
                    slot = (slot + 1) & mask
                if slots[slot] > 0:
                    twice = True
                    break
                slots[slot] = cython.cast(cython.int, row - first + 1)
            if twice:
                break
    return twice


@cython.locals(
    shift=cython.int,
    mask=cython.ulonglong,
    slots=cython.int[::1],
    group=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    other=cython.Py_ssize_t,
    word=cython.Py_ssize_t,
    slot=cython.ulonglong,
    first=cython.Py_ssize_t,
    same=cython.bint,
    twice=cython.bint,
)
def find(
    hashes: cython.const[cython.ulonglong][::1],
    words: cython.const[cython.ulonglong][:, ::1],
    bounds: cython.const[cython.longlong][::1],
    groups: cython.const[cython.longlong][::1],
    other_hashes: cython.const[cython.ulonglong][::1],
    other_words: cython.const[cython.ulonglong][:, ::1],
    other_bounds: cython.const[cython.longlong][::1],
    places: cython.longlong[::1],
) -> bool:
    """Fill in the row of each id among the others of its group; False if two hashes of a group are equal."""
    # Group i is `bounds[i]:bounds[i + 1]` here and has the number `groups[i]` among the others. A row of `places` stays
    # as it is if its id is not found.
    bits = _bits(bounds)
    slots = np.zeros(1 << bits, dtype=np.int32)  # the number of a row within its group, from 1
    shift, mask, twice = 64 - bits, (1 << bits) - 1, False
    with cython.nogil:
        for group in range(groups.shape[0]):
            first = bounds[group]
            slots[:] = 0
            for row in range(first, bounds[group + 1]):
                slot = hashes[row] >> shift
                while slots[slot] > 0 and hashes[first + slots[slot] - 1] != hashes[row]:
                    slot = (slot + 1) & mask
                if slots[slot] > 0:
                    twice = True
                    break
                slots[slot] = cython.cast(cython.int, row - first + 1)
            if twice:
                break
            for other in range(other_bounds[groups[group]], other_bounds[groups[group] + 1]):
                slot = other_hashes[other] >> shift
                while slots[slot] > 0 and hashes[first + slots[slot] - 1] != other_hashes[other]:
                    slot = (slot + 1) & mask
                if slots[slot] > 0:
                    row = first + slots[slot] - 1
                    same = True
                    for word in range(words.shape[1]):
                        same = same and words[row, word] == other_words[other, word]
                    if same:
                        places[row] = other
    return not twice
