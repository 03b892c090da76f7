"""The split: as large as asked for, the same for the same secret, and nothing to be guessed from the ids."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raising import raising

from toysearch.base.errors import ArgumentError
from toysearch.course.competition.leaderboard import held_out_queries


@given(st.sets(st.text(), min_size=2, max_size=40), st.floats(0.001, 0.999), st.text())
def test_a_share_is_held_out(query_ids, share, secret):
    away = held_out_queries(query_ids, share, secret)
    assert away < query_ids
    assert len(away) == min(max(round(share * len(query_ids)), 1), len(query_ids) - 1)
    assert held_out_queries(sorted(query_ids, reverse=True), share, secret) == away


@given(st.floats(0.1, 0.4), st.floats(0.5, 0.9))
def test_a_larger_share_holds_the_smaller(small, large):
    ids = [str(number) for number in range(50)]
    assert held_out_queries(ids, small, "secret") <= held_out_queries(ids, large, "secret")


def test_another_secret_is_another_split():
    ids = [str(number) for number in range(200)]
    splits = [held_out_queries(ids, 0.5, f"secret {number}") for number in range(20)]
    for query_id in ids[:10]:
        assert 3 <= sum(query_id in split for split in splits) <= 17
    assert len(set(map(frozenset, splits))) == 20


def test_it_is_drawn_by_the_standards_own_function():
    def digest(query_id: str) -> str:
        return hmac.new(b"secret", query_id.encode(), hashlib.sha256).hexdigest()

    assert held_out_queries("abcdef", 0.5, "secret") == set(sorted("abcdef", key=digest)[:3])


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_a_share_is_between_0_and_1(share):
    with pytest.raises(ArgumentError, match=r"^the share of held-out queries must be between 0 and 1, not "):
        held_out_queries("ab", share, "")


def test_one_query_cannot_be_split():
    with raising(ArgumentError, "holding out queries needs at least two judged queries, found 1"):
        held_out_queries("aa", 0.5, "")
