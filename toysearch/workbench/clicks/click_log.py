"""Click logs: lists that users saw, and their clicks, in CSV or the JSON Lines of User Behavior Insights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toysearch.base import DataError, Remedy, counted, malformed, note
from toysearch.files import Problems, listed_labels, object_lines, source_of
from toysearch.files.columns import SHORT, labels_of, parsed_click_columns
from toysearch.files.listed_documents import in_brackets, splitter_of
from toysearch.files.nested_hits import reached_by
from toysearch.files.reading import Columns
from toysearch.files.roles import settle
from toysearch.files.sheets import sheet_for
from toysearch.files.source import AnyPath, refuse_bytes, refuse_unreadable
from toysearch.files.table import Row, Table

__all__ = ["ShownDocument", "ShownList", "read_clicks"]

_EXPECTED = "the columns session, query, rank, doc and clicked, or JSON Lines of User Behavior Insights"
_EVENTS = {"click": True, "clicked": True, "impression": False, "view": False}
_CLICKED = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False, **_EVENTS}
_PARTS = ("session", "query_id", "rank", "doc_id", "clicked")
_MOST_RANKS = 100_000
_HITS = ("query_response_hit_ids", "query_response_objects_ids")  # the second until 2024


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
    interleave` writes it, system; or a row per list, whose doc and clicked are lists, and clicked may also name the
    documents. In JSON Lines of User Behavior Insights (OpenSearch, Elasticsearch), a query has
    ``query_id``, ``user_query`` and ``query_response_hit_ids``, and an event ``action_name``, ``query_id`` and
    ``event_attributes.object.object_id``; where queries list no hits, the events "impression" do, by their
    ``position.ordinal``. All may be inside ``_source``. Other events than "click" and "impression" are passed over.

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
        If the file is neither, or a line cannot be read; every such line is listed.

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
    source = sheet_for(source_of(path), ("clicks",), named)
    table = settle(source, columns=named).table
    if table is None:
        refuse_unreadable(source)
    refuse_bytes(source, source.head)
    lists = _of_insights(source) if table and table.noun == "key" and not named else []
    if not lists and table is not None:
        lists = _of_rows(reached_by(table, named), named)
    if not lists:
        raise DataError(f"{path} holds no list that a user saw; expected {_EXPECTED}")
    return lists


def _of_rows(table: Table, columns: Mapping[str, str]) -> list[ShownList]:
    """Read the lists of rows with a document each, or with all that one user saw."""
    path, problems = table.source, Problems(table.source)
    parts = labels_of(table.labels, columns)
    listing = [label for label in table.labels if any(_list_in(cell) is not None for cell in table.cells(label))]
    free = [label for label in listing if label not in parts.values()]
    if "doc_id" not in parts and len(free) == 1:
        parts["doc_id"] = free[0]
    of_lists = parts.get("doc_id") in listing
    if of_lists:
        parts = {"session": "(row)", **parts, "rank": "(rank)"}
    if missing := [part for part in _PARTS if part not in parts]:
        named = f"{SHORT.get(missing[0], missing[0])}=…"
        remedy = Remedy("toysearch.workbench.clicks.click_log.read_clicks", columns=named)
        listed = listed_labels([*table.labels], table.noun)
        found = f"expected {_EXPECTED}, found the {table.noun}s {listed}"
        raise malformed(path, table.line, f"{found}; name the others, as in {remedy}")
    shown: dict[tuple[str, str], dict[int, ShownDocument]] = {}
    for line, cells, problem in _rows_of_lists(table, parts) if of_lists else table.rows():
        row = {part: str(cells.get(label) if cells.get(label) is not None else "") for part, label in parts.items()}
        try:
            if problem:
                raise ValueError(problem)
            documents = shown.setdefault((row["session"], row["query_id"]), {})
            rank, document = _document(row)
            before = documents.get(rank)
            if before and before.doc_id == document.doc_id and row["clicked"].lower() in _EVENTS:
                document = document._replace(clicked=document.clicked or before.clicked)
            elif before or any(other.doc_id == document.doc_id for other in documents.values()):
                raise ValueError(
                    f"session '{row['session']}' and query '{row['query_id']}' have rank {rank} or document "
                    f"'{document.doc_id}' twice"
                )
            documents[rank] = document
        except ValueError as error:
            problems.add(line, str(error))
    problems.refuse()
    return [_shown_list(key, documents) for key, documents in shown.items() if documents]


def _rows_of_lists(table: Table, parts: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each document of the lists in a table, whose clicks are marks beside them or some of them."""
    for row in table.rows():
        documents, clicks = (_list_in(row.cells.get(parts[part])) for part in ("doc_id", "clicked"))
        if row.problem or documents is None or clicks is None:
            yield row._replace(problem=row.problem or "expected a list of documents and one of clicks")
            continue
        are_marks = len(clicks) == len(documents) and all(click.lower() in _CLICKED for click in clicks)
        if are_marks == ({*clicks} <= {*documents}) and clicks:
            expected = "expected 1 or 0 for each document, or those that were clicked"
            yield row._replace(problem=f"{expected}, found {row.cells[parts['clicked']]}")
            continue
        marks = clicks if are_marks else [str(int(doc_id in clicks)) for doc_id in documents]
        for rank, (doc_id, clicked) in enumerate(zip(documents, marks, strict=True), 1):
            of_list = {parts["doc_id"]: doc_id, parts["clicked"]: clicked, "(rank)": rank}
            yield row._replace(cells={"(row)": row.line, **row.cells, **of_list})


