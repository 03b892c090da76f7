"""Columns of TREC lines: one line by itself, or many at once as numpy arrays.

Start with `trec_rows`, which reads lines one by one. `scanned` reads all of a file, or returns None for what it does
not understand.

Many lines are read as arrays of where their columns begin and end, their bytes, and the numbers that they denote. A
text of up to eight bytes is one *word*, a number of 64 bits whose lowest byte is the first character. Comparing,
hashing and reading digits are then a few operations on whole arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from toysearch.base import GroupedIds, Identifiers, count_each, repeat_each
from toysearch.base.encoded_texts import WORD, too_wide
from toysearch.base.plain_or_compiled import compiled
from toysearch.files.claims import Clues, What, named_like_text
from toysearch.files.numbers import finite_number, not_a_number
from toysearch.files.problems import Problems
from toysearch.files.source import Line, Source, raw_blocks


class TrecColumns(NamedTuple):
    """Layout of a kind of file: its column names, and the column and type of its value."""

    holds: str
    columns: tuple[str, ...]
    value: int  # the column of the value
    number: Callable[[str], float | None]
    codes: str = ""  # what it may be, if not any number
    rank: int = -1  # the column that holds a whole number
    same: int = -1  # the column that is the same on all lines of a usual file

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


def score_of(text: str) -> float | None:
    """Return the score that a text denotes, which may be infinite (the logarithm of 0) but not NaN; else None."""
    return float(text) if _INFINITE.fullmatch(text) else finite_number(text)


RUN = TrecColumns("a run", ("query_id", "Q0", "doc_id", "rank", "score", "tag"), 4, score_of, rank=3, same=5)
QRELS = TrecColumns("judgments", ("query_id", "iteration", "doc_id", "relevance"), 3, finite_number, same=1)
_WHITE_SPACE = " \t\n\v\f\r"  # isspace in C, as in trec_eval: a no-break space belongs to an id
_SEPARATORS = re.compile("[\x1c-\x1f]")  # ASCII white space in Python, but not in C
_SEPARATOR = re.compile(f"[{_WHITE_SPACE}]+")
_RANK = re.compile(r"[+-]?[0-9]+(?:\.0*)?")
"""A whole number; data frames write it as 1.0 where a rank is missing."""

_INFINITE = re.compile(r"\s*[+-]?inf(?:inity)?\s*", re.IGNORECASE | re.ASCII)
_LIKE_ID = r"\d|\w[._/:-]\w"
_SHOWING = 10  # lines that show the columns
LOOKED_AT = 200
"""Most lines that show a layout."""

_RUN = What("run", "trec", "its lines have six columns, the fifth a number")
_JUDGMENTS = What("qrels", "trec", "its lines have four columns, the last a number")
_ID = r"\w[\w./-]*"  # without a mark of a comment, of JSON, of a table or of LETOR
_MEASURE = re.compile(
    r"(?:runid|num_\w+|(?:gm_|set_|iprec_|11pt_)?(?:map|P|F|recall|success|ndcg|bpref|infAP|Rprec|recip_rank|avg|utility|"
    r"relstring|relative_P|at_recall)(?:_[\w.]+)?)\s"
)
_CERTAIN = {
    _RUN: rf"(?a){_ID}(?P<by>\t| +)Q0(?P=by){_ID}(?P=by)\d+(?P=by)-?\d{{1,20}}(?:\.\d+)?(?P=by){_ID}\s*",
    _JUDGMENTS: rf"(?a){_ID}(?P<by>\t| +)0(?P=by){_ID}(?P=by)-?\d{{1,20}}\s*",
}
"""What can be nothing else → its lines."""


def certain_rows(source: Source) -> What | None:
    """Claim lines without a header that no other layout has, as most files of runs and judgments do."""
    # A header holds no numbers, lines of word counts or of LETOR have colons, and other programs write no second column
    # that is always 0 or Q0. With blanks and tabs mixed, a line may also be a pair with blanks in its cells.
    lines = [*islice(filter(str.strip, source.text.split("\n")), LOOKED_AT)]
    fits = (what for what, line in _CERTAIN.items() if all(re.fullmatch(line, row) for row in lines))
    return next(fits, None) if lines else None


def claims_values(source: Source) -> What | None:
    """Claim what trec_eval prints: names of measures, each with queries or all of them, and values."""
    if not any(map(_MEASURE.match, source.first_lines[:1])):
        return None
    rows = [*map(columns_of_line, filter(str.strip, source.lines))]
    if not all(len(row) == 3 and _MEASURE.match(f"{row[0]} ") for row in rows):
        return None
    several = len({row[0].rstrip("_.0123456789") for row in rows}) > 1 or any(row[1] == "all" for row in rows)
    return What("values", "values", "its lines begin with names of measures") if several else None


def claims_rows(rows: Sequence[list[str]]) -> What | None:
    """Claim the rows of a file without a header as a run or judgments, by the first one that fits."""
    rows = rows[:_SHOWING]
    without_grades = all(len(row) == 4 and row[2] == "0" and finite_number(row[3]) == 0 for row in rows)
    if without_grades and any(row[1] != "0" for row in rows):  # else TREC, with a document 0
        return What("qrels", "smart", "its lines have four columns, of which two are 0")
    fitting = [(row, what) for row in rows if (what := _of_row(row))]
    if not fitting:  # wrong scores are refused with their line, where nothing but a run has the other columns
        only_scores = all(len(row) == 6 and row[1] == "Q0" and row[3].isdecimal() for row in rows)
        return _RUN if only_scores else None
    alike = [row for row, what in fitting if what == fitting[0][1]]
    if fitting[0][1].form == "three" and 2 * len(alike) < len(rows):
        return None
    is_header = alike == rows[:1] != rows and len({*map(len, rows)}) == 1  # of numbers
    if fitting[0][1] == _RUN and (is_header or all(_varies(alike, place) for place in (1, 5)) or _have_grades(alike)):
        return None  # without Q0 and tag, or above other rows
    return fitting[0][1]._replace(sure=2 * len(alike) >= len(rows) and _have_ids(alike))


def _have_grades(rows: Sequence[list[str]]) -> bool:
    """True if what would be ranks repeats beside numbers for tags, as grades of several kinds do."""
    ranks, tags = {(row[0], row[3]) for row in rows}, [row[5] for row in rows]
    are_numbers = _varies(rows, 5) and all(finite_number(tag) is not None for tag in tags)
    return len(ranks) < len(rows) and are_numbers and all(row[1] != RUN.columns[1] for row in rows)


def _varies(rows: Sequence[list[str]], place: int) -> bool:
    return len({row[place] for row in rows}) > 1


def _of_row(row: list[str]) -> What | None:
    """Claim a line by its columns."""
    if re.fullmatch(r"\S+:( \S+)?", row[0]):  # a query before the list of its documents
        return None
    if (len(row) == 6 or (len(row) > 6 and finite_number(row[3]) is not None)) and score_of(row[4]) is not None:
        return _RUN
    if len(row) == 4 and finite_number(row[3]) is not None:
        return _JUDGMENTS
    if len(row) == 3 and finite_number(row[2]) is not None:
        return What("qrels", "three", "its lines have three columns, the last a number")
    return None


def _have_ids(rows: list[list[str]]) -> bool:
    """True if lines that have the columns of a run or of judgments have ids too, as sentences do not."""
    width = len(rows[0])
    if width >= len(RUN.columns):
        return all(row[1] == "Q0" or finite_number(row[3]) is not None for row in rows)
    places = (0, 2) if width == len(QRELS.columns) else (0, 1)
    ids = [[bool(re.search(_LIKE_ID, row[place])) for place in places] for row in rows]
    several = len(rows) > 1 or width == len(QRELS.columns)
    return all(row[1] in ("0", "Q0") or (any(are) if several else all(are)) for row, are in zip(rows, ids, strict=True))


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file if all its first lines have the columns of a run or of judgments, but not a text."""
    rows = [line.split() for line in source.first_lines]
    width, name = len(rows[0]), clues.name.rpartition("/")[2].lower()
    if "rel" in name and width in (3, 4) and finite_number(rows[0][-1]) is not None:
        return What("qrels", "trec", "its name is that of judgments")  # the reader reports a malformed line
    if not clues.rows.sure and ("." not in name or named_like_text(name)):
        return None
    if width > len(RUN.columns) or not all(len(row) == width and _of_row(row) for row in rows):
        return None
    if width == len(RUN.columns):
        return _RUN._replace(sure=clues.rows.sure)
    return What("qrels", "trec", f"its lines have {width} columns, the last a number", clues.rows.sure)


