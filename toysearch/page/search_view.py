"""Views of a search: the ranking with passages, grades, score bars, spelling, facets; a score; a document."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import quote

import toysearch
from toysearch.base import ArgumentError, CountedWords, Ranking, expect_name, groups_of
from toysearch.page.case_view import case, grading
from toysearch.page.compare_view import pairs_of, values_of_topic
from toysearch.page.judge_view import judging_of
from toysearch.page.judging_rules import ADJUDICATOR
from toysearch.page.model_picker import PARAMETER, Asked, Data, Models, families, name_in_list, sliders
from toysearch.page.reply import Reply
from toysearch.page.score_bars import score_parts
from toysearch.page.search_request import (
    MOST_ON_A_PAGE,
    NOT_COMPUTED,
    SearchRequest,
    explanation_command,
    explanation_python,
    query_text,
    read_request,
    search_command,
    search_python,
    searched,
    similar_command,
    similar_python,
    topic_line,
    tried,
)
from toysearch.page.served_source import FACET, MOST_DOCUMENTS, ServedSource, rater
from toysearch.page.thumbs import VOTER
from toysearch.query.modes import MODES
from toysearch.retrieval import TypedQuery, completions
from toysearch.retrieval.remarks import other_forms
from toysearch.retrieval.snippets import without_title
from toysearch.study import (
    DEPTH,
    SearchResult,
    expressed_data,
    expressed_text,
    not_ranked,
    order_html,
    order_text,
    rival,
    score_html,
    standing,
)
from toysearch.study.compare.consistency import worst_text

EVERY_HIT = "every hit"
"""Name that a view finds if every document of the ranking is asked for, as JSON has them."""

TIP = "tip"
"""Name of the parameter in an address whose slider a line above the results names."""

RATER = "toysearch-grades"
"""Cookie with the name of whoever grades in the ranking, as an address has it."""

_LONGEST_NOTE = 2000  # characters
_EXAMPLES, _SHORT = 3, 4  # queries that an empty page offers, and their words
_MISSED = 10  # relevant documents that are not shown, of which a page tells
_COLOURS = 7  # colours of the parts of a score; further parts share the last
_NEIGHBOURS = 10
_COMPLETIONS = 8
_NEAREST_BY = "cosine"
_TERMS = 100  # of a document, on a page; JSON has all
_LONGEST = 40_000  # characters of a text on a page
_TOPIC = 120  # characters of a query among the judgments


def search(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Show the ranking of a query, or only the form if there is no query."""
    request = read_request(source, models, asked)
    text = query_text(source, request)
    words, computes = text.strip(), NOT_COMPUTED not in asked
    data: Data = {
        "source": source.typed,
        "query": text,
        "query_id": request.topic or None,
        "mode": request.mode,
        "model": str(request.model),
        "k": request.k,
        "parameters": sliders(request.model, models),
        "notes": [],
        "measures": [],
        "texts": [],
    }
    if words and computes:
        data |= _ranked(source, request, text, "save" in asked, bool(asked.get(EVERY_HIT)))
        if source.thumbs:
            thumbs = source.thumbs.given(source.thumbs.voter(asked.get(VOTER, "")), _voted(source, request))
            data["hits"] = [hit | {"thumb": thumbs.get(hit["doc_id"])} for hit in data["hits"]]
        if request.topic and source.grades(request.topic) and not request.unjudged:
            data["measures"] = _measured(source, models, request, text)
        data["texts"] = _texts(source, request)
    data |= {
        "case": case(source, models, request) if request.case and computes else None,
        "tried": source.tried,
    }
    form = _form(source, models, request, words)
    form["tip"] = next((each["name"] for each in data["parameters"] if each["name"] == asked.get(TIP)), "")
    title = f"{' '.join(text.split())[:60]} – {source.typed}" if words else f"Search {source.typed}"
    return Reply("search.html", title, data, form, request.address(source))


