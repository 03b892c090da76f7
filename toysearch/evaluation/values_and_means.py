"""Result of an evaluation: the value of each measure for each query, and every way to summarise them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    ResultTable,
    Rows,
    TextNeeds,
    agreeing,
    counted,
    expect_name,
    groups_of,
    number_columns,
    some,
)
from toysearch.evaluation import Convention, Measure
from toysearch.evaluation.conventions import CONVENTIONS
from toysearch.evaluation.intervals import MeanInterval, check_alpha, mean_interval

__all__ = ["AGGREGATES"]


def arithmetic(values: Sequence[float]) -> float:
    """AM = Σ x / n: the mean for amounts. NaN without values."""
    return math.fsum(values) / len(values) if len(values) else math.nan


def geometric(values: Sequence[float], floor: float = 0.0) -> float:
    """GM = (Π x)^(1/n) = exp(Σ ln x / n): the mean for ratios; 0 if a value is 0. NaN without values."""
    # Robertson 2006, "On GMAP: and other transformations", CIKM.
    raised = [max(value, floor) for value in _from_zero_on("geometric", values)]
    if not raised or 0 in raised:
        return 0.0 if raised else math.nan
    return math.exp(math.fsum(map(math.log, raised)) / len(raised))


def harmonic(values: Sequence[float]) -> float:
    """HM = n / Σ (1/x): the mean for rates; 0 if a value is 0, its limit there. NaN without values."""
    # F is the harmonic mean of precision and recall: it is never more than n times the lowest value, so that neither
    # can make up for the other. van Rijsbergen 1979, Information Retrieval, chapter 7.
    checked = _from_zero_on("harmonic", values)
    if not checked or 0 in checked:
        return 0.0 if checked else math.nan
    return len(checked) / math.fsum(1 / value for value in checked)


def _from_zero_on(kind: str, values: Sequence[float]) -> list[float]:
    for value in values:
        if value < 0:
            raise ArgumentError(f"a {kind} mean needs numbers of at least 0, and {value:g} is negative")
    return [float(value) for value in values]


FLOOR = 0.00001  # lower values count as this in the geometric means of trec_eval

AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = MappingProxyType(
    {
        "mean": arithmetic,
        "gm": lambda values: geometric(values, FLOOR),
        "hm": harmonic,
        "median": np.median,
        "min": min,
        "max": max,
        "sum": math.fsum,
    }
)
"""Name → function of at least one value: arithmetic, geometric and harmonic mean, …"""


def aggregated(values: Sequence[float], how: str) -> float:
    """Aggregate the values of all queries: NaN if there are no values, but their sum is then 0."""
    expect_name("aggregate", how, AGGREGATES)
    defined = [value for value in values if not math.isnan(value)]
    return float(AGGREGATES[how](defined)) if defined or how == "sum" else math.nan


def over_needs(query_ids: Sequence[str], rows: np.ndarray, needs: TextNeeds) -> tuple[tuple[str, ...], np.ndarray]:
    """Average the rows of the texts of each need, of each column what is defined; return the needs, and a row for each.

    >>> needs = TextNeeds({"1-1": "1", "1-2": "1"})
    >>> over_needs(["1-1", "1-2", "2"], np.array([[0.5], [1.0], [0.0]]), needs)[1].tolist()
    [[0.75], [0.0]]
    """
    if not needs:
        return tuple(query_ids), rows
    places = groups_of((needs[query_id], place) for place, query_id in enumerate(query_ids))
    means = [
        np.apply_along_axis(lambda column: aggregated(column.tolist(), "mean"), 0, rows[few]) for few in places.values()
    ]
    return tuple(places), np.array(means)


PerQuery: TypeAlias = dict[str, dict[str, float]]
"""Query → measure → value."""


class Extremes(NamedTuple):
    """Values over all orders of tied documents: the lowest and the highest, each as `Evaluation.per_query`.

    `refused` names the measures without them, and says why.
    """

    lowest: PerQuery
    highest: PerQuery
    refused: dict[str, str]


@dataclass(frozen=True, repr=False)
class Evaluation(Rows):
    """Values of measures for a run. ``result["AP"]`` is a mean, ``result.per_query["12"]["AP"]`` a value.

    Attributes
    ----------
    name : str
        The name of the run.
    measures : tuple of Measure
        Computed measures.
    per_query : dict of str to dict of str to float
        Query_id → measure's text form → value, in the order of the judgments. NaN where undefined.
    threshold : float
        The lowest grade that counted as relevant, where a measure has no ``rel``.
    ties : {"rank", "trec_eval", "average", "bounds", "sklearn"}
        Order of equal scores, or the value taken over all their orders.
    undefined : {"zero", "nan"}
        The value of a query without relevant documents.
    only_retrieved : bool
        Whether queries for which nothing was retrieved were left out.
    missing : tuple of str
        Judged queries for which the run has no document.
    without_relevant : tuple of str
        Queries of `per_query` without a document of the threshold or above.
    unjudged : tuple of str
        Queries of the run without a judgment, which are left out.
    not_defined : dict of str to tuple of str
        Measure of your own → queries for which its function returned NaN.
    n_negative : int
        The number of judgments with a negative grade.
    convention : Convention
        The convention that decided what was not given.
    first_ten : tuple of (int, int)
        The number of documents among the first ten of all queries, and how many of them are unjudged: none if the
        judgments are complete.
    over_orders : callable, optional
        Computes `extremes` when they are first needed.
    needs : TextNeeds
        Query → the information need that it is a text of; empty if no need has several texts. Each need counts once in
        a mean, by the mean of its texts.
    """

    name: str
    measures: tuple[Measure, ...]
    per_query: PerQuery
    threshold: float
    ties: str
    undefined: str
    only_retrieved: bool
    missing: tuple[str, ...]
    without_relevant: tuple[str, ...]
    unjudged: tuple[str, ...]
    not_defined: dict[str, tuple[str, ...]] = field(default_factory=dict)
    n_negative: int = 0
    convention: Convention = CONVENTIONS["trec_eval"]
    first_ten: tuple[int, int] = (0, 0)
    over_orders: Callable[[], Extremes] | None = field(default=None, compare=False)
    needs: TextNeeds = field(default_factory=TextNeeds)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the values of each query in a table."""
        names = list(map(str, self.measures))
        rows = ([query_id, *(values[name] for name in names)] for query_id, values in self.per_query.items())
        return [ResultTable([Column("query_id"), *number_columns(".4f", *names)], rows, n=self.n_queries)]

    @property
    def n_queries(self) -> int:
        """Number of evaluated queries; of needs with several texts, that of the texts."""
        return len(self.per_query)

    @property
    def texts(self) -> dict[str, list[str]]:
        """Need → its evaluated queries, in the order of the judgments; a query without a need stands for its own."""
        return self.needs.texts(self.per_query)

    @property
    def by_need(self) -> PerQuery:
        """Need → measure → mean over its texts; `per_query` if no need has several.

        Examples
        --------
        >>> from toysearch import Qrels, evaluate
        >>> qrels = Qrels({"1": {"a": 1}}).for_texts({"1-1": "1", "1-2": "1"})
        >>> evaluate({"1-1": ["a"], "1-2": ["b", "a"]}, qrels, "RR").by_need
        {'1': {'RR': 0.75}}
        """
        if not self.needs:
            return self.per_query
        names, rows = [*map(str, self.measures)], self.per_query.values()
        needs, means = over_needs(
            [*self.per_query], np.array([[row[name] for name in names] for row in rows]), self.needs
        )
        return {need: dict(zip(names, row, strict=True)) for need, row in zip(needs, means.tolist(), strict=True)}

    @property
    def size(self) -> str:
        """Number of queries in words, or of needs and their texts."""
        return self.needs.size(self.per_query)

    @property
    def counts(self) -> dict[str, int]:
        """Number of queries for JSON: of needs with several texts, how many needs, and how many texts in all."""
        return self.needs.counts(self.per_query)

    @property
    def unjudged_share(self) -> float:
        """Share of the first ten documents that is unjudged, over all queries; 0 where nothing was retrieved.

        Examples
        --------
        >>> from toysearch import evaluate
        >>> evaluate({"1": ["a", "x"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1, "b": 0}}).unjudged_share
        0.25
        """
        retrieved, unjudged = self.first_ten
        return unjudged / retrieved if retrieved else 0.0

    @property
    def means(self) -> dict[str, float]:
        """Text form of a measure → value for all queries: the mean (the sum for counts), without NaN."""
        return self.aggregates()

    def __getitem__(self, measure: str | Measure) -> float:
        try:
            return self.aggregate(measure)
        except ArgumentError:
            if measure in self.per_query:
                raise ArgumentError(f"'{measure}' is a query; its values are .per_query['{measure}']") from None
            raise

    def keys(self) -> list[str]:
        """Return the text forms of the measures, so that ``dict(evaluation)`` is `means`."""
        return list(self.means)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def aggregate(self, measure: str | Measure, how: str | None = None) -> float:
        """Aggregate a measure over all queries.

        Parameters
        ----------
        measure : str or Measure
            One of `measures`.
        how : {"mean", "gm", "hm", "median", "min", "max", "sum"}, optional
            That of the measure by default: the sum for counts, the geometric mean for GMAP, the mean for all
            others. "gm", the geometric mean, takes 0.00001 for lower values, as trec_eval does; "hm" is the
            harmonic mean.

        Returns
        -------
        float
            Over the queries for which the measure is defined; NaN where there are none.

        Raises
        ------
        ArgumentError
            If the measure was not evaluated, or there is no such aggregate.

        Examples
        --------
        >>> from toysearch import evaluate
        >>> result = evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, "AP")
        >>> result["AP"], result.aggregate("AP", "min")
        (0.75, 0.5)
        """
        one = self._evaluated(measure)
        # Each mean is rounded once, so it does not depend on the order of the queries.
        values = [row[one.text] for row in self.by_need.values()]
        return aggregated(values, how or one.definition.aggregate)

    def aggregates(self, how: str | None = None) -> dict[str, float]:
        """Text form of a measure → value for all queries, by the same aggregate, except for counts.

        Parameters
        ----------
        how : str, optional
            As in `aggregate`; counts are always summed.
        """
        return {
            one.text: self.aggregate(one, None if one.definition.aggregate == "sum" else how) for one in self.measures
        }

    def intervals(self, alpha: float = 0.05) -> dict[str, MeanInterval]:
        """Text form of a measure → confidence interval of its mean, over the same values: mean ± t(n − 1) · s / √n.

        Counts and geometric means have none, nor has the mean of fewer than 5 values or of equal ones.

        Parameters
        ----------
        alpha : float, default 0.05
            1 minus the level, between 0 and 1.

        Examples
        --------
        >>> from toysearch import evaluate
        >>> result = evaluate({n: ["b", "a"][int(n) > 1 :] for n in "12345"}, {n: {"a": 1} for n in "12345"}, "RR")
        >>> interval = result.intervals()["RR"]
        >>> round(result["RR"], 4), round(interval.low, 4), interval.high
        (0.9, 0.6224, 1.0)
        """
        check_alpha(alpha)
        rows, found = self.by_need.values(), {}
        for measure in self.measures:
            values = np.array([row[measure.text] for row in rows if not math.isnan(row[measure.text])])
            if measure.definition.aggregate == "mean" and len(values):
                interval = mean_interval(measure, values, alpha)
                if 0 < interval.half < math.inf:
                    found[measure.text] = interval
        return found

    def worst(self, measure: str | Measure | None = None, n: int | None = None) -> list[tuple[str, float]]:
        """List the queries with their values, worst first; equal ones in the order of the judgments.

        Parameters
        ----------
        measure : str or Measure, optional
            One of `measures`; the first by default.
        n : int, optional
            Number of queries; all by default.

        Returns
        -------
        list of (str, float)
            Query_id and value; queries for which the measure is undefined are left out.
        """
        one = self._evaluated(self.measures[0] if measure is None else measure)
        values = [(query_id, row[one.text]) for query_id, row in self.per_query.items()]
        return sorted((pair for pair in values if not math.isnan(pair[1])), key=lambda pair: one.sign * pair[1])[:n]

    @cached_property
    def extremes(self) -> Extremes:
        """Lowest and highest value for each query over all orders of tied documents."""
        return self.over_orders() if self.over_orders else Extremes(self.per_query, self.per_query, {})

    @cached_property
    def tie_bounds(self) -> dict[str, tuple[float, float]]:
        """Text form of a measure → lowest and highest value for all queries over all orders of tied documents.

        A measure with too many orders to try is missing; `extremes.refused` says why.

        Examples
        --------
        >>> from toysearch import evaluate
        >>> evaluate({"1": {"a": 1, "b": 1}}, qrels={"1": {"a": 1}}, measures="RR P@2").tie_bounds
        {'RR': (0.5, 1.0), 'P@2': (0.5, 0.5)}
        """
        bounded = tuple(measure for measure in self.measures if measure.text not in self.extremes.refused)
        low, high = (replace(self, measures=bounded, per_query=values).aggregates() for values in self.extremes[:2])
        return {name: (low[name], high[name]) for name in low}

    @property
    def tied_queries(self) -> tuple[str, ...]:
        """Queries whose values depend on the order of tied documents."""
        low, high, _ = self.extremes
        return tuple(
            query_id
            for query_id, row in high.items()
            if any(low[query_id][name] < value for name, value in row.items())
        )

    @property
    def tie_remark(self) -> str:
        """Sentence about the queries whose values depend on the order of tied documents; empty if there are none."""
        refused, tied = self.extremes.refused, self.tied_queries
        parts = [
            f"tied documents affect the values of {len(tied)} of {counted(self.n_queries, 'query', 'queries')}: "
            f"{some(tied)}"
        ] * bool(tied)
        if refused:
            parts.append(f"too many orders of tied documents to know the bounds of {', '.join(refused)}")
        return "; ".join(parts)

    @property
    def remarks(self) -> list[str]:
        """One sentence for each kind of query that does not count like the others; no query is dropped silently."""
        judged = self.n_queries + (len(self.missing) if self.only_retrieved else 0)
        lower = any(measure.definition.better == "lower" for measure in self.measures)
        missing = f"[counts|count] {'as having found nothing' if lower else 'as 0'}"
        undefined = "[is|are] undefined and left out of the mean" if self.undefined == "nan" else "[scores|score] 0"
        if self.only_retrieved:
            missing = "left out"
        among = f"of {counted(judged, 'judged query', 'judged queries')}"
        of_all = f"of {counted(self.n_queries, 'query', 'queries')} [has|have]"
        is_left_out = lower or self.undefined == "nan"
        unvalued = "[is|are] left out of its mean" if is_left_out else "[scores|score] 0"
        sentences = [
            (self.missing, f"{among} [is|are] missing from the run and {missing}"),
            (self.without_relevant, f"{of_all} no relevant document and {undefined}"),
        ]
        sentences += [(ids, f"{of_all} no value of {text} and {unvalued}") for text, ids in self.not_defined.items()]
        sentences.append((self.unjudged, "[query|queries] of the run [has|have] no judgments and [is|are] left out"))
        remarks = [f"{len(ids)} {agreeing(len(ids), text)}: {some(ids)}" for ids, text in sentences if ids]
        by_kind = groups_of(
            ("unjudged" if "judged_only" in dict(one.parameters) else one.definition.negative, one.text)
            for one in self.measures
        )
        parts = []
        if "judged" in by_kind:
            parts.append(f"not relevant for {', '.join(by_kind['judged'])}")
        if "unjudged" in by_kind:
            parts.append(f"unjudged for {', '.join(by_kind['unjudged'])}, as in trec_eval")
        if self.n_negative and parts:
            counts = f"{agreeing(self.n_negative, '[counts|count]')} as {' and as '.join(parts)}"
            remarks.append(f"{counted(self.n_negative, 'judgment')} with a negative grade {counts}")
        return remarks

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.means.items())
        return f"<Evaluation of '{self.name}' on {self.size}: {means}>"

    def _evaluated(self, measure: str | Measure) -> Measure:
        parsed = measure if isinstance(measure, Measure) else Measure.parse(measure)
        if parsed not in self.measures:
            parsed = self.convention.applied(parsed)
        if parsed not in self.measures:
            raise ArgumentError(f"{parsed} was not evaluated; there are {', '.join(map(str, self.measures))}")
        return parsed
