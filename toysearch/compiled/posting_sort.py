"""Tokens → postings, compiled: counted by document, sorted by term within a block, appended block by block."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import kernel

LARGE = 255
"""Counts of at least this size are stored separately."""

SEEN, MET = 0, 1
"""The columns of the table of terms of a block: the place where a term was last seen, and its number in the block."""

NEXT, CF = 0, 1
"""The columns of the table of all terms: the place of the next posting, and the collection frequency so far."""


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
    """Write the distinct terms of each document, as numbers within the block, and their frequencies."""
    # `term_of` has the term of each token, -1 if it is left out; it is empty if each token is its own term. `met` and
    # `df` get the term of each number, and its document frequency in the block. With positions, `found` gets the number
    # of each token's term, -1 if it is left out. Returns the postings and the terms of the block, and a number without
    # meaning.
    n = n_met = start = touched = 0
    block = first_doc + 1
    for doc in range(ends.size):
        first, length, most = n, 0, 0
        stamp = first_doc + doc + 1
        # Most rows are not in the processor's cache: reading them all first lets it load many at once.
        for i in range(start, ends[doc]):
            term = term_of[found[i]] if term_of.size else found[i]
            touched ^= table[term, SEEN] if term >= 0 else 0
        for i in range(start, ends[doc]):
            term = term_of[found[i]] if term_of.size else found[i]
            if term < 0:
                if positions:
                    found[i] = -1
                continue
            latest = table[term, SEEN]
            if latest >> 32 == stamp:
                place = latest & 0xFFFFFFFF
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
    """Sort the postings of a block by term, each term from its place on; large counts are also listed with places."""
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
    """Write the positions of the tokens of each term, and the number of holes in each document."""
    # `order` has the numbers of terms in the order in which their positions are written; `cf`, 0 at first, gets the
    # number of these positions.
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
    """Append the postings of a block to those of earlier blocks, for the terms with rows from low up to high."""
    # `row` has the row of each term; it is empty if the number of a term is its row. Large counts, with their places,
    # are appended to the n in `apart`; returns their new number.
    start = n_large = 0
    for i in range(terms.size):
        term = np.int64(row[terms[i]]) if row.size else np.int64(terms[i])
        stop = start + df[i]
        if low <= term < high:
            place, total = table[term, NEXT], 0
            for j in range(start, stop):
                all_docs[place], all_tf[place] = first_doc + docs[j], tf[j]
                total += tf[j]
                if tf[j] == LARGE:
                    total += large[n_large, 1] - LARGE
                    apart[n, 0], apart[n, 1] = place, large[n_large, 1]
                    n, n_large = n + 1, n_large + 1
                place += 1
            table[term, NEXT] = place
            table[term, CF] += total
        else:
            while n_large < len(large) and large[n_large, 0] < stop:
                n_large += 1
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
    """Append the positions of the same terms of a block, from the place that `following` has for each row."""
    start = 0
    for i in range(terms.size):
        term = np.int64(row[terms[i]]) if row.size else np.int64(terms[i])
        if low <= term < high:
            place = following[term]
            for j in range(cf[i]):
                all_places[place + j] = places[start + j]
            following[term] = place + cf[i]
        start += cf[i]


@kernel
def gather(blob: np.ndarray, offsets: np.ndarray, order: np.ndarray, gathered: np.ndarray) -> None:
    """Write strings in sequence, in a given order."""
    place = 0
    for number in order:
        for i in range(offsets[number], offsets[number + 1]):
            gathered[place] = blob[i]
            place += 1
