"""Columns of a table that hold its parts: by their names, or scores and grades by their cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from toysearch.base import Remedy, groups_of, note
from toysearch.files.columns import ByPart, likely_grades, means_relevant, named_like, places_of, plain_label, words_of
from toysearch.files.labels import GRADES, KINDS, NAMES, PERHAPS_SCORES, SUMMARIES
from toysearch.files.listed_documents import MARKS, VALUES, in_brackets, splitter_of
from toysearch.files.numbers import DecimalMarks, counts, falls, finite_number, finite_value, may_be_grouped
from toysearch.files.table import Row, Table

BareRows: TypeAlias = Sequence[Sequence[str]]
"""Rows of cells without labels."""
MOST_LABELS = 40
"""Labels of a line that may be a header: the words of a text are more."""
MANY = 5
"""Ranks that no scale of grades has in this order for each query."""
FEW = 3
"""Rows, or choices in a message."""
MOST_CODES = 9
"""Different words for grades."""
_LONGEST_CODE, _SHORTEST_WORD = 40, 3  # letters
_MARKS = frozenset((*MARKS, "[", "{"))  # of lists


def known_parts(table: Table, columns: ByPart) -> dict[str, str]:
    """Return part → the label that is known for it, or named; a prediction is a score if it is a number."""
    parts = {part: table.labels[at] for part, at in places_of(table.labels, columns).items()}
    label = parts.get("score", "")
    is_open = plain_label(label) in PERHAPS_SCORES or any(map(in_brackets, table.cells(label)))
    if is_open and "score" not in columns and label not in numbers_in(table):
        del parts["score"]
    if "relevance" not in parts and len(table.labels) <= MOST_LABELS:
        free = [label for label in table.labels if label not in parts.values() and means_relevant(label)]
        numbers = numbers_in(table) if free else {}
        free = [label for label in free if named_like(label) != "rank" or max(numbers.get(label, [0])) <= 1]
        graded = [label for label in free if label in numbers or words_in(table, label)]
        if len(graded) == 1:
            parts["relevance"] = graded[0]
    return parts


def numbers_in(table: Table) -> dict[str, list[float]]:
    """Return the numbers in the columns with a name of which at least half of the cells hold one."""
    found: dict[str, list[float]] = {}
    for label in filter(None, table.labels):  # without a name they count the rows
        marks = decimal_marks(table, label, table.head, shares=True)
        cells = [marks.plain(cell) if isinstance(cell, str) else cell for cell in table.cells(label)]
        numbers = [number for cell in cells if (number := number_of(cell)) is not None]
        if numbers and 2 * len(numbers) >= len(cells):  # the others are marks such as a question mark
            found[label] = numbers
    return found


def decimal_marks(table: Table, label: str, rows: Iterable[Row] | None = None, *, shares: bool = False) -> DecimalMarks:
    """Return the marks before decimals in a column, which may be commas where none separates cells.

    Elsewhere than between semicolons a comma may also group thousands, unless one of the cells shows that it does not.

    rows : those that show it; without, all between semicolons, else the first
    shares : whether they may be per cent, as scores may; of what is a grade a share?
    """
    if not label:
        return DecimalMarks()
    if rows is None:
        rows = table.rows() if table.between == ";" else table.head
    cells = [str(row.cells.get(label, "")) for row in rows]
    marks = DecimalMarks.of(cells)
    marks = marks._replace(per_cent=marks.per_cent and shares)
    if table.between == "," or marks.grouped:
        return marks._replace(commas=False)
    is_shown = table.between == ";" or any(marks.plain(cell) != cell and not may_be_grouped(cell) for cell in cells)
    return marks if is_shown else marks._replace(commas=False)


def number_of(cell: object) -> float | None:
    """Return the finite number in a cell; None for anything else."""
    return finite_number(cell) if isinstance(cell, str) else finite_value(cell)


def likely_values(table: Table, occupied: Collection[str], role: str) -> list[str]:
    """Return the columns that may hold the scores of a run, or grades, the likeliest first.

    occupied : those that hold something else
    """
    numbers, labels = numbers_in(table), [label for label in table.labels if label not in occupied]
    likely = likely_grades(labels, numbers) if role == "qrels" else [label for label in labels if label in numbers]
    kinds = ("ids", "rank", "page") if role == "qrels" else ("ids", "page")
    of_ids = {*NAMES["query_id"], *NAMES["doc_id"]} if role == "run" else ()
    free = [label for label in likely if label and named_like(label) not in kinds and plain_label(label) not in of_ids]
    if role == "qrels":
        worded = [label for label in labels if words_in(table, label)]
        free = worded + [label for label in free if label not in worded]
        coded = [label for label in labels if label not in free and KINDS.isdisjoint(words_of(label))]
        free += [label for label in coded if _holds_codes(table, label)]
        ranks = counted_below(table)
        free = [label for label in free if label not in ranks] or free
    of_run = free if role == "run" else []
    are_whole = {label for label in of_run if all(number % 1 == 0 for number in numbers[label])}  # perhaps ids
    return sorted(free, key=lambda label: (SUMMARIES.isdisjoint(plain_label(label).split("_")), label in are_whole))


def _holds_codes(table: Table, label: str) -> bool:
    """True if each cell of a column is one of a few short words, or they have one in common, as partly relevant."""
    cells = [str(cell).strip().lower() for cell in table.cells(label)]
    codes = {*cells}
    if not 0 < len(codes) <= MOST_CODES or "" in codes or max(map(len, codes)) > _LONGEST_CODE:
        return False
    common = {word for code in codes for word in code.split() if all(word in other for other in codes)}
    is_common = any(len(word) >= _SHORTEST_WORD and word.isalpha() for word in common)
    if is_common and 1 < len(codes) <= len(cells) / 2:
        return not any(map(str.isdigit, "".join(codes)))
    return all(code.isalpha() or not any(map(str.isalnum, code)) for code in codes)


def words_in(table: Table, label: str) -> str:
    """Return the number of each word in a column of known words for grades, as in yes=1,no=0; "" for another."""
    grades = GRADES | {"x": 1} if means_relevant(label) else GRADES  # a cross marks what is relevant
    return codes_in(table.cells(label), grades)


def codes_in(cells: Iterable[Any], grades: Mapping[str, int] = GRADES, unknown: str = "") -> str:
    """Return the number of each of some words for grades; "" if one is not known, and unknown does not stand for it.

    >>> codes_in(["Relevant", "not relevant", "Relevant"]), codes_in(["good"]), codes_in(["no", "good"], unknown="…")
    ('Relevant=1,not relevant=0', '', 'no=0,good=…')
    """
    words = dict.fromkeys(word for cell in cells if (word := code_of(cell)))
    numbers = {word: grades.get("".join(filter(str.isalnum, word.lower())), unknown) for word in words}
    return ",".join(f"{word}={number}" for word, number in numbers.items()) if "" not in numbers.values() else ""


def code_of(value: object) -> str:
    """Return the code in which a grade is written: a text, true or false, or a number without a fraction of zero."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def open_scores(table: Table, parts: ByPart) -> list[str]:
    """Return the columns that may hold the scores, that of the known name first; [] if that one alone may.

    Others may if they are named so and fall down each list, unlike it. Beside one that is named after a system, those
    of other systems may: the columns of fractions that no document has alike for all queries, as it has a price; and
    if it counts the documents of each query, those that do too.
    """
    score, falling = parts["score"], list[str]()
    for label in table.labels:
        if "score" not in words_of(label) and label != score:
            continue
        groups = groups_in(table, parts, label)
        if falls([number_of(cell) or 0 for _, _, cell in group] for group in groups):
            falling.append(label)
    if score not in falling and falling:
        return [score, *falling]
    if plain_label(score) != "bm25":
        return []
    ranks = counted_below(table)
    if score in ranks and score not in falling:
        return [score, *(label for label in ranks if label not in parts.values())]
    numbers = numbers_in(table)
    likely = likely_values(table, [*parts.values()], "run")
    others = [label for label in likely if any(number % 1 for number in numbers[label])]
    documents = {label: {(row.get(parts["doc_id"]), row.get(label)) for row in table.readable} for label in others}
    n_documents = len({row.get(parts["doc_id"]) for row in table.readable})
    others = [label for label in others if n_documents < len(documents[label])]
    if others and score in falling:
        other = Remedy("read_run", columns=f"score={others[0]}")
        note(f"{table.source}: the scores are those of {score}; if they are in {others[0]}: {other}")
        return []
    return [score, *others] if others else []


