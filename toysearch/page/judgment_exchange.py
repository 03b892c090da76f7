"""Judgments of a page as a file to keep, and grades from a file that somebody sends."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import NamedTuple

from toysearch import write_qrels
from toysearch.base import ArgumentError, DataError, ToysearchError, collected_notes, note, unknown
from toysearch.evaluation.judge_agreement import MERGE_RULES, Disputed, merge_qrels
from toysearch.formats.judge_sheets import decisions_in, judges_in, read_judges, write_judges, write_ratings
from toysearch.formats.judgment_log import Judgment
from toysearch.page.judging import Judging

FORMS = {
    "qrels": ("judged.txt", "one grade per document, for trec_eval"),
    "csv": ("judged.csv", "the same in CSV"),
    "ratings": ("ratings.csv", "the same for a Quepid case"),
    "sheet": ("sheet.csv", "all grades with judges and reasons, CSV"),
    "book": ("book.csv", "all grades as a Quepid book, CSV"),
    "import": ("book.json", "all grades as a book that Quepid imports"),
    "log": ("log.jsonl", "all grades as a judgment log"),
}
"""Form → the name of its file, and what is in it."""

_APART = ("sheet", "book", "import", "log")  # these keep the judges apart, so that no rule applies


class Imported(NamedTuple):
    """The number of grades of a file that were saved, that were known, and that are of other queries or documents."""

    new: int
    known: int
    elsewhere: int


class Exported(NamedTuple):
    """The name and the text of a file, and the documents left out because no grade of them has most votes."""

    file: str
    text: str
    undecided: tuple[Disputed, ...] = ()


def exported(judging: Judging, form: str, rule: str) -> Exported:
    """The judgments as `toysearch merge --to` writes them: what was settled, else one grade per document by a rule."""
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    file = io.StringIO()
    try:
        undecided = _write(judging, form, rule, file)
    except DataError as error:
        raise ArgumentError(f"{error}, or export the log, which carries all ids") from None
    return Exported(FORMS[form][0], file.getvalue(), undecided)


def _write(judging: Judging, form: str, rule: str, file: io.StringIO) -> tuple[Disputed, ...]:
    """Write the judgments, and return the documents that are left out."""
    if form in _APART:
        write_judges(judges_in(judging.log), file, form, judging.queries)
        return ()
    decisions = decisions_in(judging.decisions)
    if not len(judging.log) and decisions is None:
        raise ArgumentError("there is nothing to export: nobody has given a grade yet")
    try:
        merged = merge_qrels(judging.log.qrels(), decisions, rule=rule)
    except DataError:
        others = ", ".join(other for other in MERGE_RULES if other != rule)
        raise ArgumentError(
            f"there is nothing to export: no document has a grade that most judges gave; settle the documents on the "
            f"page of agreement, or choose another rule ({others})"
        ) from None
    if form == "ratings":
        write_ratings(merged.qrels, file, judging.queries)
    else:
        write_qrels(merged.qrels, file, "trec" if form == "qrels" else form)
    return merged.undecided


def imported(judging: Judging, content: str, judge: str) -> Imported:
    """Save the grades of a file; `judge` gave those for which it names nobody."""
    new: list[Judgment] = []
    repeated = elsewhere = 0
    if not content.strip():
        raise ArgumentError("the file is empty; paste its lines, or choose it")
    with tempfile.TemporaryDirectory() as folder, collected_notes() as notes:
        path = Path(folder, "import")
        path.write_text(content, encoding="utf-8", errors="replace", newline="")
        try:
            judges = read_judges([(judge or "imported", path)], judging.queries)
        except ToysearchError as error:
            raise ArgumentError(str(error).replace(str(path), path.name)) from None
    for message in notes:
        note(str(message).replace(str(path), path.name))
    for judgment in judges.judgments():
        latest = judging.log.latest(*judgment[1:4])
        if not judging.has(judgment.query_id, judgment.doc_id):
            elsewhere += 1
        elif latest is not None and latest[4:] == judgment[4:]:
            repeated += 1
        else:
            new.append(judgment)
    if not new and not repeated:
        raise ArgumentError(f"none of {elsewhere:,} grades is of a query and a document of this collection")
    return Imported(judging.add_all(new), repeated, elsewhere)
