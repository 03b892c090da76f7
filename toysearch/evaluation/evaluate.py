"""The evaluation of a run against relevance judgments, end to end."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from toysearch.errors import ArgumentError, DataError, note, unknown
from toysearch.evaluation.conventions import Convention
from toysearch.evaluation.conventions import convention as find_convention
from toysearch.evaluation.definition import Value
from toysearch.evaluation.evaluation import Evaluation, Extremes
from toysearch.evaluation.expected import expected_values, taken_together
from toysearch.evaluation.gains import note_lowest, remapped
from toysearch.evaluation.inputs import QrelsLike, RunLike, as_qrels, as_run
from toysearch.evaluation.judged import Judged, join
from toysearch.evaluation.measure import Measure, parse_measures
from toysearch.evaluation.order import rows_in_order
from toysearch.evaluation.ties import TieGroups, tie_bounds, tie_groups
from toysearch.records import Qrels, Run

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate"]

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
UNDEFINED = ("zero", "nan")
_OVER_ORDERS = ("average", "sklearn")


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    measures: str | Iterable[object] = DEFAULT_MEASURES,
    *,
    threshold: float | None = None,
    ties: str | None = None,
    only_retrieved: bool | None = None,
    undefined: str | None = None,
    gains: Mapping[float, float] | None = None,
    convention: str | Convention = "trec_eval",
    parameters: Mapping[str, Value] | None = None,
) -> Evaluation:
    """The value of each measure for each judged query, and their means, as trec_eval computes them.

    Parameters
    ----------
    run : Run, dict or path
        What a system returned: a `Run`; a dict of query_id → doc_id → score; a dict of query_id → list of
        doc_ids, best first; a data frame; or the path of a file that `read_run` reads.
    qrels : Qrels, dict or path
        The judgments: `Qrels`; a dict of query_id → doc_id → grade; a data frame; or the path of a file that
        `read_qrels` reads.
    measures : str or iterable, default ("AP", "nDCG@10", "P@10")
        Names as in ir_measures, in one text (``"AP P(rel=2)@5"``) or one by one.
    threshold : float, optional
        The grade from which on a document is relevant; 1 by default, with a note where grades are
        fractions. A measure's own ``rel`` goes first. A grade of 0 or less is never relevant.
    ties : {"rank", "trec_eval", "average", "bounds", "sklearn"}, optional
        The order of the documents: see `toysearch.evaluation.order.ordered`. By default a ranking made in
        memory keeps its order, and a file or a dict of scores gets trec_eval's. "average": the mean over all
        orders of the documents of equal score. "bounds": the order is the default's, and a measure that has
        no `tie_bounds` is refused. "sklearn": as "average", and AP as scikit-learn has it.
    only_retrieved : bool, default False
        Leave out the judged queries for which the run has no document, which otherwise count as 0.
    undefined : {"zero", "nan"}, default "zero"
        What the measures of a query without relevant documents are: 0, as in trec_eval, or NaN, which is left
        out of the mean. Counts are counts in both.
    gains : mapping of float to float, optional
        For each grade of the judgments, the one that takes its place before all else: ``{1: 0, 2: 1, 3: 3}``.
    convention : {"trec_eval", "textbook", "sklearn"} or Convention
        What settles all that is not given: see `toysearch.evaluation.conventions`.
    parameters : mapping of str to value, optional
        Parameters for the measures that take them, where a measure's name does not say: ``{"dcg": "log2"}``.

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
    settled = find_convention(convention)
    named = parse_measures(measures)
    settled = settled.overridden(parameters or {}, named)
    asked = list(dict.fromkeys(map(settled.applied, named)))
    ties = settled.ties if ties is None else ties
    undefined = settled.undefined if undefined is None else undefined
    only_retrieved = settled.only_retrieved if only_retrieved is None else only_retrieved
    if undefined not in UNDEFINED:
        raise unknown("value for undefined", undefined, UNDEFINED, "values for undefined")
    run, qrels = as_run(run), as_qrels(qrels)
    if gains is not None:
        qrels = remapped(qrels, gains)
    note_lowest(qrels, asked)
    _check_common(run, qrels)
    order, rule = rows_in_order(run, ties)
    judged = join(run, qrels, _threshold(threshold, qrels), order)
    if settled.retrieved_only:
        judged = dataclasses.replace(judged, ideal=-np.sort(-judged.grades, axis=1))
    groups = tie_groups(run, judged, rule, order)
    counts = judged.retrieved > 0 if only_retrieved else np.ones(len(judged.query_ids), dtype=bool)
    if not counts.any():
        raise DataError("no document was retrieved for any judged query; without only_retrieved they count as 0")
    missing_value = 0.0 if undefined == "zero" else math.nan
    compute = (
        functools.partial(_value_over_orders, groups=groups, ties=ties) if ties in _OVER_ORDERS else Measure.values
    )
    over_orders = functools.partial(_extremes, judged, groups, counts, asked, missing_value)
    result = Evaluation(
        name=run.name,
        measures=tuple(asked),
        per_query=_per_query(judged, counts, asked, missing_value, compute),
        threshold=judged.threshold,
        ties=ties if ties in ("bounds", *_OVER_ORDERS) else rule,
        undefined=undefined,
        only_retrieved=only_retrieved,
        missing=_where(judged.retrieved == 0, judged),
        without_relevant=_where(counts & (judged.n_relevant() == 0), judged),
        unjudged=tuple(query_id for query_id in run.query_ids if query_id not in qrels),
        convention=settled,
        over_orders=over_orders,
    )
    if ties == "bounds":
        for refusal in result.extremes.refused.values():
            raise ArgumentError(refusal)
    return result


