"""Distances by hand, and how their scores are explained."""

import math

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.models.similarity import SIMILARITIES
from toysearch.study.explain.score_explanation_text import explanation_text

TEXTS = ["cat cat cat dog", "dog parrot", "cat", "hamster"]
QUERY = "cat cat parrot unheard"  # cat 2, parrot 1, unheard 1


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


LN2 = math.log(2)


def test_the_same_vector_has_distance_zero(index):
    for spec in ("euclidean", "euclidean:weights=binary"):
        best = Searcher(index, spec).search("dog cat cat cat", k=1)
        assert best.doc_ids == ["1"]
        assert str(best.scores[0]) == "0.0"  # and not -0.0


def test_a_distance_whose_square_rounds_below_zero_is_zero():
    assert SIMILARITIES["euclidean"].function(np.array([1.0]), np.array([1.0]), 1 - 2**-40).tolist() == [0.0]


def test_nothing_over_nothing_is_nothing():
    zero = np.zeros(1)
    for name in ("dice", "jaccard"):
        assert SIMILARITIES[name].function(zero, zero, 0.0).tolist() == [0.0]
    assert SIMILARITIES["cosine-document"].function(zero, zero).tolist() == [0.0]
    assert SIMILARITIES["cosine-query"].function(zero, 0.0).tolist() == [0.0]
    index = Index.build(["the cat", "the dog"])  # ln(2/2) = 0: a vector of nothing but zeros
    for name, score in {"dice": 0.0, "jaccard": 0.0, "euclidean": -LN2}.items():
        [first, _] = Searcher(index, f"{name}:weights=tfidf").search("the")
        assert first.score == score


def text_of(index, spec, doc_id):
    return explanation_text(1, toysearch.explain(Searcher(index, spec), QUERY, doc_id))


def test_an_explanation_of_a_distance(index):
    """Two strangers are √(10 + 6) apart; the shared word brings them together."""
    assert text_of(index, "euclidean", "1") == (
        "1. document 1: score -2.000000 under euclidean\n"
        "term  qtf  tf  max_tf  df  tf part  idf part  weight  × q     share\n"
        "cat     2   3       3   2   3.0000    1.0000  3.0000    2  2.000000\n"
        "collection: N = 4\n"
        "the document's own part: -4.000000\n"
        "score = −√(dd + qq − 2s) with s = 6, dd = 10, qq = 6\n"
        "not in this document: parrot\n"
        "in no document: unheard"
    )


def test_a_similarity_that_is_infinite_without_a_match_is_explained_too(index):
    @toysearch.model(similarity=lambda s: np.log(s))
    def logarithm(tf):
        return 2.0 * tf

    why = toysearch.explain(Searcher(index, logarithm), "cat", "1")
    assert (why.score, why.tree.of_kind("document")) == (math.log(6), [])
    assert why.terms[0].share == pytest.approx(math.log(6), rel=1e-15)
