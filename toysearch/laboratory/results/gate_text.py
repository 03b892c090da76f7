"""The outcomes of a gate as text for people and as rows for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from toysearch.base.wording import counted
from toysearch.laboratory.experiments.gate.gate_outcome import FailingQuery, GateResult, Outcome
from toysearch.laboratory.results.tables import Column, flowed, number_columns, opening, render

_INDENT = " " * 5
_MOST_QUERIES = 10  # queries of a failure; JSON has them all
_TEXT = 40  # the least number of characters shown of a query


def gate_text(result: GateResult, _: int | None = None, wrap: int | None = None) -> str:
    """The failures with their reasons, then one line per expectation that holds."""
    failures = [f"FAIL {result.path}:{one.line}\n{failure_text(one, wrap)}" for one in result.failures]
    passes = [
        flowed(f"pass {result.path}:{one.line} {one.what}: {one.found}", wrap, "", _INDENT)
        for one in result.outcomes
        if one.passed
    ]
    return "\n".join([*failures, *passes])


def gate_table(result: GateResult, _: str) -> tuple[list[Column], list[list[Any]]]:
    """The outcome of each expectation."""
    columns = [Column("line"), Column("passed"), Column("what"), Column("found"), Column("reason")]
    return columns, [[getattr(outcome, column.name) for column in columns] for outcome in result.outcomes]


def gate_sentence(result: GateResult) -> list[str]:
    """How many expectations fail, or that all hold."""
    if not result.outcomes:
        return [f"{result.path}: no expectation found; expected one table [[expect]] per expectation"]
    failed, all_of_them = len(result.failures), counted(len(result.outcomes), "expectation")
    if failed:
        return [f"{failed:,} of {all_of_them} {'fails' if failed == 1 else 'fail'}"]
    return [f"{all_of_them} {'holds' if len(result.outcomes) == 1 else 'hold'}"]


def failure_text(outcome: Outcome, width: int | None = None) -> str:
    """The expectation, why it fails, and the queries against it, worst first."""
    lines = [flowed(text, width, _INDENT, _INDENT) for text in (outcome.what, outcome.reason)]
    if outcome.queries:
        lines.append(textwrap.indent(_queries(outcome.queries, width), _INDENT))
        if len(outcome.queries) > _MOST_QUERIES:
            lines.append(f"{_INDENT}… and {len(outcome.queries) - _MOST_QUERIES:,} more")
    return "\n".join(lines)


def _queries(queries: Sequence[FailingQuery], width: int | None) -> str:
    """The first of the queries as a table."""
    compared = any(query.baseline is not None for query in queries)
    columns = [Column("query"), *number_columns(".4f", "value", *["baseline"] * compared)]
    room = max(_TEXT, (width or 80) - len(_INDENT) - 30)
    rows = [
        [query.query_id, query.value, *([query.baseline] if compared else []), opening(query.text, room)]
        for query in queries[:_MOST_QUERIES]
    ]
    if any(row[-1] for row in rows):
        return render([*columns, Column("text")], rows)
    return render(columns, [row[:-1] for row in rows])
