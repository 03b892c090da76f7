"""Near-duplicate queries in groups, and folds of queries that divide no group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import ArgumentError, without_notes
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.tuning import USUAL, fold_numbers
from toysearch.search.similar_documents import duplicate_groups, near_duplicates

SIMILARITY = 0.5
"""The least Jaccard similarity of the analysed terms of two queries in one group."""


def query_groups(queries: Mapping[str, str], analyzer: Analyzer, similarity: float = SIMILARITY) -> list[list[str]]:
    """Groups of near-duplicate queries, directly or by a chain; queries without a near duplicate are left out.

    >>> query_groups({"1": "cats eat fish", "2": "cats eat meat", "3": "dogs"}, Analyzer.for_language("none"))
    [['1', '2']]
    """
    if not queries:
        return []
    with without_notes():
        index = Index.build(dict(queries), analyzer, store_text=False)
    return duplicate_groups(near_duplicates(index, similarity))


def grouped_folds(
    query_ids: Sequence[str], groups: Sequence[Sequence[str]], n_folds: int | None = None, seed: int = 0
) -> np.ndarray:
    """The fold of each query, with every group in one fold; without groups, the folds of `tune`.

    By default there are 5 folds, or as many as groups, a query without a near duplicate being one.

    The queries are taken in random order, each with its group, into the fold that is then the smallest.

    >>> grouped_folds(["1", "2", "3", "4"], [["1", "3"]], 2).tolist()
    [0, 1, 0, 1]
    """
    n_groups = len(query_ids) - sum(len(group) - 1 for group in groups)
    target = max(min(USUAL, n_groups), 2) if n_folds is None and groups else n_folds
    n = int(fold_numbers(len(query_ids), target, seed).max()) + 1  # refuses a wrong number of folds
    if n_groups < n:
        way = "take fewer folds" if n_groups > 1 else "set a higher similarity"
        raise ArgumentError(f"{n} folds need as many groups of similar queries, not {n_groups}; {way}")
    places = {query_id: place for place, query_id in enumerate(query_ids)}
    group_of = {places[query_id]: [places[member] for member in group] for group in groups for query_id in group}
    folds_by_query, sizes = np.full(len(query_ids), -1), [0] * n
    for place in np.random.default_rng(seed).permutation(len(query_ids)).tolist():
        if folds_by_query[place] < 0:
            members = group_of.get(place, [place])
            smallest = sizes.index(min(sizes))
            folds_by_query[members] = smallest
            sizes[smallest] += len(members)
    return folds_by_query
