"""The k best documents of a query, found in the packed postings where they lie.

Terms come in the canonical order, the rarest first. Documents are gone through in windows. Of each term the most that
it can add in a window is known from its blocks (block-max: Ding & Suel 2011). Once k documents are known, those that
hold only the last terms cannot come among the best (MaxScore: Turtle & Flood 1995). So the first terms' postings are
decoded and added up; a document whose sum, with the most that the other terms can add to a document of its length, gets
far enough is completed. A term that is left is read where many documents need it, and looked up where few do.

A weight depends on a posting's term frequency and on the length of its document. So there is a table of weights: the
rows of a term are its term frequencies from 1 up, and the columns are the lengths that occur. A second table has the
highest weight of no higher frequency and no shorter document. What it says of the highest frequency and the least
length of a block bounds the block, for any model. Where a weight depends on more, or a table would be large, a term has
a weight for each posting instead, and a row of bounds that are all the same.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from toysearch.compiled.compilation import kernel
from toysearch.compiled.top_k import falling, keep_best

BLOCK = 128  # postings, at most
WINDOW = 1 << 15  # documents
FIRST = 1 << 11  # documents of the first window; each window is twice as wide as the one before, up to the largest
MORE = 3  # a term is added up if it has no more than so many times the postings of the terms before it
LOOK_UP = 60  # postings are decoded in the time that it takes to look up one document
ROUNDING = 2.3e-16  # a little more than what one operation on float64 can be off, relative to its result
DOT, COSINE, DICE, JACCARD, COSINE_DOCUMENT, COSINE_QUERY = range(6)
DAMAGED, NOT_FINITE, ABSENT = -1, -2, -3
"""What is returned instead of a number of documents, or of a place."""
HUGE = 1e300  # sums beyond might not be finite

START, COUNT, GAP_BITS, TF_BITS, BEFORE, LAST, HIGHEST = range(7)
"""The columns of the blocks of a query: the first bit, the postings, the bits of a gap and of a frequency, the document
before, the last document, and the highest frequency."""

_U = np.uint64
_I = cast(type[int], np.int64)
_ONE, _LOW, _HALF = np.uint64(1), np.uint64(31), np.uint64(32)


class Blocks(NamedTuple):
    """The packed postings of an index: one row per block."""

    words: np.ndarray  # uint32
    starts: np.ndarray  # the first bit
    counts: np.ndarray  # postings
    gap_bits: np.ndarray
    tf_bits: np.ndarray
    before: np.ndarray  # the document before the block; -1 where a term begins
    last_docs: np.ndarray
    highest_tf: np.ndarray
    least_dl: np.ndarray  # the length of the shortest document
    column: np.ndarray  # the column of each length in the tables
    code: np.ndarray  # (N,) uint16; the column of the length of each document


class Terms(NamedTuple):
    """The terms of a query in the canonical order: one row per term."""

    first: np.ndarray  # the first block
    stop: np.ndarray
    df: np.ndarray
    first_row: np.ndarray  # (n + 1,) the first row of each term in the table
    n_lengths: int  # the columns of the table
    weights: np.ndarray  # the rows of the table, then the weights of postings
    listed: np.ndarray  # (n,) where the weights of a term's postings begin; 0 if its rows have them


class Score(NamedTuple):
    """How a sum becomes a score."""

    kind: int  # DOT or another similarity
    every: float  # is added to each sum
    part: np.ndarray  # (length,) is added then
    dd: np.ndarray  # (N,) Σ d² of each document; empty if the similarity does not need it
    qq: float


class Room(NamedTuple):
    """Arrays to work in, kept for the next query of a thread."""

    sums: np.ndarray  # (WINDOW,) NaN before and after
    touched: np.ndarray  # (WINDOW + 1,) uint32
    totals: np.ndarray  # (WINDOW + 1,)
    docs: np.ndarray  # (more than k,) int64
    scores: np.ndarray
    scratch: np.ndarray


@kernel
def bound(first_row: np.ndarray, weights: np.ndarray, bounds: np.ndarray) -> float:
    """Fill in the bounds of weights, in which infinity takes the place of what is not finite; the largest |weight|."""
    size, n_lengths = 0.0, bounds.shape[1]
    for i in range(len(first_row) - 1):
        for row in range(first_row[i], first_row[i + 1]):
            most = 0.0
            for c in range(n_lengths - 1, -1, -1):
                weight = weights[row * n_lengths + c]
                if abs(weight) < np.inf:
                    size = max(size, abs(weight))
                else:
                    weights[row * n_lengths + c] = weight = np.inf
                most = max(most, weight)
                bounds[row, c] = max(most, bounds[row - 1, c]) if row > first_row[i] else most
    return size


@kernel
def field(words: np.ndarray, position: np.uint64, mask: np.uint64) -> np.uint64:
    """The number that begins at a bit."""
    word = position >> np.uint64(5)
    return (_U(words[word]) | _U(words[word + _ONE]) << _HALF) >> (position & _LOW) & mask


@kernel
def columns_of(blocks: Blocks, terms: Terms, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The blocks of a query, the most that each can add, and where each term's blocks begin and the last end."""
    n = len(terms.df)
    first = np.zeros(n + 1, np.int64)
    for i in range(n):
        first[i + 1] = first[i] + terms.stop[i] - terms.first[i]
    own, most = np.empty((first[n], 7), np.int64), np.empty(first[n])
    starts, counts, gap_bits, tf_bits = blocks.starts, blocks.counts, blocks.gap_bits, blocks.tf_bits
    before, last_docs, highest_tf, least = blocks.before, blocks.last_docs, blocks.highest_tf, blocks.least_dl
    column, weights, listed = blocks.column, terms.weights, terms.listed
    for i in range(n):
        b = terms.first[i]
        for row in range(first[i], first[i + 1]):
            own[row, START], own[row, COUNT] = starts[b], counts[b]
            own[row, GAP_BITS], own[row, TF_BITS] = gap_bits[b], tf_bits[b]
            own[row, BEFORE], own[row, LAST] = before[b], last_docs[b]
            own[row, HIGHEST] = highest_tf[b]
            if listed[i] == 0:
                most[row] = bounds[terms.first_row[i] + highest_tf[b] - 1, column[least[b]]]
            else:
                place = listed[i] + (row - first[i]) * BLOCK
                most[row] = max(0.0, weights[place : place + counts[b]].max())
            b += 1
    return own, most, first


