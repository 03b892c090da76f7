"""The explanation of a score by vectors as text: its terms, and its topics or dimensions."""

from __future__ import annotations

from typing import Any

from toysearch.laboratory.explain.vector_explanation import VectorExplanation
from toysearch.laboratory.results.rounded_parts import rounded_together
from toysearch.laboratory.results.tables import Column, render
from toysearch.models.vector_models import APPROXIMATE

_SHARES = 8  # terms and topics that are shown


def unranked(model: str) -> str:
    """Why a model does not rank a document, in the words after a colon."""
    missed = f",{APPROXIMATE}=" in model
    return "it is not among the candidates of the approximate search" if missed else "it contains no query term"


def vector_data(why: object) -> dict[str, Any]:
    """The explanation as a dict of plain values, for JSON; empty for a score that is not one of vectors."""
    if not isinstance(why, VectorExplanation):
        return {}
    shares = {name: [each._asdict() for each in getattr(why, name)] for name in ("terms", "axes")}
    return why._asdict() | shares


def vector_lines(data: dict[str, Any]) -> list[str]:
    """The query terms and the topics with the largest shares of a score by vectors; each column adds up to it."""
    lines: list[str] = []
    for name, what in (("terms", "terms"), ("axes", "topics" if data["terms"] else "dimensions")):
        shares = rounded_together([each["share"] for each in data[name]], data["score"])
        rounded = [each | {"share": share} for each, share in zip(data[name], shares, strict=True)]
        shown, rest = rounded[:_SHARES], rounded[_SHARES:]
        if not shown:
            continue
        columns = [Column("share", "", "right", ".6f")]
        if name == "terms":
            columns = [Column("term"), Column("weight", "", "right", ".4f"), Column("tf", "", "right", "d"), *columns]
        else:
            entries = [Column(each, "", "right", ".4f") for each in ("query", "document")]
            topic = [Column("terms", "by its strongest terms")] if data["terms"] else []
            columns = [Column("number", what.removesuffix("s"), "right", "d"), *entries, *columns, *topic]
        rows = [
            [", ".join(each[column.name]) if column.name == "terms" else each[column.name] for column in columns]
            for each in shown
        ]
        lines += [*([""] if lines else []), render(columns, rows)]
        if rest:
            total = sum(each["share"] for each in rest)
            lines.append(f"… {len(rest):,} more {what if len(rest) > 1 else what.removesuffix('s')}: {total:.6f}")
    return lines
