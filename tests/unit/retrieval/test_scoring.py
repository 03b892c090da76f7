"""Weights are kept per term, and norms do not depend on how many postings are weighed at a time."""

import numpy as np
import pytest

import toysearch
from toysearch import Index
from toysearch.retrieval.query_terms import query_terms
from toysearch.retrieval.scoring import Weights, plan


@pytest.fixture(scope="module")
def index():
    rng = np.random.default_rng(5)
    words = [f"w{i}" for i in range(30)]
    return Index.build([" ".join(rng.choice(words, rng.integers(0, 50))) for _ in range(60)])


@pytest.mark.parametrize("block", [1, 7, 100])
def test_norms_are_the_same_to_the_last_bit_for_any_block(index, block, monkeypatch):
    model = toysearch.model("cosine:tf=log,idf=smooth")
    whole = Weights(index, model).squared_norms
    monkeypatch.setattr("toysearch.retrieval.query_terms.BLOCK", block)
    assert np.array_equal(Weights(index, model).squared_norms, whole)

    def weigh(number, term, tf):
        return model.weight(tf=tf, max_tf=index.max_tf[number], df=len(index.postings(term).docs), N=60)

    by_hand = [
        sum(weigh(n, term, tf) ** 2 for term, tf in v.items()) for n, v in enumerate(map(index.vector, index.doc_ids))
    ]
    np.testing.assert_allclose(whole, by_hand, rtol=1e-12)


def test_a_term_is_weighed_once(index):
    calls = []

    def counted(tf):
        calls.append(len(tf))
        return tf

    weights = Weights(index, toysearch.model(counted))
    calls.clear()
    for _ in range(2):
        weights.of_terms([3, 5, 3])
    assert calls == [sum(int(index.df[term]) for term in (3, 5))]


def test_terms_that_subtract_are_ordered_by_what_they_add_at_best():
    """With a negative query weight the most that a term adds comes from its lowest weight in the collection."""
    texts = ["a1 b1 b1", "a1 " * 9 + "b1 b1 b1"]  # a1: weights 1 and 9; b1: 2 and 3

    @toysearch.model(query=lambda qtf: -qtf)
    def negative(tf):
        return tf

    index = Index.build(texts)
    planned = plan(Weights(index, negative), query_terms(index, ["b1", "a1"]))
    assert [index.term(int(number)) for number in planned.query.numbers] == ["a1", "b1"]  # −1 before −2


def test_the_weights_least_recently_used_go(index):
    model = toysearch.model("bm25")
    whole = Weights(index, model).of_terms([3, 5, 7, 9])
    kept = Weights(index, model, memory=sum(term.docs.nbytes + term.weights.nbytes for term in whole[:3]))
    first, second, _ = kept.of_terms([3]), kept.of_terms([5]), kept.of_terms([7])
    assert kept.of_terms([3])[0] is first[0]
    kept.of_terms([9])  # 5 has not been used for longest
    assert kept.of_terms([3])[0] is first[0]
    again = kept.of_terms([5])[0]
    assert again is not second[0]
    assert np.array_equal(again.weights, whole[1].weights)
