"""Team draft: fair, without a document twice, the same for the same seed; runs interleaved, and simulated users."""

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

from toysearch import Run
from toysearch.base.errors import ArgumentError
from toysearch.workbench.clicks.interleaving import interleave, interleave_runs, simulated_clicks

LISTS = st.lists(st.sampled_from("abcdefghij"), max_size=8, unique=True)


def drafted(rankings, teams):
    """The list that two captains pick, if their turns are these."""
    picked: list[str] = []
    for team in teams:
        picked.append(next(doc_id for doc_id in rankings[team] if doc_id not in picked))
    return tuple(picked)


@pytest.mark.system
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


@pytest.mark.system
def test_over_many_voters_each_system_leads_half_the_time():
    rankings = {"bm25": list("abcd"), "lsa": list("efgh")}
    leads = [interleave(rankings, "1", k=2, voter=str(number)).teams[0] for number in range(2000)]
    assert abs(leads.count("bm25") - 1000) < 4 * (2000 * 0.25) ** 0.5  # four standard deviations; the seed is fixed
    assert {*leads} == {"bm25", "lsa"}


@pytest.mark.system
def test_what_cannot_be_compared():
    with pytest.raises(ArgumentError, match="a list is interleaved from two systems, not 1"):
        interleave({"x": ["a"]}, "1")
    with pytest.raises(ArgumentError, match="k must be at least 1, not 0"):
        interleave({"x": ["a"], "y": ["a"]}, "1", k=0)


def runs(one: str, other: str) -> list[Run]:
    return [
        Run.from_dict({"1": {doc: float(-place) for place, doc in enumerate(docs)}}, name)
        for docs, name in ((one, "bm25"), (other, "lsa"))
    ]


def test_each_session_has_its_own_coins_and_the_same_for_the_same_seed():
    result = interleave_runs(*runs("abcdef", "fedcba"), k=3, sessions=20)
    assert result.lists == interleave_runs(*runs("abcdef", "fedcba")[::-1], k=3, sessions=20).lists
    assert len({shown.doc_ids for _, shown in result.lists}) > 1
    assert [session for session, _ in result.lists] == [str(number) for number in range(1, 21)]


def test_simulated_users_behave_as_described():
    users, grades = np.random.default_rng(0), {"a": 2.0, "b": 1.0, "c": -1.0}
    clicks = np.array([simulated_clicks("abcd", grades, users) for _ in range(20_000)])
    looks, expected = 1.0, []
    for share in (1.0, 0.5, 0.0, 0.0):
        attraction = 0.1 + 0.7 * share
        expected.append(looks * attraction)
        looks *= 0.8 * (1 - attraction * 0.5 * share)
    assert clicks.mean(0) == pytest.approx(expected, abs=4 * 0.5 / 20_000**0.5)


def test_what_cannot_be_mixed():
    one, other = runs("ab", "bc")
    with raising(ArgumentError, "both runs are called 'bm25'; a document must be credited to one of them"):
        interleave_runs(one, one)
    with raising(ArgumentError, "bm25 and lsa have no query in common"):
        interleave_runs(one, Run.from_dict({"2": {"a": 1.0}}, "lsa"))
    with raising(ArgumentError, "sessions must be at least 1, not 0"):
        interleave_runs(one, other, sessions=0)


def test_the_clicks_of_simulated_users_are_in_the_table():
    result = interleave_runs(*runs("ab", "bc"), qrels={"1": {"b": 1.0}}, k=2, sessions=400)
    rate = {doc: [row[7] for row in result.tables()[0].rows if row[3] == doc] for doc in "abc"}
    assert sum(rate["b"]) / len(rate["b"]) > 0.6
    assert 0 < sum(rate["a"]) / len(rate["a"]) < 0.25
    assert sum(map(sum, interleave_runs(*runs("ab", "bc"), k=2).clicks)) == 0
