"""Judged@k and condensed lists, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch import evaluate
from toysearch.base import Qrels, Run
from toysearch.base.run_and_qrels import Ranking
from toysearch.evaluation.joined_run import condensed, join

RUN = {"q": ["u", "a", "n", "z", "v", "b"]}
QRELS = {"q": {"a": 1, "b": 2, "z": 0, "n": -1, "c": 1}}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [("Judged@1", 0), ("Judged@2", 1 / 2), ("Judged@4", 2 / 4), ("Judged@100", 3 / 6), ("Judged", 3 / 6)],
)
def test_judged_is_a_share_of_what_was_retrieved(measure: str, expected: float) -> None:
    assert evaluate(RUN, QRELS, measure)[measure] == pytest.approx(expected, abs=1e-15)


def test_nothing_retrieved_is_judged_0() -> None:
    assert evaluate({"q": ["a"], "p": []}, {"p": {"a": 1}}, "Judged@5 Judged").means == {"Judged@5": 0, "Judged": 0}


def test_a_condensed_list_holds_the_judged_documents_only() -> None:
    run = Run.from_rankings([Ranking("q", RUN["q"], range(6, 0, -1)), Ranking("p", ["x", "c"], [2, 1])])
    judged = join(run, Qrels.from_dict({**QRELS, "p": {"c": 3}, "empty": {"a": 1}}))
    short = condensed(judged)
    np.testing.assert_array_equal(short.ranks, [[1, 2, 3], [1, np.inf, np.inf], [np.inf] * 3])
    np.testing.assert_array_equal(short.grades, [[1, 0, 2], [3, np.nan, np.nan], [np.nan] * 3])
    assert short.retrieved.tolist() == [3, 1, 0]
    assert short.ideal is judged.ideal
    assert (short.query_ids, short.threshold, short.top) == (judged.query_ids, 1.0, 3.0)


def test_where_nothing_retrieved_is_judged_the_condensed_list_is_empty() -> None:
    short = condensed(join(Run.from_rankings([Ranking("q", ["u"], [1])]), Qrels.from_dict({"q": {"a": 1}})))
    assert short.ranks.shape == short.grades.shape == (1, 0)
    assert short.retrieved.tolist() == [0]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("AP(judged_only=True)", (1 / 1 + 2 / 3) / 3),
        ("P(judged_only=True)@2", 1 / 2),
        ("RR(judged_only=True)", 1),
        ("RBP(rel=1,judged_only=True)", 0.2 * (1 + 0.8**2)),
        ("ESL(judged_only=True,n=2)", 1),
    ],
)
def test_measures_of_condensed_lists(measure: str, expected: float) -> None:
    assert list(evaluate(RUN, QRELS, measure).means.values()) == [pytest.approx(expected, abs=1e-15)]
