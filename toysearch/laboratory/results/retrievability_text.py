"""The retrievability of documents as text for people, and as rows for programs."""

from __future__ import annotations

from typing import Any

from toysearch.base.wording import counted
from toysearch.laboratory.experiments.retrieval_bias import Retrievability
from toysearch.laboratory.results.tables import Column, flowed, number_columns, render

_LISTED = 10  # documents that are never found


def retrievability_text(found: Retrievability, width: int | None = None, wrap: int | None = None) -> str:
    """The Gini coefficients, the Lorenz curves, and the documents that are never found."""
    points = [f"{share}%" for share in range(10, 100, 10)]
    columns = [Column("system"), *number_columns(".1%", **{point: point for point in points})]
    rows = [[each.system, *each.lorenz[1:-1]] for each in found.systems]
    title = "Lorenz curve: the share of all retrievals that goes to the least retrievable documents"
    lines = []
    for each in found.systems:
        ids = ", ".join(each.never[:_LISTED])
        more = f" and {len(each.never) - _LISTED:,} more" if len(each.never) > _LISTED else ""
        lines.append(f"never found by {each.system}: {ids or 'no document'}{more}")
    blocks = [
        render(*retrievability_table(found), width=width),
        flowed(title, wrap),
        render(columns, rows, width=width),
    ]
    return "\n\n".join([*blocks, "\n".join(flowed(line, wrap, "", "  ") for line in lines)])


def retrievability_about(found: Retrievability) -> list[str]:
    """The setup in one line."""
    generated = "" if found.kind == "queries" else f"seed {found.seed}"
    parts = [found.collection, found.analyzer, counted(found.documents, "document"), f"{found.n:,} {found.kind}"]
    return [" · ".join(filter(None, [*parts, f"found: among the best {found.k}", generated]))]


def retrievability_table(found: Retrievability, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """One row per system."""
    columns = [Column("system"), *number_columns(".4f", gini="Gini"), *number_columns(",", never="never found")]
    columns += [*number_columns(".1%", share="of all"), *number_columns(",", lowest="fewest", highest="most")]
    rows: list[list[Any]] = []
    for each in found.systems:
        ends = int(each.counts.min()), int(each.counts.max())
        rows.append([each.system, each.gini, len(each.never), len(each.never) / found.documents, *ends])
    return columns, rows
