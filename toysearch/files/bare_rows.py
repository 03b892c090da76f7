"""Roles of rows without a header, by the numbers in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby

from toysearch.base import Remedy, groups_of
from toysearch.files.claims import What
from toysearch.files.columns import ByPart, labels_of
from toysearch.files.file_role import PAIR, Settled, of_listing
from toysearch.files.labels import GRADES
from toysearch.files.listed_documents import in_brackets, role_of_list, several_ids, splitter_of
from toysearch.files.numbers import falls, finite_number, has_digit
from toysearch.files.source import Source
from toysearch.files.syntaxes import trec
from toysearch.files.syntaxes.delimited import bare, cells_of, headed, rows_in, separator_of
from toysearch.files.syntaxes.trec import QRELS, RUN, data_lines, score_of
from toysearch.files.table import KEY, MANY, VALUE, Table
from toysearch.files.value_columns import MOST_CODES, BareRows, count_up, part_of_run, parts_of_numbers, value_part

_FINEST = 20
"""Steps of a scale of grades between two whole numbers, at most."""
_NUMBERS = {3: "three", 4: "four", 5: "five"}
_ORDINALS = {2: "third", 3: "fourth", 4: "fifth"}
_THREE = (*PAIR, "relevance")
DIGITS = re.compile(r"\d+")


def looks_like_header(labels: Sequence[str], between: str | None) -> bool:
    """True if the cells of a line may be the names of columns, though none is known."""
    distinct = len(labels) >= 3 and len(set(labels)) == len(labels)
    return between is not None and distinct and all(label and finite_number(label) is None for label in labels)


def of_bare_rows(source: Source, lines: Sequence[str], between: str | None, place: str) -> Settled | None:
    """Settle lines without a header by the numbers in them."""
    rows = [row for row in rows_in(lines, between) if row]
    are_texts = not place and between is not None and any(len(row) == 3 and " " in row[1].strip() for row in rows)
    if not rows or are_texts:  # texts between a number and another
        return None
    table = partial(bare, source, between)
    is_open = len(rows[0]) == len(PAIR) + 1
    if (is_open or place != "qrels") and _are_lists_of_numbers(rows):
        lists = What(place or "run", "lists", "each of its lines is a query and its documents", sure=False)
        ask = "each query has one line of three numbers; write a header above them, or a row for each document"
        return Settled(lists, table(), {"query_id": KEY, "doc_id": VALUE}, ask=ask if is_open else "")
    if ranked := _ranks(rows, table):
        return ranked
    if all(len(row) == len(PAIR) and all(row) for row in rows):
        return _pairs_in(source, rows, between, lines[0])
    what = trec.claims_rows(rows)
    if what is None:
        why = "its lines have three columns, the third one of a few codes"
        are_codes = place == "qrels" and _have_codes(rows)
        return _named(What("qrels", "three", why, sure=False), table(_THREE), "relevance") if are_codes else None
    if what.form == "three" and place == "run":
        return _three_of_run(what, rows, table)
    if what.form == "three" and not place and _have_scores(rows):
        return Settled(What("run", "three", f"{what.why}, which falls below each query", sure=False))
    is_plain = between is None or what.form == "smart"
    ids = [cell for row in rows for cell in row[: RUN.same]]  # behind the first blank of its tag a run may hold text
    if is_plain or (between == "\t" and not any(" " in cell for cell in ids)):
        return Settled(what)
    if what.role == "run":
        return _named(what, table(RUN.columns), "score")
    return _named(what, table(_THREE if what.form == "three" else QRELS.columns), "relevance")


def _are_lists_of_numbers(rows: BareRows) -> bool:
    """True if each query has one row of whole numbers, of which no column repeats one much, as grades and tags do."""
    columns = [*zip(*rows, strict=False)]
    are_numbers = len(columns) > 2 and all(len(row) == len(columns) and all(map(str.isdecimal, row)) for row in rows)
    is_one_each = are_numbers and len({*columns[0]}) == len(rows) > 1 and max(map(int, columns[-1])) > MOST_CODES
    return is_one_each and all(2 * len({*column}) > len(rows) for column in columns)


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


def _named(what: What, table: Table, by: str) -> Settled:
    """Settle lines without a header whose columns have the names of parts."""
    return Settled(what, table, labels_of(table.labels), by)


def _ranks(rows: BareRows, table: Callable[[Sequence[str]], Table]) -> Settled | None:
    """Settle rows with a column that counts the documents of each query, and perhaps falling scores behind it.

    It is the third, or the fourth before scores.
    """
    width, n_rows = len(rows[0]), len(rows)
    rows = [row for row in rows if len(row) == width]  # the reader reports the others
    groups = [*groups_of((row[0], row) for row in rows).values()]
    longest = max(map(len, groups))
    places = {3: (2,), 4: (2,), 5: (2, 3)}.get(width, ())
    firsts = (1, 0) if longest >= MANY else (1,)  # a few grades may count from 0 too
    fitting = (place for first in firsts for place in places if all(count_up(group, first, place) for group in groups))
    place = next(fitting, 0)
    if 2 * len(rows) < n_rows or not place or (width == place + 1 and longest == 1):
        return None
    why = f"its lines have {_NUMBERS[width]} columns, the {_ORDINALS[place]} counts the documents of each query"
    is_sure = longest >= MANY
    if width > place + 1:
        scores = [[score_of(row[place + 1]) for row in group] for group in groups]
        falling = all(None not in group and group == sorted(group, reverse=True) for group in scores)  # type: ignore[type-var]
        is_sure = is_sure or any("." in row[place + 1] for row in rows)
        if not falling or not (is_sure or any(group[0] != group[-1] for group in scores)):
            return None
        why += f" and the {_ORDINALS[place + 1]} falls"
    labels = ["query_id", *["column_2"] * (place == 3), "doc_id", "rank", "score", "column_5"][:width]
    return _named(What("run", "ranks", why, sure=is_sure), table(labels), "score" if "score" in labels else "rank")


def _three_of_run(what: What, rows: BareRows, table: Callable[[Sequence[str]], Table]) -> Settled:
    """Settle three columns in the place of a run, whose numbers may be scores or ranks."""
    groups = [*groups_of((row[0], row) for row in rows if len(row) == 3).values()]  # the reader reports the others
    numbers = [[number for row in group if (number := score_of(row[2])) is not None] for group in groups]
    what = what._replace(role="run", sure=False)
    if max(map(len, groups)) > 1 and all(map(_begins_with_ranks, groups)) and not falls(numbers):
        return _named(what, table(("query_id", "rank", "doc_id")), "rank")._replace(shown_by="by their order")
    fitting = likely_parts(groups)
    settled = _named(what, table((*PAIR, fitting[0])), fitting[0])
    ask = f"the third column may hold {which_part(fitting, 'query=1,doc=2,{}=3')}"
    return settled if len(fitting) == 1 else settled._replace(ask=ask)


def _begins_with_ranks(group: BareRows) -> bool:
    """True if the second cells count from 1, before different whole numbers, which are documents."""
    return count_up([(row[2], row[1]) for row in group], 1, 1) and all(row[2].isdecimal() for row in group)


def columns_below(rows: BareRows, place: int) -> str:
    """Return the ranks or scores of rows as columns to name, if they count or fall below each cell at a place; else "".

    place : that of the queries, 0 or 1; the cells at the other one are then in no order, as documents are

    >>> rows = [["d1", "q1", "9"], ["d2", "q1", "8"], ["d1", "q2", "7"], ["d3", "q2", "6"]]
    >>> columns_below(rows, 1), columns_below(rows, 0)
    ('score=3', '')
    """
    if {*map(len, rows)} not in ({3}, {4}) or _are_in_blocks(rows, 1 - place) or not _are_in_blocks(rows, place):
        return ""
    groups = groups_of((row[place], row) for row in rows).values()
    numbers = [[number for row in group if (number := score_of(row[-1])) is not None] for group in groups]
    are_scores = sum(map(len, numbers)) == len(rows) and falls(numbers)
    columns = [f"score={len(rows[0])}"] * are_scores
    if all(count_up([(row[1 - place], row[2]) for row in group], 1, 1) for group in groups):
        columns.insert(0, "rank=3")
    return ",".join(columns) if len(columns) >= len(rows[0]) - 2 else ""


def _have_scores(rows: BareRows) -> bool:
    """True if the third cells fall below each first one, hardly repeat as grades do, and are finer than these."""
    numbers = [score_of(row[-1]) for row in rows]
    are_fine = any(number is not None and number * _FINEST % 1 for number in numbers)
    return are_fine and 2 * len({*numbers}) > len(rows) and bool(columns_below(rows, 0))


def _are_in_blocks(rows: BareRows, place: int) -> bool:
    """True if equal cells at a place stand together, on average two or more."""
    cells = [row[place] for row in rows]
    return len([*groupby(cells)]) == len({*cells}) <= len(cells) / 2


def which_part(parts: Sequence[str], columns: str) -> str:
    """Ask which of some parts of a run numbers are; columns: those to name, with a place for the part."""
    either = [str(Remedy("read_run", columns=columns.format(part))) for part in parts]
    return f"{' or '.join(f'{part}s' for part in parts)}; say which: {' or '.join(either)}"


def likely_parts(groups: Sequence[BareRows]) -> list[str]:
    """Return the parts of a run that the third cells of each query may be: scores, unless all of many rise."""
    fitting = parts_of_numbers(groups)
    is_clear = fitting[0] == "score" or (part_of_run(groups) and max(map(len, groups)) < MANY)
    return fitting if fitting == ["rank"] or not is_clear else ["score"]


def _have_codes(rows: BareRows) -> bool:
    """True if the last of three cells is a word for a grade, or a letter with a number such as L2."""
    if any(len(row) != 3 for row in rows):
        return False
    codes = {row[2] for row in rows}
    return all(code.lower() in GRADES or re.fullmatch(r"[A-Za-z]\d", code) for code in codes)


def _pairs_in(source: Source, rows: BareRows, between: str | None, first: str) -> Settled:
    """Settle lines of a query and a document; the first of them may name the columns."""
    headed_by = _is_header(rows)
    cells = [row[1] for row in rows[headed_by is True :] if between is not None]
    split = splitter_of(cells) or list
    several = next((cell for cell in cells if " " in cell or len(split(cell)) > 1), "")
    table, ask = bare(source, between, PAIR), several and several_ids(several)
    parts = {part: part for part in PAIR}
    if headed_by is None:
        ask = (
            f"'{first.strip()[:80]}' may be a header or a judged pair; write query_id,doc_id above the pairs, with the "
            "separator of the file"
        )
    elif headed_by:
        table = headed(source, between)
        parts = dict(zip(PAIR, table.labels, strict=True))
        if cells and all(map(in_brackets, cells)):
            return of_listing(table, parts, role_of_list(parts["doc_id"]))
    return Settled(What("", "pairs", "its lines have two columns", sure=False), table, parts, ask=ask)


def is_of_kind(first: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """True if a cell differs only in its numbers from one below it, as q1 from q2."""
    kinds = [DIGITS.sub("0", cell) for cell in first]
    return any(DIGITS.sub("0", cell) == kinds[place] for row in rows for place, cell in enumerate(row))


def _is_header(rows: BareRows) -> bool | None:
    """True if the first of some pairs is unlike all others in kind; None if it may be a header or a pair.

    >>> [_is_header([first, ["q1", "d7"], ["q2", "d8"]]) for first in (["id", "answer"], ["q3", "d1"])]
    [True, False]
    >>> _is_header([["lamp", "c"], ["shoe", "a"]])
    """
    first, *others = rows
    if not others or is_of_kind(first, others) or any(finite_number(cell) is not None for cell in first):
        return False
    if any(not has_digit(cell) and all(has_digit(row[place]) for row in others) for place, cell in enumerate(first)):
        return True
    return False if any(map(has_digit, first)) else None
