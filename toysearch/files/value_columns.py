"""Columns of a table that hold its parts: by their names, or scores and grades by their cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from toysearch.files.columns import ByPart, labels_of, means_relevant, named_like, plain_label
from toysearch.files.labels import NAMES, PERHAPS_SCORES
from toysearch.files.listed_documents import VALUES, in_brackets
from toysearch.files.numbers import number_of
from toysearch.files.table import Table

BareRows: TypeAlias = Sequence[Sequence[str]]
"""Rows of cells without labels."""
UNNAMED: ByPart = MappingProxyType({})
"""No columns that the user names."""
MOST_LABELS = 40
"""Labels of a line that may be a header: the words of a text are more."""
MOST_CODES = 9
"""Different words for grades."""


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


def grades_beside(table: Table, label: str) -> list[str]:
    """Return the other columns that hold grades by their names, if they contradict those under a label.

    They do not if equal grades are equal there too, higher ones are no lower, and the same documents are relevant.
    """
    numbers = table.numbers
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
