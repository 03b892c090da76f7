"""What `toysearch eval` prints of conventions: the bounds over the orders of ties, and all conventions side by side."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.cli.output import emit, paragraph
from toysearch.reports.evaluated import conventions_table
from toysearch.reports.tables import Column

TIES = ("rank", "trec_eval", "average", "bounds", "sklearn")
NAMES = ("trec_eval", "textbook", "sklearn")
ALL = "all"


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


def print_side_by_side(judged: Any, rules: dict[str, Any], form: str) -> None:
    """Every system under every convention: a row a measure, and then why they differ."""
    rows, data = [], []
    for run, evaluation in judged.systems:
        table = toysearch.side_by_side(run, judged.qrels, threshold=evaluation.threshold, **rules)
        columns, of_run = conventions_table(table)
        rows += [[run.name, *row] for row in of_run]
        effects = [effect._asdict() for effect in table.effects]
        data.append({"system": run.name, "measures": table.values, "effects": effects})
    emit([Column("system"), *columns], rows, form, data={"systems": data})
    if form == "table":
        _print_effects(data)


def _print_effects(data: list[dict[str, Any]]) -> None:
    """A line for each difference that changes something: what it is, and what it alone does to the means."""
    for system in data:
        effective = [effect for effect in system["effects"] if effect["changes"]]
        click.echo(f"\n{system['system']}: " + ("why they differ, each reason alone" if effective else "no difference"))
        for effect in effective:
            changes = ", ".join(f"{name} {old:.4f} → {new:.4f}" for name, (old, new) in effect["changes"].items())
            click.echo(paragraph(f"{effect['convention']}: {effect['reason']} ({changes})", "    ", "  "))
