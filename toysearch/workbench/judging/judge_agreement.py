"""Agreement of judges: Krippendorff's alpha, Fleiss' kappa, Cohen's kappa."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    Column,
    DataError,
    Qrels,
    Result,
    ResultTable,
    counted,
    expect,
    expect_finite,
    expect_name,
    nested,
    note,
    number_columns,
    repeat_each,
    table_columns,
    totals,
)
from toysearch.evaluation.given_judgments import as_qrels
from toysearch.files import QrelsLike

__all__ = [
    "MERGE_RULES",
    "Alpha",
    "Disagreement",
    "Disputed",
    "Kappa",
    "Merged",
    "QueryAgreement",
    "agree",
    "alpha",
    "kappa",
    "merge_qrels",
]


class Merged(NamedTuple):
    """Set of judgments merged from several.

    Attributes
    ----------
    qrels : Qrels
        The merged grades.
    undecided : tuple of Disputed
        The pairs without a majority grade that were not decided either: these are left out.
    """

    qrels: Qrels
    undecided: tuple[Disputed, ...]


def _majority(grades: list[float]) -> float:
    """Return the grade that most judges gave; NaN if two grades were given equally often."""
    votes = totals((grade, 1) for grade in grades)
    most = max(votes.values())
    first, *others = [grade for grade, number in votes.items() if number == most]
    return math.nan if others else first


MERGE_RULES: Mapping[str, Callable[[list[float]], float]] = MappingProxyType(
    {
        "majority": _majority,
        "optimistic": max,
        "pessimistic": min,
        "mean": lambda grades: math.fsum(grades) / len(grades),
    }
)
"""Rules that turn the grades of several judges into one, by name; NaN stands for none."""


def merge_qrels(
    judgments: Mapping[str, QrelsLike], decisions: QrelsLike | None = None, *, rule: str = "majority"
) -> Merged:
    """Merge several sets of judgments into one: a grade for each pair by a rule, unless another one was decided.

    ===========  ============================================================================================
    majority     the grade that more judges gave than any other; a pair with a tie is left out as undecided
    optimistic   the highest grade that a judge gave
    pessimistic  the lowest grade that a judge gave
    mean         the arithmetic mean of the grades, which may be a fraction
    ===========  ============================================================================================

    Parameters
    ----------
    judgments : dict of judge to judgments
        What `evaluate` takes as judgments.
    decisions : Qrels, dict, data frame or path, optional
        Grades decided in discussion: these take precedence.
    rule : {"majority", "optimistic", "pessimistic", "mean"}, default "majority"
        The grade of a pair: that of most judges, the highest, the lowest, or the mean.

    Raises
    ------
    ArgumentError
        If the rule is unknown.
    DataError
        If no pair has a grade in the end, or judgments are malformed.

    Examples
    --------
    >>> ada, ben, carla = {"1": {"a": 2, "b": 1}}, {"1": {"a": 2, "b": 0}}, {"1": {"a": 0}}
    >>> found = merge_qrels({"ada": ada, "ben": ben, "carla": carla})
    >>> found.qrels["1"], found.undecided[0].doc_id
    ({'a': 2.0}, 'b')
    >>> merge_qrels({"ada": ada, "ben": ben}, {"1": {"b": 1}}).qrels["1"]
    {'a': 2.0, 'b': 1.0}
    >>> merge_qrels({"ada": ada, "ben": ben, "carla": carla}, rule="pessimistic").qrels["1"]
    {'a': 0.0, 'b': 0.0}
    """
    expect(Mapping, judgments=judgments)
    expect_name("rule", rule, MERGE_RULES)
    merged: dict[str, dict[str, float]] = {}
    undecided = []
    pairs = grades_by_pair(judgments)
    decided = (
        {(row.query_id, row.doc_id): row.relevance for row in as_qrels(decisions)} if decisions is not None else {}
    )
    _note_other_keys(pairs, decided)
    for pair in dict.fromkeys([*pairs, *decided]):
        grades = pairs.get(pair, {})
        grade = decided[pair] if pair in decided else MERGE_RULES[rule]([*grades.values()])
        if math.isnan(grade):
            undecided.append(Disputed(*pair, grades))
        else:
            merged.setdefault(pair[0], {})[pair[1]] = grade
    if not merged:
        raise DataError("no pair has a grade that most judges gave; decide the grades in a separate sheet")
    return Merged(Qrels.from_dict(merged), tuple(undecided))


_Pair = tuple[str, str]


def _note_other_keys(pairs: Mapping[_Pair, Mapping[str, float]], decided: Mapping[_Pair, float]) -> None:
    """Note decisions that meet no judged pair, and judges of whom some name queries by texts, the others by ids."""
    if decided and pairs and pairs.keys().isdisjoint(decided):
        query_id, doc_id = next(iter(decided))
        of_all = f"none of {counted(len(decided), 'decision')} is on a judged pair"
        note(f"{of_all}, such as query '{query_id}', document '{doc_id}'; they are added")
    by_text = {" " in query_id: (query_id, judge) for (query_id, _), grades in pairs.items() for judge in grades}
    if len(by_text) == 2 and all(len(grades) == 1 for grades in pairs.values()):
        (text, first), (query_id, second) = by_text[True], by_text[False]
        if first != second:
            note(
                f"{first} has queries such as '{text}', {second} such as '{query_id}', and no pair has two grades; "
                "name queries by the same ids"
            )


class Disputed(NamedTuple):
    """Pair of query and document that got different grades.

    Attributes
    ----------
    query_id, doc_id : str
        The pair.
    grades : dict of str to float
        The grade that each judge gave.
    """

    query_id: str
    doc_id: str
    grades: dict[str, float]


class QueryAgreement(NamedTuple):
    """Agreement of judges on one query.

    Attributes
    ----------
    query_id : str
        The query.
    pairs : int
        The number of its documents that two or more judges judged.
    agreement : float
        The share of pairs of judges that gave a document the same grade, averaged over these documents.
    alpha : float
        Krippendorff's α of this query alone; NaN where all grades are the same.
    """

    query_id: str
    pairs: int
    agreement: float
    alpha: float


@dataclass(frozen=True)
class Alpha(Result):
    """Agreement of several judges.

    Attributes
    ----------
    nominal, ordinal, interval : float
        Krippendorff's α: a grade is the same or it is not; the order of grades counts; their differences count. NaN
        where only one grade occurs.
    fleiss : float
        Fleiss' κ, of the pairs that every judge judged; NaN where there is none, or only one grade.
    agreement : float
        The share of pairs of judges that gave a document the same grade, averaged over documents.
    judges : tuple of str
        Their names.
    n : int
        The number of pairs of query and document that two or more judges judged.
    n_all : int
        The number of pairs that all of them judged.
    n_single : int
        The number of pairs that a single judge judged: these do not count.
    disputed : tuple of Disputed
        The pairs with different grades.
    by_query : tuple of QueryAgreement
        The same for each query.
    """

    agreement: float
    fleiss: float
    nominal: float
    ordinal: float
    interval: float
    judges: tuple[str, ...]
    n: int
    n_all: int
    n_single: int
    by_query: tuple[QueryAgreement, ...]
    disputed: tuple[Disputed, ...]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the agreement of the judges, one row per query; an undefined alpha is left empty."""
        columns = table_columns(Column("query_id", "query"), number_columns(",", "pairs"))
        columns += number_columns(".4f", agreement="same grade", alpha="")
        return [ResultTable(columns, [(*row[:3], None if math.isnan(row[3]) else row[3]) for row in self.by_query])]

    def __repr__(self) -> str:
        alphas = f"{self.nominal:.4f} nominal, {self.ordinal:.4f} ordinal, {self.interval:.4f} interval"
        return f"<Alpha of {len(self.judges)} judges on {counted(self.n, 'pair')}: {alphas}>"

    __str__ = __repr__


