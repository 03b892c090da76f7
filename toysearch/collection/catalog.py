"""Sources of collections: a name of the catalog, a folder of the user, a single file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from toysearch import files
from toysearch.base import (
    ArgumentError,
    DataError,
    MissingFiles,
    Remedy,
    ToysearchError,
    cache_folder,
    expect_name,
    note,
    unknown,
    without_notes,
)
from toysearch.collection.collection import Collection, Source, collection_in_memory
from toysearch.collection.document_batches import searching
from toysearch.collection.loader import load_recipe
from toysearch.collection.recipe import (
    COLUMNS,
    Recipe,
    columns_parser,
    read_recipe,
)
from toysearch.files import (
    ARGUMENTS,
    DATASET,
    SETTINGS,
    Reading,
    settings_for,
)
from toysearch.files.claims import ColumnNames
from toysearch.files.document_formats import is_dataset, is_texts
from toysearch.files.part import FILE_NAME, Part

__all__ = ["collections", "load"]

VARIABLE = "TOYSEARCH_CORPORA"
"""Environment variable that lists folders of collections."""

_OF_FILES = sorted({*COLUMNS, *settings_for("documents", "files")} - {"rejected"}, key=ARGUMENTS.index)
"""Settings that say which files are the documents, and how they are read; what is rejected is written once."""


def load(
    source: Source,
    *,
    grades: str | None = None,
    fields: str | Sequence[str] | None = None,
    split: str | None = None,
    input_format: str | None = None,
    records: str | None = None,
    columns: str | Mapping[str, str] | None = None,
    query_fields: str | Sequence[str] | None = None,
    query_columns: str | Mapping[str, str] | None = None,
    qrels_columns: str | Mapping[str, str] | None = None,
    ids: str | None = None,
    on_error: str | None = None,
    rejected: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
    topics: bool | str = True,
) -> Collection:
    """Load the collection with a name, in a folder, in a file of documents, or of documents in memory.

    Queries and judgments are read at once, documents of files on first use.

    Parameters
    ----------
    source : str, path, or documents
        A name of the catalog (see `collections`); a folder of yours, with or without a collection.toml; a file of
        documents, which makes a collection without queries; ``ir_datasets:ID`` or ``irds:ID`` for one of that package.
        A string without a separator that is both a name and a path means the name; one in other letters than the name,
        such as ``Cranfield``, means the path if the folder lists it so; ``-`` is standard input. Documents in memory
        are of any kind that `Index.build` takes, such as a data frame; of the other arguments, those have only
        ``columns`` and ``fields``.
    grades : str, optional
        The grade mapping, with its options: ``graded:minus1=relevant``. The default is that of the collection.
    fields : str or sequence of str, optional
        The fields that are searched: ``"T,W"`` or ``["title", "text"]``, in any case. By default those that
        the collection names, else title and text.
    split : str, optional
        The set of judgments, if there are several. The default is ``test``, else the only one.
    input_format : str, optional
        The format of the documents in a folder or a file: ``beir``, ``smart``, ``trec``, ``jsonl``, ``csv``,
        ``tsv``, ``folder``, ``lines``; ``"folder:*.log,*.cfg"`` reads these files of a folder as texts too. By default
        it is detected from the content.
    records : str, optional
        The key of JSON that holds the documents, or the element of XML that is one, if it is not a known one.
    columns : str or mapping of str to str, optional
        The columns or keys of the documents that hold the id, the title and the text, if they have other
        names: ``"id=docno,text=body"``.
    query_fields : str or sequence of str, optional
        The fields of a query that are searched with: ``"title,description"``. By default those that the
        collection names, else its text, of TREC's topics the title.
    query_columns, qrels_columns : str or mapping of str to str, optional
        Likewise the columns or keys of the queries, ``"id=nr,text=question"``, and of the judgments,
        ``"query_id=search,doc_id=product,relevance=points"``.
    ids : {"refuse", "first", "last", "number"}, optional
        The treatment of documents or queries with a repeated id: refused (the default), all but the first or the
        last left out, or the later ones renamed ``ID-2``, ``ID-3``. With all values but ``refuse``, a record without
        an id is named after its line, such as ``line-17``.
    on_error : {"refuse", "skip"}, optional
        The treatment of a record of JSON Lines, CSV or TSV, or of a judgment, that cannot be read: refused (the
        default), or left out and counted in a note.
    rejected : str or path, optional
        With ``on_error="skip"``, a file for the records left out, each with its line and the reason.
    encoding : str, optional
        The encoding of the files, such as ``cp1252`` (Windows). By default UTF-8, or UTF-16 or UTF-32 if a file begins
        with their mark.
    topics : bool or {"queries", "qrels"}
        Whether queries and judgments are read; False for the documents alone, which is all that a search needs;
        ``"queries"`` or ``"qrels"`` for one of the two. Default True.

    Raises
    ------
    ArgumentError
        If the collection, mapping, field, split or format is unknown.
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
    >>> load("cat-dog-parrot", topics=False)
    <Collection cat-dog-parrot: documents not read yet, 0 queries, 0 judgments>
    """
    reading = Reading(
        grades=grades,
        fields=fields,
        split=split,
        input_format=input_format,
        records=records,
        columns=columns,
        query_fields=query_fields,
        query_columns=query_columns,
        qrels_columns=qrels_columns,
        ids=ids,
        on_error=on_error,
        rejected=rejected,
        encoding=encoding,
    )
    return collection_of(source, reading, topics)


def collection_of(source: Source, reading: Reading = Reading(), topics: bool | str = True) -> Collection:
    """Return the collection of a source, as `load` does."""
    if not isinstance(source, str | os.PathLike):
        return collection_in_memory(source, reading)
    manifest = Path(source, "manifest.json")  # that of another program may belong to a folder of texts
    with contextlib.suppress(OSError), manifest.open("rb") as file:
        if b'"format": "toysearch' in file.read(100):
            raise ArgumentError(f"{manifest.parent} is an index, not a collection: Index.open or Searcher opens it")
    chosen = described(source, reading)
    for name, setting in SETTINGS.items():
        if setting.choices and (value := getattr(reading, name)) is not None:
            expect_name(f"value of {name}", value, setting.choices, "values")
    if reading.rejected is not None and chosen.reading.on_error != "skip":
        raise ArgumentError("rejected names a file for the records left out; set on_error to skip as well")
    if isinstance(topics, str):
        expect_name("kind of topics", topics, ("queries", "qrels"), "kinds")
        formats = {file.format for file in chosen.of("queries")}
        # The recipe says how queries in the format of SMART are numbered.
        alone = topics == "queries" and chosen.number != "" and formats == {"smart"}
        if alone or not formats & {"smart", "trec", DATASET}:
            chosen = replace(chosen, files=tuple(chosen.of("documents", topics)))
    with without_notes() if topics == "qrels" else contextlib.nullcontext():  # of judgments without queries
        collection = load_recipe(chosen, bool(topics))
    if os.fspath(source) == "-":  # which is read once
        return collection
    place = chosen.name if chosen.in_catalog else os.fspath(source)
    if not chosen.in_catalog and chosen.format != DATASET:
        place = os.path.abspath(place)  # which means the same in every folder
    settings = {name: getattr(reading, name) for name in _OF_FILES}
    settings["encoding"] = chosen.reading.encoding and chosen.reading.codec
    collection.read_from = place, {name: value for name, value in settings.items() if value is not None}
    return collection


def with_fields(collection: Collection, fields: Sequence[str]) -> Collection:
    """Return the same documents with other fields searched; refuse a field that no document has."""
    if collection.read_from is not None:
        place, settings = collection.read_from
        return load(place, **settings | {"fields": list(fields)}, topics=False)
    return collection.with_documents(*searching(collection.documents, fields))


def described(source: str | os.PathLike[str], reading: Reading = Reading()) -> Recipe:
    """Return the recipe of a collection, with the folder that holds all its files."""
    input_format = reading.input_format
    named = ((role, getattr(reading, name)) for name, role in COLUMNS.items())
    by_role = {role: columns_parser(role)(columns) for role, columns in named if columns is not None}
    described_source = _described(source, reading, by_role)
    if input_format is not None:
        own = described_source.format
        if is_texts(input_format) and is_texts(own):
            texts = [
                replace(file, format=input_format) if file.role == "documents" else file
                for file in described_source.files
            ]
            described_source = replace(described_source, format=input_format, files=tuple(texts))
        elif files.checked_format(input_format) != own:
            raise ArgumentError(
                f"input_format '{input_format}': collection '{described_source.name}' has the format {own}; "
                "leave input_format out"
            )
    if described_source.in_catalog or not all(file.source for file in described_source.files):  # not seen just now
        with_files = _with_files(described_source) or (None if reading.texts_only else counts_of(described_source))
        if with_files is None:
            problem = _not_found(described_source)
            raise (
                MissingFiles(described_source.name, problem)
                if described_source.in_catalog and described_source.sources
                else DataError(problem)
            )
        described_source = with_files
    if described_source.in_catalog and os.path.exists(source) and not os.path.samefile(source, described_source.folder):
        note(f"'{source}' is the collection of that name; what is called so here is ./{source}")
    parts = [replace(file, columns={**file.columns, **by_role.get(file.role, {})}) for file in described_source.files]
    return replace(described_source, files=tuple(parts))


def collections() -> list[str]:
    """List the names of the collections that `load` finds, sorted.

    Examples
    --------
    >>> "cat-dog-parrot" in collections()
    True
    """
    # The catalog holds the folders with a collection.toml in the folders listed in the environment variable
    # TOYSEARCH_CORPORA, among the collections that come with toysearch, and in the cache of the user.
    return sorted({path.parent.name for place in places() for path in place.glob(f"*/{FILE_NAME}")})


def recipe(name: str, reading: Reading = Reading()) -> Recipe:
    """Read the recipe of a collection in the catalog; its files are not read."""
    path = _recipe_file(name)
    if path is None and (alike := _in_other_letters(name)):
        name, path = alike, _recipe_file(alike)
    if path is None:
        raise unknown("collection, file or folder", name, collections(), "collections (irds:NAME is of ir_datasets)")
    return replace(read_recipe(path, name, reading), in_catalog=True)


def is_name(text: str) -> bool:
    """True if a text means a name of the catalog, whether there is one or not, and no path.

    On Windows and macOS a path may be written in other letters than the folder lists. Everywhere a path as it is listed
    comes before a name in other letters, and that before any other path.
    """
    if any(mark in text for mark in (os.sep, os.altsep) if mark):
        return False
    is_named = not text or not os.path.exists(text) or _recipe_file(text) is not None
    return is_named or bool(_in_other_letters(text) and os.access(".", os.R_OK) and text not in os.listdir())


def _in_other_letters(name: str) -> str | None:
    """Return the only name of the catalog that differs in capital letters alone."""
    alike = {candidate for candidate in collections() if candidate.lower() == name.lower()}
    return alike.pop() if len(alike) == 1 else None


def _recipe_file(name: str) -> Path | None:
    for place in places():
        with contextlib.suppress(OSError):  # a place need not be there, nor be open to everybody
            if name in os.listdir(place) and os.path.isfile(file := place / name / FILE_NAME):
                return file
    return None


def locate(recipe: Recipe) -> Path | None:
    """Return the first folder that holds all files of a collection, or None."""
    found = _with_files(recipe)
    return found.folder if found else None


def _with_files(recipe: Recipe) -> Recipe | None:
    found = _in_its_place(recipe)
    if found or not recipe.in_catalog:
        return found
    from toysearch.collection.foreign_files import foreign_files  # most files are in their places

    return foreign_files(recipe)


def _in_its_place(recipe: Recipe) -> Recipe | None:
    """Return the recipe with the first folder that holds all its files; None without one."""
    return next((replace(recipe, folder=folder) for folder in _folders(recipe) if not recipe.missing(folder)), None)


def counts_of(recipe: Recipe) -> Recipe | None:
    """Return the recipe of the word counts that stand for missing texts, in their folder; None without any."""
    counts = _in_its_place(recipe.of_counts) if recipe.counts else None
    if counts is None:
        return None
    listed = [f"{place} lacks {recipe.name}/{recipe.files[0].path}" for place in _listed()]
    lacking = f" ({VARIABLE}: {'; '.join(listed)})" if listed else ""
    fetching = f"; `{Remedy('fetch', recipe.name)}` fetches the texts" if recipe.in_catalog and recipe.sources else ""
    remark = (
        f"{recipe.name}: without its texts{lacking}, its word counts are used, which give the same figures, "
        f"and queries are their words in order of the alphabet{fetching}"
    )
    return replace(counts, remark=remark)


def without_texts(needed: str, name: str = "") -> ArgumentError:
    """Return the error for a need of texts where there are word counts; the name is that of their collection, if any.

    >>> print(without_texts("a phrase needs the order of words"))
    a phrase needs the order of words, and the documents are word counts; index the texts instead
    """
    with contextlib.suppress(ToysearchError):
        if name and (described := recipe(name)).counts and described.sources:
            return ArgumentError(
                f"{needed}, and the documents of '{name}' are word counts here; `{Remedy('fetch', name)}` fetches the "
                "texts"
            )
    return ArgumentError(f"{needed}, and the documents are word counts; index the texts instead")


def bundled(name: str) -> Path:
    """Return a folder that comes with toysearch."""
    return _shipped() / name


def _described(source: str | os.PathLike[str], reading: Reading, columns: ColumnNames) -> Recipe:
    text, input_format = os.fspath(source), reading.input_format
    if isinstance(source, str) and ":" in text and is_dataset(text):
        name = text.partition(":")[2]
        if input_format is not None:
            raise ArgumentError(f"input_format '{input_format}' is for files; {DATASET}:{name} has none: leave it out")
        if not name:
            raise ArgumentError(f"{DATASET}: names no collection; an example: {DATASET}:vaswani")

        parts = tuple(Part(role, name, DATASET) for role in files.dataset_parts(name))
        return Recipe(name, Path(), DATASET, parts, reading=reading)
    path = folder = Path(text)
    if text == "-":
        path = folder = Path("stdin")
        parts = files.layout_of_file(files.standard_input(), input_format, columns, reading)
    elif files.is_pattern(text):
        sources = files.files_named(source)
        path = folder = Path(os.path.commonpath([Path(each.path).parent for each in sources]))
        parts = files.layout_of_files(sources, folder, input_format, columns, reading)
    elif isinstance(source, str) and is_name(text):
        return recipe(text, reading)
    elif path.is_dir() and (path / FILE_NAME).is_file():
        return read_recipe(path / FILE_NAME, reading=reading)
    elif path.is_dir():
        parts = files.layout_of_folder(path, input_format, columns, reading=reading)
    elif path.exists():
        folder, parts = path.parent, files.layout_of_file(source, input_format, columns, reading)
    else:
        files.refuse_address(source)
        of_package = f"; as one of ir_datasets it is irds:{text}" * (not path.suffix and not path.parent.exists())
        raise DataError(f"{text}: there is no such folder or file{of_package}")
    return Recipe(path.resolve().name, folder, parts[0].format, parts, reading=reading)


def places() -> Iterator[Path]:
    """Yield the folders that may hold collections, in the order of search."""
    yield from _listed()
    yield _shipped()
    cache = cache_folder()
    is_open = False
    with contextlib.suppress(OSError):
        is_open = not cache.exists() or os.access(cache, os.R_OK | os.X_OK)
    if is_open:
        yield cache


def _listed() -> list[Path]:
    return [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]


def _shipped() -> Path:
    """Return the collections that come with toysearch: in the package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "_corpora"
    return inside if inside.is_dir() else package.parent / "corpora"