@kernel
def decode(words: np.ndarray, blocks: np.ndarray, b: int, n_docs: int, docs: np.ndarray, i: int) -> bool:
    """Put the documents of a block into a row; False if they do not end where the block says."""
    n, width, start, before = blocks[b, COUNT], _U(blocks[b, GAP_BITS]), _U(blocks[b, START]), blocks[b, BEFORE]
    if before < -1 or not before < blocks[b, LAST] < n_docs:
        return False
    mask = (_ONE << width) - _ONE
    for j in range(_U(n)):
        docs[i, j] = field(words, start + j * width, mask)
    doc = _U(before + 1)
    for j in range(_U(n)):
        doc += docs[i, j]
        docs[i, j] = doc
        doc += _ONE
    return bool(doc == _U(blocks[b, LAST] + 1))


@kernel
def weigh(
    words: np.ndarray, blocks: np.ndarray, b: int, docs: np.ndarray, i: int, start: int, stop: int,
    weights: np.ndarray, table: int, n_lengths: int, code: np.ndarray, own: np.ndarray,
) -> bool:  # fmt: skip
    """Look up the weights of some postings of a block in a table; False if a frequency is higher than said."""
    width, n_columns, most = _U(blocks[b, TF_BITS]), _U(n_lengths), _U(0)
    first, mask = _U(blocks[b, START] + blocks[b, COUNT] * blocks[b, GAP_BITS]), (_ONE << width) - _ONE
    highest = _U(blocks[b, HIGHEST] - 1)
    for j in range(_U(start), _U(stop)):
        tf = field(words, first + j * width, mask)
        most = max(most, tf)
        own[j] = weights[_U(table) + min(tf, highest) * n_columns + _U(code[docs[i, j]])]
    return bool(most <= highest)


@kernel
def n_below(docs: np.ndarray, i: int, n: int, limit: int) -> int:
    """How many of the n documents in a row have a lower number."""
    below = _U(0)
    for j in range(_U(n)):
        below += _U(docs[i, j] < _U(limit))
    return _I(below)


@kernel
def add(
    docs: np.ndarray, i: int, start: int, stop: int, base: int, weights: np.ndarray, sums: np.ndarray,
    touched: np.ndarray, n_touched: int,
) -> int:  # fmt: skip
    """Add the weights of postings to the sums of a window, and note the documents that had none."""
    n = _U(n_touched)
    for j in range(_U(start), _U(stop)):
        doc = docs[i, j]
        place = doc - _U(base)
        before = sums[place]
        fresh = before != before  # NaN
        sums[place] = (0.0 if fresh else before) + weights[j]
        touched[n] = place
        n += _U(fresh)
    return _I(n)


