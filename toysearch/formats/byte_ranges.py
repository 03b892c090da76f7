"""Parts of files of documents: the first line of a file, which decides the keys, and a range of whole lines."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, NamedTuple


class ByteRange(NamedTuple):
    """The lines of a file from byte start up to byte stop, after its first line, which ends at byte first."""

    first: int  # 0 if the range itself begins with the first line
    start: int
    stop: int


RANGES: ContextVar[Mapping[str, ByteRange] | None] = ContextVar("ranges of files", default=None)
"""The ranges that this thread reads; None: all files as a whole."""


@contextmanager
def only_ranges(ranges: Mapping[str, ByteRange]) -> Iterator[None]:
    """Let this thread read only these ranges of the documents of a collection, by the absolute paths of their files."""
    before = RANGES.set(ranges)
    try:
        yield
    finally:
        RANGES.reset(before)


def in_range(path: Path | str, file: IO[bytes]) -> IO[bytes]:
    """The bytes of a file that are read."""
    chosen = (RANGES.get() or {}).get(os.path.abspath(path))
    return file if chosen is None else io.BufferedReader(_Part(file, chosen), 1 << 17)


class _Part(io.RawIOBase):
    """The bytes of a range of a file, after its first line."""

    def __init__(self, file: IO[bytes], wanted: ByteRange) -> None:
        self._file = file
        self._left = [(0, wanted.first), (wanted.start, wanted.stop)]
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        while self._left:
            start, stop = self._left[0]
            self._file.seek(max(start, self._place))
            data = self._file.read(min(len(room), stop - self._file.tell()))
            self._place = self._file.tell()
            if self._place >= stop or not data:
                del self._left[0]
                self._place = 0
            if data:
                room[: len(data)] = data
                return len(data)
        return 0
