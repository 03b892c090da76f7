"""Rows without a header: lines of TREC, Cranfield and SMART; the columns of others are named by their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toysearch.files.claims import What
from toysearch.files.columns import ByPart, labels_of
from toysearch.files.file_role import PAIR, Settled
from toysearch.files.labels import GRADES
from toysearch.files.numbers import finite_number
from toysearch.files.source import Source
from toysearch.files.syntaxes import trec
from toysearch.files.syntaxes.delimited import bare, cells_of, rows_in, separator_of
from toysearch.files.syntaxes.trec import QRELS, RUN, data_lines
from toysearch.files.value_columns import BareRows, value_part

_THREE = (*PAIR, "relevance")
_DIGITS = re.compile(r"\d+")


def looks_like_header(labels: Sequence[str], between: str | None) -> bool:
    """True if the cells of a line may be the names of columns, though none is known."""
    distinct = len(labels) >= 3 and len(set(labels)) == len(labels)
    return between is not None and distinct and all(label and finite_number(label) is None for label in labels)


def of_bare_rows(source: Source, lines: Sequence[str], between: str | None, place: str) -> Settled | None:
    """Settle lines without a header by their number of columns, and the numbers in them."""
    rows = [row for row in rows_in(lines, between) if row]
    are_texts = not place and between is not None and any(len(row) == 3 and " " in row[1].strip() for row in rows)
    if not rows or are_texts:  # texts between a number and another
        return None
    what = trec.claims_rows(rows)
    if what is None and place != "run" and _have_codes(rows):
        what = What("qrels", "three", "its lines have three columns, the third one of a few codes", sure=False)
        return _named(what, source, between, _THREE, "relevance") if place else None
    is_bad = what is None and between in (None, "\t")  # lines of TREC, of which some are bad
    if (
        what is None
        and place == "run"
        and (lines[0].split()[1:2] == ["Q0"] or (is_bad and len(rows[0]) == len(RUN.columns)))
    ):
        return Settled(What("run", "trec", "its lines have six columns", sure=False))
    if is_bad and place == "qrels" and len(rows[0]) == len(QRELS.columns):
        return Settled(What())
    is_open = what is not None and what.form == "trec" and what.role == "qrels" and _have_numbers_third(rows)
    if what is None or is_open or (place == "run" and what.role != "run"):
        places = [str(place) for place in range(1, len(rows[0]) + 1)]
        return Settled(What(), bare(source, between, places)) if place == "run" or (place and len(rows) > 1) else None
    is_plain = between is None or what.form == "smart"
    ids = [cell for row in rows for cell in row[: RUN.same]]  # behind the first blank of its tag a run may hold text
    if is_plain or (between == "\t" and not any(" " in cell for cell in ids)):
        return Settled(what)
    if what.role == "run":
        return _named(what, source, between, RUN.columns, "score")
    return _named(what, source, between, _THREE if what.form == "three" else QRELS.columns, "relevance")


def _named(what: What, source: Source, between: str | None, labels: Sequence[str], by: str) -> Settled:
    """Settle lines without a header whose columns have the names of parts."""
    return Settled(what, bare(source, between, labels), labels_of(labels), by)


def by_places(source: Source, place: str, columns: ByPart) -> Settled | None:
    """Settle a file whose columns the user names by their places, from 1; None if a header has these names."""
    lines = data_lines(source)
    if not lines:
        return None
    between = separator_of(lines)
    width = len(cells_of(lines[0], between))
    if not width or {*columns.values()} <= {*cells_of(source.lines[0].rstrip("\r"), between)}:
        return None
    table = bare(source, between, [str(number) for number in range(1, width + 1)])
    role = place or ("qrels" if "relevance" in columns else "run")
    return Settled(
        What(role, "rows", "its columns are named by their places"), table, columns, value_part(role, columns, columns)
    )


def _have_codes(rows: BareRows) -> bool:
    """True if the last of three cells is a word for a grade, or a letter with a number such as L2."""
    if any(len(row) != 3 for row in rows):
        return False
    codes = {row[2] for row in rows}
    return all(code.lower() in GRADES or re.fullmatch(r"[A-Za-z]\d", code) for code in codes)


def is_of_kind(first: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """True if a cell differs only in its numbers from one below it, as q1 from q2."""
    kinds = [_DIGITS.sub("0", cell) for cell in first]
    return any(_DIGITS.sub("0", cell) == kinds[place] for row in rows for place, cell in enumerate(row))


def _have_numbers_third(rows: BareRows) -> bool:
    """True if the third cells are numbers and the second ones words, which may be grades behind documents."""
    words = all(finite_number(row[1]) is None and row[1] != "Q0" for row in rows if len(row) > 3)
    return words and all(finite_number(row[2]) is not None for row in rows if len(row) > 3)
