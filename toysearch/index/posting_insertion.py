"""An array with values put in among its own, which is made only where it is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np


class Inserted:
    """What `np.insert` gives, a stretch at a time: it goes to a file without ever being in memory as a whole.

    >>> both = Inserted(np.array([1, 2, 3]), np.array([7, 8]), np.array([0, 3]))
    >>> both.size, both[2:4].tolist(), np.asarray(both).tolist()
    (5, [2, 8], [7, 1, 2, 8, 3])
    """

    def __init__(self, others: Any, values: np.ndarray, places: np.ndarray) -> None:
        self._others, self._values, self._places = others, values, places
        self.dtype: np.dtype[Any] = others.dtype
        self.size: int = others.size + values.size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, where: slice) -> np.ndarray:
        start, stop, _ = where.indices(self.size)
        first, last = np.searchsorted(self._places, (start, stop))
        put = self._places[first:last] - start
        kept = np.ones(stop - start, dtype=bool)
        kept[put] = False
        part = np.empty(stop - start, dtype=self.dtype)
        part[put] = self._values[first:last]
        part[kept] = self._others[start - first : stop - last]
        return part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype=dtype)

    def tobytes(self) -> bytes:
        """All bytes."""
        return self[:].tobytes()
