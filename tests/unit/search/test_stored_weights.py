"""Weights stored in an index: taken from there, the same to the last bit, and gone when they are no longer right."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from lengths import thinned

import toysearch
from toysearch import MODELS, Index, Searcher
from toysearch.errors import ArgumentError
from toysearch.index.storage import check_index
from toysearch.search.stored_weights import precompute
from toysearch.search.term_weights import Weights, models_stored

TEXTS = {"d1": "the cat sat on the mat", "d2": "a cat and another cat", "d3": "", "d4": "the dog and the cat"}
FIELDED = ["bm25f"]


@pytest.fixture
def index() -> Index:
    return Index.build(TEXTS)


def never(*_args, **_statistics):
    raise AssertionError("the model was called")


STORED = product([name for name in MODELS if name not in FIELDED], ["plain", "compiled"])


@pytest.mark.parametrize(("name", "path"), thinned(STORED, 3))
def test_stored_weights_rank_as_computed_ones_do(index, name, path, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    stored = precompute(index, [name])
    for query in ("cat", "the dog", "cat and mat"):
        one, other = Searcher(index, name).search(query), Searcher(stored, name).search(query)
        assert one.doc_ids == other.doc_ids
        assert np.array_equal(one.scores, other.scores)


def test_the_model_is_not_called_for_what_is_stored(index, monkeypatch):
    stored = precompute(index, ["bm25"])
    searcher = Searcher(stored, "bm25")
    monkeypatch.setattr(Weights, "posting_statistics", never)
    assert searcher.search("cat").doc_ids == ["d2", "d4", "d1"]


@pytest.mark.parametrize("other", ["bm25:b=0.4", "bm25:k1=1.2000000000000002", "bm25l"])
def test_other_parameters_and_models_are_computed(index, other):
    stored = precompute(index, ["bm25"])
    assert Weights(stored, toysearch.model("bm25"))._stored is not None
    assert Weights(stored, toysearch.model(other))._stored is None


def test_weights_of_another_version_are_not_taken(index, monkeypatch):
    stored = precompute(index, ["bm25"])
    monkeypatch.setattr("toysearch.search.term_weights.__version__", "0.0.9")
    assert Weights(stored, toysearch.model("bm25"))._stored is None


def test_a_mixture_stores_those_of_its_models_and_others_stay(index):
    stored = precompute(precompute(index, ["tfidf"]), ["0.7*bm25 + 0.3*lm-dirichlet:mu=500", "bm25"])
    assert models_stored(stored)[0].startswith("tfidf")
    assert [name.partition(":")[0] for name in models_stored(stored)] == ["tfidf", "bm25", "lm-dirichlet"]


def test_what_is_stored_can_be_stored_again(index):
    models = [name for name in MODELS if name not in FIELDED] + ["smart:lnc.ltc", "formula:log(1+tf)*log(N/df)"]
    names = models_stored(precompute(index, models))
    assert models_stored(precompute(index, names)) == names


def test_progress_counts_the_postings_of_all_models(index):
    told: list[int] = []
    precompute(index, ["bm25", "tfidf"], progress=told.append)
    assert told == [index.stats.n_postings, 2 * index.stats.n_postings]


def test_a_saved_index_keeps_them(index, tmp_path):
    precompute(index, ["bm25", "tfidf"]).save(tmp_path / "i")
    opened = Index.open(tmp_path / "i")
    for name in ("bm25", "tfidf"):
        stored, computed = Weights(opened, toysearch.model(name)), Weights(index, toysearch.model(name))
        for one, other in zip(stored.of_terms(range(5)), computed.of_terms(range(5)), strict=True):
            assert np.array_equal(one.weights, other.weights)
    assert check_index(tmp_path / "i") == []


@pytest.mark.parametrize("change", [lambda i: i.add({"d5": "cat"}), lambda i: i.delete(["d1"])])
def test_they_are_gone_when_documents_come_or_go(index, change):
    assert models_stored(change(precompute(index, ["bm25"]))) == []
    assert change(precompute(index, ["bm25"])).df.tolist() == change(index).df.tolist()


def test_a_function_of_ones_own_is_refused(index):
    @toysearch.model
    def mine(tf):
        return tf

    with pytest.raises(ArgumentError, match="the weights of 'mine' cannot be stored: it is a function of"):
        precompute(index, [mine])
