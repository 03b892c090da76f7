"""Search for the documents that contain all of some terms, or a phrase of them, in packed postings and positions.

The documents of a term rise. The next one of the rarest term is sought among the last documents of the blocks of the
other terms. Up to the end of the first of these blocks, each term has one block: the documents of the rarest term there
are the candidates, and one term after the other drops those that it does not contain. So only blocks that may hold a
candidate are decoded, and positions only where all terms stand.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.toysearch.compiled.term_lookup import Blocks, Pages, TermBlocks, read_documents
else:
    from toysearch.compiled.term_lookup import Blocks, Pages, TermBlocks, read_documents

AGAIN = 1
"""Return value of a search that is not at its end."""

_AGAIN = cython.declare(cython.longlong, AGAIN)
_DAMAGED = cython.declare(cython.longlong, -2)  # the blocks contradict each other; -1 is an exception
_AT_ONCE = cython.declare(cython.longlong, 1 << 11)  # ends of blocks between two moments when Ctrl-C is answered
_BLOCK = cython.declare(cython.longlong, 128)  # the most postings in a block
_FEW = cython.declare(cython.longlong, 6)  # postings that are merged in the time of looking up one document
_NO_DOCUMENT = cython.declare(cython.longlong, 0x7FFFFFFF)


def _view(array: Any) -> Any:
    return memoryview(array) if hasattr(array, "__array_interface__") else array


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def number_at(
    words: cython.const[cython.uint][::1], position: cython.ulonglong, mask: cython.ulonglong
) -> cython.longlong:
    """Read the number that begins at a bit, of at most 32 bits."""
    word: cython.Py_ssize_t = position >> 5
    number: cython.ulonglong = words[word + 1]
    return cython.cast(cython.longlong, (number << 32 | words[word]) >> (position & 31) & mask)


@cython.final
@cython.cclass
class OpenedBlocks:
    """Blocks of the searched terms so far, one number per block in each column; each term has a slot.

    Before the blocks of a term are those of the same group of positions, if the index has positions.
    """

    cython.declare(
        group=cython.longlong,  # of positions: its blocks
        position=cython.longlong[::1],  # of each block, the first bit of its positions; -1 before it is known
        # of a slot
        first=cython.longlong[::1],
        stop=cython.longlong[::1],
        shift=cython.longlong[::1],  # what makes the number of a block here that in the index
        df=cython.longlong[::1],
    )
    blocks: Blocks
    slots = cython.declare(dict, visibility="readonly")  # by term
    arrays = cython.declare(list, visibility="readonly")  # of the blocks, of the slots

    def __init__(self, n_blocks: int, n_terms: int, group: int) -> None:
        self.blocks, self.group, self.slots = Blocks(n_blocks), group, {}
        position, terms = np.empty(n_blocks, np.int64), [*np.empty((4, n_terms), np.int64)]
        self.position, self.arrays = _view(position), [[*self.blocks.arrays, position], terms]
        self.first, self.stop, self.shift, self.df = map(_view, terms)

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return self.blocks.n

    @cython.cfunc
    def with_room(self, n_blocks: cython.longlong) -> OpenedBlocks:
        """Copy these blocks, with room for so many more, and for another term."""
        sizes = [self.blocks.n, len(self.slots)]
        if self.blocks.n + n_blocks <= self.position.shape[0] and len(self.slots) < self.first.shape[0]:
            return self
        # A copy, because other threads may be searching; memory that is not used yet costs nothing.
        other = OpenedBlocks(4 * (sizes[0] + n_blocks) + 64, 4 * sizes[1] + 64, self.group)
        for size, arrays, copies in zip(sizes, self.arrays, other.arrays, strict=True):
            for array, copy in zip(arrays, copies, strict=True):
                copy[:size] = array[:size]
        other.slots, other.blocks.n = dict(self.slots), sizes[0]
        return other

    @cython.locals(slot=cython.longlong, start=cython.longlong)
    def with_terms(self, lookup: TermBlocks, terms: list[int]) -> OpenedBlocks | None:
        """Copy these blocks, with those of more terms; None if these are damaged."""
        other: OpenedBlocks = self
        for term in terms:
            if term in other.slots:
                continue
            n = lookup.count(term, self.group)
            if n < 0:
                return None
            other = other.with_room(n)
            start, slot = other.blocks.n, len(other.slots)
            if lookup.add(other.blocks, term, self.group) < 0:
                return None
            for i in range(start, start + n):
                other.position[i] = -1
            other.first[slot], other.stop[slot] = start + lookup.first_block % self.group, start + n
            other.shift[slot], other.df[slot] = lookup.first_block - other.first[slot], lookup.df_found
            other.slots[term] = slot
        return other


@cython.final
@cython.cclass
class OpenedPositions:
    """Positions of postings, in groups of blocks: how many bits each has, and where those of a group begin."""

    cython.declare(
        words=cython.const[cython.uint][::1],
        offsets=cython.const[cython.longlong][::1],  # the first bit of each group, and the end of the last
        block_bits=cython.const[cython.uchar][::1],
        place_bits=cython.const[cython.uchar][::1],  # of each document
        n_places=cython.const[cython.int][::1],
        group=cython.longlong,  # blocks
        n_docs=cython.longlong,
        n_blocks=cython.longlong,
        n_bits=cython.longlong,
    )
    pages: Pages

    def __init__(self, words: Any, paged: Any, offsets: Any, widths: Any, n_places: Any, group: int) -> None:
        self.pages, self.words, self.n_bits = Pages(paged), _view(words), 32 * (words.shape[0] - 2)
        self.offsets, self.n_places, self.group = _view(offsets), _view(n_places), group
        self.block_bits, self.place_bits = map(_view, widths)
        self.n_blocks, self.n_docs = map(len, widths)
        if n_places.shape[0] != self.n_docs or offsets.shape[0] != -(-self.n_blocks // group) + 1:
            raise ValueError("the columns do not fit each other")


@cython.final
@cython.cclass
class CommonPostings:
    """Search of one thread: its work arrays, kept for its next searches."""

    cython.declare(
        words=cython.const[cython.uint][::1],
        n_bits=cython.longlong,
        n_docs=cython.longlong,
        room=cython.longlong,  # terms
        n=cython.longlong,  # terms of this search, the rarest first
        position=cython.longlong[::1],  # of a block: that of `OpenedBlocks`
        # of a term
        rank=cython.longlong[::1],  # its place among those asked for
        block=cython.longlong[::1],  # the block that the search has come to
        stop=cython.longlong[::1],  # the end of its blocks
        shift=cython.longlong[::1],
        df=cython.longlong[::1],
        row=cython.longlong[::1],  # the posting that the search has come to, in the decoded block
        loaded=cython.longlong[::1],  # the decoded block
        placed=cython.longlong[::1],  # the block of which the last three of the next are known
        docs=cython.int[::1],  # (room + 1, 128) its documents, then numbers above all; the last row is for other blocks
        tf=cython.longlong[::1],  # the frequencies
        bits=cython.longlong[::1],  # the first bit of the positions of each posting
        widths=cython.uchar[::1],  # the bits of a position
        rows=cython.longlong[::1],  # (room, 128) the posting of each candidate
        candidates=cython.int[::1],  # (128,) the documents between two ends of blocks that may be found
        kept=cython.longlong[::1],  # (128,) the places of those that a term contains
        # of a word of a phrase, those of the rarest terms first
        n_words=cython.longlong,
        word_room=cython.longlong,
        term=cython.longlong[::1],
        distance=cython.longlong[::1],  # from the first word
        bit=cython.ulonglong[::1],  # of its next position
        mask=cython.ulonglong[::1],
        width=cython.longlong[::1],
        rest=cython.longlong[::1],  # positions from there on
        start=cython.longlong[::1],  # where the phrase would start by the position before
        # the search
        among=cython.bint,
        sought=cython.const[cython.int][::1],
        n_sought=cython.longlong,  # those that are behind
        target=cython.longlong,  # the least document that may be the next
        located=cython.bint,  # whether the positions of the only term are located
        most=cython.longlong,  # documents that can be found
        found=tuple,  # the arrays of the next two
        common=cython.int[::1],
        counts=cython.longlong[::1],  # (n, most) the frequencies of each term; those of a phrase in the first row
        first_bits=cython.longlong[::1],
        first_widths=cython.longlong[::1],
    )
    n_found = cython.declare(cython.longlong, visibility="readonly")
    blocks: Blocks
    positions: OpenedPositions

    def __init__(self, words: Any, n_docs: int, positions: Any) -> None:
        self.words, self.n_bits, self.n_docs = _view(words), 32 * (words.shape[0] - 2), n_docs
        self.positions = positions
        if self.positions is not None and self.positions.n_docs != n_docs:
            raise ValueError("the positions are those of other documents")
        self.room = self.word_room = -1
        self.found = np.empty(0, np.int32), np.empty(0, np.int64)
        self.common, self.counts = map(_view, self.found)

    @cython.locals(slot=cython.longlong)
    def begin(self, blocks: OpenedBlocks, terms: list[int], sought: Any = None) -> None:
        """Begin to search for the documents with some terms, perhaps only among some, given by rising number."""
        self.n, self.blocks, self.position = len(terms), blocks.blocks, blocks.position
        if self.n > self.room:
            self.make_room()
        for i in range(self.n):
            slot, j = blocks.slots[terms[i]], i
            while j > 0 and self.df[j - 1] > blocks.df[slot]:
                self.rank[j], self.df[j], self.block[j] = self.rank[j - 1], self.df[j - 1], self.block[j - 1]
                self.stop[j], self.shift[j] = self.stop[j - 1], self.shift[j - 1]
                j -= 1
            self.rank[j], self.df[j], self.block[j] = i, blocks.df[slot], blocks.first[slot]
            self.stop[j], self.shift[j] = blocks.stop[slot], blocks.shift[slot]
            self.row[i] = self.loaded[i] = self.placed[i] = -1
        self.most, self.among = self.df[0], sought is not None
        if self.among:
            self.sought, self.n_sought = _view(sought), 0
            self.most = min(self.most, self.sought.shape[0])
        if self.n * self.most > self.counts.shape[0] or self.most > self.common.shape[0]:
            self.found = np.empty(2 * self.most, np.int32), np.empty(2 * self.n * self.most, np.int64)
            self.common, self.counts = map(_view, self.found)
        self.target = self.n_found = self.n_words = 0
        self.located = False

    def make_room(self) -> None:
        """Make work arrays for a search of n terms."""
        self.room = self.n
        of_terms, rows = np.empty((8, self.n), np.int64), (self.n + 1) * _BLOCK
        self.rank, self.block, self.stop, self.shift = map(_view, of_terms[:4])
        self.df, self.row, self.loaded, self.placed = map(_view, of_terms[4:])
        self.docs, self.widths = _view(np.empty(rows, np.int32)), _view(np.empty(rows, np.uint8))
        self.tf, self.bits, self.rows = map(_view, np.empty((3, rows), np.int64))
        self.candidates, self.kept = _view(np.empty(_BLOCK, np.int32)), _view(np.empty(_BLOCK, np.int64))

    def locate(self) -> None:
        """Find the first bit and the width of the positions of the only term in each document too."""
        if self.positions is None or self.n != 1:
            raise ValueError("there are no such positions")
        self.first_bits, self.first_widths = map(_view, np.empty((2, self.most), np.int64))
        self.located = True

    @cython.locals(i=cython.longlong, w=cython.longlong)
    def match(self, words: list[int], distances: list[int]) -> None:
        """Find only documents with a phrase, given by the terms of its words and their distances from the first."""
        if self.positions is None or len(words) != len(distances) or not {*range(self.n)} == {*words}:
            raise ValueError("there are no such words")
        if len(words) > self.word_room:
            self.word_room = len(words)
            of_words = np.empty((7, self.word_room), np.int64)
            self.term, self.distance, self.width, self.rest, self.start = map(_view, of_words[:5])
            self.bit, self.mask = map(_view, of_words[5:].view(np.uint64))
        w = 0
        for t in range(self.n):
            for i in range(len(words)):
                if words[i] == self.rank[t]:
                    self.term[w], self.distance[w] = t, distances[i]
                    w += 1
        self.n_words = w

    def answer(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the documents, and the frequencies of each term, or of the phrase, in them."""
        docs, counts = self.found
        if self.n_words:
            return docs[: self.n_found].copy(), counts[None, : self.n_found].copy()
        return docs[: self.n_found].copy(), counts[: self.n * self.most].reshape(self.n, -1)[:, : self.n_found].copy()

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first bit of the positions in each document, and the bits of a position there."""
        return np.asarray(self.first_bits)[: self.n_found], np.asarray(self.first_widths)[: self.n_found]

    def go_on(self) -> int:
        """Search until all documents are found, or for a while; return 0 at the end, below 0 if blocks are damaged."""
        state: cython.longlong = _AGAIN
        with cython.nogil:
            for _ in range(_AT_ONCE):
                state = self.search_on()
                if state != _AGAIN:
                    break
        return state

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def search_on(self) -> cython.longlong:
        """Search up to the next end of a block of any term; 0 if no document can follow."""
        if self.among:
            while self.n_sought < self.sought.shape[0] and self.sought[self.n_sought] < self.target:
                self.n_sought += 1
            if self.n_sought == self.sought.shape[0]:
                return 0
            self.target = self.sought[self.n_sought]
        else:
            state = self.seek_first()
            if state != _AGAIN:
                return state
        end = self.n_docs - 1
        for t in range(self.n):
            if not self.seek_block(t):
                return 0
            end = min(end, self.blocks.last_docs[self.block[t]])
        n = self.enter_candidates(end)
        for t in range(0 if self.among else 1, self.n):
            if n > 0:
                n = self.keep_common(t, n)
        if n > 0 and (self.n_words or self.located):
            for t in range(self.n):
                if self.placed[t] != self.block[t] and self.place(t) < 0:
                    return _DAMAGED
        if n < 0 or self.n_found + (0 if self.n_words else n) > self.most:
            return _DAMAGED
        for c in range(n):
            state = self.add_phrase(c) if self.n_words else self.add(c)
            if state < 0:
                return state
        return _AGAIN

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def seek_first(self) -> cython.longlong:
        """Make the next document of the rarest term the target; 0 if there is none."""
        if not self.seek_block(0):
            return 0
        if self.load(0) < 0:
            return _DAMAGED
        low = self.row[0]
        while self.docs[low] < self.target:  # the last one of the block is not below
            low += 1
        self.row[0], self.target = low, self.docs[low]
        return _AGAIN

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(step=cython.longlong)
    def seek_block(self, t: cython.longlong) -> cython.bint:
        """Go on to the first block of a term that may have the target or a later document, if there is one."""
        b, high = self.block[t], self.stop[t]
        if b < high and self.blocks.last_docs[b] < self.target:
            step = 1
            while b + step < high and self.blocks.last_docs[b + step] < self.target:
                b += step
                step *= 2
            low, high = b, min(b + step, high)
            while high - low > 1:
                middle = (low + high) >> 1
                if self.blocks.last_docs[middle] < self.target:
                    low = middle
                else:
                    high = middle
            self.block[t] = b = high
        return b < self.stop[t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def load(self, t: cython.longlong) -> cython.longlong:
        """Decode the block of a term that the search has come to, unless it has been."""
        b = self.block[t]
        if self.loaded[t] != b:
            self.loaded[t] = -1
            if self.decode(b, t * _BLOCK) < 0:
                return _DAMAGED
            for row in range(t * _BLOCK + self.blocks.counts[b], t * _BLOCK + _BLOCK):
                self.docs[row] = cython.cast(cython.int, _NO_DOCUMENT)
            self.loaded[t], self.row[t] = b, 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(n=cython.longlong)
    def enter_candidates(self, end: cython.longlong) -> cython.longlong:
        """Take the documents sought, else those of the rarest term, up to a number, as candidates, and go on to it."""
        n, self.target = 0, end + 1
        if self.among:
            while n < _BLOCK and self.n_sought < self.sought.shape[0] and self.sought[self.n_sought] <= end:
                self.candidates[n] = self.sought[self.n_sought]
                self.n_sought += 1
                n += 1
            if n == _BLOCK:  # there may be more
                self.target = self.candidates[n - 1] + 1
            return n
        row = self.row[0]
        while row < _BLOCK and self.docs[row] <= end:
            self.candidates[n], self.rows[n] = self.docs[row], row
            row += 1
            n += 1
        self.row[0] = row
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        c=cython.longlong,
        m=cython.longlong,
        earlier=cython.longlong,
        at=cython.longlong,
        low=cython.longlong,
        stop=cython.longlong,
        step=cython.longlong,
        doc=cython.int,
        other=cython.int,
    )
    def keep_common(self, t: cython.longlong, n: cython.longlong) -> cython.longlong:
        """Keep the candidates that are in the block of a term, and their rows there; return how many there are."""
        if self.load(t) < 0:
            return _DAMAGED
        # The order of the numbers cannot be predicted, so no branch depends on it.
        at, c, m = t * _BLOCK, 0, 0
        low, stop = at + self.row[t], at + self.blocks.counts[self.block[t]]
        if _FEW * n < stop - low:
            for c in range(n):
                doc, low, step = self.candidates[c], at, _BLOCK >> 1
                while step:
                    low += step if self.docs[low + step - 1] < doc else 0
                    step >>= 1
                self.kept[m], self.rows[at + m] = c, low - at
                m += self.docs[low] == doc
        else:
            while c < n and low < stop:
                doc, other = self.candidates[c], self.docs[low]
                self.kept[m], self.rows[at + m] = c, low - at
                m += doc == other
                c += doc <= other
                low += other <= doc
            self.row[t] = low - at
        for c in range(m):
            self.candidates[c] = self.candidates[self.kept[c]]
        for earlier in range(t):
            for c in range(m):
                self.rows[earlier * _BLOCK + c] = self.rows[earlier * _BLOCK + self.kept[c]]
        return m

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(n=cython.longlong, last=cython.longlong)
    def decode(self, b: cython.longlong, at: cython.longlong) -> cython.longlong:
        """Decode the documents of a block."""
        n, start, last = self.blocks.counts[b], self.blocks.starts[b], self.blocks.last_docs[b]
        end = start + n * (self.blocks.gap_bits[b] + self.blocks.tf_bits[b])
        if not (0 < n <= _BLOCK and self.blocks.gap_bits[b] <= 32 and self.blocks.tf_bits[b] <= 32):
            return _DAMAGED
        if not (0 <= start <= end <= self.n_bits and -1 <= self.blocks.before[b] < last < self.n_docs):
            return _DAMAGED
        end = read_documents(self.words, start, self.blocks.gap_bits[b], self.blocks.before[b], self.docs, at, n)
        return 0 if end == last else _DAMAGED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def place(self, t: cython.longlong) -> cython.longlong:
        """Find the frequencies, and where positions begin, of the block of a term that the search has come to."""
        # A group of blocks tells where its first positions begin; so earlier blocks of the group may be decoded too.
        b = c = self.block[t]
        number = b + self.shift[t]
        bit = self.position[b]
        if not 0 <= number < self.positions.n_blocks:
            return _DAMAGED
        while bit < 0 and (c + self.shift[t]) % self.positions.group:
            c -= 1
            if c < 0:
                return _DAMAGED
            bit = self.position[c]
        number //= self.positions.group
        if bit < 0:
            bit = self.positions.offsets[number]
        end = min(self.positions.offsets[number + 1], self.positions.n_bits)
        while c < b:
            state = self.decode(c, self.room * _BLOCK)
            if state == 0:
                self.position[c] = bit
                bit = state = self.place_block(self.room, c, self.shift[t], bit)
            if state < 0 or bit > end:
                return _DAMAGED
            c += 1
        if bit < 0:
            return _DAMAGED
        self.position[b] = bit
        state = self.place_block(t, b, self.shift[t], bit)
        if state < 0 or state > end:
            return _DAMAGED
        self.positions.pages.need(bit >> 6, (state + 63) >> 6)
        self.placed[t] = b
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(tf_bits=cython.longlong, position=cython.ulonglong)
    def place_block(
        self, row: cython.longlong, b: cython.longlong, shift: cython.longlong, bit: cython.longlong
    ) -> cython.longlong:
        """Find the same of a block that is decoded in a row, whose positions begin at a bit; return the bit after."""
        tf_bits, highest, block_bits = self.blocks.tf_bits[b], 0, self.positions.block_bits[b + shift]
        mask = (cython.cast(cython.ulonglong, 1) << tf_bits) - 1
        position = self.blocks.starts[b] + self.blocks.counts[b] * cython.cast(cython.longlong, self.blocks.gap_bits[b])
        for at in range(row * _BLOCK, row * _BLOCK + self.blocks.counts[b]):
            count = number_at(self.words, position, mask) + 1
            position += tf_bits
            width = min(block_bits, self.positions.place_bits[self.docs[at]])
            self.tf[at], self.bits[at], self.widths[at] = count, bit, width
            highest = max(highest, count)
            bit += count * width
        return bit if highest <= self.blocks.highest_tf[b] else _DAMAGED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(width=cython.longlong)
    def add(self, c: cython.longlong) -> cython.longlong:
        """Add a candidate, which contains all terms, to the documents that are found."""
        for t in range(self.n):
            b, row = self.block[t], self.rows[t * _BLOCK + c]
            width = self.blocks.tf_bits[b]
            position = self.blocks.starts[b] + self.blocks.counts[b] * self.blocks.gap_bits[b] + row * width
            count = number_at(self.words, position, (cython.cast(cython.ulonglong, 1) << width) - 1) + 1
            if count > self.blocks.highest_tf[b]:
                return _DAMAGED
            self.counts[self.rank[t] * self.most + self.n_found] = count
            if self.located:
                self.first_bits[self.n_found], self.first_widths[self.n_found] = self.bits[row], self.widths[row]
        self.common[self.n_found] = self.candidates[c]
        self.n_found += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        count=cython.longlong,
        bit=cython.ulonglong,
        other_bit=cython.ulonglong,
        width=cython.ulonglong,
        other_width=cython.ulonglong,
    )
    def add_phrase(self, c: cython.longlong) -> cython.longlong:
        """Add a candidate, which contains all terms, to the documents that are found if it contains the phrase."""
        # Where the phrase would start is read from the first two words in turn, then looked for in the others.
        # No start is below 0; before the first position of a word is -1.
        w, one, other, count, entered = min(1, self.n_words - 1), -1, -1, 0, False
        at = self.term[0] * _BLOCK + self.rows[self.term[0] * _BLOCK + c]
        rest, bit, width = self.tf[at], self.bits[at], self.widths[at]
        mask = (cython.cast(cython.ulonglong, 1) << width) - 1
        at = self.term[w] * _BLOCK + self.rows[self.term[w] * _BLOCK + c]
        other_rest, other_bit, other_width = self.tf[at], self.bits[at], self.widths[at]
        other_mask = (cython.cast(cython.ulonglong, 1) << other_width) - 1
        distance = self.distance[w] - self.distance[0]
        while rest > 0:
            one += number_at(self.positions.words, bit, mask) + 1
            bit += width
            rest -= 1
            while other < one + distance and other_rest > 0:
                other += number_at(self.positions.words, other_bit, other_mask) + 1
                other_bit += other_width
                other_rest -= 1
            if other < one + distance:
                break
            if other == one + distance and other >= 0:
                if self.n_words > 2 and not entered:
                    self.enter_others(c)
                    entered = True
                count += self.others_follow(one - self.distance[0])
        if count > 0:
            if self.n_found == self.most or max(one, other) >= self.positions.n_places[self.candidates[c]]:
                return _DAMAGED
            self.common[self.n_found], self.counts[self.n_found] = self.candidates[c], count
            self.n_found += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter_others(self, c: cython.longlong) -> cython.int:
        """Begin to read the positions of the words after the first two in a candidate."""
        for w in range(2, self.n_words):
            at = self.term[w] * _BLOCK + self.rows[self.term[w] * _BLOCK + c]
            self.bit[w], self.width[w], self.rest[w] = self.bits[at], self.widths[at], self.tf[at]
            self.mask[w], self.start[w] = (cython.cast(cython.ulonglong, 1) << self.widths[at]) - 1, -1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def others_follow(self, start: cython.longlong) -> cython.bint:
        """True if the words after the first two stand in their places of a phrase; starts must rise."""
        for w in range(2, self.n_words):
            place, sought = self.start[w], start + self.distance[w]
            while place < sought and self.rest[w] > 0:
                place += number_at(self.positions.words, self.bit[w], self.mask[w]) + 1
                self.bit[w] += cython.cast(cython.ulonglong, self.width[w])
                self.rest[w] -= 1
            self.start[w] = place
            if place != sought or place < 0:
                return False
        return True
