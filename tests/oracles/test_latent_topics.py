"""`lsa` against numpy.linalg.svd on the same counts, and its figures on three collections."""

import numpy as np
import pytest
from tiers import thinned

import toysearch
from toysearch.workbench.vectors.topic_decomposition import _matrix, _topics

pytestmark = pytest.mark.system

MIXED = "0.7*min-max(bm25) + 0.3*min-max(lsa:200)"
# Measured independently with scikit-learn, scipy's PROPACK and numpy: title and text, English stop words and stems,
# judged queries. In the mixture bm25 is normalised over the documents that share a word with the query.
FIGURES = {
    "cranfield": ("T,W", {"lsa:200": 0.36043, MIXED: 0.34372}),
    "cisi": ("T,W", {"lsa:200": 0.25279, MIXED: 0.23646}),
    "scifact": ("title,text", {"lsa:200": 0.47341, MIXED: 0.66112}),
}


def slow(n_documents: int, n_terms: int) -> dict[str, str]:
    """Documents of random words: their singular values fall slowly, which randomised decompositions do not bear."""
    rng = np.random.default_rng(4)
    rows = (rng.zipf(1.4, 30) % n_terms for _ in range(n_documents))
    return {f"d{number}": " ".join(f"w{word}" for word in row.tolist()) for number, row in enumerate(rows)}


COLLECTIONS = {
    "few documents": lambda: slow(80, 300),
    "few terms": lambda: slow(300, 40),
    "many documents": lambda: slow(620, 4000),  # too many for all topics: they are iterated
    "more documents than terms": lambda: slow(800, 700),
    "equal strengths": lambda: {f"d{number}": f"w{number // 2} v{number // 2}" for number in range(610)},
}


def weights(index):
    """The matrix of an index by the formula in the documentation, and the idf of each term."""
    counts = np.zeros((index.stats.N, index.stats.n_terms))
    for number in range(index.stats.n_terms):
        docs, tf = index.postings(index.term(number))
        counts[docs, number] = tf
    df = (counts > 0).sum(axis=0)
    idf = np.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
    rows = np.log1p(counts) * idf
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), idf


@pytest.mark.parametrize("name", thinned(COLLECTIONS, 5))
def test_topics_and_scores_are_those_of_the_exact_decomposition(name):
    index = toysearch.Index.build(COLLECTIONS[name]())
    rows, idf = weights(index)
    left, exact, right = np.linalg.svd(rows, full_matrices=False)
    for dimensions in (1, 20, 150):
        directions = _topics(_matrix(index.arrays), min(dimensions, *rows.shape))
        kept = directions.shape[1]
        assert kept == min(dimensions, int((exact > 1e-6 * exact[0]).sum()))
        assert np.linalg.norm(rows @ directions, axis=0) == pytest.approx(exact[:kept], abs=1e-9)
        assert directions.T @ directions == pytest.approx(np.eye(kept), abs=1e-9)
        if dimensions < len(exact) and exact[dimensions - 1] - exact[dimensions] < 1e-3:
            continue  # which of two topics of about the same strength is the last one is open
        documents = left[:, :kept] * exact[:kept]
        searcher = toysearch.Searcher(index, f"lsa:{dimensions}")
        for number in (0, 1, len(rows) // 2):
            text = " ".join(str(index.text(number)).split()[:8])
            query = np.zeros(len(idf))
            for term in index.analyzer(text):
                query[index.term_number(term)] += 1
            point = right[:kept] @ (query * idf)
            lengths = np.linalg.norm(documents, axis=1) * np.linalg.norm(point)
            expected = np.divide(documents @ point, lengths, out=np.zeros(len(rows)), where=lengths > 1e-6)
            docs, scores = searcher.scores(searcher.terms(text))
            assert docs.tolist() == list(range(len(rows)))
            assert scores == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("name", thinned(FIGURES, 3))
def test_figures_of_an_independent_program(name, corpora):
    fields, figures = FIGURES[name]
    collection = toysearch.load(name, fields=fields)
    index = toysearch.Index.build(collection)
    for model, expected in figures.items():
        run = toysearch.Searcher(index, model).run(collection.judged_queries)
        means = toysearch.evaluate(run, collection.qrels, "AP", threshold=collection.threshold).means
        assert means["AP"] == pytest.approx(expected, abs=2e-5)
