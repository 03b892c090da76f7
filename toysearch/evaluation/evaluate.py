"""The evaluation of a run against relevance judgments.

Start with `evaluate`, then `evaluation_of`: the run is joined with the judgments once, and each measure gives its
values per query.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Remedy,
    Run,
    Unstated,
    expect,
    expect_finite,
    note,
    unknown,
)
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.run_order import order_of
from toysearch.evaluation.conventions import CONVENTIONS, Convention
from toysearch.evaluation.given_judgments import judgments_of
from toysearch.evaluation.joined_run import JoinedBlocks, JoinedRun, join_blocks
from toysearch.evaluation.measures.definition import Value
from toysearch.evaluation.measures.measure import SIZE, Measure, MeasuresLike, parse_measures
from toysearch.evaluation.values_and_means import Evaluation, Extremes, PerQuery
from toysearch.files import QrelsLike, RunLike, as_run, judgments_in, whole_or_fraction

if TYPE_CHECKING:
    from toysearch.evaluation.ties import TieGroups

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate", "out_of_reach"]


DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
OVER_ORDERS = ("average", "sklearn")
"""Values of `ties` for which a measure is computed over all orders of the tied documents."""


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    measures: MeasuresLike = DEFAULT_MEASURES,
    *,
    threshold: float | None = None,
    ties: str | None = None,
    only_retrieved: bool | None = None,
    undefined: str | None = None,
    gains: Mapping[float, float] | None = None,
    convention: str | Convention = "trec_eval",
    parameters: Mapping[str, Value] | None = None,
) -> Evaluation:
    """Evaluate a run: the value of each measure for each judged query, and their means, as trec_eval computes them.

    Parameters
    ----------
    run : Run, dict or path
        What a system returned: a `Run`; a dict of query_id → doc_id → score; a dict of query_id → list of
        doc_ids, best first; a data frame; or the path of a file that `read_run` reads. Whole numbers are ids too.
    qrels : Qrels, dict, path, name or Collection
        The judgments: `Qrels`; a dict of query_id → doc_id → grade, or → a list or set of relevant doc_ids; a data
        frame; the path of a file that `read_qrels` reads; or a collection, also by its name.
    measures : str, function or iterable, default ("AP", "nDCG@10", "P@10")
        Names as in ir_measures, in one text (``"AP P(rel=2)@5"``) or one by one; functions as `measure` takes them.
    threshold : float, optional
        The lowest grade that is relevant; by default that of the collection, else 1, with a note where grades
        are fractions. A ``rel`` of the measure itself takes precedence. A grade of 0 or less is never relevant.
    ties : {"rank", "trec_eval", "average", "bounds", "sklearn"}, optional
        The order of the documents: see `toysearch.base.run_order.ordered`. By default a ranking made in
        memory keeps its order, and a file or a dict of scores is ordered as in trec_eval. "average": the mean over all
        orders of the documents of equal score. "bounds": the default order, and a measure that has no
        `tie_bounds` is refused. "sklearn": as "average", and AP as scikit-learn has it.
    only_retrieved : bool, default False
        Leave out the judged queries for which the run has no document, which otherwise count as 0.
    undefined : {"zero", "nan"}, default "zero"
        The value of a measure for a query without relevant documents: 0, as in trec_eval, or NaN, which is left
        out of the mean. Counts are not affected.
    gains : mapping of float to float, optional
        For each grade of the judgments, the grade that replaces it: ``{1: 0, 2: 1, 3: 3}``.
    convention : {"trec_eval", "textbook", "sklearn"} or Convention
        The defaults of all options that are not given: see `toysearch.evaluation.conventions`.
    parameters : mapping of str to value, optional
        Parameters of the measures that take them, unless the name of a measure gives them: ``{"dcg": "log2"}``,
        ``{"N": 1400}``.

    Returns
    -------
    Evaluation
        Its `remarks` name the queries that did not count like the others.

    Raises
    ------
    ArgumentError
        If a measure or an option is unknown or invalid.
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
    settings = resolve(measures, ties, only_retrieved, undefined, convention, parameters)
    plain = isinstance(qrels, Mapping) and isinstance(run, Mapping)
    if plain and compiled():
        with suppress(OverflowError):  # unusual values are checked after the run
            grades: Any = qrels
            qrels = Qrels.of_usual(grades) or qrels
    run = as_run(run, qrels)
    judgments, lowest = judgments_for(settings, run.query_ids, qrels, gains, threshold, run)
    if plain:
        note_judgments_first(run, judgments, "evaluate(run, qrels)")
    return evaluated(run, judgments, settings, lowest)


