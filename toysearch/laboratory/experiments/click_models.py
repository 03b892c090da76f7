"""Click models: how attractive a document is, apart from the place at which users saw it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Result,
    ResultTable,
    checked,
    count_each,
    counted,
    expect_name,
    nested,
    note,
    number_columns,
    records,
    reduce_at,
    repeat_each,
)
from toysearch.formats.click_log import ShownList, click_lists

__all__ = ["ClickModel", "click_model"]

ASSUMPTIONS = MappingProxyType(
    {
        "pbm": "Position-based: a user looks at a place with a chance that depends on its rank only, and clicks what "
        "is attractive there. The chance at the best place counts as 1.",
        "cascade": "Cascade: users look from the top, click the first document that attracts them, and stop. Later "
        "clicks are passed over.",
        "sdbn": "Simplified dynamic Bayesian network: users look from the top, and stop when a clicked document "
        "satisfies them. All above the last click was looked at, and everything where nothing was clicked.",
        "dbn": "Dynamic Bayesian network: users look from the top, click what attracts them, and stop if it satisfies "
        "them. A user who is not satisfied goes on with the same chance at each rank.",
    }
)
"""Model → what it supposes."""


class _Rows(NamedTuple):
    """The documents of all lists, one row each, from the top."""

    pairs: list[tuple[str, str]]  # query_id and doc_id
    pair: np.ndarray  # (n,) int64; its place in `pairs`
    of_list: np.ndarray  # (n,) int64
    rank: np.ndarray  # (n,) int64; from 0 on
    clicked: np.ndarray  # (n,) float64; 1 or 0

    def summed(self, values: np.ndarray) -> np.ndarray:
        """The sum of some values over the rows of each pair."""
        return count_each(self.pair, values, len(self.pairs))


@dataclass(frozen=True)
class ClickModel(Result):
    """A click model fitted to a log.

    Attributes
    ----------
    model : str
        Its name.
    n_lists : int
        The number of lists.
    relevance : dict of str to dict of str to float
        Query_id → doc_id → the chance that a user who looks at the document is attracted; with "sdbn" and "dbn", and
        satisfied.
    examination : list of float
        The chance that a user looks at each rank, averaged over the lists; with "pbm" its parameter.
    click_rates, perplexities : list of float
        For each rank, the share of clicks; and 2 to the mean −log2 of the chance that the model gives to what happened:
        1 is certain, 2 is a coin. The model has seen these lists.
    continuation : float or None
        With "dbn", the chance that a user who is not satisfied goes on to the next rank.
    log_likelihood : float or None
        What expectation maximisation raises: ln of the chance of the clicks, and of one positive and one negative
        observation of each parameter of documents, and of the continuation. None for models that only count.
    """

    model: str
    n_lists: int
    relevance: dict[str, dict[str, float]]
    examination: list[float]
    click_rates: list[float]
    perplexities: list[float]
    continuation: float | None = None
    log_likelihood: float | None = None

    def qrels(self) -> Qrels:
        """The relevance as judgments, whose grades are chances."""
        return Qrels.from_dict(self.relevance)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The ranks: how often users look and click there, and how well the model foresees it."""
        columns = number_columns(".4f", "examination", click_rate="click rate", perplexity="perplexity")
        rows = zip(
            range(1, len(self.examination) + 1), self.examination, self.click_rates, self.perplexities, strict=True
        )
        return [ResultTable([*number_columns("", "rank"), *columns], list(rows))]

    def sentences(self) -> list[str]:
        """What the model supposes, and the continuation."""
        goes_on = f"A user who is not satisfied goes on with chance {self.continuation or 0:.4f}."
        return [ASSUMPTIONS[self.model], *([goes_on] if self.continuation is not None else [])]

    def about(self) -> list[str]:
        """What was counted."""
        n_pairs = sum(map(len, self.relevance.values()))
        return [f"{self.model} of {counted(self.n_lists, 'list')}: {counted(n_pairs, 'pair')} of query and document"]

    def data(self) -> dict[str, object]:
        """The ranks and the relevance, as JSON has them."""
        ranks = records(self.tables()[0])
        fitted = {"continuation": self.continuation, "log_likelihood": self.log_likelihood}
        return {"model": self.model, "n_lists": self.n_lists, "ranks": ranks, **fitted, "relevance": self.relevance}


