"""Tables of documents or queries: CSV and TSV with a header, one record per row."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import PathLike

from toysearch.base import DataError, malformed, note, unknown
from toysearch.files import (
    Record,
    RecordFile,
    field_names,
    finite_number,
    header_of,
    holds_text,
    listed_labels,
    numbered_lines,
    parts_of,
    plain_label,
    without_text,
)
from toysearch.files.claims import Clues, What
from toysearch.files.columns import longer, parts_with_id, role_by_id
from toysearch.files.source import Source
from toysearch.files.unpacking import unpacked_name

_DELIMITERS = "\t,;"
_LARGEST_CELL = 1 << 24  # characters; a longer cell means that a quotation mark was never closed
_LONGEST_LABEL = 64
_MOST_COLUMNS = 10_000
_MOST_SHOWN = 200  # rows that show what a column holds
_Line = tuple[int, str]
_Row = tuple[list[str], str]  # the cells of a row, and what is wrong with its quotation marks


def read_table(file: RecordFile) -> Iterator[Record]:
    """Read the records of a table with a header: documents or queries."""
    # The delimiter is the one in the header: comma, semicolon or tab. Cells may be quoted as in RFC 4180: they can then
    # hold delimiters, line ends and doubled quotation marks. In a table with tabs, a cell that merely begins with a
    # quotation mark, `"Deep" learning`, is taken literally: most such files quote nothing, and each line with as many
    # cells as the header is a row. Blanks after the delimiters are dropped if the header has them too. The column names
    # decide which column holds the id, the title and the text; all other columns are fields. Without an id column the
    # rows are numbered from 1, without a text column the title is searched, and a note says so. A table without a
    # header, whose first row is an id and texts, is read as id, title and text. Blank lines are skipped; a line end
    # within a cell is read as LF. Y. Shafranovich: Common Format and MIME Type for CSV Files. RFC 4180, 2005.
    path, rows = file.source, _rows(file.source)
    header_line, (labels, problem) = next(rows, (0, ([], "")))
    if problem:
        raise malformed(path, header_line, problem)
    if not labels:
        raise DataError(f"{path} is empty; expected a table: a header that names its columns, and rows")
    if len(labels) > _MOST_COLUMNS:
        raise malformed(path, header_line, f"the table has {len(labels):,} columns; at most {_MOST_COLUMNS:,} are read")
    first_rows = list(islice(rows, _MOST_SHOWN))
    rows = chain(first_rows, rows)
    usual = _labels_without_header(labels, [cells for _, (cells, _) in first_rows])
    if usual and {*file.columns.values()} <= {*usual}:
        note(f"{path}: the table has no header; its columns are read as {', '.join(usual)}")
        rows, labels = chain([(header_line, (labels, ""))], rows), usual
    labels = [label.strip() or f"column_{place}" for place, label in enumerate(labels, 1)]
    distinct: set[str] = set()
    for label in labels:
        if label in distinct:
            raise malformed(path, header_line, f"the column '{label}' occurs twice; give each column its own name")
        distinct.add(label)
    parts = parts_with_id(labels, file.columns, (cells for _, (cells, _) in first_rows))
    for part, label in file.columns.items():
        if part not in parts:
            raise malformed(path, header_line, str(unknown("column", label, labels)))
    texts = _longest_texts(labels, [cells for _, (cells, _) in first_rows])
    if not {"title", "text"} & parts.keys():
        missing = without_text(labels, parts, "column", "a header with a column", texts, file.option)
        raise malformed(path, header_line, missing)
    if "text" not in parts:
        note(f"{path}: no column holds the text; the title is searched{longer(texts, 'title', file.option)}")
    names = field_names(labels, parts)
    fields = [(place, names[label]) for place, label in enumerate(labels) if label in names]
    id_place = labels.index(parts["id"]) if "id" in parts else None

    def record(line: int, row: _Row) -> Record:
        cells, problem = row
        if problem:
            raise malformed(path, line, problem)
        file.count += 1
        if len(cells) != len(labels):
            advice = "complete the row" if len(cells) < len(labels) else "quote a cell that holds the delimiter"
            expected = f"expected {len(labels)} cells ({listed_labels(labels, 'column')})"
            raise malformed(path, line, f"{expected}, found {len(cells)}; {advice} or remove it")
        record_id = str(file.count) if id_place is None else cells[id_place].strip()
        if not record_id and not file.unnamed:
            raise malformed(path, line, f"the {parts['id']} is empty; give the row an id or remove it")
        return line, record_id or file.name_of(line), {name: cells[place] for place, name in fields}

    yield from file.records(rows, record, lambda row: ",".join(row[0]))
    if not file.count:
        raise DataError(
            f"{path} holds a header ({listed_labels(labels, 'column')}) and no row; expected one row per record"
        )
    file.finish("" if id_place is not None else "no column holds the ids; the rows")


def _labels_without_header(first: list[str], below: Iterable[list[str]]) -> list[str]:
    """Return the usual labels of a table without a header, whose first row begins with an id; [] if it has one."""
    # A label is no number, and known, or at least without a digit; an id is one word, and some text has several.
    begin, *others = first
    several = any(" " in cell.strip() for row in [first, *below] for cell in row[1:])
    is_number = finite_number(begin) is not None
    if not others or " " in begin.strip() or not several or not any(map(str.isdigit, begin)):
        return []
    if not is_number and (parts_of(first) or not any(" " in cell.strip() for cell in others)):
        return []
    between = [f"column_{place}" for place in range(2, len(first) - 1)]
    return ["id", *between, *["title"][: len(others) - 1], "text"]


def _longest_texts(labels: list[str], rows: Iterable[list[str]]) -> dict[str, str]:
    """Return the longest text of each column that holds no numbers."""
    texts: dict[str, str] = {}
    for row in rows:
        for label, cell in zip(labels, row, strict=False):
            if finite_number(cell) is None and len(cell) > len(texts.get(label, "")):
                texts[label] = cell
    return texts


class _Lines:
    """Lines of a file for the csv module; all lines of the current row but the first can be put back."""

    def __init__(self, lines: Iterator[_Line]) -> None:
        self.lines = lines
        self.waiting: deque[_Line] = deque()
        self.taken: list[_Line] = []
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = self.waiting.popleft() if self.waiting else next(self.lines)
        except StopIteration:
            self.ended = True
            raise
        self.taken.append(line)
        return line[1] + "\n"

    def put_back(self) -> None:
        self.waiting.extendleft(reversed(self.taken[1:]))
        self.ended = False


def _rows(path: str | PathLike[str]) -> Iterator[tuple[int, _Row]]:
    """Yield the rows, the header first, without those of blank cells; a row with a problem has the line as its cell."""
    numbered = numbered_lines(path)
    first = next((line for line in numbered if line[1].strip()), None)
    if first is None:
        return
    lines, delimiter = _Lines(chain([first], numbered)), _delimiter_of(first[1])
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=f"{delimiter} " in first[1])
    width = 0
    while True:
        lines.taken.clear()
        problem = ""
        limit = csv.field_size_limit(_LARGEST_CELL)  # of the csv module, for all that use it
        try:
            cells = next(reader, None)
        except csv.Error:
            cells, problem = [], _misquoted(lines)
        finally:
            csv.field_size_limit(limit)
        if cells is None:
            return
        begin, line = lines.taken[0]
        if delimiter == "\t" and (problem or len(lines.taken) > 1) and _is_unquoted(lines.taken, width, problem):
            cells, problem = line.split("\t"), ""
            lines.put_back()
        elif problem:
            cells = [line]
            lines.put_back()
        if problem or any(map(str.strip, cells)):  # a sheet may end with rows of empty cells
            width = width or len(cells)
            yield begin, (cells, problem)


def _is_unquoted(taken: list[_Line], width: int, problem: str) -> bool:
    """True if a quotation mark between tabs is part of the text: without quoting, the lines are rows."""
    fits = [line.count("\t") + 1 == width for _, line in taken]
    return fits[0] if problem else width > 1 and all(fits)


def _delimiter_of(header: str) -> str:
    def found(delimiter: str) -> tuple[int, int]:
        labels = _labels_of(header, delimiter)
        return len(parts_of(labels)), len(labels)

    return max(_DELIMITERS, key=found)


def _labels_of(header: str, delimiter: str) -> list[str]:
    try:
        return [label.strip() for label in next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return []


def _misquoted(lines: _Lines) -> str:
    if sum(len(text) + 1 for _, text in lines.taken) > _LARGEST_CELL:
        return (
            f"a cell of this row is longer than {_LARGEST_CELL} characters, as it is when a quotation mark is not "
            "closed; close it"
        )
    if lines.ended:
        return "a quotation mark opens in this row and is not closed; close it, or double it if it is part of the text"
    if "\r" in lines.taken[-1][1]:
        return "a carriage return stands outside quotation marks; expected lines that end with LF or CRLF"
    return (
        "text follows a closing quotation mark; write a quotation mark that is part of the text twice, "
        "and quote the whole cell"
    )


def claims_header(source: Source, clues: Clues) -> What | None:
    """Claim a file if its header has the columns that the user names, or those of a run or judgments."""
    plain, form = {*map(plain_label, source.labels)}, "tsv" if source.delimiter == "\t" else "csv"
    for role, columns in clues.columns.items():
        by_id = role if "id" in columns else role_by_id(plain)
        other = role in ("documents", "queries") and by_id not in ("", role)  # its id is that of a query or document
        if columns and {*map(plain_label, columns.values())} <= plain and not other:
            return What(role, "" if role == "qrels" else form, "its header has the columns that are named")
    header = header_of(source.first_lines[0])
    is_sheet = header is not None and header.kind == "qrels" and bool({"judge", "reason"} & plain)
    if header and header.kind and (is_sheet or not holds_text(header.labels)):
        return What(header.kind, "", f"its header names {', '.join(header.places)}")
    return None


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file that begins like a table of documents or queries."""
    header = header_of(source.first_lines[0])
    if not (header and holds_text(header.labels)) and not looks_like_table(source.head.lstrip()):
        return _claims_without_header(source, clues)
    labels, form = source.labels, "tsv" if source.delimiter == "\t" else "csv"
    graded = not holds_text(labels) and _has_grades(source)
    why = f"its columns are {listed_labels(labels, 'column')}"
    return What(role_by_id(labels) or clues.role, form, why, graded=graded)


