"""The evaluation of a run against relevance judgments, end to end."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError
from toysearch.evaluation.conventions import Convention
from toysearch.evaluation.definition import Value
from toysearch.evaluation.evaluation import Evaluation, Extremes
from toysearch.evaluation.expected import expected_values, taken_together
from toysearch.evaluation.judged import Judged, blocks, join
from toysearch.evaluation.measure import Measure
from toysearch.evaluation.order import rows_in_order
from toysearch.evaluation.rules import Rules, check_common, given_judgments, settle, threshold_of
from toysearch.evaluation.ties import TieGroups, tie_bounds, tie_groups
from toysearch.formats.either_order import either_order
from toysearch.formats.inputs import QrelsLike, RunLike, as_run
from toysearch.records import Qrels, Run

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate"]

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
_OVER_ORDERS = ("average", "sklearn")


@either_order(2)
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

    Run and judgments may come in either order where they can be told apart: of two dicts of dicts, or two JSON files,
    the judgments have to be named, ``qrels=``.

    Parameters
    ----------
    run : Run, dict or path
        What a system returned: a `Run`; a dict of query_id → doc_id → score; a dict of query_id → list of
        doc_ids, best first; a data frame; or the path of a file that `read_run` reads.
    qrels : Qrels, dict, path, name or Collection
        The judgments: `Qrels`; a dict of query_id → doc_id → grade; a data frame; the path of a file that
        `read_qrels` reads; or a collection, also by its name.
    measures : str or iterable, default ("AP", "nDCG@10", "P@10")
        Names as in ir_measures, in one text (``"AP P(rel=2)@5"``) or one by one.
    threshold : float, optional
        The grade from which on a document is relevant; by default the collection's, else 1, with a note where
        grades are fractions. A measure's own ``rel`` goes first. A grade of 0 or less is never relevant.
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
    rules = settle(measures, ties, only_retrieved, undefined, convention, parameters)
    run, judgments = as_run(run), given_judgments(qrels, gains, rules)
    check_common(run.query_ids, judgments.qrels)
    return evaluated(run, judgments.qrels, rules, threshold_of(threshold, judgments))


def evaluated(run: Run, qrels: Qrels, rules: Rules, threshold: float) -> Evaluation:
    """The evaluation of a run by rules that are settled."""
    order, rule = rows_in_order(run, rules.ties)
    parts = functools.partial(_parts, run, qrels, threshold, order, rule, rules)
    if len(list(blocks(qrels))) == 1:  # what is small is kept in the place of the run, from which it could be made anew
        kept = [Part(judged, functools.partial(_itself, groups_of())) for judged, groups_of in parts()]
        parts = functools.partial(iter, kept)
    values = ((part.judged, functools.partial(_value, rules=rules, part=part)) for part in parts())
    result = evaluation_of(rules, run.name, run.query_ids, qrels, values, rule)
    result = dataclasses.replace(result, over_orders=functools.partial(_extremes, rules, parts))
    if rules.ties == "bounds":
        for refusal in result.extremes.refused.values():
            raise ArgumentError(refusal)
    return result


class Part(NamedTuple):
    """The join of some queries, and what finds the groups of tied documents in it."""

    judged: Judged
    groups_of: Callable[[], TieGroups]


def evaluation_of(
    rules: Rules,
    name: str,
    query_ids: Sequence[str],
    qrels: Qrels,
    parts: Iterable[tuple[Judged, Callable[[Measure], np.ndarray]]],
    rule: str,
) -> Evaluation:
    """The evaluation of a run that is joined with its judgments."""
    per_query: dict[str, dict[str, float]] = {}
    missing: list[str] = []
    without_relevant: list[str] = []
    threshold = 1.0
    first_ten = np.zeros(2, dtype=np.int64)
    for judged, value in parts:
        counts = rules.counted(judged)
        first_ten += _first_ten(judged)
        per_query |= _per_query(judged, rules, rules.measures, value)
        missing += _where(judged.retrieved == 0, judged)
        without_relevant += _where(counts & (judged.n_relevant() == 0), judged)
        threshold = judged.threshold
    if not per_query:
        raise DataError("no document was retrieved for any judged query; without only_retrieved they count as 0")
    return Evaluation(
        name=name,
        measures=tuple(rules.measures),
        per_query=per_query,
        threshold=threshold,
        ties=rules.ties if rules.ties in ("bounds", *_OVER_ORDERS) else rule,
        undefined=rules.undefined,
        only_retrieved=rules.only_retrieved,
        missing=tuple(missing),
        without_relevant=tuple(without_relevant),
        unjudged=tuple(query_id for query_id in query_ids if query_id not in qrels),
        convention=rules.convention,
        first_ten=(int(first_ten[0]), int(first_ten[1])),
    )


def first_values(rules: Rules, parts: Iterable[tuple[Judged, Callable[[Measure], np.ndarray]]]) -> np.ndarray:
    """The values that `evaluation_of` has of the first measure, one a query that counts, and nothing else of it."""
    measure = rules.measures[0]
    values = (value(measure)[rules.counted(judged)] for judged, value in parts)
    return np.concatenate([_counted(measure, some, rules.value_of_none) for some in values])


def _parts(
    run: Run, qrels: Qrels, threshold: float, order: np.ndarray | None, rule: str, rules: Rules
) -> Iterator[Part]:
    """The join, some queries at a time: the matrices of all of them could be large."""
    for queries in blocks(qrels):
        judged = join(run, qrels, threshold, order, queries)
        if rules.convention.retrieved_only:
            judged = dataclasses.replace(judged, ideal=-np.sort(-judged.grades, axis=1))
        yield Part(judged, functools.partial(tie_groups, run, judged, rule, order))


def _first_ten(judged: Judged) -> tuple[int, int]:
    """How many documents stand among the first ten, and how many of them are unjudged (a negative grade is none)."""
    retrieved = int(np.minimum(judged.retrieved, 10).sum())
    return retrieved, retrieved - int(((judged.grades >= 0) & (judged.ranks <= 10)).sum())


def _itself(groups: TieGroups) -> TieGroups:
    return groups


def _per_query(
    judged: Judged, rules: Rules, measures: list[Measure], value: Callable[[Measure], np.ndarray]
) -> dict[str, dict[str, float]]:
    """Query_id → measure's text form → value, for the queries that count."""
    counts, names = rules.counted(judged), [str(measure) for measure in measures]
    columns = [_counted(measure, value(measure)[counts], rules.value_of_none) for measure in measures]
    return {
        query_id: dict(zip(names, row, strict=True))
        for query_id, *row in zip(_where(counts, judged), *columns, strict=True)
    }


