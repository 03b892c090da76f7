"""Rows with named cells in memory, of data frames or as dicts: read as documents like the rows of a file."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, DataError, Query, QueryWithFields, a, unknown
from toysearch.base.documents import Frame
from toysearch.files.columns import (
    ByPart,
    TableHead,
    field_names,
    parts_of,
    places_of,
    plain_label,
    without_text,
)
from toysearch.files.document_formats import RecordFile
from toysearch.files.nested_fields import nested_texts, reached
from toysearch.files.reading import SILENT, Reading
from toysearch.files.source import Source
from toysearch.files.table import text_of

_EXACT = 2**53  # from here on a float need not be the whole number that was meant
_NARROW = {"float16": np.float16, "float32": np.float32, "float[pyarrow]": np.float32}
_MIDNIGHT = " 00:00:00"
_MOST_CELLS = 50  # of a record; a dict with more keys has ids
_FRAME = "the data frame"


class ColumnsFrame:
    """Columns in a dict, or those of records, as a data frame; called: what people call it."""

    def __init__(self, by_name: Mapping[str, Any], called: str = _FRAME) -> None:
        self.called, self.columns = called, list(by_name)
        self._by_name = {name: column_values(column) for name, column in by_name.items()}
        lengths = {name: len(column) for name, column in self._by_name.items()}
        if len({*lengths.values()}) > 1:
            listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise DataError(f"the columns differ in length ({listed}); give each a value for every row")

    def __getitem__(self, name: str, /) -> list[Any]:
        return self._by_name[name]


def framed(source: Any) -> Any:
    """Return a dict of columns as a data frame, and the records in an answer, such as of an engine, as a list.

    Anything else is returned as it is, but a dict that is one record is refused.

    >>> framed({"doc_id": ["1", "2"], "text": ["a cat", "a dog"]}).columns
    ['doc_id', 'text']
    >>> framed({"found": 1, "docs": [{"title": "a cat"}]})
    [{'title': 'a cat'}]
    """
    if not isinstance(source, Mapping) or not source:
        return source
    lists = [one for one in source.values() if isinstance(one, list)]
    of_records = [one for one in lists if one and isinstance(one[0], dict)]
    several = [one for one in of_records if len(one) > 1]  # as a file has them by keys
    are_columns = len(lists) >= max(len(source), 2) and len(several) < len(source)
    if of_records and not are_columns and not parts_of([*map(str, source)]):
        from toysearch.files.record_tables import record_table  # most dicts are documents

        table = record_table(Source("", data=json.dumps(source, default=str).encode()), "documents")
        return [row.cells for row in table.rows()] if table else source
    first = next(iter(source.values()))
    if hasattr(first, "to_list") or (isinstance(first, list | tuple | np.ndarray) and not hasattr(first, "_fields")):
        return ColumnsFrame(source)
    if len(source) <= _MOST_CELLS and len(parts_of([*map(str, source)])) > 1 and not isinstance(first, Mapping):
        keys = ", ".join(map(str, source))
        raise ArgumentError(f"a dict with the keys {keys} is one record; put it into a list: [{{…}}]")
    return source


def is_frame(source: object) -> bool:
    """True if a value is a data frame: it has ``columns`` and returns a column by its name."""
    if isinstance(source, Mapping) or hasattr(source, "collect") or hasattr(source, "column_names"):
        return False  # a lazy frame has no values yet, and the columns of an Arrow table are no names
    return hasattr(source, "columns") and hasattr(source, "__getitem__")


def columns_in(frame: Frame) -> dict[str, list[Any]]:
    """Return the columns of a data frame by their labels; a named index is one.

    >>> columns_in(ColumnsFrame({"doc_id": ["a"]}))
    {'doc_id': ['a']}
    """
    labels = [str(label).strip() or f"column_{place}" for place, label in enumerate(frame.columns, 1)]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise DataError(f"the data frame has the column '{twice}' twice; give each column its own name")
    columns = {label: column_values(frame[name]) for label, name in zip(labels, frame.columns, strict=True)}
    index: Any = getattr(frame, "index", None)
    for place, name in enumerate(getattr(index, "names", ())):
        if name is not None:
            columns.setdefault(str(name), column_values(index.get_level_values(place)))
    return columns


def is_ordered(source: object) -> bool:
    """True for what gives items in a certain order, and is not one record."""
    unordered = isinstance(source, bytes | bytearray | memoryview | set | frozenset)
    is_record = isinstance(source, tuple) and hasattr(source, "_fields")
    return isinstance(source, Iterable) and not (unordered or is_record)


def column_values(column: Any) -> list[Any]:
    """Return the values of a column of a data frame; floats of 32 bits keep the digits that the frame shows."""
    to_list = getattr(column, "to_list", None) or getattr(column, "tolist", None) or (lambda: column)
    values, narrow = list(to_list()), _NARROW.get(str(getattr(column, "dtype", "")).lower())
    return [narrow(value) if isinstance(value, float) else value for value in values] if narrow else values


class NamedCells:
    """Reader of rows whose cells have names: the id and the fields of each.

    columns : part → the name of its cell, if it is not one of those in `PARTS`; as `checked_columns` returns them
    records : all rows, if they are dicts in a list, which show what the id is as those of a file do
    role : what the rows are
    fields : those that the user names, each of which is searched alone
    counted : those that an index counts, of which the text may have several cells

    >>> NamedCells().record(("docno", "body", "price", "seller"), (17, "a cat", 3.0, None), "document 1")
    ('17', {'body': 'a cat', 'price': '3.0', 'seller': '', 'text': 'a cat'})
    """

    def __init__(
        self,
        columns: ByPart | None = None,
        records: Sequence[Any] = (),
        role: str = "documents",
        fields: Sequence[str] = (),
        counted: Sequence[str] = (),
    ) -> None:
        self.columns, self.role = dict(columns or {}), role
        self.fields = fields = fields or (() if {*counted} <= {"title", "text"} else counted)
        self._file = RecordFile(Source("", Reading(fields=fields or None)), self.columns, role=role)
        if records and all(isinstance(record, Mapping) for record in records):  # the first one shows what the id is
            self.settle([*map(str, records[0])])
        self._dotted = [label for label in self.columns.values() if "." in label]
        self._known: dict[tuple[str, ...], tuple[dict[str, str], dict[str, str]]] = {}

    def settle(self, labels: Sequence[str]) -> None:
        """Choose the id of all rows by their labels."""
        if label := self.parts(labels).get("id"):
            self.columns["id"] = label

    def tell(self, name: str, n_rows: int) -> None:
        """Tell what was read; name: of what they stand in."""
        labels = [*dict.fromkeys(chain.from_iterable(self._known))]
        parts = {part: label for known, _ in reversed(self._known.values()) for part, label in known.items()}
        self._file.take(labels, parts | ({"id": self.columns["id"]} if "id" in self.columns else {}))
        if not self.fields and not self._file.columns and labels:
            SILENT.tell_read([self._file.account._replace(path=name, read=n_rows)])

    def record(self, labels: tuple[str, ...], cells: Iterable[Any], place: str) -> tuple[str, dict[str, str]]:
        """Return the id in a row, "" if no cell is for it, and the fields."""
        for label in {*self._dotted}.difference(labels):
            cells = [*cells]
            cells.append(reached(dict(zip(labels, cells, strict=True)), label))
            labels = (*labels, label)
        doc_id, texts, own = "", dict[str, str](), self.parts(labels)
        for label, cell in zip(labels, cells, strict=True):
            if label == self.columns.get("id", own.get("id")):
                doc_id = _id(cell, label, place)
            elif (text := cell_text(cell)) is not None:
                texts[label] = text
            elif label in (own.get("title"), own.get("text")):
                raise DataError(f"{place}: expected a text as {label}, found {a(cell)}")
            elif isinstance(cell, Mapping | list | tuple):
                nested = nested_texts(label, cell, cell_text)
                texts |= {name: text for name, text in nested.items() if name not in labels}
        parts, names = self.names(tuple(texts), labels, place)
        return doc_id, self._file.with_parts({names[label]: text for label, text in texts.items()}, parts)

    def record_of(self, item: Mapping[Any, Any], place: str) -> tuple[str, dict[str, str]]:
        """Return the id in a dict, "" if no key is for it, and the fields."""
        return self.record(tuple(map(str, item)), item.values(), place)

    def parts(self, labels: Sequence[str]) -> dict[str, str]:
        """Return part of a document → the name of its cell."""
        return self._file.parts(labels, **self.columns)

    def names(
        self, labels: tuple[str, ...], keys: tuple[str, ...], place: str
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return part → its cell, and the names of the fields of the cells but the id; refuse rows without a text.

        keys : all cells
        """
        if labels in self._known:
            return self._known[labels]
        for label in self.columns.values():
            if plain_label(label) not in map(plain_label, (*labels, *keys)):
                raise DataError(f"{place}: {unknown('column', label, keys)}")
        parts = self._file.parts(labels, **self.columns | {"id": ""})
        if self.role == "queries" and "text" not in parts and "title" in parts:
            parts = {"text": parts["title"]}
        if not parts:
            known, head = {"id": self.columns.get("id", "")}, TableHead.of_rows(keys)
            raise DataError(f"{place}: {without_text(head, known, 'column', 'a column', self.role)}")
        self._known[labels] = parts, field_names(labels, parts)
        return self._known[labels]


