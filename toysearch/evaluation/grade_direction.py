"""Which way a scale of grades runs, told by where a run ranks the documents: quickly, for a word before the figures."""

from __future__ import annotations

import math

import numpy as np

from toysearch.records import Qrels, Run

_SURE = 0.001  # the chance of being accidental below which a scale is said to run backwards
_FEWEST = 10  # queries: of fewer, no chance is as low as that
_DEPTH = 100  # ranks that are looked at
_A_FEW, _MOST = 100, 1000  # queries, evenly spread: for a first look, and where that makes suspicious


def backwards(run: Run, qrels: Qrels) -> tuple[float, float] | None:
    """The lowest and the highest grade above 0 if the lower is ranked higher, surely; else None.

    The mean reciprocal ranks of the two are compared first. Only if they are the wrong way round, it is asked
    query by query how far the ranking follows the grades, and how likely that is by accident (Wilcoxon's
    signed-rank test, its normal approximation).
    """
    grades = np.unique(qrels.relevance)
    grades = grades[grades > 0]
    queries = [query_id for query_id in qrels.query_ids if query_id in run]
    if grades.size < 2 or len(queries) < _FEWEST:
        return None
    low, high = float(grades[0]), float(grades[-1])
    for most in (_A_FEW, _MOST):
        step = math.ceil(len(queries) / most)
        judged = [_judged(run, qrels[query_id], query_id) for query_id in queries[::step]]
        reciprocal: dict[float, list[float]] = {low: [], high: []}
        for grade, rank in (pair for pairs in judged for pair in pairs):
            if grade in reciprocal:
                reciprocal[grade].append(1 / rank)
        if np.mean(reciprocal[low] or [0.0]) <= np.mean(reciprocal[high] or [0.0]):
            return None
    return (low, high) if _chance(np.array([_agreement(pairs) for pairs in judged])) < _SURE else None


def _judged(run: Run, grades: dict[str, float], query_id: str) -> list[tuple[float, float]]:
    """The grade above 0 and the rank of each judged document; infinite for one that is not among the first."""
    rows = run.rows(query_id)
    doc_ids = run.doc_ids_of(query_id)
    if not run.ranked:
        order = np.argsort(-run.scores[rows], kind="stable")[:_DEPTH]
        doc_ids = [doc_ids[place] for place in order.tolist()]
    ranks = dict(zip(doc_ids[:_DEPTH], range(1, _DEPTH + 1), strict=False))
    return [(grade, ranks.get(doc_id, math.inf)) for doc_id, grade in grades.items() if grade > 0]


def _agreement(pairs: list[tuple[float, float]]) -> float:
    """How far ranks follow grades: 1 if all pairs of documents with two grades do, -1 if none does."""
    if len({grade for grade, _ in pairs}) < 2:
        return 0.0
    grade, rank = np.array(pairs).T
    order = np.sign(grade[:, None] - grade)
    rank = np.where(np.isinf(rank), _DEPTH + 1, rank)
    return float((order * np.sign(rank - rank[:, None])).sum() / np.count_nonzero(order))


def _chance(values: np.ndarray) -> float:
    """How likely values as far below 0 are, or farther, if they were as likely above."""
    values = values[values != 0]
    if values.size < _FEWEST:
        return 1.0
    sizes, which, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[which]
    n = values.size
    above = float(ranks[values > 0].sum())
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
    return 0.5 * math.erfc((n * (n + 1) / 4 - above) / math.sqrt(2 * variance)) if sizes.size else 1.0