def _value(measure: Measure, rules: Rules, part: Part) -> np.ndarray:
    """What a measure is, also where documents of equal score have no order."""
    if rules.ties not in _OVER_ORDERS:
        return measure.values(part.judged)
    groups, parameters = part.groups_of(), dict(measure.parameters)
    if rules.ties == "sklearn" and measure.name == "AP" and measure.cutoff is None and parameters.keys() <= {"rel"}:
        return taken_together(part.judged, groups, **parameters)  # type: ignore[arg-type]
    return expected_values(measure, part.judged, groups)


def _extremes(rules: Rules, parts: Callable[[], Iterable[Part]]) -> Extremes:
    """The lowest and highest values over the orders of tied documents, and which measures have none, and why."""
    refused: dict[str, str] = {}
    lowest: dict[str, dict[str, float]] = {}
    highest: dict[str, dict[str, float]] = {}
    for judged, groups_of in parts():
        groups = groups_of()
        found: dict[Measure, tuple[np.ndarray, np.ndarray]] = {}
        for measure in rules.measures:
            try:
                found[measure] = tie_bounds(measure, judged, groups)
            except ArgumentError as error:
                refused.setdefault(str(measure), str(error))
        for side, values in enumerate((lowest, highest)):
            of_side = {measure: both[side] for measure, both in found.items()}
            values |= _per_query(judged, rules, list(found), of_side.__getitem__)
    for row in chain(lowest.values(), highest.values()):
        for name in refused:  # in another part there may have been few enough orders
            row.pop(name, None)
    return Extremes(lowest, highest, refused)


def _counted(measure: Measure, values: np.ndarray, undefined: float) -> list[float]:
    """The values, with what counts where there is none: nothing where lower is better, for 0 would be the best."""
    counts: list[float] = np.where(
        np.isnan(values) & (measure.definition.better != "lower"), undefined, values
    ).tolist()
    return counts


def _where(chosen: np.ndarray, judged: Judged) -> tuple[str, ...]:
    return tuple(judged.query_ids[row] for row in np.flatnonzero(chosen).tolist())
