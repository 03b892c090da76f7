"""Groups of queries, with means and tests: short and long ones, or those with a value in a column of the topics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    BORDER,
    ArgumentError,
    Column,
    Part,
    Remedy,
    Result,
    ResultTable,
    Sentences,
    bordered,
    counted,
    groups_of,
    number_columns,
    plain,
    table_columns,
    unknown,
)
from toysearch.evaluation import mean_measures
from toysearch.evaluation.evaluate import Evaluation
from toysearch.evaluation.intervals import FEWEST
from toysearch.evaluation.values_and_means import over_needs
from toysearch.study.compare.significance import Procedure, corrected_tests, finite_differences, interval_source
from toysearch.study.study import Study

__all__ = ["GroupMean", "GroupMeans"]

LENGTH = "length"
_LONG = 5
_FEW = 10


class GroupMean(NamedTuple):
    """System on the queries of a group.

    Attributes
    ----------
    measure : str
        The measure.
    group : str
        The value of the queries: their number of words, or that of the column.
    n : int
        The number of queries with a value, or of needs with several texts.
    system : str
        The system.
    mean : float
        Its mean over these queries.
    difference, low, high : float or None
        The mean difference from the first system, and its interval; None for that system. Fewer than 5 queries have no
        interval.
    p : float or None
        The p-value; None where nothing is tested. It and the interval are corrected over all groups and systems.
    """

    measure: str
    group: str
    n: int
    system: str
    mean: float
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


@dataclass(frozen=True, repr=False)
class GroupMeans(Result):
    """Means of systems by groups of queries.

    Attributes
    ----------
    by : str
        What the queries are grouped by.
    baseline : str
        The system that the others are compared with.
    test, correction : str
        The test of the differences in each group, and how p is corrected for all of them.
    alpha : float
        The significance level.
    rows : tuple of GroupMean
        Measure by measure and group by group, one row per system.
    ungrouped : int
        The number of judged queries without a value in the column.
    kind : (str, str)
        Name of what counts once in a mean, for one and for several: queries, or needs.
    """

    by: str
    baseline: str
    test: str
    correction: str
    alpha: float
    rows: tuple[GroupMean, ...]
    ungrouped: int
    kind: tuple[str, str] = ("query", "queries")

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Make one row per group and system: one table per measure; for programs and papers, one with all."""
        columns = table_columns(Column("group", self.by), number_columns(",", n=self.kind[1]), "system")
        tests = table_columns(number_columns("+.4f", difference="diff.", low="", high=""), number_columns(".4f", "p"))
        if form != "table":
            return [ResultTable(table_columns("measure", columns, number_columns(".4f", "mean"), tests), self.rows)]
        tests = tests if any(row.difference is not None for row in self.rows) else []
        last = 1 + len(columns) + 1 + len(tests)
        tables = []
        for measure in dict.fromkeys(row.measure for row in self.rows):
            rows = [row[1:last] for row in self.rows if row.measure == measure]
            tables.append(ResultTable(table_columns(columns, number_columns(".4f", mean=measure), tests), rows))
        return tables

    def data(self) -> dict[str, Any]:
        """Return everything but the words of the tables as plain values, for JSON."""
        data = {name: plain(value) for name, value in vars(self).items() if name != "kind"}
        if any(row.p is not None and row.n < FEWEST for row in self.rows):
            data["note"] = f"fewer than {FEWEST} are too few for confidence intervals"
        return data

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Show the table, and the assumptions behind it."""
        tests: list[Any] = [row for row in self.rows if row.p is not None]
        sentences = []
        if tests:
            sentences.append(
                f"diff.: from {self.baseline}; {self.test} test in each group, p, low and high"
                f"{interval_source(self.test)} corrected ({self.correction}) "
                f"for {counted(len(tests), 'test')}, alpha {self.alpha:g}"
            )
            several = len({row.measure for row in tests}) > 1
            better = [
                f"{row.system} in {row.group}{f' by {row.measure}' * several}" for row in tests if row.p <= self.alpha
            ]
            sentences.append(f"differences shown: {', '.join(better) or 'none'}")
        small = [*dict.fromkeys(row.group for row in self.rows if row.n < _FEW)]
        if small:
            groups = ", ".join(small) if len(small) <= _LONG else counted(len(small), "group")
            sentences.append(f"fewer than {_FEW} {self.kind[1]}, so a mean says little: {groups}")
        if self.ungrouped:
            sentences.append(f"in no group: {counted(self.ungrouped, 'query', 'queries')} without {self.by}")
        return [*self.tables(), Sentences(sentences)]


def means_by_group(
    evaluations: Mapping[str, Evaluation],
    study: Study,
    by: str,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    seed: int = 0,
) -> GroupMeans:
    """Compare evaluations by groups of the queries of a study, each with a test against the first one.

    by : "length", the number of words (5 or more are one group), or a field of the queries
    """
    # All tests are one family: p is corrected for the number of groups times systems times measures, because among many
    # groups one differs by chance. A query may be in several groups, if its value is a list with commas.
    # Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    collection = study.collection()
    queries: Any = collection.queries if collection else study.given.queries
    if not queries:
        raise ArgumentError(f"grouping needs the queries; give them: {Remedy('', queries=...)}, or name a collection")
    texts = {query.query_id: query.text for query in queries if query.query_id in study.qrels()}
    if by == LENGTH:
        by_length = groups_of((min(len(text.split()), _LONG), query_id) for query_id, text in texts.items())
        groups = {f"{n} or more" if n == _LONG else str(n): by_length[n] for n in sorted(by_length)}
    else:
        groups = _by_field(queries, texts, by)
    baseline, *_ = evaluations
    means: list[GroupMean] = []
    tested = {}  # the place of a mean → the differences from the baseline
    measures = mean_measures(evaluations[baseline].measures)
    for name, (group, query_ids) in product(map(str, measures), groups.items()):
        columns = {}
        for system, evaluation in evaluations.items():
            values = [evaluation.per_query.get(query_id, {}).get(name, np.nan) for query_id in query_ids]
            columns[system] = over_needs(query_ids, np.array(values), evaluation.needs)[1]
        for system, column in columns.items():
            known = column[~np.isnan(column)]
            row = GroupMean(name, group, len(known), system, float(known.mean()) if len(known) else np.nan)
            differences = finite_differences(column, columns[baseline])
            if system != baseline and len(differences) == 1:
                row = row._replace(difference=float(differences[0]))
            elif system != baseline and len(differences):
                tested[len(means)] = differences[:, np.newaxis]
            means.append(row)
    found = corrected_tests([*tested.values()], Procedure(test, correction, alpha, seed))
    for place, (result, p) in zip(tested, found, strict=True):
        low, high = result.interval or (None, None)
        means[place] = means[place]._replace(difference=result.mean, low=low, high=high, p=p)
    ungrouped = len(texts) - len({query_id for query_ids in groups.values() for query_id in query_ids})
    kind = evaluations[baseline].needs.kind
    return GroupMeans(by, baseline, test, correction, alpha, tuple(means), ungrouped, kind)


def _by_field(queries: Any, texts: Mapping[str, str], by: str) -> dict[str, list[str]]:
    fields = dict(zip(queries.query_ids, queries.fields, strict=False))
    names = list(dict.fromkeys(name for of_query in fields.values() for name in of_query))
    if by not in names:
        if not names:
            raise ArgumentError(f"the queries have no fields to group by, only a text; by {LENGTH} they can be grouped")
        raise unknown("field of the queries", by, [LENGTH, *names], "fields of the queries")
    groups = groups_of(
        (value, query_id)
        for query_id in texts
        for value in dict.fromkeys(re.split(rf"\s*[,;{BORDER}]\s*", bordered(fields[query_id].get(by, "")).strip()))
        if value
    )
    return {value: groups[value] for value in sorted(groups)}
