"""Fusion of several runs of the same queries into one."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    DataError,
    Ranking,
    Run,
    counted,
    expect,
    expect_list,
    expect_name,
    note,
    ordered,
)
from toysearch.files.run_arguments import RunsLike, named_runs
from toysearch.models.normalisations import NORMALISATIONS as SCORE_NORMALISATIONS

__all__ = ["FUSION_METHODS", "FusionMethod", "fuse"]


class _Votes(NamedTuple):
    """Ranks and scores of the documents of one query: one row per run, one column per document."""

    ranks: np.ndarray  # from 1; infinite if the run lacks the document
    scores: np.ndarray  # normalised; 0 if the run lacks the document
    weights: np.ndarray  # one column
    k: float  # the constant of rrf

    @property
    def found(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.ranks))

    @property
    def n_runs(self) -> np.ndarray:
        """Number of runs that have each document: n in the formulas."""
        return np.asarray(self.found.sum(axis=0))


class FusionMethod(NamedTuple):
    """Fusion method: its function and its description."""

    function: Callable[[_Votes], np.ndarray]
    formula: str
    source: str
    by_score: bool


def _added(parts: np.ndarray) -> np.ndarray:
    """Sum each column, smallest part first, so that the sum does not depend on the order of the runs."""
    return np.asarray(np.add.accumulate(np.sort(parts, axis=0), axis=0)[-1])


def _borda(votes: _Votes) -> np.ndarray:
    candidates = votes.ranks.shape[1]
    unranked = candidates - votes.found.sum(axis=1, keepdims=True)
    # The remaining points, 1 to `unranked`, are shared equally among the documents that the run lacks.
    points = np.where(votes.found, candidates - votes.ranks + 1, (unranked + 1) / 2)
    return _added(votes.weights * points)


def _combsum(votes: _Votes) -> np.ndarray:
    return _added(votes.weights * votes.scores)


def _found(votes: _Votes, otherwise: float) -> np.ndarray:
    """Weigh the scores of each document; where a run lacks it, `otherwise` stands."""
    return np.where(votes.found, votes.weights * votes.scores, otherwise)


_FOX_SHAW = "Fox & Shaw, TREC-2, 1994"
_MOURAO = "Mourão, Martins & Magalhães, TREC 2013"
FUSION_METHODS: dict[str, FusionMethod] = {
    "rrf": FusionMethod(
        lambda votes: _added(votes.weights / (votes.k + votes.ranks)),
        "Σ w / (k + rank), k = 60",
        "Cormack, Clarke & Büttcher, SIGIR 2009",
        False,
    ),
    "isr": FusionMethod(
        lambda votes: votes.n_runs * _added(votes.weights / votes.ranks**2), "n · Σ w / rank²", _MOURAO, False
    ),
    "logisr": FusionMethod(
        lambda votes: np.log(votes.n_runs) * _added(votes.weights / votes.ranks**2),
        "ln n · Σ w / rank²",
        _MOURAO,
        False,
    ),
    "borda": FusionMethod(_borda, "Σ w · (c - rank + 1)", "Aslam & Montague, SIGIR 2001", False),
    "combsum": FusionMethod(_combsum, "Σ w · s", _FOX_SHAW, True),
    "combmnz": FusionMethod(lambda votes: votes.n_runs * _combsum(votes), "n · Σ w · s", _FOX_SHAW, True),
    "combanz": FusionMethod(lambda votes: _combsum(votes) / votes.n_runs, "1/n · Σ w · s", _FOX_SHAW, True),
    "combmax": FusionMethod(lambda votes: _found(votes, -np.inf).max(axis=0), "max w · s", _FOX_SHAW, True),
    "combmin": FusionMethod(lambda votes: _found(votes, np.inf).min(axis=0), "min w · s", _FOX_SHAW, True),
    "combmed": FusionMethod(lambda votes: np.nanmedian(_found(votes, np.nan), axis=0), "median w · s", _FOX_SHAW, True),
}
"""Methods by name: w is the weight of a run, s its normalised score, n the number of runs that have the document,
c the number of documents that any run has. Sums, and the extremes, are over the runs that have the document; with borda
a run shares its remaining points equally among the documents that it lacks."""


def _by_rank(scores: np.ndarray) -> np.ndarray:
    return 1 - np.arange(scores.size) / scores.size


NORMALISATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    **SCORE_NORMALISATIONS,
    "rank": _by_rank,
    "none": lambda scores: scores,
}
"""Normalisations of the scores of a ranking, best first, by name."""


def fuse(
    runs: RunsLike,
    method: str = "rrf",
    *,
    k: int | None = 1000,
    weights: Sequence[float] | None = None,
    normalise: str | None = None,
    rrf_k: float | None = None,
    name: str | None = None,
) -> Run:
    """Fuse several runs into one, with the documents of all.

    A run with ``ranked=True`` keeps its order; any other is sorted as in trec_eval (by descending score as a 32-bit
    float, ties by descending doc_id). A query that some run lacks is fused from the others. Equal fused scores keep the
    order of the first run, documents that it lacks that of the second, and so on.

    Parameters
    ----------
    runs : mapping of str to run, or iterable of run
        At least two; each as `evaluate` takes it.
    method : str
        One of `FUSION_METHODS`, which has the formulas. ``rrf``, ``isr``, ``logisr`` and ``borda`` use only ranks;
        ``combsum``, ``combmnz``, ``combanz``, ``combmax``, ``combmin`` and ``combmed`` use scores.
    k : int, optional
        The number of documents per query; None for all.
    weights : sequence of float, optional
        The weight of each run, above 0; by default 1.
    normalise : str, optional
        The normalisation of scores, query by query, before fusion: ``min-max`` (the default),
        (s − min) / (max − min); ``sum``, (s − min) / Σ(s − min); ``z-score``, (s − mean) / deviation; ``rank``,
        1 − (rank − 1) / n; or ``none``. If all scores of a ranking are equal, they become 1 with ``min-max``, equal
        shares with ``sum``, 0 with ``z-score``. Not for a method of ranks.
    rrf_k : float, optional
        The constant of ``rrf``, 0 or more; by default 60. A larger constant gives the first ranks less weight.
    name : str, optional
        The name of the new run; by default that of the method.

    Returns
    -------
    Run
        With ``ranked=True``, and with queries in the order of their first occurrence in the runs.

    Raises
    ------
    ArgumentError
        If the method or the normalisation is unknown, the method does not use it, there are fewer than two runs, or a
        weight is not above 0.
    DataError
        If a run is malformed, or original or fused scores are infinite.

    References
    ----------
    Min-max before CombSUM and CombMNZ: Lee, SIGIR 1997. The methods: see `FUSION_METHODS`.

    Examples
    --------
    >>> mine = {"1": {"a": 9.0, "b": 8.0, "c": 1.0}}
    >>> theirs = {"1": {"b": 0.7, "d": 0.6}}
    >>> fuse([mine, theirs]).ranking("1")            # b: 1/62 + 1/61, a: 1/61, d: 1/62, c: 1/63
    <Ranking of 4 documents: b 0.0325, a 0.0164, d 0.0161, …>
    >>> fuse([mine, theirs], "combmnz", k=2)["1"]    # b: 2 · (7/8 + 1), a: 1 · 1
    {'b': 3.75, 'a': 1.0}
    """
    if isinstance(runs, str | os.PathLike | Run):
        raise ArgumentError("expected several runs, in a list or in a dict of name to run; found one run")
    expect_name("method", method, FUSION_METHODS)
    chosen = FUSION_METHODS[method]
    constant, normalisation = _settings(method, rrf_k, normalise)
    expect(int, k=1 if k is None else k)
    if k is not None and k < 1:
        raise ArgumentError(f"k is {k}; expected the number of documents per query, 1 or more, or None for all")
    sources = [run for _, run in named_runs(runs)]
    if len(sources) < 2:
        raise ArgumentError(f"fusing takes at least two runs, found {len(sources)}")
    factors = _weights(weights, len(sources))
    sources = [ordered(run)[0] for run in sources]
    query_ids = list(dict.fromkeys(chain.from_iterable(run.query_ids for run in sources)))
    for place, run in enumerate(sources, 1):
        if missing := len(query_ids) - len(run.query_ids):
            lacks = f"lacks {counted(missing, 'query', 'queries')} of {len(query_ids)}"
            note(f"run {place} ('{run.name}') {lacks}, fused from the other runs")
    fused = []
    for query_id in query_ids:
        weighted = zip(sources, factors, strict=True)
        having = [(run, factor) for run, factor in weighted if (rows := run.rows(query_id)).start < rows.stop]
        doc_ids = list(dict.fromkeys(chain.from_iterable(run.doc_ids[run.rows(query_id)] for run, _ in having)))
        if not doc_ids:  # a query without results
            fused.append(Ranking(query_id, [], []))
            continue
        votes = _votes(query_id, having, doc_ids, normalisation, constant)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = chosen.function(votes)
        if not np.isfinite(scores).all():  # infinite scores would all be equal
            raise DataError(
                f"query '{query_id}' has fused scores that are too large for 64-bit floats; give smaller weights, or "
                "another normalisation such as min-max"
            )
        order = np.argsort(-scores, kind="stable")[:k]  # ties in the order of doc_ids: first run, second …
        fused.append(Ranking(query_id, [doc_ids[place] for place in order.tolist()], scores[order]))
    return Run.from_rankings(fused, name or method)


def _votes(
    query_id: str, runs: Sequence[tuple[Run, float]], doc_ids: list[str], normalisation: str | None, k: float
) -> _Votes:
    places = {doc_id: place for place, doc_id in enumerate(doc_ids)}
    ranks = np.full((len(runs), len(doc_ids)), np.inf)
    scores = np.zeros(ranks.shape)
    for row, (run, _) in enumerate(runs):
        columns = [places[doc_id] for doc_id in run.doc_ids[run.rows(query_id)]]
        if len(set(columns)) < len(columns):
            raise DataError(f"run '{run.name}': query '{query_id}' has a document twice; each may occur once")
        ranks[row, columns] = np.arange(1, len(columns) + 1)
        if not normalisation:
            continue
        raw = run.scores[run.rows(query_id)]
        with np.errstate(invalid="ignore", over="ignore"):
            scores[row, columns] = NORMALISATIONS[normalisation](raw)
        if not np.isfinite(scores[row]).all():
            raise DataError(
                f"run '{run.name}': query '{query_id}' has scores from {raw.min():g} to {raw.max():g}, which "
                f"'{normalisation}' cannot normalise; give finite scores, or choose a method of ranks such as rrf"
            )
    return _Votes(ranks, scores, np.array([[factor] for _, factor in runs]), k)


def _settings(method: str, rrf_k: float | None, normalise: str | None) -> tuple[float, str | None]:
    if rrf_k is not None and method != "rrf":
        raise ArgumentError(f"rrf_k is a constant of the method rrf; leave it out with '{method}'")
    expect(float, rrf_k=0 if rrf_k is None else rrf_k)
    if rrf_k is not None and not (math.isfinite(rrf_k) and rrf_k >= 0):
        raise ArgumentError(f"rrf_k is {rrf_k:g}; expected a number of 0 or more, such as 60")
    if normalise is not None:
        expect_name("normalisation", normalise, NORMALISATIONS)
    by_score = FUSION_METHODS[method].by_score
    if normalise is not None and not by_score:
        raise ArgumentError(f"method '{method}' uses only ranks; leave normalise out")
    return 60.0 if rrf_k is None else float(rrf_k), normalise or "min-max" if by_score else None


def _weights(weights: Sequence[float] | None, n_runs: int) -> list[float]:
    if weights is None:
        return [1.0] * n_runs
    expect_list(float, weights=weights)
    if len(weights) != n_runs:
        raise ArgumentError(f"expected a weight for each of the {n_runs} runs, found {len(weights)}")
    for weight in weights:
        if not (math.isfinite(weight) and weight > 0):
            raise ArgumentError(f"a weight is {weight:g}; expected a number above 0; leave out a run without weight")
    return [float(weight) for weight in weights]