@checked
def click_model(clicks: str | Path | Iterable[ShownList], model: str = "pbm", *, rounds: int = 100) -> ClickModel:
    """Estimate from clicks how relevant documents are.

    Users click what they see, at the top most of all; a model separates the document from its place.

    Parameters
    ----------
    clicks : path or iterable of ShownList
        A click log.
    model : {"pbm", "cascade", "sdbn", "dbn"}
        What is supposed of users: position-based (expectation maximisation), cascade (counting), or a dynamic Bayesian
        network, simplified (counting) or full (expectation maximisation).
    rounds : int, default 100
        The rounds of expectation maximisation.

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
    2008, WSDM (cascade); Chapelle & Zhang 2009, WWW (dbn; sdbn is algorithm 1, with γ = 1).

    Examples
    --------
    A document that is clicked each time that users come to it:

    >>> from toysearch.formats.click_log import ShownDocument
    >>> seen = (ShownDocument("a", False), ShownDocument("b", True), ShownDocument("c", False))
    >>> click_model([ShownList("1", "cats", seen)], "cascade").relevance
    {'cats': {'a': 0.0, 'b': 1.0}}
    """
    expect_name("click model", model, ASSUMPTIONS)
    if rounds < 1:
        raise ArgumentError(f"rounds must be at least 1, not {rounds}")
    lists = click_lists(clicks)
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
    n_ranks, shown = int(rows.rank.max()) + 1, count_each(rows.rank)
    continuation, log_likelihood = None, None
    if model == "pbm":
        attraction, by_rank, log_likelihood = _position_based(rows, n_ranks, rounds)
        relevance, examined = attraction, by_rank[rows.rank]
    else:
        if model == "dbn":
            attraction, satisfaction, continuation, log_likelihood = _dynamic_network(rows, rounds)
        else:
            attraction, satisfaction = _counted(rows, model)
        stops = attraction * (1 if model == "cascade" else satisfaction)
        examined = _reached(rows, np.nan_to_num(stops)[rows.pair], 1.0 if continuation is None else continuation)
        relevance = attraction if model == "cascade" else attraction * satisfaction
    chance = np.clip(examined * np.nan_to_num(attraction)[rows.pair], 1e-9, 1 - 1e-9)
    surprise = -np.log2(np.where(rows.clicked > 0, chance, 1 - chance))
    means = [count_each(rows.rank, values) / np.fmax(shown, 1) for values in (examined, rows.clicked, surprise)]
    by_query = nested(
        (query_id, doc_id, value)
        for (query_id, doc_id), value in zip(rows.pairs, relevance.tolist(), strict=True)
        if not math.isnan(value)
    )
    examination = means[0] if model != "pbm" else by_rank
    ranks = examination.tolist(), means[1].tolist(), np.exp2(means[2]).tolist()
    return ClickModel(model, len(lists), by_query, *ranks, continuation, log_likelihood)


