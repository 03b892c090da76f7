"""What the columns of a table or a data frame are called, here and in other tools."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from toysearch.errors import DataError, malformed
from toysearch.formats.lines import numbered_lines

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query_id": ("query_id", "qid", "q_id", "queryid", "topic_id", "topic", "query", "qry_id", "qry"),
        "doc_id": ("doc_id", "docno", "docid", "doc_no", "did", "corpus_id", "document_id", "pid", "document", "doc"),
        "score": ("score", "sim", "similarity", "scores"),
        "relevance": ("relevance", "rel", "grade", "label", "judgment", "judgement", "qrel", "relevance_label"),
        "vote": ("vote", "votes", "clicked", "liked"),
        "rank": ("rank", "position"),
        "tag": ("tag", "run_id", "run", "system", "name", "run_name"),
        "user": ("user_id", "user", "uid", "voter", "rater", "assessor", "annotator"),
    }
)
"""What a column holds → the names under which it is known, those that decide first."""

_BEIR = "corpus_id"  # BEIR's judgments are the only ones whose grade is called score


class Header(NamedTuple):
    """The first line of a table.

    Attributes
    ----------
    labels : list of str
        The columns' names as they stand there.
    places : dict of str to int
        What a column holds (a key of `NAMES`) → its place.
    delimiter : str or None
        What stands between the cells; None for white space.
    """

    labels: list[str]
    places: dict[str, int]
    delimiter: str | None

    @property
    def kind(self) -> Literal["run", "qrels"] | None:
        """Which of the two the table holds; None where no column tells."""
        if "vote" in self.places or ("relevance" in self.places and "score" not in self.places):
            return "qrels"
        beir = plain_label(self.labels[self.places["doc_id"]]) == _BEIR and len(self.labels) == 3
        if "score" in self.places:
            return "qrels" if beir else "run"
        return "run" if "rank" in self.places else None


def plain_label(label: str) -> str:
    """A column's name as it is compared: case does not matter, and a hyphen or a blank is as good as ``_``.

    Parameters
    ----------
    label : str
        The name as it stands in a table.

    Examples
    --------
    >>> plain_label("Query-ID ")
    'query_id'
    """
    return label.strip().lower().replace("-", "_").replace(" ", "_")


def places_of(labels: Iterable[object]) -> dict[str, int]:
    """Where the columns that are known stand, by what they hold.

    Parameters
    ----------
    labels : iterable
        The columns' names. Case does not matter, and a hyphen or a blank is as good as ``_``.

    Examples
    --------
    >>> places_of(["qid", "docno", "score", "Rank"])
    {'query_id': 0, 'doc_id': 1, 'score': 2, 'rank': 3}
    """
    plain = [plain_label(str(label)) for label in labels]
    places: dict[str, int] = {}
    for holds, names in NAMES.items():
        known = [plain.index(name) for name in names if name in plain]
        if known:
            places[holds] = known[0]
    return places


def header_of(line: str) -> Header | None:
    r"""The header that a line is, or None for a line that does not name a query's and a document's column.

    Parameters
    ----------
    line : str
        Names with tabs, commas, semicolons or blanks between them.

    Examples
    --------
    >>> header_of("query-id\tcorpus-id\tscore").kind, header_of("query_id,doc_id,score").kind
    ('qrels', 'run')
    """
    delimiter = next((mark for mark in "\t,;" if mark in line), None)
    try:
        labels = cells_of(line, delimiter)
    except csv.Error:
        return None
    places = places_of(labels)
    return Header(labels, places, delimiter) if {"query_id", "doc_id"} <= places.keys() else None


def cells_of(line: str, delimiter: str | None) -> list[str]:
    r"""The cells of a line, without blanks around them.

    Parameters
    ----------
    line : str
        The line.
    delimiter : str or None
        A tab, with nothing quoted; a comma or a semicolon, with cells quoted as in CSV; None for white space.

    Raises
    ------
    csv.Error
        If a quotation mark is open at the end of the line.

    Examples
    --------
    >>> cells_of('q1, "a, b",0.5', ",")
    ['q1', 'a, b', '0.5']
    """
    if delimiter is None:
        return line.split()
    if delimiter == "\t" or '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))


class Row(NamedTuple):
    """A line of a table below its header.

    Attributes
    ----------
    line : int
        Its number in the file.
    query_id, doc_id : str
        Never empty.
    by : str
        What `value` is: a key of `NAMES`.
    value : str
        The cell that counts.
    cells : list of str
        All of them.
    header : Header
        What they are.
    """

    line: int
    query_id: str
    doc_id: str
    by: str
    value: str
    cells: list[str]
    header: Header

    def cell(self, holds: str) -> str:
        """What stands in another column; empty where there is none."""
        place = self.header.places.get(holds)
        return "" if place is None else self.cells[place]


def rows_of(path: str | Path, among: Sequence[str], what: str) -> Iterator[Row]:
    """The rows of a table with a header; blank lines are left out.

    Parameters
    ----------
    path : str or Path
        The file.
    among : sequence of str
        Keys of `NAMES`, of which the first that the table has is the value of a row.
    what : str
        What the rows are, for the errors: ``a run`` or ``judgments``.

    Raises
    ------
    DataError
        With the line, where the header lacks a column, a row has too few or too many cells, an open quotation mark
        or an empty id; if there is no row.
    """
    header: Header | None = None
    by = ""
    found = False
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        if header is None:
            header = header_of(line)
            if header is None:
                raise malformed(path, number, f"expected a header that names query_id and doc_id, found '{line}'")
            by = _deciding(path, number, header, among, what)
            continue
        found = True
        cells = _checked_cells(path, number, line, header)
        query_id, doc_id = cells[header.places["query_id"]], cells[header.places["doc_id"]]
        yield Row(number, query_id, doc_id, by, cells[header.places[by]], cells, header)
    if not found:
        raise DataError(f"{path} is empty; expected {what}: a header with query_id, doc_id and {among[0]}, and rows")


def _deciding(path: str | Path, number: int, header: Header, among: Sequence[str], what: str) -> str:
    for holds in among:
        if holds in header.places:
            return holds
    columns, wanted = ", ".join(header.labels), " or ".join(among)
    raise malformed(path, number, f"expected {what}, with a column {wanted}, found the columns {columns}")


def _checked_cells(path: str | Path, number: int, line: str, header: Header) -> list[str]:
    try:
        cells = cells_of(line, header.delimiter)
    except csv.Error:
        problem = f"a quotation mark is not closed: '{line}'; close it (a cell cannot hold a line end)"
        raise malformed(path, number, problem) from None
    if len(cells) != len(header.labels):
        expected = f"expected {len(header.labels)} columns ({' '.join(header.labels)}), found {len(cells)}"
        raise malformed(path, number, f"{expected}: '{line}'; complete the line or take it out")
    for holds in ("query_id", "doc_id"):
        if not cells[header.places[holds]]:
            raise malformed(path, number, f"the {holds} is empty: '{line}'; give it an id or take the line out")
    return cells