def note_judgments_first(run: Run, qrels: Qrels, call: str) -> None:
    """Note two dicts in the order of trec_eval: equal whole numbers, then fractions, equal nowhere."""
    if not np.isfinite(run.values).all() or (run.values % 1).any() or not (qrels.values % 1).any():
        return
    ties = (len(np.unique(values)) < values.size for values in (run.values, qrels.values))
    if [*ties] == [True, False]:
        found = "the run has grades, whole and often equal, and the judgments scores, all different"
        note(f"{found}; runs come first: {call}; if these are in order, give Run(run)")


UNDEFINED = ("zero", "nan")


class Settings(NamedTuple):
    """Measures to compute, and the options that a convention may decide."""

    measures: list[Measure]  # each once
    convention: Convention  # the source of the other settings
    ties: str | None  # see `evaluate`
    undefined: str  # "zero" | "nan": see `evaluate`
    only_retrieved: bool  # see `evaluate`; the fewest documents of a query that counts: 0 or 1

    def filled(self, measure: Measure, values: np.ndarray) -> np.ndarray:
        """Replace undefined values by 0, or by NaN if that was asked for or if 0 would be the best value."""
        if self.undefined == "nan" or measure.definition.better == "lower":
            return values
        return np.where(np.isnan(values), 0.0, values)


def resolve(
    measures: MeasuresLike,
    ties: str | None,
    only_retrieved: bool | None,
    undefined: str | None,
    convention: str | Convention,
    parameters: Mapping[str, Value] | None,
) -> Settings:
    """Resolve the settings of an evaluation: the given options, and the defaults of a convention for all others."""
    if not isinstance(convention, Convention):
        if not isinstance(convention, str) or convention not in CONVENTIONS:
            raise unknown("convention", convention, CONVENTIONS)
        convention = CONVENTIONS[convention]
    if parameters is not None:
        expect(Mapping, parameters=parameters)
    if only_retrieved is not None:
        expect(bool, only_retrieved=only_retrieved)
    parsed = parse_measures(measures, parameters or ())
    settled = convention.overridden(parameters, parsed) if parameters else convention
    if settled.parameters:
        parsed = list(dict.fromkeys(map(settled.applied, parsed)))
    undefined = settled.undefined if undefined is None else undefined
    if undefined not in UNDEFINED:
        raise unknown("value for undefined", undefined, UNDEFINED, "values for undefined")
    return Settings(
        parsed,
        settled,
        settled.ties if ties is None else ties,
        undefined,
        settled.only_retrieved if only_retrieved is None else only_retrieved,
    )


