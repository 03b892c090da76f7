"""The document numbers of a saved index's postings: two bytes of each, and the rest apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

MOST_IN_LOW = 1 << 16
"""So many documents are told apart by two bytes."""

_BITS = 16


def planes(numbers: np.ndarray, n_documents: int) -> Iterator[np.ndarray]:
    """The two arrays of document numbers, as views of them; the second only where there is one."""
    pairs = np.ascontiguousarray(numbers, dtype="<i4").view("<u2")
    yield pairs[0::2]
    if n_documents > MOST_IN_LOW << 8:
        yield pairs[1::2]
    elif n_documents > MOST_IN_LOW:
        yield pairs.view("|u1")[2::4]


class DocNumbers:
    """Document numbers as two arrays, in memory or mapped from files; what is asked for comes as int32.

    A slice costs about a nanosecond a number. ``np.asarray`` gives all of them.

    >>> numbers = DocNumbers.of(np.array([7, 70_000], dtype=np.int32), 80_000)
    >>> numbers.low.tolist(), numbers.high.tolist(), numbers[0:2].tolist(), len(numbers)
    ([7, 4464], [0, 1], [7, 70000], 2)
    """

    def __init__(self, low: Any, high: Any = None) -> None:
        self.low = low
        self.high = high

    @classmethod
    def of(cls, numbers: np.ndarray, n_documents: int) -> DocNumbers:
        """The numbers given (int32), in an index of so many documents."""
        return cls(*(plane.copy() for plane in planes(numbers, n_documents)))

    def whole(self) -> DocNumbers:
        """The same with arrays in memory or in files: those of a changed index are made at their first use."""
        return DocNumbers(*map(np.asarray, self.planes))

    @property
    def planes(self) -> list[np.ndarray]:
        """The arrays: one or two."""
        return [self.low] if self.high is None else [self.low, self.high]

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.low.size)

    def __len__(self) -> int:
        return int(self.low.size)

    def __getitem__(self, where: Any) -> Any:
        if self.high is None:
            return self.low[where].astype(np.int32)
        numbers = self.high[where].astype(np.int32)
        numbers <<= _BITS
        numbers |= self.low[where]
        return numbers

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype=dtype)
