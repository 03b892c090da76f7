"""The view of a document: its fields and text, its terms, its neighbours and its judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import toysearch
from toysearch.base import ArgumentError
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.search_request import SearchRequest, query_text, read_request, similar_command, similar_python
from toysearch.page.served_source import MOST_DOCUMENTS, ServedSource

_NEIGHBOURS = 10
_NEAREST_BY = "cosine"
_TERMS = 100  # of a document, on a page; JSON has all
_LONGEST = 40_000  # characters of a text on a page
_TOPIC = 120  # characters of a query among the judgments


def document(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """A document, with links back to the search that led to it."""
    request = read_request(source, models, asked)
    doc_id, index = asked.get("doc", ""), source.index
    if not doc_id:
        raise ArgumentError("an address of a document needs its id (doc)")
    number = index.doc_number(doc_id)
    vector = index.vector(doc_id)
    df = {term: int(index.df_by_term[[index.term_number(term)]][0]) for term in vector}
    weights = {term: tf * math.log(len(index) / df[term]) for term, tf in vector.items()}
    ranking = toysearch.similar(source.neighbour_searcher, doc_id, k=_NEIGHBOURS)
    data = {
        "source": source.typed,
        "doc_id": doc_id,
        "document_title": index.title(number),
        "text": index.text(number),
        "fields": _fields(source, doc_id),
        "length": int(index.dl[number]),
        "terms": [
            {"term": term, "tf": vector[term], "df": df[term], "tfidf": weight}
            for term, weight in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
        ],
        "neighbours": [
            {
                "rank": rank,
                "doc_id": hit.doc_id,
                "score": hit.score,
                "title": source.title(hit.doc_id),
                "address": request.address(source, "document", doc=hit.doc_id),
            }
            for rank, hit in enumerate(ranking, 1)
        ],
        "judgments": _judgments(source, request, doc_id),
        "search": request.address(source) if query_text(source, request) else None,
        "explanation": request.address(source, "explanation", doc=doc_id) if query_text(source, request) else None,
        "address": request.address(source, "document", doc=doc_id),
        "command": similar_command(source, doc_id),
        "python": similar_python(source, doc_id, _NEAREST_BY, _NEIGHBOURS),
    }
    form = {"most_terms": _TERMS, "longest": _LONGEST, "nearest_by": _NEAREST_BY, "threshold": source.threshold}
    title = f"{source.title(doc_id) or doc_id} – {source.typed}"
    return Reply("document.html", title, data, form, request.address(source, "document", doc=doc_id))


def _fields(source: ServedSource, doc_id: str) -> dict[str, str]:
    """The fields of a document that are neither its title nor a part of its searched text."""
    collection = source.collection
    if collection is None or len(source.index) > MOST_DOCUMENTS:  # all documents would be kept in memory
        return {}
    stored, elsewhere = collection.documents.get(doc_id), (*collection.searched_fields, "title")
    if stored is None:
        return {}
    return {name: text for name, text in stored.fields.items() if name not in elsewhere and text != stored.title}


def _judgments(source: ServedSource, request: SearchRequest, doc_id: str) -> list[dict[str, Any]]:
    """The topics for which a document is judged, the highest grades first."""
    collection = source.collection
    if collection is None:
        return []
    rows = []
    for query_id, grade in source.grades_of(doc_id):
        query = collection.queries.get(query_id)
        text = " ".join(query.text.split()) if query is not None else ""
        address = request._replace(typed="", topic=query_id, mode="plain").address(source) if query else None
        rows.append({"query_id": query_id, "grade": grade, "query": text[:_TOPIC], "address": address})
    return sorted(rows, key=lambda row: -row["grade"])
