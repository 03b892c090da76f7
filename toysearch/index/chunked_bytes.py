"""Much text as several arrays, each a file of its own: what is added later leaves the full ones as they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

FULL = 1 << 26
"""Bytes from which on a part is full: the next string begins another."""


class Spooled(NamedTuple):
    """A part whose file is in the folder of the index already, on the disk, under a temporary name."""

    path: Path
    size: int
    sha256: str


class Pieces:
    """The bytes of strings in several arrays, one after the other; no string goes over an edge.

    It stands where `Strings` has an array: of that it has what is needed there.
    """

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        self.arrays = list(arrays)
        self._starts = [0, *accumulate(array.size for array in arrays)]
        self.size = self._starts.pop()

    @property
    def data(self) -> Pieces:
        """What slices of bytes are taken from."""
        return self

    def __getitem__(self, where: slice) -> memoryview:
        piece = bisect_right(self._starts, where.start) - 1
        start = self._starts[piece]
        return self.arrays[piece].data[where.start - start : where.stop - start]

    def tobytes(self) -> bytes:
        """All bytes."""
        return b"".join(array.tobytes() for array in self.arrays)

    def span(self, start: int, stop: int) -> np.ndarray:
        """The bytes from one place up to another: an array itself where it has just these."""
        inside = self.within(start, stop).arrays
        return inside[0] if len(inside) == 1 else np.concatenate(inside)

    def within(self, start: int, stop: int) -> Pieces:
        """The same without copying."""
        inside = []
        for first, array in zip(self._starts, self.arrays, strict=True):
            if start <= first and first + array.size <= stop:
                inside.append(array)
            elif first < stop and start < first + array.size:
                inside.append(array[max(start - first, 0) : stop - first])
        return pieces_of(*inside)


Blob = np.ndarray | Pieces


def pieces_of(*blobs: Blob) -> Pieces:
    """Bytes in one array or several as one sequence, without copying."""
    arrays = chain.from_iterable(blob.arrays if isinstance(blob, Pieces) else [blob] for blob in blobs)
    return Pieces([array for array in arrays if array.size] or [np.empty(0, dtype=np.uint8)])


def parts(blob: Blob, offsets: np.ndarray) -> list[Blob]:
    """The bytes of strings, cut behind the strings with which a part is full; at least one part. Nothing is copied.

    offsets: (n + 1,) int, where each string begins, and where the last ends.
    """
    offsets = np.asarray(offsets, dtype=np.int64)
    edges, size = [0], int(offsets[-1])
    while (place := int(np.searchsorted(offsets, edges[-1] + FULL))) < len(offsets):
        edges.append(int(offsets[place]))
    if edges[-1] < size or not size:
        edges.append(size)
    pieces = pieces_of(blob)
    cut = [pieces.within(start, stop) for start, stop in pairwise(edges)]
    return [part.arrays[0] if len(part.arrays) == 1 else part for part in cut]
