"""Codes of textbooks for the gaps of a postings list: variable byte, gamma, delta.

The index itself stores whole numbers (docs/look-up/index-format.md). These codes are for study.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toysearch.base import ArgumentError

_LAST = 0x80  # the continuation bit, set in the last byte of a number


def gaps(docs: Sequence[int] | np.ndarray) -> np.ndarray:
    """Gaps between consecutive document numbers; the first gap is from 0, with documents counted from 1."""
    differences = np.diff(np.asarray(docs, dtype=np.int64), prepend=-1)
    if (differences < 1).any():
        raise ArgumentError("the document numbers of a postings list must be at least 0, distinct and rising")
    return differences


def variable_byte(number: int) -> bytes:
    """Variable-byte code of a number: seven bits per byte, highest first; the last byte has its top bit set."""
    # Manning, Raghavan & Schütze 2008, fig. 5.8.
    if number < 0:
        raise ArgumentError(f"a variable-byte code needs a number of at least 0, not {number}")
    code = [number % 128 + _LAST]
    while number := number // 128:
        code.append(number % 128)
    return bytes(reversed(code))


def gamma(number: int) -> str:
    """Elias gamma code of a number: the length of the offset in unary (ones, then a zero), then the offset."""
    # The offset is the number in binary without its leading 1. Elias 1975 writes the length in zeros; this is the form
    # of Manning, Raghavan & Schütze 2008, table 5.5.
    offset = _offset(number, "gamma")
    return "1" * len(offset) + "0" + offset


def delta(number: int) -> str:
    """Elias delta code of a number: the length of its binary form in gamma code, then the offset (Elias 1975)."""
    offset = _offset(number, "delta")
    return gamma(len(offset) + 1) + offset


def _offset(number: int, code: str) -> str:
    if number < 1:
        raise ArgumentError(f"a {code} code needs a number of at least 1, not {number}")
    return f"{number:b}"[1:]
