"""Judgments in any format: TREC's four columns, Cranfield's three, a table with a header, votes, JSON, JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from toysearch.errors import DataError, malformed, note, unknown
from toysearch.formats import trec
from toysearch.formats.columns import Row, rows_of
from toysearch.formats.judgment_lines import read_judgment_lines
from toysearch.formats.lines import finite_number
from toysearch.formats.nested import nested_texts, read_nested
from toysearch.formats.recognised import form_of
from toysearch.formats.runs import FORMATS
from toysearch.formats.smart import read_smart_qrels
from toysearch.formats.votes import qrels_of_votes
from toysearch.formats.writing import format_of_name, table_texts, write_texts
from toysearch.records import Qrels, encodable

_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


def read_qrels(path: str | Path) -> Qrels:
    r"""The judgments in a file, whichever format it has.

    ==========  =====================================================================================
    TREC        ``query_id iteration doc_id relevance`` with any white space between
    Cranfield   ``query_id doc_id code``; the codes are taken as they stand
    CSV, TSV    a header that names query_id, doc_id and relevance (in BEIR's, score)
    votes       a header that names query_id, doc_id and vote: the grade is the share of positive votes
    JSON        an object of objects, query_id → doc_id → relevance
    JSON Lines  an object a line, with query_id, doc_id and relevance
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input.

    Returns
    -------
    Qrels
        Queries and documents in the file's order. A grade may be a fraction; of votes, `Qrels.votes` has the number.

    Raises
    ------
    DataError
        With the line, where the file is malformed, a grade is not a finite number, or a query has a document
        twice; if there is no judgment in it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("qid,docno,label\nq1,a,2\nq1,b,0.5\n")
    >>> read_qrels(path)["q1"]
    {'a': 2.0, 'b': 0.5}
    """
    readers = {
        "json": _from_json,
        "lines": read_judgment_lines,
        "table": _from_table,
        "smart": read_smart_qrels,
        "three": _from_three,
    }
    return readers.get(form_of(path).layout or "", trec.read_qrels)(path)


def write_qrels(qrels: Qrels, file: TextIO | str | Path, form: str | None = None) -> None:
    """Write judgments.

    Parameters
    ----------
    qrels : Qrels
        The judgments; grades are written so that they read back as the same numbers.
    file : file open for text, or path
        A path is replaced as a whole; one that ends in ``.gz`` is gzipped.
    form : {"trec", "tsv", "csv", "json"}, optional
        By default what the file's name ends in says, else TREC's. ``tsv`` is BEIR's.

    Raises
    ------
    ArgumentError
        If there is no such format.
    DataError
        If an id is one that the format cannot carry.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_qrels(Qrels.from_dict({"q1": {"a": 2, "b": 0.5}}), sys.stdout)
    q1 0 a 2
    q1 0 b 0.5
    """
    form = form or format_of_name(file)
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
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
    """Refuse what four columns with white space between cannot carry."""
    for text in dict.fromkeys(chain(qrels.query_ids, qrels.doc_ids)):
        if text.split() != [text] or (not text.isascii() and encodable(text)[1]):
            problem = "is empty" if not text else "holds white space or a lone surrogate"
            raise DataError(f"the id {text!r} {problem}, which TREC judgments cannot carry; give it another id")


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


def _from_table(path: str | Path) -> Qrels:
    rows = rows_of(path, ("relevance", "vote", "score"), "judgments")
    first = next(rows)
    rows = chain([first], rows)
    if first.by == "vote":
        return qrels_of_votes(path, rows)
    return Qrels.from_dict(_grades(path, rows))


def _grades(path: str | Path, rows: Iterator[Row]) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for row in rows:
        grade = finite_number(row.value)
        if grade is None:
            raise malformed(path, row.line, f"expected a number as {row.by}, found '{row.value}'")
        group = groups.setdefault(row.query_id, {})
        if row.doc_id in group:
            problem = f"query '{row.query_id}' has document '{row.doc_id}' a second time; keep one of the two lines"
            raise malformed(path, row.line, problem)
        group[row.doc_id] = grade
    return groups


def _from_three(path: str | Path) -> Qrels:
    qrels = read_smart_qrels(path)
    codes = set(qrels.relevance.tolist())
    if -1.0 in codes and 4.0 in codes and codes <= _CRANFIELD | {0.0, 5.0}:
        note(
            f"{path} holds codes from -1 to 4, as Cranfield's judgments do, where 1 is the best; they are taken as "
            "they stand; the collection cranfield in the place of the file makes gains of them"
        )
    return qrels
