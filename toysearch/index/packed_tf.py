"""Term frequencies in a byte each, the few that do not fit kept apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_LARGE = 255  # the greatest count that fits in a byte; it marks those that are kept apart


class Counts(NamedTuple):
    """Whole numbers of at least 0, most of them small.

    >>> counts = Counts.of(np.array([1, 300, 2]))
    >>> counts.small.tolist(), counts.large_positions.tolist(), counts.span(0, 2).tolist()
    ([1, 255, 2], [1], [1, 300])
    """

    small: np.ndarray  # each number; 255 means 255 or more
    large_positions: np.ndarray  # where the numbers of 255 or more stand, rising
    large: np.ndarray  # these numbers, aligned

    @classmethod
    def of(cls, numbers: np.ndarray) -> Counts:
        """The numbers given."""
        positions = np.flatnonzero(numbers >= _LARGE)
        small = np.minimum(numbers, _LARGE).astype(np.uint8)
        return cls(small, positions.astype(np.int64), numbers[positions].astype(np.int64))

    def span(self, start: int, stop: int) -> np.ndarray:
        """The numbers from start up to stop; int64, shape (stop - start,)."""
        numbers = self.small[start:stop].astype(np.int64)
        first, last = np.searchsorted(self.large_positions, (start, stop))
        numbers[self.large_positions[first:last] - start] = self.large[first:last]
        return numbers

    def at(self, positions: np.ndarray) -> np.ndarray:
        """The numbers at any positions; int64, aligned."""
        numbers: np.ndarray = self.small[positions].astype(np.int64)
        large = np.flatnonzero(numbers == _LARGE)
        numbers[large] = self.large[np.searchsorted(self.large_positions, positions[large])]
        return numbers
