"""Click logs: tables with a row per document that a user saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from toysearch.base import DataError, Remedy, malformed
from toysearch.files import Problems, listed_labels, source_of
from toysearch.files.columns import SHORT, labels_of, parsed_click_columns
from toysearch.files.reading import Columns
from toysearch.files.roles import settle
from toysearch.files.sheets import sheet_for
from toysearch.files.source import AnyPath, refuse_bytes, refuse_unreadable
from toysearch.files.table import Table

__all__ = ["ShownDocument", "ShownList", "read_clicks"]

_EXPECTED = "the columns session, query, rank, doc and clicked"
_PARTS = ("session", "query_id", "rank", "doc_id", "clicked")
_CLICKED = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
_MOST_RANKS = 100_000


class ShownDocument(NamedTuple):
    """Document in a list that a user saw.

    Attributes
    ----------
    doc_id : str
        The document.
    clicked : bool
        Whether the user clicked it.
    system : str
        The system that it is credited to; "" if nothing was compared.
    """

    doc_id: str
    clicked: bool
    system: str = ""


class ShownList(NamedTuple):
    """List that one user saw for one query, best first; a rank that the log leaves out is None.

    Attributes
    ----------
    session, query_id : str
        The session, and the query: its id, or its text.
    documents : tuple of ShownDocument or None
        The documents from rank 1 on.
    """

    session: str
    query_id: str
    documents: tuple[ShownDocument | None, ...]


def read_clicks(path: AnyPath, columns: Columns = None) -> list[ShownList]:
    r"""Read the lists of a click log, in the order of the file.

    A table or JSON Lines have a row per document: session, query, rank, doc, clicked (1 or 0), and, as `toysearch
    clicks interleave` writes it, system.

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped.
    columns : str or mapping of str to str, optional
        The columns or keys that hold session, query, rank, doc, clicked and system, if they have other names:
        ``"query=search,clicked=event"``.

    Raises
    ------
    DataError
        If a column is missing, or a line cannot be read; every such line is listed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "clicks.csv")
    >>> _ = path.write_text("session,query,rank,doc,clicked\n1,cats,1,a,0\n1,cats,2,b,1\n")
    >>> [(shown.session, shown.query_id, [one.doc_id for one in shown.documents]) for shown in read_clicks(path)]
    [('1', 'cats', ['a', 'b'])]
    """
    named = parsed_click_columns(columns)
    table, parts = _settled(path, named)
    lists: dict[tuple[str, str], dict[int, ShownDocument]] = {}
    problems = Problems(table.source)
    for line, cells, problem in table.rows():
        try:
            if problem:
                raise ValueError(problem)
            _add_row(lists, {part: _text(cells.get(label)) for part, label in parts.items()})
        except ValueError as error:
            problems.add(line, str(error))
    problems.refuse()
    if not lists:
        raise DataError(f"{path} holds no list that a user saw; expected {_EXPECTED}")
    return [
        ShownList(*key, tuple(documents.get(rank) for rank in range(1, max(documents) + 1)))
        for key, documents in lists.items()
    ]


def _settled(path: AnyPath, named: Mapping[str, str]) -> tuple[Table, Mapping[str, str]]:
    """Return the table of a log, and the label of each part."""
    source = sheet_for(source_of(path), ("clicks",), named)
    table = settle(source, columns=named).table
    if table is None:
        refuse_unreadable(source)
        refuse_bytes(source, source.head)
        raise DataError(f"{path} holds no list that a user saw; expected {_EXPECTED}")
    parts = labels_of(table.labels, named)
    missing = [SHORT.get(part, part) for part in _PARTS if part not in parts]
    if missing:
        remedy = Remedy("toysearch.workbench.clicks.click_log.read_clicks", columns=f"{missing[0]}=…")
        found = f"expected {_EXPECTED}, found the {table.noun}s {listed_labels([*table.labels], table.noun)}"
        raise malformed(table.source, table.line, f"{found}; name the others, as in {remedy}")
    return table, parts


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _add_row(lists: dict[tuple[str, str], dict[int, ShownDocument]], row: Mapping[str, str]) -> None:
    """Add the document of a row to its list, or raise ValueError with what is wrong."""
    empty = [part for part in ("session", "query_id", "doc_id", "rank") if not row[part]]
    if empty:
        raise ValueError(f"the {empty[0]} is empty")
    clicked, rank = _CLICKED.get(row["clicked"].lower()), row["rank"]
    if clicked is None:
        raise ValueError(f"expected 1 or 0 as clicked, found '{row['clicked']}'")
    if not (rank.isascii() and rank.isdecimal() and 0 < int(rank) <= _MOST_RANKS):
        raise ValueError(f"expected a whole number from 1 to {_MOST_RANKS:,} as rank, found '{rank[:40]}'")
    session, query_id, doc_id = row["session"], row["query_id"], row["doc_id"]
    shown = lists.setdefault((session, query_id), {})
    if int(rank) in shown or any(other.doc_id == doc_id for other in shown.values()):
        twice = f"rank {int(rank)} or document '{doc_id}' twice"
        raise ValueError(f"session '{session}' and query '{query_id}' have {twice}")
    shown[int(rank)] = ShownDocument(doc_id, clicked, row.get("tag", ""))
