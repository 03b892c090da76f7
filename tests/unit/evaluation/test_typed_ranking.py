"""Rankings typed by hand: what they stand for, what can be computed from them, what is refused."""

import pytest
from error_messages import raising

from toysearch import evaluate, typed_ranking
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.evaluation.typed_ranking import all_measures, computable


def grades(typed):
    return typed.qrels["typed"]


@pytest.mark.parametrize("text", ["R R I I R", "r,r,i,i,r", "RRIIR", "(R, R, I, I, R)", "1 1 0 0 1", "R R N N R"])
def test_one_ranking_can_be_typed_in_several_ways(text):
    typed = typed_ranking(text, relevant=4)
    assert grades(typed) == {"1": 1, "2": 1, "3": 0, "4": 0, "5": 1, "m1": 1}
    assert typed.run.doc_ids == ["1", "2", "3", "4", "5"]
    assert typed.complete


@pytest.mark.parametrize("sign", ["U", "-", "u"])
def test_an_unjudged_document_takes_a_rank_and_has_no_grade(sign):
    typed = typed_ranking(f"{sign} R")
    assert grades(typed) == {"2": 1}
    assert evaluate(typed.run, typed.qrels, "RR")["RR"] == 0.5


def test_the_total_of_relevant_documents_leaves_unjudged_ones_at_their_ranks():
    """R I U R with three relevant documents in all: AP is (1/1 + 2/4) / 3."""
    for all_of_them in ({"relevant": 3}, {"judged": "R R R I"}):
        typed = typed_ranking("R I U R", **all_of_them)
        assert typed.run.doc_ids == ["1", "2", "3", "4"]
        assert evaluate(typed.run, typed.qrels, "AP")["AP"] == pytest.approx(0.5)


def test_the_judged_pool_holds_the_grades_of_the_ranking():
    typed = typed_ranking("3 2 3 0 1 2", judged="3 3 3 2 2 2 1 0")
    assert grades(typed) == {"1": 3, "2": 2, "3": 3, "4": 0, "5": 1, "6": 2, "m1": 3, "m2": 2}
    assert evaluate(typed.run, typed.qrels, "nDCG@6")["nDCG@6"] == pytest.approx(0.785002, abs=5e-7)


def test_without_a_total_only_what_needs_none_is_known():
    asked = parse_measures("P@5 RR Success@5 DCG RBP CG Judged@5 SetP AP R@5 nDCG Rprec F@5 Bpref Q SetR")
    known = {str(measure) for measure, sure in computable(typed_ranking("R I R U I"), asked).items() if sure}
    assert known == {"P@5", "RR", "Success@5", "DCG", "RBP", "CG", "Judged@5", "SetP"}


REFUSED = {
    (
        "R X I",
    ): "place 2 of the ranking is 'X'; expected R (relevant), I (not relevant), U (unjudged) or a grade such as 2",
    ("R 2",): "the ranking mixes letters and grades: 'R 2'; write R and I, or a grade for each",
    ("10110",): "the ranking is one grade, 10110; did you mean '1 0 1 1 0'?",
    ("3 2", None, "32"): "the list of judged documents is one grade, 32; did you mean '3 2'?",
    (" ",): "the ranking is empty; expected signs such as R R I or grades such as 3 2 0",
    ("U U",): "no document of the ranking is judged; expected at least one R, I or grade",
    ("R R", 1): "the ranking has 2 relevant documents, so there cannot be 1 in all",
    ("3 2", 4): (
        "a number of relevant documents fits a ranking of letters, or of grades 0 and 1; for other grades give the "
        "grades of all judged documents: typed_ranking(…, judged=…)"
    ),
    ("R", 1, "1"): "give either the number of relevant documents or the grades of all judged documents, not both",
    ("3 3", None, "3 2"): (
        "the ranking has 1 document of grade 3 more than the list of judged documents, which must include those of the "
        "ranking"
    ),
    ("3", None, "3 high"): (
        "place 2 of the list of judged documents is 'high'; expected R (relevant), I (not relevant), U (unjudged) or a "
        "grade such as 2"
    ),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_is_no_ranking_is_refused(arguments):
    with raising(ArgumentError, REFUSED[arguments]):
        typed_ranking(*arguments)


def test_with_a_total_all_is_known():
    typed = typed_ranking("R I R", relevant=2)
    assert all(computable(typed, all_measures(3)).values())
