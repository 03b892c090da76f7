"""Tokens → postings, compiled: counted by document, sorted by term within a block, appended block by block."""

from __future__ import annotations

import cython
import numpy as np

LARGE = 255
"""Least size of counts that are stored separately."""

_LARGE = cython.declare(cython.int, LARGE)

# The columns of the table of terms of a block: the place where a term was last seen, and its number in the block.
_SEEN = cython.declare(cython.Py_ssize_t, 0)
_MET = cython.declare(cython.Py_ssize_t, 1)

Place = cython.fused_type(cython.ushort, cython.int)
"""Position in a document."""


@cython.locals(
    i=cython.Py_ssize_t,
    doc=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
    number=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    term=cython.int,
    length=cython.int,
    most=cython.int,
    stamp=cython.longlong,
    latest=cython.longlong,
)
def count(
    found: cython.int[::1],
    ends: cython.const[cython.longlong][::1],
    term_of: cython.const[cython.int][::1],
    first_doc: cython.longlong,
    table: cython.longlong[:, ::1],
    postings: cython.int[:, ::1],
    documents: cython.int[:, ::1],
    positions: cython.bint,
) -> tuple[int, int, int]:
    """Write the distinct terms of each document, as numbers within the block, and their frequencies."""
    # `term_of` has the term of each token, -1 if it is left out; it is empty if each token is its own term. With
    # positions, `found` gets the number of each token's term, -1 if it is left out. Returns the postings and the terms
    # of the block, and a number without meaning.
    terms: cython.int[::1] = postings[0]  # of each posting the number of its term
    tf: cython.int[::1] = postings[1]
    met: cython.int[::1] = postings[2]  # of each number its term, and the document frequency in the block
    df: cython.int[::1] = postings[3]
    dl: cython.int[::1] = documents[0]
    distinct: cython.int[::1] = documents[1]
    max_tf: cython.int[::1] = documents[2]
    own_terms: cython.bint = term_of.shape[0] == 0
    touched: cython.longlong = 0
    n: cython.Py_ssize_t = 0
    n_met: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    block: cython.longlong = first_doc + 1
    with cython.nogil:
        for doc in range(ends.shape[0]):
            first, length, most = n, 0, 0
            stamp = first_doc + doc + 1
            # Most rows are not in the processor's cache: reading them all first lets it load many at once.
            for i in range(start, ends[doc]):
                term = found[i] if own_terms else term_of[found[i]]
                if term >= 0:
                    touched ^= table[term, _SEEN]
            for i in range(start, ends[doc]):
                term = found[i] if own_terms else term_of[found[i]]
                if term < 0:
                    if positions:
                        found[i] = -1
                    continue
                latest = table[term, _SEEN]
                if latest >> 32 == stamp:
                    place = latest & 0x7FFFFFFF
                    tf[place] += 1
                else:
                    place = n
                    table[term, _SEEN] = stamp << 32 | n
                    if table[term, _MET] >> 32 != block:
                        table[term, _MET] = block << 32 | n_met
                        met[n_met], df[n_met] = term, 0
                        n_met += 1
                    number = table[term, _MET] & 0x7FFFFFFF
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


def invert(
    terms: cython.const[cython.int][::1],
    tf: cython.const[cython.int][::1],
    distinct: cython.const[cython.int][::1],
    places: cython.int[::1],
    docs: cython.ushort[::1],
    small: cython.uchar[::1],
    large: cython.longlong[:, ::1],
) -> None:
    """Sort the postings of a block by term, each term from its place on; large counts are also listed with places."""
    start: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    with cython.nogil:
        for doc in range(distinct.shape[0]):
            stop = start + distinct[doc]
            for i in range(start, stop):
                place = places[terms[i]]
                places[terms[i]] = place + 1
                if tf[i] >= _LARGE:
                    large[n, 0], large[n, 1] = place, tf[i]
                    n += 1
                docs[place], small[place] = doc, min(tf[i], _LARGE)
            start = stop


