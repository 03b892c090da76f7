"""The bounds of values over the orders of tied documents, as `toysearch eval` shows them."""

from __future__ import annotations

from typing import Any

from toysearch.laboratory.reports.tables import Column


def tie_data(evaluation: Any) -> dict[str, Any]:
    """For JSON: the bounds of all means where ties decide something; with ``--ties bounds`` always, and by query."""
    if evaluation.ties == "bounds":
        return {"tie_bounds": evaluation.tie_bounds, "tie_bounds_per_query": _by_query(evaluation)}
    return {"tie_bounds": evaluation.tie_bounds} if evaluation.tie_remark else {}


def _by_query(evaluation: Any) -> dict[str, dict[str, tuple[float, float]]]:
    low, high, _ = evaluation.extremes
    return {query_id: {name: (row[name], high[query_id][name]) for name in row} for query_id, row in low.items()}


def tie_row(evaluation: Any) -> list[str]:
    """For each measure ``low … high`` over the orders of tied documents, blank where they print alike."""
    bounds = evaluation.tie_bounds
    cells = []
    for measure in map(str, evaluation.measures):
        low, high = (f"{value:.4f}" for value in bounds.get(measure, (0.0, 0.0)))
        cells.append("" if low == high else f"{low} … {high}")
    return cells


def with_bounds(columns: list[Column], rows: list[list[Any]], evaluations: list[Any]) -> tuple[list[Column], list[Any]]:
    """The columns and rows of `toysearch eval` with the bounds of each value after it."""
    keys = len(columns) - len(evaluations[0].measures)
    wide = list(columns[:keys])
    for column in columns[keys:]:
        wide += [column] + [column._replace(name=f"{column.name} {side}", header="") for side in ("low", "high")]
    bounds = []
    for evaluation in evaluations:
        if keys > 1:
            bounds += list(_by_query(evaluation).values())
        bounds.append(evaluation.tie_bounds)
    rows = [
        row[:keys]
        + [number for value, pair in zip(row[keys:], found.values(), strict=True) for number in (value, *pair)]
        for row, found in zip(rows, bounds, strict=True)
    ]
    return wide, rows
