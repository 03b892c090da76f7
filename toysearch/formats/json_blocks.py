"""Large JSON Lines files: compiled loops read documents as UTF-8, and the Python parser reads unusual lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toysearch.base.encoded_texts import Encoded, Utf8
from toysearch.formats.jsonl import JsonLines, is_array, read_jsonl
from toysearch.formats.text_files import Record, open_bytes, raw_blocks

_FULL = 1 << 23  # bytes of lines whose documents are passed on together
_BLOCK = 1 << 17  # bytes read at a time: they stay in the cache
_ODD = 100  # lines read one by one after an unusual line, since such lines come in groups


def read_json_blocks(
    path: str | Path, columns: Mapping[str, str] | None, searched: Sequence[str], title: str
) -> Iterator[Record | Encoded]:
    r"""The records of `read_jsonl`, with its order, notes and errors: blocks of documents, and single records."""
    if is_array(path):
        yield from read_jsonl(path, columns)
        return
    reader, room, number, odd = JsonLines(path, columns), _Room(0), 0, 0
    with open_bytes(path) as file:
        for block in raw_blocks(path, file, _BLOCK):
            data, place = block if block.endswith(b"\n") else block + b"\n", 0
            while place < len(data):
                if odd or not reader.quick:
                    start, place = place, data.index(b"\n", place) + 1
                    number, odd = number + 1, max(odd - 1, 0)
                    if record := reader.record(number, data[start:place]):
                        yield record
                    continue
                if room.left < len(data) - place:
                    if room.count:
                        yield room.documents()
                    room = _Room(max(_FULL, len(data)))
                place, count = room.read(data, place, _usual(reader, searched, title))
                reader.count, number = reader.count + count, number + count
                if place < len(data):
                    odd = 0 if room.is_full else _ODD
                    if room.count:
                        yield room.documents()
                    room = _Room(0)
    if room.count:
        yield room.documents()
    reader.finish()


class _Usual(NamedTuple):
    """The keys of the last line, for the compiled loop."""

    keys: np.ndarray  # the keys in JSON, one after the other
    key_ends: np.ndarray  # where each ends
    needed: np.ndarray  # whether a value must be a string: it is used, or `JsonLines` refuses others
    parts: np.ndarray  # the places of the keys with the id, the title (-1 for none) and the searched texts


def _usual(reader: JsonLines, searched: Sequence[str], title: str) -> _Usual | None:
    """The usual keys after the lines read so far; None if each line must be read by itself."""
    if reader.id_key is None:
        return None
    try:
        keys = [json.dumps(key, ensure_ascii=False).encode() for key in reader.keys]
    except UnicodeEncodeError:
        return None
    place = {reader.names.get(key): number for number, key in enumerate(reader.keys)}
    own = reader.keys.index(reader.id_key)
    parts = [own, place.get(title, -1), *(place[name] for name in searched if name in place)]
    needed = [number in parts or reader.names[key] in ("text", "title") for number, key in enumerate(reader.keys)]
    return _Usual(
        np.frombuffer(b"".join(keys), dtype=np.uint8),
        np.array([*accumulate(map(len, keys))], dtype=np.int64),
        np.array(needed),
        np.array(parts, dtype=np.int64),
    )


class _Room:
    """A buffer for the documents of lines."""

    def __init__(self, size: int) -> None:
        from toysearch.compiled.json_lines import MOST

        self.size = self.left = size
        self.count = 0
        # Pages that are not written to take no memory.
        self._columns = (np.empty(size, np.uint8), np.empty(size, np.uint8), np.empty(size, np.uint8))
        self._offsets = np.zeros((MOST + 1 if size else 1, 3), dtype=np.int64)

    @property
    def is_full(self) -> bool:
        """Whether the buffer is full."""
        return self.count == len(self._offsets) - 1

    def read(self, data: bytes, place: int, usual: _Usual | None) -> tuple[int, int]:
        """Read lines from an offset; the offset of the first line not read, and the number read."""
        from toysearch.compiled.json_lines import read_documents

        if usual is None:
            return place, 0
        spans = np.empty((usual.key_ends.size, 3), dtype=np.int64)
        raw, before = np.frombuffer(data, dtype=np.uint8), self.count
        eights = np.ndarray((max(raw.size - 7, 0),), dtype="<u8", buffer=raw.data, strides=(1,))
        lines = (raw, eights, place, *usual, spans)
        following, self.count = read_documents(*lines, self._columns, self._offsets, before)
        self.left -= following - place
        return following, self.count - before

    def documents(self) -> Encoded:
        """All documents read so far."""
        offsets = [column.copy() for column in self._offsets[: self.count + 1].T]
        return Encoded(*(Utf8(blob[: own[-1]], own) for blob, own in zip(self._columns, offsets, strict=True)))
