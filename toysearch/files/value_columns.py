"""Columns of a table that hold its parts: by their names, or scores and grades by their cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from toysearch.base import Remedy, groups_of, note
from toysearch.files.columns import ByPart, labels_of, likely_grades, means_relevant, named_like, plain_label, words_of
from toysearch.files.labels import KINDS, NAMES, PERHAPS_SCORES, SUMMARIES
from toysearch.files.listed_documents import VALUES, in_brackets
from toysearch.files.numbers import falls, has_digit, number_of
from toysearch.files.table import Table

BareRows: TypeAlias = Sequence[Sequence[str]]
"""Rows of cells without labels."""
UNNAMED: ByPart = MappingProxyType({})
"""No columns that the user names."""
MOST_LABELS = 40
"""Labels of a line that may be a header: the words of a text are more."""
MOST_CODES = 9
"""Different words for grades."""
_LONGEST_CODE, _SHORTEST_WORD = 40, 3  # letters


def known_parts(table: Table, columns: ByPart = UNNAMED) -> dict[str, str]:
    """Return part → the label that is known for it, or named; a prediction is a score if it is a number."""
    parts = labels_of(table.labels, columns)
    label = parts.get("score", "")
    is_open = "score" in parts and (plain_label(label) in PERHAPS_SCORES or any(map(in_brackets, table.cells(label))))
    if is_open and "score" not in columns and label not in table.numbers:
        del parts["score"]
    if "relevance" not in parts and len(table.labels) <= MOST_LABELS:
        free = [label for label in table.without(parts.values()) if means_relevant(label)]
        free = [label for label in free if named_like(label) != "rank" or max(table.numbers.get(label, [0])) <= 1]
        graded = [label for label in free if label in table.numbers or table.words(label)]
        if len(graded) == 1:
            parts["relevance"] = graded[0]
    return parts


def likely_values(table: Table, occupied: Collection[str], role: str) -> list[str]:
    """Return the columns that may hold the scores of a run, or grades, the likeliest first.

    occupied : those that hold something else
    """
    labels = table.without(occupied)
    if role == "run":
        of_ids = {*NAMES["query_id"], *NAMES["doc_id"]}
        free = [label for label in labels if label in table.numbers and plain_label(label) not in of_ids]
        free = [label for label in free if label and named_like(label) not in ("ids", "page")]
        free.sort(key=lambda label: label not in table.fractions)  # perhaps ids
    else:
        likely = [label for label in likely_grades(labels, table.numbers) if label]
        free = [label for label in labels if table.words(label)]
        free += [one for one in likely if one not in free and named_like(one) not in ("ids", "rank", "page")]
        coded = [label for label in labels if label not in free and KINDS.isdisjoint(words_of(label))]
        free += [label for label in coded if _holds_codes(table, label)]
        free = [label for label in free if label not in table.counted] or free
    return sorted(free, key=lambda label: SUMMARIES.isdisjoint(plain_label(label).split("_")))


def _holds_codes(table: Table, label: str) -> bool:
    """True if each cell of a column is one of a few short words, or they have one in common, as partly relevant."""
    cells = [str(cell).strip().lower() for cell in table.cells(label)]
    codes = {*cells}
    if not 0 < len(codes) <= MOST_CODES or "" in codes or max(map(len, codes)) > _LONGEST_CODE:
        return False
    common = {word for code in codes for word in code.split() if all(word in other for other in codes)}
    is_common = any(len(word) >= _SHORTEST_WORD and word.isalpha() for word in common)
    if is_common and 1 < len(codes) <= len(cells) / 2:
        return not has_digit("".join(codes))
    return all(code.isalpha() or not any(map(str.isalnum, code)) for code in codes)


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
    ranks = table.counted
    if score in ranks and score not in falling:
        return [score, *(label for label in ranks if label not in parts.values())]
    doc = parts["doc_id"]
    others = [label for label in likely_values(table, [*parts.values()], "run") if label in table.fractions]
    others = [label for label in others if len(table.distinct(doc)) < len(table.distinct(doc, label))]
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
    numbers = table.numbers
    if plain_label(label) in NAMES["score"]:
        likely = likely_values(table, [label], "qrels") if label in table.fractions else []
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


def value_part(role: str, parts: ByPart, columns: ByPart = UNNAMED) -> str:
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
    part = part_of_run(groups)
    if part == "rank" or (kind == "rank" and are_whole):
        return ["rank"]
    if not part:
        return ["rank", "score"]
    if kind == "distance":
        return ["score", "distance"] if falls(columns) else ["distance"]
    if falls(column[::-1] for column in columns):
        return ["rank" if are_whole else "distance", "score"]
    return ["score", "distance"] if any(falls([column[::-1]]) for column in columns) else ["score"]


def groups_in(table: Table, parts: ByPart, label: str) -> list[list[tuple[str, str, str]]]:
    """Return the first rows of each query, with the document and the cell under a label as the last two of three."""
    query, doc = parts["query_id"], parts["doc_id"]
    rows = [row for row in table.readable if {query, label} <= row.keys()]
    groups = groups_of((str(cells[query]), ("", str(cells.get(doc)), str(cells[label]))) for cells in rows)
    return [*groups.values()]


def count_up(rows: BareRows, first: int, place: int = 2) -> bool:
    """True if the cells at a place count from the first on, in rows of different documents, which stand before it."""
    ranks, documents = [row[place] for row in rows], {row[place - 1] for row in rows}
    return len(documents) == len(rows) and ranks == [str(first + at) for at in range(len(rows))]


def part_of_run(groups: Sequence[BareRows]) -> str:
    """Return the part that the third cells of each query are: ranks that count, or scores; "" if it is unclear."""
    for first in (0, 1):
        if all(count_up(group, first) for group in groups):
            return "rank"
        if all({row[2] for row in group} == {*map(str, range(first, first + len(group)))} for group in groups):
            return ""
    return "score"
