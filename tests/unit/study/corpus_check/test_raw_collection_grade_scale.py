"""Which way a scale runs, told from rankings alone."""

import numpy as np
import pytest

from toysearch.base import Qrels, Run
from toysearch.base.ranking import Ranking
from toysearch.evaluation.judgment_doubts import chance
from toysearch.study.corpus_check.raw_collection import code_agreement, judged_by_place, ranks_by_code, scale_of


def ranked(rankings: dict[str, list[str]]) -> Run:
    return Run.from_rankings(
        Ranking(query_id, doc_ids, np.arange(len(doc_ids), 0, -1.0)) for query_id, doc_ids in rankings.items()
    )


def test_ranks_of_codes_by_hand():
    run = ranked({"1": ["a", "b", "c"], "2": ["c", "a"]})
    codes = Qrels.from_dict({"1": {"a": 1, "c": 1, "x": 2}, "2": {"a": 2, "c": 1}})
    first, second = ranks_by_code(run, codes)
    assert first == (1, 3, 2, 1.0, pytest.approx((1 + 1 / 3 + 1) / 3), 1)
    assert second == (2, 2, 2, 0.5, pytest.approx((0 + 1 / 2) / 2), np.inf)


def test_agreement_by_hand():
    run = Run.from_dict({"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"a": 1.0}, "3": {"a": 1.0}})
    codes = Qrels.from_dict({"1": {"a": 3, "b": 2, "c": 1, "x": 1, "y": 2}, "2": {"a": 2, "x": 1}, "3": {"a": 1}})
    # Query 1 has eight pairs with different codes: a stands above b, c, x, y and b above x, as their codes say; c above
    # y, against them; b and c tie, and neither x nor y is there.
    assert code_agreement(run, codes, [1, 2, 3]).tolist() == [(4 + 1 - 1) / 8, 1.0]
    assert code_agreement(run, codes, [1, 3]).tolist() == [1.0]


def test_chance_is_that_of_the_signed_rank_test():
    """Of n values of one sign, all different in size, the chance is 1 in 2 to the n."""
    for n in (5, 8):
        values = -np.arange(1.0, n + 1)
        assert chance(values) == pytest.approx(0.5**n)
        assert chance(np.append(values, [0.0, 0.0])) == pytest.approx(0.5**n)
        assert chance(-values) == 1.0
    assert chance(-np.arange(1.0, 5)) == 1.0


def test_a_scale_whose_best_grade_is_mostly_first_is_not_called_backwards():
    """In nine queries of eleven the lower code stands just above; where it does not, it stands far below."""
    near, far = ["x", "low", "high"], ["high", *(f"x{number}" for number in range(50)), "low"]
    run = ranked({str(number): near if number < 9 else far for number in range(11)})
    codes = Qrels.from_dict({query_id: {"low": 1, "high": 2} for query_id in run.query_ids})
    assert chance(code_agreement(run, codes, [1, 2])) < 0.05
    assert scale_of(run, codes, codes).chance == 1.0


def test_codes_of_queries_that_were_not_ranked_have_gains_too():
    run = ranked({"1": ["a"]})
    codes = Qrels.from_dict({"1": {"a": 2}, "2": {"b": 3}, "3": {"c": -2, "d": -2}})
    scale = scale_of(run, Qrels.from_dict({"1": {"a": 2}}), codes)
    assert scale.gains() == {2: 2, 3: 3, -2: 0}
    assert scale.gains(shift=1) == {2: 1, 3: 2, -2: 0}


def test_judgments_join_by_place():
    run = ranked({"1": ["a"], "3": ["a"]})
    qrels = Qrels.from_dict({"c": {"a": 1}, "b": {"a": 2}, "z": {"a": 3}})
    assert {row.query_id: row.relevance for row in judged_by_place(qrels, ["a", "b", "c"], run)} == {"3": 1}
