"""Numbers in files: what a text denotes, and what separates decimals in a column."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from operator import gt
from typing import Any, NamedTuple

from toysearch.files.labels import GRADES


def finite_number(text: str) -> float | None:
    """Return the finite number that a text denotes, else None."""
    try:
        number = float(text)
    except ValueError:
        return None
    is_plain = text.isascii() and "_" not in text  # a number elsewhere too: not 1_000, and no digits of other scripts
    return number if is_plain and math.isfinite(number) else None


def number_of(cell: object) -> float | None:
    """Return the finite number in a cell; None for anything else."""
    return finite_number(cell) if isinstance(cell, str) else finite_value(cell)


def falls(lists: Iterable[Iterable[float]]) -> bool:
    """True if numbers fall somewhere from one to the next in their lists, and rise nowhere.

    >>> falls([[3, 2, 2], [7]]), falls([[3, 2], [1, 5]]), falls([[2, 2]])
    (True, False, False)
    """
    fell = False
    for numbers in lists:
        for before, after in pairwise(numbers):
            if after > before:
                return False
            fell = fell or after < before
    return fell


def risen(lists: Iterable[tuple[str, Sequence[float]]]) -> str:
    """Say how the scores of queries rise in their lists, as distances do; "" if some fall, or perhaps by chance.

    >>> risen([("q1", [2, 2]), ("q2", [3, 3, 4, 5, 6, 7, 8])])[-63:]
    "such as from 3 to 8 for query 'q2'; the highest is ranked first"
    """
    steps, first = 0, ""
    for query_id, scores in lists:
        if any(map(gt, scores, scores[1:])):
            return ""
        if len({*scores}) > 1:
            steps += len(scores) - 1
            first = first or f"from {scores[0]:g} to {scores[-1]:g} for query '{query_id}'"
    rise = f"the scores of each query rise down its list, such as {first}; the highest is ranked first"
    return rise if steps >= _FEWEST_STEPS else ""


_FEWEST_STEPS = 6  # which show that scores rise


def counts(numbers: Sequence[float]) -> bool:
    """True for the numbers 1, 2, 3 … or 0, 1, 2 … in this order."""
    return [*numbers] in [[*range(first, first + len(numbers))] for first in (0, 1)]


_GROUPED = r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+"  # points that may group thousands
_GROUPED_ONCE = re.compile(r"(?a)[+-]?[1-9]\d{0,2}[.,]\d{3}")  # or it has three decimals
WITH_COMMAS = re.compile(rf"(?a)(?:[+-]?\d+|{_GROUPED})(?:,\d+)?")
"""Number of a column in which a comma separates decimals."""
_WITH_GROUPS = re.compile(r"(?a)[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
"""Number in which commas group thousands."""


class DecimalMarks(NamedTuple):
    """What separates decimals in a column of numbers: commas, points, or some of each; and what else all have."""

    commas: bool = False
    points: bool = False
    grouped: bool = False  # commas group thousands, as one of them shows
    per_cent: bool = False

    @classmethod
    def of(cls, cells: Iterable[str]) -> DecimalMarks:
        """Return the marks that some cells can only have for decimals; a point may also group thousands."""
        numbers = [plain_minus(cell) for cell in cells if cell]
        per_cent = bool(numbers) and all(cell.endswith("%") for cell in numbers)
        if per_cent:
            numbers = [cell[:-1].rstrip() for cell in numbers]
        with_comma = [cell for cell in numbers if "," in cell]
        are_groups = all(map(_WITH_GROUPS.fullmatch, with_comma))
        if are_groups and any("." in cell or cell.count(",") > 1 for cell in with_comma):
            return cls(points=True, grouped=True, per_cent=per_cent)
        by_comma = {cell for cell in numbers if WITH_COMMAS.fullmatch(cell)}
        points = any("." in cell and cell not in by_comma and finite_number(cell) is not None for cell in numbers)
        return cls(any("," in cell for cell in by_comma), points, per_cent=per_cent)

    def plain(self, cell: str) -> str:
        """Return a number as `finite_number` reads it; as it is if it is not a number.

        >>> DecimalMarks.of(["900,5", "1.234"]).plain("1.234"), DecimalMarks.of(["900.5"]).plain("1.234")
        ('1234', '1.234')
        >>> DecimalMarks.of(["1,234.5", "87"]).plain("1,234.5"), DecimalMarks.of(["8%", "7 %"]).plain("7 %")
        ('1234.5', '7')
        """
        cell = plain_minus(cell)
        if self.per_cent:
            cell = cell[:-1].rstrip() if cell.endswith("%") else f"{cell}, beside per cent"
        if self.grouped:
            return cell.replace(",", "") if _WITH_GROUPS.fullmatch(cell) else cell
        if not self.commas or not WITH_COMMAS.fullmatch(cell):
            return cell
        if self.points and may_be_grouped(cell):
            return f"{cell}, beside decimal commas and decimal points"
        return cell.replace(".", "").replace(",", ".")


def may_be_grouped(cell: str) -> bool:
    """True for a number whose only point or comma may group thousands, as in 1,234."""
    return _GROUPED_ONCE.fullmatch(plain_minus(cell)) is not None


def plain_minus(text: str) -> str:
    """Return a number with a hyphen in place of a minus sign (U+2212)."""
    return f"-{text[1:]}" if text[:1] == "\u2212" else text


def whole_or_fraction(number: float) -> int | float:
    """Return a number to be written, a whole one without its decimal point.

    >>> whole_or_fraction(2.0), whole_or_fraction(0.5)
    (2, 0.5)
    """
    return int(number) if float(number).is_integer() else number


def not_a_number(name: str, text: str) -> str:
    """Return the problem with a text that should be a number."""
    large = ""
    with suppress(ValueError):
        is_large = text.isascii() and "_" not in text and text[-1:].isdigit() and math.isinf(float(text))
        large = ", which is too large" if is_large else ""
    plain = text.replace(",", "")
    either = f"; write {plain} or {text.replace(',', '.')}" if plain != text and may_be_grouped(text) else ""
    return f"expected a number as {name}, found '{text}'{large}{either}"


def finite_value(value: object) -> float | None:
    """Return the finite number in a value of JSON or TOML, else None."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


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
