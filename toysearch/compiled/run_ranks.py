"""Ranks of judged documents in a run, query by query, from its scores in order, which may be those of dicts."""

from __future__ import annotations

import cython
import numpy as np

_FEW = cython.declare(cython.Py_ssize_t, 32)  # up to this many scores are sorted by insertion
_SEVERAL = cython.declare(cython.Py_ssize_t, 8)  # up to this many documents for each judged one, all are read


@cython.locals(
    group=dict,
    at=cython.Py_ssize_t,
    start=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    slot=cython.Py_ssize_t,
)
def read_scores(
    groups: list[dict[str, float]],
    values: cython.double[::1],
    rising: np.ndarray,
    rows: np.ndarray,
    tied: dict[int, str],
) -> bool:
    """Write the numbers of dicts one after the other; False if a key is not a text or a value not a usual number."""
    # Of each dict, `rising` gets the numbers as 32-bit floats with their signs changed, sorted, and `rows` the places
    # from which they come; equal ones by falling keys, which `tied` keeps, by place.
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
        row, keys = start + 1, None
        while row < at:
            if cells[row] != cells[row - 1]:
                row += 1
                continue
            first = row - 1
            while row < at and cells[row] == cells[first]:
                row += 1
            keys = list(group) if keys is None else keys
            group_places = sorted(
                [(keys[places[slot] - start], places[slot]) for slot in range(first, row)], reverse=True
            )
            for slot in range(first, row):
                doc_id, place = group_places[slot - first]
                places[slot] = place
                tied[place] = doc_id
    return True


@cython.locals(
    group=dict,
    at=cython.Py_ssize_t,
    query=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    low=cython.Py_ssize_t,
    middle=cython.Py_ssize_t,
    stop=cython.Py_ssize_t,
    touched=cython.Py_ssize_t,
    score=cython.float,
)
def rank_in_dicts(
    groups: list[dict[str, float]],
    doc_ids: list[str],
    judged_bounds: cython.const[cython.longlong][::1],
    rising: cython.const[cython.float][::1],
    rows: cython.const[cython.longlong][::1],
    bounds: cython.const[cython.longlong][:, ::1],
    tied: dict[int, str],
    ranks: cython.longlong[::1],
) -> int:
    """Fill in the ranks of documents of dicts that `read_scores` has read; the ranks of those not retrieved stay."""
    # The documents to rank in dict i are `judged_bounds[i]:judged_bounds[i + 1]`. The result has no meaning.
    query = touched = 0
    for group in groups:
        first, end = bounds[query, 0], bounds[query, 1]
        if end - first < _SEVERAL * (judged_bounds[query + 1] - judged_bounds[query]):
            # Most texts and numbers are not in the cache: reading them in turn lets the processor load many at once.
            for at in range(judged_bounds[query], judged_bounds[query + 1]):
                touched ^= hash(doc_ids[at])
            for value in group.values():
                touched ^= value is None
        for at in range(judged_bounds[query], judged_bounds[query + 1]):
            number = group.get(doc_ids[at])
            if number is None:
                continue
            score = -cython.cast(cython.double, number)
            low = _lowest(rising, first, end, score)
            if low + 1 < end and rising[low + 1] == score:
                doc_id, stop = doc_ids[at], _lowest_above(rising, low, end, score)
                while low < stop:
                    middle = (low + stop) // 2
                    if tied[rows[middle]] > doc_id:
                        low = middle + 1
                    else:
                        stop = middle
            ranks[at] = low - first + 1
        query += 1
    return touched


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(half=cython.Py_ssize_t)
def _lowest(
    rising: cython.const[cython.float][::1], low: cython.Py_ssize_t, end: cython.Py_ssize_t, score: cython.float
) -> cython.Py_ssize_t:
    """The first place whose value is not below a score."""
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
@cython.locals(middle=cython.Py_ssize_t)
def _lowest_above(
    rising: cython.const[cython.float][::1], low: cython.Py_ssize_t, end: cython.Py_ssize_t, score: cython.float
) -> cython.Py_ssize_t:
    """The first place whose value is above a score."""
    while low < end:
        middle = (low + end) // 2
        if rising[middle] <= score:
            low = middle + 1
        else:
            end = middle
    return low


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
