"""Search for the k best documents of queries in the packed postings, by MaxScore with block bounds.

The terms are in the canonical order, the rarest first. Documents are searched in windows. In each window, the blocks of
a term bound the weight that the term can add (block-max: Ding & Suel 2011). Once k documents are known, a document that
contains only the last, most frequent terms cannot be among the best (MaxScore: Turtle & Flood 1995). So the search
decodes and adds up the postings of the first terms only. A document remains a candidate if its sum, plus the most that
the other terms can add to a document of its length, reaches the k-th score. The weights of each other term are then
added to the candidates: by decoding all blocks of the term if there are many candidates, or by looking up each one in
its block if there are few.

A weight usually depends only on the term frequency and on the document length. So each term has a table of weights: one
row per term frequency from 1 up, and one column per length that occurs. A second table has, for each frequency and each
group of neighbouring lengths, the highest weight of any pair with no higher frequency and no shorter length. Its entry
for the highest frequency and the least length of a block bounds the block, for any model. If weights depend on other
statistics, or the table would be large, the term has one weight per posting instead, and one bound per block.

Often a weight is (a · b) / c, where a depends on the term alone, and b and c on the term frequency and the length. Then
all terms share the tables of b and c, and that of the bounds of b / c: a term itself has no more than its number a.

Several kinds of objects hold the arrays, so that a query hands over only what belongs to it: `PackedPostings` is opened
once, `WeighedTerms` has the terms that were asked for so far, and each thread has a `MaxScore` with its work arrays.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import sqrt

if cython.compiled:
    from cython.cimports.toysearch.compiled.term_lookup import Blocks, TermBlocks, read_documents
else:
    from toysearch.compiled.term_lookup import Blocks, TermBlocks, read_documents

INF = cython.declare(cython.double, float("inf"))
NAN = cython.declare(cython.double, float("nan"))
BLOCK = cython.declare(cython.longlong, 128)  # the most postings in a block
WIDE = cython.declare(cython.longlong, 255)  # the byte that stands for a number that is as high or higher
LONG = cython.declare(cython.longlong, 1 << 24)  # every document must have fewer tokens
TABLE = cython.declare(cython.longlong, 1 << 11)  # the most weights in the table of a term of the query
LOOK_UP = cython.declare(cython.longlong, 25)  # postings that can be decoded in the time of looking up one document
ROUNDING = cython.declare(cython.double, 2.3e-16)  # an upper bound of the relative error of one float64 operation
HUGE = cython.declare(cython.double, 1e300)  # larger sums may overflow

DOT = cython.declare(cython.longlong, 0)
COSINE = cython.declare(cython.longlong, 1)
DICE = cython.declare(cython.longlong, 2)
JACCARD = cython.declare(cython.longlong, 3)
COSINE_DOCUMENT = cython.declare(cython.longlong, 4)

# Returned instead of a number of documents, or of the place of a weight; -1 is an exception.
DAMAGED = cython.declare(cython.longlong, -2)
NOT_FINITE = cython.declare(cython.longlong, -3)  # a score may not be finite

FEWER = cython.declare(cython.longlong, 16)  # times fewer blocks: reading them takes little beside the search
FEW = cython.declare(cython.longlong, 64)  # fewer scores are sorted by merging, not by their buckets
RUN = cython.declare(cython.longlong, 12)  # positions in a run, which is sorted by insertion
BUCKETS = cython.declare(cython.longlong, 1 << 11)
BUCKET_BITS = cython.declare(cython.longlong, 11)


def _view(array: Any) -> Any:
    return memoryview(array)


@cython.final
@cython.cclass
class DocumentLengths:
    """Length of each document, as the number of a column: those below 255, then the longer ones that occur."""

    cython.declare(
        narrow=cython.const[cython.uchar][::1],  # (N,) the column, up to 254; 255 for this one or a higher one
        wide=cython.ushort[::1],  # of each document with a column of 255 or more; or of all, if they are many
        places=cython.int[::1],  # these documents; empty if `wide` has all
        n_docs=cython.longlong,
    )
    occurring = cython.declare(object, visibility="readonly")  # the lengths of the columns; float64
    below = cython.declare(object, visibility="readonly")  # by length: how many columns are of shorter ones; uint16

    def __init__(self, small: Any, large: Any) -> None:
        # The lengths in one byte each; 255 stands for the next of the large ones. No document is above 1 << 24.
        places = np.flatnonzero(small == WIDE)
        if len(places) != len(large) or (len(large) and not WIDE <= int(large.min()) <= int(large.max()) < LONG):
            raise ValueError("the lengths do not fit each other")
        longer = np.sort(large)
        longer = longer[np.diff(longer, prepend=0) > 0]  # `np.unique` loads a module of masked arrays first
        # An empty document matches no query: its column may have any length.
        self.occurring = np.concatenate([[1.0], np.arange(1.0, WIDE), longer])
        columns = np.searchsorted(longer, np.arange(WIDE, large.max(initial=WIDE - 1) + 1)) + WIDE
        self.below = np.concatenate([np.arange(WIDE), columns]).astype(np.uint16)
        wide, self.n_docs = self.below[large], len(small)
        if len(large) > self.n_docs >> 6:  # a search for each would take long
            of_all = np.zeros(self.n_docs, np.uint16)
            of_all[places] = wide
            wide, places = of_all, places[:0]
        self.narrow, self.wide, self.places = _view(small), _view(wide), _view(places.astype(np.int32))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
    def wide_column(self, doc: cython.longlong) -> cython.longlong:
        """Return the column of a document whose column is 255 or higher."""
        if self.places.shape[0] == 0:
            return self.wide[doc]
        low, high = 0, self.places.shape[0]
        while high - low > 1:
            middle = (low + high) >> 1
            if self.places[middle] <= doc:
                low = middle
            else:
                high = middle
        return self.wide[low]


@cython.final
@cython.cclass
class PackedPostings:
    """Packed postings of an index, the lengths of its documents, and the rule that makes sums of weights scores."""

    cython.declare(
        words=cython.const[cython.uint][::1],
        narrow=cython.const[cython.uchar][::1],  # of the lengths
        kind=cython.longlong,  # DOT or another similarity
        dd=cython.const[cython.double][::1],  # (N,) Σ d² of each document; empty if the similarity does not need it
        least_dd=cython.double,
        n_docs=cython.longlong,
        n_bits=cython.longlong,
    )
    lengths: DocumentLengths

    def __init__(self, words: Any, lengths: DocumentLengths, kind: int, dd: Any, least_dd: float) -> None:
        self.words, self.lengths, self.narrow = _view(words), lengths, lengths.narrow
        self.kind, self.dd, self.least_dd = kind, _view(dd), least_dd
        self.n_docs, self.n_bits = lengths.n_docs, 32 * (len(words) - 2)
        if len(dd) not in (0, self.n_docs):
            raise ValueError("the columns are not of one length")

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def column(self, doc: cython.longlong) -> cython.longlong:
        """Return the column of the length of a document."""
        column: cython.longlong = self.narrow[doc]
        return column if column < WIDE else self.lengths.wide_column(doc)


@cython.final
@cython.cclass
class WeighedTerms:
    """Terms with their blocks and weights, each with a number; there is room for some number of each."""

    cython.declare(
        n_lengths=cython.longlong,  # the columns of the tables
        columns=cython.const[cython.ushort][::1],  # by length; the last one is that of all longer documents
        shift=cython.longlong,  # a bound is for a group of 1 << shift neighbouring lengths
        # of a block
        counts=cython.uchar[::1],
        starts=cython.longlong[::1],
        before=cython.int[::1],
        tf_bits=cython.uchar[::1],
        gap_bits=cython.uchar[::1],
        highest_tf=cython.int[::1],
        last_docs=cython.int[::1],
        shortest=cython.int[::1],  # a column of the tables: no document is shorter
        # of a term
        first=cython.longlong[::1],  # the first block
        stop=cython.longlong[::1],
        rows=cython.longlong[::1],  # of the table; 0 if there is one weight per posting
        place=cython.longlong[::1],  # of the first weight
        bound=cython.longlong[::1],  # the place of the first bound
        size=cython.double[::1],  # the largest finite |weight|
        below=cython.uchar[::1],  # whether a weight is negative
        infinite=cython.uchar[::1],  # whether a weight is infinite
        df=cython.longlong[::1],  # of the whole index; the canonical order of terms is by df
        number=cython.longlong[::1],  # in the index; of terms with one df, the lowest is first
        scale=cython.double[::1],  # the number that stands for a term with shared tables; 1 for others
        shared=cython.uchar[::1],  # whether the tables are those of all such terms
        # of all terms
        weights=cython.double[::1],
        bounds=cython.double[::1],
        # shared: a weight is (scale * over) / under
        over=cython.const[cython.double][::1],
        under=cython.const[cython.double][::1],
        shared_bounds=cython.double[::1],
        shared_size=cython.double,  # the largest of over / under
        n_weights=cython.longlong,
        n_bounds=cython.longlong,
    )
    n_groups = cython.declare(cython.longlong, visibility="readonly")
    n_terms = cython.declare(cython.longlong, visibility="readonly")
    n_shared = cython.declare(cython.longlong, visibility="readonly")  # the rows of the shared tables
    arrays = cython.declare(list, visibility="readonly")  # of the blocks, of the terms, the weights, the bounds
    lengths: DocumentLengths
    blocks: Blocks

    def __init__(self, lengths: DocumentLengths, shift: int, sizes: Any) -> None:
        self.lengths, self.columns, self.n_lengths = lengths, _view(lengths.below), len(lengths.occurring)
        self.shift, self.n_groups = shift, ((self.n_lengths - 1) >> shift) + 1
        n_blocks, n_terms, n_weights, n_bounds = sizes
        self.blocks = blocks = Blocks(n_blocks)
        self.counts, self.starts, self.before = blocks.counts, blocks.starts, blocks.before
        self.tf_bits, self.gap_bits, self.highest_tf = blocks.tf_bits, blocks.gap_bits, blocks.highest_tf
        self.last_docs, self.shortest = blocks.last_docs, blocks.least_dl
        of_terms = "i8", "i8", "i8", "i8", "i8", "f8", "u1", "u1", "i8", "i8", "f8", "u1"
        terms = [np.empty(n_terms, column_type) for column_type in of_terms]
        self.first, self.stop, self.rows, self.place, self.bound = map(_view, terms[:5])
        self.size, self.below, self.infinite, self.df, self.number, self.scale, self.shared = map(_view, terms[5:])
        self.share(np.empty((0, self.n_lengths)), np.empty((0, self.n_lengths)))
        weights, bounds = np.empty(n_weights), np.empty(n_bounds)
        self.weights, self.bounds = _view(weights), _view(bounds)
        self.arrays = [blocks.arrays, terms, [weights], [bounds]]
        self.n_terms = self.n_weights = self.n_bounds = 0

    def sizes(self) -> list[int]:
        """Return the numbers of blocks, terms, weights and bounds."""
        return [self.blocks.n, self.n_terms, self.n_weights, self.n_bounds]

    def n_bytes(self) -> int:
        """Return the memory that the blocks, terms, weights and bounds take."""
        return 28 * self.blocks.n + 75 * self.n_terms + 8 * (self.n_weights + self.n_bounds)

    @cython.locals(i=cython.longlong, j=cython.longlong, start=cython.longlong)
    def with_terms(
        self, lookup: TermBlocks, own: list[int], numbers: list[int], df: Any, scales: Any, slots: Any
    ) -> tuple[WeighedTerms, list[tuple[int, int, int, int, int]] | None]:
        """Add the blocks of terms to a copy, and the terms that `add_shared` can add; return the other entries.

        None instead of the entries if the blocks are damaged.
        """
        # own: their numbers in the postings; numbers, df: those in the whole index; df: None if they are the same.
        other: WeighedTerms = self
        entries: list[Any] = []
        for i in range(len(own)):
            n = lookup.count(own[i], 1)
            if n < 0:
                return self, None
            other = other.with_room(n, 0, 0, 0)
            start = other.blocks.n
            highest = lookup.add(other.blocks, own[i], 1)
            if highest < 0:
                return self, None
            for j in range(start, start + n):
                other.shortest[j] = self.columns[min(max(other.shortest[j], 0), self.columns.shape[0] - 1)]
            entries.append((start, start + n, highest, lookup.df_found if df is None else df[i], numbers[i]))
        other = other.with_room(0, len(own), 0, 0)
        return other, other.add_shared(entries, scales, slots)

    @cython.ccall
    def with_room(
        self, n_blocks: cython.longlong, n_terms: cython.longlong, n_weights: cython.longlong, n_bounds: cython.longlong
    ) -> WeighedTerms:
        """Copy these terms, with room for so many more blocks, terms, weights and bounds."""
        if self.has_room(n_blocks, n_terms, n_weights, n_bounds):
            return self
        # Memory that is not used yet costs nothing.
        more = n_blocks, n_terms, n_weights, n_bounds
        return self.copied([4 * (size + added) + 64 for size, added in zip(self.sizes(), more, strict=True)])

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def has_room(
        self, n_blocks: cython.longlong, n_terms: cython.longlong, n_weights: cython.longlong, n_bounds: cython.longlong
    ) -> cython.bint:
        """True if there is room for so many more blocks, terms, weights and bounds."""
        return (
            self.blocks.n + n_blocks <= self.counts.shape[0]
            and self.n_terms + n_terms <= self.first.shape[0]
            and self.n_weights + n_weights <= self.weights.shape[0]
            and self.n_bounds + n_bounds <= self.bounds.shape[0]
        )

    def with_shared(self, over: np.ndarray, under: np.ndarray) -> WeighedTerms:
        """Copy these terms, with other shared tables: one row per term frequency, one column per length; positive."""
        other = self.copied([len(arrays[0]) for arrays in self.arrays])
        other.share(over, under)
        return other

    def copied(self, room: Any) -> WeighedTerms:
        """Copy these terms, because other threads may be searching."""
        sizes = self.sizes()
        other = WeighedTerms(self.lengths, self.shift, room)
        for size, arrays, copies in zip(sizes, self.arrays, other.arrays, strict=True):
            for array, copy in zip(arrays, copies, strict=True):
                copy[:size] = array[:size]
        other.blocks.n, other.n_terms, other.n_weights, other.n_bounds = sizes
        other.over, other.under, other.n_shared = self.over, self.under, self.n_shared
        other.shared_bounds, other.shared_size = self.shared_bounds, self.shared_size
        return other

    def share(self, over: np.ndarray, under: np.ndarray) -> None:
        """Take shared tables, and fill in their bounds."""
        if over.shape != under.shape or over.shape[1] != self.n_lengths:
            raise ValueError("there is no column for each length")
        self.over, self.under, self.n_shared = _view(over.ravel()), _view(under.ravel()), len(over)
        self.shared_bounds, self.shared_size = _view(np.empty(len(over) * self.n_groups)), 0.0
        for row in range(self.n_shared):
            highest = 0.0
            for c in range(self.n_lengths - 1, -1, -1):
                place = row * self.n_lengths + c
                highest = max(highest, self.over[place] / self.under[place])
                place = row * self.n_groups + (c >> self.shift)
                self.shared_bounds[place] = max(highest, self.shared_bounds[place - self.n_groups] if row else 0.0)
            self.shared_size = max(self.shared_size, highest)

    @cython.locals(i=cython.longlong, n=cython.longlong)
    def add_tables(self, entries: Any, tables: Any) -> None:
        """Add terms with their tables, which are joined; a weight that is not finite becomes infinite."""
        # entries: (5, n) the first block, the end of the blocks, the rows of the table, df and the number of each term.
        entry: cython.const[cython.longlong][:, ::1] = _view(entries)
        table: cython.const[cython.double][::1] = _view(tables)
        n, start = entry.shape[1], 0
        n_all = int(np.sum(entries[2]))
        fits = entry.shape[0] == 5 and n_all * self.n_lengths == len(table)
        if not fits or not self.has_room(0, n, len(table), n_all * self.n_groups):
            raise ValueError("there is no room for these terms")
        for i in range(n):
            if entry[2, i] < 1 or not 0 <= entry[0, i] <= entry[1, i] <= self.blocks.n:
                raise ValueError("these terms have no blocks")
        with cython.nogil:
            for i in range(n):
                self.enter(entry[0, i], entry[1, i], entry[2, i])
                self.df[self.n_terms], self.number[self.n_terms] = entry[3, i], entry[4, i]
                for row in range(entry[2, i]):
                    for c in range(self.n_lengths):
                        self.weights[self.n_weights + c] = table[start + c]
                    start += self.n_lengths
                    self.bound_row(row > 0)
                self.n_terms += 1

    @cython.ccall
    @cython.locals(first=cython.longlong, stop=cython.longlong, rows=cython.longlong, scale=cython.double)
    def add_shared(self, entries: list[Any], scales: Any, slots: Any) -> list[Any]:
        """Add the terms with shared tables that have a scale, and their places to `slots`; return the other entries."""
        # entries: as in `add_tables`; scales: the number that stands for each term, by df or by number; NaN for none.
        others: list[Any] = []
        for entry in entries:
            first, stop, rows, df, number = entry
            scale = scales.get(df, NAN)
            if scale != scale or rows > self.n_shared:
                others.append(entry)
                continue
            if not (0 <= first <= stop <= self.blocks.n and rows >= 1 and self.has_room(0, 1, 0, 0)):
                raise ValueError("there is no room for this term")
            self.enter(first, stop, rows)
            self.df[self.n_terms], self.number[self.n_terms] = df, number
            self.scale[self.n_terms], self.shared[self.n_terms] = scale, 1
            self.size[self.n_terms], self.below[self.n_terms] = abs(scale) * self.shared_size, scale < 0.0
            slots[number] = self.n_terms
            self.n_terms += 1
        return others

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def bound_at(self, term: cython.longlong, place: cython.longlong) -> cython.double:
        """Return a bound of a term, before it is multiplied by the number of the term."""
        return self.shared_bounds[place] if self.shared[term] else self.bounds[self.bound[term] + place]

    @cython.locals(
        block=cython.longlong,
        j=cython.longlong,
        highest=cython.double,
        n=cython.longlong,
        size=cython.double,
        n_blocks=cython.longlong,
    )
    def add_list(self, entry: Any, weights: Any, step: int) -> None:
        """Add a term with one finite weight per posting; each block has `step` postings, the last one perhaps fewer."""
        values: cython.const[cython.double][::1] = _view(weights)
        first, stop, _, df, number = entry
        n, size, n_blocks = len(values), 0.0, stop - first
        fits = step == BLOCK and 0 <= first <= stop <= self.blocks.n and 0 <= n_blocks * BLOCK - n < BLOCK
        if not fits or not self.has_room(0, 1, n, n_blocks):
            raise ValueError("there is no room for this term")
        self.enter(first, stop, 0)
        self.df[self.n_terms], self.number[self.n_terms] = df, number
        with cython.nogil:
            for block in range(n_blocks):
                highest = 0.0
                for j in range(block * BLOCK, min(block * BLOCK + BLOCK, n)):
                    self.weights[self.n_weights + j] = values[j]
                    highest = max(highest, values[j])
                    size = max(size, abs(values[j]))
                    if values[j] < 0.0:
                        self.below[self.n_terms] = 1
                self.bounds[self.n_bounds + block] = highest
        self.size[self.n_terms] = size
        self.n_weights += n
        self.n_bounds += n_blocks
        self.n_terms += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def enter(self, first: cython.longlong, stop: cython.longlong, rows: cython.longlong) -> cython.int:
        """Begin a term."""
        i: cython.longlong = self.n_terms
        self.first[i], self.stop[i], self.rows[i] = first, stop, rows
        self.place[i], self.bound[i] = self.n_weights, self.n_bounds
        self.size[i], self.below[i], self.infinite[i], self.scale[i], self.shared[i] = 0.0, 0, 0, 1.0, 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        c=cython.longlong,
        group=cython.longlong,
        weight=cython.double,
        i=cython.longlong,
        first=cython.longlong,
        bounds=cython.longlong,
        highest=cython.double,
        size=cython.double,
    )
    def bound_row(self, later: cython.bint) -> cython.int:
        """Fill in the bounds of the next row: for each group, the highest weight in it or at longer lengths."""
        # A bound is at least 0, and at least that of the row before, if the row is a later one.
        i, first, bounds = self.n_terms, self.n_weights, self.n_bounds
        highest, size = 0.0, self.size[i]
        falls: cython.bint = self.weights[first + self.n_lengths - 1] >= 0.0 and self.weights[first] < INF
        for c in range(first, first + self.n_lengths - 1):
            falls &= self.weights[c] >= self.weights[c + 1]
        if falls:  # true of most models: then the first weight of a group is its bound
            size = max(size, self.weights[first])
            for group in range(self.n_groups):
                self.bounds[bounds + group] = self.weights[first + (group << self.shift)]
        else:
            for c in range(self.n_lengths - 1, -1, -1):
                weight = self.weights[first + c]
                if abs(weight) < INF:
                    size = max(size, abs(weight))
                    if weight < 0.0:
                        self.below[i] = 1
                else:
                    self.weights[first + c] = weight = INF
                    self.infinite[i] = 1
                highest = max(highest, weight)
                self.bounds[bounds + (c >> self.shift)] = highest
        if later:
            for group in range(bounds, bounds + self.n_groups):
                self.bounds[group] = max(self.bounds[group], self.bounds[group - self.n_groups])
        self.size[i] = size
        self.n_weights += self.n_lengths
        self.n_bounds += self.n_groups
        return 0


@cython.final
@cython.cclass
class BestDocuments:
    """Collector of the k best documents, ties by lowest number.

    A processor cannot predict the order of scores, so the loops over many scores have no branches that depend on them.
    """

    cython.declare(
        docs=cython.longlong[::1],  # more than k
        scores=cython.double[::1],
        scratch=cython.double[::1],
        order=cython.longlong[::1],
        spare=cython.longlong[::1],
        buckets=cython.uint[::1],
        starts=cython.longlong[::1],
        k=cython.longlong,
        n=cython.longlong,
        least=cython.double,  # the k-th score; -inf before there are k
        found=tuple,  # the arrays of `docs` and `scores`
    )

    def __init__(self, k: int, places: int) -> None:
        self.found = np.empty(places, np.int64), np.empty(places)
        self.docs, self.scores = map(_view, self.found)
        self.order, self.spare = _view(np.empty(places, np.int64)), _view(np.empty(places, np.int64))
        self.scratch, self.buckets = _view(np.empty(places)), _view(np.empty(places, np.uint32))
        self.starts = _view(np.empty(BUCKETS + 1, np.int64))
        self.k, self.n, self.least = k, 0, -INF

    @cython.locals(doc=cython.longlong, score=cython.double)
    def of(self, scores: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of the k highest scores, and these, best first, equal ones by position."""
        self.n, self.least = 0, -INF
        for doc, score in enumerate(scores):
            self.add(doc, score)
        return self.first(self.sort())

    def first(self, n: cython.longlong) -> tuple[np.ndarray, np.ndarray]:
        """Return the first documents and their scores."""
        docs, scores = self.found
        return docs[:n].copy(), scores[:n].copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add(self, doc: cython.longlong, score: cython.double) -> cython.int:
        """Add a document if it may be among the best."""
        self.docs[self.n], self.scores[self.n] = doc, score
        self.n += score >= self.least
        if self.n == self.docs.shape[0]:
            self.reduce()
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(i=cython.longlong, doc=cython.longlong, score=cython.double, n=cython.longlong)
    def reduce(self) -> cython.int:
        """Keep the k best of more than k documents, and few others, which have the k-th score."""
        for i in range(self.n):
            self.scratch[i] = self.scores[i]
        n, self.least = 0, self.kth_highest(self.n, self.k)
        for i in range(self.n):
            doc, score = self.docs[i], self.scores[i]
            self.docs[n], self.scores[n] = doc, score
            n += score >= self.least
        self.n = n
        if 2 * n > self.k + self.docs.shape[0]:  # many have it
            self.n = self.sort()
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(
        above=cython.longlong,
        level=cython.longlong,
        i=cython.longlong,
        a=cython.double,
        b=cython.double,
        c=cython.double,
        value=cython.double,
        pivot=cython.double,
        low=cython.longlong,
        high=cython.longlong,
        middle=cython.longlong,
        last=cython.longlong,
        place=cython.longlong,
    )
    def kth_highest(self, n: cython.longlong, k: cython.longlong) -> cython.double:
        """Find the k-th highest of the first n numbers in `scratch`, which are reordered."""
        low, high = 0, n
        while True:
            middle, last = (low + high) >> 1, high - 1
            a, b, c = self.scratch[low], self.scratch[middle], self.scratch[last]
            pivot = max(min(a, b), min(max(a, b), c))
            place = low if a == pivot else middle if b == pivot else last
            self.scratch[place], self.scratch[last] = c, pivot
            above = low
            for i in range(low, last):
                value = self.scratch[i]
                self.scratch[i] = self.scratch[above]
                self.scratch[above] = value
                above += value > pivot
            if k <= above:
                high = above
                continue
            self.scratch[last], self.scratch[above] = self.scratch[above], pivot
            level = above + 1
            if 4 * (above - low) < high - low:  # the pivot may be many of the numbers
                for i in range(level, high):
                    value = self.scratch[i]
                    self.scratch[i] = self.scratch[level]
                    self.scratch[level] = value
                    level += value == pivot
            if k <= level:
                return pivot
            low = level

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def sort(self) -> cython.longlong:
        """Sort the documents, best first, and return how many of them are among the k best."""
        n: cython.longlong = min(self.n, self.k)
        self.fall()
        for i in range(n):
            self.spare[i], self.scratch[i] = self.docs[self.order[i]], self.scores[self.order[i]]
        for i in range(n):
            self.docs[i], self.scores[i] = self.spare[i], self.scratch[i]
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(start=cython.longlong, end=cython.longlong, turn=cython.longlong)
    def fall(self) -> cython.int:
        """Put the positions into `order` by falling score, equal ones by rising document."""
        least, most = INF, -INF
        for i in range(self.n):
            self.order[i] = i
            least, most = min(least, self.scores[i]), max(most, self.scores[i])
        if self.n < FEW or not 1e-290 < most - least < 1e290:
            self.merge_sort(0, self.n)
            return 0
        scale = 1.0 / (most - least)
        for i in range(self.n):  # higher scores are in earlier buckets
            self.buckets[i] = cython.cast(cython.uint, (most - self.scores[i]) * scale * (BUCKETS * BUCKETS - 1))
        for turn in range(2):
            shift = turn * BUCKET_BITS
            for digit in range(BUCKETS + 1):
                self.starts[digit] = 0
            for i in range(self.n):
                self.spare[i] = self.order[i]
                self.starts[((self.buckets[i] >> shift) & (BUCKETS - 1)) + 1] += 1
            for digit in range(BUCKETS):
                self.starts[digit + 1] += self.starts[digit]
            for i in range(self.n):
                digit = (self.buckets[self.spare[i]] >> shift) & (BUCKETS - 1)
                self.order[self.starts[digit]] = self.spare[i]
                self.starts[digit] += 1
        start = 0
        while start < self.n:
            end = start + 1
            while end < self.n and self.buckets[self.order[end]] == self.buckets[self.order[start]]:
                end += 1
            if end > start + 1:
                self.merge_sort(start, end)
            start = end
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_before(self, one: cython.longlong, other: cython.longlong) -> cython.bint:
        """True if the document at a position is better than that at another."""
        if self.scores[one] == self.scores[other]:
            return self.docs[one] < self.docs[other]
        return self.scores[one] > self.scores[other]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def merge_sort(self, start: cython.longlong, end: cython.longlong) -> cython.int:
        """Sort the positions in `order[start:end]`."""
        run: cython.longlong = RUN
        first = start
        while first < end:
            for i in range(first, min(first + run, end)):
                position, j = self.order[i], i
                while j > first and self.is_before(position, self.order[j - 1]):
                    self.order[j] = self.order[j - 1]
                    j -= 1
                self.order[j] = position
            first += run
        while run < end - start:
            first = start
            while first < end:
                middle, stop = min(first + run, end), min(first + 2 * run, end)
                lower, upper = first, middle
                for place in range(first, stop):
                    if upper >= stop or (lower < middle and self.is_before(self.order[lower], self.order[upper])):
                        self.spare[place] = self.order[lower]
                        lower += 1
                    else:
                        self.spare[place] = self.order[upper]
                        upper += 1
                first = stop
            for place in range(start, end):
                self.order[place] = self.spare[place]
            run *= 2
        return 0