def grades_beside(table: Table, label: str) -> list[str]:
    """Return the other columns that hold grades by their names, if they contradict those under a label.

    They do not if equal grades are equal there too, higher ones are no lower, and the same documents are relevant.
    Beside a score with fractions, all columns of a few whole numbers rather hold grades.
    """
    numbers = numbers_in(table)
    if plain_label(label) in NAMES["score"]:
        has_fractions = any(number % 1 for number in numbers.get(label, ()))
        likely = likely_values(table, [label], "qrels") if has_fractions else []
        codes = {one: {*numbers[one]} for one in likely if one in numbers}
        return [one for one in codes if 2 * len(codes[one]) <= len(numbers[one]) and codes[one] <= {*range(MOST_CODES)}]
    flags = [one for one in numbers if means_relevant(one) and {0.0, 1.0}.issuperset(numbers[one])]
    others = [one for one in numbers if one in flags or plain_label(table.as_written(one)) in NAMES["relevance"]]
    return [one for one in others if one != label and _contradict(table, label, one)]


def _contradict(table: Table, label: str, other: str) -> bool:
    cells = [(number_of(row.cells.get(label)), number_of(row.cells.get(other))) for row in table.head]
    pairs = sorted({(grade, beside) for grade, beside in cells if grade is not None and beside is not None})
    follows = all(low < high and below <= above for (low, below), (high, above) in pairwise(pairs))
    return not follows or any((grade >= 1) != (beside >= 1) for grade, beside in pairs)