def judgments_for(
    settings: Settings,
    query_ids: Sequence[str],
    qrels: QrelsLike,
    gains: Mapping[float, float] | None,
    threshold: float | None,
    run: Run | None = None,
) -> tuple[Qrels, float]:
    """Return the judgments of an evaluation, with their grades replaced by the given gains, and the threshold."""
    # The threshold is the given one, else that of the collection, else 1. A note warns if this default, or the lowest
    # grade, may have another meaning. A run without any judged query is refused.
    judgments, of_collection = judgments_in(qrels) if isinstance(qrels, Qrels) else judgments_of(qrels, run)
    if gains is not None:  # the threshold of a collection is one of its own grades
        judgments, of_collection = remapped(judgments, gains), None
    grades = judgments.values
    lowest, highest = float(grades.min()), float(grades.max())
    fractions = grades[grades % 1 != 0]
    threshold = of_collection if threshold is None else threshold
    is_open = isinstance(threshold, Unstated | None)
    if lowest > 0 and gains is None and is_open and not judgments.from_log:
        _note_lowest_counts(grades, settings.measures, is_open=threshold is None)
    if set(judgments.query_ids).isdisjoint(query_ids):
        ours, theirs = ({one.removesuffix(".0") for one in ids} for ids in (query_ids, judgments.query_ids))
        remedy = "the ids must be equal as texts"
        if not ours.isdisjoint(theirs):
            remedy = "they differ by a final .0, as pandas writes numbers beside empty cells: write the ids as texts"
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{query_ids[0]}', the judgments such as '{judgments.query_ids[0]}'; {remedy}"
        )
    if threshold is not None:
        expect_finite(threshold, "the threshold")
        if threshold > highest > 0 and threshold != of_collection and settings.undefined != "nan":
            note(f"threshold: {_BEYOND.format(threshold, highest)}")
    else:
        threshold = _DEFAULT
        least = float(grades[grades > 0].min(initial=threshold))
        if fractions.size and least < threshold:
            least = highest / 2 if lowest > 0 and highest < threshold else least  # else all were relevant
            short = f"{least:g}" if float(f"{least:g}") <= least else repr(least)  # else it leaves this grade out
            other = Remedy("evaluate", threshold=float(short))
            note(
                f"relevant means grade 1 or above, though some grades are fractions, such as {fractions[0]:g}; {other} "
                f"or AP(rel={short}) changes it"
            )
    return judgments, float(threshold)


_DEFAULT = 1.0
"""Lowest relevant grade, if nobody gives another one."""


def _note_lowest_counts(judged: np.ndarray, measures: Sequence[Measure], *, is_open: bool) -> None:
    """Note what the lowest grade of all, above 0, does to measures, if it is the commonest, as that of no relevance is.

    is_open : whether no threshold is known
    """
    # Only such scales raise the question: judgments of one grade name the relevant documents and no others, and shares
    # (of votes, a probability) mean what they say.
    values, counts = np.unique(judged, return_counts=True)
    grades: list[float] = values.tolist()
    are_shares = (values % 1).any() and not _DEFAULT <= grades[0] <= grades[-1] - 1
    if are_shares or len(grades) == 1 or counts[0] <= counts[1:].max():
        return
    effects, remedies = list[str](), list[object]()
    plain = [measure for measure in measures if not {"rel", "gains"} & dict(measure.parameters).keys()]
    of_grades = [measure for measure in plain if measure.definition.family == "graded" or measure.name == "RBP"]
    binary = [measure for measure in plain if measure not in of_grades and "rel" in measure.definition.parameters]
    if binary and is_open and grades[0] >= _DEFAULT:
        effects.append(f"counts as relevant in {binary[0]}")
        remedies.append(Remedy("evaluate", threshold=whole_or_fraction(grades[1])))
    if of_grades:
        measure = of_grades[0]
        effects.append(f"has a gain in {measure}")
        gains = ",".join([f"{grades[0]:g}=0", *(f"{grade:g}={grade:g}" for grade in grades[1:])])
        remedy: object = Remedy("read_qrels", grades=gains)
        if "gains" in measure.definition.parameters:
            remedy = replace(measure, parameters=(*measure.parameters, ("gains", ((grades[0], 0.0),))))
        remedies.append(remedy)
    if effects:
        means = f"if it means not relevant: {' and '.join(map(str, remedies))}"
        note(f"the lowest grade, {grades[0]:g}, {' and '.join(effects)}; {means}")


