"""The explanation of a score, and of the order of two documents, as text for people and data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toysearch.laboratory.explain.document_comparison import OrderExplanation
from toysearch.laboratory.explain.expressions import Expression, HookExpressions, expressions
from toysearch.laboratory.explain.model_explanation import ScoreExplanation, TermShare
from toysearch.laboratory.explain.rank_flip import Turn
from toysearch.laboratory.explain.ranker_explanation import RankerExplanation
from toysearch.laboratory.explain.score_explanation import AnyExplanation, ProductShare, score_expressions
from toysearch.laboratory.reports.learning_text import ranker_lines
from toysearch.laboratory.reports.tables import Column, flowed, render
from toysearch.laboratory.reports.vector_text import unranked, vector_data, vector_lines
from toysearch.models.mixture import Mixture
from toysearch.models.model import STATISTICS, Model, field_statistic, is_of_document
from toysearch.models.parameter_ranges import TEXT, range_text, value_text

_WIDE = 80  # characters per line of a table
_SHORT = 6  # the longest heading that is never folded: numbers are as wide
_LONG = 16  # the longest heading that never moves below a table that is too wide
_LONGEST_ID = 10  # characters of a document's id that can head a column
_NO_TERM = "it matches, and contains no term of the query that is scored"
_OF_TERM = ("df", "cf")
_TEXT = range_text(TEXT, None)
_PARTS = {"per_matched_document": "every ranked document", "document": "the document's own part", "base": "base"}


def explanation_data(explanation: AnyExplanation) -> dict[str, Any]:
    """The explanation as a dict of plain values, for JSON."""
    if isinstance(explanation, ScoreExplanation):
        data = explanation._asdict() | {"terms": [share._asdict() for share in explanation.terms]}
        return data if explanation.positions else {name: data[name] for name in data if name != "positions"}
    if isinstance(explanation, RankerExplanation):
        return explanation._asdict() | {"shares": [share._asdict() for share in explanation.shares]}
    return explanation._asdict() | {"products": [_product_data(product) for product in explanation.products]}


def _product_data(product: ProductShare) -> dict[str, Any]:
    factors = []
    for factor in product.factors:
        why: Any = factor.explanation
        factors.append(factor._asdict() | {"explanation": vector_data(why) or (why and explanation_data(why))})
    return product._asdict() | {"factors": factors}


def explanation_text(rank: int | None, data: dict[str, Any], most: int | None = None) -> str:
    """The score of a document explained: one row per term of a model, or per factor of a mixture."""
    if data["score"] is None:
        return f"document {data['doc_id']} is not ranked under {data['model']}: {unranked(data['model'])}"
    place = "" if rank is None else f"{rank}. "
    head = f"{place}document {data['doc_id']}: score {data['score']:.6f} under {data['model']}"
    lines = _mixture_lines if "products" in data else ranker_lines if "shares" in data else _lines
    return "\n".join([head, *lines(data, most)])


def _mixture_lines(data: dict[str, Any], most: int | None) -> list[str]:
    """The factors of each product, and the explanation of each model's score."""
    rows = []
    for product in data["products"]:
        for place, factor in enumerate(product["factors"]):
            weight, share = (None, None) if place else (product["weight"], product["share"])
            rows.append([weight, factor["factor"], factor["raw"], factor["counted"], share])
    columns = [
        Column("weight", "", "right", "g"),
        Column("factor", "× factor"),
        Column("raw", "its score", "right", ".6f"),
        Column("counted", "counts as", "right", ".6f"),
        Column("share", "share", "right", ".6f"),
    ]
    lines = [render(columns, rows)]
    explained = [factor["explanation"] for product in data["products"] for factor in product["factors"]]
    for why in explained:
        if why:
            own = vector_lines(why) if "axes" in why else _lines(why, most)
            lines += ["", f"{why['model']} gives {why['score']:.6f}:", *own]
    return lines


