"""The view of a comparison: rankings side by side for a query, measures and gains over all judged queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import toysearch
from toysearch import Searcher, evaluate
from toysearch.base import Qrels, Query, Ranking, Run
from toysearch.evaluation.evaluate import DEFAULT_MEASURES
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.laboratory import DEPTH, p_text, queries_text, score_parts
from toysearch.page.compared_systems import missing, overall
from toysearch.page.comparison_request import (
    OF_DOCUMENT,
    ComparisonRequest,
    read_comparison,
)
from toysearch.page.model_picker import PARAMETER, AnyModel, name_in_list, sliders
from toysearch.page.representation import Reply
from toysearch.page.reproduction import comparison_command, comparison_python
from toysearch.page.search_request import query_text
from toysearch.page.served_source import ServedSource
from toysearch.page.snapshot_view import addable, own_snapshots
from toysearch.search.typed_query import TypedQuery

ROW = 10
"""The height of a row of a ranking in the drawing."""

WIDTH = 100
"""The width of a drawing; the page stretches it."""

_STUB = 16  # the length of the line of a document that is only in one list


class JoiningLine(NamedTuple):
    """A line: its SVG path, whether it joins two lists, its class, what it says."""

    path: str
    kind: str  # "joined", "new" or "lost"
    grade: float | None
    title: str


def joined(left: Sequence[Mapping[str, Any]], right: Sequence[Mapping[str, Any]]) -> list[JoiningLine]:
    """The lines between two lists of documents: one per document of both, a short one per document of only one.

    >>> [line.path for line in joined([{"doc_id": "x", "rank": 1, "grade": 1}], [])]
    ['M0 5h16']
    """
    places = {hit["doc_id"]: hit["rank"] for hit in right}
    old = {hit["doc_id"] for hit in left}
    lines = []
    for hit in left:
        start, place = _height(hit["rank"]), places.get(hit["doc_id"])
        if place is None:
            lines.append(
                JoiningLine(f"M0 {start}h{_STUB}", "lost", hit["grade"], f"{hit['doc_id']}: rank {hit['rank']}, lost")
            )
        else:
            path = f"M0 {start}C50 {start} 50 {_height(place)} {WIDTH} {_height(place)}"
            lines.append(JoiningLine(path, "joined", hit["grade"], f"{hit['doc_id']}: rank {hit['rank']} to {place}"))
    new = [hit for hit in right if hit["doc_id"] not in old]
    path = f"h-{_STUB}"
    lines += [
        JoiningLine(
            f"M{WIDTH} {_height(hit['rank'])}{path}", "new", hit["grade"], f"{hit['doc_id']}: new, rank {hit['rank']}"
        )
        for hit in new
    ]
    return lines


def bars_of_histogram(histogram: Sequence[Mapping[str, Any]], better: str | None) -> dict[str, Any]:
    """The bars of a histogram of differences in per cent of the drawing, and whether their queries are won or lost."""
    most = max((bar["queries"] for bar in histogram), default=0) or 1
    width = WIDTH / len(histogram)
    bars = []
    for place, bar in enumerate(histogram):
        if not bar["queries"]:
            continue
        height = 100 * bar["queries"] / most
        side = (bar["high"] > 0) - (bar["low"] < 0)
        side = -side if better == "lower" else side
        kind = ("lost", "tied", "won")[side + 1]
        drawn = {"x": place * width, "width": 0.9 * width, "y": 100 - height, "height": height}
        between = f"{bar['low']:g} to {bar['high']:g}" if side else "no difference"
        queries = f"{bar['queries']} {'query' if bar['queries'] == 1 else 'queries'}"
        bars.append(drawn | {"kind": kind, "title": f"{between}: {queries}".replace("-", "−")})
    return {"bars": bars, "low": histogram[0]["low"], "high": histogram[-1]["high"], "most": most}


def _height(rank: int) -> int:
    """The height of a rank in the drawing: the middle of its row."""
    return ROW * rank - ROW // 2


_ROWS = 20  # queries shown at each end of the table
_SHOWN = 50  # documents of a ranking on a page


class _Ranked(NamedTuple):
    """A system that has ranked a query."""

    searcher: Searcher
    ranking: Ranking
    ranks: dict[str, int]  # by doc_id, to the depth at which systems are measured


def compare(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Systems side by side for a query, and over all judged queries."""
    request = read_comparison(source, models, asked)
    text, lacks = query_text(source, request.search), missing(source)
    data: dict[str, Any] = {
        "source": source.typed,
        "query": text,
        "query_id": request.search.topic or None,
        "mode": request.search.mode,
        "k": request.search.k,
        "systems": [
            {
                "letter": letter,
                "model": str(model),
                "parameters": sliders(model, models),
                "search": request.search._replace(model=model).address(source),
            }
            for letter, model in request.models.items()
        ],
        "baseline": request.baseline,
        "measure": request.measure_text,
        "missing": lacks,
        "notes": [],
        "unknown": [],
        "rankings": None,
        "one_query": None,
        "why": None,
    }
    if text.strip():
        search = request.search
        typed, remarks = source.read(text, search.mode)
        query = Query(search.topic, text) if search.topic and not search.typed else typed.asked
        ranked = {}
        for letter, model in request.models.items():
            searcher = source.searcher(model)
            ranking = searcher.search(query, DEPTH, query_mode=typed.mode)
            ranks = {doc_id: rank for rank, doc_id in enumerate(ranking.doc_ids, 1)}
            ranked[letter] = _Ranked(searcher, ranking, ranks)
        grades = source.collection.qrels[search.topic] if source.collection is not None and search.topic else None
        rankings = _rankings(source, request, ranked, grades or {})
        data |= {
            "rankings": rankings,
            "one_query": _measured(source, request, ranked, grades) if grades else None,
            "why": _why(source, request, ranked, typed, grades or {}, rankings),
            "unknown": source.unknown(typed),
            "notes": [*remarks, *([] if grades or not search.topic else [f"topic {search.topic} is not judged"])],
        }
    data["overall"] = overall(source, request) if lacks is None else None
    same = source, [*request.models.values()], [str(measure) for measure in request.measures]
    data |= {
        "command": None if lacks else comparison_command(*same),
        "python": None if lacks else comparison_python(*same),
    }
    data["tried"] = source.tried
    data["snapshots"] = None if lacks else _snapshots(source, request)
    data["address"] = request.address(source)
    title = f"{' and '.join(request.settings.values())[:80]} – {source.typed}"
    return Reply("compare.html", title, data, _form(source, models, request, "all" in asked), request.address(source))


