"""The documents that may be among the k best, noted span by span by bounds, or window by window by sums.

By bounds: what each document of a span can get from some terms at most, in a byte: most need not be looked at again.
The bounds of a span are 64 KB, and two bytes of each posting are read for them. A document gets the same from all of a
term's weights of one level. Bounds are whole multiples of a unit, rounded up. All begin so that a document that gets to
what is enough has the highest bit of its byte set.

By sums: the weights of some terms are added up, and what gets to what is enough is noted.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import inlined
from toysearch.compiled.list_layout import (
    AHEAD,
    DOCS,
    LEVEL_STARTS,
    LEVELED,
    LOW,
    LOW_BITS,
    N_LEVELS,
    SPAN,
    STARTS,
    TOPS,
    WEIGHTS,
    WINDOW,
    WINDOW_BITS,
    byte_at,
    fetch,
    fetch_lines,
    fill,
    float_at,
    half_at,
    highest_bits,
    lowest_bit,
    place_at,
    put_byte,
    put_float,
    put_word,
    reaching,
    word_at,
)

BATCH = 512  # documents that are completed together: their cache misses overlap
MANY = 1 << 12  # noted documents that do not wait for more
MOST_NOTED = MANY + SPAN
BOUNDS_AT = 8 * WINDOW
DOCS_AT = BOUNDS_AT + SPAN
MOSTS_AT = DOCS_AT + 24 * BATCH
NOTED_AT = MOSTS_AT + 16 * MOST_NOTED
"""Where in the room that `best` works with, which the sums begin, lie bounds, documents that are completed, what those
that are noted get at most (twice), and which these are: in bytes."""
REACHED = 128  # the bound of a document that may get to what is enough
FEW = 30  # terms: more are bounded too loosely for that to pay, and may get above a byte
SMALLEST = 1e-300


@inlined
def add_bounds(address: int, q: float, highest: float, scale: float, base: int, bounds: int) -> None:
    """Add to the bounds of a span's documents what a term gives each at most; `highest` is the most it gives to any."""
    leveled, starts = address + word_at(address, LEVELED), address + word_at(address, LEVEL_STARTS)
    first = (base >> LOW_BITS) * N_LEVELS
    # The next span's are asked for ahead: as many as this one's, for want of knowledge.
    begin, end = place_at(starts, first), place_at(starts, first + N_LEVELS)
    fetch_lines(leveled + 2 * end, leveled + 2 * (end + end - begin))
    for level in range(N_LEVELS):
        # A turned weight, of which a higher one gives less, is bounded by what any gives.
        most = max(0.0, q * float_at(address, TOPS + level)) if q > 0 else highest
        units = 1 + int(most * scale)
        for place in range(place_at(starts, first + level), place_at(starts, first + level + 1)):
            doc = half_at(leveled, place)
            put_byte(bounds, doc, byte_at(bounds, doc) + units)


@inlined
def bound_span(
    own: np.ndarray, q: np.ndarray, highest: np.ndarray, first: int, enough: float, base: int, bounds: int, before: int
) -> tuple[int, float]:
    """Bound what the first terms give to each document of a span; returns where bounds begin, and their unit."""
    # `enough` is above 0. All bounds are at `before`. The unit is infinite where a byte has no room for all.
    together, largest = 0.0, SMALLEST
    for i in range(first):
        together += highest[i]
        largest = max(largest, highest[i])
    room = 255 - REACHED  # in a byte
    unit = max(enough / REACHED, largest / (room - 2))
    if first < FEW:
        unit = max(unit, (together - enough) / (room - 2 - first))
    begun = REACHED - max(1, int(enough / unit))
    if begun != before:
        for line in range(bounds, bounds + SPAN, 64):
            fill(line, begun)
    top, told, scale = begun, unit, 1 / unit
    for i in range(first):
        most = 1 + int(highest[i] * scale)
        if top + most > 255:
            for doc in range(SPAN):
                put_byte(bounds, doc, min(REACHED, byte_at(bounds, doc)))
            top, told = REACHED, np.inf
        top += most
        add_bounds(own[i], q[i], highest[i], scale, base, bounds)
    return begun, told


