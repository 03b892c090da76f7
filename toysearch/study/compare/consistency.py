"""Consistency of a system over the texts of one need: the spread of their values, the worst, the overlap of rankings.

Start with `consistency`: one row per need and measure. A user states a need in one of many ways; a system is consistent
if it answers all of them alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toysearch.base import Column, Result, ResultTable, Run, expect, number_columns, ordered, plain, table_columns
from toysearch.evaluation import Measure
from toysearch.evaluation.values_and_means import Evaluation, aggregated
from toysearch.study.compare.correlation import DEPTH, mean_overlap

__all__ = ["Consistency", "NeedTexts", "consistency"]


class NeedTexts(NamedTuple):
    """Values of the texts of a need by a measure.

    Attributes
    ----------
    need, measure : str
        The need and the measure.
    texts : int
        The number of texts with a value.
    mean : float
        The mean of their values, by which the need counts.
    spread : float
        Their standard deviation, √(Σ (x − mean)² / (n − 1)); NaN for a single text.
    worst : float
        The worst of their values.
    worst_text : str
        The query_id of the text that has it, the first of equals.
    overlap : float
        Mean rank-biased overlap (RBO) of the rankings of each two texts; NaN for a single text or without a run.
    """

    need: str
    measure: str
    texts: int
    mean: float
    spread: float
    worst: float
    worst_text: str
    overlap: float


@dataclass(frozen=True, repr=False)
class Consistency(Result):
    """Consistency of a system over the texts of each need.

    Attributes
    ----------
    system : str
        The system.
    rows : tuple of NeedTexts
        One per measure and need, in the order of the judgments.
    """

    system: str
    rows: tuple[NeedTexts, ...]

    def mean(self, measure: str, part: str) -> float:
        """Average a column over the needs that have it.

        Parameters
        ----------
        measure : str
            The measure.
        part : {"mean", "spread", "worst", "overlap"}
            The column.
        """
        return aggregated([getattr(row, part) for row in self.rows if row.measure == measure], "mean")

    def of(self, measure: str) -> dict[str, float]:
        """Return the means of spread, worst value and overlap over the needs.

        Parameters
        ----------
        measure : str
            The measure.
        """
        return {part: self.mean(measure, part) for part in ("spread", "worst", "overlap")}

    def worst_texts(self, measure: str) -> dict[str, str]:
        """Return need → the text with the worst value.

        Parameters
        ----------
        measure : str
            The measure.
        """
        return {row.need: row.worst_text for row in self.rows if row.measure == measure}

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show one row per measure and need."""
        *values, overlap = number_columns(".4f", "mean", "spread", "worst", overlap="RBO")
        head = table_columns("need", "measure", number_columns("", "texts"))
        return [ResultTable(table_columns(head, values, Column("worst_text", "worst text"), overlap), self.rows)]

    def data(self) -> dict[str, Any]:
        """Return the means by measure, and the needs."""
        means = {measure: self.of(measure) for measure in dict.fromkeys(row.measure for row in self.rows)}
        return {"means": plain(means), "needs": plain(self.rows)}


def consistency(run: Run | None, evaluation: Evaluation) -> Consistency:
    """Compute how consistent a system is over the texts of each need.

    Parameters
    ----------
    run : Run or None
        Its rankings, for their overlap.
    evaluation : Evaluation
        Its values, by judgments with needs (`Qrels.for_texts`, or a collection whose queries have a field ``need``).

    References
    ----------
    Bailey, Moffat, Scholer & Thomas, "Retrieval consistency in the presence of query variations", SIGIR 2017. Webber,
    Moffat & Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28(4), 2010: the extrapolated RBO.

    Examples
    --------
    >>> from toysearch import Qrels, Run, evaluate
    >>> qrels = Qrels({"1": {"a": 1}}).for_texts({"1-1": "1", "1-2": "1"})
    >>> run = Run.from_dict({"1-1": {"a": 2, "b": 1}, "1-2": {"b": 2, "a": 1}})
    >>> [row] = consistency(run, evaluate(run, qrels, "RR")).rows
    >>> row.mean, round(row.spread, 4), row.worst, row.worst_text, round(row.overlap, 4)
    (0.75, 0.3536, 0.5, '1-2', 0.9)
    """
    expect(Evaluation, evaluation=evaluation)

    texts_of = evaluation.texts
    overlaps = dict.fromkeys(texts_of, math.nan)
    if run is not None:
        in_order = ordered(run, evaluation.ties if evaluation.ties in ("rank", "trec_eval") else None)[0]
        for need, texts in texts_of.items():
            overlaps[need] = mean_overlap([in_order.doc_ids_of(text)[:DEPTH] for text in texts])
    rows = []
    for measure in evaluation.measures:
        for need, texts in texts_of.items():
            column = {text: evaluation.per_query[text][measure.text] for text in texts}
            values = {text: value for text, value in column.items() if not math.isnan(value)}
            mean = aggregated([*values.values()], "mean")
            square = math.fsum((value - mean) ** 2 for value in values.values())
            spread = math.sqrt(square / (len(values) - 1)) if len(values) > 1 else math.nan
            text = worst_text(values, measure)
            worst = values.get(text, math.nan)
            rows.append(NeedTexts(need, measure.text, len(values), mean, spread, worst, text, overlaps[need]))
    return Consistency(evaluation.name, tuple(rows))


def worst_text(values: Mapping[str, float], measure: Measure) -> str:
    """Return the text with the worst defined value, the first of equals; "" if there is none.

    >>> worst_text({"1a": 0.5, "1b": 0.25, "1c": 0.25}, Measure.parse("AP"))
    '1b'
    """
    defined = {text: measure.sign * value for text, value in values.items() if not math.isnan(value)}
    return min(defined, key=defined.__getitem__, default="")


def consistency_table(systems: Sequence[Consistency], title: str) -> ResultTable:
    """Show the means over needs, one row per system and measure."""
    numbers = number_columns(".4f", "mean", "spread", worst="worst text", overlap="RBO")
    columns = table_columns(Column("system", wrap=True), "measure", numbers)
    rows = [
        [one.system, measure, one.mean(measure, "mean"), *one.of(measure).values()]
        for one in systems
        for measure in dict.fromkeys(row.measure for row in one.rows)
    ]
    return ResultTable(columns, rows, title)
