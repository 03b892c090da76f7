"""A saved index changed where it is: opened, changed and saved again while no other process can."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toysearch.arguments import checked
from toysearch.errors import StorageError
from toysearch.index.file_layout import STORED_TEXT, array_of
from toysearch.index.inverted_index import Index
from toysearch.index.manifest import read_manifest
from toysearch.index.storage import only_writer, wrong_files


@checked
def change_index(folder: str | Path, change: Callable[[Index], Index]) -> Index:
    """The index that takes the place of the one in a folder, which is left as it was if anything goes wrong.

    Meanwhile the folder is held: of two processes that add to it at once, one is refused, and none undoes what the
    other has done. Readers never wait.

    Parameters
    ----------
    folder : str or Path
        Where an index was saved.
    change : callable
        Gets the index, returns another.

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
    read_manifest(folder)  # where there is no index, that is what is wrong
    with only_writer(folder), ThreadPoolExecutor(1) as beside:
        files = read_manifest(folder)["files"]
        texts = [name for name in files if array_of(name) in STORED_TEXT]
        # What is damaged would get new checksums, and nobody could find it any more. Texts that stay keep theirs.
        problems = beside.submit(wrong_files, folder, {name: files[name] for name in files if name not in texts})
        kept: set[str] = set()
        try:
            changed = change(Index.open(folder))
            kept = changed.files_kept(folder)
        finally:
            found = problems.result() + wrong_files(folder, {name: files[name] for name in texts if name not in kept})
            if found:  # which is why, where the change has failed
                raise StorageError(found[0])
        changed.save(folder, checked=True)
    return changed
