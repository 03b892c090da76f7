"""An index that is saved as it is built: titles and texts go to its folder as they are read, not into memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate, islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from toysearch.index.layout import LAYOUT, Arrays
from toysearch.index.storage import only_writer, refuse_foreign, remove_unnamed, save, unsaved
from toysearch.index.strings import Strings


class SpooledStrings:
    """Collects strings in a file, which becomes that of an index's array.

    Parameters
    ----------
    path : Path
        The file, in the folder of the index.
    dtype : str
        The type of the array.
    """

    def __init__(self, path: Path, dtype: str) -> None:
        self._path = path
        self._dtype = dtype
        self._offsets = array("q", [0])
        try:
            self._file: IO[bytes] = open(path, "w+b")  # noqa: SIM115  (closed by close)
            self._write_header(0)
        except OSError as error:
            raise unsaved(path.parent, error) from error

    def extend(self, raws: Sequence[bytes]) -> None:
        """Add some strings, as UTF-8."""
        try:
            self._file.write(b"".join(raws))
        except OSError as error:
            raise unsaved(self._path.parent, error) from error
        self._offsets.extend(islice(accumulate(map(len, raws), initial=self._offsets[-1]), 1, None))

    def finish(self) -> Strings:
        """All strings added, mapped from the file; nothing can be added afterwards."""
        try:
            self._file.seek(0)
            self._write_header(self._offsets[-1])  # as long as the first: numpy leaves room for the number
            self._file.close()
            blob = np.load(self._path, mmap_mode="r", allow_pickle=False)
        except OSError as error:
            raise unsaved(self._path.parent, error) from error
        return Strings(np.asarray(blob), np.frombuffer(self._offsets, dtype=np.int64))

    def close(self) -> None:
        """Let the file go."""
        with suppress(OSError):
            self._file.close()

    def _write_header(self, length: int) -> None:
        header = {"descr": self._dtype, "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(self._file, header)


class Spool:
    """The titles and texts of an index that is being built, in its folder.

    Parameters
    ----------
    folder : Path
        The folder, which is held for this process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}
        self._strings: list[SpooledStrings] = []

    def store(self, name: str) -> SpooledStrings:
        """What the strings of an array are collected in.

        Parameters
        ----------
        name : {'titles', 'texts'}
            The array.
        """
        self._paths[name] = self._folder / f"toysearch-{name}.tmp"
        self._strings.append(SpooledStrings(self._paths[name], LAYOUT[name].dtype))
        return self._strings[-1]

    def save(self, description: Mapping[str, Any], arrays: Arrays) -> None:
        """Save the index, as `toysearch.index.storage.save` does."""
        save(self._folder, description, arrays, spooled=self._paths)

    def close(self) -> None:
        """Let all files go."""
        for strings in self._strings:
            strings.close()


@contextmanager
def spooling(folder: str | Path) -> Iterator[Spool]:
    """Hold a folder for an index that is built and saved within the context; what is not saved leaves no trace.

    Parameters
    ----------
    folder : str or Path
        A folder that does not exist, is empty, or holds an index.

    Raises
    ------
    StorageError
        If the folder holds something else, another process is saving to it, or it cannot be written.
    """
    folder = Path(folder)
    refuse_foreign(folder)
    existed = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unsaved(folder, error) from error
    try:
        with only_writer(folder):
            remove_unnamed(folder)  # what a killed process has left may take up the room that is needed
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
