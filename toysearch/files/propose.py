"""The question about columns that no name tells: at most two options, each tried by the functions that read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from toysearch.base import DataError, Qrels, Remedy, ToysearchError, groups_of, malformed, without_notes
from toysearch.base.wording import some
from toysearch.files.columns import (
    ByPart,
    is_negative,
    is_prose,
    labels_of,
    likely_grades,
    named_like,
    plain_label,
    words_of,
)
from toysearch.files.file_role import Settled, naming, pairs_in_head
from toysearch.files.labels import GRADES, LONG_TEXTS, REPLIES
from toysearch.files.listed_documents import VALUES, id_in, ids_in_text
from toysearch.files.nested_hits import aligned, cells_by_path, last_key
from toysearch.files.numbers import codes_in, counts, falls, number_of
from toysearch.files.reading import SILENT
from toysearch.files.roles import settle
from toysearch.files.source import Source
from toysearch.files.syntaxes.delimited import headed
from toysearch.files.table import Table
from toysearch.files.triples import parsed_grades, read_qrels_rows, read_run_rows

_HEAD = 1000  # rows on which an option is tried
_MOST = 2  # options
_TRIED = 4  # columns of a part
_MOST_SHOWN = 20  # labels
_NO_IDS = {*REPLIES, "quote", "snippet"}
_NO_VALUES = {"run": ("page", "ids"), "qrels": ("page", "ids", "rank")}
_IF = {"run": "if its rows are ranked", "qrels": "if each is relevant"}
_EXPECTED = {"run": "a run, with columns for the query, the document and its score or rank"}
_EXPECTED["qrels"] = "judgments, with columns for the query, the document and its grade"


class Ids(NamedTuple):
    """Ids of the other files of a call."""

    queries: frozenset[str]
    documents: frozenset[str]


def question(settled: Settled, role: str, named: ByPart) -> DataError:
    """Ask for the columns of a run or of judgments.

    named : part → the column that the user names
    """
    settled, source = _below_header(settled, role), settled.source
    table = settled.sure_table
    paths = [path for path in cells_by_path(table) if path] or [*table.labels]
    found = f"found the {table.noun}s {some(paths, _MOST_SHOWN)}"
    if table.form == "rows":
        found = f"found {len(table.labels)} columns without names, such as {', '.join(map(str, table.cells('1')[:1]))}"
    ways = [*islice(_working(settled, role, dict(named)), _MOST)]
    if not ways:
        deque(table.rows() if source.path != "-" else (), maxlen=0)  # says where the file is damaged
        none = f", and none with ids of {source.others}" if source.beside else ""
        search = f"; to search it: {Remedy('', queries=...)}" if role == "run" else ""
        return malformed(source, table.line, f"expected {_EXPECTED[role]}, {found}{none}{search}")
    asked = dict[str, list[str]]()
    for way in ways:
        before = "name them" if {*VALUES[role]} & way.keys() else _IF[role]
        asked.setdefault(before, []).append(str(naming(role, way)))
    options = "; or, ".join(f"{before}: {' or '.join(each)}" for before, each in asked.items())
    return malformed(source, table.line, f"{found}; {options}")


def _below_header(settled: Settled, role: str) -> Settled:
    """Return rows below the first one, if this has no id of the other files, unlike the others."""
    table, ids = settled.sure_table, frozenset().union(*ids_beside(settled.source, role))
    known = [not ids.isdisjoint(map(str, row.cells.values())) for row in table.head]
    if table.form != "rows" or known[:1] != [False] or not any(known):
        return settled
    return settled._replace(table=headed(settled.source, table.between))


def is_contradicted(settled: Settled, role: str) -> bool:
    """True if the documents by their name are none of the other files, and another column has some of these."""
    if not settled.source.beside or not settled.has_pair:
        return False
    ids = ids_beside(settled.source, role, known=True)
    if not (ids.queries and ids.documents):
        return False
    documents = {doc_id for _, doc_ids in pairs_in_head(settled) for doc_id in doc_ids}
    if not documents or not ids.documents.isdisjoint(documents):
        return False
    return next(_working(settled, role, {}), None) is not None


def _working(settled: Settled, role: str, named: dict[str, str]) -> Iterator[ByPart]:
    """Yield the columns, by part, with which a file is read without a fault."""
    ids = ids_beside(settled.source, role)
    source = settled.source.read_as(on_error="refuse", report=SILENT)
    for way in _ways(settled.sure_table, role, named, ids):
        if _reads(source, role, way, ids):
            yield way
            continue
        for system in _systems(settled.sure_table, way) if role == "run" else ():
            if _reads(source, role, apart := {**way, "tag": system}, ids):
                yield apart
                break


def _reads(source: Source, role: str, way: ByPart, ids: Ids) -> bool:
    """True if a file is read with some columns, and its ids are among those of the other files."""
    found = settle(source, role, way)
    if found.ask or not found.has_pair:
        return False
    table = found.sure_table
    head = replace(table, rows=lambda: iter(table.head) if source.path == "-" else islice(table.rows(), _HEAD))
    found = found._replace(table=head)
    try:
        with without_notes():
            if role == "run":
                read: Sequence[Any] = read_run_rows(found, "it holds no run", way)[0]
            else:
                words = table.words(found.parts[found.by]) if found.by == "relevance" else ""
                read = [read_qrels_rows(found, parsed_grades(words) if words else None)[0]]
    except ToysearchError:
        return False
    pairs = [(query_id, doc_id) for one in read for query_id, doc_id, _ in _rows_of(one)]
    return all(not known or any(pair[at] in known for pair in pairs) for at, known in enumerate(ids))


def _rows_of(read: Any) -> Iterator[tuple[str, str, float]]:
    yield from read if isinstance(read, Qrels) else ((q, d, s) for q in read.query_ids for d, s in read[q].items())


def _ways(table: Table, role: str, named: dict[str, str], ids: Ids) -> Iterator[ByPart]:
    """Yield the columns that may hold the parts of a file, the likeliest first."""
    cells = {path: held for path, held in cells_by_path(table).items() if path and not _is_counted(path)}
    for query in _candidates(cells, "query_id", named, ids.queries)[:_TRIED]:
        for doc in _candidates(cells, "doc_id", {**named, "query_id": query}, ids.documents)[:_TRIED]:
            if doc != query:
                pair = {**named, "query_id": query, "doc_id": doc}
                yield from _valued(table, role, pair, cells)


def _is_counted(path: str) -> bool:
    """True for one of several columns beside each other, as hits.0.id."""
    return any(map(str.isdecimal, path.split(".")[1:]))


def _candidates(cells: Mapping[str, list[Any]], part: str, named: ByPart, known: Set[str]) -> list[str]:
    """Return the columns that may hold ids: those with known ones, or without any by their names."""
    if part in named:
        return [named[part]]
    shares, names = dict[str, float](), {path: labels_of([last_key(path)]) for path in cells}
    is_doc = part == "doc_id"
    for path, held in cells.items():
        ids, last = _ids_in(held), plain_label(last_key(path))
        if not ids:
            continue
        is_text = last in _NO_IDS or (last in LONG_TEXTS and any(map(is_prose, held)))
        if (
            path in named.values()
            or None in ids
            or (is_doc and (is_text or "relevance" in names[path] or is_negative(path)))
        ):
            continue
        shares[path] = sum(one in known for one in ids) / len(ids)
        if not known and is_doc:
            is_open = names[path].keys() - {part} or any(map(is_prose, held))
            shares[path] = 0 if is_open else len({*ids}) / len(ids)
        elif not known:
            shares[path] = 0 if names[path].keys() - {part} else 1 / (1 + len({*ids}))

    def unlikely(path: str) -> tuple[bool, float, bool]:
        return part not in names[path], -shares[path], named_like(last_key(path)) != "ids"

    found = sorted(filter(shares.__getitem__, shares), key=unlikely)
    is_clear = not is_doc and any(part in names[path] for path in found)
    best = [path for path in found if part in names[path] or not (is_clear or _counts_rows(cells[path]))]
    return best or found


def _ids_in(held: Sequence[Any]) -> list[str | None]:
    """Return the ids in some cells, of which texts may list several."""
    each = (ids_in_text(cell) if isinstance(cell, str) else [id_in(cell)] for cell in held)
    return [one for ids in each for one in ids]


def _counts_rows(held: Sequence[Any]) -> bool:
    """True if some cells number the rows of a file."""
    return len(held) > 1 and [*map(str, held)] == [str(number) for number in range(1, len(held) + 1)]


def _valued(table: Table, role: str, pair: ByPart, cells: Mapping[str, list[Any]]) -> Iterator[ByPart]:
    """Yield the columns of a query and a document with those that may hold the value of each pair, or without."""
    if not pair.keys().isdisjoint(VALUES[role]):
        yield pair
        return
    doc = pair["doc_id"]
    beside = [path for path in cells if path not in pair.values() and len(cells[path]) == len(cells[doc])]
    beside = [path for path in beside if path.rpartition(".")[0] == doc.rpartition(".")[0]]
    found = dict[str, list[float]]()
    for path in beside:
        numbers = [number for cell in cells[path] if (number := number_of(cell)) is not None]
        is_value = named_like(last_key(path)) not in _NO_VALUES[role] and not _counts_rows(cells[path])
        differs = role == "qrels" or len({*numbers}) > 1 or len(numbers) == 1
        if is_value and differs and len(numbers) == len(cells[path]):
            found[path] = numbers
    if role == "run":
        found = {path: held for path, held in found.items() if "relevance" not in labels_of([last_key(path)])}
    if role == "qrels":
        grades = [path for path in beside if path not in found and codes_in(cells[path], GRADES)]
        grades += likely_grades([*found], found)
        ways = [{**pair, "relevance": path} for path in grades]
        ways.insert(0 if doc not in table.labels and last_key(doc) == "document" else min(len(ways), 1), {**pair})
        yield from ways
        return
    is_named = {path: not labels_of([last_key(path)]).keys().isdisjoint(VALUES["run"]) for path in found}
    for path in sorted(found, key=lambda path: (not is_named[path], "score" not in words_of(path))):
        for part in _parts_for(table, pair, path):
            yield {**pair, part: path}
    if not found:
        yield pair


def _parts_for(table: Table, pair: ByPart, path: str) -> list[str]:
    """Return the parts of a run that a column of numbers may be, the likeliest first: score, rank, distance."""
    paths = {"query": pair["query_id"], "value": path}
    rows = list[Mapping[str, Any]]()
    with suppress(ValueError):  # lists of several lengths, with which no option is read
        rows = [row for cells in table.readable for row in aligned({**cells}, paths)]
    groups = groups_of((str(row["query"]), number_of(row["value"]) or 0) for row in rows).values()
    columns = [[*group] for group in groups if len(group) > 1]
    if columns and all(counts(sorted(column)) for column in columns):
        return ["rank", "score"]
    are_rising = bool(columns) and all(column == sorted(column) for column in columns)
    parts = ["score", "distance"] if falls(columns) or not are_rising else ["distance", "score"]
    if named_like(last_key(path)) == "distance" and not falls(columns):
        return ["distance", "score"]
    return parts if are_rising or named_like(last_key(path)) == "distance" else ["score"]


def _systems(table: Table, way: ByPart) -> list[str]:
    """Return the columns of several words, which may tell systems apart."""
    cells = {path: held for path, held in cells_by_path(table).items() if path not in way.values()}
    words = {
        path: {cell for cell in held if isinstance(cell, str) and number_of(cell) is None}
        for path, held in cells.items()
    }
    return [path for path in words if len(words[path]) > 1]


def ids_beside(source: Source, role: str = "", *, known: bool = False) -> Ids:
    """Return the ids of the other files of a call; of one whose parts are open, all that it holds.

    role : that of the file
    known : whether to leave out the latter
    """
    queries, documents = set[str](), set[str]()
    for other in source.beside:
        if other.ids:
            found = other.ids()
            queries.update(found[0])
            documents.update(found[1])
            continue
        settled = settle(other, {"run": "qrels", "qrels": "run"}.get(role, ""))
        pairs = [*pairs_in_head(settled)]
        if not (pairs or known) and settled.table is not None:
            held = {id_in(cell) or "" for cells in cells_by_path(settled.table).values() for cell in cells}
            queries |= held
            documents |= held
        queries.update(query_id for query_id, _ in pairs)
        documents.update(doc_id for _, doc_ids in pairs for doc_id in doc_ids)
    return Ids(frozenset(queries), frozenset(documents))