@inlined
def note_reached(base: int, bounds: int, begun: int, unit: float, more: float, noted: int, mosts: int, n: int) -> int:
    """Note the documents of a span whose bound is `REACHED`, and set all back; returns how many are noted now."""
    # With each goes what it gets at most, which is its bound and `more`.
    for start in range(0, SPAN, 64):
        word = highest_bits(bounds + start)
        while word != 0:
            doc = start + lowest_bit(word)
            word &= word - 1
            put_word(noted, n, base + doc)
            put_float(mosts, n, (byte_at(bounds, doc) - begun) * unit + more)
            n += 1
        fill(bounds + start, begun)
    return n


@inlined
def add_window(address: int, q: float, base: int, enough: float, sums: int, noted: int, n_noted: int) -> int:
    """Add a term's weights to the sums of a window, and note the documents that get to `enough`."""
    # Where that is not above 0, a document is noted with each of its terms. Returns how many are noted now.
    docs, starts = address + word_at(address, DOCS), address + word_at(address, STARTS)
    weights, window, every = address + word_at(address, WEIGHTS), base >> WINDOW_BITS, enough <= 0
    sums -= 8 * (base & LOW)
    for place in range(place_at(starts, window), place_at(starts, window + 1)):
        doc = half_at(docs, place)
        fetch(weights + 8 * (place + AHEAD))
        before = float_at(sums, doc)
        total = before + q * float_at(weights, place)
        put_float(sums, doc, total)
        if every or (total >= enough and before < enough):
            put_word(noted, n_noted, base + doc - (base & LOW))
            n_noted += 1
    return n_noted


@inlined
def add_all(address: int, q: float, base: int, sums: int) -> None:
    """Add a term's weights to the sums of a window, and note nothing."""
    docs, starts = address + word_at(address, DOCS), address + word_at(address, STARTS)
    weights, window = address + word_at(address, WEIGHTS), base >> WINDOW_BITS
    sums -= 8 * (base & LOW)
    for place in range(place_at(starts, window), place_at(starts, window + 1)):
        doc = half_at(docs, place)
        fetch(weights + 8 * (place + AHEAD))
        put_float(sums, doc, float_at(sums, doc) + q * float_at(weights, place))


@inlined
def note_all(base: int, n_docs: int, enough: float, sums: int, noted: int, n_noted: int) -> int:
    """Note the documents of a window whose sums get to `enough`, which is above 0; returns how many are noted."""
    for start in range(0, min(WINDOW, n_docs - base), 8):
        bits = reaching(sums + 8 * start, enough)
        while bits != 0:
            put_word(noted, n_noted, base + start + lowest_bit(bits))
            n_noted += 1
            bits &= bits - 1
    return n_noted


@inlined
def add_first(
    own: np.ndarray, q: np.ndarray, base: int, n_docs: int, enough: float, dense: bool, sums: int, n_noted: int
) -> int:
    """Add up terms' weights in a window, and note the documents that get to `enough`; returns how many are noted."""
    for i in range(len(own)):
        if dense:
            add_all(own[i], q[i], base, sums)
        else:
            n_noted = add_window(own[i], q[i], base, enough, sums, sums + NOTED_AT, n_noted)
    if dense:
        n_noted = note_all(base, n_docs, enough, sums, sums + NOTED_AT, n_noted)
    return n_noted


@inlined
def clear_first(own: np.ndarray, base: int, n_docs: int, dense: bool, sums: int) -> None:
    """Make the sums of a window 0 again to which terms have added."""
    if dense:
        for line in range(sums, sums + 8 * min(WINDOW, n_docs - base), 64):
            fill(line, 0)
        return
    window = base >> WINDOW_BITS
    for i in range(len(own)):
        docs, starts = own[i] + word_at(own[i], DOCS), own[i] + word_at(own[i], STARTS)
        for place in range(place_at(starts, window), place_at(starts, window + 1)):
            put_float(sums - 8 * (base & LOW), half_at(docs, place), 0.0)