def _per_query(
    judged: Judged,
    counts: np.ndarray,
    measures: list[Measure],
    undefined: float,
    compute: Callable[[Measure, Judged], np.ndarray],
) -> dict[str, dict[str, float]]:
    """Query_id → measure's text form → value, for the queries that count."""
    names = [str(measure) for measure in measures]
    columns = [_counted(measure, compute(measure, judged)[counts], undefined) for measure in measures]
    return {
        query_id: {name: column[row] for name, column in zip(names, columns, strict=True)}
        for row, query_id in enumerate(_where(counts, judged))
    }


def _value_over_orders(measure: Measure, judged: Judged, groups: TieGroups, ties: str) -> np.ndarray:
    """What a measure is where documents of equal score have no order."""
    parameters = dict(measure.parameters)
    if ties == "sklearn" and measure.name == "AP" and measure.cutoff is None and parameters.keys() <= {"rel"}:
        return taken_together(judged, groups, **parameters)  # type: ignore[arg-type]
    return expected_values(measure, judged, groups)


def _extremes(
    judged: Judged, groups: TieGroups, counts: np.ndarray, measures: list[Measure], undefined: float
) -> Extremes:
    """The lowest and highest values over the orders of tied documents, and which measures have none, and why."""
    found: dict[Measure, tuple[np.ndarray, np.ndarray]] = {}
    refused: dict[str, str] = {}
    for measure in measures:
        try:
            found[measure] = tie_bounds(measure, judged, groups)
        except ArgumentError as error:
            refused[str(measure)] = str(error)
    low, high = (
        _per_query(judged, counts, list(found), undefined, lambda measure, _, side=side: found[measure][side])  # type: ignore[misc]
        for side in (0, 1)
    )
    return Extremes(low, high, refused)


def _counted(measure: Measure, values: np.ndarray, undefined: float) -> list[float]:
    """The values, with what counts where there is none: nothing where lower is better, for 0 would be the best."""
    counts: list[float] = np.where(
        np.isnan(values) & (measure.definition.better != "lower"), undefined, values
    ).tolist()
    return counts


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