@kernel
def add_term(
    words: np.ndarray, blocks: np.ndarray, most: np.ndarray, first: int, start: int, stop: int, i: int, base: int,
    end: int, enough: float, weights: np.ndarray, table: int, listed: int, n_lengths: int, code: np.ndarray,
    docs: np.ndarray, own: np.ndarray, loaded: np.ndarray, sums: np.ndarray, touched: np.ndarray, n_touched: int,
) -> int:  # fmt: skip
    """Add up the blocks of a term in a window, save those with which no document gets far enough."""
    for b in range(start, stop):
        if most[b] < enough:
            continue
        if loaded[i] != b and not decode(words, blocks, b, len(code), docs, i):
            return DAMAGED
        loaded[i] = b
        n = blocks[b, COUNT]
        low = n_below(docs, i, n, base) if blocks[b, BEFORE] < base else 0
        high = n_below(docs, i, n, end) if blocks[b, LAST] >= end else n
        if listed:
            place = listed + (b - first) * BLOCK
            n_touched = add(docs, i, low, high, base, weights[place : place + n], sums, touched, n_touched)
        else:
            if not weigh(words, blocks, b, docs, i, low, high, weights, table, n_lengths, code, own):
                return DAMAGED
            n_touched = add(docs, i, low, high, base, own, sums, touched, n_touched)
    return n_touched


@kernel
def look_up(
    words: np.ndarray, blocks: np.ndarray, first: int, b: int, stop: int, i: int, doc: int, table: int, listed: int,
    n_lengths: int, code: np.ndarray, docs: np.ndarray, loaded: np.ndarray,
) -> int:  # fmt: skip
    """The place of the weight of a document, from one of the term's blocks on; what says that there is none."""
    while b < stop and blocks[b, LAST] < doc:
        b += 1
    if b == stop:
        return ABSENT
    if loaded[i] != b and not decode(words, blocks, b, len(code), docs, i):
        return DAMAGED
    loaded[i] = b
    n, width = blocks[b, COUNT], blocks[b, TF_BITS]
    j = n_below(docs, i, n, doc)
    if j == n or docs[i, j] != _U(doc):
        return ABSENT
    if listed:
        return listed + (b - first) * BLOCK + j
    start = blocks[b, START] + n * blocks[b, GAP_BITS] + j * width
    tf = _I(field(words, _U(start), (_ONE << _U(width)) - _ONE))
    return table + tf * n_lengths + _I(code[doc]) if tf < blocks[b, HIGHEST] else DAMAGED


@kernel
def look_up_all(
    words: np.ndarray, blocks: np.ndarray, first: int, start: int, stop: int, i: int, base: int, few: int,
    weights: np.ndarray, table: int, listed: int, n_lengths: int, code: np.ndarray, docs: np.ndarray,
    loaded: np.ndarray, touched: np.ndarray, totals: np.ndarray,
) -> bool:  # fmt: skip
    """Add a term's weights to the totals of those documents that are left, looking up each."""
    for j in range(few):
        doc = base + _I(touched[j])
        place = look_up(words, blocks, first, start, stop, i, doc, table, listed, n_lengths, code, docs, loaded)
        if place == DAMAGED:
            return False
        if place >= 0:
            totals[j] += weights[place]
    return True


@kernel
def read_all(
    words: np.ndarray, blocks: np.ndarray, first: int, start: int, stop: int, i: int, base: int, end: int, few: int,
    weights: np.ndarray, table: int, listed: int, n_lengths: int, code: np.ndarray, docs: np.ndarray,
    loaded: np.ndarray, sums: np.ndarray, touched: np.ndarray, totals: np.ndarray,
) -> bool:  # fmt: skip
    """The same, going through all postings of the term in the window."""
    for j in range(few):
        sums[touched[j]] = j
    for b in range(start, stop):
        if loaded[i] != b and not decode(words, blocks, b, len(code), docs, i):
            return False
        loaded[i] = b
        n, width, highest = blocks[b, COUNT], _U(blocks[b, TF_BITS]), _U(blocks[b, HIGHEST])
        tfs, mask = _U(blocks[b, START] + n * blocks[b, GAP_BITS]), (_ONE << width) - _ONE
        for j in range(_U(n_below(docs, i, n, base)), _U(n_below(docs, i, n, end))):
            doc = docs[i, j]
            own = sums[doc - _U(base)]
            if own >= 0.0:
                place = _U(listed + (b - first) * BLOCK) + j
                if not listed:
                    tf = field(words, tfs + j * width, mask)
                    if tf >= highest:
                        return False
                    place = _U(table) + tf * _U(n_lengths) + _U(code[doc])
                totals[_U(own)] += weights[place]
    for j in range(few):
        sums[touched[j]] = np.nan
    return True


