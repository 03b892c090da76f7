"""Tokens → postings, compiled: first counted document by document, then put in order by a counting sort."""

from __future__ import annotations

import numpy as np

from toysearch.compiling import kernel

LARGE = 255
"""Counts from here on are kept apart."""

SEEN, DF = 0, 1
"""The columns of a block counter's table of terms: where a term was seen last, and in how many documents."""

NEXT, CF = 0, 1
"""The columns of the sort's table of terms: the place of its next posting, and how often it has occurred."""


@kernel
def count(
    found: np.ndarray,
    ends: np.ndarray,
    term_of: np.ndarray,
    first_doc: int,
    table: np.ndarray,
    terms: np.ndarray,
    tf: np.ndarray,
    dl: np.ndarray,
    distinct: np.ndarray,
    max_tf: np.ndarray,
) -> tuple[int, int]:
    """Write the terms of each document, once each, and how often they occur; how many there are, and nothing to read.

    `term_of` gives each token's term, -1 where it is left out; empty where each token is its own term.
    """
    n = start = touched = 0
    for doc in range(ends.size):
        first, length, most = n, 0, 0
        stamp = first_doc + doc + 1
        # Rows are mostly far from the processor's caches: touched first, it waits for many of them at once.
        for i in range(start, ends[doc]):
            term = term_of[found[i]] if term_of.size else found[i]
            touched ^= table[term, SEEN] if term >= 0 else 0
        for i in range(start, ends[doc]):
            term = term_of[found[i]] if term_of.size else found[i]
            if term < 0:
                continue
            seen = table[term, SEEN]
            if seen >> 32 == stamp:
                place = seen & 0xFFFFFFFF
                tf[place] += 1
            else:
                place = n
                table[term, SEEN] = stamp << 32 | n
                table[term, DF] += 1
                terms[n], tf[n] = term, 1
                n += 1
            most = max(most, tf[place])
            length += 1
        start = ends[doc]
        dl[doc], distinct[doc], max_tf[doc] = length, n - first, most
    return n, touched


@kernel
def sort(
    terms: np.ndarray,
    tf: np.ndarray,
    large: np.ndarray,
    distinct: np.ndarray,
    first_doc: int,
    row: np.ndarray,
    low: int,
    high: int,
    table: np.ndarray,
    docs: np.ndarray,
    sorted_tf: np.ndarray,
    apart: np.ndarray,
    n: int,
) -> int:
    """Put the postings of a block's documents, of the terms whose rows run from low up to high, where they belong.

    `row` gives each term's row; empty where a term's number is its row. Large counts are written
    behind the n that are apart, with their places; returns how many there are then.
    """
    start = taken = 0
    for doc in range(distinct.size):
        stop = start + distinct[doc]
        for i in range(start, stop):
            own = np.int64(row[terms[i]]) if row.size else np.int64(terms[i])
            frequency = tf[i]
            if low <= own < high:
                place = table[own, NEXT]
                table[own, NEXT] = place + 1
                table[own, CF] += frequency
                docs[place], sorted_tf[place] = first_doc + doc, frequency
            if frequency == LARGE:
                if low <= own < high:
                    table[own, CF] += large[taken] - LARGE
                    apart[n, 0], apart[n, 1] = place, large[taken]
                    n += 1
                taken += 1
        start = stop
    return n


@kernel
def gather(blob: np.ndarray, offsets: np.ndarray, order: np.ndarray, gathered: np.ndarray) -> None:
    """Write strings one after the other in an order."""
    place = 0
    for number in order:
        for i in range(offsets[number], offsets[number + 1]):
            gathered[place] = blob[i]
            place += 1
