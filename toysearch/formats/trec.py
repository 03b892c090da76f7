"""TREC runs and judgments: lines of columns, read many at a time or, where one is irregular, one by one."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from toysearch.base.encoded_texts import GroupedIds, Identifiers, too_wide
from toysearch.base.errors import MOST_SHOWN, DataError, Problems, malformed, note
from toysearch.base.records import Qrels, Run, score_keys, trec_eval_order
from toysearch.base.wide_counts import count_each, repeat_each
from toysearch.base.wording import counted, encodable
from toysearch.formats.byte_columns import ByteColumns
from toysearch.formats.byte_columns import columns_of as byte_columns_of
from toysearch.formats.text_files import (
    finite_number,
    not_a_number,
    numbered_lines,
    open_bytes,
    plain_number,
    raw_blocks,
    text_blocks,
)
from toysearch.formats.writing import write_texts


class _Layout(NamedTuple):
    """The layout of a kind of file: its column names, and the column and type of its value."""

    holds: str
    columns: tuple[str, ...]
    value: int
    number: Callable[[str], float | None]
    numbers: Callable[[np.ndarray], bool]  # whether `number` would accept them all

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


def score_of(text: str) -> float | None:
    """The score that a text denotes, which may be infinite (the logarithm of 0) but not NaN; else None."""
    number = finite_number(text)
    infinite = number is None and text.lower().lstrip("+-") in ("inf", "infinity")
    return float(text) if infinite else number


_RUN = _Layout(
    "a run",
    ("query_id", "Q0", "doc_id", "rank", "score", "tag"),
    4,
    score_of,
    lambda values: bool(np.isfinite(values).all()),  # infinite scores are read one by one
)
_QRELS = _Layout(
    "judgments",
    ("query_id", "iteration", "doc_id", "relevance"),
    3,
    finite_number,
    lambda values: bool(np.isfinite(values).all()),
)
_WHITE_SPACE = " \t\n\v\f\r"  # isspace in C, as in trec_eval: a no-break space belongs to an id
_SEPARATORS = "\x1c\x1d\x1e\x1f"  # ASCII white space in Python, but not in C
_MARK = "\0"
_LARGE_BLOCK = 1 << 20  # bytes read at a time: the arrays of their columns stay in the cache
_KEPT = 1 << 24
"""After an array of this size, malloc of Linux keeps freed memory, which otherwise is mapped again for each block."""
_QUERY_ID, _DOC_ID = 0, 2  # columns
_NOTHING: tuple[dict[str, int], array[float]] = ({}, array("d"))
_SEPARATOR = re.compile(f"[{_WHITE_SPACE}]+")
_LARGEST = int(np.array(np.finfo(np.float32).max).view(np.int32))  # the key of the largest 32-bit float


def read_trec_run(path: str | Path) -> Run:
    """The run in a TREC run file, with its rows in the order of the file."""
    # Each line holds six columns with any white space between: `query_id Q0 doc_id rank score tag`. As in trec_eval,
    # the second column, the rank, text after the tag and comments (lines that begin with `#` and hold no data) are
    # ignored, and the name of the run is the tag of the last line.
    found = _scanned(path, _RUN)
    if found:
        return Run(found.query_ids, found.offsets, found.doc_ids, found.values, found.tag)
    groups, tag = _read(path, _RUN)
    return Run(*_columns(groups), tag)


def read_trec_qrels(path: str | Path) -> Qrels:
    """The relevance judgments in a TREC qrels file."""
    # Each line holds four columns with any white space between: `query_id iteration doc_id relevance`. The second
    # column is ignored. A grade may be a fraction.
    found = _scanned(path, _QRELS)
    if found:
        return Qrels(found.query_ids, found.offsets, found.doc_ids, found.values)
    groups, _ = _read(path, _QRELS)
    return Qrels(*_columns(groups))


def write_trec_run(run: Run, file: TextIO | str | Path) -> None:
    """Write a run in TREC format so that trec_eval reads back the same order of documents."""
    # trec_eval ignores the rank column: it orders by score, read as a 32-bit float, and equal scores by descending
    # doc_id. A score that is not lower than the one above it, as a 32-bit float, is therefore written as the next lower
    # float; nine significant digits distinguish any two floats. White space in the name of the run becomes `_`.
    if not run.ranked:
        run = trec_eval_order(run)
    _check_writable(run)
    write_texts(_run_texts(run), file)


def falling(scores: np.ndarray) -> np.ndarray:
    """The scores of a ranking, float32, lowered by the least amounts that make them strictly decreasing."""
    # On the integer keys of the floats, "at most its own value, and at least 1 below the previous one" is t_i = min
    # over j ≤ i of (key_j + j) − i. Below the smallest finite float there is no room: there the whole tail is moved up
    # so that it just fits.
    places = np.arange(scores.size)
    keys = np.clip(score_keys(scores), -_LARGEST, _LARGEST)
    keys = np.minimum.accumulate(keys + places) - places
    keys = np.maximum(keys, -_LARGEST + places[::-1])
    bits = np.where(keys >= 0, keys, -keys | 0x80000000)
    return np.asarray(bits.astype(np.uint32).view(np.float32))


def _run_texts(run: Run) -> Iterator[str]:
    """The lines of a run, as one text per query."""
    tag = "_".join(run.name.split()) or "run"
    for query_id in run.query_ids:
        rows = run.rows(query_id)
        scores = falling(run.scores[rows]).tolist()
        lines = zip(run.doc_ids[rows], range(1, len(scores) + 1), scores, strict=True)
        yield "".join([f"{query_id} Q0 {doc_id} {rank} {score:.9g} {tag}\n" for doc_id, rank, score in lines])


def _check_writable(run: Run) -> None:
    """Refuse ids that six columns separated by white space cannot carry."""
    for what, ids in (("query_id", run.query_ids), ("doc_id", dict.fromkeys(run.doc_ids))):
        for text in ids:
            if text.split() != [text]:
                problem = "holds white space" if text else "is empty"
                raise DataError(f"the {what} {text!r} {problem}, which a TREC run cannot carry; give it another id")
            if not text.isascii() and encodable(text)[1]:
                raise DataError(
                    f"the {what} {text!r} holds a lone surrogate, which UTF-8 cannot carry; give it another id"
                )
    for row in np.flatnonzero(np.isnan(run.scores))[:1].tolist():
        where = f"query '{run.query_of(row)}', document '{run.doc_ids[row]}'"
        raise DataError(f"{where}: expected a number as score, found nan")


def _scanned(path: str | Path, layout: _Layout) -> Scanned | None:
    """The rows of a file that can be read twice; None if the lines must be read one by one."""
    return scanned(path, layout) if str(path) != "-" and Path(path).is_file() else None


_Groups = dict[str, tuple[dict[str, int], "array[float]"]]
"""Query → (document → its place among the query's lines, the values of these lines)."""


def _columns(groups: _Groups) -> tuple[list[str], np.ndarray, list[str], np.ndarray]:
    offsets = np.cumsum([0, *(len(values) for _, values in groups.values())])
    doc_ids = list(chain.from_iterable(places for places, _ in groups.values()))
    values = np.concatenate([np.empty(0), *(np.frombuffer(values) for _, values in groups.values())])
    return list(groups), offsets, doc_ids, values


def _read(path: str | Path, layout: _Layout) -> tuple[_Groups, str]:
    """The values of the lines, query by query, and the last column of the last line."""
    groups: _Groups = {}
    tag = ""
    problems, again = Problems(path), list[int]()
    for first, text in text_blocks(path):
        last = _add_regular(groups, text, layout)
        if last is None:
            last = _add_each(groups, problems, again, first, text.split("\n"), layout)
        tag = last or tag
    if layout is _QRELS and (again or problems.count):
        _refuse_subtopics(path)
    problems.refuse(among=any(len(values) for _, values in groups.values()))
    if again:
        lines = counted(len(again), "line judges a pair", "lines judge pairs")
        note(f"{path}: {lines} again with the same grade, the first line {again[0]}")
    if not groups:
        raise DataError(f"{path} is empty; expected {layout.holds}: lines of {layout}")
    return groups, tag


def _add_regular(groups: _Groups, text: str, layout: _Layout) -> str | None:
    """Add regular lines all at once, which is faster, and return the last tag."""
    # None, with nothing added, if a line must be read by itself.
    if not text or _MARK in text or not _splits_as_c(text):
        return None
    # All columns of all lines in one list, with a mark after each line.
    columns, width = text.replace("\n", f" {_MARK} ").split(), len(layout.columns) + 1
    ends = columns[width - 1 :: width]
    if (len(columns) + 1) % width or ends.count(_MARK) != len(ends) or text.count("\n") != len(ends):
        return None
    query_ids, doc_ids, texts = columns[::width], columns[2::width], columns[layout.value :: width]
    try:
        values = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    if not plain_number("".join(texts)) or not layout.numbers(values):
        return None
    added: _Groups = {}
    start = 0
    for query_id, same in groupby(query_ids):
        end = start + len(list(same))
        places, own = added.setdefault(query_id, ({}, array("d")))
        first = len(groups.get(query_id, _NOTHING)[0]) + len(own)
        places.update(zip(doc_ids[start:end], range(first, first + end - start), strict=True))
        own.frombytes(values[start:end].tobytes())
        start = end
    if sum(len(places) for places, _ in added.values()) < len(query_ids):  # a document twice
        return None
    if not all(places.keys().isdisjoint(groups.get(query_id, _NOTHING)[0]) for query_id, (places, _) in added.items()):
        return None
    for query_id, (places, own) in added.items():
        if query_id in groups:
            groups[query_id][0].update(places)
            groups[query_id][1].extend(own)
        else:
            groups[query_id] = places, own
    return columns[-1]


def _add_each(
    groups: _Groups, problems: Problems, again: list[int], first: int, lines: list[str], layout: _Layout
) -> str:
    """Add lines one by one, keep the problems and the repeated judgments, and return the last tag."""
    tag = ""
    for number, line in enumerate(lines, first):
        columns = run_columns(line) if layout is _RUN else columns_of_line(line)
        if len(columns) != len(layout.columns):
            if columns and not is_comment(line):
                problems.add(number, _wrong_columns(layout, columns, line))
            continue
        query_id, doc_id = columns[0], columns[2]
        value = layout.number(columns[layout.value])
        if value is None:
            if is_comment(line):
                continue
            problems.add(number, not_a_number(layout.columns[layout.value], columns[layout.value]))
            continue
        places, values = groups.setdefault(query_id, ({}, array("d")))
        place = places.setdefault(doc_id, len(places))
        if place == len(values):
            values.append(value)
            tag = columns[-1]
        elif layout is _QRELS and values[place] == value:
            again.append(number)
        else:
            told = problems.count < MOST_SHOWN  # of further lines only the number is reported
            earlier = _first_line(problems.path, query_id, doc_id) if told else ""
            problems.add(number, _twice(layout, query_id, doc_id, value, values[place], earlier))
    return tag


def _refuse_subtopics(path: str | Path) -> None:
    """Refuse judgments that grade a pair once for each of several sub-topics, which the second column names."""
    if str(path) == "-":
        return
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for number, line in numbered_lines(path):
        columns = columns_of_line(line)
        if len(columns) != len(_QRELS.columns) or is_comment(line):
            continue
        query_id, subtopic, doc_id, _ = columns
        before, first = seen.setdefault((query_id, doc_id), (subtopic, number))
        if before != subtopic:
            raise malformed(
                path,
                number,
                f"the second column names sub-topics: query '{query_id}' and document '{doc_id}' are judged for "
                f"{subtopic} here and for {before} on line {first}, and measures take one grade per pair; "
                f"for one sub-topic: awk '$2 == \"{subtopic}\"' FILE",
            )


def _first_line(path: str | Path, query_id: str, doc_id: str) -> str:
    """The first line of a pair, from a second reading, since regular lines keep no line numbers."""
    if str(path) == "-":
        return "an earlier line"
    for number, line in numbered_lines(path):
        columns = columns_of_line(line)
        if len(columns) > 2 and (columns[0], columns[2]) == (query_id, doc_id):
            return f"line {number}"
    return "an earlier line"


def _twice(layout: _Layout, query_id: str, doc_id: str, value: float, before: float, earlier: str) -> str:
    if layout is _QRELS:
        pair = f"query '{query_id}' and document '{doc_id}'"
        return f"{pair} have grade {value:g} here and {before:g} on {earlier}; keep one of the two lines"
    return f"query '{query_id}' has document '{doc_id}' twice, first on {earlier}; keep one of the two lines"


def run_columns(line: str) -> list[str]:
    """The columns of a line of a run; text after the tag is ignored, as in trec_eval."""
    columns = columns_of_line(line)
    if len(columns) > len(_RUN.columns) and score_of(columns[_RUN.value]) is not None:
        return columns[: len(_RUN.columns)]
    return columns


def is_comment(line: str) -> bool:
    """Whether a line without data is a comment, as in trec_eval 10: it begins with ``#``."""
    return line.lstrip().startswith("#")


def columns_of_line(line: str) -> list[str]:
    """The columns of a line, split at C white space only."""
    if _splits_as_c(line):
        return line.split()
    line = line.strip(_WHITE_SPACE)
    return _SEPARATOR.split(line) if line else []


def _splits_as_c(text: str) -> bool:
    """Whether str.split, which is faster, finds the same white space as C."""
    return text.isascii() and not any(separator in text for separator in _SEPARATORS)


def _wrong_columns(layout: _Layout, columns: list[str], line: str) -> str:
    """The problem of a line with too few or too many columns, and the remedy."""
    shown = line.strip() if len(line) <= 80 else line.strip()[:77] + "…"
    problem = f"expected {layout}, found {len(columns)}: '{shown}'"
    if layout is not _QRELS or len(columns) != 3:
        return f"{problem}; complete the line or remove it"
    header = columns[0].lower() in {"query-id", "query_id", "qid"}
    condition, source = ("NR > 1 ", "the BEIR layout") if header else ("", "three columns")
    return f"{problem}. From {source} to TREC: awk '{condition}{{print $1, 0, $2, $3}}' FILE"


class Scanned(NamedTuple):
    """The rows of a file, query by query."""

    query_ids: list[str]  # in the order of their first lines
    offsets: np.ndarray  # (len(query_ids) + 1,) int64; the first row of each query
    doc_ids: GroupedIds  # one per row; unique within a query
    values: np.ndarray  # one per row
    tag: str  # the last column of the last line


def scanned(path: str | Path, layout: _Layout) -> Scanned | None:
    """The rows of a file, or None for a file that must be read line by line."""
    # Such a file is malformed or empty, repeats a document, is not valid UTF-8, or has very long ids.
    rows = _Rows()
    np.empty(_KEPT, dtype=np.uint8)
    with open_bytes(path) as file:
        for block in map(partial(_block_of, layout), raw_blocks(path, file, _LARGE_BLOCK)):
            if block is None:
                return None
            rows.add(block)
    return rows.grouped()


class _Block(NamedTuple):
    """The rows of a block of lines."""

    ids: Identifiers
    values: np.ndarray
    queries: list[tuple[int, bytes]]  # the first row of lines of one query, and the query
    tag: bytes  # the last column
    size: int  # bytes


def _block_of(layout: _Layout, data: bytes) -> _Block | None:
    """The rows of complete lines; None if they must be read one by one."""
    data = data if data.endswith(b"\n") else data + b"\n"
    columns = byte_columns_of(data, len(layout.columns)) if data.isascii() or _is_utf8(data) else None
    if columns is None:
        return None
    queries, ids, values = columns.ids(_QUERY_ID), columns.ids(_DOC_ID), _values_of(columns, layout)
    if queries is None or ids is None or values is None:
        return None
    if not values.size:
        return _Block(ids, values, [], b"", len(data))
    firsts = [0, *(np.flatnonzero((queries.words[1:] != queries.words[:-1]).any(axis=1)) + 1).tolist()]
    tag = columns.raw(columns.width - 1, values.size - 1)
    return _Block(ids, values, [(row, columns.raw(_QUERY_ID, row)) for row in firsts], tag, len(data))


def _values_of(columns: ByteColumns, layout: _Layout) -> np.ndarray | None:
    """The values of lines; None if one is not a number that the layout accepts."""
    values, others = columns.numbers(layout.value)
    texts = [columns.raw(layout.value, row) for row in others.tolist()]
    try:
        values[others] = list(map(float, texts))
    except ValueError:
        values[others] = np.nan
    if b"_" in b"".join(texts) or not np.isfinite(values[others]).all():
        numbers = [layout.number(text.decode()) for text in texts]
        if None in numbers:
            return None
        values[others] = numbers
    return values


class _Rows:
    """The rows of a file in the order of its lines, block by block."""

    def __init__(self) -> None:
        self._size = 0
        self._tag = b""
        self._ids: list[Identifiers] = []
        self._hashes: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._numbers: dict[bytes, int] = {}
        self._changes: list[np.ndarray] = []  # the number of a query, and how many lines of it follow each other

    def add(self, block: _Block) -> None:
        """Add the rows of the next block."""
        self._size += block.size
        if not block.queries:
            return
        firsts, queries = zip(*block.queries, strict=True)
        numbers = [self._numbers.setdefault(query, len(self._numbers)) for query in queries]
        sizes = np.diff(firsts, append=block.values.size)
        self._changes.append(np.array([numbers, sizes]))
        self._ids.append(block.ids)
        self._hashes.append(block.ids.in_groups(repeat_each(numbers, sizes)))  # while they are in the cache
        self._values.append(block.values)
        self._tag = block.tag

    def grouped(self) -> Scanned | None:
        """The rows query by query; None if there are none, or a query has a document twice."""
        widths = {ids.words.shape[1] for ids in self._ids}
        n_rows = sum(values.size for values in self._values)
        if not n_rows or too_wide(n_rows, max(widths), self._size):
            return None
        ids, values = Identifiers.joined(self._ids), np.concatenate(self._values)
        numbers, sizes = np.concatenate(self._changes, axis=1)
        offsets = np.append(0, count_each(numbers, sizes).astype(np.int64).cumsum())
        if (numbers[1:] < numbers[:-1]).any():  # the lines of different queries are interleaved
            order = np.argsort(repeat_each(numbers, sizes), kind="stable")
            doc_ids, values = GroupedIds.of(Identifiers(ids.words[order]), offsets), values[order]
        elif len(widths) > 1:
            doc_ids = GroupedIds.of(ids, offsets)
        else:
            doc_ids = GroupedIds(ids, offsets, np.concatenate(self._hashes))
        values.flags.writeable = False
        rising = np.sort(doc_ids.hashes)
        if (rising[1:] == rising[:-1]).any():
            return None
        return Scanned([raw.decode() for raw in self._numbers], offsets, doc_ids, values, self._tag.decode())


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
