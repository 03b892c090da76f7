"""A measure's explanation comes from the code that computes it, and adds up."""

import math
import re

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import longer, often

import toysearch
from toysearch import evaluate, explain_measure, typed_ranking
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.measures.measure import BUILT_IN, MEASURES
from toysearch.evaluation.typed_ranking import all_measures
from toysearch.study.explain.measure_explanation import measure_text

NEEDING_N = ["Fallout(N=50)", "SetAccuracy(N=50)", "Generality(N=50)", "TN(N=50)"]
VARIANTS = [
    "AP(judged_only=True)",
    "nDCG(judged_only=True)@3",
    "nDCG@2",
    "AP@2",
    "AP(first=2)",
    "nDCG(ideal='ranking')",
]
VARIANTS += ["nDCG(ideal='max')@3", "nDCG(dcg='exp-log2')@3", "DCG(discount='jk')", "RBP(p=0.5)", "SetF(beta=2)", "P@9"]
OF_TREC_EVAL = [name for name in sorted(BUILT_IN) if name not in {*MEASURES, "RprecMult"}]
EVERY = [*map(str, all_measures(4)), *NEEDING_N, *VARIANTS, *OF_TREC_EVAL, "RprecMult(times=0.5)"]


def explained(measure, ranking="3 0 U 2 1 2", judged="3 3 2 2 1 1 0 0 -1", **options):
    typed = typed_ranking(ranking, judged=judged)
    evaluation = evaluate(typed.run, typed.qrels, measure, **options)
    return explain_measure(typed.run, typed.qrels, evaluation, measure, "typed")


def column(rows, name):
    return [row.quantities[name] for row in rows if name in row.quantities]


def test_every_measure_of_the_table_is_tried():
    assert {name.partition("(")[0].partition("@")[0] for name in EVERY} == BUILT_IN


@pytest.mark.system
@longer
@given(st.lists(st.sampled_from("0123U"), min_size=1, max_size=12), st.lists(st.sampled_from("0123"), max_size=6))
@settings(max_examples=often(60, 5))
def test_every_measure_of_any_ranking_is_explained_with_its_own_value(ranking, missed):
    judged = " ".join([grade for grade in ranking if grade != "U"] + missed)
    if not judged:
        return
    typed = typed_ranking(" ".join(ranking), judged=judged)
    result = evaluate(typed.run, typed.qrels, EVERY, undefined="nan")
    for measure in result.measures:
        why = explain_measure(typed.run, typed.qrels, result, measure, "typed")
        assert why.value == pytest.approx(why.counted, abs=1e-12, nan_ok=True), measure
        total, terms = column(why.ranking, "running_sum"), column(why.ranking, "term")
        assert total == pytest.approx(np.cumsum(terms).tolist()), measure
        line = why.arithmetic
        if "Σ" not in line and _is_sum(line):
            assert _evaluated(line) == pytest.approx(why.value, abs=2e-5), line


def _is_sum(line):
    """Whether a line is plain arithmetic: numbers, brackets and signs between the first and the last =."""
    return (
        line.count(" = ") == 2 and re.fullmatch(r"(?:log2\(|min\(|[0-9.+−·/(), -])+", line.split(" = ")[1]) is not None
    )


def _evaluated(line):
    return eval(line.split(" = ")[1].replace("−", "-").replace("·", "*"), {"log2": math.log2})


def test_average_precision_is_shown_term_by_term():
    typed = typed_ranking("R R I I R", relevant=4)
    why = explain_measure(typed.run, typed.qrels, evaluate(typed.run, typed.qrels, "AP"), "AP", "typed")
    assert column(why.ranking, "precision") == pytest.approx([1, 1, 2 / 3, 2 / 4, 3 / 5])
    assert column(why.ranking, "term") == pytest.approx([1, 1, 0, 0, 3 / 5])
    assert column(why.ranking, "running_sum") == pytest.approx([1, 2, 2, 2, 2.6])
    assert why.arithmetic == "AP = (1/1 + 2/2 + 3/5) / 4 = 0.65"


def test_inferred_ap_shows_whether_a_document_counts_before_what_is_expected_of_it():
    [first, *_] = explained("infAP", "1 0 1", "1 0 1").ranking
    assert [*first.quantities] == [
        *("hits", "relevant_above", "not_relevant_above", "pooled_above", "precision_above", "expected_precision"),
        *("term", "running_sum"),
    ]


