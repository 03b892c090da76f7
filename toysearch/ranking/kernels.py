"""The compiled twin of `scoring.score` and `topk.top`.

The k best documents of a query are found by going through its terms in the canonical order, in which each adds less
at best than those before it (MaxScore: Turtle & Flood 1995). A document is looked at where its first term has it:
the others are looked up, as long as what they can add might still bring it among the k best. Once no document without
the terms gone through can come among them, all are found. The weights of a term stand in blocks whose maxima are
known, so that blocks are skipped (Ding & Suel 2011), and a filter of bits tells most documents that lack the term.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from toysearch.compiling import kernel
from toysearch.ranking.selection import falling, keep_best

LARGEST = 1e300  # sums beyond might not be finite
ROUNDING = 2.3e-16  # a little more than what one operation on float64 can be off, relative to its result
BLOCK_BITS = 6  # of weights with a maximum
BATCH = 320  # documents that are completed together: their cache misses overlap
WINDOW_BITS = 14
WINDOW = 1 << WINDOW_BITS  # documents: their sums are 128 KB, a part of a core's own cache

HEADER = 6
NUMBER, BEGIN, SIZE, SHIFT, HIGHEST, LOWEST = range(HEADER)
"""What a term's list begins with: four whole numbers, two floats. Then come the weights, the maxima of
blocks and the directory: pairs of 64 bits and the place of the first posting that they stand for. A bit stands for
2^SHIFT documents, and is set where one of them holds the term.
"""


_intrinsic: Any = intrinsic


def _loading(kind: Any, bits: Any) -> Any:
    """A function that reads one of many numbers of a kind that lie one after the other from an address on."""

    @_intrinsic  # type: ignore[untyped-decorator]
    def load(context: Any, address: Any, number: Any) -> Any:
        def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], bits.as_pointer())
            return builder.load(builder.gep(pointer, [arguments[1]]))

        return kind(types.int64, types.int64), code

    return load


float_at = _loading(types.float64, ir.DoubleType())
word_at = _loading(types.int64, ir.IntType(64))


@_intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(context: Any, word: Any) -> Any:
    """The place of the lowest bit that is set in a 64-bit word."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@_intrinsic  # type: ignore[untyped-decorator]
