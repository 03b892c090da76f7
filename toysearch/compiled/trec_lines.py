"""Compiled loops over the bytes of run files and judgments: lines → ids, numbers and where the query changes."""

from __future__ import annotations

import math

import numpy as np

from toysearch.compiled.compilation import ZERO, inlined, kernel
from toysearch.compiled.utf8 import FACTOR, HIGH, SEED, same

_TENS = np.array([10**power for power in range(19)], dtype=np.int64)
_EXACT = np.array([float(10**power) for power in range(23)])  # every power of ten that a 64-bit float holds exactly
_STEPS = np.array([min(8, 63 - (10**power).bit_length()) for power in range(19)], dtype=np.int64)
_WHOLE = 1 << 53  # up to here a 64-bit float holds every whole number
_SPARE = 1 << 54
_DIGITS = 18  # that a 64-bit integer takes
_DOC_ID = 2  # the column
_FEW = 16  # rows that are sorted soonest by inserting one after the other


@kernel
def is_blank(byte: int) -> bool:
    """Whether a byte is white space of C."""
    return byte == 32 or 9 <= byte <= 13


@inlined
def quotient(whole: int, power: int) -> float:
    """A whole number over 10 to some power, rounded once: long division, until the bits are more than a float keeps."""
    divisor, step = _TENS[power], _STEPS[power]
    bits = whole // divisor
    rest = whole - bits * divisor
    exponent = 0
    while bits < _SPARE and rest != 0:
        rest <<= step
        digit = rest // divisor
        rest -= digit * divisor
        bits = (bits << step) | digit
        exponent -= step
    if rest != 0:  # what is left over only matters where the bits are half way between two floats
        bits |= 1
    return math.ldexp(float(bits), exponent)


@inlined
def number(data: np.ndarray, place: int, stop: int) -> tuple[bool, float]:
    """The number that some bytes are, as Python's float reads it; False for what has to be asked there."""
    negative = data[place] == 45
    if negative or data[place] == 43:
        place += 1
    whole = digits = read = power = 0
    point = False
    while place < stop:
        byte = data[place]
        if 48 <= byte <= 57:
            read += 1
            power -= point
            if digits > 0 or byte != 48:
                digits += 1
                if digits > _DIGITS:
                    return False, 0.0
                whole = whole * 10 + (byte - 48)
        elif byte == 46 and not point:
            point = True
        else:
            break
        place += 1
    if read == 0:
        return False, 0.0
    if place < stop:
        if (data[place] | 32) != 101:  # e or E
            return False, 0.0
        place += 1
        below = place < stop and data[place] == 45
        if place < stop and (below or data[place] == 43):
            place += 1
        if place == stop or stop - place > 3:
            return False, 0.0
        given = 0
        while place < stop:
            if not 48 <= data[place] <= 57:
                return False, 0.0
            given = given * 10 + (data[place] - 48)
            place += 1
        power += -given if below else given
    if power == 0 or whole == 0:
        value = float(whole)
    elif whole <= _WHOLE and -22 <= power <= 22:
        value = whole * _EXACT[power] if power > 0 else whole / _EXACT[-power]
    elif -18 <= power < 0:
        value = quotient(whole, -power)
    else:
        return False, 0.0
    return True, -value if negative else value


@kernel
def note_place(places: np.ndarray, count: int, row: int, start: int, stop: int) -> None:
    """Add a row, and where a column of it begins and ends."""
    places[count, 0] = row
    places[count, 1] = start
    places[count, 2] = stop


