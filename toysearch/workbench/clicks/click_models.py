"""Click models: how attractive a document is, apart from the rank at which users saw it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Result,
    ResultTable,
    a,
    count_each,
    counted,
    expect,
    expect_list,
    expect_name,
    nested,
    note,
    number_columns,
    records,
    table_columns,
)
from toysearch.files.reading import Columns
from toysearch.workbench.clicks.click_log import ShownList, read_clicks

__all__ = ["ClickModel", "click_model"]

ASSUMPTIONS = MappingProxyType(
    {
        "pbm": "Position-based: a user looks at a place with a chance that depends on its rank only, and clicks what "
        "is attractive there. The chance at the best place counts as 1.",
        "cascade": "Cascade: users look from the top, click the first document that attracts them, and stop. Later "
        "clicks are passed over.",
    }
)
"""Assumptions of each model."""


class _Rows(NamedTuple):
    pairs: list[tuple[str, str]]  # query_id and doc_id
    pair: np.ndarray  # (n,) int64; its place in `pairs`
    of_list: np.ndarray  # (n,) int64
    rank: np.ndarray  # (n,) int64; from 0 on
    clicked: np.ndarray  # (n,) float64; 1 or 0

    def summed(self, values: np.ndarray) -> np.ndarray:
        return count_each(self.pair, values, len(self.pairs))


@dataclass(frozen=True)
class ClickModel(Result):
    """Click model fitted to a log.

    Attributes
    ----------
    model : str
        Its name.
    n_lists : int
        The number of lists.
    relevance : dict of str to dict of str to float
        Query_id → doc_id → the chance that a user who looks at the document is attracted.
    examination : list of float
        The chance that a user looks at each rank, averaged over the lists; with "pbm" its parameter.
    click_rates, perplexities : list of float
        For each rank, the share of clicks; and 2 to the mean −log2 of the chance that the model gives to what happened:
        1 is certain, 2 is a coin. The model has seen these lists.
    log_likelihood : float or None
        What expectation maximisation raises: ln of the chance of the clicks, and of one positive and one negative
        observation of each parameter of documents. None for "cascade", which only counts.
    """

    model: str
    n_lists: int
    relevance: dict[str, dict[str, float]]
    examination: list[float]
    click_rates: list[float]
    perplexities: list[float]
    log_likelihood: float | None = None

    def qrels(self) -> Qrels:
        """Return the relevance as judgments whose grades are chances."""
        return Qrels.from_dict(self.relevance)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per rank: how often users look and click there, and how well the model foresees it."""
        columns = number_columns(".4f", "examination", click_rate="click rate", perplexity="perplexity")
        rows = zip(
            range(1, len(self.examination) + 1), self.examination, self.click_rates, self.perplexities, strict=True
        )
        return [ResultTable(table_columns(number_columns("", "rank"), columns), list(rows))]

    def sentences(self) -> list[str]:
        """State the assumptions of the model."""
        return [ASSUMPTIONS[self.model]]

    def about(self) -> list[str]:
        """Say what was counted."""
        n_pairs = sum(map(len, self.relevance.values()))
        return [f"{self.model} of {counted(self.n_lists, 'list')}: {counted(n_pairs, 'pair')} of query and document"]

    def data(self) -> dict[str, object]:
        """Return the ranks and the relevance as plain values, for JSON."""
        ranks = records(self.tables()[0])
        fitted = {"log_likelihood": self.log_likelihood}
        return {"model": self.model, "n_lists": self.n_lists, "ranks": ranks, **fitted, "relevance": self.relevance}


