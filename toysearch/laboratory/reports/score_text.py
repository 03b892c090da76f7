"""A score's explanation as text for people and as data for programs."""

from __future__ import annotations

from typing import Any

from toysearch.laboratory.explain.model_explanation import ScoreExplanation
from toysearch.laboratory.explain.score_explanation import MixtureExplanation, ProductShare
from toysearch.laboratory.reports.tables import Column, render
from toysearch.models.model import is_of_document

_WIDE = 80  # characters of a line of a table of terms
_SHORT = 6  # characters of a heading that never needs two lines: numbers are no narrower
_LONG = 16  # characters of a heading that has its own line where there is no room


def explanation_data(explanation: ScoreExplanation | MixtureExplanation) -> dict[str, Any]:
    """The explanation as a dict of plain values, for JSON."""
    if isinstance(explanation, ScoreExplanation):
        return explanation._asdict() | {"terms": [share._asdict() for share in explanation.terms]}
    return explanation._asdict() | {"products": [_product_data(product) for product in explanation.products]}


def _product_data(product: ProductShare) -> dict[str, Any]:
    factors = [
        factor._asdict() | {"explanation": factor.explanation and explanation_data(factor.explanation)}
        for factor in product.factors
    ]
    return product._asdict() | {"factors": factors}


def explanation_text(rank: int | None, data: dict[str, Any], most: int | None = None) -> str:
    """How a document's score comes about.

    Of a single model: a row for each term, then what is added to all, then the similarity. Of a mixture: a row for
    each factor, then each model by itself.
    """
    if data["score"] is None:
        return f"document {data['doc_id']} is not ranked under {data['model']}: it holds none of the query's terms"
    place = "" if rank is None else f"{rank}. "
    head = f"{place}document {data['doc_id']}: score {data['score']:.6f} under {data['model']}"
    return "\n".join([head, *(_mixture_lines(data, most) if "products" in data else _lines(data, most))])


def _mixture_lines(data: dict[str, Any], most: int | None) -> list[str]:
    """The factors of each product, and why each model gives what it gives."""
    rows = []
    for product in data["products"]:
        for place, factor in enumerate(product["factors"]):
            first = place == 0
            cells = [product["weight"] if first else None, factor["factor"], factor["raw"], factor["counted"]]
            rows.append([*cells, product["share"] if first else None])
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
            lines += ["", f"{why['model']} gives {why['score']:.6f}:", *_lines(why, most)]
    return lines


def _lines(data: dict[str, Any], most: int | None) -> list[str]:
    """The terms of a single model's score, and what is added to their sum."""
    terms = data["terms"]
    if most is not None:
        terms = sorted(terms, key=lambda term: -term["share"])[:most]
    lines = _terms_lines(terms, data["combine"], len(data["terms"]) - len(terms))
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
    """A row for each term, and the lines that belong to the table.

    What makes it too wide for a terminal gives way, one thing after the other: the statistics of the document, which
    are the same for each term, then long headings, then headings of several words.
    """
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
    """One row a term: its statistics, what the model makes of them on the way, its weights and its share."""
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
    """A heading in two lines, the second of one word: weighted / tf, tf_ / title; what is short stays on one."""
    for mark in (" ", "_") if len(heading) > _SHORT else ():
        first, found, second = heading.rpartition(mark)
        if first:
            return f"{first}{found}".rstrip(), second
    return "", heading
