"""Signs of wrong judgments: numbers that mean other queries, and a scale of grades that runs backwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from toysearch.base import Qrels, Run, counted, expect

__all__ = ["Suspicion", "doubts"]

_MOST_GRADES = 50  # more distinct grades than any scale of relevance has
_RARE = 0.01  # a larger share of the judgments is a part of their scale
_JUNK = -2  # the lowest grade in use, for spam
_FEWEST_NUMBERS = 5  # the fewest queries whose numbers show how they were assigned
_LENGTHS = 0.05  # both sides may have the same queries if their numbers of queries differ by at most this share
_FIRST = 10  # the first documents of a query, among which judged ones are counted
_HARDLY = 0.05  # a share of judged documents that is possible by accident for another query
_FAR = 2  # times as many: 2.6 and more in shifted collections of the catalog, 0.4 and less in others


class Suspicion(NamedTuple):
    """Suspicious finding.

    Attributes
    ----------
    name : str
        Its kind, in a word or two.
    message : str
        Finding and its place, and the likely cause.
    serious : bool, default True
        Whether it most likely makes the numbers of an evaluation wrong.
    """

    name: str
    message: str
    serious: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


Suspicions: TypeAlias = Iterator[Suspicion]


def doubts(run: Run, qrels: Qrels, query_ids: Sequence[str] | None = None) -> list[str]:
    """List signs that the judgments of a collection are wrong, found quickly, to warn before the results.

    Parameters
    ----------
    run : Run
        A ranking of the judged queries.
    qrels : Qrels
        The judgments.
    query_ids : sequence of str, optional
        The ids of all queries, judged or not; by default those of the run.

    Returns
    -------
    list of str
        One sentence per doubt: no grade is above 0, grades run backwards, they are not grades, or the numbers of
        queries and judgments do not mean the same queries.

    Examples
    --------
    >>> doubts(Run.from_dict({"1": {"a": 1.0}}), Qrels.from_dict({"1": {"a": 0}}))
    ['grades: no grade of 1 judgment is above 0, so nothing is relevant; is it another scale?']
    """
    expect(Run, run=run)
    expect(Qrels, qrels=qrels)
    numbers = of_numbers(run, qrels, run.query_ids if query_ids is None else query_ids, "collection")
    findings = [*of_grades(qrels), *numbers, *of_direction(run, qrels)]
    return [str(finding) for finding in findings if finding.serious]


def of_grades(qrels: Qrels) -> Suspicions:
    """Yield findings about the grades alone."""
    grades, counts = np.unique(qrels.relevance, return_counts=True)
    if grades[-1] <= 0:
        message = (
            f"no grade of {counted(len(qrels), 'judgment')} is above 0, so nothing is relevant; is it another scale?"
        )
        yield Suspicion("grades", message)
    elif grades[-1] < 1:
        message = f"all grades are below 1, the highest is {grades[-1]:g}; give a threshold, such as {grades[-1] / 2:g}"
        yield Suspicion("grades", message, False)
    elif grades.size > 1 and grades[0] >= 1:
        low, second = grades[:2]
        message = (
            f"the lowest grade is {low:g}, and counts as relevant: nothing is judged not relevant; if {low:g} means "
            f"that, nDCG(gains={{{low:g}:0}})@10 and AP(rel={second:g}) are the measures"
        )
        yield Suspicion("grades", message, False)
    if grades.size > _MOST_GRADES:
        message = (
            f"{grades.size} different grades, from {grades[0]:g} to {grades[-1]:g}; are these the scores of a run?"
        )
        yield Suspicion("grades", message)
    yield from _of_outsiders(qrels, grades, counts)


def _of_outsiders(qrels: Qrels, values: np.ndarray, counts: np.ndarray) -> Suspicions:
    """Yield a finding about a few grades that are further from all others than these are from each other.

    values, counts : the different grades, rising, and how often each is given
    """
    if values.size < 3 or values.size > _MOST_GRADES or (values % 1).any():
        return
    few = max(1, int(_RARE * len(qrels)))
    for outside, others in ((values[-1], values[:-1]), (values[0], values[1:])):
        lowest, highest = float(others[0]), float(others[-1])
        gap = max(outside - highest, lowest - outside)
        if gap > highest - lowest and (outside > highest or outside < _JUNK) and counts[values == outside] <= few:
            rows = np.flatnonzero(qrels.relevance == outside)
            where = f"query '{qrels.query_of(int(rows[0]))}', document '{qrels.doc_ids[int(rows[0])]}'"
            many = counted(rows.size, "judgment has", "judgments have")
            message = (
                f"{many} the grade {outside:g}, the others {lowest:g} to {highest:g}, such as {where}; a typing error, "
                "or another column?"
            )
            yield Suspicion("grades", message)


def of_numbers(run: Run, qrels: Qrels, query_ids: Sequence[str], where: str) -> Suspicions:
    """Yield findings about query numbers that may mean other queries in the judgments."""
    if message := numbered_by_place(query_ids, qrels.query_ids, where):
        yield Suspicion("numbered by place", message)
    if message := shifted_numbers(run, qrels):
        yield Suspicion("shifted query ids", message)


def of_direction(run: Run, qrels: Qrels) -> Suspicions:
    """Yield a finding if lower grades are ranked higher."""
    if doubt := backwards(run, qrels):
        low, high = doubt
        grades = [f"{grade:g}" for grade in np.unique(qrels.relevance[qrels.relevance > 0])]
        gains = ",".join(map(":".join, zip(grades, reversed(grades), strict=True)))
        message = (
            f"the scale runs backwards: documents with {low:g} are ranked higher than those with {high:g} (p < 0.001); "
            "if the lowest grade is the best, nDCG and similar measures reward the weakest answers: give them gains, "
            f"such as nDCG(gains={{{gains}}}), or a collection a grade mapping (`toysearch check COLLECTION` writes it)"
        )
        yield Suspicion("grades", message)


def numbered_by_place(ours: Sequence[str], theirs: Sequence[str], where: str = "run") -> str | None:
    """Return a message if one side numbers its queries from 1, the other with gaps, and both have about as many.

    >>> numbered_by_place(["1", "2", "4", "8", "9"], ["1", "2", "3", "4", "5"])[:65]
    '5 queries in the run and 5 in the judgments, but 3 in common: the'
    >>> numbered_by_place(["1", "2", "4", "8", "9"], ["1", "2", "4", "8", "9"]) is None
    True
    """
    sides = []
    for ids in (ours, theirs):
        if not all(text.isascii() and text.isdigit() for text in ids):
            return None
        sides.append((len(ids), max(map(int, ids), default=0)))
    (n_ours, highest_ours), (n_theirs, highest_theirs) = sides
    n_common = len(set(ours) & set(theirs))
    as_many = abs(n_ours - n_theirs) <= _LENGTHS * max(n_ours, n_theirs)
    one_by_place = (highest_ours <= n_ours) != (highest_theirs <= n_theirs)
    if min(n_ours, n_theirs) < _FEWEST_NUMBERS or not as_many or not one_by_place or n_common >= min(n_ours, n_theirs):
        return None
    return (
        f"{n_ours} queries in the {where} and {n_theirs} in the judgments, but {n_common} in common: the {where}'s "
        f"numbers go to {highest_ours}, the judgments' to {highest_theirs}; is one side numbered by position (like "
        "the judgments of Cranfield, whose queries have other numbers)?"
    )


def shifted_numbers(run: Run, qrels: Qrels) -> str | None:
    """Return a message if the run fits the judgments of the query before or after its own much better; else None.

    >>> judged = Qrels.from_dict({str(query): {f"d{query}": 1} for query in range(1, 7)})
    >>> shifted_numbers(Run.from_dict({str(query + 1): {f"d{query}": 1.0} for query in range(1, 7)}), judged)[:70]
    'of the first 10 documents 0.0% are judged, but 100.0% if query n of th'
    """
    # Neighbours may share judged documents, which is not a finding: far more must be judged there than under their own
    # number, and in far more of the queries.
    numbers = [text for text in qrels.query_ids if text.isascii() and text.isdigit()]
    if len(numbers) < max(_FEWEST_NUMBERS, 0.9 * len(qrels.query_ids)):
        return None
    for step in (math.ceil(len(numbers) / _A_FEW), 1):
        judged = {number: set(qrels.doc_ids_of(number)) for number in numbers[::step]}
        # Judged query → number of the first documents of the query `shift` further that are judged for it, of all.
        counts: dict[int, dict[str, tuple[int, int]]] = {-1: {}, 0: {}, 1: {}}
        for shift, number in product(counts, judged):
            query_id = str(int(number) + shift)
            if query_id in run:
                first = _first_doc_ids(run, query_id, _FIRST)
                counts[shift][number] = len(judged[number].intersection(first)), len(first)
        shares = {}
        for shift, of_shift in counts.items():
            looked = sum(n_looked for _, n_looked in of_shift.values())
            shares[shift] = sum(n_judged for n_judged, _ in of_shift.values()) / looked if looked else 0.0
        best = max((-1, 1), key=lambda shift: (shares[shift], shift))
        both = [number for number in counts[best] if number in counts[0]]
        gains = [counts[best][number][0] - counts[0][number][0] for number in both]
        better, worse = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        if shares[best] <= max(_HARDLY, _FAR * shares[0]) or better <= _FAR * worse:
            return None
    sign = "high" if best > 0 else "low"
    return (
        f"of the first {_FIRST} documents {shares[0]:.1%} are judged, but {shares[best]:.1%} if query n of the run has "
        f"the judgments of n{-best:+d}; are the query numbers of the run too {sign} by one?"
    )


def _first_doc_ids(run: Run, query_id: str, most: int) -> list[str]:
    rows = run.rows(query_id)
    places, scores = np.arange(rows.start, rows.stop), run.scores[rows]
    if not run.ranked and (scores[1:] > scores[:-1]).any():
        places = places[np.argsort(-scores, kind="stable")]
    return run.ids.at(places[:most])


_SURE = 0.001  # a scale is reported as running backwards if an accident is less probable than this
_FEWEST = 10  # the fewest queries for which a probability can be that low
_DEPTH = 100  # ranks that are examined
_A_FEW, _MOST = 100, 1000  # evenly spaced queries: for a first look, and for a second one if that is suspicious


def backwards(run: Run, qrels: Qrels) -> tuple[float, float] | None:
    """Return the lowest and the highest grade above 0 if the lower one is clearly ranked higher; else None."""
    # The mean reciprocal ranks of the two are compared first. Only if the lower grade has the higher mean, the
    # agreement of ranks and grades is tested query by query (by the normal approximation: many are equal).
    grades = qrels.relevance[qrels.relevance > 0]
    low, high = float(grades.min(initial=np.inf)), float(grades.max(initial=0))
    queries = [query_id for query_id in qrels.query_ids if query_id in run]
    if low >= high or len(queries) < _FEWEST:
        return None
    for most in (_A_FEW, _MOST):
        step = math.ceil(len(queries) / most)
        judged = []  # the grades above 0 and the ranks of documents; infinite for one that is not among the first
        for query_id in queries[::step]:
            ranks = dict(zip(_first_doc_ids(run, query_id, _DEPTH), range(1, _DEPTH + 1), strict=False))
            of_query = qrels.rows(query_id)
            rows = of_query.start + np.flatnonzero(qrels.relevance[of_query] > 0)
            places = (ranks.get(doc_id, math.inf) for doc_id in qrels.ids.at(rows))
            judged.append(list(zip(qrels.relevance[rows].tolist(), places, strict=True)))
        reciprocal: dict[float, list[float]] = {low: [], high: []}
        for grade, rank in (pair for pairs in judged for pair in pairs):
            if grade in reciprocal:
                reciprocal[grade].append(1 / rank)
        if np.mean(reciprocal[low] or [0.0]) <= np.mean(reciprocal[high] or [0.0]):
            return None
    by_agreement = agreements([(grade, -rank) for grade, rank in pairs] for pairs in judged)
    return (low, high) if chance(by_agreement, "asymptotic") < _SURE else None


def agreements(queries: Iterable[Sequence[tuple[float, float]]]) -> np.ndarray:
    """For each query with several grades, agreement of scores with grades: 1 if all pairs agree, -1 if none does.

    >>> agreements([[(1, 3.0), (2, 2.0), (2, -math.inf)], [(1, 0.5)]]).tolist()
    [-1.0]
    """
    # queries: the grade and the score of each document. Pairs are those of documents with different grades; one with
    # equal scores, or of which neither document is retrieved (minus infinity), counts 0.
    values = []
    for graded in queries:
        if len({grade for grade, _ in graded}) < 2:
            continue
        grade, score = np.array(graded).T
        order = np.sign(grade[:, None] - grade)
        with np.errstate(invalid="ignore"):
            follows = np.nan_to_num(np.sign(score[:, None] - score))
        values.append(float((order * follows).sum() / np.count_nonzero(order)))
    return np.array(values)


_LEAST_TESTED = 5  # with fewer queries no test can show a direction


def chance(values: np.ndarray, method: str = "auto") -> float:
    """Probability of values at least this far below 0 under symmetry: Wilcoxon's signed-rank test.

    >>> chance(np.array([-1.0, -0.5, -0.2, -0.9, -0.4, -0.7])), chance(np.array([-1.0, -1.0]))
    (0.015625, 1.0)
    """
    different = values[values != 0]
    if different.size < _LEAST_TESTED:
        return 1.0
    from scipy.stats import wilcoxon  # most scales do not look reversed

    return float(wilcoxon(different, alternative="less", method=method).pvalue)
