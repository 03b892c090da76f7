"""The diagnosis of a collection as text for people, and as data for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from toysearch.base.wording import counted
from toysearch.laboratory.corpus_check.diagnosis import Diagnosis
from toysearch.laboratory.corpus_check.raw_collection import Finding
from toysearch.laboratory.results.tables import Column, flowed, render

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_INDENT = "   "


def diagnosis_table(found: Diagnosis, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """The findings, one row each."""
    columns = [Column(name) for name in ("level", "check", "what", "cure")]
    return columns, [[getattr(finding, column.name) for column in columns] for finding in found.findings]


def diagnosis_data(found: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain values, for JSON."""
    parts = ("level", "check", "what", "evidence", "cure")
    return {
        "name": found.name,
        "healthy": found.healthy,
        **found.counts,
        "checks": found.checks,
        "findings": [{part: getattr(finding, part) for part in parts} for finding in found.findings],
        "collection_toml": found.toml,
    }


def diagnosis_text(found: Diagnosis, width: int | None = None, wrap: int | None = None) -> str:
    """The size of the collection, the number of findings, each finding, and the collection.toml."""
    n = found.counts
    read = [counted(n["documents"], "document"), counted(n["queries"], "query", "queries")]
    read.append(f"{counted(n['judgments'], 'judgment')} of {counted(n['judged_queries'], 'query', 'queries')}")
    levels = [counted(len(found.of_level(level)), noun) for level, noun in _LEVELS.items()]
    head = flowed(f"{found.name}: {', '.join(read)}", wrap)
    blocks = [f"{head}\n{found.checks} checks: {', '.join(levels)}"]
    blocks += [_finding_text(number, finding, width, wrap) for number, finding in enumerate(found.findings, 1)]
    if found.toml:
        blocks += [flowed("A collection.toml with the settings that help, to paste into the folder:", wrap), found.toml]
    return "\n\n".join(blocks)


def _finding_text(number: int, finding: Finding, width: int | None, wrap: int | None) -> str:
    """A finding, the rows that show it, and its cure."""
    lines = [flowed(f"{finding.check}: {finding.what}", wrap, f"{number}. {_LEVELS[finding.level]}: ", _INDENT)]
    if finding.evidence:
        lines.append(textwrap.indent(_evidence(finding.evidence, width), _INDENT))
    if finding.cure:
        lines.append(flowed(finding.cure, wrap, f"{_INDENT}→ ", f"{_INDENT}  "))
    return "\n".join(lines)


def _evidence(rows: Sequence[Mapping[str, Any]], width: int | None) -> str:
    """The rows as a table; the last column of texts takes the rest of the line."""
    names = list(rows[0])
    numeric = {name: all(isinstance(row[name], int | float | None) for row in rows) for name in names}
    columns = [Column(name, "", "right") if numeric[name] else Column(name, wrap=name == names[-1]) for name in names]
    shown = [[_cell(row[name]) for name in names] for row in rows]
    return render(columns, shown, width=None if width is None else width - len(_INDENT))


def _cell(value: Any) -> Any:
    """A share or a mean with four places, any other number as it is."""
    if isinstance(value, float):
        return f"{value:.4f}" if 0 < abs(value) < 1 else f"{value:g}"
    return value