def trec_rows(lines: Iterable[Line], layout: TrecColumns, problems: Problems) -> Iterator[tuple[int, list[str], float]]:
    """Yield the number, the columns and the value of each line, read one by one; lines without data are skipped."""
    for number, line in lines:
        columns = run_columns(line) if layout is RUN else columns_of_line(line)
        if len(columns) != len(layout.columns):
            if columns and not is_comment(line):
                problems.add(number, _wrong_columns(layout, columns, line))
            continue
        text = columns[layout.value]
        value = layout.number(text)
        has_rank = layout is not RUN or is_rank(columns[RUN.rank])
        if value is not None and has_rank:
            yield number, columns, value
        elif is_comment(line):
            continue
        elif value is not None:
            rank = columns[RUN.rank]
            problems.add(number, f"expected a whole number as rank, the fourth column, found '{rank}'")
        else:
            value_of = layout.columns[layout.value]
            odd = f"expected {layout.codes} as {value_of}, found '{text}'" if layout.codes else ""
            problems.add(number, odd or not_a_number(value_of, text))


def run_columns(line: str) -> list[str]:
    """Split a line of a run into columns; text after the tag is ignored, as in trec_eval."""
    columns = columns_of_line(line)
    if len(columns) <= len(RUN.columns):
        return columns
    _, _, _, rank, score, tag, *_ = columns
    is_cut_id = is_rank(score) and score_of(tag) is not None  # rank and score: the id is "b 7", not b
    fits = is_rank(rank) and score_of(score) is not None and not is_cut_id
    return columns[: len(RUN.columns)] if fits else columns


