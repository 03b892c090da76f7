"""Append-only logs of entries: one JSON object per line, locked, synced, replayed, taken back."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from toysearch.base import ArgumentError, StorageError, encodable, malformed, note, sync, sync_folder
from toysearch.base.platform import lock
from toysearch.files.source import AnyPath, open_bytes
from toysearch.files.unpacking import DAMAGE, damaged

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SHOWN = 60  # characters of a line in an error


class AppendLog:
    """File of a log, open for appending: one write and one fsync per entry.

    One process at a time may append; its threads may do so together. After a crash the last line may be torn. It was
    never acknowledged, so it is cut off at the next opening. If another program moves, replaces or removes the file,
    nothing more is taken, and what only this process still holds is written beside it.
    """

    def __init__(
        self,
        path: AnyPath,
    ) -> None:
        self.path = Path(path)
        self._place = self.path.absolute()  # the folder of the process may change
        self._lock = threading.Lock()
        try:
            self._new, self._failed = not self.path.exists(), False
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
            try:
                if not lock(self._file):
                    raise StorageError(
                        f"{self.path} is already open for appending; close the other program, or give another file"
                    )
                self._mend()
                if self._new:
                    sync_folder(self.path.parent)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise StorageError(f"{self.path} cannot be opened for appending: {error.strerror or error}") from error

    def append(self, *entries: Mapping[str, object]) -> None:
        """Write entries; when this returns, they are on the disk."""
        texts = [json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n" for entry in entries]
        line = encodable("".join(texts))[0].encode()
        with self._lock:
            if self._file < 0:
                raise StorageError(f"{self.path} has been closed; open the log again to append")
            end = os.fstat(self._file).st_size
            try:
                written = os.write(self._file, line)
                if written < len(line):
                    raise OSError(f"only {written} of {len(line)} bytes were written")
                sync(self._file)
                in_place = self._is_in_place()
            except OSError as error:
                self._failed = True
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, end)  # half an entry must not stand before the next one
                raise StorageError(f"{self.path} could not be written: {error.strerror or error}") from error
            if not in_place:  # asked last, because another program may do it at any time
                os.ftruncate(self._file, end)
                raise self._moved_away()

    def close(self) -> None:
        """Close the file, so that another process may append."""
        with self._lock:
            if self._file >= 0:
                if not self._is_in_place():
                    note(str(self._moved_away()))
                elif self._new and self._failed and not os.fstat(self._file).st_size:
                    with contextlib.suppress(OSError):  # nothing was ever written to it
                        self._place.unlink()
                os.close(self._file)
            self._file = -1

    def _mend(self) -> None:
        data = self.path.read_bytes()
        rest = data[data.rfind(b"\n") + 1 :]
        if not rest:
            return
        if _entry(rest) is not None:
            os.write(self._file, b"\n")
        else:
            os.ftruncate(self._file, len(data) - len(rest))
        sync(self._file)

    def _is_in_place(self) -> bool:
        """True if the open file still stands at its path, so that what is written to it will be found there."""
        try:
            return os.path.samestat(os.stat(self._place), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _moved_away(self) -> StorageError:
        """Return the error for a file that has left its path; what no other file has of it is kept beside it."""
        moved = "was moved, replaced or removed by another program while it was open, so nothing more is saved"
        problem, place, lost = f"{self.path} {moved}", self._place, b""
        if not os.fstat(self._file).st_nlink:  # it is gone, not moved
            os.lseek(self._file, 0, os.SEEK_SET)
            with open(self._file, "rb", closefd=False) as file:
                lines = file.read().splitlines(keepends=True)
            try:
                present = {*place.read_bytes().splitlines(keepends=True)}
            except OSError:
                present = set()
            lost = b"".join(line for line in lines if line not in present)
        if not lost:
            return StorageError(f"{problem}; end this program, and open the file again")
        names = (place.with_name(f"{place.stem}.kept-{number}{place.suffix}") for number in itertools.count(1))
        rescue = next(name for name in names if not name.exists() or name.read_bytes() == lost)
        beside = self.path.with_name(rescue.name)
        try:
            rescue.write_bytes(lost)
        except OSError as error:
            why = error.strerror or error
            return StorageError(f"{problem}, and {beside} with what was saved cannot be written: {why}")
        add = f"the lines that it lacks now are in {beside}: end this program, add them, and open the file again"
        return StorageError(f"{problem}; {add}")


def _entry(line: bytes) -> dict[str, Any] | None:
    """Return the entry in a line; None if it is torn, or anything else."""
    try:
        entry = json.loads(line.removeprefix(_BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def now() -> str:
    """Return the time of an entry: UTC, in milliseconds.

    >>> len(now()), now().endswith("+00:00")
    (29, True)
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def logged(path: AnyPath, expected: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the entries of a log with their line numbers; a torn last line is left out with a note."""
    with open_bytes(path) as file:
        try:
            data = file.read().removeprefix(_BYTE_ORDER_MARK)
        except DAMAGE as error:
            raise damaged(path, error) from None
    lines = data.split(b"\n")
    if lines[-1] and _entry(lines[-1]) is None:
        note(f"{path}:{len(lines)}: the last line is torn and left out; the program that wrote it was interrupted")
        lines.pop()
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    for number, line in numbered:
        if (item := _entry(line)) is None:
            excerpt = line.strip().decode(errors="replace")[:_SHOWN]
            raise malformed(path, number, f"expected {expected}, found '{excerpt}'")
        yield number, item


def texts_of(path: AnyPath, line: int, item: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    """Return the texts of an entry under some keys, each of which it must have."""
    texts = [item.get(key) for key in keys]
    for key, text in zip(keys, texts, strict=True):
        if not text or type(text) is not str:
            excerpt = "nothing" if text is None else json.dumps(text)[:_SHOWN]
            raise malformed(path, line, f"expected a text as {key}, found {excerpt}; correct the line or remove it")
    return texts  # type: ignore[return-value]  # each has been checked


Entry = TypeVar("Entry")


class EventLog(Generic[Entry]):
    """Actions of people, entry by entry, in an append-only file; iterating gives the entries in force.

    Of one person on one thing the latest entry is in force, until it is taken back: then the one before it is again.
    """

    def __init__(self, path: AnyPath, expected: str, append: bool) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        # query_id → thing → the entries of a person on it, of which the last one is in force
        self._entries: dict[str, dict[tuple[str, ...], list[Entry]]] = {}
        self._by_person: dict[str, list[Entry]] = {}  # the entries not taken back, in their order
        self._file = AppendLog(path) if append else None
        try:
            for line, item in logged(path, expected):
                self._replay(line, item)
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _replay(self, line: int, item: dict[str, Any]) -> None:
        """Apply one line of the file."""

    @abstractmethod
    def _key(self, entry: Entry) -> tuple[str, str, tuple[str, ...]]:
        """Return the person, the query, and the thing of the person on which the entry is."""

    @abstractmethod
    def _undo_line(self, entry: Entry) -> dict[str, Any]:
        """Return the line that takes an entry back."""

    def close(self) -> None:
        """Close the file, so that another program may append; the entries can still be read here."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Entry]:
        with self._lock:
            return iter([entries[-1] for things in self._entries.values() for entries in things.values()])

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._entries.values()))

    def _append(self, *lines: Mapping[str, object]) -> None:
        if self._file is None:
            raise ArgumentError(f"{self.path} was opened for reading only; open it with append=True")
        if lines:
            self._file.append(*lines)

    def _take(self, entry: Entry) -> None:
        person, query_id, thing = self._key(entry)
        self._entries.setdefault(query_id, {}).setdefault(thing, []).append(entry)
        self._by_person.setdefault(person, []).append(entry)

    def _take_back(self, entry: Entry) -> Entry | None:
        """Take back the entry in force on the same thing; None if there is none."""
        person, query_id, thing = self._key(entry)
        entries = self._entries.get(query_id, {}).get(thing)
        if not entries:
            return None
        last, in_order = entries.pop(), self._by_person[person]
        if not entries:
            del self._entries[query_id][thing]
        del in_order[next(place for place in range(len(in_order) - 1, -1, -1) if in_order[place] is last)]
        return last

    def _undo(self, person: str) -> Entry | None:
        with self._lock:
            self._append()
            if not (entries := self._by_person.get(person)):
                return None
            self._append(self._undo_line(entries[-1]))
            return self._take_back(entries[-1])

    def _people(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(person for person, entries in self._by_person.items() if entries)