def test_ndcg_is_shown_with_gains_discounts_and_the_ideal_ranking():
    why = explained("nDCG@6", "3 2 3 0 1 2", "3 3 3 2 2 2 1 0")
    assert column(why.ranking, "gain") == [3, 2, 3, 0, 1, 2]
    assert column(why.ranking, "discount") == pytest.approx(np.log2(np.arange(2, 8)))
    assert [round(term, 3) for term in column(why.ranking, "term")] == [3, 1.262, 1.5, 0, 0.387, 0.712]
    assert column(why.ranking, "running_sum")[-1] == pytest.approx(6.861127, abs=5e-7)
    assert [row.grade for row in why.ideal] == [3, 3, 3, 2, 2, 2]
    assert why.ideal[-1].quantities["running_sum"] == pytest.approx(8.740262, abs=5e-7)


def test_an_ideal_ranking_is_ordered_by_gain_where_grades_are_worth_something_else():
    why = explained("nDCG(gains={1:0,2:5})", "3 1 2", "3 2 1")
    assert [(row.grade, row.quantities["ideal_gain"]) for row in why.ideal] == [(2, 5), (3, 3), (1, 0)]


def test_a_condensed_list_is_a_ranking_of_its_own():
    why = explained("AP(judged_only=True)", "U R I U R", "1 1 0")
    assert (why.value, [row.grade for row in why.ranking]) == (pytest.approx((1 + 2 / 3) / 2), [1, 0, 1])


def test_other_measures_end_in_their_own_arithmetic():
    ends = {
        "P@5": "P@5 = 3 / 5 = 0.6",
        "R@5": "R@5 = 3 / 4 = 0.75",
        "F@5": "F@5 = (1 + 1) · 3 / (4 + 5) = 0.666667",
        "F(beta=2)@5": "F(beta=2)@5 = (1 + 4) · 3 / (4 · 4 + 5) = 0.714286",
        "RR": "RR = 1/1 = 1",
        "Rprec": "Rprec = 2 / 4 = 0.5",
        "Success@5": "Success@5 = (first relevant at rank 1) = 1",
        "RBP": "RBP = 0.2 + 0.16 + 0.08192 = 0.44192",
        "ESL(n=3)": "ESL(n=3) = 5 − 3 = 2",
        "FN": "FN = 4 − 3 = 1",
        "SetE": "SetE = 1 − 3 / (0.5 · 5 + 0.5 · 4) = 0.333333",
        "SetAP": "SetAP = (3 / 5) · (3 / 4) = 0.45",
        "IAP": "IAP = (1 + 1 + 1 + 1 + 1 + 1 + 0.6 + 0.6 + 0 + 0 + 0) / 11 = 0.654545",
        "RBPres": "RBPres = 1 − (0.2 + 0.16 + 0.128 + 0.1024 + 0.08192) = 0.32768",
        "R_cap@5": "R_cap@5 = 3 / min(5, 4) = 0.75",
        "IPrec@0.75": "IPrec@0.75 = 3/5 = 0.6",
        "IPrec@1": "IPrec@1.0 = (recall is never that high) = 0",
        "Q": "Q = (2/2 + 4/4 + 6/9) / 4 = 0.666667",
        "Utility": "Utility = 1 · 3 + -1 · 2 + 0 · 1 = 1",
        "ERR": "ERR = 0.5 + 0.125 + 0.025 = 0.65",
    }
    typed = typed_ranking("R R I I R", relevant=4)
    result = evaluate(typed.run, typed.qrels, list(ends))
    for measure, line in ends.items():
        assert explain_measure(typed.run, typed.qrels, result, measure, "typed").arithmetic == line


def test_an_undefined_value_is_said_with_what_it_counts_as():
    why = explained("AP", "I I", "0 0")
    assert math.isnan(why.value)
    assert why.arithmetic == "AP is undefined: no document is relevant; counted as 0"
    assert explained("AP", "I I", "0 0", undefined="nan").arithmetic == "AP is undefined: no document is relevant"


def test_a_query_for_which_nothing_came_is_explained_too():
    run, qrels = {"1": ["a"]}, {"1": {"a": 1}, "2": {"b": 1}}
    run, qrels = toysearch.Run.from_dict({"1": {"a": 1.0}}), toysearch.Qrels.from_dict(qrels)
    why = explain_measure(run, qrels, evaluate(run, qrels, "AP"), "AP", "2")
    assert (why.ranking, why.value) == ([], 0.0)
    assert "nothing was retrieved" in measure_text(why)


