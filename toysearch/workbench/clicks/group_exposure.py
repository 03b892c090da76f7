"""Exposure: how much of users' attention goes to each group of documents, beside its share of what is relevant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    Result,
    ResultTable,
    checked,
    expect_name,
    number_columns,
    ordered,
    records,
)
from toysearch.evaluation.arguments import judgments_of
from toysearch.evaluation.measures.effort import READING_ON, User
from toysearch.formats import QrelsLike, RunLike, as_run

__all__ = ["Exposure", "GroupExposure", "exposure"]

MOST_GROUPS = 100
_BAR = 24  # characters of a share of 1


class GroupExposure(NamedTuple):
    """Exposure and relevance of a group of documents.

    Attributes
    ----------
    group : str
        The group; "" for documents without one.
    documents : float
        Its share of all documents.
    merit : float
        Its share of the gains of the judgments, averaged over the queries.
    attention : float
        Its share of the attention that the run's documents get, averaged over the queries.
    ratio : float
        The exposure over the relevance: 1 is fair, NaN where nothing of the group is relevant.
    """

    group: str
    documents: float
    merit: float
    attention: float
    ratio: float


@dataclass(frozen=True)
class Exposure(Result):
    """Exposure of each group of documents in a run.

    Attributes
    ----------
    groups : list of GroupExposure
        The groups, most exposed first.
    unfairness : float
        The share of attention that would have to move to make all ratios 1: half the sum of the differences.
    n_queries : int
        The queries that count, or the needs: those with something relevant, and with documents in the run.
    """

    groups: list[GroupExposure]
    unfairness: float
    n_queries: int

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per group; for people, with a bar of the exposure and a mark at the share of the relevant."""
        shares = number_columns(".4f", "documents", merit="relevant", attention="exposure", ratio="ratio")
        rows = [[*row[:4], None if row.ratio != row.ratio else row.ratio] for row in self.groups]
        if form != "table":
            return [ResultTable([Column("group"), *shares], rows)]
        bars = [_bar(row.attention, row.merit) for row in self.groups]
        return [
            ResultTable(
                [Column("group"), *shares, Column("bar", " ")], [[*a, b] for a, b in zip(rows, bars, strict=True)]
            )
        ]

    def sentences(self) -> list[str]:
        """Say how much is out of proportion."""
        return [f"{self.unfairness:.1%} of the attention would have to move to be in proportion to relevance."]

    def data(self) -> dict[str, object]:
        """Return the groups as plain values, for JSON."""
        return {"groups": records(self.tables("json")[0]), "unfairness": self.unfairness, "queries": self.n_queries}


def _bar(exposure: float, relevance: float) -> str:
    filled, mark = round(exposure * _BAR), round(relevance * _BAR)
    return "".join(
        "┃" if place == mark else "█" if place < filled else " " for place in range(max(filled, mark + 1))
    ).rstrip()


@checked
def exposure(
    run: RunLike,
    qrels: QrelsLike,
    groups: Mapping[str, str],
    *,
    user: str = "RBP",
    p: float = 0.8,
    T: float = 1.0,
    k: int | None = None,
) -> Exposure:
    """Measure how much of users' attention each group of documents gets, beside its share of what is relevant.

    The attention to a rank is the chance that a user reaches it. The exposure of a group is its share of the attention
    to all ranks of a ranking, its relevance the share of the gains of all judged documents; both are means over the
    queries. In proportion to relevance is fair to groups whose documents are equally relevant; it says nothing about
    the judgments themselves.

    Parameters
    ----------
    run, qrels
        As for `evaluate`. Gains are grades above 0 over the highest grade of all judgments.
    groups : dict of str to str
        Doc_id → group, of all documents.
    user : {"RBP", "INSQ", "INST"}
        Who reads: the user of one of these measures.
    p : float, default 0.8
        The persistence of the user of RBP.
    T : float, default 1
        The gain that the users of INSQ and INST want.
    k : int, optional
        The number of documents that users see; all by default.

    Returns
    -------
    Exposure

    Raises
    ------
    ArgumentError
        If the user is unknown, or there are more than 100 groups.
    DataError
        If nothing is relevant to a query of the run.

    References
    ----------
    Singh & Joachims 2018, Fairness of exposure in rankings, KDD; averaged over queries: Biega, Gummadi & Weikum 2018,
    Equity of attention, SIGIR.

    Examples
    --------
    A user of RBP with p = 1/2 looks at three ranks with chances 1, 1/2 and 1/4; half of the relevant are of each group:

    >>> seen = exposure({"1": ["a", "b", "c"]}, {"1": {"a": 1, "c": 1}}, {"a": "x", "b": "x", "c": "y"}, p=0.5)
    >>> [(row.group, row.merit, round(row.attention, 4)) for row in seen.groups]
    [('x', 0.5, 0.8571), ('y', 0.5, 0.1429)]
    """
    expect_name("user", user, [name for name in READING_ON if name != "BPM"])
    names = sorted(set(groups.values()))
    if len(names) > MOST_GROUPS:
        raise ArgumentError(
            f"there are {len(names):,} groups, such as '{names[0]}'; at most {MOST_GROUPS} are compared"
        )
    places = {name: place for place, name in enumerate([*names, *([] if "" in names else [""])])}
    run, judged = ordered(as_run(run))[0], judgments_of(qrels)[0]
    top = float(judged.values.max(initial=0)) or 1.0
    reader = User(user, p=p, T=T)
    of_queries: dict[str, tuple[dict[str, float], list[str]]] = {}
    for query_id in judged.query_ids:
        gains = {doc_id: grade / top for doc_id, grade in judged[query_id].items() if grade > 0}
        doc_ids = list(run.doc_ids_of(query_id))[:k] if query_id in run else []
        if gains and doc_ids:
            of_queries[query_id] = gains, doc_ids
    shares, parts = np.zeros((2, len(places))), judged.needs.weights(of_queries)
    for query_id, (gains, doc_ids) in of_queries.items():
        attention = reader.reaching(np.array([[gains.get(doc_id, 0.0) for doc_id in doc_ids]]))[0]
        for row, weights in enumerate((gains, dict(zip(doc_ids, attention.tolist(), strict=True)))):
            total = sum(weights.values())
            for doc_id, weight in weights.items():
                shares[row, places[groups.get(doc_id, "")]] += weight / total * parts[query_id]
    if not of_queries:
        raise DataError("nothing is relevant to a query of the run, so there is no share to compare with")
    n_queries = len(judged.needs.texts(of_queries))
    relevance, attention_shares = (shares / n_queries).tolist()
    counts = dict.fromkeys(places, 0)
    for group in groups.values():
        counts[group] += 1
    rows = [
        GroupExposure(
            *(name, counts[name] / max(len(groups), 1), relevance[place], attention_shares[place]),
            attention_shares[place] / relevance[place] if relevance[place] else float("nan"),
        )
        for name, place in places.items()
        if counts[name] or attention_shares[place] or relevance[place]
    ]
    rows.sort(key=lambda row: (-row.attention, row.group))
    return Exposure(rows, sum(abs(row.attention - row.merit) for row in rows) / 2, n_queries)
