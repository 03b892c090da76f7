"""What each document of a window can get from some terms at most, in a byte: most need not be looked at again.

A window's bounds are 16 KB, which stay in a core's first cache, and three bytes of each posting are read for them, not
its weight. They are whole multiples of a unit, rounded up. All begin so that a document that gets to what is enough has
the highest bit of its byte set.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiling import kernel
from toysearch.ranking.list_kernels import (
    CODES,
    DOCS,
    LOW,
    STARTS,
    STEPS,
    WINDOW,
    WINDOW_BITS,
    byte_at,
    fill,
    half_at,
    highest_bits,
    lowest_bit,
    place_at,
    put_byte,
    put_word,
    word_at,
)

REACHED = 128  # the bound of a document that may get to what is enough
ROUNDED = 2  # units by which a term's bounds can be too high
FEW = 30  # terms whose unit can be such that no bound gets above a byte
SCALE = 16  # bits after the point, where a step of a term's codes is a multiple of the unit
SMALLEST = 1e-300


@kernel
def add_bounds(address: int, most: float, turned: bool, base: int, bounds: int) -> None:
    """Add to the bounds of a window's documents what a term gives each at most.

    `most` is what it gives to any, in units; where it is `turned`, higher weights give less.
    """
    docs, codes = address + word_at(address, DOCS), address + word_at(address, CODES)
    starts, window = address + word_at(address, STARTS), base >> WINDOW_BITS
    # A little more than need be, so that how numbers are rounded here does not matter.
    factor, least = int(most * (1 << SCALE) / STEPS) + 2, 1
    if turned:
        factor, least = 0, int(most) + ROUNDED
    bounds -= base & LOW
    for place in range(place_at(starts, window), place_at(starts, window + 1)):
        doc = half_at(docs, place)
        put_byte(bounds, doc, byte_at(bounds, doc) + (byte_at(codes, place) * factor >> SCALE) + least)


@kernel
def bound_window(
    own: np.ndarray, q: np.ndarray, highest: np.ndarray, first: int, enough: float, base: int, bounds: int, before: int
) -> int:
    """Bound what the first terms give to each document of a window; returns where the bounds have begun.

    All bounds are at `before`.
    """
    together, largest, enough = 0.0, SMALLEST, max(0.0, enough)
    for i in range(first):
        together += highest[i]
        largest = max(largest, highest[i])
    room = REACHED - ROUNDED - 2  # in a byte, above `REACHED`
    unit = max(enough / REACHED, largest / room)
    if first < FEW:
        unit = max(unit, (together - enough) / (room - ROUNDED * first))
    begun = REACHED - max(1, int(enough / unit))
    if begun != before:
        for line in range(bounds, bounds + WINDOW, 64):
            fill(line, begun)
    top = begun
    for i in range(first):
        most = highest[i] / unit
        top += int(most) + ROUNDED
        if top > 255:
            for doc in range(WINDOW):
                put_byte(bounds, doc, min(REACHED, byte_at(bounds, doc)))
            top = REACHED + int(most) + ROUNDED
        add_bounds(own[i], most, q[i] <= 0, base, bounds)
    return begun


@kernel
def note_reached(base: int, bounds: int, begun: int, noted: int, n: int) -> int:
    """Note the documents of a window whose bound is `REACHED`, and set all back; returns how many are noted now."""
    for start in range(0, WINDOW, 64):
        word = highest_bits(bounds + start)
        fill(bounds + start, begun)
        while word != 0:
            put_word(noted, n, base + start + lowest_bit(word))
            n += 1
            word &= word - 1
    return n