def is_rank(text: str) -> bool:
    """True if a column holds a whole number, as that of the rank does.

    >>> [is_rank(text) for text in ("1", "-1", "1.0", "1.5", "b")]
    [True, True, True, False, False]
    """
    return _RANK.fullmatch(text) is not None


def is_comment(line: str) -> bool:
    """True if a line without data is a comment: it begins with ``#``, as in trec_eval 10, or describes an NTCIR run."""
    return line.lstrip().startswith(("#", "<SYSDESC>"))


def data_lines(source: Source) -> list[str]:
    """Return the first lines of a file, without comments."""
    return [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT) if not is_comment(line)]


def columns_of_line(line: str) -> list[str]:
    """Split a line into columns at C white space only."""
    if line.isascii() and not _SEPARATORS.search(line):
        return line.split()  # which is faster, and finds the same white space as C here
    return _SEPARATOR.split(line.strip(_WHITE_SPACE))


def _wrong_columns(layout: TrecColumns, columns: list[str], line: str) -> str:
    excerpt = line.strip() if len(line) <= 80 else line.strip()[:77] + "…"
    problem = f"expected {layout}, found {len(columns)}: '{excerpt}'"
    if layout is RUN and len(columns) > len(RUN.columns) and "Q0" in columns[:3]:
        return f"{problem}; an id holds no blank here: write a table, with the header query_id,doc_id,score"
    mark = next((mark for mark in ",;|" if len(line.split(mark)) == len(layout.columns)), "")
    if len(columns) == 1 and mark:
        return f"{problem}; it has {mark} between its columns: write blanks"
    return f"{problem}; complete the line or remove it"


class Scanned(NamedTuple):
    """Rows of a file, query by query."""

    query_ids: list[str]  # in the order of their first lines
    offsets: np.ndarray  # (len(query_ids) + 1,) int64; the first row of each query
    doc_ids: GroupedIds  # one per row; unique within a query
    values: np.ndarray  # one per row
    tag: str  # the column that all lines share
    again: Sequence[tuple[int, int]] = ()  # the lines of judgments that repeat another one, and that line, from 0


