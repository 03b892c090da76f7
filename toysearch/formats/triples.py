"""Rows of (query, document, value) in files of any layout: one reader, which lists every bad line.

Start with `Triples`, then `read_trec_run`: a reader adds rows, and the error at the end names all bad ones.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from toysearch.base import DataError, Problems, Qrels, Ranking, Remedy, Run, counted, encodable, malformed, note
from toysearch.formats.column_names import Row, places_of, plain_label, rows_of, scale_of
from toysearch.formats.json_hits import by_query, hit_of, hits_in, query_of, scores_of
from toysearch.formats.jsonl import judgment_keys, kind_of_value, object_lines
from toysearch.formats.rows_in_memory import column_values
from toysearch.formats.text_files import (
    finite_number,
    finite_value,
    not_a_number,
    numbered_lines,
    open_bytes,
    raw_blocks,
)
from toysearch.formats.trec import QRELS, RUN, scanned, score_of, trec_rows

_VALUES = {"run": ("score", "rank"), "qrels": ("relevance", "vote", "score")}
"""Columns that a table may have the value in, in order of precedence."""


class Triples:
    """Rows as they are read: each pair of query and document once, and every bad row remembered.

    A pair that is judged again with the same grade is left out with a note; any other repeated pair is a problem.
    """

    def __init__(self, source: str | Path, kind: Literal["run", "qrels"], unit: str = "line") -> None:
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


_STATUS = "result_status"  # of umbrela: 0 if the answer of the model has no grade, which is then written as 0


class Unjudged:
    """Rows without a grade: empty ones, and answers of a model in which no grade was found."""

    def __init__(self, path: str | Path) -> None:
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
            failed = f" ({self._failed} with {_STATUS} 0)" if self._failed else ""
            note(f"{self._path}: {rows} without a grade{failed} left out as unjudged, the first line {self._lines[0]}")


def read_trec_run(path: str | Path) -> Run:
    """Read the run in a TREC run file, with its rows in the order of the file."""
    # Each line holds six columns with any white space between: `query_id Q0 doc_id rank score tag`. As in trec_eval,
    # the second column, the rank, text after the tag and comments (lines that begin with `#` and hold no data) are
    # ignored, and the name of the run is the tag of the last line.
    data = _only_once(path)
    columns = scanned(path, RUN, data)
    if columns:
        return Run(columns.query_ids, columns.offsets, columns.doc_ids, columns.values, columns.tag)
    triples, tag = Triples(path, "run"), ""
    for line, row, score in trec_rows(numbered_lines(path, data), RUN, triples.problems):
        triples.add(line, row[0], row[2], score)
        tag = row[-1]
    return triples.run(tag, f"{path} is empty; expected a run: lines of {RUN}")


def read_trec_qrels(path: str | Path, grades: Mapping[str, float] | None = None) -> Qrels:
    """Read the relevance judgments in a TREC qrels file; grades: those that its codes stand for."""
    # Each line holds four columns with any white space between: `query_id iteration doc_id relevance`. The second
    # column names a sub-topic, unless it is the same on all lines. A grade may be a fraction.
    data = _only_once(path)
    columns = scanned(path, QRELS, data) if grades is None else None
    layout = QRELS if grades is None else QRELS._replace(number=grades.get, codes=among_codes(grades))
    if columns:
        return Qrels(columns.query_ids, columns.offsets, columns.doc_ids, columns.values)
    triples = Triples(path, "qrels")
    for line, (query_id, subtopic, doc_id, _), grade in trec_rows(numbered_lines(path, data), layout, triples.problems):
        triples.add(line, query_id, doc_id, grade, subtopic)
    return triples.qrels(f"{path} is empty; expected judgments: lines of {QRELS}")


def _only_once(path: str | Path) -> bytes | None:
    """Read all bytes of a source that can be read only once; None for a file."""
    if "://" in str(path) or (str(path) != "-" and Path(path).is_file()):
        return None
    with open_bytes(path) as file:
        return b"".join(raw_blocks(path, file))


def read_smart_qrels(path: str | Path) -> Qrels:
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


_EXPECTED = "expected a JSON object with query_id, doc_id and relevance"


def read_judgment_lines(
    path: str | Path, columns: Mapping[str, str] | None = None, grades: Mapping[str, float] | None = None
) -> Qrels:
    """Read the judgments of a JSON Lines file or of an array of objects, in its order."""
    # An id is a string or a whole number, a grade any finite number. Blank lines are skipped. The keys may have the
    # same names as the columns of a table; the first object decides.
    triples = Triples(path, "qrels")
    for row in graded_objects(path, triples.problems, triples.unjudged, columns, grades=grades):
        subtopic, weight = row.cell("subtopic"), row.cell("weight")
        _add_subtopic(triples, row.line, (row.query_id, row.doc_id, row.grade), encodable(subtopic)[0], weight)
    return triples.qrels(f"{path} holds no judgments; {_EXPECTED} on each line")


class GradedObject(NamedTuple):
    """JSON object that holds a judgment."""

    line: int
    query_id: str
    doc_id: str
    grade: float
    by: str  # the key that holds the grade
    item: Mapping[str, object]
    labels: Mapping[str, str]  # part (a key of `NAMES`) → the key in the object

    def cell(self, holds: str) -> str:
        """Return the text of another part; "" if the object lacks it."""
        return str(self.item.get(self.labels.get(holds, ""), ""))


def graded_objects(
    path: str | Path,
    problems: Problems,
    unjudged: Unjudged,
    columns: Mapping[str, str] | None = None,
    judges: Sequence[str] = (),
    grades: Mapping[str, float] | None = None,
) -> Iterator[GradedObject]:
    """Yield the judgments in objects of JSON, in the file's order.

    judges : keys that hold a grade each, or null
    grades : the grades that codes stand for
    """
    keys: tuple[str, str, str] | None = None
    labels: dict[tuple[str, ...], dict[str, str]] = {}  # by the keys of an object: a reason may be absent
    outside = OutsideScale(path)
    for number, line in object_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.add(number, f"{_EXPECTED}; {error}")
            continue
        if isinstance(item, dict):
            graded = [judge for judge in judges if item.get(judge) is not None]
            keys = keys or judgment_keys(item, {**(columns or {}), **({"relevance": graded[0]} if graded else {})})
        if not isinstance(item, dict) or not keys or not {*keys[: 2 if judges else 3]} <= {*item}:
            problems.add(number, f"{_EXPECTED}, found {line.strip()[:60]}")
            continue
        names = tuple(item)
        if names not in labels:
            labels[names] = {part: names[place] for part, place in places_of(names, columns).items()}
        ids = [(key, item[key]) for key in keys[:2]]
        odd = next(
            ((key, value) for key, value in ids if type(value) is not int and not (isinstance(value, str) and value)),
            None,
        )
        if odd is not None:  # a bool is an int, but not an id
            problems.add(number, f"{odd[0]} must be a text or a whole number, found {json.dumps(odd[1])[:60]}")
        elif item.get(_STATUS) == 0 or (not judges and item[keys[2]] in (None, "")):
            unjudged.add(number, failed=item.get(_STATUS) == 0)
        else:
            query_id, doc_id = (encodable(str(value))[0] for _, value in ids)
            graded = graded if judges else [keys[2]]
            values = {
                key: finite_value(item[key]) if grades is None else grades.get(code_of(item[key])) for key in graded
            }
            bad = [key for key, value in values.items() if value is None]
            if bad:
                expected, value = among_codes(grades) or "a finite number", item[bad[0]]
                code = (
                    value
                    if isinstance(value, str) and grades is None and not (problems.count or problems.skips)
                    else ""
                )
                problem = f"expected {expected} as {bad[0]}, found {json.dumps(value)[:60]}"
                problems.add(number, f"{problem}{_hint(code)}")
            for key in graded:
                if (grade := values[key]) is not None:
                    outside.add(number, key, grade)
                    yield GradedObject(number, query_id, doc_id, grade, key, item, labels[names])
    outside.tell()


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


def _add_subtopic(
    triples: Triples, line: int, judgment: tuple[str, str, float], subtopic: str, importance: str
) -> None:
    weight = _IMPORTANCE.get(importance.lower(), finite_number(importance)) if subtopic else 1.0
    if weight is None or weight < 0:
        triples.problems.add(
            line, f"expected vital, okay or a number of at least 0 as weight of a sub-topic, found '{importance}'"
        )
    else:
        triples.add(line, *judgment, subtopic, weight)


def read_run_table(path: str | Path) -> Run:
    """Read the run of a table, by its scores, or by its ranks if it has no scores."""
    triples, by, name = Triples(path, "run"), "", ""
    for row in rows_of(path, _VALUES["run"], "a run", triples.problems):
        value = score_of(row.value)
        if value is None:
            triples.problems.add(row.line, not_a_number(row.by, row.value))
        else:
            triples.add(row.line, row.query_id, row.doc_id, value)
        by, name = row.by, name or row.cell("tag")
    return triples.run(name or run_name(path), f"{path} holds no run", by_rank=by == "rank")


def read_qrels_table(path: str | Path, columns: Mapping[str, str], grades: Mapping[str, float] | None = None) -> Qrels:
    """Read the judgments in a table, or in a table of votes."""
    triples = Triples(path, "qrels")
    rows = rows_of(path, _VALUES["qrels"], "judgments", triples.problems, columns)
    first = next(rows, None)
    if first is not None and first.by == "vote":
        return _votes(path, chain([first], rows), triples.problems)
    every = chain([first] if first else (), rows)
    for row, grade in graded_rows(every, triples.problems, triples.unjudged, grades):
        judgment = row.query_id, row.doc_id, grade
        _add_subtopic(triples, row.line, judgment, row.cell("subtopic"), row.cell("weight"))
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
            status = next((place for place, name in enumerate(row.header.labels) if plain_label(name) == _STATUS), -1)
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
    return not_a_number(row.by, row.value) + _hint(row.value if first else "")


def _hint(code: str) -> str:
    """Return what to do about a word in place of a grade."""
    if not _CODE.fullmatch(code):
        return ""
    codes = Remedy("read_qrels", grades=f"{code}=1,…")
    return f"; if that is a grade, give each such word its number: {codes}"


class OutsideScale:
    """Grades outside the scale that the name of their column states, such as Rating (0-3)."""

    def __init__(self, path: str | Path) -> None:
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


def run_name(path: str | Path) -> str:
    """Name a run without a tag after its file, without the suffixes of the format."""
    return "run" if str(path) == "-" else Path(path).name.split(".")[0] or "run"


def read_nested(path: str | Path, kind: Literal["run", "qrels"]) -> dict[str, dict[str, float] | list[str]]:
    """Read and check a JSON object: for each query an object of numbers, or in a run a list of doc_ids."""
    what = "score" if kind == "run" else "relevance"
    expected = f"expected a JSON object of objects, query_id to doc_id to {what}"
    text = "\n".join(line for _, line in numbered_lines(path))
    repeated: list[str] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.append(next(key for place, key in enumerate(keys) if key in keys[:place]))
        return values

    try:
        groups = json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" starting at")
        raise malformed(path, error.lineno, f"{expected}; {why} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or as many nested brackets
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise malformed(path, 1, f"{expected}; {why}") from None
    problems = Problems(path)
    for key in repeated:
        line = _line_of(text, key, key)
        problems.add(line, f"'{key}' is a key of one object twice, and JSON keeps only one; remove the other")
    if kind == "qrels" and isinstance(groups, dict):
        groups = _rated_groups(path, groups, text, problems)
    problems.refuse()
    if not isinstance(groups, dict) or not groups:
        raise DataError(
            f"{path}: {expected}, found {'an empty one' if isinstance(groups, dict) else kind_of_value(groups)}"
        )
    problems = Problems(path)
    if kind == "run":
        groups = by_query(path, groups, run_name(path))
    good_groups: dict[str, dict[str, float] | list[str]] = {}
    for query_id, group in groups.items():
        hits = hits_in(group) if kind == "run" else group
        if isinstance(hits, list) and kind == "run":
            line = _line_of(text, query_id)
            if not any(isinstance(hit, list | dict) for hit in hits):
                good_groups[query_id] = _checked_list(problems, text, query_id, hits)
            else:
                good_groups[query_id] = scores_of(hits, f"query '{query_id}'", problems, line)
        elif not isinstance(hits, dict):
            problem = f"query '{query_id}': expected an object of doc_id to {what}, found {kind_of_value(group)}"
            problems.add(_line_of(text, query_id), problem)
        elif all(finite_value(value) is not None for value in hits.values()):  # quick for most
            good_groups[query_id] = hits
        else:
            good_groups[query_id] = good = {}
            for doc_id, value in hits.items():
                infinite = type(value) is float and math.isinf(value) and "Infinity" in text  # not merely too large
                if finite_value(value) is not None or (infinite and kind == "run"):
                    good[doc_id] = value
                    continue
                number = (
                    f"a finite number as {what}, found {value}"
                    if infinite
                    else f"a number as {what}, found {_shown(value)}"
                )
                problem = f"query '{query_id}', document '{doc_id}': expected {number}"
                problems.add(_line_of(text, query_id, doc_id), problem)
    problems.refuse(among=any(good_groups.values()))
    return good_groups


def _rated_groups(path: str | Path, groups: dict[str, Any], text: str, problems: Problems) -> dict[str, Any]:
    """Return query_id → doc_id → grade of ratings in an object of another program, or the groups unchanged."""
    if isinstance(groups.get("requests"), list):
        return _rated(groups["requests"], text, problems)
    if isinstance(groups.get("topics"), list) and '"query_groups"' in text:
        return _rated_topics(groups["topics"], problems)
    return groups


def _rated_topics(topics: list[Any], problems: Problems) -> dict[str, dict[str, Any]]:
    """Return the ratings of RRE, in which a group of queries has the same relevant documents, by grade or by id."""
    rated: dict[str, dict[str, Any]] = {}
    for topic in topics:
        for group in topic.get("query_groups", ()) if isinstance(topic, dict) else ():
            try:
                documents = {
                    str(doc_id): float(grade)
                    for key, value in group["relevant_documents"].items()
                    for doc_id, grade in (
                        ((one, key) for one in value) if isinstance(value, list) else [(key, value["gain"])]
                    )
                }
                texts = [query["placeholders"] for query in group["queries"]]
                query_ids = [str(values.get("$query", next(iter(values.values())))) for values in texts]
            except (AttributeError, KeyError, TypeError, ValueError, StopIteration):
                excerpt = json.dumps(group, ensure_ascii=False)[:60]
                expected = "expected a group with queries, their placeholders, and relevant_documents by grade"
                problems.add(1, f"{expected}, found {excerpt}")
                continue
            for query_id in query_ids:
                rated.setdefault(query_id, {}).update(documents)
    return rated


def _rated(requests: list[Any], text: str, problems: Problems) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for request in requests:
        try:
            query_id, rated = str(request["id"]), request["ratings"]
            ratings = {str(rating["_id"]): rating["rating"] for rating in rated}
        except (TypeError, KeyError):
            excerpt = json.dumps(request, ensure_ascii=False)[:60]
            problems.add(1, f"expected a request with id, and ratings with _id and rating each, found {excerpt}")
            continue
        if query_id in groups or len(ratings) < len(rated):
            what = "two requests" if query_id in groups else "two ratings of one document"
            problems.add(_line_of(text, query_id), f"query '{query_id}' has {what}; keep one of the two")
        groups[query_id] = ratings
    return groups


def _checked_list(problems: Problems, text: str, query_id: str, doc_ids: list[Any]) -> list[str]:
    ranked: dict[str, None] = {}
    for doc_id in doc_ids:
        if not isinstance(doc_id, str):
            problem = f"query '{query_id}': expected a list of doc_ids, found {kind_of_value(doc_id)} in it"
            problems.add(_line_of(text, query_id), problem)
        elif doc_id in ranked:
            problem = f"query '{query_id}' has document '{doc_id}' twice; keep one of the two"
            problems.add(_line_of(text, query_id, doc_id), problem)
        else:
            ranked[doc_id] = None
    return [*ranked]


def _line_of(text: str, *keys: str) -> int:
    """Find the line of the last key, each key searched for after the previous one."""
    place = -1
    for key in keys:
        place = max(place, text.find(json.dumps(key, ensure_ascii=False), place + 1))
    return text.count("\n", 0, max(place, 0)) + 1


def _shown(value: object) -> str:
    if (isinstance(value, float) and math.isinf(value)) or type(value) is int:
        return "a number that is too large"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | float | bool) else kind_of_value(value)


def read_run_lines(path: str | Path) -> Run:
    """Read the run in JSON Lines or an array: objects with query_id, doc_id and score, or with the hits of a query."""
    triples, name, by = Triples(path, "run"), "", "score"
    for number, line in object_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            triples.problems.add(number, f"expected a JSON object with query_id, doc_id and score; {error}")
            continue
        query_id = query_of(item) if isinstance(item, dict) else None
        hits = hits_in(item)
        alone = hit_of(item) if not isinstance(hits, list) else None
        hits = hits if isinstance(hits, list) else [item]
        if query_id is None or (hits == [item] and (alone is None or alone.score is None)):
            triples.problems.add(number, f"expected an object with query_id, doc_id and score, found {line[:60]}")
            continue
        by = "rank" if hits == [item] and "score" not in places_of(item) else by
        name = name or str(item.get("tag") or item.get("run_id") or "")
        triples.groups.setdefault(query_id, {})
        for doc_id, score in scores_of(hits, f"query '{query_id}'", triples.problems, number).items():
            triples.add(number, query_id, doc_id, -score if by == "rank" else score)
    return triples.run(name or run_name(path), f"{path} holds no run", by_rank=by == "rank")


def read_run_object(path: str | Path) -> Run:
    """Read the run in a JSON object, by its scores or its lists."""
    groups, name = read_nested(path, "run"), run_name(path)
    if not any(isinstance(group, list) for group in groups.values()):
        return Run.from_dict(groups, name=name)  # type: ignore[arg-type]  # no list is left
    for query_id, group in groups.items():
        if not isinstance(group, list):
            raise DataError(
                f"{path}: query '{query_id}' has scores, others have lists of doc_ids; give all queries the same"
            )
    rankings = [Ranking(query_id, list(group), np.arange(len(group), 0, -1)) for query_id, group in groups.items()]
    return Run.from_rankings(rankings, name=name)


def read_qrels_object(path: str | Path) -> Qrels:
    """Read the judgments in a JSON object."""
    qrels = Qrels.from_dict(read_nested(path, "qrels"))  # type: ignore[arg-type]  # a list is refused
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; expected query_id to doc_id to relevance")
    return qrels


def run_of_frame(frame: Any) -> Run:
    """Read the run in a data frame with the columns query_id, doc_id and score (or rank), or their synonyms."""
    by, triples, columns = _frame_rows(frame, "run")
    tags = columns.get("tag")
    return triples.run(str(tags[0]) if tags else "run", "", by_rank=by == "rank")


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


def _votes(path: str | Path, rows: Iterator[Row], problems: Problems) -> Qrels:
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
