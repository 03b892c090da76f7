"""Tables of documents or queries: CSV and TSV with a header, one record per row."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest
from operator import methodcaller
from typing import NamedTuple

from toysearch.base import DataError, JoinedText, counted, groups_of, malformed, note, unknown
from toysearch.base.wording import from_spreadsheet
from toysearch.files import (
    Record,
    RecordFile,
    field_names,
    finite_number,
    holds_text,
    listed_labels,
    numbered_lines,
    parts_of,
    plain_label,
    without_text,
)
from toysearch.files.claims import Clues, What
from toysearch.files.columns import (
    NOTHING,
    TableHead,
    has_letters,
    n_words,
    places_of,
    role_by_id,
    role_of_columns,
)
from toysearch.files.labels import DESCRIPTIONS
from toysearch.files.numbers import counts
from toysearch.files.source import Line, Source
from toysearch.files.syntaxes.trec import LOOKED_AT, columns_of_line, is_comment
from toysearch.files.table import KEY, VALUE, Row, Table
from toysearch.files.unpacking import unpacked_name

MARKS = "\t;,|"
"""Separators of cells, in order of precedence."""

_LARGEST_CELL = 1 << 24  # characters; a longer cell means that a quotation mark was never closed
_MISQUOTED = {
    "field larger": "a cell of this row is longer than {} characters, as it is when a quotation mark is not closed; "
    "close it",
    "unexpected end": "a quotation mark opens in this row and is not closed; close it, or double it if it is part of "
    "the text",
    "new-line": "a carriage return stands outside quotation marks; expected lines that end with LF or CRLF",
    "": "text follows a closing quotation mark; write a quotation mark that is part of the text twice, and quote the "
    "whole cell",
}
"""Beginning of an error of the csv module → what is wrong with the row."""
_LONGEST_LABEL = 64
_MOST_COLUMNS = 10_000
_FEW = 3  # rows
_OF_QUALTRICS = '{"ImportId"'
_QUOTED = re.compile(r'"[^"]*"')
_MOST_TITLES = 10  # lines above a header


def read_table(file: RecordFile) -> Iterator[Record]:
    """Read the records of a table with a header: documents or queries."""
    # Tabs separate cells if all lines have as many; else the header decides. Cells may be quoted as in RFC 4180: they
    # can then hold delimiters, line ends and doubled quotation marks. In a table with tabs, a cell that merely begins
    # with a quotation mark, `"Deep" learning`, is taken literally: most such files quote nothing, and each line with as
    # many cells as the header is a row. Blanks after the delimiters are dropped if the header has them too. The column
    # names decide which column holds the id, the title and the text; all other columns are fields. Without an id column
    # the rows are numbered from 1, without a text column the title is searched, and a line says so. A table without a
    # header, whose first row is an id and texts, is read as id, title and text. Blank lines are skipped; a line end
    # within a cell is read as LF. Y. Shafranovich: Common Format and MIME Type for CSV Files. RFC 4180, 2005.
    path, rows = file.source, _rows(file.source, file.form)
    header = next(rows, CellRow(0, []))
    labels, header_line = header.cells, header.line
    if header.problem:
        raise malformed(path, header_line, header.problem)
    if not labels:
        raise DataError(f"{path} is empty; expected a table: a header that names its columns, and rows")
    if len(labels) > _MOST_COLUMNS:
        raise malformed(path, header_line, f"the table has {len(labels):,} columns; at most {_MOST_COLUMNS:,} are read")
    rows, below = _looked_at(rows)
    if n_more := n_of_more_labels(below):
        rows, below = islice(rows, n_more, None), below[n_more:]
    if below and all(len(cells) == len(labels) + 1 and not cells[-1] for cells in below):
        labels = [*labels, ""]  # rows that end with a separator
    usual = _labels_without_header(labels, below) or _labels_of_rows(labels, below)
    if usual and {*file.columns.values()} <= {*usual}:
        file.remark = "no header"
        rows, below, labels = chain([header._replace(cells=labels)], rows), [labels, *below], usual
    written, again = [*labels], list[int]()
    labels = [label.strip() or f"column_{place}" for place, label in enumerate(labels, 1)]
    places = groups_of((label, place) for place, label in enumerate(labels))
    if len(places) < len(labels):
        listed, labels = _with_lists(rows, labels, places), [*places]
        for label in labels:
            if len(places[label]) > 1 and parts_of([label]):
                raise malformed(path, header_line, f"the column '{label}' occurs twice; give each column its own name")
        rows, below = _looked_at(listed)
    parts = file.parts(labels)
    for part, label in file.columns.items():
        if part not in parts:
            raise malformed(path, header_line, str(unknown("column", label, labels)))
    if not parts.keys() - {"id"}:
        head = TableHead.of_rows(labels, below)
        raise malformed(path, header_line, without_text(head, parts, "column", "a header with a column", file.role))
    names = field_names(labels, parts)
    fields = [(place, names[label]) for place, label in enumerate(labels) if label in names]
    id_place = labels.index(parts["id"]) if "id" in parts else None

    def record(line: int, row: CellRow) -> Record:
        cells = row.cells
        if row.problem:
            raise malformed(path, line, row.problem)
        file.count += 1
        record_id = file.numbered() if id_place is None else ""
        if len(cells) != len(labels):
            raise malformed(path, line, _misfit(cells, labels))
        if id_place is not None:
            record_id = cells[id_place].strip()
        if not record_id and not file.unnamed:
            raise malformed(path, line, f"the {parts['id']} is empty; give the row an id or remove it")
        named = file.with_parts({name: cells[place] for place, name in fields}, parts)
        file.n_empty += not (named.get("text") or named.get("title"))
        return line, record_id or file.name_of(line), named

    def below_header() -> Iterator[tuple[int, CellRow]]:
        for row in rows:
            if row.cells == written:  # of another file that was joined to this one
                again.append(row.line)
            else:
                yield row.line, row

    yield from file.records(below_header(), record, lambda row: ",".join(row.cells))
    file.take(labels, parts)
    if again:
        note(f"{path}: the header is repeated on {counted(len(again), 'line')}, the first {again[0]}: left out")
    if n_more:
        note(f"{path}: {counted(n_more, 'row')} of labels below the header: left out")
    if not file.count:
        raise DataError(
            f"{path} holds a header ({listed_labels(labels, 'column')}) and no row; expected one row per record"
        )


def _rows(source: Source, form: str) -> Iterator[CellRow]:
    """Yield the rows, the header first."""
    numbered = numbered_lines(source)
    first = next((line for line in numbered if line[1].strip()), (1, ""))
    begin = [first, *islice(numbered, LOOKED_AT)]
    begin = begin[n_of_title([line for _, line in begin]) :]
    lines = [line for _, line in begin]
    between = _delimiter_of(lines, form)
    return cell_rows(chain(begin, numbered), between, spaced=f"{between} " in lines[0], unit=source.unit)


def n_of_title(lines: Sequence[str]) -> int:
    """Return how many lines stand above the header: titles of fewer cells, and blank ones; 0 without a title.

    The header has as many cells as the row below it, and known names, or a blank row or a padded title above.

    >>> n_of_title(["Stock,,", "of 2023,,", "", "name,kind"]), n_of_title(["name", "a, b"])
    (3, 0)
    >>> n_of_title(["text", "", "a,b"]), n_of_title(["made:,today", "id,title,kind", "1,Oak,tree"])
    (0, 1)
    """
    widest = 0  # cells of the titles so far
    for at, line in enumerate(lines[:_MOST_TITLES]):
        rows = [row for row in lines[at:] if row.strip(NOTHING)]
        between = _delimiter_of(rows or [""])
        cells = _labels_of(line, between)
        labels = [label for label in cells if label]
        if not at and (not labels or parts_of(labels)):
            return 0
        is_known = {"title", "text"} & parts_of(labels).keys() or {"query_id", "doc_id"} <= places_of(labels).keys()
        is_even = all(len(_labels_of(row, between)) == len(cells) for row in rows[1:2])
        above = _labels_of(lines[at - 1], between)
        is_padded = len(above) == len(labels) > 2 and above[0] and not any(above[1:])
        is_named = is_padded and not any(label[:1].isdigit() for label in labels)
        if 0 < widest < len(labels) > 1 and is_even and (is_known or is_named or not any(above)):
            return at
        widest = max(widest, len(labels))
    return 0


def n_of_more_labels(below: Sequence[Sequence[str]]) -> int:
    """Return how many rows below a header have labels too: without numbers where all others have some, as of surveys.

    >>> n_of_more_labels([["Case", "Rooms", "Why?"], *([str(n), "1", "so"] for n in range(5))])
    1
    """
    of_ids = [at for at, row in enumerate(below[:2], 1) if row[0].startswith(_OF_QUALTRICS)]
    first, *others = below or [[]]
    columns = enumerate(_columns_of(others)[: len(first)])
    numbered = [at for at, cells in columns if all(cell[:1].isdigit() for cell in cells)]
    is_unlike = len(others) > _FEW and numbered[:1] == [0] and len(numbered) > 1
    return max(of_ids, default=int(is_unlike and not any(first[at][:1].isdigit() for at in numbered)))


def _with_lists(
    rows: Iterable[CellRow], labels: Sequence[str], places: Mapping[str, Sequence[int]]
) -> Iterator[CellRow]:
    """Yield rows in which the cells below equal labels are one, as a list; places: of each label."""
    for row in rows:
        if len(row.cells) != len(labels):  # as of one with a problem
            yield row._replace(problem=row.problem or _misfit(row.cells, labels))
            continue
        cells = [[row.cells[place] for place in some_of if row.cells[place]] for some_of in places.values()]
        yield row._replace(cells=[JoinedText.joined(texts) for texts in cells])


def _looked_at(rows: Iterator[CellRow]) -> tuple[Iterator[CellRow], list[list[str]]]:
    """Return rows, of which the first are read already, and the cells of these."""
    first_rows = list(islice(rows, LOOKED_AT))
    return chain(first_rows, rows), [row.cells for row in first_rows]


def _misfit(cells: Sequence[str], labels: Sequence[str]) -> str:
    """Say that a row has too few or too many cells."""
    advice = "complete the row" if len(cells) < len(labels) else "quote a cell that holds the delimiter"
    expected = f"expected {len(labels)} cells ({listed_labels(labels, 'column')})"
    return f"{expected}, found {len(cells)}; {advice} or remove it"


def _are_counted(labels: Sequence[str]) -> bool:
    """True if labels are one word with a number each, from 0 or 1 on.

    >>> _are_counted(["v1", "v2", ""]), _are_counted(["d1", "red"]), _are_counted(["v1"])
    (True, False, False)
    """
    found = [re.fullmatch(r"(\D*[^\W\d]_?)(\d{1,3})", label) for label in labels if label]
    numbers = [int(match[2]) for match in found if match]
    is_one = len(found) == len(numbers) > 1 and len({match[1] for match in found if match}) == 1
    return is_one and counts(numbers)


def _labels_without_header(first: list[str], below: Iterable[list[str]]) -> list[str]:
    """Return the usual labels of a table without a header, whose first row begins with an id; [] if it has one.

    >>> _labels_without_header(["1", "Oaks", "a red oak"], []), _labels_without_header(["1", "a red oak", "7"], [])
    (['id', 'title', 'text'], ['id', 'text', 'column_3'])
    >>> _labels_without_header(["ISBN-13", "Book Title"], [["978-3", "The red oak"]])
    []
    """
    # A label is no number, and known, or at least without a digit; an id is one word, and some text has several, mostly
    # of letters, unlike a list of ids. What two rows have in common is no id but a class.
    begin, *others = first
    columns = _columns_of([first, *below])[: len(first)]
    several = any(map(_has_several_words, chain(*columns[1:])))
    if not others or " " in begin.strip() or not several or not any(map(str.isdigit, begin)) or _are_counted(first):
        return []
    if finite_number(begin) is None and (parts_of(first) or not any(" " in cell.strip() for cell in others)):
        return []
    ids = "".join(columns[0][1:])
    if ids and any(map(str.isalpha, begin)) and not any(map(str.isalpha, ids)):
        return []  # as below ISBN-13
    labels = [f"column_{place}" for place in range(1, len(first) + 1)]
    different = [place for place, cells in enumerate(columns[:2]) if len({*cells}) == len(cells)]
    if different and (not different[0] or all(map(str.isdecimal, columns[1]))):
        labels[different[0]] = "id"  # perhaps behind a class
    lengths = [sum(map(len, cells)) for cells in columns[1:]]
    longest = lengths.index(max(lengths)) + 1
    labels[longest] = "text"
    wordy = [place for place in range(1, longest) if 2 * sum(map(_has_several_words, columns[place])) > len(columns[0])]
    if longest == 2 == len(first) - 1 and labels[0] == "id":
        wordy = [1]
    for place in wordy[:1]:
        labels[place] = "title"
    return labels


def _columns_of(rows: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Return the columns of rows, of which some may be shorter than others."""
    return [*zip_longest(*rows, fillvalue="")]


