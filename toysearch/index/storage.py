"""An index on disk: a folder of data files that never change, and one manifest that is replaced last.

docs/look-up/index-format.md describes the files. A crash at any moment leaves the old index or the new one.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.token_function import OtherFunction
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, StorageError, ToysearchError
from toysearch.base.token_patterns import refuse_endless
from toysearch.index.checksums import CHANGED, Paged, damaged
from toysearch.index.content_checks import content_problem
from toysearch.index.file_layout import (
    IN_PARTS,
    MANIFEST,
    NO_PAGES,
    PAGES,
    Arrays,
    Entry,
    array_entry,
    array_problem,
    counts_of,
    entries_with_pages,
    index_problem,
    is_data_file,
    is_ours,
    is_sharded,
    label_of,
    opened,
    plain_size,
    read_manifest,
    sealed,
    stored,
)
from toysearch.index.mapped_files import Described, map_array, page_checksums
from toysearch.index.strings import Blob

__all__ = ["check_index", "index_files"]

_TEMPORARY = "toysearch-saving.tmp"
_TEMPORARIES = re.compile(r"toysearch-[a-z0-9-]+\.tmp")
_ATTEMPTS = 10
Files = Mapping[str, Described]  # of the manifest: file → its size and checksum


class Stored(NamedTuple):
    """The content of a folder: the description saved with the index, and its arrays, mapped from the files."""

    description: dict[str, Any]
    arrays: dict[str, Any]


# Saving


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
    existed = folder.exists()
    try:
        refuse_foreign(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with nullcontext() if checked or spooled is not None else only_writer(folder):
            _replace(folder, description, arrays, _entries(folder) if checked else {}, spooled or {})
    except OSError as error:
        if not existed:
            with suppress(OSError):
                folder.rmdir()
        raise unsaved(folder, error) from error


def unsaved(folder: Path, error: OSError) -> StorageError:
    """The error for a folder that an index cannot be saved to."""
    kept = "; the index in it is unchanged" if (folder / MANIFEST).exists() else ""
    return StorageError(f"cannot save the index to {folder}: {error.strerror}{kept}")


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
                entries += [_write_array(folder, label, values, there) for label, values in stored(name, arrays)]
        files = entries_with_pages(entries, lambda label, pages: _write_array(folder, label, pages, there))
        _sync_folder(folder)
        with _written(folder) as file:
            file.write(sealed({**description, "counts": counts_of(arrays)}, files))
        os.replace(folder / _TEMPORARY, folder / MANIFEST)
        _sync_folder(folder)
    finally:
        remove_unnamed(folder)


def local(source: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """A source, for an address its copy on this machine."""
    if not isinstance(source, str) or "://" not in source:
        return source
    from toysearch.formats.remote_files import local_copy  # most sources are here

    return local_copy(source)


def is_there(folder: Path) -> bool:
    """Whether a folder to save to exists; a file is refused, and an address, which as a path has a single slash."""
    if re.match(r"[a-z][a-z0-9+.-]+:$", folder.parts[0] if folder.parts else "") and not folder.exists():
        raise StorageError(f"{folder} is an address, where no index can be saved: save it to a folder, and copy that")
    if folder.exists() and not folder.is_dir():
        raise StorageError(f"{folder} is a file; an index is saved as a folder")
    return folder.exists()


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
    others = sorted(entry.name for entry in folder.iterdir() if not _is_data(entry.name))
    if others:
        raise StorageError(f"{folder} holds other files, such as '{others[0]}'; choose a new folder or an empty one")


def _is_data(name: str) -> bool:
    return _TEMPORARIES.fullmatch(name) is not None or is_data_file(name)


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Lock the folder for one saving process at a time; readers never wait, and a killed process releases the lock."""
    # Two processes at once would remove each other's files that no manifest names yet. Without such locks (Windows,
    # some network file systems), the user must not save twice at once to one folder.
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(f"another process is saving an index to {folder}; try again when it has ended") from None
        except OSError:  # no locks here
            pass
        yield
    finally:
        os.close(descriptor)


