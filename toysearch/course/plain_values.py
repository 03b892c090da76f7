"""What the kinds of answers share: plain values, items of lists, and words for what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from toysearch.course.exercise import Answer, Case, Unusable

SLACK = 1e-12
"""Relative: two ways of adding the same numbers."""

_LONGEST = 120  # characters of an answer that are shown


def items(answer: Any, of: Answer, case: Case, ordered: bool) -> list[Any]:
    """The items of what can be taken for a list."""
    value = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | Set):
        raise Unusable(found(answer))
    if ordered and isinstance(value, Set):
        raise Unusable("a set, which has no order")
    try:
        return [of.look(item, case) for item in value]
    except Unusable as error:
        raise Unusable(f"a {type(value).__name__} with {error}") from None


def unmatched(seen: list[Any], right: list[Any], of: Answer) -> tuple[int, int]:
    """How many of the seen have no counterpart, and how many of the right ones have none."""
    left = list(right)
    wrong = 0
    for item in seen:
        place = next((place for place, each in enumerate(left) if of.same(item, each)), None)
        if place is None:
            wrong += 1
        else:
            left.pop(place)
    return wrong, len(left)


def plain(value: Any) -> Any:
    """A number or text of numpy as Python's own."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def found(answer: Any) -> str:
    """What was found in place of an answer."""
    if isinstance(answer, str):
        return f"the text '{cut(answer)}'"
    if isinstance(answer, int | float):
        return f"{answer!r}"
    if answer is None:
        return "None"
    kind = type(answer)
    return f"a {kind.__name__}" if kind.__module__ == "builtins" else f"an object of type {kind.__name__}"


def cut(text: str) -> str:
    """A text that is not too long to be shown."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
