"""Ranks of judged documents in a run, query by query: scores of dicts, scores in order, ranks and the rows of the join."""

from __future__ import annotations

import cython
import numpy as np

_FEW = cython.declare(cython.Py_ssize_t, 32)  # up to this many scores are sorted by insertion


@cython.locals(group=dict, at=cython.Py_ssize_t, start=cython.Py_ssize_t, row=cython.Py_ssize_t)
def read_scores(
    groups: list,
    values: cython.double[::1],
    rising: np.ndarray,
    rows: np.ndarray,
    tied: dict,
) -> bool:
    """Write the numbers of dicts one after the other; False if a key is not a text or a value not a usual number."""
    # Of each dict, `rising` gets the numbers as 32-bit floats with their signs changed, sorted, and `rows` the places
    # from which they come. The keys of equal ones are kept in `tied`, by place, while they are in the cache.
    cells: cython.float[::1] = rising
    places: cython.longlong[::1] = rows
    at = 0
    for group in groups:
        start = at
        for doc_id, value in group.items():
            if not isinstance(doc_id, str) or not (type(value) is float or type(value) is int):
                return False
            values[at] = value
            cells[at] = -values[at]
            places[at] = at
            at += 1
        _sort(rising, rows, cells, places, start, at)
        keys = None
        for row in range(start + 1, at):
            if cells[row] == cells[row - 1]:
                keys = list(group) if keys is None else keys
                tied[places[row - 1]] = keys[places[row - 1] - start]
                tied[places[row]] = keys[places[row] - start]
    return True


@cython.locals(group=dict, at=cython.Py_ssize_t, query=cython.Py_ssize_t)
def look_up(
    groups: list,
    doc_ids: list,
    bounds: cython.const[cython.longlong][::1],
    missing: cython.double,
    scores: cython.double[::1],
) -> None:
    """Write the number that each dict has for its documents `bounds[i]:bounds[i + 1]`."""
    query = 0
    for group in groups:
        for at in range(bounds[query], bounds[query + 1]):
            value = group.get(doc_ids[at])
            scores[at] = missing if value is None else value
        query += 1


def sort(rising: np.ndarray, rows: np.ndarray, bounds: cython.const[cython.longlong][::1]) -> bool:
    """Sort the parts `bounds[i]:bounds[i + 1]` of 32-bit floats, and rows with them; False if all were in order."""
    cells: cython.float[::1] = rising
    places: cython.longlong[::1] = rows
    query: cython.Py_ssize_t
    moved: cython.bint = False
    for query in range(bounds.shape[0] - 1):
        moved = _sort(rising, rows, cells, places, bounds[query], bounds[query + 1]) or moved
    return moved


@cython.cfunc
@cython.locals(row=cython.Py_ssize_t, slot=cython.Py_ssize_t, place=cython.longlong, value=cython.float)
def _sort(
    rising: np.ndarray,
    rows: np.ndarray,
    cells: cython.float[::1],
    places: cython.longlong[::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.bint:
    """Sort a part of both arrays, which are also given as cells and places; False if it was in order."""
    row = start + 1
    while row < stop and cells[row - 1] <= cells[row]:
        row += 1
    if row >= stop:
        return False
    if stop - start > _FEW:
        order = rising[start:stop].argsort()
        rising[start:stop] = rising[start:stop][order]
        rows[start:stop] = rows[start:stop][order]
        return True
    while row < stop:
        value, place, slot = cells[row], places[row], row
        while slot > start and cells[slot - 1] > value:
            cells[slot], places[slot] = cells[slot - 1], places[slot - 1]
            slot -= 1
        cells[slot], places[slot] = value, place
        row += 1
    return True


@cython.locals(
    query=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    low=cython.Py_ssize_t,
    half=cython.Py_ssize_t,
    length=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    n_tied=cython.Py_ssize_t,
    score=cython.float,
)
def rank(
    rising: cython.const[cython.float][::1],
    bounds: cython.const[cython.longlong][:, ::1],
    judged_bounds: cython.const[cython.longlong][::1],
    scores: cython.const[cython.float][::1],
    ranks: cython.longlong[::1],
    tied: cython.longlong[:, ::1],
) -> int:
    """Fill in the rank of the first document with the score of each judged one; return how many have the same score."""
    # The scores of query i, each with its sign changed, are `rising[bounds[i, 0]:bounds[i, 1]]`, and its judged documents
    # `judged_bounds[i]:judged_bounds[i + 1]`, of which those not retrieved have the score NaN; their ranks stay. A row of
    # `tied` gets such a document, where the group of its score begins in `rising`, and where it ends.
    n_tied = 0
    with cython.nogil:
        for query in range(bounds.shape[0]):
            first, end = bounds[query, 0], bounds[query, 1]
            for row in range(judged_bounds[query], judged_bounds[query + 1]):
                score = scores[row]
                if score != score:
                    continue
                low, length = first, end - first
                while length > 0:
                    half = length // 2
                    if rising[low + half] < score:
                        low += half + 1
                        length -= half + 1
                    else:
                        length = half
                ranks[row] = low - first + 1
                if low + 1 < end and rising[low + 1] == score:
                    tied[n_tied, 0], tied[n_tied, 1] = row, low
                    length = end - low
                    while length > 0:
                        half = length // 2
                        if rising[low + half] <= score:
                            low += half + 1
                            length -= half + 1
                        else:
                            length = half
                    tied[n_tied, 2] = low
                    n_tied += 1
    return n_tied


@cython.locals(
    query=cython.Py_ssize_t,
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
                if ranks_of[row] > 0:
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