@kernel
def needed(kind: int, least: float, dd: float, qq: float) -> float:
    """The sum from which on a document with this Σ d² can have a score."""
    if kind == DOT:
        return least
    if not least > 0.0:
        return -np.inf
    if kind == COSINE:
        least *= np.sqrt(dd * qq)
    elif kind == DICE:
        least *= (dd + qq) / 2
    elif kind == JACCARD:
        least *= (dd + qq) / (1 + least)
    elif kind == COSINE_DOCUMENT:
        least *= np.sqrt(dd)
    else:
        least *= np.sqrt(qq)
    return least * (1 - 1e-9)


@kernel
def score_of(kind: int, s: float, dd: float, qq: float) -> float:
    """The score of a document: the operations of `models.similarity`, in their order."""
    if kind == DOT:
        return s
    over = np.sqrt(qq)
    if kind == COSINE:
        over = np.sqrt(dd * qq)
    elif kind == DICE:
        s, over = 2 * s, dd + qq
    elif kind == JACCARD:
        over = dd + qq - s
    elif kind == COSINE_DOCUMENT:
        over = np.sqrt(dd)
    return s / over if over != 0.0 else 0.0


@kernel
def enter_window(
    blocks: np.ndarray, most: np.ndarray, first: np.ndarray, base: int, end: int, start: np.ndarray,
    stop: np.ndarray, rest: np.ndarray,
) -> None:  # fmt: skip
    """Find each term's blocks in a window, and the most that the terms from each on can add there."""
    n = len(start)
    rest[n] = 0.0
    for i in range(n - 1, -1, -1):
        b, end_of_term, highest = start[i], first[i + 1], 0.0
        while b < end_of_term and blocks[b, LAST] < base:
            b += 1
        start[i] = b
        while b < end_of_term:
            highest = max(highest, most[b])
            b += 1
            if blocks[b - 1, LAST] >= end - 1:
                break
        stop[i], rest[i] = b, rest[i + 1] + highest


@kernel
def gather(sums: np.ndarray, touched: np.ndarray, totals: np.ndarray, n_touched: int, enough: float) -> int:
    """Clear the sums of a window, and put those documents first whose sum is far enough."""
    few = _U(0)
    for j in range(_U(n_touched)):
        place = touched[j]
        total = sums[place]
        touched[few], totals[few], sums[place] = place, total, np.nan
        few += _U(total >= enough)
    return _I(few)


@kernel
def keep_near(
    code: np.ndarray, kind: int, dd: np.ndarray, qq: float, base: int, n: int, reach: np.ndarray, i: int, rest: float,
    least: float, touched: np.ndarray, totals: np.ndarray,
) -> int:  # fmt: skip
    """Keep those of n documents that the terms from one on can bring far enough: by their length, and any by `rest`."""
    few = _U(0)
    for j in range(_U(n)):
        place, total = touched[j], totals[j]
        doc = _U(base) + _U(place)
        touched[few], totals[few] = place, total
        enough = needed(kind, least, dd[doc] if len(dd) else 0.0, qq)
        few += _U(total + min(reach[i, code[doc]], rest) >= enough)
    return _I(few)


@kernel
def finish(
    code: np.ndarray, kind: int, every: float, part: np.ndarray, dd: np.ndarray, qq: float, base: int, few: int,
    k: int, least: float, found: int, touched: np.ndarray, totals: np.ndarray, docs: np.ndarray, scores: np.ndarray,
    scratch: np.ndarray,
) -> tuple[int, float]:  # fmt: skip
    """Score documents whose totals are whole, and keep the k best."""
    for j in range(few):
        doc = base + _I(touched[j])
        s = totals[j] + every
        if len(part):
            s += part[code[doc]]
        s = score_of(kind, s, dd[doc] if len(dd) else 0.0, qq)
        if not abs(s) < np.inf:
            return NOT_FINITE, least
        if s >= least:
            docs[found], scores[found] = doc, s
            found += 1
            if found == len(docs):
                least, found = keep_best(docs, scores, found, k, scratch), k
    return found, least


