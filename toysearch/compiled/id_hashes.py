"""Documents compared by the hashes of their ids, query by query, in small hash tables with open addressing."""

from __future__ import annotations

import cython
import numpy as np

ROOM = 4  # slots of a table, at least, for each of the hashes in it


@cython.cfunc
@cython.locals(largest=cython.Py_ssize_t)
def _bits(bounds: cython.const[cython.longlong][::1]) -> cython.int:
    """Return the number of leading bits of a hash that make a slot of a table for any of the groups."""
    largest = 1
    for group in range(bounds.shape[0] - 1):
        largest = max(largest, bounds[group + 1] - bounds[group])
    return int(ROOM * largest).bit_length()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _entered(
    slots: cython.int[::1],
    hashes: cython.const[cython.ulonglong][::1],
    first: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    shift: cython.int,
) -> cython.bint:
    """Enter the rows of a group in a table, by their numbers within it from 1; False if two hashes are equal."""
    slots[:] = 0
    for row in range(first, stop):
        slot = _slot_of(slots, hashes, first, hashes[row], shift)
        if slots[slot] > 0:
            return False
        slots[slot] = cython.cast(cython.int, row - first + 1)
    return True


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
@cython.locals(mask=cython.ulonglong)
def _slot_of(
    slots: cython.int[::1],
    hashes: cython.const[cython.ulonglong][::1],
    first: cython.Py_ssize_t,
    sought: cython.ulonglong,
    shift: cython.int,
) -> cython.ulonglong:
    slot, mask = sought >> shift, slots.shape[0] - 1
    while slots[slot] > 0 and hashes[first + slots[slot] - 1] != sought:
        slot = (slot + 1) & mask
    return slot


@cython.locals(shift=cython.int, slots=cython.int[::1])
def repeated(hashes: cython.const[cython.ulonglong][::1], bounds: cython.const[cython.longlong][::1]) -> bool:
    """True if two hashes of a group are equal; group i is `bounds[i]:bounds[i + 1]`."""
    bits = _bits(bounds)
    slots = np.zeros(1 << bits, dtype=np.int32)
    shift, once = 64 - bits, True
    with cython.nogil:
        for group in range(bounds.shape[0] - 1):
            once = _entered(slots, hashes, bounds[group], bounds[group + 1], shift)
            if not once:
                break
    return not once


@cython.locals(
    shift=cython.int,
    slots=cython.int[::1],
    group=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    other=cython.Py_ssize_t,
    word=cython.Py_ssize_t,
    slot=cython.ulonglong,
    first=cython.Py_ssize_t,
    same=cython.bint,
    once=cython.bint,
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
    slots = np.zeros(1 << bits, dtype=np.int32)
    shift, once = 64 - bits, True
    with cython.nogil:
        for group in range(groups.shape[0]):
            first = bounds[group]
            once = _entered(slots, hashes, first, bounds[group + 1], shift)
            if not once:
                break
            for other in range(other_bounds[groups[group]], other_bounds[groups[group] + 1]):
                slot = _slot_of(slots, hashes, first, other_hashes[other], shift)
                if slots[slot] > 0:
                    row = first + slots[slot] - 1
                    same = True
                    for word in range(words.shape[1]):
                        same = same and words[row, word] == other_words[other, word]
                    if same:
                        places[row] = other
    return once
