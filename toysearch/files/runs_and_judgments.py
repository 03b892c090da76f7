"""Readers of runs and judgments in files of any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Remedy,
    Run,
    checked,
    counted,
    cut,
    malformed,
    note,
    unknown,
)
from toysearch.files import foreign_layouts, triples
from toysearch.files.claims import refuse_use
from toysearch.files.columns import (
    labels_in,
    looks_like_header,
    parsed_judged_columns,
    places_of,
    unnamed,
)
from toysearch.files.numbers import finite_number, finite_value
from toysearch.files.reading import ON_ERROR
from toysearch.files.recognise import rows_in, what_is
from toysearch.files.source import AnyPath, Source, files_named, numbered_lines, refuse_bytes, source_of
from toysearch.files.syntaxes import json_triples
from toysearch.files.syntaxes.json_lines import first_object
from toysearch.files.syntaxes.trec import QRELS, RUN, refuse_torn, run_columns

__all__ = ["read_qrels", "read_run"]

_SHOWN = 200  # characters of a header
_CUT_AT_BLANKS = ("trec", "three", "smart", "ranks")
_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


@checked
def read_run(path: str | PathLike[str], on_error: str = "refuse") -> Run:
    r"""Read the run in a file of any format.

    ==========  =====================================================================================
    TREC        ``query_id Q0 doc_id rank score tag`` with any white space between
    MS MARCO    ``query_id doc_id rank``, perhaps with the score behind
    CSV, TSV    a header that names query_id, doc_id and score, or rank if there is no score; or two
                columns, of which the second, such as prediction, lists doc_ids with blanks between
    JSON        an object of query_id → doc_id → score, or → a list of doc_ids, pairs or objects; JSON
                Lines or an array of such records; answers of Elasticsearch; ``hits`` or ``topk``
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input.
    on_error : {"refuse", "skip"}
        The treatment of lines that cannot be read: refused (the default), or left out and counted in a note. Of a
        document given twice for one query, the first line is then kept.

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
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "mine.csv")
    >>> _ = path.write_text("qid,docno,score\nq1,a,0.5\nq1,b,2\n")
    >>> read_run(path).name, read_run(path)["q1"]
    ('mine', {'a': 0.5, 'b': 2.0})
    """
    if on_error not in ON_ERROR:
        raise unknown("value of on_error", on_error, ON_ERROR, "values")
    source = source_of(path, on_error=on_error)
    what = rows_in(source)
    if what.role != "run":
        refuse_use(what, path, "a run")
    if what.role == "qrels" and what.sure and what.form != "table":
        headed = "; write the header query_id, doc_id, score above a run" if what.form == "three" else ""
        raise malformed(
            path, 1, f"expected {RUN}, a table or JSON; this is not a run: {what.why}, as in judgments{headed}"
        )
    readers: dict[str, Callable[[str | PathLike[str]], Run]] = {
        "json": json_triples.read_run_object,
        "lines": json_triples.read_run_lines,
        "table": triples.read_run_table,
        **foreign_layouts.READERS["run"],
    }
    if what.form in _CUT_AT_BLANKS and "\t" in source.text:
        refuse_torn(source, "score")
    if what.form == "pairs" or (not what.form and source.lines and _names_its_columns(source)):
        refuse_bytes(path, source.head)
        raise DataError(not_a_run(source))
    if tell := source.reading.report.taken:
        tell(what.taken(path, "run"))
    return readers.get(what.form, triples.read_trec_run)(source)


def _names_its_columns(source: Source) -> bool:
    """True if a file begins with an object of JSON, or with the header of a table, and not with a line of a run."""
    labels, delimiter = labels_in(source.lines[0])
    columns = run_columns(source.lines[0])
    if len(columns) == len(RUN.columns) and RUN.number(columns[RUN.value]) is not None:
        return False
    return first_object(source.text) is not None or looks_like_header(labels, delimiter)


def not_a_run(path: AnyPath) -> str:
    """Say what a file is instead of a run, and which columns or keys of a run it lacks."""
    source = source_of(path)
    item = first_object(source.text)
    labels = [*item] if item else labels_in(source.lines[0])[0] if source.lines else []
    places = places_of(labels)
    missing = [part for part in ("query_id", "doc_id") if part not in places]
    missing += ["score (or rank)"] * (not {"score", "rank"} & places.keys())
    listed = f"it begins with {', '.join(labels)[:_SHOWN]}" if labels else "it is empty"
    lists = ", or prediction for lists of ids" if len(labels) == 2 and not item else ""
    lacks = f"name the columns that hold {', '.join(missing)} so{lists}" if missing else "expected lines of a run"
    return f"{path} is not a run: {what_is(source).why or listed}; {lacks}"


@checked
def read_qrels(
    path: str | PathLike[str],
    columns: str | Mapping[str, str] | None = None,
    on_error: str = "refuse",
    grades: str | Mapping[str, float] | None = None,
) -> Qrels:
    r"""Read the judgments in a file of any format.

    ==========  =====================================================================================
    TREC        ``query_id iteration doc_id relevance`` with any white space between
    Cranfield   ``query_id doc_id code``; the codes are kept unchanged
    pairs       ``query_id doc_id``, each relevant; or two columns, of which the second lists doc_ids
    LETOR       ``grade qid:query_id 1:feature … # doc_id``
    CSV, TSV    a header that names query_id, doc_id and relevance, or their usual synonyms: query,
                product_id, url, rating, stars, grade, … (in BEIR's, score)
    votes       a header that names query_id, doc_id and vote: the grade is the share of positive votes
    JSON        an object of objects, query_id → doc_id → relevance; the ratings of Elasticsearch, RRE
    JSON Lines  one object per line, with query_id, doc_id and relevance
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file; may be gzipped. ``-`` is standard input. A pattern such as ``judged/*.txt`` is all files that it
        matches.
    columns : str or mapping of str to str, optional
        The columns or keys that hold query_id, doc_id and relevance (query, doc and grade for short), if they have
        other names: ``"doc=artikel,grade=note"``.
    on_error : {"refuse", "skip"}
        The treatment of lines that cannot be read: refused (the default), or left out and counted in a note.
    grades : str or mapping of str to float, optional
        The grades that codes stand for, if the file has letters, words or other numbers: ``"E=3,S=2,C=1,I=0"``.

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
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("qid,docno,label\nq1,a,2\nq1,b,0.5\n")
    >>> read_qrels(path)["q1"]
    {'a': 2.0, 'b': 0.5}
    """
    if on_error not in ON_ERROR:
        raise unknown("value of on_error", on_error, ON_ERROR, "values")
    by_part = {} if columns is None else parsed_judged_columns(columns)
    codes = None if grades is None else parsed_grades(grades)
    source, *others = files_named(source_of(path, on_error=on_error))
    if others:
        return _sum({str(file): read_qrels(file, by_part, on_error, codes) for file in (source, *others)}, on_error)
    what = rows_in(source, by_part)
    if what.role != "qrels":
        refuse_use(what, source, "judgments")
    if what.role == "run" and what.sure and not by_part and what.form in ("trec", "ranks", "lines"):
        raise malformed(source, 1, f"expected {QRELS}, a table or JSON; this is a run: {what.why}")
    if what.form in _CUT_AT_BLANKS and "\t" in source.text:
        refuse_torn(source, "relevance")
    if tell := source.reading.report.taken:
        tell(what.taken(source, "qrels"))
    if what.form == "lines":
        return json_triples.read_judgment_lines(source, by_part, codes)
    if what.form == "table" and not what.role and not what.sure:
        return foreign_layouts.read_pairs(source)
    if what.form == "table" or (by_part and not what.form):
        return triples.read_qrels_table(source, by_part, codes)
    if by_part:
        raise ArgumentError(f"{source} has no columns with names; leave out {Remedy('read_qrels', columns=...)}")
    if not what.form:
        refuse_unnamed(source)
        if codes is not None:
            return triples.read_trec_qrels(source, codes)
    readers = {
        "json": json_triples.read_qrels_object,
        "smart": triples.read_smart_qrels,
        "three": _three_columns,
        "ranks": _perhaps_ranks,
        **foreign_layouts.READERS["qrels"],
    }
    qrels = readers.get(what.form, triples.read_trec_qrels)(source)
    return qrels if codes is None else _decoded(source, qrels, codes)


def _sum(several: Mapping[str, Qrels], on_error: str) -> Qrels:
    """Return the judgments of several files; a pair may be in several only with the same grade."""
    grades, places, differ = dict[str, dict[str, float]](), dict[tuple[str, str], str](), list[str]()
    n_again = 0
    for path, qrels in several.items():
        if qrels.subtopics is not None or qrels.votes is not None:
            raise DataError(f"{path}: judgments of sub-topics and votes are read from one file; join the files")
        for query_id, doc_id, grade in qrels:
            before = grades.setdefault(query_id, {}).setdefault(doc_id, grade)
            place = places.setdefault((query_id, doc_id), path)
            if before != grade:
                pair = f"query '{query_id}' and document '{doc_id}'"
                differ.append(f"{path}: {pair} have grade {grade:g} here and {before:g} in {place}")
            else:
                n_again += place != path
    if differ and on_error != "skip":
        more = f" ({len(differ) - 1:,} more pairs have two grades)" if len(differ) > 1 else ""
        raise DataError(f"{differ[0]}; keep one of the two{more}")
    if differ:
        note(f"{counted(len(differ), 'grade')} left out, different from that of an earlier file: {differ[0]}")
    if n_again:
        note(f"{counted(n_again, 'pair is', 'pairs are')} judged again with the same grade in another file")
    return Qrels.from_dict(grades)


def parsed_grades(grades: str | Mapping[str, float]) -> dict[str, float]:
    """Return code → grade, as the user gave them.

    >>> parsed_grades("E=3, S=2"), parsed_grades({"good": 1})
    ({'E': 3.0, 'S': 2.0}, {'good': 1.0})
    """
    items = [item.rpartition("=")[::2] for item in grades.split(",")] if isinstance(grades, str) else grades.items()
    codes: dict[str, float] = {}
    for code, value in items:
        grade = finite_number(value.strip()) if isinstance(value, str) else finite_value(value)
        if not str(code).strip() or grade is None or str(code).strip() in codes:
            remedy = Remedy("read_qrels", grades="E=3,I=0")
            raise ArgumentError(
                f"expected the grade of each code in a file of judgments, as in {remedy}, found '{grades}'"
            )
        codes[str(code).strip()] = grade
    return codes


def _decoded(path: AnyPath, qrels: Qrels, codes: Mapping[str, float]) -> Qrels:
    """Replace numbers that are codes by their grades."""
    written = {value: triples.code_of(value) for value in set(qrels.relevance.tolist())}
    odd = next((code for code in written.values() if code not in codes), None)
    if odd is not None:
        raise DataError(f"{path}: expected {triples.among_codes(codes)} as grade, found {odd}; name its grade too")
    gains = {value: codes[code] for value, code in written.items()}
    return qrels.with_gains(np.array([gains[value] for value in qrels.relevance.tolist()]), gains)


def refuse_unnamed(path: AnyPath) -> None:
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


def _perhaps_ranks(path: AnyPath) -> Qrels:
    note(f"{path}: the third column counts the documents of each query, as the ranks of a run do; it is read as grades")
    return triples.read_smart_qrels(path)


def _three_columns(path: AnyPath) -> Qrels:
    qrels = triples.read_smart_qrels(path)
    codes = set(qrels.relevance.tolist())
    if -1.0 in codes and 4.0 in codes and codes <= _CRANFIELD | {0.0, 5.0}:
        note(
            f"{path} holds codes from -1 to 4, as the Cranfield judgments do, where 1 is the best; they are kept "
            "unchanged; the collection cranfield, given instead of the file, turns them into gains"
        )
    return qrels