@cython.final
@cython.cclass
class MaxScore:
    """Search of one thread: its work arrays, kept for its next queries."""

    cython.declare(
        window=cython.longlong,  # documents
        first_window=cython.longlong,  # documents; each window is twice as wide as the one before
        n_blocks=cython.longlong,  # the most blocks of a term in a window
        # of a window
        sums=cython.double[::1],  # (window,) 0 between windows
        touched=cython.uint[::1],  # (4 * window + 2 * BLOCK,) documents with a sum, then candidates
        totals=cython.double[::1],  # (window + 1,)
        sorted=cython.uint[::1],  # (window + 1,)
        digits=cython.longlong[::1],
        # of a term of the query
        numbers=cython.longlong[::1],
        q=cython.double[::1],
        lift=cython.double[::1],  # what a bound is multiplied by; 0 if q, or the number of the term, is negative
        flat=cython.double[::1],  # the bound of all weights if q is negative, else 0
        start=cython.longlong[::1],  # the first block in the window
        stop=cython.longlong[::1],
        most=cython.double[::1],  # (n, n_blocks) the bounds of the blocks
        rest=cython.double[::1],  # (n + 1,) the most that this term and all later ones can add in the window
        reach=cython.double[::1],  # (n + 1, n_groups) the same, by group of lengths
        docs=cython.int[::1],  # (n, BLOCK) the documents of the block that was decoded last
        loaded=cython.longlong[::1],  # the number of this block
        table=cython.double[::1],  # (n, TABLE) the weights in the query, of the first frequencies, with shared tables
        in_table=cython.longlong[::1],  # the number of these frequencies; -1 if the table is not filled in
        cells=cython.uint[::1],  # (BLOCK,) the places of the weights of a block, after the first one of its term
        # of the query
        every=cython.double,  # added to each sum
        parts=cython.const[cython.double][::1],  # added next, by length; may be empty
        qq=cython.double,  # Σ q²
        n=cython.longlong,
        top=cython.double,  # the most that is added to a sum of weights
        n_touched=cython.longlong,
        required=cython.bint,
        allowed=cython.const[cython.uchar][::1],  # (n_docs,) 0 for each document that is not ranked; empty: all are
    )
    postings: PackedPostings
    terms: WeighedTerms
    best: BestDocuments

    def __init__(self, postings: PackedPostings, k: int, places: int, window: int, first_window: int) -> None:
        self.postings, self.best = postings, BestDocuments(k, places)
        self.window, self.first_window, self.n_blocks = window, first_window, window // BLOCK + 2
        self.sums, self.totals = _view(np.zeros(window)), _view(np.empty(window + 1))
        self.touched, self.cells = _view(np.empty(4 * window + 2 * BLOCK, np.uint32)), _view(np.empty(BLOCK, np.uint32))
        self.sorted = _view(np.empty(window + 1, np.uint32))
        self.digits = _view(np.empty(257, np.int64))
        self.numbers = _view(np.empty(0, np.int64))
        self.reach = self.parts = _view(np.empty(0))
        self.allowed = _view(np.empty(0, np.uint8))

    def answer(
        self,
        terms: WeighedTerms,
        numbers: list[int],
        q: list[float],
        every: float,
        parts: Any,
        qq: float,
        required: bool,
        allowed: Any = None,
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the best documents of a query and their scores, best first; None if a score may not be finite."""
        # numbers: of the terms among the weighed ones; q: the weight of each in the query; parts: None for no parts;
        # allowed: None if all documents may be ranked.
        self.terms, self.n, self.every, self.qq, self.required = terms, len(numbers), every, qq, required
        if parts is not None or self.parts.shape[0]:
            self.parts = _view(np.empty(0) if parts is None else parts)
        if allowed is not None or self.allowed.shape[0]:
            self.allowed = _view(np.empty(0, np.uint8) if allowed is None else allowed)
        if self.allowed.shape[0] not in (0, self.postings.n_docs):
            raise ValueError("a filter says of each document whether it is ranked")
        if len(q) != self.n or self.parts.shape[0] not in (0, terms.n_lengths):
            raise ValueError("the query lacks weights")
        if self.n > len(self.numbers) or (self.n + 1) * terms.n_groups > len(self.reach):
            self.make_room(max(self.n, 8), terms.n_groups)
        for i in range(self.n):
            self.numbers[i], self.q[i] = numbers[i], q[i]
            if not 0 <= self.numbers[i] < terms.n_terms:
                raise ValueError("there are no such terms")
        with cython.nogil:
            n = self.ranked()
        if n == DAMAGED:
            raise LookupError("blocks contradict each other")
        return None if n < 0 else self.best.first(n)

    @cython.locals(
        i=cython.longlong,
        doc=cython.longlong,
        row=cython.longlong,
        place=cython.longlong,
        factor=cython.double,
        weight=cython.double,
        score=cython.double,
        safe=cython.bint,
    )
    def answer_derived(
        self, terms: WeighedTerms, scale: float, q: float, docs: Any, tf: Any
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Answer a query of one term, such as a phrase, whose postings are given; use the shared tables."""
        documents: cython.const[cython.int][::1] = _view(docs)
        frequencies: cython.const[cython.longlong][::1] = _view(tf)
        if len(docs) != len(tf):
            raise ValueError("each document has a frequency")
        self.best.n, self.best.least, factor, weight, safe = 0, -INF, scale, q, True
        with cython.nogil:
            for i in range(documents.shape[0]):
                doc, row = documents[i], frequencies[i] - 1
                if not (0 <= doc < self.postings.n_docs and 0 <= row < terms.n_shared):
                    safe = False
                    break
                place = row * terms.n_lengths + self.postings.column(doc)
                score = 0.0 + weight * (factor * terms.over[place] / terms.under[place])
                safe = safe and abs(score) < HUGE
                self.best.add(doc, score)
        return self.best.first(self.best.sort()) if safe else None

    def make_room(self, n: int, n_groups: int) -> None:
        """Make work arrays for queries of n terms."""
        self.numbers, self.q = _view(np.empty(n, np.int64)), _view(np.empty(n))
        self.start, self.stop = _view(np.empty(n, np.int64)), _view(np.empty(n, np.int64))
        self.lift, self.flat, self.rest = _view(np.empty(n)), _view(np.empty(n)), _view(np.empty(n + 1))
        self.most, self.reach = _view(np.empty(n * self.n_blocks)), _view(np.empty((n + 1) * n_groups))
        self.docs, self.loaded = _view(np.empty(n * BLOCK, np.int32)), _view(np.empty(n, np.int64))
        self.table, self.in_table = _view(np.empty(n * TABLE)), _view(np.empty(n, np.int64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def ranked(self) -> cython.longlong:
        """Find the k best documents of the query; return their number, or DAMAGED or NOT_FINITE."""
        self.best.n, self.best.least = 0, -INF
        n = self.enter_query()
        if n >= 0 and self.n > 0:
            n = self.raise_least()
        if n >= 0 and self.n > 0:
            n = self.search()
        if n < 0:  # the sums may not be clean
            for i in range(self.window):
                self.sums[i] = 0.0
            return n
        return self.best.sort()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(i=cython.longlong, term=cython.longlong, q=cython.double, size=cython.double)
    def enter_query(self) -> cython.longlong:
        """Look up the terms of the query, and fill in the most that each term and all later ones can add."""
        size = 0.0
        for i in range(self.n):
            term, q = self.numbers[i], self.q[i]
            if self.terms.infinite[term] and not q > 0.0:
                return NOT_FINITE
            size = max(size, abs(q) * self.terms.size[term])
        self.sort_terms()
        for i in range(self.n):
            term, q, self.loaded[i] = self.numbers[i], self.q[i], -1
            self.in_table[i] = -1
            self.start[i] = self.stop[i] = self.terms.first[term]
            self.flat[i] = -q * self.terms.size[term] if q < 0.0 and self.terms.below[term] else 0.0
            self.lift[i] = q * self.terms.scale[term] if q > 0.0 and self.terms.scale[term] > 0.0 else 0.0
        return 0 if self.n * size + abs(self.enter_reach(size)) < HUGE else NOT_FINITE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(n=cython.longlong, term=cython.longlong)
    def raise_least(self) -> cython.longlong:
        """Begin with a bound of the k-th score: the k-th highest weight of the rarest term, if it is rare."""
        # The other weights are at least 0. In floating point too, a sum of such numbers is no less than one of them.
        if self.postings.kind != DOT or self.required or self.every != 0.0:
            return 0
        if self.parts.shape[0] or self.allowed.shape[0]:
            return 0
        for i in range(self.n):
            term = self.numbers[i]
            if self.q[i] < 0.0 or self.terms.below[term] or self.terms.infinite[term]:
                return 0
        term = self.numbers[self.n - 1]
        n_last: cython.longlong = self.terms.stop[term] - self.terms.first[term]
        for i in range(self.n - 1):
            term, q = self.numbers[i], self.q[i]
            if FEWER * (self.terms.stop[term] - self.terms.first[term]) > n_last:
                break
            self.best.n = 0
            for b in range(self.terms.first[term], self.terms.stop[term]):
                n = self.terms.counts[b]
                if self.decode(i, b) < 0 or self.fill_cells(i, b, 0, n) < 0:
                    return DAMAGED
                for j in range(n):
                    self.best.add(0, q * self.weight_of(term, self.cells[j]))
            if self.best.n >= self.best.k:
                self.best.reduce()
                break
        self.best.n = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def sort_terms(self) -> cython.int:
        """Put the terms of the query into the canonical order."""
        gap = self.n >> 1
        while gap:
            for i in range(gap, self.n):
                term, q, j = self.numbers[i], self.q[i], i - gap
                while j >= 0:
                    other = self.numbers[j]
                    if self.terms.df[other] < self.terms.df[term]:
                        break
                    if (
                        self.terms.df[other] == self.terms.df[term]
                        and self.terms.number[other] < self.terms.number[term]
                    ):
                        break
                    self.numbers[j + gap], self.q[j + gap] = other, self.q[j]
                    j -= gap
                self.numbers[j + gap], self.q[j + gap] = term, q
            gap >>= 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1e301, check=False)
    @cython.locals(
        i=cython.longlong,
        c=cython.longlong,
        group=cython.longlong,
        bound=cython.longlong,
        term=cython.longlong,
        slack=cython.double,
        more=cython.double,
        last=cython.longlong,
        every=cython.double,
        has_parts=cython.bint,
    )
    def enter_reach(self, size: cython.double) -> cython.double:
        """Fill in the most that each term and all later ones add, by group of lengths; return the most of no terms."""
        n_groups: cython.longlong = self.terms.n_groups
        last, every, has_parts = self.n * n_groups, self.every, self.parts.shape[0] > 0
        most: cython.double = -INF
        for group in range(n_groups):
            self.reach[last + group] = -INF if has_parts else every
        if has_parts:
            for c in range(self.terms.n_lengths):
                group = last + (c >> self.terms.shift)
                self.reach[group] = max(self.reach[group], every + self.parts[c])
        for group in range(n_groups):
            most = max(most, self.reach[last + group])
        slack = ROUNDING * (2 * self.n + 16) * (self.n * size + abs(most))
        for group in range(n_groups):
            self.reach[last + group] += slack
        for i in range(self.n - 1, -1, -1):
            term = self.numbers[i]
            bound = (self.terms.rows[term] - 1) * n_groups
            for group in range(n_groups):
                more = self.terms.size[term]
                if self.terms.rows[term]:
                    more = self.terms.bound_at(term, bound + group)
                more = self.lift[i] * more if self.lift[i] > 0.0 else self.flat[i]
                self.reach[i * n_groups + group] = self.reach[(i + 1) * n_groups + group] + more
        self.top = most + slack
        return self.top

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def search(self) -> cython.longlong:
        """Collect the best documents of the query, window by window."""
        # If all terms are required, candidates come from the rarest, and lose their totals where another is absent.
        end, width, n_docs = 0, self.first_window, self.postings.n_docs
        while end < n_docs:
            base, end = end, min(end + width, n_docs)
            width = min(2 * width, self.window)
            if self.enter_window(base, end) < 0:
                return DAMAGED
            enough = self.needed(self.postings.least_dd) - self.top
            if self.rest[0] < enough:
                continue
            p = self.n
            while p > 0 and self.rest[p - 1] < enough:  # without one of the terms before, a document has too little
                p -= 1
            if self.required:
                p = 1
            self.n_touched = 0
            for i in range(p):
                others = self.rest[0] - (self.rest[i] - self.rest[i + 1])
                if self.add_term(i, base, end, enough - others) < 0:
                    return DAMAGED
            few = self.gather(enough - self.rest[p])
            in_order = False
            for i in range(p, self.n):
                few = self.keep_near(few, base, i, self.rest[i] + self.top)
                blocks = self.stop[i] - self.start[i]
                if blocks * BLOCK <= LOOK_UP * few:
                    if self.read_all(i, base, end, few) < 0:
                        return DAMAGED
                    continue
                if not in_order:
                    self.sort_candidates(few)
                    in_order = True
                if self.look_up_all(i, base, few, enough - self.rest[i + 1]) < 0:
                    return DAMAGED
            if p < self.n or self.postings.kind != DOT or self.allowed.shape[0]:  # else `gather` has kept those
                few = self.keep_near(few, base, self.n, INF)
            if self.finish(few, base) < 0:
                return NOT_FINITE
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(n=cython.longlong)
    def enter_window(self, base: cython.longlong, end: cython.longlong) -> cython.longlong:
        """Find the blocks of each term in a window, and the most that this term and all later ones can add there."""
        self.rest[self.n] = 0.0
        for i in range(self.n - 1, -1, -1):
            term = self.numbers[i]
            stop, rows = self.terms.stop[term], self.terms.rows[term]
            b = max(self.start[i], self.stop[i] - 1)
            while b < stop and self.terms.last_docs[b] < base:
                b += 1
            self.start[i], highest, n = b, 0.0, 0
            while b < stop:
                if n == self.n_blocks:
                    return DAMAGED
                if rows:
                    row = self.terms.highest_tf[b] - 1
                    if not 0 <= row < rows:
                        return DAMAGED
                    row = row * self.terms.n_groups + (self.terms.shortest[b] >> self.terms.shift)
                else:
                    row = b - self.terms.first[term]
                most = self.flat[i]
                if self.lift[i] > 0.0:
                    most = self.lift[i] * self.terms.bound_at(term, row)
                self.most[i * self.n_blocks + n] = most
                highest = max(highest, most)
                b, n = b + 1, n + 1
                if self.terms.last_docs[b - 1] >= end - 1:
                    break
            self.stop[i], self.rest[i] = b, self.rest[i + 1] + highest
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def needed(self, dd: cython.double) -> cython.double:
        """Return the sum of weights that a document with this Σ d² needs for the k-th score, slightly rounded down."""
        least, kind = self.best.least, self.postings.kind
        if kind == DOT:
            return least
        if not least > 0.0:
            return -INF
        qq = self.qq
        if kind == COSINE:
            least *= sqrt(dd * qq)
        elif kind == DICE:
            least *= (dd + qq) / 2
        elif kind == JACCARD:
            least *= (dd + qq) / (1 + least)
        elif kind == COSINE_DOCUMENT:
            least *= sqrt(dd)
        else:
            least *= sqrt(qq)
        return least * (1 - 1e-9)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(n=cython.longlong, width=cython.longlong, before=cython.longlong, last=cython.longlong)
    def decode(self, i: cython.longlong, b: cython.longlong) -> cython.longlong:
        """Decode the documents of a block of term i, unless it was the last one; DAMAGED if it contradicts itself."""
        if self.loaded[i] == b:
            return 0
        n, width = self.terms.counts[b], self.terms.gap_bits[b]
        before, last = self.terms.before[b], self.terms.last_docs[b]
        start: cython.longlong = self.terms.starts[b]
        end = start + n * (self.terms.gap_bits[b] + self.terms.tf_bits[b])
        self.loaded[i] = -1
        if not (n <= BLOCK and width <= 32 and self.terms.tf_bits[b] <= 32 and 0 <= start <= end):
            return DAMAGED
        if end > self.postings.n_bits or before < -1 or not before < last < self.postings.n_docs:
            return DAMAGED
        if read_documents(self.postings.words, start, width, before, self.docs, i * BLOCK, n) != last:
            return DAMAGED
        for j in range(i * BLOCK + n, i * BLOCK + BLOCK):
            self.docs[j] = 0x7FFFFFFF  # no document
        self.loaded[i] = b
        return 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def bits_at(self, position: cython.ulonglong) -> cython.ulonglong:
        """Read at least 32 bits of the words, from a position on."""
        word: cython.Py_ssize_t = position >> 5
        number: cython.ulonglong = self.postings.words[word + 1]
        return (number << 32 | self.postings.words[word]) >> (position & 31)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(j=cython.longlong, below=cython.int, bound=cython.int)
    def n_below(self, i: cython.longlong, n: cython.longlong, limit: cython.longlong) -> cython.longlong:
        """Count the documents below a limit, among the first n of the decoded block of term i."""
        below, bound = 0, cython.cast(cython.int, limit)
        for j in range(i * BLOCK, i * BLOCK + n):
            below += self.docs[j] < bound
        return below

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        position=cython.ulonglong,
        highest=cython.ulonglong,
        width=cython.ulonglong,
        n_lengths=cython.ulonglong,
    )
    def fill_cells(
        self, i: cython.longlong, b: cython.longlong, low: cython.longlong, high: cython.longlong
    ) -> cython.longlong:
        """Fill in the cells of some postings of the decoded block of term i; DAMAGED if a tf is too high."""
        term, highest = self.numbers[i], self.terms.highest_tf[b] - 1
        width, n_lengths = self.terms.tf_bits[b], self.terms.n_lengths
        mask, most = (cython.cast(cython.ulonglong, 1) << width) - 1, 0
        if not self.terms.rows[term]:
            place = (b - self.terms.first[term]) * BLOCK
            for j in range(low, high):
                self.cells[j] = cython.cast(cython.uint, place + j)
            return 0
        if width == 0:
            for j in range(low, high):
                self.cells[j] = cython.cast(cython.uint, self.postings.column(self.docs[i * BLOCK + j]))
            return 0
        position = self.terms.counts[b] * cython.cast(cython.longlong, self.terms.gap_bits[b]) + low * width
        position += self.terms.starts[b]
        j, at_once = low, 32 // cython.cast(cython.longlong, width)
        while j < high:
            number = self.bits_at(position)
            for _ in range(min(at_once, high - j)):
                tf = number & mask
                number >>= width
                most = max(most, tf)
                tf = min(tf, highest) * n_lengths + self.postings.column(self.docs[i * BLOCK + j])
                self.cells[j] = cython.cast(cython.uint, tf)
                j += 1
            position += at_once * width
        return 0 if most <= highest else DAMAGED

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def weight_of(self, term: cython.longlong, cell: cython.longlong) -> cython.double:
        """Return the weight in a cell of a term."""
        if self.terms.shared[term]:
            return self.terms.scale[term] * self.terms.over[cell] / self.terms.under[cell]
        return self.terms.weights[self.terms.place[term] + cell]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def fill_table(self, i: cython.longlong) -> cython.int:
        """Fill in the table of term i, if that takes less time than a division for each posting."""
        term, n_lengths, q = self.numbers[i], self.terms.n_lengths, self.q[i]
        scale: cython.double = self.terms.scale[term]
        self.in_table[i] = 0
        if self.terms.shared[term]:
            self.in_table[i] = min(self.terms.rows[term], min(TABLE, self.terms.df[term] >> 1) // n_lengths)
        for c in range(self.in_table[i] * n_lengths):
            self.table[i * TABLE + c] = q * (scale * self.terms.over[c] / self.terms.under[c])
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(n=cython.longlong)
    def add_term(
        self, i: cython.longlong, base: cython.longlong, end: cython.longlong, enough: cython.double
    ) -> cython.longlong:
        """Add the weights of a term to the sums of a window, without the blocks whose bound is below `enough`."""
        if self.n_touched > 3 * self.window:
            self.keep_distinct()
        first, n_touched, q, term = self.start[i], self.n_touched, self.q[i], self.numbers[i]
        if self.in_table[i] < 0:
            self.fill_table(i)
        in_table, table = self.in_table[i], i * TABLE
        for b in range(first, self.stop[i]):
            if self.most[i * self.n_blocks + b - first] < enough:
                continue
            if self.decode(i, b) < 0:
                return DAMAGED
            n, at = self.terms.counts[b], i * BLOCK
            low = self.n_below(i, n, base) if self.terms.before[b] < base else 0
            high = self.n_below(i, n, end) if self.terms.last_docs[b] >= end else n
            if self.fill_cells(i, b, low, high) < 0:
                return DAMAGED
            if self.terms.highest_tf[b] <= in_table:
                for j in range(low, high):
                    place = self.docs[at + j] - base
                    self.sums[place] += self.table[table + self.cells[j]]
                    self.touched[n_touched] = cython.cast(cython.uint, place)
                    n_touched += 1
                continue
            for j in range(low, high):
                place = self.docs[at + j] - base
                self.sums[place] += q * self.weight_of(term, self.cells[j])
                self.touched[n_touched] = cython.cast(cython.uint, place)
                n_touched += 1
        self.n_touched = n_touched
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(j=cython.longlong, few=cython.longlong, place=cython.uint, total=cython.double)
    def keep_distinct(self) -> cython.int:
        """Keep each touched document once."""
        few = 0
        for j in range(self.n_touched):
            place = self.touched[j]
            total = self.sums[place]
            self.touched[few], self.totals[few], self.sums[place] = place, total, NAN
            few += total == total
        for j in range(few):
            self.sums[self.touched[j]] = self.totals[j]
        self.n_touched = few
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def gather(self, enough: cython.double) -> cython.longlong:
        """Clear the sums of a window, and keep the documents whose sum is at least `enough`."""
        few: cython.longlong = 0
        if not enough > 0.0:  # a document that is touched again has a sum of 0 then
            self.keep_distinct()
        for j in range(self.n_touched):
            place = self.touched[j]
            total = self.sums[place]
            self.touched[few], self.totals[few], self.sums[place] = place, total, 0.0
            few += total >= enough
        return few

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(
        j=cython.longlong,
        doc=cython.longlong,
        place=cython.uint,
        total=cython.double,
        few=cython.longlong,
        enough=cython.double,
        reach=cython.longlong,
        column=cython.longlong,
    )
    def keep_near(
        self, n: cython.longlong, base: cython.longlong, i: cython.longlong, rest: cython.double
    ) -> cython.longlong:
        """Keep the documents that can reach the k-th score if term i and later ones add `rest` or their reach."""
        few, enough, reach = 0, self.best.least, i * self.terms.n_groups
        shift: cython.longlong = self.terms.shift
        narrow: cython.const[cython.uchar][::1] = self.postings.narrow
        plain: cython.bint = self.postings.kind == DOT and self.allowed.shape[0] == 0
        for j in range(n):
            place, total = self.touched[j], self.totals[j]
            doc = base + place
            column = narrow[doc] if narrow[doc] < WIDE else self.postings.lengths.wide_column(doc)
            self.touched[few], self.totals[few] = place, total
            total += min(self.reach[reach + (column >> shift)], rest)
            if plain:  # as usual: no branch depends on scores
                few += total >= enough
                continue
            if self.postings.kind != DOT:
                enough = self.needed(self.postings.dd[doc] if self.postings.dd.shape[0] else 0.0)
            few += (total >= enough) & (self.allowed.shape[0] == 0 or self.allowed[doc] != 0)
        return few

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    @cython.locals(turn=cython.longlong, digit=cython.longlong)
    def sort_candidates(self, few: cython.longlong) -> cython.longlong:
        """Sort the candidates by document."""
        if few <= FEW:
            for j in range(1, few):
                place, total, i = self.touched[j], self.totals[j], j
                while i > 0 and self.touched[i - 1] > place:
                    self.touched[i], self.totals[i] = self.touched[i - 1], self.totals[i - 1]
                    i -= 1
                self.touched[i], self.totals[i] = place, total
            return 0
        for j in range(few):
            self.sums[self.touched[j]] = self.totals[j]
        for turn in range(0, 16, 8):
            for digit in range(257):
                self.digits[digit] = 0
            for j in range(few):
                self.digits[((self.touched[j] >> turn) & 255) + 1] += 1
            for digit in range(256):
                self.digits[digit + 1] += self.digits[digit]
            for j in range(few):
                digit = (self.touched[j] >> turn) & 255
                self.sorted[self.digits[digit]] = self.touched[j]
                self.digits[digit] += 1
            for j in range(few):
                self.touched[j] = self.sorted[j]
        for j in range(few):
            self.totals[j], self.sums[self.touched[j]] = self.sums[self.touched[j]], 0.0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(width=cython.ulonglong, position=cython.ulonglong)
    def weight_at(self, i: cython.longlong, b: cython.longlong, j: cython.longlong) -> cython.double:
        """Return the weight of one posting of the decoded block of term i; NaN if its frequency is too high."""
        term: cython.longlong = self.numbers[i]
        tf = 0
        if not self.terms.rows[term]:
            return self.q[i] * self.weight_of(term, (b - self.terms.first[term]) * BLOCK + j)
        width = self.terms.tf_bits[b]
        if width:
            position = self.terms.counts[b] * cython.cast(cython.longlong, self.terms.gap_bits[b]) + j * width
            position += self.terms.starts[b]
            tf = self.bits_at(position) & (cython.cast(cython.ulonglong, 1) << width) - 1
            if tf >= cython.cast(cython.ulonglong, self.terms.highest_tf[b]):
                return NAN
        cell: cython.longlong = tf * self.terms.n_lengths + self.postings.column(self.docs[i * BLOCK + j])
        return self.q[i] * self.weight_of(term, cell)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def look_up_all(
        self, i: cython.longlong, base: cython.longlong, few: cython.longlong, enough: cython.double
    ) -> cython.longlong:
        """Add the weights of term i to the totals of the candidates by looking up each in its block."""
        # If the term is required, the totals of candidates without it become NaN; if a block has too little, -inf.
        b: cython.longlong = self.start[i]
        for j in range(few):
            doc = base + self.touched[j]
            while b < self.stop[i] and self.terms.last_docs[b] < doc:
                b += 1
            if b == self.stop[i]:
                if self.required:
                    self.totals[j] = NAN
                continue
            if self.totals[j] + self.most[i * self.n_blocks + b - self.start[i]] < enough:
                self.totals[j] = -INF
                continue
            if self.decode(i, b) < 0:
                return DAMAGED
            at, step = i * BLOCK, BLOCK >> 1
            while step:
                at += step if self.docs[at + step - 1] < doc else 0
                step >>= 1
            if self.docs[at] == doc:
                weight = self.weight_at(i, b, at - i * BLOCK)
                if weight != weight:
                    return DAMAGED
                self.totals[j] += weight
            elif self.required:
                self.totals[j] = NAN
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_all(
        self, i: cython.longlong, base: cython.longlong, end: cython.longlong, few: cython.longlong
    ) -> cython.longlong:
        """Do the work of `look_up_all` by decoding all blocks of the term in the window."""
        for j in range(few):
            self.sums[self.touched[j]] = j + 1
        for b in range(self.start[i], self.stop[i]):
            if self.decode(i, b) < 0:
                return DAMAGED
            n = self.terms.counts[b]
            low = self.n_below(i, n, base) if self.terms.before[b] < base else 0
            n = self.n_below(i, n, end) if self.terms.last_docs[b] >= end else n
            for j in range(low, n):
                place = self.docs[i * BLOCK + j] - base
                slot = self.sums[place]
                if slot > 0.0:
                    weight = self.weight_at(i, b, j)
                    if weight != weight:
                        return DAMAGED
                    self.totals[cython.cast(cython.Py_ssize_t, slot) - 1] += weight
                    self.sums[place] = -1.0  # found
        for j in range(few):
            if self.required and self.sums[self.touched[j]] > 0.0:
                self.totals[j] = NAN
            self.sums[self.touched[j]] = 0.0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def finish(self, few: cython.longlong, base: cython.longlong) -> cython.longlong:
        """Score the candidates, whose totals are complete."""
        for j in range(few):
            doc = base + self.touched[j]
            s = self.totals[j] + self.every
            if self.parts.shape[0]:
                s += self.parts[self.postings.column(doc)]
            if self.postings.kind != DOT:
                s = self.score(s, self.postings.dd[doc] if self.postings.dd.shape[0] else 0.0)
            if not abs(s) < INF:
                return NOT_FINITE
            self.best.add(doc, s)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def score(self, s: cython.double, dd: cython.double) -> cython.double:
        """Compute the score of a document, by the operations of `models.similarity` in the same order."""
        kind, qq = self.postings.kind, self.qq
        over: cython.double = sqrt(qq)
        if kind == COSINE:
            over = sqrt(dd * qq)
        elif kind == DICE:
            s, over = 2 * s, dd + qq
        elif kind == JACCARD:
            over = dd + qq - s
        elif kind == COSINE_DOCUMENT:
            over = sqrt(dd)
        return s / over if over != 0.0 else 0.0
