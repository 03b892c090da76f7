"""How textbooks compress postings: gaps, variable-byte code, Elias' gamma and delta codes; and skip pointers.

The index itself keeps whole numbers (docs/index-format.md): these are for looking at, and for counting bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError

_LAST = 0x80  # the continuation bit, set in the last byte of a number
_LARGEST = 2**53  # above it the logarithm that sizes are counted with is not exact


class Skip(NamedTuple):
    """A skip pointer: the places in a postings list, from 0, where it stands and where it leads."""

    source: int
    target: int


def gaps(docs: Sequence[int] | np.ndarray) -> np.ndarray:
    """The distances between documents that follow each other; the first from 0, with documents counted from 1."""
    found = np.diff(np.asarray(docs, dtype=np.int64), prepend=-1)
    if (found < 1).any():
        raise ArgumentError("the document numbers of a postings list rise from 0 or above, each once")
    return found


def variable_byte(number: int) -> bytes:
    """The variable-byte code of a number: seven bits a byte, highest first; the last byte has its top bit set.

    Manning, Raghavan & Schütze 2008, fig. 5.8.
    """
    if number < 0:
        raise ArgumentError(f"a variable-byte code is for numbers from 0, not {number}")
    code = [number % 128 + _LAST]
    while number := number // 128:
        code.append(number % 128)
    return bytes(reversed(code))


def variable_byte_decode(code: bytes) -> list[int]:
    """The numbers of variable-byte codes that stand one after the other."""
    numbers, number = [], 0
    for byte in code:
        number = number * 128 + byte % 128
        if byte >= _LAST:
            numbers.append(number)
            number = 0
    if code and code[-1] < _LAST:
        raise DataError("the variable-byte code ends inside a number: no byte with the top bit set stands last")
    return numbers


def gamma(number: int) -> str:
    """Elias' gamma code of a number: the length of the offset in unary (ones, then a zero), then the offset.

    The offset is the number in binary without its leading 1. Elias 1975 writes the length in zeros; this is the form
    of Manning, Raghavan & Schütze 2008, table 5.5.
    """
    offset = _offset(number, "gamma")
    return "1" * len(offset) + "0" + offset


def gamma_decode(bits: str) -> list[int]:
    """The numbers of gamma codes that stand one after the other."""
    numbers, place = [], 0
    while place < len(bits):
        number, place = _gamma_at(bits, place)
        numbers.append(number)
    return numbers


def delta(number: int) -> str:
    """Elias' delta code of a number: the length of its binary form in gamma code, then the offset (Elias 1975)."""
    offset = _offset(number, "delta")
    return gamma(len(offset) + 1) + offset


def delta_decode(bits: str) -> list[int]:
    """The numbers of delta codes that stand one after the other."""
    numbers, place = [], 0
    while place < len(bits):
        start = place
        length, place = _gamma_at(bits, place)
        number, place = _with_offset(bits, place, length - 1, start)
        numbers.append(number)
    return numbers


def variable_byte_bits(numbers: np.ndarray) -> np.ndarray:
    """The bits of each number's variable-byte code, without making the codes."""
    return 8 * (_exponents(numbers) // 7 + 1)


def gamma_bits(numbers: np.ndarray) -> np.ndarray:
    """The bits of each number's gamma code, 2 ⌊log₂ n⌋ + 1, without making the codes."""
    return 2 * _exponents(numbers) + 1


def skip_pointers(length: int) -> list[Skip]:
    """Skip pointers for a postings list, evenly placed, ⌊√P⌋ postings apart for P of them.

    So advise Manning, Raghavan & Schütze 2008, 2.3.
    """
    apart = math.isqrt(length)
    if apart < 2:  # it would lead where the list itself leads
        return []
    return [Skip(place, place + apart) for place in range(0, length - apart, apart)]


def _offset(number: int, code: str) -> str:
    """A number in binary, without its leading 1."""
    if number < 1:
        raise ArgumentError(f"a {code} code is for numbers from 1, not {number}")
    return f"{number:b}"[1:]


def _gamma_at(bits: str, start: int) -> tuple[int, int]:
    """The number of the gamma code that begins at a place, and the place behind it."""
    zero = bits.find("0", start)
    if zero < 0 or bits[start:zero].strip("1"):
        raise _cut_short(bits, start)
    return _with_offset(bits, zero + 1, zero - start, start)


def _with_offset(bits: str, place: int, length: int, start: int) -> tuple[int, int]:
    """The number whose offset of this length begins at a place, and the place behind it."""
    offset = bits[place : place + length]
    if len(offset) < length or offset.strip("01"):
        raise _cut_short(bits, start)
    return int(f"1{offset}", 2), place + length


def _cut_short(bits: str, start: int) -> DataError:
    if bits.strip("01"):
        return DataError(f"a code of bits holds 0 and 1 only, not {bits.strip('01')[0]!r}")
    return DataError(f"the code ends inside a number: '{bits[start:]}'")


def _exponents(numbers: np.ndarray) -> np.ndarray:
    """⌊log₂ n⌋ of each number, exact: a float64 holds them, and frexp reads the exponent off."""
    numbers = np.asarray(numbers, dtype=np.int64)
    outside = numbers[(numbers < 1) | (numbers > _LARGEST)]
    if outside.size:
        raise ArgumentError(f"codes are counted for numbers from 1 to 2^53, not {int(outside[0])}")
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64) - 1
