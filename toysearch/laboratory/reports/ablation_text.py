"""What `ablate` found, for people and for programs."""

from __future__ import annotations

import math
from typing import Any

from toysearch.laboratory.experiments.ablation import Ablation, Switched
from toysearch.laboratory.reports.difference_columns import difference_cells, difference_columns
from toysearch.laboratory.reports.tables import Column


def ablation_table(found: Ablation, form: str) -> tuple[list[Column], list[list[Any]]]:
    """The full system, then a row for each that has an ingredient switched."""
    columns = [Column("system"), Column("value", found.measure, "right", ".4f"), *difference_columns(found.alpha, form)]
    rows: list[list[Any]] = [
        [f"full system ({found.model})", found.value, *difference_cells(None, None, 1.0, form)],
    ]
    for each in found.switches:
        value, difference = (None, None) if each.test is None else (each.value, each.test.mean)
        rows.append([f"{each.ingredient} {each.to}", value, *difference_cells(difference, each.test, each.p, form)])
    return columns, rows


def ablation_lines(found: Ablation) -> list[str]:
    """What was done for each switch, and why one could not be made."""
    return [f"{each.ingredient} {each.to}: {_done(each)}" for each in found.switches]


def ablation_data(found: Ablation) -> dict[str, Any]:
    """All that was found, for JSON."""
    return {
        "collection": found.collection,
        "analyzer": found.analyzer,
        "model": found.model,
        "measure": found.measure,
        "queries": len(found.query_ids),
        "correction": found.correction,
        "alpha": found.alpha,
        "value": found.value,
        "per_query": dict(zip(found.query_ids, found.per_query.tolist(), strict=True)),
        "switches": [_data(found, each) for each in found.switches],
    }


def _done(switched: Switched) -> str:
    return f"not possible: {switched.problem}" if switched.problem else switched.how


def _data(found: Ablation, switched: Switched) -> dict[str, Any]:
    made = math.isnan(switched.value)
    return {
        "ingredient": switched.ingredient,
        "to": switched.to,
        "how": switched.how,
        "value": switched.value,
        "difference": switched.test and switched.test.mean,
        "test": switched.test and switched.test._asdict(),
        "p": switched.p,
        "problem": switched.problem or None,
        "per_query": None if made else dict(zip(found.query_ids, switched.per_query.tolist(), strict=True)),
    }
