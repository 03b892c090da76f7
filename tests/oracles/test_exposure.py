"""Exposure of groups against a plain loop, and where it has to be fair."""

import random

import pytest
from raising import raising

from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.clicks.group_exposure import exposure


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("user", ["RBP", "INSQ", "INST"])
def test_loop(user: str, seed: int) -> None:
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(20)]
    groups = {doc_id: chance.choice("xyz") for doc_id in docs[:18]}
    run = {query_id: chance.sample(docs, chance.randint(1, 15)) for query_id in "1234"}
    qrels = {query_id: {doc_id: chance.randint(0, 2) for doc_id in chance.sample(docs, 8)} for query_id in "12345"}
    qrels["1"][docs[0]], p, t, k = 2, chance.random(), chance.uniform(0.5, 3), 10
    attention, relevant, n = dict.fromkeys([*"xyz", ""], 0.0), dict.fromkeys([*"xyz", ""], 0.0), 0
    for query_id in "1234":
        gains = {doc_id: grade / 2 for doc_id, grade in qrels[query_id].items()}
        if not any(gains.values()):
            continue
        n += 1
        reached, so_far, weights = 1.0, 0.0, []
        for i, doc_id in enumerate(run[query_id][:k], 1):
            weights.append((doc_id, reached))
            so_far += gains.get(doc_id, 0)
            wanted = 2 * t - (so_far if user == "INST" else 0)
            reached *= p if user == "RBP" else ((i + wanted - 1) / (i + wanted)) ** 2
        for doc_id, weight in weights:
            attention[groups.get(doc_id, "")] += weight / sum(weight for _, weight in weights)
        for doc_id, gain in gains.items():
            relevant[groups.get(doc_id, "")] += gain / sum(gains.values())
    result = exposure(run, qrels, groups, user=user, p=p, T=t, k=k)
    assert result.n_queries == n
    for row in result.groups:
        assert row.attention == pytest.approx(attention[row.group] / n)
        assert row.merit == pytest.approx(relevant[row.group] / n)
    assert sum(row.attention for row in result.groups) == pytest.approx(1)
    assert result.unfairness == pytest.approx(sum(abs(attention[g] - relevant[g]) for g in attention) / n / 2)


def test_one_group_has_it_all_and_is_fair() -> None:
    result = exposure({"1": ["a", "b"]}, {"1": {"b": 1}}, {"a": "x", "b": "x"})
    assert [row[:4] for row in result.groups] == [("x", 1, 1, pytest.approx(1))]
    assert result.unfairness == pytest.approx(0)


def test_what_cannot_be_compared() -> None:
    run, qrels = {"1": ["a"]}, {"1": {"a": 1}}
    with raising(ArgumentError, "there are 101 groups, such as 'g0'; at most 100 are compared"):
        exposure(run, qrels, {str(number): f"g{number}" for number in range(101)})
    with raising(DataError, "nothing is relevant to a query of the run, so there is no share to compare with"):
        exposure({"2": ["a"]}, qrels, {"a": "x"})
    with raising(ArgumentError, "unknown user 'BPM'. Users: RBP, INSQ, INST"):
        exposure(run, qrels, {"a": "x"}, user="BPM")
