"""Rows of (query, document, value) in files of any layout: one reader, which lists every bad line.

Start with `Triples`, then `read_trec_run`: a reader adds rows, and the error at the end names all bad ones.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Ranking,
    Remedy,
    Run,
    counted,
    cut,
    encodable,
    expect,
    groups_of,
    malformed,
    note,
)
from toysearch.base.platform import typed_line
from toysearch.base.wording import some
from toysearch.files.claims import What
from toysearch.files.columns import (
    SHORT,
    ByPart,
    columns_of_systems,
    labels_of,
    named_like,
    places_of,
    plain_label,
    scale_of,
    unread_columns,
    words_of,
)
from toysearch.files.file_role import PAIR, Settled, naming
from toysearch.files.labels import GRADES, NO_TITLES, PEOPLE, PERHAPS_OF_DOCUMENTS
from toysearch.files.listed_documents import (
    VALUES,
    JudgedDocument,
    documents_in,
    id_in,
    in_brackets,
    listed,
)
from toysearch.files.numbers import (
    code_of,
    codes_in,
    counts,
    falls,
    finite_number,
    finite_value,
    not_a_number,
    number_of,
)
from toysearch.files.problems import MOST_SHOWN, Problems
from toysearch.files.rows_in_memory import columns_in, is_missing
from toysearch.files.source import AnyPath, Source, numbered_lines, raw_blocks, source_of, unit_of
from toysearch.files.syntaxes.json_tables import line_in
from toysearch.files.syntaxes.trec import LOOKED_AT, QRELS, RUN, scanned, score_of, trec_rows
from toysearch.files.table import FEW, KEY, VALUE, Cells, Row, Table
from toysearch.files.value_columns import MOST_CODES, grades_beside


class Triples:
    """Rows as they are read: each pair of query and document once, and every bad row remembered.

    A pair that is judged again with the same grade is left out with a note; any other repeated pair is a problem.
    """

    def __init__(self, kind: Literal["run", "qrels"], problems: Problems) -> None:
        self.problems = problems
        self.groups: dict[str, dict[str, float]] = {}
        self._kind, self._unit = kind, problems.unit
        self._read: dict[tuple[str, str, str], tuple[int, float]] = {}
        self._weights: dict[tuple[str, str], float] = {}  # of each query and sub-topic that the rows name
        self._again: list[tuple[int, int]] = []
        self.unjudged = Unjudged(problems.path)
        self.differ = False  # whether a pair has several grades

    def add(self, line: int, query_id: str, doc_id: str, value: float, subtopic: str = "", weight: float = 1.0) -> None:
        """Add a row; judgments may be for a sub-topic of the query."""
        group = self.groups.setdefault(query_id, {})
        key = query_id, doc_id, subtopic
        if key not in self._read:
            group[doc_id] = max(value, group.get(doc_id, value))
            self._read[key] = line, value
            if subtopic:
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
            self.differ = True
            grades = f"grade {value:g} here and {before:g} on {self._unit} {first}"
            self.problems.add(line, f"{pair} have {grades}; {keep}")

    def run(self, name: str, empty: str, *, by_rank: bool = False) -> Run:
        """Make the run of all rows, in their order or by their ranks; `empty` is the error without rows, if any."""
        self._check(empty)
        if not by_rank:
            return Run.from_dict(self.groups, name=name)
        rankings = []
        again = [query_id for query_id, ranks in self.groups.items() if 1 < len({*ranks.values()}) < len(ranks)]
        if again:
            first = f"{self.problems.path}: query '{again[0]}' has a rank twice"
            note(f"{first}; equal ranks are in the order of the {self._unit}s")
        for query_id, ranks in self.groups.items():
            doc_ids = sorted(ranks, key=ranks.__getitem__)  # equal ranks in the order of the rows
            rankings.append(Ranking(query_id, doc_ids, np.arange(len(doc_ids), 0, -1)))
        return Run.from_rankings(rankings, name=name)

    def qrels(self, empty: str) -> Qrels:
        """Make the judgments of all rows, in their order; notes report the rows left out."""
        self._check(empty)
        subtopics = {subtopic for _, subtopic in self._weights}
        if len(subtopics) < 2:
            return Qrels.from_dict(self.groups)
        judgments: dict[str, dict[str, dict[str, float]]] = {query_id: {} for query_id in self.groups}
        for (query_id, doc_id, subtopic), (_, grade) in self._read.items():
            judgments[query_id].setdefault(doc_id, {})[subtopic] = grade
        qrels = Qrels.from_subtopics(judgments, self._weights)
        if len(self._read) > len(qrels):
            highest = "a measure that knows none takes the highest grade of a document"
            note(f"{self.problems.path}: {counted(len(subtopics), 'sub-topic')}; {highest}")
        return qrels

    def _check(self, empty: str) -> None:
        self.problems.refuse(among=any(self.groups.values()))
        if empty and not any(self.groups.values()):
            raise DataError(empty)
        if self._again:
            _tell_again(self.problems.path, self._unit, len(self._again), *self._again[0])
        self.unjudged.tell()


def _tell_again(path: AnyPath, unit: str, number: int, line: int, first: int) -> None:
    lines = counted(number, f"{unit} judges a pair", f"{unit}s judge pairs")
    note(f"{path}: {lines} again with the same grade, the first {unit} {line} (as {unit} {first})")


_RunRow: TypeAlias = tuple[int, str, str, float, str]
"""Line, query, document, value and rank."""


class SystemRows:
    """Rows of a run, with the columns that may distinguish systems."""

    def __init__(self, problems: Problems, noun: str = "column", system: str = "", used: Container[str] = ()) -> None:
        # system: the column of systems that the user names; used: those that are read
        self.problems, self._source = problems, problems.path
        self._noun, self._system, self._used = noun, system, used
        self._rows: list[_RunRow] = []
        self._known: dict[str, list[str]] = {}  # columns that name systems
        self._unread: dict[str, list[str]] = {}  # others with few values
        self._by_rank, self._rank = False, ""  # the column of ranks

    def add(self, line: int, query_id: str, doc_id: str, value: float, cells: Cells) -> None:
        """Add a row with all its cells."""
        if not self._rows:
            labels = [*cells]
            self._known = {label: [] for label in ([self._system] if self._system else columns_of_systems(labels))}
            self._rank = labels_of(labels).get("rank", "")
            free = [label for label in unread_columns(labels) if label and label not in self._used]
            self._unread = {label: [] for label in free if isinstance(cells[label], str | int)}
        for columns in (self._known, self._unread):
            for label, column in columns.items():
                column.append(str(cells.get(label, "")))
        self._rows.append((line, query_id, doc_id, value, str(cells.get(self._rank, ""))))
        if len(self._rows).bit_count() == 1:  # 1, 2, 4, 8 …: texts need not be kept
            self._unread = {label: column for label, column in self._unread.items() if _are_few(column)}

    def runs(
        self, name: str, empty: str, queries: Iterable[str] = (), *, by_rank: bool = False
    ) -> tuple[list[Run], str]:
        """Return the run of each system, in the order of the rows, and what distinguishes them; "" for one system."""
        self._by_rank = by_rank
        label, tag = self._splitting()
        systems = {**self._known, **self._unread}.get(label) or [tag or name] * len(self._rows)
        triples = {system: Triples("run", self.problems) for system in systems or [name]}
        for query_id in queries if len(triples) == 1 else ():
            next(iter(triples.values())).groups.setdefault(query_id, {})
        for system, (line, query_id, doc_id, value, _) in zip(systems, self._rows, strict=True):
            triples[system].add(line, query_id, doc_id, value)
        runs = [of_system.run(system, empty, by_rank=by_rank) for system, of_system in triples.items()]
        return runs, f"{self._source} holds {len(runs):,} systems {self._listed(label, triples)}" if label else ""

    def _listed(self, label: str, values: Iterable[str]) -> str:
        return f"({self._noun} {label}: {some([*values])})"

    @cached_property
    def queries(self) -> dict[str, list[_RunRow]]:
        """Rows of each query."""
        return groups_of((row[1], row) for row in self._rows)

    def _splitting(self) -> tuple[str, str]:
        """Return the column that tells systems apart, "" without one, and else the name of the only system."""
        name = ""
        for label, column in self._known.items():
            systems = [*dict.fromkeys(filter(None, column))]
            if self._system:
                return (label, "") if len(systems) > 1 else ("", next(iter(systems), ""))
            if len(systems) > 1 and _are_of_documents(label, self._pairs(column, 2)):
                continue
            pairs = self._pairs(column, 1)
            n_queries = len({query_id for _, query_id in pairs})
            shares_queries = len(pairs) > n_queries
            if FEW <= len(systems) == n_queries and not shares_queries:
                continue  # each query has its own, as an id of what answered it
            listed = self._listed(label, systems)
            if shares_queries and _are_of_rows(column) and not self._repeats_within_query():
                note(f"{self._source}: a {self._noun} has a new value in each row, and names no systems {listed}")
                continue
            name = name or next(iter(systems), "")
            if shares_queries:
                return label, ""
            if len(systems) > 1:
                several = f"{self._source} holds {len(systems):,} systems {listed}"
                note(f"{several}, each with queries of its own; they are read as one run")
        splitting = [
            label for label, column in self._unread.items() if _are_few(column) and self._splits(label, column)
        ]
        return (splitting or [""])[0], name

    def _pairs(self, column: Sequence[str], place: Literal[1, 2]) -> set[tuple[str, str]]:
        """Return each system that a column names with each of its queries, or of its documents."""
        return {(system, row[place]) for system, row in zip(column, self._rows, strict=True) if system}

    def _repeats_within_query(self) -> bool:
        """True if a query has a document or a rank twice."""
        signs = [_SEVERAL_LISTS[sign] for sign in (_TWICE, _RANK_TWICE)]
        return any(is_of_several(rows) for rows in self.queries.values() for is_of_several in signs)

    def _splits(self, label: str, column: Sequence[str]) -> bool:
        """True if a query has a document twice, but not within one value of a column; note or refuse what may split."""
        values = dict.fromkeys(column)
        if "" in values or len(values) < 2 or len(self._pairs(column, 2)) == len(values) or _are_of_rows(column):
            return False  # of some rows, of all, of documents, or of rows
        lists = groups_of(((value, row[1]), row) for value, row in zip(column, self._rows, strict=True))
        if 2 * len(lists) <= len(values) * len(self.queries):
            return False
        listed = self._listed(label, values)
        apart, is_page = Remedy("read_run", columns=f"system={label}"), named_like(label) == "page"
        numbers = [number for value in values if (number := finite_number(value)) is not None]
        are_scores = any(number % 1 for number in numbers)
        is_of_rows = len(numbers) == len(values) and max(map(len, lists.values())) == 1  # one for each document
        is_of_rows = is_of_rows and (are_scores or named_like(label) != "")
        for sign, is_of_several in _SEVERAL_LISTS.items():
            query_id = next((query_id for query_id, rows in self.queries.items() if is_of_several(rows)), None)
            if (
                query_id is None
                or any(map(is_of_several, lists.values()))
                or (sign == _FALL_AND_RISE and (is_of_rows or self._by_rank))
                or (is_page and sign != _RANK_TWICE)
            ):
                continue
            if is_page:
                problem = f"query '{query_id}' has {sign}, but not within one {label}; count its ranks throughout"
                raise DataError(f"{self._source}: {problem}")
            if sign == _TWICE:
                return True
            raise DataError(
                f"{self._source} seems to hold {len(values)} systems {listed}: query '{query_id}' has {sign}, but not "
                f"within one of these; if it tells systems apart, {apart}, or leave the {self._noun} out"
            )
        unread = f"{self._source}: a {self._noun} is not read {listed}"
        if not is_of_rows and not is_page:
            note(f"{unread}; if it tells systems apart: {apart}")
        elif are_scores:
            note(f"{unread}; if it holds the scores: {Remedy('read_run', columns=f'score={label}')}")
        return False


def _are_of_documents(label: str, pairs: Collection[tuple[str, str]]) -> bool:
    """True if the names in a column such as name are those of documents: each has one, and hardly two have the same.

    pairs : each name with each of its documents
    """
    names, documents = {name for name, _ in pairs}, {doc_id for _, doc_id in pairs}
    one_each = len(pairs) == len(documents)
    return plain_label(label) in PERHAPS_OF_DOCUMENTS and one_each and 2 * len(names) > len(documents)


_MOST_SYSTEMS = 100
_TWICE, _RANK_TWICE, _FALL_AND_RISE = "a document twice", "a rank twice", "scores that fall and rise"


def _are_of_rows(values: Sequence[str]) -> bool:
    """True if each row has a value of its own, as a number of the row."""
    return len({*values}) == len(values)


def _are_few(values: Sequence[str]) -> bool:
    return len({*values}) <= _MOST_SYSTEMS


def _repeats(values: Sequence[str]) -> bool:
    return all(values) and len({*values}) < len(values)


_SEVERAL_LISTS: Mapping[str, Callable[[Sequence[_RunRow]], bool]] = {
    _TWICE: lambda rows: _repeats([row[2] for row in rows]),
    _RANK_TWICE: lambda rows: _repeats([row[4] for row in rows]),
    _FALL_AND_RISE: lambda rows: any(above[3] < below[3] for above, below in pairwise(rows)),
}
"""What the rows of a query have if they are of several systems, and the function that sees it."""


FRAME = "the data frame"
STATUS = "result_status"  # of umbrela: 0 if the answer of the model has no grade, which is then written as 0


_WITHOUT_GRADE = (None, "", "NULL", r"\N")  # as SQL exports nothing


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
            first = f"the first {unit_of(self._path)} {self._lines[0]}"
            note(f"{self._path}: {rows} without a grade{failed} left out as unjudged, {first}")


def read_trec_run(path: AnyPath) -> Run:
    """Read the run in a TREC run file, with its rows in the order of the file."""
    return one_run(*read_trec_runs(path))


def read_trec_runs(path: AnyPath) -> tuple[list[Run], str]:
    """Read the runs of a TREC run file as `read_run_rows` does those of a table."""
    # Each line holds six columns with any white space between: `query_id Q0 doc_id rank score tag`. As in trec_eval,
    # the second column, the rank, text after the tag and comments (lines that begin with `#` and hold no data) are
    # ignored, and the name of the run is the tag of the last line.
    source = _read_once(path)
    if columns := scanned(source, RUN):
        return [Run(*columns[:5])], ""
    rows, tag, tags = SystemRows(Problems(path)), "", dict[str, int]()
    for line, row, score in trec_rows(numbered_lines(source), RUN, rows.problems):
        tag = row[-1]
        rows.add(line, row[0], row[2], score, {"tag": tag, "rank": row[3]})
        tags[tag] = line
    are_scores = len(tags) > 1 and all(score_of(text) is not None for text in tags)
    ranks = [[score for _, _, _, score, _ in of_query] for of_query in rows.queries.values()]
    if are_scores and all(column == [*range(1, len(column) + 1)] for column in ranks):
        counts = "the fifth column counts the documents of each query, as ranks do, and the sixth holds other numbers"
        advice = "write a table, with the header query_id,doc_id,score"
        raise malformed(path, min(tags.values()), f"{counts}: blanks in ids move the columns; {advice}")
    runs, several = rows.runs("", f"{path} is empty; expected a run: lines of {RUN}")
    if not several:
        runs[0].name = tag
    return runs, several


def read_trec_qrels(path: AnyPath, grades: Mapping[str, float] | None = None) -> Qrels:
    """Read the relevance judgments in a TREC qrels file; grades: those that its codes stand for."""
    # Each line holds four columns with any white space between: `query_id iteration doc_id relevance`. The second
    # column names a sub-topic, unless it is the same on all lines. A grade may be a fraction.
    source, layout = _read_once(path), QRELS
    if grades is not None:
        layout = QRELS._replace(number=grades.get, codes=among_codes(grades))
    elif columns := scanned(source, QRELS):
        if columns.again:
            numbers = (number for number, line in numbered_lines(source) if line.strip())
            row, first = columns.again[0]
            before = [*islice(numbers, row + 1)]
            _tell_again(source, "line", len(columns.again), before[row], before[first])
        return Qrels(*columns[:4])
    triples = Triples("qrels", Problems(path))
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
    source = path if isinstance(path, Source) else source_of(path)
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
    triples = Triples("qrels", Problems(path))
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


def among_codes(grades: Mapping[str, float] | None) -> str:
    """Name the codes that a grade may have; "" if there are none."""
    return f"one of {', '.join(grades)}" if grades else ""


_CODE = re.compile(
    r"(?!(?:nan|inf|infinity|null|none|n/a)\Z)[^\W\d_][\w +-]{0,30}|[^\w\s\x00-\x7f]{1,3}"
    r"|(\d[\d.]*) ?%|(\d{1,2}) *[-:(.)\u2013] *[^\W\d_][^,=]{0,30}",
    re.IGNORECASE,
)
"""Word, sign, share or number with words that may stand for a grade."""

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


class Triple(NamedTuple):
    """Row of a query, a document and a value."""

    line: int
    query_id: str
    doc_id: str  # "" for a query without a document
    value: Any  # the cell with the value; None without one
    by: str  # the part that the value is; "" if the order counts
    cells: Cells  # those of the row, or of the object in its list
    place: int = 0  # in its list, from 1


def triples_in(settled: Settled, role: str, problems: Problems) -> Iterator[Triple]:
    """Yield the rows of a table, one for each document of a list; those that cannot be read are problems."""
    table, parts, by = settled.sure_table, settled.parts, settled.by
    query, doc, value = parts.get("query_id", ""), parts["doc_id"], parts.get(by, "")
    if table.between == ";" and value:
        table = table.kept()
    marks = table.decimal_marks(value, shares=role == "run")
    are_objects, needed = table.noun == "key", {query, doc, value} - {""}
    above, are_merged = None, not are_objects and _are_merged([row.cells.get(query) for row in table.head])
    if are_merged:
        note(f"{table.source}: rows without a {query} belong to the one above, as cells that were merged")
    for line, cells, problem in table.rows():
        if problem or (are_objects and not needed <= cells.keys()):
            problems.add(line, problem or f"expected {_expected(role, table)}, found {_shown(cells)}")
            continue
        query_id = id_in(cells.get(query)) if query else run_name(table.source)
        above = query_id = above if are_merged and query_id is None else query_id
        held, cell = cells.get(doc), _word_in(cells.get(value))
        listing = documents_in(held)
        doc_id = None if listing is not None else id_in(held)
        if query_id is None:
            problems.add(line, _no_id(query, cells.get(query), table))
        elif listing is None and doc == VALUE:
            expected = "expected documents, in a list or each with a number"
            problems.add(line, f"query '{query_id}': {expected}, found {_shown(held)}")
        elif listing is not None:
            for triple in _of_list(line, query_id, listing, cells, role, problems):
                yield triple if triple.by or not by else triple._replace(value=cell, by=by)
        elif doc_id is None and (cell not in (None, "") or held not in (None, "")):
            problems.add(line, _no_id(doc, held, table))
        elif not are_objects and in_brackets(held):
            problems.add(line, f"'{str(held)[:60]}' may be one id or several; write a row for each")
        else:
            yield Triple(line, query_id, doc_id or "", marks.plain(cell) if type(cell) is str else cell, by, cells)


def _word_in(cell: Any) -> Any:
    """Return the only text of a list, as of a label chosen among several; any other cell itself."""
    return cell[0] if isinstance(cell, list) and [*map(type, cell)] == [str] else cell


def _are_merged(cells: Sequence[Any]) -> bool:
    """True if each id of a query stands above rows without one, which are at least as many.

    >>> _are_merged(["q1", "", "", "q2", ""]), _are_merged(["q1", "", "q1", "q2"])
    (True, False)
    """
    filled = [cell for cell in cells if cell]
    return 1 < len(filled) == len({*filled}) <= len(cells) / 2 and bool(cells[0])


def _expected(role: str, table: Table) -> str:
    value = "relevance" if role == "qrels" else "score"
    if table.form == "json":
        return f"a JSON object of objects, query_id to doc_id to {value}"
    return f"a JSON object with query_id, doc_id and {value}"


def _shown(value: object) -> str:
    """Show a cell in an error."""
    return f"'{value}'" if isinstance(value, str) else cut(json.dumps(value, ensure_ascii=False, default=repr), 60)


def _no_id(label: str, cell: object, table: Table) -> str:
    if table.form == "frame":
        found = _shown(cell) if cell not in (None, "") else "nothing"
        return f"ids must be strings, but the {label} is {found}; read that column as strings (dtype=str)"
    if table.noun == "column":
        return f"the {label} is empty; give it an id or remove the line"
    return f"{label} must be a text or a whole number, found {json.dumps(cell)[:60]}"


def _of_list(
    line: int,
    query_id: str,
    listing: list[Any] | dict[str, Any],
    row: Cells,
    role: str,
    problems: Problems,
) -> Iterator[Triple]:
    """Yield the documents that a cell of a row lists."""
    if isinstance(listing, dict):
        found = [JudgedDocument(doc_id, value, {}, VALUES[role][0]) for doc_id, value in listing.items()]
    else:
        found = []
        for item in map(str, listing) if {*map(type, listing)} == {int} else listing:
            if (document := listed(item, role)) and (role == "run" or not isinstance(item, list)):
                found.append(document)
            else:
                problems.add(
                    line, f"query '{query_id}': expected a document, as an id or with its score, found {_shown(item)}"
                )
    if not found:
        yield Triple(line, query_id, "", None, "", {})
    without = {document.value is None for document in found if isinstance(listing, list)}
    if len(without) > 1 and role == "run":
        problems.add(line, f"query '{query_id}': some hits have scores and some have none; give all of them scores")
        return
    seen = set[str]()
    for place, (doc_id, value, cells, by) in enumerate(found, 1):
        if doc_id in seen and role == "run":
            problems.add(line, f"query '{query_id}' has document '{doc_id}' twice; keep one of the two")
            continue
        seen.add(doc_id)
        yield Triple(line, query_id, doc_id, value, "" if without == {True} else by, {**row, **cells}, place)


def number_in(value: object, role: str, table: Table) -> float | None:
    """Return the number in a cell; None for anything else. A score may be infinite."""
    if isinstance(value, str):
        return score_of(value) if role == "run" else finite_number(value)
    if (isinstance(value, bool) and table.form != "frame") or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    if math.isfinite(number):
        return number
    may_be = math.isinf(number) and role == "run" and (table.form == "frame" or table.names_infinity)
    return number if may_be else None


def _tell(triple: Triple, problem: str, problems: Problems, table: Table) -> None:
    """Add a problem with the value of a row, on its line; in an object of JSON, on that of its document."""
    line = triple.line
    if triple.place or (table.form == "json" and not table.name):
        problem = f"query '{triple.query_id}', document '{triple.doc_id}': {problem}"
        if table.form == "json" and problems.count < MOST_SHOWN:
            line = line_in(table.source, triple.query_id, triple.doc_id)
    problems.add(line, problem)


def _no_number(triple: Triple) -> str:
    value = triple.value
    return (
        not_a_number(triple.by, value)
        if isinstance(value, str)
        else f"expected a number as {triple.by}, found {_shown(value)}"
    )


def _with_groups(settled: Settled) -> tuple[Settled, dict[str, dict[str, float]]]:
    """Read an object of JSON once; return its objects of numbers by query, or {} if it holds anything else."""
    table = settled.sure_table
    if table.name != KEY or settled.parts != {"query_id": KEY, "doc_id": VALUE}:
        return settled, {}
    table = table.kept()
    groups = {row.cells[KEY]: row.cells[VALUE] for row in table.rows()}
    are_plain = all(id_in(query_id) == query_id and _are_numbers(group) for query_id, group in groups.items())
    return settled._replace(table=table), groups if are_plain and any(groups.values()) else {}


def _are_numbers(group: object) -> bool:
    """True for an object of finite numbers by document."""
    if not isinstance(group, dict) or "" in group or not {*map(type, group.values())} <= {int, float}:
        return False
    return None not in [finite_value(value) for value in group.values()]


def read_run_rows(settled: Settled, empty: str = "", named: ByPart = MappingProxyType({})) -> tuple[list[Run], str]:
    """Read the runs of a table, by scores, ranks or the order of rows, and what distinguishes them; "" for one run.

    named : part → the column that the user names
    """
    settled, groups = _with_groups(settled)
    table = settled.sure_table
    if groups:
        if "score" not in named:
            values = {query_id: [*group.values()] for query_id, group in groups.items()}
            _refuse_opposite(settled, "score", values, VALUE)
        return [Run.from_dict(groups, name=run_name(table.source))], ""
    problems, used = Problems(table.source, table.unit), [*settled.parts.values()]
    rows = SystemRows(problems, table.noun, settled.parts["tag"] if "tag" in named else "", used)
    by, n_blank, queries, key, doc_key = "", 0, dict[str, None](), "", ""
    for triple in triples_in(settled, "run", problems):
        queries.setdefault(triple.query_id)
        if not triple.doc_id:
            continue
        if triple.by in named and triple.value in _WITHOUT_GRADE:
            n_blank += 1  # which this system did not retrieve
            continue
        number = number_in(triple.value, "run", table) if triple.by else float(triple.place or triple.line)
        if number is None:
            _tell(triple, _no_number(triple), problems, table)
            continue
        kind = "lists of doc_ids" if not triple.by else "ranks" if triple.by == "rank" else "scores"
        if by and kind != by:
            both = f"query '{triple.query_id}' has {kind}, others have {by}"
            raise DataError(f"{table.source}: {both}; give all queries the same")
        if not by:
            key = next((label for label in triple.cells if triple.by in places_of([label])), "score")
            doc_key = "_id" if "_id" in triple.cells else labels_of(triple.cells).get("doc_id", "id")
            doc_key = doc_key if key in triple.cells else "document"
        by = kind
        value = -number if triple.by == "distance" else number
        rows.add(triple.line, triple.query_id, triple.doc_id, value, triple.cells)
    if n_blank:
        note(f"{table.source}: {counted(n_blank, 'row')} without a {settled.by} left out as not retrieved")
    if by and triple.by and triple.by not in named:
        sign = -1 if triple.by == "distance" else 1
        numbers = {query_id: [sign * row[3] for row in of_query] for query_id, of_query in rows.queries.items()}
        _refuse_opposite(settled, triple.by, numbers, key, doc_key)
    return rows.runs(run_name(table.source), empty, queries, by_rank=by not in ("scores", ""))


def _refuse_opposite(
    settled: Settled, part: str, numbers: Mapping[str, list[float]], key: str, doc_key: str = "document"
) -> None:
    """Ask about scores that rise in the order of the documents of each query, and distances or ranks that fall.

    Of scores, those of two queries show it, each with three documents or more. Whole scores that count from 1 in the
    order of an object may be ranks.

    key, doc_key : under which they and the documents stand in lists
    """
    table, parts = settled.sure_table, settled.parts
    is_score = part == "score"
    if is_score and "rank" in parts:
        return  # which is told elsewhere
    are_counted = is_score and all(counts(column) and column[0] == 1 for column in numbers.values() if column)
    if is_score and key == VALUE and not are_counted:
        return  # an object has no order
    long = {query_id: column for query_id, column in numbers.items() if len(column) >= (FEW if is_score else 1)}
    are_opposite = len(long) > is_score and all(column == sorted({*column}) for column in long.values())
    if not is_score:
        are_opposite = falls(numbers.values())
    if is_score and len(long) == 1 and next(iter(long.values())) == sorted({*next(iter(long.values()))}):
        note(f"{table.source}: its scores rise down the only list; the largest is ranked first")
    if not are_opposite:
        return
    several = {query_id: column for query_id, column in numbers.items() if len({*column}) > 1}
    if part == "rank" and all(map(counts, map(sorted, several.values()))):
        return  # from the last document to the first
    query_id, column = next(iter(several.items()))
    opposite = (
        f"{table.source}: the order of the documents contradicts their {part}s, such as those of '{query_id}', which "
        f"{'rise' if is_score else 'fall'} from {column[0]:g} to {column[-1]:g}"
    )
    if table.form == "frame":
        advice = "the largest score" if is_score else f"the smallest {part}"
        note(f"{opposite}; {advice} is ranked first; rename them if they are something else")
        return
    columns = f"query={parts['query_id']},doc={parts['doc_id']}.{doc_key},{{}}={parts['doc_id']}.{key}"
    if key == VALUE:
        columns = f"query={KEY},doc={VALUE}.{KEY},{{}}={VALUE}.{VALUE}"
    elif settled.by:
        columns = f"query={parts['query_id']},doc={parts['doc_id']},{{}}={parts[part]}"
    other = ("rank" if are_counted else "distance") if is_score else part
    ways = (other, "score") if is_score else ("score", part)
    either = [str(Remedy("read_run", columns=columns.format(way))) for way in ways]
    raise DataError(f"{opposite}; they may be {other}s or scores; say which: {' or '.join(either)}")


def read_qrels_rows(settled: Settled, grades: Mapping[str, float] | None = None) -> tuple[Qrels, bool]:
    """Read the judgments of a table, or of a table of votes, and whether some lack a grade, which is then 1.

    grades : those that codes stand for
    """
    table = settled.sure_table
    if settled.by == "vote":
        return _votes(settled), False
    settled, groups = _with_groups(settled)
    if groups and grades is None:
        return Qrels.from_dict(groups), False
    triples, is_unrated = Triples("qrels", Problems(table.source, table.unit)), False
    has_subtopics = table.noun == "key" or "subtopic" in settled.parts  # each object has keys of its own
    for triple, grade in graded(settled, triples.problems, triples.unjudged, grades):
        triples.groups.setdefault(triple.query_id, {})
        if triple.doc_id:
            is_unrated = is_unrated or not triple.by
            judgment = triple.query_id, triple.doc_id, grade
            if has_subtopics:
                subtopic, weight = (text_of_part(triple, part, settled.parts) for part in ("subtopic", "weight"))
                add_subtopic(triples, triple.line, judgment, encodable(subtopic)[0], weight)
            else:
                triples.add(triple.line, *judgment)
    if triples.differ and (judge := judges_in(table, settled.parts)):
        named = {**settled.parts, "judge": judge}
        columns = ",".join(f"{SHORT.get(part, part)}={named[part]}" for part in (*PAIR, settled.by, "judge") if part)
        line = f"{typed_line('toysearch', 'judge', 'merge', str(table.source))} -o judged.csv"
        triples.problems.advice = (
            f"if {judge} tells judges apart, merge their grades: {line} {naming('qrels', columns)}"
        )
    empty = f"holds no judgments: no row has a {settled.by}; fill some in"
    if table.form == "table" and not table.head:
        empty = "is empty; expected judgments: a header with query_id, doc_id and relevance, and rows"
    elif not settled.by:
        empty = "holds no judgments; expected query_id to doc_id to relevance"
    return triples.qrels(f"{table.source} {empty}" if table.form != "frame" else ""), is_unrated


def judges_in(table: Table, parts: ByPart) -> str:
    """Return the column without which pairs of a query and a document are judged twice; "" if none is needed."""
    rows = table.readable
    pairs = [tuple(str(cells.get(parts[part])) for part in PAIR) for cells in rows]
    free = [label for label in table.labels if label not in parts.values() or label == parts.get("judge")]
    free = [label for label in free if words_of(label).isdisjoint(NO_TITLES - PEOPLE)]  # no times, and no kinds
    likely = {parts.get("judge"), *(label for label in free if words_of(label) & PEOPLE or named_like(label) == "ids")}
    free.sort(key=lambda label: label not in likely)
    for label in free if len({*pairs}) < len(pairs) else ():
        names = [str(cells.get(label) or "") for cells in rows]
        if all(names) and not _are_of_rows(names) and len({*zip(pairs, names, strict=True)}) == len(names):
            return label
    return ""


def text_of_part(triple: Triple, part: str, parts: ByPart) -> str:
    """Return the cell of another part of a row as a text; "" if it lacks it."""
    cell = triple.cells.get(parts.get(part) or labels_of(triple.cells).get(part, ""))
    return "" if cell is None else str(cell)


def graded(
    settled: Settled, problems: Problems, unjudged: Unjudged, grades: Mapping[str, float] | None = None
) -> Iterator[tuple[Triple, float]]:
    """Yield the rows of a table that have a grade, with it; where there are no grades, each row is relevant."""
    table = settled.sure_table
    outside, label = OutsideScale(table.source), settled.parts.get(settled.by, "")
    status = next((name for name in table.labels if plain_label(name) == STATUS), STATUS)
    for triple in triples_in(settled, "qrels", problems):
        failed = str(triple.cells.get(status)) in ("0", "0.0")
        if failed or (triple.by and triple.value in _WITHOUT_GRADE):
            unjudged.add(triple.line, failed=failed)
            continue
        value, grade = triple.value, cast("float | None", 1.0)
        if triple.by:
            grade = number_in(value, "qrels", table) if grades is None else grades.get(code_of(value))
        if grade is None and grades is not None:
            problem = f"expected {among_codes(grades)} as {label or triple.by}, found {_shown(value)}"
            _tell(triple, problem, problems, table)
        elif grade is None:
            is_first = isinstance(value, str | bool) and not (problems.count or problems.skips)
            words = [True, False] if isinstance(value, bool) else [value, *map(_word_in, table.cells(label))]
            advice = advice_on_words(words) if is_first else ""
            _tell(triple, _no_number(triple) + advice, problems, table)
        else:
            outside.add(triple.line, label or triple.by, grade)
            yield triple, grade
    outside.tell()


def advice_on_words(cells: Sequence[object]) -> str:
    """Return what to do about words in place of grades; "" if the first is hardly one; cells: it, and its column."""
    codes = [*dict.fromkeys(map(code_of, cells))]
    words = [code for code in codes if _CODE.fullmatch(code)]
    if codes[0] not in words:
        return ""
    numbers = {code: match[match.lastindex] for code in words if (match := _CODE.fullmatch(code)) and match.lastindex}
    others = codes_in([code for code in words if code not in numbers], unknown="1" if len(words) == 1 else "…")
    shown = [*(f"{code}={number}" for code, number in numbers.items()), *filter(None, others.split(","))][:MOST_CODES]
    more = ",…" * (len(cells) == 1 or len(shown) < len(codes))
    return (
        f"; if that is a grade, give each such word its number: {Remedy('read_qrels', grades=','.join(shown) + more)}"
    )


class OutsideScale:
    """Grades outside the scale that the name of their column states, such as Rating (0-3)."""

    def __init__(self, path: AnyPath) -> None:
        self._path = path
        self._outside: dict[str, list[tuple[int, float]]] = {}  # column → their lines and the grades

    def add(self, line: int, label: str, grade: float | None) -> None:
        """Add the grade of a row, if it has one."""
        scale = scale_of(label)
        if scale is not None and grade is not None and not scale[0] <= grade <= scale[1]:
            self._outside.setdefault(label, []).append((line, grade))

    def tell(self) -> None:
        """Note how many grades each column has outside its scale."""
        for label, rows in self._outside.items():
            line, grade = rows[0]
            first = f"the first {grade:g} on {unit_of(self._path)} {line}"
            note(f"{self._path}: {counted(len(rows), 'grade')} outside the scale of '{label}', {first}; kept as given")


def run_name(path: AnyPath) -> str:
    """Name a run without a tag after its file, without the suffixes of the format."""
    return "run" if str(path) in ("-", FRAME) else Path(path).name.split(".")[0] or "run"


def runs_of_frame(frame: Any) -> tuple[list[Run], str]:
    """Read the runs of a data frame with the columns query_id, doc_id and score (or rank), or their synonyms."""
    return read_run_rows(_settled_frame(frame, "run"))


def one_run(runs: Sequence[Run], several: str) -> Run:
    """Return the only run; refuse several. several : what distinguishes their systems; "" for one."""
    if several:
        raise DataError(f"{several} that rank the same query, and a run is of one system; write one file per system")
    return runs[0]


def qrels_of_frame(frame: Any) -> Qrels:
    """Read the judgments in a data frame with the columns query_id, doc_id and relevance, or their synonyms."""
    settled = _settled_frame(frame, "qrels")
    table = settled.sure_table
    first = replace(table, head=[*islice(table.rows(), LOOKED_AT)])
    beside = grades_beside(first, settled.parts[settled.by])
    if settled.by == "relevance" and beside:
        found = " and ".join([settled.parts[settled.by], *beside])
        raise DataError(f"the data frame of judgments has grades in {found}; leave out all but one of these columns")
    return read_qrels_rows(settled)[0]


def _settled_frame(frame: Any, role: Literal["run", "qrels"]) -> Settled:
    columns = columns_in(frame)
    labels = [*columns]
    parts = labels_of(labels)
    among = [part for part in VALUES[role] if part != "vote"]
    by = next((part for part in among if part in parts), "")
    expected = " or ".join(part for part in among if part != "distance")
    if missing := [*(part for part in PAIR if part not in parts), *[expected] * (not by)]:
        names = f"{', '.join(labels)}; rename one" if labels else "none"
        what = "a run" if role == "run" else "judgments"
        raise DataError(f"the data frame of {what} has no column {missing[0]}; its columns: {names}")

    def rows() -> Iterator[Row]:
        for number, cells in enumerate(zip(*columns.values(), strict=True), 1):
            yield Row(number, dict(zip(labels, (_plain(cell, role) for cell in cells), strict=True)))

    return Settled(What(role, "frame"), Table(FRAME, labels, (), rows, "frame"), parts, by)


def _plain(cell: Any, role: str) -> Any:
    """Return a whole number of numpy as one of Python, and a missing cell of judgments as a row of a file lacks it."""
    if role == "qrels" and is_missing(cell):
        return None
    return int(cell) if not isinstance(cell, bool) and isinstance(cell, Integral) else cell


def _votes(settled: Settled) -> Qrels:
    """Make judgments from votes: the grade is the share of positive votes, and the number of votes is kept."""
    path = settled.sure_table.source
    problems = Problems(path)
    votes: dict[str, dict[str, list[bool]]] = {}  # query → document → whether each vote is positive
    voters: dict[tuple[str, str, str], int] = {}
    negative, line = 0.0, 0  # the first vote that is not positive, and its line
    for row in triples_in(settled, "qrels", problems):
        word = str(row.value if row.value is not None else "").strip().lower()
        vote = float(GRADES[word]) if word in GRADES else finite_number(word)
        if vote is None or vote not in (1.0, 0.0, -1.0):
            expected = "1 or 0, +1 or -1, true or false, yes or no"
            problems.add(row.line, f"expected {expected} as vote, found '{word}'")
            continue
        if vote <= 0 and not line:
            negative, line = vote, row.line
        if vote <= 0 and vote != negative:
            mixture = f"a vote of {word}, where line {line} has another that is not positive"
            problems.add(row.line, f"{mixture}; vote with 1 and 0, or with +1 and -1, throughout")
            continue
        user = text_of_part(row, "user", settled.parts)
        first = voters.setdefault((user, row.query_id, row.doc_id), row.line) if user else row.line
        if first != row.line:
            again = f"user '{user}' already voted on query '{row.query_id}', document '{row.doc_id}' on line {first}"
            problems.add(row.line, f"{again}; keep one of the two")
            continue
        votes.setdefault(row.query_id, {}).setdefault(row.doc_id, []).append(vote > 0)
    problems.refuse(among=bool(votes))
    shares = {
        query_id: {doc_id: sum(ups) / len(ups) for doc_id, ups in group.items()} for query_id, group in votes.items()
    }
    qrels = Qrels.from_dict(shares)
    qrels.votes = np.array([len(ups) for group in votes.values() for ups in group.values()], dtype=np.int64)
    total = counted(int(qrels.votes.sum()), "vote")
    note(f"{path}: {total} on {counted(len(qrels), 'document')}; the grade is the share of positive votes")
    return qrels


def parsed_grades(grades: str | Mapping[str, float]) -> dict[str, float]:
    """Return code → grade, as the user gave them.

    >>> parsed_grades("E=3, S=2"), parsed_grades({"good": 1})
    ({'E': 3.0, 'S': 2.0}, {'good': 1.0})
    """
    if not isinstance(grades, str):
        expect(Mapping, grades=grades)
    items = [item.rpartition("=")[::2] for item in grades.split(",")] if isinstance(grades, str) else grades.items()
    codes: dict[str, float] = {}
    for given, value in items:
        code = str(given).strip()
        grade = number_of(value)
        if not code or grade is None or code in codes:
            remedy = Remedy("read_qrels", grades="E=3,I=0")
            raise ArgumentError(
                f"expected the grade of each code in a file of judgments, as in {remedy}, found '{grades}'"
            )
        codes[code] = grade
    return codes