def _write_array(folder: Path, label: str, values: Blob, there: Mapping[str, Entry]) -> Entry:
    """Write an array in numpy format unless it exists, and return the entry of its file."""
    mapped = _file_of(values)
    if mapped and mapped.name in there and mapped.parent == folder.resolve() and mapped.name.startswith(f"{label}-"):
        return there[mapped.name]  # its checksum has been compared
    with _written(folder) as file:
        entry = array_entry(label, values, file.write)
    if entry.name in there:
        (folder / _TEMPORARY).unlink()
    else:
        put_in_place(folder / _TEMPORARY, entry)
    return entry


def put_in_place(written: Path, entry: Entry) -> None:
    """Give a written file the name of its entry."""
    try:
        os.replace(written, written.with_name(entry.name))
    except PermissionError:
        # Windows replaces no file that an opened index maps. Its name holds its checksum: if it is sound, it stays.
        if wrong_files(written.parent, {entry.name: entry.described}):
            raise
        written.unlink()


def files_kept(folder: Path, arrays: Arrays) -> set[str]:
    """The files of a folder that already hold parts of these texts: saving leaves them unchanged."""
    texts = [part for name in IN_PARTS if name in arrays for _, part in stored(name, arrays)]
    mapped = {_file_of(part) for part in texts}
    return {path.name for path in mapped if path and path.parent == folder.resolve()}


def _file_of(values: Blob) -> Path | None:
    """The file whose whole content is this array, if it is mapped from one."""
    if isinstance(values, Paged):
        return values.path.resolve()
    if not isinstance(values, np.ndarray):
        return None
    base = values.base
    if not isinstance(base, np.memmap) or base.filename is None or base.nbytes != values.nbytes:
        return None
    return Path(base.filename)