def _has_several_words(cell: str) -> bool:
    return " " in cell.strip() and has_letters(cell)


def _labels_of_rows(first: Sequence[str], below: Sequence[Sequence[str]]) -> list[str]:
    """Return labels for a table whose first row has no known label, and may be like all others; [] if it is unlike.

    >>> _labels_of_rows(["Alder Tools"], [["Birch Marketing"]]), _labels_of_rows(["item", "code"], [["a lamp", "p3"]])
    (['text'], [])
    >>> _labels_of_rows(["what boils?", "a pot", "7"], [["who barks?", "a dog, barking", "8"]])
    ['column_1', 'text', 'column_3']
    """
    if parts_of(first) or not below or _are_counted(first):
        return []
    columns = [[cell for cell in cells if cell.strip()] for cells in _columns_of(below)[: len(first)]]
    for label, cells in zip(first, columns, strict=False):
        if cells and finite_number(label) is None:
            have_digits = all(any(map(str.isdigit, cell)) for cell in cells)
            if min(map(n_words, cells)) >= n_words(label) + 2 or (have_digits and not any(map(str.isdigit, label))):
                return []
    lengths = [sum(map(len, cells)) for cells in columns]
    if len(lengths) == 2 and all(lengths) and finite_number(first[0]) is finite_number(first[1]) is None:
        return ["title", "text"]
    longest = lengths.index(max(lengths))
    labels = [f"column_{place}" for place in range(1, len(first) + 1)]
    labels[longest] = "text"
    return labels


