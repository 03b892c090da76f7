"""Tokens → postings, compiled: counted document by document, sorted block by block, and put behind each other."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import kernel

LARGE = 255
"""Counts of at least this size are stored separately."""

SEEN, MET = 0, 1
"""The columns of a block counter's table of terms: where a term was seen last, and which of a block's terms it is."""

NEXT, CF = 0, 1
"""The columns of the table of all terms: the place of its next posting, and how often it has occurred."""


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
    met: np.ndarray,
    df: np.ndarray,
    positions: bool,
) -> tuple[int, int, int]:
    """Write the terms of each document, once each, and how often they occur: as numbers of those that the block has."""
    # `term_of` gives each token's term, -1 where it is left out; empty where each token is its own term. `met` and `df`
    # say then which term each number is, and how many documents hold it. For positions, `found` gets the number of each
    # token's term, -1 where it is left out. Returns how many terms of documents and of the block there are, and nothing
    # to read.
    n = n_met = start = touched = 0
    block = first_doc + 1
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
                if positions:
                    found[i] = -1
                continue
            seen = table[term, SEEN]
            if seen >> 32 == stamp:
                place = seen & 0xFFFFFFFF
                tf[place] += 1
            else:
                place = n
                table[term, SEEN] = stamp << 32 | n
                if table[term, MET] >> 32 != block:
                    table[term, MET] = block << 32 | n_met
                    met[n_met], df[n_met] = term, 0
                    n_met += 1
                number = table[term, MET] & 0xFFFFFFFF
                df[number] += 1
                terms[n], tf[n] = number, 1
                n += 1
            if positions:
                found[i] = terms[place]
            most = max(most, tf[place])
            length += 1
        start = ends[doc]
        dl[doc], distinct[doc], max_tf[doc] = length, n - first, most
    return n, n_met, touched


@kernel
def invert(
    terms: np.ndarray,
    tf: np.ndarray,
    distinct: np.ndarray,
    places: np.ndarray,
    docs: np.ndarray,
    small: np.ndarray,
    large: np.ndarray,
) -> None:
    """Put the postings of a block where those of their terms begin; large counts also go apart, with their places."""
    start = n = 0
    for doc in range(distinct.size):
        stop = start + distinct[doc]
        for i in range(start, stop):
            place, frequency = places[terms[i]], tf[i]
            places[terms[i]] = place + 1
            if frequency >= LARGE:
                large[n, 0], large[n, 1] = place, frequency
                n += 1
            docs[place], small[place] = doc, min(frequency, LARGE)
        start = stop


@kernel
def sort_places(
    found: np.ndarray,
    ends: np.ndarray,
    dl: np.ndarray,
    order: np.ndarray,
    cf: np.ndarray,
    places: np.ndarray,
    holes: np.ndarray,
) -> None:
    """Write the places of tokens in their documents term by term, and the holes of each document; `cf` is 0 first."""
    # `order` gives the numbers of terms in the order of their places, and `cf` then how often the terms occur.
    for i in range(found.size):
        if found[i] >= 0:
            cf[found[i]] += 1
    following, start = np.empty(cf.size, np.int64), 0
    for number in order:
        following[number] = start
        start += cf[number]
    start = 0
    for doc in range(ends.size):
        last = -1
        for i in range(start, ends[doc]):
            number = found[i]
            if number >= 0:
                last = i - start
                places[following[number]] = last
                following[number] += 1
        start = ends[doc]
        holes[doc] = last + 1 - dl[doc]


@kernel
def append(
    terms: np.ndarray,
    df: np.ndarray,
    docs: np.ndarray,
    tf: np.ndarray,
    large: np.ndarray,
    first_doc: int,
    row: np.ndarray,
    low: int,
    high: int,
    table: np.ndarray,
    all_docs: np.ndarray,
    all_tf: np.ndarray,
    apart: np.ndarray,
    n: int,
) -> int:
    """Put a block's postings of the terms whose rows run from low up to high behind those of the blocks before."""
    # `row` gives each term's row; empty where a term's number is its row. Large counts are written behind the n that
    # are apart, with their places; returns how many there are then.
    start = taken = 0
    for i in range(terms.size):
        own = np.int64(row[terms[i]]) if row.size else np.int64(terms[i])
        stop = start + df[i]
        if low <= own < high:
            place, total = table[own, NEXT], 0
            for j in range(start, stop):
                all_docs[place], all_tf[place] = first_doc + docs[j], tf[j]
                total += tf[j]
                if tf[j] == LARGE:
                    total += large[taken, 1] - LARGE
                    apart[n, 0], apart[n, 1] = place, large[taken, 1]
                    n, taken = n + 1, taken + 1
                place += 1
            table[own, NEXT] = place
            table[own, CF] += total
        else:
            while taken < len(large) and large[taken, 0] < stop:
                taken += 1
        start = stop
    return n


@kernel
def append_places(
    terms: np.ndarray,
    cf: np.ndarray,
    places: np.ndarray,
    row: np.ndarray,
    low: int,
    high: int,
    following: np.ndarray,
    all_places: np.ndarray,
) -> None:
    """Put a block's places of the same terms behind those of the blocks before; `following` says where, by row."""
    start = 0
    for i in range(terms.size):
        own = np.int64(row[terms[i]]) if row.size else np.int64(terms[i])
        if low <= own < high:
            place = following[own]
            for j in range(cf[i]):
                all_places[place + j] = places[start + j]
            following[own] = place + cf[i]
        start += cf[i]


@kernel
def gather(blob: np.ndarray, offsets: np.ndarray, order: np.ndarray, gathered: np.ndarray) -> None:
    """Write strings one after the other in an order."""
    place = 0
    for number in order:
        for i in range(offsets[number], offsets[number + 1]):
            gathered[place] = blob[i]
            place += 1
