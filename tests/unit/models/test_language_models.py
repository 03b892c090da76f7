"""Language models by hand on three small documents, and the parameters at which there is no smoothing."""

from __future__ import annotations

from math import log

import pytest
from raising import raising

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError

# 8 words in all; cat 4, dog 2, parrot 1, hamster 1
TEXTS = ["cat cat dog", "dog parrot", "cat cat hamster"]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def answer(index, spec, query):
    return {hit.doc_id: hit.score for hit in Searcher(index, spec).search(query)}


BY_HAND = [
    # p(cat|C) = 1/2, p(dog|C) = 1/4; of "cat dog": p(cat|d) · p(dog|d)
    ("lm-dirichlet:4", {"1": (2 + 2) / 7 * (1 + 1) / 7, "2": 2 / 6 * 2 / 6, "3": 4 / 7 * 1 / 7}),
    ("lm-jm:0.5", {"1": (1 / 3 + 1 / 4) * (1 / 6 + 1 / 8), "2": 1 / 4 * (1 / 4 + 1 / 8), "3": (1 / 3 + 1 / 4) / 8}),
    ("lm-jm:1", {"1": 1 / 8, "2": 1 / 8, "3": 1 / 8}),
]


@pytest.mark.parametrize(("spec", "probabilities"), BY_HAND)
def test_by_hand(index, spec, probabilities):
    expected = {doc_id: log(p) for doc_id, p in probabilities.items()}
    assert answer(index, spec, "cat dog unheard") == pytest.approx(expected, rel=1e-14)


def test_a_word_that_the_query_repeats_is_drawn_twice(index):
    for spec in ("lm-dirichlet", "lm-jm"):
        once, twice = answer(index, spec, "cat"), answer(index, spec, "cat cat")
        assert twice == pytest.approx({doc_id: 2 * score for doc_id, score in once.items()}, rel=1e-14)


def test_defaults():
    names = [name for name in toysearch.MODELS if name.startswith("lm-")]
    assert {name: dict(toysearch.model(name).parameters) for name in names} | {} == {
        "lm-dirichlet": {"mu": 2000.0},
        "lm-jm": {"lambda_": 0.1},
    }


def test_a_score_is_the_sum_of_what_the_explanation_names(index):
    why = toysearch.explain(Searcher(index, "lm-dirichlet:4"), "cat dog", "3")
    [cat] = why.terms
    assert cat.parts == {"p_collection": 0.5}
    assert cat.share == pytest.approx(log(1 + 2 / (4 * 0.5)), rel=1e-15)
    every, document = why.tree.of_kind("per_matched_document", "document")
    assert every.value == pytest.approx(log(1 / 2) + log(1 / 4), rel=1e-15)
    assert document.value == pytest.approx(2 * log(4 / 7), rel=1e-15)
    assert why.absent == ["dog"]


UNSMOOTHED = "a document that lacks a query word would have probability 0, which has no logarithm"
MESSAGES = [
    ("lm-dirichlet:0", f"lm-dirichlet: mu=0 smooths nothing: {UNSMOOTHED}; give mu of at least 1e-09"),
    ("lm-jm:0", f"lm-jm: lambda=0 smooths nothing: {UNSMOOTHED}; give lambda of at least 1e-09"),
    ("lm-jm:1.5", "lambda of lm-jm must be from 0 to 1, not 1.5"),
    ("lm-dirichlet:-1", "mu of lm-dirichlet must be at least 0, not -1"),
]


@pytest.mark.parametrize(("spec", "message"), MESSAGES)
def test_refusals(spec, message):
    with raising(ArgumentError, message):
        toysearch.model(spec)


def test_the_least_smoothing_is_taken():
    for spec in ("lm-dirichlet:1e-9", "lm-jm:1e-9"):
        scores = answer(Index.build(TEXTS), spec, "cat dog")
        assert scores["1"] > scores["3"] > -50
