"""Queries in folds: what is chosen on some of them is judged on the others."""

from __future__ import annotations

import numpy as np

from toysearch.errors import ArgumentError

USUAL = 5
"""How many folds there are unless told otherwise; with fewer queries, one a query."""


def folds(n_queries: int, n_folds: int | None = None, seed: int = 0) -> np.ndarray:
    """The fold of each query: drawn at random, of sizes that differ by one at the most.

    Returns (n_queries,) int64.
    """
    if n_queries < 2:
        raise ArgumentError(
            f"cross-validation needs at least 2 judged queries; the collection has {n_queries or 'none'}"
        )
    n_folds = min(USUAL, n_queries) if n_folds is None else n_folds
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or not 2 <= n_folds <= n_queries:
        raise ArgumentError(
            f"the number of folds is from 2 to {n_queries}, the number of judged queries, not {n_folds!r}"
        )
    places = np.random.default_rng(seed).permutation(n_queries)
    found = np.empty(n_queries, dtype=np.int64)
    found[places] = np.arange(n_queries) % n_folds
    return found
