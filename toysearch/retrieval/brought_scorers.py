"""Scorers of what a user brings: a search written as a function, and a run in a file by the ids of queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from toysearch.base import ArgumentError, DataError, Explanation, ModelError, Run, a, counted, line_in, note, ordered
from toysearch.index import Index, contained
from toysearch.models.rankers import Ranker
from toysearch.models.search_function import UNORDERED, SearchFunction, ranked
from toysearch.retrieval.query_terms import QueryTerms, whole_text
from toysearch.retrieval.scoring import OrderedScorer, Ranked, Scorer, ScorerOf, score_of

_TEXTS = 1 << 12  # whose answers are kept


class _BroughtScorer(Scorer):
    """Scores documents by rankings that it cannot take apart."""

    index: Index
    model: Ranker
    kind: str
    what: str  # a sentence on the model begins with it

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Return the score alone."""
        score = score_of(self.score(query), self.index.doc_number(doc_id))
        told = f"{self.what}: it gives scores, but no terms to explain them"
        return Explanation(str(self.model), score, kind=self.kind, notes=(told,))


def _matching(query: QueryTerms, ranking: Callable[[], Ranked]) -> Ranked:
    """Keep the ranked documents that a query matches; those of a filter alone, for which nothing is ranked, score 0."""
    if query.matched is None:
        return ranking()
    if query.is_filter:
        return query.matched, np.zeros(len(query.matched))
    docs, scores = ranking()
    inside = contained(docs, query.matched)
    return docs[inside], scores[inside]


class FunctionScorer(_BroughtScorer):
    """Scores documents by a function, which is called once for each text of a query."""

    kind = "function"

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.asked: SearchFunction = model.values[0]
        self.what = f"{self.asked} is a search of your own"
        self._of_text = lru_cache(_TEXTS)(self._answered)
        self._noted = False  # whether a document that is returned twice has been named

    def score(self, query: QueryTerms) -> Ranked:
        """Return the documents that the function returns, by ascending number, and their scores."""
        return _matching(query, lambda: self._of_text(whole_text(query, self.model), query.query_id))

    def _answered(self, text: str, query_id: str) -> Ranked:
        """Call the function; an error inside it names the query and the line."""
        asked, declared = f"for query {query_id or repr(text[:60])}", self.model.declared
        settings = {n: int(value) if declared[n].whole else value for n, value in self.model.settings.items()}
        try:
            answer = self.asked.function(text, **settings)
            if isinstance(answer, Iterator):  # whose code runs only now
                answer = answer if isinstance(answer, UNORDERED) else list(answer)
            pairs = ranked(answer)
        except Exception as error:
            file = getattr(getattr(self.asked.function, "__code__", None), "co_filename", "")
            typed, of_file, _ = str(self.asked).partition(".py:")  # the file as the user named it
            place = f"{f'{typed}.py' if of_file else file}:{line_in(error, file)}: " if file else ""
            raise ModelError(f"{place}{self.asked} raised {type(error).__name__}: {error}, {asked}") from error
        if pairs is None:
            found = f"{a(answer)}, which has no order" if isinstance(answer, UNORDERED) else a(answer)
            raise ModelError(
                f"{self.asked} returned {found}; expected a dict of doc_id to score, pairs such as zip(doc_ids, "
                f"scores), or doc_ids from the best on, {asked}"
            )
        best: dict[str, float] = {}
        for doc_id, score in pairs:
            if not math.isfinite(score):
                raise ModelError(f"{self.asked} gives document '{doc_id}' a score that is not a finite float, {asked}")
            best[doc_id] = max(score, best.get(doc_id, score))
        numbers = [self.index.find_document(doc_id) for doc_id in best]
        if -1 in numbers:
            unknown = [*best][numbers.index(-1)]
            raise DataError(f"{self.asked} returns the document '{unknown}' {asked}, which the index does not have")
        if len(best) < len(pairs) and not self._noted:
            self._noted = True  # the same holds for most queries
            [(twice, _)] = Counter(doc_id for doc_id, _ in pairs).most_common(1)
            note(
                f"{self.asked} returns documents more than once, such as '{twice}' {asked}; each counts once, at its "
                "best place"
            )
        docs, scores = np.array(numbers, np.int64), np.array([*best.values()], np.float64)
        order = np.argsort(docs)
        return docs[order], scores[order]


class RunScorer(OrderedScorer, _BroughtScorer):
    """Ranks the documents of a query in the order of a run, with its scores."""

    kind = "run"

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.what = f"{model} is a run in a file"
        self.run, self.numbers = run_in(index, model.values[0])
        self._noted = False  # whether a query that the run lacks has been named

    def in_order(self, query: QueryTerms) -> Ranked:
        """Return the documents of the index that the run has for a query, best first; those of a filter score 0."""
        return _matching(query, lambda: self._ranking(query))

    def _ranking(self, query: QueryTerms) -> Ranked:
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
        kept = self.numbers[rows] >= 0
        return self.numbers[rows][kept], self.run.scores[rows][kept]


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
