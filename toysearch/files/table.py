"""Tables: rows of cells under labels, whatever the syntax in which a file has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from toysearch.base import JoinedText
from toysearch.files.columns import ByPart, parts_of
from toysearch.files.nested_fields import inner_texts
from toysearch.files.source import AnyPath, numbered_lines, unit_of

KEY, VALUE = "(key)", "(value)"
"""Labels of the keys of an object of JSON, and of what stands under them."""

TEXT = "text"
"""Label of a text that is made of several."""

Cells: TypeAlias = Mapping[str, Any]
"""Label of a column, or key → what stands under it: a text, a number, a list, an object."""

_MOST_NUMBERS = 100  # in a list; a longer one is a vector


class Row(NamedTuple):
    """Row of a table."""

    line: int  # on which it begins
    cells: Cells  # by their labels: texts, numbers, lists, objects
    problem: str = ""  # why its cells cannot be read


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a file, or of a list or an object in it, that have the same labels."""

    source: AnyPath
    labels: Sequence[str]  # of its columns or keys; "1", "2", … in a file that names none
    head: Sequence[Row]  # its first rows
    rows: Callable[[], Iterator[Row]]  # all of them
    form: str = (
        "table"  # ``table`` below a header, ``rows`` without one, ``lines`` of JSON, ``json`` in an object, ``frame``
    )
    line: int = 1  # on which the labels stand
    name: str = ""  # in an object: the keys on the way to it, with points between
    between: str | None = ","  # the cells of a line; None: blanks
    called: Mapping[str, str] = field(default_factory=dict)  # label → what it is made of
    written: Sequence[str] = ()  # the labels as they stand in the file, if two are alike
    beside: Sequence[str] = ()  # the names of tables of texts in the file that are not read

    def as_written(self, label: str) -> str:
        """Return a label as it stands in the file."""
        return self.written[self.labels.index(label)] if self.written else label

    @property
    def noun(self) -> str:
        """Return "column" or "key", as its labels are called."""
        return "key" if self.form in ("lines", "json") else "column"

    @property
    def unit(self) -> str:
        """Return "line" or "row", as its rows are called."""
        return "row" if self.form == "frame" else unit_of(self.source)

    @cached_property
    def names_infinity(self) -> bool:
        """True if a file of JSON names an infinite number, and none is merely too large."""
        return any("Infinity" in line for _, line in numbered_lines(self.source))

    def changed(self, change: Callable[[Iterator[Row]], Iterator[Row]], **others: Any) -> Table:
        """Return the table of changed rows; change: returns those that some rows become."""
        return replace(self, head=[*change(iter(self.head))], rows=lambda: change(self.rows()), **others)

    def with_cells(self, known: ByPart) -> Table:
        """Return the table of rows with some more cells, unless they have their own."""

        def complete(rows: Iterator[Row]) -> Iterator[Row]:
            for row in rows:
                yield row._replace(cells={**known, **row.cells})

        return self.changed(complete, labels=[*known, *self.labels])

    def is_like(self, other: Table) -> bool:
        """True for a table of the same labels or of titles, texts and ids of one name; elsewhere all ids differ."""
        parts, others = parts_of(self.labels), parts_of(other.labels)
        ids = parts.get("id", "")
        are_equal = {*self.labels} == {*other.labels}
        are_alike = {"title", "text"} <= parts.keys() == others.keys() and ids == others.get("id", "")
        if are_equal and self.name.rpartition(".")[0] == other.name.rpartition(".")[0]:
            return True
        return (are_equal or are_alike) and {*map(str, self.cells(ids))}.isdisjoint(map(str, other.cells(ids)))

    def with_labels_of(self, parts: ByPart) -> Table:
        """Return the table of rows whose parts have some labels, whatever theirs are."""

        def renamed(rows: Iterator[Row]) -> Iterator[Row]:
            for row in rows:
                labels = {label: parts.get(part, label) for part, label in parts_of([*row.cells]).items()}
                yield row._replace(cells={labels.get(label, label): cell for label, cell in row.cells.items()})

        return self.changed(renamed)

    def kept(self) -> Table:
        """Read all rows now, for several uses."""
        rows = [*self.rows()]
        return replace(self, rows=lambda: iter(rows))

    @property
    def readable(self) -> list[Cells]:
        """Cells of the first rows, but of those with a problem."""
        return [row.cells for row in self.head if not row.problem]

    def cells(self, label: str) -> list[Any]:
        """Return the cells of a column in the first rows that have one."""
        return [cell for row in self.head if (cell := row.cells.get(label)) not in (None, "")]


def text_of(value: object) -> str | None:
    """Return the text of a value in a field; None for objects and null."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return _text_of_list(value)
    return json.dumps(value) if isinstance(value, int | float) else None


def _text_of_list(values: Sequence[object]) -> str | None:
    """Join the texts or the few numbers of a list; None for a vector, and for a list of anything else."""
    if len(values) > _MOST_NUMBERS and not isinstance(values[0], str | list | tuple):
        return None
    values = inner_texts(values)
    texts = [text_of(value) for value in values if not isinstance(value, list | tuple)]
    known = [text for text in texts if text is not None]
    return JoinedText.joined(known) if len(known) == len(values) else None
