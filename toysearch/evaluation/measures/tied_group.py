"""Groups of tied documents, and the mean over their orders of sums that several measures have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Group(NamedTuple):
    """Documents that share the ranks from `first` to `last`, with the grades of the judged ones."""

    first: int
    last: int
    grades: np.ndarray

    @property
    def size(self) -> int:
        """Number of documents."""
        return self.last - self.first + 1

    def ranks(self, cutoff: float | None = None) -> np.ndarray:
        """Return the ranks down to the cutoff."""
        ranks = np.arange(self.first, self.last + 1.0)
        return ranks if cutoff is None else ranks[ranks <= cutoff]


def blended(
    groups: list[Group],
    worth: Callable[[np.ndarray], np.ndarray],
    cutoff: int | None,
    whole: Callable[[np.ndarray], np.ndarray] = lambda ranks: ranks,
) -> float:
    """Expected sum, over relevant documents, of the worth found down to the rank of each, over whole(rank)."""
    # In a group of n documents, a relevant one is at each rank with chance 1 / n. Each other document of the group is
    # then above it with chance (rank − first rank) / (n − 1).
    total = above = 0.0
    for group in groups:
        worths = worth(group.grades)
        relevant, total_worth, n = int((worths > 0).sum()), float(worths.sum()), group.size
        ranks = group.ranks(cutoff)
        others = (relevant - 1) * total_worth / max(n - 1, 1)
        total += float(((total_worth + relevant * above + (ranks - group.first) * others) / n / whole(ranks)).sum())
        above += total_worth
    return total


def stopping(
    groups: list[Group], chance: Callable[[np.ndarray], np.ndarray], cutoff: int | None
) -> tuple[float, float]:
    """Expected 1 / rank at which a reader stops, and the chance that the reader stops at none of the documents."""
    # Within a group, the chance to read on after i documents is the mean product of their values of 1 − chance, over
    # all choices of i documents.
    value, reading = 0.0, 1.0
    for group in groups:
        ranks = group.ranks(cutoff)
        factors = 1 - chance(group.grades)
        on = np.ones(group.size - factors.size + 1)
        for factor in factors.tolist():
            count = np.arange(1.0, on.size)
            shorter = on[1:] * (on.size - count) / on.size
            on = np.concatenate([[1.0], shorter + count / on.size * factor * on[:-1], [factor * on[-1]]])
        value += reading * float(((on[:-1] - on[1:])[: ranks.size] / ranks).sum())
        reading *= float(on[ranks.size])
    return value, reading
