"""The bounds over the unjudged are the extremes of all completions of the judgments, tried out one by one."""

from itertools import product

import pytest
from every_measure import DEFINITIONS
from hypothesis import given
from hypothesis import strategies as st

from toysearch import evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.unjudged_bounds import BOUNDED, unjudged_bounds

DOC_IDS = [f"d{number}" for number in range(6)]
RANKINGS = st.lists(st.sampled_from(DOC_IDS), unique=True)
GRADES = st.dictionaries(st.sampled_from([*DOC_IDS, "not retrieved"]), st.integers(-2, 2), min_size=1)
NAMES = [
    "P@1", "P@3", "P(rel=2)@2", "P@10", "Success@1", "Success@4", "Success(rel=2)@3", "RR", "RR@2", "RR(rel=2)",
    "CG", "CG@2", "DCG", "DCG@3", "DCG(dcg='exp-log2')", "DCG(discount='jk')@4", "ERR(max_rel=2)", "ERR(max_rel=2)@2",
    "RBP(max_rel=2)", "RBP(p=0.5,max_rel=2)@3", "RBP(rel=1)", "RBP(rel=2)@2", "AP", "AP(rel=2)", "AP@2", "AP(rel=2)@1",
]  # fmt: skip


def completions(ranking: list[str], grades: dict[str, int], top: int) -> list[dict[str, int]]:
    """The judgments with each grade from 0 to the top for each retrieved document without a judgment."""
    unjudged = [doc_id for doc_id in ranking if doc_id not in grades]
    return [
        {**grades, **dict(zip(unjudged, filled, strict=True))}
        for filled in product(range(top + 1), repeat=len(unjudged))
    ]


def assert_the_ends_are_reached(ranking: list[str], grades: dict[str, int], names: list[str]) -> None:
    found = unjudged_bounds({"q": ranking}, {"q": grades}, names, max_rel=2).per_query["q"]
    values = [
        evaluate({"q": ranking}, {"q": filled}, names).per_query["q"] for filled in completions(ranking, grades, 2)
    ]
    for name in values[0]:
        low, high = found[name]
        assert min(row[name] for row in values) == pytest.approx(low, abs=1e-12), name
        assert max(row[name] for row in values) == pytest.approx(high, abs=1e-12), name


