"""A collection written in another layout: BEIR, TREC or JSON Lines."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import (
    ArgumentError,
    DataError,
    Document,
    Qrels,
    StorageError,
    ToysearchError,
    checked,
    encodable,
    note,
    unknown,
)
from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection, Reading
from toysearch.corpus.recipe import FILE_NAME, read_recipe
from toysearch.formats.export_layouts import TARGETS, ExportedRecord, Target, Writing
from toysearch.formats.folder_layout import files_below
from toysearch.formats.runs_and_judgments import write_judgment_lines, write_qrels
from toysearch.formats.writing import replacing

__all__ = ["convert"]

_STEM = re.compile(r"\w[\w.-]*", re.ASCII)
_FIRST_LINE = "# Written by `toysearch convert`, which replaces this folder as a whole."


class _Written(NamedTuple):
    """A file that was written: its entry in the collection.toml."""

    role: str
    path: str
    records: int
    split: str = ""
    judged: int | None = None


@checked
def convert(
    source: str | os.PathLike[str] | Collection,
    *,
    to: str,
    folder: str | os.PathLike[str],
    split: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Write the documents, queries and judgments of a collection in another layout, and return the folder.

    Every field is kept, under its own name if the layout allows it; ``T`` and ``W`` of SMART become title and text.
    A collection.toml beside the files records the searched fields, the language and the threshold, so that the
    same models have the same figures on the copy. Judgments are written as gains, under the grade mapping with which
    the collection was loaded. Content that a layout cannot carry is refused or counted in a note.

    Parameters
    ----------
    source : str, path or Collection
        As in `toysearch.load`; a collection of your own, or loaded with options of your choice.
    to : {"beir", "trec", "jsonl"}
        The layout.
    folder : str or path
        The target: a new folder, an empty one, or one that this function wrote, which is replaced. After a failure
        it is unchanged.
    split : str, optional
        The set of judgments to write, if there are several. By default all of them.
    progress : function of int, optional
        Called with the number of documents that have been written.

    Raises
    ------
    ArgumentError
        If the layout or the split is unknown.
    DataError
        If the layout cannot carry an id, or the files of the collection are malformed.
    StorageError
        If the folder holds anything else, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = convert("cat-dog-parrot", to="trec", folder=Path(tempfile.mkdtemp(), "pets"))
    >>> sorted(path.name for path in folder.iterdir())
    ['collection.toml', 'documents.trec', 'qrels', 'topics.trec']
    >>> load(folder).documents[0].text
    'How to train a cat'
    """
    if to not in TARGETS:
        raise unknown("layout", to, TARGETS)
    final = Path(os.path.realpath(folder))
    _refuse_foreign(final)
    collection = source if isinstance(source, Collection) else load(source, split=split)
    with _replacing_folder(final) as place:
        target = TARGETS[to]
        names = target.document_names()
        asking = target.query_names()
        count = _write_records(place / target.documents, _documents(collection, progress), target.document, names)
        written = [_Written("documents", target.documents, count)]
        if len(collection.queries):
            count = _write_records(place / target.queries, _queries(collection), target.query, asking)
            written += [_Written("queries", target.queries, count)] if count else []
        written += _write_judgments(collection, target, place, split)
        with replacing(place / FILE_NAME) as file:
            file.writelines(_toml(collection, target, names, written))
        for message in names.notes() + asking.notes():
            note(message)
    return Path(folder)


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds anything not written by `convert`, so that no work of the user is lost."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise StorageError(f"{folder} is a file; a collection is written as a folder")
    names = files_below(folder)
    hidden = [entry.name for entry in folder.iterdir() if entry.name.startswith(".")]
    ours: set[str] = set()
    if FILE_NAME in names and (folder / FILE_NAME).read_bytes().startswith(_FIRST_LINE.encode()):
        try:
            ours = {FILE_NAME, *(file.path for file in read_recipe(folder / FILE_NAME).files)}
        except ToysearchError:  # edited since: then it is the user's
            ours = set()
    others = [name for name in names if name not in ours] + hidden
    if others:
        raise StorageError(
            f"{folder} holds files that `toysearch convert` did not write, such as '{others[0]}'; choose a new folder "
            "or an empty one"
        )


@contextmanager
def _replacing_folder(final: Path) -> Iterator[Path]:
    """A folder that replaces `final` once everything has been written."""
    mark = secrets.token_hex(4)
    temporary, old = (final.with_name(f".{final.name}.{mark}{ending}") for ending in ("", ".old"))
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if final.exists():
            os.rename(final, old)
        try:
            os.rename(temporary, final)
        except BaseException:
            if old.exists():
                os.rename(old, final)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise StorageError(f"{final} could not be written: {error.strerror or error}") from error
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _write_records(
    path: Path, records: Iterator[ExportedRecord], put: Callable[[ExportedRecord, Writing], str], writing: Writing
) -> int:
    """Write the records to a file, and return their number."""
    count = 0
    with replacing(path) as file:
        for record in records:
            text = put(record, writing)
            count += text != ""
            file.write(text)
    if not count:
        path.unlink()
    return count