def click_model(
    clicks: str | PathLike[str] | Iterable[ShownList],
    model: str = "pbm",
    *,
    rounds: int = 100,
    columns: Columns = None,
) -> ClickModel:
    """Estimate from clicks how relevant documents are.

    Users click what they see, at the top most of all; a model separates the document from its place.

    Parameters
    ----------
    clicks : path or iterable of ShownList
        A click log.
    model : {"pbm", "cascade"}
        The model of users: position-based (expectation maximisation), or cascade (counting).
    rounds : int, default 100
        The rounds of expectation maximisation.
    columns : str or mapping of str to str, optional
        The columns of the log, such as query=search,clicked=event. As `read_clicks` takes them.

    Returns
    -------
    ClickModel

    Raises
    ------
    ArgumentError
        If the model is unknown, or the rounds are below 1.
    DataError
        If the log cannot be read, or has no click.

    References
    ----------
    Chuklin, Markov & de Rijke 2015, Click models for web search, chapters 3 and 4; Craswell, Zoeter, Taylor & Ramsey
    2008, WSDM (cascade).

    Examples
    --------
    A document that is clicked each time that users come to it:

    >>> from toysearch.workbench.clicks.click_log import ShownDocument
    >>> seen = (ShownDocument("a", False), ShownDocument("b", True), ShownDocument("c", False))
    >>> click_model([ShownList("1", "cats", seen)], "cascade").relevance
    {'cats': {'a': 0.0, 'b': 1.0}}
    """
    expect(int, rounds=rounds)
    expect_name("click model", model, ASSUMPTIONS)
    if rounds < 1:
        raise ArgumentError(f"rounds must be at least 1, not {rounds}")
    if isinstance(clicks, str | PathLike):
        lists = read_clicks(clicks, columns)
    else:
        expect_list(object, ordered=False, clicks=clicks)
        lists = list(clicks)
    if not all(isinstance(shown, ShownList) for shown in lists):
        raise ArgumentError(f"clicks must be the path of a click log or a list of ShownList, not {a(clicks)}")
    places: dict[tuple[str, str], int] = {}
    table = [
        (places.setdefault((shown.query_id, one.doc_id), len(places)), number, rank, one.clicked)
        for number, shown in enumerate(lists)
        for rank, one in enumerate(shown.documents)
        if one is not None
    ]
    if not table:
        raise DataError("the log has no document that a user saw")
    pair, of_list, rank, clicked = (np.array(column) for column in zip(*table, strict=True))
    rows = _Rows(list(places), pair, of_list, rank, clicked.astype(np.float64))
    if not rows.clicked.any():
        raise DataError("the log has no click, so nothing can be learned from it")
    n_ranks, n_shown = int(rows.rank.max()) + 1, count_each(rows.rank)
    log_likelihood = None
    if model == "pbm":
        attraction, by_rank, log_likelihood = _position_based(rows, n_ranks, rounds)
        examined = by_rank[rows.rank]
    else:
        attraction = _cascade(rows)
        examined = _reached(rows, np.nan_to_num(attraction)[rows.pair])
    chance = np.clip(examined * np.nan_to_num(attraction)[rows.pair], 1e-9, 1 - 1e-9)
    surprise = -np.log2(np.where(rows.clicked > 0, chance, 1 - chance))
    means = [count_each(rows.rank, values) / np.fmax(n_shown, 1) for values in (examined, rows.clicked, surprise)]
    by_query = nested(
        (query_id, doc_id, value)
        for (query_id, doc_id), value in zip(rows.pairs, attraction.tolist(), strict=True)
        if not math.isnan(value)
    )
    examination = means[0] if model != "pbm" else by_rank
    ranks = examination.tolist(), means[1].tolist(), np.exp2(means[2]).tolist()
    return ClickModel(model, len(lists), by_query, *ranks, log_likelihood)


def _position_based(rows: _Rows, n_ranks: int, rounds: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Fit the attraction of each pair and the examination of each rank by EM from 1/2; third, the log-likelihood."""
    # Each pair has one click and one look without a click more than in the log, so few looks do not say 0 or 1.
    attraction, examination = np.full(len(rows.pairs), 0.5), np.full(n_ranks, 0.5)
    per_pair, per_rank = rows.summed(np.ones(rows.pair.size)), count_each(rows.rank, minlength=n_ranks)
    if len({*zip(rows.pair.tolist(), rows.rank.tolist(), strict=True)}) == len(rows.pairs):
        note(
            "each document was always shown at one rank, so its attraction cannot be distinguished from that of its "
            "place"
        )
    for _ in range(rounds):
        a, e = attraction[rows.pair], examination[rows.rank]
        neither = 1 - a * e
        # The chance of attraction, and of a look, given what happened.
        attracted = np.where(rows.clicked > 0, 1, a * (1 - e) / np.fmax(neither, 1e-12))
        looked = np.where(rows.clicked > 0, 1, e * (1 - a) / np.fmax(neither, 1e-12))
        attraction = (rows.summed(attracted) + 1) / (per_pair + 2)
        examination = count_each(rows.rank, looked, n_ranks) / np.fmax(per_rank, 1)
    chance = attraction[rows.pair] * examination[rows.rank]
    likelihood = np.log(np.fmax(np.where(rows.clicked > 0, chance, 1 - chance), 1e-300)).sum()
    prior = np.log(attraction).sum() + np.log1p(-attraction).sum()  # one observation for and one against each
    highest = examination.max()
    return attraction * highest, examination / highest, float(likelihood + prior)


def _cascade(rows: _Rows) -> np.ndarray:
    """Attraction of each pair: its share of clicks down to the first click of a list; NaN where nobody looked."""
    first = np.full(int(rows.of_list.max()) + 1, len(rows.rank))
    np.minimum.at(first, rows.of_list, np.where(rows.clicked > 0, rows.rank, first[0]))
    looked = (rows.rank <= first[rows.of_list]).astype(np.float64)
    clicks, looks = rows.summed(rows.clicked * looked), rows.summed(looked)
    attraction = np.full(looks.size, np.nan)
    np.divide(clicks, looks, out=attraction, where=looks > 0)
    return attraction


def _reached(rows: _Rows, stops: np.ndarray) -> np.ndarray:
    """Chance that users reach each row, that is, did not stop above it."""
    reached, chance, before = np.empty(stops.size), 1.0, -1
    for row, (number, stop) in enumerate(zip(rows.of_list.tolist(), stops.tolist(), strict=True)):
        chance = chance if number == before else 1.0
        reached[row] = chance
        chance, before = chance * (1 - stop), number
    return reached