def ones(context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


@kernel
def complete(docs: np.ndarray, floats: np.ndarray, words: np.ndarray) -> None:
    """Fill in what a term's list holds besides its weights: their extremes, the maxima of blocks, the directory."""
    begin, size, shift = words[BEGIN], words[SIZE], words[SHIFT]
    n_blocks = (size + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS
    directory = HEADER + size + n_blocks
    for word in range(directory, len(words)):
        words[word] = 0
    highest, lowest, last = -np.inf, np.inf, np.int64(-1)
    for block in range(n_blocks):
        most = -np.inf
        for place in range(block << BLOCK_BITS, min(size, (block + 1) << BLOCK_BITS)):
            weight = floats[HEADER + place]
            most, lowest = max(most, weight), min(lowest, weight)
            bit = np.int64(docs[begin + place]) >> shift
            entry = directory + ((bit >> 6) << 1)
            if bit >> 6 != last:
                last = bit >> 6
                words[entry + 1] = place
            words[entry] |= np.int64(1) << (bit & 63)
        floats[HEADER + size + block] = most
        highest = max(highest, most)
    floats[HIGHEST], floats[LOWEST] = highest, lowest


@kernel
def find(docs: np.ndarray, begin: int, size: int, word: int, place: int, bit: int, doc: int) -> int:
    """The place of a document in a term's postings, -1 where it is not there; its bit of the directory is set."""
    place += ones(word & ((np.int64(1) << bit) - 1))  # each bit below stands for a posting or more
    while place < size and docs[begin + place] < doc:
        place += 1
    return place if place < size and docs[begin + place] == doc else -1


@kernel
def in_order(addresses: np.ndarray, query_weights: np.ndarray, product: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """The canonical order of a query's terms, what each adds at best, and how large all can become together."""
    n, size = len(addresses), 0.0
    tops, numbers = np.empty(n), np.empty(n, np.int64)
    order, scratch = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        q, high, low = query_weights[i], float_at(addresses[i], HIGHEST), float_at(addresses[i], LOWEST)
        one, other = (q * high, q * low) if product else (min(q, high), min(q, low))
        tops[i], numbers[i] = max(one, other), word_at(addresses[i], NUMBER)
        size += max(abs(one), abs(other))
    falling(tops, numbers, n, order, scratch)
    return order, tops, size


@kernel
def add_up(
    docs: np.ndarray,
    n_docs: int,
    addresses: np.ndarray,
    query_weights: np.ndarray,
    product: bool,
    sums: np.ndarray,
    marked: np.ndarray,
    found: np.ndarray,
    totals: np.ndarray,
) -> int:
    """Fill `found` and `totals` with all documents that hold a term, and the sums of their weights; returns how many.

    Windows of documents, whose sums stay in a core's own cache. `sums` and `marked` are zeros before and after.
    """
    n, kept = len(addresses), 0
    order, _, _ = in_order(addresses, query_weights, product)
    places = np.zeros(n, np.int64)
    for base in range(0, n_docs, WINDOW):
        for i in range(n):
            address, q, place = addresses[order[i]], query_weights[order[i]], places[i]
            begin, size, weights = word_at(address, BEGIN), word_at(address, SIZE), address + 8 * HEADER
            while place < size:
                doc = docs[begin + place] - base
                if doc >= WINDOW:
                    break
                weight = float_at(weights, place)
                sums[doc] += q * weight if product else min(q, weight)
                marked[doc >> 6] |= np.int64(1) << (doc & 63)
                place += 1
            places[i] = place
        for number in range(len(marked)):
            word = marked[number]
            marked[number] = 0
            while word != 0:
                doc = (number << 6) + lowest_bit(word)
                word &= word - 1
                found[kept], totals[kept] = base + doc, sums[doc]
                sums[doc] = 0.0
                kept += 1
    return kept


@kernel
def look_up(
    docs: np.ndarray,
    address: int,
    q: float,
    rest: float,
    least: float,
    doc_list: np.ndarray,
    totals: np.ndarray,
    n: int,
    hits: np.ndarray,
) -> int:
    """Add what a term gives to n documents, and keep those that can still reach `least`; returns how many."""
    begin, size, shift = word_at(address, BEGIN), word_at(address, SIZE), word_at(address, SHIFT)
    weights = address + 8 * HEADER
    directory = weights + 8 * (size + ((size + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS))
    n_hits = 0
    # No branches here, so that the processor can ask for many of the words at once.
    for i in range(n):
        bit = doc_list[i] >> shift
        hits[n_hits] = i
        n_hits += (word_at(directory, (bit >> 6) << 1) >> (bit & 63)) & 1
    for hit in range(n_hits):
        i = hits[hit]
        doc = doc_list[i]
        bit = doc >> shift
        entry = (bit >> 6) << 1
        word, first = word_at(directory, entry), word_at(directory, entry + 1)
        place = find(docs, begin, size, word, first, bit & 63, doc)
        if place >= 0:
            totals[i] += q * float_at(weights, place)
    kept = 0
    for i in range(n):
        doc, total = doc_list[i], totals[i]
        doc_list[kept], totals[kept] = doc, total
        kept += total + rest >= least
    return kept


@kernel
def take_away(docs: np.ndarray, address: int, doc_list: np.ndarray, totals: np.ndarray, n: int) -> int:
    """Drop those of n documents that hold a term; returns how many are left."""
    begin, size, shift = word_at(address, BEGIN), word_at(address, SIZE), word_at(address, SHIFT)
    directory = address + 8 * (HEADER + size + ((size + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS))
    kept = 0
    for i in range(n):
        doc = doc_list[i]
        bit = doc >> shift
        entry = (bit >> 6) << 1
        word = word_at(directory, entry)
        doc_list[kept], totals[kept] = doc, totals[i]
        kept += 1
        if (word >> (bit & 63)) & 1:
            kept -= find(docs, begin, size, word, word_at(directory, entry + 1), bit & 63, doc) >= 0
    return kept


@kernel
def best(
    docs: np.ndarray,
    addresses: np.ndarray,
    query_weights: np.ndarray,
    parts: np.ndarray,
    part: np.ndarray,
    part_most: float,
    part_size: float,
    k: int,
    found: np.ndarray,
    scores: np.ndarray,
    scratch: np.ndarray,
) -> int:
    """Fill `found` and `scores` with documents among which are the k best; returns how many they are.

    -1 where scores might not be finite.
    """
    n, with_part = len(addresses), len(part) > 0
    order, tops, size = in_order(addresses, query_weights, True)
    size += part_size
    for i in range(n):
        size += abs(parts[i])
    if not size < LARGEST:
        return -1
    every = parts[order[0]] if n else 0.0  # of every ranked document, added in the canonical order too
    for i in range(1, n):
        every += parts[order[i]]
    most = every + part_most + ROUNDING * (2 * n + 16) * size  # what comes on top of the terms, and can be rounded
    q, rest, own = np.empty(n), np.empty(n + 1), np.empty(n, np.int64)
    rest[n] = most  # what the terms from here on can add at most, with what comes on top
    for i in range(n - 1, -1, -1):
        own[i], q[i] = addresses[order[i]], query_weights[order[i]]
        rest[i] = rest[i + 1] + max(0.0, tops[order[i]])
    doc_list, totals, hits = np.empty(BATCH, np.int64), np.empty(BATCH), np.empty(BATCH, np.int64)
    least, kept = -np.inf, 0
    for i in range(n):
        if rest[i] < least:
            break
        begin, count = word_at(own[i], BEGIN), word_at(own[i], SIZE)
        weights = own[i] + 8 * HEADER
        maxima, n_blocks = weights + 8 * count, (count + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS
        left = 0
        for block in range(n_blocks):
            if q[i] <= 0 or q[i] * float_at(maxima, block) + rest[i + 1] >= least:
                for place in range(block << BLOCK_BITS, min(count, (block + 1) << BLOCK_BITS)):
                    total = q[i] * float_at(weights, place)
                    doc_list[left], totals[left] = docs[begin + place], total
                    left += total + rest[i + 1] >= least
            if left <= BATCH - (1 << BLOCK_BITS) and block < n_blocks - 1:
                continue
            for j in range(i + 1, n):
                left = look_up(docs, own[j], q[j], rest[j + 1], least, doc_list, totals, left, hits)
            for j in range(i):  # what has an earlier term was looked at with that
                left = take_away(docs, own[j], doc_list, totals, left)
            for j in range(left):
                doc, score = doc_list[j], totals[j] + every
                if with_part:
                    score += part[doc]
                if score >= least:
                    found[kept], scores[kept] = doc, score
                    kept += 1
                    if kept == len(found):
                        least = keep_best(found, scores, kept, k, scratch)
                        kept = k
            left = 0
    return kept


@kernel
def search(
    docs: np.ndarray,
    addresses: np.ndarray,
    query_weights: np.ndarray,
    parts: np.ndarray,
    bounds: np.ndarray,
    part: np.ndarray,
    part_most: float,
    part_size: float,
    k: int,
    found: np.ndarray,
    scores: np.ndarray,
    scratch: np.ndarray,
    order: np.ndarray,
    out_docs: np.ndarray,
    out_scores: np.ndarray,
    counts: np.ndarray,
) -> None:
    """The k best documents of each query; those of query i stand from row i · k on, counts[i] of them."""
    for query in range(len(counts)):
        own = slice(bounds[query], bounds[query + 1])
        n = best(
            docs,
            addresses[own],
            query_weights[own],
            parts[own],
            part,
            part_most,
            part_size,
            k,
            found,
            scores,
            scratch,
        )
        if n > k:
            keep_best(found, scores, n, k, scratch)
            n = k
        falling(scores, found, n, order[0], order[1])
        for rank in range(n):
            out_docs[query * k + rank] = found[order[0, rank]]
            out_scores[query * k + rank] = scores[order[0, rank]]
        counts[query] = n
