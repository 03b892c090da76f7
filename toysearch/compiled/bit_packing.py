"""The compiled twin of `posting_blocks` and `position_blocks`: numbers are packed into bits, and unpacked again."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from toysearch.base.interrupts import answer_signals
from toysearch.compiled.posting_sort import LARGE

STARTS, COUNTS, GAP_BITS, TF_BITS, BEFORE, LAST_DOCS, HIGHEST_TF = range(7)
"""The rows of packed blocks: the first bit of each, its postings, the bits of a gap and of a frequency, the document
before it (or -1), its last document and its highest frequency."""

_STARTS = cython.declare(cython.Py_ssize_t, STARTS)
_COUNTS = cython.declare(cython.Py_ssize_t, COUNTS)
_GAP_BITS = cython.declare(cython.Py_ssize_t, GAP_BITS)
_TF_BITS = cython.declare(cython.Py_ssize_t, TF_BITS)
_BEFORE = cython.declare(cython.Py_ssize_t, BEFORE)
_LAST_DOCS = cython.declare(cython.Py_ssize_t, LAST_DOCS)
_HIGHEST_TF = cython.declare(cython.Py_ssize_t, HIGHEST_TF)
_LARGE = cython.declare(cython.longlong, LARGE)
_AT_ONCE = cython.declare(cython.Py_ssize_t, 1 << 13)  # blocks between two moments when Ctrl-C is answered


DONE, DAMAGED, AGAIN, VERIFY_POSTINGS, VERIFY_POSITIONS = 0, -2, -3, -4, -5
"""What a search returns: it is at the end, the blocks contradict each other, it is to go on, or to go on after some
bits of the postings or of the positions have been compared with their checksums. (-1 would be an exception.)"""

_DONE = cython.declare(cython.longlong, DONE)
_DAMAGED = cython.declare(cython.longlong, DAMAGED)
_AGAIN = cython.declare(cython.longlong, AGAIN)
_VERIFY_POSTINGS = cython.declare(cython.longlong, VERIFY_POSTINGS)
_VERIFY_POSITIONS = cython.declare(cython.longlong, VERIFY_POSITIONS)
_BLOCK = cython.declare(cython.longlong, 128)  # the most postings in a block
_NO_DOCUMENT = cython.declare(cython.longlong, 0x7FFFFFFF)

Place = cython.fused_type(cython.ushort, cython.int)
"""A position in a document."""


def _view(array: Any) -> Any:
    """The numbers of an array; in plain Python they are Python's own."""
    return memoryview(array) if hasattr(array, "__array_interface__") else array


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bit_length(number: cython.longlong) -> cython.int:
    """The number of bits of a whole number; 0 for 0."""
    bits: cython.int = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put(words: cython.ulonglong[::1], position: cython.ulonglong, number: cython.ulonglong) -> cython.void:
    """Write a number at a bit position; it may extend into the next word."""
    word: cython.Py_ssize_t = position >> 6
    shift: cython.ulonglong = position & 63
    all_bits: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    words[word] |= number << shift & all_bits
    words[word + 1] |= (number >> 1) >> (63 - shift)


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
    """The lowest bits, below 64 of them."""
    one: cython.ulonglong = 1
    return (one << width) - 1


