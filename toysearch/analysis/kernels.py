"""The compiled twin of the tokenizer: word characters, lower case and the look-up of each token, over UTF-8.

A table of tokens is their bytes one after the other (`blob`), where each begins (`starts`), and an open-addressing
table (`slots`). A slot has two numbers. The first is the key: a token of up to eight bytes is its own key, since no
token holds a zero byte; that of a longer one is a hash, and its bytes are compared. The second is 0 in a free slot,
else the token's number plus one, doubled, plus one for a token that is long.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiling import kernel

TOKENS, BYTES, FOUND, TOUCHED = 0, 1, 2, 3
"""What `state` counts: tokens in the table, bytes in its blob, tokens found in the text; and what nobody reads."""

BATCH = 1024
BATCH_BYTES = 1 << 16
"""Tokens that are looked up together, or what they have in bytes: the processor then waits for many slots at once."""

NOT_ASCII = 255
"""What stands for a byte that is no character by itself; 0 stands for one that is not part of a word."""

Whole = int | np.int64

UNUSUAL = 0xFFFFFFFF
"""What stands for a character that lower-cases in a way of its own."""

_SHORT = 8  # bytes that fit into a key
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_BYTE = np.uint64(8)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)


@kernel
def mixed(key: np.uint64) -> np.uint64:
    """A number of which every bit depends on all bits of the key."""
    key = (key ^ (key >> _HALF)) * _FACTOR
    return key ^ (key >> _HALF)


@kernel
def packed_bytes(lowered: np.ndarray, start: int, stop: int) -> np.uint64:
    """Up to eight bytes as one number."""
    packed = _ZERO
    for place in range(start, stop):
        packed = (packed << _BYTE) | np.uint64(lowered[place])
    return packed


@kernel
def hashed(lowered: np.ndarray, start: int, stop: int) -> np.uint64:
    """The key of a long token."""
    key = np.uint64(stop - start)
    for first in range(start, stop, _SHORT):
        key = mixed(key ^ packed_bytes(lowered, first, min(first + _SHORT, stop)))
    return key


@kernel
def decoded(text: np.ndarray, position: int) -> tuple[Whole, int]:
    """The code point of two bytes or more that begins here, and where the next one does."""
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
    """Write a code point as UTF-8; where its bytes end."""
    if point < 0x80:
        lowered[end] = point
        return end + 1
    size = 2 + (point >= 0x800) + (point >= 0x10000)
    lowered[end] = (0xF00 >> size | point >> 6 * (size - 1)) & 0xFF
    for left in range(size - 2, -1, -1):
        end += 1
        lowered[end] = 0x80 | point >> 6 * left & 0x3F
    return end + 1


@kernel
def tokenize(
    text: np.ndarray,
    position: int,
    stop: int,
    ascii_words: np.ndarray,
    words: np.ndarray,
    lowered: np.ndarray,
    bounds: np.ndarray,
    keys: np.ndarray,
    n: int,
) -> int:
    """Write a text's tokens in lower case behind the n that are there; how many there are then, -1 if it is unusual.

    The text ends with a byte that is not part of a word. Token i is ``lowered[bounds[i]:bounds[i + 1]]``.
    """
    start = bounds[n]
    while position < stop:
        end, characters, packed, ascii_only = start, 0, _ZERO, True
        while True:
            code = ascii_words[text[position]]
            if code == NOT_ASCII:
                point, following = decoded(text, position)
                point = np.int64(words[point])
                if point == 0:
                    position = following - 1
                    break
                if point == UNUSUAL:
                    return -1
                end, position, ascii_only = encoded(point, lowered, end), following, False
            elif code == 0:
                break
            else:
                lowered[end] = code
                packed = (packed << _BYTE) | np.uint64(code)
                end += 1
                position += 1
            characters += 1
        if characters > 1:
            if end - start > _SHORT:
                packed = hashed(lowered, start, end)
            elif not ascii_only:
                packed = packed_bytes(lowered, start, end)
            keys[n] = packed
            n += 1
            bounds[n] = start = end
        position += 1
    return n


@kernel
def look_up(
    lowered: np.ndarray,
    bounds: np.ndarray,
    keys: np.ndarray,
    n: int,
    slots: np.ndarray,
    places: np.ndarray,
    blob: np.ndarray,
    starts: np.ndarray,
    found: np.ndarray,
    state: np.ndarray,
    hash_mask: np.uint64,
) -> None:
    """Write the numbers of n tokens into `found`; those that the table has not get the next numbers."""
    last = np.uint64(slots.size // 2 - 1)
    touched = _ZERO
    for i in range(n):
        places[i] = mixed(keys[i]) & hash_mask & last
        touched ^= slots[_TWO * places[i]]
    state[TOUCHED] = np.int64(touched)
    for i in range(n):
        start, length = bounds[i], bounds[i + 1] - bounds[i]
        key, slot = keys[i], places[i]
        long = _ZERO
        if length > _SHORT:
            key, long = key & hash_mask, _ONE
        while True:
            value = slots[_TWO * slot + _ONE]
            if value == _ZERO:
                value = added(lowered, start, length, blob, starts, state) | long
                slots[_TWO * slot], slots[_TWO * slot + _ONE] = key, value
                break
            number = np.int64(value >> _ONE) - 1
            if slots[_TWO * slot] == key and (value & _ONE) == long:  # noqa: SIM102  (else all would be compared)
                if long == _ZERO or same(lowered, start, length, blob, starts, number):
                    break
            slot = (slot + _ONE) & last
        found[state[FOUND] + i] = np.int64(value >> _ONE) - 1
    state[FOUND] += n


@kernel
def added(
    lowered: np.ndarray, start: int, length: int, blob: np.ndarray, starts: np.ndarray, state: np.ndarray
) -> np.uint64:
    """Put a token behind the others of the table; the second number of its slot."""
    number, place = state[TOKENS], state[BYTES]
    for i in range(length):
        blob[place + i] = lowered[start + i]
    state[TOKENS], state[BYTES] = number + 1, place + length
    starts[number + 1] = place + length
    return np.uint64(2 * (number + 1))


@kernel
def same(lowered: np.ndarray, start: int, length: int, blob: np.ndarray, starts: np.ndarray, number: Whole) -> bool:
    """Whether a token is the one of this number."""
    place = starts[number]
    if starts[number + 1] - place != length:
        return False
    for i in range(length):  # noqa: SIM110  (no generators in compiled code)
        if blob[place + i] != lowered[start + i]:
            return False
    return True


@kernel
def rehash(slots: np.ndarray, larger: np.ndarray, hash_mask: np.uint64) -> None:
    """Put all tokens of a table into larger slots, which are free."""
    last = np.uint64(larger.size // 2 - 1)
    for old in range(slots.size // 2):
        if slots[2 * old + 1] != _ZERO:
            slot = mixed(slots[2 * old]) & hash_mask & last
            while larger[_TWO * slot + _ONE] != _ZERO:
                slot = (slot + _ONE) & last
            larger[_TWO * slot], larger[_TWO * slot + _ONE] = slots[2 * old], slots[2 * old + 1]


@kernel
def scan(
    text: np.ndarray,
    offsets: np.ndarray,
    first: int,
    ascii_words: np.ndarray,
    words: np.ndarray,
    scratch: tuple[np.ndarray, ...],
    slots: np.ndarray,
    blob: np.ndarray,
    starts: np.ndarray,
    found: np.ndarray,
    ends: np.ndarray,
    state: np.ndarray,
    hash_mask: np.uint64,
) -> tuple[int, int, int]:
    """Write the numbers of the documents' tokens into `found`, and into `ends` where each document's end.

    Stops before documents for which the table might have no room. Returns the number of documents done, and how many
    tokens of how many bytes there must be room for; -1 tokens if a document is unusual.
    """
    lowered, bounds, keys, places = scratch
    done, n = first, 0
    for doc in range(first, offsets.size - 1):
        n = tokenize(text, offsets[doc], offsets[doc + 1], ascii_words, words, lowered, bounds, keys, n)
        if n < 0:
            return done, n, 0
        ends[doc] = state[FOUND] + n
        if n >= BATCH or bounds[n] >= BATCH_BYTES or doc == offsets.size - 2:
            most = state[TOKENS] + n
            if state[BYTES] + bounds[n] > blob.size or most >= starts.size or 4 * most > slots.size:
                break
            look_up(lowered, bounds, keys, n, slots, places, blob, starts, found, state, hash_mask)
            done, n = doc + 1, 0
    return done, n, bounds[n]
