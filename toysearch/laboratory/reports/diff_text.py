"""The result of a diff, as data for programs and as text for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from toysearch.laboratory.experiments.run_diff import Diff, MovedDocument, Mover, QueryDiff
from toysearch.laboratory.reports.explanation_text import part_label
from toysearch.laboratory.reports.tables import Column, number_columns, render
from toysearch.wording import one_line, percent

_LONGEST_NAME = 14  # characters of a system's name that can head a column
_FEW = 3  # movers of a document in a table of documents
_LEAST = 0.005  # smaller lifts are shown as 0.00, and not among the few


def diff_data(found: Diff) -> dict[str, Any]:
    """The whole result, for JSON."""
    return found._asdict() | {"counts": dict(zip(("gain", "same", "lose"), found.counts, strict=True))}


def diff_table(found: Diff, _: str = "table") -> tuple[list[Column], list[list[Any]]]:
    """The queries that gain and those that lose, one row each."""
    return _queries_table(found, [*found.gained, *found.lost])


def _queries_table(found: Diff, queries: Sequence[QueryDiff]) -> tuple[list[Column], list[list[Any]]]:
    names = found.names if max(map(len, found.names)) <= _LONGEST_NAME else ("first", "second")
    columns = [
        Column("query_id", "query"),
        *number_columns(".4f", first=names[0], second=names[1]),
        *number_columns("+.4f", "gain"),
        Column("text", wrap=True),
    ]
    return columns, [[each.query_id, *each.values, each.gain, one_line(each.text or "")] for each in queries]


def diff_text(
    found: Diff,
    width: int | None = None,
    wrap: int | None = None,
    *,
    single: bool | None = None,
    title: Callable[[str], str | None] = lambda _: None,
) -> str:
    """The means, the queries that gain and lose, and their moved documents; of a single query, all parts of scores."""
    listed = [*found.gained, *found.lost]
    if len(listed) == 1 if single is None else single:
        (query,) = listed
        if not any(document.movers for document in query.moved):
            return f"{_summary(found)}\n\n{_moved_text(query, width, wrap)}"
        parts = [_document_text(document, found.names, title(document.doc_id), width) for document in query.moved]
        return "\n\n".join([_summary(found), _query_line(query, wrap), *parts])
    blocks = [_summary(found)]
    sides = [(word, queries) for word, queries in (("gain", found.gained), ("lose", found.lost)) if queries]
    for word, queries in sides:
        blocks += [f"The queries that {word} most", render(*_queries_table(found, queries), width=width)]
    for word, queries in sides:
        blocks += [
            f"Documents that moved, in the queries that {word}",
            *(_moved_text(query, width, wrap) for query in queries),
        ]
    return "\n\n".join(blocks if listed else [*blocks, "no query gains or loses"])


def diff_about(found: Diff) -> list[str]:
    """The definition of lifts, if there are any, and the grades that are relevant."""
    known = any(document.movers for query in (*found.gained, *found.lost) for document in query.moved)
    return [*[_LIFTS] * known, f"relevant from grade {found.threshold:g}; no grade: not judged"]


def _summary(found: Diff) -> str:
    """The means, how many queries gain and lose, and the share of unjudged documents in the first ten."""
    gained, same, lost = found.counts
    first, second = found.means
    names = f"{found.names[0]} → {found.names[1]}"
    change = "" if math.isnan(second - first) else f" ({second - first:+.4f})"
    head = f"{found.measure}, {names}: {first:.4f} → {second:.4f}{change}"
    queries = f"{len(found.gains):,} queries: {gained:,} gain, {same:,} stay the same, {lost:,} lose"
    retrieved, unjudged = found.first_ten
    judged = f"\n{percent(unjudged, retrieved)} of the first ten documents are unjudged" if unjudged else ""
    return f"{head}\n{queries}{judged}"


def _query_line(query: QueryDiff, wrap: int | None) -> str:
    """A query's values, gain and text."""
    head = f"{query.query_id}: {query.values[0]:.4f} → {query.values[1]:.4f} ({query.gain:+.4f})"
    line = f"{head}  {one_line(query.text or '')}".rstrip()
    return line if wrap is None else textwrap.fill(line, wrap)


def _moved_text(query: QueryDiff, width: int | None, wrap: int | None) -> str:
    """The documents of a query that moved, with the parts that lifted or sank each most."""
    if not query.moved:
        return f"{_query_line(query, wrap)}\n  no document moved"
    known = any(document.movers for document in query.moved)
    columns = [
        Column("doc_id", "  document"),
        Column("grade", "", "right", "g"),
        Column("rank", "", "right"),
        *([Column("movers", "parts that lift it (+) or sink it (-)", wrap=True)] if known else []),
    ]
    rows = []
    for document in query.moved:
        cells = [f"  {document.doc_id}", document.grade, _ranks_text(document.ranks)]
        rows.append([*cells, _few(document.movers)] if known else cells)
    return f"{_query_line(query, wrap)}\n{render(columns, rows, width=width)}"


def _ranks_text(ranks: tuple[int | None, int | None]) -> str:
    """Both ranks: 12 → 3; a dash where the document is not retrieved."""
    return " → ".join("–" if rank is None else f"{rank:,}" for rank in ranks)


def _few(movers: Sequence[Mover]) -> str:
    shown = [mover for mover in movers[:_FEW] if abs(mover.lift) >= _LEAST]
    return ", ".join(f"{part_label(mover.kind, mover.name)} {_signed(mover.lift)}" for mover in shown)


def _document_text(document: MovedDocument, names: Sequence[str], title: str | None, width: int | None) -> str:
    """A document that moved, with all parts of its two scores."""
    grade = "unjudged" if document.grade is None else f"grade {document.grade:g}"
    named = f"document {document.doc_id} ({grade})" + (f": {one_line(title)}" if title else "")
    head = f"{named}\nrank {_ranks_text(document.ranks)}"
    if not document.movers:
        return f"{head}, score {' → '.join('–' if score is None else f'{score:.6g}' for score in document.scores)}"
    titles = list(names) if max(map(len, names)) <= _LONGEST_NAME else ["first", "second"]
    columns = [
        Column("part", "  part", wrap=True),
        *number_columns(".4f", first=titles[0], second=titles[1]),
        *number_columns("+.4f", "difference"),
        *number_columns("", lift="lifts"),
    ]
    rows: list[list[Any]] = []
    for mover in document.movers:
        amounts = [None] * 3 if mover.kind == "absent" else [mover.first, mover.second, mover.difference]
        rows.append([f"  {part_label(mover.kind, mover.name)}", *amounts, _signed(mover.lift)])
    first, second = document.scores
    before, after = document.standings
    assert first is not None and second is not None and before is not None and after is not None  # noqa: PT018
    rows.append(["  score", first, second, second - first, _signed(after - before)])
    stands = f"among its rivals: {_signed(before)} → {_signed(after)}"
    return f"{head}; {stands}\n{render(columns, rows, width=width)}"


def _signed(value: float) -> str:
    """A lift with its sign; 0.00 has none."""
    return "0.00" if float(f"{value:.2f}") == 0 else f"{value:+.2f}"


_LIFTS = (
    "lifts add up to the change in a document's standing: how far its score is above the mean score of its rivals, "
    "as a part of the range of their scores; rivals are the documents that either system ranks in the first 10"
)
