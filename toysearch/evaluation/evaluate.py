"""The evaluation of a run against relevance judgments, end to end."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress

import numpy as np

from toysearch.errors import ArgumentError, DataError
from toysearch.evaluation.expected_over_ties import expected_values, is_plain_average_precision, taken_together
from toysearch.evaluation.join import JoinedRun, blocks, join
from toysearch.evaluation.measures.definition import Value
from toysearch.evaluation.measures.measure import Measure
from toysearch.evaluation.result import Evaluation, Extremes
from toysearch.evaluation.settings import Convention, Settings, judgments_for, resolve
from toysearch.evaluation.ties import TieGroups, tie_bounds, tie_groups
from toysearch.formats.run_and_qrels import QrelsLike, RunLike, as_run, either_order
from toysearch.formats.run_order import rows_in_order
from toysearch.records import Qrels, Run

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate"]

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
OVER_ORDERS = ("average", "sklearn")
"""Ties for which a value is one over all orders of the tied documents."""


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

    Run and judgments may come in either order where they are distinguishable; of two dicts of dicts, or two JSON files,
    the judgments have to be named: ``qrels=``.

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
        The lowest grade that is relevant; by default that of the collection, else 1, with a note where grades
        are fractions. A ``rel`` of the measure itself takes precedence. A grade of 0 or less is never relevant.
    ties : {"rank", "trec_eval", "average", "bounds", "sklearn"}, optional
        The order of the documents: see `toysearch.formats.runs.ordered`. By default a ranking made in
        memory keeps its order, and a file or a dict of scores is ordered as in trec_eval. "average": the mean over all
        orders of the documents of equal score. "bounds": the default order, and a measure that has no
        `tie_bounds` is refused. "sklearn": as "average", and AP as scikit-learn has it.
    only_retrieved : bool, default False
        Leave out the judged queries for which the run has no document, which otherwise count as 0.
    undefined : {"zero", "nan"}, default "zero"
        What the measures of a query without relevant documents are: 0, as in trec_eval, or NaN, which is left
        out of the mean. Counts are counts in both.
    gains : mapping of float to float, optional
        For each grade of the judgments, the grade that replaces it: ``{1: 0, 2: 1, 3: 3}``.
    convention : {"trec_eval", "textbook", "sklearn"} or Convention
        What decides everything that is not given: see `toysearch.evaluation.conventions`.
    parameters : mapping of str to value, optional
        Parameters of the measures that take them, unless the name of a measure gives them: ``{"dcg": "log2"}``.

    Returns
    -------
    Evaluation
        Its `remarks` name the queries that did not count like the others.

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
    settings = resolve(measures, ties, only_retrieved, undefined, convention, parameters)
    run = as_run(run)
    judgments = judgments_for(settings, run.query_ids, qrels, gains, threshold)
    return evaluated(run, judgments.qrels, settings, judgments.threshold)


def evaluated(run: Run, qrels: Qrels, settings: Settings, threshold: float) -> Evaluation:
    """The evaluation of a run by settings that are resolved."""
    blocks = JoinedBlocks(run, qrels, settings, threshold)
    columns = values_over_orders(settings, blocks) if settings.ties in OVER_ORDERS else values(settings, blocks)
    result = evaluation_of(settings, run.name, run.query_ids, qrels, columns, blocks.rule)
    result = dataclasses.replace(result, over_orders=functools.partial(extremes, settings, blocks))
    if settings.ties == "bounds":
        for refusal in result.extremes.refused.values():
            raise ArgumentError(refusal)
    return result


class JoinedBlocks:
    """A run joined with judgments, some queries at a time: the matrices of all of them could be large."""

    def __init__(self, run: Run, qrels: Qrels, settings: Settings, threshold: float) -> None:
        self._run, self._qrels, self._threshold = run, qrels, threshold
        self._order, self.rule = rows_in_order(run, settings.ties)
        self._retrieved_only = settings.convention.retrieved_only
        self._queries = list(blocks(qrels))
        self._kept = [self._join(queries) for queries in self._queries] if len(self._queries) == 1 else []
        if self._kept:  # one block is small: it is kept, and of the run what tells which documents are tied
            self._run = Run(run.query_ids, run.offsets, [], run.scores, run.name, run.ranked)

    def _join(self, queries: slice) -> JoinedRun:
        joined = join(self._run, self._qrels, self._threshold, self._order, queries)
        return dataclasses.replace(joined, ideal=-np.sort(-joined.grades, axis=1)) if self._retrieved_only else joined

    def __iter__(self) -> Iterator[JoinedRun]:
        return iter(self._kept or map(self._join, self._queries))

    def with_groups(self) -> Iterator[tuple[JoinedRun, TieGroups]]:
        """Each block with the groups of tied documents in it."""
        for joined in self:
            yield joined, tie_groups(self._run, joined, self.rule, self._order)


Columns = Iterable[tuple[JoinedRun, list[np.ndarray]]]
"""The join, some queries at a time, and the values of each measure for them."""


def values(settings: Settings, blocks: Iterable[JoinedRun]) -> Columns:
    """The values of each measure for each query."""
    for joined in blocks:
        yield joined, [measure.terms(joined).values for measure in settings.measures]


def values_over_orders(settings: Settings, blocks: JoinedBlocks) -> Columns:
    """The same where documents of equal score have no order: the mean over all orders, or all of them at once."""
    for joined, groups in blocks.with_groups():
        at_once = settings.ties == "sklearn"
        yield (
            joined,
            [
                taken_together(joined, groups, **dict(measure.parameters))  # type: ignore[arg-type]
                if at_once and is_plain_average_precision(measure)
                else expected_values(measure, joined, groups)
                for measure in settings.measures
            ],
        )


def evaluation_of(
    settings: Settings, name: str, query_ids: Sequence[str], qrels: Qrels, columns: Columns, rule: str
) -> Evaluation:
    """The evaluation of a run of which the values are known; `rule` says what ordered it."""
    per_query: dict[str, dict[str, float]] = {}
    missing: list[str] = []
    without_relevant: list[str] = []
    threshold, retrieved, judged = 1.0, 0, 0
    for joined, values_of_measures in columns:
        per_query |= _per_query(settings, joined, settings.measures, values_of_measures)
        missing += compress(joined.query_ids, joined.retrieved == 0)
        without_relevant += compress(joined.query_ids, settings.counted(joined) & (joined.n_relevant() == 0))
        retrieved += int(np.minimum(joined.retrieved, 10).sum())
        judged += int(((joined.grades >= 0) & (joined.ranks <= 10)).sum())  # a negative grade is not a judgment
        threshold = joined.threshold
    if not per_query:
        raise DataError("no document was retrieved for any judged query; without only_retrieved they count as 0")
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
        unjudged=tuple(query_id for query_id in query_ids if query_id not in qrels),
        convention=settings.convention,
        first_ten=(retrieved, retrieved - judged),
    )


def first_values(settings: Settings, blocks: Iterable[JoinedRun]) -> np.ndarray:
    """The values of the first measure, one per query that counts, and nothing else of an evaluation."""
    measure = settings.measures[0]
    return np.concatenate(
        [settings.filled(measure, measure.values(joined)[settings.counted(joined)]) for joined in blocks]
    )


def _per_query(
    settings: Settings, joined: JoinedRun, measures: Sequence[Measure], columns: Sequence[np.ndarray]
) -> dict[str, dict[str, float]]:
    """Query_id → text form of a measure → value, for the queries that count."""
    counts, names = settings.counted(joined), [str(measure) for measure in measures]
    filled = [
        settings.filled(measure, column[counts]).tolist() for measure, column in zip(measures, columns, strict=True)
    ]
    return {
        query_id: dict(zip(names, row, strict=True))
        for query_id, *row in zip(compress(joined.query_ids, counts), *filled, strict=True)
    }


def extremes(settings: Settings, blocks: JoinedBlocks) -> Extremes:
    """The lowest and highest values over the orders of tied documents, and which measures have none, and why."""
    refused: dict[str, str] = {}
    lowest: dict[str, dict[str, float]] = {}
    highest: dict[str, dict[str, float]] = {}
    for joined, groups in blocks.with_groups():
        found: dict[Measure, tuple[np.ndarray, np.ndarray]] = {}
        for measure in settings.measures:
            try:
                found[measure] = tie_bounds(measure, joined, groups)
            except ArgumentError as error:
                refused.setdefault(str(measure), str(error))
        for side, of_side in enumerate((lowest, highest)):
            of_side |= _per_query(settings, joined, list(found), [pair[side] for pair in found.values()])
    for row in chain(lowest.values(), highest.values()):
        for name in refused:  # in another block there may have been few enough orders
            row.pop(name, None)
    return Extremes(lowest, highest, refused)
