"""Files of a saved index, listed: their sizes, those that are damaged, and the shards that a manifest names."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.base import StorageError
from toysearch.index.checksums import CHANGED, damaged, shown
from toysearch.index.file_layout import INDEX, MANIFEST, SHARDED, is_sharded, manifest_of, plain_size, read_manifest

if TYPE_CHECKING:
    from toysearch.files.source import AnyPath
    from toysearch.index.opened_files import Files

__all__ = ["index_files"]


def wrong_files(folder: AnyPath, files: Files) -> list[str]:
    """Return the problems of some files of an index, one sentence each."""
    problems = []
    for name, entry in files.items():
        path = os.path.join(folder, name)
        try:
            plain_size(path)
            with open(path, "rb") as file:
                checksum = hashlib.file_digest(file, "sha256").hexdigest()
            if checksum != entry["sha256"]:
                raise damaged(path, CHANGED)
        except OSError as error:
            problems.append(f"{shown(path)} cannot be read: {error.strerror}; build the index again")
        except StorageError as error:
            problems.append(str(error))
    return problems


def index_files(folder: AnyPath) -> dict[str, int]:
    """Return the size in bytes of each file of a saved index by name, the manifest last.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.

    Raises
    ------
    StorageError
        If there is no index, or its manifest is damaged or newer.
    """
    sharded = is_sharded(folder)
    manifest = read_manifest(folder, SHARDED if sharded else INDEX)
    shards = shard_entries(folder, manifest) if sharded else []
    sizes = {
        f"{shard.folder}/{name}": size
        for shard in shards
        for name, size in index_files(os.path.join(folder, shard.folder)).items()
    }
    files = statistics_files(folder, manifest) if sharded else manifest["files"].items()
    sizes |= {name: described["bytes"] for name, described in files}
    return {**sizes, MANIFEST: os.path.getsize(manifest_of(folder))}


SHARD_NAME = "shard-[0-9a-f]{16}"
STATISTICS_NAME = "(terms|terms_lengths|df|cf|numbers)-[0-9a-f]{16}[.]npy"


class ShardEntry(NamedTuple):
    """Shard as its manifest describes it."""

    folder: str
    sha256: str  # the checksum at the end of its own manifest
    documents: int
    terms: int
    numbers: str  # the file with the number among all terms of each of its terms


def shard_entries(folder: AnyPath, manifest: Mapping[str, Any]) -> list[ShardEntry]:
    """Return the shards that a manifest names."""
    try:
        entries = [ShardEntry(**shard) for shard in manifest["shards"]]
        fits = all(
            re.fullmatch(SHARD_NAME, shard.folder)
            and isinstance(shard.sha256, str)
            and shard.documents > 0
            and shard.terms >= 0
            and shard.numbers in manifest["files"]
            for shard in entries
        )
    except (LookupError, TypeError, ValueError):
        fits = False
    if not fits or not entries:
        raise damaged(manifest_of(folder), "its shards are missing or have the wrong type")
    return entries


def statistics_files(folder: AnyPath, manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the files of statistics that a manifest names."""
    for name, described in manifest["files"].items():
        if not re.fullmatch(STATISTICS_NAME, name):
            raise damaged(manifest_of(folder), f"it names a file '{name}', which no index of this format has")
        yield name, described
