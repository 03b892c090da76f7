"""The compiled twin of the tokenizer: word characters, lower case and the look-up of each token, over UTF-8.

A table of tokens has three parts: the bytes of all tokens in sequence (`blob`), the start of each token (`starts`), and
a hash table with open addressing (`slots`). A slot has two numbers. The first is the key. A token of up to eight bytes
is its own key, since no token contains a zero byte. The key of a longer token is a hash, so its bytes are compared too.
The second number is 0 in a free slot, otherwise 2 · (token number + 1), plus 1 for a longer token.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import ZERO, inlined, kernel
from toysearch.compiled.utf8 import decoded, encoded

TOKENS, BYTES, FOUND, TOUCHED = 0, 1, 2, 3
"""The items of `state`: tokens in the table, bytes in its blob, tokens found in the text, a number that is not used."""

BATCH = 1024
BATCH_BYTES = 1 << 16
"""The size of a batch in tokens or bytes; a batch is looked up together, so the processor loads many slots at once."""

NOT_ASCII = 255
"""The code of a byte that belongs to a character beyond ASCII; the code of a byte outside words is 0."""

UNUSUAL = 0xFFFFFFFF
"""The code of a character whose lower case or spelling is irregular: its text is left to the tokenizer in Python."""

Room = tuple[np.ndarray, ...]
"""The work arrays for a batch of tokens: the texts in lower case (`lowered`), the eight bytes from each of their places
on as a number (`eights`), the starts and ends of the words of one text (`edges`), and the bounds, keys and slots of the
tokens (`bounds`, `keys`, `places`)."""

_SHORT = 8  # bytes that fit into a key
_FIRST = np.array([(1 << 8 * size) - 1 for size in range(_SHORT + 1)], dtype=np.uint64)  # keep the first bytes
_HIGHS = np.uint64(0x8080808080808080)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)


@kernel
def mixed(key: np.uint64) -> np.uint64:
    """A hash of a key: the high bits are mixed into the low ones."""
    key = (key ^ (key >> _HALF)) * _FACTOR
    return key ^ (key >> _HALF)


@kernel
def key_of(eights: np.ndarray, start: int, stop: int) -> np.uint64:
    """The key of a token in lower case: its bytes, or a hash of them if there are more than eight."""
    size = stop - start
    if size <= _SHORT:
        return np.uint64(eights[np.uint64(start)] & _FIRST[np.uint64(size)])
    key = np.uint64(size)
    for place in range(start, stop, _SHORT):
        key = mixed(key ^ (eights[np.uint64(place)] & _FIRST[np.uint64(min(stop - place, _SHORT))]))
    return key


@inlined
def find_words(text: np.ndarray, start: int, stop: int, ascii_words: np.ndarray, room: Room, at: int) -> int:
    """Write a text with ASCII in lower case, and the edges of its words; return the number of edges."""
    # Every place is written to `edges`, and overwritten by the next one unless it is an edge. This avoids a branch,
    # since no processor can predict where words end.
    lowered, _, edges, _, _, _ = room
    n, before = _ZERO, False
    for step in range(np.uint64(stop - start)):  # unsigned: no index can count from the end
        code = ascii_words[text[np.uint64(start) + step]]
        lowered[np.uint64(at) + step] = code
        inside = code != 0
        edges[n] = at + np.int64(step)
        n += np.uint64(inside != before)
        before = inside
    edges[n] = at + stop - start
    return int(n) + before


@inlined
def is_ascii(lowered: np.ndarray, start: int, stop: int, key: np.uint64) -> bool:
    """Whether all characters of a word are ASCII."""
    if stop - start <= _SHORT:
        return bool(key & _HIGHS == _ZERO)
    for place in range(start, stop):  # noqa: SIM110  (no generators in compiled code)
        if lowered[place] == NOT_ASCII:
            return False
    return True


@inlined
def tokenize(
    text: np.ndarray, start: int, stop: int, ascii_words: np.ndarray, words: np.ndarray, room: Room, n: int, at: int
) -> tuple[int, int]:
    """Append the tokens of a text to the n of the batch; return their new number, or -1 if the text is unusual."""
    # The text is written to `lowered` from `at` on; its end is returned too. Token i is `lowered[bounds[i, 0]:bounds[i,
    # 1]]`.
    lowered, eights, edges, bounds, keys, _ = room
    n_edges = find_words(text, start, stop, ascii_words, room, at)
    shift, at = start - at, at + stop - start
    for i in range(0, n_edges, 2):
        first, last = edges[i], edges[i + 1]
        key = key_of(eights, first, last)
        if is_ascii(lowered, first, last, key):
            bounds[n, 0], bounds[n, 1], keys[n] = first, last, key
            n += last - first > 1
        else:
            n, at = tokenize_slowly(text, shift + first, shift + last, ascii_words, words, room, n, at)
            if n < 0:
                break
    return n, at


@inlined
def tokenize_slowly(
    text: np.ndarray, position: int, stop: int, ascii_words: np.ndarray, words: np.ndarray, room: Room, n: int, at: int
) -> tuple[int, int]:
    """Append the tokens of a stretch with characters beyond ASCII, character by character."""
    lowered, eights, _, bounds, keys, _ = room
    while position < stop:
        start, characters = at, 0
        while position < stop:
            code = np.int64(ascii_words[text[position]])
            following = position + 1
            if code == NOT_ASCII:
                point, following = decoded(text, position)
                code = np.int64(words[point])
                if code == UNUSUAL:
                    return -1, at
            position = following
            if code == 0:
                break
            at = encoded(code, lowered, at)
            characters += 1
        if characters > 1:
            bounds[n, 0], bounds[n, 1], keys[n] = start, at, key_of(eights, start, at)
            n += 1
    return n, at


@kernel
def look_up(
    room: Room,
    n: int,
    slots: np.ndarray,
    blob: np.ndarray,
    starts: np.ndarray,
    found: np.ndarray,
    state: np.ndarray,
    hash_mask: np.uint64,
) -> None:
    """Write the numbers of n tokens to `found`; tokens that the table lacks are added with the next numbers."""
    lowered, _, _, bounds, keys, places = room
    last = np.uint64(slots.size // 2 - 1)
    touched = _ZERO
    for i in range(n):
        places[i] = mixed(keys[i]) & hash_mask & last
        touched ^= slots[_TWO * places[i]]
    state[TOUCHED] = np.int64(touched)
    for i in range(n):
        start, length = bounds[i, 0], bounds[i, 1] - bounds[i, 0]
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
            number = int(value >> _ONE) - 1
            if slots[_TWO * slot] == key and (value & _ONE) == long:  # noqa: SIM102  (else all would be compared)
                if long == _ZERO or same(lowered, start, length, blob, starts, number):
                    break
            slot = (slot + _ONE) & last
        found[state[FOUND] + i] = np.int64(value >> _ONE) - 1
    state[FOUND] += n


@inlined
def added(
    lowered: np.ndarray, start: int, length: int, blob: np.ndarray, starts: np.ndarray, state: np.ndarray
) -> np.uint64:
    """Append a token to the table, and return the second number of its slot."""
    number, place = state[TOKENS], state[BYTES]
    for i in range(length):
        blob[place + i] = lowered[start + i]
    state[TOKENS], state[BYTES] = number + 1, place + length
    starts[number + 1] = place + length
    return np.uint64(2 * (number + 1))


@kernel
def same(lowered: np.ndarray, start: int, length: int, blob: np.ndarray, starts: np.ndarray, number: int) -> bool:
    """Whether a token equals the token with this number."""
    place = starts[number]
    if starts[number + 1] - place != length:
        return False
    for i in range(length):  # noqa: SIM110  (no generators in compiled code)
        if blob[place + i] != lowered[start + i]:
            return False
    return True


@kernel
def rehash(slots: np.ndarray, larger: np.ndarray, hash_mask: np.uint64) -> None:
    """Move all tokens of a table to a larger, empty table of slots."""
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
    room: Room,
    slots: np.ndarray,
    blob: np.ndarray,
    starts: np.ndarray,
    found: np.ndarray,
    ends: np.ndarray,
    state: np.ndarray,
    hash_mask: np.uint64,
) -> tuple[int, int, int]:
    """Write the token numbers of documents to `found`, and where each document ends there to `ends`."""
    # Stops before documents for which the table may be too small. Returns the first document that is not done, and the
    # tokens and bytes that need room; -1 tokens if a document is unusual.
    n_done, n, size = first, ZERO, ZERO
    for doc in range(first, offsets.size - 1):
        n, size = tokenize(text, offsets[doc], offsets[doc + 1], ascii_words, words, room, n, size)
        if n < 0:
            return n_done, n, 0
        ends[doc] = state[FOUND] + n
        if n >= BATCH or size >= BATCH_BYTES or doc == offsets.size - 2:
            most = state[TOKENS] + n
            if state[BYTES] + size > blob.size or most >= starts.size or 4 * most > slots.size:
                break
            look_up(room, n, slots, blob, starts, found, state, hash_mask)
            n_done, n, size = doc + 1, ZERO, ZERO
    return n_done, n, size
