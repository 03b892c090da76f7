"""The result of a diff, as data for programs and as text for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from toysearch.base import counted, one_line, percent
from toysearch.laboratory.experiments.run_diff import Diff, MovedDocument, QueryDiff
from toysearch.laboratory.results.explanation_text import part_label
from toysearch.laboratory.results.tables import Column, flowed, number_columns, render, rounded_together

_LONGEST_NAME = 14  # characters of a system's name that can head a column
_MOST = 10  # parts of the score of a document; an expanded query has dozens
_FEW = 2  # reasons for the move of a document in a table of documents


def diff_text(
    found: Diff,
    width: int | None = None,
    wrap: int | None = None,
    *,
    single: bool | None = None,
    title: Callable[[str], str | None] = lambda _: None,
) -> str:
    """The means, the queries that lose and gain, and their moved documents; of a single query, all parts of scores."""
    listed = [*found.gained, *found.lost]
    if len(listed) == 1 if single is None else single:
        (query,) = listed
        if not any(document.movers for document in query.moved):
            return f"{_summary(found)}\n\n{_moved_text(query, width, wrap)}"
        parts = [_document_text(document, found.names, title(document.doc_id), width) for document in query.moved]
        about = flowed(_LIFTS.replace("in brackets", "lifts"), wrap)
        return "\n\n".join([_summary(found), _query_line(query, wrap), *parts, about])
    blocks = [_summary(found)]
    sides = [(word, queries) for word, queries in (("lose", found.lost), ("gain", found.gained)) if queries]
    for word, queries in sides:
        blocks += [f"The queries that {word} most", *(_moved_text(query, width, wrap) for query in queries)]
    if any(document.movers for query in listed for document in query.moved):
        blocks.append(flowed(_LIFTS, wrap))
    return "\n\n".join(blocks if listed else [*blocks, "no query gains or loses"])


def _summary(diff: Diff) -> str:
    """The means, how many queries gain and lose, and the share of unjudged documents in the first ten."""
    gained, same, lost = diff.counts
    first, second = diff.means
    names = f"{diff.names[0]} → {diff.names[1]}"
    change = "" if math.isnan(second - first) else f" ({second - first:+.4f})"
    head = f"{diff.measure}, {names}: {first:.4f} → {second:.4f}{change}"
    queries = f"{len(diff.gains):,} queries: {gained:,} gain, {same:,} stay the same, {lost:,} lose"
    retrieved, unjudged = diff.first_ten
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
    columns = [
        Column("doc_id", "  document"),
        Column("grade", "", "right", "g"),
        Column("rank", "", "right"),
        Column("move", wrap=True),
    ]
    rows = [
        [f"  {document.doc_id}", document.grade, _ranks_text(document.ranks), _reasons(document)]
        for document in query.moved
    ]
    return f"{_query_line(query, wrap)}\n{render(columns, rows, width=width)}"


def _ranks_text(ranks: tuple[int | None, int | None]) -> str:
    """Both ranks: 12 → 3; a dash where the document is not retrieved."""
    return " → ".join("–" if rank is None else f"{rank:,}" for rank in ranks)


def _reasons(document: MovedDocument) -> str:
    """The documents that it passed, or that passed it, and the parts of the scores that agree with the move."""
    passed = _passed(document)
    if not document.movers:
        return passed
    sign = 1 if document.rises else -1
    reasons = [mover for mover in document.movers if mover.lift * sign > 0][:_FEW]
    they = document.passed[0] if document.n_passed == 1 else "they"
    clauses: dict[str, list[str]] = {}
    for mover in reasons:
        part = f"{_PARTS.get(mover.kind) or mover.name} ({mover.lift:+.2g})"
        total = mover.own + mover.others
        verb, other = ("gain", "lose") if they == "they" else ("gains", "loses")
        who = f"it {'gains' if mover.lift > 0 else 'loses'}"
        if (total < 0) == (mover.lift > 0):
            who = f"{they} {other if mover.lift > 0 else verb}"
        more = " more" if mover.own * mover.others > 0 else ""
        clause = f"{who}{more}"
        clauses.setdefault(clause, []).append(part)
    sentence = ", ".join(f"{clause} from {' and '.join(parts)}" for clause, parts in clauses.items())
    return f"{passed}: {sentence}" if sentence else passed


def _passed(document: MovedDocument) -> str:
    """The documents that a document passed, or that passed it, in words."""
    more = document.n_passed - len(document.passed)
    others = ", ".join(document.passed) + (f" and {more:,} more" if more else "")
    move = "rises past" if document.rises else "falls behind"
    if None in document.ranks:
        move = "new, past" if document.rises else "gone, behind"
    return f"{move} {others}" if others else move.partition(",")[0]


def _document_text(document: MovedDocument, names: Sequence[str], title: str | None, width: int | None) -> str:
    """A document that moved, with all parts of its two scores."""
    grade = "unjudged" if document.grade is None else f"grade {document.grade:g}"
    heading = f"document {document.doc_id} ({grade})" + (f": {one_line(title)}" if title else "")
    head = f"{heading}\nrank {_ranks_text(document.ranks)}"
    if not document.movers:
        return f"{head}, score {' → '.join('–' if score is None else f'{score:.6g}' for score in document.scores)}"
    titles = list(names) if max(map(len, names)) <= _LONGEST_NAME else ["first", "second"]
    columns = [
        Column("part", "  part", wrap=True),
        *number_columns(".4f", first=titles[0], second=titles[1]),
        *number_columns("+.4f", "difference"),
        *number_columns("+.2f", lift="lifts"),
    ]
    first, second = document.scores
    before, after = document.leads
    assert first is not None and second is not None and before is not None and after is not None  # noqa: PT018
    befores = rounded_together([mover.first for mover in document.movers], first, 4)
    afters = rounded_together([mover.second for mover in document.movers], second, 4)
    lifts = rounded_together([mover.lift for mover in document.movers], round(after, 2) - round(before, 2), 2)
    numbers = [*zip(befores, afters, lifts, strict=True)]
    most = _MOST if len(numbers) > _MOST + 1 else len(numbers)
    rows: list[list[Any]] = []
    for mover, (low, high, lift) in zip(document.movers[:most], numbers, strict=False):
        amounts = [None] * 3 if mover.kind == "absent" else [low, high, high - low]
        rows.append([f"  {part_label(mover.kind, mover.name)}", *amounts, lift])
    rest = numbers[most:]
    totals = [("  score", round(first, 4), round(second, 4), round(after, 2) - round(before, 2))]
    if rest:
        low, high, lift = map(sum, zip(*rest, strict=True))
        totals.insert(0, (f"  … {counted(len(rest), 'more part')}", low, high, lift))
    for name, low, high, lift in totals:
        rows.append([name, low, high, high - low, lift])
    them = "it" if document.n_passed == 1 else "them"
    lead = f"{_passed(document)}; its lead over {them}: {before:+.2f} → {after:+.2f}"
    return f"{head}, {lead}\n{render(columns, rows, width=width)}"


_PARTS = {"document": "its own part", "per_matched_document": "the part of every document", "base": "the base"}
_LIFTS = "in brackets: what it gains on the documents named, where 1 is the distance from the first score to the tenth"
