"""Binary measures worked out by hand; tests/oracles hold the rest against trec_eval's code."""

from __future__ import annotations

import math

import numpy as np
import pytest

from toysearch import evaluate


def value(ranking: str, relevant: str, measure: str, nonrelevant: str = "") -> float:
    qrels = {"1": dict.fromkeys(relevant, 1) | dict.fromkeys(nonrelevant, 0)}
    return evaluate({"1": list(ranking)}, qrels, measure)[measure]


@pytest.mark.parametrize(
    ("ranking", "relevant", "measure", "expected"),
    [
        # relevant at 2, 3, 5 …: only the first two count, (1/2 + 2/3) / 2
        ("xabyc", "abcdefgh", "AP(first=2)", (1 / 2 + 2 / 3) / 2),
        ("xabyc", "abcdefgh", "AP(first=1)", 1 / 2),
        ("xabyc", "abc", "AP(first=9)", (1 / 2 + 2 / 3 + 3 / 5) / 3),
        ("xabyc", "abc", "AP(first=2)@2", (1 / 2) / 2),
        ("abcxy", "abc", "MeanP@5", (1 + 1 + 1 + 3 / 4 + 3 / 5) / 5),
        ("abcxy", "abcdefg", "MeanP@5", 0.87),
        ("xa", "a", "MeanP@1", 0),
        ("a", "a", "MeanP@4", (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),
        ("abcxydefzg", "abcdefgh", "R_cap@5", 3 / 5),
        ("abcxy", "ab", "R_cap@5", 1),
        ("abcxy", "abcdefgh", "R_cap@2", 1),
        ("axyb", "ab", "IPrec@0.0", 1),
        ("axyb", "ab", "IPrec@0.5", 1),
        ("axyb", "ab", "IPrec@0.6", 0.5),
        ("axyb", "abc", "IPrec@1.0", 0),
        ("xab", "ab", "IPrec@0.0", 2 / 3),
        ("axyb", "ab", "IAP", (6 * 1 + 5 * 0.5) / 11),
        ("axyb", "ab", "IAP(points=3)", (1 + 1 + 0.5) / 3),
    ],
)
def test_by_hand(ranking: str, relevant: str, measure: str, expected: float) -> None:
    assert value(ranking, relevant, measure) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 7, 1000, 1001, 5000])
def test_the_mean_of_precisions_is_that_of_p(k: int) -> None:
    """Also where it takes the harmonic numbers from Euler's expansion."""
    chance = np.random.default_rng(k)
    docs = [f"d{number}" for number in range(3000)]
    qrels = {"1": dict.fromkeys(chance.choice(docs, 40, replace=False).tolist(), 1)}
    relevant = np.array([doc_id in qrels["1"] for doc_id in docs] + [False] * 2000)[:k]
    expected = math.fsum((relevant.cumsum() / np.arange(1, k + 1)).tolist()) / k
    measure = f"MeanP@{k}"
    assert evaluate({"1": docs}, qrels, measure)[measure] == pytest.approx(expected, abs=1e-13)


class TestCondensedLists:
    @pytest.mark.parametrize(
        "measure",
        ["AP", "AP@2", "P@2", "R@2", "RR", "Rprec", "Success@1", "nDCG", "nDCG@2", "IPrec@0.5", "SetP", "MeanP@3"],
    )
    def test_it_is_the_measure_of_the_ranking_without_them(self, measure: str) -> None:
        flagged = measure.partition("@")[0] + "(judged_only=True)" + measure[len(measure.partition("@")[0]) :]
        assert value("uxavyb", "abc", flagged, "xy") == value("xayb", "abc", measure, "xy")

    def test_it_changes_what_it_should(self) -> None:
        for measure in ("AP", "P@2", "RR", "nDCG", "IPrec@0.5", "SetP", "MeanP@3"):
            flagged = (
                "(judged_only=True)@".join(measure.split("@")) if "@" in measure else f"{measure}(judged_only=True)"
            )
            assert value("uxavyb", "abc", flagged, "xy") > value("uxavyb", "abc", measure, "xy")


def test_trec_evals_rounding_of_a_level_of_recall() -> None:
    """x · R + 0.9 without its fraction: what is less than a tenth above a whole number is rounded down."""
    relevant = "abcdefghijk"
    assert value("axb", relevant, "IPrec@0.1") == pytest.approx(2 / 3)  # 1.1 + 0.9 = 2 relevant documents
    assert value("axb", relevant, "IPrec@0.09") == 1  # 0.99 + 0.9: one
    assert value("axb", relevant, "IPrec@0.095") == 1  # 1.045 + 0.9: one, though recall is 1/11 = 0.0909
