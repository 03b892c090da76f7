"""Scorer of a ranker written as a function, which is called once for each text of a query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from toysearch.base import DataError, Explanation, ModelError, a, line_in, note
from toysearch.index import Index
from toysearch.models.rankers import Ranker
from toysearch.models.search_function import UNORDERED, SearchFunction, ranked
from toysearch.retrieval.query_terms import QueryTerms, whole_text
from toysearch.retrieval.scoring import Ranked, Scorer, ScorerOf, among, score_of

_TEXTS = 1 << 12  # whose answers are kept


class FunctionScorer(Scorer):
    """Scores documents by a function of the text of a query, over an index."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.asked: SearchFunction = model.values[0]
        self._of_text = lru_cache(_TEXTS)(self._answered)
        self._noted = False  # whether a document that is returned twice has been named

    def score(self, query: QueryTerms) -> Ranked:
        """Return the documents that the function returns, by ascending number, and their scores."""
        if query.is_filter and query.matched is not None:
            return query.matched, np.zeros(len(query.matched))
        ranked = self._of_text(whole_text(query, self.model), query.query_id)
        return ranked if query.matched is None else among(ranked, query.matched)

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Return the score alone: a function is not taken apart."""
        return Explanation(
            str(self.model),
            score_of(self.score(query), self.index.doc_number(doc_id)),
            kind="function",
            notes=(f"{self.asked} is a search of your own: it gives scores, but no terms to explain them",),
        )

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