def _documents(collection: Collection, progress: Callable[[int], None] | None) -> Iterator[ExportedRecord]:
    for count, document in enumerate(collection.stream(), 1):
        yield _document(document, collection.reading)
        if progress:
            progress(count)


def _document(document: Document, reading: Reading | None) -> ExportedRecord:
    """The title, the text and the other fields of a document."""
    if reading is None:  # made by hand: its title and text need not be among its fields
        own = {"title": document.title, "text": document.text}
        others = {name: text for name, text in document.fields.items() if own.get(name) != text}
        return ExportedRecord(document.doc_id, document.title, document.text, others)
    fields = dict(document.fields)
    title, text = fields.pop(reading.title, ""), fields.pop(reading.text, "")
    return ExportedRecord(document.doc_id, title, text, fields)


def _queries(collection: Collection) -> Iterator[ExportedRecord]:
    """The queries: their search text, and every other field."""
    reading = collection.reading
    field = reading.asked[0] if reading and len(reading.asked) == 1 else None
    title = reading.title if reading else "title"
    for number, query in enumerate(collection.queries):
        fields = collection.queries.fields[number] if collection.queries.fields else {}
        others = {"title" if name == title else name: text for name, text in fields.items() if name != field}
        yield ExportedRecord(query.query_id, "", query.text, others)


def _write_judgments(collection: Collection, target: Target, folder: Path, split: str | None) -> list[_Written]:
    """Write the judgments of one split, or of all splits, one file each."""
    written = []
    for number, (name, qrels) in enumerate(_sets(collection, split).items(), 1):
        if not len(qrels):
            continue
        # The name of a split comes from a file of the user: as a path it might lead out of the folder.
        stem = name if _STEM.fullmatch(name) else f"split{number}"
        path = f"qrels/{stem}{target.ending}" if name else target.qrels
        (folder / path).parent.mkdir(exist_ok=True)
        if target.judgments == "jsonl":
            write_judgment_lines(qrels, folder / path)
        else:
            write_qrels(qrels, folder / path, target.judgments)
        written.append(_Written("qrels", path, len(qrels), name, len(qrels.query_ids)))
    return written


def _sets(collection: Collection, split: str | None) -> dict[str, Qrels]:
    """The sets of judgments to write, by the names of their splits."""
    reading = collection.reading
    if reading is None:
        if split is not None:
            raise ArgumentError(
                f"split '{split}' cannot be chosen: collection '{collection.name}' has one set of judgments; leave "
                "split out"
            )
        return {collection.split: collection.qrels}
    names = reading.splits if split is None else (split,)
    return {name: collection.qrels if name == collection.split else reading.qrels_of(name) for name in names}


def _toml(collection: Collection, target: Target, names: Writing, written: list[_Written]) -> Iterator[str]:
    """The lines of the collection.toml."""
    reading = collection.reading
    origin = f"Converted from '{collection.name}'"
    if collection.grades != "as given":
        origin += f", with the grades {collection.grades}"
    settings: dict[str, Any] = {
        "title": collection.title,
        "description": collection.description,
        "format": target.format,
        "language": collection.language,
        "tokens": collection.tokens if collection.tokens != "word2" else "",
        "text": _searched(collection, names),
        "query": [target.asked] if any(file.role == "queries" for file in written) else [],
        "apart": collection.apart or "",
        "threshold": collection.threshold,
        "judgments": "complete" if collection.complete else "",
        "split": collection.split if collection.split in {file.split for file in written} else "",
        "licence": reading.licence if reading else "",
        "origin": f"{origin}. {reading.origin if reading else ''}".strip(),
    }
    yield f"{_FIRST_LINE}\n\n"
    yield from (f"{key} = {_toml_value(value)}\n" for key, value in settings.items() if value not in ("", []))
    for file in written:
        values = {key: value for key, value in file._asdict().items() if value not in ("", None)}
        yield "\n[[files]]\n"
        yield from (f"{key} = {_toml_value(value)}\n" for key, value in values.items())


def _searched(collection: Collection, names: Writing) -> list[str]:
    """The searched fields, by their names in the copy."""
    reading = collection.reading
    called = {reading.title: "title", reading.text: "text"} if reading else {"text": "text"}
    searched = [called.get(name) or names.name_of(name) for name in (reading.searched if reading else ["text"])]
    if not names.as_tags:
        return searched
    # A reader of TREC's documents leaves out what is empty, but for the title and the text.
    searched = [name for name in searched if name in names.filled or name in ("title", "text")]
    if not searched:
        raise DataError(
            f"collection '{collection.name}' has no document with any text in the searched fields, and TREC "
            "documents omit empty fields; search other fields, or convert to beir or jsonl"
        )
    return searched


def _toml_value(value: object) -> str:
    """A text, a number or a list of texts in TOML; JSON's texts are TOML's, but for one character."""
    return encodable(json.dumps(value, ensure_ascii=False))[0].replace("\x7f", "\\u007f")
