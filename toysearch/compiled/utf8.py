"""Compiled loops over UTF-8: code points from bytes, and bytes from code points."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import kernel

Whole = int | np.int64


@kernel
def decoded(text: np.ndarray, position: int) -> tuple[Whole, int]:
    """The code point of the character of two or more bytes at a position, and the position after it."""
    byte = text[position]
    if byte < 0xE0:
        size, point = 2, np.int64(byte & 0x1F)
    elif byte < 0xF0:
        size, point = 3, np.int64(byte & 0x0F)
    else:
        size, point = 4, np.int64(byte & 0x07)
    for following in range(position + 1, position + size):
        point = point << 6 | np.int64(text[following] & 0x3F)
    return point, position + size


@kernel
def encoded(point: Whole, lowered: np.ndarray, end: int) -> int:
    """Write a code point as UTF-8, and return where its bytes end."""
    if point < 0x80:
        lowered[end] = point
        return end + 1
    size = 2 + (point >= 0x800) + (point >= 0x10000)
    lowered[end] = (0xF00 >> size | point >> 6 * (size - 1)) & 0xFF
    for following in range(size - 2, -1, -1):
        end += 1
        lowered[end] = 0x80 | point >> 6 * following & 0x3F
    return end + 1