def value_part(role: str, parts: ByPart, columns: ByPart) -> str:
    """Return the part that holds the value of a row; "" without any."""
    among = VALUES.get(role, ())
    named = [part for part in columns if part in among]
    return next((part for part in (*named, *among) if part in parts), "")


def parts_for(table: Table, parts: ByPart, label: str) -> list[str]:
    """Return the parts of a run that a column of numbers may be, the likeliest first: score, rank, distance."""
    return parts_of_numbers(groups_in(table, parts, label), named_like(label))


def parts_of_numbers(groups: Sequence[BareRows], kind: str = "") -> list[str]:
    """Return the parts of a run that the third cells of each query may be; kind: what their name says.

    >>> parts_of_numbers([[("", "oak", "0.1"), ("", "elm", "0.4")]]), parts_of_numbers([[("", "oak", "1")]])
    (['distance', 'score'], ['rank'])
    """
    columns = [[number for _, _, cell in group if (number := number_of(cell)) is not None] for group in groups]
    are_whole = all(number % 1 == 0 for column in columns for number in column)
    rising = [column for column in columns if falls([column[::-1]])]
    part = part_of_run(groups)
    if part == "rank" or (kind == "rank" and are_whole):
        return ["rank"]
    if not part:
        return ["rank", "score"]
    if kind == "distance":
        return ["score", "distance"] if falls(columns) else ["distance"]
    if falls(column[::-1] for column in columns):
        return ["rank" if are_whole else "distance", "score"]
    return ["score", "distance"] if rising else ["score"]


def groups_in(table: Table, parts: ByPart, label: str) -> list[list[tuple[str, str, str]]]:
    """Return the first rows of each query, with the document and the cell under a label as the last two of three."""
    query, doc = parts["query_id"], parts["doc_id"]
    rows = [row.cells for row in table.head if not row.problem and {query, label} <= row.cells.keys()]
    groups = groups_of((str(cells[query]), ("", str(cells.get(doc)), str(cells[label]))) for cells in rows)
    return [*groups.values()]


def is_listing(table: Table, label: str, ids: Collection[str] = ()) -> bool:
    """True if a cell of a column lists several ids; ids: those that are known, which may have blanks."""
    cells = [cell for cell in table.cells(label) if isinstance(cell, str)]
    split = splitter_of(cells, ids)
    return split is not None and any(len(split(cell)) > 1 for cell in cells)


def lists_between_marks(table: Table, label: str, ids: Collection[str] = ()) -> bool:
    """True if a cell of a column lists several ids between marks, as names and texts with blanks do not."""
    has_marks = any(isinstance(cell, str) and not _MARKS.isdisjoint(cell) for cell in table.cells(label))
    return has_marks and is_listing(table, label, ids)


def count_up(rows: BareRows, first: int, place: int = 2) -> bool:
    """True if the cells at a place count from the first on, in rows of different documents, which stand before it."""
    ranks, documents = [row[place] for row in rows], {row[place - 1] for row in rows}
    return len(documents) == len(rows) and ranks == [str(first + at) for at in range(len(rows))]


def counted_below(table: Table) -> dict[str, str]:
    """Return the columns that count the rows of each cell of another one, in any order, as ranks do → that column.

    A few from 0 may be grades.
    """
    found, rows = dict[str, str](), table.readable
    for label, numbers in numbers_in(table).items():
        least = FEW if min(numbers) == 1 else MANY
        for other in table.labels if len(numbers) == len(rows) else ():
            groups = groups_of(
                (str(row.get(other)), number) for row, number in zip(rows, numbers, strict=True)
            ).values()
            if max(map(len, groups)) >= least and all(map(counts, map(sorted, groups))):
                found.setdefault(label, other)
    return found


def part_of_run(groups: Sequence[BareRows]) -> str:
    """Return the part that the third cells of each query are: ranks that count, or scores; "" if it is unclear."""
    for first in (0, 1):
        if all(count_up(group, first) for group in groups):
            return "rank"
        if all({row[2] for row in group} == {*map(str, range(first, first + len(group)))} for group in groups):
            return ""
    return "score"
