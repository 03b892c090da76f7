"""JSON files of runs and judgments: an object of objects, query_id → doc_id → number."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toysearch.errors import DataError, malformed
from toysearch.formats.text_files import finite_value, numbered_lines


def read_nested(path: str | Path, what: str) -> dict[str, dict[str, float] | list[str]]:
    """The object that a JSON file holds, checked: a list of doc_ids, or an object of doc_id → number, a query."""
    text = "\n".join(line for _, line in numbered_lines(path))
    try:
        groups = json.loads(text, object_pairs_hook=_once)
    except _TwiceError as error:
        key = error.args[0]
        second = text.find(json.dumps(key, ensure_ascii=False), text.find(json.dumps(key, ensure_ascii=False)) + 1)
        problem = f"'{key}' is a key of one object twice, of which JSON keeps one; take the other out"
        raise malformed(path, _line(text, second), problem) from None
    except json.JSONDecodeError as error:
        problem = (
            f"expected a JSON object of objects, query_id to doc_id to {what}; {error.msg} at column {error.colno}"
        )
        raise malformed(path, error.lineno, problem) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets as deep as that
        why = "it nests too deep" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise malformed(path, 1, f"expected a JSON object of objects, query_id to doc_id to {what}; {why}") from None
    if not isinstance(groups, dict) or not groups:
        found = "an empty one" if isinstance(groups, dict) else f"{_kind(groups)}"
        raise DataError(f"{path}: expected a JSON object of objects, query_id to doc_id to {what}, found {found}")
    for query_id, group in groups.items():
        _check(path, text, query_id, group, what)
    return groups


def nested_texts(groups: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The lines of a JSON file, one a query."""
    if not groups:
        return ["{}\n"]
    lines = []
    for query_id, group in groups.items():
        numbers = ", ".join(f"{json.dumps(doc_id, ensure_ascii=False)}: {number}" for doc_id, number in group.items())
        lines.append(f"{json.dumps(query_id, ensure_ascii=False)}: {{{numbers}}}")
    return ["{\n", ",\n".join(lines), "\n}\n"]


class _TwiceError(Exception):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        raise _TwiceError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return made


def _check(path: str | Path, text: str, query_id: str, group: Any, what: str) -> None:
    """Refuse what is neither an object of numbers nor a list of texts (looking at each type once is quick)."""
    if isinstance(group, list) and what == "score":
        wrong = [doc_id for doc_id in group if not isinstance(doc_id, str)]
        if wrong:
            problem = f"query '{query_id}': expected a list of doc_ids, found {_kind(wrong[0])} in it"
            raise malformed(path, _line_of(text, query_id), problem)
        if len(set(group)) < len(group):
            twice = next(doc_id for place, doc_id in enumerate(group) if doc_id in group[:place])
            problem = f"query '{query_id}' has document '{twice}' a second time; keep one of the two"
            raise malformed(path, _line_of(text, query_id, twice), problem)
        return
    if not isinstance(group, dict):
        problem = f"query '{query_id}': expected an object of doc_id to {what}, found {_kind(group)}"
        raise malformed(path, _line_of(text, query_id), problem)
    if all(finite_value(value) is not None for value in group.values()):
        return
    for doc_id, value in group.items():
        if finite_value(value) is None and not _is_infinity(value, text):
            problem = f"query '{query_id}', document '{doc_id}': expected a number as {what}, found {_shown(value)}"
            raise malformed(path, _line_of(text, query_id, doc_id), problem)


def _is_infinity(value: object, text: str) -> bool:
    """Whether a value was written as infinite, as the logarithm of 0 is, and is not just too large."""
    return type(value) is float and math.isinf(value) and "Infinity" in text


def _line_of(text: str, *keys: str) -> int:
    """The line on which the last of the keys stands, each looked for behind the one before."""
    place = 0
    for key in keys:
        place = max(place, text.find(json.dumps(key, ensure_ascii=False), place))
    return _line(text, place)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, max(place, 0)) + 1


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _shown(value: object) -> str:
    if (isinstance(value, float) and math.isinf(value)) or type(value) is int:
        return "a number that is too large"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | float | bool) else _kind(value)
