"""Judgments (qrels) in files of any format."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, DataError, Problems, left_out, malformed, note, unknown
from toysearch.base.records import Qrels
from toysearch.base.remedies import Remedy
from toysearch.base.wording import counted, cut, encodable
from toysearch.formats import trec
from toysearch.formats.column_names import parsed_judged_columns, rows_of, unnamed
from toysearch.formats.crowd_votes import qrels_of_votes
from toysearch.formats.detection import JUDGMENT_KEYS, first_object, form_of, judgment_keys
from toysearch.formats.jsonl import object_lines
from toysearch.formats.rejected_records import ON_ERROR
from toysearch.formats.runs import FORMATS, nested_texts, read_nested
from toysearch.formats.text_files import finite_number, not_a_number, numbered_lines
from toysearch.formats.writing import format_of_name, table_texts, write_texts

if TYPE_CHECKING:
    from toysearch.formats.run_and_qrels import QrelsLike

__all__ = ["read_qrels", "write_qrels"]

_NO_GRADE = ("0", 0.0)
_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


@checked
def read_qrels(path: str | Path, columns: str | Mapping[str, str] | None = None, on_error: str = "refuse") -> Qrels:
    r"""The judgments in a file of any format.

    ==========  =====================================================================================
    TREC        ``query_id iteration doc_id relevance`` with any white space between
    Cranfield   ``query_id doc_id code``; the codes are kept unchanged
    CSV, TSV    a header that names query_id, doc_id and relevance, or their usual synonyms: query,
                product_id, url, rating, stars, grade, … (in BEIR's, score)
    votes       a header that names query_id, doc_id and vote: the grade is the share of positive votes
    JSON        an object of objects, query_id → doc_id → relevance
    JSON Lines  one object per line, with query_id, doc_id and relevance
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input.
    columns : str or mapping of str to str, optional
        The columns or keys that hold query_id, doc_id and relevance (query, doc and grade for short), if they have
        other names: ``"doc=artikel,grade=note"``.
    on_error : {"refuse", "skip"}
        The treatment of lines that cannot be read: refused (the default), or left out and counted in a note.

    Returns
    -------
    Qrels
        Queries and documents in the order of the file. A grade may be a fraction; `Qrels.votes` holds the number of
        votes. A pair repeated with the same grade and a row without a grade are left out with a note.

    Raises
    ------
    ArgumentError
        If `columns` does not have that form, or the file has no column names.
    DataError
        If the file holds no judgment, or lines are malformed (all are listed): a grade is not a finite number, or a
        pair has two different grades.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("qid,docno,label\nq1,a,2\nq1,b,0.5\n")
    >>> read_qrels(path)["q1"]
    {'a': 2.0, 'b': 0.5}
    """
    if on_error not in ON_ERROR:
        raise unknown("value of on_error", on_error, ON_ERROR, "values")
    with left_out(on_error):
        return _read(path, parsed_judged_columns(columns))


def _read(path: str | Path, named: dict[str, str]) -> Qrels:
    """The judgments of a file, by its layout."""
    layout = form_of(path, named).layout
    if layout == "lines":
        return read_judgment_lines(path, named)
    if layout == "table" or (named and layout is None):
        return _from_table(path, named)
    if named:
        raise ArgumentError(f"{path} has no columns with names; leave out {Remedy('read_qrels', columns=...)}")
    if layout is None:
        _refuse_unnamed(path)
    readers = {"json": _from_json, "smart": read_smart_qrels, "three": _from_three}
    return readers.get(layout or "", trec.read_trec_qrels)(path)


def _refuse_unnamed(path: str | Path) -> None:
    """Refuse a table whose header has no known column, and show how to name the columns; refuse other JSON."""
    if str(path) == "-":
        return
    for number, line in numbered_lines(path):
        if line.strip():
            found = first_object(line)
            if found or line.lstrip().startswith(('{"', "[{")):
                keys = f"; the first object has the keys {cut(', '.join(found), 200)}" if found else ""
                raise malformed(
                    path,
                    number,
                    "expected judgments in JSON: objects with query_id, doc_id and relevance, or one object, query_id "
                    f"to doc_id to relevance{keys}",
                )
            if problem := unnamed(line, ("relevance",)):
                raise malformed(path, number, problem)
            return


@checked
def write_qrels(qrels: QrelsLike, file: TextIO | str | Path, form: str | None = None) -> None:
    """Write judgments.

    Parameters
    ----------
    qrels : Qrels, dict, data frame, path, name or Collection
        The judgments, as `evaluate` takes them; grades read back as the same numbers.
    file : file open for text, or path
        A path is replaced as a whole; one that ends in ``.gz`` is gzipped.
    form : {"trec", "tsv", "csv", "json"}, optional
        The default is the suffix of the file, else ``trec``. ``tsv`` is the BEIR form.

    Raises
    ------
    ArgumentError
        If the form is unknown.
    DataError
        If the form cannot carry an id.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_qrels(Qrels.from_dict({"q1": {"a": 2, "b": 0.5}}), sys.stdout)
    q1 0 a 2
    q1 0 b 0.5
    """
    from toysearch.formats.run_and_qrels import as_qrels  # it imports this module

    form = form or format_of_name(file)
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    qrels = qrels if isinstance(qrels, Qrels) else as_qrels(qrels)
    rows = [(row.query_id, row.doc_id, repr(row.relevance).removesuffix(".0")) for row in qrels]
    if form == "json":
        grades: dict[str, dict[str, str]] = {query_id: {} for query_id in qrels.query_ids}
        for query_id, doc_id, grade in rows:
            grades[query_id][doc_id] = grade
        write_texts(nested_texts(grades), file)
    elif form == "trec":
        _check_columns(qrels)
        write_texts((f"{query_id} 0 {doc_id} {grade}\n" for query_id, doc_id, grade in rows), file)
    else:
        header = ["query-id", "corpus-id", "score"] if form == "tsv" else ["query_id", "doc_id", "relevance"]
        write_texts(table_texts(header, rows, form), file)


def _check_columns(qrels: Qrels) -> None:
    """Refuse ids that four columns separated by white space cannot carry."""
    for text in dict.fromkeys(chain(qrels.query_ids, qrels.doc_ids)):
        if text.split() != [text] or (not text.isascii() and encodable(text)[1]):
            problem = "is empty" if not text else "holds white space or a lone surrogate"
            raise DataError(f"the id {text!r} {problem}, which TREC judgments cannot carry; give it another id")


class JudgmentLines:
    """Judgments, collected line by line.

    A pair that is judged again with the same grade is left out with a note; with another grade, it is a problem.
    """

    def __init__(self, path: str | Path) -> None:
        self.problems = Problems(path)
        self._grades: dict[str, dict[str, float]] = {}
        self._lines: dict[tuple[str, str], int] = {}
        self._again: list[tuple[int, int]] = []
        self._without: list[int] = []

    def add(self, line: int, query_id: str, doc_id: str, grade: float) -> None:
        """Add a judgment."""
        of_query = self._grades.setdefault(query_id, {})
        first = self._lines.setdefault((query_id, doc_id), line)
        if first == line:
            of_query[doc_id] = grade
        elif of_query[doc_id] == grade:
            self._again.append((line, first))
        else:
            pair = f"query '{query_id}' and document '{doc_id}'"
            problem = f"{pair} have grade {grade:g} here and {of_query[doc_id]:g} on line {first}"
            self.problems.add(line, f"{problem}; keep one of the two lines")

    def add_unjudged(self, line: int) -> None:
        """Add a row of a sheet that has no grade yet."""
        self._without.append(line)

    def qrels(self) -> Qrels:
        """All judgments, with queries and documents in the order of the lines; notes report the rows left out."""
        self.problems.refuse(among=bool(self._grades))
        path = self.problems.path
        if self._again:
            line, first = self._again[0]
            lines = counted(len(self._again), "line judges", "lines judge")
            pairs = "a pair" if len(self._again) == 1 else "pairs"
            note(f"{path}: {lines} {pairs} again with the same grade, the first line {line} (as line {first})")
        if self._without and self._grades:
            rows = counted(len(self._without), "row", "rows")
            note(f"{path}: {rows} without a grade left out as unjudged, the first line {self._without[0]}")
        return Qrels.from_dict(self._grades)


def _from_json(path: str | Path) -> Qrels:
    groups = read_nested(path, "relevance")
    for query_id, group in groups.items():
        for doc_id, grade in group.items():  # type: ignore[union-attr]  # a list is refused for judgments
            if grade in (float("inf"), float("-inf")):
                problem = (
                    f"query '{query_id}', document '{doc_id}': expected a finite number as relevance, found {grade}"
                )
                raise DataError(f"{path}: {problem}")
    qrels = Qrels.from_dict(groups)  # type: ignore[arg-type]
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; expected query_id to doc_id to relevance")
    return qrels


def _from_table(path: str | Path, columns: Mapping[str, str]) -> Qrels:
    judgments = JudgmentLines(path)
    rows = rows_of(path, ("relevance", "vote", "score"), "judgments", judgments.problems, columns)
    first = next(rows, None)
    if first is not None and first.by == "vote":
        votes = qrels_of_votes(path, chain([first], rows))
        judgments.problems.refuse()
        return votes
    by = first.by if first else ""
    for row in chain([first] if first else (), rows):
        grade = finite_number(row.value)
        if not row.value:
            judgments.add_unjudged(row.line)
        elif grade is None:
            judgments.problems.add(row.line, not_a_number(row.by, row.value))
        else:
            judgments.add(row.line, row.query_id, row.doc_id, grade)
    qrels = judgments.qrels()
    if not len(qrels):
        raise DataError(f"{path} holds no judgments: no row has a {by}; fill some in")
    return qrels


def read_smart_qrels(path: str | Path) -> Qrels:
    """The judgments of a SMART collection, in any of three layouts.

    =============================  ==================================================================
    line                           meaning
    =============================  ==================================================================
    ``query document code``        the unchanged code (Cranfield); a grade mapping turns it into a gain
    ``query document 0 0.000000``  two columns that are always 0 (CISI, CACM): the pair is relevant, 1
    ``query 0 document grade``     TREC layout (MED): the second column is the same on all lines
    =============================  ==================================================================
    """
    rows = [(number, line.split()) for number, line in numbered_lines(path) if line.strip()]
    if not rows:
        raise DataError(f"{path} holds no judgments; expected lines such as 'query document grade'")
    width = next((len(columns) for _, columns in rows if len(columns) in (3, 4)), 0)
    if width == 4 and not _without_grades(rows):
        _refuse_two_layouts(path, rows)
        return trec.read_trec_qrels(path)
    judgments = JudgmentLines(path)
    for number, columns in rows:
        _add_columns(judgments, number, columns, width)
    return judgments.qrels()


def _without_grades(rows: list[tuple[int, list[str]]]) -> bool:
    return all((columns[2], finite_number(columns[3])) == _NO_GRADE for _, columns in rows if len(columns) == 4)


def _refuse_two_layouts(path: str | Path, rows: list[tuple[int, list[str]]]) -> None:
    """Refuse four columns if neither the second (TREC) nor the last two (SMART) are constant."""
    if len({columns[1] for _, columns in rows if len(columns) == 4}) == 1:
        return
    number, columns = next(row for row in rows if not _without_grades([row]))
    raise malformed(
        path,
        number,
        (
            "expected 'query document 0 0' or, in TREC, 'query 0 document grade' on every line, "
            f"found '{' '.join(columns)}'"
        ),
    )


def _add_columns(judgments: JudgmentLines, number: int, columns: list[str], width: int) -> None:
    """Add the judgment of a line, whose third column is a code if it has no fourth."""
    if len(columns) != width:
        expected = width or "3 or 4"
        judgments.problems.add(
            number,
            f"expected {expected} columns, found {len(columns)}: '{' '.join(columns)[:80]}'; SMART judgments are lines "
            "'query document grade' or 'query document 0 0'",
        )
        return
    code = finite_number(columns[2]) if width == 3 else 1.0
    if code is None:
        judgments.problems.add(number, not_a_number("the third column", columns[2]))
        return
    judgments.add(number, columns[0], columns[1], code)


def _from_three(path: str | Path) -> Qrels:
    qrels = read_smart_qrels(path)
    codes = set(qrels.relevance.tolist())
    if -1.0 in codes and 4.0 in codes and codes <= _CRANFIELD | {0.0, 5.0}:
        note(
            f"{path} holds codes from -1 to 4, as the Cranfield judgments do, where 1 is the best; they are kept "
            "unchanged; the collection cranfield, given instead of the file, turns them into gains"
        )
    return qrels


_LOG = "this is a log of the grades of judges; merge them into one file of judgments: toysearch merge LOG -o judged.txt"
_EXPECTED = "expected a JSON object with query_id, doc_id and relevance"


def read_judgment_lines(path: str | Path, columns: Mapping[str, str] | None = None) -> Qrels:
    """The judgments of a JSON Lines file or of an array of objects, in its order."""
    # An id is a string or a whole number, a grade any finite number. Blank lines are skipped. The keys may have the
    # same names as the columns of a table; the first object decides.
    judgments = JudgmentLines(path)
    keys: tuple[str, str, str] | None = None
    for number, line in object_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            judgments.problems.add(number, f"{_EXPECTED}; {error}")
            continue
        if keys is None and isinstance(item, dict) and {"time", "judge"} <= item.keys():
            raise malformed(path, number, _LOG)
        if not isinstance(item, dict) or not (keys := keys or judgment_keys(item, columns)) or not {*keys} <= {*item}:
            judgments.problems.add(number, f"{_EXPECTED}, found {line.strip()[:60]}")
            continue
        _add(judgments, number, item, keys)
    qrels = judgments.qrels()
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; {_EXPECTED} on each line")
    return qrels


def _add(judgments: JudgmentLines, number: int, item: Mapping[str, object], keys: tuple[str, str, str]) -> None:
    """Add the judgment in an object."""
    for key in keys[:2]:
        if type(item[key]) is not int and not (isinstance(item[key], str) and item[key]):  # a bool is an int
            found = json.dumps(item[key])[:60]
            judgments.problems.add(number, f"{key} must be a text or a whole number, found {found}")
            return
    query_id, doc_id = (encodable(str(item[key]))[0] for key in keys[:2])
    grade = _grade(item[keys[2]])
    if not math.isfinite(grade):
        found = json.dumps(item[keys[2]])[:60]
        judgments.problems.add(number, f"expected a finite number as {keys[2]}, found {found}")
        return
    judgments.add(number, query_id, doc_id, grade)


def _grade(value: object) -> float:
    """A number as a float; anything else as NaN."""
    try:
        return float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


def write_judgment_lines(qrels: Qrels, path: Path) -> None:
    """Write judgments as JSON Lines."""
    rows = (dict(zip(JUDGMENT_KEYS, (row.query_id, row.doc_id, _number(row.relevance)), strict=True)) for row in qrels)
    write_texts((json.dumps(row, ensure_ascii=False) + "\n" for row in rows), path)


def _number(grade: float) -> float | int:
    """A whole grade without its decimal point."""
    return int(grade) if grade.is_integer() else grade
