"""The view of one score: its explanation as `toysearch explain` has it, the formula with its numbers."""

from __future__ import annotations

from collections.abc import Mapping

import toysearch
from toysearch import Searcher
from toysearch.base import ArgumentError
from toysearch.laboratory import explanation_text, expressed_data, expressed_text
from toysearch.laboratory.explain.document_comparison import standing
from toysearch.laboratory.explain.score_explanation import ScoreExplanation
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.reproduction import explanation_command, explanation_python
from toysearch.page.search_request import query_text, read_request
from toysearch.page.served_source import ServedSource
from toysearch.search import QueryTerms


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
        "explanation": expressed_data(why, searcher, terms),
        "text": explained_text(why, searcher, terms, rank),
        "command": explanation_command(source, request, doc_id),
        "python": explanation_python(source, request, typed, doc_id),
        "address": request.address(source, "explanation", doc=doc_id),
        "search": request.address(source),
        "document": request.address(source, "document", doc=doc_id),
    }
    title = f"Score of {doc_id} – {source.typed}"
    return Reply("explanation.html", title, data, {}, request.address(source, "explanation", doc=doc_id))


def explained_text(why: ScoreExplanation, searcher: Searcher, terms: QueryTerms, rank: int | None) -> list[str]:
    """The explanation as text: the table of the terms, then the lines with the formula and its numbers."""
    table = explanation_text(rank, why)
    return [table] if why.score is None else [table, *expressed_text(why, searcher, terms)]