def _rankings(
    source: ServedSource, request: ComparisonRequest, ranked: Mapping[str, _Ranked], grades: Mapping[str, float]
) -> list[dict[str, Any]]:
    """The first documents of each system, with their ranks in the rankings on the left and on the right."""
    k, letters, rankings = request.search.k, [*ranked], []
    for place, letter in enumerate(letters):
        left_ranks = ranked[letters[place - 1]].ranks if place else None
        right_ranks = ranked[letters[place + 1]].ranks if place + 1 < len(letters) else None
        hits = []
        for rank, hit in enumerate(islice(ranked[letter].ranking, k), 1):
            before, after = (None if ranks is None else ranks.get(hit.doc_id) for ranks in (left_ranks, right_ranks))
            hits.append(
                {
                    "rank": rank,
                    "doc_id": hit.doc_id,
                    "title": source.title(hit.doc_id),
                    "score": hit.score,
                    "grade": grades.get(hit.doc_id),
                    "rank_before": before,
                    "rank_after": after,
                    "new": left_ranks is not None and (before is None or before > k),
                    "lost": right_ranks is not None and (after is None or after > k),
                    "address": f"{request._replace(doc_id=hit.doc_id).address(source)}#why",
                }
            )
        rankings.append({"letter": letter, "hits": hits})
    return rankings


def _measured(
    source: ServedSource, request: ComparisonRequest, ranked: Mapping[str, _Ranked], grades: Mapping[str, float]
) -> list[dict[str, Any]]:
    """The measures of the query for each system, and the changes from the baseline."""
    topic = request.search.topic
    measures = {str(measure): measure for measure in [*request.measures, *parse_measures(DEFAULT_MEASURES)]}
    qrels = Qrels.from_dict({topic: dict(grades)})
    values = {}
    for letter, system in ranked.items():
        run = Run.from_rankings([Ranking(topic, system.ranking.doc_ids, system.ranking.scores)])
        values[letter] = evaluate(run, qrels, [*measures.values()], threshold=source.threshold).per_query[topic]
    base = values[request.baseline]
    return [
        {
            "measure": name,
            "values": {letter: row[name] for letter, row in values.items()},
            "changes": {letter: values[letter][name] - base[name] for letter in request.others},
        }
        for name in measures
    ]


