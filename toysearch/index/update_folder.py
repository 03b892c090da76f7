"""A saved index changed in place: opened, changed and saved again under a lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toysearch.base.argument_checks import checked
from toysearch.base.errors import StorageError
from toysearch.index.file_layout import IN_PARTS, is_sharded, label_of, read_manifest
from toysearch.index.inverted_index import Index
from toysearch.index.storage import check_index, only_writer, wrong_files

__all__ = ["change_index"]


@checked
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
        return _change_shards(folder, change)
    read_manifest(folder)  # reports a missing index first
    with only_writer(folder), ThreadPoolExecutor(1) as beside:
        files = read_manifest(folder)["files"]
        texts = [name for name in files if label_of(name) in IN_PARTS]
        # New checksums would hide the damage. Texts that stay keep their checksums.
        problems = beside.submit(wrong_files, folder, {name: files[name] for name in files if name not in texts})
        kept: set[str] = set()
        try:
            changed = change(Index.open(folder))
            kept = changed.files_kept(folder)
        finally:
            found = problems.result() + wrong_files(folder, {name: files[name] for name in texts if name not in kept})
            if found:  # the reason why the change failed
                raise StorageError(found[0])
        changed.save(folder, checked=True)
    return changed


def _change_shards(folder: Path, change: Callable[[Index], Index]) -> Index:
    """Change an index in shards: those that change are checked and written again, then the statistics of all."""
    from toysearch.index.shard_folder import open_shards, save_shards
    from toysearch.index.sharded_index import ShardedIndex

    with only_writer(folder):
        before = open_shards(folder)
        changed = change(before)
        assert isinstance(changed, ShardedIndex)
        left = [part for part in before.parts if all(part is not other for other in changed.parts)]
        for problem in (problem for part in left if part.folder for problem in check_index(part.folder)):
            raise StorageError(problem)
        save_shards(folder, changed)
    return Index.open(folder)
