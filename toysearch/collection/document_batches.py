"""Batches of documents: those in memory, in each of the forms in which they can be given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch import files
from toysearch.base import ArgumentError, DataError, Document, JoinedText, a, bordered

if TYPE_CHECKING:
    from toysearch.base.documents import Frame
    from toysearch.files.rows_in_memory import NamedCells

BATCH = 100
"""Number of documents that are all read before the first is used."""


def joined(fields: Mapping[str, str], names: Iterable[str]) -> str:
    """Join the texts of the fields that a record has, one blank between them."""
    return JoinedText.joined([fields[name] for name in names if fields.get(name)])


class Batch(NamedTuple):
    """Batch of consecutive documents, as columns with one value per document.

    >>> Batch.of([Document("1", "a cat"), Document("2", "a dog")]).texts
    ('a cat', 'a dog')
    """

    doc_ids: Sequence[str]
    texts: Sequence[str]  # with a `BORDER` between the parts of a text
    titles: Sequence[str]
    fields: Sequence[Mapping[str, str]]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Batch:
        """Make a batch of documents, at least one."""
        doc_ids, texts, titles, fields = zip(*documents, strict=True)
        return cls(doc_ids, tuple(map(bordered, texts)), titles, fields)

    def documents(self) -> Iterator[Document]:
        """Yield the documents as records."""
        return map(Document, self.doc_ids, map(JoinedText.of, self.texts), self.titles, self.fields)


def batches(documents: Iterable[Document]) -> Iterator[Batch]:
    """Divide documents into batches."""
    rest = iter(documents)
    while some := list(islice(rest, BATCH)):
        yield Batch.of(some)


_SEARCHED = ("title", "text")
_PARTS = ("doc_id", "text", "title")  # of a document: the first three columns of a batch
_ACCEPTED = (
    "expected documents: a collection, its name or path, a data frame of pandas or polars, a dict of doc_id to text, "
    "or a list of texts, Documents, (doc_id, text) or dicts"
)
_ITEM = "a text, a Document(doc_id, text), (doc_id, text) or a dict"
_OF_A_SERIES = "; give its .to_list(), whose texts get the ids 1, 2, …, or the data frame of which it is a column"


def expect_documents(source: Any) -> None:
    """Refuse an iterable that gives no documents, or none in a certain order or with certain ids."""
    opened = getattr(source, "name", None) if hasattr(source, "readline") else None  # whose lines are no documents
    path = opened if _is_path(opened) else source
    if isinstance(path, str | os.PathLike):
        raise ArgumentError(f"documents: load({str(path)!r}) reads a file, a folder or a named collection")
    series = hasattr(source, "to_frame") and hasattr(source, "to_list")  # its index may be the ids or not
    of_columns = hasattr(type(source), "columns") or getattr(source, "ndim", 1) != 1
    if series or of_columns or not files.is_ordered(source):
        raise ArgumentError(f"{_ACCEPTED}, not {a(source)}{_OF_A_SERIES if series else ''}")


def batches_in_memory(
    source: Any,
    first: int = 1,
    columns: Mapping[str, str] | None = None,
    known: NamedCells | None = None,
) -> Iterator[Batch]:
    """Yield the documents of texts, records or dicts in batches.

    first : the number of the first document, which is the id of one that has none
    columns : part of a document → the key that dicts have for it
    known : the reader of dicts

    >>> [batch.doc_ids for batch in batches_in_memory(["a cat", {"docno": "d2", "body": "a dog"}], first=5)]
    [('5', 'd2')]
    """
    records = source if isinstance(source, list) else []
    if isinstance(source, list | tuple) and source and all(map(_is_path, source)):
        path = os.fspath(source[0])
        pattern = os.path.join(os.path.dirname(path), f"*{os.path.splitext(path)[1]}")
        raise ArgumentError(f"the documents are names of files, such as {path}: load({pattern!r}) reads their texts")
    # Most documents are texts, which need no reader of dicts.
    cells = cache(lambda: known or files.NamedCells(columns, records))
    if records and not known and all(isinstance(record, Mapping) for record in records):
        return chain(
            _checked(batches(_document(item, place, first, columns, cells) for place, item in enumerate(records))),
            _told(cells(), len(records)),
        )
    if not isinstance(source, Mapping):
        return _checked(batches(_document(item, place, first, columns, cells) for place, item in enumerate(source)))
    if not isinstance(next(iter(source.values()), ""), Mapping):
        return _checked(batches(map(Document, source, source.values())))
    return _checked(batches(_with_id(doc_id, item, cells()) for doc_id, item in source.items()))


def _told(cells: NamedCells, number: int) -> Iterator[Batch]:
    """Tell what was read of dicts in a list."""
    cells.tell("the list", number)
    yield from ()


def _is_path(item: Any) -> bool:
    return isinstance(item, str | os.PathLike) and os.path.isfile(item)


def documents_of_frame(
    frame: Frame, columns: Mapping[str, str] | None = None, fields: Sequence[str] = (), first: int = 1
) -> tuple[list[Document], tuple[str, ...]]:
    """Read the documents of a data frame, one per row, and the fields that are searched."""
    cells = files.NamedCells(columns, fields=fields)
    _, rows = files.rows_of_frame(frame, cells)
    documents = [_from_cells(row, number) for number, row in enumerate(rows, first)]
    if fields:
        return searching(documents, fields)
    cells.tell("the data frame", len(documents))
    return documents, _SEARCHED


def documents_of_records(
    source: Any, columns: Mapping[str, str] | None, fields: Sequence[str]
) -> tuple[list[Document], tuple[str, ...]]:
    """Read documents in memory, and the fields that are searched, which the user names."""
    records = source if isinstance(source, list) else []
    cells = files.NamedCells(columns, records, fields=fields)
    documents = [*documents_in(batches_in_memory(source, 1, columns, cells))]
    return searching(documents, fields)


def searching(documents: Sequence[Document], fields: Sequence[str]) -> tuple[list[Document], tuple[str, ...]]:
    """Return documents whose texts are those of some fields, and these as spelt there; refuse one that none has."""
    from toysearch.collection.recipe import spelt_fields  # most documents have a title and a text

    known = [document.fields or {"title": document.title, "text": document.text} for document in documents]
    seen = dict.fromkeys(name for fields in known for name in fields if fields[name] or name != "title")
    if not seen.keys().isdisjoint(fields):
        seen |= dict.fromkeys(_SEARCHED)  # which may be empty in all
    searched = spelt_fields(fields, seen, "field")
    pairs = zip(documents, known, strict=True)
    return [document._replace(text=joined(own, searched)) for document, own in pairs], tuple(searched)


def documents_in(batched: Iterable[Batch]) -> Iterator[Document]:
    """Yield the documents of batches as records."""
    for batch in batched:
        yield from batch.documents()


def _from_cells(record: tuple[str, Mapping[str, str]], number: int) -> Document:
    doc_id, fields = record
    return Document(doc_id or str(number), joined(fields, _SEARCHED), " ".join(fields.get("title", "").split()), fields)


def _with_id(doc_id: Any, item: Any, cells: NamedCells) -> Document:
    place = f"document {doc_id!r}"
    if not isinstance(item, Mapping) or not isinstance(doc_id, str):
        raise ArgumentError(f"{place}: expected a text as id and a dict, found {a(item)}")
    inner, fields = cells.record_of(item, place)
    if inner not in ("", doc_id):
        raise DataError(f"{place} has the id {inner!r} in its dict; give it one id")
    return _from_cells((doc_id, fields), 0)


def _document(
    item: Any, place: int, first: int, columns: Mapping[str, str] | None, cells: Callable[[], NamedCells]
) -> Document:
    if isinstance(item, Mapping):
        return _from_cells(cells().record_of(item, f"document {place + 1}"), first + place)
    if not columns:
        if isinstance(item, Document):
            return item if item.fields == {} and not item.title else _from_document(item, place)
        if isinstance(item, str):
            return Document(str(first + place), item)
        if type(item) is tuple and len(item) == 2:
            return Document(*item)
    accepted = _ITEM if not columns else "a dict with the named columns"
    raise ArgumentError(f"document {place + 1} is {item!r:.60}, {a(item)}; expected {accepted}")


def _from_document(document: Document, place: int) -> Document:
    """Read a document as the dict of its parts and fields; a title or a text among its fields has been read already."""
    if not isinstance(document.fields, Mapping):
        raise ArgumentError(f"document {place + 1}: expected a dict as fields, found {a(document.fields)}")
    fields: dict[str, str] = {}
    for name, value in document.fields.items():
        text = files.cell_text(value)
        if text is None:
            raise ArgumentError(f"document {place + 1}: expected a text, a number or a list as {name}, not {a(value)}")
        fields[str(name)] = text
    parts = {"title": document.title, "text": document.text}
    are_texts = all(isinstance(text, str) for text in parts.values())
    if not document.title or not are_texts or not fields.keys().isdisjoint(parts):
        return document._replace(fields=fields)
    title = " ".join(document.title.split())
    if title and title in [" ".join(text.split()) for text in fields.values()]:
        return document._replace(fields=fields)
    return document._replace(text=joined(parts, _SEARCHED), title=title, fields=parts | fields)


def _checked(batched: Iterable[Batch]) -> Iterator[Batch]:
    before = 0
    for batch in batched:
        for part, values in zip(_PARTS, batch, strict=False):
            if {*map(type, values)} == {str}:
                continue
            for number, value in enumerate(values, before + 1):
                if not isinstance(value, str):
                    kind, advice = type(value).__name__, f": write {str(value)!r:.60}" if part == "doc_id" else ""
                    raise DataError(
                        f"document {number} has the {part} {value!r:.60}; expected a str, not {kind}{advice}"
                    )
        before += len(batch.doc_ids)
        yield batch