_LARGE_BLOCK = 1 << 20  # bytes read at a time: the arrays of their columns stay in the cache
_KEPT = 1 << 24
"""After an array of this size, malloc of Linux keeps freed memory, which otherwise is mapped again for each block."""
_ROOM = 1.1  # places for rows, for each of those expected from the first block; memory never written takes no space
_MOST_ROOM = 1 << 26  # rows; a file may claim a size that it does not fill
_QUERY_ID, _DOC_ID = 0, 2  # columns
_WIDTHS = (2, 8)  # words of the ids that are read by the compiled loop
_TENS = 10.0 ** np.arange(2 * WORD)


def scanned(source: Source, layout: TrecColumns) -> Scanned | None:
    """Read the rows of a file, or None for a file that must be read line by line."""
    # Such a file is malformed or empty, names sub-topics or several systems, repeats a document with another grade or
    # in a run, is not valid UTF-8, or has very long ids.
    np.empty(_KEPT, dtype=np.uint8)
    with source.open() as file:
        if source.begun.encoding:
            return None
        rows = _Rows(source.size)
        for block in map(partial(_block_of, layout), raw_blocks(source, file, _LARGE_BLOCK)):
            if block is None:
                return None
            rows.add(block)
    return rows.grouped(layout)


class _Block(NamedTuple):
    ids: Identifiers
    values: np.ndarray
    queries: list[tuple[int, bytes]]  # the first row of lines of one query, and the query
    size: int  # bytes
    same: bytes = b""  # what all lines have: the tag of a run, the second column of judgments


def _block_of(layout: TrecColumns, data: bytes) -> _Block | None:
    """Return the rows of complete lines; None if they must be read one by one, as several sub-topics or tags are."""
    data = data if data.endswith(b"\n") else data + b"\n"
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    if compiled():
        for width in _WIDTHS:
            if block := _compiled_block_of(layout, data, width):
                return block
    columns = byte_columns(data, len(layout.columns))
    if columns is None:
        return None
    queries, ids, values = columns.ids(_QUERY_ID), columns.ids(_DOC_ID), _values_of(columns, layout)
    if queries is None or ids is None or values is None or (layout is RUN and not columns.whole(RUN.rank)):
        return None
    if not values.size:
        return _Block(ids, values, [], len(data))
    if not columns.alike(layout.same):
        return None
    firsts = [0, *(np.flatnonzero((queries.words[1:] != queries.words[:-1]).any(axis=1)) + 1).tolist()]
    changes = [(row, columns.raw(_QUERY_ID, row)) for row in firsts]
    return _Block(ids, values, changes, len(data), columns.raw(layout.same, 0))


