"""Case of a search: grades where documents stand in the ranking, and each query with its score and a note."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from toysearch import evaluate
from toysearch.base import Qrels, without_notes
from toysearch.page.judging_rules import ADJUDICATOR
from toysearch.page.search_request import LOWEST, SearchRequest
from toysearch.page.served_source import ServedSource, rater

MEASURE, _DEPTH = "nDCG@10", 10
_QUERIES = 1000  # of a case
_BEGINNING = 70  # characters of a query in the list


def case(source: ServedSource, request: SearchRequest) -> dict[str, Any] | None:
    """List each query with its number of grades, its note, and its score by the searched model; None without any."""
    if source.collection is None or not len(source.collection.queries):
        return None
    name, queries = rater.get(), [*source.collection.queries][:_QUERIES]
    notes = source.judging.log.notes(name) if source.judging is not None and name else {}
    grades = {query.query_id: dict(of) for query in queries if (of := source.grades(query.query_id))}
    scores: Mapping[str, Mapping[str, float]] = {}
    if grades:
        with without_notes():  # a query without documents has a score of 0
            run = source.searcher(request.model).run([query for query in queries if query.query_id in grades], _DEPTH)
        scores = evaluate(run, Qrels.from_dict(grades), [MEASURE], threshold=source.threshold).per_query
    rows = []
    for query_id, text in queries:
        line = " ".join(text.split())
        search = request._replace(typed="", topic=query_id, mode="plain", chosen={})
        rows.append(
            {
                "query_id": query_id,
                "query": line if len(line) <= _BEGINNING else f"{line[: _BEGINNING - 1]}…",
                "graded": len(grades.get(query_id, ())),
                "score": scores[query_id][MEASURE] if query_id in scores else None,
                "note": notes.get(query_id, ""),
                "address": search.address(source),
            }
        )
    values = [row["score"] for row in rows if row["score"] is not None]
    mean = sum(values) / len(values) if values else None
    if not name:  # whoever grades has a mean that changes with each grade
        source.keep_mean(request.model, mean)
    if request.case == LOWEST:
        rows.sort(key=lambda row: math.inf if row["score"] is None else row["score"])
    return {"measure": MEASURE, "mean": mean, "scored": len(values), "queries": rows}


def grading(source: ServedSource, request: SearchRequest) -> dict[str, Any] | None:
    """Return what a page needs on which documents of a ranking are graded; None where no grades are given."""
    judging, name = source.judging, rater.get()
    if judging is None:
        return None
    log = judging.decisions if name == ADJUDICATOR else judging.log
    return {
        "rater": name,
        "adjudicates": ADJUDICATOR if judging.keys else "",
        "scale": judging.scale,
        "note": judging.log.notes(name).get(request.topic, "") if name else "",
        "last": next(iter(log.of_judge(name)[-1:]), None) if name else None,
    }
