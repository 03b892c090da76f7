"""Which unjudged document would change the difference of systems most if it were judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from toysearch.base import ArgumentError, checked, ordered, repeat_each
from toysearch.evaluation.joined_run import JoinedRun
from toysearch.evaluation.measures.measure import Measure, mean_measures
from toysearch.evaluation.pooling import DEPTH, Pool, named_pool_runs, pool
from toysearch.formats.runs_and_judgments import QrelsLike, RunsLike, as_qrels

__all__ = ["decisive_pool", "influences"]

GRADES = (0.0, 1.0, 2.0, 3.0)
"""The grades that a document may get by default."""


@checked
def influences(
    runs: RunsLike,
    qrels: QrelsLike | None = None,
    measure: str = "AP",
    *,
    depth: int = DEPTH,
    grades: Sequence[float] = GRADES,
    threshold: float = 1.0,
    ties: str | None = None,
) -> dict[str, dict[str, float]]:
    """The influence of each unjudged document of a pool on the comparison of systems: query_id → doc_id → influence.

    The influence is the largest change that one grade of the document makes to the difference between the means of two
    systems: the maximum over the grades, and over the pairs of systems, of |change of the difference|. All other
    unjudged documents keep counting as the measure counts them. The documents of a query are sorted by falling
    influence; those whose grade would change all systems alike have none, and come last.

    Judging the document of largest influence, computing again, and so on is the greedy choice of Carterette, Allan &
    Sitaraman. They derive weights for the sign of a difference of AP; here the change itself is computed, for any
    measure that is a mean over queries.

    Parameters
    ----------
    runs : dict of name to run, or iterable of run
        Two or more; what `pool` takes.
    qrels : Qrels, dict, data frame or path, optional
        The judgments so far. Their documents are not in the result.
    measure : str, default "AP"
        The measure by which the systems are compared.
    depth : int, default 20
        How many documents of each ranking may be judged. The measure sees whole rankings.
    grades : sequence of float, default (0, 1, 2, 3)
        The grades that a document may get.
    threshold : float, default 1.0
        The lowest relevant grade.
    ties : str, optional
        The order of equal scores, as in `evaluate`.

    Raises
    ------
    ArgumentError
        If there are fewer than two runs, the measure is unknown or not a mean, or no grade is given.
    DataError
        If a run or the judgments are malformed.

    References
    ----------
    Carterette, Allan & Sitaraman, "Minimal test collections for retrieval evaluation", SIGIR 2006.

    Examples
    --------
    A relevant document adds 1/2 to P@2 of the system that has it in its first two. Both have a:

    >>> found = influences({"mine": {"1": ["a", "b", "c"]}, "yours": {"1": ["d", "a", "b"]}}, measure="P@2", depth=2)
    >>> found["1"]
    {'b': 0.5, 'd': 0.5, 'a': 0.0}
    """
    [parsed] = mean_measures(measure)
    ordered_runs = {name: ordered(run, ties)[0] for name, run in named_pool_runs(runs).items()}
    if len(ordered_runs) < 2:
        raise ArgumentError(f"a comparison has two systems or more, and there is {len(ordered_runs)}; name another run")
    if not grades:
        raise ArgumentError("name the grades that a document may get")
    judgments = as_qrels(qrels) if qrels is not None else None
    waiting = pool(ordered_runs, depth, qrels=judgments)
    influence = {}
    for query_id, doc_ids in waiting.items():
        judged = judgments[query_id] if judgments is not None and query_id in judgments else {}
        changes = []
        for run in ordered_runs.values():
            ranked = run.doc_ids_of(query_id) if query_id in run.query_ids else ()
            changes.append(_changes(parsed, ranked, judged, doc_ids, grades, threshold))
        # Over pairs of systems: the largest change minus the least, without the noise of the last digits, which would
        # order documents that are alike.
        spread = np.round(np.max(changes, axis=0) - np.min(changes, axis=0), 12)
        spreads = dict(zip(doc_ids, (spread.max(axis=1, initial=0.0) / len(waiting)).tolist(), strict=True))
        influence[query_id] = {
            doc_id: spreads[doc_id] for doc_id in sorted(spreads, key=lambda doc_id: (-spreads[doc_id], doc_id))
        }
    return influence


def _changes(
    measure: Measure,
    ranked: Sequence[str],
    judged: Mapping[str, float],
    doc_ids: Sequence[str],
    grades: Sequence[float],
    threshold: float,
) -> np.ndarray:
    """How much each grade of each document changes the value of a ranking: (documents, grades) float64."""
    # All cases are rows of one join: the judgments as they are, then with each document and grade added.
    place = {doc_id: rank for rank, doc_id in enumerate(ranked, 1)}
    cases = 1 + len(doc_ids) * len(grades)
    ranks, gains = np.empty((2, cases, len(judged) + 1))
    ranks[:, :-1] = [place.get(doc_id, np.inf) for doc_id in judged]
    gains[:, :-1] = [*judged.values()]
    ranks[0, -1], gains[0, -1] = np.inf, np.nan
    ranks[1:, -1] = repeat_each([float(place.get(doc_id, np.inf)) for doc_id in doc_ids], len(grades))
    gains[1:, -1] = np.tile(grades, len(doc_ids))
    order = np.argsort(ranks, axis=1, kind="stable")
    in_order = np.take_along_axis(ranks, order, axis=1)
    joined = JoinedRun(
        query_ids=[""] * cases,
        retrieved=np.full(cases, len(ranked)),
        ranks=in_order,
        grades=np.where(np.isfinite(in_order), np.take_along_axis(gains, order, axis=1), np.nan),
        ideal=-np.sort(-gains, axis=1),
        threshold=threshold,
        top=max(0.0, *judged.values(), *grades),
    )
    values = np.nan_to_num(measure.values(joined), nan=0.0)  # a query without a relevant document counts as 0
    return np.asarray(values[1:] - values[0]).reshape(len(doc_ids), len(grades))


@checked
def decisive_pool(pool: Pool, influence: Mapping[str, Mapping[str, float]], most: int | None = None) -> Pool:
    """A pool in the order in which its documents decide a comparison: the most influential query and document first.

    Parameters
    ----------
    pool : Pool
        What to judge.
    influence : mapping
        What `influences` gives for the same runs.
    most : int, optional
        The number of pairs of query and document to keep, those of largest influence.

    Examples
    --------
    >>> runs = {"mine": {"1": ["a", "b"], "2": ["a"]}, "yours": {"1": ["b", "a"], "2": ["c"]}}
    >>> decisive_pool(pool(runs), influences(runs), most=3).pairs
    [('2', 'a'), ('2', 'c'), ('1', 'a')]
    """
    pairs = [(query_id, doc_id) for query_id, doc_ids in influence.items() for doc_id in doc_ids]
    pairs.sort(key=lambda pair: -influence[pair[0]][pair[1]])
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    for query_id, doc_id in pairs[:most]:
        ranks.setdefault(query_id, {})[doc_id] = pool.ranks[query_id][doc_id]
    return Pool(ranks, pool.runs, pool.depth)
