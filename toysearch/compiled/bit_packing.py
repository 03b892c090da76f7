"""The compiled twin of `posting_blocks`: postings are packed into blocks of bits, and unpacked again."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import inlined, kernel
from toysearch.compiled.posting_sort import LARGE

_ONE, _LAST = np.uint64(1), np.uint64(63)


@inlined
def bit_length(number: np.int64) -> int:
    """The number of bits of a whole number; 0 for 0."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


@kernel
def measure(
    docs: np.ndarray,
    tf: np.ndarray,
    large: np.ndarray,
    dl: np.ndarray,
    rows: np.ndarray,
    first_of_term: np.ndarray,
    gap_bits: np.ndarray,
    highest_tf: np.ndarray,
    last_docs: np.ndarray,
    least_dl: np.ndarray,
) -> int:
    """Fill in the statistics of each block, which begins at its number in `rows`; return the bits of all blocks."""
    total = n_large = 0
    before = np.int64(-1)
    for block in range(rows.size - 1):
        if first_of_term[block]:
            before = np.int64(-1)
        widest, most = np.int64(0), np.int64(0)
        shortest = dl[docs[rows[block]]]
        for row in range(rows[block], rows[block + 1]):
            doc, count = np.int64(docs[row]), np.int64(tf[row])
            if count == LARGE:
                count = large[n_large]
                n_large += 1
            widest |= doc - before - 1
            before = doc
            if count > most:
                most = count
            shortest = min(shortest, dl[doc])
        gap_bits[block], highest_tf[block] = bit_length(widest), most
        last_docs[block], least_dl[block] = before, shortest
        total += (rows[block + 1] - rows[block]) * (bit_length(widest) + bit_length(most - 1))
    return total


@inlined
def put(words: np.ndarray, position: int, number: np.int64) -> None:
    """Write a number at a bit position; it may extend into the next word."""
    word, shift = np.uint64(position) >> np.uint64(6), np.uint64(position) & _LAST
    words[word] |= np.uint64(number) << shift
    words[word + _ONE] |= (np.uint64(number) >> _ONE) >> (_LAST - shift)


@inlined
def number_at(words: np.ndarray, position: np.uint64, mask: np.uint64) -> np.uint64:
    """Read the number that begins at a bit position."""
    word, shift = position >> np.uint64(6), position & _LAST
    return (words[word] >> shift | (words[word + _ONE] << _ONE) << (_LAST - shift)) & mask


@kernel
def pack(
    docs: np.ndarray,
    tf: np.ndarray,
    large: np.ndarray,
    rows: np.ndarray,
    first_of_term: np.ndarray,
    gap_bits: np.ndarray,
    highest_tf: np.ndarray,
    words: np.ndarray,
) -> None:
    """Write the gaps and then the frequencies of each block into words that are all 0."""
    position = n_large = 0
    before = np.int64(-1)
    for block in range(rows.size - 1):
        if first_of_term[block]:
            before = np.int64(-1)
        for row in range(rows[block], rows[block + 1]):
            put(words, position, np.int64(docs[row]) - before - 1)
            before = np.int64(docs[row])
            position += gap_bits[block]
        width = bit_length(highest_tf[block] - 1)
        for row in range(rows[block], rows[block + 1]):
            count = np.int64(tf[row])
            if count == LARGE:
                count = large[n_large]
                n_large += 1
            put(words, position, count - np.int64(1))
            position += width


@kernel
def unpack(words: np.ndarray, start: int, n: int, width: int, numbers: np.ndarray) -> None:
    """Read n numbers of `width` bits each, from bit `start` on."""
    mask = (_ONE << np.uint64(width)) - _ONE
    for i in range(np.uint64(n)):
        numbers[i] = number_at(words, np.uint64(start) + np.uint64(i) * np.uint64(width), mask)


@kernel
def unpack_blocks(
    words: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
    gap_bits: np.ndarray,
    tf_bits: np.ndarray,
    before: np.ndarray,
    docs: np.ndarray,
    tf: np.ndarray,
) -> None:
    """Decode the documents and frequencies of blocks; `before` has the document before each block, or -1."""
    row, numbers = 0, np.empty(counts.max(), np.uint64)
    for block in range(starts.size):
        n, doc = counts[block], np.int64(before[block])
        unpack(words, starts[block], n, gap_bits[block], numbers)
        for i in range(n):
            doc += np.int64(numbers[i]) + 1
            docs[row + i] = doc
        unpack(words, starts[block] + n * np.int64(gap_bits[block]), n, tf_bits[block], numbers)
        for i in range(n):
            tf[row + i] = np.int64(numbers[i]) + 1
        row += n


@kernel
def pick_documents(
    words: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
    gap_bits: np.ndarray,
    tf_bits: np.ndarray,
    before: np.ndarray,
    last_docs: np.ndarray,
    highest_tf: np.ndarray,
    wanted: np.ndarray,
    docs: np.ndarray,
    tf: np.ndarray,
    places: np.ndarray,
) -> int:
    """Decode the postings of wanted documents, by rising number, and say which block each is in.

    The blocks are those of one term after the other. Returned is the number of postings, or -1 if blocks are damaged.
    """
    n = at = 0
    for block in range(starts.size):
        if block and before[block] < last_docs[block - 1]:  # of another term
            at = 0
        width, doc = np.uint64(gap_bits[block]), np.int64(before[block])
        position, mask = np.uint64(starts[block]), (_ONE << width) - _ONE
        tf_width = np.uint64(tf_bits[block])
        tf_position, tf_mask = position + np.uint64(counts[block]) * width, (_ONE << tf_width) - _ONE
        for _ in range(counts[block]):
            doc += np.int64(number_at(words, position, mask)) + 1
            while at < wanted.size and wanted[at] < doc:
                at += 1
            if at < wanted.size and wanted[at] == doc:
                docs[n], tf[n] = doc, np.int64(number_at(words, tf_position, tf_mask)) + 1
                if tf[n] > highest_tf[block]:
                    return -1
                places[n] = block
                n += 1
            position += width
            tf_position += tf_width
        if doc != last_docs[block]:
            return -1
    return n