def _list_in(cell: object) -> list[str] | None:
    """Return the texts of a list, or of a text that is a list of Python or JSON; None for any other cell."""
    if isinstance(cell, str):
        return split(cell) if in_brackets(cell) and (split := splitter_of([cell])) else None
    return [*map(str, cell)] if isinstance(cell, list) else None


def _shown_list(key: tuple[str, str], documents: Mapping[int, ShownDocument]) -> ShownList:
    return ShownList(*key, tuple(documents.get(rank) for rank in range(1, max(documents) + 1)))


def _document(row: Mapping[str, str]) -> tuple[int, ShownDocument]:
    missing = [name for name in ("session", "query_id", "doc_id") if not row[name]]
    if missing:
        raise ValueError(f"the {missing[0]} is empty")
    clicked = _CLICKED.get(row["clicked"].lower())
    if clicked is None:
        raise ValueError(f"expected 1 or 0 as clicked, found '{row['clicked']}'")
    rank = row["rank"]
    if not rank:
        raise ValueError("the rank is empty")
    if not (rank.isascii() and rank.isdecimal() and 0 < int(rank) <= _MOST_RANKS):
        raise ValueError(f"expected a whole number from 1 to {_MOST_RANKS:,} as rank, found '{rank[:40]}'")
    return int(rank), ShownDocument(row["doc_id"], clicked, row.get("tag", ""))


def _of_insights(path: AnyPath) -> list[ShownList]:
    """Read the lists of User Behavior Insights: those of queries, or of impressions where no query lists its hits."""
    problems = Problems(path)
    queries: dict[str, tuple[str, list[str]]] = {}
    seen: dict[str, tuple[str, dict[int, str]]] = {}  # query_id → its text, and the documents by place
    clicks: list[tuple[str, str]] = []
    for number, item in _objects(path, problems):
        hits = next((item[name] for name in _HITS if name in item), None)
        action, query_id = item.get("action_name"), item.get("query_id")
        if hits is None and action not in ("click", "impression"):
            continue  # a purchase
        text = str(item.get("user_query") or query_id)
        doc_id, place = _object_of(item)
        if not isinstance(query_id, str):
            problems.add(number, "expected the text query_id, which joins a query and its clicks")
        elif hits is not None and (not isinstance(hits, list) or not all(isinstance(hit, str) for hit in hits)):
            problems.add(number, f"expected a list of document ids as {_HITS[0]}")
        elif hits is not None and query_id in queries:
            problems.add(number, f"query_id '{query_id}' occurs twice; each search needs its own")
        elif hits is not None:
            queries[query_id] = text, list(dict.fromkeys(hits))
        elif doc_id is None and action == "click":
            problems.add(number, "expected event_attributes.object.object_id, the document that was clicked")
        elif doc_id is not None and action == "click":
            clicks.append((query_id, doc_id))
        elif doc_id is not None and place is not None:
            seen.setdefault(query_id, (text, {}))[1].setdefault(place, doc_id)
    problems.refuse()
    first = min((place for _, places in seen.values() for place in places), default=0)  # 0 or 1
    by_place = {
        query_id: (text, {place + 1 - min(first, 1): doc_id for place, doc_id in places.items()})
        for query_id, (text, places) in seen.items()
    }
    by_place |= {query_id: (text, dict(enumerate(hits, 1))) for query_id, (text, hits) in queries.items() if hits}
    clicked, n_left_out = set[tuple[str, str]](), 0
    for query_id, doc_id in clicks:
        is_listed = query_id in by_place and doc_id in by_place[query_id][1].values()
        clicked.update([(query_id, doc_id)] if is_listed else ())
        n_left_out += not is_listed
    if n_left_out:
        note(
            f"{path}: {counted(n_left_out, 'click')} left out, on documents that the log does not list for their query"
        )
    return [
        _shown_list((session, text), {at: ShownDocument(one, (session, one) in clicked) for at, one in places.items()})
        for session, (text, places) in by_place.items()
    ]


def _object_of(event: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """Return the document of an event, and its place in the list; None for what it does not say."""
    about = event.get("event_attributes")
    about = about if isinstance(about, dict) else {}
    found, position = about.get("object"), about.get("position")
    doc_id = found.get("object_id") if isinstance(found, dict) else None
    place = position.get("ordinal") if isinstance(position, dict) else None
    is_place = type(place) is int and 0 <= place < _MOST_RANKS
    return doc_id if isinstance(doc_id, str) else None, place if is_place else None


def _objects(path: AnyPath, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of the file with their lines, without the frame in which an export wraps them."""
    for number, text in object_lines(path):
        try:
            item = json.loads(text)
        except ValueError as error:
            problems.add(number, f"expected a JSON object; {error}")
            continue
        item = item.get("_source", item) if isinstance(item, dict) else item
        if isinstance(item, dict):
            yield number, item
        else:
            problems.add(number, "expected a JSON object")
