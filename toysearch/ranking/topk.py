"""The k best of a list of scores."""

from __future__ import annotations

import numpy as np

Ranked = tuple[np.ndarray, np.ndarray]
"""The numbers of documents and their scores, aligned."""


def top(scores: np.ndarray, k: int | None) -> np.ndarray:
    """The positions of the k highest scores, best first; equal scores in the order of their positions.

    scores: (n,) float64; returns (min(n, k),) int64.

    >>> top(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), 4)
    array([1, 3, 0, 2])
    """
    chosen = np.arange(len(scores))
    if k is not None and k < len(scores):
        kth = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = np.flatnonzero(scores > kth)
        level = np.flatnonzero(scores == kth)[: k - len(above)]
        chosen = np.sort(np.concatenate([above, level]))
    order = np.argsort(-scores[chosen], kind="stable")
    best: np.ndarray = chosen[order]
    return best
