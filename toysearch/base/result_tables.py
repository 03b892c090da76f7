"""Parts of a result that is shown: tables of columns and rows, sentences, and plain values for JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple


class Column(NamedTuple):
    """Name of a column, and the form of its cells."""

    name: str  # the key in JSON and the header in TSV and CSV
    header: str = ""  # the header for people, if it is not the name; if all are blank, the table has no header
    justify: Literal["left", "right"] = "left"  # 'right' for numbers
    # How a number is written in a table, in Python's format language: ``.4f`` for scores, ``,`` for counts. TSV, CSV
    # and JSON have the number in full
    format: str = ""
    # true for running text, which takes the rest of a terminal line and is wrapped
    wrap: bool = False


class Marked(NamedTuple):
    """Text of a cell with some of its words marked: bold on a terminal, between asterisks in a plain table."""

    text: str
    spans: Sequence[tuple[int, int]]

    def __str__(self) -> str:
        return self.text


class ResultTable(NamedTuple):
    """Columns and rows, with a line above and one below them."""

    columns: Sequence[Column]
    rows: Iterable[Sequence[Any]]
    title: str = ""
    caption: str = ""
    n: int | None = None  # how many rows there are, where they are not a list


def records(table: ResultTable) -> list[dict[str, Any]]:
    """Return the rows as records, for JSON."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, map(plain, row), strict=True)) for row in table.rows]


class Sentences(NamedTuple):
    """Running texts, each in lines of its own: the beginning of the first, that of the others, and a heading."""

    texts: Iterable[str]
    first: str = "- "
    indent: str = "  "
    heading: str = ""


Part = ResultTable | Sentences | str
"""Part of the text of a result; a string is used unchanged."""


def plain(value: Any) -> Any:
    """Return a value as JSON has it, at every level: records as objects, and None for numbers that are not finite."""
    if value is None or type(value) in (str, int):
        return value
    if isinstance(value, Marked):
        return value.text
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
