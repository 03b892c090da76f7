"""Where collections come from: a name of the catalog, a user's folder, a single file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toysearch.collection import Collection
from toysearch.errors import ArgumentError, DataError, unknown
from toysearch.formats.layout import checked_format, layout_of_file, layout_of_folder
from toysearch.loader import load_recipe
from toysearch.recipes import FILE_NAME, Recipe, read_recipe, recipe_of_layout

VARIABLE = "TOYSEARCH_CORPORA"
"""The environment variable that lists folders of collections."""

_CACHES = {"darwin": ("", "~/Library/Caches"), "win32": ("LOCALAPPDATA", "~/AppData/Local")}
_OTHER_CACHE = ("XDG_CACHE_HOME", "~/.cache")
"""The environment variable that names the folder of caches, and where it is without."""


def load(
    source: str | os.PathLike[str],
    *,
    grades: str | None = None,
    fields: str | Sequence[str] | None = None,
    split: str | None = None,
    input_format: str | None = None,
) -> Collection:
    """The collection with a name, in a folder, or in a file of documents.

    Queries and judgments are read now, documents when they are first used.

    Parameters
    ----------
    source : str or path
        A name of the catalog (see `names`); a BEIR folder, a folder of SMART files or one with a
        collection.toml; a file of documents (SMART or JSON Lines), which makes a collection without queries.
        A text without a separator that is both a name and a path means the name.
    grades : str, optional
        The grade mapping, with its options: ``graded:minus1=relevant``. By default the collection's own.
    fields : str or sequence of str, optional
        The fields that are searched: ``"T,W"`` or ``["title", "text"]``, in any case. By default those that
        the collection names, else title and text.
    split : str, optional
        The set of judgments, where there are several. By default ``test``, else the only one.
    input_format : str, optional
        The format of a folder or a file, ``beir`` or ``smart``. By default its content tells.

    Raises
    ------
    ArgumentError
        If there is no such collection, mapping, field, split or format.
    DataError
        If the files of the collection are missing or malformed.

    Examples
    --------
    >>> collection = load("cat-dog-parrot")
    >>> collection.queries[0]
    Query(query_id='1', text='train cat')
    >>> collection.qrels["1"]
    {'1': 1.0, '2': 0.5, '3': 0.3, '4': 0.1}
    >>> len(collection.documents), collection.threshold
    (4, 0.5)
    """
    found = _described(source, input_format)
    if input_format is not None and checked_format(input_format) != found.format:
        raise ArgumentError(
            f"input_format '{input_format}': collection '{found.name}' says that its format is {found.format}; "
            "leave input_format out"
        )
    folder = locate(found)
    if folder is None:
        raise DataError(_not_found(found))
    return load_recipe(found, folder, grades, fields, split)


def names() -> list[str]:
    """The names of all collections in the catalog, sorted.

    Those are the folders with a collection.toml that stand in one of the folders listed in the environment
    variable TOYSEARCH_CORPORA, among the collections that come with toysearch, or in the user's cache.

    Examples
    --------
    >>> "cat-dog-parrot" in names()
    True
    """
    return sorted({path.parent.name for place in _places() for path in place.glob(f"*/{FILE_NAME}")})


def recipe(name: str) -> Recipe:
    """What the catalog knows about a collection, without reading its files.

    Parameters
    ----------
    name : str
        One of `names`.

    Raises
    ------
    ArgumentError
        If there is no such collection.
    DataError
        If its collection.toml is malformed.

    Examples
    --------
    >>> recipe("cat-dog-parrot").expected
    {'documents': 4, 'queries': 3, 'judgments': 12, 'judged_queries': 3}
    """
    known = names()
    if name not in known:
        raise unknown("collection, file or folder", name, known, "collections")
    folders = [place / name for place in _places()]
    path = next(folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file())
    return replace(read_recipe(path, name), in_catalog=True)


def locate(recipe: Recipe) -> Path | None:
    """The first folder that holds all files of a collection, or None.

    Parameters
    ----------
    recipe : Recipe
        What is known about it.

    Examples
    --------
    >>> locate(recipe("cat-dog-parrot")).name
    'cat-dog-parrot'
    """
    return next((folder for folder in _folders(recipe) if not recipe.missing(folder)), None)


def bundled(name: str) -> Path:
    """A folder that comes with toysearch.

    Parameters
    ----------
    name : str
        The name of a bundled collection, or of other data in its place.

    Examples
    --------
    >>> sorted(path.name for path in bundled("cat-dog-parrot").glob("*.run"))
    ['published.run']
    """
    return _shipped() / name


def _described(source: str | os.PathLike[str], input_format: str | None) -> Recipe:
    """The recipe of whatever the user points at."""
    text = os.fspath(source)
    is_path = not isinstance(source, str) or any(mark in text for mark in (os.sep, os.altsep) if mark)
    if not is_path and (text in names() or not text or not os.path.exists(text)):
        return recipe(text)
    path = Path(text)
    name = path.resolve().name
    if path.is_dir():
        if (path / FILE_NAME).is_file():
            return read_recipe(path / FILE_NAME)
        return recipe_of_layout(name, path, layout_of_folder(path, input_format))
    if path.exists():
        return recipe_of_layout(name, path.parent, layout_of_file(path, input_format))
    raise DataError(f"{text}: there is no such folder or file")


def _places() -> list[Path]:
    """The folders that may hold collections, in the order in which they are looked at."""
    listed = os.environ.get(VARIABLE, "").split(os.pathsep)
    return [*(Path(folder) for folder in listed if folder), _shipped(), _cache()]


def _shipped() -> Path:
    """The collections that come with toysearch: in the package, or beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / "_corpora"
    return inside if inside.is_dir() else package.parent / "corpora"


def _cache() -> Path:
    variable, default = _CACHES.get(sys.platform, _OTHER_CACHE)
    return Path(os.environ.get(variable) or os.path.expanduser(default), "toysearch")


def _folders(recipe: Recipe) -> list[Path]:
    """The folders in which the files of a collection may be: that of a path given, then the catalog's."""
    folders = [place / recipe.name for place in _places()]
    return folders if recipe.in_catalog else [recipe.folder, *folders]


def _not_found(recipe: Recipe) -> str:
    """Where the files of a collection were looked for, and what to do."""
    first = recipe.files[0].path
    wanted = ", ".join(file.path for file in recipe.files)
    looked = []
    for folder in dict.fromkeys(_folders(recipe)):
        missing = recipe.missing(folder)
        partly = len(missing) < len(recipe.files)
        looked.append(f"{folder} (there {', '.join(missing)} missing)" if partly else str(folder))
    return (
        f"the files of collection '{recipe.name}' ({wanted}) were not found; looked in {', '.join(looked)}. Set the "
        f"environment variable {VARIABLE} to a folder that holds {recipe.name}/{first} and the others; "
        f"`toysearch corpora show {recipe.name}` tells where they come from"
    )
