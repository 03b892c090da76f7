"""Role that a file is settled to have, with its table and the columns of its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from toysearch.base import Remedy
from toysearch.files.claims import What
from toysearch.files.columns import SHORT, ByPart, named_like
from toysearch.files.listed_documents import VALUED, in_brackets, items_in_brackets, several_ids, splitter_of, valued_in
from toysearch.files.numbers import finite_number
from toysearch.files.source import Source
from toysearch.files.table import Row, Table

PAIR = ("query_id", "doc_id")


class Settled(NamedTuple):
    """Role of a file, and the columns of its parts."""

    what: What
    table: Table | None = None  # None if the file has lines of TREC or SMART, whose readers know the columns
    parts: ByPart = MappingProxyType({})  # part → its label
    by: str = ""  # the part that holds the values; "" if the order of the rows counts, or each is relevant
    ask: str = ""  # what only the user can say
    shown_by: str = ""  # what shows its columns, if not their names
    source: Source = Source("")  # the file, or the sheet of its workbook
    whole: Table | None = None  # where texts list documents: the table with these texts

    @property
    def sure_table(self) -> Table:
        """Its table, which all files but those of TREC and SMART have."""
        return cast("Table", self.table)

    @property
    def has_pair(self) -> bool:
        """True if it has columns of the query and of the document."""
        return {*PAIR} <= self.parts.keys()

    @property
    def is_pair(self) -> bool:
        """True if a query and a document are all that a row has, but for a number before them that no label names."""
        if self.table is None or sum(map(bool, self.table.labels)) != len(PAIR):
            return False
        numbers = [finite_number(str(cell)) for cell in self.table.cells("")]
        return self.table.labels[0] == "" or {*numbers} <= {None}


def of_listing(table: Table, parts: ByPart, role: str, ids: Collection[str] = ()) -> Settled:
    """Settle a table whose cells list documents in texts; ids: those that are known."""
    label = parts["doc_id"]
    split = splitter_of(table.cells(label), ids)
    items = [item for cell in table.cells(label) for item in split(cell)] if split else []
    if split and _are_valued(items, ids):
        split = partial(_with_numbers, split=split)
    free = [other for other in table.without(parts.values()) if named_like(other) != "ids"]
    unsorted = next((other for other in free if role != "qrels" and _list_unsorted(table.cells(other))), "")
    ask = f"its lists of {unsorted} are in another order than those of {label}; write a row for each document"
    listing = table.changed(partial(_with_lists, label=label, split=split))
    what = What(role or "run", "lists", f"its column {label} holds lists of ids", sure=False)
    return Settled(what, listing, parts, ask=ask if unsorted else "", whole=table)


def _are_valued(items: Collection[str], ids: Collection[str]) -> bool:
    """True if all items are an id with a number behind it, and some of these ids are known."""
    matches = [*map(VALUED.fullmatch, items)]
    return None not in matches and any(match[1] in ids for match in matches if match)


def _with_numbers(cell: str, split: Callable[[str], list[str]]) -> list[Any]:
    """Return the ids in a cell, each with the number behind it.

    >>> _with_numbers("d1 (0.5), d2:0.25, d3", lambda cell: cell.split(", "))
    [['d1', 0.5], ['d2', 0.25], 'd3']
    """
    items = split(cell)
    matches = map(VALUED.fullmatch, items)
    return [[match[1], float(match[2])] if match else item for item, match in zip(items, matches, strict=True)]


def _list_unsorted(cells: Sequence[Any]) -> bool:
    """True if cells list numbers in brackets that do not fall."""
    if not all(map(in_brackets, cells)):
        return False
    found = [[*map(finite_number, items_in_brackets(cell))] for cell in cells]
    lists = [[number for number in numbers if number is not None] for numbers in found]
    return lists == found and any(numbers != sorted(numbers, reverse=True) for numbers in lists)


def _with_lists(rows: Iterator[Row], label: str, split: Callable[[str], list[Any]] | None) -> Iterator[Row]:
    """Yield the rows with the texts under a label as lists; split: None if several marks may separate ids."""
    for row in rows:
        cell = row.cells.get(label)
        if row.problem or cell is None:
            yield row
        elif (valued := valued_in(cell)) is not None:
            yield row._replace(cells={**row.cells, label: valued})
        elif split is None:
            yield row._replace(problem=several_ids(cell))
        else:
            yield row._replace(cells={**row.cells, label: split(cell)})


def naming(role: str, columns: Any, grades: str = "") -> Remedy:
    """Return the remedy that names columns of a run or of judgments, perhaps by part, and the numbers of words."""
    if isinstance(columns, Mapping):
        columns = ",".join(f"{SHORT.get(part, part)}={label}" for part, label in columns.items())
    if role == "run":
        return Remedy("read_run", columns=columns)
    return Remedy("read_qrels", columns=columns, grades=grades) if grades else Remedy("read_qrels", columns=columns)
