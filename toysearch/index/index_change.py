"""Change of a saved index: its folder is locked, and the changed index replaces it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from toysearch.base import expect
from toysearch.index.file_layout import is_sharded, read_manifest
from toysearch.index.inverted_index import Index
from toysearch.index.saving import only_writer
from toysearch.rings import ring

__all__ = ["change_index"]


def change_index(folder: str | Path, change: Callable[[Index], Index]) -> Index:
    """Change the index in a folder, which stays as it was after any failure, and return the new index.

    The folder is locked meanwhile: of two processes that change it at once, one is refused, so that no change is lost.
    Readers never wait.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.
    change : callable
        A function from the index to its replacement.

    Raises
    ------
    StorageError
        If the folder holds no index, a damaged one or one of a newer format, another process is saving to it, or it
        cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> Index.build({"d1": "a cat"}).save(folder)
    >>> change_index(folder, lambda index: index.add({"d2": "a dog"})).stats.N
    2
    >>> list(Index.open(folder).doc_ids)
    ['d1', 'd2']
    """
    folder = Path(folder)
    if is_sharded(folder):
        new: Index = ring("shards").change_shards(folder, change)
        return new
    read_manifest(folder)  # reports a missing index first
    with only_writer(folder):
        # What is read is verified, and files that stay keep their checksums: new ones hide no damage.
        changed = change(Index.open(folder))
        expect(Index, changed=changed)
        changed.save(folder, checked=True)
        return Index.open(folder)  # which needs none of the files that the change has read
