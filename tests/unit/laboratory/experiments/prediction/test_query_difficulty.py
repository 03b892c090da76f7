"""When a query looks hard, and its place among others."""

from __future__ import annotations

import pytest

import toysearch
from toysearch import Query, Searcher
from toysearch.laboratory.experiments.prediction.query_difficulty import (
    QueryDifficulty,
    difficulties,
    query_difficulty,
)


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
