"""Graded measures on published examples and by hand, measures of users, and what they refuse."""

import math

import pytest
from error_messages import raising

from toysearch import evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.measures.measure import Measure

TO_THE_DIGITS_PRINTED = 5e-7


def value(grades: str, measure: str, pool: str | None = None) -> float:
    """The measure of a ranking such as "3 2 - 0" (- is unjudged); the pool holds the grades of all judged documents."""
    marks = grades.split()
    own = {f"d{rank}": float(grade) for rank, grade in enumerate(marks, 1) if grade != "-"}
    rest = [] if pool is None else pool.split()
    for grade in [] if pool is None else own.values():
        rest.remove(f"{grade:g}")
    missed = {f"m{number}": float(grade) for number, grade in enumerate(rest)}
    return evaluate({"q": [f"d{rank}" for rank in range(1, len(marks) + 1)]}, {"q": own | missed}, measure)[measure]


@pytest.mark.filterwarnings("ignore:no grade is 0 or less")
@pytest.mark.parametrize(
    ("grades", "pool", "measure", "expected"),
    [
        ("2 0 1", None, "DCG(dcg='exp-log2')", 3.5),
        ("1 2 0", None, "DCG(dcg='exp-log2')", 2.892789),
        ("2 2 2", None, "DCG(dcg='exp-log2')", 6.392789),
        ("2 0 1", None, "nDCG(dcg='exp-log2')", 0.963940),
        ("2 0 1", None, "nDCG(dcg='exp-log2',ideal='max')", 0.547492),
        ("1 0 1", None, "nDCG(dcg='exp-log2',ideal='max',max_rel=2)", 1.5 / 6.392789),
        ("3 2 3 0 1 2", "3 3 3 2 2 2 1 0", "nDCG(ideal='ranking')@6", 0.960808),
        ("3 2 3 0 1 2", "3 3 3 2 2 2 1 0", "DCG(discount='jk')", 8.097171),
        ("3 3 3 2 2 2", None, "DCG(discount='jk')", 10.527848),
        ("3 2 3 0 1 2", "3 3 3 2 2 2 1 0", "nDCG(discount='jk')@6", 8.097171 / 10.527848),
        ("3 2 3 0 1 2", None, "DCG(dcg='exp-log2')", 13.848264),
        ("3 2 3 0 1 2", None, "CG", 11),
        ("1 0 3", "3 2 1 0", "NCG@2", 1 / 5),
        ("1 0 3", "3 2 1 0", "NCG", 4 / 6),
        ("1 0 3", "3 2 1 0", "NCG(gains={1:0,2:5})@2", 0 / 8),
    ],
)
def test_published_examples(grades: str, pool: str | None, measure: str, expected: float) -> None:
    assert value(grades, measure, pool) == pytest.approx(expected, abs=TO_THE_DIGITS_PRINTED)


@pytest.mark.filterwarnings("ignore:no grade is 0 or less")
class TestDiscountedGain:
    def test_the_ideal_of_the_ranking_is_of_all_of_it_and_then_cut(self) -> None:
        assert value("1 0 3", "nDCG(ideal='ranking')@1", "3 3 1 0") == pytest.approx(1 / 3)
        assert value("0 -", "nDCG(ideal='ranking')", "3 0") == 0

    def test_the_top_of_the_scale_stands_at_each_rank_to_the_cutoff(self) -> None:
        assert value("2 - 1", "nDCG(ideal='max')@1") == 1
        assert value("2", "nDCG(ideal='max')@2") == pytest.approx(1 / (1 + 1 / math.log2(3)))
        assert value("2", "nDCG(ideal='max')") == 1  # as far as the ranking goes

    def test_the_top_of_the_scale_is_that_of_all_queries(self) -> None:
        run, qrels = {"1": ["a"], "2": ["b"], "3": []}, {"1": {"a": 1}, "2": {"b": 4}, "3": {"c": 2}}
        found = evaluate(run, qrels, "nDCG(ideal='max') ERR RBP(p=0)").per_query
        assert [row["nDCG(ideal='max')"] for row in found.values()] == [1 / 4, 1, 0]
        assert [row["ERR"] for row in found.values()] == [1 / 16, 15 / 16, 0]
        assert [row["RBP(p=0)"] for row in found.values()] == [1 / 4, 1, 0]

    def test_other_gains_for_some_grades(self) -> None:
        assert value("3 2 1", "CG(gains={3:10,1:0})") == 12
        assert value("3 2 1", "DCG(gains={1:-2,2:0})") == 3
        assert value("1 2", "nDCG(gains={1:2,2:1})") == 1  # the ideal falls by gain, not by grade
        assert value("1 2", "nDCG(gains={1:2,2:1},ideal='max')") == pytest.approx(
            (2 + 1 / math.log2(3)) / (2 + 2 / math.log2(3))
        )


