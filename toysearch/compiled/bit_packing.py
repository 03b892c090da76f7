"""Compiled twin of `posting_blocks` and `position_blocks`: numbers are packed into bits, and unpacked again."""

from __future__ import annotations

import cython

from toysearch.base.interrupts import answer_signals
from toysearch.compiled.posting_sort import LARGE

if cython.compiled:
    from cython.cimports.toysearch.compiled.term_lookup import bit_length
else:
    from toysearch.compiled.term_lookup import bit_length

STARTS, COUNTS, GAP_BITS, TF_BITS, BEFORE, LAST_DOCS, HIGHEST_TF = range(7)
"""Rows of packed blocks: the first bit of each, its postings, the bits of a gap and of a frequency, the document
before it (or -1), its last document and its highest frequency.
"""

_STARTS = cython.declare(cython.Py_ssize_t, STARTS)
_COUNTS = cython.declare(cython.Py_ssize_t, COUNTS)
_GAP_BITS = cython.declare(cython.Py_ssize_t, GAP_BITS)
_TF_BITS = cython.declare(cython.Py_ssize_t, TF_BITS)
_BEFORE = cython.declare(cython.Py_ssize_t, BEFORE)
_LAST_DOCS = cython.declare(cython.Py_ssize_t, LAST_DOCS)
_HIGHEST_TF = cython.declare(cython.Py_ssize_t, HIGHEST_TF)
_LARGE = cython.declare(cython.longlong, LARGE)
_AT_ONCE = cython.declare(cython.Py_ssize_t, 1 << 13)  # blocks between two moments when Ctrl-C is answered


