"""Columns of a table, or keys of JSON, that hold the grades of judges: those named, or those of a known form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from toysearch.base import ArgumentError, Remedy, groups_of, malformed, note, unknown
from toysearch.files.agreement import numbered
from toysearch.files.bare_rows import looks_like_header
from toysearch.files.claims import USES
from toysearch.files.column_advice import advised_parts
from toysearch.files.columns import (
    BOOK,
    JUDGED_PARTS,
    SHORT,
    holds_text,
    is_usual_with_brackets,
    labels_of,
    listed_labels,
    places_of,
    plain_label,
    scale_of,
)
from toysearch.files.file_role import PAIR, Settled
from toysearch.files.numbers import DecimalMarks, finite_number
from toysearch.files.roles import settle
from toysearch.files.source import AnyPath, Source
from toysearch.files.table import Table
from toysearch.files.triples import is_judged_by_itself, judges_in
from toysearch.files.value_columns import MOST_CODES, likely_values

_GRADES = ("relevance", "vote", "score")
_LONGEST_LABEL = 64
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
_FORMULA = ("-", "=", "+", "@")

UserColumns = Sequence[tuple[str, str]]
"""Parts of a judgment with the columns that the user names for them; a file may have any of several for one part."""


class Head(NamedTuple):
    """Table whose columns or keys have names, and those that the user means."""

    settled: Settled
    table: Table  # rows of the file
    parts: dict[str, str]  # part → the column that holds it
    columns: dict[str, str]  # part → its column, of those that the user names
    grades: list[str]  # all columns of grades that the user names

    @property
    def judged_columns(self) -> dict[str, str]:
        """Columns of a judgment that the user names, without that of the judge."""
        return {part: label for part, label in self.columns.items() if part in JUDGED_PARTS}

    @property
    def labels(self) -> list[str]:
        """Names of its columns or keys."""
        return [*self.table.labels]


def head_of(source: Source, user_columns: UserColumns) -> Head | None:
    """Settle the table of a file; None for one whose columns need no names, such as TREC."""
    plain = settle(source)
    table = plain.table
    if plain.what.role in (*USES, "grades") or table is None or table.form not in ("table", "lines"):
        return None  # a log has no columns to choose from
    by_plain = {plain_label(label): label for label in reversed(table.labels)}
    present = [(part, by_plain[plain_label(label)]) for part, label in user_columns if plain_label(label) in by_plain]
    columns = dict(reversed(present))
    settled = settle(source, columns=columns)
    is_open = is_judged_by_itself(table) and not columns and not {*PAIR} <= plain.parts.keys()
    if is_open and (agreed := settle(source, "qrels")).by and not agreed.ask:
        settled = agreed
    is_sheet = table.noun == "key" or looks_like_header(table.labels, table.between)
    nested = any(isinstance(cell, dict | list) for row in table.head[:1] for cell in row.cells.values())
    if nested or not (settled.what.form or (is_sheet and not holds_text(table.labels))):
        return None
    parts = labels_of(table.labels, columns) | dict(settled.parts)
    judge = judges_in(table, parts) if "judge" not in parts and {*PAIR, "relevance"} <= parts.keys() else ""
    if judge:
        note(f"{source}: the {table.noun} {judge} is taken for judges, who grade the same documents")
        parts["judge"] = judge
    grades = [label for part, label in present if part == "relevance"]
    table = settled.table or table
    return Head(settled._replace(table=table, parts=parts), table, parts, columns, grades)


def refuse_absent(user_columns: UserColumns, heads: Sequence[tuple[AnyPath, Head | None]]) -> None:
    """Refuse a column that the user names and that no file has."""
    for _, label in user_columns:
        readable = [(path, head) for path, head in heads if head is not None]
        if heads and not readable:
            leave_out = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=...)
            raise ArgumentError(f"{heads[0][0]} has no columns with names; leave out {leave_out}")
        if heads and not any(plain_label(label) in map(plain_label, head.labels) for _, head in readable):
            path, head = readable[0]
            raise malformed(path, head.table.line, str(unknown(head.table.noun, label, head.labels)))


def columns_of_judges(
    path: AnyPath, head: Head, user_columns: UserColumns, judges: Sequence[str]
) -> dict[str, str] | None:
    """Return the judge of each column of grades; None if one column holds the grades of all.

    judges : the judges that the user names, who may be columns
    """
    parts = head.parts
    occupied = {parts[part] for part in ("query_id", "doc_id") if part in parts}
    free = [label for label in head.labels if label not in occupied]
    if {"query_id", "doc_id"} <= parts.keys():
        if judged := _chosen(head, free, judges if "judge" not in parts else ()):
            return _each_once(path, head, judged)
        if any(part in parts for part in _GRADES[: 2 if "rank" in parts else 3]):  # with a rank, a score is of a run
            return None
        is_book = head.table.form == "table" and head.labels[:2] == BOOK
        # None is named like a grade, and all or none state a scale.
        are_judges = len({scale_of(label) is None for label in free}) < 2 and not any(map(is_usual_with_brackets, free))
        are_judges = (is_book and are_judges) or _are_named(head, free)
        if are_judges and _of_one_scale(head, free) and not _unlike_judges(head, free):
            _note_judges(path, free, shown=is_book)
            return _each_once(path, head, {label: unguarded(head.table.as_written(label)) for label in free})
    raise malformed(path, head.table.line, _question(head, user_columns))


def _are_named(head: Head, labels: Sequence[str]) -> bool:
    """True for two columns of a few whole numbers, without gaps, named like annotator_1 and annotator_2."""
    names = [re.sub("_a$", "_1", re.sub("_b$", "_2", plain_label(label))) for label in labels]
    numbers, n_rows = head.table.numbers, len(head.table.readable)
    are_grades = [label for label in labels if {*numbers.get(label, [MOST_CODES])} <= {*range(MOST_CODES)}]
    return len(numbered(names)) == 2 == len(labels) == [len(numbers[label]) for label in are_grades].count(n_rows)


def _note_judges(path: AnyPath, labels: Sequence[str], *, shown: bool) -> None:
    """Note which columns are taken for judges, unless their names in a book show it: numbered, or e-mail addresses."""
    stems = {re.split(r"[\W\d_]+", plain_label(label))[0] for label in labels}
    if not shown or (len(stems) > 1 and not all("@" in label for label in labels)):
        others = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", judges=...)
        note(f"{path}: the columns {listed_labels(labels, 'column')} are taken for judges; {others} chooses some")


def _unlike_judges(head: Head, labels: Sequence[str]) -> set[str]:
    """Return the columns of some that are hardly those of judges, by their names or beside the numbers of others."""
    unlike = {
        label for label in labels if not {*re.split(r"[\W\d_]+", plain_label(label))}.isdisjoint(_NO_JUDGES.split())
    }
    unlike |= {label for label in labels if _are_ranks(head, label)}
    whole, texts = {}, set()
    for label in labels:
        filled = _filled(head, label)
        if numbers := _numbers(filled):
            whole[label] = all(number % 1 == 0 for number in numbers)
        elif len(filled) > 1:
            texts.add(label)
    fractions = {label for label, are_whole in whole.items() if not are_whole}
    return unlike | (texts if whole else set()) | (fractions if len(fractions) < len(whole) else set())


def _filled(head: Head, label: str) -> list[str]:
    return [text for cell in head.table.cells(label) if (text := str(cell)).strip()]


def _numbers(cells: Sequence[str]) -> list[float]:
    """Return the numbers among the cells of a column."""
    marks = DecimalMarks.of(cells)
    return [number for cell in cells if (number := finite_number(marks.plain(cell))) is not None]


def _are_ranks(head: Head, label: str) -> bool:
    """True if a column counts the rows of each query."""
    first = head.labels[0]
    rows = [row.cells for row in head.table.head if label in row.cells]
    by_query = groups_of((row[first], str(row[label])) for row in rows)
    if len(rows) < 3 or len(by_query) == len(rows):
        return False
    return any(
        all(cells == [str(start + number) for number in range(len(cells))] for cells in by_query.values())
        for start in (0, 1)
    )


def _of_one_scale(head: Head, labels: Sequence[str]) -> bool:
    """True if the first rows of some columns may be grades of one scale."""
    columns = [_numbers(_filled(head, label)) for label in labels]
    ranges = [(min(numbers), max(numbers)) for numbers in columns if numbers]
    large = {highest > _LARGEST for _, highest in ranges}
    filled = [(min(numbers), max(numbers)) for numbers in columns if len(numbers) >= _ENOUGH and len({*numbers}) > 1]
    apart = any(lowest > highest or above > highest + _BEYOND for lowest, above in filled for _, highest in filled)
    return len(large) < 2 and not apart


def _chosen(head: Head, free: Sequence[str], judges: Sequence[str]) -> dict[str, str]:
    by_plain = {plain_label(judge): judge for judge in judges}
    written = {label: plain_label(head.table.as_written(label)) for label in free}
    chosen = {label: by_plain[name] for label, name in written.items() if name in by_plain}
    several = free if len(head.grades) > 1 else ()
    return chosen or {label: label for label in several if label in head.grades}


def _each_once(path: AnyPath, head: Head, judges: dict[str, str]) -> dict[str, str]:
    """Return the judges; refuse a file with none, or with a judge without a name or with two columns."""
    names = [*judges.values()]
    twice = next((name for name in names if not name or names.count(name) > 1), None)
    if twice is not None:
        problem = f"the judge '{twice}' has two columns" if twice else "a column has no name"
        raise malformed(path, head.table.line, f"{problem}; give each judge one column with their name")
    if not names:
        problem = "expected a column relevance, or one column per judge, after the query and the document"
        raise malformed(path, head.table.line, f"{problem}; found the columns {', '.join(head.labels)}")
    return judges


def _question(head: Head, user_columns: UserColumns) -> str:
    """Say what a file without a known column of grades holds, and which options name one."""
    parts = {part: label for part, label in head.parts.items() if part != "score"}
    numbers = {label: label for label in head.table.numbers if not places_of([label.rpartition(".")[2]])}
    more = [*(advised_parts(head.table, numbers | parts) or advised_parts(head.table, parts)).items()]
    occupied = {*parts.values(), *(label for _, label in more)}
    lacking = {"": "grades", "query_id": "the query or grades", "doc_id": "the document or grades"}
    unclear = lacking.get("".join(part for part, _ in more), "the query, the document or grades")
    free = [label for label in head.labels if label not in occupied]
    likely = [parts["relevance"]] if "relevance" in parts else []
    likely = likely or likely_values(head.table, {*occupied, *_unlike_judges(head, free)}, "qrels")
    likely = likely or likely_values(head.table, occupied, "qrels") or free[:1] or ["NAME"]
    known = {**parts, **dict(more)}
    if "judge" not in known and {*PAIR} <= known.keys() and (judge := judges_in(head.table, known)):
        more.append(("judge", judge))
    columns = ",".join(f"{SHORT.get(part, part)}={label}" for part, label in (*user_columns, *more))
    grade = f"{columns},grade={likely[0]}".removeprefix(",")
    one = Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=grade)
    noun = head.table.noun
    listing = listed_labels([label[:_LONGEST_LABEL] for label in head.labels], noun)
    problem = f"found the {noun}s {listing}, none of which is known to hold {unclear}"
    naming = f"{problem}; name {'them' if more else 'it'}"
    if len(likely) == 1 or any(part == "relevance" for part, _ in user_columns):
        return f"{naming}: {one}"
    several = (
        Remedy("toysearch.workbench.judging.judge_sheets.read_judges", columns=columns, judges=likely)
        if columns
        else Remedy("toysearch.workbench.judging.judge_sheets.read_judges", judges=likely)
    )
    return f"{naming}: {several}, or, if one column has all grades, {one}"


def unguarded(text: str) -> str:
    """Strip the blank that Quepid puts before a cell that a spreadsheet would take for a formula."""
    return text[1:] if text[:1] == " " and text[1:2] in _FORMULA else text
