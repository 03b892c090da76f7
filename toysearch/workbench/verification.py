"""Verification: the scores of a collection, computed again by scikit-learn and rank-bm25 from its tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toysearch.analysis.analyzer import AnalyzerLike
from toysearch.base import ArgumentError, Remedy, Result, ResultTable, number_columns, table_columns
from toysearch.index.inverted_index import Index
from toysearch.retrieval import Searcher
from toysearch.study.study import JudgedLike, Study

__all__ = ["Verification", "verify"]

Tokens = list[list[str]]
"""Tokens of each text; of a document in any order."""
Scores = Sequence[np.ndarray]
"""Scores of all documents for each query; float64."""


class Verified(NamedTuple):
    """Scores of a model that were computed twice, and how far the two differ."""

    what: str  # the model
    numbers: int  # the count of scores: those of all documents ranked for the queries
    difference: float  # the largest between two corresponding scores
    digits: int  # significant digits to which all agree, at most 16
    by: str  # the other library
    agrees: bool  # whether they are equal except for rounding


@dataclass(frozen=True)
class Verification(Result):
    """Result of a verification.

    Attributes
    ----------
    agrees : bool
        True if nothing disagrees.
    rows : list of Verified
        One row per model.
    """

    agrees: bool
    rows: list[Verified]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the models, the library that recomputed their scores, and the largest difference."""
        columns = table_columns(
            "what",
            number_columns(",", "numbers"),
            number_columns(".1e", difference="largest difference"),
            number_columns("", "digits"),
            "by",
            "agrees",
        )
        return [ResultTable(columns, [[*row[:5], "yes" if row.agrees else "NO"] for row in self.rows])]


def verify(
    collection: JudgedLike,
    *,
    index: Index | None = None,
    analyzer: AnalyzerLike | None = None,
) -> Verification:
    """Recompute the scores of a collection with other libraries.

    Seven models are compared with rank-bm25 and scikit-learn, which get the tokens of the index and of the first 50
    queries. Each row shows the number of scores compared, the largest difference, the number of significant digits to
    which all agree (at most 16), and the library.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name or path
        Documents and queries; an index has those of its named collection.
    index : Index, optional
        The index of the collection; by default one is built.
    analyzer : Analyzer, str or function, optional
        The analyzer of that index; by default that of the collection's language.

    Raises
    ------
    ArgumentError
        If there are no queries.

    Examples
    --------
    >>> import toysearch
    >>> found = verify(toysearch.load("cat-dog-parrot"))
    >>> found.agrees, found.rows[0].what, found.rows[0].by
    (True, 'scores of bm25', 'rank-bm25, with the idf of bm25')
    """
    study = Study.of(collection).with_index(index, analyzer)
    known, index = study.collection(), study.index()
    if known is None or not len(known.queries):
        raise ArgumentError(f"{study.given.name} has no queries; give some: {Remedy('', queries=...)}")
    queries = [index.analyzer(query.text) for query in known.queries][:50]  # rank-bm25 visits every document
    rows = [_compared(index, queries, *again) for again in _computed_again(index, queries)]
    return Verification(all(row.agrees for row in rows), rows)


def _compared(index: Index, queries: Tokens, model: str, by: str, scores: Scores) -> Verified:
    searcher = Searcher(index, model)
    rankings = [searcher.search_terms(query, k=None) for query in queries]
    places = [index.document_numbers(ranking.doc_ids) for ranking in rankings]
    mine = np.concatenate([ranking.scores for ranking in rankings])
    other = np.concatenate([*map(np.take, scores, places)])
    apart, size = np.abs(mine - other), np.maximum(np.abs(mine), np.abs(other))
    seen = apart > 1e-15
    worst = (apart[seen] / size[seen]).max(initial=1e-16)
    digits = math.floor(-math.log10(min(worst, 1)))
    agrees = np.allclose(mine, other, rtol=1e-9, atol=1e-12)  # but for rounding
    return Verified(f"scores of {model}", mine.size, float(apart.max(initial=0)), digits, by, agrees)


def _computed_again(index: Index, queries: Tokens) -> Iterator[tuple[str, str, Scores]]:
    """Yield models with the library that computes their scores too, and its scores."""
    from rank_bm25 import BM25L, BM25Okapi, BM25Plus
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity, linear_kernel

    tokens: Tokens = [[] for _ in index.doc_ids]
    idf = {}
    for term in index.terms:
        docs, tf = index.postings(term)
        idf[term] = math.log((len(tokens) + 1) / (docs.size + 0.5))
        for doc, count in zip(docs, tf, strict=True):
            tokens[doc] += [term] * count
    bm25 = BM25Okapi(tokens, k1=1.2)  # with another idf, and divided by k1 + 1
    bm25.idf = idf
    yield "bm25", "rank-bm25, with the idf of bm25", [bm25.get_scores(query) / 2.2 for query in queries]
    for model, library in ("bm25-okapi", BM25Okapi), ("bm25l-rank", BM25L), ("bm25plus-rank", BM25Plus):
        yield model, "rank-bm25", [*map(library(tokens).get_scores, queries)]
    for model, product in (
        ("tfidf:idf=smooth", linear_kernel),
        ("cosine:idf=smooth", cosine_similarity),
        ("cosine:tf=log,idf=smooth", cosine_similarity),
    ):
        vectorizer = TfidfVectorizer(analyzer=list, norm=None, sublinear_tf="log" in model)
        documents = vectorizer.fit_transform(tokens)
        yield model, "scikit-learn", product(vectorizer.transform(queries), documents)
