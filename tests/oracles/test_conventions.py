"""What the tools of the field do where a measure's name leaves it open: the table of understand/conventions.md.

A test of a tool alone pins what the page says of it; one that also calls ours pins that we do the same, or not.
"""

import io
import math
import shutil
import sys
import warnings
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from peer_measures import ir_measure
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score, dcg_score, ndcg_score, precision_score

from toysearch import Ranking, Run, evaluate
from toysearch.base.errors import ArgumentError, DataError

ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

pytestmark = pytest.mark.system

Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, float]]

DOC_IDS = [f"d{number}" for number in range(8)]
SCORES = st.dictionaries(st.sampled_from(DOC_IDS), st.sampled_from([0.0, 1.0, 1 + 1e-12, 2.0]), min_size=2)
GRADES = st.dictionaries(st.sampled_from(DOC_IDS), st.integers(0, 3), min_size=1)


def trec_eval(run: Scores, qrels: Grades, measure: str) -> dict[str, float]:
    values = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return {query_id: row[measure.replace(".", "_")] for query_id, row in values.items()}


def of_ir_measures(run: Scores, qrels: Grades, measure: str) -> dict[str, float]:
    return {one.query_id: one.value for one in ir_measure(measure).iter_calc(qrels, run)}


def ours_of(run: Scores, qrels: Grades, measure: str, **options: object) -> dict[str, float]:
    result = evaluate(run, qrels=qrels, measures=measure, threshold=1, **options)
    return {query_id: next(iter(row.values())) for query_id, row in result.per_query.items()}


TIED, RELEVANT = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": 0}}
NEARLY: Scores = {"q": {"a": 1 + 1e-12, "b": 1.0}}
MISSING, OF_BOTH = {"1": {"a": 1.0}, "stray": {"a": 1.0}}, {"1": {"a": 1}, "2": {"a": 1}}
NOTHING = {"1": {"a": 0, "b": 0}}
UNJUDGED, JUDGED = {"1": {"u": 3.0, "n": 2.0, "a": 1.0}}, {"1": {"a": 1, "n": 0}}
TWO, THREE = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1, "d": 1}}
AGREED = {  # run, judgments; the measure of trec_eval, of ir_measures, and ours; the values
    "the later doc_id comes first": (TIED, RELEVANT, "recip_rank", "", "RR", {"q": 0.5}),
    "scores are 32-bit floats": (NEARLY, RELEVANT, "recip_rank", "", "RR", {"q": 0.5}),
    "a missing query counts as 0": (MISSING, OF_BOTH, "", "AP", "AP", {"1": 1.0, "2": 0.0}),
    "nothing relevant": (TWO, NOTHING, "map", "AP", "AP", {"1": 0.0}),
    "the unjudged are not relevant": (UNJUDGED, JUDGED, "map", "AP", "AP", {"1": 1 / 3}),
    "bpref does not count the unjudged": ({"1": {"u": 3.0, "a": 1.0}}, JUDGED, "bpref", "Bpref", "Bpref", {"1": 1.0}),
    "but the others": ({"1": {"n": 2.0, "a": 1.0}}, JUDGED, "bpref", "Bpref", "Bpref", {"1": 0.0}),
    "judged_only takes them out": (UNJUDGED, JUDGED, "", "AP(judged_only=True)", "AP(judged_only=True)", {"1": 0.5}),
    "a share was judged": (UNJUDGED, JUDGED, "", "Judged@3", "Judged@3", {"1": 2 / 3}),
    "precision is over k where fewer came back": (TWO, THREE, "P.5", "P@5", "P@5", {"1": 1 / 5}),
    "AP is over all relevant": (TWO, THREE, "map_cut.1", "AP@1", "AP@1", {"1": 1 / 3}),
    "the ideal ranking is cut too": (TWO, THREE, "ndcg_cut.1", "nDCG@1", "nDCG@1", {"1": 1.0}),
}
assert len(AGREED) == 12


@pytest.mark.parametrize("what", AGREED)
def test_the_tools_agree(what: str) -> None:
    run, qrels, of_trec_eval, named, ours, values = AGREED[what]
    expected = pytest.approx(values, abs=1e-12)
    assert ours_of(run, qrels, ours) == expected
    assert not of_trec_eval or trec_eval(run, qrels, of_trec_eval) == expected
    assert not named or of_ir_measures(run, qrels, named) == expected


