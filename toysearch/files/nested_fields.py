"""Nested objects as fields: what stands in an object, or in those of a list, under names with points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from toysearch.base import JoinedText

MOST_KEYS = 50
"""Keys of an object; those of a larger one are ids."""
_DEEPEST = 8
_FEW = 4  # words


def nested_texts(name: str, value: object, text_of: Callable[[object], str | None]) -> dict[str, str]:
    """Return the texts in a nested value by their dotted names; several of one name are joined.

    text_of : writes a value that is not nested, None for one that is left out

    >>> nested_texts("spec", {"colour": "red", "size": {"eu": 40}, "by": [{"name": "a"}, {"name": "b"}]}, str)
    {'spec.colour': 'red', 'spec.size.eu': '40', 'spec.by.name': 'a b'}
    """
    found: dict[str, list[str]] = {}

    def collect(name: str, value: object, depth: int) -> None:
        inner = unwrapped(value)
        if isinstance(inner, Mapping):
            for key, one in inner.items() if depth < _DEEPEST and len(inner) <= MOST_KEYS else ():
                collect(f"{name}.{key}", one, depth + 1)
        elif isinstance(inner, list | tuple) and depth < _DEEPEST and any(isinstance(one, Mapping) for one in inner):
            for one in inner:
                collect(name, one, depth + 1)
        elif text := text_of(inner):
            found.setdefault(name, []).append(text)

    collect(name, value, 0)
    return {name: JoinedText.joined(texts) for name, texts in found.items()}


def inner_texts(items: Sequence[object]) -> Sequence[Any]:
    """Return the items of a list, or all texts in the lists within it if they hold nothing else.

    >>> inner_texts(["Oaks", ["They grow.", "Slowly."]]), inner_texts([[0.5, 2]])
    (['Oaks', 'They grow.', 'Slowly.'], [[0.5, 2]])
    """
    found: Sequence[Any] = items
    while any(isinstance(one, list | tuple) for one in found):
        found = [*chain.from_iterable(one if isinstance(one, list | tuple) else [one] for one in found)]
    return found if all(isinstance(one, str) for one in found) else items


def unwrapped(value: object) -> Any:
    """Return the value in an object such as {"$oid": "65f0"} (MongoDB) or {"@value": "Oaks"} (JSON-LD).

    An object of objects by their ids is a list, and one of words with their places a text.

    >>> unwrapped({"n1": {"id": "n1", "text": "oaks"}, "n2": {"id": "n2"}})
    [{'id': 'n1', 'text': 'oaks'}, {'id': 'n2'}]
    >>> unwrapped({"Old": [0], "oaks": [1, 5], "and": [4], "elms": [2], "grow": [3]})
    'Old oaks elms grow and oaks'
    """
    if not isinstance(value, Mapping):
        return value
    if len(value) > _FEW and all(isinstance(places, list) for places in value.values()):
        words = {place: word for word, places in value.items() for place in places if type(place) is int}
        if len(words) == sum(map(len, value.values())):
            return " ".join(map(words.__getitem__, sorted(words)))
    if _is_by_id(value):
        return [*value.values()]
    is_wrapped = len(value) == 1 and str(next(iter(value))).startswith("$")
    return next(iter(value.values())) if is_wrapped else value.get("@value", value)


def _is_by_id(value: Mapping[str, Any]) -> bool:
    """True for objects by their ids: so many that the keys are no names, or with these ids in them."""
    are_objects = len(value) > 1 and all(isinstance(one, Mapping) for one in value.values())
    return are_objects and (len(value) > MOST_KEYS or all(one.get("id") == key for key, one in value.items()))


def reached(item: Mapping[str, Any], label: str) -> Any:
    """Return the value of a key, or of a dotted key in nested objects; None if it is missing.

    >>> reached({"by": [{"name": "a"}, {"name": "b"}]}, "by.name")
    ['a', 'b']
    """
    value: Any = item
    for key in [label] if label in item else label.split("."):
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            found = [one[key] for one in value if one.get(key) is not None]
            lists = [one if isinstance(one, list) else [one] for one in found]
            value = [*chain.from_iterable(lists)] or None
        else:
            value = unwrapped(value.get(key)) if isinstance(value, Mapping) else None
    return value
