"""Neighbours and near duplicates against all pairs, computed by scikit-learn and scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from tiers import thinned

import toysearch
from toysearch import Index
from toysearch.retrieval import similar_documents as module
from toysearch.retrieval.similar_documents import near_duplicates, similar, similarity_matrix

pytestmark = pytest.mark.system

TEXTS = st.lists(
    st.lists(st.sampled_from(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]), max_size=9).map(" ".join),
    min_size=1,
    max_size=12,
).filter(lambda texts: any(texts))


def of_sets(texts, metric):
    """Of scipy's Boolean distances; two empty documents are at distance 0 there, and have no similarity here."""
    rows = CountVectorizer(analyzer=str.split, binary=True).fit_transform(texts).toarray().astype(bool)
    empty = ~rows.any(axis=1)
    return np.where(np.outer(empty, empty), 0.0, 1 - np.nan_to_num(cdist(rows, rows, metric)))


def of_tfidf(texts):
    return cosine_similarity(TfidfVectorizer(analyzer=str.split).fit_transform(texts))


def of_counts(texts):
    return cosine_similarity(CountVectorizer(analyzer=str.split).fit_transform(texts))


def extended_jaccard(texts):
    rows = CountVectorizer(analyzer=str.split).fit_transform(texts).toarray().astype(float)
    products = rows @ rows.T
    squares = np.diag(products)
    below = squares[:, None] + squares - products
    return np.divide(products, below, out=np.zeros_like(products), where=below > 0)


ORACLES = {
    "jaccard": lambda texts: of_sets(texts, "jaccard"),
    "dice": lambda texts: of_sets(texts, "dice"),
    "cosine:idf=smooth": of_tfidf,
    "cosine:weights=tf": of_counts,
    "jaccard:weights=tf": extended_jaccard,
}


def pairs_above(matrix, above):
    pairs = itertools.combinations(range(1, len(matrix) + 1), 2)
    return {(str(i), str(j)): matrix[i - 1, j - 1] for i, j in pairs if matrix[i - 1, j - 1] >= above - 1e-12}


@pytest.mark.parametrize("model", ORACLES)
@given(texts=TEXTS)
def test_the_matrix_and_the_neighbours(model, texts):
    index, expected = Index.build(texts), ORACLES[model](texts)
    doc_ids = [str(place + 1) for place in range(len(texts))]
    np.testing.assert_allclose(similarity_matrix(index, doc_ids, model), expected, rtol=0, atol=1e-12)
    found = similar(index, "1", model, k=None)
    assert "1" not in found.doc_ids
    others = {str(place + 1): value for place, value in enumerate(expected[0]) if place and value > 0}
    assert dict(zip(found.doc_ids, found.scores, strict=True)) == pytest.approx(others, abs=1e-12)


@pytest.mark.parametrize("model", ORACLES)
@given(texts=TEXTS, above=st.one_of(st.floats(0.01, 1), st.sampled_from([1.0, 0.9, 0.75, 2 / 3, 0.6, 0.5])))
def test_all_pairs_above_a_limit(model, texts, above):
    found = list(near_duplicates(Index.build(texts), above, model))
    expected = pairs_above(ORACLES[model](texts), above)
    assert {pair[:2]: pair.similarity for pair in found} == pytest.approx(expected, abs=1e-12)
    assert [tuple(map(int, pair[:2])) for pair in found] == sorted(tuple(map(int, pair)) for pair in expected)


@pytest.mark.parametrize(("model", "above"), thinned([("cosine:idf=smooth", 0.6), ("jaccard", 0.3), ("dice", 0.5)], 3))
def test_all_pairs_of_cranfield_in_small_blocks(corpora, monkeypatch, model, above):
    monkeypatch.setattr(module, "_WORK", 3_000)
    collection = toysearch.load("cranfield")
    analyzer = toysearch.Analyzer()
    texts = [" ".join(analyzer(document.text)) for document in collection.documents][:400]
    found = {pair[:2]: pair.similarity for pair in near_duplicates(Index.build(texts), above, model)}
    assert len(found) > 5
    assert found == pytest.approx(pairs_above(ORACLES[model](texts), above), abs=1e-12)
