"""Role that a file is settled to have, with its table and the columns of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from toysearch.base import Remedy
from toysearch.files.claims import What
from toysearch.files.columns import SHORT, ByPart, named_like
from toysearch.files.listed_documents import (
    documents_in,
    id_in,
    ids_in_text,
    in_brackets,
    items_in_brackets,
    listed,
    valued_in,
)
from toysearch.files.numbers import finite_number
from toysearch.files.source import Source
from toysearch.files.syntaxes.trec import columns_of_line
from toysearch.files.table import Row, Table

PAIR = ("query_id", "doc_id")
_SHORT = {**SHORT, "tag": "system"}


class Settled(NamedTuple):
    """Role of a file, and the columns of its parts."""

    what: What
    table: Table | None = None  # None if the file has lines of TREC or SMART, whose readers know the columns
    parts: ByPart = MappingProxyType({})  # part → its label
    by: str = ""  # the part that holds the values; "" if the order of the rows counts, or each is relevant
    ask: str = ""  # what only the user can say
    shown_by: str = ""  # what shows its columns, if not their names
    source: Source = Source("")  # the file, or the sheet of its workbook

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


def of_listing(table: Table, parts: ByPart, role: str, split: str = "") -> Settled:
    """Settle a table whose cells list documents in texts.

    split : between which ids stand, as the user says: commas, blanks, or none if each cell is one id
    """
    label = parts["doc_id"]
    cells = [cell for cell in table.cells(label) if isinstance(cell, str)]
    free = [other for other in table.without(parts.values()) if named_like(other) != "ids"]
    unsorted = next((other for other in free if role != "qrels" and _list_unsorted(table.cells(other))), "")
    ask = f"its lists of {unsorted} are in another order than those of {label}; write a row for each document"
    ask = (unsorted and ask) or (not split and _which_split(cells, parts, role)) or ""
    listing = table.changed(partial(_with_lists, label=label, split=partial(ids_in_text, between=split)))
    what = What(role or "run", "lists", f"its column {label} holds lists of ids", sure=False)
    return Settled(what, listing, parts, ask=ask)


def _which_split(cells: Sequence[str], parts: ByPart, role: str) -> str:
    """Ask whether commas or blanks separate ids where no cell has a surer sign, or commas beside others; else ""."""
    plain = [cell for cell in cells if not in_brackets(cell) and len(ids_in_text(cell)) < 2]
    has_marks = len(plain) < len(cells)
    commas, blanks = ([cell for cell in plain if mark in cell.strip()] for mark in (",", " "))
    asked = commas or ([] if has_marks else blanks)
    if not asked:
        return ""
    between = "commas" if commas else "blanks"
    ways = (between, "marks" if has_marks else "none")
    either = " or ".join(str(naming(role, {**parts, "split": way})) for way in ways)
    return f"'{asked[0][:60]}' may be one id, or several between {between}; say which: {either}"


def _list_unsorted(cells: Sequence[Any]) -> bool:
    """True if cells list numbers in brackets that do not fall."""
    if not all(map(in_brackets, cells)):
        return False
    found = [[*map(finite_number, items_in_brackets(cell))] for cell in cells]
    lists = [[number for number in numbers if number is not None] for numbers in found]
    return lists == found and any(numbers != sorted(numbers, reverse=True) for numbers in lists)


def _with_lists(rows: Iterator[Row], label: str, split: Callable[[str], list[Any]]) -> Iterator[Row]:
    """Yield the rows with the texts under a label as lists."""
    for row in rows:
        cell = row.cells.get(label)
        if row.problem or not isinstance(cell, str):
            yield row
        elif (valued := valued_in(cell)) is not None:
            yield row._replace(cells={**row.cells, label: valued})
        else:
            yield row._replace(cells={**row.cells, label: split(cell)})


def naming(role: str, columns: Any, grades: str = "") -> Remedy:
    """Return the remedy that names columns of a run or of judgments, perhaps by part, and the numbers of words."""
    if isinstance(columns, Mapping):
        columns = ",".join(f"{_SHORT.get(part, part)}={label}" for part, label in columns.items())
    if role == "run":
        return Remedy("read_run", columns=columns)
    return Remedy("read_qrels", columns=columns, grades=grades) if grades else Remedy("read_qrels", columns=columns)


def pairs_in_head(settled: Settled) -> Iterator[tuple[str, list[str]]]:
    """Yield the query and the documents of the first rows of a run or judgments."""
    if settled.table is None:
        places = (0, 1) if settled.what.form in ("three", "smart") else (0, 2)
        for line in settled.source.lines if settled.what.form in ("trec", "three", "smart") else ():
            columns = columns_of_line(line)
            if len(columns) > max(places):
                yield columns[0], [columns[places[1]]]
    elif settled.has_pair:
        for row in settled.table.head:
            query_id, cell = id_in(row.cells.get(settled.parts["query_id"])), row.cells.get(settled.parts["doc_id"])
            found = documents_in(cell)
            items = [cell] if found is None else [*found]
            documents = (listed(str(item) if type(item) is int else item, "run") for item in items)
            if query_id is not None:
                yield query_id, [document.doc_id for document in documents if document]
