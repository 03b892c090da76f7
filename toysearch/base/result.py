"""Results: their tables, sentences and data, and the forms in which they are shown.

A result has `tables`, of which the first holds everything; `sentences`, what to conclude; `about`, what was measured
and how; `text_parts`, what its text consists of; and `data`, for JSON. A dataclass inherits them from `Result`. What
only has rows inherits from `Rows`. Renderers are loaded when one is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toysearch.base.result_tables import Column, Part, ResultTable, Sentences, plain, records


def number_columns(form: str, *names: str, **headers: str) -> list[Column]:
    """Columns of numbers of one format, by name; name=header sets another header for people.

    >>> [column.header or column.name for column in number_columns(".4f", "value", low="from", high="to")]
    ['value', 'from', 'to']
    """
    return [Column(name, header, "right", form) for name, header in (dict.fromkeys(names, "") | headers).items()]


def table_columns(*parts: str | Column | Sequence[str | Column]) -> list[Column]:
    """Columns in their order: names of texts, single columns, and several together.

    >>> [column.name for column in table_columns("system", number_columns(".4f", "AP", "RR"), ["best"])]
    ['system', 'AP', 'RR', 'best']
    """
    columns: list[Column] = []
    for part in parts:
        together = [part] if isinstance(part, str | Column) else part
        columns += [Column(one) if isinstance(one, str) else one for one in together]
    return columns


def text(self: Any) -> str:
    """Return the text that the command prints."""
    return _forms().as_text(self)  # type: ignore[no-any-return]


def summary(self: Any) -> str:
    """Return the kind of a result and the first line of its text, for a console; the rest is not made."""
    return f"<{type(self).__name__}: {_forms().first_line(self)}>"


def brief(self: Any) -> str:
    """Return the kind of some records and their number."""
    return f"<{type(self).__name__}: {len(self)}>"


def _forms() -> Any:
    from toysearch.base import rendering  # shown results alone need it

    return rendering


class Rows:
    """Object that shows its rows, the fields of a record or those of `tables`: in a notebook, and as a data frame."""

    def _repr_html_(self) -> str:
        return _forms().as_html(self)  # type: ignore[no-any-return]

    def frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame of ``library``: "pandas" or "polars"; by default pandas if installed."""
        return _forms().as_frame(self, library)


class Result(Rows):
    """Forms of a dataclass that is a result."""

    def tables(self, form: str = "table") -> Sequence[ResultTable]:
        """Return the tables: for people, or the one of another form, such as ``csv``."""
        return []

    def sentences(self) -> list[str]:
        """Return the conclusions."""
        return []

    def about(self) -> list[str]:
        """Say what was measured, and how."""
        return []

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """Return the parts of the text, for a terminal of some width, with sentences in lines of at most ``wrap``."""
        return [*self.tables(), Sentences(self.sentences())]

    def data(self) -> Any:
        """Return everything as plain values, for JSON."""
        return plain(self)

    def __format__(self, form: str) -> str:
        """Return the text in a form, such as ``format(result, "markdown")``."""
        return _forms().as_text(self, form) if form else str(self)

    __str__ = text
    __repr__ = summary


@dataclass(eq=False, repr=False)
class Page(Result):
    """Texts and tables for people, and one table for programs."""

    # read once, and only if text is printed; or a function that makes them for lines of at most some width
    parts: Iterable[Part] | Callable[[int | None], Iterable[Part]]
    table: ResultTable  # in the forms for programs
    values: Any = None  # in JSON, where it holds more than the table; or a function that makes them
    settings: Sequence[str] = ()  # what was measured, and how
    cautions: Sequence[str] = ()  # what a reader of the text has to know

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the one table."""
        return [self.table]

    def about(self) -> list[str]:
        """Return the settings."""
        return [*self.settings]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterable[Part]:
        """Texts and tables, in their order."""
        return self.parts(wrap) if callable(self.parts) else self.parts

    def data(self) -> Any:
        """Return the values, else the rows of the table."""
        if self.values is None:
            return records(self.table)
        return self.values() if callable(self.values) else self.values
