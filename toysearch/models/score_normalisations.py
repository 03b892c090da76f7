"""What makes the scores of one ranking comparable with those of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from toysearch.models.model import Array


def min_max(scores: Array) -> Array:
    """From 0, the lowest, to 1, the highest: (s − min) / (max − min); 1 where all are equal (Lee 1997)."""
    span = scores.max() - scores.min()
    # Where all are equal the formula says 0 / 0; each is the best that there is.
    return (scores - scores.min()) / span if span else np.ones(scores.size)


def z_score(scores: Array) -> Array:
    """In standard deviations above the mean: (s − mean) / deviation; 0 where all are equal."""
    if scores.max() == scores.min():  # rounding may leave a deviation that is not quite 0
        return np.zeros(scores.size)
    return np.asarray((scores - scores.mean()) / scores.std())


def share(scores: Array) -> Array:
    """As shares that add up to 1: (s − min) / Σ (s − min); equal shares where all are equal (Montague & Aslam 2001)."""
    above = scores - scores.min()
    # The smallest are added first: the order of the documents cannot change the last digit.
    total = np.add.accumulate(np.sort(above))[-1]
    return above / total if total else np.full(scores.size, 1 / scores.size)


NORMALISATIONS: Mapping[str, Callable[[Array], Array]] = {"min-max": min_max, "sum": share, "z-score": z_score}
"""By name; each takes the scores of all documents that are ranked for a query, at least one."""