@kernel
def scan(
    data: np.ndarray,
    width: int,
    value_column: int,
    row: int,
    blob: np.ndarray,
    offsets: np.ndarray,
    hashes: np.ndarray,
    values: np.ndarray,
    changes: np.ndarray,
    odd: np.ndarray,
) -> tuple[int, int, int, int, int]:
    """Add the rows of some lines, the last of which has its end; how many rows there are then."""
    # Also: how many changes of the query are noted (row, where its id begins and ends), and numbers that Python has to
    # read (the same three); where the last column of the last line begins and ends. −1 rows: a line is malformed.
    place = query_start = query_stop = start = n_changes = n_odd = tag_start = tag_stop = ZERO
    at = offsets[row]
    while place < data.size:
        column = 0
        while True:  # the columns of a line
            while data[place] != 10 and is_blank(data[place]):
                place += 1
            if data[place] == 10:
                break
            start = place
            if column == _DOC_ID:
                mixed = SEED
                while data[place] > 32 or not is_blank(data[place]):
                    blob[at] = data[place]
                    mixed = (mixed ^ np.uint64(data[place])) * FACTOR
                    at += 1
                    place += 1
                hashes[row] = np.uint32(mixed >> HIGH)
                offsets[row + 1] = at
            else:
                while data[place] > 32 or not is_blank(data[place]):
                    place += 1
            if column == 0 and not same(data, start, place, data, query_start, query_stop):
                note_place(changes, n_changes, row, start, place)
                n_changes += 1
                query_start, query_stop = start, place
            elif column == value_column:
                known, values[row] = number(data, start, place)
                if not known:
                    note_place(odd, n_odd, row, start, place)
                    n_odd += 1
            column += 1
            if column > width:
                return -1, 0, 0, 0, 0
            tag_start, tag_stop = start, place
        place += 1
        if column == width:
            row += 1
        elif column > 0:
            return -1, 0, 0, 0, 0
    return row, n_changes, n_odd, tag_start, tag_stop


@kernel
def is_above(row: int, other: int, scores: np.ndarray, blob: np.ndarray, offsets: np.ndarray) -> bool:
    """Whether trec_eval ranks a row above another: a higher 32-bit score, or an equal one and a larger doc_id."""
    own, its = np.float32(scores[row]), np.float32(scores[other])
    if own != its:
        return bool(own > its)
    start, other_start = offsets[row], offsets[other]
    length, other_length = offsets[row + 1] - start, offsets[other + 1] - other_start
    for step in range(min(length, other_length)):
        if blob[start + step] != blob[other_start + step]:
            return bool(blob[start + step] > blob[other_start + step])
    return bool(length > other_length)


@kernel
def sift(order: np.ndarray, root: int, stop: int, scores: np.ndarray, blob: np.ndarray, offsets: np.ndarray) -> None:
    """Let a row sink in a heap whose root is the lowest."""
    while 2 * root + 1 < stop:
        child = 2 * root + 1
        if child + 1 < stop and is_above(order[child], order[child + 1], scores, blob, offsets):
            child += 1
        if not is_above(order[root], order[child], scores, blob, offsets):
            return
        order[root], order[child] = order[child], order[root]
        root = child


@kernel
def sort_rows(order: np.ndarray, scores: np.ndarray, blob: np.ndarray, offsets: np.ndarray) -> None:
    """Sort rows by `is_above`."""
    if order.size <= _FEW:
        for place in range(1, order.size):
            row = order[place]
            while place > 0 and is_above(row, order[place - 1], scores, blob, offsets):
                order[place] = order[place - 1]
                place -= 1
            order[place] = row
        return
    root = order.size // 2
    while root > 0:
        root -= 1
        sift(order, root, order.size, scores, blob, offsets)
    for stop in range(order.size - 1, 0, -1):
        order[0], order[stop] = order[stop], order[0]
        sift(order, root, stop, scores, blob, offsets)


@kernel
def put_in_order(
    order: np.ndarray, groups: np.ndarray, scores: np.ndarray, blob: np.ndarray, offsets: np.ndarray
) -> None:
    """Sort the rows of each group by `is_above`. Mostly they fall, and only those of equal score have to be sorted."""
    for group in range(groups.size - 1):
        first, stop = groups[group], groups[group + 1]
        falls = True
        for row in range(first + 1, stop):
            if np.float32(scores[row]) > np.float32(scores[row - 1]):
                falls = False
        if not falls:
            sort_rows(order[first:stop], scores, blob, offsets)
            continue
        start = first
        for row in range(first + 1, stop + 1):
            if row == stop or np.float32(scores[row]) != np.float32(scores[start]):
                if row - start > 1:
                    sort_rows(order[start:row], scores, blob, offsets)
                start = row
