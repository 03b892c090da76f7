"""The manifest of an index folder: which files make up the index, sealed by a checksum of itself."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toysearch.errors import StorageError

VERSION = 2
MANIFEST = "manifest.json"

_FORMAT = "toysearch index"
_OPENING = f'{{\n "format": "{_FORMAT}"'.encode()
_SEAL = re.compile(rb',\n "sha256": "([0-9a-f]{64})"\n}\n\Z')


def sealed(description: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> bytes:
    """The bytes of a manifest. Its last entry is the checksum of all that stands before.

    Parameters
    ----------
    description : mapping
        What is saved with the index: collection, counts, analyzer.
    files : mapping of file name to mapping
        The size (``bytes``) and checksum (``sha256``) of each file.
    """
    manifest = {"format": _FORMAT, "version": VERSION, **description, "files": files}
    body = json.dumps(manifest, indent=1).removesuffix("\n}").encode()
    return body + f',\n "sha256": "{hashlib.sha256(body).hexdigest()}"\n}}\n'.encode()


def seal(manifest: bytes) -> str:
    """The checksum that a manifest ends with; an empty text where it has none.

    Parameters
    ----------
    manifest : bytes
        What `sealed` made.
    """
    found = _SEAL.search(manifest)
    return found[1].decode() if found else ""


def is_ours(folder: Path) -> bool:
    """Whether a folder's manifest is one that toysearch has written, damaged or not, of any version."""
    return _read(folder / MANIFEST).startswith(_OPENING)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder, refused unless every byte is as it was written.

    Raises
    ------
    StorageError
        If there is no folder or no manifest in it, or it is damaged, another program's or a newer version's.
    """
    path = folder / MANIFEST
    if not path.exists():
        if not folder.exists():
            raise StorageError(f"{folder}: there is no such folder; toysearch index SOURCE -o {folder} makes one")
        raise StorageError(f"{folder} is not an index: it has no {MANIFEST}")
    raw = _read(path)
    if not raw.startswith(_OPENING):
        raise StorageError(f"{folder} is not an index: its {MANIFEST} is not one that toysearch has written")
    try:
        manifest: dict[str, Any] = json.loads(raw)
        version = manifest["version"]
        other = isinstance(version, int) and version != VERSION
    except (ValueError, KeyError, RecursionError):
        raise damaged(path, "it is not JSON as toysearch writes it") from None
    if other:
        age, way_out = ("newer", "upgrade it, or build") if version > VERSION else ("older", "build")
        raise StorageError(
            f"{folder} is an index of format {version}, written by a{'n' * (age == 'older')} {age} toysearch; this one "
            f"reads format {VERSION}: {way_out} the index again"
        )
    seal = _SEAL.search(raw)
    if seal is None or hashlib.sha256(raw[: seal.start()]).hexdigest().encode() != seal[1]:
        raise damaged(path, "its checksum does not match")
    return manifest


def damaged(path: Path, problem: str) -> StorageError:
    """The error for a file of an index that is not as it was written."""
    return StorageError(f"{path} is damaged: {problem}; build the index again")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from None