@pytest.mark.filterwarnings("ignore:no grade is 0 or less")
@pytest.mark.parametrize("measure", ["ERR(max_rel=2)", "nDCG(ideal='max',max_rel=2)@3", "RBP(max_rel=2)"])
def test_a_grade_above_the_top_of_the_scale_is_refused(measure: str) -> None:
    with pytest.raises(ArgumentError) as error:
        value("3 1", measure)
    name = Measure.parse(measure).name
    assert str(error.value) == (
        f"{name}(max_rel=2): a judgment has the grade 3; max_rel is the top of the scale, 3 or more"
    )


@pytest.mark.filterwarnings("ignore:no grade is 0 or less")
def test_a_gain_that_no_float_holds_is_refused() -> None:
    with raising(ArgumentError, "a grade of 2000 is too high for a gain of 2^grade - 1; dcg='log2' takes it"):
        value("2000 1", "nDCG(dcg='exp-log2')")
    assert value("2000 1", "nDCG") == 1
    assert value("2000 1", "ERR") == pytest.approx(1)


RUN = {"q": ["x", "a", "y", "b"]}
QRELS = {"q": {"a": 2, "b": 1, "c": 1, "y": -1}}


class TestRankBiasedPrecision:
    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            ("RBP(rel=1)", 0.2 * (0.8 + 0.8**3)),
            ("RBP(rel=2)", 0.2 * 0.8),
            ("RBP", 0.2 * (0.8 + 0.5 * 0.8**3)),
            ("RBP(max_rel=4)", 0.2 * (0.5 * 0.8 + 0.25 * 0.8**3)),
            ("RBP(p=0.5,rel=1)@3", 0.5 * 0.5),
            ("RBP(p=0,rel=1)", 0),
            ("RBP(p=1,rel=1)", 0),
        ],
    )
    def test_by_hand(self, measure: str, expected: float) -> None:
        assert evaluate(RUN, QRELS, measure)[measure] == pytest.approx(expected, abs=1e-15)


class TestResidual:
    def test_by_hand(self) -> None:
        # Judged at ranks 2, 3 (a negative grade) and 4. Beyond a cutoff, all is unknown.
        assert evaluate(RUN, QRELS, "RBPres")["RBPres"] == pytest.approx(1 - 0.2 * (0.8 + 0.8**2 + 0.8**3), abs=1e-15)
        assert evaluate(RUN, QRELS, "RBPres(p=0.5)@3")["RBPres(p=0.5)@3"] == pytest.approx(0.625, abs=1e-15)


class TestSearchLength:
    def test_more_than_there_are_is_undefined_and_never_0(self) -> None:
        for undefined in ("zero", "nan"):
            assert math.isnan(evaluate(RUN, QRELS, "ESL(n=4)", undefined=undefined)["ESL(n=4)"])
        both = evaluate({"p": ["x", "b"], **RUN}, {"p": {"b": 1}, **QRELS}, "ESL(n=2)")
        assert both["ESL(n=2)"] == 2  # the one query that has two

    def test_a_query_that_the_run_lacks_is_never_found(self) -> None:
        assert evaluate(RUN, {**QRELS, "p": {"a": 1}}, "ESL").per_query["p"]["ESL"] == math.inf

    def test_wants_a_whole_number(self) -> None:
        for n in ("1.5", "0"):
            with raising(ArgumentError, f"ESL(n={n}): n must be a whole number of at least 1"):
                evaluate(RUN, QRELS, f"ESL(n={n})")
