"""Grades of several judges: sheets, judgment logs and books with one column per judge; read and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TextIO

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Remedy,
    counted,
    expect,
    expect_list,
    expect_name,
    groups_of,
    malformed,
    nested,
    note,
)
from toysearch.files import (
    ON_ERROR,
    Source,
    listed_labels,
    now,
    numbered_lines,
    plain_label,
    read_qrels,
    rows_in,
    source_of,
    whole_or_fraction,
)
from toysearch.files.claims import USES
from toysearch.files.columns import JUDGED_PARTS, SHORT, labels_of, parsed_judged_columns
from toysearch.files.file_role import PAIR, Settled
from toysearch.files.numbers import code_of, not_a_number, number_of
from toysearch.files.problems import MOST_SHOWN, Problems
from toysearch.files.reading import Columns
from toysearch.files.roles import settle
from toysearch.files.runs_and_judgments import refuse_absent
from toysearch.files.source import AnyPath
from toysearch.files.table import Table
from toysearch.files.triples import (
    OutsideScale,
    Unjudged,
    among_codes,
    graded,
    judges_in,
    parsed_grades,
    text_of_part,
    triples_in,
)
from toysearch.files.writing import table_cell, write_texts
from toysearch.workbench.judging.judgment_log import Judgment, JudgmentLog, log_entry

__all__ = ["decisions_in", "read_decisions", "read_judges", "write_judges", "write_ratings"]


Texts = Mapping[str, str]
"""Ids → texts of queries or documents."""

_LARGEST = 10  # grade that a question proposes a column for
_FORMULA = ("-", "=", "+", "@")
_BETWEEN = " / "  # between two reasons of one judge


class _Given(NamedTuple):
    line: int | None
    judge: str  # "" for the judge whose file it is
    query_id: str
    doc_id: str
    grade: float
    reason: str = ""


def read_judges(
    files: Iterable[AnyPath | tuple[str, AnyPath]],
    query_texts: Texts | None = None,
    doc_texts: Texts | None = None,
    *,
    columns: Columns = None,
    grades: str | Mapping[str, float] | None = None,
    judges: Sequence[str] | None = None,
    on_error: str = "refuse",
) -> list[Judgment]:
    r"""Read the grades of several judges from any number of files; no grade is lost.

    ==============  =================================================================================
    sheet           a table with query_id, doc_id and relevance, as `write_pool` writes it; optionally
                    with the columns judge and reason; rows without a grade are left out with a note
    judgment log    what `JudgmentLog` writes: the grades in force
    book            a table or JSON Lines with one column per judge, which `judges` names, such as the
                    export of a Quepid book (``query,docid,Ada,Ben``)
    JSON Lines      objects with query_id, doc_id and relevance, optionally judge and reason, such as
                    the grades of a language model; umbrela has the keys query, passage (two texts),
                    judgment and prediction, and ids if they were given
    judgments       any other file that `read_qrels` reads
    ==============  =================================================================================

    The judge of a row is the one in its column ``judge``. If there is none, it is the name given with the file, else
    the name of the file without its ending. Several files may hold grades of the same judge. A column of numbers of
    another name is taken for grades only where the user names it.

    Parameters
    ----------
    files : iterable of path or (str, path)
        The files, with or without the name of the judge. ``-`` is standard input.
    query_texts : mapping of str to str, optional
        query_id → text. A query that is named by its text, as in a book, gets its id.
    doc_texts : mapping of str to str, optional
        doc_id → text. A document that is named by its text, as umbrela does, gets its id.
    columns : str or mapping of str to str, optional
        The columns or keys that hold query_id, doc_id and relevance (query, doc and grade for short), as `read_qrels`
        takes them, or the names of the judges (judge): ``"doc=artikel,grade=note"``. A file without such a column has
        the usual ones.
    grades : str or mapping of str to float, optional
        The grades that codes stand for, as `read_qrels` takes them: ``"FULL=2,PARTIAL=1,NONE=0"``.
    judges : sequence of str, optional
        Only these judges; in a table with one column per judge, the names of these columns.
    on_error : {"refuse", "skip"}
        The treatment of grades that cannot be read: refused (the default), or left out and counted in a note. Of two
        different grades of one judge, the first is then kept.

    Returns
    -------
    list of Judgment
        The grades judge by judge, without a time; `qrels_of` makes judgments of each judge.

    Raises
    ------
    ArgumentError
        If something else is given as a file, a judge is unknown, or `columns` does not have that form.
    DataError
        If a file is malformed, no column of a table is known to hold grades, no file has a grade, or a judge gave one
        pair two different grades: both places are named.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "ada.csv").write_text("query_id,doc_id,relevance,reason\n1,d7,2,names the breed\n1,d9,,\n")
    >>> _ = (folder / "book.csv").write_text("query,docid,Ben,Carla\ntrain cat,d7,1,2\n")
    >>> given = read_judges([folder / "ada.csv"])
    >>> given += read_judges([folder / "book.csv"], {"1": "train cat"}, judges=["Ben", "Carla"])
    >>> [(each.judge, each.query_id, each.doc_id, each.grade, each.reason) for each in given]
    [('ada', '1', 'd7', 2.0, 'names the breed'), ('Ben', '1', 'd7', 1.0, ''), ('Carla', '1', 'd7', 2.0, '')]
    >>> _ = (folder / "sheet.csv").write_text("search,sku,Ada (0-3),Ben (0-3),minutes\n1,d7,2,3,12\n")
    >>> named = read_judges([folder / "sheet.csv"], columns="query=search", judges=["Ada (0-3)", "Ben (0-3)"])
    >>> [(each.judge, each.grade) for each in named]
    [('Ada (0-3)', 2.0), ('Ben (0-3)', 3.0)]
    """
    expect_list(object, files=files)
    expect_name("value of on_error", on_error, ON_ERROR, "values")
    codes = None if grades is None else parsed_grades(grades)
    named = [file if isinstance(file, tuple) else ("", file) for file in files]
    odd = next((file for file in named if len(file) != 2 or not isinstance(file[1], str | PathLike)), None)
    if odd is not None:
        raise ArgumentError(f"files are paths, or pairs of the name of a judge and a path, not {odd!r:.80}")
    sources = [source_of(path, on_error=on_error) for _, path in named]
    labels = parsed_judged_columns(columns, ("judge",))
    present = [_present(source, labels) for source in sources]
    absent = {part: label for part, label in labels.items() if not any(part in columns for columns in present)}
    if absent and sources:
        refuse_absent(settle(sources[0], "qrels"), absent, sources[0], "qrels")
    ids, doc_ids = ids_by_text(query_texts or {}), ids_by_text(doc_texts or {})
    given: dict[tuple[str, str, str], Judgment] = {}
    places: dict[tuple[str, str, str], str] = {}
    conflicts = []
    for source, of_file, owner in zip(sources, present, _owners(named), strict=True):
        for row in _grades_in(source, of_file, judges or (), codes):
            doc_id = doc_ids.get(" ".join(row.doc_id.split()), row.doc_id)
            key = row.judge or owner, ids.get(row.query_id, row.query_id), doc_id
            if key not in given:
                given[key], places[key] = Judgment("", *key, row.grade, row.reason), _place(source, row)
                continue
            first = given[key]
            if row.reason and row.reason not in first.reason.split(_BETWEEN):
                reasons = filter(None, (first.reason, row.reason))
                given[key] = first._replace(reason=_BETWEEN.join(reasons))
            if first.grade != row.grade:
                pair = f"{key[0]} gave query '{key[1]}', document '{key[2]}'"
                both = f"grade {row.grade:g} here and {first.grade:g} in {places[key]}"
                conflicts.append(f"{_place(source, row)}: {pair} {both}")
    _refuse_conflicts(conflicts, on_error)
    if not given:
        raise DataError(f"no grade is in {', '.join(map(str, sources)) or 'no file'}; fill some in")
    return in_order(given.values(), judges)


def in_order(judgments: Iterable[Judgment], judges: Sequence[str] | None = None) -> list[Judgment]:
    """Return the grades judge by judge and query by query, in the order in which these first occur.

    judges : only these, in their order
    """
    by_query = groups_of(((each.judge, each.query_id), each) for each in judgments)
    by_judge = groups_of((judge, each) for (judge, _), of_query in by_query.items() for each in of_query)
    for judge in judges or ():
        expect_name("judge", judge, by_judge)
    return [each for judge in (by_judge if judges is None else judges) for each in by_judge[judge]]


def _owners(named: Sequence[tuple[str, AnyPath]]) -> Iterator[str]:
    """Yield the judge of each file: the one given with it, or its name without the ending."""
    stems = ["standard input" if str(path) == "-" else Path(path).stem for _, path in named]
    alike = [stem for (name, _), stem in zip(named, stems, strict=True) if not name]
    for number, ((name, path), stem) in enumerate(zip(named, stems, strict=True), 1):
        yield name or (stem if alike.count(stem) == 1 else f"{number}: {path}")


def _refuse_conflicts(conflicts: list[str], on_error: str) -> None:
    """Refuse grades that differ from another of the same judge, or note that they are left out."""
    if conflicts and on_error == "skip":
        note(f"{counted(len(conflicts), 'grade')} left out, different from the first of the same judge: {conflicts[0]}")
    elif len(conflicts) == 1:
        raise DataError(f"{conflicts[0]}; keep one of the two")
    elif conflicts:
        more = [f"and {len(conflicts) - MOST_SHOWN} more"] if len(conflicts) > MOST_SHOWN else []
        listed = [f"{conflict}; keep one of the two" for conflict in conflicts[:MOST_SHOWN]]
        raise DataError(f"{len(conflicts):,} grades differ from another of the same judge:", listed + more)


def decisions_in(log: JudgmentLog) -> Qrels | None:
    """Return the grades of a log of decisions, for each pair the latest; None if nothing is decided.

    Parameters
    ----------
    log : JudgmentLog
        The log.
    """
    expect(JudgmentLog, log=log)
    grades = nested((judgment.query_id, judgment.doc_id, judgment.grade) for judgment in log.latest_first())
    return Qrels.from_dict(grades) if grades else None


def read_decisions(path: AnyPath, columns: Columns = None, on_error: str = "refuse") -> Qrels | None:
    """Read decided grades from a judgment log, in which the latest entry for each pair counts, or from judgments.

    None if it is a log in which nothing is decided.

    Parameters
    ----------
    path : str or Path
        A judgment log, such as the one in which the page keeps what is settled, or what `read_qrels` reads.
    columns : str or mapping of str to str, optional
        As for `read_judges`; those that the file lacks do not matter.
    on_error : {"refuse", "skip"}
        As for `read_judges`.

    Raises
    ------
    DataError
        If the file is malformed.
    """
    source = source_of(path, on_error=on_error)
    if rows_in(source).role == "grades":
        return decisions_in(JudgmentLog(source.path, append=False))
    return read_qrels(source, _judged(_present(source, parsed_judged_columns(columns, ("judge",)))), on_error)


def ids_by_text(query_texts: Texts) -> dict[str, str]:
    """Map the text of each query to its id, unless two have the same text, or it is empty or the id of another."""
    ids = groups_of((" ".join(text.split()), query_id) for query_id, text in query_texts.items())
    return {
        text: query_ids[0]
        for text, query_ids in ids.items()
        if text and len(query_ids) == 1 and text not in query_texts
    }


def _present(source: Source, named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that the user names and a file has."""
    table = settle(source, "qrels", named).table if named else None
    labels = {*map(plain_label, table.labels)} if table is not None else set()
    return {part: label for part, label in named.items() if plain_label(label) in labels}


