"""Runs and judgments in data frames, pandas' and polars' alike: whatever has named columns that give lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from toysearch.errors import DataError
from toysearch.formats.runs import by_rank
from toysearch.formats.table_columns import places_of
from toysearch.records import Qrels, Run


def is_frame(source: object) -> bool:
    """Whether something is a data frame: it has ``columns`` and gives one by its name."""
    return hasattr(source, "columns") and hasattr(source, "__getitem__") and not isinstance(source, Mapping)


def run_of_frame(frame: Any) -> Run:
    """The run in a data frame with the columns query_id, doc_id and score (or rank), or their synonyms."""
    by, groups, columns = _groups(frame, ("score", "rank"), "a run")
    tags = columns.get("tag")
    name = str(tags[0]) if tags else "run"
    return by_rank(groups, name) if by == "rank" else Run.from_dict(groups, name=name)


def qrels_of_frame(frame: Any) -> Qrels:
    """The judgments in a data frame with the columns query_id, doc_id and relevance, or their synonyms."""
    _, groups, _ = _groups(frame, ("relevance", "score"), "judgments")
    return Qrels.from_dict(groups)


def _groups(
    frame: Any, among: Sequence[str], what: str
) -> tuple[str, dict[str, dict[str, float]], dict[str, list[Any]]]:
    """What the value is; query_id → doc_id → value; and the columns that are known, as lists."""
    labels = list(frame.columns)
    places = places_of(labels)
    missing = [holds for holds in ("query_id", "doc_id") if holds not in places]
    missing += [" or ".join(among)] * (not any(holds in places for holds in among))
    if missing:
        found = ", ".join(map(str, labels)) or "none"
        raise DataError(f"the data frame of {what} has no column {missing[0]}; its columns: {found}")
    columns = {holds: _listed(frame[labels[place]]) for holds, place in places.items()}
    by = next(holds for holds in among if holds in places)
    groups: dict[str, dict[str, float]] = {}
    rows = zip(columns["query_id"], columns["doc_id"], columns[by], strict=True)
    for number, (query, doc, value) in enumerate(rows, 1):
        query_id, doc_id = _id("query_id", query, number), _id("doc_id", doc, number)
        group = groups.setdefault(query_id, {})
        if doc_id in group:
            raise DataError(f"row {number} of the data frame: query '{query_id}' has document '{doc_id}' a second time")
        group[doc_id] = _number(by, value, number)
    return by, groups, columns


def _listed(column: Any) -> list[Any]:
    for method in ("to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _id(holds: str, value: object, number: int) -> str:
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, bool) and isinstance(value, Integral):
        return str(int(value))
    found = repr(value) if value is not None and value != "" else "nothing"
    problem = f"ids are texts, and the {holds} is {found}; read that column as text (dtype=str)"
    raise DataError(f"row {number} of the data frame: {problem}")


def _number(by: str, value: object, number: int) -> float:
    if isinstance(value, Real):
        read = float(value)
        if math.isfinite(read) or (by == "score" and not math.isnan(read)):
            return read
    raise DataError(f"row {number} of the data frame: expected a number as {by}, found {value!r}")
