"""Lists by query: the files of a folder or a pattern, each with the name of a query and the documents of it."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from toysearch.base import malformed
from toysearch.files.claims import What
from toysearch.files.columns import places_of
from toysearch.files.file_role import Settled
from toysearch.files.numbers import finite_number
from toysearch.files.roles import ids_in, settle
from toysearch.files.source import AnyPath, Source, files_named, refuse_folder, source_of
from toysearch.files.syntaxes.delimited import bare, headed, rows_in, separator_of
from toysearch.files.syntaxes.json_tables import BEGINS
from toysearch.files.syntaxes.trec import LOOKED_AT, is_comment
from toysearch.files.table import Row, Table
from toysearch.files.unpacking import unpacked_name

_MOST_FILES = 20  # that are looked at


def lists_by_query(path: AnyPath) -> list[Source]:
    """Return the files of a folder or a pattern, if half of them are lists of documents; [] otherwise.

    A folder with other folders, a collection.toml or a file of judgments is a collection.
    """
    source = source_of(path)
    is_folder = os.path.isdir(source)
    if not is_folder and (source.path == "-" or os.path.exists(source)):
        return []
    files = files_inside(source) if is_folder else files_named(source)
    if not files or files == [source]:  # no pattern
        return []
    looked = [file for file in files[:_MOST_FILES] if file.lines]
    widths = [*map(_width, looked)]
    if not any(widths) or 2 * sum(map(bool, widths)) < len(looked):
        return []
    others = [file for file, width in zip(looked, widths, strict=True) if not width]
    if any(settle(file).what.role for file in others):
        return []
    named = {*map(query_of, files)}
    if not is_folder and 2 in widths and named.isdisjoint(ids_in(source.beside).queries):
        return []  # lines of a query and a document, as in each file alone
    return files


def files_inside(source: Source) -> list[Source]:
    """Return the files of a folder; none if it has other folders or a collection.toml."""
    try:
        visible = [entry for entry in os.scandir(source) if not entry.name.startswith(".")]
    except OSError as error:
        refuse_folder(error)
    if not visible or any(entry.is_dir() or entry.name == "collection.toml" for entry in visible):
        return []
    return files_named(replace(source, path=os.path.join(glob.escape(source.path), "*")))


def query_of(file: Source) -> str:
    """Return the id of the query after which a file is named: its name without the suffix.

    >>> query_of(Source("REL/q1.txt")), query_of(Source("REL/7.tsv.gz")), query_of(Source("REL/1.2"))
    ('q1', '7', '1.2')
    """
    return _without_suffix(os.path.basename(unpacked_name(file.path)))


def _without_suffix(name: str) -> str:
    stem, suffix = os.path.splitext(name)
    return name if suffix[1:].isdecimal() else stem


def _lines(file: Source) -> list[str]:
    return [line.rstrip("\r") for line in islice(file.lines, LOOKED_AT) if not is_comment(line)]


def _width(file: Source) -> int:
    """Return 1 if at least half of the lines are an id, 2 if they are an id and a number; 0 otherwise."""
    lines, name = _lines(file), query_of(file)
    if not lines or BEGINS.match(file.text) or lines[0].startswith("<"):
        return 0
    rows = [row for row in rows_in(lines, separator_of(lines)) if row[:1] != [name]]
    alone = sum(len(row) == 1 for row in rows)
    graded = sum(len(row) == 2 and finite_number(row[1]) is not None for row in rows)
    width = 2 if graded > alone else 1
    return width if 2 * max(alone, graded) >= len(rows) > 0 else 0


def settled_lists(files: Sequence[Source]) -> dict[Source, Settled]:
    """Settle the files of `lists_by_query` as judgments, but for empty ones; a document without a grade is relevant."""
    graded = any(_width(file) == 2 for file in files)
    what = What("qrels", "rows", "it is named after a query and lists documents")
    parts = {"query_id": "query_id", "doc_id": "doc_id", "relevance": "relevance"}
    tables = {file: _with_query(file, graded) for file in files if file.lines or not file.whole}
    _refuse_other_suffixes(tables)
    return {file: Settled(what, table, parts, "relevance") for file, table in tables.items()}


def _with_query(file: Source, graded: bool) -> Table:
    """Return the rows of a list with their query, and with the grade 1 if they have none."""
    lines, labels = _lines(file) or [""], ("doc_id", "relevance")[: 1 + graded]
    between = separator_of(lines)
    has_header = [*places_of((rows_in(lines[:1], between) or [[]])[0])] == [*labels]
    table = headed(file, between) if has_header else bare(file, between, labels)
    known = {"query_id": query_of(file), "relevance": "1"}

    def complete(row: Row) -> Row:
        return row._replace(cells={**known, **row.cells})

    head = [*map(complete, table.head)]
    return replace(table, labels=[*known, "doc_id"], head=head, rows=lambda: map(complete, table.rows()))


def _refuse_other_suffixes(tables: Mapping[Source, Table]) -> None:
    """Refuse lists of which no document is in the other files of a call, but some are with another suffix."""
    beside = next(iter(tables)).beside
    ids = ids_in(beside).documents
    places: dict[str, tuple[Source, int]] = {}
    for file, table in tables.items():
        places |= {row.cells["doc_id"]: (file, row.line) for row in table.head if not row.problem}
    if not ids.isdisjoint(places):
        return
    stems = {_without_suffix(doc_id): doc_id for doc_id in ids}
    for doc_id, place in places.items():
        stem = _without_suffix(doc_id)
        if other := stem if stem in ids else stems.get(doc_id):
            others = " and ".join(map(str, beside))
            raise malformed(
                *place, f"found the document '{doc_id}', which is '{other}' in {others}; write the ids alike"
            )
