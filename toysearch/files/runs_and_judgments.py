"""Readers of runs and judgments in files of any format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from os.path import isfile

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Ranking,
    Run,
    counted,
    cut,
    malformed,
    note,
    unknown,
)
from toysearch.files.account import BY_CELLS, BY_NAME, Account
from toysearch.files.claims import refuse_use
from toysearch.files.columns import (
    ByPart,
    parsed_judged_columns,
    parsed_run_columns,
    places_of,
    plain_label,
)
from toysearch.files.file_role import PAIR, Settled, naming
from toysearch.files.labels import QUERY_TEXTS
from toysearch.files.listed_documents import id_in
from toysearch.files.nested_hits import nested_keys
from toysearch.files.numbers import code_of, number_of
from toysearch.files.problems import reader
from toysearch.files.propose import is_contradicted, question
from toysearch.files.query_lists import lists_by_query, query_of, settled_lists
from toysearch.files.reading import ON_ERROR, Columns
from toysearch.files.recognise import files_of
from toysearch.files.record_tables import record_table
from toysearch.files.roles import settle
from toysearch.files.source import AnyPath, Source, files_named, refuse_bytes, refuse_converted, source_of
from toysearch.files.syntaxes.json_tables import whole_object
from toysearch.files.syntaxes.trec import QRELS, RUN
from toysearch.files.table import KEY, VALUE, Table
from toysearch.files.triples import (
    among_codes,
    one_run,
    parsed_grades,
    read_qrels_rows,
    read_run_rows,
    read_smart_qrels,
    read_trec_qrels,
    read_trec_runs,
    run_name,
)
from toysearch.files.value_columns import grades_beside
from toysearch.rings import ring

__all__ = ["read_qrels", "read_run", "read_runs"]

_SHOWN = 200  # characters of a header
_MOST_LABELS, _LONGEST_LABEL = 20, 64  # in an error
_RANKED = "if its rows are ranked"
_NEITHER = (
    "expected judgments (query iteration doc_id grade; or a table whose header names query_id, doc_id and relevance; "
    "or JSON) or a collection, and found neither"
)
_WITHOUT_QUERIES = (
    "holds the answers to several searches without the ids of the queries; write an object, query_id to answer"
)
_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


def read_run(
    path: str | PathLike[str], on_error: str = "refuse", columns: str | Mapping[str, str] | None = None
) -> Run:
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
    columns : str or mapping of str to str, optional
        The columns or keys that hold query_id, doc_id, score, rank, distance and system (query and doc for short),
        if they have other names: ``"query=topic,doc=artikel,score=punkte"``; of a file that names no columns, their
        places from 1.

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
    return one_run(*_runs(path, on_error, columns))


def read_runs(
    path: str | PathLike[str], on_error: str = "refuse", columns: str | Mapping[str, str] | None = None
) -> list[Run]:
    r"""Read the runs in a file: one for each system that it holds, in the order of their first rows.

    A table or TREC lines may hold several systems: a column names them (system, run_id, ranker, …, or the tag), or it
    is the only one without which a query has documents twice. A note says so.

    Parameters
    ----------
    path, on_error, columns
        As for `read_run`.

    Raises
    ------
    DataError
        As for `read_run`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "two.csv")
    >>> _ = path.write_text("system,query_id,doc_id,score\ns1,q1,a,2\ns1,q1,b,1\ns2,q1,b,9\ns2,q1,a,8\n")
    >>> [(run.name, run["q1"]) for run in read_runs(path)]
    [('s1', {'a': 2.0, 'b': 1.0}), ('s2', {'b': 9.0, 'a': 8.0})]
    """
    runs, several = _runs(path, on_error, columns)
    if several:
        note(f"{several}; each is a run")
    return runs


@reader
def _runs(path: AnyPath, on_error: str, columns: Columns) -> tuple[list[Run], str]:
    """Read the runs in a file, and what tells their systems apart."""
    if on_error not in ON_ERROR:
        raise unknown("value of on_error", on_error, ON_ERROR, "values")
    source = source_of(path, on_error=on_error)
    if not isfile(source.path) and (lists := lists_by_query(source, "run")):
        return [_run_of_lists(source, lists)], ""
    columns = source.reading.run_columns if columns is None else columns
    named = {} if columns is None else parsed_run_columns(columns)
    settled = settle(source, "run", named)
    source = path = settled.source
    what, table = settled.what, settled.table
    _refuse_others(settled, "a run")
    if named:
        refuse_absent(settled, named, source, "run")
    if what.role == "qrels" and what.sure and what.form != "table":
        headed = "; write the header query_id, doc_id, score above a run" if what.form == "three" else ""
        raise malformed(
            path, 1, f"expected {RUN}, a table or JSON; this is not a run: {what.why}, as in judgments{headed}"
        )
    if settled.ask:
        raise malformed(path, 1, settled.ask)
    if table is None or (not what.form and table.noun != "key" and (_is_bare(table) or not table.head)):
        _tell_taken(source, settled, "run")
        runs, several = read_trec_runs(source)
        _tell(source, "run", settled._replace(table=None), named, runs)
        return runs, several
    _refuse_empty(table, settled, "score")
    if table.name == "responses":
        raise DataError(f"{path} {_WITHOUT_QUERIES}")
    is_open = what.form == "table" and not settled.by and not named.keys() >= {*PAIR}
    if not what.form or is_open or (not named and is_contradicted(settled, "run")):
        raise question(settled, "run", named)
    _refuse_other_texts(source, settled)
    _tell_taken(source, settled, "run")
    expected = "is empty; expected a run: a header with query_id, doc_id and score, and rows"
    empty = f"{path} {expected if table.form == 'table' and not table.head else 'holds no run'}"
    runs, several = read_run_rows(settled, empty, named)
    _tell(source, "run", settled, named, runs)
    return runs, several


def _run_of_lists(source: Source, lists: Sequence[Source]) -> Run:
    """Read the run in files that are named after queries; an empty one has no document."""
    groups, rankings, n_scored = {query_of(file): dict[str, float]() for file in lists}, list[Ranking](), 0
    for file, settled in settled_lists(lists, "run").items():
        _tell_taken(file, settled, "run")
        run = one_run(*read_run_rows(settled, f"{file} holds no document"))
        n_scored += not run.ranked and len(run) > 0
        for query_id in run.query_ids:
            if groups[query_id]:
                raise DataError(f"{file}: query '{query_id}' has a ranking in another file too; keep one of the two")
            groups[query_id] = run[query_id]
            rankings.append(run.ranking(query_id))
    if 0 < n_scored < len(rankings):
        raise DataError(f"{source}: {n_scored:,} of {counted(len(rankings), 'file')} have scores; give all scores")
    name = run_name(source)
    run = Run.from_dict(groups, name=name) if n_scored else Run.from_rankings(rankings, name=name)
    source.reading.report.tell_read([_of_names(source, "run", len(run), len(lists))])
    return run


def _of_names(source: Source, role: str, number: int, n_files: int, remark: str = "") -> Account:
    """Return what is told of files that are named after queries."""
    columns = {"query": f"by the names of {counted(n_files, 'file')}"}
    return Account(str(source), role, number, columns=columns, guessed=True, remark=remark)


def _tell_taken(source: Source, settled: Settled, role: str) -> None:
    if source.reading.report.taken:
        source.reading.tell(settled.what.taken(source, role))


_PARTS = {"query_id": "query", "doc_id": "document", "relevance": "grade", "tag": "system"}
"""Part → its name for people, if that is another one."""
_PLACES = {"three": (1, 2, 3), "smart": (1, 2), "run": (1, 3, 5), "qrels": (1, 3, 4)}
"""Form or role of lines → the places of the query, the document and the value."""


def _tell(
    source: Source,
    role: str,
    settled: Settled,
    named: ByPart,
    read: Sequence[Run | Qrels],
    *,
    is_unrated: bool = False,
) -> None:
    """Tell what a file is read as; is_unrated: whether no grades were found."""
    if settled.table is None and settled.what.form == "trec" and source.reading.report.read is None:
        return
    table, columns, evidence = settled.table, dict[str, str](), dict[str, str]()
    if table is None:
        places = _PLACES.get(settled.what.form, _PLACES[role])
        value = "score" if role == "run" else "grade"
        columns = {part: f"column {place}" for part, place in zip(("query", "document", value), places, strict=False)}
        evidence = dict.fromkeys(columns, "by its place")
    for part in ("query_id", "doc_id", settled.by):
        label = settled.parts.get(part)
        if table is None or label is None:
            continue
        of_people = "grade" if (role, part) == ("qrels", "score") else _PARTS.get(part, part)
        columns[of_people] = _shown_label(table, label)
        is_known = table.form != "rows" and label not in (KEY, VALUE) and part in places_of([label])
        shown_by = settled.shown_by or (BY_NAME if is_known else BY_CELLS)
        evidence[of_people] = f"named: {naming(role, f'{of_people}={label}')}" if part in named else shown_by
    is_nameless = table is not None and "query_id" not in settled.parts
    if is_nameless:
        columns = {"query": f"{run_name(source)} (named after the file)", **columns}
    if is_unrated:
        columns["grade"] = "1 for each, none is given"
    guessed = is_unrated or (not named and bool(settled.shown_by or is_nameless))
    number = sum(map(len, read))
    account = Account(str(source), role, number, columns=columns, evidence=evidence, guessed=guessed)
    source.reading.report.tell_read([account])


def _shown_label(table: Table, label: str) -> str:
    """Return how people call a column: by its name, or by its place."""
    label = label.replace(f"{VALUE}.", "")  # what stands under a key
    if label in (KEY, VALUE):
        first, others = ("keys", "values") if table.noun == "key" else ("column 1", "the others")
        return first if label == KEY else others
    return f"column {[*table.labels].index(label) + 1}" if table.form == "rows" else table.as_written(label)


def _refuse_empty(table: Table, settled: Settled, value: str) -> None:
    """Refuse JSON that cannot be read, or an empty object."""
    if table.noun == "key" and not table.head:
        whole_object(table.source)  # says what is wrong
    if settled.what.form == "json" and not settled.parts and not table.name:
        expected = f"expected a JSON object of objects, query_id to doc_id to {value}"
        raise DataError(f"{table.source}: {expected}, found an empty one")


def reads_as_run(path: AnyPath) -> bool:
    """True if a file, or a folder with one for each query, can be read as a run where one is expected."""
    source = source_of(path)
    if not isfile(source.path) and lists_by_query(source, "run"):
        return True
    settled = settle(source, "run", parsed_run_columns(source.reading.run_columns))
    table = settled.table
    return settled.what.role == "run" and (table is None or "doc_id" in settled.parts or table.name == "responses")


def refuse_absent(settled: Settled, columns: ByPart, path: AnyPath, role: str) -> None:
    """Refuse a column that the user names and a file lacks."""
    table = settled.table
    if (table is None or table.form == "rows") and not settled.parts.items() >= columns.items():
        raise ArgumentError(f"{path} has no columns with names; leave out {naming(role, ...)}")
    if table is None:
        return
    for label in (label for part, label in columns.items() if part != "split"):
        if not table.labels and table.head:
            raise malformed(table.source, table.line, table.head[0].problem)
        if plain_label(label) not in map(plain_label, table.labels):
            keys = [*table.labels, *nested_keys(table)]
            if label in keys:
                raise question(settled, role, columns)
            raise malformed(table.source, table.line, str(unknown(table.noun, label, keys)))


@reader
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
    JSON Lines  one object per line, with query_id, doc_id and relevance; a judgment log of one judge
    by query    a folder of files named after queries, with ``doc_id`` or ``doc_id relevance`` on each line
    ==========  =====================================================================================

    Parameters
    ----------
    path : str or Path
        The file or folder; may be gzipped. ``-`` is standard input. A pattern such as ``judged/*.txt`` is all files
        that it matches.
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
    source = source_of(path, on_error=on_error)
    if not isfile(source.path):  # perhaps a folder, or a pattern
        if lists := lists_by_query(source):
            return _of_lists(source, lists, by_part, codes)
        source, *others = files_of(source, "qrels") or files_named(source)
        if others:
            each = {str(file): read_qrels(file, by_part, on_error, codes) for file in (source, *others)}
            return _sum(each, on_error)
    settled = settle(source, "qrels", by_part)
    source = path = settled.source
    what, table = settled.what, settled.table
    if what.role == "grades" and isfile(source.path) and (qrels := _of_one_judge(source)) is not None:
        return qrels
    _refuse_others(settled, "judgments")
    if what.role == "run" and what.sure and not by_part and what.form == "trec":
        raise malformed(source, 1, f"expected {QRELS}, a table or JSON; this is a run: {what.why}")
    if by_part:
        refuse_absent(settled, by_part, source, "qrels")
    if settled.ask:
        raise malformed(source, 1, settled.ask)
    is_named = by_part.keys() >= {*PAIR}
    if table is not None and settled.by in ("relevance", "score") and settled.by not in by_part and not is_named:
        label = settled.parts[settled.by]
        if labels := grades_beside(table, label):
            raise malformed(source, table.line, _of_two_grades(settled, [label, *labels]))
    _tell_taken(source, settled, "qrels")
    is_open = what.form == "table" and not settled.by and not settled.is_pair and not is_named
    is_open = is_open or not what.form or _has_numbers_beside(settled)
    if (
        table is not None
        and table.head
        and not _is_bare(table)
        and (is_open or (not by_part and is_contradicted(settled, "qrels")))
    ):
        raise question(settled, "qrels", by_part)
    if table is not None:
        _refuse_empty(table, settled, "relevance")
    if table is not None and what.form:
        if codes is None and settled.by == "relevance" and (words := table.words(settled.parts["relevance"])):
            codes = parsed_grades(words)
        qrels, is_unrated = read_qrels_rows(settled, codes)
        qrels.texts = {query_id: text for query_id, text in query_texts(settled).items() if query_id in qrels.query_ids}
        qrels.id_columns = {part: settled.parts[part] for part in PAIR if part in settled.parts}
        _tell(source, "qrels", settled, by_part, [qrels], is_unrated=is_unrated)
        return qrels
    are_wide = any(len(line.split()) == len(QRELS.columns) for line in source.lines)
    if not what.form and codes is None and source.lines and not are_wide:
        raise DataError(f"{path}: {_NEITHER}")
    if what.form in ("smart", "three"):
        qrels = read_smart_qrels(source)
    else:
        qrels = read_trec_qrels(source, None if what.form else codes)
    if what.form == "three":
        _tell_of_cranfield(source, qrels)
    if codes is not None and what.form:
        qrels = _decoded(source, qrels, codes)
    _tell(source, "qrels", settled._replace(table=None), by_part, [qrels])
    return qrels


def _is_bare(table: Table) -> bool:
    """True if a number stands in the place of a label, as in a line of TREC that begins like a comment."""
    return table.form == "table" and any(number_of(label) is not None for label in table.labels)


def _of_two_grades(settled: Settled, graded: Sequence[str]) -> str:
    """Ask which of two columns holds the grades."""
    pair = {part: settled.parts[part] for part in PAIR}
    ways = [str(naming("qrels", {**pair, "relevance": label})) for label in graded[:2]]
    return f"the grades may be in {' or '.join(graded)}; name the column: {' or '.join(ways)}"


def _has_numbers_beside(settled: Settled) -> bool:
    """True if lists of judged documents hold pairs of an id and a number, which may be a place in the document."""
    if settled.table is None or settled.by:
        return False
    cells = settled.table.cells(settled.parts.get("doc_id", ""))
    return any(isinstance(item, list) for cell in cells if isinstance(cell, list) for item in cell)


def _refuse_others(settled: Settled, expected: str) -> None:
    """Refuse a file that is neither a run nor judgments."""
    what, source = settled.what, settled.source
    if what.form == "trec" and settled.table is None:
        return
    if not what.role:
        refuse_converted(source, source.head)
    refuse_use(what, source, expected)
    refuse_bytes(source, source.head)


def query_texts(settled: Settled) -> dict[str, str]:
    """Return id → text of the queries whose texts stand beside their ids in judgments; none if an id has two texts."""
    table, query = settled.table, settled.parts.get("query_id", "")
    if table is None or not table.head:
        return {}
    free = {plain_label(label): label for label in table.head[0].cells if label not in settled.parts.values()}
    text = next((free[name] for name in QUERY_TEXTS if name in free), "")
    beside = record_table(source_of(table.source), "queries") if not text and table.form == "json" else None
    if beside and not (query == KEY and beside.name == KEY and beside.labels == ["id", "text"]):  # which are documents
        table, query, text = beside, "id", "text"
    rows = [row.cells for row in (table.rows() if text else ()) if isinstance(row.cells.get(text), str)]
    pairs = dict.fromkeys((id_in(cells.get(query)), cells[text]) for cells in rows if cells[text])
    texts = {query_id: text for query_id, text in pairs if query_id}
    return texts if len(texts) == len(pairs) else {}


def _refuse_other_texts(source: Source, settled: Settled) -> None:
    """Refuse a run whose ids are those of other texts in the judgments: each file has numbers of its own."""
    for other in source.beside:
        if other.ids:
            continue
        theirs = query_texts(settle(other, "qrels"))
        known = {*theirs.values()}
        for query_id, text in query_texts(settled).items() if theirs else ():
            if theirs.get(query_id, text) != text and text in known:
                found = f"query '{query_id}' is '{cut(text, 60)}' here, and '{cut(theirs[query_id], 60)}' in {other}"
                raise DataError(f"{source}: {found}; write the ids alike")


def _of_one_judge(source: Source) -> Qrels | None:
    """Read the grades of a judgment log, with the texts of its queries; None if they are not those of one judge."""
    with ring("judgment logs").JudgmentLog(source.path, append=False) as log:
        of_judges: list[Qrels] = [*log.qrels().values()]
        if len(of_judges) != 1:
            return None
        [qrels] = of_judges
        qrels.texts, qrels.from_log = log.queries, True
    return qrels


def _of_lists(source: Source, lists: Sequence[Source], columns: ByPart, grades: Mapping[str, float] | None) -> Qrels:
    """Read the judgments in files that are named after queries."""
    settled = settled_lists(lists)
    for file in settled:
        refuse_absent(settled[file], columns, file, "qrels")
        _tell_taken(file, settled[file], "qrels")
    judged = {str(file): read_qrels_rows(settled[file], grades)[0] for file in settled}
    empty = {str(file): Qrels.from_dict({query_of(file): {}}) for file in lists if file not in settled}
    qrels = _sum(judged | empty, source.reading.on_error or "refuse")
    without = f"{len(empty):,} without a document" if empty else ""
    source.reading.report.tell_read([_of_names(source, "qrels", len(qrels), len(lists), without)])
    return qrels


def _sum(several: Mapping[str, Qrels], on_error: str) -> Qrels:
    """Return the judgments of several files; a pair may be in several only with the same grade."""
    grades, places, differ = dict[str, dict[str, float]](), dict[tuple[str, str], str](), list[str]()
    n_again = 0
    for path, qrels in several.items():
        if qrels.subtopics is not None or qrels.votes is not None:
            raise DataError(f"{path}: judgments of sub-topics and votes are read from one file; join the files")
        for query_id in qrels.query_ids:  # perhaps without a document
            grades.setdefault(query_id, {})
        for query_id, doc_id, grade in qrels:
            before = grades[query_id].setdefault(doc_id, grade)
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


def _decoded(path: AnyPath, qrels: Qrels, codes: Mapping[str, float]) -> Qrels:
    """Replace numbers that are codes by their grades."""
    written = {value: code_of(value) for value in set(qrels.relevance.tolist())}
    odd = next((code for code in written.values() if code not in codes), None)
    if odd is not None:
        raise DataError(f"{path}: expected {among_codes(codes)} as grade, found {odd}; name its grade too")
    gains = {value: codes[code] for value, code in written.items()}
    return qrels.with_gains(np.array([gains[value] for value in qrels.relevance.tolist()]), gains)


def _tell_of_cranfield(path: AnyPath, qrels: Qrels) -> None:
    """Note that codes may be those of Cranfield."""
    codes = set(qrels.relevance.tolist())
    if -1.0 in codes and 4.0 in codes and codes <= _CRANFIELD | {0.0, 5.0}:
        note(
            f"{path} holds codes from -1 to 4, as the Cranfield judgments do, where 1 is the best; they are kept "
            "unchanged; the collection cranfield, given instead of the file, turns them into gains"
        )
