"""Compiled loops over JSON Lines: the parts of documents from usual lines, each checked byte by byte.

A usual line is an object with the same keys as the previous line, in the same order, and with strings as values. At any
other line, and at any error, the loop stops and leaves the line to Python's own parser.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import inlined, kernel
from toysearch.compiled.utf8 import decoded, encoded

MOST = 1 << 16
"""The largest number of documents that are read into the same arrays."""

START, STOP, ESCAPES = 0, 1, 2
"""The columns of `spans`: where the bytes of each value begin and end, and whether they contain a backslash."""

Columns = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The arrays to which ids, texts and titles are written."""

_PLAIN, _QUOTE, _ESCAPE, _LONG, _BAD = 0, 1, 2, 3, 4
_KINDS = np.array([_BAD] * 0x20 + [_PLAIN] * 0x60 + [_BAD] * 0x42 + [_LONG] * 0x33 + [_BAD] * 0x0B, dtype=np.uint8)
_KINDS[[ord('"'), ord("\\")]] = _QUOTE, _ESCAPE
_ESCAPED = np.zeros(128, dtype=np.uint8)
_ESCAPED[list(b'"\\/bfnrt')] = list(b'"\\/\b\f\n\r\t')
_HEXADECIMAL = np.full(256, -1, dtype=np.int64)
_HEXADECIMAL[list(b"0123456789abcdefABCDEF")] = [*range(16), *range(10, 16)]

_ZERO = np.uint64(0)
_ONES = np.uint64(0x0101010101010101)
_SPACES, _QUOTES, _BACKSLASHES = np.uint64(0x20) * _ONES, np.uint64(0x22) * _ONES, np.uint64(0x5C) * _ONES
_HIGHS = np.uint64(0x80) * _ONES

BLANKS = np.array([9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029])
BLANKS = np.append(BLANKS, [0x202F, 0x205F, 0x3000])
"""The code points that Python treats as white space."""


@kernel
def after_blanks(data: np.ndarray, place: int) -> int:
    """The first place from here on that is not a space, a tab or a carriage return."""
    while data[place] == 32 or data[place] == 9 or data[place] == 13:
        place += 1
    return place


@kernel
def after_character(data: np.ndarray, place: int) -> int:
    """The end of the character of several bytes that begins here, -1 if it is not UTF-8."""
    size = 2 + (data[place] >= 0xE0) + (data[place] >= 0xF0)
    for following in range(place + 1, place + size):
        if data[following] & 0xC0 != 0x80:
            return -1
    point, stop = decoded(data, place)
    least = 0x80 if size == 2 else 0x800 if size == 3 else 0x10000
    return -1 if point < least or point > 0x10FFFF or 0xD800 <= point < 0xE000 else stop


@kernel
def code_unit(data: np.ndarray, place: int) -> int:
    r"""The number in the escape \uXXXX that begins here; -1 if there is none."""
    if data[place] != 92 or data[place + 1] != 117:  # \u
        return -1
    unit = 0
    for digit in range(place + 2, place + 6):
        value = _HEXADECIMAL[data[digit]]
        if value < 0:
            return -1
        unit = unit << 4 | value
    return unit


@kernel
def unescaped(data: np.ndarray, place: int) -> tuple[int, int]:
    """The code point of the escape that begins here, and its end; -1 if it is malformed or half of a surrogate pair."""
    byte = data[place + 1]
    if byte != 117:
        point = int(_ESCAPED[byte]) if byte < 128 else 0
        return (point, place + 2) if point > 0 else (-1, place)
    point = code_unit(data, place)
    if 0xD800 <= point < 0xDC00:
        low = code_unit(data, place + 6)
        if not 0xDC00 <= low < 0xE000:
            return -1, place
        return 0x10000 + (point - 0xD800 << 10) + (low - 0xDC00), place + 12
    return (-1, place) if 0xDC00 <= point < 0xE000 else (point, place + 6)


@inlined
def all_plain(eight: np.uint64) -> bool:
    """Whether none of eight bytes is a quote, a backslash, a control character or beyond ASCII."""
    # The subtraction sets the highest bit of a byte that is 0 (or below a space). It borrows from the next byte only
    # after such a byte, so a borrow cannot change whether any byte is odd.
    quotes, backslashes = eight ^ _QUOTES, eight ^ _BACKSLASHES
    odd = ((quotes - _ONES) & ~quotes) | ((backslashes - _ONES) & ~backslashes) | ((eight - _SPACES) & ~eight) | eight
    return bool(odd & _HIGHS == _ZERO)


