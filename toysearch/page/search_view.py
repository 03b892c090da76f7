"""The view of a search: the ranking with marked passages, grades, score bars, a better spelling, facets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import toysearch
from toysearch import Searcher
from toysearch.base import ArgumentError, Query, go_on
from toysearch.laboratory import explanation_text, expressed_data, expressed_text, score_parts
from toysearch.laboratory.explain.document_comparison import standing
from toysearch.laboratory.explain.score_explanation import ScoreExplanation
from toysearch.page.model_picker import PARAMETER, AnyModel, name_in_list, sliders
from toysearch.page.representation import Reply
from toysearch.page.search_request import (
    SearchRequest,
    explanation_command,
    explanation_python,
    query_text,
    read_request,
    search_command,
    search_python,
    shown_at_most,
)
from toysearch.page.served_source import FACET, MOST_DOCUMENTS, ServedSource, counts
from toysearch.query.modes import MODES
from toysearch.search import QueryTerms
from toysearch.search.typed_query import TypedQuery

EVERY_HIT = "every hit"
"""The name under which the view finds that every document of the ranking is asked for, as JSON has them."""

_COLOURS = 10  # colours of the parts of a score; further parts share the last


def search(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The ranking of a query, or only the form if there is no query."""
    request = read_request(source, models, asked)
    text = query_text(source, request)
    data: dict[str, Any] = {
        "source": source.typed,
        "query": text,
        "query_id": request.topic or None,
        "mode": request.mode,
        "model": str(request.model),
        "k": request.k,
        "parameters": sliders(request.model, models),
        "notes": [],
    }
    if text.strip():
        data |= _ranked(source, request, text, "save" in asked, bool(asked.get(EVERY_HIT)))
    data["tried"] = source.tried
    title = f"{' '.join(text.split())[:60]} – {source.typed}" if text.strip() else f"Search {source.typed}"
    queries = source.collection.queries if source.collection is not None else []
    chosen = name_in_list(models, request.model)
    form = {
        "typed": request.typed,
        "topic": request.topic,
        "topics": source.topics,
        "has_topics": len(queries) > 0,
        "n_judged": len(source.collection.qrels.query_ids) if source.collection is not None else 0,
        "models": [*models],
        "model": chosen,
        "of": chosen,
        "modes": MODES,
        "set_mode": request.pairs().get("query_mode", ""),
        "threshold": source.threshold,
        "k": request.k,
        "prefix": PARAMETER,
        "chosen": {f"{FACET}{field}": value for field, value in request.chosen.items()},
        "bars": bars,
    }
    return Reply("search.html", title, data, form, request.address(source))


def _ranked(source: ServedSource, request: SearchRequest, text: str, explained: bool, every: bool) -> dict[str, Any]:
    """The results of a search as data, with every hit or only those that a page shows."""
    (typed, remarks), searcher = source.read(text, request.mode), source.searcher(request.model)
    query = Query(request.topic, text) if request.topic and not request.typed else typed.asked
    full = len(source.index) <= MOST_DOCUMENTS
    ranking = searcher.search(query, None if full or request.chosen else request.k, query_mode=typed.mode)
    all_ids = ranking.doc_ids
    limits = [(facet.value_of, request.chosen[facet.field]) for facet in source.facets if facet.field in request.chosen]
    chosen = [hit for hit in ranking if all(of.get(hit.doc_id) == value for of, value in limits)] if limits else ranking
    judged = source.collection if source.collection and request.topic else None
    grades = judged.qrels[request.topic] if judged is not None else {}
    terms = searcher.terms(query, typed.mode, request.topic)
    hits, ranked = [], list(chosen)[: request.k]
    for rank, hit in enumerate(ranked if every else ranked[: shown_at_most(request.k)], 1):
        go_on()  # an explanation of thousands of terms takes long
        title, passage = source.passages(text, request.mode, hit.doc_id)
        why = toysearch.explain(searcher, terms, hit.doc_id)
        row: dict[str, Any] = {
            "doc_id": hit.doc_id,
            "title": title.text,
            "title_marks": title.spans,
            "snippet": passage.text,
            "snippet_marks": passage.spans,
            "rank": rank,
            "score": hit.score,
            "grade": grades.get(hit.doc_id),
            "parts": score_parts(why),
            "explanation": request.address(source, "explanation", doc=hit.doc_id),
            "document": request.address(source, "document", doc=hit.doc_id),
        }
        if explained:
            row["why"] = explained_text(why, searcher, terms, rank)
        hits.append(row)
    relevant = None
    if judged is not None:
        relevant = sum(grade > 0 and grade >= judged.threshold for grade in grades.values())
    facets = counts(source.facets, all_ids, request.chosen)
    for facet in facets:  # the addresses choose a value, or undo its choice
        others = {field: value for field, value in request.chosen.items() if field != facet["field"]}
        for value in facet["values"]:
            values = others if value["chosen"] else others | {facet["field"]: value["value"]}
            value["address"] = request._replace(chosen=values).address(source)
    return {
        "matched": len(chosen) if full or request.chosen else None,
        "relevant": relevant,
        "grades": None if judged is None else judged.grades,
        "hits": hits,
        "ranked": len(ranked),
        "suggestion": _suggestion(source, request, typed),
        "unknown": source.unknown(typed),
        "notes": remarks,
        "facets": facets,
        "command": search_command(source, request),
        "python": search_python(source, request, typed),
        "address": request.address(source),
        "compare": request.compare_address(source),
    }


def bars(hits: list[dict[str, Any]]) -> dict[str, Any]:
    """The score bars of a ranking: the colour of each part, and the rectangles of each document, in per cent."""
    colours: dict[str, int] = {}
    for hit in hits:
        for part in hit["parts"]:
            colours.setdefault(part["part"], min(len(colours) + 1, _COLOURS))
    widest = max((sum(abs(part["share"]) for part in hit["parts"]) for hit in hits), default=0.0) or 1.0
    drawn = {}
    for hit in hits:
        start, rectangles = 0.0, []
        for part in hit["parts"]:
            width = 100 * abs(part["share"]) / widest
            colour = colours[part["part"]]
            rectangles.append({"x": start, "width": width, "colour": colour, "below": part["share"] < 0, **part})
            start += width
        drawn[hit["doc_id"]] = rectangles
    return {"colours": colours, "of": drawn}


def _suggestion(source: ServedSource, request: SearchRequest, typed: TypedQuery) -> dict[str, Any] | None:
    """The better spelling of a query."""
    respelt = source.better(typed)
    if respelt is None:
        return None
    query, documents = respelt
    text = str(query.asked)
    better = request._replace(typed=text, mode=request.mode if request.typed else "plain")
    return {"text": text, "documents": documents, "address": better.address(source)}


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
