"""Scores and ranks of judged documents, query by query, by compiled loops: only judged documents are sorted."""

from __future__ import annotations

import cython
import numpy as np

_FEW = cython.declare(cython.Py_ssize_t, 16)  # up to this many judged documents, it is faster to count for each one
_STRETCH = cython.declare(cython.Py_ssize_t, 1024)


@cython.locals(
    term=cython.Py_ssize_t,
    posting=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    slot=cython.Py_ssize_t,
    at=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
)
def place(
    bounds: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    docs: cython.const[cython.int][::1],
    judged_bounds: cython.const[cython.longlong][::1],
    judged: cython.longlong[:, ::1],
    place_of: cython.int[::1],
    places: cython.int[::1],
    matched: cython.int[::1],
    counts: cython.longlong[::1],
) -> None:
    """Give each matching document of a query a place, in the order in which the query terms find it."""
    # The terms of query i are `bounds[i]:bounds[i + 1]`, the postings of term t are `starts[t]:stops[t]`. The outputs
    # are the place of each posting, the document at each place, the number of matching documents of each query, and the
    # places of its judged documents (−1 if one does not match) beside their numbers in `judged`. `place_of` is −1 for
    # every document before and after.
    at = first = 0
    with cython.nogil:
        for query in range(bounds.shape[0] - 1):
            end = first
            for term in range(bounds[query], bounds[query + 1]):
                for posting in range(starts[term], stops[term]):
                    doc = docs[posting]
                    if place_of[doc] < 0:
                        place_of[doc] = cython.cast(cython.int, end)
                        matched[end] = doc
                        end += 1
                    places[at] = place_of[doc]
                    at += 1
            for row in range(judged_bounds[query], judged_bounds[query + 1]):
                judged[row, 1] = place_of[judged[row, 0]]
            for slot in range(first, end):
                place_of[matched[slot]] = -1
            counts[query] = end - first
            first = end


@cython.locals(posting=cython.Py_ssize_t, at=cython.Py_ssize_t)
def add_up(
    starts: cython.const[cython.longlong][::1],
    stops: cython.const[cython.longlong][::1],
    place_starts: cython.const[cython.longlong][::1],
    query_weights: cython.const[cython.double][::1],
    places: cython.const[cython.int][::1],
    weights: cython.const[cython.double][::1],
    sums: cython.double[::1],
) -> None:
    """Add the weights of postings to the sums at their places, term by term in the order given."""
    # The places of the postings `starts[t]:stops[t]` begin at `place_starts[t]`.
    with cython.nogil:
        for term in range(starts.shape[0]):
            query_weight, at = query_weights[term], place_starts[term]
            for posting in range(starts[term], stops[term]):
                sums[places[at]] += query_weight * weights[posting]
                at += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    higher=cython.Py_ssize_t,
    equal=cython.Py_ssize_t,
    slot=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
)
def _count_better(
    score: cython.double,
    doc: cython.longlong,
    scores: cython.const[cython.double][::1],
    docs: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    depth: cython.longlong,
) -> cython.Py_ssize_t:
    """Count the documents with a higher score, or an equal score and a lower number; stop beyond a depth."""
    higher = equal = 0
    end = start
    while end < stop and higher < depth:
        first, end = end, min(end + _STRETCH, stop)
        for slot in range(first, end):  # branch-free
            higher += scores[slot] > score
            equal += scores[slot] == score
    if equal > 1 and higher < depth:
        for slot in range(start, stop):
            higher += (scores[slot] == score) & (docs[slot] < doc)
    return higher


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_all(
    falling: cython.const[cython.double][::1],
    own_docs: cython.const[cython.longlong][::1],
    n: cython.Py_ssize_t,
    scores: cython.const[cython.double][::1],
    docs: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    better: cython.longlong[::1],
) -> cython.void:
    """Do the work of `_count_better` for n documents, best first: look every matching document up among them."""
    better[: n + 1] = 0
    for slot in range(start, stop):
        score = scores[slot]
        if score >= falling[n - 1]:
            low, high = 0, n  # searches the first given document that is worse than this one
            while low < high:
                middle = (low + high) // 2
                if score > falling[middle] or (score == falling[middle] and docs[slot] < own_docs[middle]):
                    high = middle
                else:
                    low = middle + 1
            better[low] += 1
    for slot in range(1, n):
        better[slot] += better[slot - 1]


@cython.locals(
    most=cython.Py_ssize_t,
    own_grades=cython.double[::1],
    own_scores=cython.double[::1],
    own_docs=cython.longlong[::1],
    better=cython.longlong[::1],
    width=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    query=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    slot=cython.Py_ssize_t,
    n=cython.Py_ssize_t,
    n_ranked=cython.Py_ssize_t,
    stop=cython.Py_ssize_t,
    score=cython.double,
    doc=cython.longlong,
)
def rank(
    counts: cython.const[cython.longlong][::1],
    matched: cython.const[cython.int][::1],
    scores: cython.const[cython.double][::1],
    judged_bounds: cython.const[cython.longlong][::1],
    judged_places: cython.const[cython.longlong][::1],
    judged_grades: cython.const[cython.double][::1],
    depth: cython.longlong,
    ranks: cython.double[:, ::1],
    grades: cython.double[:, ::1],
) -> int:
    """Fill in the ranks and grades of judged documents down to a depth; return the largest number of any query."""
    # A document ranks below documents with a higher score, and below those with an equal score that are earlier in the
    # collection. For judged documents that match, best first: grade, score, number, and the number of better documents.
    most = ranks.shape[1]
    own_grades, own_scores = np.empty(most), np.empty(most)
    own_docs, better = np.empty(most, dtype=np.int64), np.empty(most + 1, dtype=np.int64)
    width = first = 0
    with cython.nogil:
        for query in range(counts.shape[0]):
            n = 0
            for row in range(judged_bounds[query], judged_bounds[query + 1]):
                if judged_places[row] < 0:
                    continue
                score, doc = scores[judged_places[row]], matched[judged_places[row]]
                slot = n
                while slot > 0 and (
                    own_scores[slot - 1] < score or (own_scores[slot - 1] == score and own_docs[slot - 1] > doc)
                ):
                    own_grades[slot], own_scores[slot] = own_grades[slot - 1], own_scores[slot - 1]
                    own_docs[slot] = own_docs[slot - 1]
                    slot -= 1
                own_grades[slot], own_scores[slot], own_docs[slot] = judged_grades[row], score, doc
                n += 1
            stop = first + counts[query]
            if n <= _FEW:
                for slot in range(n):
                    better[slot] = _count_better(own_scores[slot], own_docs[slot], scores, matched, first, stop, depth)
            else:
                _count_all(own_scores, own_docs, n, scores, matched, first, stop, better)
            n_ranked = 0
            for slot in range(n):
                if better[slot] < depth:
                    ranks[query, n_ranked] = better[slot] + 1
                    grades[query, n_ranked] = own_grades[slot]
                    n_ranked += 1
            width = max(width, n_ranked)
            first = stop
    return width
