"""Scores and ranks of judged documents, query by query, by compiled loops: only judged documents are sorted."""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import inlined, kernel

_FEW = 16  # up to this many judged documents, it is faster to count for each one


@kernel
def place(
    bounds: np.ndarray,
    starts: np.ndarray,
    stops: np.ndarray,
    docs: np.ndarray,
    judged_bounds: np.ndarray,
    judged_docs: np.ndarray,
    place_of: np.ndarray,
    places: np.ndarray,
    matched: np.ndarray,
    counts: np.ndarray,
    judged_places: np.ndarray,
) -> None:
    """Give each matching document of a query a place, in the order in which the query terms find it."""
    # The terms of query i are `bounds[i]:bounds[i + 1]`, the postings of term t are `starts[t]:stops[t]`. The outputs
    # are the place of each posting, the document at each place, the number of matching documents of each query, and the
    # places of its judged documents (−1 if one does not match). `place_of` is −1 for every document before and after.
    at = first = 0
    for query in range(bounds.size - 1):
        end = first
        for term in range(bounds[query], bounds[query + 1]):
            for posting in range(starts[term], stops[term]):
                doc = docs[posting]
                if place_of[doc] < 0:
                    place_of[doc] = end
                    matched[end] = doc
                    end += 1
                places[at] = place_of[doc]
                at += 1
        for judged in range(judged_bounds[query], judged_bounds[query + 1]):
            judged_places[judged] = place_of[judged_docs[judged]]
        for slot in range(first, end):
            place_of[matched[slot]] = -1
        counts[query] = end - first
        first = end


@kernel
def add_up(
    starts: np.ndarray,
    stops: np.ndarray,
    place_starts: np.ndarray,
    query_weights: np.ndarray,
    minima: bool,
    places: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add the weights of postings to the sums at their places, term by term in the order given."""
    # The places of the postings `starts[t]:stops[t]` begin at `place_starts[t]`.
    for term in range(starts.size):
        query_weight, begin = query_weights[term], place_starts[term]
        term_weights = weights[starts[term] : stops[term]]
        own_places = places[begin : begin + term_weights.size]
        if minima:
            for posting in range(term_weights.size):
                sums[own_places[posting]] += min(query_weight, term_weights[posting])
        else:
            for posting in range(term_weights.size):
                sums[own_places[posting]] += query_weight * term_weights[posting]


@inlined
def count_better(score: float, doc: int, scores: np.ndarray, docs: np.ndarray) -> int:
    """The number of documents with a higher score, or an equal score and a lower number, by branch-free loops."""
    higher = equal = 0
    for place in range(scores.size):
        higher += scores[place] > score
        equal += scores[place] == score
    if equal > 1:
        for place in range(scores.size):
            higher += (scores[place] == score) & (docs[place] < doc)
    return higher


@inlined
def count_all(
    falling: np.ndarray, own_docs: np.ndarray, scores: np.ndarray, docs: np.ndarray, better: np.ndarray
) -> None:
    """The results of `count_better` for many documents, best first: every matching document is looked up among them."""
    better[:] = 0
    for place in range(scores.size):
        score = scores[place]
        if score >= falling[-1]:
            low, high = 0, falling.size  # searches the first given document that is worse than this one
            while low < high:
                middle = (low + high) // 2
                if score > falling[middle] or (score == falling[middle] and docs[place] < own_docs[middle]):
                    high = middle
                else:
                    low = middle + 1
            better[low] += 1
    for slot in range(1, falling.size):
        better[slot] += better[slot - 1]


@kernel
def rank(
    counts: np.ndarray,
    matched: np.ndarray,
    scores: np.ndarray,
    judged_bounds: np.ndarray,
    judged_places: np.ndarray,
    judged_grades: np.ndarray,
    depth: int,
    ranks: np.ndarray,
    grades: np.ndarray,
) -> int:
    """Fill in the ranks and grades of judged documents down to a depth; return the largest number of any query."""
    # A document ranks below documents with a higher score, and below those with an equal score that are earlier in the
    # collection.
    width = first = 0
    # For judged documents that match, best first: grade, score, number, and the number of better documents.
    most = ranks.shape[1]
    own_grades, own_scores, own_docs = np.empty(most), np.empty(most), np.empty(most, dtype=np.int64)
    better = np.empty(most + 1, dtype=np.int64)
    for query in range(counts.size):
        n = 0
        for judged in range(judged_bounds[query], judged_bounds[query + 1]):
            if judged_places[judged] < 0:
                continue
            score, doc = scores[judged_places[judged]], matched[judged_places[judged]]
            slot = n
            while slot > 0 and (
                own_scores[slot - 1] < score or (own_scores[slot - 1] == score and own_docs[slot - 1] > doc)
            ):
                own_grades[slot], own_scores[slot] = own_grades[slot - 1], own_scores[slot - 1]
                own_docs[slot] = own_docs[slot - 1]
                slot -= 1
            own_grades[slot], own_scores[slot], own_docs[slot] = judged_grades[judged], score, doc
            n += 1
        stop = first + counts[query]
        if n <= _FEW:
            for slot in range(n):
                better[slot] = count_better(own_scores[slot], own_docs[slot], scores[first:stop], matched[first:stop])
        else:
            count_all(own_scores[:n], own_docs[:n], scores[first:stop], matched[first:stop], better[: n + 1])
        n_ranked = 0
        for slot in range(n):
            if better[slot] < depth:
                ranks[query, n_ranked] = better[slot] + 1
                grades[query, n_ranked] = own_grades[slot]
                n_ranked += 1
        width = max(width, n_ranked)
        first = stop
    return width