@inlined
def measure(data: np.ndarray, eights: np.ndarray, place: int, span: np.ndarray) -> bool:
    """Find the end of the string whose quote is here; False if it is not valid JSON that UTF-8 can represent."""
    if data[place] != 34:
        return False
    place += 1
    span[START], span[ESCAPES] = place, 0
    while True:
        while place < eights.size and all_plain(eights[place]):
            place += 8
        kind = _KINDS[data[place]]
        if kind == _PLAIN:
            place += 1
        elif kind == _LONG:
            place = after_character(data, place)
            if place < 0:
                return False
        elif kind == _ESCAPE:
            point, place = unescaped(data, place)
            if point < 0:
                return False
            span[ESCAPES] = 1
        else:
            span[STOP] = place
            return bool(kind == _QUOTE)


@kernel
def copy(data: np.ndarray, span: np.ndarray, out: np.ndarray, end: int) -> int:
    """Append the text of a value to `out`, and return its new end."""
    place, stop = int(span[START]), int(span[STOP])
    if span[ESCAPES] == 0:
        for step in range(np.uint64(stop - place)):  # unsigned: no index can count from the end
            out[np.uint64(end) + step] = data[np.uint64(place) + step]
        return end + stop - place
    while place < stop:
        if data[place] == 92:
            point, place = unescaped(data, place)
            end = encoded(point, out, end)
        else:
            out[end] = data[place]
            place, end = place + 1, end + 1
    return end


@inlined
def squeeze(out: np.ndarray, start: int, stop: int) -> int:
    """Leave one blank between the words of a text and none around them; returns the new end of the text."""
    end, place, gap = start, start, False
    while place < stop:
        point, following = int(out[place]), place + 1
        if point >= 0x80:
            point, following = decoded(out, place)  # type: ignore[assignment]
        blank = False
        for other in BLANKS:
            blank |= point == other
        if blank:
            gap = end > start
            place = following
            continue
        if gap:
            out[end] = 32
            end, gap = end + 1, False
        while place < following:
            out[end] = out[place]
            place, end = place + 1, end + 1
    return end


@inlined
def find_values(
    data: np.ndarray,
    eights: np.ndarray,
    place: int,
    keys: np.ndarray,
    key_ends: np.ndarray,
    needed: np.ndarray,
    spans: np.ndarray,
) -> int:
    """Find the values of the object in a line; return where the next line begins, or -1 if the line is unusual."""
    # An empty object {}, which many files have as a missing value, is skipped if the value is not needed.
    place = after_blanks(data, place)
    if data[place] != 123:  # {
        return -1
    start = 0
    for number in range(key_ends.size):
        place = after_blanks(data, place + 1)
        for i in range(start, key_ends[number]):
            if data[place] != keys[i]:
                return -1
            place += 1
        start = key_ends[number]
        place = after_blanks(data, place)
        if data[place] != 58:  # :
            return -1
        place = after_blanks(data, place + 1)
        if data[place] == 123 and data[place + 1] == 125 and not needed[number]:  # {}
            place += 2
        elif measure(data, eights, place, spans[number]):
            place = spans[number, STOP] + 1
        else:
            return -1
        place = after_blanks(data, place)
        if data[place] != (125 if number == key_ends.size - 1 else 44):  # } or ,
            return -1
    place = after_blanks(data, place + 1)
    return place + 1 if data[place] == 10 else -1


@kernel
def read_documents(
    data: np.ndarray,
    eights: np.ndarray,
    place: int,
    keys: np.ndarray,
    key_ends: np.ndarray,
    needed: np.ndarray,
    parts: np.ndarray,
    spans: np.ndarray,
    columns: Columns,
    offsets: np.ndarray,
    n: int,
) -> tuple[int, int]:
    """Append the documents of lines to the n in the arrays, until a line is unusual or `MOST` documents are read."""
    # `data` ends with a line end; `eights` has the eight bytes from each of its places on. `needed` tells for each key
    # whether its value must be a string. `parts` has the number of the key with the id, of the key with the title (-1
    # for none), and of each searched key. The columns of `offsets` tell where the id, the text and the title of each
    # document begin. Returns the place of the first line that was not read, and the number of documents.
    doc_ids, texts, titles = columns
    while place < data.size and n < MOST:
        following = find_values(data, eights, place, keys, key_ends, needed, spans)
        own = parts[0]
        if following < 0 or spans[own, START] == spans[own, STOP]:
            return place, n
        offsets[n + 1, 0] = copy(data, spans[own], doc_ids, offsets[n, 0])
        start = end = offsets[n, 1]
        for part in parts[2:]:
            if spans[part, START] < spans[part, STOP]:
                if end > start:
                    texts[end] = 32
                    end += 1
                end = copy(data, spans[part], texts, end)
        offsets[n + 1, 1] = end
        end = start = offsets[n, 2]
        if parts[1] >= 0:
            end = squeeze(titles, start, copy(data, spans[parts[1]], titles, start))
        offsets[n + 1, 2] = end
        place, n = following, n + 1
    return place, n