def _position_based(rows: _Rows, n_ranks: int, rounds: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The attraction of each pair, the examination of each rank, and the log-likelihood, by EM from 1/2."""
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
    likelihood = np.log(np.fmax(np.where(rows.clicked > 0, chance, 1 - chance), 1e-300)).sum() + _prior(attraction)
    highest = examination.max()
    return attraction * highest, examination / highest, float(likelihood)


def _prior(chances: np.ndarray) -> float:
    """The log-likelihood of one observation for and one against each of some chances."""
    return float(np.log(chances).sum() + np.log1p(-chances).sum())


def _dynamic_network(rows: _Rows, rounds: int) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Attraction and satisfaction of each pair, the continuation γ, and the log-likelihood, by EM from 1/2."""
    n_pairs, n_rows = len(rows.pairs), rows.pair.size
    starts = np.flatnonzero(np.diff(rows.of_list, prepend=-1))
    ends = np.append(starts[1:], n_rows) - 1
    is_end = np.isin(np.arange(n_rows), ends)
    by_depth = [(starts + depth)[starts + depth <= ends] for depth in range(int((ends - starts).max()) + 1)]
    lowest = reduce_at(np.maximum, np.where(rows.clicked > 0, np.arange(n_rows), -1), starts)
    certain = np.arange(n_rows) <= repeat_each(lowest, ends - starts + 1)  # all down to the last click was looked at
    certain[starts] = True
    lowest, silent = lowest[lowest >= 0], starts[lowest < 0]
    above = certain.copy()  # a user went on from here
    above[lowest], above[silent] = False, False
    attraction, satisfaction, gamma = np.full(n_pairs, 0.5), np.full(n_pairs, 0.5), 0.5
    clicks = rows.summed(rows.clicked)
    for number in range(rounds + 1):
        a, s = attraction[rows.pair], satisfaction[rows.pair]
        # The chance that nothing is clicked below a row whose user is not satisfied, and from a row on.
        below, nothing = np.ones(n_rows), np.zeros(n_rows + 1)
        for places in reversed(by_depth):
            below[places] = np.where(is_end[places], 1, 1 - gamma + gamma * nothing[places + 1])
            nothing[places] = (1 - a[places]) * below[places]
        ending = s[lowest] + (1 - s[lowest]) * below[lowest]
        if number == rounds:
            break
        satisfied = np.zeros(n_rows)
        satisfied[lowest] = s[lowest] / ending
        looked = certain.astype(np.float64)
        for places in by_depth[1:]:
            further = (looked - satisfied)[places - 1] * gamma * nothing[places] / below[places - 1]
            looked[places] = np.where(certain[places], 1, further)
        could = ~is_end
        went = looked[1:][could[:-1]].sum()
        gamma = float((went + 1) / ((looked - satisfied)[could].sum() + 2))
        attraction = (clicks + 1) / (rows.summed(looked) + 2)
        satisfaction = (rows.summed(satisfied) + 1) / (clicks + 2)
    passed = np.where(rows.clicked > 0, a * (1 - s), 1 - a) * gamma
    likelihood = np.log(passed[above]).sum() + np.log(a[lowest] * ending).sum() + np.log(nothing[silent]).sum()
    likelihood += _prior(attraction) + _prior(satisfaction) + _prior(np.array([gamma]))
    return attraction, satisfaction, gamma, float(likelihood)


def _counted(rows: _Rows, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Attraction and satisfaction: shares of the looks and of the clicks; NaN where nobody looked."""
    n_lists = int(rows.of_list.max()) + 1
    last = np.full(n_lists, -1)
    np.maximum.at(last, rows.of_list, np.where(rows.clicked > 0, rows.rank, -1))
    if model == "cascade":
        last = np.full(n_lists, len(rows.rank))
        np.minimum.at(last, rows.of_list, np.where(rows.clicked > 0, rows.rank, last[0]))
    end = last[rows.of_list]
    looked = ((rows.rank <= end) | (end < 0)).astype(np.float64)
    clicks = rows.summed(rows.clicked * looked)
    looks, ends = rows.summed(looked), rows.summed(rows.clicked * (rows.rank == end))
    attraction = np.divide(clicks, looks, out=np.full(looks.size, np.nan), where=looks > 0)
    return attraction, np.divide(ends, clicks, out=np.zeros(looks.size), where=clicks > 0)


def _reached(rows: _Rows, stops: np.ndarray, continuation: float) -> np.ndarray:
    """The chance that users come to each row: that they did not stop above it, and went on at each rank."""
    reached, chance, before = np.empty(stops.size), 1.0, -1
    for row, (number, stop) in enumerate(zip(rows.of_list.tolist(), stops.tolist(), strict=True)):
        chance = chance if number == before else 1.0
        reached[row] = chance
        chance, before = chance * (1 - stop) * continuation, number
    return reached


def propensities_of(lists: list[ShownList], source: str = "log") -> Mapping[int, float] | None:
    """Rank → the chance that users look there: 1 / rank^η for "power:η", fitted for "pbm"; None for "log"."""
    if source == "log":
        return None
    n_ranks = max(len(shown.documents) for shown in lists)
    if source == "pbm":
        return dict(enumerate(click_model(lists, "pbm").examination, 1))
    name, _, power = source.partition(":")
    try:
        exponent = float(power or "1")
    except ValueError:
        exponent = math.nan
    if name != "power" or not 0 <= exponent <= 10:
        raise ArgumentError(f"unknown propensities '{source}'; expected log, pbm, or power:1 for 1 / rank")
    return {rank: rank**-exponent for rank in range(1, n_ranks + 1)}
