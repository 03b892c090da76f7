"""Counterfactual evaluation: what a run would be worth to the users of a log, who saw other lists."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from toysearch.base import (
    Column,
    DataError,
    Remedy,
    Result,
    ResultTable,
    checked,
    count_each,
    counted,
    number_columns,
    ordered,
    records,
    totals,
    without_notes,
)
from toysearch.formats import RunLike, ShownList, as_run, click_lists
from toysearch.laboratory.experiments.click_models import click_model, propensities_of

__all__ = ["Counterfactual", "CounterfactualValue", "counterfactual"]

_NORMAL = 1.959963984540054  # the quantile of 97.5 %


class CounterfactualValue(NamedTuple):
    """The estimates for a run.

    Attributes
    ----------
    system : str
        The run.
    naive : float
        The discounted clicks of a list as if all places were looked at equally: what is wrong.
    ips, ips_low, ips_high : float
        Each click weighted by 1 over the propensity of its place, with the interval of 95 %.
    snips, snips_low, snips_high : float
        The mean discount of a click by these weights, from 0 to 1, with its interval.
    doubly_robust, doubly_robust_low, doubly_robust_high : float
        The value by the relevance that a position-based model learned, corrected by the clicks, with its interval.
    effective : float
        The effective number of clicks: (Σ w)² / Σ w². Far below their number, a few clicks decide.
    covered : float
        The share of the weight on documents that the run ranks down to k.
    """

    system: str
    naive: float
    ips: float
    ips_low: float
    ips_high: float
    snips: float
    snips_low: float
    snips_high: float
    doubly_robust: float
    doubly_robust_low: float
    doubly_robust_high: float
    effective: float
    covered: float


@dataclass(frozen=True)
class Counterfactual(Result):
    """The estimates for some runs from one log.

    Attributes
    ----------
    values : list of CounterfactualValue
        A row per run.
    n_lists, n_clicks : int
        What the log has.
    """

    values: list[CounterfactualValue]
    n_lists: int
    n_clicks: int

    def tables(self, form: str = "table") -> list[ResultTable]:
        """A row per run."""
        numbers = number_columns(
            ".4f", "naive", ips="IPS", ips_low="from", ips_high="to", snips="SNIPS", snips_low="from", snips_high="to"
        )
        robust = {"doubly_robust": "DR", "doubly_robust_low": "from", "doubly_robust_high": "to"}
        ends = [
            *number_columns(".4f", **robust),
            *number_columns(".1f", effective="effective clicks"),
            *number_columns(".4f", "covered"),
        ]
        return [ResultTable([Column("system"), *numbers, *ends], self.values)]

    def sentences(self) -> list[str]:
        """A warning where a few clicks decide."""
        return [
            f"{value.system}: {counted(self.n_clicks, 'click')} weigh as much as {value.effective:.0f}; a few decide."
            for value in self.values
            if value.effective < self.n_clicks / 4
        ]

    def about(self) -> list[str]:
        """What the log has."""
        return [f"{counted(self.n_clicks, 'click')} in {counted(self.n_lists, 'list')}"]

    def data(self) -> list[dict[str, object]]:
        """The rows, as JSON has them."""
        return records(self.tables()[0])


@checked
def counterfactual(
    clicks: str | Path | Iterable[ShownList], runs: Sequence[RunLike], *, propensities: str = "log", k: int = 10
) -> Counterfactual:
    """Estimate runs from the clicks of users who saw other lists.

    A user clicks what is relevant if she looks at it, and looks at a rank with the chance of its propensity. A click at
    a place that few look at therefore stands for many. A run is worth 1 / log2(rank + 1) for each of these clicks, at
    the rank that the run gives to the document, and 0 below k. Documents that users never saw count as not relevant.

    The doubly robust value asks a position-based model first, and the clicks correct it: each document d of the run
    has the relevance R + (clicks − looks · R) / max(looks, 1 / √n), where R is that of the model, and clicks and looks
    are the means over the n lists of the query, looks being the propensity of the rank of d, or 0 in a list without d.
    So a document at which enough users looked is judged by its clicks, and any other one by the model.

    Parameters
    ----------
    clicks : path or iterable of ShownList
        A click log.
    runs : sequence of runs
        The runs, or their files.
    propensities : str, default "log"
        Where the chance of a look at a rank comes from: "log" (its column propensity), "pbm" (a position-based model
        fitted to the log), or "power:1" (1 / rank to a power).
    k : int, default 10
        The number of documents that a user would see.

    Returns
    -------
    Counterfactual

    Raises
    ------
    ArgumentError
        If the propensities are unknown.
    DataError
        If the log has no click or lacks propensities, or a run ranks no document that was clicked.

    References
    ----------
    Joachims, Swaminathan & Schnabel 2017, Unbiased learning-to-rank with biased feedback, WSDM; self-normalised:
    Swaminathan & Joachims 2015, NIPS; the interval of a ratio: Owen 2013, Monte Carlo theory, chapter 9; doubly robust:
    Oosterhuis 2023, Doubly robust estimation for correcting position bias in click feedback, ACM TOIS 41(3). The
    program of that paper takes a propensity to be at least min(10 / √n, 1), with n the lists of the whole log; the
    bound here, 1 / √n with n the lists of one query, is not from the literature. The model has seen the same lists,
    which the interval leaves out.

    Examples
    --------
    Half of the users look at rank 2, so the click there stands for two:

    >>> from toysearch.formats.click_log import ShownDocument
    >>> seen = (ShownDocument("a", True, propensity=1.0), ShownDocument("b", True, propensity=0.5))
    >>> [value] = counterfactual([ShownList("1", "1", seen)], [{"1": {"b": 2, "a": 1}}]).values
    >>> round(value.ips, 4), round(value.snips, 4)      # 2 + 1 / log2(3), and that over 3
    (2.6309, 0.877)
    """
    lists = click_lists(clicks)
    by_rank = propensities_of(lists, propensities)
    rows: list[tuple[int, str, str, float]] = []
    looks: Looks = []  # list, pair, whether it was clicked, propensity
    for number, page in enumerate(lists):
        for rank, one in enumerate(page.documents, 1):
            if one is not None:
                propensity = one.propensity if by_rank is None else by_rank.get(rank)
                if not propensity:
                    remedy = Remedy(
                        "toysearch.laboratory.experiments.counterfactual.counterfactual", propensities="pbm"
                    )
                    raise DataError(
                        f"session '{page.session}' and query '{page.query_id}' have no propensity at rank {rank}; "
                        f"fit them, as in {remedy}"
                    )
                looks.append((number, (page.query_id, one.doc_id), float(one.clicked), propensity))
                if one.clicked:
                    rows.append((number, page.query_id, one.doc_id, 1 / propensity))
    if not rows:
        raise DataError("the log has no click, so no run can be estimated from it")
    n, weights = len(lists), np.array([row[3] for row in rows])
    of_list = np.array([row[0] for row in rows])
    query_ids = [page.query_id for page in lists]
    corrected = _corrections(lists, looks)
    values = []
    for source in runs:
        run = ordered(as_run(source))[0]
        rank_of = {
            query_id: {doc_id: rank for rank, doc_id in enumerate(run.doc_ids_of(query_id)[:k], 1)}
            for query_id in set(query_ids)
            if query_id in run
        }
        ranks = [rank_of.get(query_id, {}).get(doc_id) for _, query_id, doc_id, _ in rows]
        discounts = np.array([_discount(rank) for rank in ranks])
        if not discounts.any():
            raise DataError(
                f"{run.name} ranks no document down to {k} that was clicked in the log, so the log says "
                "nothing about it"
            )
        gains, masses = (count_each(of_list, one, n) for one in (weights * discounts, weights))
        snips = gains.sum() / masses.sum()
        worths = _worths(query_ids, looks, corrected, rank_of)
        residuals = np.stack([gains, (gains - snips * masses) / masses.mean(), worths])
        # Half of the interval of each mean.
        ends = [_NORMAL * float(one.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan for one in residuals]
        mean, robust = float(gains.mean()), float(worths.mean())
        values.append(
            CounterfactualValue(
                run.name,
                float(discounts.sum() / n),
                *(mean, mean - ends[0], mean + ends[0]),
                *(float(snips), float(snips - ends[1]), float(snips + ends[1])),
                *(robust, robust - ends[2], robust + ends[2]),
                float(weights.sum() ** 2 / (weights**2).sum()),
                float(weights[discounts > 0].sum() / weights.sum()),
            )
        )
    return Counterfactual(values, n, len(rows))


Looks: TypeAlias = "list[tuple[int, tuple[str, str], float, float]]"


def _discount(rank: int | None) -> float:
    return 1 / math.log2(rank + 1) if rank else 0.0


def _corrections(lists: list[ShownList], looks: Looks) -> dict[tuple[str, str], tuple[float, float]]:
    """Query_id and doc_id → the relevance by a position-based model, and what a click of one list weighs."""
    with without_notes():  # a document at one rank is corrected by its clicks
        learned = click_model(lists, "pbm").relevance
    counts = Counter(page.query_id for page in lists)
    sums = totals((pair, propensity) for _, pair, _, propensity in looks)
    return {
        (query_id, doc_id): (
            learned[query_id][doc_id], 1 / max(looked / counts[query_id], 1 / math.sqrt(counts[query_id]))
        )
        for (query_id, doc_id), looked in sums.items()
    }  # fmt: skip


def _worths(
    query_ids: list[str],
    looks: Looks,
    corrected: Mapping[tuple[str, str], tuple[float, float]],
    rank_of: Mapping[str, Mapping[str, int]],
) -> np.ndarray:
    """The doubly robust value of a run by each list: what the model expects, and the correction by its clicks."""
    expected: dict[str, float] = {}
    for (query_id, doc_id), (relevance, _) in corrected.items():
        discount = _discount(rank_of.get(query_id, {}).get(doc_id))
        expected[query_id] = expected.get(query_id, 0.0) + discount * relevance
    worths = np.array([expected.get(query_id, 0.0) for query_id in query_ids])
    for number, (query_id, doc_id), clicked, propensity in looks:
        relevance, weight = corrected[query_id, doc_id]
        discount = _discount(rank_of.get(query_id, {}).get(doc_id))
        worths[number] += discount * weight * (clicked - propensity * relevance)
    return worths
