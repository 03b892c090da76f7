import math
import warnings

import pytest
from error_messages import raising

from toysearch import Ranking, Run, compare, evaluate
from toysearch.base.errors import ArgumentError
from toysearch.base.run_and_qrels import Qrels
from toysearch.evaluation.joined_run import join
from toysearch.evaluation.ties import tie_groups

ALL_TIED = {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}


class TestGroups:
    def test_by_the_precision_of_the_rule(self) -> None:
        run = Run.from_rankings([Ranking("1", ["a", "b"], [1 + 1e-12, 1.0])])
        judged = join(run, Qrels.from_dict({"1": {"b": 1}}))
        assert [tie_groups(run, judged, rule).tied.tolist() for rule in ("rank", "trec_eval")] == [[False], [True]]

    def test_infinite_scores_and_those_beyond_32_bits_tie(self) -> None:
        run = Run.from_rankings([Ranking("1", ["a", "b", "c"], [1e300, 1e200, -math.inf])])
        judged = join(run, Qrels.from_dict({"1": {"b": 1, "c": 1}}))
        assert tie_groups(run, judged, "trec_eval").first.tolist() == [[1, 3]]


class TestEvaluate:
    def test_the_bounds_are_beside_the_values_of_the_order_that_there_is(self) -> None:
        result = evaluate(ALL_TIED, qrels={"1": {"b": 1}, "2": {"a": 1}}, measures="RR NumRet", ties="bounds")
        assert result.means == {"RR": 0.25, "NumRet": 3}
        assert result.tie_bounds == {"RR": (1 / 6, 0.5), "NumRet": (3, 3)}
        assert result.extremes.lowest == {"1": {"RR": 1 / 3, "NumRet": 3}, "2": {"RR": 0, "NumRet": 0}}
        assert result.extremes.highest["1"] == {"RR": 1, "NumRet": 3}
        assert result.ties == "bounds"
        assert result.tie_remark == "tied documents affect the values of 1 of 2 queries: 1"

    def test_a_relevant_document_that_a_cutoff_lets_in_can_lower_context_precision(self) -> None:
        run = {"1": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}}
        result = evaluate(run, qrels={"1": {"a": 1, "d": 1}}, measures="ContextPrecision@3", ties="bounds")
        assert result.tie_bounds["ContextPrecision@3"] == pytest.approx(((1 + 2 / 3) / 2, 1))

    def test_undefined_stays_so(self) -> None:
        result = evaluate(
            ALL_TIED, qrels={"1": {"a": 0}, "2": {"b": 1}}, measures="RR", ties="average", undefined="nan"
        )
        assert math.isnan(result.per_query["1"]["RR"])
        assert math.isnan(result.extremes.lowest["1"]["RR"])
        assert result.tie_bounds == {"RR": (0, 0)}

    def test_g_is_not_lowest_with_the_grades_rising(self) -> None:
        """By rising grades it is (1/2 + 2/2 + 3) / 6; less where the highest gain stands where most was missed."""
        result = evaluate(ALL_TIED, qrels={"1": {"a": 1, "b": 2, "c": 3}}, measures="G", ties="bounds")
        assert result.tie_bounds["G"] == pytest.approx(((1 / 2 + 3 / math.log2(3) + 2) / 6, 1))


class TestTooManyOrders:
    run = Run.from_rankings([Ranking("7", [f"d{number}" for number in range(20)], [1.0] * 20)])
    qrels = Qrels.from_dict({"7": {f"d{number}": number % 3 - 1 for number in range(15)}})
    message = (
        "infAP has no formula over the orders of tied documents, and those of query '7' have 1.17e+10 orders, "
        "more than the 5040 that are tried; choose ties='rank' or 'trec_eval', or another measure"
    )

    @pytest.mark.parametrize("ties", ["average", "bounds"])
    def test_are_refused_where_they_are_asked_for(self, ties: str) -> None:
        with raising(ArgumentError, self.message):
            evaluate(self.run, qrels=self.qrels, measures="infAP", ties=ties)

    def test_are_told_where_they_are_not(self) -> None:
        result = evaluate(self.run, qrels=self.qrels, measures="AP infAP")
        assert list(result.tie_bounds) == ["AP"]
        assert result.extremes.refused == {"infAP": self.message}
        assert result.tie_remark == (
            "tied documents affect the values of 1 of 1 query: 7; "
            "too many orders of tied documents to know the bounds of infAP"
        )


@pytest.mark.parametrize("scores", [{"a": math.inf, "b": 1}, {"a": 1, "b": -math.inf}, {"a": math.inf, "b": -math.inf}])
@pytest.mark.parametrize("grade", [1, 0.5])
@pytest.mark.parametrize("ties", [None, "rank", "average", "bounds"])
def test_an_infinite_score_is_the_first_or_the_last_without_a_warning_of_numpy(scores, grade, ties):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = evaluate({"1": scores}, {"1": {"b": grade, "a": 0}}, "RR AP", threshold=0.5, ties=ties)
        assert (found["RR"], found["AP"]) == (0.5, 0.5)
        found = compare({"one": {"1": scores}, "other": {"1": {"b": 1}}}, {"1": {"b": grade}}, "RR", threshold=0.5)
        assert found.means["RR"] == {"one": 0.5, "other": 1.0}
