"""Rankings printed in introductions to the field, with the values of the usual definitions."""

from __future__ import annotations

import pytest

from toysearch import evaluate
from toysearch.evaluation.result import Evaluation

TO_THE_DIGITS_PRINTED = 5e-7


def binary(pattern: str, relevant: int, measures: str) -> Evaluation:
    """The evaluation of one ranking such as "R R I I R", of whose relevant documents some may be missing."""
    marks = pattern.split()
    grades = {str(rank): int(mark == "R") for rank, mark in enumerate(marks, 1)}
    missing = {f"missing {number}": 1 for number in range(relevant - marks.count("R"))}
    return evaluate({"q": list(grades)}, {"q": {**grades, **missing}}, measures)


def graded(grades: str, pool: str, measures: str) -> Evaluation:
    """The evaluation of one ranking such as "3 2 0", with the grades of all judged documents."""
    ranking = {str(rank): float(grade) for rank, grade in enumerate(grades.split(), 1)}
    rest = pool.split()
    for grade in grades.split():
        rest.remove(grade)
    missing = {f"missing {number}": float(grade) for number, grade in enumerate(rest)}
    return evaluate({"q": list(ranking)}, {"q": {**ranking, **missing}}, measures)


def ranks(*relevant: int, of: int) -> str:
    return " ".join("R" if rank in relevant else "I" for rank in range(1, of + 1))


@pytest.mark.parametrize(
    ("pattern", "relevant", "expected"),
    [
        ("R R I I R", 4, {"P@5": 3 / 5, "R@5": 3 / 4}),
        ("I I R I I", 4, {"P@5": 1 / 5, "R@5": 1 / 4}),
        ("R R I I", 4, {"P@4": 0.5, "R@4": 0.5, "RR": 1, "AP": 0.5}),
        ("I I R R", 4, {"P@4": 0.5, "R@4": 0.5}),
        ("I R R", 2, {"RR": 0.5, "RR@1": 0}),
        ("R I I R", 4, {"RR": 1, "AP": 0.375}),
        ("R", 1, {"P@1": 1}),
        (
            ranks(2, 3, 5, 8, 14, 15, 16, 17, of=20),
            100,
            {
                "P@20": 8 / 20,
                "R@20": 8 / 100,
                "P@1": 0,
                "P@2": 1 / 2,
                "P@3": 2 / 3,
                "P@4": 2 / 4,
                "F@20": 0.133333,
                "AP": 0.039319,
                "NumRet": 20,
                "NumRel": 100,
                "NumRelRet": 8,
            },
        ),
        (ranks(*range(1, 9), of=20), 100, {"P@20": 8 / 20, "R@20": 8 / 100, "AP": 0.08}),
        (ranks(2, 3, of=5), 2, {"AP": 0.583333}),
        (ranks(2, 4, 6, 8, 10, of=10), 5, {"AP": 0.5}),
        (ranks(2, 4, 6, 8, 10, of=10), 10, {"AP": 0.25}),
        (ranks(3, 6, 9, of=9), 3, {"AP": 1 / 3}),
        ("R R R I I", 7, {"P@5": 3 / 5, "R@5": 3 / 7, "F@5": 0.5, "AP": 0.428571}),
        ("R R R I I", 3, {"AP": 1, "Rprec": 1}),
        ("R R R I I R R R I R", 7, {"R@5": 0.428571}),
        (ranks(*range(1, 501), of=500), 500, {"R@100": 0.2}),
        ("R I", 4, {"F(beta=2)@2": 0.277778}),  # P 0.5, R 0.25, β² = 4
        ("R R I I I", 25, {"F(beta=2)@5": 0.095238}),  # P 0.4, R 0.08
    ],
)
def test_relevant_or_not(pattern: str, relevant: int, expected: dict[str, float]) -> None:
    result = binary(pattern, relevant, " ".join(expected))
    assert result.means == pytest.approx(expected, abs=TO_THE_DIGITS_PRINTED)


@pytest.mark.parametrize(
    ("grades", "pool", "measure", "expected"),
    [
        ("3 2 3 0 1 2", "3 3 3 2 2 2 1 0", "nDCG@6", 0.785002),
        ("3 2 3 0 1 2", "3 2 3 0 1 2", "nDCG@6", 0.960808),  # the ideal of the ranking's own grades
        ("1 1 1", "5 3 1 1 1", "nDCG@3", 0.288244),
    ],
)
def test_graded(grades: str, pool: str, measure: str, expected: float) -> None:
    assert graded(grades, pool, measure)[measure] == pytest.approx(expected, abs=TO_THE_DIGITS_PRINTED)


def test_reciprocal_rank_of_two_queries() -> None:
    run = {"1": ["x", "y", "a"], "2": ["a"]}
    assert evaluate(run, {"1": {"a": 1}, "2": {"a": 1}}, "RR@5")["RR@5"] == pytest.approx(2 / 3, abs=1e-15)


RUN = {query_id: ["1", "2", "3", "4"] for query_id in ("1", "2", "3")}
QRELS = {
    "1": {"1": 1.0, "2": 0.5, "3": 0.3, "4": 0.1},
    "2": {"1": 0.7, "2": 1.0, "3": 0.2, "4": 0.1},
    "3": {"1": 0.4, "2": 0.2, "3": 1.0, "4": 0.1},
}


class TestCatDogParrot:
    @pytest.mark.parametrize(
        ("measure", "per_query", "mean"),
        [
            ("nDCG@2", [1.0, 0.923198, 0.420152], None),
            ("AP@2", [1, 1, 0], 0.666667),
            ("P@2", [1, 1, 0], 0.666667),
            ("R@2", [1, 1, 0], None),
            ("RR@2", [1, 1, 0], 0.666667),
            ("RR", [1, 1, 1 / 3], 0.777778),
            ("AP", [1, 1, 0.333333], 0.777778),
            ("nDCG", [1.0, 0.930132, 0.766249], None),
        ],
    )
    def test_standard_values(self, measure: str, per_query: list[float], mean: float | None) -> None:
        result = evaluate(RUN, QRELS, measure, threshold=0.5)
        values = [result.per_query[query_id][measure] for query_id in RUN]
        assert values == pytest.approx(per_query, abs=TO_THE_DIGITS_PRINTED)
        assert result[measure] == pytest.approx(sum(per_query) / 3 if mean is None else mean, abs=1e-6)

    def test_with_a_threshold_above_all_grades_recall_is_undefined(self) -> None:
        result = evaluate(RUN, QRELS, "R@2", threshold=1.1, undefined="nan")
        assert result["R@2"] != result["R@2"]
        assert len(result.without_relevant) == 3
