"""Rows with named cells in memory, of data frames or as dicts: read as documents like the rows of a file."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from toysearch.base import DataError, a, unknown
from toysearch.formats.column_names import checked_columns, field_names, parts_of, without_text

_EXACT = 2**53  # from here on a float need not be the whole number that was meant
_NARROW = {"float16": np.float16, "float32": np.float32, "float[pyarrow]": np.float32}
_MIDNIGHT = " 00:00:00"


class Frame(Protocol):
    """Data frame, such as those of pandas and polars: it has columns, accessed by name."""

    @property
    def columns(self) -> Any:
        """Column names."""
        ...

    def __getitem__(self, name: Any, /) -> Any: ...


def is_frame(source: object) -> bool:
    """True if a value is a data frame: it has ``columns`` and returns a column by its name."""
    if isinstance(source, Mapping) or hasattr(source, "collect") or hasattr(source, "column_names"):
        return False  # a lazy frame has no values yet, and the columns of an Arrow table are no names
    return hasattr(source, "columns") and hasattr(source, "__getitem__")


def column_values(column: Any) -> list[Any]:
    """Return the values of a column of a data frame; floats of 32 bits keep the digits that the frame shows."""
    to_list = getattr(column, "to_list", None) or getattr(column, "tolist", None) or (lambda: column)
    values, narrow = list(to_list()), _NARROW.get(str(getattr(column, "dtype", "")).lower())
    return [narrow(value) if isinstance(value, float) else value for value in values] if narrow else values


class NamedCells:
    """Reader of rows whose cells have names: the id and the fields of each.

    columns : part → the name of its cell, if it is not one of those in `PARTS`

    >>> NamedCells().record(("docno", "body", "price", "seller"), (17, "a cat", 3.0, None), "document 1")
    ('17', {'text': 'a cat', 'price': '3.0', 'seller': ''})
    """

    def __init__(self, columns: Mapping[str, str] | None = None) -> None:
        self.columns = checked_columns(columns)
        self._known: dict[tuple[str, ...], tuple[dict[str, str], dict[str, str]]] = {}

    def record(self, labels: tuple[str, ...], cells: Iterable[Any], place: str) -> tuple[str, dict[str, str]]:
        """Return the id in a row, "" if no cell is for it, and the fields."""
        parts, names = self._read(labels, place)
        doc_id, fields = "", {}
        for label, cell in zip(labels, cells, strict=True):
            if label == parts.get("id"):
                doc_id = _id(cell, label, place)
            elif (text := cell_text(cell)) is not None:
                fields[names[label]] = text
            elif label in parts.values():
                raise DataError(f"{place}: expected a text as {label}, found {a(cell)}")
        return doc_id, fields

    def parts(self, labels: Sequence[str]) -> dict[str, str]:
        """Return part of a document → the name of its cell."""
        return parts_of(labels, self.columns)

    def field_names(self, labels: tuple[str, ...], place: str) -> dict[str, str]:
        """Return the name of the field of each cell, without that of the id."""
        return self._read(labels, place)[1]

    def _read(self, labels: tuple[str, ...], place: str) -> tuple[dict[str, str], dict[str, str]]:
        if labels in self._known:
            return self._known[labels]
        parts = self.parts(labels)
        for part, label in self.columns.items():
            if part not in parts:
                raise DataError(f"{place}: {unknown('column', label, labels)}")
        if "text" not in parts:
            raise DataError(f"{place}: {without_text(labels, parts, 'column', 'a column')}")
        self._known[labels] = parts, field_names(labels, parts)
        return self._known[labels]


def _id(cell: Any, label: str, place: str) -> str:
    """Write a whole number by its digits."""
    if isinstance(cell, str) and cell.strip():
        return cell
    whole = isinstance(cell, int | np.integer) and not isinstance(cell, bool)
    if whole or (isinstance(cell, float | np.floating) and cell == cell // 1 and abs(float(cell)) < _EXACT):
        return str(int(cell))
    kind = "nothing" if _is_missing(cell) or isinstance(cell, str) else a(cell)
    raise DataError(f"{place}: expected a text or a whole number as {label}, found {kind}; give it an id or remove it")


def cell_text(cell: Any) -> str | None:
    """Write a cell as a table in a file does, "" if it is missing; None for bytes and for what holds more than texts.

    >>> cell_text(3.0), cell_text(float("nan")), cell_text(["a", "cat"]), cell_text(datetime.datetime(2020, 5, 1))
    ('3.0', '', 'a cat', '2020-05-01')
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, np.ndarray | list | tuple):
        return " ".join(cell) if all(isinstance(piece, str) for piece in cell) else None
    if _is_missing(cell):
        return ""
    if isinstance(cell, bytes | bytearray | Mapping | set | frozenset):
        return None
    return str(cell).removesuffix(_MIDNIGHT if isinstance(cell, datetime.datetime) else "")


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    except (TypeError, ValueError):  # neither equal nor unequal
        return type(cell).__name__ == "NAType"


def frame_columns(frame: Frame, cells: NamedCells) -> dict[str, list[Any]]:
    """Return the columns of a data frame; a named index is one, and so is one of texts if no column has the ids."""
    labels = [str(label).strip() or f"column_{place}" for place, label in enumerate(frame.columns, 1)]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise DataError(f"the data frame has the column '{twice}' twice; give each column its own name")
    columns = {label: column_values(frame[name]) for label, name in zip(labels, frame.columns, strict=True)}
    index: Any = getattr(frame, "index", None)
    for place, name in enumerate(getattr(index, "names", ())):
        if name is not None:
            columns.setdefault(str(name), column_values(index.get_level_values(place)))
        elif "id" not in cells.parts(labels) and all(isinstance(label, str) for label in index):
            columns["id"] = column_values(index)
    return columns