class _Lines:
    """Lines of a file for the csv module; all lines of the current row but the first can be put back."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.lines = iter(lines)
        self.waiting: deque[Line] = deque()
        self.taken: list[Line] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.next_line()
        if line is None:
            raise StopIteration
        self.taken.append(line)
        return line[1] + "\n"

    def next_line(self) -> Line | None:
        return self.waiting.popleft() if self.waiting else next(self.lines, None)

    def put_back(self) -> None:
        self.waiting.extendleft(reversed(self.taken[1:]))


class CellRow(NamedTuple):
    """Cells of a row, or what is wrong with its quotation marks."""

    line: int  # on which it begins
    cells: list[str]
    problem: str = ""
    text: str = ""  # its first line


def cell_rows(
    numbered: Iterable[Line],
    between: str | None,
    *,
    spaced: bool = False,
    ids: bool = False,
    unit: str = "line",
) -> Iterator[CellRow]:
    """Yield the rows of delimited lines, without those of blank cells, and rules below the header between bars.

    between : the separator; None for blanks
    spaced : whether blanks behind a separator are left out
    ids : whether cells are ids and numbers, which lose the blanks around them and the mark of a spreadsheet
    unit : what is numbered: lines, or rows, of which one may have several lines
    """
    lines, width, inside, is_literal = _Lines(numbered), 0, 0, ids and between == "\t"
    reader = csv.reader(lines, delimiter=between or ",", strict=True, skipinitialspace=spaced or ids)
    filled = methodcaller("strip", " :-" if between == "|" else None)
    while (line := lines.next_line()) is not None:
        number, text = line
        if is_literal and not width:  # the first line shows whether all cells are quoted
            is_literal = not all(map(_QUOTED.fullmatch, text.split("\t")))
        if between is None:
            row = CellRow(number, columns_of_line(text), "", text)
        elif ('"' in text and (not is_literal or _quotes(text))) or "\r" in text:
            lines.waiting.appendleft(line)
            row = _quoted(lines, reader, between, width)
            if unit == "row":
                row = row._replace(line=row.line - inside)
                inside += len(lines.taken) - 1
        else:
            cells = text.split(between)
            if ids:
                cells = [cell.strip() for cell in cells]
            elif spaced:
                cells = [cell.lstrip(" ") for cell in cells]
            row = CellRow(number - inside, cells, "", text)
        if row.problem or any(map(filled, row.cells)):  # a sheet may end with rows of empty cells
            width = width or len(row.cells)
            guarded = ids and "'" in text and between not in ("\t", None)
            yield row._replace(cells=[*map(from_spreadsheet, row.cells)]) if guarded else row


def _quotes(text: str) -> bool:
    r"""True if a mark opens the last cell between tabs and is not closed in it, or a cell in marks has doubled ones.

    >>> [_quotes(text) for text in ('q1\t"oak', 'q1\t"[""d1"", ""d2""]"', '"d1"\t"oak" and "elm"')]
    [True, True, False]
    """
    cell = text.rpartition("\t")[2]
    is_open = cell.startswith('"') and (len(cell) == 1 or not cell.endswith('"'))
    return is_open or ('""' in text and any(map(_has_doubled, text.split("\t"))))


def _has_doubled(cell: str) -> bool:
    """True if a cell stands in quotation marks, and all those inside are doubled."""
    inside = cell[1:-1]
    return cell[:1] == cell[-1:] == '"' and '""' in inside and '"' not in inside.replace('""', "")


def _quoted(lines: _Lines, reader: Iterator[list[str]], between: str, width: int) -> CellRow:
    """Read a row with quotation marks, in which a cell may hold line ends."""
    lines.taken.clear()
    problem = ""
    limit = csv.field_size_limit(_LARGEST_CELL)  # of the csv module, for all that use it
    try:
        cells = next(reader, [])
    except csv.Error as error:
        said = next(said for begins, said in _MISQUOTED.items() if str(error).startswith(begins))
        cells, problem = [], said.format(_LARGEST_CELL)
    finally:
        csv.field_size_limit(limit)
    number, text = lines.taken[0]
    if between == "\t" and (problem or len(lines.taken) > 1) and _is_unquoted(lines.taken, width, problem):
        cells, problem = text.split("\t"), ""
        lines.put_back()
    elif problem:
        cells = [text]
        lines.put_back()
    return CellRow(number, cells, problem, text)


def separator_of(lines: Sequence[str]) -> str | None:
    """Return the separator of all of some lines, of which the first may be a header; None for blanks.

    >>> separator_of(["query;doc, score", "q1;a"]), separator_of(["red shoe,a", "lamp,c"]), separator_of(["q1 0 a,b 1"])
    (';', ',', None)
    """
    marks = [mark for mark in MARKS if mark in lines[0]]
    known = {mark: len(places_of(cells_of(lines[0], mark))) for mark in marks}
    best = max(marks, key=known.__getitem__, default=None)
    if best is None or known[best] > 1:
        return best
    words = lines[0].split()
    are_of_trec = is_of_trec(lines[0]) and is_of_trec(lines[-1])  # the first may be a header
    if are_of_trec and (best != "\t" or words[1] in ("0", "Q0") or words[2] == "0"):  # also of SMART
        return None
    widths = {mark: {len(cells_of(line, mark)) for line in lines} for mark in marks}
    same = [mark for mark in marks if len(widths[mark]) == 1 < min(widths[mark]) and all(cells_of(lines[0], mark))]
    if same:
        return same[0]
    at_blanks = {len(columns_of_line(line)) for line in lines}
    return None if len(at_blanks) == 1 < min(at_blanks) else best


def header_of(line: str) -> list[str]:
    r"""Return the labels in a line, or [] for a line that does not name both a query column and a document column.

    >>> header_of("query-id\tcorpus-id\tscore"), header_of("query_id,score")
    (['query-id', 'corpus-id', 'score'], [])
    """
    labels = cells_of(line, separator_of([line]))
    return labels if {"query_id", "doc_id"} <= places_of(labels).keys() else []


def is_of_trec(line: str) -> bool:
    """True if a line has the columns of TREC, whose ids may hold commas and semicolons."""
    words = line.split()
    return len(words) in (4, 6) and finite_number(words[-1 if len(words) == 4 else -2]) is not None


def cells_of(line: str, between: str | None) -> list[str]:
    """Split a line into cells that are ids; none if they are misquoted."""
    return next(iter(rows_in([line], between)), [])


def rows_in(lines: Iterable[str], between: str | None) -> list[list[str]]:
    """Return the cells of the rows in some lines; none of a row that is misquoted."""
    return [[] if row.problem else row.cells for row in cell_rows(enumerate(lines, 1), between, ids=True)]


def headed(source: Source, between: str | None) -> Table:
    """Return the rows below the first line of a file, which names their columns."""
    first = next(cell_rows(_lines_of_head(source), between, ids=True), CellRow(1, []))
    written = [] if first.problem else first.cells
    labels = written
    if len({*written}) < len(written):
        places = {label: at for at, label in reversed([*enumerate(written)])}
        labels = [label if places[label] == at else f"{label} {at + 1}" for at, label in enumerate(written)]
    table = _table_of(source, between, labels, has_header=not first.problem)
    return replace(table, line=first.line, written=() if labels == written else written)


def bare(source: Source, between: str | None, labels: Sequence[str] = ()) -> Table:
    """Return the rows of a file that names no columns; labels: the names of the columns, if all rows have as many."""
    return replace(_table_of(source, between, labels, has_header=False), labels=labels or (KEY, VALUE), form="rows")


def _table_of(source: Source, between: str | None, labels: Sequence[str], *, has_header: bool) -> Table:
    """Return the table of delimited lines; without a header, some may be comments."""

    def rows(numbered: Iterable[Line]) -> Iterator[Row]:
        lines = numbered if has_header else (line for line in numbered if not is_comment(line[1]))
        return _labelled(islice(cell_rows(lines, between, ids=True, unit=source.unit), int(has_header), None), labels)

    head = [*islice(rows(_lines_of_head(source)), LOOKED_AT)]
    return Table(source, labels, head, lambda: rows(numbered_lines(source)), between=between)


def _lines_of_head(source: Source) -> Iterator[Line]:
    return ((number, line.rstrip("\r")) for number, line in enumerate(source.text.split("\n"), 1))


def _labelled(rows: Iterable[CellRow], labels: Sequence[str]) -> Iterator[Row]:
    """Yield the rows with their cells under labels; without any, the others of a row are a list behind its first."""
    for line, cells, problem, text in rows:
        if not labels and not problem:
            yield Row(line, {KEY: cells[0], VALUE: cells[1:]})
        elif not problem and len(cells) == len(labels):
            yield Row(line, dict(zip(labels, cells, strict=True)))
        else:
            expected = f"expected {counted(len(labels), 'column')} ({' '.join(labels)})"
            listed = f"{expected}, found {len(cells)}: '{text.strip()[:80]}'"
            yield Row(line, {}, problem or f"{listed}; complete the line or remove it")


def _is_unquoted(taken: list[Line], width: int, problem: str) -> bool:
    """True if a quotation mark between tabs is part of the text: without quoting, the lines are rows."""
    fits = [line.count("\t") + 1 == width for _, line in taken]
    return fits[0] if problem else width > 1 and all(fits)


def _delimiter_of(lines: Sequence[str], form: str = "") -> str:
    r"""Return the separator of a table: tabs if all lines have as many, else the one by which the first names most.

    form : "tsv" if tabs separate where no label is known

    >>> _delimiter_of(["0\tRed, green, blue.", "1\tA war."]), _delimiter_of(["id,a\tb", "1,c"])
    ('\t', ',')
    """
    even = even_mark(lines, "\t|;")
    if even == "\t":
        return even

    def found(delimiter: str) -> tuple[int, bool, int]:
        labels = _labels_of(lines[0], delimiter)
        is_meant = len(labels) > 1 and ((delimiter, form) == ("\t", "tsv") or (delimiter == even and len(lines) > 1))
        return len(parts_of(labels)), is_meant, len(labels)

    return max("\t,;|", key=found)


def even_mark(lines: Sequence[str], marks: str) -> str:
    """Return the first of some marks that stands as often on each line; "" without one.

    >>> even_mark(["1|Oak|a tree, tall", "2|Elm|a tree"], ";|"), even_mark(["oaks; elms", "figs"], ";|")
    ('|', '')
    """
    counts = {mark: {line.count(mark) for line in lines if line.strip()} for mark in marks}
    return next((mark for mark in marks if len(counts[mark]) == 1 and 0 not in counts[mark]), "")


def _labels_of(header: str, delimiter: str) -> list[str]:
    try:
        return [label.strip() for label in next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return []


def claims_header(source: Source, clues: Clues) -> What | None:
    """Claim a file if its header has the columns that the user names, or those of a run or judgments."""
    labels, form = source.labels, "tsv" if source.delimiter == "\t" else "csv"
    plain = {*map(plain_label, labels)}
    for role, columns in clues.columns.items():
        by_id = role if "id" in columns else role_by_id(plain)
        other = role in ("documents", "queries") and by_id not in ("", role)  # its id is that of a query or document
        if columns and {*map(plain_label, columns.values())} <= plain and not other:
            return What(role, "" if role == "qrels" else form, "its header has the columns that are named")
    rows = clues.rows
    is_sheet = rows.role == "qrels" and bool({"judge", "reason"} & plain)
    is_of_rows = rows.form == "table" and bool(rows.role) and (is_sheet or not holds_text(plain))
    if clues.place == "documents" and is_of_rows and not plain.isdisjoint(DESCRIPTIONS):
        return What("documents", form, "it has a column of texts")
    return rows._replace(form="") if is_of_rows else None


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file that begins like a table of documents or queries."""
    if not holds_text(header_of(source.first_lines[0])) and not looks_like_table(source.head.lstrip(b" \r\n")):
        return _claims_without_header(source, clues)
    labels, form = source.labels, "tsv" if source.delimiter == "\t" else "csv"
    graded = not holds_text(labels) and _has_grades(source)
    why = f"its columns are {listed_labels(labels, 'column')}"
    return What(role_by_id(labels) or clues.role, form, why, graded=graded)


