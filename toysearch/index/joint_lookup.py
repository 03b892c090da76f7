"""Many strings looked up together among sorted strings, by one binary search in arrays for all."""

from __future__ import annotations

import numpy as np

from toysearch.index.strings import KEY_BYTES, Keys, Strings

_STEP = 32  # every how many strings a key is kept


class JointLookup:
    """Looks up strings among sorted ones: first in a sample of them, then between two of the sample."""

    def __init__(self, strings: Strings) -> None:
        self._n, self._keys = len(strings), Keys(strings)
        self._sample = self._keys.at(np.arange(0, self._n, _STEP), 0)

    def positions(self, wanted: Strings) -> np.ndarray:
        """The position of each of some strings, at least one; -1 for an absent one.

        >>> JointLookup(Strings.of(["cat", "dog"])).positions(Strings.of(["dog", "catfish", ""])).tolist()
        [1, -1, -1]
        """
        theirs, lengths = Keys(wanted), np.diff(wanted.offsets)
        depths = range(0, max(int(lengths.max()), 1), KEY_BYTES)
        keys = [theirs.at(np.arange(len(wanted)), depth) for depth in depths]
        low = np.maximum(np.searchsorted(self._sample, keys[0]) - 1, 0) * _STEP
        high = np.minimum(np.searchsorted(self._sample, keys[0], side="right") * _STEP, self._n)
        while (open_ := np.flatnonzero(low < high)).size:
            middle = (low[open_] + high[open_]) // 2
            less, _ = self._compared(middle, [each[open_] for each in keys], lengths[open_])
            low[open_[less]] = middle[less] + 1
            high[open_[~less]] = middle[~less]
        inside = np.flatnonzero(low < self._n)
        _, equal = self._compared(low[inside], [each[inside] for each in keys], lengths[inside])
        found = np.full(len(wanted), -1)
        found[inside[equal]] = low[inside[equal]]
        return found

    def _compared(
        self, places: np.ndarray, keys: list[np.ndarray], lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Whether the strings in some places are less than strings with these keys and lengths, and equal to them."""
        less, equal = np.zeros(len(places), bool), np.ones(len(places), bool)
        for depth, wanted in enumerate(keys):
            own = self._keys.at(places, depth * KEY_BYTES)
            less |= equal & (own < wanted)
            equal &= own == wanted
        own_lengths = self._keys.lengths(places)
        return less | (equal & (own_lengths < lengths)), equal & (own_lengths == lengths)
