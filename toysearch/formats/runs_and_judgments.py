"""Readers of runs and judgments in files of any format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toysearch.base import (
    ArgumentError,
    Qrels,
    Remedy,
    Run,
    checked,
    cut,
    expect_name,
    left_out,
    malformed,
    note,
)
from toysearch.formats import triples
from toysearch.formats.column_names import parsed_judged_columns, unnamed
from toysearch.formats.detection import rows_in
from toysearch.formats.document_formats import ON_ERROR
from toysearch.formats.jsonl import first_object
from toysearch.formats.text_files import finite_number, numbered_lines

__all__ = ["read_qrels", "read_run"]

_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


@checked
def read_run(path: str | Path) -> Run:
    r"""Read the run in a file of any format.

    ==========  =====================================================================================
    TREC        ``query_id Q0 doc_id rank score tag`` with any white space between
    CSV, TSV    a header that names query_id, doc_id and score, or rank if there is no score
    JSON        an object of objects, query_id → doc_id → score; or query_id → list of doc_ids
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input.

    Returns
    -------
    Run
        With ``ranked=False``: the scores decide the order. A JSON list or a table with ranks but no scores gives
        ``ranked=True``. The name of the run is the tag, else the file name.

    Raises
    ------
    DataError
        If the file is empty or malformed, a score is not a number, or a query has a document twice; the error names
        the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mine.csv")
    >>> _ = path.write_text("qid,docno,score\nq1,a,0.5\nq1,b,2\n")
    >>> read_run(path).name, read_run(path)["q1"]
    ('mine', {'a': 0.5, 'b': 2.0})
    """
    what = rows_in(path)
    readers = {"json": triples.read_run_object, "table": triples.read_run_table}
    return readers.get(what.form, triples.read_trec_run)(what.look)


@checked
def read_qrels(path: str | Path, columns: str | Mapping[str, str] | None = None, on_error: str = "refuse") -> Qrels:
    r"""Read the judgments in a file of any format.

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
    expect_name("value of on_error", on_error, ON_ERROR, "values")
    by_part = parsed_judged_columns(columns)
    with left_out(on_error):
        what = rows_in(path, by_part)
        if what.form == "lines":
            return triples.read_judgment_lines(what.look, by_part)
        if what.form == "table" or (by_part and not what.form):
            return triples.read_qrels_table(what.look, by_part)
        if by_part:
            raise ArgumentError(f"{path} has no columns with names; leave out {Remedy('read_qrels', columns=...)}")
        if not what.form:
            refuse_unnamed(what.look)
        readers = {"json": triples.read_qrels_object, "smart": triples.read_smart_qrels, "three": _three_columns}
        return readers.get(what.form, triples.read_trec_qrels)(what.look)


def refuse_unnamed(path: str | Path) -> None:
    """Refuse a table whose header has no known column, and show how to name the columns; refuse other JSON."""
    if str(path) == "-":
        return
    for number, line in numbered_lines(path):
        if line.strip():
            item, words = first_object(line), line.split()
            is_trec = len(words) == 4 and finite_number(words[3]) is not None  # an id may begin as JSON does
            if item or (line.lstrip().startswith(('{"', "[{")) and not is_trec):
                keys = f"; the first object has the keys {cut(', '.join(item), 200)}" if item else ""
                raise malformed(
                    path,
                    number,
                    "expected judgments in JSON: objects with query_id, doc_id and relevance, or one object, query_id "
                    f"to doc_id to relevance{keys}",
                )
            if problem := unnamed(line, ("relevance",)):
                raise malformed(path, number, problem)
            return


def _three_columns(path: str | Path) -> Qrels:
    qrels = triples.read_smart_qrels(path)
    codes = set(qrels.relevance.tolist())
    if -1.0 in codes and 4.0 in codes and codes <= _CRANFIELD | {0.0, 5.0}:
        note(
            f"{path} holds codes from -1 to 4, as the Cranfield judgments do, where 1 is the best; they are kept "
            "unchanged; the collection cranfield, given instead of the file, turns them into gains"
        )
    return qrels
