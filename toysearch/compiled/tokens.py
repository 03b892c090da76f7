"""Compiled twin of the tokenizer: word characters, lower case and the look-up of each token, over UTF-8.

A table of tokens has three parts: the bytes of all tokens in sequence (`blob`), the start of each token (`starts`), and
a hash table with open addressing (`slots`). A slot has two numbers. The first is the key. A token of up to eight bytes
is its own key, since no token contains a zero byte. The key of a longer token is a hash, so its bytes are compared too.
The second number is 0 in a free slot, otherwise 2 · (token number + 1), plus 1 for a longer token.
"""

from __future__ import annotations

import cython

BATCH = 1024
BATCH_BYTES = 1 << 16
"""Size of a batch in tokens or bytes; a batch is looked up together, so the processor loads many slots at once."""

NOT_ASCII = 255
"""Code of a byte that belongs to a character beyond ASCII; the code of a byte outside words is 0."""

UNUSUAL, OUTSIDE, UNKNOWN = 0xFFFFFFFF, 0xFFFFFFFE, 0
"""Codes of characters whose lower case or spelling is irregular (their texts are left to the tokenizer in Python), of
those outside words, and of those whose code is not computed yet; the code of others is their lower case.
"""

_SHORT = cython.declare(cython.Py_ssize_t, 8)  # bytes that fit into a key
_BATCH = cython.declare(cython.Py_ssize_t, BATCH)
_BATCH_BYTES = cython.declare(cython.Py_ssize_t, BATCH_BYTES)
_NOT_ASCII = cython.declare(cython.uchar, NOT_ASCII)
_UNUSUAL = cython.declare(cython.longlong, UNUSUAL)
_OUTSIDE = cython.declare(cython.longlong, OUTSIDE)
_UNKNOWN = cython.declare(cython.longlong, UNKNOWN)


@cython.cclass
class CharacterCodes:
    """Codes of bytes and of characters beyond ASCII."""

    ascii_words: cython.const[cython.uchar][::1]  # by byte
    words: cython.const[cython.uint][::1]  # by code point

    def __init__(self, ascii_words: cython.const[cython.uchar][::1], words: cython.const[cython.uint][::1]) -> None:
        self.ascii_words, self.words = ascii_words, words


@cython.cclass
class TokenBatch:
    """Tokens of consecutive texts that are looked up together, and the arrays in which they are found."""

    lowered: cython.uchar[::1]  # the texts in lower case
    eights: cython.const[cython.ulonglong][:]  # the eight bytes from each of these places on, as a number
    edges: cython.longlong[::1]  # the starts and ends of the words of one text
    bounds: cython.longlong[:, ::1]  # token i is `lowered[bounds[i, 0]:bounds[i, 1]]`
    keys: cython.ulonglong[::1]
    places: cython.ulonglong[::1]  # the slots in which the tokens are looked for first
    n: cython.Py_ssize_t  # tokens
    size: cython.Py_ssize_t  # bytes of `lowered` that are used
    unknown: cython.Py_ssize_t  # the character for which a text was given up; -1 if it is unusual

    def __init__(
        self,
        lowered: cython.uchar[::1],
        eights: cython.const[cython.ulonglong][:],
        edges: cython.longlong[::1],
        bounds: cython.longlong[:, ::1],
        keys: cython.ulonglong[::1],
        places: cython.ulonglong[::1],
    ) -> None:
        self.lowered, self.eights, self.edges = lowered, eights, edges
        self.bounds, self.keys, self.places = bounds, keys, places
        self.n = self.size = 0