def _claims_without_header(source: Source, clues: Clues) -> What | None:
    form = unpacked_name(clues.name.lower()).rpartition(".")[2]
    rows = [line.split("\t" if form == "tsv" else source.delimiter) for line in source.first_lines]
    whole = rows if source.whole or len(rows) == 1 else rows[:-1]  # the last one may be cut
    same = form in ("csv", "tsv") and len({*map(len, whole)}) == 1
    if not same or not _labels_without_header(whole[0], whole[1:]):
        return None
    if clues.role == "queries" and form == "tsv" and len(whole[0]) == 2:  # topics, one per line
        return None
    return What(clues.role, form, "its rows are an id and texts, without a header")


def _has_grades(source: Source) -> bool:
    """True if one of at least three columns, from the last, holds only small numbers."""
    lines = source.first_lines
    rows = [line.rstrip("\r").split(source.delimiter) for line in lines[1:-1] or lines[1:]]  # the last may be cut
    if not rows or len(rows[0]) < 3:
        return False
    numbers = [[finite_number(row[-place]) if place <= len(row) else None for row in rows] for place in (1, 2)]
    return any(all(number is not None and -2 <= number <= 10 for number in column) for column in numbers)


def looks_like_table(head: bytes) -> bool:
    """True if a file begins like a table of documents or queries."""
    # Its first line must name several columns without repeats, at least one of them known to hold an id or a text, and
    # the row below must have as many cells. A run or judgments with a header do not count.
    header, _, rest = head.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").lstrip("\r\n").partition("\n")
    delimiter = _delimiter_of(header)
    labels = _labels_of(header, delimiter)
    if (
        len(labels) < 2
        or len(set(labels)) < len(labels)
        or not all(len(label) <= _LONGEST_LABEL and label.isprintable() and not label.endswith(".") for label in labels)
    ):
        return False
    if not {"id", "text"} & parts_of(labels).keys() or ((judged_header := header_of(header)) and judged_header.kind):
        return False
    lines = (line + "\n" for line in rest.split("\n"))
    try:
        row = next((row for row in csv.reader(lines, delimiter=delimiter) if row), labels)
    except csv.Error:
        return False
    cut = next(lines, None) is None  # the beginning may end within the row
    return len(row) == len(labels) or (cut and len(row) < len(labels))
