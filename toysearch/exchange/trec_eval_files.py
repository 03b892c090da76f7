"""Files that only trec_eval reads: judgments of several people, preferences, and means for its option -Z."""

from __future__ import annotations

import math
from pathlib import Path

from toysearch.base import ArgumentError, DataError, Problems, malformed
from toysearch.formats import TrecColumns, finite_number, numbered_lines, trec_rows

COLUMNS = {
    "prefs": ("query_id", "group", "subgroup", "doc_id", "level"),
    "qrels_prefs": ("query_id", "group", "doc_id", "level"),
    "qrels_jg": ("query_id", "group", "doc_id", "grade"),
}
"""The columns of each format; a group is a person with one information need."""

Groups = dict[str, dict[str, dict[str, float]]]
"""Group → subgroup → doc_id → level; levels are comparable only within a subgroup."""


def read_judgment_groups(path: str | Path, layout: str) -> dict[str, Groups]:
    r"""The levels that each group assigned to documents, by query."""
    if layout not in COLUMNS:
        raise ArgumentError(f"unknown layout of judgments '{layout}'; the layouts are {', '.join(COLUMNS)}")
    expected = COLUMNS[layout]
    queries: dict[str, Groups] = {}
    lines: dict[tuple[str, ...], int] = {}
    problems = Problems(path)
    form = TrecColumns(layout, expected, len(expected) - 1, finite_number)
    for number, columns, level in trec_rows(numbered_lines(path), form, problems):
        query_id, group, doc_id = columns[0], columns[1], columns[-2]
        subgroup = columns[2] if "subgroup" in expected else "0"
        first = lines.setdefault((query_id, group, subgroup, doc_id), number)
        if first != number:
            whose = f"query '{query_id}' and group '{group}'"
            problems.add(number, f"{whose} already have document '{doc_id}' on line {first}; keep one of the two lines")
            continue
        queries.setdefault(query_id, {}).setdefault(group, {}).setdefault(subgroup, {})[doc_id] = level
    problems.refuse()
    if not queries:
        raise DataError(f"{path} is empty; expected lines of {len(expected)} columns: {' '.join(expected)}")
    if layout == "prefs":
        _refuse_both(path, queries)
    return queries


def _refuse_both(path: str | Path, queries: dict[str, Groups]) -> None:
    """Refuse a document that a group judges not relevant in one subgroup and relevant in another."""
    for query_id, groups in queries.items():
        for group, subgroups in groups.items():
            zero: dict[str, bool] = {}
            for levels in subgroups.values():
                for doc_id, level in levels.items():
                    if zero.setdefault(doc_id, level == 0) != (level == 0):
                        raise DataError(
                            f"{path}: query '{query_id}', group '{group}' has document '{doc_id}' at level 0 and at "
                            "another; 0 means not relevant and holds for all subgroups of a group"
                        )


def read_deviations(path: str | Path) -> dict[tuple[str, str], tuple[float, float]]:
    """The mean and the standard deviation of each measure for each query."""
    # Each line holds four columns with white space between: `query_id measure mean deviation`. A number may be `nan`.
    deviations = {}
    for number, line in numbered_lines(path):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 4:
            raise malformed(
                path,
                number,
                f"expected 4 columns (query_id measure mean deviation), found {len(columns)}: '{line[:80]}'",
            )
        values = [_number(text) for text in columns[2:]]
        if None in values:
            raise malformed(path, number, f"expected two numbers, found '{columns[2]}' and '{columns[3]}'")
        deviations[columns[0], columns[1]] = (values[0] or 0.0, values[1] or 0.0)
    if not deviations:
        raise DataError(f"{path} is empty; expected lines of query_id, measure, mean and standard deviation")
    return deviations


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isinf(value) or "_" in text else value
