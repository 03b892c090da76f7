"""Click logs: lists that users saw, and their clicks, in CSV or the JSON Lines of User Behavior Insights."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, DataError, a, checked, counted, note
from toysearch.files import header_of, numbered_lines, object_lines, plain_label, source_of
from toysearch.files.columns import NOTHING, cells_of
from toysearch.files.problems import Problems

__all__ = ["ShownDocument", "ShownList", "read_clicks"]

_EXPECTED = "the columns session, query, rank, doc and clicked, or JSON Lines of User Behavior Insights"
_CLICKED = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
_OWN = ("session", "clicked")
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


@checked
def read_clicks(path: str | PathLike[str]) -> list[ShownList]:
    r"""Read the lists of a click log, in the order of the file.

    A table has a header and a row per document: session, query, rank, doc, clicked (1 or 0), and, as `toysearch
    interleave` writes it, system. In JSON Lines of User Behavior Insights
    (OpenSearch, Elasticsearch), a query has ``query_id``, ``user_query`` and ``query_response_hit_ids``, and an event
    ``action_name`` "click", ``query_id`` and ``event_attributes.object.object_id``; both may be inside ``_source``, and
    other events are passed over.

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped.

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
    source = source_of(path)
    is_json = source.head.lstrip()[:1] in (b"{", b"[")
    lists = _of_insights(source) if is_json else _of_table(source)
    if not lists:
        raise DataError(f"{path} holds no list that a user saw; expected {_EXPECTED}")
    return lists


def click_lists(clicks: str | PathLike[str] | Iterable[ShownList]) -> list[ShownList]:
    """Return the lists of a click log or of its file."""
    if isinstance(clicks, str | PathLike):
        return read_clicks(clicks)
    lists = list(clicks)
    if not all(isinstance(shown, ShownList) for shown in lists):
        raise ArgumentError(f"clicks must be the path of a click log or a list of ShownList, not {a(clicks)}")
    return lists


def _of_table(path: str | PathLike[str]) -> list[ShownList]:
    problems = Problems(path)
    lines = ((number, line) for number, line in numbered_lines(path) if line.strip(NOTHING))
    first, text = next(lines, (1, ""))
    header = header_of(text)
    places = {} if header is None else {plain_label(label): place for place, label in enumerate(header.labels)}
    if header is None or "rank" not in header.places or not {"session", "clicked"} <= places.keys():
        raise DataError(f"{path}:{first}: expected {_EXPECTED}, found '{text[:80]}'")
    columns = {part: header.places[part] for part in ("query_id", "doc_id", "rank")} | {
        name: places[name] for name in _OWN if name in places
    }
    if "tag" in header.places:
        columns["system"] = header.places["tag"]
    shown: dict[tuple[str, str], dict[int, ShownDocument]] = {}
    for number, line in lines:
        try:
            cells = cells_of(line, header.delimiter)
            if len(cells) != len(header.labels):
                raise ValueError(f"expected {len(header.labels)} cells, found {len(cells)}")
            row = {name: cells[place] for name, place in columns.items()}
            documents = shown.setdefault((row["session"], row["query_id"]), {})
            rank, document = _document(row)
            if rank in documents or any(other.doc_id == document.doc_id for other in documents.values()):
                raise ValueError(
                    f"session '{row['session']}' and query '{row['query_id']}' have rank {rank} or document "
                    f"'{document.doc_id}' twice"
                )
            documents[rank] = document
        except (ValueError, csv.Error) as error:
            problems.add(number, str(error))
    problems.refuse()
    return [
        ShownList(*key, tuple(documents.get(rank) for rank in range(1, max(documents) + 1)))
        for key, documents in shown.items()
        if documents
    ]


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
    if not (rank.isascii() and rank.isdecimal() and 0 < int(rank) <= 100_000):
        raise ValueError(f"expected a whole number from 1 to 100,000 as rank, found '{rank[:40]}'")
    return int(rank), ShownDocument(row["doc_id"], clicked, row.get("system", ""))


def _of_insights(path: str | PathLike[str]) -> list[ShownList]:
    problems = Problems(path)
    queries: dict[str, tuple[str, list[str]]] = {}
    clicks: list[tuple[str, str]] = []
    for number, item in _objects(path, problems):
        hits = next((item[name] for name in _HITS if name in item), None)
        query_id = item.get("query_id")
        if hits is None and item.get("action_name") != "click":
            continue  # an impression, a purchase
        if not isinstance(query_id, str):
            problems.add(number, "expected the text query_id, which joins a query and its clicks")
        elif hits is None:
            clicked = item.get("event_attributes", {})
            clicked = clicked.get("object", {}) if isinstance(clicked, dict) else {}
            doc_id = clicked.get("object_id") if isinstance(clicked, dict) else None
            if isinstance(doc_id, str):
                clicks.append((query_id, doc_id))
            else:
                problems.add(number, "expected event_attributes.object.object_id, the document that was clicked")
        elif not isinstance(hits, list) or not all(isinstance(hit, str) for hit in hits):
            problems.add(number, f"expected a list of document ids as {_HITS[0]}")
        elif query_id in queries:
            problems.add(number, f"query_id '{query_id}' occurs twice; each search needs its own")
        else:
            queries[query_id] = str(item.get("user_query") or query_id), list(dict.fromkeys(hits))
    problems.refuse()
    by_query: dict[str, set[str]] = {}
    n_left_out = 0
    for query_id, doc_id in clicks:
        if doc_id in queries.get(query_id, ("", []))[1]:
            by_query.setdefault(query_id, set()).add(doc_id)
        else:
            n_left_out += 1
    if n_left_out:
        note(
            f"{path}: {counted(n_left_out, 'click')} left out, on documents that the log does not list for their query"
        )
    return [
        ShownList(session, query, tuple(ShownDocument(one, one in by_query.get(session, ())) for one in hits))
        for session, (query, hits) in queries.items()
        if hits
    ]


def _objects(path: str | PathLike[str], problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
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
