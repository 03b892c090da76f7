"""View of judging: one need, one document, one key for its grade; and the table of the queries to judge."""

from __future__ import annotations

from itertools import islice
from urllib.parse import urlencode

from toysearch.base import ArgumentError, unknown
from toysearch.page.judging_rules import Judging
from toysearch.page.model_picker import Asked, Data, Models
from toysearch.page.reply import Reply, address_of
from toysearch.page.served_source import ServedSource
from toysearch.retrieval.snippets import snippet, without_title

_LONGEST = 40_000  # characters of a text on a page
_QUERIES = 300  # in the table of queries; the next ones are a page further
_PASSAGE = 240  # characters
_LONG = 1000  # characters of a text above which its best passage stands
_BEGINNING = 100  # characters of a query in the table
_DIGITS = 10  # of a number in an address


def judge(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Show the next document for a judge; the queries, if none is chosen; a form for the name, if there is no judge."""
    judging = judging_of(source)
    name = asked.get("judge", "") or judging.own_judge
    if not judging.queries:
        raise ArgumentError("there is no query to judge yet: search, and grade a document that is found")
    if not name:
        data = {"source": source.typed, "queries": len(judging.queries), "closed": bool(judging.keys), "notes": []}
        return Reply("judge_welcome.html", f"Judge {source.typed}", data, {}, _address(source, judging))
    name = judging.checked_judge(name, asked.get("key", ""))
    if not asked.get("topic"):
        return _queries(source, judging, name, first_row(asked))
    return _document(source, judging, name, asked["topic"], asked.get("doc", ""))


def give(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Save a grade, put a document off or take the last grade back; the answer is the next document."""
    judging = judging_of(source)
    name = judging.checked_judge(asked.get("judge", ""), asked.get("key", ""))
    query_id, doc_id, action = asked.get("topic", ""), asked.get("doc", ""), asked.get("action", "grade")
    if action == "grade":
        judging.grade(name, query_id, doc_id, asked.get("grade", ""), asked.get("reason", ""))
    elif action == "skip":
        judging.skip(name, query_id, doc_id)
    elif action == "undo":
        judgment = judging.undo(name)
        if judgment is not None and judgment.query_id in judging.queries:
            return _document(source, judging, name, judgment.query_id, judgment.doc_id)
    else:
        raise unknown("action", action, ("grade", "skip", "undo"))
    return _document(source, judging, name, query_id, "")


def judging_of(source: ServedSource) -> Judging:
    """Return the judging of a source; if there is none, say how to begin it."""
    if source.judging is None:
        raise ArgumentError(
            f"grades are given here if the page is opened with `toysearch serve {source.typed} --judgments FILE.jsonl`"
        )
    return source.judging


def _address(source: ServedSource, judging: Judging, judge: str = "", **more: str) -> str:
    return address_of(source, "judge", judge=judge, key=judging.keys.get(judge, ""), **more)


def _kept(judging: Judging, judge: str) -> str:
    """Return the query string that keeps a judge in the links of the heading."""
    return f"?{urlencode({'judge': judge, 'key': judging.keys[judge]})}" if judge in judging.keys else ""


def first_row(asked: Asked) -> int:
    """Return the number of rows before the first one shown of a long table."""
    start = asked.get("start", "")
    if start and not (start.isascii() and start.isdecimal() and len(start) < _DIGITS):
        raise ArgumentError(f"start is the number of rows to pass over, not '{start[:80]}'")
    return int(start or 0)


def _queries(source: ServedSource, judging: Judging, name: str, start: int) -> Reply:
    graded, texts = judging.log.counts(name), judging.queries_of(name)
    total = len(texts)
    rows = [
        {
            "query_id": query_id,
            "query": " ".join(text.split())[:_BEGINNING],
            "graded": graded.get(query_id, 0),
            "address": _address(source, judging, name, topic=query_id),
        }
        for query_id, text in islice(texts.items(), start, start + _QUERIES)
    ]
    data = {
        "source": source.typed,
        "judge": name,
        "queries": rows,
        "start": start,
        "all_queries": total,
        "begun": len(graded.keys() & texts.keys()),
        "grades": sum(graded.values()),
        "pace": judging.pace(name),
        "systems": judging.systems,
        "depth": judging.depth,
        "divided": judging.is_divided,
        "notes": [],
    }
    begin = judging.next_query(name, [*judging.queries][-1])  # the first unfinished one
    more = [
        (f"{place + 1:,}–{min(place + _QUERIES, total):,}", _address(source, judging, name, start=str(place)))
        for place in (start - _QUERIES, start + _QUERIES)
        if 0 <= place < total
    ]
    form = {
        "kept": _kept(judging, name),
        "more": more,
        "begin": _address(source, judging, name, topic=begin) if begin else None,
    }
    address = _address(source, judging, name, start=str(start or ""))
    return Reply("judge_queries.html", f"Judge {source.typed}", data, form, address)


def _document(source: ServedSource, judging: Judging, name: str, query_id: str, doc_id: str) -> Reply:
    """Show a document to grade: the one named or the next to do; no document if all are graded."""
    query, progress = judging.text_of(query_id), judging.progress(name, query_id)
    chosen = doc_id or next(iter(progress.waiting), "")
    judgment, last = judging.log.latest(name, query_id, chosen), next(iter(judging.log.of_judge(name)[-1:]), None)
    following = judging.next_query(name, query_id) if not chosen else None
    skipped = [
        {
            "doc_id": skipped,
            "title": source.title(skipped),
            "address": _address(source, judging, name, topic=query_id, doc=skipped),
        }
        for skipped in progress.skipped
    ]
    grade, reason = (judgment.grade, judgment.reason) if judgment else (None, "")
    data = {
        "source": source.typed,
        "judge": name,
        "query_id": query_id,
        "query": query,
        "need": source.queries.need(query_id),
        "scale": [{"grade": grade, "meaning": meaning} for grade, meaning in judging.scale.items()],
        "document": _document_data(source, query, chosen) if chosen else None,
        "grade": grade,
        "reason": reason,
        "graded": progress.graded,
        "waiting": len(progress.waiting),
        "skipped": skipped,
        "pool": progress.pool,
        "pace": judging.pace(name),
        "last": {"query_id": last.query_id, "doc_id": last.doc_id, "grade": last.grade} if last else None,
        "agreement": judging.agreement_on(query_id),
        "next_query": following,
        "notes": [],
    }
    form = {
        "long": _LONG,
        "kept": _kept(judging, name),
        "key": judging.keys.get(name, ""),
        "next": _address(source, judging, name, topic=following) if following else None,
        "queries": _address(source, judging, name),
    }
    title = f"{query_id}: {' '.join(query.split())[:60]} – {name} judges {source.typed}"
    return Reply("judge.html", title, data, form, _address(source, judging, name, topic=query_id, doc=doc_id))


def _document_data(source: ServedSource, query: str, doc_id: str) -> Data:
    index = source.index
    number, words = index.doc_number(doc_id), frozenset(index.analyzer(query))
    title, text = index.title(number), index.text(number)
    body = without_title(text or "", title or "")
    passage = snippet(body, words, index.analyzer, width=_PASSAGE)
    whole = snippet(body[:_LONGEST], words, index.analyzer, width=_LONGEST)
    return {
        "doc_id": doc_id,
        "title": title,
        "passage": passage.text,
        "passage_marks": passage.spans,
        "text": whole.text if text is not None else None,
        "text_marks": whole.spans,
        "cut": len(body) > _LONGEST,
    }
