"""Ranks of judged documents in a run, query by query, from its scores in order, which may be those of dicts."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection
from typing import Any

import cython
import numpy as np


@cython.locals(
    group=dict,
    keys=list,
    doc_ids=list,
    start=cython.Py_ssize_t,
    n=cython.Py_ssize_t,
    query=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    stop=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
    low=cython.Py_ssize_t,
    score=cython.float,
)
def read_dicts(
    groups: list[dict[str, float]],
    offsets: cython.const[cython.longlong][::1],
    values: cython.double[::1],
    judged_ids: list[Collection[str]],
    judged: cython.const[cython.longlong][:, ::1],
    ranks: cython.longlong[::1],
) -> bool:
    """Write the numbers of dicts, and the ranks of documents; False if a key is not a text, or a value is unusual."""
    # The numbers of dict i become `values[offsets[i]:offsets[i + 1]]`. The documents `judged_ids[i]` are ranked in it
    # while its texts and numbers are in the cache: `ranks[judged[i, 0]:judged[i, 1]]`. That of one not retrieved stays.
    most = np.diff(offsets).max(initial=0)
    keys, negative, numbered = [""], np.empty(most, dtype=np.float32), np.empty(most, dtype=np.int64)
    unsorted: cython.float[::1] = negative
    bits: cython.int[::1] = negative.view(np.int32)
    order: cython.longlong[::1] = numbered
    cells: cython.float[::1] = np.empty(most, dtype=np.float32)
    scores: cython.float[::1] = np.empty(np.diff(judged, axis=1).max(initial=0), dtype=np.float32)
    query = 0
    for group in groups:
        n, start = 0, offsets[query]
        if len(group) != offsets[query + 1] - start:  # it has changed since
            return False
        for doc_id, value in group.items():
            if not isinstance(doc_id, str) or not (type(value) is float or type(value) is int):
                return False
            values[start + n] = float(value)
            unsorted[n] = -values[start + n]
            n += 1
        first, stop = judged[query, 0], judged[query, 1]
        query += 1
        if first == stop:
            continue
        doc_ids = list(judged_ids[query - 1])
        if len(doc_ids) != stop - first:
            return False
        for row in range(first, stop):
            number = group.get(doc_ids[row - first])
            scores[row - first] = math.nan if number is None else -cython.cast(cython.double, number)
        # Whole numbers are sorted quickly: above 32 bits the score, below them its place in the dict.
        for place in range(n):
            unsorted[place] += 0.0  # no -0
            order[place] = cython.cast(cython.longlong, bits[place] ^ (0x7FFFFFFF * (bits[place] < 0))) << 32 | place
        numbered[:n].sort()
        for place in range(n):
            cells[place] = unsorted[order[place] & 0x7FFFFFFF]
        ties: dict[int, list[Any]] = {}
        for row in range(first, stop):
            score = scores[row - first]
            if score != score:
                continue
            low = _lowest(cells, 0, n, score)
            if low + 1 < n and cells[low + 1] == score:
                if not ties:
                    keys = list(group)
                if low not in ties:
                    end = _lowest_above(cells, low, n, score)
                    ties[low] = sorted([keys[order[place] & 0x7FFFFFFF] for place in range(low, end)])
                low += len(ties[low]) - bisect_right(ties[low], doc_ids[row - first])
            ranks[row] = low + 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lowest(
    rising: cython.const[cython.float][::1], low: cython.Py_ssize_t, end: cython.Py_ssize_t, score: cython.float
) -> cython.Py_ssize_t:
    # Without branches: the processor works on several searches at a time.
    length: cython.Py_ssize_t = end - low
    while length > 1:
        half = length // 2
        low += half * (rising[low + half - 1] < score)
        length -= half
    return low + (length > 0 and rising[low] < score)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lowest_above(
    rising: cython.const[cython.float][::1], low: cython.Py_ssize_t, end: cython.Py_ssize_t, score: cython.float
) -> cython.Py_ssize_t:
    while low < end:
        middle = (low + end) // 2
        if rising[middle] <= score:
            low = middle + 1
        else:
            end = middle
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rises(cells: cython.const[cython.float][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    row = start + 1
    while row < stop and cells[row - 1] <= cells[row]:
        row += 1
    return row >= stop


def in_order(rising: cython.const[cython.float][::1], bounds: cython.const[cython.longlong][::1]) -> bool:
    """True if each part `bounds[i]:bounds[i + 1]` rises."""
    every = True
    for query in range(bounds.shape[0] - 1):
        every = every and _rises(rising, bounds[query], bounds[query + 1])
    return every


def sort(rising: np.ndarray, rows: np.ndarray, bounds: cython.const[cython.longlong][::1]) -> bool:
    """Sort the parts `bounds[i]:bounds[i + 1]` of 32-bit floats, and rows with them; False if all were in order."""
    cells: cython.float[::1] = rising
    moved = False
    for query in range(bounds.shape[0] - 1):
        if not _rises(cells, bounds[query], bounds[query + 1]):
            part = slice(bounds[query], bounds[query + 1])
            order = rising[part].argsort()
            rising[part] = rising[part][order]
            rows[part] = rows[part][order]
            moved = True
    return moved


@cython.locals(row=cython.Py_ssize_t, first=cython.Py_ssize_t, end=cython.Py_ssize_t, n_tied=cython.Py_ssize_t)
def rank(
    rising: cython.const[cython.float][::1],
    bounds: cython.const[cython.longlong][:, ::1],
    judged_bounds: cython.const[cython.longlong][::1],
    scores: cython.const[cython.float][::1],
    ranks: cython.longlong[::1],
    tied: cython.longlong[:, ::1],
) -> int:
    """Fill in the rank of the first document with each score; return how many judged documents share theirs."""
    # The scores of query i, with their signs changed, are `rising[bounds[i, 0]:bounds[i, 1]]`, and those of its judged
    # documents `judged_bounds[i]:judged_bounds[i + 1]`, NaN for one not retrieved, whose rank stays. A row of `tied`
    # gets a judged document that shares its score, and where the group of the score begins in `rising`, and ends.
    n_tied = 0
    with cython.nogil:
        for query in range(bounds.shape[0]):
            first, end = bounds[query, 0], bounds[query, 1]
            for row in range(judged_bounds[query], judged_bounds[query + 1]):
                score = scores[row]
                if score != score:
                    continue
                low = _lowest(rising, first, end, score)
                ranks[row] = low - first + 1
                if low + 1 < end and rising[low + 1] == score:
                    tied[n_tied, 0], tied[n_tied, 1] = row, low
                    tied[n_tied, 2] = _lowest_above(rising, low, end, score)
                    n_tied += 1
    return n_tied


@cython.locals(
    row=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
    column=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    last=cython.Py_ssize_t,
    width=cython.Py_ssize_t,
)
def arrange(
    judged_bounds: cython.const[cython.longlong][::1],
    ranks_of: cython.const[cython.longlong][::1],
    grades_of: cython.const[cython.double][::1],
    row_of: cython.longlong[::1],
    ranks: cython.double[:, ::1],
    grades: cython.double[:, ::1],
) -> int:
    """Write the ranks and grades of the judged documents of each query by rank; return the most of any query."""
    # A rank of 0 is that of a document not retrieved. `row_of` has −1 for each rank from 0 on, before and after.
    width = 0
    with cython.nogil:
        for query in range(judged_bounds.shape[0] - 1):
            first, last = row_of.shape[0], 0
            for row in range(judged_bounds[query], judged_bounds[query + 1]):
                if 0 < ranks_of[row] < row_of.shape[0]:
                    row_of[ranks_of[row]] = row
                    first, last = min(first, ranks_of[row]), max(last, ranks_of[row])
            column = 0
            for place in range(first, last + 1):
                row = row_of[place]
                if row >= 0:
                    ranks[query, column], grades[query, column] = place, grades_of[row]
                    column += 1
                    row_of[place] = -1
            width = max(width, column)
    return width