class TestTies:
    def test_by_rank_scores_are_not_32_bit_floats(self) -> None:
        assert ours_of(NEARLY, RELEVANT, "RR", ties="rank") == {"q": 1.0}

    def test_ir_measures_has_another_order_with_a_cutoff_than_without(self) -> None:
        assert of_ir_measures(TIED, RELEVANT, "RR") == {"q": 0.5}  # through pytrec_eval
        assert of_ir_measures(TIED, RELEVANT, "RR@10") == {"q": 1.0}  # through msmarco: by rising doc_id

    def test_scikit_learns_ndcg_is_the_mean_over_the_orders(self) -> None:
        theirs = ndcg_score([[1, 0]], [[1.0, 1.0]])
        assert theirs == pytest.approx((1 + 1 / math.log2(3)) / 2, abs=1e-12)
        assert ours_of(TIED, RELEVANT, "nDCG", ties="average")["q"] == pytest.approx(theirs, abs=1e-12)

    def test_scikit_learns_average_precision_takes_the_tied_at_once(self) -> None:
        theirs = average_precision_score([1, 0], [1.0, 1.0])
        assert theirs == 0.5
        assert ours_of(TIED, RELEVANT, "AP", ties="sklearn") == {"q": 0.5}
        assert ours_of(TIED, RELEVANT, "AP", ties="average") == {"q": 0.75}

    def test_scikit_learn_tells_scores_apart_in_full_precision(self) -> None:
        assert average_precision_score([1, 0], [1 + 1e-12, 1.0]) == 1.0
        assert ours_of(NEARLY, RELEVANT, "AP", ties="sklearn") == {"q": 1.0}

    @given(SCORES, GRADES)
    def test_ndcg_and_dcg_over_all_orders_are_scikit_learns(
        self, scores: dict[str, float], grades: dict[str, int]
    ) -> None:
        assume(any(grades.get(doc_id) for doc_id in scores))
        retrieved = {doc_id: float(grades.get(doc_id, 0)) for doc_id in scores}
        arrays = [list(retrieved.values())], [list(scores.values())]
        ours = evaluate(
            {"q": scores}, qrels={"q": retrieved}, measures="nDCG nDCG@3 DCG@3", ties="sklearn", threshold=1
        )
        assert ours["nDCG"] == pytest.approx(ndcg_score(*arrays), abs=1e-9)
        assert ours["nDCG@3"] == pytest.approx(ndcg_score(*arrays, k=3), abs=1e-9)
        assert ours["DCG@3"] == pytest.approx(dcg_score(*arrays, k=3), abs=1e-9)


class TestMissingQueries:
    def test_trec_eval_leaves_them_out(self) -> None:
        expected = {"1": 1.0}
        assert trec_eval(MISSING, OF_BOTH, "map") == expected
        assert ours_of(MISSING, OF_BOTH, "AP", only_retrieved=True) == expected

    def test_scikit_learn_knows_rows_alone(self) -> None:
        assert ndcg_score([[1, 0], [1, 0]], [[2, 1], [1, 2]]) == pytest.approx((1 + 1 / math.log2(3)) / 2)


class TestNothingRelevant:
    def test_it_is_0_in_scikit_learn_too(self) -> None:
        assert ndcg_score([[0, 0]], [[2, 1]]) == 0
        with pytest.warns(UserWarning, match="No positive class found"):
            assert average_precision_score([0, 0], [2, 1]) == 0

    def test_the_textbook_has_no_value(self) -> None:
        assert math.isnan(ours_of(TWO, NOTHING, "AP", convention="textbook")["1"])


def test_scikit_learn_needs_a_label_for_each() -> None:
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        average_precision_score([1, 0], [3.0, 2.0, 1.0])


