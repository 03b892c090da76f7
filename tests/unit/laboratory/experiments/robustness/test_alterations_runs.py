"""Runs of altered queries: compared, they have the figures of the scorecard."""

from __future__ import annotations

import pytest
from raising import raising

import toysearch
from toysearch import Index, Qrels
from toysearch.base import Query
from toysearch.base.errors import ArgumentError, DataError
from toysearch.corpus.collection import Queries
from toysearch.laboratory.experiments.robustness.alterations import altered_runs

pytestmark = pytest.mark.system

MODELS = ["bm25", "cosine:idf=smooth"]
NAMES = ["two letters swapped", "every word misspelt", "no function words", "one related word", "an unknown word"]


@pytest.fixture(scope="module")
def companions():
    return toysearch.load("companions")


@pytest.fixture(scope="module")
def index(companions):
    return Index.build(companions)


@pytest.fixture(scope="module")
def some(companions):
    """Companions with every ninth of its queries."""
    queries = Queries(list(companions.judged_queries)[::9])
    return companions.with_topics(queries, Qrels.from_dict({each: companions.qrels[each] for each, _ in queries}))


@pytest.fixture(scope="module")
def scorecard(some):
    return toysearch.robustness(some, MODELS, "AP nDCG@10", only="semantic,rare,spelling", seed=3)


@pytest.mark.parametrize("name", NAMES)
def test_compared_they_have_the_figures_of_the_scorecard(some, index, scorecard, name):
    found = altered_runs(some, index, MODELS, name, seed=3)
    rows = scorecard[name].rows
    for model in MODELS:
        comparison = toysearch.compare(found.runs, found.collection, "AP nDCG@10", baseline=model, correction="none")
        for row in (row for row in rows if row.system == model):
            means = comparison.means[row.measure]
            assert row.queries == len(comparison.query_ids[row.measure]) == len(found.collection.queries)
            assert means[model] == pytest.approx(row.before, abs=1e-14)
            assert means[f"{model}, {name}"] == pytest.approx(row.after, abs=1e-14)
            assert means.get(f"{model}, corrected") == (
                None if row.corrected is None else pytest.approx(row.corrected, abs=1e-14)
            )
            result = comparison.pair(row.measure, f"{model}, {name}").result
            assert result.mean == pytest.approx(row.difference, abs=1e-14)
            assert (result.low, result.high, result.p) == pytest.approx((row.low, row.high, row.p), abs=1e-12)


def test_the_runs_of_a_model_follow_each_other(companions, index):
    made = altered_runs(companions, index, MODELS, "a letter dropped")
    assert [run.name for run in made.runs] == [
        f"{model}{what}" for model in MODELS for what in ("", ", a letter dropped", ", corrected")
    ]
    assert [run.query_ids == made.collection.queries.query_ids for run in made.runs] == [True] * 6
    assert made.collection.threshold == companions.threshold
    capitals = altered_runs(companions, index, ["bm25"], "upper case")
    assert [run.name for run in capitals.runs] == ["bm25", "bm25, upper case"]


def test_only_queries_that_change(companions, index):
    queries = Queries([Query("1", "of 6"), Query("2", "taming a budgie")])
    qrels = Qrels.from_dict({"1": {"p001": 1}, "2": {"p002": 1}})
    made = altered_runs(companions.with_topics(queries, qrels), index, ["bm25"], "every word misspelt")
    assert made.collection.queries.query_ids == made.collection.qrels.query_ids == ["2"]
    assert made.collection.query("2").text == "taming a budgie"


def test_an_index_without_texts_takes_those_of_the_collection(companions):
    bare = Index.build(companions, store_text=False)
    full = altered_runs(companions, Index.build(companions), ["bm25"], "upper case")
    made = altered_runs(companions, bare, ["bm25"], "upper case")
    assert (made.example, list(made.runs[1])) == (full.example, list(full.runs[1]))


def test_refusals(companions, index):
    with pytest.raises(ArgumentError, match=r"^unknown alteration 'every word'; did you mean 'every word misspelt'"):
        altered_runs(companions, index, ["bm25"], "every word")
    with raising(DataError, "the alteration 'accents dropped' cannot be compared on 'companions': it changes no query"):
        altered_runs(companions, index, ["bm25"], "accents dropped")
    pets = toysearch.load("cat-dog-parrot")
    with pytest.raises(DataError) as refusal:
        altered_runs(pets, Index.build(pets), ["bm25"], "no function words")
    assert str(refusal.value) == (
        "the alteration 'no function words' cannot be compared on 'cat-dog-parrot': "
        "no list of function words is known (language: none)"
    )
