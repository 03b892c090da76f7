"""Files of a saved index, listed: their sizes, and those that are damaged."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from toysearch.base import StorageError
from toysearch.index.checksums import CHANGED, damaged, shown
from toysearch.index.file_layout import MANIFEST, is_sharded, manifest_of, plain_size, read_manifest

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
    if is_sharded(folder):
        from toysearch.rings import ring  # most indexes are whole

        sizes: dict[str, int] = ring("files of shards").files_of_shards(folder)
    else:
        sizes = {name: described["bytes"] for name, described in read_manifest(folder)["files"].items()}
    return {**sizes, MANIFEST: os.path.getsize(manifest_of(folder))}
