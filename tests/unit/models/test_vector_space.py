"""Sets, multisets and distances where nothing is shared or a square rounds, and how their scores are explained."""

from __future__ import annotations

import math

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.laboratory.results.explanation_text import explanation_text
from toysearch.models.similarity import SIMILARITIES

TEXTS = ["cat cat cat dog", "dog parrot", "cat", "hamster"]
QUERY = "cat cat parrot unheard"  # cat 2, parrot 1, unheard 1


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def test_a_distance_whose_square_rounds_below_zero_is_zero():
    assert SIMILARITIES["euclidean"].function(np.array([1.0]), np.array([1.0]), 1 - 2**-40).tolist() == [0.0]
    assert SIMILARITIES["manhattan"].function(np.array([1.0]), np.array([1.0]), 1 - 2**-40).tolist() == [0.0]


def test_nothing_over_nothing_is_nothing():
    zero = np.zeros(1)
    for name in ("dice-minmax", "jaccard-minmax", "overlap-coefficient"):
        assert SIMILARITIES[name].function(zero, zero, 0.0).tolist() == [0.0]
    assert SIMILARITIES["tversky"].function(zero, zero, 0.0, alpha=0.0, beta=0.0).tolist() == [0.0]
    assert SIMILARITIES["cosine-document"].function(zero, zero).tolist() == [0.0]
    assert SIMILARITIES["cosine-query"].function(zero, 0.0).tolist() == [0.0]
    index = Index.build(["the cat", "the dog"])  # ln(2/2) = 0: a vector of nothing but zeros
    for name in ("dice-minmax", "jaccard-minmax", "overlap-coefficient", "tversky", "euclidean", "manhattan"):
        [first, _] = Searcher(index, f"{name}:weights=tfidf").search("the")
        assert first.score == (-math.log(2) if name in ("euclidean", "manhattan") else 0.0)


def test_what_rounds_below_zero_on_one_side_does_not_count():
    assert SIMILARITIES["tversky"].function(1.0, 1 - 2**-53, 1 - 2**-53, alpha=1e300, beta=1e300) == 1.0


def test_a_function_of_ones_own_may_take_minima(index):
    @toysearch.model(similarity="jaccard-minmax")
    def counted(tf):
        return tf

    ours, theirs = (Searcher(index, name).search("cat cat parrot") for name in (counted, "jaccard-minmax"))
    assert (ours.doc_ids, ours.scores.tolist()) == (theirs.doc_ids, theirs.scores.tolist())
    similar = toysearch.model(similarity="tversky")(lambda tf: tf / tf)
    assert similar.parameters == {"alpha": 1.0, "beta": 1.0}


def text_of(index, spec, doc_id):
    return explanation_text(1, toysearch.explain(Searcher(index, spec), QUERY, doc_id))


def test_an_explanation_with_minima(index):
    assert text_of(index, "jaccard-minmax", "1") == (
        "1. document 1: score 0.333333 under jaccard-minmax\n"
        "term  qtf  tf  max_tf  df  tf part  idf part  weight  q     share\n"
        "cat     2   3       3   2   3.0000    1.0000  3.0000  2  0.333333\n"
        "collection: N = 4\n"
        "a term adds the smaller of weight and q to s\n"
        "score = s / (d1 + q1 − s) with s = 2, d1 = 4, q1 = 4\n"
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
