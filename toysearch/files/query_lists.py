"""Lists by query: the files of a folder or a pattern, each with the name of a query and its documents."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from toysearch.base import malformed
from toysearch.files.claims import What
from toysearch.files.columns import ByPart, labels_of
from toysearch.files.file_role import PAIR, Settled, pairs_in_head
from toysearch.files.listed_documents import are_documents, are_texts, documents_in, is_number, stem_of
from toysearch.files.numbers import finite_number
from toysearch.files.propose import ids_beside
from toysearch.files.roles import settle
from toysearch.files.source import AnyPath, Source, files_named, refuse_folder, source_of, whole_text
from toysearch.files.syntaxes.delimited import bare, headed, rows_in, separator_of
from toysearch.files.syntaxes.json_tables import BEGINS, partial_value
from toysearch.files.syntaxes.notations import rewritten
from toysearch.files.syntaxes.trec import data_lines
from toysearch.files.table import KEY, VALUE, Row, Table
from toysearch.files.unpacking import unpacked_name
from toysearch.files.value_columns import known_parts, value_part
from toysearch.files.writing import without_records

_MOST_FILES = 20  # that are looked at
_PARTS = {"query_id": KEY, "doc_id": VALUE}


def lists_by_query(path: AnyPath, role: str = "qrels") -> list[Source]:
    """Return the files of a folder or a pattern, if half of them are lists of documents; [] otherwise.

    A folder with other folders, a collection.toml or a file of judgments is a collection. Beside other files, those of
    a run are named after queries in them; alone, they are tables or JSON.
    """
    source = source_of(path)
    is_folder = os.path.isdir(source)
    if not is_folder and (source.path == "-" or os.path.exists(source)):
        return []
    files = files_inside(source) if is_folder else files_named(source)
    if not files or files == [source]:  # no pattern
        return []
    looked = [file for file in files[:_MOST_FILES] if file.lines]
    tables = {file: _table_of(file, role) for file in looked}
    widths = {file: 1 if tables[file] else _width(file) for file in looked}
    others = [file for file in looked if not widths[file]]
    if len(others) == len(looked) or 2 * len(others) > len(looked) or any(settle(file).what.role for file in others):
        return []
    if role == "run" and not source.beside and not all(tables.values()):
        return []  # perhaps texts of one word
    needs_query = role == "run" or any(tables.values())
    is_open = (needs_query and source.beside) or (not is_folder and 2 in widths.values())
    if is_open and ids_beside(source).queries.isdisjoint(map(query_of, files)):
        return []  # perhaps documents, or lines of a query and a document, as in each file alone
    return files


def with_ids(source: Source) -> Source | None:
    """Return a folder of lists as one file, with the ids of its queries and documents; None for anything else."""
    lists = lists_by_query(source)

    def ids() -> tuple[list[str], list[str]]:
        pairs = [pair for settled in settled_lists(lists).values() for pair in pairs_in_head(settled)]
        return [*map(query_of, lists)], [doc_id for _, doc_ids in pairs for doc_id in doc_ids]

    return replace(source, ids=ids) if lists else None


def files_inside(source: Source) -> list[Source]:
    """Return the files of a folder; none if it has other folders or a collection.toml."""
    try:
        visible = [entry for entry in os.scandir(source) if not entry.name.startswith(".")]
    except OSError as error:
        refuse_folder(error)
    if not visible or any(entry.is_dir() or entry.name == "collection.toml" for entry in visible):
        return []
    return without_records(files_named(replace(source, path=os.path.join(glob.escape(source.path), "*"))))


def query_of(file: Source) -> str:
    """Return the id of the query after which a file is named: its name without the suffix.

    >>> query_of(Source("REL/q1.txt")), query_of(Source("REL/7.tsv.gz")), query_of(Source("REL/1.2"))
    ('q1', '7', '1.2')
    """
    return stem_of(os.path.basename(unpacked_name(file.path)))


def _width(file: Source) -> int:
    """Return 1 if at least half of the lines are an id, 2 if they are an id and a number; 0 otherwise."""
    lines, name = data_lines(file), query_of(file)
    if not lines or BEGINS.match(file.text) or lines[0].startswith("<"):
        return 0
    rows = [row for row in rows_in(lines, separator_of(lines)) if row[:1] != [name]]
    alone = sum(len(row) == 1 for row in rows)
    graded = sum(len(row) == 2 and finite_number(row[1]) is not None for row in rows)
    width = 2 if graded > alone else 1
    return width if 2 * max(alone, graded) >= len(rows) > 0 else 0


def settled_lists(files: Sequence[Source], role: str = "qrels") -> dict[Source, Settled]:
    """Settle the files of `lists_by_query`, but for empty ones; a judged document without a grade is relevant."""
    known = {file: _table_of(file, role) for file in files if file.lines or not file.whole}
    rows = [file for file, settled in known.items() if settled is None]
    valued = any(_width(file) == 2 for file in rows)
    by = "relevance" if role == "qrels" else "score" if valued else ""
    what = What(role, "rows", "it is named after a query and lists documents")
    parts = {part: part for part in (*PAIR, by) if part}
    tables = {file: _with_query(file, role, by if valued else "") for file in rows}
    if role == "qrels" and tables:
        _refuse_other_suffixes(tables)
    return {file: settled or Settled(what, tables[file], parts, by) for file, settled in known.items()}


def _table_of(file: Source, role: str) -> Settled | None:
    """Settle a file of JSON that lists documents, or a table with a header without a query; None for another."""
    file, name = rewritten(file), query_of(file)
    if file.head.lstrip()[:1] in (b"[", b"{"):
        found = _listing_in(file.head.decode(errors="replace"))
        if found is None:
            return None
        rows = partial(_only_row, file, name)
        table = Table(file, (KEY, VALUE), [Row(1, {KEY: name, VALUE: found})], rows, "json")
        return Settled(What(role, "json", "it is named after a query and lists documents"), table, _PARTS)
    header, between = _header_of(file)
    if "doc_id" not in header or "query_id" in header:
        return None
    table = headed(file, between).with_cells({"query_id": name})
    parts = known_parts(table)
    by = value_part(role, parts)
    return Settled(What(role, "table", "it is named after a query"), table, parts, by) if by else None


def _listing_in(text: str) -> Any:
    """Return the value of JSON that lists documents, from the beginning of its text; None for any other.

    >>> _listing_in('["d7", "d2"]'), _listing_in('{"d7": 2}'), _listing_in('{"id": 7, "text": "Oaks"}')
    (['d7', 'd2'], {'d7': 2}, None)
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = partial_value(text)
    found = documents_in(value)
    if not found or are_texts([value]) or not are_documents([value], numbers=True):
        return None
    return value if isinstance(found, list) or all(map(is_number, found.values())) else None