def remapped(qrels: Qrels, gains: Mapping[float, float]) -> Qrels:
    """Replace each grade of the judgments."""
    expect(Mapping, gains=gains)
    replaced = np.full(len(qrels), np.nan)
    for grade, gain in gains.items():
        both: list[Any] = [grade, gain]  # math.isfinite fails beyond all floats
        if not all(isinstance(number, Real) and abs(number) <= sys.float_info.max for number in both):  # type: ignore[operator]
            raise ArgumentError(f"gains: expected finite numbers, such as {{1: 0, 2: 1}}; found {grade!r}: {gain!r}")
        replaced[qrels.relevance == grade] = gain
    for row in np.flatnonzero(np.isnan(replaced))[:1].tolist():
        grades = ", ".join(f"{grade:g}" for grade in gains) or "no grade"
        raise DataError(
            f"query '{qrels.query_of(row)}', document '{qrels.doc_ids[row]}': gains has no entry for the grade "
            f"{qrels.relevance[row]:g}, only for {grades}; give one, {qrels.relevance[row]:g} again to keep it"
        )
    return qrels.with_gains(replaced, gains)


def out_of_reach(qrels: Qrels, measures: str | Iterable[object], threshold: float | None = None) -> str:
    """Name in a sentence a threshold, or a ``rel`` of a measure, that no grade reaches; "" if each is reached.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    measures : str or iterable
        As `evaluate` takes them.
    threshold : float, optional
        The lowest relevant grade, if one was given.

    Examples
    --------
    >>> out_of_reach(Qrels.from_dict({"1": {"a": 2}}), "P(rel=3)@5")
    'P(rel=3)@5: no judgment has a grade of 3 or above, the highest is 2; nothing could be relevant'
    """
    expect(Qrels, qrels=qrels)
    if threshold is not None:
        expect(float, threshold=threshold)
    highest = float(qrels.relevance.max(initial=0))
    levels = {parsed.text: dict(parsed.parameters).get("rel") for parsed in parse_measures(measures, SIZE)}
    for name, rel in [("threshold", threshold), *levels.items()]:
        if isinstance(rel, int | float) and rel > highest:
            return f"{name}: {_BEYOND.format(rel, highest)}"
    return ""


_BEYOND = "no judgment has a grade of {:g} or above, the highest is {:g}; nothing could be relevant"


def expect_options(function: str, options: Iterable[str]) -> None:
    """Refuse, as an argument of the function that was called, what is not an option of `evaluate`."""
    for name in options:
        if name not in (evaluate.__kwdefaults__ or {}):
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def evaluated(run: Run, qrels: Qrels, settings: Settings, threshold: float) -> Evaluation:
    """Evaluate a run with resolved settings."""
    order = order_of(run, settings.ties)
    blocks = join_blocks(run, qrels, threshold, order, settings.convention.retrieved_only)
    grouped: Iterable[tuple[JoinedRun, TieGroups | None]] = ((joined, None) for joined in blocks)
    if settings.ties in OVER_ORDERS:
        from toysearch.evaluation.ties import with_groups  # most evaluations have one order

        grouped = with_groups(blocks)
    result = evaluation_of(settings, run.name, run.query_ids, qrels, grouped, order.rule)
    result = replace(result, over_orders=partial(extremes, settings, blocks.lasting()))
    if settings.ties == "bounds":
        for refusal in result.extremes.refused.values():
            raise ArgumentError(refusal)
    return result


