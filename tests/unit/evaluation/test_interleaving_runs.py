"""Runs interleaved by each method, against loops over the published algorithms, and the table that becomes a log."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raising import raising
from scipy.optimize import linprog

from toysearch import Run
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.interleaving import METHODS, interleave, interleave_runs, list_chances, simulated_clicks

LISTS = st.lists(st.sampled_from("abcdefghij"), max_size=8, unique=True)


def runs(one: str, other: str) -> list[Run]:
    return [
        Run.from_dict({"1": {doc: float(-place) for place, doc in enumerate(docs)}}, name)
        for docs, name in ((one, "bm25"), (other, "lsa"))
    ]


@given(LISTS, LISTS, st.integers(1, 8), st.integers(0, 20))
def test_a_balanced_list_begins_with_the_first_of_both(one, other, k, seed):
    found = interleave({"x": one, "y": other}, "1", k=k, seed=seed, method="balanced")
    assert set(found.teams) <= {"x|y"}
    assert len(found.doc_ids) == len(set(found.doc_ids)) <= k
    for end in range(len(found.doc_ids) + 1):
        start = set(found.doc_ids[:end])
        assert any(
            start == {*one[:a], *other[:b]}
            for a in range(len(one) + 1)
            for b in (a - 1, a, a + 1)
            if 0 <= b <= len(other)
        )


@given(LISTS, st.integers(1, 8), st.integers(0, 20), st.sampled_from(["team-draft", "balanced", "optimised"]))
def test_a_list_of_a_ranking_with_itself_is_the_ranking(one, k, seed, method):
    assert interleave({"x": one, "y": one}, "1", k=k, seed=seed, method=method).doc_ids == tuple(one[:k])


def test_a_probabilistic_list_draws_by_the_third_power_of_the_rank():
    lists = {"x": list("abc"), "y": list("cba")}
    weights = {"a": 1.0, "b": 1 / 8, "c": 1 / 27}
    total = sum(weights.values())
    chance = {"x": {doc: weight / total for doc, weight in weights.items()}}
    chance["y"] = {"a": chance["x"]["c"], "b": chance["x"]["b"], "c": chance["x"]["a"]}
    found = [interleave(lists, "1", k=1, voter=str(number), method="probabilistic") for number in range(4000)]
    counts = Counter((shown.teams[0], shown.doc_ids[0]) for shown in found)
    for team in "xy":
        for doc in "abc":
            p = chance[team][doc] / 2
            assert abs(counts[team, doc] - 4000 * p) < 4 * (4000 * p * (1 - p)) ** 0.5
    whole = {interleave(lists, "1", voter=str(number), method="probabilistic").doc_ids for number in range(300)}
    assert len(whole) == 6  # any order is possible


@pytest.mark.parametrize("method", METHODS)
def test_each_session_has_its_own_coins_and_the_same_for_the_same_seed(method):
    result = interleave_runs(*runs("abcdef", "fedcba"), method=method, k=3, sessions=20)
    assert result.lists == interleave_runs(*runs("abcdef", "fedcba")[::-1], method=method, k=3, sessions=20).lists
    assert len({shown.doc_ids for _, shown in result.lists}) > 1
    assert [session for session, _ in result.lists] == [str(number) for number in range(1, 21)]


@given(LISTS, LISTS, st.integers(1, 6))
def test_the_chances_of_optimised_lists_solve_the_program(one, other, k):
    k = min(k, len(one), len(other))
    allowed, chances = list_chances(tuple(one), tuple(other), k)
    by_definition = {
        shown
        for shown in permutations(dict.fromkeys([*one, *other]), k)
        if all(
            any(set(shown[:end]) == {*one[:a], *other[:b]} for a in range(end + 1) for b in range(end + 1))
            for end in range(1, k + 1)
        )
    } if len({*one, *other}) < 8 else set(allowed)  # fmt: skip
    assert set(allowed) == by_definition
    share = {
        doc: sum(sign / (docs.index(doc) + 1) for sign, docs in ((1, one), (-1, other)) if doc in docs)
        for doc in one + other
    }
    shares = np.array([[share[doc] for doc in shown] for shown in allowed]).reshape(len(allowed), k)
    looks = 1 / np.arange(1, k + 1)
    telling = []
    for row in shares:
        first, second = looks[row > 0].sum(), looks[row < 0].sum()
        parts = [part / (first + second) for part in (first, second) if part] or [1.0]
        telling.append((first + second) / max(looks.sum(), 1) * -sum(part * np.log2(part) for part in parts))
    fair = np.vstack([shares.cumsum(1).T, np.ones(len(allowed))])
    solved = linprog(-np.array(telling), A_eq=fair, b_eq=[0] * k + [1], method="highs")
    assert fair @ chances == pytest.approx([0] * k + [1], abs=1e-7)
    assert min(chances) >= 0
    assert np.dot(telling, chances) == pytest.approx(-solved.fun, abs=1e-6)


def test_an_optimised_list_is_drawn_by_its_chance():
    lists = {"x": list("abcd"), "y": list("bcad")}
    allowed, chances = list_chances(tuple("abcd"), tuple("bcad"), 4)
    drawn = [interleave(lists, "1", k=4, voter=str(number), method="optimised") for number in range(4000)]
    counts = Counter(shown.doc_ids for shown in drawn)
    for shown, p in zip(allowed, chances, strict=True):
        assert abs(counts[shown] - 4000 * p) <= 4 * (4000 * p * (1 - p)) ** 0.5
    assert {shown.teams for shown in drawn} == {("x~y",) * 4}


def test_an_optimised_list_has_ten_documents_at_most():
    lists = {"x": list("abcdefghijk"), "y": list("kjihgfedcba")}
    assert len(interleave(lists, "1", k=10, method="optimised").doc_ids) == 10
    with raising(ArgumentError, "an optimised list has at most 10 documents, not 11; give a smaller k"):
        interleave(lists, "1", k=11, method="optimised")


def test_simulated_users_behave_as_described():
    users, grades = np.random.default_rng(0), {"a": 2.0, "b": 1.0, "c": -1.0}
    clicks = np.array([simulated_clicks("abcd", grades, users) for _ in range(20_000)])
    looks, expected = 1.0, []
    for share in (1.0, 0.5, 0.0, 0.0):
        attraction = 0.1 + 0.7 * share
        expected.append(looks * attraction)
        looks *= 0.8 * (1 - attraction * 0.5 * share)
    assert clicks.mean(0) == pytest.approx(expected, abs=4 * 0.5 / 20_000**0.5)


def test_the_clicks_of_simulated_users_are_in_the_table():
    result = interleave_runs(*runs("ab", "bc"), qrels={"1": {"b": 1.0}}, k=2, sessions=400)
    rate = {doc: [row[7] for row in result.tables()[0].rows if row[3] == doc] for doc in "abc"}
    assert sum(rate["b"]) / len(rate["b"]) > 0.6
    assert 0 < sum(rate["a"]) / len(rate["a"]) < 0.25
    assert sum(map(sum, interleave_runs(*runs("ab", "bc"), k=2).clicks)) == 0


def test_the_table_has_both_ranks_and_room_for_clicks():
    [table] = interleave_runs(*runs("ab", "bc"), k=2).tables()
    assert [column.name for column in table.columns] == [
        "session", "query_id", "rank", "doc_id", "system", "first_rank", "second_rank", "clicked",
    ]  # fmt: skip
    assert [row[:4] + row[5:] for row in table.rows] in (
        [("1", "1", 1, "b", 2, 1, 0), ("1", "1", 2, "a", 1, None, 0)],
        [("1", "1", 1, "a", 1, None, 0), ("1", "1", 2, "b", 2, 1, 0)],
    )


def test_what_cannot_be_mixed():
    one, other = runs("ab", "bc")
    with raising(ArgumentError, "both runs are called 'bm25'; a document must be credited to one of them"):
        interleave_runs(one, one)
    with raising(ArgumentError, "bm25 and lsa have no query in common"):
        interleave_runs(one, Run.from_dict({"2": {"a": 1.0}}, "lsa"))
    with raising(ArgumentError, "sessions must be at least 1, not 0"):
        interleave_runs(one, other, sessions=0)
    with raising(
        ArgumentError,
        "unknown method 'draft'; did you mean 'team-draft'? Methods: team-draft, balanced, probabilistic, optimised",
    ):
        interleave_runs(one, other, method="draft")