def alpha(judgments: Mapping[str, QrelsLike], *, threshold: float | None = None) -> Alpha:
    """Compute Krippendorff's α of any number of judges, who may have judged different pairs, and Fleiss' κ.

    α = 1 − observed / expected disagreement. The observed one is a mean over the pairs of grades that a document got,
    the expected one over all pairs of grades. A disagreement of grades c and k costs 1 (nominal), (c − k)² (interval),
    or the square of how many grades lie between them, half of those at both ends included (ordinal).

    Parameters
    ----------
    judgments : dict of judge to judgments
        What `evaluate` takes as judgments.
    threshold : float, optional
        Grades that reach it become 1 and all others 0 before they are compared.

    Raises
    ------
    DataError
        If no pair has been judged by two, or judgments are malformed.

    References
    ----------
    Krippendorff, "Computing Krippendorff's alpha-reliability", 2011, whose example is in the tests; Fleiss, "Measuring
    nominal scale agreement among many raters", Psychological Bulletin 76, 1971, likewise.

    Examples
    --------
    >>> ada, ben = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> found = alpha({"ada": ada, "ben": ben, "carla": {"1": {"a": 1, "b": 1}}})
    >>> round(found.nominal, 4), found.n, found.n_all, found.disputed[0].grades
    (0.64, 4, 2, {'ada': 1.0, 'ben': 0.0, 'carla': 1.0})
    """
    expect(Mapping, judgments=judgments)
    units = nested(
        (query_id, doc_id, grades) for (query_id, doc_id), grades in grades_by_pair(judgments, threshold).items()
    )
    return alpha_of_tallies([tally(query_id, grades) for query_id, grades in units.items()], tuple(judgments))


