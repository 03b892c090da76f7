"""Scores against independent implementations, on the same tokens: rank-bm25, bm25s, scikit-learn, scipy.

An oracle is made from texts and answers a query with a score for every document and with the score that a document
without any term of the query gets there (ours does not rank it).
"""

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import rank_bm25
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import distance
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from tiers import exhaustive

import toysearch
from toysearch import Analyzer, Index, Searcher

bm25s = pytest.importorskip("bm25s")

Answer = tuple[np.ndarray, float]
Oracle = Callable[[Sequence[str]], Callable[[str], Answer]]

analyze = Analyzer()


@functools.lru_cache(2_000)
def terms_of(text: str) -> list[str]:
    """The terms of a text; of one collection they are made once for all oracles."""
    return analyze(text)


def of_rank_bm25(kind: Any, **parameters: float) -> Oracle:
    def make(texts):
        reference = kind([terms_of(text) for text in texts], **parameters)
        empty = np.array([not terms_of(text) for text in texts])

        def answer(query):
            asked = terms_of(query)
            with np.errstate(invalid="ignore"):
                scores = reference.get_scores(asked)
            if kind is rank_bm25.BM25Plus:  # delta · idf of each known term for every document, matched or not
                return scores, sum(reference.idf.get(term, 0.0) * reference.delta for term in asked)
            if kind is rank_bm25.BM25L and parameters.get("b") == 1.0:  # it divides 0 by 0 for an empty document
                assert np.isnan(scores[empty]).all() or not asked
                scores[empty] = 0.0
            return scores, 0.0

        return answer

    return make


def of_bm25s(method: str, **parameters: float) -> Oracle:
    def make(texts):
        corpus = [terms_of(text) for text in texts]
        reference = bm25s.BM25(method=method, dtype="float64", **parameters)
        reference.index(corpus, show_progress=False)
        df = Counter(term for document in corpus for term in set(document))

        def answer(query):
            asked = [term for term in terms_of(query) if term in df]
            scores = np.asarray(reference.get_scores(asked), dtype=float) if asked else np.zeros(len(texts))
            if method == "robertson" and any(2 * df[term] > len(texts) for term in asked):
                scores[:] = np.nan  # bm25s clips this idf at 0, the paper's is negative: nothing to compare
            absent = sum(
                np.log((len(texts) + 1) / df[term]) * parameters["delta"] for term in asked if method == "bm25+"
            )
            return scores, absent

        return answer

    return make


def of_tfidf_vectorizer(combine: Callable[..., np.ndarray] | None = None, **settings: Any) -> Oracle:
    """Rows of TfidfVectorizer multiplied by the query's; or combined from x·y, Σx² and Σy²."""

    def make(texts):
        vectorizer = TfidfVectorizer(analyzer=terms_of, **settings)
        documents = vectorizer.fit_transform(texts)
        squares = np.asarray(documents.multiply(documents).sum(axis=1)).ravel()

        def answer(query):
            asked = vectorizer.transform([query])
            products = (documents @ asked.T).toarray()[:, 0]
            if combine is None:
                return products, 0.0
            with np.errstate(invalid="ignore"):
                return np.nan_to_num(combine(products, squares, asked.multiply(asked).sum())), 0.0

        return answer

    return make