def _form(source: ServedSource, models: Models, request: SearchRequest, words: str) -> Data:
    topic, chosen = source.queries.get(request.topic), name_in_list(models, request.model)
    topic_text = topic.text if topic else ""
    unjudged = request._replace(unjudged="1", chosen={}).address(source) if request.topic else ""
    described, reset = "", ""
    if chosen in models:
        described, reset = models[chosen].summary, request._replace(model=models[chosen]).address(source)
    of_id = request.address(source, "document", doc=words) if source.has(words) else ""
    of_facets = {f"{FACET}{field}": value for field, value in request.chosen.items()}
    shown_examples = [] if words else examples(source, request)
    with_case = request._replace(case="" if request.case else "1")
    return {
        "typed": request.typed or topic_line(source, request.topic),
        "rewritten": bool(request.typed and request.topic),
        "topic": request.topic,
        "topics": source.topics,
        "has_topics": len(source.queries) > 0,
        "n_judged": len(source.qrels.query_ids),
        "models": families(models),
        "model": chosen,
        "described": described,
        "modes": MODES,
        "set_mode": request.pairs().get("query_mode", ""),
        "prefix": PARAMETER,
        "chosen": of_facets,
        "bars": bars,
        "missed": _MISSED,
        "examples": shown_examples,
        "reset": reset,
        "more": request._replace(k=min(2 * request.k, MOST_ON_A_PAGE)).address(source),
        "topic_text": topic_text,
        "tried": tried(source, request),
        "case": request.case,
        "with_case": with_case.address(source),
        "grading": grading(source, request),
        "of_id": of_id,
        "own": source.judges_own_searches,
        "unjudged": request.unjudged,
        "of_unjudged": unjudged,
        "of_all": request._replace(typed="", unjudged="", mode="plain").address(source),
        "takes_thumbs": not rater.get() and _voted(source, request) is not None,
    }


def _voted(source: ServedSource, request: SearchRequest) -> str | None:
    """Return the id under which the thumbs of a ranking are kept; None where there are none."""
    return source.thumbs.id_of(request.topic, request.typed) if source.thumbs else None


