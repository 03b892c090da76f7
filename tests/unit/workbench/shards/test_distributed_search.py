"""Shards give the documents and scores of one index, to the last bit, for every model and any form of query."""

import json

import numpy as np
import pytest
from error_messages import raising
from small_shards import CUTS, MODELS_MADE, QUERIES, STRUCTURED, same, sharded, whole
from tiers import exhaustive, thinned

import toysearch
from toysearch import MODELS, Searcher
from toysearch.base.errors import ToysearchError
from toysearch.retrieval.model_scorer import ModelScorer
from toysearch.workbench.learning.feature_table import features
from toysearch.workbench.learning.ranker_training import learn

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def shards():
    return sharded()


@pytest.fixture(params=["plain", pytest.param("compiled", marks=exhaustive)])
def path(request, monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", request.param)
    return request.param


@pytest.mark.parametrize("model", thinned([*MODELS], 3))
def test_every_model_gives_the_scores_of_one_index(model, path, shards):
    for k in (2, 1000) if path == "compiled" else (1, 2, None):
        expected = Searcher(whole(), model).run(QUERIES, k)
        found = Searcher(shards, model).run(QUERIES, k)
        assert same(found, expected)
        assert list(found.offsets) == list(expected.offsets)


@pytest.mark.parametrize(
    "model", [pytest.param(model, marks=exhaustive if model.startswith("lsa") else ()) for model in MODELS_MADE]
)
def test_mixtures_wrappers_fields_and_priors_give_the_scores_of_one_index(model, shards):
    for k in (2, 1000):
        assert same(Searcher(shards, model).run(QUERIES, k), Searcher(whole(), model).run(QUERIES, k))


@exhaustive
def test_vectors_and_learned_rankers_give_the_scores_of_one_index(shards, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = np.random.default_rng(5)
    ids = list(whole().doc_ids)
    np.save("v.npy", chance.normal(size=(len(ids), 5)).round(1))
    np.save("q.npy", chance.normal(size=(len(QUERIES), 5)).round(1))
    impacts = ({"id": each, "vector": {word: int(chance.integers(1, 9)) for word in "abc"}} for each in ids)
    (tmp_path / "w.jsonl").write_text("\n".join(map(json.dumps, impacts)))
    (tmp_path / "v.ids").write_text("\n".join(reversed(ids)))
    (tmp_path / "q.ids").write_text("\n".join(QUERIES))
    qrels = {query_id: {doc_id: number % 2 for number, doc_id in enumerate(ids)} for query_id in QUERIES}
    topics = {"queries": QUERIES, "qrels": qrels}
    learn(features(whole(), ["bm25", "min-max(tfidf)", "length"], ["bm25@9"], **topics), "logistic").save("ranker")
    for model in (
        "dense:v.npy,queries=q.npy",
        "0.5*bm25 + 0.5*dense:v.npy,queries=q.npy",
        "impact:w.jsonl",
        "learned:ranker",
    ):
        for k in (2, 1000):
            assert same(Searcher(shards, model).run(QUERIES, k), Searcher(whole(), model).run(QUERIES, k)), model


@pytest.mark.parametrize("text", STRUCTURED)
def test_the_structure_of_a_query_is_that_of_one_index(text, shards):
    for model in ("bm25", "cosine", "lm-dirichlet", "rm3(bm25)"):
        expected = Searcher(whole(), model).search(text, None, query_mode="lenient")
        assert len(expected)
        assert same(Searcher(shards, model).search(text, None, query_mode="lenient"), expected)


@pytest.mark.parametrize("ties", ["rank", "trec_eval"])
def test_ties_across_shards_are_ranked_as_in_one_index(ties, shards):
    @toysearch.model
    def level(tf):
        return tf / tf

    for k in (1, 5, 20, None):
        expected = Searcher(whole(), level).run(QUERIES, k, ties=ties)
        assert same(Searcher(shards, level).run(QUERIES, k, ties=ties), expected)


@pytest.mark.system
def test_shards_of_one_document_each_and_a_single_shard(shards):
    for cuts in (range(49), (0, 48)):
        other = sharded(tuple(cuts))
        assert same(Searcher(other, "bm25").run(QUERIES, 7), Searcher(whole(), "bm25").run(QUERIES, 7))


def test_local_statistics_would_rank_otherwise(shards):
    """What the other tests compare depends on the statistics of the whole."""
    part = shards.parts[2]
    assert CUTS[3] - CUTS[2] == part.stats.N
    expected = Searcher(whole(), "bm25").search("w5 w9", None)
    alone = {hit.doc_id: hit.score for hit in Searcher(part, "bm25").search("w5 w9", None)}
    assert alone
    assert all(alone[hit.doc_id] != hit.score for hit in expected if hit.doc_id in alone)


def test_the_shards_are_asked_once_for_all_queries(shards, monkeypatch):
    asked = []

    def spread(task, arguments):
        asked.append([len(own[2]) for own in arguments])
        return [task(shard, *own) for shard, own in zip(shards.shards, arguments, strict=True)]

    monkeypatch.setattr(shards, "spread", spread)
    Searcher(shards, "bm25").run(QUERIES, 10)
    assert asked == [[len(QUERIES)] * 5]


def test_a_model_that_cannot_weigh_is_refused_with_the_same_words(shards):
    @toysearch.model
    def broken(tf, df):
        return tf / (df - 1)

    with pytest.raises(ToysearchError) as expected:
        Searcher(whole(), broken).search("rare")
    with raising(ToysearchError, str(expected.value)):
        Searcher(shards, broken).search("rare")


def test_an_explanation_of_a_score_is_that_of_one_index(shards):
    for model in ("bm25", "0.5*bm25 + 0.5*tfidf"):
        expected, found = (toysearch.explain(Searcher(index, model), "w5 rare", "d47") for index in (whole(), shards))
        assert str(found) == str(expected)


def test_the_scorer_of_one_index_asks_no_shard():
    assert type(Searcher(whole(), "bm25").scorer) is ModelScorer
