"""Two runs interleaved, simulated users, and the table that becomes a log."""

from __future__ import annotations

import numpy as np
import pytest
from raising import raising

from toysearch import Run
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.interleaving import interleave_runs, simulated_clicks


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
