"""Agreement of two people who judged the same documents: Cohen's kappa."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch import display
from toysearch.errors import DataError
from toysearch.formats.inputs import QrelsLike, as_qrels
from toysearch.formats.lines import counted
from toysearch.records import Qrels


class Disagreement(NamedTuple):
    """A pair that the two judged differently."""

    query_id: str
    doc_id: str
    first: float
    second: float


@dataclass(frozen=True)
class Kappa:
    """How far two sets of judgments agree, on the pairs that both judged.

    Attributes
    ----------
    kappa : float
        Cohen's κ: a grade is the same or it is not. NaN where both always give one and the same grade.
    linear, quadratic : float
        κ with weights: a difference of two grades costs twice, or four times, as much as one of one grade. Of two
        grades alone, all three are equal.
    agreement : float
        The share of pairs with the same grade.
    by_chance : float
        The share that would have the same if each gave its grades at random, as often as it did.
    n : int
        How many pairs both judged.
    only_first, only_second : int
        How many pairs one of them alone judged: these do not count.
    grades : tuple of float
        The grades that occur, lowest first.
    table : ndarray of int64, shape (len(grades), len(grades))
        How many pairs have a grade of the first (row) and one of the second (column).
    disagreements : tuple of Disagreement
        The pairs whose grades differ, in the order of the first judgments.
    """

    _repr_html_ = display.html
    frame = display.frame

    kappa: float
    linear: float
    quadratic: float
    agreement: float
    by_chance: float
    n: int
    only_first: int
    only_second: int
    grades: tuple[float, ...]
    table: np.ndarray
    disagreements: tuple[Disagreement, ...]

    def __repr__(self) -> str:
        weighted = f" ({self.linear:.4f} linear, {self.quadratic:.4f} quadratic)" if len(self.grades) > 2 else ""
        by_chance = f"{self.agreement:.4f} agree, {self.by_chance:.4f} by chance"
        return f"<Kappa {self.kappa:.4f}{weighted} of {counted(self.n, 'pair')}: {by_chance}>"


def kappa(first: QrelsLike, second: QrelsLike, *, threshold: float | None = None) -> Kappa:
    """Cohen's κ of two sets of judgments, on the pairs of query and document that both judged.

    κ = (A − E) / (1 − E), where A is the share of pairs with the same grade, and E the share that would have the same
    by chance: Σ over grades of the product of both shares of that grade. With weights w for a pair of grades, κ = 1 −
    Σ w·observed / Σ w·by chance, where w is the difference of the two grades (linear) or its square (quadratic).

    Parameters
    ----------
    first, second : Qrels, dict, data frame or path
        What `evaluate` takes as judgments.
    threshold : float, optional
        Makes 1 of a grade that reaches it and 0 of any other, before they are compared.

    Raises
    ------
    DataError
        If no pair has been judged by both, or judgments are malformed.

    References
    ----------
    Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960; with
    weights: Psychological Bulletin 70, 1968. Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008,
    section 8.5, has chance from the grades of both together (Scott's π), which is a little less than κ.

    Examples
    --------
    >>> found = kappa({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"1": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}})
    >>> found.agreement, found.by_chance, found.kappa, found.n, found.only_second
    (0.75, 0.5, 0.5, 4, 1)
    >>> found.disagreements
    (Disagreement(query_id='1', doc_id='b', first=1.0, second=0.0),)
    """
    one, other = as_qrels(first), as_qrels(second)
    pairs = _common(one, other)
    if not pairs:
        raise DataError(
            "no pair of query and document has been judged in both; the first has "
            f"{_a_pair(one)}, the second {_a_pair(other)}: ids must be equal as texts"
        )
    if threshold is not None:
        pairs = [
            pair._replace(first=float(pair.first >= threshold), second=float(pair.second >= threshold))
            for pair in pairs
        ]
    given = np.array([[pair.first, pair.second] for pair in pairs], dtype=np.float64)
    grades, places = np.unique(given, return_inverse=True)
    places = places.reshape(given.shape)
    table = np.zeros((grades.size, grades.size), dtype=np.int64)
    np.add.at(table, (places[:, 0], places[:, 1]), 1)
    apart = np.abs(grades[:, np.newaxis] - grades)
    observed, by_chance = table / len(pairs), np.outer(table.sum(axis=1), table.sum(axis=0)) / len(pairs) ** 2
    return Kappa(
        kappa=_weighted(observed, by_chance, apart != 0),
        linear=_weighted(observed, by_chance, apart),
        quadratic=_weighted(observed, by_chance, apart**2),
        agreement=float(np.trace(table) / len(pairs)),
        by_chance=float(np.trace(by_chance)),
        n=len(pairs),
        only_first=len(one) - len(pairs),
        only_second=len(other) - len(pairs),
        grades=tuple(grades.tolist()),
        table=table,
        disagreements=tuple(pair for pair in pairs if pair.first != pair.second),
    )


def _common(one: Qrels, other: Qrels) -> list[Disagreement]:
    """The pairs that both judged, with both grades."""
    pairs = []
    for query_id in one.query_ids:
        theirs = other[query_id]
        mine = one[query_id]
        pairs += [Disagreement(query_id, doc_id, mine[doc_id], theirs[doc_id]) for doc_id in mine if doc_id in theirs]
    return pairs


def _weighted(observed: np.ndarray, by_chance: np.ndarray, weights: np.ndarray) -> float:
    expected = float((weights * by_chance).sum())
    return 1 - float((weights * observed).sum()) / expected if expected else math.nan


def _a_pair(qrels: Qrels) -> str:
    row = next(iter(qrels))
    return f"query '{row.query_id}' with document '{row.doc_id}'"
