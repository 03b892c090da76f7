"""`toysearch check` of a collection: what is wrong with it, the evidence, and the cure."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.cli.options import SourceOptions
from toysearch.cli.output import count, emit, paragraph, terminal_width
from toysearch.cli.progress import progress
from toysearch.laboratory.reports.tables import Column, render

if TYPE_CHECKING:
    from toysearch.laboratory.corpus_check.diagnosis import Diagnosis
    from toysearch.laboratory.corpus_check.raw_collection import Finding

_LEVELS = (("error", "errors"), ("warning", "warnings"), ("info", "notes"))
_INDENT = "   "


def collection_is_sound(source: str, options: SourceOptions, form: str) -> bool:
    """Print what is found in a collection; whether it has neither an error nor a warning."""
    read = {name: value for name, value in options.reading().items() if name not in ("split", "on_error", "rejected")}
    with progress("reading", "documents") as tell:
        diagnosis = toysearch.diagnose(source, **read, progress=tell)
    if form == "table":
        _print(diagnosis)
    else:
        columns = [Column(name) for name in ("level", "check", "what", "cure")]
        rows = [[getattr(finding, column.name) for column in columns] for finding in diagnosis.findings]
        emit(columns, rows, form, data=_data(diagnosis))
    return bool(diagnosis.healthy)


def _data(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain values, for JSON."""
    parts = ("level", "check", "what", "evidence", "cure")
    return {
        "name": diagnosis.name,
        "healthy": diagnosis.healthy,
        **diagnosis.counts,
        "checks": diagnosis.checks,
        "findings": [{part: getattr(finding, part) for part in parts} for finding in diagnosis.findings],
        "collection_toml": diagnosis.toml,
    }


def _print(diagnosis: Diagnosis) -> None:
    """What was looked at, how much was found, each finding, and the collection.toml."""
    counts = diagnosis.counts
    read = ", ".join(
        [
            count(counts["documents"], "document"),
            count(counts["queries"], "query", "queries"),
            f"{count(counts['judgments'], 'judgment')} of {count(counts['judged_queries'], 'query', 'queries')}",
        ]
    )
    found = ", ".join(count(len(diagnosis.of_level(level)), many.removesuffix("s"), many) for level, many in _LEVELS)
    click.echo(paragraph(f"{diagnosis.name}: {read}"))
    click.echo(f"{diagnosis.checks} checks: {found}")
    for number, finding in enumerate(diagnosis.findings, 1):
        _print_finding(number, finding)
    if diagnosis.toml:
        click.echo("\n" + paragraph("A collection.toml with what it can cure, to paste into the folder:") + "\n")
        click.echo(diagnosis.toml)


def _print_finding(number: int, finding: Finding) -> None:
    level = "note" if finding.level == "info" else finding.level
    click.echo("\n" + paragraph(f"{finding.check}: {finding.what}", _INDENT, f"{number}. {level}: "))
    if finding.evidence:
        click.echo(textwrap.indent(_table(finding.evidence), _INDENT))
    if finding.cure:
        click.echo(paragraph(finding.cure, f"{_INDENT}  ", f"{_INDENT}→ "))


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The evidence; the last column of texts takes what is left of the line."""
    names = list(rows[0])
    numeric = {name: all(isinstance(row[name], int | float | None) for row in rows) for name in names}
    columns = [Column(name, "", "right") if numeric[name] else Column(name, wrap=name == names[-1]) for name in names]
    width = terminal_width(sys.stdout)
    shown = [[_cell(row[name]) for name in names] for row in rows]
    return render(columns, shown, width=None if width is None else width - len(_INDENT))


def _cell(value: Any) -> str:
    """A share or a mean with four places, any other number as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}" if 0 < abs(value) < 1 else f"{value:g}"
    return "" if value is None else str(value)
