"""The worst, the best and the hardest queries."""

from __future__ import annotations

import toysearch
from toysearch import Qrels, Run, evaluate, hardest, poorest

QRELS = Qrels.from_dict({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})


def run(name, ranks):
    """A run that ranks the one relevant document of each query at a rank, or not at all (0)."""
    scores = {query: {f"n{i}": 9.0 - i for i in range(1, rank or 3)} for query, rank in ranks.items()}
    for query, rank in ranks.items():
        scores[query] |= {"a": 9.0 - rank} if rank else {}
    return Run.from_dict(scores, name)


def test_the_best_queries_are_those_with_the_highest_values_in_the_order_of_the_judgments():
    mine = run("mine", {"1": 2, "2": 1, "3": 1})
    result = evaluate(mine, QRELS, "RR")
    assert [query[:2] for query in poorest(mine, QRELS, result, 2, best=True)] == [("2", 1), ("3", 1)]
    assert [query[:2] for query in poorest(mine, QRELS, result, 2)] == [("1", 0.5), ("2", 1)]


def test_the_hardest_queries_are_those_whose_best_value_is_lowest():
    evaluations = [
        evaluate(run("first", {"1": 1, "2": 4, "3": 0}), QRELS, "RR"),
        evaluate(run("second", {"1": 2, "2": 3, "3": 5}), QRELS, "RR"),
    ]
    assert hardest(evaluations) == [("3", 1 / 5, "second"), ("2", 1 / 3, "second"), ("1", 1.0, "first")]
    assert hardest(evaluations, 1) == [("3", 1 / 5, "second")]


def test_of_equal_values_the_first_run_is_named():
    evaluations = [evaluate(run(name, {"1": 2, "2": 2, "3": 2}), QRELS, "RR") for name in ("first", "second")]
    assert {query.run for query in hardest(evaluations)} == {"first"}


def test_where_lower_is_better_the_hardest_are_those_with_the_highest_values():
    evaluations = [evaluate(run("first", {"1": 1, "2": 4, "3": 2}), QRELS, "ESL")]
    assert [query.query_id for query in hardest(evaluations)] == ["2", "3", "1"]
    mine = run("first", {"1": 1, "2": 4, "3": 2})
    assert [query.query_id for query in poorest(mine, QRELS, evaluations[0], 1, best=True)] == ["1"]
    assert toysearch.parse_measures("ESL")[0].definition.better == "lower"
