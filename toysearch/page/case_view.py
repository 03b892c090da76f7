"""Case of a search: each query with its score, its change and a note, and grades where documents stand."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

import numpy as np

from toysearch import Searcher
from toysearch.base import Query, Run, cut, without_notes
from toysearch.evaluation.values_and_means import aggregated, over_needs
from toysearch.page.judging_rules import ADJUDICATOR
from toysearch.page.model_picker import AnyModel, Data, Models, name_in_list
from toysearch.page.search_request import FILTERS, ORDERS, SearchRequest, case_text
from toysearch.page.served_source import ServedSource, rater
from toysearch.study import DECIMALS, DEPTH

_QUERIES = 1000  # of a case
_BEGINNING = 70  # characters of a query in the list
_RUNS = 8  # of models with their own settings, which are kept


def case(source: ServedSource, models: Models, request: SearchRequest) -> Data | None:
    """List each query with its score by the searched model, its change, and its note; None without queries.

    The change is that since the model's own settings.
    """
    if not len(source.queries):
        return None
    name, queries = rater.get(), source.queries[:_QUERIES]
    notes = source.judging.log.notes(name) if source.judging is not None and name else {}
    grades = {query.query_id: dict(of) for query in queries if (of := source.grades(query.query_id))}
    asked = [query for query in queries if query.query_id in grades]
    scores, before = dict[str, float](), dict[str, float]()
    measure = source.case_measure
    depth = DEPTH
    if isinstance(measure.cutoff, int) and not measure.parameters:  # such as judged_only, which looks deeper
        depth = measure.cutoff
    if grades:
        with without_notes():  # a query without documents has a score of 0
            scores = _scores(source, source.searcher(request.model).run(asked, depth), grades)
            usual = models.get(name_in_list(models, request.model), request.model)
            if str(usual) != str(request.model):
                before = _scores(source, _run(source, usual, tuple(asked), depth), grades)
    _, of_needs = over_needs([*scores], np.array([*scores.values()]), source.qrels.needs)
    rows = []
    for query_id, text in queries:
        line, score = " ".join(text.split()), scores.get(query_id)
        search = request._replace(typed="", topic=query_id, mode="plain", chosen={})
        rows.append(
            {
                "query_id": query_id,
                "query": cut(line, _BEGINNING),
                "graded": len(grades.get(query_id, ())),
                "score": score,
                "change": None if score is None or not before else round(score - before[query_id], DECIMALS) + 0.0,
                "note": notes.get(query_id, ""),
                "address": search.address(source),
            }
        )
    return {
        "measure": str(measure),
        "better": measure.definition.better,
        "most": measure.definition.range[1] or max(scores.values(), default=0.0) or 1.0,
        "mean": aggregated(of_needs.tolist(), "mean") if scores else None,
        "scored": len(scores),
        "of": len(source.queries),
        **_listed(source, request, rows),
    }


def _listed(source: ServedSource, request: SearchRequest, rows: list[Data]) -> Data:
    """Choose rows and sort them as an address asks; give the other choices and orders with their addresses."""
    words, side = request.case.split("-"), source.case_measure.sign
    changes = [(row, side * (row["change"] or 0)) for row in rows]
    groups = {
        "all": rows,
        "lost": [row for row, change in changes if change < 0],
        "gained": [row for row, change in changes if change > 0],
        "zero": [row for row in rows if row["score"] == 0],
    }
    chosen = next((name for name in FILTERS if name in words), "all")
    order = next((name for name in ORDERS if name in words), "query")
    key = {"lowest": "score", "change": "change"}.get(order)
    shown = groups[chosen]
    if key is not None:
        shown = sorted(shown, key=lambda row: math.inf if row[key] is None else side * row[key])

    def choice(name: str, now: str, other: str) -> Data:
        address = request._replace(case=case_text(name, other)).address(source)
        return {"name": name, "chosen": name == now, "address": address}

    filters = [choice(name, chosen, order) | {"queries": len(group)} for name, group in groups.items()]
    orders = [choice(name, order, chosen) for name in ("query", *ORDERS)]
    return {"filters": filters, "orders": orders, "queries": shown}


@functools.lru_cache(_RUNS)
def _run(source: ServedSource, model: AnyModel, queries: tuple[Query, ...], depth: int) -> Run:
    """Rank queries by a model that this does not count as tried."""
    return Searcher(source.index, model).run(queries, depth)


def _scores(source: ServedSource, run: Run, query_ids: Iterable[str]) -> dict[str, float]:
    measure = source.case_measure
    values = source.values(run, [measure], query_ids)
    return {query_id: row[str(measure)] for query_id, row in values.items()}


def grading(source: ServedSource, request: SearchRequest) -> Data | None:
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
