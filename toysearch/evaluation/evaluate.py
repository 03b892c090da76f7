"""The evaluation of a run against relevance judgments, end to end."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from toysearch.errors import ArgumentError, DataError, note, unknown
from toysearch.evaluation.evaluation import Evaluation
from toysearch.evaluation.inputs import QrelsLike, RunLike, as_qrels, as_run
from toysearch.evaluation.judged import Judged, join
from toysearch.evaluation.measure import Measure, parse_measures
from toysearch.evaluation.order import ordered
from toysearch.records import Qrels, Run

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate"]

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
UNDEFINED = ("zero", "nan")


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    measures: str | Iterable[object] = DEFAULT_MEASURES,
    *,
    threshold: float | None = None,
    ties: str | None = None,
    only_retrieved: bool = False,
    undefined: str = "zero",
) -> Evaluation:
    """The value of each measure for each judged query, and their means, as trec_eval computes them.

    Parameters
    ----------
    run : Run, dict or path
        What a system returned: a `Run`; a dict of query_id → doc_id → score; a dict of query_id → list of
        doc_ids, best first; or the path of a TREC run file.
    qrels : Qrels, dict or path
        The judgments: `Qrels`; a dict of query_id → doc_id → grade; or the path of a TREC qrels file.
    measures : str or iterable, default ("AP", "nDCG@10", "P@10")
        Names as in ir_measures, in one text (``"AP P(rel=2)@5"``) or one by one.
    threshold : float, optional
        The grade from which on a document is relevant; 1 by default, with a note where grades are
        fractions. A measure's own ``rel`` goes first. A grade of 0 or less is never relevant.
    ties : {"rank", "trec_eval"}, optional
        The order of the documents: see `toysearch.evaluation.order.ordered`. By default a ranking made in
        memory keeps its order, and a file or a dict of scores gets trec_eval's.
    only_retrieved : bool, default False
        Leave out the judged queries for which the run has no document, which otherwise count as 0.
    undefined : {"zero", "nan"}, default "zero"
        What the measures of a query without relevant documents are: 0, as in trec_eval, or NaN, which is left
        out of the mean. Counts are counts in both.

    Returns
    -------
    Evaluation
        Its `remarks` say which queries did not count like the others.

    Raises
    ------
    ArgumentError
        If a measure or an option is not one.
    DataError
        If run or judgments are malformed or empty, or have no query in common.

    Examples
    --------
    >>> run = {"1": ["a", "b", "c"], "2": ["b", "a"]}
    >>> result = evaluate(run, {"1": {"a": 1, "c": 1}, "2": {"a": 1, "b": 0}}, "AP RR")
    >>> result["AP"], result.per_query["2"]["AP"]
    (0.6666666666666666, 0.5)
    >>> result
    <Evaluation of 'run' on 2 queries: AP 0.6667, RR 0.7500>
    """
    asked = parse_measures(measures)
    if undefined not in UNDEFINED:
        raise unknown("value for undefined", undefined, UNDEFINED, "values for undefined")
    run, qrels = as_run(run), as_qrels(qrels)
    _check_common(run, qrels)
    run, rule = ordered(run, ties)
    judged = join(run, qrels, _threshold(threshold, qrels))
    counts = judged.retrieved > 0 if only_retrieved else np.ones(len(judged.query_ids), dtype=bool)
    if not counts.any():
        raise DataError("no document was retrieved for any judged query; without only_retrieved they count as 0")
    return Evaluation(
        name=run.name,
        measures=tuple(asked),
        per_query=_per_query(judged, counts, asked, 0.0 if undefined == "zero" else math.nan),
        threshold=judged.threshold,
        ties=rule,
        undefined=undefined,
        only_retrieved=only_retrieved,
        missing=_where(judged.retrieved == 0, judged),
        without_relevant=_where(counts & (judged.n_relevant() == 0), judged),
        unjudged=tuple(query_id for query_id in run.query_ids if query_id not in qrels),
    )


def _per_query(
    judged: Judged, counts: np.ndarray, measures: list[Measure], undefined: float
) -> dict[str, dict[str, float]]:
    """Query_id → measure's text form → value, for the queries that count."""
    names = [str(measure) for measure in measures]
    columns = [np.nan_to_num(measure.values(judged)[counts], nan=undefined).tolist() for measure in measures]
    rows = zip(*columns, strict=True)
    return {
        query_id: dict(zip(names, row, strict=True)) for query_id, row in zip(_where(counts, judged), rows, strict=True)
    }


def _where(chosen: np.ndarray, judged: Judged) -> tuple[str, ...]:
    return tuple(judged.query_ids[row] for row in np.flatnonzero(chosen).tolist())


def _threshold(threshold: float | None, qrels: Qrels) -> float:
    """The threshold that was given, or 1, with a note where that may not be what is meant."""
    if threshold is not None:
        if not math.isfinite(threshold):
            raise ArgumentError(f"the threshold is a finite number, not {threshold}")
        return float(threshold)
    fractions = qrels.relevance[qrels.relevance % 1 != 0]
    if fractions.size:
        note(
            f"some grades are fractions, such as {fractions[0]:g}, and no threshold was given: relevant means 1 "
            f"or above; threshold={fractions[0]:g} or AP(rel={fractions[0]:g}) would set another"
        )
    return 1.0


def _check_common(run: Run, qrels: Qrels) -> None:
    if not any(query_id in qrels for query_id in run.query_ids):
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{run.query_ids[0]}', the judgments such as '{qrels.query_ids[0]}'; the ids must be equal as texts"
        )