def grades_by_pair(judgments: Mapping[str, QrelsLike], threshold: float | None = None) -> dict[_Pair, dict[str, float]]:
    """Group the grades of each pair by judge."""
    expect_finite(threshold, "the threshold")
    return nested(
        ((query_id, doc_id), judge, grade if threshold is None else float(grade >= threshold))
        for judge, by_document in judgments.items()
        for query_id, doc_id, grade in as_qrels(by_document)
    )


class Unanimity(NamedTuple):
    """Documents of one query that the same number of judges graded."""

    documents: int
    alike: float  # the sum of the shares of equal pairs of grades
    votes: dict[float, float]  # grade → how often it was given


class QueryTally(NamedTuple):
    """Counts of one query for agreement, so that a new grade changes nothing but the tally of its query."""

    single: int  # documents with a single grade, which do not count
    agreement: QueryAgreement
    coincidences: np.ndarray  # (3, pairs of grades) float64: grade, grade, how often one document got both
    by_judges: dict[int, Unanimity]  # the number of judges → the documents that so many graded
    disputed: tuple[Disputed, ...]


def tally(query_id: str, grades: Mapping[str, Mapping[str, float]]) -> QueryTally:
    """Count the grades of one query: doc_id → judge → grade."""
    several = {doc_id: by_judge for doc_id, by_judge in grades.items() if len(by_judge) > 1}
    single, pairs = len(grades) - len(several), [[*by_judge.values()] for by_judge in several.values()]
    if not pairs:
        nothing = QueryAgreement(query_id, 0, math.nan, math.nan)
        return QueryTally(single, nothing, np.zeros((3, 0)), {}, ())
    occurring, columns = np.unique([grade for unit in pairs for grade in unit], return_inverse=True)
    sizes = np.array([len(unit) for unit in pairs], dtype=np.int64)
    votes = np.zeros((sizes.size, occurring.size))  # one row per document
    np.add.at(votes, (repeat_each(np.arange(sizes.size), sizes), columns), 1)
    alike = (votes * (votes - 1)).sum(axis=1) / (sizes * (sizes - 1))
    weighted = votes / (sizes - 1)[:, np.newaxis]  # each document counts by its number of grades
    coincidences = weighted.T @ votes - np.diag(weighted.sum(axis=0))
    agreement = _alpha(coincidences, coincidences.sum(axis=1), 1 - np.eye(occurring.size))
    by_judges = {}
    for size in {*sizes.tolist()}:
        rows = sizes == size
        counts = dict(zip(occurring.tolist(), votes[rows].sum(axis=0).tolist(), strict=True))
        by_judges[size] = Unanimity(int(rows.sum()), math.fsum(alike[rows]), counts)
    return QueryTally(
        single,
        QueryAgreement(
            query_id,
            len(pairs),
            math.fsum(part.alike for part in by_judges.values()) / len(pairs),
            agreement,
        ),
        np.stack([repeat_each(occurring, occurring.size), np.tile(occurring, occurring.size), coincidences.ravel()]),
        by_judges,
        tuple(
            Disputed(query_id, doc_id, dict(by_judge))
            for doc_id, by_judge in several.items()
            if len(set(by_judge.values())) > 1
        ),
    )


