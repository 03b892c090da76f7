"""A score's explanation as text for people and as data for programs."""

from __future__ import annotations

from typing import Any

from toysearch.explanations.mixture import MixtureExplanation, ProductShare
from toysearch.explanations.score import ScoreExplanation
from toysearch.reports.tables import Column, render


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


def explanation_text(rank: int, data: dict[str, Any]) -> str:
    """How a document's score comes about.

    Of a single model: a row for each term, then what is added to all, then the similarity. Of a mixture: a row for
    each factor, then each model by itself.

    Parameters
    ----------
    rank : int
        The document's rank, from 1.
    data : dict
        What `explanation_data` gives.
    """
    head = f"{rank}. document {data['doc_id']}: score {data['score']:.6f} under {data['model']}"
    return "\n".join([head, *(_mixture_lines(data) if "products" in data else _lines(data))])


def _mixture_lines(data: dict[str, Any]) -> list[str]:
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
            lines += ["", f"{why['model']} gives {why['score']:.6f}:", *_lines(why)]
    return lines


def _lines(data: dict[str, Any]) -> list[str]:
    """The terms of a single model's score, and what is added to their sum."""
    lines = [_terms_table(data["terms"], data["meet"])]
    if data["collection"]:
        named = ", ".join(f"{name} = {value:.7g}" for name, value in data["collection"].items())
        lines.append(f"collection: {named}")
    for name, what in (("every", "added to every ranked document"), ("document", "the document's own part")):
        if data[name]:
            lines.append(f"{what}: {data[name]:.6f}")
    if data["meet"] == "min":
        lines.append("a term adds the smaller of weight and q to s")
    if data["similarity"] != "s":
        given = [f"{name} = {value:.7g}" for name, value in {"s": data["s"], **data["norms"]}.items()]
        lines.append(f"score = {data['similarity']} with {', '.join(given)}")
    if data["absent"]:
        lines.append(f"not in this document: {', '.join(data['absent'])}")
    if data["unknown"]:
        lines.append(f"in no document: {', '.join(data['unknown'])}")
    return lines


def _terms_table(terms: list[dict[str, Any]], meet: str) -> str:
    """One row a term: its statistics, what the model makes of them on the way, its weights and its share."""
    statistics = list(terms[0]["statistics"])
    parts = list(terms[0]["parts"])
    columns = [Column("term"), Column("qtf", "qtf", "right", "g")]
    columns += [Column(name, "", "right", "g") for name in statistics]
    columns += [Column(name, name.replace("_", " "), "right", ".4f") for name in parts]
    columns += [
        Column("weight", "", "right", ".4f"),
        Column("query_weight", "q" if meet == "min" else "× q", "right", ".4g"),
        Column("share", "share", "right", ".6f"),
    ]
    rows = [
        [term["term"], term["qtf"]]
        + [term["statistics"][name] for name in statistics]
        + [term["parts"][name] for name in parts]
        + [term["weight"], term["query_weight"], term["share"]]
        for term in terms
    ]
    return render(columns, rows)