class TestGains:
    @pytest.mark.parametrize("tool", [lambda run, qrels: trec_eval(run, qrels, "ndcg"), of_ir_measures])
    def test_linear_over_log2_of_rank_plus_1(self, tool: object) -> None:
        qrels: Grades = {"1": {"a": 1, "b": 3, "c": 0}}
        expected = {"1": pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)), abs=1e-12)}
        theirs = tool(TWO, qrels, "nDCG") if tool is of_ir_measures else tool(TWO, qrels)  # type: ignore[operator]
        assert theirs == expected
        assert ours_of(TWO, qrels, "nDCG") == expected
        assert {"1": ndcg_score([[1, 3]], [[2.0, 1.0]])} == expected

    def test_the_textbook_gains_2_to_the_grade_less_1(self) -> None:
        ours = evaluate(TWO, qrels={"1": {"a": 1, "b": 3}}, measures="nDCG", convention="textbook")
        assert list(ours.means) == ["nDCG(dcg='exp-log2')"]
        assert ours["nDCG"] == pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)), abs=1e-12)

    @pytest.mark.skipif(shutil.which("perl") is None, reason="ir_measures computes it with a script in Perl")
    def test_ir_measures_has_both_gains(self) -> None:
        qrels: Grades = {"1": {"a": 1, "b": 3, "c": 0}}
        name = "nDCG(dcg='exp-log2')@10"
        assert of_ir_measures(TWO, qrels, name)["1"] == pytest.approx(
            ours_of(TWO, qrels, name)["1"],
            abs=1e-5,  # it prints five digits
        )

    def test_a_negative_grade_gains_nothing_and_scikit_learn_refuses_it(self) -> None:
        qrels: Grades = {"1": {"a": -1, "b": 1}}
        assert trec_eval(TWO, qrels, "ndcg")["1"] == pytest.approx(ours_of(TWO, qrels, "nDCG")["1"], abs=1e-12)
        with pytest.raises(ValueError, match="negative y_true"):
            ndcg_score([[-1, 1]], [[2.0, 1.0]])

    def test_fractions_are_ours_and_scikit_learns(self) -> None:
        qrels: Grades = {"1": {"a": 0.5, "b": 1}}
        if sys.version_info < (3, 15):  # pytrec_eval 0.5 crashes there when it raises an error
            with pytest.raises(TypeError, match="Expected relevance to be integer"):
                trec_eval(TWO, qrels, "ndcg")
            with pytest.raises(TypeError, match="Expected relevance to be integer"):
                of_ir_measures(TWO, qrels, "nDCG")
        assert ours_of(TWO, qrels, "nDCG")["1"] == pytest.approx(ndcg_score([[0.5, 1]], [[2.0, 1.0]]), abs=1e-12)


class TestCutoffs:
    def test_scikit_learns_precision_is_over_what_came_back(self) -> None:
        assert precision_score([1, 0, 1, 1], [1, 1, 0, 0]) == 0.5 == ours_of(TWO, THREE, "SetP@5")["1"]

    def test_scikit_learns_ideal_ranking_is_cut_too(self) -> None:
        assert ndcg_score([[1, 0, 1, 1]], [[2.0, 1.0, 0.0, 0.0]], k=1) == 1.0