def alpha_of_tallies(tallies: Iterable[QueryTally], judges: tuple[str, ...]) -> Alpha:
    """Compute the agreement of some judges from the tallies of all queries, as `alpha` defines it."""
    tallies = list(tallies)
    several = [tally for tally in tallies if tally.agreement.pairs]
    if not several:
        raise DataError("no pair of query and document has been judged by two; ids must be equal as texts")
    parts = [part for tally in several for part in tally.by_judges.values()]
    everybody = [tally.by_judges[len(judges)] for tally in several if len(judges) in tally.by_judges]
    rows, columns, weights = np.concatenate([tally.coincidences for tally in several], axis=1)
    grades = np.unique(rows)
    coincidences = np.zeros((grades.size, grades.size))
    np.add.at(coincidences, (np.searchsorted(grades, rows), np.searchsorted(grades, columns)), weights)
    totals = coincidences.sum(axis=1)
    below = totals.cumsum() - totals / 2
    costs = (grades[:, np.newaxis] != grades, np.subtract.outer(below, below), np.subtract.outer(grades, grades))
    nominal, ordinal, interval = (_alpha(coincidences, totals, np.asarray(cost, np.float64) ** 2) for cost in costs)
    n = sum(part.documents for part in parts)
    n_all = sum(part.documents for part in everybody)
    disputed = chain.from_iterable(tally.disputed for tally in several)
    return Alpha(
        nominal=nominal,
        ordinal=ordinal,
        interval=interval,
        fleiss=_fleiss(everybody),
        agreement=math.fsum(part.alike for part in parts) / n,
        judges=judges,
        n=n,
        n_all=n_all,
        n_single=sum(tally.single for tally in tallies),
        disputed=tuple(disputed),
        by_query=tuple(tally.agreement for tally in several),
    )


def _alpha(coincidences: np.ndarray, totals: np.ndarray, cost: np.ndarray) -> float:
    expected = float((np.outer(totals, totals) * cost).sum())
    observed = float((coincidences * cost).sum())
    return 1 - (float(totals.sum()) - 1) * observed / expected if expected else math.nan


