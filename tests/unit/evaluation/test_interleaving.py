"""Team draft: fair, without a document twice, the same for the same seed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError
from toysearch.evaluation.interleaving import interleave

pytestmark = pytest.mark.system

LISTS = st.lists(st.sampled_from("abcdefghij"), max_size=8, unique=True)


def drafted(rankings, teams):
    """The list that two captains pick, if their turns are these."""
    picked: list[str] = []
    for team in teams:
        picked.append(next(doc_id for doc_id in rankings[team] if doc_id not in picked))
    return tuple(picked)


@given(LISTS, LISTS, st.integers(1, 8), st.integers(0, 50), st.sampled_from(["", "ada", "ben"]))
def test_each_team_picks_its_best_document_and_no_team_is_ahead_by_two(one, other, k, seed, voter):
    rankings = {"bm25": one, "lsa": other}
    found = interleave(rankings, "7", k=k, seed=seed, voter=voter)
    assert found.doc_ids == drafted(rankings, found.teams)
    assert len(set(found.doc_ids)) == len(found.doc_ids) <= k
    for end in range(len(found.teams) + 1):
        assert abs(found.teams[:end].count("bm25") - found.teams[:end].count("lsa")) <= 1
    for start in range(0, len(found.teams) - 1, 2):  # in each round, each team picks once
        assert set(found.teams[start : start + 2]) == {"bm25", "lsa"}
    if len(found.doc_ids) < k:
        assert set(one) <= set(found.doc_ids) or set(other) <= set(found.doc_ids)
    assert found == interleave(dict(reversed(rankings.items())), "7", k=k, seed=seed, voter=voter)


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True), st.integers(1, 7), st.integers(0, 9))
def test_a_ranking_with_itself_is_that_ranking(ranking, k, seed):
    drafted_list = interleave({"one": ranking, "two": ranking}, "7", k=k, seed=seed).doc_ids
    assert drafted_list == tuple(ranking[:k])


def test_over_many_voters_each_system_leads_half_the_time():
    rankings = {"bm25": list("abcd"), "lsa": list("efgh")}
    leads = [interleave(rankings, "1", k=2, voter=str(number)).teams[0] for number in range(2000)]
    assert abs(leads.count("bm25") - 1000) < 4 * (2000 * 0.25) ** 0.5  # four standard deviations; the seed is fixed
    assert {*leads} == {"bm25", "lsa"}


def test_what_cannot_be_compared():
    with pytest.raises(ArgumentError, match="a list is interleaved from two systems, not 1"):
        interleave({"x": ["a"]}, "1")
    with pytest.raises(ArgumentError, match="k must be at least 1, not 0"):
        interleave({"x": ["a"], "y": ["a"]}, "1", k=0)