def _claims_without_header(source: Source, clues: Clues) -> What | None:
    form = unpacked_name(clues.name.lower()).rpartition(".")[2]
    first, *below = rows_in(source.first_lines, "\t" if form == "tsv" else source.delimiter) or [[]]
    if all(len(row) == len(first) + 1 and not row[-1] for row in below):
        below = [row[:-1] for row in below]
    same = all(len(row) == len(first) for row in below)
    if form not in ("csv", "tsv"):
        is_tabbed = same and source.delimiter == "\t"
        is_even = is_tabbed or even_mark(source.first_lines, "|;") != ""
        if not is_even or not below or clues.place != "documents":
            return None
        form, marks = ("tsv", "tabs") if is_tabbed else ("csv", "marks")
        return What(clues.role, form, f"its lines have as many {marks} each")
    if not (first and same and _labels_without_header(first, below)):
        return None
    if clues.role == "queries" and form == "tsv" and len(first) == 2:  # topics, one per line
        return None
    return What(clues.role, form, "its rows are an id and texts, without a header")


def form_of_rows(source: Source) -> str:
    """Return the format of a file by its rows, if all have as many cells as the first, which names them; else ""."""
    if source.text.lstrip()[:1] in "{[<":
        return ""
    lines = source.lines
    between = _delimiter_of(lines[:LOOKED_AT], "tsv")
    rows = [row.cells for row in cell_rows(enumerate(lines), between, spaced=True)]
    if not rows:
        return ""
    labels, *below = rows
    below = below if source.whole else below[:-1]  # the last one may be cut
    is_named = not _labels_of_rows(labels, below) if len(labels) > 1 else holds_text(labels)
    if not is_named or {*map(len, below)} != {len(labels)}:
        return ""
    return "tsv" if between == "\t" else "csv"