def _fleiss(parts: list[Unanimity]) -> float:
    if not parts:
        return math.nan
    shares: Counter[float] = Counter()
    for part in parts:
        shares.update(part.votes)
    total = sum(shares.values())
    by_chance = sum((count / total) ** 2 for count in shares.values())
    agreement = math.fsum(part.alike for part in parts) / sum(part.documents for part in parts)
    return (agreement - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan


class Disagreement(NamedTuple):
    """Pair with different grades in two sets of judgments."""

    query_id: str
    doc_id: str
    first: float
    second: float


@dataclass(frozen=True)
class Kappa(Result):
    """Agreement of two sets of judgments on the pairs that both judged.

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
        The expected share if both gave their grades at random, with the same frequencies.
    n : int
        The number of pairs that both judged.
    only_first, only_second : int
        The number of pairs that only one of them judged: these do not count.
    grades : tuple of float
        The grades that occur, lowest first.
    table : ndarray of int64, shape (len(grades), len(grades))
        How many pairs have a grade of the first (row) and one of the second (column).
    disagreements : tuple of Disagreement
        The pairs whose grades differ, in the order of the first judgments.
    """

    agreement: float
    by_chance: float
    kappa: float
    linear: float
    quadratic: float
    n: int
    only_first: int
    only_second: int
    grades: tuple[float, ...]
    table: np.ndarray
    disagreements: tuple[Disagreement, ...]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the number of pairs for each grade of the first judge (row) and of the second (column)."""
        names = [f"{grade:g}" for grade in self.grades]
        columns = table_columns(number_columns("", "grade"), number_columns(",", *names))
        return [ResultTable(columns, [[name, *row] for name, row in zip(names, self.table.tolist(), strict=True)])]

    def __repr__(self) -> str:
        weighted = f" ({self.linear:.4f} linear, {self.quadratic:.4f} quadratic)" if len(self.grades) > 2 else ""
        by_chance = f"{self.agreement:.4f} agree, {self.by_chance:.4f} by chance"
        return f"<Kappa {self.kappa:.4f}{weighted} of {counted(self.n, 'pair')}: {by_chance}>"

    __str__ = __repr__


def kappa(first: QrelsLike, second: QrelsLike, *, threshold: float | None = None) -> Kappa:
    """Compute Cohen's κ of two sets of judgments, on the pairs of query and document that both judged.

    κ = (A − E) / (1 − E), where A is the share of pairs with the same grade, and E the share that would have the same
    by chance: Σ over grades of the product of both shares of that grade. With weights w for a pair of grades, κ = 1 −
    Σ w·observed / Σ w·by chance, where w is the difference of the two grades (linear) or its square (quadratic).

    Parameters
    ----------
    first, second : Qrels, dict, data frame or path
        What `evaluate` takes as judgments.
    threshold : float, optional
        Grades that reach it become 1 and all others 0 before they are compared.

    Raises
    ------
    DataError
        If no pair has been judged by both, or judgments are malformed.

    References
    ----------
    Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960; with
    weights: Psychological Bulletin 70, 1968. Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008,
    section 8.5, computes chance from the grades of both together (Scott's π), which is slightly less than κ.

    Examples
    --------
    >>> found = kappa({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"1": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}})
    >>> found.agreement, found.by_chance, found.kappa, found.n, found.only_second
    (0.75, 0.5, 0.5, 4, 1)
    >>> found.disagreements
    (Disagreement(query_id='1', doc_id='b', first=1.0, second=0.0),)
    """
    one, other = as_qrels(first), as_qrels(second)
    by_pair = grades_by_pair({"first": one, "second": other}, threshold)
    pairs = [Disagreement(*pair, *grades.values()) for pair, grades in by_pair.items() if len(grades) == 2]
    if not pairs:
        raise DataError(
            "no pair of query and document has been judged in both; the first has "
            f"{_a_pair(one)}, the second {_a_pair(other)}: ids must be equal as texts"
        )
    pair_grades = np.array([[pair.first, pair.second] for pair in pairs], dtype=np.float64)
    grades, places = np.unique(pair_grades, return_inverse=True)
    places = places.reshape(pair_grades.shape)
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


def _weighted(observed: np.ndarray, by_chance: np.ndarray, weights: np.ndarray) -> float:
    expected = float((weights * by_chance).sum())
    return 1 - float((weights * observed).sum()) / expected if expected else math.nan


def _a_pair(qrels: Qrels) -> str:
    row = next(iter(qrels))
    return f"query '{row.query_id}' with document '{row.doc_id}'"


def agree(judgments: Mapping[str, QrelsLike], *, threshold: float | None = None) -> Kappa | Alpha:
    """Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.

    The agreement is computed on the pairs of query and document that at least two judges have. Kappa and alpha are 1
    if all grades are equal, and 0 if no more are equal than by chance; with weights, a small difference in grades costs
    less than a large one.

    Parameters
    ----------
    judgments : dict of judge to judgments
        What `evaluate` takes as judgments, of two or more judges.
    threshold : float, optional
        Compare relevant with not relevant only, from this grade.

    Returns
    -------
    Kappa or Alpha
        Of two judges what `kappa` returns, of more what `alpha` returns.

    Examples
    --------
    >>> agree({"ada": {"1": {"a": 1, "b": 0}}, "ben": {"1": {"a": 1, "b": 1}}}).agreement
    0.5
    """
    expect(Mapping, judgments=judgments)
    if len(judgments) == 2:
        return kappa(*judgments.values(), threshold=threshold)
    return alpha(judgments, threshold=threshold)
