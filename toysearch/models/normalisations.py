"""Normalisations: functions that make the scores of different models comparable before they are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from toysearch.models.model import Array


def min_max(scores: Array) -> Array:
    """From 0, the lowest, to 1, the highest: (s − min) / (max − min); 1 if all are equal (Lee 1997)."""
    span = scores.max() - scores.min()
    # If all are equal the formula gives 0 / 0; each is then the best score.
    return (scores - scores.min()) / span if span else np.ones(scores.size)


def z_score(scores: Array) -> Array:
    """In standard deviations above the mean: (s − mean) / deviation; 0 if all are equal."""
    if scores.max() == scores.min():  # rounding may make the deviation slightly more than 0
        return np.zeros(scores.size)
    return np.asarray((scores - scores.mean()) / scores.std())


def share(scores: Array) -> Array:
    """As shares that add up to 1: (s − min) / Σ (s − min); equal shares if all are equal (Montague & Aslam 2001)."""
    above = scores - scores.min()
    # The smallest are added first, so the order of the documents cannot change the last digit.
    total = np.add.accumulate(np.sort(above))[-1]
    return above / total if total else np.full(scores.size, 1 / scores.size)


RRF = 60
"""Constant of ``rrf``, as in its paper (Cormack, Clarke & Büttcher 2009)."""


def reciprocal_rank(scores: Array) -> Array:
    """1 / (60 + rank): equal scores are ranked in the order of the documents."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return 1 / (RRF + ranks)


NORMALISATIONS: Mapping[str, Callable[[Array], Array]] = {"min-max": min_max, "sum": share, "z-score": z_score}
"""Normalisations by name; each takes the scores of all documents ranked for a query, at least one."""

RANKS = "rrf"
"""Normalisation that keeps only the ranks."""

FACTOR_NORMALISATIONS: Mapping[str, Callable[[Array], Array]] = {**NORMALISATIONS, RANKS: reciprocal_rank}
"""Normalisations of the parts of a ranker."""
