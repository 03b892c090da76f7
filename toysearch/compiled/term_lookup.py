"""Look-up of the terms of an index in its columns: the number of a string, and the blocks of a term.

The columns may be mapped from files. Then a page is verified just before it is first read, by a call to Python. So a
query reads the pages of its own terms only, without any array that is as long as the index.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any
from zlib import crc32

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8

BLOCK = cython.declare(cython.longlong, 128)  # postings
LARGE = cython.declare(cython.longlong, 255)  # the byte that stands for a large number
MOST_BITS = cython.declare(cython.longlong, 32)
MOST = cython.declare(cython.longlong, (1 << 31) - 1)
BITS = cython.declare(cython.longlong, 0x4444444433332210)  # of the numbers below 16, in four bits each


def _view(array: Any) -> Any:
    return memoryview(array)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bit_length(number: cython.longlong) -> cython.longlong:
    """Return the number of bits of a whole number; 0 for 0."""
    if number < 16:  # as usual: without a branch that depends on the number
        return BITS >> 4 * number & 15
    bits: cython.longlong = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bits_at(words: cython.const[cython.uint][::1], position: cython.ulonglong) -> cython.ulonglong:
    """Read at least 32 bits of the words, from a position on."""
    word: cython.Py_ssize_t = position >> 5
    number: cython.ulonglong = words[word + 1]
    return (number << 32 | words[word]) >> (position & 31)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(bits=cython.ulonglong, end=cython.Py_ssize_t)
def read_documents(
    words: cython.const[cython.uint][::1],
    position: cython.ulonglong,
    width: cython.longlong,
    before: cython.longlong,
    docs: cython.int[::1],
    first: cython.Py_ssize_t,
    n: cython.longlong,
) -> cython.longlong:
    """Decode the documents of a block into `docs` from the one before it, and return the last."""
    j: cython.Py_ssize_t = first
    doc: cython.longlong = before
    mask, end, bits = (cython.cast(cython.ulonglong, 1) << width) - 1, j + n, width
    if width <= 8:  # several numbers are read at once, with up to 32 bits
        while j + 4 <= end:
            number = bits_at(words, position)
            doc += 1 + cython.cast(cython.longlong, number & mask)
            docs[j] = cython.cast(cython.int, doc & 0x7FFFFFFF)
            doc += 1 + cython.cast(cython.longlong, number >> bits & mask)
            docs[j + 1] = cython.cast(cython.int, doc & 0x7FFFFFFF)
            doc += 1 + cython.cast(cython.longlong, number >> 2 * bits & mask)
            docs[j + 2] = cython.cast(cython.int, doc & 0x7FFFFFFF)
            doc += 1 + cython.cast(cython.longlong, number >> 3 * bits & mask)
            docs[j + 3] = cython.cast(cython.int, doc & 0x7FFFFFFF)
            position += 4 * bits
            j += 4
    elif width <= 16:
        while j + 2 <= end:
            number = bits_at(words, position)
            doc += 1 + cython.cast(cython.longlong, number & mask)
            docs[j] = cython.cast(cython.int, doc & 0x7FFFFFFF)
            doc += 1 + cython.cast(cython.longlong, number >> bits & mask)
            docs[j + 1] = cython.cast(cython.int, doc & 0x7FFFFFFF)
            position += 2 * bits
            j += 2
    while j < end:
        doc += 1 + cython.cast(cython.longlong, bits_at(words, position) & mask)
        docs[j] = cython.cast(cython.int, doc & 0x7FFFFFFF)
        position += bits
        j += 1
    return doc


@cython.final
@cython.cclass
class Pages:
    """Pages of a mapped column, verified before they are read; none of a column in memory."""

    def __init__(self, values: Any) -> None:
        self.paged = values
        mapped = hasattr(values, "unverified")
        self.right = _view(values.right if mapped else np.empty(0, np.uint8))
        self.sums = _view(values.sums if mapped else np.empty(0, np.uint32))
        self.content = values.content if mapped else None
        place: Any = values.place if mapped else (0, 1, 0)
        self.offset, self.width, self.shift = place

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def need(self, start: cython.longlong, stop: cython.longlong) -> cython.int:
        """Verify the pages with the numbers from start up to stop, which the column has."""
        if self.right.shape[0] and start < stop:
            last = (stop * self.width + self.offset - 1) >> self.shift
            for page in range((start * self.width + self.offset) >> self.shift, last + 1):
                if not self.right[page]:
                    with cython.gil:
                        self.verify(page)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def verify(self, page: cython.longlong) -> cython.int:
        """Compare a page with its checksum."""
        if crc32(self.content[page << self.shift : (page + 1) << self.shift]) != self.sums[page]:
            self.paged.verify_pages(page, page)  # which says what is damaged
        self.right[page] = 1
        return 0


@cython.final
@cython.cclass
class StringTable:
    """Strings, of which a query reads a few: their UTF-8 bytes, and the offset of each or of every 64th."""

    cython.declare(
        blob=cython.const[cython.uchar][::1],
        offsets=cython.const[cython.longlong][::1],
        lengths=cython.const[cython.uchar][::1],  # if the offsets are those of every 64th string
        n=cython.longlong,
    )
    pages: Pages

    def __init__(self, blob: Any, offsets: Any, lengths: Any = b"") -> None:
        self.pages, self.n = Pages(blob), len(lengths) or len(offsets) - 1
        self.blob, self.offsets = _view(getattr(blob, "unverified", blob)), _view(offsets)
        self.lengths = _view(lengths)

    def take(self, places: Any) -> list[str]:
        """Return the strings in some places; UnicodeDecodeError if one is not UTF-8."""
        numbers: cython.const[cython.longlong][::1] = _view(np.ascontiguousarray(places, np.int64))
        strings: list[str] = []
        for i in range(numbers.shape[0]):
            number = numbers[i]
            if not 0 <= number < self.n:
                raise IndexError("there is no such string")
            start, stop = self.start(number), self.start(number + 1)
            if not 0 <= start <= stop <= self.blob.shape[0]:
                raise IndexError("a string is outside its array")
            self.pages.need(start, stop)
            if start == stop:
                strings.append("")
            elif cython.compiled:
                first = cython.cast(cython.p_char, cython.address(self.blob[start]))
                strings.append(PyUnicode_DecodeUTF8(first, stop - start, cython.NULL))
            else:
                strings.append(str(self.blob[start:stop], "utf-8"))
        return strings

    def positions(self, strings: list[str], known: Any) -> list[int]:
        """Find the positions of strings among sorted ones, -1 for absent ones; add those found to the known ones."""
        positions: list[int] = []
        for string in strings:
            position = known.get(string)
            if position is None:
                position = self.find(string.encode("utf-8", "surrogatepass"))
                if position >= 0:  # absent strings would only fill the memory
                    known[string] = position
            positions.append(position)
        return positions

    @cython.cfunc
    @cython.exceptval(check=False)
    def start(self, number: cython.longlong) -> cython.longlong:
        """Return where a string begins, or where the last one ends."""
        if self.lengths.shape[0] == 0:
            return self.offsets[number]
        start = self.offsets[number >> 6]
        for i in range(number & ~63, number):
            start += self.lengths[i]
        return start

    @cython.ccall
    @cython.exceptval(-2)
    def find(self, raw: bytes) -> cython.longlong:
        """Find the position of a string among sorted strings, -1 if it is absent."""
        low, high = 0, self.n
        while low < high:
            middle = (low + high) >> 1
            if high - low > 128:  # its start is known then, without adding up lengths
                middle &= ~63
            if self.compared(middle, raw) < 0:
                low = middle + 1
            else:
                high = middle
        return low if low < self.n and self.compared(low, raw) == 0 else -1

    @cython.cfunc
    @cython.exceptval(-2)
    @cython.locals(n=cython.longlong, byte=cython.int)
    def compared(self, number: cython.longlong, key: bytes) -> cython.int:
        """Compare a string with a key: -1 if it is less, 0 if equal, 1 if greater."""
        start, stop, n = self.start(number), self.start(number + 1), len(key)
        if not 0 <= start <= stop <= self.blob.shape[0]:
            raise IndexError("a string is outside its array")
        self.pages.need(start, stop)
        size = stop - start
        for j in range(min(size, n)):
            byte = key[j]
            if self.blob[start + j] != byte:
                return -1 if self.blob[start + j] < byte else 1
        return (size > n) - (size < n)


@cython.final
@cython.cclass
class WordAutomaton:
    """Automaton of `fuzzy_and_wildcard_terms` for a word, which tells how many edits turn strings into the word."""

    cython.declare(
        text=cython.const[cython.uchar][::1],  # of the strings
        places=cython.ulonglong[::1],  # by character below 256: bit i is set if it is character i, counted from 1
        others=dict,  # the same for other characters
        every=cython.ulonglong,  # a bit for each number of characters
        ends=cython.ulonglong,
        edits=cython.longlong,  # the most
    )

    @cython.locals(i=cython.longlong, n=cython.longlong, shortest=cython.longlong, letter=cython.longlong)
    def __init__(self, text: cython.const[cython.uchar][::1], word: str, edits: int, ending: int) -> None:
        n, shortest, self.edits, self.text = len(word), max(len(word) - ending, 0), edits, text
        if n > 62 or not 0 <= self.edits <= 2:
            raise ValueError("the word is too long, or there are too many edits")
        one: cython.ulonglong = 1
        self.every = (one << (n + 1)) - 1
        self.ends = self.every & ~((one << shortest) - 1)
        self.places, self.others = _view(np.zeros(256, np.uint64)), dict[int, int]()
        for i in range(n):
            letter = ord(word[i])
            if letter < 256:
                self.places[letter] |= one << (i + 1)
            else:
                self.others[letter] = self.others.get(letter, 0) | one << (i + 1)

    @cython.cfunc
    @cython.exceptval(-1)
    @cython.locals(
        size=cython.longlong,
        letter=cython.longlong,
        more=cython.longlong,
        places=cython.ulonglong,
        last=cython.ulonglong,
        exchanged=cython.ulonglong,
        now_0=cython.ulonglong,
        now_1=cython.ulonglong,
        now_2=cython.ulonglong,
        before_0=cython.ulonglong,
        before_1=cython.ulonglong,
        next_0=cython.ulonglong,
        next_1=cython.ulonglong,
        next_2=cython.ulonglong,
    )
    def distance(self, at: cython.longlong, length: cython.longlong) -> cython.longlong:
        """Return the distance of a string from the word; 3 or more if it is larger than the edits allowed."""
        # The automaton of `fuzzy_and_wildcard_terms`: the states after no, one and two edits.
        size = self.text.shape[0]
        now_0, now_1, now_2, before_0, before_1, last = 1, 3, 7, 0, 0, 0
        for _ in range(length):
            if size == 0:
                return 3
            letter = self.text[min(max(at, 0), size - 1)]  # beyond the end, and in damaged text, any character
            at, more = at + 1, (letter >= 0xC0) + (letter >= 0xE0) + (letter >= 0xF0)
            if letter >= 0x80:
                letter &= 0x1F if more == 1 else 0x0F if more == 2 else 0x07 if more == 3 else 0x7F
                while more > 0:
                    letter = letter << 6 | (self.text[min(max(at, 0), size - 1)] & 0x3F)
                    at, more = at + 1, more - 1
            places = self.places[letter] if letter < 256 else self.others.get(letter, 0) if self.others else 0
            exchanged = (places << 1) & last
            next_0 = (now_0 << 1) & places & self.every
            next_1 = ((now_1 << 1) & places) | (now_0 << 1) | now_0 | ((before_0 << 2) & exchanged) | (next_0 << 1)
            next_1 &= self.every
            next_2 = ((now_2 << 1) & places) | (now_1 << 1) | now_1 | ((before_1 << 2) & exchanged) | (next_1 << 1)
            next_2 &= self.every
            if (next_2 if self.edits > 1 else next_1) == 0:
                return 3
            before_0, before_1, last = now_0, now_1, places
            now_0, now_1, now_2 = next_0, next_1, next_2
        return 3 - ((now_0 & self.ends != 0) + (now_1 & self.ends != 0) + (now_2 & self.ends != 0))


@cython.final
@cython.cclass
class NearStrings:
    """Strings by length, with the sets of their letters: one pass finds those that are near a word."""

    cython.declare(
        text=cython.const[cython.uchar][::1],
        offsets=cython.const[cython.longlong][::1],
        # from the shortest string to the longest
        order=cython.const[cython.longlong][::1],
        sets=cython.const[cython.ulonglong][::1],
        lengths=cython.const[cython.int][::1],  # characters
        n=cython.longlong,
    )

    def __init__(self, text: Any, offsets: Any, sets: Any, lengths: Any) -> None:
        if not len(offsets) - 1 == len(sets) == len(lengths):
            raise ValueError("the columns are not of one length")
        order = np.argsort(lengths, kind="stable")
        self.text, self.offsets, self.order, self.n = _view(text), _view(offsets), _view(order), len(sets)
        self.sets, self.lengths = _view(sets[order]), _view(lengths[order])

    @cython.locals(
        i=cython.longlong,
        longest=cython.longlong,
        most=cython.longlong,
        letters=cython.ulonglong,
        least=cython.ulonglong,
        more=cython.ulonglong,
        fewer=cython.ulonglong,
    )
    def near(self, word: str, edits: int, ending: int, sets: tuple[int, int]) -> tuple[list[int], list[int]]:
        """Find the strings that at most two edits turn into a word, or it without an ending; also return the edits."""
        # word: at most 62 characters; sets: of its letters, and of those before an ending of so many letters.
        automaton: WordAutomaton = WordAutomaton(self.text, word, edits, ending)
        letters, least = sets
        numbers: list[int] = []
        distances: list[int] = []
        most, longest = edits, len(word) + edits
        i = bisect_left(self.lengths, max(len(word) - ending, 0) - edits)
        while i < self.n and self.lengths[i] <= longest:
            more, fewer = self.sets[i] & ~letters, least & ~self.sets[i]  # an edit adds, or takes away, one at most
            if most > 0:
                more, fewer = more & (more - 1), fewer & (fewer - 1)
            if most > 1:
                more, fewer = more & (more - 1), fewer & (fewer - 1)
            if more | fewer == 0:
                distance = automaton.distance(self.offsets[self.order[i]], self.lengths[i])
                if distance <= most:
                    numbers.append(self.order[i])
                    distances.append(distance)
            i += 1
        return numbers, distances


@cython.final
@cython.cclass
class NumberColumn:
    """Whole numbers, one byte each; if there are large ones, 255 stands for the next of them."""

    def __init__(self, small: Any, large: Any) -> None:
        # large: an array; None if a byte of 255 is a number like any other.
        self.pages, self.marked, self.next = Pages(small), large is not None, 0
        self.small = _view(getattr(small, "unverified", small))
        self.large = _view(np.empty(0, np.int64) if large is None else large)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def read(self, place: cython.longlong) -> cython.longlong:
        """Read the number at a place, if `next` is right; -1 if large numbers do not fit the small ones."""
        number = self.small[place]
        if number == LARGE:
            if self.marked:
                if self.next >= self.large.shape[0] or self.large[self.next] < LARGE:
                    return -1
                number = self.large[self.next]
            self.next += 1
        return number


@cython.final
@cython.cclass
class Blocks:
    """Blocks of packed postings, one number per block in each column; there is room for some number of them."""

    def __init__(self, room: int) -> None:
        types = "u1", "i8", "i4", "u1", "u1", "i4", "i4", "i4"
        self.n, self.arrays = 0, [np.empty(room, column_type) for column_type in types]
        self.counts, self.starts, self.before, self.tf_bits = map(_view, self.arrays[:4])
        self.gap_bits, self.highest_tf, self.last_docs, self.least_dl = map(_view, self.arrays[4:])


@cython.final
@cython.cclass
class TermBlocks:
    """Blocks of single terms, found by reading the group of each: nothing else is computed for the index."""

    def __init__(
        self, groups: Any, group: int, df: NumberColumn, highest_tf: NumberColumn, columns: Any, n_docs: int
    ) -> None:
        # columns: the bits of gaps, last documents, lengths of the shortest documents, and the words of postings.
        self.groups, self.group, self.n_docs = _view(groups), group, n_docs
        self.df_found = self.first_block = self.first_bit = self.large_before = 0
        self.df_read, self.block_read, self.bit_read, self.large_read = map(_view, np.empty((4, group), np.int64))
        self.group_read = -1
        self.df, self.highest_tf, self.n_terms = df, highest_tf, len(df.small)
        self.gap_pages, self.last_pages, self.least_pages, self.word_pages = map(Pages, columns)
        gap_bits, last_docs, least_dl, words = (getattr(column, "unverified", column) for column in columns)
        self.gap_bits, self.last_docs = _view(gap_bits), _view(last_docs)
        self.least_bytes = _view(least_dl if least_dl.dtype == np.uint8 else np.empty(0, np.uint8))
        self.least_dl = _view(np.empty(0, np.int32) if least_dl.dtype == np.uint8 else least_dl)
        self.n_blocks, self.n_bits = len(gap_bits), 64 * (len(words) - 1)
        sizes = {len(gap_bits), len(last_docs), len(least_dl), len(highest_tf.small)}
        if sizes != {self.n_blocks} or groups.shape != (-(-self.n_terms // group) + 1, 5):
            raise ValueError("the columns are not of one length")

    def df_of(self, terms: Any) -> np.ndarray | None:
        """Return the document frequencies of terms, not their blocks; None if their groups are damaged."""
        frequencies = np.empty(len(terms), np.int64)
        numbers: cython.const[cython.longlong][::1] = _view(np.ascontiguousarray(terms, np.int64))
        df: cython.longlong[::1] = _view(frequencies)
        i: cython.Py_ssize_t
        for i in range(len(terms)):
            if self.enter_group(numbers[i]) < 0 or self.read_df(numbers[i]) < 0:
                return None
            df[i] = self.df_found
        return frequencies

    @cython.ccall
    @cython.exceptval(-1)
    def count(self, term: cython.longlong, group: cython.longlong) -> cython.longlong:
        """Count the blocks of a term, and those before it in the same group of blocks; -2 if they are damaged."""
        if self.find_blocks(term) < 0:
            return -2
        return self.first_block % group + ((self.df_found + 127) >> 7)

    @cython.ccall
    @cython.exceptval(-1)
    def add(self, to: Blocks, term: cython.longlong, group: cython.longlong) -> cython.longlong:
        """Add the blocks that were counted, their pages verified; return the highest frequency of the term, or -2."""
        if self.find_blocks(term) < 0:
            return -2
        number, start = term, self.first_block - self.first_block % group
        while self.first_block > start:
            number -= 1
            if number < 0 or self.find_blocks(number) < 0:
                return -2
        while number < term:
            if self.fill(to, start) < 0:
                return -2
            number += 1
            if self.find_blocks(number) < 0:
                return -2
        return self.fill(to, start)

    @cython.cfunc
    @cython.exceptval(-1)
    def enter_group(self, term: cython.longlong) -> cython.int:
        """Begin to read the group of a term; -2 if it is not inside the columns."""
        if not 0 <= term < self.n_terms:
            raise IndexError("there is no such term")
        g = term // self.group
        self.first_block, self.first_bit = self.groups[g, 1], self.groups[g, 2]
        self.df.next, self.highest_tf.next = self.groups[g, 3], self.groups[g, 4]
        inside = 0 <= self.first_block <= self.groups[g + 1, 1] <= self.n_blocks
        inside = inside and 0 <= self.first_bit <= self.groups[g + 1, 2] <= self.n_bits
        if not (inside and self.df.next >= 0 and self.highest_tf.next >= 0):
            return -2
        self.df.pages.need(g * self.group, min((g + 1) * self.group, self.n_terms))
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_df(self, term: cython.longlong) -> cython.int:
        """Find the df of a term; -2 if there is none."""
        if not self.df.marked or self.df.small[term] != LARGE:
            self.df_found = self.df.small[term]
        else:
            for i in range(term // self.group * self.group, term + 1):
                self.df_found = self.df.read(i)
        return 0 if 1 <= self.df_found <= self.n_docs else -2

    @cython.cfunc
    @cython.exceptval(-1)
    def find_blocks(self, term: cython.longlong) -> cython.int:
        """Find the df, the first block and the first bit of a term; -2 if its group contradicts the next one."""
        g = term // self.group
        if self.enter_group(term) < 0 or (self.group_read != g and self.read_group(g) < 0):
            return -2
        i = term - g * self.group
        self.df_found, self.first_block, self.first_bit = self.df_read[i], self.block_read[i], self.bit_read[i]
        self.large_before = self.large_read[i]
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    @cython.locals(bits=cython.longlong, fits=cython.bint)
    def read_group(self, g: cython.longlong) -> cython.int:
        """Read the group that was entered; -2 if it contradicts the next one."""
        self.group_read = -1
        block, bit, posting, stop = self.first_block, self.first_bit, self.groups[g, 0], self.groups[g + 1, 1]
        self.gap_pages.need(block, stop)
        self.highest_tf.pages.need(block, stop)
        for i in range(min(self.group, self.n_terms - g * self.group)):
            df = self.df.read(g * self.group + i)
            last = block + ((df + 127) >> 7) - 1  # of 128 postings: dividing by a variable takes longer
            if not 1 <= df <= self.n_docs or last >= stop:
                return -2
            self.df_read[i], self.block_read[i], self.bit_read[i] = df, block, bit
            self.large_read[i] = self.highest_tf.next
            posting += df
            while block <= last:
                count = 128 if block < last else ((df - 1) & 127) + 1
                tf, bits = self.highest_tf.read(block), self.gap_bits[block]
                if not 1 <= tf <= MOST or bits > MOST_BITS:
                    return -2
                bit += count * (bits + bit_length(tf - 1))
                block += 1
        fits = posting == self.groups[g + 1, 0] and block == self.groups[g + 1, 1] and bit == self.groups[g + 1, 2]
        fits = fits and self.df.next == self.groups[g + 1, 3] and self.highest_tf.next == self.groups[g + 1, 4]
        if fits:
            self.group_read = g
        return 0 if fits else -2

    @cython.cfunc
    @cython.exceptval(-1)
    @cython.locals(doc=cython.longlong, tf_bits=cython.longlong, least=cython.longlong, count=cython.longlong)
    def fill(self, to: Blocks, start: cython.longlong) -> cython.longlong:
        """Add the blocks of the term that was found, from a number on; return its highest frequency, or -2."""
        last: cython.longlong = self.first_block + ((self.df_found + 127) >> 7) - 1
        start = max(start, self.first_block)
        before, bit, highest, place = -1, self.first_bit, 0, to.n
        first_bit: cython.longlong = bit
        if place + last + 1 - start > to.counts.shape[0]:
            raise ValueError("there is no room for these blocks")
        self.highest_tf.next = self.large_before
        self.last_pages.need(max(start - 1, self.first_block), last + 1)
        self.least_pages.need(start, last + 1)
        for block in range(self.first_block, last + 1):
            count, tf = 128 if block < last else ((self.df_found - 1) & 127) + 1, self.highest_tf.read(block)
            doc, tf_bits = self.last_docs[block], bit_length(tf - 1)
            if block < start:
                bit += count * (self.gap_bits[block] + tf_bits)
                before, first_bit = doc, bit
                continue
            if not 0 <= doc < self.n_docs:
                return -2
            least = self.least_bytes[block] if self.least_dl.shape[0] == 0 else self.least_dl[block]
            to.counts[place], to.starts[place], to.gap_bits[place] = count, bit, self.gap_bits[block]
            to.tf_bits[place], to.before[place], to.last_docs[place] = tf_bits, before, doc
            to.highest_tf[place], to.least_dl[place] = tf, least
            bit += count * (self.gap_bits[block] + tf_bits)
            before, highest = doc, max(highest, tf)
            place += 1
        self.word_pages.need(first_bit >> 6, (bit + 63) >> 6)
        to.n = place
        return highest
