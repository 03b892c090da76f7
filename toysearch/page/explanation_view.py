"""The view of one score: its explanation as `toysearch explain` has it, the formula with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import toysearch
from toysearch import Searcher
from toysearch.base import ArgumentError
from toysearch.laboratory import explanation_text, expressed_data, expressed_text
from toysearch.laboratory.explain.document_comparison import standing
from toysearch.laboratory.explain.expressions import HookExpressions, hook_expressions
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.reproduction import explanation_command, explanation_python
from toysearch.page.search_request import query_text, read_request
from toysearch.page.served_source import ServedSource
from toysearch.search import QueryTerms
from toysearch.search.typed_query import TypedQuery


def explanation(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Why a document has its score for a query."""
    request = read_request(source, models, asked)
    text, doc_id = query_text(source, request), asked.get("doc", "")
    if not doc_id or not text.strip():
        raise ArgumentError("an explanation needs a query (q or topic) and a document (doc)")
    (typed, _), searcher = source.read(text, request.mode), source.searcher(request.model)
    terms = searcher.terms(typed.asked, typed.mode, request.topic)
    why = toysearch.explain(searcher, terms, doc_id)
    rank = standing(searcher, terms, doc_id).rank
    data = {
        "source": source.typed,
        "query": text,
        "query_id": request.topic or None,
        "model": str(request.model),
        "doc_id": doc_id,
        "document_title": source.title(doc_id),
        "rank": rank,
        "explanation": expressed_data(why, searcher.model, _hooks(searcher, typed, why)),
        "text": explained_text(searcher, typed, terms, doc_id, rank),
        "command": explanation_command(source, request, doc_id),
        "python": explanation_python(source, request, typed, doc_id),
        "address": request.address(source, "explanation", doc=doc_id),
        "search": request.address(source),
        "document": request.address(source, "document", doc=doc_id),
    }
    title = f"Score of {doc_id} – {source.typed}"
    return Reply("explanation.html", title, data, {}, request.address(source, "explanation", doc=doc_id))


def explained_text(
    searcher: Searcher, typed: TypedQuery, terms: QueryTerms, doc_id: str, rank: int | None
) -> list[str]:
    """The explanation as text: the table of the terms, then the lines with the formula and its numbers."""
    why = toysearch.explain(searcher, terms, doc_id)
    table = explanation_text(rank, why)
    if why.score is None:
        return [table]
    return [table, *expressed_text(why, searcher.model, _hooks(searcher, typed, why))]


def _hooks(searcher: Searcher, typed: TypedQuery, why: Any) -> HookExpressions | None:
    """The additions of a single model to the term weights; none for a mixture, a tree or an unranked document."""
    if why.score is None or typed.tree is not None or searcher.model.single is None:
        return None
    return hook_expressions(searcher, typed.text, why.doc_id)
