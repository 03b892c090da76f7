"""The packed postings of query terms, decoded block by block."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from toysearch.compiled.compilation import kernel

BLOCK = 128  # the most postings in a block
DAMAGED, ABSENT = -1, -2
"""Returned instead of a number of documents, or of the place of a weight."""

START, COUNT, GAP_BITS, TF_BITS, BEFORE, LAST, HIGHEST = range(7)
"""The columns of the blocks of a query: first bit, number of postings, bits per gap, bits per frequency, last document
of the block before (-1 in the first block of a term), last document, highest frequency."""

_U = np.uint64
_I = cast(type[int], np.int64)
_ONE, _LOW, _HALF = np.uint64(1), np.uint64(31), np.uint64(32)


class Blocks(NamedTuple):
    """The packed postings of an index: one row per block."""

    words: np.ndarray  # uint32
    starts: np.ndarray  # the first bit
    counts: np.ndarray  # the number of postings
    gap_bits: np.ndarray
    tf_bits: np.ndarray
    before: np.ndarray  # the last document of the block before; -1 in the first block of a term
    last_docs: np.ndarray
    highest_tf: np.ndarray
    least_dl: np.ndarray  # the length of the shortest document
    column: np.ndarray  # by document length: the column in the tables of weights
    code: np.ndarray  # (N,) uint16; the column of each document's length


class WeighedTerms(NamedTuple):
    """The terms of a query in the canonical order: one row per term."""

    first: np.ndarray  # the first block
    stop: np.ndarray
    df: np.ndarray
    first_row: np.ndarray  # (n + 1,) the first row of each term in the table
    n_lengths: int  # the columns of the table
    shift: int  # a bound is for a group of 1 << shift neighbouring lengths
    weights: np.ndarray  # the rows of the table, then the weights of postings
    listed: np.ndarray  # (n,) the place of the weight of a term's first posting; 0 if the term has a table


@kernel
def field(words: np.ndarray, position: np.uint64, mask: np.uint64) -> np.uint64:
    """The number whose lowest bit is at a position."""
    word = position >> np.uint64(5)
    return (_U(words[word]) | _U(words[word + _ONE]) << _HALF) >> (position & _LOW) & mask


@kernel
def columns_of(blocks: Blocks, terms: WeighedTerms, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The columns of the blocks of a query, the most that each block can add, and the first block of each term."""
    n = len(terms.df)
    first = np.zeros(n + 1, np.int64)
    for i in range(n):
        first[i + 1] = first[i] + terms.stop[i] - terms.first[i]
    columns, most = np.empty((first[n], 7), np.int64), np.empty(first[n])
    starts, counts, gap_bits, tf_bits = blocks.starts, blocks.counts, blocks.gap_bits, blocks.tf_bits
    before, last_docs, highest_tf, least = blocks.before, blocks.last_docs, blocks.highest_tf, blocks.least_dl
    column, weights, listed = blocks.column, terms.weights, terms.listed
    for i in range(n):
        b = terms.first[i]
        for row in range(first[i], first[i + 1]):
            columns[row, START], columns[row, COUNT] = starts[b], counts[b]
            columns[row, GAP_BITS], columns[row, TF_BITS] = gap_bits[b], tf_bits[b]
            columns[row, BEFORE], columns[row, LAST] = before[b], last_docs[b]
            columns[row, HIGHEST] = highest_tf[b]
            if listed[i] == 0:
                most[row] = bounds[terms.first_row[i] + highest_tf[b] - 1, column[least[b]] >> terms.shift]
            else:
                place = listed[i] + (row - first[i]) * BLOCK
                most[row] = 0.0
                for j in range(place, place + counts[b]):
                    most[row] = max(most[row], weights[j])
            b += 1
    return columns, most, first


@kernel
def decode(words: np.ndarray, blocks: np.ndarray, b: int, n_docs: int, docs: np.ndarray, i: int) -> bool:
    """Decode the documents of a block into row i; False if they contradict its last document."""
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
    """Look up the weights of postings of a block in a table; False if a frequency exceeds the stored highest one."""
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
    """The number of documents below a limit, among the first n of row i."""
    below = _U(0)
    for j in range(_U(n)):
        below += _U(docs[i, j] < _U(limit))
    return _I(below)


@kernel
def add(
    docs: np.ndarray, i: int, start: int, stop: int, base: int, weights: np.ndarray, sums: np.ndarray,
    touched: np.ndarray, n_touched: int,
) -> int:  # fmt: skip
    """Add the weights of postings to the sums of a window, and record the documents that had no sum yet."""
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
    """Add the weights of a term to the sums of a window, without the blocks whose bound is below `enough`."""
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
    """The place of the weight of a document, searched from block b on; `ABSENT` or `DAMAGED` if there is none."""
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
    loaded: np.ndarray, touched: np.ndarray, totals: np.ndarray, required: bool,
) -> bool:  # fmt: skip
    """Add the weights of a term to the totals of the candidates by looking up each; False if a block is damaged."""
    # If the term is required, the totals of candidates without it become NaN.
    for j in range(few):
        doc = base + _I(touched[j])
        place = look_up(words, blocks, first, start, stop, i, doc, table, listed, n_lengths, code, docs, loaded)
        if place == DAMAGED:
            return False
        if place >= 0:
            totals[j] += weights[place]
        elif required:
            totals[j] = np.nan
    return True


@kernel
def read_all(
    words: np.ndarray, blocks: np.ndarray, first: int, start: int, stop: int, i: int, base: int, end: int, few: int,
    weights: np.ndarray, table: int, listed: int, n_lengths: int, code: np.ndarray, docs: np.ndarray,
    loaded: np.ndarray, sums: np.ndarray, touched: np.ndarray, totals: np.ndarray, required: bool,
) -> bool:  # fmt: skip
    """Do the work of `look_up_all` by decoding all blocks of the term in the window."""
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
            slot = sums[doc - _U(base)]
            if slot >= 0.0:
                place = _U(listed + (b - first) * BLOCK) + j
                if not listed:
                    tf = field(words, tfs + j * width, mask)
                    if tf >= highest:
                        return False
                    place = _U(table) + tf * _U(n_lengths) + _U(code[doc])
                totals[_U(slot)] += weights[place]
                sums[doc - _U(base)] = -1.0  # found
    for j in range(few):
        if required and sums[touched[j]] >= 0.0:
            totals[j] = np.nan
        sums[touched[j]] = np.nan
    return True
