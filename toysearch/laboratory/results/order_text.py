"""The order of two documents, explained as text for people and data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toysearch.base.wording import counted
from toysearch.laboratory.explain.document_comparison import OrderExplanation
from toysearch.laboratory.explain.expressions import expressions
from toysearch.laboratory.explain.model_explanation import ScoreExplanation, TermShare
from toysearch.laboratory.explain.rank_flip import Turn
from toysearch.laboratory.explain.score_explanation import PartDifference
from toysearch.laboratory.results.explanation_text import WIDE, expression_line, formulas_of, part_label, shown
from toysearch.laboratory.results.rounded_parts import rounded_together
from toysearch.laboratory.results.tables import Column, flowed, render
from toysearch.laboratory.results.vector_text import unranked
from toysearch.models.mixture import Mixture
from toysearch.models.model import STATISTICS, TEXT, Model, field_statistic, is_of_document, range_text, value_text

_LONGEST_ID = 10  # characters of a document's id that can head a column
_OF_TERM = ("df", "cf")
_TEXT = range_text(TEXT, None)
_MOST = 10  # parts that are shown; an expanded query has dozens


def order_data(why: OrderExplanation) -> dict[str, Any]:
    """Two documents side by side, for JSON; their own explanations are not repeated."""
    return {
        "above": why.above.doc_id,
        "below": why.below.doc_id,
        "ranks": why.ranks,
        "ahead": why.ahead,
        "parts": [
            {"kind": part.kind, "name": part.name, "above": part.second, "below": part.first, "ahead": part.difference}
            for part in why.parts
        ],
    }


def order_text(why: OrderExplanation, _: int | None = None, wrap: int | None = None) -> str:
    """The order of two documents, and the contribution of each part of their scores."""
    if why.ahead is None:
        return f"{why.below.doc_id} is not ranked: {unranked(why.below.model)}"
    above, below = why.above.doc_id, why.below.doc_id
    ahead = f"{above} ranks above {below} by {why.ahead:.6g}"
    if not why.ahead:
        ahead = f"{above} and {below} have equal scores, and {above} comes first in the collection"
    lead = flowed(f"{ahead}, under {why.above.model}", wrap)
    return f"{lead}\n\n{documents_table(why)}\n\n{order_table(why)}"


def order_table(why: OrderExplanation) -> str:
    """Both documents part by part: the statistics of each term, its shares of the scores, the difference."""
    # A table that is too wide loses columns: first the intermediate values of a posting, then those of a term, then
    # the statistics of a posting, after which the values of a term may return.
    above, below = _held(why.above), _held(why.below)
    names = _headers(why)
    of_term, of_posting = _sorted_names(above, below)
    statistics = {name for share in [*above.values(), *below.values()] for name in share.statistics}
    for narrow in range(5):
        shown_term = [name for name in of_term if name in statistics or narrow in (0, 1, 3)]
        shown_posting = [name for name in of_posting if narrow < 1 or (name in statistics and narrow < 3)]
        table = _side_by_side(why, above, below, names, shown_term, shown_posting)
        if max(map(len, table.splitlines())) <= WIDE:
            break
    return table


def _held(why: Any) -> dict[str, TermShare]:
    return {share.term: share for share in why.terms} if isinstance(why, ScoreExplanation) else {}


def _headers(why: OrderExplanation) -> tuple[str, str]:
    ids = why.above.doc_id, why.below.doc_id
    return ids if max(map(len, ids)) <= _LONGEST_ID else ("above", "below")


def _values(share: TermShare) -> dict[str, float]:
    return {**share.statistics, **share.parts}


def _sorted_names(above: dict[str, TermShare], below: dict[str, TermShare]) -> tuple[list[str], list[str]]:
    """The quantities of a term, equal in both documents, and those of a posting; the rest belong to a document."""
    # The name of a quantity does not tell its kind, but its numbers do: one number for all terms of a document, and
    # another one in the other document, belongs to the document; a number that is equal in both documents for each
    # shared term belongs to the term.
    shares = [*above.values(), *below.values()]
    both = [term for term in above if term in below]
    of_term, of_posting = [], []
    for name in _values(shares[0]) if shares else ():
        sides = [{_values(share)[name] for share in side.values()} for side in (above, below)]
        if name in _OF_TERM:
            of_term.append(name)
        elif name in shares[0].statistics:
            if not is_of_document(name):
                of_posting.append(name)
        elif both and all(_values(above[term])[name] == _values(below[term])[name] for term in both):
            of_term.append(name)
        elif len(shares) <= 2 or any(len(values) != 1 for values in sides):
            of_posting.append(name)
    return of_term, of_posting


def _side_by_side(
    why: OrderExplanation,
    above: dict[str, TermShare],
    below: dict[str, TermShare],
    names: tuple[str, str],
    of_term: Sequence[str],
    of_posting: Sequence[str],
) -> str:
    columns = [Column("part")]
    columns += [Column(name, name.replace("_", " "), "right", _form(name)) for name in of_term]
    for name in names:
        columns += [
            Column(f"{statistic} {name}", f"{statistic.replace('_', ' ')} {name}", "right", _form(statistic))
            for statistic in of_posting
        ]
        columns.append(Column(name, "", "right", ".6f"))
    columns.append(Column("ahead", "ahead by", "right", "+.6f"))
    rows: list[list[Any]] = []
    parts = _rounded(why)
    listed = parts if len(parts) <= _MOST + 1 else parts[:_MOST]
    for part in listed:
        own = [side.get(part.name) if part.kind == "term" else None for side in (above, below)]
        known = _values(next((share for share in own if share), None) or _EMPTY)
        cells: list[Any] = [part_label(part.kind, part.name), *(known.get(name) for name in of_term)]
        for share, value in zip(own, (part.second, part.first), strict=True):
            cells += [_values(share).get(name) if share else None for name in of_posting]
            cells.append(value if share or part.kind != "term" or not (above or below) else None)
        rows.append([*cells, part.difference])
    rest = parts[len(listed) :]
    gap: list[Any] = [None] * len(of_posting)
    assert why.above.score is not None
    assert why.below.score is not None
    totals = [("score", round(why.above.score, 6), round(why.below.score, 6))]
    if rest:
        name = f"… {counted(len(rest), 'more part')}"
        totals.insert(0, (name, sum(part.second for part in rest), sum(part.first for part in rest)))
    for name, high, low in totals:
        rows.append([name, *[None] * len(of_term), *gap, high, *gap, low, high - low])
    return render(columns, rows)


def _rounded(why: OrderExplanation) -> list[PartDifference]:
    """The parts with their shares as printed, which add up to both printed scores and to their difference."""
    assert why.above.score is not None
    assert why.below.score is not None
    first = rounded_together([part.first for part in why.parts], why.below.score)
    second = rounded_together([part.second for part in why.parts], why.above.score)
    pairs = zip(why.parts, first, second, strict=True)
    return [part._replace(first=low, second=high, difference=high - low) for part, low, high in pairs]


def _form(name: str) -> str:
    """How a quantity is written: counts as they are, anything else to four places."""
    return "g" if name in _OF_TERM or name in STATISTICS or field_statistic(name) else ".4f"


_EMPTY = TermShare("", 0.0, 0.0, {}, {}, 0.0, 0.0)


def documents_table(why: OrderExplanation) -> str:
    """The quantities of each document as a whole, such as rank and length."""
    above, below = _held(why.above), _held(why.below)
    rows: list[list[Any]] = [["rank", *why.ranks]]
    shares = [next(iter(side.values()), None) for side in (above, below)]
    if shares[0] is not None and shares[1] is not None:
        of_term, of_posting = _sorted_names(above, below)
        for name, value in _values(shares[0]).items():
            if name not in of_term and name not in of_posting:
                rows.append([name.replace("_", " "), value, _values(shares[1])[name]])
    for name in why.above.norms if isinstance(why.above, ScoreExplanation) else ():
        assert isinstance(why.above, ScoreExplanation)
        assert isinstance(why.below, ScoreExplanation)
        rows.append([name, why.above.norms[name], why.below.norms.get(name)])
    first, second = _headers(why)
    return render([Column("document"), Column(first, "", "right", ".6g"), Column(second, "", "right", ".6g")], rows)


def weights_text(why: OrderExplanation, model: Model | Mixture) -> list[str]:
    """The formulas of the model, and the weight of each term in both documents with its numbers."""
    single = model.single
    if single is None or not isinstance(why.above, ScoreExplanation):
        return []
    sides = [(why.above.doc_id, _held(why.above)), (why.below.doc_id, _held(why.below))]
    width = max(len(doc_id) for doc_id, _ in sides)
    formulas: list[str] = []
    lines: list[str] = []
    for term in [part.name for part in why.parts if part.kind == "term"]:
        pairs = []
        for doc_id, held in sides:
            found = shown(expressions(single, held[term], why.above.collection)) if term in held else []
            if found:
                formulas = formulas or formulas_of(single, found)
                q = held[term].query_weight
                times = "" if q == 1 else f", × q {q:.6g}"
                pairs.append(f"  {doc_id:<{width}}  {expression_line(found[-1])}{times}")
        if pairs:
            lines += [term, *pairs]
    return ["", *formulas, "", *lines] if lines else []


def turns_text(turns: Sequence[Turn], above: str, below: str) -> list[str]:
    """The parameter values that swap the two documents, and the parameters that cannot."""
    if not turns:
        return ["the model has no parameter that could swap them"]
    lines = []
    turning = [turn for turn in turns if turn.turns]
    if turning:
        columns = [
            Column("parameter"),
            Column("value", "now", "right"),
            Column("turned", f"{below} above {above}", "right"),
            Column("change", "of the range", "right"),
            Column("range", "range", "left"),
        ]
        rows = [
            [
                turn.parameter,
                value_text(turn.value),
                value_text(turn.turned),
                None if turn.change is None else f"{turn.change:.1%}",
                turn.range,
            ]
            for turn in turning
        ]
        lines.append(render(columns, rows))
    tied = [f"{turn.parameter} = {value_text(turn.turned)}" for turn in turning if turn.ahead == 0]
    if tied:
        lines.append(f"the scores are equal at {'; '.join(tied)}, where the order of the collection decides")
    gone = [f"{turn.parameter} = {value_text(turn.turned)}" for turn in turning if turn.ahead is None]
    if gone:
        lines.append(f"{above} is no longer ranked at {'; '.join(gone)}")
    others = [f"{turn.parameter} ({turn.range})" for turn in turns if not turn.turns and turn.range != _TEXT]
    if others:
        lines.append(f"cannot swap them: {'; '.join(others)}")
    texts = [turn.parameter for turn in turns if turn.range == _TEXT]
    if texts:
        lines.append(f"not examined: {', '.join(texts)} ({_TEXT})")
    return lines
