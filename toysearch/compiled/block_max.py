"""The k best documents of a query, found in the packed postings by MaxScore with block bounds.

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
statistics, or the table would be large, the term has one weight per posting instead, and a single row of equal bounds.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from toysearch.compiled.compilation import kernel
from toysearch.compiled.packed_blocks import (
    BLOCK,
    DAMAGED,
    LAST,
    Blocks,
    WeighedTerms,
    add_term,
    columns_of,
    look_up_all,
    read_all,
)
from toysearch.compiled.top_k import falling, keep_best

WINDOW = 1 << 15  # documents
FIRST = 1 << 11  # documents in the first window; each window is twice as wide as the one before, up to WINDOW
LOOK_UP = 60  # postings that can be decoded in the time of looking up one document
ROUNDING = 2.3e-16  # an upper bound of the relative rounding error of one float64 operation
DOT, COSINE, DICE, JACCARD, COSINE_DOCUMENT, COSINE_QUERY = range(6)
NOT_FINITE = -3
"""Returned by `search` instead of the number of documents if scores may not be finite."""
HUGE = 1e300  # larger sums may overflow

_U = np.uint64
_I = cast(type[int], np.int64)


class Score(NamedTuple):
    """The parts of a score besides the sum of the term weights."""

    kind: int  # DOT or another similarity
    every: float  # added to each sum
    part: np.ndarray  # (n_lengths,) added next, by document length; may be empty
    dd: np.ndarray  # (N,) Σ d² of each document; empty if the similarity does not need it
    qq: float  # Σ q² of the query


class Room(NamedTuple):
    """Work arrays, reused for the next query of the same thread."""

    sums: np.ndarray  # (WINDOW,) NaN between windows
    touched: np.ndarray  # (WINDOW + 1,) uint32
    totals: np.ndarray  # (WINDOW + 1,)
    docs: np.ndarray  # (more than k,) int64
    scores: np.ndarray
    scratch: np.ndarray


@kernel
def bound(first_row: np.ndarray, weights: np.ndarray, n_lengths: int, shift: int, bounds: np.ndarray) -> float:
    """Fill in the bounds, replace weights that are not finite by infinity, and return the largest finite |weight|."""
    size = 0.0
    for i in range(len(first_row) - 1):
        for row in range(first_row[i], first_row[i + 1]):
            first = row * n_lengths
            falls = weights[first + n_lengths - 1] >= 0.0 and weights[first] < np.inf
            for c in range(first, first + n_lengths - 1):
                falls &= weights[c] >= weights[c + 1]
            if falls:  # true of most models: then the first weight of a group is its bound
                size = max(size, weights[first])
                for group in range(bounds.shape[1]):
                    bounds[row, group] = weights[first + (group << shift)]
            else:
                size = max(size, highest_from(weights, first, n_lengths, shift, bounds[row]))
            if row > first_row[i]:
                for group in range(bounds.shape[1]):
                    bounds[row, group] = max(bounds[row, group], bounds[row - 1, group])
    return size


@kernel
def highest_from(weights: np.ndarray, first: int, n_lengths: int, shift: int, bounds: np.ndarray) -> float:
    """Fill in the bounds of one row: for each group, the highest weight in it or at longer lengths, at least 0."""
    size, most = 0.0, 0.0
    for c in range(n_lengths - 1, -1, -1):
        weight = weights[first + c]
        if abs(weight) < np.inf:
            size = max(size, abs(weight))
        else:
            weights[first + c] = weight = np.inf
        most = max(most, weight)
        bounds[c >> shift] = most
    return size


@kernel
def needed(kind: int, least: float, dd: float, qq: float) -> float:
    """The sum of weights that a document with this Σ d² needs for a score of `least`, slightly rounded down."""
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
    """The score of a document, by the operations of `models.similarity` in the same order."""
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
    """Find the blocks of each term in a window, and the most that this term and all later ones can add there."""
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
    """Clear the sums of a window, and keep the documents whose sum is at least `enough`."""
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
    least: float, touched: np.ndarray, totals: np.ndarray, shift: int,
) -> int:  # fmt: skip
    """Keep the documents that can reach `least` if term i and later ones add the lower of `rest` and their `reach`."""
    few = _U(0)
    for j in range(_U(n)):
        place, total = touched[j], totals[j]
        doc = _U(base) + _U(place)
        touched[few], totals[few] = place, total
        enough = needed(kind, least, dd[doc] if len(dd) else 0.0, qq)
        few += _U(total + min(reach[i, code[doc] >> shift], rest) >= enough)
    return _I(few)


@kernel
def finish(
    code: np.ndarray, kind: int, every: float, part: np.ndarray, dd: np.ndarray, qq: float, base: int, few: int,
    k: int, least: float, n_best: int, touched: np.ndarray, totals: np.ndarray, docs: np.ndarray, scores: np.ndarray,
    scratch: np.ndarray,
) -> tuple[int, float]:  # fmt: skip
    """Score documents with complete totals, and keep the k best."""
    for j in range(few):
        doc = base + _I(touched[j])
        s = totals[j] + every
        if len(part):
            s += part[code[doc]]
        s = score_of(kind, s, dd[doc] if len(dd) else 0.0, qq)
        if not abs(s) < np.inf:
            return NOT_FINITE, least
        if s >= least:
            docs[n_best], scores[n_best] = doc, s
            n_best += 1
            if n_best == len(docs):
                least, n_best = keep_best(docs, scores, n_best, k, scratch), k
    return n_best, least


@kernel
def reaches(
    first_row: np.ndarray, bounds: np.ndarray, size: float, shift: int, every: float, part: np.ndarray,
    reach: np.ndarray,
) -> float:  # fmt: skip
    """Fill in bounds of what each term and all later ones can add, by group of lengths; return that of no terms."""
    n, most = len(first_row) - 1, -np.inf
    for group in range(reach.shape[1]):
        reach[n, group] = -np.inf if len(part) else every
    for c in range(len(part)):
        reach[n, c >> shift] = max(reach[n, c >> shift], every + part[c])
    for group in range(reach.shape[1]):
        most = max(most, reach[n, group])
    slack = ROUNDING * (2 * n + 16) * (n * size + abs(most))
    for group in range(reach.shape[1]):
        reach[n, group] += slack
        for i in range(n - 1, -1, -1):
            reach[i, group] = reach[i + 1, group] + bounds[first_row[i + 1] - 1, group]
    return most + slack


@kernel
def n_required(rest: np.ndarray, enough: float) -> int:
    """The number of terms to add up: without one of these, a document has less than `enough`."""
    p = len(rest) - 1
    while p > 0 and rest[p - 1] < enough:
        p -= 1
    return p


@kernel
def in_order(docs: np.ndarray, scores: np.ndarray, found: int, k: int, scratch: np.ndarray) -> int:
    """Sort the k best documents to the front, by falling score, ties by rising number, and return their number."""
    order, spare = np.empty(found, np.int64), np.empty(found, np.int64)
    falling(scores, docs, found, order, spare)
    n = min(found, k)
    for i in range(n):
        spare[i], scratch[i] = docs[order[i]], scores[order[i]]
    for i in range(n):
        docs[i], scores[i] = spare[i], scratch[i]
    return n


@kernel
def search(
    query_blocks: Blocks, terms: WeighedTerms, score: Score, least_dd: float, k: int, room: Room, required: bool
) -> int:
    """Put the k best documents into `room`, best first; return their number, or `DAMAGED` or `NOT_FINITE`."""
    # If all terms are required, candidates come from the rarest, and lose their totals where another is absent.
    words, code, df, n_lengths = query_blocks.words, query_blocks.code, terms.df, terms.n_lengths
    kind, every, part, dd, qq = score
    sums, touched, totals, best_docs, best_scores, scratch = room
    first_row, weights, table, listed = terms.first_row, terms.weights, terms.first_row * n_lengths, terms.listed
    n, n_docs = len(df), len(code)
    shift = terms.shift
    n_groups = ((n_lengths - 1) >> shift) + 1
    bounds, reach = np.empty((first_row[n], n_groups)), np.empty((n + 1, n_groups))
    size = bound(first_row, weights, n_lengths, shift, bounds)
    top = reaches(first_row, bounds, size, shift, every, part, reach)
    if not n * size + abs(top) < HUGE:
        return NOT_FINITE
    blocks, most, first = columns_of(query_blocks, terms, bounds)
    start, stop, rest = first[:n].copy(), first[:n].copy(), np.empty(n + 1)
    docs, term_weights, loaded = np.empty((n, BLOCK), np.uint64), np.empty(BLOCK), np.full(n, _I(-1))
    least, n_best, end, width = -np.inf, _I(0), _I(0), _I(FIRST)
    while end < n_docs:
        base, end = end, min(end + width, n_docs)
        width = min(2 * width, WINDOW)
        enter_window(blocks, most, first, base, end, start, stop, rest)
        enough = needed(kind, least, least_dd, qq) - top
        if rest[0] < enough:
            continue
        p, n_touched = 1 if required else n_required(rest, enough), _I(0)
        for i in range(p):
            others = rest[0] - (rest[i] - rest[i + 1])
            n_touched = add_term(
                words, blocks, most, first[i], start[i], stop[i], i, base, end, enough - others, weights, table[i],
                listed[i], n_lengths, code, docs, term_weights, loaded, sums, touched, n_touched,
            )  # fmt: skip
            if n_touched < 0:
                return DAMAGED
        few = gather(sums, touched, totals, n_touched, enough - rest[p])
        for i in range(p, n):
            few = keep_near(code, kind, dd, qq, base, few, reach, i, rest[i] + top, least, touched, totals, shift)
            if min((stop[i] - start[i]) * BLOCK, df[i] * (end - base) // n_docs) <= LOOK_UP * few:
                whole = read_all(
                    words, blocks, first[i], start[i], stop[i], i, base, end, few, weights, table[i], listed[i],
                    n_lengths, code, docs, loaded, sums, touched, totals, required,
                )  # fmt: skip
            else:
                whole = look_up_all(
                    words, blocks, first[i], start[i], stop[i], i, base, few, weights, table[i], listed[i], n_lengths,
                    code, docs, loaded, touched, totals, required,
                )  # fmt: skip
            if not whole:
                return DAMAGED
        few = keep_near(code, kind, dd, qq, base, few, reach, n, np.inf, least, touched, totals, shift)
        n_best, least = finish(
            code, kind, every, part, dd, qq, base, few, k, least, n_best, touched, totals, best_docs, best_scores,
            scratch,
        )  # fmt: skip
        if n_best < 0:
            return NOT_FINITE
    return in_order(best_docs, best_scores, n_best, k, scratch)