def evaluation_of(
    settings: Settings,
    name: str,
    query_ids: Sequence[str],
    qrels: Qrels,
    blocks: Iterable[tuple[JoinedRun, TieGroups | None]],
    rule: str,
) -> Evaluation:
    """Evaluate a joined run, over all orders of its tied documents if groups of these are given."""
    # rule: the name of the order of the run.
    per_query: PerQuery = {}
    missing: list[str] = []
    without_relevant: list[str] = []
    own = {measure.text: place for place, measure in enumerate(settings.measures) if measure.definition.family == "own"}
    not_defined: dict[str, list[str]] = {text: [] for text in own}
    threshold, retrieved, judged, negative, judged_ids = 1.0, 0, 0, 0, set(qrels.query_ids)
    for joined, groups in blocks:
        missing += compress(joined.query_ids, joined.retrieved == 0)
        negative += int((joined.ideal < 0).sum())
        if settings.only_retrieved:
            answered = np.flatnonzero(joined.retrieved)
            joined, groups = joined.of_queries(answered), groups and groups.take(answered)
        if groups is None:
            columns = [measure.terms(joined).values for measure in settings.measures]
        else:
            from toysearch.evaluation.ties import expected_values, is_plain_average_precision, taken_together

            at_once = settings.ties == "sklearn"
            columns = [
                taken_together(joined, groups, **dict(measure.parameters))  # type: ignore[arg-type]
                if at_once and is_plain_average_precision(measure)
                else expected_values(measure, joined, groups)
                for measure in settings.measures
            ]
        per_query |= _per_query(settings, joined, settings.measures, columns)
        for text, place in own.items():
            not_defined[text] += compress(joined.query_ids, np.isnan(columns[place]))
        without_relevant += compress(joined.query_ids, joined.n_relevant() == 0)
        retrieved += int(np.minimum(joined.retrieved, 10).sum())
        judged += int((joined.ranks <= 10).sum())
        threshold = joined.threshold
    if not per_query and not settings.convention.only_retrieved:
        raise DataError("no document was retrieved for any judged query; without only_retrieved they count as 0")
    for text, ids in not_defined.items():
        if len(ids) == len(per_query) and settings.undefined != "nan":
            raise ArgumentError(
                f"measure '{text}' gives nan for every query; every value must be a finite number, or NaN where it is "
                "not defined"
            )
    other_ids = tuple(query_id for query_id in query_ids if query_id not in judged_ids)
    without_value = {text: tuple(ids) for text, ids in not_defined.items() if ids}
    return Evaluation(
        name=name,
        measures=tuple(settings.measures),
        per_query=per_query,
        threshold=threshold,
        ties=settings.ties if settings.ties in ("bounds", *OVER_ORDERS) else rule,
        undefined=settings.undefined,
        only_retrieved=settings.only_retrieved,
        missing=tuple(missing),
        without_relevant=tuple(without_relevant),
        unjudged=other_ids,
        not_defined=without_value,
        n_negative=negative,
        convention=settings.convention,
        first_ten=(retrieved, 0 if qrels.complete else retrieved - judged),
        needs=qrels.needs,
    )


def _per_query(
    settings: Settings, joined: JoinedRun, measures: Sequence[Measure], columns: Sequence[np.ndarray]
) -> PerQuery:
    names = [measure.text for measure in measures]
    filled = [
        (settings.filled(measure, column) if np.isnan(column).any() else column).tolist()
        for measure, column in zip(measures, columns, strict=True)
    ]
    return {
        query_id: dict(zip(names, row, strict=True)) for query_id, *row in zip(joined.query_ids, *filled, strict=True)
    }


def extremes(settings: Settings, blocks: JoinedBlocks) -> Extremes:
    """Return the lowest and highest values over the orders of tied documents, and why measures have none."""
    from toysearch.evaluation.ties import TiedOrders, with_groups

    refused: dict[str, str] = {}
    lowest: PerQuery = {}
    highest: PerQuery = {}
    for joined, groups in with_groups(blocks):
        if settings.only_retrieved:
            answered = np.flatnonzero(joined.retrieved)
            joined, groups = joined.of_queries(answered), groups.take(answered)
        orders, bounds = TiedOrders(joined, groups), dict[Measure, tuple[np.ndarray, np.ndarray]]()
        for measure in settings.measures:
            try:
                bounds[measure] = orders.bounds(measure)
            except ArgumentError as error:
                refused.setdefault(measure.text, str(error))
        lows, highs = zip(*bounds.values(), strict=True) if bounds else ((), ())
        of_lows = _per_query(settings, joined, [*bounds], lows)
        lowest |= of_lows
        highest |= _per_query(settings, joined, [*bounds], highs) if orders.rows.size else of_lows
    for row in chain(lowest.values(), highest.values()):
        for name in refused:  # another block may have had few enough orders
            row.pop(name, None)
    return Extremes(lowest, highest, refused)