def _compiled_block_of(layout: TrecColumns, data: bytes, width: int) -> _Block | None:
    """Read usual lines whose ids have at most so many words; None for other lines, or without any."""
    from toysearch.compiled.trec_lines import read

    n_columns = len(layout.columns)
    most = len(data) // (2 * n_columns) + 1
    words, values = np.empty((most, width), dtype=np.uint64), np.empty(most)
    firsts, others = np.empty((most, 3), dtype=np.int64), np.empty((most, 3), dtype=np.int64)
    text = np.frombuffer(data, dtype=np.uint8)
    n, n_firsts, n_others, longest = read(
        text, n_columns, layout.value, layout.rank, layout.same, _TENS, words, values, firsts, others
    )
    if n <= 0 or too_wide(n, -(-longest // WORD), len(data)):
        return None
    rows = others[:n_others]
    if n_others and not _filled(values, rows[:, 0], [data[start:stop] for _, start, stop in rows.tolist()], layout):
        return None
    ids = Identifiers(np.array(words[:n, : -(-longest // WORD)]))
    queries = [(row, data[start:stop]) for row, start, stop in firsts[:n_firsts].tolist()]
    same = data.split(maxsplit=layout.same + 1)[layout.same]
    return _Block(ids, values[:n].copy(), queries, len(data), same)


def _values_of(columns: ByteColumns, layout: TrecColumns) -> np.ndarray | None:
    values, others = columns.numbers(layout.value)
    texts = [columns.raw(layout.value, row) for row in others.tolist()]
    return values if _filled(values, others, texts, layout) else None


def _filled(values: np.ndarray, others: np.ndarray, texts: list[bytes], layout: TrecColumns) -> bool:
    try:
        values[others] = list(map(float, texts))
    except ValueError:
        values[others] = np.nan
    if b"_" in b"".join(texts) or not np.isfinite(values[others]).all():
        numbers = [layout.number(text.decode()) for text in texts]
        if None in numbers:
            return False
        values[others] = numbers
    return True


class _Column:
    """Column that grows block by block in one array: parts that are joined at the end would take its space twice."""

    def __init__(self, part: np.ndarray, room: int) -> None:
        self._cells = np.empty((max(room, len(part)), *part.shape[1:]), part.dtype)
        self._size = 0
        self.add(part)

    def add(self, part: np.ndarray) -> None:
        stop = self._size + len(part)
        if stop > len(self._cells):
            larger = np.empty((2 * stop, *part.shape[1:]), part.dtype)
            larger[: self._size] = self.cells
            self._cells = larger
        self._cells[self._size : stop] = part
        self._size = stop

    @property
    def cells(self) -> np.ndarray:
        return self._cells[: self._size]


class _Rows:
    def __init__(self, expected_size: int) -> None:
        self._expected_size = expected_size  # bytes; a packed file has more
        self._size = 0
        self._words: list[_Column] = []  # another one after each change of width
        self._columns: tuple[_Column, ...] = ()  # the hashes and the values
        self._same: set[bytes] = set()
        self._numbers: dict[bytes, int] = {}
        self._changes: list[np.ndarray] = []  # the number of a query, and how many lines of it follow each other

    def add(self, block: _Block) -> None:
        self._size += block.size
        if not block.queries:
            return
        self._same.add(block.same)
        firsts, queries = zip(*block.queries, strict=True)
        numbers = [self._numbers.setdefault(query, len(self._numbers)) for query in queries]
        sizes = np.diff(firsts, append=block.values.size)
        self._changes.append(np.array([numbers, sizes]))
        hashes = block.ids.in_groups(repeat_each(numbers, sizes))  # while they are in the cache
        parts, room = (hashes, block.values), 0
        if self._columns:
            for column, part in zip(self._columns, parts, strict=True):
                column.add(part)
        else:
            room = min(_MOST_ROOM, int(_ROOM * block.values.size * self._expected_size / block.size))
            self._columns = tuple(_Column(part, room) for part in parts)
        if self._words and self._words[-1].cells.shape[1] == block.ids.words.shape[1]:
            self._words[-1].add(block.ids.words)
        else:
            self._words.append(_Column(block.ids.words, room))

    def grouped(self, layout: TrecColumns) -> Scanned | None:
        """Return the rows query by query; None if there are none, or a document is repeated otherwise than judged."""
        several = [Identifiers(column.cells) for column in self._words]
        n_rows = sum(len(ids.words) for ids in several)
        width = max((ids.words.shape[1] for ids in several), default=0)
        if not n_rows or len(self._same) > 1 or too_wide(n_rows, width, self._size):
            return None
        ids = several[0] if len(several) == 1 else Identifiers.joined(several)
        hashes, values = (column.cells for column in self._columns)
        numbers, sizes = np.concatenate(self._changes, axis=1)
        offsets = np.append(0, count_each(numbers, sizes).astype(np.int64).cumsum())
        order, again = None, list[tuple[int, int]]()
        if (numbers[1:] < numbers[:-1]).any():  # the lines of different queries are interleaved
            order = np.argsort(repeat_each(numbers, sizes), kind="stable")
            doc_ids, values = GroupedIds.of(Identifiers(ids.words[order]), offsets), values[order]
        elif len(several) > 1:
            doc_ids = GroupedIds.of(ids, offsets)
        else:
            doc_ids = GroupedIds(ids, offsets, hashes)
        if doc_ids.repeated():
            rows, firsts = _repeats(doc_ids, values)
            if layout is RUN or not rows.size:
                return None
            lines = [row if order is None else order[row] for row in (rows, firsts)]
            again = sorted(zip(*(line.tolist() for line in lines), strict=True))
            kept = np.delete(np.arange(n_rows), rows)
            offsets, values = np.searchsorted(kept, offsets), values[kept]
            doc_ids = GroupedIds(Identifiers(doc_ids.ids.words[kept]), offsets, doc_ids.hashes[kept])
        values.flags.writeable = False
        (same,) = self._same
        return Scanned([raw.decode() for raw in self._numbers], offsets, doc_ids, values, same.decode(), again)


def _repeats(doc_ids: GroupedIds, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that repeat an id of their group with its value, and the rows before; none if one differs."""
    order = np.argsort(doc_ids.hashes, kind="stable")
    rising = doc_ids.hashes[order]
    at = np.flatnonzero(rising[1:] == rising[:-1])
    firsts, rows = order[at], order[at + 1]
    words, groups = doc_ids.ids.words, np.searchsorted(doc_ids.offsets, order, side="right")
    same = (words[rows] == words[firsts]).all(axis=1) & (values[rows] == values[firsts])
    is_same = (same & (groups[at] == groups[at + 1])).all()
    return (rows, firsts) if is_same else (rows[:0], rows[:0])


_BEFORE, _AFTER = 2 * WORD, WORD
"""Bytes around a block, so that every word lies inside the array."""

_ALL = (1 << 64) - 1
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # masks of the first bytes
_LAST = np.array([_ALL ^ (_ALL >> 8 * count) for count in range(WORD + 1)], dtype=np.uint64)  # of the last ones


def _each(byte: int) -> np.uint64:
    """Return the word in which each byte is the given one."""
    return np.uint64(byte * 0x0101010101010101)


_ONES, _HIGH_BITS, _ZEROS, _ABOVE_NINE = map(_each, (1, 128, ord("0"), 128 - 10))
_POINT = np.uint64(ord(".") ^ ord("0"))
_POINTS = _each(int(_POINT))
_PAIRS = np.uint64(0x000000FF000000FF)  # of the four, every other one
_FIRST_PAIRS, _SECOND_PAIRS = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))
_POWERS = 10 ** np.arange(2 * WORD, dtype=np.uint64)
_EXACT = np.uint64(1 << 53)  # up to here a 64-bit float holds every whole number


class ByteColumns(NamedTuple):
    """Columns of a block of lines."""

    text: np.ndarray  # uint8; the block, with other bytes around it
    ends: np.ndarray  # (n_lines · width + 1,) int64; where the line before ends, and then each column
    width: int

    @property
    def _words(self) -> np.ndarray:
        """Eight bytes that begin at each place: a view of the text whose items overlap."""
        return np.ndarray((self.text.size - WORD + 1,), f"V{WORD}", self.text, strides=(1,))

    def places(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Return where a column begins and ends, one per line."""
        return self.ends[column : -1 : self.width] + 1, np.ascontiguousarray(self.ends[column + 1 :: self.width])

    def raw(self, column: int, line: int) -> bytes:
        """Return the bytes of a column of a line."""
        place = line * self.width + column
        return self.text[self.ends[place] + 1 : self.ends[place + 1]].tobytes()

    def ids(self, column: int) -> Identifiers | None:
        """Return a column as ids; None if a few long ones would make it much larger than the text."""
        starts, stops = self.places(column)
        lengths = stops - starts
        width = -(-int(lengths.max(initial=1)) // WORD)
        if too_wide(starts.size, width, self.text.size):
            return None
        words = np.zeros((starts.size, width), dtype=np.uint64)
        for place in range(width):
            some = np.flatnonzero(lengths > WORD * place) if place else slice(None)
            remaining = np.minimum(lengths[some] - WORD * place, WORD)
            words[some, place] = self._words[starts[some] + WORD * place].view("<u8") & _FIRST[remaining]
        return Identifiers(words)

    def whole(self, column: int) -> bool:
        """True if all cells of a column are whole numbers of at most eight digits."""
        starts, stops = self.places(column)
        marks = self.text[starts]
        signed = marks < ord("0")
        lengths = stops - starts - signed
        if lengths.min(initial=1) < 1 or lengths.max(initial=1) > WORD or {*marks[signed].tobytes()} - {*b"+-"}:
            return False
        digits = (self._words[stops - WORD].view("<u8") ^ _ZEROS) & _LAST[lengths]
        return not _others(digits).any()

    def alike(self, column: int) -> bool:
        """True if all cells of a column are the same."""
        starts, stops = self.places(column)
        length = int(stops[0] - starts[0])
        words = (self._words[starts + at].view("<u8") & _FIRST[min(length - at, WORD)] for at in range(0, length, WORD))
        return bool((stops - starts == length).all() and all((word == word[0]).all() for word in words))

    def numbers(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Read the numbers in a column, and the lines whose number has to be read by Python's float."""
        # Read here are up to 16 characters: a whole number that a float holds over a power of ten that it holds is
        # rounded once, as in Python. Each byte becomes the value of its digit, in a low and a high word.
        starts, stops = self.places(column)
        negative = self.text[starts] == ord("-")
        lengths = stops - starts - negative
        low = (self._words[stops - WORD].view("<u8") ^ _ZEROS) & _LAST[np.minimum(lengths, WORD)]
        low, n_decimals, pointed = _without_point(low)
        long = np.flatnonzero(lengths > WORD)
        high = (self._words[stops[long] - 2 * WORD].view("<u8") ^ _ZEROS) & _LAST[
            np.minimum(lengths[long] - WORD, WORD)
        ]
        moved = pointed[long]  # the digits above a point in the low word
        low[long] |= np.where(moved, high >> np.uint64(56), np.uint64(0))
        other, n_others, also_pointed = _without_point(high)
        high = np.where(moved, high << np.uint64(8), other)
        n_decimals[long] += np.where(also_pointed & ~moved, n_others + WORD, 0)
        pointed[long] |= also_pointed
        digits, unknown = _number(low), _others(low)
        digits[long] += _number(high) * _POWERS[WORD]
        unknown[long] |= _others(high)
        readable = (unknown == 0) & (lengths > pointed) & (lengths <= 2 * WORD) & (digits <= _EXACT)
        values = digits / _POWERS[n_decimals].astype(np.float64)
        return np.where(negative, -values, values), np.flatnonzero(~readable)


def _without_point(words: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    differs = words ^ _POINTS
    points = (differs - _ONES) & ~differs & _HIGH_BITS  # the lowest bit set is in the first byte that does not differ
    at = (points & -points) >> np.uint64(7)  # the lowest bit of that byte; 0 without a point
    pointed = at > 0
    before = words & (at - pointed)
    behind = np.bitwise_count(-(at << np.uint64(8))) >> 3
    return words - at * _POINT + before * np.uint64(255), behind, pointed  # before · 256 is a byte further on


def _others(words: np.ndarray) -> np.ndarray:
    """Return 0 where all bytes of words are values of digits."""
    return np.asarray((words | (words + _ABOVE_NINE)) & _HIGH_BITS)


def _number(words: np.ndarray) -> np.ndarray:
    """Return the whole numbers whose eight digits are the bytes of words."""
    # Two neighbours become one number, then four, then eight; multiplying moves the first of two above the second.
    pairs = words * np.uint64(10) + (words >> np.uint64(8))
    first, second = pairs & _PAIRS, (pairs >> np.uint64(16)) & _PAIRS
    return np.asarray((first * _FIRST_PAIRS + second * _SECOND_PAIRS) >> np.uint64(32))


def byte_columns(data: bytes, width: int) -> ByteColumns | None:
    """Return the columns of complete lines; None unless each line has that many."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if columns := _separated(data, width):
        return columns
    rows = [line.split() for line in data.split(b"\n")]  # bytes are split at the white space of C
    return _separated(b"".join([b" ".join(row) + b"\n" for row in rows if row]), width)


def _separated(data: bytes, width: int) -> ByteColumns | None:
    text = np.frombuffer(b"\n" * _BEFORE + data + b"\n" * _AFTER, dtype=np.uint8)
    ending = text <= 32
    empty_columns = ending[_BEFORE:-_AFTER] & ending[_BEFORE - 1 : -_AFTER - 1]
    ends = np.flatnonzero(ending)[_BEFORE - 1 : -_AFTER]
    marks = text[ends]
    n_lines = np.count_nonzero(marks == 10)
    only_blanks = n_lines + np.count_nonzero(marks == 32) + np.count_nonzero(marks == 9) == marks.size
    if not only_blanks or empty_columns.any():  # not known: another control character
        return None
    if (marks.size - 1) != (n_lines - 1) * width or not (marks[::width] == 10).all():
        return None
    return ByteColumns(text, ends, width)
