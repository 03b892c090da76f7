"""Learned sparse vectors over an index: weights of terms that another tool learned for documents and for queries.

A score is the sum of the products of two weights, in 64-bit floats: no weight is rounded or scaled. The terms are added
in the order of their texts, so that a score has the same bits however it is asked for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from toysearch.base import PRODUCT, SUM, Explanation, count_each, repeat_each
from toysearch.index import Index
from toysearch.models.calls import IMPACT
from toysearch.models.model import Array
from toysearch.models.rankers import Ranker
from toysearch.retrieval.query_terms import QueryTerms, whole_text, word_counts
from toysearch.retrieval.scoring import Ranked, Scorer, ScorerOf
from toysearch.workbench.vectors.user_vectors import VectorFiles, in_index, query_vectors, user_vectors
from toysearch.workbench.vectors.vector_files import term_vectors, weights_of


class Impacts(NamedTuple):
    """Weights of the documents of an index by term: rising documents within each term."""

    places: Mapping[str, int]  # term → its place
    offsets: np.ndarray  # (n_terms + 1,)
    docs: np.ndarray  # (n_weights,)
    weights: Array  # (n_weights,)

    def of_term(self, term: str) -> Ranked:
        """Return the documents that have a term, by rising number, and their weights."""
        place = self.places.get(term, -1)
        span = slice(*self.offsets[place : place + 2].tolist()) if place >= 0 else slice(0)
        return self.docs[span], self.weights[span]

    def of_document(self, number: int) -> dict[str, float]:
        """Return the weights of the terms of a document."""
        at = np.flatnonzero(self.docs == number)
        places, terms = np.searchsorted(self.offsets, at, side="right") - 1, list(self.places)
        return {terms[place]: float(self.weights[row]) for place, row in zip(places.tolist(), at.tolist(), strict=True)}


def impacts_of(index: Index, files: VectorFiles) -> Impacts:
    """Read the weights in a file for the documents of an index."""
    places: dict[str, int] = {}
    ids, terms, weights = [], [np.zeros(0, np.int64)], [np.zeros(0)]
    for doc_id, vector in term_vectors(files.source):
        ids.append(doc_id)
        terms.append(np.array([places.setdefault(term, len(places)) for term in vector], np.int64))
        weights.append(np.array([*vector.values()], np.float64))
    rows, docs = in_index(index, files.source, ids)
    of_rows = np.full(len(ids), -1)
    of_rows[rows] = rows if docs is None else docs
    sizes, all_terms = np.array([*map(len, terms[1:])], np.int64), np.concatenate(terms)
    holders = repeat_each(of_rows, sizes)
    order = np.lexsort((holders, all_terms))
    order = order[holders[order] >= 0]
    counts = count_each(all_terms[order], minlength=len(places))
    return Impacts(places, np.concatenate([[0], counts.cumsum()]), holders[order], np.concatenate(weights)[order])


class ImpactScorer(Scorer):
    """Scorer of learned weights over an index; it ranks the documents that have one of the terms of a query."""

    def __init__(self, index: Index, model: Ranker, scorer_of: ScorerOf, memory: int) -> None:
        self.index, self.model = index, model
        self.files = VectorFiles(*model.values)
        self.impacts: Impacts = user_vectors(index, self.files, impacts_of)
        self._of_words = query_vectors(self.files, lambda source: dict(term_vectors(source)), weights_of)

    def of_query(self, query: QueryTerms) -> list[tuple[str, float]]:
        """Return the weights of the terms of a query, in the order of their texts."""
        if query.document >= 0:
            return sorted(self.impacts.of_document(query.document).items())
        if query.is_filter:
            return []
        return sorted((self._of_words(query) if self.files.queries else self._typed(query)).items())

    def _typed(self, query: QueryTerms) -> dict[str, float]:
        """Weigh the words of a query as written: those of one term of the index share its count, so each weighs 1."""
        numbers, counts = word_counts(self.index, query)
        of_terms = dict(zip(map(self.index.term, numbers.tolist()), counts.tolist(), strict=True)) | {**query.unknown}
        analyzer = self.index.analyzer
        if analyzer.makes_grams or not (query.text or analyzer.stem):
            return of_terms
        text = query.text or whole_text(query, f"{IMPACT}:{self.files.source}")  # stems are not its words
        words = [(token, analyzer.term(token)) for token in analyzer.tokenizer(text)]
        times, weights = Counter(term for _, term in words), Counter[str]()
        for token, term in words:
            if term in of_terms:
                weights[token] += of_terms[term] / times[term]
        return dict(weights)

    def score(self, query: QueryTerms) -> Ranked:
        """Score the documents with a term of the query, or those that its structure matches."""
        scores, has_term = np.zeros(len(self.index)), np.zeros(len(self.index), dtype=bool)
        for term, of_query in self.of_query(query):
            docs, weights = self.impacts.of_term(term)
            scores[docs] += of_query * weights
            has_term[docs] = True
        docs = np.flatnonzero(has_term) if query.matched is None else query.matched
        return docs, scores[docs]

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Explain the score of a document as the sum, over the terms of the query, of products of two weights."""
        number, shares, absent = self.index.doc_number(doc_id), [], []
        for term, of_query in self.of_query(query):
            docs, weights = self.impacts.of_term(term)
            place = int(np.searchsorted(docs, number))
            if place == len(docs) or docs[place] != number:
                absent.append(Explanation(term, 0.0, kind="absent" if len(docs) else "unknown"))
                continue
            weight = Explanation("weight", float(weights[place]), kind="weight")
            factors = weight, Explanation("q", of_query, "", {"qtf": of_query})
            shares.append(Explanation(term, of_query * weight.value, PRODUCT, {}, factors, "term"))
        is_ranked = shares if query.matched is None else number in query.matched
        score = sum((share.value for share in shares), 0.0) if is_ranked else math.nan
        return Explanation(str(self.model), score, SUM, {}, (*shares, *absent), "model")
