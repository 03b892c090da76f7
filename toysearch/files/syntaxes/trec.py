"""Columns of TREC lines: one line by itself, or many at once as numpy arrays.

Start with `trec_rows`, which reads lines one by one. `scanned` reads all of a file, or returns None for what it does
not understand.

Many lines become arrays: their numbers, and their ids as *words*, numbers of 64 bits whose lowest byte is the first of
eight characters. Comparing and hashing ids are then a few operations on whole arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
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


RUN = TrecColumns(("query_id", "Q0", "doc_id", "rank", "score", "tag"), 4, score_of, rank=3, same=5)
QRELS = TrecColumns(("query_id", "iteration", "doc_id", "relevance"), 3, finite_number, same=1)
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
_QUERY_ID, _DOC_ID = 0, 2  # columns
_WIDTHS = (2, 8, 32)  # words of the ids that are read by the compiled loop
_TENS = 10.0 ** np.arange(2 * WORD)


def scanned(source: Source, layout: TrecColumns) -> Scanned | None:
    """Read the rows of a file, or None for a file that must be read line by line."""
    # Such a file is malformed or empty, names sub-topics or several systems, repeats a document with another grade or
    # in a run, is not valid UTF-8, or has very long ids.
    np.empty(_KEPT, dtype=np.uint8)
    blocks, size = list[_Block](), 0
    with source.open() as file:
        if source.begun.encoding:
            return None
        for data in raw_blocks(source, file, _LARGE_BLOCK):
            size += len(data)
            if data.isspace():
                continue
            block = _block_of(layout, data)
            if block is None:
                return None
            blocks.append(block)
    width = max((block.ids.words.shape[1] for block in blocks), default=0)
    is_wide = too_wide(sum(block.values.size for block in blocks), width, size)
    return None if is_wide or len({block.same for block in blocks}) != 1 else _grouped(blocks, layout)


class _Block(NamedTuple):
    ids: Identifiers
    values: np.ndarray
    queries: list[tuple[int, bytes]]  # the first row of lines of one query, and the query
    same: bytes  # what all lines have: the tag of a run, the second column of judgments


def _block_of(layout: TrecColumns, data: bytes) -> _Block | None:
    """Return the rows of complete lines; None if they must be read one by one, as several sub-topics or tags are."""
    data = data if data.endswith(b"\n") else data + b"\n"
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    for width in _WIDTHS if compiled() else ():
        if block := _compiled_block_of(layout, data, width):
            return block
    rows = [row for line in data.split(b"\n") if (row := line.split())]  # at the white space of C
    if {*map(len, rows)} != {len(layout.columns)}:
        return None
    with_blanks = b"".join([b" ".join(row) + b"\n" for row in rows])
    if compiled() and with_blanks != data:  # which the loop may read
        return _block_of(layout, with_blanks)
    columns = [*zip(*rows, strict=True)]
    queries, ids, values = columns[_QUERY_ID], Identifiers.of_utf8(columns[_DOC_ID]), np.empty(len(rows))
    is_ranked = layout is not RUN or all(is_rank(rank.decode()) for rank in {*columns[RUN.rank]})
    is_alike = len({*columns[layout.same]}) == 1
    if ids is None or not is_ranked or not is_alike:
        return None
    if not _filled(values, np.arange(len(rows)), columns[layout.value], layout):
        return None
    changes = [row for row, (above, query) in enumerate(pairwise(queries), 1) if query != above]
    return _Block(ids, values, [(row, queries[row]) for row in (0, *changes)], columns[layout.same][0])


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
    return _Block(ids, values[:n].copy(), queries, same)


def _filled(values: np.ndarray, others: np.ndarray, texts: Sequence[bytes], layout: TrecColumns) -> bool:
    """Read numbers into their rows by Python; False if a text is not a number."""
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


def _grouped(blocks: Sequence[_Block], layout: TrecColumns) -> Scanned | None:
    """Return the rows query by query; None if a document is repeated otherwise than judged."""
    by_query, changes = dict[bytes, int](), list[np.ndarray]()
    for block in blocks:
        starts, queries = zip(*block.queries, strict=True)
        numbers_of_block = [by_query.setdefault(query, len(by_query)) for query in queries]
        changes.append(np.array([numbers_of_block, np.diff(starts, append=block.values.size)]))
    numbers, sizes = np.concatenate(changes, axis=1)  # of each query, and how many lines of it follow each other
    offsets = np.append(0, count_each(numbers, sizes).astype(np.int64).cumsum())
    ids, values = (
        Identifiers.joined([block.ids for block in blocks]),
        np.concatenate([block.values for block in blocks]),
    )
    order, again = None, list[tuple[int, int]]()
    if (numbers[1:] < numbers[:-1]).any():  # the lines of different queries are interleaved
        order = np.argsort(repeat_each(numbers, sizes), kind="stable")
        ids, values = Identifiers(ids.words[order]), values[order]
    doc_ids = GroupedIds.of(ids, offsets)
    if doc_ids.repeated():
        rows, firsts = _repeats(doc_ids, values)
        if layout is RUN or not rows.size:
            return None
        lines = [row if order is None else order[row] for row in (rows, firsts)]
        again = sorted(zip(*(line.tolist() for line in lines), strict=True))
        kept = np.delete(np.arange(values.size), rows)
        offsets, values = np.searchsorted(kept, offsets), values[kept]
        doc_ids = GroupedIds(Identifiers(doc_ids.ids.words[kept]), offsets, doc_ids.hashes[kept])
    values.flags.writeable = False
    return Scanned([raw.decode() for raw in by_query], offsets, doc_ids, values, blocks[0].same.decode(), again)


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