def _folders(recipe: Recipe) -> Iterator[Path]:
    if not recipe.in_catalog:
        yield recipe.folder
    yield from (place / recipe.name for place in places())


def _not_found(recipe: Recipe) -> str:
    first = recipe.files[0].path
    paths = ", ".join(file.path for file in recipe.files)
    looked = []
    for folder in dict.fromkeys(_folders(recipe)):
        missing = recipe.missing(folder)
        partly = len(missing) < len(recipe.files)
        looked.append(f"{folder} (there {', '.join(missing)} missing)" if partly else str(folder))
    problem = f"the files of collection '{recipe.name}' ({paths}) were not found; looked in {', '.join(looked)}. "
    if not recipe.in_catalog:
        return f"{problem}Put them into {recipe.folder}, or correct their paths in {recipe.folder / FILE_NAME}"
    if not recipe.sources:
        below = f"a folder {recipe.name} below a folder listed in {VARIABLE}"
        return f"{problem}No source is known for them; put them into {below}"
    here = f"; the folder of that name here is ./{recipe.name}" if os.path.isdir(recipe.name) else ""
    return (
        f"{problem}`{Remedy('fetch', recipe.name)}` fetches them; if you have them, set the environment variable "
        f"{VARIABLE} to a folder that holds {recipe.name}/{first} and the others{here}"
    )