def sort_places(
    found: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    docs: cython.const[cython.longlong][::1],
    gap: cython.Py_ssize_t,
    dl: cython.const[cython.int][::1],
    order: cython.const[cython.longlong][::1],
    cf: cython.int[::1],
    places: Place[::1],
    holes: cython.int[::1],
) -> None:
    """Write the positions of the tokens of each term, and the number of holes in each document."""
    # `ends` and `docs` have the end and the document of each part of a text; a gap of positions precedes all but its
    # first part. `order` has the numbers of terms in the order in which their positions are written; `cf`, 0 at first,
    # gets the number of these positions.
    i: cython.Py_ssize_t
    part: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    doc: cython.Py_ssize_t = -1
    last: cython.int = -1
    start: cython.Py_ssize_t = 0
    following: cython.longlong[::1] = np.empty(cf.shape[0], np.int64)
    with cython.nogil:
        for i in range(found.shape[0]):
            if found[i] >= 0:
                cf[found[i]] += 1
        for i in range(order.shape[0]):
            following[order[i]] = start
            start += cf[order[i]]
        start = 0
        for part in range(ends.shape[0]):
            if docs[part] != doc:
                doc, start, last = docs[part], first, -1
            else:
                start -= gap
            for i in range(first, ends[part]):
                if found[i] >= 0:
                    last = i - start
                    places[following[found[i]]] = last
                    following[found[i]] += 1
            first = ends[part]
            holes[doc] = last + 1 - dl[doc]


@cython.locals(
    i=cython.Py_ssize_t,
    j=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
    total=cython.longlong,
)
def append(
    rows: cython.const[cython.int][::1],
    df: cython.const[cython.ushort][::1],
    docs: cython.const[cython.ushort][::1],
    tf: cython.const[cython.uchar][::1],
    large: cython.const[cython.longlong][:, ::1],
    first_doc: cython.int,
    following: cython.longlong[::1],
    cf: cython.longlong[::1],
    all_docs: cython.int[::1],
    all_tf: cython.uchar[::1],
    apart: cython.longlong[:, ::1],
    n: cython.Py_ssize_t,
) -> int:
    """Append the postings of a block to those of earlier blocks, and return the number of large counts."""
    # A row stands for a term: `following` has the place of its next posting, `cf` its collection frequency so far.
    # Large counts, with their places, are appended to n others.
    start: cython.Py_ssize_t = 0
    n_large: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(rows.shape[0]):
            place, total = following[rows[i]], 0
            for j in range(start, start + df[i]):
                all_docs[place], all_tf[place] = first_doc + docs[j], tf[j]
                total += tf[j]
                if tf[j] == _LARGE:
                    total += large[n_large, 1] - _LARGE
                    apart[n, 0], apart[n, 1] = place, large[n_large, 1]
                    n += 1
                    n_large += 1
                place += 1
            following[rows[i]] = place
            cf[rows[i]] += total
            start += df[i]
    return n


@cython.locals(
    i=cython.Py_ssize_t,
    j=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
)
def append_places(
    rows: cython.const[cython.int][::1],
    cf: cython.const[cython.int][::1],
    places: cython.const[Place][::1],
    following: cython.longlong[::1],
    all_places: cython.int[::1],
) -> None:
    """Append the positions of a block to those of earlier blocks, each row from its place in `following` on."""
    start: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(rows.shape[0]):
            place = following[rows[i]]
            for j in range(cf[i]):
                all_places[place + j] = places[start + j]
            following[rows[i]] = place + cf[i]
            start += cf[i]


@cython.locals(j=cython.Py_ssize_t)
def gather(
    blob: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    gathered: cython.uchar[::1],
) -> None:
    """Write strings in sequence, in a given order."""
    place: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(order.shape[0]):
            for j in range(offsets[order[i]], offsets[order[i] + 1]):
                gathered[place] = blob[j]
                place += 1