def _has_grades(source: Source) -> bool:
    """True if one of at least three columns, from the last, holds only small numbers."""
    rows = [line.rstrip("\r").split(source.delimiter) for line in source.first_lines[1:]]
    if not rows or len(rows[0]) < 3:
        return False
    numbers = [[finite_number(row[-place]) if place <= len(row) else None for row in rows] for place in (1, 2)]
    return any(all(number is not None and -2 <= number <= 10 for number in column) for column in numbers)


def looks_like_table(head: bytes) -> bool:
    """True if a file begins like a table of documents or queries."""
    # Its first line must name several columns without repeats, at least one of them known to hold an id or a text, and
    # the row below must have as many cells. A run or judgments with a header do not count.
    header, _, rest = head.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").lstrip("\r\n").partition("\n")
    delimiter = _delimiter_of([header])
    labels = _labels_of(header, delimiter)
    if (
        len(labels) < 2
        or len(set(labels)) < len(labels)
        or not all(len(label) <= _LONGEST_LABEL and label.isprintable() and not label.endswith(".") for label in labels)
    ):
        return False
    judged = header_of(header)
    if not {"id", "text"} & parts_of(labels).keys() or (judged and role_of_columns(judged, places_of(judged))):
        return False
    lines = (line + "\n" for line in rest.split("\n"))
    try:
        row = next((row for row in csv.reader(lines, delimiter=delimiter) if row), labels)
    except csv.Error:
        return False
    cut = next(lines, None) is None  # the beginning may end within the row
    return len(row) == len(labels) or (cut and len(row) < len(labels))
