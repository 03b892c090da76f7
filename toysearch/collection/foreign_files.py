"""Files of a collection in the working folder and in the folders of other tools, known by their checksums."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from toysearch.base import DataError
from toysearch.collection.recipe import Recipe
from toysearch.files import sha256
from toysearch.files.part import Part

_MOST = 1000  # files of a folder that are looked at
_ROOM = 1.1  # times its size that a file may have, with other line ends
_HEADER = 1000  # bytes more that a packed file may have


def foreign_files(recipe: Recipe) -> Recipe | None:
    """Find the files of a recipe elsewhere: it gets their names there; None if no folder has all of them."""
    if not all(file.sha256 and file.bytes for file in recipe.files):
        return None
    for folder in _folders(recipe.name):
        with contextlib.suppress(OSError):
            if files := _matching(recipe, folder):
                return replace(recipe, files=files, folder=folder)
    return None


def _folders(name: str) -> Iterator[Path]:
    here, home = Path(), Path()
    yield from (here / name, here)
    with contextlib.suppress(RuntimeError):  # nobody's home
        home = Path.home()
    yield Path(os.environ.get("IR_DATASETS_HOME") or home / ".ir_datasets", name)
    yield Path(os.environ.get("PYTERRIER_HOME") or home / ".pyterrier", "corpora", name)
    listed = filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep))
    usual = (str(home), sys.prefix, "/usr/share", "/usr/local/share")
    places = (*listed, *(os.path.join(place, "nltk_data") for place in usual))
    yield from (Path(place, "corpora", name) for place in places)


def _matching(recipe: Recipe, folder: Path) -> tuple[Part, ...]:
    with os.scandir(folder) as entries:
        sizes = {entry.name: entry.stat().st_size for entry in islice(entries, _MOST) if entry.is_file()}
    files = []
    for file in recipe.files:
        name = next((name for name in sorted(sizes) if _is_copy(folder / name, sizes[name], file)), None)
        if name is None:
            return ()
        files.append(replace(file, path=name))
    return tuple(files)


def _is_copy(path: Path, size: int, file: Part) -> bool:
    expected = file.bytes or 0
    if size > expected * _ROOM + _HEADER or (size * _ROOM < expected and path.suffix != ".gz"):
        return False
    with contextlib.suppress(DataError):
        return sha256(path) == file.sha256
    return False
