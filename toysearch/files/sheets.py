"""Sheets of a workbook by their roles: by their names, or by their columns."""

from __future__ import annotations

from collections.abc import Sequence

from toysearch.base import DataError, some
from toysearch.files.claims import NOUNS
from toysearch.files.columns import (
    ASKED,
    ByPart,
    holds_text,
    is_prose,
    parts_of,
    places_of,
    plain_label,
    role_by_id,
    role_of_columns,
)
from toysearch.files.labels import TABLES
from toysearch.files.source import Source
from toysearch.files.syntaxes.delimited import cells_of, n_of_title

RECORDS_FIRST = ("documents", "queries", "qrels", "run", "clicks")
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
    labels = {name: _labels_of(source.of_sheet(name)) for name in sheets}
    wanted = {*map(plain_label, (columns or {}).values())}
    has_columns = [name for name in labels if wanted and wanted <= {*map(plain_label, labels[name])}]
    for role in roles:
        named = [name for name in labels if {*TABLES[role]} & {*plain_label(name).split("_")}]
        fitting = [name for name in labels if _role_of(labels[name]) == role]
        wide = [name for name in labels if role == "documents" and _is_wide(source.of_sheet(name))]
        worded = [name for name in wide if _has_prose(source.of_sheet(name))]
        for some_of in (has_columns, named, fitting, wide, worded):
            if len(some_of) == 1:
                return source.of_sheet(some_of[0])
    if len(roles) > 1:
        return source
    raise DataError(
        f"{source} has the sheets {some([*labels])}, and which of them holds {NOUNS[roles[0]]} is open; "
        f"rename that one to {roles[0]}"
    )


def _labels_of(sheet: Source) -> list[str]:
    """Return the names of the columns of a sheet, below its titles."""
    lines = sheet.text.lstrip("\n").split("\n")
    return cells_of(lines[n_of_title(lines)], ",")


def _is_wide(sheet: Source) -> bool:
    """True if a sheet has several columns, and not notes alone."""
    return len(sheet.lines) > 1 and all(sheet.delimiter in line for line in sheet.lines)


def _has_prose(sheet: Source) -> bool:
    return any(is_prose(cell) for line in sheet.lines[1:] for cell in cells_of(line, ","))


def _role_of(labels: Sequence[str]) -> str:
    """Return the role of a table by its labels; "" if they do not say."""
    places, parts = places_of(labels), parts_of(labels)
    if {"session", "rank", "clicked"} <= places.keys():
        return "clicks"
    if {"query_id", "doc_id"} <= places.keys() and not holds_text(labels):
        return role_of_columns(labels, places) or ("qrels" if len(labels) == 2 else "")
    if not {"title", "text"} & parts.keys():
        return ""
    is_query = plain_label(parts.get("text", "")) in ASKED
    return role_by_id(labels) or ("queries" if is_query else "documents")