def thumb(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Save a thumb on a document of a ranking; a thumb that was given before is taken back."""
    thumbs = source.thumbs
    if thumbs is None:
        raise ArgumentError(
            f"thumbs are kept if the page is opened with `toysearch serve {source.typed} --votes FILE.jsonl`"
        )
    (voter, cookie), pairs = thumbs.voter_or_new(asked.get(VOTER, "")), pairs_of(asked.get("search", ""))
    request = read_request(source, models, pairs)
    query_id = _voted(source, request)
    if query_id is None:
        raise ArgumentError(
            f"a thumb needs a query, and '{request.typed:.80}' is none, or the id of a judged one: choose that, or "
            "type other words"
        )
    reply = search(source, models, {**pairs, VOTER: asked.get(VOTER, ""), EVERY_HIT: asked.get(EVERY_HIT, "")})
    vote, _, doc_id = asked["thumb"].partition(" ")
    hit = next((hit for hit in reply.data["hits"] if hit["doc_id"] == doc_id), None)
    if hit is None:
        raise ArgumentError(f"'{doc_id:.80}' is not in this ranking; a thumb is for a document that it shows")
    hit["thumb"] = thumbs.give(voter, query_id, doc_id, vote, str(request.model), hit["rank"])
    return reply._replace(cookie=cookie)


def rate(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Begin or end to grade in the ranking, or save a grade, a note or a thumb; the answer is the same search."""
    if "thumb" in asked:
        return thumb(source, models, asked)
    judging, action, name = judging_of(source), asked.get("action", "grade"), rater.get()
    expect_name("action", action, ("begin", "end", "grade", "undo", "note"))
    changes_rater, cookie = action in ("begin", "end"), None
    if changes_rater:
        name = asked.get("judge", "") if action == "begin" else ""
    if name == ADJUDICATOR:
        judging.check_adjudicator(asked.get("key", ""))
    elif name or not changes_rater:
        judging.checked_judge(name, "")
    if changes_rater:
        rater.set(name)
        cookie = RATER, quote(name, safe="")
    query_id, pairs = asked.get("topic", ""), pairs_of(asked.get("search", ""))
    if action == "grade":
        grade, _, doc_id = asked.get("grade", "").partition(" ")
        words = query_text(source, read_request(source, models, pairs))
        if name == ADJUDICATOR:
            judging.settle(asked.get("key", ""), query_id, doc_id, grade, "")
        else:
            judging.grade(name, query_id, doc_id, grade, searched=words)
    elif action == "undo":
        judging.unsettle(asked.get("key", "")) if name == ADJUDICATOR else judging.undo(name)
    elif action == "note":
        judging.text_of(query_id)
        judging.log.note(name, query_id, asked.get("note", "").strip()[:_LONGEST_NOTE])
    return search(source.renewed(), models, pairs)._replace(cookie=cookie)


def _ranked(source: ServedSource, request: SearchRequest, text: str, explained: bool, every: bool) -> Data:
    (typed, remarks), searcher = source.read(text, request.mode), source.searcher(request.model)
    query, full = searched(request, text, typed), len(source.index) <= MOST_DOCUMENTS
    depth = max(request.k, DEPTH) if request.topic else request.k
    ranking = searcher.search(query, None if full else depth, query_mode=typed.mode)
    all_ids = ranking.doc_ids
    chosen = searcher.search(query, None, query_mode=typed.mode, where=request.where) if request.chosen else ranking
    judged = source.collection if request.topic else None
    grades = source.grades(request.topic) if judged is not None else {}
    if request.unjudged:
        left = [place for place, doc_id in enumerate(chosen.doc_ids) if doc_id not in grades]
        chosen = Ranking(request.topic, [chosen.doc_ids[place] for place in left], chosen.scores[left])
    terms = searcher.terms(query, typed.mode, request.topic)
    ranked = min(len(chosen), request.k)
    n_shown = ranked if every else min(ranked, MOST_ON_A_PAGE)
    shown = Ranking(request.topic, chosen.doc_ids[:n_shown], chosen.scores[:n_shown])
    result = SearchResult(
        *(searcher, typed, request.topic, shown, source.collection),
        explained=True,
        facets=searcher.facets(query, source.facets, query_mode=typed.mode),
        grades=source.grades,
        passages=source.passages,
    )
    hits = []
    for found, why in zip(result.hits, result.explanations, strict=True):
        hit = found | {
            "title": str(found["title"] or ""),
            "snippet": str(found["snippet"] or ""),
            "parts": score_parts(why),
            "explanation": request.address(source, "explanation", doc=why.doc_id),
            "document": request.address(source, "document", doc=why.doc_id),
        }
        if explained:
            hit["why"] = expressed_text(hit["rank"], why, searcher, terms)
            hit["card"] = score_html(hit["rank"], why)
        hits.append(hit)
    relevant, missed, mapping = None, list[Data](), None
    if judged is not None:
        mapping = None if rater.get() else judged.grades
        relevant = sum(grade > 0 and grade >= judged.threshold for grade in grades.values())
        if not request.unjudged:
            missed = _missed_documents(source, request, grades, all_ids, {hit["doc_id"] for hit in hits})
    return {
        "matched": len(chosen) if full or request.chosen else None,
        "relevant": relevant,
        "need": source.queries.need(request.topic),
        "missed": missed,
        "grades": mapping,
        "hits": hits,
        "ranked": ranked,
        "suggestion": _suggestion(source, request, typed),
        "unknown": source.unknown(typed),
        "notes": remarks,
        "facets": _facets(source, request, result.facets),
        "command": search_command(source, request),
        "python": None if request.unjudged else search_python(source, request, typed),
        "address": request.address(source),
        "compare": request.compare_address(source),
    }


def _facets(source: ServedSource, request: SearchRequest, facets: Any) -> list[Data]:
    """Return the values of each field with the addresses that choose one, or undo its choice; chosen ones are named."""
    tables = []
    for field, values, _ in facets.facets:
        choice, rows = request.chosen.get(field), list[Data]()
        conditions = {row.filter.removeprefix(f"{field}:"): (row.value, row.documents) for row in values}
        for condition, (value, documents) in ({choice: (choice, 0)} | conditions if choice else conditions).items():
            others = {name: chosen for name, chosen in request.chosen.items() if name != field}
            address = request._replace(chosen=others if condition == choice else others | {field: condition})
            row = {"value": value, "documents": documents, "chosen": condition == choice}
            rows.append(row | {"address": address.address(source)})
        tables.append({"field": field, "values": rows})
    return tables


def _measured(source: ServedSource, models: Models, request: SearchRequest, text: str) -> list[Data]:
    typed, measures, values = source.read(text, request.mode)[0], source.measures, []
    for model in (request.model, models.get(name_in_list(models, request.model), request.model)):
        ranking = source.searcher(model).search(searched(request, text, typed), DEPTH, query_mode=typed.mode)
        values.append(values_of_topic(source, request.topic, ranking, measures))
    now, usual = values
    return [{"measure": name, "value": now[name], "change": now[name] - usual[name]} for name in now]


def _texts(source: ServedSource, request: SearchRequest) -> list[Data]:
    """Return the texts of the need of a topic with their values of the first measure, the worst marked."""
    needs = source.qrels.needs
    if source.collection is None or request.topic not in needs or request.typed:
        return []
    judged = [text for text, need in needs.items() if need == needs[request.topic] and source.grades(text)]
    searcher, [measure, *_], rows = source.searcher(request.model), source.measures, []
    for query in map(source.collection.query, judged if len(judged) > 1 else ()):
        ranking = searcher.search(query, DEPTH, query_mode=request.mode)
        value = values_of_topic(source, query.query_id, ranking, [measure])[str(measure)]
        address = request._replace(topic=query.query_id).address(source)
        rows.append(query._asdict() | {"measure": str(measure), "value": value, "address": address})
    worst = worst_text({row["query_id"]: row["value"] for row in rows}, measure)
    return [row | {"worst": row["query_id"] == worst} for row in rows]


def examples(source: ServedSource, request: SearchRequest) -> list[dict[str, str]]:
    """Return the first judged queries of a few words, each with the address that asks it."""
    short = (query for query in source.judged_queries if len(query.text.split()) <= _SHORT)
    few = [*islice(short, _EXAMPLES)] or source.judged_queries[:_EXAMPLES]
    return [
        {"text": query.text, "address": request._replace(topic=query.query_id, mode="plain").address(source)}
        for query in few
    ]


def bars(hits: list[Data]) -> Data:
    """Draw the score bars of a ranking: the colour of each part, and the rectangles of each document, in per cent.

    Of a part that every document has, such as the length norm of a language model, only what differs is drawn.
    """
    shares = groups_of((part["part"], part["share"]) for hit in hits for part in hit["parts"])
    colours = {name: min(number, _COLOURS) for number, name in enumerate(shares, 1)}
    common = {
        name: min(values, key=abs)
        for name, values in shares.items()
        if name.startswith("(") and len(values) == len(hits) > 1 and (min(values) > 0 or max(values) < 0)
    }
    lengths = [[part["share"] - common.get(part["part"], 0.0) for part in hit["parts"]] for hit in hits]
    widest = max((sum(map(abs, row)) for row in lengths), default=0.0) or 1.0
    drawn = {}
    for hit, row in zip(hits, lengths, strict=True):
        start, rectangles = 0.0, []
        for part, length in zip(hit["parts"], row, strict=True):
            width, colour = 100 * abs(length) / widest, colours[part["part"]]
            rectangles.append({"x": start, "width": width, "colour": colour, "below": length < 0, **part})
            start += width
        drawn[hit["doc_id"]] = rectangles
    same = {name for name in common if len({*shares[name]}) == 1}  # of which nothing is drawn
    return {"colours": colours, "common": common, "same": same, "of": drawn}


def _missed_documents(
    source: ServedSource,
    request: SearchRequest,
    grades: Mapping[str, float],
    doc_ids: Sequence[str],
    shown: Collection[str],
) -> list[Data]:
    """Return the relevant documents that are not shown: best grade first, then by rank; None if they do not match."""
    ranks = {doc_id: rank for rank, doc_id in enumerate(doc_ids, 1)}
    relevant = [
        {
            "doc_id": doc_id,
            "title": source.title(doc_id),
            "grade": grade,
            "rank": ranks.get(doc_id),
            "explanation": request.address(source, "explanation", doc=doc_id),
        }
        for doc_id, grade in grades.items()
        if grade > 0 and grade >= source.threshold and doc_id not in shown and source.has(doc_id)
    ]
    return sorted(relevant, key=lambda row: (-row["grade"], row["rank"] or len(source.index) + 1))


def _suggestion(source: ServedSource, request: SearchRequest, typed: TypedQuery) -> Data | None:
    if (respelt := source.better(typed, request.where)) is None:
        return None
    forms = other_forms(source.index, typed)
    if forms and {*typed.unknown(source.index)} <= {*forms}:  # of which a note tells
        return None
    query, documents = respelt
    text = str(query.asked)
    better = request._replace(typed=text, mode=request.mode if request.typed else "plain")
    return {"text": text, "documents": documents, "address": better.address(source)}


def explanation(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Explain why a document has its score for a query."""
    request = read_request(source, models, asked)
    text, doc_id = query_text(source, request), asked.get("doc", "")
    if not doc_id or not text.strip():
        raise ArgumentError("an explanation needs a query (q or topic) and a document (doc)")
    (typed, _), searcher = source.read(text, request.mode), source.searcher(request.model)
    terms = searcher.terms(typed.searched, typed.mode, request.topic)
    why = toysearch.explain(searcher, terms, doc_id)
    rank = standing(searcher, terms, doc_id).rank
    lines = [not_ranked(searcher, terms, doc_id)] if rank is None else expressed_text(rank, why, searcher, terms)
    other, reason = rival(searcher, terms, doc_id, rank, request.k)
    against, order_card = None, ""
    if other is not None:
        order = toysearch.explain_order(searcher, terms, doc_id, other)
        against = {"doc_id": other, "reason": reason, "text": order_text(order)}
        order_card = order_html(order)
    data: Data = {
        "source": source.typed,
        "query": text,
        "query_id": request.topic or None,
        "model": str(request.model),
        "doc_id": doc_id,
        "document_title": source.title(doc_id),
        "rank": rank,
        "explanation": expressed_data(why, searcher, terms),
        "text": lines,
        "against": against,
        "command": explanation_command(source, request, doc_id),
        "python": explanation_python(source, request, typed, doc_id),
        "address": request.address(source, "explanation", doc=doc_id),
        "search": request.address(source),
        "document": request.address(source, "document", doc=doc_id),
    }
    title = f"Score of {doc_id} – {source.typed}"
    form = {"card": score_html(rank, why) if rank is not None else "", "order_card": order_card}
    return Reply("explanation.html", title, data, form, data["address"])


def document(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Show a document, with links back to the search that led to it."""
    request = read_request(source, models, asked)
    doc_id, index = asked.get("doc", ""), source.index
    if not doc_id:
        raise ArgumentError("an address of a document needs its id (doc)")
    number = index.doc_number(doc_id)
    vector = index.vector(doc_id)
    df = {term: int(index.df_by_term[[index.term_number(term)]][0]) for term in vector}
    weights = {term: tf * math.log(len(index) / df[term]) for term, tf in vector.items()}
    ranking = toysearch.similar(source.own_searcher, doc_id, k=_NEIGHBOURS)
    terms = [
        {"term": term, "tf": vector[term], "df": df[term], "tfidf": weight}
        for term, weight in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    neighbours = [
        {
            "rank": rank,
            "doc_id": hit.doc_id,
            "score": hit.score,
            "title": source.title(hit.doc_id),
            "address": request.address(source, "document", doc=hit.doc_id),
        }
        for rank, hit in enumerate(ranking, 1)
    ]
    data: Data = {
        "source": source.typed,
        "doc_id": doc_id,
        "document_title": index.title(number),
        "text": index.text(number),
        "fields": _fields(source, doc_id),
        "length": int(index.dl[number]),
        "terms": terms,
        "neighbours": neighbours,
        "judgments": _judgments(source, request, doc_id),
        "search": request.address(source) if query_text(source, request) else None,
        "explanation": request.address(source, "explanation", doc=doc_id) if query_text(source, request) else None,
        "address": request.address(source, "document", doc=doc_id),
        "command": similar_command(source, doc_id),
        "python": similar_python(source, doc_id, _NEAREST_BY, _NEIGHBOURS),
    }
    form = {
        "body": without_title(index.text(number) or "", index.title(number) or ""),
        "most_terms": _TERMS,
        "longest": _LONGEST,
        "nearest_by": _NEAREST_BY,
    }
    title = f"{source.title(doc_id) or doc_id} – {source.typed}"
    return Reply("document.html", title, data, form, data["address"])


def completion(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Complete the last word of a query, for the list below its field."""
    request, text = read_request(source, models, asked), asked.get("q", "")
    rows = completions(source.index, text, _COMPLETIONS) if text[-1:].isalnum() else []
    data: Data = {
        "source": source.typed,
        "query": text,
        "completions": [row._asdict() | {"address": request._replace(typed=row.text).address(source)} for row in rows],
        "address": request.address(source, "completion"),
    }
    return Reply("completion.html", f"{text} … – {source.typed}", data, address=data["address"])


def _fields(source: ServedSource, doc_id: str) -> dict[str, str]:
    """Return the fields of a document that are neither its title nor a part of its searched text."""
    collection = source.collection
    if collection is None or len(source.index) > MOST_DOCUMENTS:  # all documents would be kept in memory
        return {}
    stored, elsewhere = collection.documents.get(doc_id), (*collection.searched_fields, "title")
    if stored is None:
        return {}
    others = {name: text for name, text in stored.fields.items() if not isinstance(text, CountedWords)}
    return {name: text for name, text in others.items() if name not in elsewhere and text != stored.title}


def _judgments(source: ServedSource, request: SearchRequest, doc_id: str) -> list[Data]:
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
