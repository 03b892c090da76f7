"""When a query looks hard, and its place among others."""

import math
import warnings
from statistics import mean

import numpy as np
import pytest
import shell

import toysearch
from toysearch import Query, Searcher
from toysearch.workbench.learning.learned_ranker import LearnedRanker, Linear, PoolPart, as_model
from toysearch.workbench.prediction import PredictingSearcher, QueryDifficulty, difficulties, predict, query_difficulty

pytestmark = pytest.mark.system


@pytest.mark.parametrize(
    ("place", "n", "hard"), [(6, 60, True), (7, 60, False), (1, 10, True), (2, 10, False), (1, 9, False)]
)
def test_the_lowest_tenth_of_at_least_ten_queries_looks_hard(place, n, hard):
    assert QueryDifficulty(1.0, place, n).hard is hard


def test_a_query_of_the_collection_takes_its_own_place():
    pets = toysearch.load("companions")
    searcher, queries = Searcher(pets), list(pets.queries)
    places = difficulties(searcher, queries)
    for query in queries[:12]:
        assert query_difficulty(searcher, queries, query) == places.get(query.query_id)
    again = query_difficulty(searcher, queries, Query("new", queries[0].text))
    assert (again.wig, again.n) == (places[queries[0].query_id].wig, len(places) + 1)


def test_a_query_that_finds_nothing_has_no_difficulty():
    pets = toysearch.load("companions")
    assert query_difficulty(Searcher(pets), pets.queries, "xyzzy") is None


@pytest.mark.parametrize("ties", ["rank", "trec_eval"])
@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet", "rm3(bm25)", "0.7*bm25 + 0.3*tfidf", "lsa:20"])
def test_one_run_gives_the_same_rankings_and_difficulties(model, ties):
    pets = toysearch.load("companions")
    index = toysearch.Index.build(pets)
    searcher = PredictingSearcher(index, model)
    run, other = (each.run(pets.queries, 7, ties=ties) for each in (searcher, Searcher(index, model)))
    assert list(run) == list(other)
    expected = difficulties(Searcher(index, model), pets.queries)
    assert searcher.difficulties(run.query_ids) == expected
    some = run.query_ids[:12]
    assert searcher.difficulties(some) == difficulties(
        Searcher(index, model), [each for each in pets.queries if each.query_id in some]
    )


@pytest.fixture
def ranker():
    """A ranker that turns the scores of BM25 round in a pool of 10 documents."""
    function = Linear(0.25, *np.array([[-1.0], [0.0], [1.0]]))
    return as_model(LearnedRanker("logistic", ("bm25",), (PoolPart("bm25", 10),), function), "turned", toysearch.model)


def test_a_ranker_is_predicted_from_its_pool(ranker):
    """Below the pool there are numbers in order, not scores; a score of 0 has no meaning."""
    pets = toysearch.load("companions")
    index = toysearch.Index.build(pets)
    for query_id, text in list(pets.queries)[:3]:
        scores = sorted((0.25 - hit.score for hit in Searcher(index).search(text, 10)), reverse=True)
        found = query_difficulty(Searcher(index, ranker), pets.queries, Query(query_id, text))
        n_terms = len(index.analyzer(text))
        if scores:
            assert found.wig == pytest.approx((mean(scores[:5]) - mean(scores)) / math.sqrt(n_terms), abs=1e-12)
    searcher = PredictingSearcher(index, ranker)
    run = searcher.run(pets.queries, 20)
    assert list(run) == list(Searcher(index, ranker).run(pets.queries, 20))
    assert searcher.difficulties(run.query_ids) == difficulties(Searcher(index, ranker), pets.queries)


def test_a_query_without_a_term_has_no_difficulty():
    pets = toysearch.load("companions")
    assert len(Searcher(pets).search("NOT cat", query_mode="strict"))
    assert query_difficulty(Searcher(pets), pets.queries, "NOT cat", query_mode="strict") is None
    told = shell.done("search", "companions", "NOT cat", "--query-mode", "strict", "--difficulty", "-k", "1").stderr
    assert told.endswith("the difficulty of this query cannot be predicted: its documents have no score for a term\n")


@pytest.mark.parametrize(
    ("model", "predictors", "told"),
    [
        ("min-max(bm25)", "wig max-idf", "min-max hides the magnitude of scores, so wig says nothing about "),
        ("0.5*z-score(bm25) + 0.5*rrf(tfidf)", "nqc smv:k=9 wig", "z-score and rrf hide the magnitude of scores, so "),
        ("min-max(bm25)", "max-idf sigma-max", ""),
        ("0.5*bm25 + 0.5*tfidf", "wig", ""),
        ("bm25", "wig", ""),
    ],
)
def test_normalised_scores_have_no_magnitude(model, predictors, told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predict("companions", model, predictors=predictors)
    said = [str(each.message) for each in caught if "magnitude" in str(each.message)]
    assert len(said) == bool(told)
    assert not said or said[0].startswith(told)
