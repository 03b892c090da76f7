"""Rows of (query, document, value) in files of any layout: one reader, which lists every bad line.

Start with `Triples`, then `read_trec_run`: a reader adds rows, and the error at the end names all bad ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal

import numpy as np

from toysearch.base import DataError, Qrels, Ranking, Remedy, Run, counted, groups_of, malformed, note
from toysearch.base.wording import some
from toysearch.files.columns import (
    PERHAPS_OF_DOCUMENTS,
    Row,
    columns_of_systems,
    places_of,
    plain_label,
    rows_of,
    scale_of,
    unread_columns,
)
from toysearch.files.numbers import finite_number, not_a_number
from toysearch.files.problems import Problems
from toysearch.files.rows_in_memory import column_values
from toysearch.files.source import AnyPath, Source, numbered_lines, raw_blocks, source_of
from toysearch.files.syntaxes.trec import QRELS, RUN, scanned, score_of, trec_rows

_VALUES = {"run": ("score", "rank"), "qrels": ("relevance", "vote", "score")}
"""Columns that a table may have the value in, in order of precedence."""


class Triples:
    """Rows as they are read: each pair of query and document once, and every bad row remembered.

    A pair that is judged again with the same grade is left out with a note; any other repeated pair is a problem.
    """

    def __init__(self, source: AnyPath, kind: Literal["run", "qrels"], unit: str = "line") -> None:
        self.problems = Problems(source, unit)
        self.groups: dict[str, dict[str, float]] = {}
        self._kind, self._unit = kind, unit
        self._read: dict[tuple[str, str, str], tuple[int, float]] = {}
        self._several: dict[str, None] = {}  # the sub-topics that the rows name
        self._weights: dict[tuple[str, str], float] = {}
        self._again: list[tuple[int, int]] = []
        self.unjudged = Unjudged(source)

    def add(self, line: int, query_id: str, doc_id: str, value: float, subtopic: str = "", weight: float = 1.0) -> None:
        """Add a row; judgments may be for a sub-topic of the query."""
        group = self.groups.setdefault(query_id, {})
        key = query_id, doc_id, subtopic
        if key not in self._read:
            group[doc_id] = max(value, group.get(doc_id, value))
            self._read[key] = line, value
            if subtopic:
                self._several[subtopic] = None
                self._weights[query_id, subtopic] = weight
            return
        first, before = self._read[key]
        keep = f"keep one of the two {self._unit}s"
        if self._kind == "run":
            twice = f"query '{query_id}' has document '{doc_id}' twice, first on {self._unit} {first}"
            self.problems.add(line, f"{twice}; {keep}")
        elif before == value:
            self._again.append((line, first))
        else:
            pair = f"query '{query_id}' and document '{doc_id}'"
            grades = f"grade {value:g} here and {before:g} on {self._unit} {first}"
            self.problems.add(line, f"{pair} have {grades}; {keep}")

    def run(self, name: str, empty: str, *, by_rank: bool = False) -> Run:
        """Make the run of all rows, in their order or by their ranks; `empty` is the error without rows, if any."""
        self._check(empty)
        if not by_rank:
            return Run.from_dict(self.groups, name=name)
        rankings = []
        for query_id, ranks in self.groups.items():
            doc_ids = sorted(ranks, key=ranks.__getitem__)  # equal ranks in the order of the rows
            rankings.append(Ranking(query_id, doc_ids, np.arange(len(doc_ids), 0, -1)))
        return Run.from_rankings(rankings, name=name)

    def qrels(self, empty: str) -> Qrels:
        """Make the judgments of all rows, in their order; notes report the rows left out."""
        self._check(empty)
        if len(self._several) < 2:
            return Qrels.from_dict(self.groups)
        judgments: dict[str, dict[str, dict[str, float]]] = {
            query_id: {doc_id: {} for doc_id in group} for query_id, group in self.groups.items()
        }
        for (query_id, doc_id, subtopic), (_, grade) in self._read.items():
            judgments[query_id][doc_id][subtopic] = grade
        qrels = Qrels.from_subtopics(judgments, self._weights)
        merged = len(self._read) - len(qrels)
        if merged:
            note(
                f"{self.problems.path}: {counted(len(self._several), 'sub-topic')}; a measure that knows none takes "
                "the highest grade of a document"
            )
        return qrels

    def _check(self, empty: str) -> None:
        self.problems.refuse(among=any(self.groups.values()))
        if empty and not any(self.groups.values()):
            raise DataError(empty)
        if self._again:
            line, first = self._again[0]
            lines = counted(len(self._again), f"{self._unit} judges a pair", f"{self._unit}s judge pairs")
            places = f"the first {self._unit} {line} (as {self._unit} {first})"
            note(f"{self.problems.path}: {lines} again with the same grade, {places}")
        self.unjudged.tell()


class Systems:
    """Systems that the rows of a run name: a run is of one."""

    def __init__(self, path: AnyPath, noun: str = "column") -> None:
        self._path, self._noun = path, noun
        self._ranked: dict[str, dict[str, tuple[set[str], set[str]]]] = {}  # column → system → queries, documents

    def add(self, label: str, system: str, query_id: str, doc_id: str) -> None:
        """Add a row with the system that a column names; an empty cell names none."""
        if system:
            queries, documents = self._ranked.setdefault(label, {}).setdefault(system, (set(), set()))
            queries.add(query_id)
            documents.add(doc_id)

    def name(self) -> str:
        """Return the name of the run, "" without any; refuse systems that rank the same query, and note others."""
        name = ""
        for label, ranked in self._ranked.items():
            if len(ranked) == 1 or not _are_of_documents(label, [documents for _, documents in ranked.values()]):
                name = name or next(iter(ranked))
                self._tell_several(label, {system: queries for system, (queries, _) in ranked.items()})
        return name

    def _tell_several(self, label: str, queries: Mapping[str, set[str]]) -> None:
        if len(queries) < 2:
            return
        several = f"{self._path} holds {len(queries):,} systems ({self._noun} {label}: {some([*queries])})"
        seen: set[str] = set()
        for of_system in queries.values():
            if both := seen & of_system:
                raise DataError(
                    f"{several} that rank the same query, such as '{min(both)}', and a run is of one system; "
                    "write one file per system, or one name in all rows"
                )
            seen |= of_system
        note(f"{several}, each with queries of its own; they are read as one run")


def _are_of_documents(label: str, documents: Sequence[set[str]]) -> bool:
    """True if the names in a column such as name are those of documents: each has one, and hardly two have the same."""
    n_documents = len(set().union(*documents))
    one_each = sum(map(len, documents)) == n_documents
    return plain_label(label) in PERHAPS_OF_DOCUMENTS and one_each and 2 * len(documents) > n_documents


class UnreadColumns:
    """Columns of a run that are not read, of which one may tell systems apart."""

    def __init__(self, path: AnyPath, noun: str = "column") -> None:
        self._path, self._noun = path, noun
        self._rows: list[tuple[str, str, str, float]] = []
        self._columns: dict[str, list[str]] | None = None  # None before the first row

    def add(self, query_id: str, doc_id: str, rank: str, score: float, cells: Mapping[str, str]) -> None:
        """Add a row; rank: "" without one; score: NaN without one; cells: those that are not read, by their labels."""
        if self._columns is None:
            self._columns = {label: [] for label in cells}
        if not self._columns:
            return
        for label, column in self._columns.items():
            column.append(cells.get(label, ""))
        self._rows.append((query_id, doc_id, rank, score))
        if len(self._rows) % _BLOCK_OF_ROWS == 0:  # texts need not be kept
            self._columns = {label: column for label, column in self._columns.items() if _are_few(column)}

    def tell(self) -> None:
        """Refuse a column without which a query is ranked twice; note others that rank most queries several times."""
        for label, column in (self._columns or {}).items():
            if _are_few(column) and "" not in column:
                self._tell_column(label, column)

    def _tell_column(self, label: str, column: Sequence[str]) -> None:
        values, rows = dict.fromkeys(column), self._rows
        of_documents = len({(value, row[1]) for value, row in zip(column, rows, strict=True)}) == len(values)
        queries = groups_of((row[0], row) for row in rows)
        lists = groups_of(((value, row[0]), row) for value, row in zip(column, rows, strict=True))
        if len(values) < 2 or of_documents or 2 * len(lists) <= len(values) * len(queries):
            return
        named = f"({self._noun} {label}: {some([*values])})"
        for sign, is_of_several in _SEVERAL_LISTS.items():
            query_id = next((query_id for query_id, ranked in queries.items() if is_of_several(ranked)), None)
            if query_id is not None and not any(map(is_of_several, lists.values())):
                one = f", or leave the {self._noun} out" if sign != _TWICE else ""
                raise DataError(
                    f"{self._path} seems to hold {len(values)} systems {named}: query '{query_id}' has {sign}, "
                    f"but not within one of these; write one file per system{one}"
                )
        note(f"{self._path}: a {self._noun} is not read {named}; if it tells systems apart, write one file per system")


_BLOCK_OF_ROWS, _MOST_SYSTEMS = 1000, 100
_TWICE = "a document twice"


def _are_few(values: Sequence[str]) -> bool:
    return len({*values}) <= _MOST_SYSTEMS


def _repeats(values: Sequence[str]) -> bool:
    return all(values) and len({*values}) < len(values)


_SEVERAL_LISTS: Mapping[str, Callable[[Sequence[tuple[str, str, str, float]]], bool]] = {
    _TWICE: lambda rows: _repeats([row[1] for row in rows]),
    "a rank twice": lambda rows: _repeats([row[2] for row in rows]),
    "scores that fall and rise": lambda rows: any(above[3] < below[3] for above, below in pairwise(rows)),
}
"""What the rows of a query have if they are of several systems, and the function that sees it."""


STATUS = "result_status"  # of umbrela: 0 if the answer of the model has no grade, which is then written as 0


class Unjudged:
    """Rows without a grade: empty ones, and answers of a model in which no grade was found."""

    def __init__(self, path: AnyPath) -> None:
        self._path = path
        self._lines: list[int] = []
        self._failed = 0

    def add(self, line: int, *, failed: bool = False) -> None:
        """Add a row; failed: a model gave no grade."""
        self._lines.append(line)
        self._failed += failed

    def tell(self) -> None:
        """Note how many rows have no grade, if any."""
        if self._lines:
            rows = counted(len(self._lines), "row", "rows")
            failed = f" ({self._failed} with {STATUS} 0)" if self._failed else ""
            note(f"{self._path}: {rows} without a grade{failed} left out as unjudged, the first line {self._lines[0]}")


def read_trec_run(path: AnyPath) -> Run:
    """Read the run in a TREC run file, with its rows in the order of the file."""
    # Each line holds six columns with any white space between: `query_id Q0 doc_id rank score tag`. As in trec_eval,
    # the second column, the rank, text after the tag and comments (lines that begin with `#` and hold no data) are
    # ignored, and the name of the run is the tag of the last line.
    source = _read_once(path)
    if columns := scanned(source, RUN):
        return Run.of_columns(*columns)
    triples, systems, tag, tags = Triples(path, "run"), Systems(path), "", dict[str, int]()
    for line, row, score in trec_rows(numbered_lines(source), RUN, triples.problems):
        triples.add(line, row[0], row[2], score)
        tag = row[-1]
        systems.add("tag", tag, row[0], row[2])
        tags[tag] = line
    are_scores = len(tags) > 1 and all(score_of(text) is not None for text in tags)
    if are_scores and all([*ranks.values()] == [*range(1, len(ranks) + 1)] for ranks in triples.groups.values()):
        counts = "the fifth column counts the documents of each query, as ranks do, and the sixth holds other numbers"
        advice = "write a table, with the header query_id,doc_id,score"
        raise malformed(path, min(tags.values()), f"{counts}: blanks in ids move the columns; {advice}")
    systems.name()
    return triples.run(tag, f"{path} is empty; expected a run: lines of {RUN}")


def read_trec_qrels(path: AnyPath, grades: Mapping[str, float] | None = None) -> Qrels:
    """Read the relevance judgments in a TREC qrels file; grades: those that its codes stand for."""
    # Each line holds four columns with any white space between: `query_id iteration doc_id relevance`. The second
    # column names a sub-topic, unless it is the same on all lines. A grade may be a fraction.
    source, layout = _read_once(path), QRELS
    if grades is not None:
        layout = QRELS._replace(number=grades.get, codes=among_codes(grades))
    elif columns := scanned(source, QRELS):
        return Qrels.of_columns(*columns[:4])
    triples = Triples(path, "qrels")
    rising, subtopics = True, set[str]()
    for line, (query_id, subtopic, doc_id, _), grade in trec_rows(numbered_lines(source), layout, triples.problems):
        rising = rising and query_id not in triples.groups and _rise(subtopic, doc_id, grade)
        triples.add(line, query_id, doc_id, grade, subtopic)
        subtopics.add(subtopic)
    if rising and len(subtopics) > 1:
        lists = "each line is one query and three rising numbers, which may be its documents or end with a grade"
        raise malformed(path, 1, f"{lists}; write one line per document: query_id 0 doc_id relevance")
    return triples.qrels(f"{path} is empty; expected judgments: lines of {QRELS}")


def _rise(subtopic: str, doc_id: str, grade: float) -> bool:
    return subtopic.isdecimal() and doc_id.isdecimal() and int(subtopic) < int(doc_id) < grade


def _read_once(path: AnyPath) -> Source:
    """Return the source of a path, with its bytes if they can be read only once."""
    source = source_of(path)
    if "://" in source.path or (source.path != "-" and Path(source.path).is_file()):
        return source
    with source.open() as file:
        return replace(source, data=b"".join(raw_blocks(source, file)))


def read_smart_qrels(path: AnyPath) -> Qrels:
    """Read the judgments of a SMART collection, in any of three layouts.

    =============================  ==================================================================
    line                           meaning
    =============================  ==================================================================
    ``query document code``        the unchanged code (Cranfield); a grade mapping turns it into a gain
    ``query document 0 0.000000``  two columns that are always 0 (CISI, CACM): the pair is relevant, 1
    ``query 0 document grade``     TREC layout (MED): the second column is the same on all lines
    =============================  ==================================================================
    """
    rows = [(number, line.split()) for number, line in numbered_lines(path) if line.strip()]
    width = next((len(columns) for _, columns in rows if len(columns) in (3, 4)), 0)
    if width == 4 and not _without_grades(rows):
        if len({columns[1] for _, columns in rows if len(columns) == 4}) > 1:  # of TREC, a constant; nor is it SMART
            number, columns = next(row for row in rows if not _without_grades([row]))
            expected = "expected 'query document 0 0' or, in TREC, 'query 0 document grade' on every line"
            raise malformed(path, number, f"{expected}, found '{' '.join(columns)}'")
        return read_trec_qrels(path)
    triples = Triples(path, "qrels")
    for number, columns in rows:
        code = 1.0 if width == 4 else finite_number(columns[2]) if len(columns) == 3 else None
        if len(columns) != width:
            problem = f"expected {width or '3 or 4'} columns, found {len(columns)}: '{' '.join(columns)[:80]}'"
            shapes = "SMART judgments are lines 'query document grade' or 'query document 0 0'"
            triples.problems.add(number, f"{problem}; {shapes}")
        elif code is None:
            triples.problems.add(number, not_a_number("the third column", columns[2]))
        else:
            triples.add(number, columns[0], columns[1], code)
    return triples.qrels(f"{path} holds no judgments; expected lines such as 'query document grade'")


def _without_grades(rows: list[tuple[int, list[str]]]) -> bool:
    return all((columns[2], finite_number(columns[3])) == ("0", 0.0) for _, columns in rows if len(columns) == 4)


def code_of(value: object) -> str:
    """Return the code in which a grade is written: a text, or a number without a fraction of zero."""
    return f"{value:.15g}" if type(value) in (int, float) else str(value).strip()


def among_codes(grades: Mapping[str, float] | None) -> str:
    """Name the codes that a grade may have; "" if there are none."""
    return f"one of {', '.join(grades)}" if grades else ""


_CODE = re.compile(r"(?!(?:nan|inf|infinity|null|none|n/a)\Z)[^\W\d_][\w +-]{0,30}", re.IGNORECASE)
"""Word that may stand for a grade."""

_IMPORTANCE = {"": 1.0, "vital": 1.0, "okay": 0.5}
"""Weight of a nugget by its importance (TREC Question Answering and RAG)."""


def add_subtopic(triples: Triples, line: int, judgment: tuple[str, str, float], subtopic: str, importance: str) -> None:
    """Add a judgment for a sub-topic, with the weight that its importance stands for."""
    weight = _IMPORTANCE.get(importance.lower(), finite_number(importance)) if subtopic else 1.0
    if weight is None or weight < 0:
        triples.problems.add(
            line, f"expected vital, okay or a number of at least 0 as weight of a sub-topic, found '{importance}'"
        )
    else:
        triples.add(line, *judgment, subtopic, weight)


def read_run_table(path: AnyPath) -> Run:
    """Read the run of a table, by its scores, or by its ranks if it has no scores."""
    triples, systems, unread, by = Triples(path, "run"), Systems(path), UnreadColumns(path), ""
    columns: dict[str, int] = {}
    others: dict[str, int] = {}
    for row in rows_of(path, _VALUES["run"], "a run", triples.problems):
        value = score_of(row.value)
        if value is None:
            triples.problems.add(row.line, not_a_number(row.by, row.value))
        else:
            triples.add(row.line, row.query_id, row.doc_id, value)
        if not by:
            columns, others = columns_of_systems(row.header.labels), unread_columns(row.header.labels)
        for label, place in columns.items():
            systems.add(label, row.cells[place], row.query_id, row.doc_id)
        by = row.by
        score = math.nan if value is None or by == "rank" else value
        cells = {label: row.cells[place] for label, place in others.items()}
        unread.add(row.query_id, row.doc_id, row.cell("rank"), score, cells)
    unread.tell()
    return triples.run(systems.name() or run_name(path), f"{path} holds no run", by_rank=by == "rank")


def read_qrels_table(path: AnyPath, columns: Mapping[str, str], grades: Mapping[str, float] | None = None) -> Qrels:
    """Read the judgments in a table, or in a table of votes."""
    triples = Triples(path, "qrels")
    rows = rows_of(path, _VALUES["qrels"], "judgments", triples.problems, columns)
    first = next(rows, None)
    if first is not None and first.by == "vote":
        return _votes(path, chain([first], rows), triples.problems)
    every = chain([first] if first else (), rows)
    for row, grade in graded_rows(every, triples.problems, triples.unjudged, grades):
        judgment = row.query_id, row.doc_id, grade
        add_subtopic(triples, row.line, judgment, row.cell("subtopic"), row.cell("weight"))
    by = first.by if first else "grade"
    return triples.qrels(f"{path} holds no judgments: no row has a {by}; fill some in")


def graded_rows(
    rows: Iterator[Row], problems: Problems, unjudged: Unjudged, grades: Mapping[str, float] | None = None
) -> Iterator[tuple[Row, float]]:
    """Yield the rows of a sheet that have a grade, with it; grades: those that codes stand for."""
    outside, label, status = OutsideScale(problems.path), "", -1
    for row in rows:
        if not label:
            label = row.header.labels[row.header.places[row.by]]
            status = next((place for place, name in enumerate(row.header.labels) if plain_label(name) == STATUS), -1)
        grade = finite_number(row.value) if grades is None else grades.get(row.value)
        failed = status >= 0 and finite_number(row.cells[status]) == 0
        if failed or not row.value:
            unjudged.add(row.line, failed=failed)
        elif grade is None:
            problems.add(row.line, _no_grade(label, row, grades, first=not (problems.count or problems.skips)))
        else:
            outside.add(row.line, label, grade)
            yield row, grade
    outside.tell()


def _no_grade(label: str, row: Row, grades: Mapping[str, float] | None, *, first: bool) -> str:
    """Say why a cell is not a grade; of the first word, such as E, what to do."""
    if grades is not None:
        return f"expected {among_codes(grades)} as {label}, found '{row.value}'"
    return not_a_number(row.by, row.value) + advice_on_word(row.value if first else "")


def advice_on_word(code: str) -> str:
    """Return what to do about a word in place of a grade."""
    if not _CODE.fullmatch(code):
        return ""
    codes = Remedy("read_qrels", grades=f"{code}=1,…")
    return f"; if that is a grade, give each such word its number: {codes}"


class OutsideScale:
    """Grades outside the scale that the name of their column states, such as Rating (0-3)."""

    def __init__(self, path: AnyPath) -> None:
        self._path = path
        self._scales: dict[str, tuple[int, int] | None] = {}
        self._outside: dict[str, list[tuple[int, float]]] = {}  # column → their lines and the grades

    def add(self, line: int, label: str, grade: float | None) -> None:
        """Add the grade of a row, if it has one."""
        scale = self._scales[label] if label in self._scales else self._scales.setdefault(label, scale_of(label))
        if scale is not None and grade is not None and not scale[0] <= grade <= scale[1]:
            self._outside.setdefault(label, []).append((line, grade))

    def tell(self) -> None:
        """Note how many grades each column has outside its scale."""
        for label, rows in self._outside.items():
            line, grade = rows[0]
            first = f"the first {grade:g} on line {line}"
            note(f"{self._path}: {counted(len(rows), 'grade')} outside the scale of '{label}', {first}; kept as given")


def run_name(path: AnyPath) -> str:
    """Name a run without a tag after its file, without the suffixes of the format."""
    return "run" if str(path) == "-" else Path(path).name.split(".")[0] or "run"


def run_of_frame(frame: Any) -> Run:
    """Read the run in a data frame with the columns query_id, doc_id and score (or rank), or their synonyms."""
    by, triples, columns = _frame_rows(frame, "run")
    systems, unread, labels = Systems("the data frame"), UnreadColumns("the data frame"), [*frame.columns]
    for place in columns_of_systems(map(str, labels)).values():
        cells = column_values(frame[labels[place]])
        for system, query_id, doc_id in zip(cells, columns["query_id"], columns["doc_id"], strict=True):
            systems.add(str(labels[place]), str(system), str(query_id), str(doc_id))
    others = {name: column_values(frame[labels[place]]) for name, place in unread_columns(map(str, labels)).items()}
    for row, (query_id, doc_id, value) in enumerate(
        zip(columns["query_id"], columns["doc_id"], columns[by], strict=True)
    ):
        rank = str(columns["rank"][row]) if "rank" in columns else ""
        score = math.nan if by == "rank" else float(value)
        unread.add(str(query_id), str(doc_id), rank, score, {name: str(cells[row]) for name, cells in others.items()})
    unread.tell()
    return triples.run(systems.name() or "run", "", by_rank=by == "rank")


def qrels_of_frame(frame: Any) -> Qrels:
    """Read the judgments in a data frame with the columns query_id, doc_id and relevance, or their synonyms."""
    return _frame_rows(frame, "qrels")[1].qrels("")


def _frame_rows(frame: Any, kind: Literal["run", "qrels"]) -> tuple[str, Triples, dict[str, list[Any]]]:
    labels = list(frame.columns)
    places = places_of(labels)
    among = [name for name in _VALUES[kind] if name != "vote"]
    missing = [name for name in ("query_id", "doc_id") if name not in places]
    missing += [" or ".join(among)] * (not any(name in places for name in among))
    if missing:
        names, what = ", ".join(map(str, labels)) or "none", "a run" if kind == "run" else "judgments"
        raise DataError(f"the data frame of {what} has no column {missing[0]}; its columns: {names}")
    columns = {name: column_values(frame[labels[place]]) for name, place in places.items()}
    by = next(name for name in among if name in places)
    triples = Triples("the data frame", kind, "row")
    for number, cells in enumerate(zip(columns["query_id"], columns["doc_id"], columns[by], strict=True), 1):
        query_id, doc_id, value = _id(cells[0]), _id(cells[1]), cells[2]
        number_of = float(value) if isinstance(value, Real) else math.nan
        if query_id is None or doc_id is None:
            name, cell = ("query_id", cells[0]) if query_id is None else ("doc_id", cells[1])
            excerpt = repr(cell) if cell is not None and cell != "" else "nothing"
            advice = "read that column as strings (dtype=str)"
            triples.problems.add(number, f"ids must be strings, but the {name} is {excerpt}; {advice}")
        elif math.isnan(number_of) or (math.isinf(number_of) and by != "score"):
            triples.problems.add(number, f"expected a number as {by}, found {value!r}")
        else:
            triples.add(number, query_id, doc_id, number_of)
    return by, triples, columns


def _id(value: object) -> str | None:
    if isinstance(value, str):
        return value or None
    return str(int(value)) if not isinstance(value, bool) and isinstance(value, Integral) else None


_WORDS = {
    "true": 1,
    "yes": 1,
    "y": 1,
    "t": 1,
    "up": 1,
    "relevant": 1,
    "false": 0,
    "no": 0,
    "n": 0,
    "f": 0,
    "down": 0,
}


def _votes(path: AnyPath, rows: Iterator[Row], problems: Problems) -> Qrels:
    """Make judgments from votes: the grade is the share of positive votes, and the number of votes is kept."""
    positive: dict[str, dict[str, int]] = {}
    number: dict[str, dict[str, int]] = {}
    voters: dict[tuple[str, str, str], int] = {}
    negative, line = 0.0, 0  # the first vote that is not positive, and its line
    for row in rows:
        word = row.value.strip().lower()
        vote = float(_WORDS[word]) if word in _WORDS else finite_number(word)
        if vote is None or vote not in (1.0, 0.0, -1.0):
            expected = "1 or 0, +1 or -1, true or false, yes or no"
            problems.add(row.line, f"expected {expected} as vote, found '{row.value}'")
            continue
        if vote <= 0 and not line:
            negative, line = vote, row.line
        if vote <= 0 and vote != negative:
            mixture = f"a vote of {row.value}, where line {line} has another that is not positive"
            problems.add(row.line, f"{mixture}; vote with 1 and 0, or with +1 and -1, throughout")
            continue
        user = row.cell("user")
        first = voters.setdefault((user, row.query_id, row.doc_id), row.line) if user else row.line
        if first != row.line:
            again = f"user '{user}' already voted on query '{row.query_id}', document '{row.doc_id}' on line {first}"
            problems.add(row.line, f"{again}; keep one of the two")
            continue
        ups, votes = positive.setdefault(row.query_id, {}), number.setdefault(row.query_id, {})
        ups[row.doc_id] = ups.get(row.doc_id, 0) + (vote > 0)
        votes[row.doc_id] = votes.get(row.doc_id, 0) + 1
    problems.refuse(among=bool(positive))
    shares = {
        query_id: {doc_id: ups / number[query_id][doc_id] for doc_id, ups in group.items()}
        for query_id, group in positive.items()
    }
    qrels = Qrels.from_dict(shares)
    qrels.votes = np.array([votes for group in number.values() for votes in group.values()], dtype=np.int64)
    total = counted(int(qrels.votes.sum()), "vote")
    note(f"{path}: {total} on {counted(len(qrels), 'document')}; the grade is the share of positive votes")
    return qrels