@cython.cclass
class TokenTable:
    """Distinct tokens so far, numbered in the order of their first occurrence."""

    slots: cython.ulonglong[::1]
    blob: cython.uchar[::1]
    starts: cython.longlong[::1]
    hash_mask: cython.ulonglong
    n_tokens = cython.declare(cython.Py_ssize_t, visibility="readonly")
    n_bytes = cython.declare(cython.Py_ssize_t, visibility="readonly")
    touched: cython.ulonglong  # without meaning

    def __init__(
        self,
        slots: cython.ulonglong[::1],
        blob: cython.uchar[::1],
        starts: cython.longlong[::1],
        hash_mask: cython.ulonglong,
    ) -> None:
        self.slots, self.blob, self.starts, self.hash_mask = slots, blob, starts, hash_mask
        self.n_tokens = self.n_bytes = self.touched = 0

    def move(self, blob: cython.uchar[::1], starts: cython.longlong[::1]) -> None:
        """Go on with larger arrays, which begin with the content of the old ones."""
        self.blob, self.starts = blob, starts

    def rehash(self, larger: cython.ulonglong[::1]) -> None:
        """Move all tokens to a larger table of slots, which is empty."""
        slots: cython.ulonglong[::1] = self.slots
        last: cython.ulonglong = larger.shape[0] // 2 - 1
        hash_mask: cython.ulonglong = self.hash_mask
        with cython.nogil:
            for i in range(slots.shape[0] // 2):
                if slots[2 * i + 1] != 0:
                    slot = mixed(slots[2 * i]) & hash_mask & last
                    while larger[2 * slot + 1] != 0:
                        slot = (slot + 1) & last
                    larger[2 * slot], larger[2 * slot + 1] = slots[2 * i], slots[2 * i + 1]
        self.slots = larger


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(key: cython.ulonglong) -> cython.ulonglong:
    """Hash a key: its high bits are mixed into the low ones."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    all_bits: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    key = (key ^ (key >> 32)) * factor & all_bits
    return key ^ (key >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_bytes(eight: cython.ulonglong, n: cython.Py_ssize_t) -> cython.ulonglong:
    """Return the first n of eight bytes, from 1 to 8."""
    all_bits: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    return eight & (all_bits >> (64 - 8 * n))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(
    eights: cython.const[cython.ulonglong][:], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.ulonglong:
    """Return the key of a token in lower case: its bytes, or a hash of them if there are more than eight."""
    size: cython.Py_ssize_t = stop - start
    if size <= _SHORT:
        return first_bytes(eights[start], size)
    key: cython.ulonglong = size
    for place in range(start, stop, 8):
        key = mixed(key ^ first_bytes(eights[place], min(stop - place, _SHORT)))
    return key


@cython.locals(i=cython.Py_ssize_t, code=cython.uchar, inside=cython.bint)
@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_words(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    characters: CharacterCodes,
    batch: TokenBatch,
) -> cython.Py_ssize_t:
    """Write a text with ASCII in lower case, and the edges of its words; return the number of edges."""
    # Every place is written to `edges`, and overwritten by the next one unless it is an edge. This avoids a branch,
    # since no processor can predict where words end.
    lowered: cython.uchar[::1] = batch.lowered
    edges: cython.longlong[::1] = batch.edges
    ascii_words: cython.const[cython.uchar][::1] = characters.ascii_words
    n: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = batch.size
    before: cython.bint = False
    for i in range(stop - start):
        code = ascii_words[text[start + i]]
        lowered[at + i] = code
        inside = code != 0
        edges[n] = at + i
        n += inside != before
        before = inside
    edges[n] = at + stop - start
    return n + before


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_ascii(
    lowered: cython.uchar[::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t, key: cython.ulonglong
) -> cython.bint:
    """True if all characters of a word are ASCII."""
    highs: cython.ulonglong = 0x8080808080808080
    if stop - start <= _SHORT:
        return key & highs == 0
    for place in range(start, stop):  # noqa: SIM110  (no generators in compiled code)
        if lowered[place] == _NOT_ASCII:
            return False
    return True


@cython.locals(first=cython.Py_ssize_t, last=cython.Py_ssize_t)
@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def tokenize(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    characters: CharacterCodes,
    batch: TokenBatch,
) -> cython.bint:
    """Append the tokens of a text to a batch; False if it has an unusual or unknown character."""
    lowered: cython.uchar[::1] = batch.lowered
    eights: cython.const[cython.ulonglong][:] = batch.eights
    edges: cython.longlong[::1] = batch.edges
    bounds: cython.longlong[:, ::1] = batch.bounds
    keys: cython.ulonglong[::1] = batch.keys
    n_edges: cython.Py_ssize_t = find_words(text, start, stop, characters, batch)
    n: cython.Py_ssize_t = batch.n
    shift: cython.Py_ssize_t = start - batch.size
    batch.size += stop - start
    for i in range(0, n_edges, 2):
        first, last = edges[i], edges[i + 1]
        key = key_of(eights, first, last)
        if is_ascii(lowered, first, last, key):
            bounds[n, 0] = first
            bounds[n, 1] = last
            keys[n] = key
            n += last - first > 1
        else:
            batch.n = n
            if not tokenize_slowly(text, shift + first, shift + last, characters, batch):
                return False
            n = batch.n
    batch.n = n
    return True


@cython.locals(n_characters=cython.Py_ssize_t, code=cython.longlong)
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def tokenize_slowly(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    characters: CharacterCodes,
    batch: TokenBatch,
) -> cython.bint:
    """Append the tokens of a stretch with characters beyond ASCII, character by character."""
    lowered: cython.uchar[::1] = batch.lowered
    position: cython.Py_ssize_t = start
    end: cython.Py_ssize_t = batch.size
    while position < stop:
        first, n_characters = end, 0
        while position < stop:
            code = characters.ascii_words[text[position]]
            following = position + 1
            if code == _NOT_ASCII:
                following = position + size_of(text[position])
                batch.unknown = code_point(text, position)
                code = characters.words[batch.unknown]
                if code == _UNKNOWN:
                    return False
                if code == _UNUSUAL:
                    batch.unknown = -1
                    return False
                if code == _OUTSIDE:
                    code = 0
            position = following
            if code == 0:
                break
            end = encode(code, lowered, end)
            n_characters += 1
        if n_characters > 1:
            batch.bounds[batch.n, 0] = first
            batch.bounds[batch.n, 1] = end
            batch.keys[batch.n] = key_of(batch.eights, first, end)
            batch.n += 1
    batch.size = end
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def size_of(byte: cython.uchar) -> cython.Py_ssize_t:
    """Return the number of bytes of a character beyond ASCII, by its first byte."""
    return 2 + (byte >= 0xE0) + (byte >= 0xF0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def code_point(text: cython.const[cython.uchar][::1], position: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Read the code point of the character beyond ASCII at a position."""
    size: cython.Py_ssize_t = size_of(text[position])
    point: cython.Py_ssize_t = text[position] & (0x7F >> size)
    for i in range(position + 1, position + size):
        point = point << 6 | (text[i] & 0x3F)
    return point


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def encode(point: cython.longlong, lowered: cython.uchar[::1], end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Write a code point as UTF-8, and return where its bytes end."""
    if point < 0x80:
        lowered[end] = point
        return end + 1
    size: cython.Py_ssize_t = 2 + (point >= 0x800) + (point >= 0x10000)
    lowered[end] = (0xF00 >> size | point >> 6 * (size - 1)) & 0xFF
    for i in range(1, size):
        lowered[end + i] = 0x80 | (point >> 6 * (size - 1 - i) & 0x3F)
    return end + size


@cython.locals(start=cython.Py_ssize_t, length=cython.Py_ssize_t, is_long=cython.ulonglong)
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def look_up(batch: TokenBatch, table: TokenTable, found: cython.int[::1]) -> cython.void:
    """Write the numbers of the tokens of a batch; tokens that the table lacks are added with the next numbers."""
    lowered: cython.uchar[::1] = batch.lowered
    bounds: cython.longlong[:, ::1] = batch.bounds
    keys: cython.ulonglong[::1] = batch.keys
    places: cython.ulonglong[::1] = batch.places
    slots: cython.ulonglong[::1] = table.slots
    touched: cython.ulonglong = 0
    hash_mask: cython.ulonglong = table.hash_mask
    last: cython.ulonglong = slots.shape[0] // 2 - 1
    for i in range(batch.n):
        places[i] = mixed(keys[i]) & hash_mask & last
        touched ^= slots[2 * places[i]]
    table.touched = touched  # otherwise the compiler would leave out the reads
    for i in range(batch.n):
        start, length = bounds[i, 0], bounds[i, 1] - bounds[i, 0]
        key, slot, is_long = keys[i], places[i], 0
        if length > _SHORT:
            key, is_long = key & hash_mask, 1
        while True:
            value = slots[2 * slot + 1]
            if value == 0:
                value = add(lowered, start, length, table) | is_long
                slots[2 * slot] = key
                slots[2 * slot + 1] = value
                break
            if slots[2 * slot] == key and (value & 1) == is_long:  # noqa: SIM102  (else all would be compared)
                if is_long == 0 or same(lowered, start, length, table, (value >> 1) - 1):
                    break
            slot = (slot + 1) & last
        found[i] = (value >> 1) - 1
    batch.n = batch.size = 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add(
    lowered: cython.uchar[::1], start: cython.Py_ssize_t, length: cython.Py_ssize_t, table: TokenTable
) -> cython.ulonglong:
    """Append a token to the table, and return the second number of its slot."""
    for i in range(length):
        table.blob[table.n_bytes + i] = lowered[start + i]
    table.n_bytes += length
    table.n_tokens += 1
    table.starts[table.n_tokens] = table.n_bytes
    return 2 * table.n_tokens


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same(
    lowered: cython.uchar[::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    table: TokenTable,
    number: cython.Py_ssize_t,
) -> cython.bint:
    """True if a token equals the token with this number."""
    place: cython.Py_ssize_t = table.starts[number]
    if table.starts[number + 1] - place != length:
        return False
    for i in range(length):  # noqa: SIM110  (no generators in compiled code)
        if table.blob[place + i] != lowered[start + i]:
            return False
    return True


def scan(
    text: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    characters: CharacterCodes,
    batch: TokenBatch,
    table: TokenTable,
    found: cython.int[::1],
    ends: cython.longlong[::1],
) -> tuple[int, int, int]:
    """Write the token numbers of documents to `found`, and where each document ends there to `ends`."""
    # Stops before documents for which the table may be too small. Returns the first document that is not done, and the
    # tokens and bytes that need room; or -1 and a character whose code must be known, or -1 if a document is unusual.
    n_done: cython.Py_ssize_t = first
    n_found: cython.Py_ssize_t = 0 if first == 0 else ends[first - 1]
    n_documents: cython.Py_ssize_t = offsets.shape[0] - 1
    with cython.nogil:
        batch.n = batch.size = 0
        for doc in range(first, n_documents):
            if not tokenize(text, offsets[doc], offsets[doc + 1], characters, batch):
                batch.n, batch.size = -1, batch.unknown
                break
            ends[doc] = n_found + batch.n
            if batch.n >= _BATCH or batch.size >= _BATCH_BYTES or doc == n_documents - 1:
                most = table.n_tokens + batch.n
                if (
                    table.n_bytes + batch.size > table.blob.shape[0]
                    or most >= table.starts.shape[0]
                    or 4 * most > table.slots.shape[0]
                ):
                    break
                n_found += batch.n
                look_up(batch, table, found[ends[doc] - batch.n :])
                n_done = doc + 1
    return n_done, batch.n, batch.size
