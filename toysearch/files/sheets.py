"""Sheets of a workbook by their roles: by their names, or by their columns."""

from __future__ import annotations

from collections.abc import Sequence

from toysearch.base import DataError, note, some
from toysearch.files.claims import NOUNS
from toysearch.files.columns import (
    ASKED,
    ByPart,
    TableHead,
    holds_text,
    of_most_text,
    parts_of,
    places_of,
    plain_label,
    role_by_id,
    role_of_columns,
)
from toysearch.files.labels import REPLIES, TABLES
from toysearch.files.source import Source
from toysearch.files.syntaxes.delimited import n_of_title, rows_in

RECORDS_FIRST = ("documents", "queries", "qrels", "run", "clicks")
_OF_TEXTS = frozenset({"documents", "queries", ""})
ROWS_FIRST = ("qrels", "run", "clicks", "documents", "queries")


def sheet_for(source: Source, roles: Sequence[str], columns: ByPart | None = None) -> Source:
    """Return the source of the sheet of a workbook that has the first of some roles; of another file, its table.

    roles : if there is only one, no sheet for it is an error, else the file stays undecided
    columns : part → the column that the user names
    """
    if source.is_usual:
        return source
    from toysearch.files.syntaxes.notations import rewritten  # most files begin as usual

    return rewritten(_sheet_for(source, roles, columns) if source.sheets else source, roles)


def _sheet_for(source: Source, roles: Sequence[str], columns: ByPart | None) -> Source:
    sheets = source.sheets
    if len(sheets) < 2:
        return source.of_sheet(*sheets)
    heads = {name: _head_of(source.of_sheet(name)) for name in sheets}
    wanted = {*map(plain_label, (columns or {}).values())}
    has_columns = [name for name in heads if wanted and wanted <= {*map(plain_label, heads[name].labels)}]
    said = {name: _roles_said(name) for name in heads}
    by_columns = {name: _role_of(heads[name].labels) for name in heads}
    wide = [name for name in heads if len(heads[name].labels) > 1 and any(heads[name].cells.values())]
    texts = {name: heads[name].n_letters for name in wide if said[name] | {by_columns[name]} <= _OF_TEXTS}
    likely = [name for name in texts if texts[name] and "queries" not in (by_columns[name], *said[name])]
    most = [name for name in of_most_text(texts) if name in likely]
    for role in roles:
        named = [name for name in heads if role in said[name]]
        fitting = [name for name in heads if by_columns[name] == role]
        if role == "documents" and not (named or has_columns) and _is_one_table([heads[name] for name in likely]):
            if len(roles) == 1:
                note(f"{source}: the sheets {some(likely)} are read together")
            return _joined(source, likely)
        for some_of in (has_columns, named, *((most, fitting, wide) if role == "documents" else (fitting,))):
            if len(some_of) == 1:
                others = [name for name in likely if name not in most]
                if some_of is most and others and len(roles) == 1:
                    left = f"{some(others)} left out; to search another, rename it to documents"
                    note(f"{source}: sheet {most[0]} has the documents, {left}")
                return source.of_sheet(some_of[0])
    if len(roles) > 1:
        return source
    raise DataError(
        f"{source} has the sheets {some([*sheets])}, and which of them holds {NOUNS[roles[0]]} is open; "
        f"rename that one to {roles[0]}"
    )


def _is_one_table(heads: Sequence[TableHead]) -> bool:
    """True for several tables of the same columns, as of months, that have no row in common."""
    rows = [row for head in heads for row in zip(*head.cells.values(), strict=True)]
    return len(heads) > 1 and all(head.labels == heads[0].labels for head in heads) and len({*rows}) == len(rows)


def _joined(source: Source, names: Sequence[str]) -> Source:
    """Return the source of the rows of several sheets below the header of the first one."""
    data = source.sheets[names[0]]
    for name in names[1:]:
        lines = source.sheets[name].decode().lstrip("\n").split("\n")
        data += "\n".join(lines[n_of_title(lines) + 1 :]).encode()
    return Source(source.path, source.reading, data=data, beside=source.beside, sheet=", ".join(names))


def _roles_said(name: str) -> set[str]:
    """Return the roles that the name of a sheet says."""
    return {role for role in TABLES if not {*TABLES[role]}.isdisjoint(plain_label(name).split("_"))}


def _head_of(sheet: Source) -> TableHead:
    """Return the first cells of a sheet, below its titles."""
    lines = sheet.text.lstrip("\n").split("\n")
    labels, *rows = rows_in(lines[n_of_title(lines) :], ",")
    return TableHead.of_rows(labels, rows)


def _role_of(labels: Sequence[str]) -> str:
    """Return the role of a table by its labels; "" if they do not say."""
    places, parts = places_of(labels), parts_of(labels)
    if {"session", "rank", "clicked"} <= places.keys():
        return "clicks"
    if {"query_id", "doc_id"} <= places.keys() and not holds_text(labels):
        return role_of_columns(labels, places) or ("qrels" if len(labels) == 2 else "")
    if not {"title", "text"} & parts.keys():
        return ""
    is_query = plain_label(parts.get("text", "")) in ASKED and {*REPLIES}.isdisjoint(map(plain_label, labels))
    return role_by_id(labels) or ("queries" if is_query else "documents")
