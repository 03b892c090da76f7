"""An index saved while it is built: titles and texts go to its folder as they are read, not into memory."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from toysearch.base.encoded_texts import Utf8
from toysearch.index.checksums import Checksums
from toysearch.index.file_layout import LAYOUT, Arrays, Entry
from toysearch.index.storage import only_writer, put_in_place, refuse_foreign, remove_unnamed, save, unsaved
from toysearch.index.strings import FULL, Pieces, Strings

if TYPE_CHECKING:
    from concurrent.futures import Future

_CHUNK = 1 << 20  # bytes


class SpooledStrings:
    """Collects strings in files that become the parts of an array of an index.

    A full part is hashed and flushed to disk while the next one is being written.
    """

    def __init__(self, folder: Path, name: str) -> None:
        from concurrent.futures import ThreadPoolExecutor  # slow to import, and not needed to open an index

        self._folder, self._name = folder, name
        self._lengths = array("q", [0])  # the leading 0 is the start of the first string
        self._paths: list[Path] = []
        self._sums: list[Future[Checksums]] = []
        self._beside = ThreadPoolExecutor(1)
        self._begin()

    def extend(self, strings: Utf8) -> None:
        """Add some strings."""
        start, ends = 0, strings.offsets[1:]
        while start < strings.size:
            if self._size >= FULL:
                self._end()
                self._begin()
            # Up to the string that fills the part, if there is one.
            last = int(np.searchsorted(ends, start + FULL - self._size))
            stop = int(ends[min(last, strings.n - 1)])
            self._write(strings.blob[start:stop])
            start = stop
        self._lengths.frombytes(np.diff(strings.offsets).tobytes())

    def finish(self) -> Strings:
        """All strings added, mapped from the files; nothing can be added afterwards."""
        self._end()
        try:
            # Mapped under their last names: Windows renames no file that is mapped.
            for path, entry in zip(self._paths, self.entries(), strict=True):
                put_in_place(path, entry)
            files = [self._folder / entry.name for entry in self.entries()]
            arrays = [np.load(file, mmap_mode="r", allow_pickle=False) for file in files]
        except OSError as error:
            raise unsaved(self._folder, error) from error
        blob = np.asarray(arrays[0]) if len(arrays) == 1 else Pieces(arrays)
        return Strings(blob, np.cumsum(self._lengths, dtype=np.int64))

    def entries(self) -> list[Entry]:
        """The entries of the files, after the last string."""
        sums = [part.result() for part in self._sums]
        return [Entry.of(f"{self._name}-{number}", own) for number, own in enumerate(sums)]

    def close(self) -> None:
        """Close all files."""
        self._beside.shutdown(cancel_futures=True)
        with suppress(OSError):
            self._file.close()

    def _begin(self) -> None:
        self._paths.append(self._folder / f"toysearch-{self._name}-{len(self._paths)}.tmp")
        self._size = 0
        try:
            self._file: IO[bytes] = open(self._paths[-1], "w+b")  # noqa: SIM115  (closed when it is full, or by close)
            self._write_header()
        except OSError as error:
            raise unsaved(self._folder, error) from error

    def _write(self, data: np.ndarray) -> None:
        try:
            self._file.write(data.data)
        except OSError as error:
            raise unsaved(self._folder, error) from error
        self._size += len(data)

    def _end(self) -> None:
        try:
            self._file.seek(0)
            self._write_header()  # as long as the first header: numpy leaves room for the number
            self._file.close()
        except OSError as error:
            raise unsaved(self._folder, error) from error
        self._sums.append(self._beside.submit(_on_disk, self._paths[-1]))

    def _write_header(self) -> None:
        header = {"descr": LAYOUT[self._name].dtype, "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, header)


def _on_disk(path: Path) -> Checksums:
    """Flush a file to disk, and compute its checksums."""
    sums = Checksums()
    with open(path, "r+b") as file:  # Windows flushes no file that is only read
        while chunk := file.read(_CHUNK):
            sums.update(chunk)
        os.fsync(file.fileno())
    return sums


class Spool:
    """The titles and texts of an index under construction, in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._strings: dict[str, SpooledStrings] = {}

    def store(self, name: str) -> SpooledStrings:
        """The collector for the strings of an array."""
        self._strings[name] = SpooledStrings(self._folder, name)
        return self._strings[name]

    def save(self, description: Mapping[str, Any], arrays: Arrays) -> None:
        """Save the index, as `toysearch.index.storage.save` does."""
        save(self._folder, description, arrays, spooled={name: each.entries() for name, each in self._strings.items()})

    def close(self) -> None:
        """Close all files."""
        for strings in self._strings.values():
            strings.close()


@contextmanager
def spooling(folder: str | Path) -> Iterator[Spool]:
    """Lock a folder for an index that is built and saved within the context; unsaved files are removed."""
    folder = Path(folder)
    refuse_foreign(folder)
    existed = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unsaved(folder, error) from error
    try:
        with only_writer(folder):
            remove_unnamed(folder)  # the leftovers of a killed process may take up space
            spool = Spool(folder)
            try:
                yield spool
            finally:
                spool.close()
                remove_unnamed(folder)
    except BaseException:
        if not existed:
            with suppress(OSError):
                folder.rmdir()
        raise