def _id(cell: Any, label: str, place: str) -> str:
    """Write a whole number by its digits."""
    if isinstance(cell, str) and cell.strip():
        return cell
    whole = isinstance(cell, int | np.integer) and not isinstance(cell, bool)
    if whole or (isinstance(cell, float | np.floating) and cell == cell // 1 and abs(float(cell)) < _EXACT):
        return str(int(cell))
    kind = "nothing" if is_missing(cell) or isinstance(cell, str) else a(cell)
    raise DataError(f"{place}: expected a text or a whole number as {label}, found {kind}; give it an id or remove it")


def cell_text(cell: Any) -> str | None:
    """Write a cell as a table in a file does, "" if it is missing; None for bytes and for what holds more than texts.

    >>> cell_text(3.0), cell_text(float("nan")), cell_text(["a", "cat"]), cell_text(datetime.datetime(2020, 5, 1))
    ('3.0', '', 'a cat', '2020-05-01')
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, np.ndarray | list | tuple):
        return text_of(cell.tolist() if isinstance(cell, np.ndarray) else cell)
    if is_missing(cell):
        return ""
    if isinstance(cell, bytes | bytearray | Mapping | set | frozenset):
        return None
    return str(cell).removesuffix(_MIDNIGHT if isinstance(cell, datetime.datetime) else "")


def is_missing(cell: Any) -> bool:
    """True for None, NaN and the missing cells of pandas."""
    try:
        return cell is None or bool(cell != cell)
    except (TypeError, ValueError):  # neither equal nor unequal
        return type(cell).__name__ == "NAType"


def rows_of_frame(frame: Frame, cells: NamedCells) -> tuple[tuple[str, ...], Iterator[tuple[str, dict[str, str]]]]:
    """Return the columns of a data frame, and the rows: the id, "" if no column is for it, and the fields of each.

    An index of texts is the column of the ids if no other one is.
    """
    by_label = columns_in(frame)
    index: Any = getattr(frame, "index", None)
    may_be_ids = None in getattr(index, "names", ()) and "id" not in cells.parts([*by_label])
    if may_be_ids and all(isinstance(label, str) for label in index):
        by_label["id"] = column_values(index)
    cells.settle([*by_label])
    labels, called = tuple(by_label), frame.called if isinstance(frame, ColumnsFrame) else _FRAME
    cells.names(tuple(label for label in labels if label != cells.columns.get("id")), labels, called)
    rows = enumerate(zip(*by_label.values(), strict=True), 1)
    return labels, (cells.record(labels, row, f"row {number} of {called}") for number, row in rows)


def queries_in_memory(source: Any) -> list[Query]:
    """Return the queries in a data frame, a dict, or a list of queries, pairs or dicts; refuse all else.

    >>> queries_in_memory({"1": "a cat"}) == queries_in_memory([{"qid": 1, "query": "a cat"}])
    True
    """
    source, cells = framed(source), NamedCells(role="queries")
    if is_frame(source):
        labels, records = rows_of_frame(source, cells)
        if "id" not in cells.parts(labels):
            raise DataError("the data frame: expected a column with the ids of the queries, such as query_id")
        return [QueryWithFields.of(query_id, fields) for query_id, fields in records]
    if isinstance(source, str | os.PathLike):
        raise ArgumentError(
            f"queries have ids, such as {{'1': 'a cat'}}, not {str(source)!r:.60}; for a file: "
            "from toysearch.collection.queries import read_queries"
        )
    if not is_ordered(source):
        raise ArgumentError(
            "queries are a dict of query_id to text, a data frame, or a list of Query, (query_id, text) or dicts, not "
            f"{a(source)}"
        )
    items = source.items() if isinstance(source, Mapping) else source
    return [_query(item, f"query {number}", cells) for number, item in enumerate(items, 1)]


def _query(item: Any, place: str, cells: NamedCells) -> Query:
    query_id: Any = None
    text: Any = None
    if isinstance(item, Query):
        query_id, text = item
    elif isinstance(item, Mapping):
        query_id, fields = cells.record_of(item, place)
        if not query_id:
            raise DataError(f"{place}: expected an id, such as query_id, found the keys {', '.join(map(str, item))}")
        return QueryWithFields.of(query_id, fields)
    elif isinstance(item, tuple) and len(item) == 2:
        query_id, text = item
        if isinstance(text, Mapping):
            text = cells.record_of(text, place)[1]["text"]
        elif isinstance(text, Query):
            text = text.text
    if not isinstance(query_id, str) or not isinstance(text, str):
        if isinstance(item, str):
            advice = f", as in {{'1': {item!r:.60}}}"
        else:
            advice = f": write {str(query_id)!r:.60}" if isinstance(text, str) and query_id is not None else ""
        raise ArgumentError(f"a query is a query_id and a text, both of them str, not {item!r:.60}{advice}")
    return item if isinstance(item, Query) else Query(query_id, text)


def triples_in_memory(source: Any, value: str) -> Frame | None:
    """Return rows of query, document and value as a data frame, None for what holds none.

    value : the name of the third part of a tuple without names

    >>> triples_in_memory([("q1", "d1", 0.5)], "score").columns
    ['query_id', 'doc_id', 'score']
    """
    if is_frame(source):
        return source  # type: ignore[no-any-return]
    if isinstance(source, Mapping):
        one: Any = next(iter(source.values()), None)
        of_ids = isinstance(one, Mapping) or len(source) > _MOST_CELLS or not _are_triples(source)
        columns = None if of_ids else framed(source)
        return columns if is_frame(columns) else None
    if isinstance(source, set | frozenset) or not isinstance(source, Iterable):
        return None
    records = list(source)
    names = next((getattr(record, "_fields", ("query_id", "doc_id", value)) for record in records), ())
    if records and all(isinstance(record, tuple) and len(record) == len(names) for record in records):
        records = [dict(zip(names, record, strict=True)) for record in records]
    if not records or not all(isinstance(record, Mapping) and _are_triples(record) for record in records):
        return None
    labels = dict.fromkeys(label for record in records for label in record)
    return ColumnsFrame({label: [record.get(label) for record in records] for label in labels})


def _are_triples(labels: Iterable[str]) -> bool:
    return {"query_id", "doc_id"} <= places_of(labels).keys()
