"""Saving: a new index replaces the old one in its folder.

The data files of a folder never change. New ones are written beside them, and one manifest is replaced last: a crash at
any moment leaves the old index or the new one. docs/look-up/index-format.md describes the files.
"""

from __future__ import annotations

import os
import pickle
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from toysearch.analysis.tokenizer import refuse_endless
from toysearch.base import (
    LOCK,
    StorageError,
    Utf8,
    awaited,
    lock_folder,
    pool,
    replace,
    sync,
    sync_folder,
)
from toysearch.index.checksums import Paged, is_large
from toysearch.index.file_entries import Checksums, Entry, array_entry, entries_with_pages, stored
from toysearch.index.file_layout import (
    LAYOUT,
    MANIFEST,
    NO_PAGES,
    Arrays,
    counts_of,
    is_data_file,
    is_ours,
    is_sharded,
    read_manifest,
    sealed,
)
from toysearch.index.listed_files import wrong_files
from toysearch.index.opened_files import page_checksums
from toysearch.index.strings import Blob, Pieces, Strings, end_of_part

if TYPE_CHECKING:
    from concurrent.futures import Future

    from toysearch.index.threaded_builder import Block

TEMPORARY = "toysearch-saving.tmp"


def save(
    folder: str | Path,
    description: Mapping[str, Any],
    arrays: Arrays,
    *,
    checked: bool = False,
    spooled: Mapping[str, Sequence[Entry]] | None = None,
) -> None:
    """Save this index to a folder, replacing any index in it."""
    refuse_endless(description["analyzer"]["tokens"])
    folder = Path(folder)
    with saving(folder), _made(folder), nullcontext() if checked or spooled is not None else only_writer(folder):
        _replace(folder, description, arrays, _entries(folder) if checked else {}, spooled or {})


@contextmanager
def saving(folder: Path) -> Iterator[None]:
    """Report an error of the system as one for a folder that an index cannot be saved to."""
    try:
        yield
    except OSError as error:
        state = "; the index in it is unchanged" if (folder / MANIFEST).exists() else ""
        raise StorageError(f"cannot save the index to {folder}: {error.strerror}{state}") from error


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder for an index, and remove a new one if the index is not saved."""
    refuse_foreign(folder)
    existed = folder.exists()
    with saving(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        if not existed:
            with suppress(OSError):
                folder.rmdir()
        raise


def _replace(
    folder: Path,
    description: Mapping[str, Any],
    arrays: Arrays,
    there: Mapping[str, Entry],
    spooled: Mapping[str, Sequence[Entry]],
) -> None:
    if not spooled:
        remove_unnamed(folder)  # the leftovers of a killed process may take up space
    try:
        entries: list[Entry] = []
        for name in arrays:
            if name in spooled:
                entries += spooled[name]
            else:
                entries += [write_array(folder, label, values, there) for label, values in stored(name, arrays)]
        files = entries_with_pages(entries, lambda label, pages: write_array(folder, label, pages, there))
        sync_folder(folder)
        with _written(folder) as file:
            file.write(sealed({**description, "counts": counts_of(arrays)}, files))
        replace(folder / TEMPORARY, folder / MANIFEST)
        sync_folder(folder)
    finally:
        remove_unnamed(folder)


def is_there(folder: Path) -> bool:
    """True if a folder to save to exists; refuse a file, and an address, which as a path has a single slash."""
    exists = folder.exists()
    if not exists and re.match(r"[a-z][a-z0-9+.-]+:$", folder.parts[0] if folder.parts else ""):
        raise StorageError(f"{folder} is an address, where no index can be saved: save it to a folder, and copy that")
    if exists and not folder.is_dir():
        raise StorageError(f"{folder} is a file; an index is saved as a folder")
    return exists


def refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds anything but an index, so that no work of the user is overwritten."""
    if not is_there(folder):
        return
    if (folder / MANIFEST).exists():
        if is_sharded(folder):
            raise StorageError(f"{folder} holds an index in shards; remove it, or choose another folder")
        if not is_ours(folder):
            raise StorageError(
                f"{folder} holds a {MANIFEST} that does not belong to an index; choose a new folder or an empty one"
            )
        return
    others = sorted(entry.name for entry in folder.iterdir() if not _is_data(entry.name) and entry.name != LOCK)
    if others:
        raise StorageError(f"{folder} holds other files, such as '{others[0]}'; choose a new folder or an empty one")


