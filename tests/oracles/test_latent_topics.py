"""`lsa:200` against scikit-learn on the same counts, and its figures on three collections."""

from __future__ import annotations

import numpy as np
import pytest
from lengths import thinned
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

import toysearch

MIXED = "0.7*min-max(bm25) + 0.3*min-max(lsa:200)"
# Measured independently with scikit-learn and numpy: title and text, English stop words and stems, judged queries.
# The mixture normalised scores over all documents there; here those that share a word with the query, for bm25.
FIGURES = {
    "cranfield": ("T,W", {"lsa:200": 0.3590, MIXED: 0.3435}),
    "cisi": ("T,W", {"lsa:200": 0.2527, MIXED: 0.2375}),
    "scifact": ("title,text", {"lsa:200": 0.4708, MIXED: 0.6663}),
}


@pytest.mark.filterwarnings("ignore::toysearch.ToysearchNote")
@pytest.mark.parametrize("dimensions", thinned((1, 5, 20), 2))
def test_scores_are_those_of_scikit_learn(dimensions):
    collection = toysearch.load("companions")
    index = toysearch.Index.build(collection)
    counts = np.zeros((index.stats.N, index.stats.n_terms))
    for number in range(index.stats.n_terms):
        docs, tf = index.postings(index.term(number))
        counts[docs, number] = tf
    df = (counts > 0).sum(axis=0)
    idf = np.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
    svd = TruncatedSVD(dimensions, random_state=3)
    documents = normalize(svd.fit_transform(normalize(np.log1p(counts) * idf)))
    searcher = toysearch.Searcher(index, f"lsa:{dimensions},seed=3")
    for _, text in list(collection.judged_queries)[:10]:
        query = np.zeros((1, counts.shape[1]))
        for term in index.analyzer(text):
            if term in index:
                query[0, index.term_number(term)] += 1
        if not query.any():
            continue
        expected = (documents @ normalize(svd.transform(query * idf)).T).ravel()
        docs, scores = searcher.scores(searcher.terms(text))
        assert docs.tolist() == list(range(len(counts)))
        assert scores == pytest.approx(expected, abs=1e-4)


@pytest.mark.filterwarnings("ignore::toysearch.ToysearchNote")
@pytest.mark.parametrize("name", thinned(FIGURES, 3))
def test_figures_of_an_independent_program(name, corpora):
    fields, figures = FIGURES[name]
    collection = toysearch.load(name, fields=fields)
    index = toysearch.Index.build(collection)
    for model, expected in figures.items():
        run = toysearch.Searcher(index, model).run(collection.judged_queries)
        means = toysearch.evaluate(run, collection.qrels, "AP", threshold=collection.threshold).means
        assert means["AP"] == pytest.approx(expected, abs=0.0005 if model == "lsa:200" else 0.005)
