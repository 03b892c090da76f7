"""Distances of points against those of scipy, on the same tokens."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import distance
from sklearn.feature_extraction.text import TfidfVectorizer
from tiers import exhaustive

import toysearch
from toysearch import Analyzer, Index, Searcher

analyze = Analyzer()
WORDS = ["train", "cat", "dog", "the", "κῦμα", "日本語", "ab😀cd", "it_s"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), min_size=1, max_size=7)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard", "neverseen"]), min_size=1, max_size=7).map(" ".join)
Compare = Callable[[np.ndarray, np.ndarray], float]


def minus(function: Compare) -> Compare:
    return lambda d, q: -function(d, q)


ON_COUNTS: list[tuple[str, Compare]] = [
    ("euclidean", minus(distance.euclidean)),
    ("euclidean:weights=binary", lambda d, q: -float(np.sqrt(((d > 0) ^ (q > 0)).sum()))),
]


def counted(texts: list[str], query: str) -> tuple[np.ndarray, np.ndarray]:
    """Counts over the terms of the documents *and* the query: those unknown to the index have a place."""
    documents, asked = [Counter(analyze(text)) for text in texts], Counter(analyze(query))
    places = sorted(set(asked).union(*documents))
    rows = [[float(counts[place]) for place in places] for counts in (*documents, asked)]
    return np.array(rows[:-1]), np.array(rows[-1])


def check(index: Index, model: str, query: str, documents: np.ndarray, asked: np.ndarray, compare: Compare) -> None:
    """Every document that shares a term with the query has the other's value."""
    ours = {index.doc_number(hit.doc_id): hit.score for hit in Searcher(index, model).search(query, k=None)}
    expected = {i: compare(row, asked) for i, row in enumerate(documents) if (row * asked).any()}
    # 1e-7: a distance that is small beside the lengths, where their squares have cancelled
    slack = 1e-7 if model.startswith("euclidean:weights=tfidf") else 1e-12
    assert ours == pytest.approx(expected, rel=1e-12, abs=slack)


@pytest.mark.parametrize(("model", "compare"), ON_COUNTS, ids=[name for name, _ in ON_COUNTS])
@given(texts=TEXTS, query=QUERIES)
def test_counts(model, compare, texts, query):
    check(Index.build(texts), model, query, *counted(texts, query), compare)


@pytest.mark.system
@given(texts=TEXTS.filter(lambda texts: any(map(analyze, texts))), query=QUERIES)
def test_tfidf_as_scikit_learn_weighs(texts, query):
    vectorizer = TfidfVectorizer(analyzer=analyze, norm=None)
    documents = vectorizer.fit_transform(texts).toarray()
    model, compare = "euclidean:weights=tfidf,idf=smooth", minus(distance.euclidean)
    check(Index.build(texts), model, query, documents, vectorizer.transform([query]).toarray()[0], compare)


@exhaustive
def test_cranfield(corpora):
    """One query, the first: dense vectors of all terms are large."""
    collection = toysearch.load("cranfield")
    index, query = Index.build(collection, analyze), collection.queries[0].text
    documents, asked = counted(collection.documents.texts[:200], query)
    for model, compare in ON_COUNTS:
        ranked = {index.doc_number(hit.doc_id): hit.score for hit in Searcher(index, model).search(query, k=None)}
        expected = {i: compare(row, asked) for i, row in enumerate(documents) if (row * asked).any()}
        assert {i: ranked[i] for i in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)