def _is_data(name: str) -> bool:
    return re.fullmatch(r"toysearch-[a-z0-9-]+\.tmp", name) is not None or is_data_file(name)


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Lock the folder for one saving process at a time; readers never wait, and a killed process releases the lock."""
    # Two processes at once would remove each other's files that no manifest names yet. Without such locks (on some
    # network file systems), the user must not save twice at once to one folder.
    descriptor = lock_folder(folder)
    if descriptor is None:
        raise StorageError(f"another process is saving an index to {folder}; try again when it has ended")
    try:
        yield
    finally:
        os.close(descriptor)


def write_array(folder: Path, label: str, values: Blob, there: Mapping[str, Entry] = MappingProxyType({})) -> Entry:
    """Write an array in numpy format unless it exists, and return the entry of its file."""
    if isinstance(values, Paged) and values.is_whole:
        mapped = Path(values.path).resolve()
        if mapped.name in there and mapped.parent == folder.resolve() and mapped.name.startswith(f"{label}-"):
            return there[mapped.name]
    elif there and isinstance(values, np.ndarray) and not is_large(values.nbytes):
        entry = array_entry(label, values)
        if entry.name in there:
            return entry
    with _written(folder) as file:
        entry = array_entry(label, values, file.write)
    if entry.name in there:
        (folder / TEMPORARY).unlink()
    else:
        put_in_place(folder / TEMPORARY, entry)
    return entry


def put_in_place(written: Path, entry: Entry) -> None:
    """Give a written file the name of its entry."""
    try:
        replace(written, written.with_name(entry.name))
    except PermissionError:
        # Windows replaces no file that an opened index maps. Its name holds its checksum: if it is sound, it stays.
        if wrong_files(written.parent, {entry.name: entry.described}):
            raise
        written.unlink()


@contextmanager
def _written(folder: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, and flush it to disk at the end; it appears only under its final name."""
    with open(folder / TEMPORARY, "wb") as file:
        yield file
        file.flush()
        sync(file.fileno())


def remove_unnamed(folder: Path) -> None:
    """Remove data files that the manifest does not name, and nothing else."""
    # A process that has mapped such a file keeps its pages (Windows refuses to remove the file, which is then removed
    # at the next saving). If the manifest is damaged or newer, its files are unknown and all files stay.
    try:
        names = set(read_manifest(folder)["files"])
    except StorageError:
        if (folder / MANIFEST).exists():
            return
        names = set()
    for entry in list(folder.iterdir()):
        if _is_data(entry.name) and entry.name not in names:
            with suppress(OSError):
                entry.unlink()


def _entries(folder: Path) -> dict[str, Entry]:
    files = read_manifest(folder)["files"]
    pages = page_checksums(folder, files)
    return {file: Entry(file, described, pages.get(file, NO_PAGES)) for file, described in files.items()}


_CHUNK = 1 << 20  # bytes