@kernel
def reaches(first_row: np.ndarray, bounds: np.ndarray, every: float, part: np.ndarray, reach: np.ndarray) -> float:
    """Fill in the most that the terms from each on can add to a document of each length; returns the rest's."""
    n, most = len(first_row) - 1, -np.inf
    for c in range(reach.shape[1]):
        reach[n, c] = every + (part[c] if len(part) else 0.0)
        most = max(most, reach[n, c])
    for i in range(n - 1, -1, -1):
        for c in range(reach.shape[1]):
            reach[i, c] = reach[i + 1, c] + bounds[first_row[i + 1] - 1, c]
    return most


@kernel
def n_added(df: np.ndarray, rest: np.ndarray, enough: float) -> int:
    """How many terms are added up: those that must be, and those that have not many more postings than these."""
    n = p = len(df)
    while p > 0 and rest[p - 1] < enough:
        p -= 1
    postings = df[:p].sum()
    while p < n and df[p] <= MORE * postings:
        postings += df[p]
        p += 1
    return p


@kernel
def in_order(docs: np.ndarray, scores: np.ndarray, found: int, k: int) -> int:
    """Put the k best documents first, by falling score, equal ones by rising number; how many there are."""
    order, spare = np.empty(found, np.int64), np.empty(found, np.int64)
    falling(scores, docs, found, order, spare)
    n = min(found, k)
    docs[:n], scores[:n] = docs[order[:n]], scores[order[:n]]
    return n


@kernel
def search(query_blocks: Blocks, terms: Terms, score: Score, least_dd: float, k: int, room: Room) -> int:
    """Put the k best documents into the room, best first; how many there are, or what prevents it."""
    words, code, df, n_lengths = query_blocks.words, query_blocks.code, terms.df, terms.n_lengths
    kind, every, part, dd, qq = score
    sums, touched, totals, best_docs, best_scores, scratch = room
    first_row, weights, table, listed = terms.first_row, terms.weights, terms.first_row * n_lengths, terms.listed
    n, n_docs = len(df), len(code)
    bounds, reach = np.empty((first_row[n], n_lengths)), np.empty((n + 1, n_lengths))
    size = bound(first_row, weights, bounds)
    top = reaches(first_row, bounds, every, part, reach)
    if not n * size + abs(top) < HUGE:
        return NOT_FINITE
    slack = ROUNDING * (2 * n + 16) * (n * size + abs(top))
    top, reach = top + slack, reach + slack
    blocks, most, first = columns_of(query_blocks, terms, bounds)
    start, stop, rest = first[:n].copy(), first[:n].copy(), np.empty(n + 1)
    docs, own, loaded = np.empty((n, BLOCK), np.uint64), np.empty(BLOCK), np.full(n, _I(-1))
    least, found, end, width = -np.inf, _I(0), _I(0), _I(FIRST)
    while end < n_docs:
        base, end = end, min(end + width, n_docs)
        width = min(2 * width, WINDOW)
        enter_window(blocks, most, first, base, end, start, stop, rest)
        enough = needed(kind, least, least_dd, qq) - top
        if rest[0] < enough:
            continue
        p, n_touched = n_added(df, rest, enough), _I(0)
        for i in range(p):
            others = rest[0] - (rest[i] - rest[i + 1])
            n_touched = add_term(
                words, blocks, most, first[i], start[i], stop[i], i, base, end, enough - others, weights, table[i],
                listed[i], n_lengths, code, docs, own, loaded, sums, touched, n_touched,
            )  # fmt: skip
            if n_touched < 0:
                return DAMAGED
        few = gather(sums, touched, totals, n_touched, enough - rest[p])
        for i in range(p, n):
            few = keep_near(code, kind, dd, qq, base, few, reach, i, rest[i] + top, least, touched, totals)
            if min((stop[i] - start[i]) * BLOCK, df[i] * (end - base) // n_docs) <= LOOK_UP * few:
                whole = read_all(
                    words, blocks, first[i], start[i], stop[i], i, base, end, few, weights, table[i], listed[i],
                    n_lengths, code, docs, loaded, sums, touched, totals,
                )  # fmt: skip
            else:
                whole = look_up_all(
                    words, blocks, first[i], start[i], stop[i], i, base, few, weights, table[i], listed[i], n_lengths,
                    code, docs, loaded, touched, totals,
                )  # fmt: skip
            if not whole:
                return DAMAGED
        few = keep_near(code, kind, dd, qq, base, few, reach, n, np.inf, least, touched, totals)
        found, least = finish(
            code, kind, every, part, dd, qq, base, few, k, least, found, touched, totals, best_docs, best_scores,
            scratch,
        )  # fmt: skip
        if found < 0:
            return NOT_FINITE
    return in_order(best_docs, best_scores, found, k)
