"""The expansion of a query as text for people and data for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toysearch.base import Query, counted
from toysearch.laboratory.explain.query_expansion import QueryExpansion, explain_expansion
from toysearch.laboratory.results.tables import Column, render
from toysearch.query.syntax import Node
from toysearch.search.scoring import QueryTerms
from toysearch.search.searcher import Searcher

_NAMED = 3  # documents named beside a term
_MOST = 10  # terms that are shown


def expansion_data(found: QueryExpansion) -> dict[str, Any]:
    """The expansion as a dict of plain values, for JSON."""
    documents = [{"doc_id": hit.doc_id, "score": hit.score} for hit in found.documents]
    return {"model": found.model, "documents": documents, "terms": [term._asdict() for term in found.terms]}


def expansions_of(
    searcher: Searcher,
    text: str | Node | Query | QueryTerms,
    query_mode: str | None = None,
    known: Sequence[Iterable[str]] = (),
) -> list[dict[str, Any]]:
    """The data of all expansions of a query, or of that by documents known to be relevant or not."""
    return [*map(expansion_data, explain_expansion(searcher, text, *known, query_mode=query_mode))]


def expansion_text(data: dict[str, Any]) -> str:
    """The terms of an expanded query, one row each, with the documents that they come from."""
    if not data["documents"] and all(term["weight"] == term["qtf"] for term in data["terms"]):
        return f"{data['model']} has no feedback documents: the query stays as it is"
    listed = ", ".join(f"{document['doc_id']} ({document['score']:.4g})" for document in data["documents"])
    lines = [f"feedback documents of {data['model']}: {listed}"]
    if not listed:
        lines = [f"{data['model']} weighs down the terms of documents that are not relevant"]
    elif all(term["qtf"] for term in data["terms"]):
        lines.append("no new term came in")
    columns = [
        Column("term"),
        Column("weight", "", "right", ".4f"),
        Column("qtf", "in the query", "right", "g"),
        Column("added", "added", "right", "+.4f"),
        Column("documents", "tf in feedback documents"),
    ]
    most = _MOST if len(data["terms"]) > _MOST + 1 else len(data["terms"])
    rows = [
        [term["term"], term["weight"], term["qtf"] or None, term["added"] or None, _documents(term["documents"])]
        for term in data["terms"][:most]
    ]
    rest = data["terms"][most:]
    below = [f"… {counted(len(rest), 'more term')}: {sum(term['weight'] for term in rest):.4f}"] if rest else []
    return "\n".join([*lines, render(columns, rows), *below])


def _documents(tf_of: dict[str, int]) -> str:
    """The first documents with a term, with its frequencies, and the number of the others."""
    listed = ", ".join(f"{doc_id} ({tf})" for doc_id, tf in [*tf_of.items()][:_NAMED])
    return f"{listed} + {len(tf_of) - _NAMED}" if len(tf_of) > _NAMED else listed