class SpooledStrings:
    """Collector of strings in files that become the parts of an array of an index.

    A full part is hashed and flushed to disk while the next one is being written.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._lengths = array("q", [0])  # the leading 0 is the start of the first string
        self._paths: list[Path] = []
        self._sums: list[Future[Checksums]] = []
        self._beside, self._full = pool(1), False
        self._begin()

    def extend(self, strings: Utf8) -> None:
        """Add some strings."""
        start, size = 0, len(strings.blob)
        while start < size:
            if self._full:
                self._end()
                self._begin()
            stop = end_of_part(strings.offsets, start, self._size)
            self._full, stop = stop > 0, stop or size
            with saving(self._folder):
                self._file.write(strings.blob[start:stop].data)
            self._size += stop - start
            start = stop
        self._lengths.frombytes(np.diff(strings.offsets).tobytes())

    def finish(self) -> Strings:
        """Return all strings added, mapped from the files; nothing can be added afterwards."""
        self._end()
        with saving(self._folder):
            # Mapped under their last names: Windows renames no file that is mapped.
            for path, entry in zip(self._paths, self.entries(), strict=True):
                put_in_place(path, entry)
            files = [self._folder / entry.name for entry in self.entries()]
            arrays = [np.load(file, mmap_mode="r", allow_pickle=False) for file in files]
        blob = np.asarray(arrays[0]) if len(arrays) == 1 else Pieces(arrays)
        return Strings(blob, np.cumsum(self._lengths, dtype=np.int64))

    def entries(self) -> list[Entry]:
        """Return the entries of the files, after the last string."""
        sums = map(awaited, self._sums)
        return [Entry.of(f"{self._name}-{number}", part_sums) for number, part_sums in enumerate(sums)]

    def close(self) -> None:
        """Close all files."""
        self._beside.shutdown(cancel_futures=True)
        with suppress(OSError):
            self._file.close()

    def _begin(self) -> None:
        self._paths.append(self._folder / f"toysearch-{self._name}-{len(self._paths)}.tmp")
        self._size, self._full = 0, False
        with saving(self._folder):
            self._file: IO[bytes] = open(self._paths[-1], "w+b")  # noqa: SIM115  (closed when it is full, or by close)
            self._write_header()

    def _end(self) -> None:
        with saving(self._folder):
            self._file.seek(0)
            self._write_header()  # as long as the first header: numpy leaves room for the number
            self._file.close()
        self._sums.append(self._beside.submit(_on_disk, self._paths[-1]))

    def _write_header(self) -> None:
        header = {"descr": LAYOUT[self._name].dtype, "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, header)


def _on_disk(path: Path) -> Checksums:
    sums = Checksums()
    with open(path, "r+b") as file:  # Windows flushes no file that is only read
        while chunk := file.read(_CHUNK):
            sums.update(chunk)
        sync(file.fileno())
    return sums


class SpooledBlocks:
    """Collector of blocks of postings by range, in a file that is removed in the end."""

    def __init__(self, folder: Path) -> None:
        self._path, self._lock = folder / "toysearch-blocks.tmp", Lock()
        self._starts: defaultdict[int, list[int]] = defaultdict(list)
        with saving(folder):
            self.file: IO[bytes] = open(self._path, "wb")  # noqa: SIM115  (closed by the spool)

    def append(self, number: int, block: Block) -> None:
        """Add a block of a range."""
        with self._lock, saving(self._path.parent):
            self._starts[number].append(self.file.tell())
            pickle.dump(block, self.file, pickle.HIGHEST_PROTOCOL)

    def of(self, number: int) -> Iterator[Block]:
        """Read the blocks of a range, in any order."""
        with saving(self._path.parent), open(self._path, "rb") as file:
            self.file.flush()
            for start in self._starts[number]:
                file.seek(start)
                yield pickle.load(file)


class Spool:
    """Titles, texts and blocks of postings of an index under construction, in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._strings: dict[str, SpooledStrings] = {}
        self._files = ExitStack()

    def blocks(self) -> SpooledBlocks:
        """Return the collector for blocks of postings."""
        blocks = SpooledBlocks(self._folder)
        self._files.enter_context(blocks.file)
        return blocks

    def store(self, name: str) -> SpooledStrings:
        """Return the collector for the strings of an array."""
        self._strings[name] = SpooledStrings(self._folder, name)
        return self._strings[name]

    def save(self, description: Mapping[str, Any], arrays: Arrays) -> None:
        """Save the index, as `toysearch.index.saving.save` does."""
        save(
            self._folder,
            description,
            arrays,
            spooled={name: strings.entries() for name, strings in self._strings.items()},
        )

    def close(self) -> None:
        """Close all files."""
        self._files.close()
        for strings in self._strings.values():
            strings.close()


@contextmanager
def spooling(folder: str | Path) -> Iterator[Spool]:
    """Lock a folder for an index that is built and saved within the context; unsaved files are removed."""
    folder = Path(folder)
    with _made(folder), only_writer(folder):
        remove_unnamed(folder)  # the leftovers of a killed process may take up space
        spool = Spool(folder)
        try:
            yield spool
        finally:
            spool.close()
            remove_unnamed(folder)
