"""Run without the documents that were seen, as on a residual collection."""

from __future__ import annotations

from collections.abc import Container, Mapping

from toysearch.base import Ranking, Run


def residual_run(run: Run, seen: Mapping[str, Container[str]], k: int | None = None) -> Run:
    """Remove the documents seen from the rankings of some queries, and keep at most k documents each.

    >>> run = Run.from_dict({"1": {"a": 2.0, "b": 1.0}})
    >>> list(residual_run(run, {"1": {"a"}}))
    [ScoredDoc(query_id='1', doc_id='b', score=1.0)]
    """
    rankings = []
    for query_id, doc_ids in seen.items():
        hits = [hit for hit in run.ranking(query_id) if hit.doc_id not in doc_ids][:k]
        rankings.append(Ranking(query_id, [hit.doc_id for hit in hits], [hit.score for hit in hits]))
    return Run.from_rankings(rankings, run.name)
