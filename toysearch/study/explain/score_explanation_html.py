"""Explanation of a score as HTML, the same on the page, in notebooks and on the site: a table with bars."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from toysearch.base import Column, number_columns, table_columns
from toysearch.base.rendering import html_cells
from toysearch.study.explain.score_explanation_text import (
    apart,
    explanation_text,
    part_label,
    rounded_terms,
    terms_table,
)

if TYPE_CHECKING:
    from toysearch.study.explain.order_explanation import OrderExplanation
    from toysearch.study.explain.score_explanation import ScoreExplanation


_COLOURS = {"c1": "#0060a0", "won": "#00734d", "lost": "#8a4b08"}
"""Class of a bar, by which a page may colour it, → its colour elsewhere."""


def score_html(rank: int | None, why: ScoreExplanation) -> str:
    """Explain the score of a document: a row per term, its share drawn as a bar; "" unless a single model ranks it."""
    terms, notes = rounded_terms(why.tree) if why.tree.kind == "model" and why.score is not None else ([], [])
    if not terms:
        return ""
    of_terms, of_document = apart(terms[0].statistics)
    columns, rows = terms_table(terms, of_terms, {part: part.replace("_", " ") for part in terms[0].parts})
    for row in (columns, *rows):
        del row[1]  # the count in the query, which × q tells
    head = explanation_text(rank, why).partition("\n")[0]
    below = [f'<p class="note" dir="auto">{escape(note)}</p>' for note in (*of_document, *notes)]
    return table_with_bars(head, columns, rows) + "".join(below)


def order_html(order: OrderExplanation) -> str:
    """Explain why a document is ahead: the differences of the parts as bars to both sides of zero; "" if unranked."""
    if order.ahead is None or not order.parts:
        return ""
    head = f"{order.above.doc_id} leads {order.below.doc_id} by {order.ahead:.6f} under {order.above.model}"
    columns = table_columns("part", number_columns("+.6f", difference="ahead by"))
    return table_with_bars(
        head, columns, [[part_label(part.kind, part.name), part.difference] for part in order.parts], both_sides=True
    )


def table_with_bars(
    caption: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, both_sides: bool = False
) -> str:
    """Write a table as HTML, the numbers of its last column drawn too; without styles, which a page may not allow.

    >>> table_with_bars("", table_columns("term", number_columns(".1f", "share")), [["<a>", 0.5]]).count("&lt;a&gt;")
    1
    """
    drawn = [row[-1] for row in rows]
    high = max(0.0, *map(abs, drawn) if both_sides else drawn)
    low = -high if both_sides else min(0.0, *drawn)
    heads, lines = [], []
    for column in columns:
        side = ' class="right" align="right"' if column.justify == "right" else ' align="left"'
        heads.append(f'<th{side} scope="col">{escape(column.header or column.name)}</th>')
    for value, cells in zip(drawn, html_cells(columns, rows), strict=True):
        first, *numbers = cells
        cells = [f'<th scope="row" align="left" dir="auto">{first}</th>']
        cells += [f'<td class="right" align="right">{number.replace("-", "−")}</td>' for number in numbers]
        kind = "lost" if value < 0 else "won" if both_sides else "c1"
        bar = (
            f'<svg class="share" width="120" height="8" viewBox="{low} 0 {high - low} 1" preserveAspectRatio="none" '
            f'aria-hidden="true"><rect class="{kind}" fill="{_COLOURS[kind]}" x="{min(value, 0.0)}" '
            f'width="{abs(value)}" height="1"/>'
            '<path d="M0 0V1" stroke="currentColor" vector-effect="non-scaling-stroke"/></svg>'
        )
        lines.append(f"<tr>{''.join(cells)}<td>{'' if low == high else bar}</td></tr>")
    table = (
        f'<table class="shares"><caption dir="auto">{escape(caption)}</caption><thead><tr>{"".join(heads)}<td></td>'
        f"</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )
    return f'<div class="wide" tabindex="0" role="group" aria-label="{escape(caption)}">{table}</div>'
