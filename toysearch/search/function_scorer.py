"""Scorer of a ranker written as a function, which is called once for each text of a query."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from toysearch.base import DataError, Explanation, ModelError, a, line_in
from toysearch.index import Index, contained
from toysearch.models.rankers import Ranker
from toysearch.models.search_function import SearchFunction, ranked
from toysearch.search.scoring import Ranked, Scorer, ScorerOf
from toysearch.search.terms import QueryTerms

_TEXTS = 1 << 12  # whose answers are kept


class FunctionScorer(Scorer):
    """Scores documents by a function of the text of a query, over an index."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.asked: SearchFunction = model.values[0]
        self._of_text = lru_cache(_TEXTS)(self._answered)

    def score(self, query: QueryTerms) -> Ranked:
        """Return the documents that the function returns, by ascending number, and their scores."""
        docs, scores = self._of_text(query.text, query.query_id)
        if query.matched is None:
            return docs, scores
        inside = contained(docs, query.matched)
        return docs[inside], scores[inside]

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Return the score alone: a function is not taken apart."""
        docs, scores = self.score(query)
        score = dict(zip(docs.tolist(), scores.tolist(), strict=True)).get(self.index.doc_number(doc_id), math.nan)
        return Explanation(
            str(self.model),
            score,
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
                answer = list(answer)
        except Exception as error:
            file = getattr(getattr(self.asked.function, "__code__", None), "co_filename", "")
            typed, of_file, _ = str(self.asked).partition(".py:")  # the file as the user named it
            place = f"{f'{typed}.py' if of_file else file}:{line_in(error, file)}: " if file else ""
            raise ModelError(f"{place}{self.asked} raised {type(error).__name__}: {error}, {asked}") from error
        pairs = ranked(answer)
        if pairs is None:
            raise ModelError(
                f"{self.asked} returned {a(answer)}; expected a dict of doc_id to score, pairs such as zip(doc_ids, "
                f"scores), or doc_ids from the best on, {asked}"
            )
        numbers = [self.index.find_document(doc_id) for doc_id in pairs]
        if -1 in numbers:
            unknown = [*pairs][numbers.index(-1)]
            raise DataError(f"{self.asked} returns the document '{unknown}' {asked}, which the index does not have")
        docs, scores = np.array(numbers, np.int64), np.array([*pairs.values()], np.float64)
        if not np.isfinite(scores).all():
            wrong = [*pairs][int(np.flatnonzero(~np.isfinite(scores))[0])]
            raise ModelError(f"{self.asked} gives document '{wrong}' a score that is not finite, {asked}")
        order = np.argsort(docs)
        return docs[order], scores[order]
