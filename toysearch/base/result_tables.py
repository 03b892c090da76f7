"""A result: its tables, its sentences, its data, and the forms in which it is shown.

A result has `tables`, of which the first holds everything; `sentences`, what to conclude; `about`, what was measured
and how; `text_parts`, what its text consists of; and `data`, for JSON. A dataclass inherits them from `Result`. What
only has rows inherits from `Rows`. Renderers are loaded when one is needed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple


class Column(NamedTuple):
    """The name of a column, and how its cells are shown."""

    name: str  # the key in JSON and the header in TSV and CSV
    header: str = ""  # the header for people, if it is not the name; if all are blank, the table has no header
    justify: Literal["left", "right"] = "left"  # 'right' for numbers
    # How a number is written in a table, in Python's format language: ``.4f`` for scores, ``,`` for counts. TSV, CSV
    # and JSON have the number in full
    format: str = ""
    # true for running text, which takes the rest of a terminal line and is wrapped
    wrap: bool = False


def number_columns(form: str, *names: str, **headers: str) -> list[Column]:
    """Columns of numbers of one format, by name; name=header sets another header for people.

    >>> [column.header or column.name for column in number_columns(".4f", "value", low="from", high="to")]
    ['value', 'from', 'to']
    """
    return [Column(name, header, "right", form) for name, header in (dict.fromkeys(names, "") | headers).items()]


class Marked(NamedTuple):
    """A cell's text with some of its words marked: bold on a terminal, between asterisks in a plain table."""

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
    """The rows as records, for JSON."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, map(plain, row), strict=True)) for row in table.rows]


class Sentences(NamedTuple):
    """Running texts, each in lines of its own: what the first of these begins with, and the others; a heading."""

    texts: Iterable[str]
    first: str = "- "
    indent: str = "  "
    heading: str = ""


Part = ResultTable | Sentences | str
"""A part of the text of a result; a string stands as it is."""


def text(self: Any) -> str:
    """The text that the command prints."""
    return _forms().as_text(self)  # type: ignore[no-any-return]


def summary(self: Any) -> str:
    """The kind of a result and the first line of its text, for a console."""
    return f"<{type(self).__name__}: {text(self).strip().partition(chr(10))[0]}>"


def brief(self: Any) -> str:
    """The kind of some records and their number."""
    return f"<{type(self).__name__}: {len(self)}>"


def _forms() -> Any:
    return import_module("toysearch.laboratory.results.tables")


_NAMES_ELSEWHERE = {
    "to_dict": "data() gives plain values",
    "as_dict": "data() gives plain values",
    "to_json": "json.dumps(result.data()) writes it",
    "to_dataframe": "frame() gives a data frame",
    "to_pandas": "frame() gives a data frame",
    "to_csv": "frame().to_csv(path) writes a CSV file",
    "to_html": "_repr_html_() gives the table of a notebook",
    "to_markdown": 'format(result, "markdown") is the table as text',
    "to_table": "str(result) is the text that the command prints",
    "save": "frame().to_csv(path) writes its table; json.dumps(result.data()) keeps all of it",
}
"""What other libraries call a form of a result → how to get it here."""


class Rows:
    """What shows its rows, the fields of a record or those of `tables`: in a notebook, and as a data frame."""

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        return _forms().as_html(self)  # type: ignore[no-any-return]

    def frame(self, library: str | None = None) -> Any:
        """The rows as a data frame of ``library``: "pandas" or "polars", by default pandas if it is installed."""
        return _forms().as_frame(self, library)


class Result(Rows):
    """What a dataclass that is a result has, whether or not it says more."""

    def tables(self, form: str = "table") -> Sequence[ResultTable]:
        """The tables: for people, or the one of another form, such as ``csv``."""
        return []

    def sentences(self) -> list[str]:
        """What to conclude."""
        return []

    def about(self) -> list[str]:
        """What was measured, and how."""
        return []

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """What the text consists of, for a terminal of some width, with sentences in lines of at most ``wrap``."""
        return [*self.tables(), Sentences(self.sentences())]

    def data(self) -> Any:
        """Everything as plain values, for JSON."""
        return plain(self)

    def __format__(self, form: str) -> str:
        """The text in a form, such as ``format(result, "markdown")``."""
        return _forms().as_text(self, form) if form else str(self)

    __str__ = text
    __repr__ = summary

    def __getattr__(self, name: str) -> Any:
        """What other libraries call the forms of a result leads to its name here."""
        advice = f"; {_NAMES_ELSEWHERE[name]}" if name in _NAMES_ELSEWHERE else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{advice}", name=name, obj=self)


def plain(value: Any) -> Any:
    """A value as JSON has it, at every level: records as objects, and None for numbers that are not finite."""
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