def _judged(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a judgment, without that of the judge."""
    return {part: label for part, label in columns.items() if part in JUDGED_PARTS}


def _grades_in(
    source: Source, columns: Mapping[str, str], judges: Sequence[str], codes: Mapping[str, float] | None
) -> list[_Given]:
    """Read the grades of a file: a log, a table with columns of judges or one of grades, or any other judgments."""
    role = rows_in(source).role
    if role == "grades":
        return [_Given(None, *judgment[1:]) for judgment in JudgmentLog(source.path, append=False)]
    settled = settle(source, "qrels", columns)
    if settled.what.form == "lists" and judges and judges[0] in settled.sure_table.labels:  # an id may have commas
        settled = settle(source, "qrels", {**columns, "relevance": judges[0]})
        settled = settled._replace(by="", parts={part: settled.parts[part] for part in PAIR})
    table = settled.table
    cells = [] if table is None else [cell for row in table.head[:1] for cell in row.cells.values()]
    is_nested = any(isinstance(cell, dict | list) for cell in cells)
    is_of_other = is_nested or role in USES or settled.by == "vote"
    if table is None or table.form not in ("table", "lines") or is_of_other:
        rows = read_qrels(source, _judged(columns), source.reading.on_error or "refuse", codes)
        return [_Given(None, "", *row) for row in rows]
    parts = labels_of(table.labels, columns) | dict(settled.parts)
    settled = settled._replace(parts=parts)
    source.reading.tell(settled.what.taken(source, "qrels"))
    has_pair = {*PAIR} <= parts.keys()
    if has_pair and (by_label := _columns_of_judges(settled, table, judges)):
        return _of_book(settled, table.kept(), by_label, codes)
    if not has_pair or (settled.by != "relevance" and (settled.by != "score" or "rank" in parts)):
        raise malformed(table.source, table.line, _question(table, parts, columns))
    return _of_sheet(settled, table, columns, codes)


def _columns_of_judges(settled: Settled, table: Table, judges: Sequence[str]) -> dict[str, str]:
    """Return the judge of each column of grades that the user names."""
    wanted = {plain_label(judge): judge for judge in judges if "judge" not in settled.parts}
    labels = table.without([settled.parts[part] for part in PAIR])
    names = {label: plain_label(unguarded(table.as_written(label))) for label in labels}
    return {label: wanted[name] for label, name in names.items() if name in wanted}


def _question(table: Table, parts: Mapping[str, str], named: Mapping[str, str]) -> str:
    """Say what a table without a known column of grades holds, and which options name one."""
    listing = listed_labels([*table.labels], table.noun)
    pair = {part: parts[part] for part in PAIR if part in parts}
    free = table.without([label for part, label in parts.items() if part != "relevance"])
    free = sorted(free, key=lambda label: label in table.numbers)  # ids first
    more = {part: free.pop(0) for part in PAIR if part not in pair and free}
    likely = [label for label in free if label in table.numbers and max(table.numbers[label]) <= _LARGEST]
    if not likely or len(pair | more) < len(PAIR):
        return f"expected a column relevance, or one column per judge, found the {table.noun}s {listing}"
    given = _as_typed({**named, **more})
    grade = f"{given},grade={likely[0]}".removeprefix(",")
    one = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=grade)
    several = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", judges=likely)
    if given:
        several = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=given, judges=likely)
    both = f"{several}, or, if one column has all grades, {one}" if len(likely) > 1 else str(one)
    return f"found the {table.noun}s {listing}, none of which is known to hold grades; name it: {both}"


def _as_typed(columns: Mapping[str, str]) -> str:
    return ",".join(f"{SHORT.get(part, part)}={label}" for part, label in columns.items())


def _of_sheet(
    settled: Settled, table: Table, named: Mapping[str, str], codes: Mapping[str, float] | None
) -> list[_Given]:
    """Read the grades of a sheet, whose rows may name their judge."""
    parts, problems, unjudged = settled.parts, Problems(table.source), Unjudged(table.source)
    if "judge" not in parts and (judge := judges_in(table, parts)):
        columns = _as_typed({**named, "judge": judge})
        remedy = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=columns)
        raise malformed(table.source, table.line, f"a pair is graded twice; if {judge} names the judges: {remedy}")
    if codes is None and (words := table.words(parts[settled.by])):  # as read_qrels takes yes and no
        codes = parsed_grades(words)
    rows = []
    for row, grade in graded(settled, problems, unjudged, codes):
        judge, reason = (text_of_part(row, part, parts) for part in ("judge", "reason"))
        rows.append(_Given(row.line, judge, row.query_id, row.doc_id, grade, reason))
    problems.refuse(among=bool(rows))
    unjudged.tell()
    return rows


def _of_book(
    settled: Settled, table: Table, judges: Mapping[str, str], codes: Mapping[str, float] | None
) -> list[_Given]:
    """Read the grades in the columns of judges."""
    problems, outside, rows = Problems(table.source), OutsideScale(table.source), list[_Given]()
    marks = {label: table.decimal_marks(label) for label in judges}
    for row in triples_in(settled._replace(table=table, by=""), "qrels", problems):
        query_id, doc_id = map(unguarded, (row.query_id, row.doc_id))
        reason = text_of_part(row, "reason", settled.parts)
        for label, judge in judges.items():
            cell = row.cells.get(label)
            number = number_of(marks[label].plain(cell) if isinstance(cell, str) else cell)
            grade = number if codes is None else codes.get(code_of(cell))
            if grade is not None:
                outside.add(row.line, label, grade)
                rows.append(_Given(row.line, judge, query_id, doc_id, grade, reason))
            elif cell is not None and str(cell).strip():
                expected = f"expected {among_codes(codes)} as the grade of {judge}, found '{cell}'" if codes else ""
                problems.add(row.line, expected or not_a_number(f"the grade of {judge}", str(cell)), "grade")
    problems.refuse(among=bool(rows))
    outside.tell()
    return rows


def unguarded(text: str) -> str:
    """Strip the blank that Quepid puts before a cell that a spreadsheet would take for a formula."""
    return text[1:] if text[:1] == " " and text[1:2] in _FORMULA else text


def _place(source: Source, row: _Given) -> str:
    """Return the file and the line of a grade."""
    line = row.line
    if line is None and str(source) != "-":
        lines = (at for at, text in numbered_lines(source) if {row.query_id, row.doc_id} <= {*text.split()[:3]})
        line = next(lines, None)
    return str(source) if line is None else f"{source}:{line}"


def write_judges(
    judgments: Iterable[Judgment], file: TextIO | AnyPath, form: str, query_texts: Texts | None = None
) -> None:
    r"""Write the grades of several judges, kept apart.

    =======  ==============================================================================================
    sheet    CSV with one row per grade: query_id, doc_id, relevance, judge, reason
    book     the CSV export of a Quepid book: query, docid, and one column per judge
    log      the lines of a `JudgmentLog`, all with the present time
    =======  ==============================================================================================

    `read_judges` reads sheets, books and logs again. A book has no reasons.

    Parameters
    ----------
    judgments : iterable of Judgment
        The grades, such as those of a `JudgmentLog`.
    file : file open for text, or path
        A path is replaced as a whole.
    form : {"sheet", "book", "log"}
        The form.
    query_texts : mapping of str to str, optional
        query_id → text: Quepid names queries by their texts. Queries without one, or with the same one, keep their ids.

    Raises
    ------
    ArgumentError
        If the form is unknown, or the id of a query without a text is the text of another one.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> grades = ("ada", "1", "d7", 2), ("ada", "1", "d9", 0), ("ben", "1", "d7", 1)
    >>> write_judges([Judgment("", *grade) for grade in grades], sys.stdout, "book", {"1": "train cat"})
    query,docid,ada,ben
    train cat,d7,2,1
    train cat,d9,0,
    """
    expect(str, form=form)
    expect_name("form", form, FORMS)
    write_texts(FORMS[form](in_order(judgments), query_texts or {}), file)


def write_ratings(qrels: Qrels, file: TextIO | AnyPath, query_texts: Texts | None = None) -> None:
    """Write one set of judgments as the ratings that a Quepid case imports: query, docid, rating.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    file : file open for text, or path
        A path is replaced as a whole.
    query_texts : mapping of str to str, optional
        query_id → text: Quepid names queries by their texts. Queries without one, or with the same one, keep their ids.

    Raises
    ------
    ArgumentError
        If the id of a query without a text is the text of another one.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> from toysearch import Qrels
    >>> write_ratings(Qrels.from_dict({"1": {"d7": 2}}), sys.stdout, {"1": "train cat"})
    query,docid,rating
    train cat,d7,2
    """
    expect(Qrels, qrels=qrels)
    rows = _by_pair([Judgment("", "", *row) for row in qrels], query_texts or {})
    cells = ([text, doc_id, _plain(grades[""].grade)] for text, doc_id, grades in rows)
    write_texts(_lines(["query", "docid", "rating"], cells), file)


_Judgments = Sequence[Judgment]


def _sheet(judgments: _Judgments, _: Texts) -> Iterator[str]:
    rows = ([*each[2:4], _plain(each.grade), each.judge, " ".join(each.reason.split())] for each in judgments)
    return _lines(["query_id", "doc_id", "relevance", "judge", "reason"], rows)


def _book(judgments: _Judgments, query_texts: Texts) -> Iterator[str]:
    judges = [*dict.fromkeys(judgment.judge for judgment in judgments)]
    rows = (
        [text, doc_id, *(_plain(given[judge].grade) if judge in given else "" for judge in judges)]
        for text, doc_id, given in _by_pair(judgments, query_texts)
    )
    return _lines(["query", "docid", *judges], rows)


def _log(judgments: _Judgments, _: Texts) -> Iterator[str]:
    time = now()
    for judgment in judgments:
        yield json.dumps(log_entry(judgment._replace(time=time)), ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[_Judgments, Texts], Iterator[str]]] = {
    "sheet": _sheet,
    "book": _book,
    "log": _log,
}
"""Forms of files, each with the function that yields its texts."""


def _by_pair(judgments: _Judgments, query_texts: Texts) -> Iterator[tuple[str, str, dict[str, Judgment]]]:
    """Yield the text of the query, the document, and the grades by judge, query by query."""
    ids = ids_by_text(query_texts)
    texts = {query_id: text for text, query_id in ids.items()}
    for query_id, of_query in groups_of((judgment.query_id, judgment) for judgment in judgments).items():
        if query_id not in query_texts and query_id in ids:
            raise ArgumentError(
                f"'{query_id}' is the text of query '{ids[query_id]}' and the id of a query without a text; leave the "
                "texts out, or give that query a text"
            )
        for doc_id, given in nested((each.doc_id, each.judge, each) for each in of_query).items():
            yield texts.get(query_id, query_id), doc_id, given


def _lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (header, *rows):
        yield ",".join([table_cell(cell, "csv") if cell else "" for cell in row]) + "\n"


def _plain(grade: float) -> str:
    return repr(whole_or_fraction(grade))
