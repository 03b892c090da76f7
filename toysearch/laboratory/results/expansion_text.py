"""The expansion of a query as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toysearch.base import counted
from toysearch.base.explanation import Explanation
from toysearch.laboratory.results.tables import Column, render

_NAMED = 3  # documents named beside a term
_MOST = 10  # terms that are shown


def expansion_text(expansion: Explanation) -> str:
    """The terms of an expanded query, one row each, with the documents that they come from."""
    rows: list[list[Any]] = []
    for term in expansion.parts:
        query, added = term.parts
        rows.append([term.label, term.value, query.quantities["qtf"], added.value, _documents(added.quantities)])
    if not expansion.quantities and all(weight == qtf for _, weight, qtf, *_ in rows):
        return f"{expansion.label} has no feedback documents: the query stays as it is"
    listed = ", ".join(f"{doc_id} ({score:.4g})" for doc_id, score in expansion.quantities.items())
    lines = [f"feedback documents of {expansion.label}: {listed}"]
    if not listed:
        lines = [f"{expansion.label} weighs down the terms of documents that are not relevant"]
    elif all(qtf for _, _, qtf, *_ in rows):
        lines.append("no new term came in")
    columns = [
        Column("term"),
        Column("weight", "", "right", ".4f"),
        Column("qtf", "in the query", "right", "g"),
        Column("added", "added", "right", "+.4f"),
        Column("documents", "tf in feedback documents"),
    ]
    most = _MOST if len(rows) > _MOST + 1 else len(rows)
    cells = [[term, weight, qtf or None, gain or None, documents] for term, weight, qtf, gain, documents in rows[:most]]
    rest = [weight for _, weight, *_ in rows[most:]]
    below = [f"… {counted(len(rest), 'more term')}: {sum(rest):.4f}"] if rest else []
    return "\n".join([*lines, render(columns, cells), *below])


def _documents(tf_of: Mapping[str, int]) -> str:
    """The first documents with a term, with its frequencies, and the number of the others."""
    listed = ", ".join(f"{doc_id} ({tf})" for doc_id, tf in [*tf_of.items()][:_NAMED])
    return f"{listed} + {len(tf_of) - _NAMED}" if len(tf_of) > _NAMED else listed
