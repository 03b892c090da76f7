from __future__ import annotations

import math
import random

import numpy as np
import pytest
from raising import raising
from sklearn.metrics import dcg_score

from toysearch import evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.evaluate import curve

RUN = {"1": ["a", "x", "y", "b"], "2": ["x", "c"], "3": ["z"]}
QRELS = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "4": {"d": 1}}


def test_precision_against_recall_at_eleven_points() -> None:
    found = curve(RUN, QRELS)
    assert found.measure == "IPrec"
    assert found.at.tolist() == pytest.approx([level / 10 for level in range(11)])
    assert found.per_query["1"].tolist() == [1] * 6 + [0.5] * 5
    assert found.per_query["2"].tolist() == [0.5] * 11
    assert found.per_query["4"].tolist() == [0] * 11
    assert found.mean.tolist() == pytest.approx([0.5] * 6 + [1 / 3] * 5)
    assert found.points[0] == (0, 0.5)
    assert list(found.per_query) == ["1", "2", "4"]


def test_its_mean_at_eleven_points_is_iap() -> None:
    assert math.fsum(curve(RUN, QRELS).mean) / 11 == pytest.approx(evaluate(RUN, QRELS, "IAP")["IAP"], abs=1e-12)


def test_a_hundred_and_one_points_hold_the_eleven_and_never_rise() -> None:
    chance = random.Random(1)
    docs = [f"d{number}" for number in range(60)]
    qrels = {"1": dict.fromkeys(chance.sample(docs, 17), 1)}
    fine, coarse = curve({"1": docs}, qrels, points=101), curve({"1": docs}, qrels)
    assert len(fine.at) == 101
    assert fine.mean[::10].tolist() == coarse.mean.tolist()
    assert (np.diff(fine.mean) <= 0).all()


def test_recall_against_rank() -> None:
    found = curve(RUN, QRELS, "R", depth=5)
    assert found.at.tolist() == [1, 2, 3, 4, 5]
    assert found.per_query["1"].tolist() == [0.5, 0.5, 0.5, 1, 1]
    assert found.mean.tolist() == pytest.approx([0.5 / 3, 0.5, 0.5, 2 / 3, 2 / 3])


def test_dcg_by_rank() -> None:
    found = curve(RUN, QRELS, "DCG(dcg='exp-log2')", depth=4, only_retrieved=True)
    assert found.measure == "DCG(dcg='exp-log2')"
    expected = [dcg_score([[3, 0, 0, 1]], [[4, 3, 2, 1]], k=k) for k in (1, 2, 3, 4)]
    assert found.per_query["1"].tolist() == pytest.approx(expected, abs=1e-12)


def test_undefined_values_are_left_out_of_the_mean() -> None:
    found = curve({"1": ["a"], "2": ["a"]}, {"1": {"a": 1}, "2": {"a": 0}}, "R", depth=1, undefined="nan")
    assert math.isnan(found.per_query["2"][0])
    assert found.mean.tolist() == [1]


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("Rprec", {}, "Rprec takes no cutoff; write Rprec without @1"),
        ("IPrec", {"points": 1}, "points=1: expected at least 2 points, such as 11 or 101"),
        ("IPrec", {"depth": 5}, "a curve of IPrec takes no depth"),
        ("R", {"depth": 0}, "depth=0: expected a last rank of at least 1, such as depth=100"),
        ("R", {"points": 11}, "a curve of R takes no points"),
    ],
)
def test_what_is_refused(measure: str, options: dict[str, int], message: str) -> None:
    with raising(ArgumentError, message):
        curve(RUN, QRELS, measure, **options)