Place = cython.fused_type(cython.ushort, cython.int)
"""Position in a document."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put(words: cython.ulonglong[::1], position: cython.ulonglong, number: cython.ulonglong) -> cython.void:
    """Flip the bits of a number at a bit position: this writes it where all are 0. It may extend into the next word."""
    word: cython.Py_ssize_t = position >> 6
    shift: cython.ulonglong = position & 63
    all_bits: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    words[word] ^= number << shift & all_bits
    words[word + 1] ^= (number >> 1) >> (63 - shift)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def number_at(
    words: cython.const[cython.ulonglong][::1], position: cython.ulonglong, mask: cython.ulonglong
) -> cython.longlong:
    """Read the number that begins at a bit position."""
    word: cython.Py_ssize_t = position >> 6
    shift: cython.ulonglong = position & 63
    return (words[word] >> shift | (words[word + 1] << 1) << (63 - shift)) & mask


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mask_of(width: cython.longlong) -> cython.ulonglong:
    """Return the lowest bits, below 64 of them."""
    one: cython.ulonglong = 1
    return (one << width) - 1


@cython.locals(row=cython.Py_ssize_t, doc=cython.longlong)
def measure(
    docs: cython.const[cython.int][::1],
    tf: cython.const[cython.uchar][::1],
    large: cython.const[cython.longlong][::1],
    dl: cython.const[cython.int][::1],
    rows: cython.const[cython.longlong][::1],
    earlier: cython.const[cython.int][::1],
    gap_bits: cython.int[::1],
    highest_tf: cython.longlong[::1],
    last_docs: cython.int[::1],
    least_dl: cython.int[::1],
) -> int:
    """Fill in the statistics of each block, which begins at its number in `rows`; return the bits of all blocks.

    earlier: the document before each block, -1 for the first block of a term.
    """
    total: cython.longlong = 0
    n_large: cython.Py_ssize_t = 0
    before: cython.longlong
    for first in range(0, rows.shape[0] - 1, _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for block in range(first, min(first + _AT_ONCE, rows.shape[0] - 1)):
                before = earlier[block]
                widest, most, shortest = 0, 0, dl[docs[rows[block]]]
                for row in range(rows[block], rows[block + 1]):
                    doc, count = docs[row], tf[row]
                    if count == _LARGE:
                        count = large[n_large]
                        n_large += 1
                    widest |= doc - before - 1
                    before = doc
                    most = max(most, count)
                    shortest = min(shortest, dl[doc])
                gap_bits[block], highest_tf[block] = bit_length(widest), most
                last_docs[block], least_dl[block] = before, shortest
                total += (rows[block + 1] - rows[block]) * (bit_length(widest) + bit_length(most - 1))
    return total


@cython.locals(row=cython.Py_ssize_t, width=cython.int)
def pack(
    docs: cython.const[cython.int][::1],
    tf: cython.const[cython.uchar][::1],
    large: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    earlier: cython.const[cython.int][::1],
    gap_bits: cython.const[cython.int][::1],
    highest_tf: cython.const[cython.longlong][::1],
    words: cython.ulonglong[::1],
) -> None:
    """Write the gaps and then the frequencies of each block into words that are all 0."""
    position: cython.longlong = 0
    n_large: cython.Py_ssize_t = 0
    before: cython.longlong
    for first in range(0, rows.shape[0] - 1, _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for block in range(first, min(first + _AT_ONCE, rows.shape[0] - 1)):
                before = earlier[block]
                for row in range(rows[block], rows[block + 1]):
                    put(words, position, docs[row] - before - 1)
                    before = docs[row]
                    position += gap_bits[block]
                width = bit_length(highest_tf[block] - 1)
                for row in range(rows[block], rows[block + 1]):
                    count = tf[row]
                    if count == _LARGE:
                        count = large[n_large]
                        n_large += 1
                    put(words, position, count - 1)
                    position += width


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def copy_words(
    source: cython.const[cython.ulonglong][::1], start: cython.ulonglong, words: cython.ulonglong[::1]
) -> cython.void:
    """Copy as many bits as there are words, from a bit position on."""
    first: cython.Py_ssize_t = start >> 6
    shift: cython.ulonglong = start & 63
    all_bits: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    i: cython.Py_ssize_t
    for i in range(words.shape[0]):
        words[i] = source[first + i] >> shift | (source[first + i + 1] << 1) << (63 - shift) & all_bits


@cython.locals(start=cython.ulonglong, position=cython.ulonglong, n=cython.Py_ssize_t)
def copy_bits(
    source: cython.const[cython.ulonglong][::1],
    starts: cython.const[cython.longlong][::1],
    sizes: cython.const[cython.longlong][::1],
    words: cython.ulonglong[::1],
    positions: cython.const[cython.longlong][::1],
) -> None:
    """Copy stretches of bits to some positions in words that are 0 there."""
    for first in range(0, starts.shape[0], _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for i in range(first, min(first + _AT_ONCE, starts.shape[0])):
                start, position, left = starts[i], positions[i], sizes[i]
                while left > 0:
                    width = min(left, 64 - (position & 63))  # to the end of a word
                    n = left >> 6
                    if width == 64 and n > 0:
                        copy_words(source, start, words[position >> 6 : (position >> 6) + n])
                        width = n << 6
                    else:
                        put(words, position, number_at(source, start, mask_of(width)))
                    start += width
                    position += width
                    left -= width


@cython.locals(
    block=cython.Py_ssize_t,
    doc=cython.longlong,
    gap=cython.longlong,
    new_gap=cython.longlong,
    before=cython.longlong,
    widest=cython.longlong,
    width=cython.longlong,
    position=cython.ulonglong,
    mask=cython.ulonglong,
    fits=cython.bint,
)
def renumber(
    words: cython.const[cython.ulonglong][::1],
    blocks: cython.const[cython.longlong][:, ::1],
    numbers: cython.const[cython.int][::1],
    renumbered: cython.ulonglong[::1],
    does_fit: cython.uchar[::1],
) -> bool:
    """Change the gaps of blocks in a copy of the words for new numbers of documents, -1 for one that leaves.

    A block with such a document, or with a widest gap of another width, does not fit. False if blocks are damaged.
    """
    right: cython.bint = True
    with cython.nogil:
        for block in range(blocks.shape[1]):
            width, doc, fits, widest = blocks[_GAP_BITS, block], blocks[_BEFORE, block], True, 0
            position, mask = blocks[_STARTS, block], mask_of(width)
            before = numbers[doc] if doc >= 0 else -1
            for _ in range(blocks[_COUNTS, block]):
                doc += number_at(words, position, mask) + 1
                if doc > blocks[_LAST_DOCS, block]:
                    break
                fits &= numbers[doc] >= 0
                widest |= numbers[doc] - before - 1
                before = numbers[doc]
                position += width
            if doc != blocks[_LAST_DOCS, block]:
                right = False
                break
            does_fit[block] = fits and bit_length(widest) == width
            if does_fit[block]:
                position, doc = blocks[_STARTS, block], blocks[_BEFORE, block]
                before = numbers[doc] if doc >= 0 else -1
                for _ in range(blocks[_COUNTS, block]):
                    gap = number_at(words, position, mask)
                    doc += gap + 1
                    new_gap = numbers[doc] - before - 1
                    if new_gap != gap:
                        put(renumbered, position, gap ^ new_gap)
                    before = numbers[doc]
                    position += width
    return right


@cython.locals(
    first=cython.Py_ssize_t,
    block=cython.Py_ssize_t,
    i=cython.Py_ssize_t,
    n=cython.Py_ssize_t,
    doc=cython.longlong,
    width=cython.longlong,
    position=cython.ulonglong,
    mask=cython.ulonglong,
    most=cython.longlong,
)
def unpack_blocks(
    words: cython.const[cython.ulonglong][::1],
    blocks: cython.const[cython.longlong][:, ::1],
    docs: cython.int[::1],
    tf: cython.longlong[::1],
) -> bool:
    """Decode the documents and frequencies of blocks; False if they contradict the statistics of the blocks."""
    # Documents are compared before they are written as numbers of 32 bits.
    right: cython.bint = True
    row: cython.Py_ssize_t = 0
    for first in range(0, blocks.shape[1], _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for block in range(first, min(first + _AT_ONCE, blocks.shape[1])):
                n, doc, width = blocks[_COUNTS, block], blocks[_BEFORE, block], blocks[_GAP_BITS, block]
                position, mask = blocks[_STARTS, block], mask_of(width)
                for i in range(row, row + n):
                    doc += number_at(words, position, mask) + 1
                    docs[i] = doc
                    position += width
                width, most = blocks[_TF_BITS, block], 0
                mask = mask_of(width)
                for i in range(row, row + n):
                    tf[i] = number_at(words, position, mask) + 1
                    most = max(most, tf[i])
                    position += width
                row += n
                if doc != blocks[_LAST_DOCS, block] or most > blocks[_HIGHEST_TF, block]:
                    right = False
                    break
        if not right:
            break
    return right


@cython.locals(
    block=cython.Py_ssize_t,
    doc=cython.longlong,
    width=cython.longlong,
    tf_width=cython.longlong,
    position=cython.ulonglong,
    tf_position=cython.ulonglong,
    mask=cython.ulonglong,
    tf_mask=cython.ulonglong,
)
def pick_documents(
    words: cython.const[cython.ulonglong][::1],
    blocks: cython.const[cython.longlong][:, ::1],
    sought: cython.const[cython.int][::1],
    docs: cython.int[::1],
    tf: cython.longlong[::1],
    places: cython.longlong[::1],
) -> int:
    """Decode the postings of some documents, by rising number, and say which block each is in.

    The blocks are those of one term after the other. Returned is the number of postings, or -1 if blocks are damaged.
    """
    n: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    with cython.nogil:
        for block in range(blocks.shape[1]):
            if block and blocks[_BEFORE, block] < blocks[_LAST_DOCS, block - 1]:  # of another term
                at = 0
            width, tf_width, doc = blocks[_GAP_BITS, block], blocks[_TF_BITS, block], blocks[_BEFORE, block]
            position, mask, tf_mask = blocks[_STARTS, block], mask_of(width), mask_of(tf_width)
            tf_position = position + blocks[_COUNTS, block] * width
            for _ in range(blocks[_COUNTS, block]):
                doc += number_at(words, position, mask) + 1
                while at < sought.shape[0] and sought[at] < doc:
                    at += 1
                if at < sought.shape[0] and sought[at] == doc:
                    docs[n], tf[n], places[n] = doc, number_at(words, tf_position, tf_mask) + 1, block
                    if tf[n] > blocks[_HIGHEST_TF, block]:
                        n = -1
                        break
                    n += 1
                position += width
                tf_position += tf_width
            if n < 0 or doc != blocks[_LAST_DOCS, block]:
                n = -1
                break
    return n


def pack_positions(
    places: cython.const[Place][::1],
    docs: cython.const[cython.int][::1],
    tf: cython.const[cython.uchar][::1],
    large: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    place_bits: cython.const[cython.uchar][::1],
    block_bits: cython.uchar[::1],
    sizes: cython.longlong[::1],
    words: cython.ulonglong[::1],
) -> None:
    """Write the gaps between positions into words that are all 0, and fill in the bits of each block."""
    # `block_bits` is 255 at first; a block with a frequency above 1 gets the bits of its widest gap.
    first: cython.Py_ssize_t
    block: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t
    n_large: cython.Py_ssize_t
    count: cython.longlong
    before: cython.longlong
    widest: cython.longlong
    several: cython.longlong
    width: cython.int
    start: cython.longlong
    position: cython.longlong = 0
    large_before: cython.Py_ssize_t = 0
    n_before: cython.Py_ssize_t = 0
    for first in range(0, rows.shape[0] - 1, _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for block in range(first, min(first + _AT_ONCE, rows.shape[0] - 1)):
                n_large, n, widest, several = large_before, n_before, 0, 0
                for row in range(rows[block], rows[block + 1]):
                    count, before = tf[row], -1
                    if count == _LARGE:
                        count = large[n_large]
                        n_large += 1
                    several |= count - 1
                    for i in range(n, n + count):
                        widest |= places[i] - before - 1
                        before = places[i]
                    n += count
                if several > 0:
                    block_bits[block] = max(1, bit_length(widest))
                n_large, n, start = large_before, n_before, position
                for row in range(rows[block], rows[block + 1]):
                    width = min(block_bits[block], place_bits[docs[row]])
                    count, before = tf[row], -1
                    if count == _LARGE:
                        count = large[n_large]
                        n_large += 1
                    for i in range(n, n + count):
                        put(words, position, places[i] - before - 1)
                        before = places[i]
                        position += width
                    n += count
                sizes[block] = position - start
                large_before, n_before = n_large, n


@cython.locals(i=cython.Py_ssize_t, position=cython.ulonglong)
def unpack_positions(
    words: cython.const[cython.ulonglong][::1],
    starts: cython.const[cython.longlong][::1],
    tf: cython.const[cython.longlong][::1],
    widths: cython.const[cython.longlong][::1],
    n_places: cython.const[cython.int][::1],
    places: cython.int[::1],
) -> bool:
    """Decode the positions of postings; False, with some left out, if one is beyond the end of its document."""
    right: cython.bint = True
    n: cython.Py_ssize_t = 0
    for first in range(0, tf.shape[0], _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for row in range(first, min(first + _AT_ONCE, tf.shape[0])):
                position, width, place = starts[row], widths[row], -1
                mask = mask_of(width)
                for i in range(n, n + tf[row]):
                    place += number_at(words, position, mask) + 1
                    if place >= n_places[row]:
                        right = False
                        break
                    places[i] = place
                    position += width
                if not right:
                    break
                n += tf[row]
        if not right:
            break
    return right
