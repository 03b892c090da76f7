"""Tables: rows of cells under labels, whatever the syntax in which a file has them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from toysearch.base import JoinedText, groups_of
from toysearch.files.columns import ByPart, means_relevant, parts_of
from toysearch.files.labels import GRADES
from toysearch.files.listed_documents import ids_in_text
from toysearch.files.nested_fields import inner_texts
from toysearch.files.numbers import DecimalMarks, codes_in, counts, may_be_grouped, number_of
from toysearch.files.source import AnyPath, numbered_lines, unit_of

KEY, VALUE = "(key)", "(value)"
"""Labels of the keys of an object of JSON, and of what stands under them."""

TEXT = "text"
"""Label of a text that is made of several."""

Cells: TypeAlias = Mapping[str, Any]
"""Label of a column, or key → what stands under it: a text, a number, a list, an object."""

FEW = 3
"""Rows, or choices in a message."""
MANY = 5
"""Ranks that no scale of grades has in this order for each query."""

_MOST_OTHERS = 50  # columns of whose cells others may count the rows: one of queries does not stand behind so many
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

    def without(self, taken: Container[str]) -> list[str]:
        """Return the labels of the columns that are not taken."""
        return [label for label in self.labels if label not in taken]

    def ids(self, *labels: str) -> frozenset[str]:
        """Return the different cells of some columns in the first rows, as texts."""
        return frozenset(str(cell) for label in labels for cell in self.cells(label))

    def distinct(self, *labels: str) -> set[tuple[str, ...]]:
        """Return the different first rows of some columns, as texts."""
        return {tuple(str(row.get(label)) for label in labels) for row in self.readable}

    @cached_property
    def numbers(self) -> Mapping[str, list[float]]:
        """Numbers in the columns with a name of which at least half of the cells hold one."""
        found: dict[str, list[float]] = {}
        for label in filter(None, self.labels):  # without a name they count the rows
            marks = self.decimal_marks(label, self.head, shares=True)
            cells = [marks.plain(cell) if isinstance(cell, str) else cell for cell in self.cells(label)]
            numbers = [number for cell in cells if (number := number_of(cell)) is not None]
            if numbers and 2 * len(numbers) >= len(cells):  # the others are marks such as a question mark
                found[label] = numbers
        return found

    @cached_property
    def fractions(self) -> frozenset[str]:
        """Columns of `numbers`, some of which have a fraction."""
        return frozenset(label for label, numbers in self.numbers.items() if any(number % 1 for number in numbers))

    @cached_property
    def counted(self) -> Mapping[str, str]:
        """Columns that count the rows of each cell of another one, in any order, as ranks do → that column.

        A few from 0 may be grades.
        """
        found, rows = dict[str, str](), self.readable
        others = {label: [str(row.get(label)) for row in rows] for label in self.labels[:_MOST_OTHERS]}
        sizes = {label: len({*cells}) for label, cells in others.items()}
        for label, numbers in self.numbers.items():
            least, often = FEW if min(numbers) == 1 else MANY, Counter(numbers)
            fewest, most = max(often.values()), often[0] + often[1]  # groups: each has a number once, and 0 or 1
            for other, cells in others.items() if len(numbers) == len(rows) else ():
                if not fewest <= sizes[other] <= most:
                    continue
                groups = groups_of(zip(cells, numbers, strict=True)).values()
                if max(map(len, groups)) >= least and all(map(counts, map(sorted, groups))):
                    found.setdefault(label, other)
        return found

    def words(self, label: str) -> str:
        """Return the number of each word in a column of known words for grades, as in yes=1,no=0; "" for another."""
        grades = GRADES | {"x": 1} if means_relevant(label) else GRADES  # a cross marks what is relevant
        return codes_in(self.cells(label), grades)

    def lists(self, label: str) -> bool:
        """True if a cell of a column lists several ids."""
        return any(isinstance(cell, str) and len(ids_in_text(cell)) > 1 for cell in self.cells(label))

    def decimal_marks(self, label: str, rows: Iterable[Row] | None = None, *, shares: bool = False) -> DecimalMarks:
        """Return the marks before decimals in a column, which may be commas where none separates cells.

        Elsewhere than between semicolons a comma may also group thousands, unless one of the cells shows that it does
        not.

        rows : those that show it; without, all between semicolons, else the first
        shares : whether they may be per cent, as scores may; of what is a grade a share?
        """
        if not label:
            return DecimalMarks()
        if rows is None:
            rows = self.rows() if self.between == ";" else self.head
        cells = [str(row.cells.get(label, "")) for row in rows]
        marks = DecimalMarks.of(cells)
        marks = marks._replace(per_cent=marks.per_cent and shares)
        if self.between == "," or marks.grouped:
            return marks._replace(commas=False)
        is_shown = self.between == ";" or any(marks.plain(cell) != cell and not may_be_grouped(cell) for cell in cells)
        return marks if is_shown else marks._replace(commas=False)


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