@pytest.mark.system
@pytest.mark.filterwarnings("ignore:no grade is 0 or less")
@given(RANKINGS, GRADES, st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
def test_every_completion_lies_within_and_both_ends_are_reached(
    ranking: list[str], grades: dict[str, int], names: list[str]
) -> None:
    assert_the_ends_are_reached(ranking, grades, names)


@pytest.mark.parametrize("grades", [{"d1": 2, "d3": 1, "d4": 0}, {"d0": 1, "not retrieved": 2, "d5": -1}])
def test_unjudged_documents_between_judged_ones_reach_both_ends(grades: dict[str, int]) -> None:
    assert_the_ends_are_reached(DOC_IDS, grades, NAMES)


def test_every_measure_that_has_bounds_is_tried_out() -> None:
    assert {name.partition("(")[0].partition("@")[0] for name in NAMES} == set(BOUNDED)


@pytest.mark.parametrize("name", sorted(set(DEFINITIONS) - set(BOUNDED)))
def test_the_others_say_that_they_have_none(name: str) -> None:
    definition = DEFINITIONS[name]
    needed = "(N=9)" if "N" in definition.parameters else ""
    text = name + needed + {"needed": "@2", "recall": "@0.1"}.get(definition.cutoff, "")
    with pytest.raises(ArgumentError) as error:
        unjudged_bounds({"q": ["a"]}, {"q": {"a": 1}}, text)
    assert str(error.value) == (
        f"{text} has no bounds over the unjudged documents; AP, P, Success, RR, CG, DCG, ERR, RBP have, without "
        "judged_only and gains"
    )


@pytest.mark.parametrize("name", ["P(judged_only=True)@2", "DCG(gains={1:0})"])
def test_neither_have_forms_that_leave_them_out_or_gain_otherwise(name: str) -> None:
    with pytest.raises(ArgumentError, match="has no bounds over the unjudged documents"):
        unjudged_bounds({"q": ["a"]}, {"q": {"a": 1}}, name)


class TestByHand:
    run = {"q": ["a", "x", "b", "y"], "p": ["c"], "absent from the run": []}  # noqa: RUF012  (never changed)
    qrels = {"q": {"a": 1, "b": 0, "m": 1}, "p": {"c": 1}, "z": {"d": 1}}  # noqa: RUF012

    def test_the_means_are_over_the_queries_that_the_evaluation_counts(self) -> None:
        found = unjudged_bounds(self.run, self.qrels, "P@2 RR")
        assert found.per_query == {
            "q": {"P@2": (0.5, 1), "RR": (1, 1)},
            "p": {"P@2": (0.5, 0.5), "RR": (1, 1)},
            "z": {"P@2": (0, 0), "RR": (0, 0)},
        }
        assert found.means["P@2"] == pytest.approx((1 / 3, 0.5))
        retrieved = unjudged_bounds(self.run, self.qrels, "P@2", only_retrieved=True)
        assert list(retrieved.per_query) == ["q", "p"]
        assert retrieved.means["P@2"] == (0.5, 0.75)

    def test_the_scale_of_the_judgments_is_the_default(self) -> None:
        graded = {"q": {"a": 3, "b": 0}}
        assert unjudged_bounds({"q": ["a", "x"]}, graded, "CG").means["CG"] == (3, 6)
        assert unjudged_bounds({"q": ["a", "x"]}, graded, "CG", max_rel=4).means["CG"] == (3, 7)
        assert unjudged_bounds({"q": ["a", "x"]}, graded, "RBP(p=0.5,max_rel=6)").means == {
            "RBP(p=0.5,max_rel=6)": (0.25, 0.5)
        }
        assert unjudged_bounds({"q": ["x"]}, {"q": {"b": 0}}, "P@1").means["P@1"] == (0, 1)  # the threshold is on it

    def test_a_document_of_grade_0_is_not_relevant_from_whatever_grade_on(self) -> None:
        # b at rank 2 and perhaps x at rank 3: 1/2, or (1/2 + 2/3) / 2.
        found = unjudged_bounds({"q": ["a", "b", "x"]}, {"q": {"a": 0, "b": 1}}, "AP(rel=0)")
        assert found.means["AP(rel=0)"] == pytest.approx((1 / 2, 7 / 12))

    def test_none_can_be_relevant_where_the_scale_ends_below(self) -> None:
        found = unjudged_bounds(self.run, self.qrels, "AP(rel=3) P(rel=3)@2", max_rel=2)
        assert found.means == {"AP(rel=3)": (0, 0), "P(rel=3)@2": (0, 0)}

    def test_gains_come_first(self) -> None:
        assert unjudged_bounds({"q": ["a", "x"]}, {"q": {"a": 9}}, "CG", gains={9: 2}).means["CG"] == (2, 4)

    def test_a_scale_below_a_grade_is_refused(self) -> None:
        with pytest.raises(ArgumentError) as error:
            unjudged_bounds({"q": ["a"]}, {"q": {"a": 3}}, "P@1", max_rel=2)
        assert str(error.value) == (
            "bounds(max_rel=2): a judgment has the grade 3; max_rel is the top of the scale, 3 or more"
        )

    def test_two_scales_are_refused(self) -> None:
        with pytest.raises(ArgumentError) as error:
            unjudged_bounds({"q": ["a"]}, {"q": {"a": 3}}, "ERR(max_rel=4)", max_rel=5)
        assert str(error.value) == "ERR(max_rel=4): its scale ends at 4, that of the unjudged documents at 5"
