"""Grades of several judges written to files: as a sheet, as a Quepid book, as a judgment log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TextIO

from toysearch.base import ArgumentError, Qrels, checked, unknown
from toysearch.formats.event_log import now
from toysearch.formats.judge_sheets import Judges, ids_by_text
from toysearch.formats.judgment_log import log_entry
from toysearch.formats.writing import table_cell, write_texts

__all__ = ["write_judges", "write_ratings"]


@checked
def write_judges(
    judges: Judges, file: TextIO | str | Path, form: str, query_texts: Mapping[str, str] | None = None
) -> None:
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
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    write_texts(FORMS[form](judges, query_texts or {}), file)


@checked
def write_ratings(qrels: Qrels, file: TextIO | str | Path, query_texts: Mapping[str, str] | None = None) -> None:
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
    rows = _by_pair(Judges({"": qrels}), query_texts or {})
    lines = (_line([text, doc_id, _plain(grades[""][0])]) for text, doc_id, grades in rows)
    write_texts(chain([_line(["query", "docid", "rating"])], lines), file)


def _sheet(judges: Judges, _: Mapping[str, str]) -> Iterator[str]:
    yield _line(["query_id", "doc_id", "relevance", "judge", "reason"])
    for _time, judge, query_id, doc_id, grade, reason in judges.judgments():
        yield _line([query_id, doc_id, _plain(grade), judge, " ".join(reason.split())])


def _book(judges: Judges, query_texts: Mapping[str, str]) -> Iterator[str]:
    yield _line(["query", "docid", *judges])
    for text, doc_id, grades in _by_pair(judges, query_texts):
        cells = [_plain(grades[judge][0]) if judge in grades else "" for judge in judges]
        yield _line([text, doc_id, *cells])


def _import(judges: Judges, query_texts: Mapping[str, str]) -> Iterator[str]:
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
    book = {"name": "toysearch", "scale": [*map(_number, scale)], "query_doc_pairs": pairs}
    yield json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _log(judges: Judges, _: Mapping[str, str]) -> Iterator[str]:
    time = now()
    for judgment in judges.judgments():
        yield json.dumps(log_entry(judgment._replace(time=time)), ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[Judges, Mapping[str, str]], Iterator[str]]] = {
    "sheet": _sheet,
    "book": _book,
    "import": _import,
    "log": _log,
}
"""Form → the texts of its file."""


def _by_pair(judges: Judges, query_texts: Mapping[str, str]) -> Iterator[tuple[str, str, dict[str, tuple[float, str]]]]:
    """The text of the query, the document, and the grades and reasons by judge, query by query."""
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


def _number(grade: float) -> float | int:
    return int(grade) if grade.is_integer() else grade


def _plain(grade: float) -> str:
    return repr(_number(grade))