def _lines(data: dict[str, Any], most: int | None) -> list[str]:
    """The terms of a single model's score, and what is added to their sum."""
    terms = data["terms"]
    if most is not None:
        terms = sorted(terms, key=lambda term: -term["share"])[:most]
    lines = _terms_lines(terms, data["combine"], len(data["terms"]) - len(terms)) if terms else [_NO_TERM]
    for term, places in data.get("positions", {}).items():
        lines += [f"{term} at position {', '.join(map(str, places))}"] if places else []
    if data["collection"]:
        lines.append(f"collection: {_named(data['collection'])}")
    for name, what in (
        ("per_matched_document", "added to every ranked document"),
        ("document", "the document's own part"),
    ):
        if data[name]:
            lines.append(f"{what}: {data[name]:.6f}")
    if data["combine"] == "min":
        lines.append("a term adds the smaller of weight and q to s")
    if data["similarity"] != "s":
        lines.append(f"score = {data['similarity']} with {_named({'s': data['s'], **data['norms']})}")
    if data["absent"] and most is None:
        lines.append(f"not in this document: {', '.join(data['absent'])}")
    if data["unknown"]:
        lines.append(f"in no document: {', '.join(data['unknown'])}")
    return lines


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:.7g}" for name, value in values.items())


def _terms_lines(terms: list[dict[str, Any]], combine: str, rest: int) -> list[str]:
    """One row per term, and the notes below the table."""
    # A table that is too wide for a terminal is narrowed step by step: the statistics of the document move below it,
    # since they are the same for each term; then long headings do; then headings of several words are folded.
    statistics = list(terms[0]["statistics"])
    headings = {part: part.replace("_", " ") if part.isidentifier() else part for part in terms[0]["parts"]}
    below = [f"… {rest:,} more {'term' if rest == 1 else 'terms'}"] if rest else []
    table = _terms_table(terms, statistics, headings, combine)
    if not _fits(table):
        of_document = {name: value for name, value in terms[0]["statistics"].items() if is_of_document(name)}
        statistics = [name for name in statistics if name not in of_document]
        below += [f"document: {_named(of_document)}"] if of_document else []
        table = _terms_table(terms, statistics, headings, combine)
    if not _fits(table):
        long = [part for part, heading in headings.items() if len(heading) > _LONG]
        headings |= {part: f"({number})" for number, part in enumerate(long, 1)}
        below += [f"{headings[part]} = {part}" for part in long]
        table = _terms_table(terms, statistics, headings, combine)
    if not _fits(table):
        table = _terms_table(terms, statistics, headings, combine, folded=True)
    return [table, *below]


def _fits(table: str) -> bool:
    return max(map(len, table.splitlines())) <= _WIDE


def _terms_table(
    terms: list[dict[str, Any]], statistics: list[str], headings: dict[str, str], combine: str, folded: bool = False
) -> str:
    """One row per term: its statistics, the intermediate values of the model, its weights and its share."""
    columns = [Column("term"), Column("qtf", "", "right", "g")]
    columns += [Column(name, "", "right", "g") for name in statistics]
    columns += [Column(name, heading, "right", ".4f") for name, heading in headings.items()]
    columns += [
        Column("weight", "", "right", ".4f"),
        Column("query_weight", "q" if combine == "min" else "× q", "right", ".4g"),
        Column("share", "", "right", ".6f"),
    ]
    rows: list[list[Any]] = [
        [term["term"], term["qtf"]]
        + [term["statistics"][name] for name in statistics]
        + [term["parts"][name] for name in headings]
        + [term["weight"], term["query_weight"], term["share"]]
        for term in terms
    ]
    if folded:
        pairs = [_folded(column.header or column.name) for column in columns]
        rows = [*map(list, zip(*pairs, strict=True)), *rows]
        columns = [column._replace(header=" ") for column in columns]
    return render(columns, rows)


def _folded(heading: str) -> tuple[str, str]:
    """A heading in two lines, the second of one word: weighted / tf, tf_ / title; a short one stays on one line."""
    for mark in (" ", "_") if len(heading) > _SHORT else ():
        first, found, second = heading.rpartition(mark)
        if first:
            return f"{first}{found}".rstrip(), second
    return "", heading


def part_label(kind: str, name: str) -> str:
    """A part of a score in a table: a term as it is, anything else in brackets.

    >>> part_label("term", "cat"), part_label("per_matched_document", ""), part_label("normalisation", "min-max(bm25)")
    ('cat', '(every ranked document)', '(min-max(bm25), apart from its scale)')
    """
    if kind in ("term", "feature"):
        return name
    if kind == "absent":
        return f"{name} (not in it)"
    if kind == "normalisation":
        return f"({name}, apart from its scale)"
    return f"({_PARTS.get(kind, name)})"


