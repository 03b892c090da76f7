"""What became of relevance tests, as text for people: what fails, and why, first."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from toysearch.formats.text_files import counted
from toysearch.laboratory.experiments.gate.gate_outcome import FailingQuery, GateResult, Outcome
from toysearch.laboratory.reports.tables import Column, opening, render
from toysearch.wording import one_line

_INDENT = " " * 5
_SHOWN = 10  # queries of a failure; JSON has them all
_TEXT = 40  # characters of a query that are shown at the least


def gate_text(result: GateResult, width: int | None = None) -> str:
    """The failures with their reasons, then a line for each expectation that holds."""
    failures = [f"FAIL {result.path}:{one.line}\n{failure_text(one, width)}" for one in result.failures]
    passes = [
        _fit(f"pass {result.path}:{one.line} {one.what}: {one.found}", width, "", _INDENT)
        for one in result.outcomes
        if one.passed
    ]
    return "\n".join([*failures, *passes])


def gate_sentence(result: GateResult) -> str:
    """How many expectations fail, or that all hold."""
    failed, all_of_them = len(result.failures), counted(len(result.outcomes), "expectation")
    if failed:
        return f"{failed:,} of {all_of_them} {'fails' if failed == 1 else 'fail'}"
    return f"{all_of_them} {'holds' if len(result.outcomes) == 1 else 'hold'}"


def failure_text(outcome: Outcome, width: int | None = None) -> str:
    """What was expected, why it does not hold, and the queries that speak against it, poorest first."""
    lines = [_fit(text, width, _INDENT, _INDENT) for text in (outcome.what, outcome.reason)]
    if outcome.queries:
        lines.append(textwrap.indent(_queries(outcome.queries, width), _INDENT))
        if len(outcome.queries) > _SHOWN:
            lines.append(f"{_INDENT}… and {len(outcome.queries) - _SHOWN:,} more")
    return "\n".join(lines)


def _queries(queries: Sequence[FailingQuery], width: int | None) -> str:
    """The first of the queries as a table."""
    compared = any(query.baseline is not None for query in queries)
    columns = [Column("query"), Column("value", "", "right", ".4f")]
    columns += [Column("baseline", "", "right", ".4f")] * compared
    room = max(_TEXT, (width or 80) - len(_INDENT) - 30)
    rows = [
        [query.query_id, query.value, *([query.baseline] if compared else []), opening(query.text, room)]
        for query in queries[:_SHOWN]
    ]
    if any(row[-1] for row in rows):
        return render([*columns, Column("text")], rows)
    return render(columns, [row[:-1] for row in rows])


def _fit(text: str, width: int | None, first: str, indent: str) -> str:
    """Running text in lines that fit a terminal; one line for a file or a pipe."""
    text = one_line(text)
    if width is None:
        return f"{first}{text}"
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
