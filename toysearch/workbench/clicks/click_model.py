"""Click model: how attractive a document is, apart from the rank at which users saw it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    Result,
    ResultTable,
    count_each,
    counted,
    expect,
    expect_list,
    nested,
    note,
    number_columns,
    records,
    table_columns,
)
from toysearch.files.reading import Columns
from toysearch.workbench.clicks.click_log import ShownList, read_clicks

__all__ = ["ClickModel", "click_model"]


@dataclass(frozen=True)
class ClickModel(Result):
    """Position-based click model fitted to a log.

    Attributes
    ----------
    n_lists : int
        The number of lists.
    relevance : dict of str to dict of str to float
        Query_id → doc_id → the chance that a user who looks at the document is attracted.
    examination : list of float
        The chance that a user looks at each rank.
    click_rates, perplexities : list of float
        For each rank, the share of clicks (CTR); and 2 to the mean −log2 of the chance that the model gives to what
        happened: 1 is certain, 2 is a coin. The model has seen these lists.
    log_likelihood : float
        What expectation maximisation raises: ln of the chance of the clicks, and of one positive and one negative
        observation of each parameter of documents.
    """

    n_lists: int
    relevance: dict[str, dict[str, float]]
    examination: list[float]
    click_rates: list[float]
    perplexities: list[float]
    log_likelihood: float

    def qrels(self) -> Qrels:
        """Return the relevance as judgments whose grades are chances."""
        return Qrels.from_dict(self.relevance)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per rank: how often users look and click there, and how well the model foresees it."""
        columns = number_columns(".4f", "examination", click_rate="click rate", perplexity="perplexity")
        ranks = range(1, len(self.examination) + 1)
        rows = [*zip(ranks, self.examination, self.click_rates, self.perplexities, strict=True)]
        return [ResultTable(table_columns(number_columns("", "rank"), columns), rows)]

    def sentences(self) -> list[str]:
        """State the assumptions of the model."""
        return [
            "Position-based: a user looks at a place with a chance that depends on its rank only, and clicks what is "
            "attractive there. The chance at the best place counts as 1."
        ]

    def about(self) -> list[str]:
        """Say what was counted."""
        n_pairs = sum(map(len, self.relevance.values()))
        return [f"pbm of {counted(self.n_lists, 'list')}: {counted(n_pairs, 'pair')} of query and document"]

    def data(self) -> dict[str, object]:
        """Return the ranks and the relevance as plain values, for JSON."""
        return {
            "model": "pbm",
            "n_lists": self.n_lists,
            "ranks": records(self.tables()[0]),
            "log_likelihood": self.log_likelihood,
            "relevance": self.relevance,
        }


def click_model(
    clicks: str | PathLike[str] | Iterable[ShownList], *, rounds: int = 100, columns: Columns = None
) -> ClickModel:
    """Estimate from clicks how relevant documents are.

    Users click what they see, at the top most of all; the position-based model separates the document from its place,
    by expectation maximisation.

    Parameters
    ----------
    clicks : path or iterable of ShownList
        A click log.
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
        If the rounds are below 1.
    DataError
        If the log cannot be read, or has no click.

    References
    ----------
    Chuklin, Markov & de Rijke 2015, Click models for web search, chapters 3 and 4.

    Examples
    --------
    A document that is clicked at both ranks, and one that never is:

    >>> from toysearch.workbench.clicks.click_log import ShownDocument
    >>> a, b = ShownDocument("a", True), ShownDocument("b", False)
    >>> lists = [ShownList("1", "cats", (a, b)), ShownList("2", "cats", (b, a))]
    >>> found = click_model(lists).relevance["cats"]
    >>> round(found["a"], 4), round(found["b"], 4)
    (0.75, 0.25)
    """
    expect(int, rounds=rounds)
    if rounds < 1:
        raise ArgumentError(f"rounds must be at least 1, not {rounds}")
    if isinstance(clicks, str | PathLike):
        clicks = read_clicks(clicks, columns)
    expect_list(object, ordered=False, clicks=clicks)
    lists = list(clicks)
    expect_list(ShownList, clicks=lists)
    places: dict[tuple[str, str], int] = {}
    rows = [
        (places.setdefault((shown.query_id, one.doc_id), len(places)), rank, one.clicked)
        for shown in lists
        for rank, one in enumerate(shown.documents)
        if one is not None
    ]
    if not any(row[2] for row in rows):
        raise DataError("the log has no click, so nothing can be learned from it")
    pair, rank, clicked = (np.array(column) for column in zip(*rows, strict=True))
    if len({row[:2] for row in rows}) == len(places):
        note(
            "each document was always shown at one rank, so its attraction cannot be distinguished from that of its "
            "place"
        )
    attraction, examination, log_likelihood = _fitted(pair, rank, clicked, rounds)
    chance = np.clip(attraction[pair] * examination[rank], 1e-9, 1 - 1e-9)
    surprise, n_shown = -np.log2(np.where(clicked, chance, 1 - chance)), np.fmax(count_each(rank), 1)
    relevance = nested((*key, value) for key, value in zip(places, attraction.tolist(), strict=True))
    rates, perplexities = count_each(rank, clicked) / n_shown, np.exp2(count_each(rank, surprise) / n_shown)
    by_rank = examination.tolist(), rates.tolist(), perplexities.tolist()
    return ClickModel(len(lists), relevance, *by_rank, log_likelihood)


def _fitted(
    pair: np.ndarray, rank: np.ndarray, clicked: np.ndarray, rounds: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Fit the attraction of each pair and the examination of each rank by EM from 1/2; third, the log-likelihood.

    pair, rank, clicked : (n,) int64, int64 from 0 on, and bool, per document shown
    """
    per_pair, per_rank = count_each(pair), np.fmax(count_each(rank), 1)
    attraction, examination = np.full(per_pair.size, 0.5), np.full(per_rank.size, 0.5)
    for _ in range(rounds):
        a, e = attraction[pair], examination[rank]
        neither = np.fmax(1 - a * e, 1e-12)
        # The chance of attraction, and of a look, given what happened.
        attracted = np.where(clicked, 1, a * (1 - e) / neither)
        looked = np.where(clicked, 1, e * (1 - a) / neither)
        # One click and one look without a click more than in the log, so that few looks do not say 0 or 1.
        attraction = (count_each(pair, attracted) + 1) / (per_pair + 2)
        examination = count_each(rank, looked) / per_rank
    chance = attraction[pair] * examination[rank]
    likelihood = np.log(np.fmax(np.where(clicked, chance, 1 - chance), 1e-300)).sum()
    prior = np.log(attraction).sum() + np.log1p(-attraction).sum()
    highest = examination.max()
    return attraction * highest, examination / highest, float(likelihood + prior)
