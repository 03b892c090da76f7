"""What every experiment makes of values without a mean difference: those of ESL may be infinite, GMAP is no mean."""

from __future__ import annotations

import math

import pytest
from raising import raising

from toysearch import Collection, Index, ablate, compare, robustness, tune
from toysearch.base.errors import ArgumentError, DataError
from toysearch.laboratory.study import Study

TEXTS = {"a": "a cat and a bird", "b": "the cat", "c": "the bird sings and sings", "d": "a dog"}
QUERIES = {"1": "cat", "2": "bird", "3": "cat dog", "4": "sings"}
# Query 4 finds c alone, and b is relevant.
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "a": 0}, "3": {"d": 1, "b": 0}, "4": {"b": 1}}
SENTENCE = (
    "ESL is infinite for 1 of 4 queries, and so is its mean: there is nothing to improve; name a measure that is "
    "finite for every query, such as RR"
)


@pytest.fixture
def collection() -> Collection:
    return Study.of(Index.build(TEXTS), queries=QUERIES, qrels=QRELS).judged


def test_a_mean_that_is_infinite_cannot_be_improved(collection):
    with raising(DataError, SENTENCE):
        tune(collection, "bm25", {"b": [0.2, 0.7]}, "ESL")
    with raising(DataError, SENTENCE):
        ablate(collection, "bm25", "ESL")


def test_robustness_compares_the_queries_with_a_finite_value(collection):
    found = robustness(collection, "bm25", "ESL", only="rare")
    assert found["an unknown word"].rows[0].queries == 3
    assert all(math.isfinite(row.difference) for _, row in found.rows)


def test_a_comparison_leaves_the_others_out(collection):
    assert compare(["bm25", "overlap"], collection, "ESL").query_ids["ESL"] == ("1", "2", "3")


@pytest.mark.parametrize("experiment", [ablate, robustness])
def test_a_geometric_mean_has_no_mean_difference(collection, experiment):
    with pytest.raises(ArgumentError, match="GMAP is not a mean over queries; compare AP"):
        experiment(collection, "bm25", "GMAP")
