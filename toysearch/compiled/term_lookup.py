"""Terms of an index looked up in its columns: the number of a string, and the blocks of a term.

The columns may be mapped from files. Then a page is verified just before it is first read, by a call to Python. So a
query reads the pages of its own terms only, without any array that is as long as the index.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8

N_ROWS = 8
"""The rows of blocks: those of `compiled.bit_packing`, then a lower bound of the lengths of documents."""

N_STATISTICS = 5
"""The numbers that `block_max` keeps of a term."""

BLOCK = cython.declare(cython.longlong, 128)  # postings
LARGE = cython.declare(cython.longlong, 255)  # the byte that stands for a large number
MOST_BITS = cython.declare(cython.longlong, 32)
MOST = cython.declare(cython.longlong, (1 << 31) - 1)


def _view(array: Any) -> Any:
    """The numbers of an array; in plain Python they are Python's own."""
    return memoryview(array)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bit_length(number: cython.longlong) -> cython.longlong:
    """The number of bits of a whole number; 0 for 0."""
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
    """At least 32 bits of the words, from a position on."""
    word: cython.Py_ssize_t = position >> 5
    number: cython.ulonglong = words[word + 1]
    return (number << 32 | words[word]) >> (position & 31)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(number=cython.ulonglong, mask=cython.ulonglong, bits=cython.ulonglong, end=cython.Py_ssize_t)
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
    """The pages of a mapped column, verified before they are read; none of a column in memory."""

    def __init__(self, values: Any) -> None:
        self.paged = values
        mapped = hasattr(values, "unverified")
        self.right = _view(values.right if mapped else np.empty(0, np.uint8))
        place: Any = values.place if mapped else (0, 1, 0)
        self.offset, self.width, self.shift = place

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(page=cython.longlong, last=cython.longlong)
    def need(self, start: cython.longlong, stop: cython.longlong) -> cython.int:
        """Verify the pages with the numbers from start up to stop, which the column has."""
        if self.right.shape[0] and start < stop:
            last = (stop * self.width + self.offset - 1) >> self.shift
            for page in range((start * self.width + self.offset) >> self.shift, last + 1):
                if not self.right[page]:
                    with cython.gil:
                        self.paged.verify_pages(page, last)
                    break
        return 0


@cython.final
@cython.cclass
class StringTable:
    """Strings in two arrays: their UTF-8 bytes and the offset of each, of which a query reads a few."""

    cython.declare(blob=cython.const[cython.uchar][::1], offsets=cython.const[cython.longlong][::1], n=cython.longlong)
    pages: Pages

    def __init__(self, blob: Any, offsets: Any) -> None:
        self.pages, self.n = Pages(blob), len(offsets) - 1
        self.blob, self.offsets = _view(getattr(blob, "unverified", blob)), _view(offsets)

    @cython.locals(start=cython.longlong, stop=cython.longlong, number=cython.longlong, i=cython.Py_ssize_t)
    def take(self, places: Any) -> list[str]:
        """The strings in some places; UnicodeDecodeError if one is not UTF-8."""
        numbers: cython.const[cython.longlong][::1] = _view(np.ascontiguousarray(places, np.int64))
        strings: list[str] = []
        for i in range(numbers.shape[0]):
            number = numbers[i]
            if not 0 <= number < self.n:
                raise IndexError("there is no such string")
            start, stop = self.offsets[number], self.offsets[number + 1]
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

    @cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
    def find(self, raw: bytes) -> int:
        """The position of a string among sorted ones, -1 if it is absent."""
        key: cython.const[cython.uchar][::1] = _view(raw)
        low, high = 0, self.n
        while low < high:
            middle = (low + high) >> 1
            if self.compared(middle, key) < 0:
                low = middle + 1
            else:
                high = middle
        return low if low < self.n and self.compared(low, key) == 0 else -1

    @cython.cfunc
    @cython.exceptval(-2)
    @cython.locals(
        start=cython.longlong, stop=cython.longlong, size=cython.longlong, j=cython.longlong, n=cython.longlong
    )
    def compared(self, number: cython.longlong, key: cython.const[cython.uchar][::1]) -> cython.int:
        """-1, 0 or 1: whether a string is less than a key, equal to it, or greater."""
        start, stop, n = self.offsets[number], self.offsets[number + 1], key.shape[0]
        if not 0 <= start <= stop <= self.blob.shape[0]:
            raise IndexError("a string is outside its array")
        self.pages.need(start, stop)
        size = stop - start
        for j in range(min(size, n)):
            if self.blob[start + j] != key[j]:
                return -1 if self.blob[start + j] < key[j] else 1
        return (size > n) - (size < n)


