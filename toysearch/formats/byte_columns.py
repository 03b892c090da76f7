"""Columns of many lines at once, as numpy arrays: where they begin and end, their bytes, the numbers that they denote.

A text of up to eight bytes is one *word*, a number of 64 bits whose lowest byte is the first character. Comparing,
hashing and reading digits are then a few operations on whole arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.encoded_texts import WORD, Identifiers, too_wide

_BEFORE, _AFTER = 2 * WORD, WORD
"""Bytes around a block, so that every word lies inside the array."""

_ALL = (1 << 64) - 1
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # masks of the first bytes
_LAST = np.array([_ALL ^ (_ALL >> 8 * count) for count in range(WORD + 1)], dtype=np.uint64)  # of the last ones


def _each(byte: int) -> np.uint64:
    """The word in which each byte is the given one."""
    return np.uint64(byte * 0x0101010101010101)


_ONES, _HIGH_BITS, _POINTS, _ZEROS, _SIXES, _HALVES = map(_each, (1, 128, ord("."), ord("0"), 6, 0xF0))
_NO_POINT = 64  # bits
_POWERS = 10 ** np.arange(WORD, dtype=np.uint64)


class Columns(NamedTuple):
    """The columns of a block of lines: bytes, and (width, n_lines) int64 places where columns begin and end."""

    text: np.ndarray
    starts: np.ndarray
    stops: np.ndarray

    @property
    def _words(self) -> np.ndarray:
        """The eight bytes that begin at each place: a view of the text whose items overlap."""
        return np.ndarray((self.text.size - WORD + 1,), f"V{WORD}", self.text, strides=(1,))

    def raw(self, column: int, line: int) -> bytes:
        """The bytes of a column of a line."""
        return self.text[self.starts[column, line] : self.stops[column, line]].tobytes()

    def ids(self, column: int) -> Identifiers | None:
        """A column as ids; None if a few long ones would make it much larger than the text."""
        starts, lengths = self.starts[column], self.stops[column] - self.starts[column]
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
        # Read here are up to eight digits before the point and seven after it: a whole number that a float holds over
        # a power of ten that it holds is rounded once, as in Python.
        stops, negative = self.stops[column], self.text[self.starts[column]] == ord("-")
        starts = self.starts[column] + negative
        tail = self._words[stops - WORD].view("<u8") & _LAST[np.minimum(stops - starts, WORD)]
        differs = tail ^ _POINTS
        points = (differs - _ONES) & ~differs & _HIGH_BITS  # the lowest bit set is in the first point
        below = np.bitwise_count((points & -points) - np.uint64(1))
        n_decimals = np.where(below == _NO_POINT, 0, WORD - 1 - (below >> 3))
        wholes = np.where(below == _NO_POINT, stops, stops - n_decimals - 1)
        n_digits = wholes - starts
        decimals, are_digits = _digits(tail, n_decimals)
        whole, also_digits = _digits(self._words[wholes - WORD].view("<u8"), np.clip(n_digits, 0, WORD))
        known = are_digits & also_digits & (n_digits >= 1) & (n_digits <= WORD)
        powers = _POWERS[n_decimals]
        values = (whole * powers + decimals) / powers.astype(np.float64)
        return np.where(negative, -values, values), np.flatnonzero(~known)


def _digits(words: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The whole numbers written in the last bytes of words, and whether these are digits."""
    words = (words & _LAST[counts]) | (_ZEROS & ~_LAST[counts])
    are_digits = ((words & _HALVES) == _ZEROS) & (((words + _SIXES) & _HALVES) == _ZEROS)
    words = words - _ZEROS
    for pair, bits in ((10, 0x00FF00FF00FF00FF), (100, 0x0000FFFF0000FFFF), (10_000, 0x00000000FFFFFFFF)):
        shift = {10: 8, 100: 16, 10_000: 32}[pair]  # two neighbours become one number
        words = (words * np.uint64(pair) + (words >> np.uint64(shift))) & np.uint64(bits)
    return words, are_digits


def columns_of(data: bytes, width: int) -> Columns | None:
    """The columns of complete lines; None unless each line has that many."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    return _separated(data, width) or _separated(_tidied(data), width)


def _separated(data: bytes, width: int) -> Columns | None:
    """The columns of lines with one blank or tab between any two."""
    text = np.frombuffer(b"\n" * _BEFORE + data + b"\n" * _AFTER, dtype=np.uint8)
    stops = np.flatnonzero(text[_BEFORE - 1 : -_AFTER] <= 32) + (_BEFORE - 1)  # with the end of the line before
    marks = text[stops]
    n_lines = np.count_nonzero(marks == 10)
    known = n_lines + np.count_nonzero(marks == 32) + np.count_nonzero(marks == 9) == marks.size
    if not known or (stops[1:] - stops[:-1] == 1).any():  # another control character, or an empty column
        return None
    if (marks.size - 1) != (n_lines - 1) * width or not (marks[::width] == 10).all():
        return None
    starts, ends = stops[:-1].reshape(-1, width).T + 1, stops[1:].reshape(-1, width).T
    return Columns(text, np.ascontiguousarray(starts), np.ascontiguousarray(ends))


def _tidied(data: bytes) -> bytes:
    """The lines with single blanks between their columns, and without blank lines."""
    rows = [line.split() for line in data.split(b"\n")]  # bytes are split at the white space of C
    return b"".join([b" ".join(row) + b"\n" for row in rows if row])
