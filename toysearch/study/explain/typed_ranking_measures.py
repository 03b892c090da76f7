"""A ranking typed by hand, scored by all measures, with the arithmetic of each value."""

from __future__ import annotations

import math

from toysearch.base import ArgumentError, Column, Remedy, ResultTable, expect, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.evaluation import Measure, all_measures, computable, parse_measures
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.typed_ranking import Typed, typed_ranking
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.study.explain.measure_explanation import explain_measure, measure_text

__all__ = ["score_ranking"]

_UNKNOWN = "needs all relevant documents"


def score_ranking(
    ranking: str,
    relevant: int | None = None,
    judged: str | None = None,
    measures: str | None = None,
    *,
    explain: str | None = None,
    threshold: float | None = None,
    undefined: str | None = None,
) -> Page:
    """Score a ranking typed by hand, by all measures.

    It is written as signs, R (relevant), I (not relevant) or U (unjudged), or as grades, from the first rank. Measures
    that need all relevant documents take `relevant` or `judged`.

    Parameters
    ----------
    ranking : str
        As in `typed_ranking`.
    relevant : int, optional
        The number of relevant documents in all, retrieved or not; unknown by default.
    judged : str, optional
        The grades of all judged documents, including those of the ranking, in any order.
    measures : str, optional
        The measures; by default all.
    explain : str, optional
        Show how the value of this measure is computed, rank by rank.
    threshold : float, optional
        The lowest relevant grade.
    undefined : {"zero", "nan"}, optional
        The value without relevant documents.

    Examples
    --------
    >>> found = score_ranking("R I R", relevant=2, measures="AP RR")
    >>> [(row["measure"], round(row["value"], 4)) for row in found.data()["measures"]]
    [('AP', 0.8333), ('RR', 1.0)]
    """
    expect(str, ranking=ranking)
    typed = typed_ranking(ranking, relevant, judged)
    chosen = parse_measures(measures) if measures else all_measures(len(typed.run))
    chosen = [Measure.parse(explain)] if explain is not None else chosen
    scored = evaluate(typed.run, typed.qrels, chosen, threshold=threshold, undefined=undefined)
    is_known = computable(typed, chosen, scored.threshold)
    query_id = typed.run.query_ids[0]
    whys = [explain_measure(typed.run, typed.qrels, scored, measure, query_id) for measure in chosen]
    unjudged = sum(doc_id not in typed.qrels[query_id] for doc_id in typed.run.doc_ids)
    bounds = [_bounds(typed, measure, scored.threshold) if is_known[measure] else None for measure in chosen]
    rows = []
    for measure, why, pair in zip(chosen, whys, bounds, strict=True):
        how = why.arithmetic.removeprefix(f"{why.measure} is ") if math.isnan(why.value) else why.how
        if not is_known[measure]:
            how = f"{_UNKNOWN}; {'undefined' if math.isnan(why.value) else f'{why.value:.6g}'} if these are all"
        between = [pair and f"{pair[0]:.4g} … {pair[1]:.4g}"] if unjudged else []
        rows.append([measure.text, why.counted if is_known[measure] else None, *between, how])
    columns = table_columns("measure", number_columns(".6g", "value"), Column("how", wrap=True))
    if unjudged:
        columns.insert(2, Column("bounds", "whatever the unjudged are", "right"))
    table = ResultTable(columns, rows)
    data = {
        "ranking": [row._asdict() for row in max(whys, key=lambda why: why.retrieved).ranking],
        "complete": typed.complete,
        "measures": [
            why.data() | {"known": is_known[measure], "bounds": pair}
            for measure, why, pair in zip(chosen, whys, bounds, strict=True)
        ],
    }
    if explain is not None:
        assumed = "the value shown holds if all relevant documents are in the ranking"
        doubt = f"{whys[0].measure} {_UNKNOWN} ({_counts()}); {assumed}"
        cautions = [] if is_known[chosen[0]] else [doubt]
        return Page(lambda width: [measure_text(whys[0], width, "this ranking")], table, data, cautions=cautions)
    unknown = ", ".join(measure.text for measure in chosen if not is_known[measure])
    cautions = [f"not computed without {_counts()}: {unknown}"] if unknown else []
    if unjudged and typed.complete:
        cautions.insert(0, "an unjudged document that is relevant counts as one more than those relevant in all")
    settings = [
        f"{len(typed.run)} retrieved",
        f"{unjudged} of them unjudged" if unjudged else "",
        f"{sum(row.relevant for row in whys[0].ranking)} relevant found",
        f"{whys[0].relevant} relevant in all" if typed.complete else "the number of relevant documents is not known",
        f"relevant from grade {whys[0].threshold:g}",
    ]
    return Page([table], table, data, [" · ".join(filter(None, settings))], cautions)


def _counts() -> str:
    of_all = Remedy("toysearch.study.explain.typed_ranking_measures.score_ranking", relevant=...)
    return f"{of_all} or {Remedy('toysearch.study.explain.typed_ranking_measures.score_ranking', judged=...)}"


def _bounds(typed: Typed, measure: Measure, threshold: float) -> tuple[float, float] | None:
    try:
        bounds = unjudged_bounds(typed.run, typed.qrels, [measure], threshold=threshold)
    except ArgumentError:  # the measure has no such bounds
        return None
    return bounds.means[measure.text]
