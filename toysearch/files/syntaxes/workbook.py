"""Workbooks of Excel: each sheet as the CSV of its cells, so that it is read as any other table."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any

from toysearch.base import DataError, some
from toysearch.files.unpacking import BLOCK, Undecided, refuse_growth

_BEGINS = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/")
"""Names of the first part of a file of Office."""
_NAME = 30  # its place
_MAIN = "xl/workbook.xml"
_PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{0,8})(\d{0,20})")
_LONGEST_TAG = 1 << 16
_MOST_CELLS = 1 << 25  # of the rectangle around the cells of a sheet, all of which the library holds


def may_be(head: bytes) -> bool:
    """True if a zip archive begins like a file of Office, which a workbook is."""
    return head[_NAME:].startswith(_BEGINS)


@lru_cache(maxsize=2)  # those of one command, of which each is opened several times
def sheets(path: str, data: bytes) -> Mapping[str, bytes] | None:
    """Return the CSV of the sheets with any cells, by their names; None for an archive that is not a workbook."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if _MAIN not in archive.namelist():
            return None
        _refuse_vast(path, archive, len(data))
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    shown = SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible
    names = [sheet.name for sheet in book.sheets_metadata if (sheet.typ, sheet.visible) == shown]
    texts = {name: _text(book.get_sheet_by_name(name)) for name in names}
    return {name: text.encode(errors="replace") for name, text in texts.items() if text}


def only_sheet(found: Mapping[str, bytes]) -> Iterator[bytes]:
    """Yield the CSV of the only sheet; refuse several, unless one of them is chosen by what is read."""
    if len(found) > 1:
        raise Undecided(
            f"has the sheets {some([*found])}, and which one is meant is open; name a sheet documents, queries, "
            "qrels or run, after what it holds"
        )
    yield from found.values()


def _text(sheet: Any) -> str:
    """Write the rows of a sheet as CSV, a blank row as a blank line, so that each record has the number of its row."""
    rows = sheet.to_python(skip_empty_area=True)
    if not any(cell != "" for row in rows for cell in row):
        return ""
    written = io.StringIO("\n" * sheet.start[0])
    written.seek(0, io.SEEK_END)
    writer = csv.writer(written, lineterminator="\n")
    _fill_merged(rows, sheet)
    for row in rows:
        cells = [*map(_cell, row)]
        writer.writerow(cells if any(cells) else ())
    return written.getvalue()


def _fill_merged(rows: list[list[Any]], sheet: Any) -> None:
    """Give each row the value of a cell that is merged down one column; one across columns may be a title."""
    first_row, first_column = sheet.start
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        column, row = left - first_column, top - first_row + 1
        while left == right and row <= bottom - first_row and row < len(rows) and rows[row][column] == "":
            rows[row][column] = rows[row - 1][column]
            row += 1


def _cell(cell: Any) -> str:
    """Write a cell as a spreadsheet exports it: a whole number without a fraction, a date by ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return cell.isoformat() if isinstance(cell, datetime | date | time) else str(cell)


def _refuse_vast(path: str, archive: zipfile.ZipFile, size: int) -> None:
    """Refuse parts that grow too much, and cells so far apart that the rectangle around them fills the memory."""
    grown = 0
    for part in archive.infolist():
        part.file_size, part.CRC = 1 << 62, None  # type: ignore[assignment]  # what they declare may be wrong
        rows = columns = 0  # of the rectangle around the cells
        rest, is_sheet = b"", False  # a sheet may have any name
        with archive.open(part) as content:
            while block := content.read(BLOCK):
                grown += len(block)
                refuse_growth(path, "a workbook", grown, size)
                text = rest + block
                rest = text[max(text.rfind(b"<"), len(text) - _LONGEST_TAG) :]
                is_sheet = is_sheet or b"sheetData" in text
                of_rows = (row.count(b"<c") for row in text.split(b"<row")[1:])  # cells that name no place count too
                columns = max([columns, *of_rows])
                for letters, digits in _PLACE.findall(text):
                    rows = max(rows, int(digits or 0))
                    columns = max(columns, _column(letters))
                if is_sheet and rows * columns > _MOST_CELLS:
                    name = f"{rows:,} rows and {columns:,} columns"
                    raise DataError(f"{path} has a sheet of {name}; delete its far cells, or save the sheet as CSV")


@lru_cache(maxsize=1 << 14)
def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number
