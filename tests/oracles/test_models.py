"""Scores against independent implementations, on the same tokens: rank-bm25, bm25s, scikit-learn, scipy."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import bm25s
import numpy as np
import pytest
import rank_bm25
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import distance
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

import toysearch
from toysearch import Analyzer, Index, Searcher

WORDS = ["train", "cat", "dog", "κῦμα", "na\u00efve", "nai\u0308ve", "日本語", "привет", "a1", "it_s", "𝒳𝒴", "x" * 300]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
COLLECTIONS = st.lists(TEXTS, min_size=1, max_size=8).filter(lambda texts: any(texts))
QUERIES = st.lists(st.sampled_from([*WORDS, "unknown", "neverseen"]), min_size=1, max_size=6).map(" ".join)


def ours(texts: Sequence[str], query: str, model: str) -> np.ndarray:
    """The score of every document under our model; NaN where it is not ranked."""
    scores = np.full(len(texts), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        ranking = Searcher(Index.build(list(texts)), model).search(query, k=None)
    for hit in ranking:
        scores[int(hit.doc_id) - 1] = hit.score
    return scores


def tokens(texts: Sequence[str]) -> list[list[str]]:
    analyzer = Analyzer()
    return [analyzer(text) for text in texts]


def agree(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float, otherwise: float = 0.0) -> None:
    """Ranked documents have the expected score; for all others the other tool says `otherwise`."""
    ranked = ~np.isnan(got)
    np.testing.assert_allclose(got[ranked], expected[ranked], rtol=rtol, atol=atol)
    np.testing.assert_allclose(expected[~ranked], otherwise, rtol=rtol, atol=atol)


RANK_BM25 = [
    ("bm25-okapi", rank_bm25.BM25Okapi, {}),
    ("bm25-okapi:k1=0.9,b=0.4,epsilon=0.1", rank_bm25.BM25Okapi, {"k1": 0.9, "b": 0.4, "epsilon": 0.1}),
    ("bm25l-rank", rank_bm25.BM25L, {}),
    ("bm25l-rank:k1=2,b=1,delta=0.2", rank_bm25.BM25L, {"k1": 2.0, "b": 1.0, "delta": 0.2}),
    ("bm25plus-rank", rank_bm25.BM25Plus, {}),
    ("bm25plus-rank:k1=0.5,b=0,delta=2", rank_bm25.BM25Plus, {"k1": 0.5, "b": 0.0, "delta": 2.0}),
]


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
@pytest.mark.parametrize(("name", "theirs", "parameters"), RANK_BM25)
@given(texts=COLLECTIONS, query=QUERIES)
def test_rank_bm25(name, theirs, parameters, texts, query):
    asked = Analyzer()(query)
    reference = theirs(tokens(texts), **parameters)
    expected = reference.get_scores(asked)
    absent = 0.0
    if theirs is rank_bm25.BM25Plus:  # there every document, matched or not, gets delta · idf of each known term
        absent = sum(reference.idf.get(term, 0.0) * reference.delta for term in asked)
    empty = np.array([not document for document in tokens(texts)])
    if parameters.get("b") == 1.0:  # rank-bm25's BM25L divides 0 by 0 there; ours does not rank an empty document
        assert np.isnan(expected[empty]).all() or theirs is not rank_bm25.BM25L
        expected[empty] = 0.0
    agree(ours(texts, query, name), expected, rtol=1e-9, atol=1e-9, otherwise=absent)


BM25S = [
    ("bm25", "lucene", {"k1": 1.2, "b": 0.75}),
    ("bm25:k1=0.9,b=0.4", "lucene", {"k1": 0.9, "b": 0.4}),
    ("bm25-atire", "atire", {"k1": 1.2, "b": 0.75}),
    ("bm25plus-rank", "bm25+", {"k1": 1.5, "b": 0.75, "delta": 1.0}),
    ("bm25plus-rank:k1=1.1,b=0.3,delta=0.5", "bm25+", {"k1": 1.1, "b": 0.3, "delta": 0.5}),
    ("bm25-robertson", "robertson", {"k1": 1.2, "b": 0.75}),
]


@pytest.mark.parametrize(("name", "method", "parameters"), BM25S)
@given(texts=COLLECTIONS, query=QUERIES)
def test_bm25s(name, method, parameters, texts, query):
    corpus, asked = tokens(texts), Analyzer()(query)
    asked = [term for term in asked if any(term in document for document in corpus)]
    if method == "robertson":  # bm25s clips its idf at 0, ours is the paper's: compare where they are the same formula
        asked = [term for term in asked if 2 * sum(term in document for document in corpus) <= len(corpus)]
    if not asked:
        return
    retriever = bm25s.BM25(method=method, dtype="float64", **parameters)
    retriever.index(corpus, show_progress=False)
    got = ours(texts, " ".join(asked), name)
    expected = np.asarray(retriever.get_scores(asked), dtype=np.float64)
    agree(got, expected, rtol=1e-5, atol=1e-6, otherwise=expected[np.isnan(got)] if method == "bm25+" else 0.0)


def vectors(texts: Sequence[str], query: str, **settings: object) -> tuple[np.ndarray, np.ndarray]:
    vectorizer = TfidfVectorizer(analyzer=Analyzer(), **settings)
    return vectorizer.fit_transform(texts).toarray(), vectorizer.transform([query]).toarray()[0]


TFIDF = [
    ("tfidf:idf=smooth", {"norm": None}),
    ("tfidf:idf=plus1", {"norm": None, "smooth_idf": False}),
    ("tfidf:tf=log,idf=smooth", {"norm": None, "sublinear_tf": True}),
    ("tfidf:idf=none", {"norm": None, "use_idf": False}),
    ("tfidf:tf=binary,idf=smooth", {"norm": None, "binary": True}),
    ("cosine:idf=smooth", {}),
    ("cosine:idf=plus1", {"smooth_idf": False}),
    ("cosine:tf=log,idf=smooth", {"sublinear_tf": True}),
    ("cosine:tf=binary,idf=smooth", {"binary": True}),
]


@pytest.mark.parametrize(("name", "settings"), TFIDF)
@given(texts=COLLECTIONS, query=QUERIES)
def test_tfidf_vectorizer(name, settings, texts, query):
    documents, asked = vectors(texts, query, **settings)
    agree(ours(texts, query, name), documents @ asked, rtol=1e-12, atol=1e-12)


def counts(texts: Sequence[str], query: str) -> tuple[np.ndarray, np.ndarray]:
    """Term counts over the vocabulary of the documents and the query: unknown query terms have a place."""
    vectorizer = CountVectorizer(analyzer=Analyzer()).fit([*texts, query])
    return vectorizer.transform(texts).toarray().astype(float), vectorizer.transform([query]).toarray()[0].astype(float)


@given(texts=COLLECTIONS, query=QUERIES)
def test_cosine_on_counts_and_sets(texts, query):
    documents, asked = counts(texts, query)
    agree(ours(texts, query, "cosine:weights=tf"), cosine_similarity(documents, [asked])[:, 0], 1e-12, 1e-12)
    expected = cosine_similarity(documents > 0, [asked > 0])[:, 0]
    agree(ours(texts, query, "cosine:weights=binary"), expected, 1e-12, 1e-12)


@pytest.mark.parametrize(("name", "theirs"), [("dice", distance.dice), ("jaccard", distance.jaccard)])
@given(texts=COLLECTIONS, query=QUERIES)
def test_set_similarities(name, theirs, texts, query):
    documents, asked = counts(texts, query)
    expected = [1 - theirs(document > 0, asked > 0) if document.any() else 0.0 for document in documents]
    agree(ours(texts, query, name), np.array(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weights", ["tf", "tfidf"])
@given(texts=COLLECTIONS, query=QUERIES)
def test_vector_dice_and_jaccard_by_their_definition(weights, texts, query):
    """Read with squared norms: Dice 2x·y / (x² + y²), Jaccard x·y / (x² + y² − x·y)."""
    if weights == "tf":
        documents, asked = counts(texts, query)
    else:
        documents, asked = vectors(texts, query, norm=None)
    products, squares = documents @ asked, (documents**2).sum(1) + asked @ asked
    setting = f"weights={weights}" + (",idf=smooth" if weights == "tfidf" else "")
    with np.errstate(invalid="ignore"):
        dice, jaccard = 2 * products / squares, products / (squares - products)
    agree(ours(texts, query, f"dice:{setting}"), np.nan_to_num(dice), 1e-12, 1e-12)
    agree(ours(texts, query, f"jaccard:{setting}"), np.nan_to_num(jaccard), 1e-12, 1e-12)


@given(texts=COLLECTIONS, query=QUERIES)
def test_overlap_counts_shared_terms(texts, query):
    asked = set(Analyzer()(query))
    expected = [float(len(asked & set(document))) for document in tokens(texts)]
    agree(ours(texts, query, "overlap"), np.array(expected), rtol=0, atol=0)
