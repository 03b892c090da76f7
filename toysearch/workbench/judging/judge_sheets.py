"""Files with grades of several judges: sheets, judgment logs, books with one column per judge; read and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TextIO

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    counted,
    expect,
    expect_list,
    expect_name,
    groups_of,
    nested,
    note,
)
from toysearch.files import (
    ON_ERROR,
    Source,
    now,
    numbered_lines,
    read_qrels,
    rows_in,
    source_of,
    whole_or_fraction,
)
from toysearch.files.columns import judged_columns
from toysearch.files.numbers import code_of, not_a_number, number_of
from toysearch.files.problems import MOST_SHOWN, Problems
from toysearch.files.reading import Columns
from toysearch.files.runs_and_judgments import parsed_grades
from toysearch.files.sheets import sheet_for
from toysearch.files.source import AnyPath
from toysearch.files.triples import (
    OutsideScale,
    Unjudged,
    among_codes,
    graded,
    text_of_part,
    triples_in,
)
from toysearch.files.writing import table_cell, write_texts
from toysearch.workbench.judging.judge_columns import (
    Head,
    UserColumns,
    columns_of_judges,
    head_of,
    refuse_absent,
    unguarded,
)
from toysearch.workbench.judging.judgment_log import Judgment, JudgmentLog, log_entry, qrels_of

__all__ = ["Judges", "decisions_in", "judges_in", "read_decisions", "read_judges", "write_judges", "write_ratings"]


Texts = Mapping[str, str]
"""Ids → texts of queries or documents."""


class Judges(dict[str, Qrels]):
    """Judgments of several people: ``judges["ada"]`` are the `Qrels` of ada.

    Attributes
    ----------
    reasons : dict of (str, str, str) to str
        (judge, query_id, doc_id) → the reason that the judge gave; absent if they gave none.
    """

    def __init__(
        self, judgments: Mapping[str, Qrels], reasons: Mapping[tuple[str, str, str], str] | None = None
    ) -> None:
        expect(Mapping, judgments=judgments)
        super().__init__(judgments)
        self.reasons = dict(reasons or {})

    def __repr__(self) -> str:
        grades = counted(sum(map(len, self.values())), "grade")
        return f"<Judges: {grades} of {', '.join(self)}>"

    def judgments(self) -> Iterator[Judgment]:
        """Yield each grade as a `Judgment` without a time, as `JudgmentLog.add_all` takes them."""
        for judge, qrels in self.items():
            for row in qrels:
                yield Judgment("", judge, *row, self.reasons.get((judge, row.query_id, row.doc_id), ""))

    def only(self, judges: Sequence[str]) -> Judges:
        """Return the judgments of some judges, in the order named.

        Parameters
        ----------
        judges : sequence of str
            Their names.

        Raises
        ------
        ArgumentError
            If one of them is unknown.
        """
        expect_list(str, judges=judges)
        for judge in judges:
            expect_name("judge", judge, self)
        reasons = {key: reason for key, reason in self.reasons.items() if key[0] in judges}
        return Judges({judge: self[judge] for judge in judges}, reasons)


class _Given(NamedTuple):
    line: int | None
    judge: str  # "" for the judge whose file it is
    query_id: str
    doc_id: str
    grade: float
    reason: str


def read_judges(
    files: Iterable[AnyPath | tuple[str, AnyPath]],
    query_texts: Texts | None = None,
    doc_texts: Texts | None = None,
    *,
    columns: Columns = None,
    grades: str | Mapping[str, float] | None = None,
    judges: Sequence[str] | None = None,
    on_error: str = "refuse",
) -> Judges:
    r"""Read the grades of several judges from any number of files; no grade is lost.

    ==============  =================================================================================
    sheet           a table with query_id, doc_id and relevance, as `write_pool` writes it; optionally
                    with the columns judge and reason; rows without a grade are left out with a note
    judgment log    what `JudgmentLog` writes: the grades in force
    book            the export of a Quepid book, a table that begins with the columns query and docid, and
                    has one column per judge (``query,docid,Ada,Ben``); or any table or JSON Lines with the
                    columns that `judges` names
    JSON Lines      objects with query_id, doc_id and relevance, optionally judge and reason, such as
                    the grades of a language model; umbrela has the keys query, passage (two texts),
                    judgment and prediction, and ids if they were given
    judgments       any other file that `read_qrels` reads
    ==============  =================================================================================

    The judge of a row is the one in its column ``judge``. If there is none, it is the name given with the file, else
    the name of the file without its ending. Several files may hold grades of the same judge. A column of numbers that
    neither the form of the file nor the user names is never taken for grades.

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
        takes them, or the names of the judges (judge): ``"doc=artikel,grade=note"``. If files name them differently,
        name each (``"grade=note,grade=points"``); several columns of grades in one file are those of several judges.
    grades : str or mapping of str to float, optional
        The grades that codes stand for, as `read_qrels` takes them: ``"FULL=2,PARTIAL=1,NONE=0"``.
    judges : sequence of str, optional
        Only these judges; in a table with one column per judge, the names of these columns.
    on_error : {"refuse", "skip"}
        The treatment of grades that cannot be read: refused (the default), or left out and counted in a note. Of two
        different grades of one judge, the first is then kept.

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
    >>> judges = read_judges([folder / "ada.csv", folder / "book.csv"], {"1": "train cat"})
    >>> {judge: qrels["1"] for judge, qrels in judges.items()}
    {'ada': {'d7': 2.0}, 'Ben': {'d7': 1.0}, 'Carla': {'d7': 2.0}}
    >>> judges.reasons
    {('ada', '1', 'd7'): 'names the breed'}
    >>> _ = (folder / "sheet.csv").write_text("search,sku,Ada (0-3),Ben (0-3),minutes\n1,d7,2,3,12\n")
    >>> named = read_judges([folder / "sheet.csv"], columns="query=search", judges=["Ada (0-3)", "Ben (0-3)"])
    >>> {judge: qrels["1"] for judge, qrels in named.items()}
    {'Ada (0-3)': {'d7': 2.0}, 'Ben (0-3)': {'d7': 3.0}}
    """
    expect_list(object, files=files)
    expect_name("value of on_error", on_error, ON_ERROR, "values")
    user_columns = judged_columns(columns, ("judge",))
    codes = None if grades is None else parsed_grades(grades)
    named = [file if isinstance(file, tuple) else ("", file) for file in files]
    odd = next((file for file in named if len(file) != 2 or not isinstance(file[1], str | PathLike)), None)
    if odd is not None:
        raise ArgumentError(f"files are paths, or pairs of the name of a judge and a path, not {odd!r:.80}")
    labels = {label: label for _, label in user_columns}
    sources = [(name, sheet_for(source_of(path, on_error=on_error), ("qrels",), labels)) for name, path in named]
    stems = ["standard input" if str(path) == "-" else Path(path).stem for _, path in sources]
    alike = [stem for (name, _), stem in zip(sources, stems, strict=True) if not name]
    for _, path in sources:
        path.beside = [other for _, other in sources if other is not path]
    heads = [head_of(path, user_columns) for _, path in sources]
    refuse_absent(user_columns, [(path, head) for (_, path), head in zip(sources, heads, strict=True)])
    ids, doc_ids = ids_by_text(query_texts or {}), ids_by_text(doc_texts or {})
    given: dict[str, dict[str, dict[str, float]]] = {}
    reasons: dict[tuple[str, str, str], str] = {}
    places: dict[tuple[str, str, str], tuple[AnyPath, int | None]] = {}
    conflicts = []
    for number, ((name, path), stem, head) in enumerate(zip(sources, stems, heads, strict=True), 1):
        owner = name or (stem if alike.count(stem) == 1 else f"{number}: {path}")
        for row in _grades_in(path, head, user_columns, judges or (), on_error, codes):
            judge = row.judge or owner
            query_id = ids.get(row.query_id, row.query_id)
            doc_id = doc_ids.get(" ".join(row.doc_id.split()), row.doc_id)
            key = (judge, query_id, doc_id)
            of_query = given.setdefault(judge, {}).setdefault(query_id, {})
            first = of_query.setdefault(doc_id, row.grade)
            before = places.setdefault(key, (path, row.line))
            if first != row.grade:
                here, other = (_place(*place, query_id, doc_id) for place in ((path, row.line), before))
                pair = f"query '{query_id}', document '{doc_id}'"
                conflicts.append(f"{here}: {judge} gave {pair} grade {row.grade:g} here and {first:g} in {other}")
            if row.reason and row.reason not in reasons.get(key, "").split(_BETWEEN):
                reasons[key] = _BETWEEN.join([reasons[key], row.reason] if key in reasons else [row.reason])
    _settle(conflicts, on_error)
    if not given:
        raise DataError(f"no grade is in {', '.join(str(path) for _, path in sources) or 'no file'}; fill some in")
    everybody = Judges({judge: Qrels.from_dict(of_judge) for judge, of_judge in given.items()}, reasons)
    return everybody if judges is None else everybody.only(judges)


def _settle(conflicts: list[str], on_error: str) -> None:
    """Refuse grades that differ from another of the same judge, or note that they are left out."""
    if conflicts and on_error == "skip":
        note(f"{counted(len(conflicts), 'grade')} left out, different from the first of the same judge: {conflicts[0]}")
    elif len(conflicts) == 1:
        raise DataError(f"{conflicts[0]}{_KEEP_ONE}")
    elif conflicts:
        more = [f"and {len(conflicts) - MOST_SHOWN} more"] if len(conflicts) > MOST_SHOWN else []
        listed = [f"{conflict}{_KEEP_ONE}" for conflict in conflicts[:MOST_SHOWN]]
        raise DataError(f"{len(conflicts):,} grades differ from another of the same judge:", listed + more)


def judges_in(log: JudgmentLog) -> Judges:
    """Return the judges of a judgment log, with their reasons.

    Parameters
    ----------
    log : JudgmentLog
        The log.
    """
    expect(JudgmentLog, log=log)
    every = [*log]  # once, because grades may be given meanwhile
    return Judges(qrels_of(every), {judgment[1:4]: judgment.reason for judgment in every if judgment.reason})


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
    source = source_of(path)
    if rows_in(source).role == "grades":
        return decisions_in(JudgmentLog(path, append=False))
    head = head_of(source, judged_columns(columns, ("judge",)))
    return read_qrels(source, {} if head is None else head.judged_columns, on_error)


_BETWEEN = " / "  # between two reasons of one judge
_KEEP_ONE = "; keep one of the two"


def ids_by_text(query_texts: Texts) -> dict[str, str]:
    """Map the text of each query to its id, unless two have the same text, or it is empty or the id of another."""
    ids = groups_of((" ".join(text.split()), query_id) for query_id, text in query_texts.items())
    return {
        text: query_ids[0]
        for text, query_ids in ids.items()
        if text and len(query_ids) == 1 and text not in query_texts
    }


def _grades_in(
    path: Source,
    head: Head | None,
    user_columns: UserColumns,
    judges: Sequence[str],
    on_error: str,
    grades: Mapping[str, float] | None,
) -> Iterator[_Given]:
    columns = {}
    if head is not None:
        path.reading.tell(head.settled.what.taken(path, "qrels"))
        by_label = columns_of_judges(path, head, user_columns, judges)
        if by_label is not None:
            yield from _of_book(path, head, by_label, grades)
            return
        if "vote" not in head.parts or "relevance" in head.parts:
            yield from _of_sheet(path, head, grades)
            return
        columns = head.judged_columns  # the grade is a share of the votes of all
    elif rows_in(path).role == "grades":
        yield from (_Given(None, *judgment[1:]) for judgment in JudgmentLog(path, append=False))
        return
    yield from (_Given(None, "", *row, "") for row in read_qrels(path, columns, on_error, grades))


def _of_sheet(path: AnyPath, head: Head, grades: Mapping[str, float] | None) -> Iterator[_Given]:
    """Yield the grades of a sheet whose rows name their judge."""
    problems, unjudged, any_good = Problems(path), Unjudged(path), False
    by = next(part for part in ("relevance", "score") if part in head.parts)
    if grades is None and (words := head.table.words(head.parts[by])):  # as read_qrels takes yes and no
        grades = parsed_grades(words)
    for triple, grade in graded(head.settled._replace(by=by), problems, unjudged, grades):
        any_good = True
        judge, reason = (text_of_part(triple, part, head.parts) for part in ("judge", "reason"))
        yield _Given(triple.line, judge, triple.query_id, triple.doc_id, grade, reason)
    problems.refuse(among=any_good)
    unjudged.tell()


def _of_book(
    path: AnyPath, head: Head, judges: Mapping[str, str], grades: Mapping[str, float] | None
) -> Iterator[_Given]:
    """Yield the grades in the columns of judges."""
    problems, outside, any_good = Problems(path), OutsideScale(path), False
    table = head.table.kept()
    marks = {label: table.decimal_marks(label) for label in judges}
    for row in triples_in(head.settled._replace(table=table, by=""), "qrels", problems):
        query_id, doc_id = map(unguarded, (row.query_id, row.doc_id))
        for label, judge in judges.items():
            cell = row.cells.get(label)
            number = number_of(marks[label].plain(cell) if isinstance(cell, str) else cell)
            grade = number if grades is None else grades.get(code_of(cell))
            if grade is not None:
                any_good = True
                outside.add(row.line, label, grade)
                yield _Given(row.line, judge, query_id, doc_id, grade, text_of_part(row, "reason", head.parts))
            elif cell is not None and str(cell).strip():
                expected = f"expected {among_codes(grades)} as the grade of {judge}, found '{cell}'" if grades else ""
                problems.add(row.line, expected or not_a_number(f"the grade of {judge}", str(cell)), "grade")
    problems.refuse(among=any_good)
    outside.tell()


def _place(path: AnyPath, line: int | None, query_id: str, doc_id: str) -> str:
    if line is None and str(path) != "-":
        lines = (number for number, text in numbered_lines(path) if {query_id, doc_id} <= {*text.split()[:3]})
        line = next(lines, None)
    return str(path) if line is None else f"{path}:{line}"


def write_judges(judges: Judges, file: TextIO | AnyPath, form: str, query_texts: Texts | None = None) -> None:
    r"""Write the grades of several judges, kept apart.

    =======  ==============================================================================================
    sheet    CSV with one row per grade: query_id, doc_id, relevance, judge, reason
    book     the CSV export of a Quepid book: query, docid, and one column per judge
    import   JSON that Quepid imports as a new book; it knows judges by their e-mail addresses
    log      the lines of a `JudgmentLog`, all with the present time
    =======  ==============================================================================================

    `read_judges` reads sheets, books and logs again. A book has no reasons.

    Parameters
    ----------
    judges : Judges
        The grades.
    file : file open for text, or path
        A path is replaced as a whole.
    form : {"sheet", "book", "import", "log"}
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
    >>> from toysearch import Qrels
    >>> ada, ben = Qrels.from_dict({"1": {"d7": 2, "d9": 0}}), Qrels.from_dict({"1": {"d7": 1}})
    >>> write_judges(Judges({"ada": ada, "ben": ben}), sys.stdout, "book", {"1": "train cat"})
    query,docid,ada,ben
    train cat,d7,2,1
    train cat,d9,0,
    """
    expect(Judges, judges=judges)
    expect(str, form=form)
    expect_name("form", form, FORMS)
    write_texts(FORMS[form](judges, query_texts or {}), file)


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
    rows = _by_pair(Judges({"": qrels}), query_texts or {})
    lines = (_line([text, doc_id, _plain(grades[""][0])]) for text, doc_id, grades in rows)
    write_texts(chain([_line(["query", "docid", "rating"])], lines), file)


def _sheet(judges: Judges, _: Texts) -> Iterator[str]:
    yield _line(["query_id", "doc_id", "relevance", "judge", "reason"])
    for _time, judge, query_id, doc_id, grade, reason in judges.judgments():
        yield _line([query_id, doc_id, _plain(grade), judge, " ".join(reason.split())])


def _book(judges: Judges, query_texts: Texts) -> Iterator[str]:
    yield _line(["query", "docid", *judges])
    for text, doc_id, grades in _by_pair(judges, query_texts):
        cells = [_plain(grades[judge][0]) if judge in grades else "" for judge in judges]
        yield _line([text, doc_id, *cells])


def _import(judges: Judges, query_texts: Texts) -> Iterator[str]:
    scale = sorted({grade for qrels in judges.values() for grade in qrels.relevance.tolist()})
    pairs = [
        {
            "query_text": text,
            "doc_id": doc_id,
            "position": None,
            "document_fields": "{}",
            "judgements": [
                {"rating": grade, "user_email": judge, "explanation": reason or None}
                for judge, (grade, reason) in grades.items()
            ],
        }
        for text, doc_id, grades in _by_pair(judges, query_texts)
    ]
    book = {"name": "toysearch", "scale": [*map(whole_or_fraction, scale)], "query_doc_pairs": pairs}
    yield json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _log(judges: Judges, _: Texts) -> Iterator[str]:
    time = now()
    for judgment in judges.judgments():
        yield json.dumps(log_entry(judgment._replace(time=time)), ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[Judges, Texts], Iterator[str]]] = {
    "sheet": _sheet,
    "book": _book,
    "import": _import,
    "log": _log,
}
"""Forms of files, each with the function that yields its texts."""


def _by_pair(judges: Judges, query_texts: Texts) -> Iterator[tuple[str, str, dict[str, tuple[float, str]]]]:
    """Yield the text of the query, the document, and the grades and reasons by judge, query by query."""
    grades: dict[str, dict[str, dict[str, tuple[float, str]]]] = {}
    for _, judge, query_id, doc_id, grade, reason in judges.judgments():
        grades.setdefault(query_id, {}).setdefault(doc_id, {})[judge] = (grade, reason)
    ids = ids_by_text(query_texts)
    texts = {query_id: text for text, query_id in ids.items()}
    for query_id, of_query in grades.items():
        if query_id not in query_texts and query_id in ids:
            raise ArgumentError(
                f"'{query_id}' is the text of query '{ids[query_id]}' and the id of a query without a text; leave the "
                "texts out, or give that query a text"
            )
        text = texts.get(query_id, query_id)
        yield from ((text, doc_id, by) for doc_id, by in of_query.items())


def _line(cells: Iterable[str]) -> str:
    return ",".join([table_cell(cell, "csv") if cell else "" for cell in cells]) + "\n"


def _plain(grade: float) -> str:
    return repr(whole_or_fraction(grade))
