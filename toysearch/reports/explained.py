"""A score's explanation as text for people and as data for programs."""

from __future__ import annotations

from typing import Any

from toysearch.explanations.score import ScoreExplanation
from toysearch.reports.tables import Column, render


def explanation_data(explanation: ScoreExplanation) -> dict[str, Any]:
    """The explanation as a dict of plain values, for JSON."""
    return explanation._asdict() | {"terms": [share._asdict() for share in explanation.terms]}


def explanation_text(rank: int, data: dict[str, Any]) -> str:
    """How a document's score comes about: a row for each term, then what is added to all, then the similarity.

    Parameters
    ----------
    rank : int
        The document's rank, from 1.
    data : dict
        What `explanation_data` gives.
    """
    lines = [f"{rank}. document {data['doc_id']}: score {data['score']:.6f} under {data['model']}"]
    lines.append(_terms_table(data["terms"]))
    if data["collection"]:
        named = ", ".join(f"{name} = {value:.7g}" for name, value in data["collection"].items())
        lines.append(f"collection: {named}")
    for name, what in (("every", "added to every ranked document"), ("document", "the document's own part")):
        if data[name]:
            lines.append(f"{what}: {data[name]:.6f}")
    if data["similarity"] != "s":
        given = [f"{name} = {value:.7g}" for name, value in {"s": data["s"], **data["norms"]}.items()]
        lines.append(f"score = {data['similarity']} with {', '.join(given)}")
    if data["absent"]:
        lines.append(f"not in this document: {', '.join(data['absent'])}")
    if data["unknown"]:
        lines.append(f"in no document: {', '.join(data['unknown'])}")
    return "\n".join(lines)


def _terms_table(terms: list[dict[str, Any]]) -> str:
    """One row a term: its statistics, what the model makes of them on the way, its weights and its share."""
    statistics = list(terms[0]["statistics"])
    parts = list(terms[0]["parts"])
    columns = [Column("term"), Column("qtf", "qtf", "right", "g")]
    columns += [Column(name, "", "right", "g") for name in statistics]
    columns += [Column(name, name.replace("_", " "), "right", ".4f") for name in parts]
    columns += [
        Column("weight", "", "right", ".4f"),
        Column("query_weight", "× q", "right", ".4g"),
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