def _why(
    source: ServedSource,
    request: ComparisonRequest,
    ranked: Mapping[str, _Ranked],
    typed: TypedQuery,
    grades: Mapping[str, float],
    rankings: list[dict[str, Any]],
) -> dict[str, Any] | None:
    """The parts of the scores of one document: the one asked for, or the one that moves farthest."""
    doc_id = request.doc_id or _moved(ranked, rankings)
    if doc_id is None:
        return None
    source.index.doc_number(doc_id)  # raises if there is none
    systems = []
    for letter, system in ranked.items():
        terms = system.searcher.terms(typed.asked, typed.mode, request.search.topic)
        why = toysearch.explain(system.searcher, terms, doc_id)
        search = request.search._replace(model=request.models[letter])
        systems.append(
            {
                "letter": letter,
                "model": str(request.models[letter]),
                "rank": system.ranks.get(doc_id),
                "score": why.score,
                "parts": score_parts(why),
                "explanation": search.address(source, "explanation", doc=doc_id),
            }
        )
    title = source.title(doc_id)
    return {"doc_id": doc_id, "document_title": title, "grade": grades.get(doc_id), "systems": systems}


def _moved(ranked: Mapping[str, _Ranked], rankings: list[dict[str, Any]]) -> str | None:
    """The listed document whose ranks differ most between systems; the first of ties."""
    doc_ids = dict.fromkeys(hit["doc_id"] for ranking in rankings for hit in ranking["hits"])

    def distance(doc_id: str) -> int:
        ranks = [system.ranks.get(doc_id, DEPTH + 1) for system in ranked.values()]
        return max(ranks) - min(ranks)

    return max(doc_ids, key=distance, default=None)


def parts_table(systems: list[dict[str, Any]]) -> list[tuple[str, list[float | None]]]:
    """The parts of the scores, one row per part with its share of each system's score; None where it has none."""
    shares = [{part["part"]: part["share"] for part in system["parts"]} for system in systems]
    names = dict.fromkeys(name for by_part in shares for name in by_part)
    return [(name, [by_part.get(name) for by_part in shares]) for name in names]


def _snapshots(source: ServedSource, request: ComparisonRequest) -> dict[str, Any] | None:
    """The log file, whether it exists, its number of snapshots, and systems of snapshots to add."""
    log = source.experiments
    if log is None:
        return None
    saved = sum(not snapshot.removed for snapshot in own_snapshots(source))
    return {"file": str(log.path), "made": log.path.exists(), "saved": saved, "add": addable(source, request)}


def _form(
    source: ServedSource, models: Mapping[str, AnyModel], request: ComparisonRequest, every: bool
) -> dict[str, Any]:
    """What only the page needs: choices of its form, addresses, drawings."""
    queries = source.collection.queries if source.collection is not None else []
    all_queries = {"all": "1"} if every else {}
    hidden = {"doc": request.doc_id, OF_DOCUMENT: request.words} if request.doc_id else {}
    hidden |= {"sort": request.sort} if request.sort != request.others[0] else {}
    return {
        "typed": request.search.typed,
        "topic": request.search.topic,
        "topics": source.topics,
        "has_topics": len(queries) > 0,
        "models": [*models],
        "chosen": {letter: name_in_list(models, model) for letter, model in request.models.items()},
        "free": request.free,
        "prefix": PARAMETER,
        "threshold": source.threshold,
        "sort": {letter: request._replace(sort=letter).address(source, **all_queries) for letter in request.others},
        "others": request.others,
        "settings": request.settings,
        "rows": None if every else _ROWS,
        "every": request.over_all(source, all="1"),
        "depends": request._replace(depends=True).address(source, **all_queries),
        "over_all": request.over_all(source),
        "hidden": hidden | all_queries,
        "joined": joined,
        "bars_of_histogram": bars_of_histogram,
        "parts_table": parts_table,
        "p_text": p_text,
        "needed": queries_text,
        "shown": _SHOWN,
        "modes": {"mode": request.search.pairs().get("query_mode", ""), "k": request.search.k},
    }
