"""Scorer of a run in a file: the documents and scores that another system gave to each query, by its id."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from toysearch.base import ArgumentError, DataError, Explanation, Run, counted, note, ordered
from toysearch.index import Index
from toysearch.models.rankers import Ranker
from toysearch.retrieval.query_terms import QueryTerms, whole_text
from toysearch.retrieval.scoring import OrderedScorer, Ranked, ScorerOf, among, score_of


class RunScorer(OrderedScorer):
    """Ranks the documents of a query in the order of a run, with its scores."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.run, self.numbers = run_in(index, model.values[0])
        self._noted = False  # whether a query that the run lacks has been named

    def in_order(self, query: QueryTerms) -> Ranked:
        """Return the documents of the index that the run has for a query, best first; those of a filter score 0."""
        if query.is_filter and query.matched is not None:
            return query.matched, np.zeros(len(query.matched))
        rows = self._rows_of(query)
        kept = self.numbers[rows] >= 0
        ranked = self.numbers[rows][kept], self.run.scores[rows][kept]
        return ranked if query.matched is None else among(ranked, query.matched)

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Return the score alone: a run is not taken apart."""
        score = score_of(self.in_order(query), self.index.doc_number(doc_id))
        told = f"{self.model} is a run in a file: it gives scores, but no terms to explain them"
        return Explanation(str(self.model), score, kind="run", notes=(told,))

    def _rows_of(self, query: QueryTerms) -> slice:
        whole_text(query, self.model)  # which refuses terms alone
        n_queries = counted(len(self.run.query_ids), "query", "queries")
        if not query.query_id:
            raise ArgumentError(
                f"{self.model} has rankings of {n_queries} by their ids, and none of typed texts; give the id of a "
                f"query, such as {self.run.query_ids[0]}"
            )
        rows = self.run.rows(query.query_id)
        if rows.start == rows.stop and not self._noted:
            self._noted = True  # the same may hold for many queries
            note(f"{self.model} has no ranking of query '{query.query_id}'; it has those of {n_queries}")
        return rows


def run_in(index: Index, source: str) -> tuple[Run, np.ndarray]:
    """Read a run in rank order, and the number of the document of each row, -1 for one that the index lacks.

    A file is read once for an index, as long as it does not change.
    """
    from toysearch.files.runs_and_judgments import read_run

    path, key = Path(source), (RunScorer, source)
    stamp = (path.stat().st_mtime_ns, path.stat().st_size) if path.exists() else None
    if key in index.memo and index.memo[key][0] == stamp:
        read: tuple[Run, np.ndarray] = index.memo[key][1]
        return read
    run, _ = ordered(read_run(source))
    doc_ids = run.doc_ids
    rows = index.document_numbers(doc_ids)
    lacking = [*dict.fromkeys(doc_ids[row] for row in np.flatnonzero(rows < 0).tolist())]
    if (rows < 0).all():
        raise DataError(f"{source}: the index has no document of this run, such as '{lacking[0]}'")
    if lacking:
        note(f"{source}: {counted(len(lacking), 'document')} that the index does not have, such as '{lacking[0]}'")
    index.memo[key] = stamp, (run, rows)
    return run, rows