@cython.final
@cython.cclass
class NumberColumn:
    """Whole numbers, one byte each; if there are large ones, 255 stands for the next of them."""

    cython.declare(
        small=cython.const[cython.uchar][::1],
        large=cython.const[cython.longlong][::1],
        marked=cython.bint,  # whether there are large ones
        next=cython.longlong,  # the number of large ones before the number that is read next
    )
    pages: Pages

    def __init__(self, small: Any, large: Any) -> None:
        # large: an array; None if a byte of 255 is a number like any other.
        self.pages, self.marked, self.next = Pages(small), large is not None, 0
        self.small = _view(getattr(small, "unverified", small))
        self.large = _view(np.empty(0, np.int64) if large is None else large)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.locals(number=cython.longlong)
    def read(self, place: cython.longlong) -> cython.longlong:
        """The number at a place, if `next` is right; -1 if large numbers do not fit the small ones."""
        number = self.small[place]
        if self.marked and number == LARGE:
            if self.next >= self.large.shape[0] or self.large[self.next] < LARGE:
                return -1
            number = self.large[self.next]
            self.next += 1
        return number


@cython.final
@cython.cclass
class TermBlocks:
    """The blocks of single terms, found by reading the group of each: nothing else is computed for the index."""

    cython.declare(
        groups=cython.const[cython.longlong][:, ::1],  # (n_groups + 1, 5) `posting_blocks.starts_of_groups`
        group=cython.longlong,  # terms in a group
        n_terms=cython.longlong,
        n_docs=cython.longlong,
        n_blocks=cython.longlong,
        n_bits=cython.longlong,
        gap_bits=cython.const[cython.uchar][::1],
        last_docs=cython.const[cython.int][::1],
        least_dl=cython.const[cython.int][::1],  # empty if they are bytes
        least_bytes=cython.const[cython.uchar][::1],  # 255 stands for 255 or more
        # of the term that was found last
        df_found=cython.longlong,
        first_block=cython.longlong,
        first_bit=cython.longlong,
        large_before=cython.longlong,  # the number of large frequencies before its blocks
    )
    df: NumberColumn
    highest_tf: NumberColumn
    gap_pages: Pages
    last_pages: Pages
    least_pages: Pages
    word_pages: Pages

    def __init__(
        self, groups: Any, group: int, df: NumberColumn, highest_tf: NumberColumn, columns: Any, n_docs: int
    ) -> None:
        # columns: the bits of gaps, last documents, lengths of the shortest documents, and the words of postings.
        self.groups, self.group, self.n_docs = _view(groups), group, n_docs
        self.df_found = self.first_block = self.first_bit = self.large_before = 0
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
        """The document frequencies of terms, without what comes of their blocks; None if their groups are damaged."""
        frequencies = np.empty(len(terms), np.int64)
        numbers: cython.const[cython.longlong][::1] = _view(np.ascontiguousarray(terms, np.int64))
        df: cython.longlong[::1] = _view(frequencies)
        i: cython.Py_ssize_t
        for i in range(len(terms)):
            if self.enter_group(numbers[i]) < 0 or self.read_df(numbers[i]) < 0:
                return None
            df[i] = self.df_found
        return frequencies

    def blocks_of(self, terms: Any) -> tuple[np.ndarray, np.ndarray] | None:
        """Statistics of terms, and their blocks with verified pages; None if their groups are damaged."""
        # Of each term: its first block and the end of its blocks among all, its highest frequency, df, and number.
        n = len(terms)
        places, of_terms = np.empty((3, n), np.int64), np.empty((N_STATISTICS, n), np.int64)
        numbers: cython.const[cython.longlong][::1] = _view(np.ascontiguousarray(terms, np.int64))
        at: cython.longlong[:, ::1] = _view(places)
        to: cython.longlong[:, ::1] = _view(of_terms)
        total: cython.longlong = 0
        i: cython.Py_ssize_t
        for i in range(n):
            if self.enter_group(numbers[i]) < 0 or self.read_group(numbers[i]) < 0:
                return None
            at[0, i], at[1, i], at[2, i] = self.first_block, self.first_bit, self.large_before
            to[0, i], to[3, i], to[4, i] = total, self.df_found, numbers[i]
            total += (self.df_found + BLOCK - 1) // BLOCK
            to[1, i] = total
        blocks = np.empty((N_ROWS, total), np.int64)
        rows: cython.longlong[:, ::1] = _view(blocks)
        for i in range(n):
            self.first_block, self.first_bit, self.highest_tf.next = at[0, i], at[1, i], at[2, i]
            to[2, i] = self.fill(rows, to[0, i], to[3, i], 0)
            if to[2, i] < 0:
                return None
        return of_terms, blocks

    @cython.locals(place=cython.longlong, df=cython.longlong, first=cython.longlong, n=cython.longlong)
    def opened(self, term: int, group: int) -> tuple[int, int, np.ndarray] | None:
        """The df, the first block, and the blocks of a term after those before it in the same group of blocks."""
        number: cython.longlong = term
        if self.enter_group(number) < 0 or self.read_group(number) < 0:
            return None
        df, first = self.df_found, self.first_block
        place = first % cython.cast(cython.longlong, group)
        blocks = np.empty((N_ROWS, place + (df + BLOCK - 1) // BLOCK), np.int64)
        rows: cython.longlong[:, ::1] = _view(blocks)
        self.highest_tf.next = self.large_before
        if self.fill(rows, place, df, 0) < 0:
            return None
        while place > 0:
            number -= 1
            if number < 0 or self.enter_group(number) < 0 or self.read_group(number) < 0:
                return None
            n = (self.df_found + BLOCK - 1) // BLOCK
            self.highest_tf.next = self.large_before
            if self.fill(rows, max(0, place - n), self.df_found, max(0, n - place)) < 0:
                return None
            place -= n
        return df, first, blocks

    @cython.cfunc
    @cython.exceptval(-1)
    @cython.locals(g=cython.longlong)
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
    @cython.locals(i=cython.longlong)
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
    @cython.locals(
        i=cython.longlong,
        g=cython.longlong,
        df=cython.longlong,
        tf=cython.longlong,
        bits=cython.longlong,
        count=cython.longlong,
        block=cython.longlong,
        last=cython.longlong,
        bit=cython.longlong,
        posting=cython.longlong,
    )
    def read_group(self, term: cython.longlong) -> cython.int:
        """Find the df, the first block and the first bit of a term; -2 if its group contradicts the next one."""
        g = term // self.group
        block, bit, posting = self.first_block, self.first_bit, self.groups[g, 0]
        self.gap_pages.need(block, self.groups[g + 1, 1])
        self.highest_tf.pages.need(block, self.groups[g + 1, 1])
        for i in range(g * self.group, min((g + 1) * self.group, self.n_terms)):
            df = self.df.read(i)
            last = block + (df + BLOCK - 1) // BLOCK - 1
            if not 1 <= df <= self.n_docs or last >= self.groups[g + 1, 1]:
                return -2
            if i == term:
                self.df_found, self.first_block, self.first_bit = df, block, bit
                self.large_before = self.highest_tf.next
            posting += df
            while block <= last:
                count = BLOCK if block < last else (df - 1) % BLOCK + 1
                tf, bits = self.highest_tf.read(block), self.gap_bits[block]
                if not 1 <= tf <= MOST or bits > MOST_BITS:
                    return -2
                bit += count * (bits + bit_length(tf - 1))
                block += 1
        fits = posting == self.groups[g + 1, 0] and block == self.groups[g + 1, 1] and bit == self.groups[g + 1, 2]
        fits = fits and self.df.next == self.groups[g + 1, 3] and self.highest_tf.next == self.groups[g + 1, 4]
        return 0 if fits else -2

    @cython.cfunc
    @cython.exceptval(-1)
    @cython.locals(
        block=cython.longlong,
        last=cython.longlong,
        before=cython.longlong,
        bit=cython.longlong,
        tf=cython.longlong,
        highest=cython.longlong,
        count=cython.longlong,
    )
    def fill(
        self, rows: cython.longlong[:, ::1], place: cython.longlong, df: cython.longlong, skipped: cython.longlong
    ) -> cython.longlong:
        """Fill in the blocks of the term that was found but the first ones, and return its highest frequency.

        If one is damaged, it is -2.
        """
        last, before, bit, highest = self.first_block + (df + BLOCK - 1) // BLOCK - 1, -1, self.first_bit, 0
        start: cython.longlong = bit
        self.last_pages.need(self.first_block + max(0, skipped - 1), last + 1)
        self.least_pages.need(self.first_block + skipped, last + 1)
        for block in range(self.first_block, last + 1):
            count, tf = BLOCK if block < last else (df - 1) % BLOCK + 1, self.highest_tf.read(block)
            if block < self.first_block + skipped:
                bit += count * (self.gap_bits[block] + bit_length(tf - 1))
                before, start = self.last_docs[block], bit
                continue
            rows[0, place], rows[1, place], rows[2, place] = bit, count, self.gap_bits[block]
            rows[3, place], rows[4, place], rows[5, place] = bit_length(tf - 1), before, self.last_docs[block]
            rows[6, place] = tf
            rows[7, place] = self.least_bytes[block] if self.least_dl.shape[0] == 0 else self.least_dl[block]
            if not 0 <= rows[5, place] < self.n_docs:
                return -2
            bit += count * (rows[2, place] + rows[3, place])
            before, highest = rows[5, place], max(highest, tf)
            place += 1
        self.word_pages.need(start >> 6, (bit + 63) >> 6)
        return highest