def expressed_data(why: Any, model: Model | Mixture, hooks: HookExpressions | None = None) -> dict[str, Any]:
    """The explanation of a score for JSON, with the formulas of the model for each term and for the score."""
    data = explanation_data(why)
    single = model.single
    if single is not None and isinstance(why, ScoreExplanation):
        for share, row in zip(why.terms, data["terms"], strict=True):
            row["expressions"] = [line._asdict() for line in expressions(single, share, why.collection)]
    data["expressions"] = [line._asdict() for line in score_expressions(why, single)]
    if hooks is not None:
        data["query_weights"] = {term: [line._asdict() for line in lines] for term, lines in hooks.query.items()}
        data["other_parts"] = [line._asdict() for line in [*hooks.per_matched_document, *hooks.document]]
    return data


def expressed_text(why: Any, model: Model | Mixture, hooks: HookExpressions | None = None) -> list[str]:
    """A score as expressions: the formulas of the model, the same with the numbers of each term, then the score."""
    lines: list[str] = []
    single = model.single
    if single is not None and isinstance(why, ScoreExplanation):
        rows = [(share.term, _shown(expressions(single, share, why.collection))) for share in why.terms]
        if any(own for _, own in rows):
            lines += ["", *_formulas(single, rows[0][1]), ""]
        common = set(rows[0][1]).intersection(*(own for _, own in rows)) if len(rows) > 1 else set()
        lines += [_line(line) for line in (rows[0][1] if rows else []) if line in common]
        for term, own in rows:
            of_query = hooks.query.get(term, []) if hooks else []
            lines += _headed(term, [_line(line) for line in [*own, *of_query] if line not in common])
    if hooks is not None and (hooks.per_matched_document or hooks.document):
        lines += ["", *_others(hooks)]
    lines += ["", *(_line(line) for line in score_expressions(why, single))]
    return lines


def _others(hooks: HookExpressions) -> list[str]:
    """The lines of the parts that belong to no term: the formulas, then the same with numbers."""
    found = [*hooks.per_matched_document, *hooks.document]
    return [*(f"{line.name} = {line.formula}" for line in found), *map(_line, found)]


def _shown(lines: list[Expression]) -> list[Expression]:
    """The lines that have a formula; the table of terms has the values of the others."""
    return [line for line in lines if line.formula]


def _formulas(model: Model, lines: list[Expression]) -> list[str]:
    return [*(f"{line.name} = {line.formula}" for line in lines), *_with(model)]


def _headed(heading: str, lines: list[str]) -> list[str]:
    """Lines under a heading; a single line follows it on the same line."""
    if len(lines) < 2:
        return [f"{heading}: {line}" for line in lines]
    return [heading, *(f"  {line}" for line in lines)]


def _with(model: Model) -> list[str]:
    """The values of the parameters that are numbers."""
    named = [f"{name} = {value_text(value)}" for _, name, value, _ in model.describe_parameters() if value is not None]
    return [f"with {', '.join(named)}"] if named else []


def _line(line: Expression) -> str:
    if not line.numbers or line.numbers == f"{line.value:.6g}":
        return f"{line.name} = {line.value:.6g}"
    return f"{line.name} = {line.numbers} = {line.value:.6g}"


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
        if max(map(len, table.splitlines())) <= _WIDE:
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
    for part in why.parts:
        own = [side.get(part.name) if part.kind == "term" else None for side in (above, below)]
        known = _values(next((share for share in own if share), None) or _EMPTY)
        cells: list[Any] = [part_label(part.kind, part.name), *(known.get(name) for name in of_term)]
        for share, value in zip(own, (part.second, part.first), strict=True):
            cells += [_values(share).get(name) if share else None for name in of_posting]
            cells.append(value if share or part.kind != "term" or not (above or below) else None)
        rows.append([*cells, part.difference])
    gap: list[Any] = [None] * len(of_posting)
    rows.append(["score", *[None] * len(of_term), *gap, why.above.score, *gap, why.below.score, why.ahead])
    return render(columns, rows)


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
            found = _shown(expressions(single, held[term], why.above.collection)) if term in held else []
            if found:
                formulas = formulas or _formulas(single, found)
                q = held[term].query_weight
                times = "" if q == 1 else f", × q {q:.6g}"
                pairs.append(f"  {doc_id:<{width}}  {_line(found[-1])}{times}")
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
    others = [f"{turn.parameter} ({turn.range})" for turn in turns if not turn.turns and turn.range != _TEXT]
    if others:
        lines.append(f"cannot swap them: {'; '.join(others)}")
    texts = [turn.parameter for turn in turns if turn.range == _TEXT]
    if texts:
        lines.append(f"not examined: {', '.join(texts)} ({_TEXT})")
    return lines
