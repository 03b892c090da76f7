"""Judgments in any format: TREC's four columns, Cranfield's three, a table with a header, votes, JSON, JSON Lines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from toysearch.errors import ArgumentError, DataError, malformed, note, unknown
from toysearch.formats import trec
from toysearch.formats.bad_lines import Judgments
from toysearch.formats.crowd_votes import qrels_of_votes
from toysearch.formats.detect_run_or_qrels import form_of
from toysearch.formats.json_runs import nested_texts, read_nested
from toysearch.formats.qrels_lines import read_judgment_lines
from toysearch.formats.runs import FORMATS
from toysearch.formats.smart import read_smart_qrels
from toysearch.formats.table_columns import OPTION, parsed_judged_columns, rows_of, unnamed
from toysearch.formats.text_files import finite_number, numbered_lines
from toysearch.formats.writing import format_of_name, table_texts, write_texts
from toysearch.records import Qrels, encodable

if TYPE_CHECKING:
    from toysearch.formats.run_and_qrels import QrelsLike

_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


def read_qrels(path: str | Path, columns: str | Mapping[str, str] | None = None) -> Qrels:
    r"""The judgments in a file, whichever format it has.

    ==========  =====================================================================================
    TREC        ``query_id iteration doc_id relevance`` with any white space between
    Cranfield   ``query_id doc_id code``; the codes are taken as they stand
    CSV, TSV    a header that names query_id, doc_id and relevance, or what they are called elsewhere: query,
                product_id, url, rating, stars, grade, … (in BEIR's, score)
    votes       a header that names query_id, doc_id and vote: the grade is the share of positive votes
    JSON        an object of objects, query_id → doc_id → relevance
    JSON Lines  an object a line, with query_id, doc_id and relevance
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input.
    columns : str or mapping of str to str, optional
        The columns or keys that hold query_id, doc_id and relevance, where their names do not tell:
        ``"doc_id=artikel,relevance=note"``.

    Returns
    -------
    Qrels
        Queries and documents in the file's order. A grade may be a fraction; of votes, `Qrels.votes` has the number.
        A pair that is there twice with the same grade, and a row of a table without a grade, are left out with a note.

    Raises
    ------
    ArgumentError
        If `columns` is not of that form, or the file has no columns with names.
    DataError
        With all lines that are malformed: a grade is not a finite number, or a query has a document with two grades;
        if there is no judgment in it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("qid,docno,label\nq1,a,2\nq1,b,0.5\n")
    >>> read_qrels(path)["q1"]
    {'a': 2.0, 'b': 0.5}
    """
    named = parsed_judged_columns(columns)
    layout = form_of(path, named).layout
    if layout == "lines":
        return read_judgment_lines(path, named)
    if layout == "table" or (named and layout is None):
        return _from_table(path, named)
    if named:
        raise ArgumentError(f"{OPTION} names columns, and {path} has none with names; leave it out")
    if layout is None:
        _refuse_unnamed(path)
    readers = {"json": _from_json, "smart": read_smart_qrels, "three": _from_three}
    return readers.get(layout or "", trec.read_qrels)(path)


def _refuse_unnamed(path: str | Path) -> None:
    """Refuse a table with a header of which no column is known, and show how they are named."""
    if str(path) == "-":
        return
    for number, line in numbered_lines(path):
        if line.strip():
            if problem := unnamed(line, ("relevance",)):
                raise malformed(path, number, problem)
            return


def write_qrels(qrels: QrelsLike, file: TextIO | str | Path, form: str | None = None) -> None:
    """Write judgments.

    Parameters
    ----------
    qrels : Qrels, dict, data frame, path, name or Collection
        The judgments, as `evaluate` takes them; grades are written so that they read back as the same numbers.
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
    from toysearch.formats.run_and_qrels import as_qrels  # which reads files by this module

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


def _from_table(path: str | Path, columns: Mapping[str, str]) -> Qrels:
    judgments = Judgments(path)
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
            judgments.problems.add(row.line, f"expected a number as {row.by}, found '{row.value}'")
        else:
            judgments.add(row.line, row.query_id, row.doc_id, grade)
    qrels = judgments.qrels()
    if not len(qrels):
        raise DataError(f"{path} holds no judgments: in no row is there a {by}; fill some in")
    return qrels


def _from_three(path: str | Path) -> Qrels:
    qrels = read_smart_qrels(path)
    codes = set(qrels.relevance.tolist())
    if -1.0 in codes and 4.0 in codes and codes <= _CRANFIELD | {0.0, 5.0}:
        note(
            f"{path} holds codes from -1 to 4, as Cranfield's judgments do, where 1 is the best; they are taken as "
            "they stand; the collection cranfield in the place of the file makes gains of them"
        )
    return qrels