def of_counts(compare: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Oracle:
    """A comparison of dense term counts over all terms of the documents *and* the query: unknown ones have a place."""

    def make(texts):
        vectorizer = CountVectorizer(analyzer=terms_of).fit(texts)
        documents = vectorizer.transform(texts).toarray().astype(float)

        def answer(query):
            terms = terms_of(query)
            unknown = sorted(set(terms) - set(vectorizer.vocabulary_))
            known = vectorizer.transform([query]).toarray()[0].astype(float)
            asked = np.concatenate([known, [float(terms.count(term)) for term in unknown]])
            padded = np.hstack([documents, np.zeros((len(texts), len(unknown)))]) if unknown else documents
            return (compare(padded, asked) if terms else np.zeros(len(texts))), 0.0

        return answer

    return make


def rows(function: Callable[[np.ndarray, np.ndarray], float]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """1 − a distance of scipy's on booleans, row by row; 0 for an empty document."""

    def compare(documents, asked):
        return np.array([1 - function(row > 0, asked > 0) if row.any() else 0.0 for row in documents])

    return compare


def dice(products, squares, asked):
    return 2 * products / (squares + asked)


def jaccard(products, squares, asked):
    return products / (squares + asked - products)


def of_products(combine: Callable[..., np.ndarray]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def compare(documents, asked):
        return np.nan_to_num(combine(documents @ asked, (documents**2).sum(1), asked @ asked))

    return compare


def of_sets() -> Oracle:
    def make(texts):
        sets = [set(terms_of(text)) for text in texts]
        return lambda query: (np.array([float(len(terms & set(terms_of(query)))) for terms in sets]), 0.0)

    return make


ORACLES: list[tuple[str, Oracle, float]] = [
    ("bm25-okapi", of_rank_bm25(rank_bm25.BM25Okapi), 1e-9),
    ("bm25-okapi:k1=0.9,b=0.4,epsilon=0.1", of_rank_bm25(rank_bm25.BM25Okapi, k1=0.9, b=0.4, epsilon=0.1), 1e-9),
    ("bm25l-rank", of_rank_bm25(rank_bm25.BM25L), 1e-9),
    ("bm25l-rank:k1=2,b=1,delta=0.2", of_rank_bm25(rank_bm25.BM25L, k1=2.0, b=1.0, delta=0.2), 1e-9),
    ("bm25plus-rank", of_rank_bm25(rank_bm25.BM25Plus), 1e-9),
    ("bm25plus-rank:k1=0.5,b=0,delta=2", of_rank_bm25(rank_bm25.BM25Plus, k1=0.5, b=0.0, delta=2.0), 1e-9),
    ("bm25", of_bm25s("lucene", k1=1.2, b=0.75), 1e-5),
    ("bm25:k1=0.9,b=0.4", of_bm25s("lucene", k1=0.9, b=0.4), 1e-5),
    ("bm25-robertson", of_bm25s("robertson", k1=1.2, b=0.75), 1e-5),
    ("bm25-atire", of_bm25s("atire", k1=1.2, b=0.75), 1e-5),
    ("bm25plus-rank", of_bm25s("bm25+", k1=1.5, b=0.75, delta=1.0), 1e-5),
    ("bm25plus-rank:k1=1.1,b=0.3,delta=0.5", of_bm25s("bm25+", k1=1.1, b=0.3, delta=0.5), 1e-5),
    ("tfidf:idf=smooth", of_tfidf_vectorizer(norm=None), 1e-12),
    ("tfidf:idf=plus1", of_tfidf_vectorizer(norm=None, smooth_idf=False), 1e-12),
    ("tfidf:tf=log,idf=smooth", of_tfidf_vectorizer(norm=None, sublinear_tf=True), 1e-12),
    ("tfidf:tf=binary,idf=smooth", of_tfidf_vectorizer(norm=None, binary=True), 1e-12),
    ("tfidf:idf=none", of_tfidf_vectorizer(norm=None, use_idf=False), 1e-12),
    ("cosine:idf=smooth", of_tfidf_vectorizer(), 1e-12),
    ("cosine:idf=plus1", of_tfidf_vectorizer(smooth_idf=False), 1e-12),
    ("cosine:tf=log,idf=smooth", of_tfidf_vectorizer(sublinear_tf=True), 1e-12),
    ("cosine:tf=binary,idf=smooth", of_tfidf_vectorizer(binary=True), 1e-12),
    ("dice:weights=tfidf,idf=smooth", of_tfidf_vectorizer(dice, norm=None), 1e-12),
    ("jaccard:weights=tfidf,idf=smooth", of_tfidf_vectorizer(jaccard, norm=None), 1e-12),
    ("cosine:weights=tf", of_counts(lambda d, q: cosine_similarity(d, [q])[:, 0]), 1e-12),
    ("cosine:idf=none", of_counts(lambda d, q: cosine_similarity(d, [q])[:, 0]), 1e-12),
    ("cosine:weights=binary", of_counts(lambda d, q: cosine_similarity(d > 0, [q > 0])[:, 0]), 1e-12),
    ("dice", of_counts(rows(distance.dice)), 1e-12),
    ("jaccard", of_counts(rows(distance.jaccard)), 1e-12),
    ("dice:weights=tf", of_counts(of_products(dice)), 1e-12),
    ("jaccard:weights=tf", of_counts(of_products(jaccard)), 1e-12),
    ("overlap", of_sets(), 0.0),
]
NAMES = [f"{model} {tolerance:g}" for model, _, tolerance in ORACLES]
each_oracle = pytest.mark.parametrize(("model", "oracle", "tolerance"), ORACLES, ids=NAMES)


def check(searcher: Searcher, query: str, answer: Answer, tolerance: float) -> None:
    """Ranked documents have the oracle's score; the others have there what a document without a term gets."""
    expected, absent = answer
    scores = np.full(len(expected), np.nan)
    ranking = searcher.search(query, k=None, query_mode="plain")
    scores[[searcher.index.doc_number(hit.doc_id) for hit in ranking]] = ranking.scores
    comparable = ~np.isnan(expected)
    ranked = ~np.isnan(scores) & comparable
    np.testing.assert_allclose(scores[ranked], expected[ranked], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(expected[np.isnan(scores) & comparable], absent, rtol=tolerance, atol=tolerance)


pytestmark = pytest.mark.system


WORDS = [
    *("train", "cat", "dog", "a1", "it_s", "the"),
    *("κῦμα", "na\u00efve", "nai\u0308ve", "日本語", "привет", "हिन्दी", "عربى", "𝒳𝒴", "İstanbul"),
    *("ab😀cd", "👩\u200d🚀", "lone\ud800surrogate", "x" * 300),
]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=8)
# with a word in front of every text, some term is in all documents: idf 0, or negative
COLLECTIONS = st.tuples(st.sampled_from(["", "the the "]), TEXTS).map(lambda pair: [pair[0] + text for text in pair[1]])
QUERIES = st.lists(st.sampled_from([*WORDS, "unknown", "neverseen"]), min_size=1, max_size=6).map(" ".join)


@each_oracle
@given(texts=COLLECTIONS.filter(lambda texts: any(map(analyze, texts))), query=QUERIES)
def test_made_up_collections(model, oracle, tolerance, texts, query):
    check(Searcher(Index.build(texts), model), query, oracle(texts)(query), tolerance)


@pytest.fixture(scope="module")
def built():
    """Collections and their indexes, made once."""
    made: dict[str, tuple[Any, Index]] = {}

    def build(name):
        if name not in made:
            collection = toysearch.load(name)
            made[name] = collection, Index.build(collection, analyze)
        return made[name]

    return build


@each_oracle
def test_cat_dog_parrot(model, oracle, tolerance, built):
    collection, index = built("cat-dog-parrot")
    answer = oracle(collection.documents.texts)
    for query in collection.queries:
        check(Searcher(index, model), query.text, answer(query.text), tolerance)


@exhaustive
@each_oracle
def test_cranfield(model, oracle, tolerance, built, corpora):
    """Every 25th query: nine that cover the whole range; the oracles are slow."""
    collection, index = built("cranfield")
    answer, searcher = oracle(collection.documents.texts), Searcher(index, model)
    for query in collection.queries[::25]:
        check(searcher, query.text, answer(query.text), tolerance)