@contextmanager
def _written(folder: Path) -> Iterator[IO[bytes]]:
    """A file to write, flushed to disk at the end; it appears only under its final name."""
    with open(folder / _TEMPORARY, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Flush the file names to disk too (Windows has no such call)."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_unnamed(folder: Path) -> None:
    """Remove data files that the manifest does not name, and nothing else."""
    # A process that has mapped such a file keeps its pages (Windows refuses to remove the file, which is then removed
    # at the next saving). If the manifest is damaged or newer, its files are unknown and all files stay.
    try:
        named = set(read_manifest(folder)["files"])
    except StorageError:
        if (folder / MANIFEST).exists():
            return
        named = set()
    for entry in list(folder.iterdir()):
        if _is_data(entry.name) and entry.name not in named:
            with suppress(OSError):
                entry.unlink()


# Opening


def damage_of(folder: Path) -> str:
    """A sentence if the files of an index are damaged, found by reading all of them; else ""."""
    return f"the index in {folder} is damaged; toysearch check {folder} shows where" if check_index(folder) else ""


_opened: set[Path] = set()


def damage_of_opened() -> str:
    """The damage of an index that this process has opened, else "": a possible cause of an error.

    >>> damage_of_opened()
    ''
    """
    return next(filter(None, map(damage_of, sorted(_opened))), "")


def load(folder: str | Path) -> Stored:
    """The content of a folder; the arrays are mapped into memory, not read."""
    # Sizes, types, lengths and small files are verified; `check_index` verifies every byte.
    folder = Path(folder)
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(folder)
        _opened.add(folder)
        try:
            return Stored(manifest, _map_arrays(folder, manifest))
        except FileNotFoundError as error:
            # The index may have been replaced since its manifest was read: read the new one.
            missing = error.filename
    raise StorageError(f"{missing} is missing; build the index again")


def analyzer_of(description: Mapping[str, Any], folder: Path) -> Analyzer:
    """The analyzer that a manifest describes; refused with a pattern of tokens that may never end."""
    try:
        analyzer = Analyzer.from_dict(description["analyzer"])
        refuse_endless(analyzer.tokens)
        return analyzer
    except OtherFunction as error:
        raise StorageError(f"the index in {folder} {error}") from None
    except ToysearchError as error:
        problem = f"its analyzer cannot be restored ({error})"
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        problem = "its analyzer cannot be restored"
    raise damaged(folder / MANIFEST, problem)


def _map_arrays(folder: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of the files that the manifest names, checked against its counts."""
    found: dict[str, list[Any]] = {}
    pages = page_checksums(folder, manifest["files"])
    for file, described in manifest["files"].items():
        label = label_of(file)
        if label is None:
            raise damaged(folder / MANIFEST, f"it names a file '{file}', which no index of this format has")
        if label == PAGES:
            continue
        if label in found and label not in IN_PARTS:
            raise damaged(folder / MANIFEST, f"it names two files of {label}")
        found.setdefault(label, []).append(map_array(folder / file, described, pages.get(file)))
        problem = array_problem(label, found[label][-1], manifest["counts"])
        if problem:
            raise damaged(folder / file, problem)
    arrays = opened(found)
    problem = index_problem(arrays)
    if problem:
        raise StorageError(wrong_content(folder, problem))
    return arrays


def _entries(folder: Path) -> dict[str, Entry]:
    """The files of the index in a folder, by name."""
    files = read_manifest(folder)["files"]
    pages = page_checksums(folder, files)
    return {file: Entry(file, described, pages.get(file, NO_PAGES)) for file, described in files.items()}


# Checking


@checked
def check_index(folder: str | Path, *, spread: Callable[..., Iterable[list[str]]] | None = None) -> list[str]:
    """The problems of a saved index, one sentence each, found by reading every byte; empty if there are none.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.
    spread : callable, optional
        Checks the shards of an index elsewhere: called with a function and several tuples of arguments, it yields the
        results in this order. Default: they are checked here.

    Raises
    ------
    StorageError
        If the folder does not exist or has no manifest.
    ArgumentError
        If `spread` is given for an index without shards.

    Examples
    --------
    >>> import tempfile
    >>> from toysearch.index.inverted_index import Index
    >>> folder = tempfile.mkdtemp()
    >>> Index.build(["a cat", "a dog"]).save(folder)
    >>> check_index(folder)
    []
    """
    folder = Path(folder)
    if is_sharded(folder):
        from toysearch.index.shard_folder import check_shards  # most indexes have no shards

        return check_shards(folder, spread)
    if spread is not None:
        raise ArgumentError(f"{folder} is not an index in shards, which workers could check")
    if not os.path.lexists(folder / MANIFEST):
        read_manifest(folder)
    problems: list[str] = []
    for _ in range(_ATTEMPTS):
        try:
            manifest = read_manifest(folder)
            problems = wrong_files(folder, manifest["files"])
            if not problems:
                analyzer_of(manifest, folder)
                problem = content_problem(load(folder).arrays)
                return [wrong_content(folder, problem)] if problem else []
            if manifest == read_manifest(folder):  # else the index was replaced meanwhile
                return problems
        except StorageError as error:
            return [str(error)]
    return problems


def wrong_content(folder: Path, problem: str) -> str:
    """The sentence about an index whose files are unchanged but contradict each other."""
    return f"the index in {folder} is damaged: {problem}; build it again"


def wrong_files(folder: Path, files: Files) -> list[str]:
    """The problems of some files of an index, one sentence each."""
    problems = []
    for name, entry in files.items():
        try:
            plain_size(folder / name)
            with open(folder / name, "rb") as file:
                checksum = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            problems.append(f"{folder / name} cannot be read: {error.strerror}; build the index again")
            continue
        except StorageError as error:
            problems.append(str(error))
            continue
        if checksum != entry["sha256"]:
            problems.append(str(damaged(folder / name, CHANGED)))
    return problems


@checked
def index_files(folder: str | Path) -> dict[str, int]:
    """The size in bytes of each file of a saved index by name, the manifest last.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.

    Raises
    ------
    StorageError
        If there is no index, or its manifest is damaged or newer.
    """
    folder = Path(folder)
    if is_sharded(folder):
        from toysearch.index.shard_folder import shard_files  # most indexes have no shards

        return shard_files(folder)
    sizes = {name: entry["bytes"] for name, entry in read_manifest(folder)["files"].items()}
    return {**sizes, MANIFEST: (folder / MANIFEST).stat().st_size}
