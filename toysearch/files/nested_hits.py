"""Nested JSON: the paths in its objects, and one row for each item of the lists on the paths that are named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toysearch.files.columns import ByPart, labels_of, parts_of
from toysearch.files.listed_documents import is_number
from toysearch.files.table import KEY, VALUE, Cells, Row, Table

_DEEPEST = 12
_MOST_PATHS = 100


def cells_by_path(table: Table) -> dict[str, list[Any]]:
    """Return what stands on each path in the first objects of a table, or in each of its columns.

    What stands in a list has the path of the list. Of objects with more keys than names, none is returned.
    """
    found = dict[str, list[Any]]()

    def add(value: Any, path: str, depth: int) -> None:
        value = _paired(value)
        if isinstance(value, dict) and depth < _DEEPEST:
            for key, one in value.items():
                add(one, _joined(path, key), depth + 1)
        elif isinstance(value, list) and depth < _DEEPEST:
            for one in value:
                add(one, path, depth + 1)
        elif value not in (None, ""):
            found.setdefault(path, []).append(value)

    for row in table.head:
        add({**row.cells}, "", 0)
    return found if len(found) <= _MOST_PATHS else {}


def nested_keys(table: Table) -> list[str]:
    """Return the paths in the objects of a table; none if they hold neither objects nor lists."""
    is_nested = any(isinstance(cell, dict | list) for row in table.head for cell in row.cells.values())
    return [*cells_by_path(table)] if is_nested else []


def are_alike(value: Cells) -> bool:
    """True for records by their ids: objects with the same keys, below keys that name no part of a row."""
    shapes = {frozenset(one) if isinstance(one, dict) else None for one in value.values()}
    return (
        len(value) > 1 and len(shapes) == 1 and None not in shapes and not labels_of(value) and not parts_of([*value])
    )


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def last_key(path: str) -> str:
    """Return the last key of a path."""
    return path.rpartition(".")[2]


def _paired(value: Any) -> Any:
    """Return a pair of a document and a number as an object, more texts and numbers by their places; else the value."""
    if not isinstance(value, list):
        return value
    if len(value) > 2 and {str, int} <= {*map(type, value)}:
        return {f"({place})": cell for place, cell in enumerate(value, 1)}
    is_pair = len(value) == 2 and isinstance(value[0], dict | str) and is_number(value[1])
    return {"document": value[0], "score": value[1]} if is_pair else value


def aligned(value: Any, paths: ByPart) -> list[dict[str, Any]]:
    """Return one object, part → what stands on its path, for each item of the lists on the way.

    Lists beside each other have the same number of items; what stands outside a list belongs to each of its items.

    >>> aligned({"q": 1, "hits": [{"id": "a"}, {"id": "b"}]}, {"query": "q", "doc": "hits.id"})
    [{'query': 1, 'doc': 'a'}, {'query': 1, 'doc': 'b'}]
    >>> aligned({"q": ["x", "y"], "ids": [["a", "b"], ["c"]]}, {"query": "q", "doc": "ids"})
    [{'query': 'x', 'doc': 'a'}, {'query': 'x', 'doc': 'b'}, {'query': 'y', 'doc': 'c'}]
    >>> aligned({"q1": {"a": 3}}, {"query": "(key)", "doc": "(value).(key)", "score": "(value).(value)"})
    [{'query': 'q1', 'doc': 'a', 'score': 3}]
    """
    value = _paired(value)
    if isinstance(value, list):
        return [row for one in value for row in aligned(one, paths)]
    if not any(paths.values()):
        return [dict.fromkeys(paths, value)]
    if not isinstance(value, dict):
        return []
    inner: dict[str, dict[str, str]] = {}
    for part, path in paths.items():
        key = path if path in value else path.partition(".")[0]
        inner.setdefault(key, {})[part] = path[len(key) + 1 :]
    if {KEY, VALUE} & inner.keys() and KEY not in value:
        return [row for key, one in value.items() for row in aligned({KEY: key, VALUE: one}, paths)]
    lists = {key: one for key in inner if isinstance(one := value.get(key), list)}
    groups = [one for one in lists.values() if one and all(isinstance(group, list) for group in one)]
    if groups and len({*map(len, lists.values())}) == 1:  # a list for each query, beside the queries
        grouped = [{**value, **dict(zip(lists, group, strict=True))} for group in zip(*lists.values(), strict=True)]
        return [row for group in grouped for row in aligned(group, paths)]
    columns = [column for key, below in inner.items() if (column := aligned(value.get(key), below))]
    lengths = {len(column) for column in columns} - {1}
    if len(lengths) > 1:
        raise ValueError(f"lists beside each other have {' and '.join(map(str, sorted(lengths)))} items")
    columns = [column * max(lengths, default=1) if len(column) == 1 else column for column in columns]
    return [{part: cell for each in cells for part, cell in each.items()} for cells in zip(*columns, strict=True)]


def flat(table: Table, paths: ByPart) -> tuple[Table, dict[str, str]]:
    """Return a table with one row for each document, and part → its label there: its path."""
    parts = {**paths}
    if last_key(parts.get("tag", "")) == KEY:
        parts["tag"] = "system"
    if parts.get("doc_id") == VALUE:  # the label of a list
        parts["doc_id"] = "doc_id"

    def flat_rows(rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            around = {label: cell for label, cell in row.cells.items() if not isinstance(cell, dict | list)}
            try:
                found = aligned(row.cells, paths)
            except (ValueError, RecursionError) as error:
                is_deep = isinstance(error, RecursionError)
                yield row._replace(problem="it is nested too deeply" if is_deep else str(error))
                continue
            for one in found:
                yield row._replace(cells={**around, **{label: one.get(part) for part, label in parts.items()}})
            if not found:
                yield row

    labels = [*parts.values()]
    form = "json" if table.form == "lines" and len(table.head) == 1 else table.form
    return table.changed(flat_rows, labels=labels, form=form), parts
