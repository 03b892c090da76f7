"""Columns of many lines at once, as numpy arrays: where they begin and end, their bytes, the numbers that they denote.

A text of up to eight bytes is one *word*, a number of 64 bits whose lowest byte is the first character. Comparing,
hashing and reading digits are then a few operations on whole arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base.encoded_texts import WORD, Identifiers, too_wide

_BEFORE, _AFTER = 2 * WORD, WORD
"""Bytes around a block, so that every word lies inside the array."""

_ALL = (1 << 64) - 1
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # masks of the first bytes
_LAST = np.array([_ALL ^ (_ALL >> 8 * count) for count in range(WORD + 1)], dtype=np.uint64)  # of the last ones


def _each(byte: int) -> np.uint64:
    """The word in which each byte is the given one."""
    return np.uint64(byte * 0x0101010101010101)


_ONES, _HIGH_BITS, _ZEROS, _ABOVE_NINE = map(_each, (1, 128, ord("0"), 128 - 10))
_POINT = np.uint64(ord(".") ^ ord("0"))
_POINTS = _each(int(_POINT))
_PAIRS = np.uint64(0x000000FF000000FF)  # of the four, every other one
_FIRST_PAIRS, _SECOND_PAIRS = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))
_POWERS = 10 ** np.arange(2 * WORD, dtype=np.uint64)
_EXACT = np.uint64(1 << 53)  # up to here a 64-bit float holds every whole number


class ByteColumns(NamedTuple):
    """The columns of a block of lines."""

    text: np.ndarray  # uint8; the block, with other bytes around it
    ends: np.ndarray  # (n_lines · width + 1,) int64; where the line before ends, and then each column
    width: int

    @property
    def _words(self) -> np.ndarray:
        """The eight bytes that begin at each place: a view of the text whose items overlap."""
        return np.ndarray((self.text.size - WORD + 1,), f"V{WORD}", self.text, strides=(1,))

    def places(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Where a column begins and ends, one per line."""
        return self.ends[column : -1 : self.width] + 1, np.ascontiguousarray(self.ends[column + 1 :: self.width])

    def raw(self, column: int, line: int) -> bytes:
        """The bytes of a column of a line."""
        place = line * self.width + column
        return self.text[self.ends[place] + 1 : self.ends[place + 1]].tobytes()

    def ids(self, column: int) -> Identifiers | None:
        """A column as ids; None if a few long ones would make it much larger than the text."""
        starts, stops = self.places(column)
        lengths = stops - starts
        width = -(-int(lengths.max(initial=1)) // WORD)
        if too_wide(starts.size, width, self.text.size):
            return None
        words = np.zeros((starts.size, width), dtype=np.uint64)
        for place in range(width):
            some = np.flatnonzero(lengths > WORD * place) if place else slice(None)
            left = np.minimum(lengths[some] - WORD * place, WORD)
            words[some, place] = self._words[starts[some] + WORD * place].view("<u8") & _FIRST[left]
        return Identifiers(words)

    def numbers(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers in a column, and the lines whose number has to be read by Python's float."""
        # Read here are up to 16 characters: a whole number that a float holds over a power of ten that it holds is
        # rounded once, as in Python. Each byte becomes the value of its digit, in a low and a high word.
        starts, stops = self.places(column)
        negative = self.text[starts] == ord("-")
        lengths = stops - starts - negative
        low = (self._words[stops - WORD].view("<u8") ^ _ZEROS) & _LAST[np.minimum(lengths, WORD)]
        low, n_decimals, pointed = _without_point(low)
        long = np.flatnonzero(lengths > WORD)
        high = (self._words[stops[long] - 2 * WORD].view("<u8") ^ _ZEROS) & _LAST[
            np.minimum(lengths[long] - WORD, WORD)
        ]
        moved = pointed[long]  # the digits above a point in the low word
        low[long] |= np.where(moved, high >> np.uint64(56), np.uint64(0))
        other, n_others, also_pointed = _without_point(high)
        high = np.where(moved, high << np.uint64(8), other)
        n_decimals[long] += np.where(also_pointed & ~moved, n_others + WORD, 0)
        pointed[long] |= also_pointed
        digits, unknown = _number(low), _others(low)
        digits[long] += _number(high) * _POWERS[WORD]
        unknown[long] |= _others(high)
        known = (unknown == 0) & (lengths > pointed) & (lengths <= 2 * WORD) & (digits <= _EXACT)
        values = digits / _POWERS[n_decimals].astype(np.float64)
        return np.where(negative, -values, values), np.flatnonzero(~known)


def _without_point(words: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words without the first point in their bytes, how many bytes stand behind it, and whether there is one."""
    differs = words ^ _POINTS
    points = (differs - _ONES) & ~differs & _HIGH_BITS  # the lowest bit set is in the first byte that does not differ
    at = (points & -points) >> np.uint64(7)  # the lowest bit of that byte; 0 without a point
    pointed = at > 0
    before = words & (at - pointed)
    behind = np.bitwise_count(-(at << np.uint64(8))) >> 3
    return words - at * _POINT + before * np.uint64(255), behind, pointed  # before · 256 is a byte further on


def _others(words: np.ndarray) -> np.ndarray:
    """0 where all bytes of words are values of digits."""
    return np.asarray((words | (words + _ABOVE_NINE)) & _HIGH_BITS)


def _number(words: np.ndarray) -> np.ndarray:
    """The whole numbers whose eight digits are the bytes of words."""
    # Two neighbours become one number, then four, then eight; multiplying moves the first of two above the second.
    pairs = words * np.uint64(10) + (words >> np.uint64(8))
    first, second = pairs & _PAIRS, (pairs >> np.uint64(16)) & _PAIRS
    return np.asarray((first * _FIRST_PAIRS + second * _SECOND_PAIRS) >> np.uint64(32))


def columns_of(data: bytes, width: int) -> ByteColumns | None:
    """The columns of complete lines; None unless each line has that many."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    return _separated(data, width) or _separated(_tidied(data), width)


def _separated(data: bytes, width: int) -> ByteColumns | None:
    """The columns of lines with one blank or tab between any two."""
    text = np.frombuffer(b"\n" * _BEFORE + data + b"\n" * _AFTER, dtype=np.uint8)
    ending = text <= 32
    empty_columns = ending[_BEFORE:-_AFTER] & ending[_BEFORE - 1 : -_AFTER - 1]
    ends = np.flatnonzero(ending)[_BEFORE - 1 : -_AFTER]
    marks = text[ends]
    n_lines = np.count_nonzero(marks == 10)
    known = n_lines + np.count_nonzero(marks == 32) + np.count_nonzero(marks == 9) == marks.size
    if not known or empty_columns.any():  # not known: another control character
        return None
    if (marks.size - 1) != (n_lines - 1) * width or not (marks[::width] == 10).all():
        return None
    return ByteColumns(text, ends, width)


def _tidied(data: bytes) -> bytes:
    """The lines with single blanks between their columns, and without blank lines."""
    rows = [line.split() for line in data.split(b"\n")]  # bytes are split at the white space of C
    return b"".join([b" ".join(row) + b"\n" for row in rows if row])