def test_the_ranking_is_in_the_order_of_the_evaluation():
    run = toysearch.Run.from_dict({"1": {"a": 1.0, "b": 1.0}})
    qrels = toysearch.Qrels.from_dict({"1": {"a": 1}})
    for ties, order in (("trec_eval", ["b", "a"]), ("rank", ["a", "b"])):
        why = explain_measure(run, qrels, evaluate(run, qrels, "RR", ties=ties), "RR", "1")
        assert [row.doc_id for row in why.ranking] == order


def test_the_thresholds_of_the_evaluation_and_of_the_measure_decide_what_is_relevant():
    assert [row.relevant for row in explained("AP", "3 1 2", "3 1 2", threshold=2).ranking] == [True, False, True]
    assert [row.relevant for row in explained("AP(rel=3)", "3 1 2", "3 1 2").ranking] == [True, False, False]


def test_long_stretches_of_unjudged_documents_take_one_line():
    typed = typed_ranking("R " + "U " * 20 + "I U R")
    result = evaluate(typed.run, typed.qrels, "AP")
    lines = measure_text(explain_measure(typed.run, typed.qrels, result, "AP", "typed")).splitlines()
    assert lines[5].split() == ["2–23", "…", "22", "not", "relevant", "21", "unjudged"]
    assert [lines[row].split()[0] for row in (4, 6)] == ["1", "24"]
    typed = typed_ranking("R " + "U " * 20 + "R")
    result = evaluate(typed.run, typed.qrels, "AP")
    lines = measure_text(explain_measure(typed.run, typed.qrels, result, "AP", "typed")).splitlines()
    assert lines[5].split() == ["2–21", "20", "documents", "unjudged"]


@pytest.mark.parametrize("measure", ["nDCG@6", "AP", "IAP", "RBP", "SetF(alpha=0.2)"])
def test_on_a_terminal_of_80_columns_no_line_is_longer(measure):
    text = measure_text(explained(measure, "3 2 3 0 1 2", "3 3 3 2 2 2 1 0"), 80)
    text = re.sub("\x1b\\[[0-9;]*m", "", text)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("evaluated", "asked", "grades", "sentence"),
    [
        ({"measures": "AP P@2"}, ("RR", "1"), None, "RR was not evaluated; there are AP, P@2"),
        ({"measures": "AP"}, ("AP", "9"), None, "unknown query '9'. Queries evaluated: 1"),
        (
            {"measures": "RR", "ties": "average"},
            ("RR", "1"),
            None,
            "with ties=average a value covers all orders of the tied documents, so no single ranking explains it; "
            "evaluate with ties=rank or ties=trec_eval",
        ),
        (
            {"measures": "AP"},
            ("AP", "1"),
            {"a": 1},  # other judgments than those of the evaluation
            "AP of query 1 is 0.5 in the evaluation but 1 with this run and these judgments; give the evaluated run "
            "and judgments (with remapped gains, if gains were remapped)",
        ),
    ],
)
def test_what_cannot_be_explained_is_refused(evaluated, asked, grades, sentence):
    run, qrels = toysearch.Run.from_dict({"1": {"a": 1.0}}), toysearch.Qrels.from_dict({"1": {"a": 1, "b": 1}})
    result = evaluate(run, qrels, **evaluated)
    with raising(ArgumentError, sentence):
        explain_measure(run, toysearch.Qrels.from_dict({"1": grades}) if grades else qrels, result, *asked)


def test_the_convention_of_the_evaluation_is_followed():
    typed = typed_ranking("3 0 2", judged="3 3 2 0")
    for how in ({"convention": "textbook"}, {"convention": "sklearn", "ties": "rank"}):
        result = evaluate(typed.run, typed.qrels, "nDCG@3", **how)
        why = explain_measure(typed.run, typed.qrels, result, "nDCG@3", "typed")
        assert why.value == pytest.approx(why.counted, abs=1e-12)


def test_what_is_below_the_cutoff_takes_one_line():
    why = explained("P@2", "R I R I R", "1 1 1 0 0")
    assert any(line.split() == ["below", "3", "documents"] for line in measure_text(why).splitlines())