@cython.locals(
    first=cython.Py_ssize_t,
    block=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    doc=cython.longlong,
    count=cython.longlong,
    widest=cython.longlong,
    most=cython.longlong,
    shortest=cython.int,
)
def measure(
    docs: cython.const[cython.int][::1],
    tf: cython.const[cython.uchar][::1],
    large: cython.const[cython.longlong][::1],
    dl: cython.const[cython.int][::1],
    rows: cython.const[cython.longlong][::1],
    first_of_term: cython.const[cython.uchar][::1],
    gap_bits: cython.int[::1],
    highest_tf: cython.longlong[::1],
    last_docs: cython.int[::1],
    least_dl: cython.int[::1],
) -> int:
    """Fill in the statistics of each block, which begins at its number in `rows`; return the bits of all blocks."""
    total: cython.longlong = 0
    n_large: cython.Py_ssize_t = 0
    before: cython.longlong = -1
    for first in range(0, rows.shape[0] - 1, _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for block in range(first, min(first + _AT_ONCE, rows.shape[0] - 1)):
                if first_of_term[block]:
                    before = -1
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


@cython.locals(
    first=cython.Py_ssize_t, block=cython.Py_ssize_t, row=cython.Py_ssize_t, count=cython.longlong, width=cython.int
)
def pack(
    docs: cython.const[cython.int][::1],
    tf: cython.const[cython.uchar][::1],
    large: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    first_of_term: cython.const[cython.uchar][::1],
    gap_bits: cython.const[cython.int][::1],
    highest_tf: cython.const[cython.longlong][::1],
    words: cython.ulonglong[::1],
) -> None:
    """Write the gaps and then the frequencies of each block into words that are all 0."""
    position: cython.longlong = 0
    n_large: cython.Py_ssize_t = 0
    before: cython.longlong = -1
    for first in range(0, rows.shape[0] - 1, _AT_ONCE):
        answer_signals()
        with cython.nogil:
            for block in range(first, min(first + _AT_ONCE, rows.shape[0] - 1)):
                if first_of_term[block]:
                    before = -1
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
    """Decode the documents and frequencies of blocks; False if they contradict what is known of the blocks."""
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


@cython.locals(
    first=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    i=cython.Py_ssize_t,
    place=cython.longlong,
    width=cython.longlong,
    position=cython.ulonglong,
    mask=cython.ulonglong,
)
def unpack_positions(
    words: cython.const[cython.ulonglong][::1],
    starts: cython.const[cython.longlong][::1],
    tf: cython.const[cython.longlong][::1],
    widths: cython.const[cython.longlong][::1],
    n_places: cython.const[cython.int][::1],
    places: cython.int[::1],
) -> bool:
    """Decode the positions of postings; False, with some left out, if a position is beyond the end of its document."""
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(i=cython.Py_ssize_t, mask=cython.ulonglong)
def read_documents(
    words: cython.const[cython.ulonglong][::1],
    position: cython.ulonglong,
    width: cython.longlong,
    doc: cython.longlong,
    docs: cython.int[::1],
    first: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.longlong:
    """Decode the documents of a block into `docs[first:stop]`, from the one before it; return the last."""
    mask = mask_of(width)
    for i in range(first, stop):
        doc += number_at(words, position, mask) + 1
        docs[i] = cython.cast(cython.int, doc & 0x7FFFFFFF)
        position += width
    return doc


@cython.final
@cython.cclass
class PackedBits:
    """Packed numbers in a file, with what is known of its pages: 1 for each that has its checksum."""

    cython.declare(
        words=cython.const[cython.ulonglong][::1],
        right=cython.const[cython.uchar][::1],  # of each page; empty if there is nothing to verify
        offset=cython.longlong,  # bytes in the file before the words
        page_bits=cython.longlong,  # the logarithm of the bytes of a page
        n_bits=cython.longlong,
    )

    def __init__(self, words: Any, right: Any, offset: int, page: int) -> None:
        self.words, self.right, self.offset, self.page_bits = _view(words), _view(right), offset, page.bit_length() - 1
        self.n_bits = 64 * (words.shape[0] - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(page=cython.longlong, first=cython.longlong, last=cython.longlong)
    def verified(self, start: cython.longlong, stop: cython.longlong) -> cython.bint:
        """Whether all pages of a range of bits have been verified."""
        if self.right.shape[0] == 0 or start == stop:
            return True
        first = (self.offset + 8 * (start >> 6)) >> self.page_bits
        last = (self.offset + 8 * ((stop - 1) >> 6) + 7) >> self.page_bits
        page = first
        while page <= last and page < self.right.shape[0] and self.right[page]:
            page += 1
        return page > last


@cython.final
@cython.cclass
class OpenedBlocks:
    """Blocks of postings: one number per block in each column."""

    cython.declare(
        counts=cython.const[cython.uchar][::1],
        starts=cython.const[cython.longlong][::1],
        before=cython.const[cython.int][::1],
        tf_bits=cython.const[cython.uchar][::1],
        gap_bits=cython.const[cython.uchar][::1],
        highest_tf=cython.const[cython.int][::1],
        last_docs=cython.const[cython.int][::1],
        n=cython.Py_ssize_t,
    )
    bits: PackedBits

    def __init__(self, bits: PackedBits, columns: Any) -> None:
        self.bits, self.n = bits, len(columns[0])
        self.counts, self.starts, self.before, self.tf_bits = map(_view, columns[:4])
        self.gap_bits, self.highest_tf, self.last_docs = map(_view, columns[4:])
        if {len(column) for column in columns} != {self.n}:
            raise ValueError("the columns are not of one length")


@cython.final
@cython.cclass
class OpenedPositions:
    """Positions of postings, in groups of blocks: how many bits each has, and where those of a group begin."""

    cython.declare(
        offsets=cython.const[cython.longlong][::1],  # the first bit of each group, and the end of the last
        block_bits=cython.const[cython.uchar][::1],
        place_bits=cython.const[cython.uchar][::1],  # of each document
        n_places=cython.const[cython.int][::1],
        group=cython.longlong,  # blocks
        n_docs=cython.longlong,
        n_bits=cython.longlong,
    )
    bits: PackedBits

    def __init__(self, bits: PackedBits, offsets: Any, widths: Any, n_places: Any, group: int) -> None:
        self.bits, self.offsets, self.n_places, self.group = bits, _view(offsets), _view(n_places), group
        self.block_bits, self.place_bits = map(_view, widths)
        n_blocks, n_docs = map(len, widths)
        self.n_docs, self.n_bits = n_docs, bits.n_bits
        if n_places.shape[0] != n_docs or offsets.shape[0] != -(-n_blocks // group) + 1:
            raise ValueError("the columns do not fit each other")


@cython.final
@cython.cclass
class CommonPostings:
    """The documents that contain all of some terms, or a phrase of them; perhaps only some of these documents.

    The documents of a term rise. So the least one that may come next is sought in one term after the other, at first
    among the last documents of blocks; if a term does not contain it, its next one is sought instead. Only the blocks
    that may hold such a document are decoded.
    """

    cython.declare(
        n=cython.Py_ssize_t,  # terms
        # of a term
        block=cython.longlong[::1],  # the block that the search has come to, among the columns
        stop=cython.longlong[::1],  # the end of its blocks
        shift=cython.longlong[::1],  # what makes the number of a block among the columns that in the index
        row=cython.longlong[::1],  # the posting that the search has come to, in the decoded block
        loaded=cython.longlong[::1],  # the decoded block
        docs=cython.int[::1],  # (n * 128,) its documents, then numbers above all
        placed=cython.longlong[::1],  # the block of which the next two are known
        tf=cython.longlong[::1],  # (n * 128,) the frequencies
        bits=cython.longlong[::1],  # (n * 128,) the first bit of the positions of each posting
        after=cython.longlong[::1],  # (n,) the bit after those of this block
        scratch=cython.int[::1],  # (128,) the documents of another block
        # of a word of a phrase
        term=cython.longlong[::1],
        distance=cython.longlong[::1],  # from the first word
        bit=cython.longlong[::1],  # of its next position
        width=cython.longlong[::1],
        left=cython.longlong[::1],  # positions from there on
        start=cython.longlong[::1],  # where the phrase would start by the position before
        # the search
        among=cython.bint,
        sought=cython.const[cython.int][::1],
        n_sought=cython.Py_ssize_t,  # those that are behind
        target=cython.longlong,  # the least document that may be the next
        ahead=cython.longlong,  # blocks or groups to verify with the next one
        common=cython.int[::1],
        counts=cython.longlong[:, ::1],  # (n, …) the frequencies of each term; those of a phrase in the first row
        starts=cython.longlong[:, ::1],  # (n, …) the first bit of the positions of each term; may be empty
        widths=cython.longlong[:, ::1],
    )
    n_found = cython.declare(cython.Py_ssize_t, visibility="readonly")
    from_bit = cython.declare(cython.longlong, visibility="readonly")  # what has to be verified next
    to_bit = cython.declare(cython.longlong, visibility="readonly")
    blocks: OpenedBlocks
    positions: OpenedPositions

    def __init__(self, blocks: OpenedBlocks, ranges: Any, common: Any, counts: Any) -> None:
        # ranges: lists of the first block of each term, the end of its blocks, and the shift.
        self.blocks, self.n, self.common, self.counts = blocks, len(ranges[0]), _view(common), _view(counts)
        for first, stop, shift in zip(*ranges, strict=True):
            if not 0 <= first <= stop <= blocks.n or first + shift < 0:
                raise ValueError("there are no such blocks")
        of_terms = np.full((7, self.n), -1)
        of_terms[:3] = ranges
        self.block, self.stop, self.shift, self.row = map(_view, of_terms[:4])
        self.loaded, self.placed, self.after = map(_view, of_terms[4:])
        self.docs, self.scratch = _view(np.empty(self.n * _BLOCK, np.int32)), _view(np.empty(_BLOCK, np.int32))
        self.tf, self.bits = map(_view, np.empty((2, self.n * _BLOCK), np.int64))
        self.target, self.n_found, self.ahead, self.n_sought, self.among = 0, 0, 1, 0, False
        self.term = self.distance = self.loaded[:0]
        if counts.shape[1] != common.shape[0] or counts.shape[0] != self.n:
            raise ValueError("there is no room for answers")
        self.starts = self.widths = _view(np.empty((0, 0), np.int64))

    def keep(self, sought: Any) -> None:
        """Find only some documents, given by rising number."""
        self.among, self.sought = True, _view(sought)

    def locate(self, positions: OpenedPositions, starts: Any, widths: Any) -> None:
        """Find the first bit and the width of the positions of each term in each document too."""
        self._use(positions)
        self.starts, self.widths = _view(starts), _view(widths)
        for column in (starts, widths):
            if column.shape[0] != self.n or column.shape[1] != self.common.shape[0]:
                raise ValueError("there is no room for answers")

    def _use(self, positions: OpenedPositions) -> None:
        """Take positions, which every block must have."""
        self.positions = positions
        for t in range(self.n):
            if self.stop[t] + self.shift[t] > positions.block_bits.shape[0]:
                raise ValueError("blocks without positions")

    def match(self, positions: OpenedPositions, terms: Any, distances: Any) -> None:
        """Find only documents with a phrase, given by the terms of its words and their distances from the first."""
        self._use(positions)
        self.term, self.distance = _view(terms), _view(distances)
        of_words = np.zeros((4, len(terms)), np.int64)
        self.bit, self.width, self.left, self.start = map(_view, of_words)
        if len(terms) != len(distances) or not (terms.min() >= 0 and terms.max() < self.n):
            raise ValueError("there are no such words")

    @cython.locals(
        t=cython.Py_ssize_t,
        doc=cython.longlong,
        state=cython.longlong,
    )
    def go_on(self) -> int:
        """Search until all documents are found, or for a while; return 0 at the end, or what must be done before."""
        state = _AGAIN
        with cython.nogil:
            for _ in range(_AT_ONCE):
                if self.among:
                    while self.n_sought < self.sought.shape[0] and self.sought[self.n_sought] < self.target:
                        self.n_sought += 1
                    if self.n_sought == self.sought.shape[0]:
                        state = _DONE
                        break
                    self.target = self.sought[self.n_sought]
                doc = self.target
                for t in range(self.n):
                    doc = self.seek(t, self.target)
                    if doc != self.target:
                        break
                if doc < 0 or doc == _NO_DOCUMENT:
                    state = doc if doc < 0 else _DONE
                    break
                if doc == self.target:
                    state = self.add_phrase(doc) if self.term.shape[0] else self.add(doc)
                    if state < 0:
                        break
                    state, doc = _AGAIN, doc + 1
                self.target = doc
        return state

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        b=cython.longlong,
        low=cython.longlong,
        high=cython.longlong,
        middle=cython.longlong,
        step=cython.longlong,
        at=cython.longlong,
    )
    def seek(self, t: cython.Py_ssize_t, target: cython.longlong) -> cython.longlong:
        """The first document of a term from a number on, _NO_DOCUMENT if there is none, or what must be done before."""
        b, high = self.block[t], self.stop[t]
        if b < high and self.blocks.last_docs[b] < target:
            step = 1
            while b + step < high and self.blocks.last_docs[b + step] < target:
                b += step
                step *= 2
            low, high = b, min(b + step, high)
            while high - low > 1:
                middle = (low + high) >> 1
                if self.blocks.last_docs[middle] < target:
                    low = middle
                else:
                    high = middle
            self.block[t] = b = high
        if b == self.stop[t]:
            return _NO_DOCUMENT
        if self.loaded[t] != b:
            self.loaded[t] = -1
            low = self.decode(b, self.docs, t * _BLOCK, self.stop[t])
            if low < 0:
                return low
            for low in range(t * _BLOCK + self.blocks.counts[b], t * _BLOCK + _BLOCK):
                self.docs[low] = _NO_DOCUMENT
            self.loaded[t], self.row[t] = b, 0
        at = t * _BLOCK
        low = at + self.row[t]
        step = 4
        while step and self.docs[low] < target:  # the last one of the block is not below
            low, step = low + 1, step - 1
        if self.docs[low] < target:
            low, step = at, _BLOCK >> 1
            while step:
                low += step if self.docs[low + step - 1] < target else 0
                step >>= 1
        self.row[t] = low - at
        return self.docs[low]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(n=cython.longlong, end=cython.longlong, start=cython.longlong)
    def decode(
        self, b: cython.longlong, docs: cython.int[::1], at: cython.longlong, stop: cython.longlong
    ) -> cython.longlong:
        """Decode the documents of a block; if it has to be verified before, so have some of those up to `stop`."""
        n, start = self.blocks.counts[b], self.blocks.starts[b]
        end = start + n * (self.blocks.gap_bits[b] + self.blocks.tf_bits[b])
        if not (0 < n <= _BLOCK and self.blocks.gap_bits[b] <= 32 and self.blocks.tf_bits[b] <= 32):
            return _DAMAGED
        if not (0 <= start <= end <= self.blocks.bits.n_bits and self.blocks.before[b] < self.blocks.last_docs[b]):
            return _DAMAGED
        if not self.blocks.bits.verified(start, end):
            b = max(b, min(b + self.ahead, stop) - 1)
            self.from_bit = start
            self.to_bit = self.blocks.starts[b] + self.blocks.counts[b] * (
                self.blocks.gap_bits[b] + self.blocks.tf_bits[b]
            )
            self.ahead *= 2
            return _VERIFY_POSTINGS
        end = read_documents(
            self.blocks.bits.words, start, self.blocks.gap_bits[b], self.blocks.before[b], docs, at, at + n
        )
        return 0 if end == self.blocks.last_docs[b] else _DAMAGED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(b=cython.longlong, width=cython.longlong, count=cython.longlong, position=cython.ulonglong)
    def count(self, t: cython.Py_ssize_t) -> cython.longlong:
        """The frequency of a term in the document that the search has come to."""
        b = self.block[t]
        width = self.blocks.tf_bits[b]
        position = self.blocks.starts[b] + self.blocks.counts[b] * cython.cast(cython.longlong, self.blocks.gap_bits[b])
        count = number_at(self.blocks.bits.words, position + self.row[t] * width, mask_of(width)) + 1
        return count if count <= self.blocks.highest_tf[b] else _DAMAGED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        b=cython.longlong,
        c=cython.longlong,
        bit=cython.longlong,
        group=cython.longlong,
        first=cython.longlong,
        state=cython.longlong,
    )
    def place(self, t: cython.Py_ssize_t) -> cython.longlong:
        """Find the frequencies, and where positions begin, of the block of a term that the search has come to."""
        # A group of blocks tells where its first positions begin; so the earlier blocks of the group are decoded too.
        b, c, bit = self.block[t], self.placed[t] + 1, self.after[t]
        group = (b + self.shift[t]) // self.positions.group
        first = group * self.positions.group - self.shift[t]
        if first < 0 or group + 1 >= self.positions.offsets.shape[0]:
            return _DAMAGED
        if c <= first or c > b:
            c, bit = first, self.positions.offsets[group]
        while c < b:
            state = self.decode(c, self.scratch, 0, b)
            if state < 0:
                return state
            bit = self.place_block(t, c, bit, self.scratch, 0)
            if bit < 0:
                return bit
            c += 1
        bit = self.place_block(t, b, bit, self.docs, t * _BLOCK)
        if bit < 0 or bit > min(self.positions.offsets[group + 1], self.positions.n_bits):
            return _DAMAGED
        self.placed[t], self.after[t] = b, bit
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        row=cython.longlong,
        doc=cython.longlong,
        tf=cython.longlong,
        highest=cython.longlong,
        start=cython.longlong,
        width=cython.longlong,
        block_bits=cython.longlong,
        position=cython.ulonglong,
        mask=cython.ulonglong,
    )
    def place_block(
        self,
        t: cython.Py_ssize_t,
        b: cython.longlong,
        bit: cython.longlong,
        docs: cython.int[::1],
        at: cython.longlong,
    ) -> cython.longlong:
        """Find the same of a decoded block, whose positions begin at a bit; return the bit after them."""
        width, highest, start = self.blocks.tf_bits[b], 0, t * _BLOCK
        block_bits, mask = self.positions.block_bits[b + self.shift[t]], mask_of(width)
        position = self.blocks.starts[b] + self.blocks.counts[b] * cython.cast(cython.longlong, self.blocks.gap_bits[b])
        for row in range(self.blocks.counts[b]):
            doc, tf = docs[at + row], number_at(self.blocks.bits.words, position, mask) + 1
            position += width
            if doc >= self.positions.n_docs:
                return _DAMAGED
            self.tf[start + row], self.bits[start + row] = tf, bit
            highest = max(highest, tf)
            bit += tf * min(block_bits, cython.cast(cython.longlong, self.positions.place_bits[doc]))
        return bit if bit >= 0 and highest <= self.blocks.highest_tf[b] else _DAMAGED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(b=cython.longlong, group=cython.longlong, first=cython.longlong, last=cython.longlong)
    def width_of_places(self, t: cython.Py_ssize_t, doc: cython.longlong) -> cython.longlong:
        """The bits of a position of a term in the document that the search has come to; what must be done before."""
        b, first = self.block[t], self.bits[t * _BLOCK + self.row[t]]
        width: cython.longlong = min(self.positions.block_bits[b + self.shift[t]], self.positions.place_bits[doc])
        if first < 0:
            return _DAMAGED
        last = first + self.tf[t * _BLOCK + self.row[t]] * width
        if self.positions.bits.verified(first, last):
            return width
        group = (b + self.shift[t]) // self.positions.group
        last = (self.stop[t] - 1 + self.shift[t]) // self.positions.group
        group = max(group, min(group + self.ahead - 1, last))
        self.from_bit, self.to_bit = first, self.positions.offsets[group + 1]
        self.ahead *= 2
        return _VERIFY_POSITIONS

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(t=cython.Py_ssize_t, state=cython.longlong)
    def add(self, doc: cython.longlong) -> cython.longlong:
        """Add a document that contains all terms to those that are found."""
        if self.n_found == self.common.shape[0]:
            return _DAMAGED
        for t in range(self.n):
            state = self.count(t)
            if state < 0:
                return state
            self.counts[t, self.n_found] = state
            if self.starts.shape[0]:
                state = self.place(t) if self.placed[t] != self.block[t] else 0
                if state == 0:
                    state = self.width_of_places(t, doc)
                if state < 0:
                    return state
                self.starts[t, self.n_found] = self.bits[t * _BLOCK + self.row[t]]
                self.widths[t, self.n_found] = state
        self.common[self.n_found] = cython.cast(cython.int, doc)
        self.n_found += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        t=cython.Py_ssize_t,
        w=cython.Py_ssize_t,
        at=cython.Py_ssize_t,
        agreed=cython.Py_ssize_t,
        start=cython.longlong,
        place=cython.longlong,
        limit=cython.longlong,
        count=cython.longlong,
        state=cython.longlong,
        mask=cython.ulonglong,
    )
    def add_phrase(self, doc: cython.longlong) -> cython.longlong:
        """Add a document that contains all terms to those that are found if it contains the phrase."""
        for w in range(self.term.shape[0]):
            t = self.term[w]
            state = self.place(t) if self.placed[t] != self.block[t] else 0
            if state == 0:
                state = self.width_of_places(t, doc)
            if state < 0:
                return state
            at = t * _BLOCK + self.row[t]
            self.bit[w], self.width[w], self.left[w] = self.bits[at], state, self.tf[at]
            self.start[w] = -1 - self.distance[w]
        # The start of the phrase that is possible next is taken from one word after the other, until all agree.
        start = count = agreed = w = 0
        while True:
            place, mask, limit = self.start[w], mask_of(self.width[w]), self.positions.n_places[doc] - self.distance[w]
            while place < start and self.left[w] > 0:
                place += number_at(self.positions.bits.words, self.bit[w], mask) + 1
                self.bit[w] += self.width[w]
                self.left[w] -= 1
                if place >= limit:
                    return _DAMAGED
            self.start[w] = place
            if place < start:
                break
            agreed = agreed + 1 if place == start else 1
            start = place
            if agreed == self.term.shape[0]:
                count, start, agreed = count + 1, start + 1, 0
            w = w + 1 if w + 1 < self.term.shape[0] else 0
        if count > 0:
            if self.n_found == self.common.shape[0]:
                return _DAMAGED
            self.common[self.n_found], self.counts[0, self.n_found] = cython.cast(cython.int, doc), count
            self.n_found += 1
        return 0
