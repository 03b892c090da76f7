"""A prediction of the values of queries as text for people, and as rows for programs."""

from __future__ import annotations

import math
from typing import Any

from toysearch.base.wording import counted
from toysearch.laboratory.experiments.prediction.query_prediction import Prediction
from toysearch.laboratory.results.tables import Column, flowed, number_columns, opening, render

_TEXT = 48  # characters of a query in a table


def prediction_text(found: Prediction, width: int | None = None, wrap: int | None = None, queries: bool = False) -> str:
    """The correlation of each predictor, the definitions, and the conclusions; on request the queries."""
    columns, rows = prediction_table(found)
    rows = [[None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row] for row in rows]
    blocks = [render(columns, rows, width=width)]
    if queries:
        columns, rows = predicted_queries(found)
        blocks.append(render(columns, [[*row[:-1], opening(row[-1], _TEXT)] for row in rows], width=width))
    blocks.append("\n".join(flowed(line, wrap, "", "  ") for line in _definitions(found)))
    blocks.append("\n".join(flowed(sentence, wrap, "- ", "  ") for sentence in prediction_sentences(found)))
    return "\n\n".join(blocks)


def prediction_about(found: Prediction) -> list[str]:
    """The setup in one line."""
    parts = [found.collection, found.analyzer, found.model, found.measure]
    parts += [counted(len(found.queries), "query", "queries"), f"relevant from grade {found.threshold:g}"]
    return [" · ".join([*parts, f"{1 - found.alpha:.0%} intervals of 2,000 bootstrap samples, seed {found.seed}"])]


def prediction_table(found: Prediction, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """One row per predictor: the three correlations with their intervals."""
    columns = [Column("predictor")]
    for name, title in (("pearson", "Pearson"), ("kendall", "Kendall"), ("smare", "sMARE")):
        columns += number_columns(".3f", **{name: title, f"{name}_low": "from", f"{name}_high": "to"})
    rows = [[each.predictor, *each.pearson, *each.kendall, *each.smare, each.n] for each in found.predictors]
    return [*columns, *number_columns("", n="queries")], rows


def predicted_queries(found: Prediction) -> tuple[list[Column], list[list[Any]]]:
    """One row per query, worst first: the value of the measure and of each predictor."""
    names = [each.predictor for each in found.predictors]
    columns = [Column("query_id", "query"), *number_columns(".4f", found.measure), *number_columns(".3f", *names)]
    rows = [
        [query.query_id, *map(_defined, [query.value, *query.predicted.values()]), query.text]
        for query in sorted(found.queries, key=lambda query: (math.isnan(query.value), query.value))
    ]
    return [*columns, Column("text", wrap=True)], rows


def prediction_sentences(found: Prediction) -> list[str]:
    """The conclusions, one sentence each."""
    best = found.best
    if best is None:
        return ["No correlation is defined: at least two queries with different values are needed."]
    shown = f"{best.predictor} predicts {found.measure} best, with Pearson's r {best.pearson.value:.3f}"
    told = [f"{shown}, so it explains {best.pearson.value**2:.0%} of its variance over these queries."]
    weak = ", ".join(each.predictor for each in found.predictors if each.pearson.low <= 0)
    if weak:
        told.append(f"The interval of Pearson's r includes 0 or lies below it: {weak}.")
    told.append(
        "sMARE is the mean error of the rank of a query, as a share of all queries: 0 is perfect, a random order"
    )
    told[-1] += " has about 0.333."
    return told


def _definitions(found: Prediction) -> list[str]:
    return [f"{each.predictor}: {each.formula} ({each.source})" for each in found.predictors]


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