class TestDuplicatesAndScores:
    lines = "1 Q0 a 1 2.0 x\n1 Q0 a 2 1.0 x\n"

    def test_pytrec_eval_and_we_refuse_a_document_twice(self, tmp_path: object) -> None:
        with pytest.raises(AssertionError):
            pytrec_eval.parse_run(io.StringIO(self.lines))
        path = tmp_path / "run"  # type: ignore[operator]
        path.write_text(self.lines)
        with pytest.raises(DataError) as error:
            evaluate(path, qrels={"1": {"a": 1}})
        told = "query '1' has document 'a' twice, first on line 1; keep one of the two lines"
        assert str(error.value) == f"{path}:2: {told}; on_error='skip' leaves it out"

    def test_ir_measures_takes_the_last_line_without_a_word(self) -> None:
        rows = [ir_measures.ScoredDoc("1", "a", 2.0), ir_measures.ScoredDoc("1", "b", 1.5)]
        qrels = [ir_measures.Qrel("1", "a", 1)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            first, second = (
                next(iter(ir_measures.AP.iter_calc(qrels, run))).value
                for run in (rows, [*rows, ir_measures.ScoredDoc("1", "a", 1.0)])
            )
        assert (first, second) == (1.0, 0.5)

    def test_a_score_that_is_no_number(self, tmp_path: object) -> None:
        assert math.isnan(pytrec_eval.parse_run(["1 Q0 a 1 nan x"])["1"]["a"])
        not_a_number: Scores = {"1": {"a": 1.0, "b": math.nan}}
        theirs = trec_eval(not_a_number, {"1": {"a": 1}}, "map")
        assert theirs == of_ir_measures(not_a_number, {"1": {"a": 1}}, "AP")
        with pytest.raises(ValueError, match="contains NaN"):
            average_precision_score([1, 0], [math.nan, 1.0])
        path = tmp_path / "run"  # type: ignore[operator]
        path.write_text("1 Q0 b 1 2 x\n1 Q0 a 2 nan x\n")
        with pytest.raises(DataError) as error:
            evaluate(path, qrels={"1": {"a": 1}})
        told = "expected a number as score, found 'nan'; on_error='skip' leaves it out"
        assert str(error.value) == f"{path}:2: {told}"

    def test_the_rank_column_is_looked_at_by_nobody(self, tmp_path: object) -> None:
        lines = "1 Q0 a 1 1.0 x\n1 Q0 b 2 2.0 x\n"
        read = pytrec_eval.parse_run(io.StringIO(lines))
        path = tmp_path / "run"  # type: ignore[operator]
        path.write_text(lines)
        assert trec_eval(read, {"1": {"a": 1}}, "recip_rank") == {"1": 0.5}
        rows = list(ir_measures.read_trec_run(str(path)))
        assert [one.value for one in ir_measures.RR.iter_calc([ir_measures.Qrel("1", "a", 1)], rows)] == [0.5]
        assert evaluate(path, qrels={"1": {"a": 1}}, measures="RR")["RR"] == 0.5


class TestTheSklearnConvention:
    """It is what calling scikit-learn with the retrieved documents of each query gives."""

    @given(
        st.dictionaries(st.sampled_from("1234"), SCORES, min_size=1), st.dictionaries(st.sampled_from("1234"), GRADES)
    )
    def test_values_and_means(self, run: Scores, qrels: Grades) -> None:
        common = [query_id for query_id in qrels if query_id in run]
        assume(common)
        ours = evaluate(run, qrels=qrels, measures="AP AP(rel=2) nDCG nDCG@3", convention="sklearn", threshold=1)
        assert list(ours.per_query) == common
        theirs: dict[str, list[float]] = {name: [] for name in ours.means}
        for query_id in common:
            grades = np.array([qrels[query_id].get(doc_id, 0) for doc_id in run[query_id]])
            scores = list(run[query_id].values())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                warnings.simplefilter("ignore", UserWarning)
                theirs["AP"].append(average_precision_score(grades >= 1, scores))
                theirs["AP(rel=2)"].append(average_precision_score(grades >= 2, scores))
            theirs["nDCG"].append(ndcg_score([grades], [scores]))
            theirs["nDCG@3"].append(ndcg_score([grades], [scores], k=3))
        for name, values in theirs.items():
            assert [row[name] for row in ours.per_query.values()] == pytest.approx(values, abs=1e-9)
            assert ours[name] == pytest.approx(np.mean(values), abs=1e-9)


class TestOptionsGoFirst:
    run = Run.from_rankings([Ranking("1", ["a", "b"], [1.0, 1.0])])
    qrels: ClassVar[Grades] = {"1": {"b": 1}, "2": {"a": 0}}

    def test_each_overrides_its_convention(self) -> None:
        assert evaluate(self.run, qrels=self.qrels, measures="RR", convention="textbook")["RR"] == 0.5
        assert (
            evaluate(self.run, qrels=self.qrels, measures="RR", convention="textbook", undefined="zero")["RR"] == 0.25
        )
        assert evaluate(self.run, qrels=self.qrels, measures="RR", convention="textbook", ties="average")["RR"] == 0.75
        assert (
            evaluate(self.run, qrels=self.qrels, measures="RR", convention="sklearn", only_retrieved=False)["RR"]
            == 0.375
        )

    def test_parameters_that_no_name_gives(self) -> None:
        graded: Grades = {"1": {"a": 1, "b": 3, "c": 0}}
        plain = evaluate(self.run, qrels=graded, measures="nDCG AP")
        given = evaluate(self.run, qrels=graded, measures="nDCG AP", convention="textbook", parameters={"dcg": "log2"})
        assert given.means == plain.means
        highest = evaluate(
            self.run, qrels=graded, measures="nDCG(max_rel=4)@2 P@2", parameters={"ideal": "max", "max_rel": 5}
        )
        assert list(highest.means) == ["nDCG(ideal='max',max_rel=4)@2", "P@2"]

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"dcgg": "log2"}, "none of AP, nDCG@2 has a parameter dcgg; leave it out"),
            ({"dcg": "log"}, "nDCG(dcg='log'): dcg must be 'log2' or 'exp-log2'"),
        ],
    )
    def test_parameters_that_are_none(self, parameters: dict[str, str], message: str) -> None:
        with pytest.raises(ArgumentError) as error:
            evaluate(self.run, qrels=self.qrels, measures="AP nDCG@2", parameters=parameters)
        assert str(error.value) == message

    def test_an_unknown_convention(self) -> None:
        with pytest.raises(ArgumentError) as error:
            evaluate(self.run, qrels=self.qrels, convention="treceval")
        assert str(error.value) == (
            "unknown convention 'treceval'; did you mean 'trec_eval'? Conventions: trec_eval, textbook, sklearn"
        )
