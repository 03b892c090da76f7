"""The explanation of a score as text for people and data for programs."""

from __future__ import annotations

from typing import Any

from toysearch.base.wording import counted
from toysearch.laboratory.explain.expressions import Expression, HookExpressions, expressions
from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.ranker_explanation import RankerExplanation
from toysearch.laboratory.explain.score_explanation import AnyExplanation, ProductShare, score_expressions
from toysearch.laboratory.results.learning_text import ranker_lines
from toysearch.laboratory.results.rounded_parts import rounded_together
from toysearch.laboratory.results.tables import Column, render
from toysearch.laboratory.results.vector_text import unranked, vector_data, vector_lines
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model, is_of_document, value_text

WIDE = 80
"""Characters per line of a table."""

_FEW = 5  # terms of an expanded query that are shown
_SHORT = 6  # the longest heading that is never folded: numbers are as wide
_LONG = 16  # the longest heading that never moves below a table that is too wide
_NO_TERM = "it matches, and contains no term of the query that is scored"
_OF_ALL = (("per_matched_document", "added to every ranked document"), ("document", "the document's own part"))
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
    """The models of each product, and the explanation of each model's score; of a single model, that alone."""
    products = data["products"]
    explained = [factor["explanation"] for product in products for factor in product["factors"]]
    only = explained[0] if len(explained) == 1 else None
    lines = [] if only and only["score"] == data["score"] else [_products_table(data)]
    for why in explained:
        if why:
            own = vector_lines(why) if "axes" in why else _lines(why, most)
            lines += ["", f"{why['model']} gives {why['score']:.6f}:", *own] if lines else own
    return lines


def _products_table(data: dict[str, Any]) -> str:
    """One row per factor; the contributions of the products add up to the score."""
    rows = []
    for product, share in zip(data["products"], added_up(data["products"], data["score"]), strict=True):
        for place, factor in enumerate(product["factors"]):
            weight, own = (None, None) if place else (product["weight"], share["share"])
            name = f"× {factor['factor']}" if place else factor["factor"]
            rows.append([weight, name, factor["raw"], factor["counted"], own])
    columns = [
        Column("weight", "", "right", "g"),
        Column("factor", "model"),
        Column("raw", "score", "right", ".6f"),
        Column("counted", "normalised", "right", ".6f"),
        Column("share", "contribution", "right", ".6f"),
    ]
    return render(columns, rows)


def _lines(data: dict[str, Any], most: int | None) -> list[str]:
    """The terms of a single model's score, and what is added to their sum."""
    of_all = [*data["terms"], *({"share": data[name]} for name, _ in _OF_ALL)]
    rounded = added_up(of_all, data["score"])
    terms, others = rounded[: len(data["terms"])], rounded[len(data["terms"]) :]
    expanded = any(term["qtf"] % 1 for term in terms)  # a typed word counts once, or twice
    if expanded or most is not None:
        terms = sorted(terms, key=lambda term: -term["share"])
    limit = most or (_FEW if expanded and len(terms) > _FEW + 1 else len(terms))
    lines = _terms_lines(terms[:limit], data["combine"], terms[limit:]) if terms else [_NO_TERM]
    for term, places in data.get("positions", {}).items():
        lines += [f"{term} at position {', '.join(map(str, places))}"] if places else []
    if data["collection"]:
        lines.append(f"collection: {_named(data['collection'])}")
    for (name, what), own in zip(_OF_ALL, others, strict=True):
        if data[name]:
            lines.append(f"{what}: {own['share']:.6f}")
    if data["combine"] == "min":
        lines.append("a term adds the smaller of weight and q to s")
    if data["similarity"] != "s":
        lines.append(f"score = {data['similarity']} with {_named({'s': data['s'], **data['norms']})}")
    if data["absent"] and most is None:
        many = expanded and len(data["absent"]) > _FEW
        absent = counted(len(data["absent"]), "term") if many else ", ".join(data["absent"])
        lines.append(f"not in this document: {absent}")
    if data["unknown"]:
        lines.append(f"in no document: {', '.join(data['unknown'])}")
    return lines


def added_up(parts: list[dict[str, Any]], score: float) -> list[dict[str, Any]]:
    """Parts of a score with their shares as printed: rounded so that they add up to the printed score."""
    shares = rounded_together([part["share"] for part in parts], score)
    return [part | {"share": share} for part, share in zip(parts, shares, strict=True)]


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:.7g}" for name, value in values.items())


def _terms_lines(terms: list[dict[str, Any]], combine: str, rest: list[dict[str, Any]]) -> list[str]:
    """One row per term, and the notes below the table."""
    # A table that is too wide for a terminal is narrowed step by step: the statistics of the document move below it,
    # since they are the same for each term; then long headings do; then headings of several words are folded.
    statistics = list(terms[0]["statistics"])
    headings = {part: part.replace("_", " ") if part.isidentifier() else part for part in terms[0]["parts"]}
    below = [f"… {counted(len(rest), 'more term')}: {sum(term['share'] for term in rest):.6f}"] if rest else []
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
    return max(map(len, table.splitlines())) <= WIDE


def _terms_table(
    terms: list[dict[str, Any]], statistics: list[str], headings: dict[str, str], combine: str, folded: bool = False
) -> str:
    """One row per term: its statistics, the intermediate values of the model, its weights and its share."""
    columns = [Column("term"), Column("qtf", "", "right", ".4g")]
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
        rows = [(share.term, shown(expressions(single, share, why.collection))) for share in why.terms]
        if any(own for _, own in rows):
            lines += ["", *formulas_of(single, rows[0][1]), ""]
        common = set(rows[0][1]).intersection(*(own for _, own in rows)) if len(rows) > 1 else set()
        lines += [expression_line(line) for line in (rows[0][1] if rows else []) if line in common]
        for term, own in rows:
            of_query = hooks.query.get(term, []) if hooks else []
            lines += _headed(term, [expression_line(line) for line in [*own, *of_query] if line not in common])
    if hooks is not None and (hooks.per_matched_document or hooks.document):
        lines += ["", *_others(hooks)]
    lines += ["", *(expression_line(line) for line in score_expressions(why, single))]
    return lines


def _others(hooks: HookExpressions) -> list[str]:
    """The lines of the parts that belong to no term: the formulas, then the same with numbers."""
    found = [*hooks.per_matched_document, *hooks.document]
    return [*(f"{line.name} = {line.formula}" for line in found), *map(expression_line, found)]


def shown(lines: list[Expression]) -> list[Expression]:
    """The lines that have a formula; the table of terms has the values of the others."""
    return [line for line in lines if line.formula]


def formulas_of(model: Model, lines: list[Expression]) -> list[str]:
    """The formulas of expressions, and the parameters in them."""
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


def expression_line(line: Expression) -> str:
    """An expression with its numbers and its value."""
    if not line.numbers or line.numbers == f"{line.value:.6g}":
        return f"{line.name} = {line.value:.6g}"
    return f"{line.name} = {line.numbers} = {line.value:.6g}"
