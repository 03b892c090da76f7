"""Checksums of files: one per file and, in a large file, one per page, compared when the page is first read.

Opening verifies small files as a whole. Of a large one, only the pages that are read are verified, each once.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from toysearch.base import StorageError, repeat_each
from toysearch.base.platform import forget_pages

if TYPE_CHECKING:
    from toysearch.files.source import AnyPath

_LARGE = 1 << 19  # bytes

PAGE = 1 << 12
"""Bytes of a page, counted from the beginning of the file."""

_FEW = 32  # ranges of values that are verified one by one
_SHIFT = PAGE.bit_length() - 1

CHANGED = "its checksum does not match"
"""Problem of a file whose bytes have changed."""


def is_large(size: int) -> bool:
    """True if a file of this size is large: opening does not verify it, and its pages have checksums.

    >>> is_large(512 << 10), is_large((512 << 10) + 1)
    (False, True)
    """
    return size > _LARGE


def shown(path: AnyPath) -> str:
    """Return a path as messages have it."""
    from pathlib import Path  # it takes as long to import as an index to open

    return str(Path(path))


def damaged(path: AnyPath, problem: str) -> StorageError:
    """Return the error for a damaged file of an index."""
    return StorageError(f"{shown(path)} is damaged: {problem}; build the index again")


class Paged:
    """Array in a large file, mapped into memory: each page is compared with its checksum when it is first read.

    It can take the place of an array of an index. As an ordinary array (`np.asarray`), all of it is verified.
    """

    def __init__(self, path: AnyPath, mapped: mmap.mmap, offset: int, dtype: np.dtype[Any], sums: np.ndarray) -> None:
        # mapped: the whole file; offset: where its numbers begin; sums: the CRC-32 of each page.
        self.path, self.is_whole, self._mapped = path, True, mapped
        self.unverified: np.ndarray = np.frombuffer(mapped, dtype, offset=offset)
        self.dtype, self.size, self.nbytes = dtype, int(self.unverified.size), int(self.unverified.nbytes)
        self.shape = (self.size,)
        self.content, self.offset, self._width = memoryview(mapped), offset, dtype.itemsize
        self.sums = sums.astype(np.uint32).data
        self.right = np.zeros(sums.size, np.uint8)  # 1 for each page verified so far
        self._right = self.right.data

    @property
    def place(self) -> tuple[int, int, int]:
        """Byte where the numbers begin, bytes of a number, and bits of a place within a page."""
        return self.offset, self._width, _SHIFT

    def verify(self, starts: np.ndarray, stops: np.ndarray) -> None:
        """Compare the pages of some ranges of values with their checksums, each page once."""
        if starts.size <= _FEW:
            for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
                self._verify_range(start, stop)
            return
        not_empty = starts < stops
        first, after = starts[not_empty] * self._width, stops[not_empty] * self._width - 1
        first, last = (first + self.offset) >> _SHIFT, (after + self.offset) >> _SHIFT
        n = last - first + 1
        ends = np.cumsum(n)
        pages = repeat_each(first - ends + n, n) + np.arange(n.sum())
        self._compare(pages[self.right[pages] == 0].tolist())

    def _verify_range(self, start: int, stop: int) -> None:
        if start < stop:
            first = (start * self._width + self.offset) >> _SHIFT
            last = (stop * self._width + self.offset - 1) >> _SHIFT
            if last - first > 1 or not (self.right[first] and self.right[last]):
                self.verify_pages(first, last)

    def verify_pages(self, first: int, last: int) -> None:
        """Compare the pages from the first to the last with their checksums, each page once."""
        self._compare(range(first, last + 1))

    def _compare(self, pages: Iterable[int]) -> None:
        content, sums, right = self.content, self.sums, self._right
        for page in pages:
            if not right[page]:
                start = page << _SHIFT
                if crc32(content[start : start + PAGE]) != sums[page]:
                    raise damaged(self.path, CHANGED)
                right[page] = 1

    def forget(self) -> None:
        """Let the system take back the memory of the file, which is read again on demand."""
        forget_pages(self._mapped)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._verify_range(0, self.size)
        return np.array(self.unverified, dtype, copy=copy)

    def __getitem__(self, where: slice) -> np.ndarray:
        """Return the values of a range, verified."""
        start, stop, _ = where.indices(self.size)
        self._verify_range(start, stop)
        return self.unverified[start:stop]

    def part(self, start: int, stop: int) -> Paged:
        """Return the values of a range, still to be verified."""
        part = copy(self)
        part.unverified, part.is_whole = self.unverified[start:stop], False
        part.size, part.nbytes, part.shape = stop - start, (stop - start) * self._width, (stop - start,)
        part.offset += start * self._width
        return part

    @property
    def data(self) -> Paged:
        """Source of slices of bytes: this object."""
        return self

    def tobytes(self) -> bytes:
        """Return all bytes."""
        return np.asarray(self).tobytes()
