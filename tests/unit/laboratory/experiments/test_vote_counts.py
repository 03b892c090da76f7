"""Votes counted: shares, intervals and sign tests, against scipy's and in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from toysearch.base.errors import ArgumentError, DataError
from toysearch.formats.judgment_log import Preference, VoteLog
from toysearch.laboratory.experiments.stats.significance import paired_test
from toysearch.laboratory.experiments.vote_counts import count_votes

VALUES = st.lists(st.tuples(st.sampled_from("123456"), st.sampled_from([1, 0, -1])), min_size=1, max_size=40)


def preferences(values):
    return [Preference(str(place), query_id, "a", "b", value) for place, (query_id, value) in enumerate(values)]


@given(VALUES, st.sampled_from([0.05, 0.2]))
def test_the_counts_are_scipys_binomial_test_of_votes_and_of_queries(values, alpha):
    by_votes, by_queries = count_votes(preferences(values), alpha=alpha)
    sums = [sum(value for other, value in values if other == query_id) for query_id in {query for query, _ in values}]
    for found, signs in ((by_votes, [value for _, value in values]), (by_queries, sums)):
        wins, losses = (sum(sign * value > 0 for value in signs) for sign in (1, -1))
        assert (found.wins, found.losses, found.ties) == (wins, losses, len(signs) - wins - losses)
        if not wins + losses:
            assert math.isnan(found.share)
            assert found[7:] == (0, 1, 1)
            continue
        theirs = binomtest(wins, wins + losses)
        interval = theirs.proportion_ci(1 - alpha, method="exact")
        assert found.share == wins / (wins + losses)
        assert (found.low, found.high, found.p) == pytest.approx((*interval, theirs.pvalue), abs=1e-9)
        tail = sum(Fraction(math.comb(wins + losses, n), 2 ** (wins + losses)) for n in range(min(wins, losses) + 1))
        assert found.p == pytest.approx(float(min(1, 2 * tail)), abs=1e-12)


def test_the_row_of_queries_is_the_sign_test_of_the_comparisons():
    values = [("1", 1), ("2", 1), ("3", -1), ("4", 1), ("5", 1), ("6", 0)]
    assert count_votes(preferences(values))[1].p == pytest.approx(
        paired_test([1.0, 1, -1, 1, 1, 0], "sign").p, abs=1e-12
    )


def test_each_pair_of_systems_by_itself(tmp_path):
    with VoteLog(tmp_path / "votes.jsonl") as log:
        log.prefer("ada", "1", "left", left="a", right="b")
        log.prefer("ada", "1", "left", left="c", right="b")
    found = count_votes(tmp_path / "votes.jsonl")
    assert [(each.first, each.second, each.by, each.wins, each.losses) for each in found] == [
        *(("a", "b", "votes", 1, 0), ("a", "b", "queries", 1, 0)),
        *(("b", "c", "votes", 0, 1), ("b", "c", "queries", 0, 1)),
    ]


def test_what_cannot_be_counted():
    with pytest.raises(DataError, match="there is no vote on two systems"):
        count_votes([])
    with pytest.raises(ArgumentError):
        count_votes(preferences([("1", 1)]), alpha=2)
