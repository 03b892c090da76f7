"""The manifest of an index folder: the list of its files, sealed by its own checksum."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.errors import StorageError
from toysearch.index.checksums import CHANGED, Checksums, damaged, is_large
from toysearch.index.file_layout import PAGES, Arrays, counts_of, file_name, is_data_file, stored
from toysearch.index.strings import Blob, Pieces

_CHUNK = 1 << 20  # values


def array_chunks(values: Blob) -> Iterator[Any]:
    """An array in the numpy file format: the header, then the numbers in chunks."""
    arrays = values.arrays if isinstance(values, Pieces) else [values]
    header = io.BytesIO()
    shape = {"descr": arrays[0].dtype.str, "fortran_order": False, "shape": (values.size,)}
    np.lib.format.write_array_header_1_0(header, shape)
    yield header.getvalue()
    for array in arrays:
        for start in range(0, array.size, _CHUNK):
            yield np.ascontiguousarray(array[start : start + _CHUNK]).view(np.uint8).data


class Entry(NamedTuple):
    """A file of an index: its name, what the manifest says of it, and the checksums of its pages if it is large."""

    name: str
    described: Mapping[str, Any]
    pages: np.ndarray  # uint32

    @classmethod
    def of(cls, label: str, sums: Checksums) -> Entry:
        """The entry of a file with these checksums."""
        described = {"bytes": sums.size, "sha256": sums.sha256}
        return cls(file_name(label, sums.sha256), described, sums.pages if is_large(sums.size) else NO_PAGES)


NO_PAGES = np.empty(0, dtype="<u4")


def array_entry(label: str, values: Blob, write: Callable[[Any], object] = lambda chunk: None) -> Entry:
    """The entry of the file of an array, whose content is written."""
    sums = Checksums()
    for chunk in array_chunks(values):
        sums.update(chunk)
        write(chunk)
    return Entry.of(label, sums)


def entries_with_pages(entries: Iterable[Entry], made: Callable[[str, np.ndarray], Entry]) -> dict[str, Any]:
    """The manifest's entries of files, and that of another file with the checksums of all pages, if there are any."""
    every = list(entries)
    pages = np.concatenate([NO_PAGES, *(entry.pages for entry in every)])
    if pages.size:
        every.append(made(PAGES, pages))
    return {entry.name: entry.described for entry in every}


def index_checksum(description: Mapping[str, Any], arrays: Arrays) -> str:
    """The checksum that would end the manifest of the index if it were saved; nothing is written."""
    labelled = (each for name in arrays for each in stored(name, arrays))
    files = entries_with_pages((array_entry(label, values) for label, values in labelled), array_entry)
    return seal(sealed({**description, "counts": counts_of(arrays)}, files))


VERSION = 3
MANIFEST = "manifest.json"

INDEX = "toysearch index"
SHARDED = "toysearch sharded index"
_VERSIONS = {INDEX: VERSION, SHARDED: 1}
_WRONG = "its {} is missing or has the wrong type"
_LARGEST = 1 << 28  # bytes; a normal manifest has about a thousandth of that
_SHA256 = re.compile("[0-9a-f]{64}")
_SEAL = re.compile(rb',\n "sha256": "([0-9a-f]{64})"\n}\n\Z')


def _opening(form: str) -> bytes:
    """The beginning of a manifest of a format."""
    return f'{{\n "format": "{form}"'.encode()


def sealed(description: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]], form: str = INDEX) -> bytes:
    """The bytes of a manifest, whose last entry is the checksum of everything before it."""
    manifest = {"format": form, "version": _VERSIONS[form], **description, "files": files}
    body = json.dumps(manifest, indent=1).removesuffix("\n}").encode()
    return body + f',\n "sha256": "{hashlib.sha256(body).hexdigest()}"\n}}\n'.encode()


def seal(manifest: bytes) -> str:
    """The checksum at the end of a manifest; "" if it has none."""
    found = _SEAL.search(manifest)
    return found[1].decode() if found else ""


def is_ours(folder: Path) -> bool:
    """Whether toysearch wrote the manifest of a folder, damaged or not, in any version."""
    return _read(folder / MANIFEST).startswith((_opening(INDEX), _opening(SHARDED)))


def is_sharded(folder: Path) -> bool:
    """Whether a folder holds an index in shards, damaged or not."""
    try:
        return _read(folder / MANIFEST).startswith(_opening(SHARDED))
    except StorageError:  # missing, or not a plain file: what reads it says so
        return False


def read_manifest(folder: Path, form: str = INDEX) -> dict[str, Any]:
    """The manifest of a folder, refused if any byte has changed."""
    path = folder / MANIFEST
    if not os.path.lexists(path):
        if not folder.exists():
            raise StorageError(f"{folder}: there is no such folder; toysearch index SOURCE -o {folder} makes one")
        if folder.is_dir() and any(is_data_file(name) for name in os.listdir(folder)):
            raise StorageError(f"{folder} is an index whose saving was interrupted; build it again")
        raise StorageError(f"{folder} is not an index: it has no {MANIFEST}")
    raw = _read(path)
    if not raw.startswith(_opening(form)):
        raise StorageError(f"{folder} is not an index: its {MANIFEST} was not written by toysearch")
    try:
        manifest = json.loads(raw)
    except (ValueError, RecursionError):
        raise damaged(path, "it is not JSON written by toysearch") from None
    version = manifest.get("version")  # the opening bytes have shown that it is an object
    if type(version) is not int:
        raise damaged(path, f"{_WRONG.format('version')}")
    ours = _VERSIONS[form]
    if version != ours:
        age, way_out = ("newer", "upgrade it, or build") if version > ours else ("older", "build")
        raise StorageError(
            f"{folder} is an index of format {version}, written by a{'n' * (age == 'older')} {age} toysearch; this one "
            f"reads format {ours}: {way_out} the index again"
        )
    seal = _SEAL.search(raw)
    if seal is None or hashlib.sha256(raw[: seal.start()]).hexdigest().encode() != seal[1]:
        raise damaged(path, CHANGED)
    for name, fits in _SHAPE.items():
        if not fits(manifest.get(name)):
            raise damaged(path, _WRONG.format(name))
    for name, entry in manifest["files"].items():
        if not _is_entry(entry):
            raise damaged(path, _WRONG.format(f"entry of {name}"))
    read: dict[str, Any] = manifest
    return read


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _is_counts(value: object) -> bool:
    wanted = {"documents", "terms", "postings"}
    return isinstance(value, dict) and value.keys() == wanted and all(map(_is_count, value.values()))


def _is_entry(value: object) -> bool:
    if not isinstance(value, dict) or not {"bytes", "sha256"} <= value.keys():
        return False
    return _is_count(value["bytes"]) and isinstance(value["sha256"], str) and bool(_SHA256.fullmatch(value["sha256"]))


_SHAPE: dict[str, Callable[[object], bool]] = {
    "collection": lambda value: isinstance(value, str),
    "analyzer": lambda value: isinstance(value, dict),
    "counts": lambda value: _is_counts(value) and value["documents"] > 0,  # type: ignore[index]
    "files": lambda value: isinstance(value, dict),
}
"""The check of each value of a manifest for its type."""


def plain_size(path: Path) -> int:
    """The size of a file of an index, refused if it is not a plain file (a link, a pipe or a device)."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise damaged(path, "it is not a plain file")
    return found.st_size


def _read(path: Path) -> bytes:
    try:
        if plain_size(path) > _LARGEST:
            raise damaged(path, "it is too large")
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from None
