"""What the readers make of every file below some folders, in all ways of `WAYS`: facts, or errors.

Everything is read by public names alone, so that modules may move.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from recording.batches import OutOfTime, time_limit
from recording.outcomes import anywhere, of_command

LARGE = 2_000_000
"""Bytes above which a file is read as documents and as a run only."""
INDEXED = 300_000
"""Bytes up to which an index is built of a file or a folder."""
MANY = 50
"""Files, with those in folders below, from which on a folder is no collection but holds some."""
CACHES = {"__pycache__", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints"}
FORMATS = ("smart", "trec", "jsonl", "csv", "tsv", "folder", "lines", "docword", "svmlight")
"""Formats by whose readers everything is read, whatever it holds."""
OF_READING = ("title", "text", "query_fields", "splits", "licence", "origin", "size", "counts")
"""Settings with which documents were read that say nothing of their place."""

Facts = dict[str, Any]


class Source(NamedTuple):
    """File or folder below a given folder."""

    folder: Path
    path: Path  # relative to the folder

    @property
    def files(self) -> list[Path]:
        """The file itself, or those of the folder and of the folders in it."""
        place = self.folder / self.path
        return sorted(files_below(place)) if place.is_dir() else [place]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.stat().st_size for file in self.files)

    @property
    def typed(self) -> str:
        """The path as it is typed: never the name of a collection in the catalog."""
        return os.path.join(os.curdir, self.path)


def files_below(folder: Path) -> Iterator[Path]:
    """Each file below a folder but those of caches."""
    return (path for path in folder.rglob("*") if path.is_file() and not CACHES & {*path.parts})


def sources(folder: Path) -> list[Source]:
    """What is read of a folder: its files, and the folders that may be collections; of the tests, no code."""
    files = {*files_below(folder)}
    code = {path for path in files if folder.name == "tests" and path.suffix in (".py", ".pyc")}
    folders = parents(files - code, folder) - parents(code, folder)
    chosen = [*files - code, *filter(may_be_collection, folders)]
    return [Source(folder, path) for path in sorted(path.relative_to(folder) for path in chosen)]


def parents(paths: Iterable[Path], folder: Path) -> set[Path]:
    """All folders below a folder that hold one of the paths."""
    return {parent for path in paths for parent in path.parents if folder in parent.parents}


def may_be_collection(folder: Path) -> bool:
    """True if a folder has a description, or several files, but not as many as one that holds many collections."""
    return (folder / "collection.toml").is_file() or 2 <= len([*files_below(folder)]) <= MANY


def checksum(parts: Iterable[object]) -> str:
    """Checksum of the reprs of some objects, in their order."""
    found = hashlib.sha256()
    for part in parts:
        found.update(repr(part).encode("utf-8", "backslashreplace") + b"\n")
    return found.hexdigest()


def of_documents(collection: Any) -> Facts:
    """Facts on a collection: its documents with all fields, its queries, judgments and settings."""
    documents, reading = collection.documents, collection.reading
    return {
        "documents": len(documents),
        "fields": documents.field_names,
        "sha256": checksum(map(of_document, documents)),
        "name": collection.name,
        "title": collection.title,
        "description": collection.description,
        "searched": collection.searched_fields,
        "analysis": collection.analysis,
        "grades": collection.grades,
        "threshold": collection.threshold,
        "apart": collection.apart,
        "split": collection.split,
        "vouched": collection.vouched,
        "unasked": collection.unasked,
        "without_relevant": sorted(collection.without_relevant),
        "remarks": collection.notes,
        "read_from": repr(collection.read_from),
        "reading": reading and [getattr(reading, name) for name in OF_READING],
        "queries": of_queries(collection.queries),
        "qrels": of_qrels(collection.qrels),
    }


def of_document(document: Any) -> tuple[object, ...]:
    """Everything of a document; texts also with the borders between their parts, and the sizes of counted words."""
    doc_id, text, title, fields = document
    texts = [of_text(value) for value in (text, title, *fields.values())]
    return doc_id, texts, [*fields]


def of_text(text: Any) -> tuple[object, ...]:
    """A text, with what it has beside its characters."""
    return str(text), getattr(text, "borders", ()), getattr(text, "size", None)


def of_queries(queries: Any) -> Facts:
    """Facts on queries."""
    ids_and_texts = zip(queries.query_ids, queries.texts, strict=True)
    fields = [[*of_query.items()] for of_query in queries.fields]
    return {
        "queries": len(queries),
        "fields": list(dict.fromkeys(name for of_query in queries.fields for name in of_query)),
        "sha256": checksum([*ids_and_texts, *fields, queries.needs, sorted(queries.unmatched)]),
    }


def of_run(run: Any) -> Facts:
    """Facts on a run."""
    rows = checksum(map(tuple, run))
    return {"queries": len(run.query_ids), "pairs": len(run), "sha256": rows, "name": run.name, "ranked": run.ranked}


def of_qrels(qrels: Any) -> Facts:
    """Facts on judgments."""
    subtopics = qrels.subtopics
    return {
        "queries": len(qrels.query_ids),
        "pairs": len(qrels),
        "sha256": checksum([*qrels.query_ids, *map(tuple, qrels)]),
        "votes": None if qrels.votes is None else checksum(qrels.votes.tolist()),
        "subtopics": subtopics and checksum([subtopics.names, subtopics.grades.tolist(), subtopics.weights.tolist()]),
        "needs": checksum(qrels.needs.items()) if qrels.needs else None,
        "complete": qrels.complete,
    }


def documents(source: Source, **options: str) -> Facts:
    """Read documents."""
    import toysearch

    return of_documents(toysearch.load(source.path, **options))


def queries(source: Source) -> Facts:
    """Read queries, by the function that is public in a module and not in front."""
    from toysearch.collection.queries import read_queries

    return of_queries(read_queries(source.path))


def run(source: Source, **options: str) -> Facts:
    """Read a run."""
    import toysearch

    return of_run(toysearch.read_run(source.path, **options))


def qrels(source: Source, **options: str) -> Facts:
    """Read judgments."""
    import toysearch

    return of_qrels(toysearch.read_qrels(source.path, **options))


def records(source: Source, role: str) -> Facts:
    """Read documents or queries by the reader of each format."""
    import toysearch

    found: Facts = {}
    for name in FORMATS:
        try:
            rows = [*toysearch.read_records(name, role, source.path)]
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
        else:
            found[name] = f"{len(rows)}: {checksum(map(of_record, rows))}"
    return found


def of_record(record: Any) -> tuple[object, ...]:
    """Everything of a record: its line, its id and its fields."""
    line, record_id, fields = record
    return line, record_id, [(name, of_text(value)) for name, value in fields.items()]


def index(source: Source) -> Facts:
    """Build an index, and save it."""
    import toysearch

    with tempfile.TemporaryDirectory() as folder:
        toysearch.Index.build(source.path).save(place := Path(folder, "saved"))
        files = sorted(path for path in place.rglob("*") if path.is_file())
        contents = [(path.relative_to(place).as_posix(), path.read_bytes()) for path in files]
    return {"files": len(files), "sha256": checksum(contents)}


def shell(source: Source, *arguments: str) -> Facts:
    """Give a command, with the path in place of PATH."""
    return of_command([source.typed if word == "PATH" else word for word in arguments])


WAYS: dict[str, Callable[[Source], Facts]] = {
    "documents": documents,
    "documents, on_error=skip": partial(documents, on_error="skip"),
    "documents, ids=number": partial(documents, ids="number"),
    "documents, encoding=cp1252": partial(documents, encoding="cp1252"),
    "records of documents": partial(records, role="documents"),
    "records of queries": partial(records, role="queries"),
    "queries": queries,
    "run": run,
    "run, on_error=skip": partial(run, on_error="skip"),
    "qrels": qrels,
    "qrels, on_error=skip": partial(qrels, on_error="skip"),
    "index": index,
    "check PATH": lambda source: shell(source, "check", "PATH"),
    "search PATH the --json": lambda source: shell(source, "search", "PATH", "the", "--json"),
    "eval PATH": lambda source: shell(source, "eval", "PATH"),
    "eval PATH PATH": lambda source: shell(source, "eval", "PATH", "PATH"),
}
"""How a file or folder is read."""
OF_LARGE = ("documents", "documents, on_error=skip", "run", "run, on_error=skip")
"""How a large one is read."""


def ways_of(source: Source) -> list[str]:
    """The ways in which a source is read: another encoding only if it has other characters than those of ASCII."""
    size = source.size
    if size > LARGE:
        return [*OF_LARGE]
    left_out = {"eval PATH PATH" if (source.folder / source.path).is_dir() else "eval PATH"}
    if size > INDEXED:
        left_out.add("index")
    if all(file.read_bytes().isascii() for file in source.files):
        left_out.add("documents, encoding=cp1252")
    return [way for way in WAYS if way not in left_out]


def lines_of(source: Source) -> Iterator[Facts]:
    """What is recorded of a source."""
    with contextlib.chdir(source.folder):
        for way in ways_of(source):
            yield {"call": way, **facts_of(source, way)}


def facts_in(folder: Path, path: Path, way: str) -> Facts:
    """What one way makes of a file in a folder."""
    return facts_of(Source(folder, path), way)


def facts_of(source: Source, way: str) -> Facts:
    """What a way finds, or its error, within the time limit; and the notes."""
    from toysearch import ToysearchNote

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with time_limit():
                facts = WAYS[way](source)
        except OutOfTime:
            facts = {"error": "time"}
        except Exception as error:
            facts = {"error": str(error), "type": type(error).__name__}
    notes = [str(warning.message) for warning in caught if issubclass(warning.category, ToysearchNote)]
    return {key: of_any_place(value) for key, value in {**facts, "notes": notes}.items()}


def of_any_place(value: Any) -> Any:
    """A value whose texts do not say where the folder is."""
    if isinstance(value, str):
        return anywhere(value)
    if isinstance(value, list | tuple):
        return [*map(of_any_place, value)]
    if isinstance(value, dict):
        return {key: of_any_place(each) for key, each in value.items()}
    return value
