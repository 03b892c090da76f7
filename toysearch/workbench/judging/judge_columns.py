"""Columns of a table, or keys of JSON, that hold the grades of judges: those named, or those of a known form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import NamedTuple

from toysearch.base import ArgumentError, Remedy, groups_of, malformed, note, unknown
from toysearch.files.claims import USES
from toysearch.files.columns import (
    BOOK,
    NOTHING,
    SHORT,
    cells_in,
    holds_text,
    is_usual_with_brackets,
    labels_in,
    likely_grades,
    listed_labels,
    looks_like_header,
    places_of,
    plain_label,
    scale_of,
)
from toysearch.files.numbers import DecimalMarks, finite_number
from toysearch.files.recognise import rows_in
from toysearch.files.source import Source
from toysearch.files.syntaxes.json_lines import first_object, judgment_keys

_GRADES = ("relevance", "vote", "score")
_MOST_ROWS, _LONGEST_LABEL = 50, 64
_NO_JUDGES = (
    "position rank place order score mean average avg median final consensus majority overall sum total count number "
    "id confidence certainty probability similarity distance weight price cost stock quantity clicks views year date "
    "popularity time minutes seconds duration age length size version title name description text category brand url "
    "votes likes shares orders sales sold returns impressions ctr purchases reviews replies downloads visits hits "
    "level depth page pages chapter row line words tokens chars characters height width month week weekday day days "
    "hour hours temperature margin discount tax rooms gap delta diff difference variance stdev min max mode latency "
    "rate ratio percent percentage gold truth fold split batch cluster group difficulty spam agreement disagreement "
    "kappa klicks punkte anzahl seite seiten menge rang summe stimmen woche tag stunde alter nummer "
    "type comment notes reason explanation status preis mittelwert durchschnitt minuten zeit datum jahr titel"
)
"""Words in the names of columns beside those of judges."""
_LARGEST = 10  # grade of a scale on which others have no larger one
_ENOUGH = 8  # grades by which two judges agree at least on the range
_BEYOND = 2  # steps of a scale that one of them may not have used
_PERHAPS_TABLES = ("", "trec", "three", "smart")  # by the rows below an unknown header
_FORMULA = ("-", "=", "+", "@")

UserColumns = Sequence[tuple[str, str]]
"""Parts of a judgment with the columns that the user names for them; a file may have any of several for one part."""


class Head(NamedTuple):
    """Beginning of a file whose columns or keys have names."""

    line: int  # of the header or the first object
    labels: list[str]
    rows: list[list[str]]  # the cells of the next rows, or the values of the first object
    is_table: bool
    columns: dict[str, str]  # part → its column, of those that the user names
    grades: list[str]  # all columns of grades that the user names

    @property
    def noun(self) -> str:
        """Return "column" or "key", as the labels of the file are called."""
        return "column" if self.is_table else "key"


def head_of(source: Source, user_columns: UserColumns) -> Head | None:
    """Read the beginning of a table or of JSON Lines; None for a file whose columns need no names, such as TREC."""
    lines = source.head.decode(errors="replace").split("\n")
    filled = [(number, line.rstrip("\r")) for number, line in enumerate(lines, 1) if line.strip(NOTHING + "\r")]
    number, line = filled[0] if filled else (0, "")
    is_table = not line.lstrip().startswith(("{", "["))
    if is_table:
        labels, delimiter = labels_in(line)
        rows = [cells_in(below, delimiter) for _, below in filled[1:_MOST_ROWS]]
        fits = looks_like_header(labels, delimiter) and finite_number(line.split()[-1]) is None  # nor a row of TREC
    else:
        item = first_object("\n".join(lines)) or {}
        labels, rows = [*item], [[str(value) for value in item.values()]]
        fits = (
            bool(item) and not holds_text(item) and not any(isinstance(value, dict | list) for value in item.values())
        )
    by_plain = {plain_label(label): label for label in reversed(labels)}
    present = [(part, by_plain[plain_label(label)]) for part, label in user_columns if plain_label(label) in by_plain]
    columns = dict(reversed(present))
    what = rows_in(source, columns)
    if what.role in USES or rows_in(source).role == "grades":  # a log has no columns to choose from
        return None
    if (form := what.form) in ("table", "lines") or (form in _PERHAPS_TABLES and fits):
        grades = [label for part, label in present if part == "relevance"]
        return Head(number, labels, rows, is_table, columns, grades)
    return None


def refuse_absent(user_columns: UserColumns, heads: Sequence[tuple[str | PathLike[str], Head | None]]) -> None:
    """Refuse a column that the user names and that no file has."""
    for _, label in user_columns:
        readable = [(path, head) for path, head in heads if head is not None]
        if heads and not readable:
            leave_out = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=...)
            raise ArgumentError(f"{heads[0][0]} has no columns with names; leave out {leave_out}")
        if heads and not any(plain_label(label) in map(plain_label, head.labels) for _, head in readable):
            path, head = readable[0]
            raise malformed(path, head.line, str(unknown(head.noun, label, head.labels)))


def columns_of_judges(
    path: str | PathLike[str], head: Head, user_columns: UserColumns, judges: Sequence[str]
) -> dict[int, str] | None:
    """Return the judge of each column of grades, by its position; None if one column holds the grades of all.

    judges : the judges that the user names, who may be columns
    """
    places = places_of(head.labels, head.columns)
    if not head.is_table and judgment_keys(head.labels, head.columns) is not None:
        places.setdefault("doc_id", -1)  # umbrela names a passage by its text
    free = {place: label for place, label in enumerate(head.labels) if place not in _ids(places)}
    if {"query_id", "doc_id"} <= places.keys():
        if judged := _chosen(head, free, judges if "judge" not in places else ()):
            return _each_once(path, head, judged)
        if any(part in places for part in _GRADES[: 2 if "rank" in places else 3]):  # with a rank, a score is of a run
            return None
        is_book = head.is_table and head.labels[:2] == BOOK and _are_judges([*free.values()])
        if is_book and _of_one_scale(head, free) and not _unlike_judges(head, free):
            _tell_taken(path, [*free.values()])
            return _each_once(path, head, {place: unguarded(label) for place, label in free.items()})
    raise malformed(path, head.line, _question(head, user_columns, places))


def _ids(places: Mapping[str, int]) -> set[int]:
    return {places[part] for part in ("query_id", "doc_id") if part in places}


def _are_judges(labels: Sequence[str]) -> bool:
    """True if the columns of a book may be judges: none is named like a grade, and all or none state a scale."""
    scales = {scale_of(label) is not None for label in labels}
    return len(scales) < 2 and not any(map(is_usual_with_brackets, labels))


def _tell_taken(path: str | PathLike[str], labels: Sequence[str]) -> None:
    """Note which columns of a book are taken for judges, unless their names show it: numbered, or e-mail addresses."""
    stems = {re.split(r"[\W\d_]+", plain_label(label))[0] for label in labels}
    if len(stems) > 1 and not all("@" in label for label in labels):
        others = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", judges=...)
        note(f"{path}: the columns {listed_labels(labels, 'column')} are taken for judges; {others} chooses some")


def _unlike_judges(head: Head, places: Mapping[int, str]) -> set[str]:
    """Return the columns of some that are hardly those of judges, by their names or beside the numbers of others."""
    unlike = {
        label
        for label in places.values()
        if not {*re.split(r"[\W\d_]+", plain_label(label))}.isdisjoint(_NO_JUDGES.split())
    }
    unlike |= {label for place, label in places.items() if _are_ranks(head, place)}
    whole, texts = {}, set()
    for place, label in places.items():
        filled = [row[place] for row in head.rows if place < len(row) and row[place].strip()]
        if numbers := _numbers(filled):
            whole[label] = all(number % 1 == 0 for number in numbers)
        elif len(filled) > 1:
            texts.add(label)
    fractions = {label for label, are_whole in whole.items() if not are_whole}
    return unlike | (texts if whole else set()) | (fractions if len(fractions) < len(whole) else set())


def _numbers(cells: Sequence[str]) -> list[float]:
    """Return the numbers among the cells of a column."""
    marks = DecimalMarks.of(cells)
    return [number for cell in cells if (number := finite_number(marks.plain(cell))) is not None]


def _are_ranks(head: Head, place: int) -> bool:
    """True if a column counts the rows of each query."""
    by_query = groups_of((row[0], row[place]) for row in head.rows if place < len(row))
    if len(head.rows) < 3 or len(by_query) == len(head.rows):
        return False
    return any(
        all(cells == [str(first + number) for number in range(len(cells))] for cells in by_query.values())
        for first in (0, 1)
    )


def _of_one_scale(head: Head, places: Mapping[int, str]) -> bool:
    """True if the first rows of some columns may be grades of one scale."""
    columns = [_numbers([row[place] for row in head.rows if place < len(row)]) for place in places]
    ranges = [(min(numbers), max(numbers)) for numbers in columns if numbers]
    large = {highest > _LARGEST for _, highest in ranges}
    filled = [(min(numbers), max(numbers)) for numbers in columns if len(numbers) >= _ENOUGH and len({*numbers}) > 1]
    apart = any(lowest > highest or above > highest + _BEYOND for lowest, above in filled for _, highest in filled)
    return len(large) < 2 and not apart


def _chosen(head: Head, free: Mapping[int, str], judges: Sequence[str]) -> dict[int, str]:
    by_plain = {plain_label(judge): judge for judge in judges}
    chosen = {place: by_plain[plain_label(label)] for place, label in free.items() if plain_label(label) in by_plain}
    several = free if len(head.grades) > 1 else {}
    return chosen or {place: label for place, label in several.items() if label in head.grades}


def _each_once(path: str | PathLike[str], head: Head, judges: dict[int, str]) -> dict[int, str]:
    """Return the judges; refuse a file with none, or with a judge without a name or with two columns."""
    names = [*judges.values()]
    twice = next((name for name in names if not name or names.count(name) > 1), None)
    if twice is not None:
        problem = f"the judge '{twice}' has two columns" if twice else "a column has no name"
        raise malformed(path, head.line, f"{problem}; give each judge one column with their name")
    if not names:
        problem = "expected a column relevance, or one column per judge, after the query and the document"
        raise malformed(path, head.line, f"{problem}; found the columns {', '.join(head.labels)}")
    return judges


def _question(head: Head, user_columns: UserColumns, places: Mapping[str, int]) -> str:
    """Say what a file without a known column of grades holds, and which options name one."""
    occupied = {place for part, place in places.items() if part != "score"}
    more = []
    for part in ("query_id", "doc_id"):
        if part not in places:
            place = next(place for place in range(len(head.labels) + 1) if place not in occupied)
            more.append((part, head.labels[place] if place < len(head.labels) else "NAME"))
            occupied.add(place)
    lacking = {"": "grades", "query_id": "the query or grades", "doc_id": "the document or grades"}
    unclear = lacking.get("".join(part for part, _ in more), "the query, the document or grades")
    free = {place: label for place, label in enumerate(head.labels) if place not in occupied}
    unlike = _unlike_judges(head, free)
    beside = {place for place, label in free.items() if label in unlike}
    likely = likely_grades(head.labels, head.rows, occupied | beside)
    likely = likely or likely_grades(head.labels, head.rows, occupied)
    likely = likely or [*free.values()][:1] or ["NAME"]
    columns = ",".join(f"{SHORT.get(part, part)}={label}" for part, label in (*user_columns, *more))
    grade = f"{columns},grade={likely[0]}".removeprefix(",")
    one = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=grade)
    listing = listed_labels([label[:_LONGEST_LABEL] for label in head.labels], head.noun)
    problem = f"found the {head.noun}s {listing}, none of which is known to hold {unclear}"
    sentence = f"{problem}; name {'them' if more else 'it'}: {one}"
    if len(likely) == 1 or any(part == "relevance" for part, _ in user_columns):
        return sentence
    remedy = (
        Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=columns, judges=likely)
        if columns
        else Remedy("toysearch.workbench.judging.judge_sheets.read_judges", judges=likely)
    )
    return f"{sentence}, or the columns of several judges, such as {remedy}"


def unguarded(text: str) -> str:
    """Strip the blank that Quepid puts before a cell that a spreadsheet would take for a formula."""
    return text[1:] if text[:1] == " " and text[1:2] in _FORMULA else text
