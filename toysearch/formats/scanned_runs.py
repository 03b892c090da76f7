"""TREC files read by a compiled scan of their bytes: ids stay bytes, and no text is made of a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toysearch.compiled.trec_lines import scan
from toysearch.compiled.utf8 import gather, repeats
from toysearch.formats.text_files import open_bytes, raw_blocks
from toysearch.identifiers import Identifiers

_ROOM = 1.1  # how much more than the first block promises is made room for at once


class Scanned(NamedTuple):
    """The rows of a file, query by query."""

    query_ids: list[str]  # in the order of their first lines
    offsets: np.ndarray  # (len(query_ids) + 1,) int64; where the rows of each begin
    doc_ids: Identifiers  # one a row; no query has one twice
    values: np.ndarray  # one a row
    tag: str  # the last column of the last line


def scanned(
    path: str | Path, width: int, value_column: int, number_of: Callable[[str], float | None]
) -> Scanned | None:
    """What the lines of a file hold, or None for a file in which something has to be looked at more closely.

    That is one that is malformed or empty, has a document twice, or bytes that are no UTF-8.
    """
    rows = _Rows(Path(path).stat().st_size)
    with open_bytes(path) as file:
        for data in raw_blocks(path, file):
            if not rows.add(data if data.endswith(b"\n") else data + b"\n", width, value_column, number_of):
                return None
    return rows.grouped()


class _Rows:
    """Rows in the order of the lines, in arrays that grow."""

    def __init__(self, file_size: int) -> None:
        self._file_size = file_size
        self._seen = 0
        self._rows = 0
        self._tag = b""
        self._numbers: dict[bytes, int] = {}
        self._changes: list[tuple[int, int]] = []  # the row from which on there is a query, and its number
        self._blob = np.empty(0, dtype=np.uint8)
        self._offsets = np.zeros(1, dtype=np.int64)
        self._hashes = np.empty(0, dtype=np.uint32)
        self._values = np.empty(0)

    def add(self, data: bytes, width: int, value_column: int, number_of: Callable[[str], float | None]) -> bool:
        """Add the rows of whole lines; False where something has to be looked at more closely."""
        if not (data.isascii() or _is_utf8(data)):
            return False
        most = len(data) // (2 * width) + 1
        self._make_room(most, len(data))
        changes, odd = np.empty((most, 3), dtype=np.int64), np.empty((most, 3), dtype=np.int64)
        before = self._rows
        self._rows, n_changes, n_odd, *tag = scan(
            np.frombuffer(data, dtype=np.uint8),
            width,
            value_column,
            before,
            self._blob,
            self._offsets,
            self._hashes,
            self._values,
            changes,
            odd,
        )
        if self._rows < 0:
            return False
        for row, start, stop in odd[:n_odd].tolist():
            value = number_of(data[start:stop].decode())
            if value is None:
                return False
            self._values[row] = value
        for row, start, stop in changes[:n_changes].tolist():
            self._changes.append((row, self._numbers.setdefault(data[start:stop], len(self._numbers))))
        self._tag = data[slice(*tag)] or self._tag
        self._seen += len(data)
        return True

    def grouped(self) -> Scanned | None:
        """The rows query by query; None where there are none, or a query has a document twice."""
        if not self._rows:
            return None
        ids = Identifiers(
            self._blob[: self._offsets[self._rows]], self._offsets[: self._rows + 1], self._hashes[: self._rows]
        )
        values = self._values[: self._rows]
        firsts, numbers = np.array(self._changes, dtype=np.int64).T
        lengths = np.diff(firsts, append=self._rows)
        if (numbers[1:] < numbers[:-1]).any():  # the lines of the queries stand mixed
            order = np.argsort(np.repeat(numbers, lengths), kind="stable")
            mixed, values = ids, values[order]
            ids = Identifiers(np.empty_like(mixed.blob), np.empty_like(mixed.offsets), mixed.hashes[order])
            gather(mixed.blob, mixed.offsets, order, ids.blob, ids.offsets)
        offsets = np.zeros(len(self._numbers) + 1, dtype=np.int64)
        np.cumsum(np.bincount(numbers, weights=lengths), out=offsets[1:], dtype=np.int64)
        if repeats(offsets, *ids):
            return None
        return Scanned([raw.decode() for raw in self._numbers], offsets, ids, values, self._tag.decode())

    def _make_room(self, rows: int, size: int) -> None:
        """Room for as many rows, and bytes of ids, as there can be in the next block."""
        # What a file of known size will need is known from what its beginning needed; pages not used cost nothing.
        whole = _ROOM * self._file_size / self._seen if self._seen else 1.0
        needed = self._rows + rows
        if needed > self._values.size:
            wanted = int(max(needed * 1.5, self._rows * whole))
            self._values, self._hashes = _grown(self._values, wanted), _grown(self._hashes, wanted)
            self._offsets = _grown(self._offsets, wanted + 1)
        used = int(self._offsets[self._rows])
        if used + size > self._blob.size:
            self._blob = _grown(self._blob, int(max((used + size) * 1.5, used * whole)))


def _grown(array: np.ndarray, size: int) -> np.ndarray:
    larger = np.empty(size, dtype=array.dtype)
    larger[: array.size] = array
    return larger


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