def _only_row(file: Source, name: str) -> Iterator[Row]:
    text = whole_text(file)
    try:
        yield Row(1, {KEY: name, VALUE: json.loads(text)})
    except (ValueError, RecursionError) as error:
        yield Row(1, {}, f"expected JSON; {error}")


def _header_of(file: Source) -> tuple[ByPart, str | None]:
    """Return the parts that the first line names, and what separates its cells."""
    lines = data_lines(file)
    between = separator_of(lines) if lines else None
    return labels_of((rows_in(lines[:1], between) or [[]])[0]), between


def _with_query(file: Source, role: str, value: str) -> Table:
    """Return the rows of a list with their query; judged ones have the grade 1 if they have no value."""
    (header, between), labels = _header_of(file), ["doc_id", value] if value else ["doc_id"]
    has_header = [*header] == labels
    table = bare(file, between, labels).changed(lambda rows: islice(rows, int(has_header), None))
    query = {"query_id": query_of(file)}
    return table.with_cells(query | {"relevance": "1"} if role == "qrels" else query)


def _refuse_other_suffixes(tables: Mapping[Source, Table]) -> None:
    """Refuse lists of which no document is in the other files of a call, but some are with another suffix."""
    first = next(iter(tables))
    ids = ids_beside(first).documents
    places: dict[str, tuple[Source, int]] = {}
    for file, table in tables.items():
        places |= {row.cells["doc_id"]: (file, row.line) for row in table.head if not row.problem}
    if not ids.isdisjoint(places):
        return
    stems = {stem_of(doc_id): doc_id for doc_id in ids}
    for doc_id, place in places.items():
        stem = stem_of(doc_id)
        if other := stem if stem in ids else stems.get(doc_id):
            found = f"found the document '{doc_id}', which is '{other}' in {first.others}"
            raise malformed(*place, f"{found}; write the ids alike")
