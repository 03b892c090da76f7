"""Sets of the letters of strings, which tell those that may be near a word from all others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toysearch.base import count_each, reduce_at

_STRINGS = 1 << 12  # at a time, so that their bits stay in the cache
_CONTINUES = np.uint8(0x80)  # the first two bits of a byte of a character after its first one
_SIX = np.uint8(0x3F)  # the other bits: in the last byte of a character, different for the letters of one script


class LetterSets(NamedTuple):
    """Sets of letters, one per string, with one of 64 bits per letter; and the number of characters.

    An edit adds at most one letter to the set, and takes at most one away.
    """

    sets: np.ndarray  # (n,) uint64
    lengths: np.ndarray  # (n,) int32

    @classmethod
    def of(cls, text: np.ndarray, offsets: np.ndarray) -> LetterSets:
        """Make the sets of strings in UTF-8.

        >>> found = LetterSets.of(np.frombuffer("catactété".encode(), np.uint8), np.array([0, 3, 6, 6, 11]))
        >>> bool(found.sets[0] == found.sets[1]), found.sets.tolist()[2], found.lengths.tolist()
        (True, 0, [3, 3, 0, 3])
        """
        n = len(offsets) - 1
        sets, lengths = np.zeros(n, np.uint64), np.zeros(n, np.int32)
        for first in range(0, n, _STRINGS):
            part_rows = slice(first, first + _STRINGS)
            edges = offsets[first : first + _STRINGS + 1]
            part = text[edges[0] : edges[-1]]
            starts, lengths[part_rows] = edges[:-1] - edges[0], np.diff(edges)
            some = np.flatnonzero(lengths[part_rows])  # reduceat has no value for what is empty
            bits = np.left_shift(np.uint64(1), part & _SIX, dtype=np.uint64)
            later = np.flatnonzero(part & ~_SIX == _CONTINUES)
            if later.size:
                bits[later - 1] = 0  # not the last byte of a character
                owners = np.searchsorted(starts, later, side="right") - 1
                lengths[part_rows] -= count_each(owners, minlength=len(starts)).astype(np.int32)
            if some.size:
                sets[part_rows][some] = reduce_at(np.bitwise_or, bits, starts[some])
        return cls(sets, lengths)

    def near(self, word: str, edits: int, ending: int = 0) -> np.ndarray:
        """Find the numbers of the strings that may be a few edits from a word, or from it without some last letters."""
        shortest = max(len(word) - ending, 0)
        every, least = (set_of(letters) for letters in (word, word[:shortest]))
        near = np.bitwise_count(self.sets & ~every) <= edits
        near &= np.bitwise_count(least & ~self.sets) <= edits
        near &= self.lengths >= shortest - edits
        near &= self.lengths <= len(word) + edits
        return np.flatnonzero(near)


def set_of(word: str) -> np.uint64:
    """Return the set of the letters of a word."""
    letters = 0
    for character in word:
        letters |= 1 << (character.encode(errors="surrogatepass")[-1] & int(_SIX))
    return np.uint64(letters)
