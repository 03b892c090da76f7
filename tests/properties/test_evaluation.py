"""What holds for every measure of the table, on any rankings and judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toysearch import Ranking, Run, evaluate
from toysearch.evaluation.measure import Measure
from toysearch.evaluation.measures import MEASURES

DOC_IDS = [f"d{number}" for number in range(10)]
GRADES = st.dictionaries(
    st.sampled_from(DOC_IDS),
    st.one_of(st.integers(-1, 3).map(float), st.floats(-1, 3, allow_subnormal=False)),
    min_size=1,
)
RANKINGS = st.lists(st.sampled_from(DOC_IDS), unique=True)
SHARES = [name for name, definition in MEASURES.items() if definition.aggregate == "mean"]
THRESHOLDS = st.sampled_from([0.0, 0.5, 1.0, 2.0])


@st.composite
def measures(draw: st.DrawFn, names: list[str] = list(MEASURES)) -> Measure:  # noqa: B006  (never changed)
    name = draw(st.sampled_from(names))
    definition = MEASURES[name]
    cutoffs = {"none": st.none(), "optional": st.none() | st.integers(1, 12), "needed": st.integers(1, 12)}
    parameters = tuple(
        (key, draw(st.floats(parameter.low, 5)))
        for key, parameter in definition.parameters.items()
        if draw(st.booleans())
    )
    kept = tuple((key, value) for key, value in parameters if value != definition.parameters[key].default)
    return Measure(name, draw(cutoffs[definition.cutoff]), kept)


def value(ranking: list[str], grades: Mapping[str, float], measure: Measure, threshold: float = 1.0) -> float:
    return evaluate({"1": ranking}, {"1": grades}, [measure], threshold=threshold)[measure]


@given(measures())
def test_the_text_form_parses_back(measure: Measure) -> None:
    assert Measure.parse(str(measure)) == measure


@given(RANKINGS, GRADES, measures(SHARES), THRESHOLDS)
def test_shares_lie_between_0_and_1(
    ranking: list[str], grades: Mapping[str, float], measure: Measure, t: float
) -> None:
    assert 0 <= value(ranking, grades, measure, t) <= 1 + 1e-12


@given(GRADES, st.permutations(DOC_IDS), st.sampled_from(["AP", "nDCG", "nDCG@3", "RR", "Rprec", "Success@1"]))
def test_a_perfect_ranking_has_the_value_1(grades: Mapping[str, float], others: list[str], name: str) -> None:
    assume(max(grades.values()) >= 1)
    # Unjudged documents and those of grade 0 or less come last: no value is higher with them elsewhere.
    best = sorted(others, key=lambda doc_id: max(grades.get(doc_id, 0), 0), reverse=True)
    assert value(best, grades, Measure.parse(name)) == pytest.approx(1, abs=1e-12)


@given(st.permutations(DOC_IDS), GRADES, measures(SHARES), st.data())
def test_a_better_document_moved_up_never_lowers_a_value(
    ranking: list[str], grades: Mapping[str, float], measure: Measure, data: st.DataObject
) -> None:
    upper = data.draw(st.integers(0, len(ranking) - 2))
    lower = data.draw(st.integers(upper + 1, len(ranking) - 1))
    assume(grades.get(ranking[lower], 0) >= max(grades.get(doc_id, 0) for doc_id in ranking[upper:lower]))
    moved = [*ranking[:upper], ranking[lower], *ranking[upper:lower], *ranking[lower + 1 :]]
    assert value(moved, grades, measure) >= value(ranking, grades, measure) - 1e-12


@given(RANKINGS, GRADES, measures(), st.integers(0, 10))
def test_unjudged_documents_change_nothing_behind_the_last_judged_one(
    ranking: list[str], grades: Mapping[str, float], measure: Measure, more: int
) -> None:
    assume(measure.name != "NumRet")
    longer = [*ranking, *(f"unjudged {number}" for number in range(more))]
    assert value(longer, grades, measure) == value(ranking, grades, measure)


@given(RANKINGS, GRADES, measures())
def test_a_document_of_grade_0_counts_as_an_unjudged_one(
    ranking: list[str], grades: Mapping[str, float], measure: Measure
) -> None:
    without = {doc_id: grade for doc_id, grade in grades.items() if grade > 0}
    assume(without)
    assert value(ranking, grades, measure) == pytest.approx(value(ranking, without, measure), abs=1e-12)


@given(
    st.dictionaries(
        st.sampled_from(["1", "2", "3"]),
        st.dictionaries(st.sampled_from(DOC_IDS), st.integers(-2, 2).map(float)),
        min_size=1,
    ),
    st.dictionaries(st.sampled_from(["1", "2", "3"]), GRADES, min_size=1),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_rows_is_nothing_to_trec_eval(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, float]], chance: Random
) -> None:
    assume(run.keys() & qrels.keys())
    rows = [(query_id, doc_id, score) for query_id, group in run.items() for doc_id, score in group.items()]
    assume(rows)
    chance.shuffle(rows)
    names = "AP nDCG@3 P@2 RR Rprec"
    expected = evaluate(run, qrels, names, threshold=1)
    shuffled = Run.from_records(rows)
    if any(query_id in qrels for query_id in shuffled.query_ids):
        assert evaluate(shuffled, qrels, names, threshold=1).per_query == expected.per_query


@given(st.dictionaries(st.sampled_from(["1", "2", "3"]), RANKINGS, min_size=1), measures(), st.booleans())
def test_the_value_for_all_is_that_of_the_queries_together(
    run: dict[str, list[str]], measure: Measure, undefined: bool
) -> None:
    qrels = {"1": {"d0": 1, "d1": 2}, "2": {"d0": 0}, "3": {"d2": 1, "d3": 3}, "4": {"d0": 1}}
    rankings = [Ranking(query_id, docs, list(range(len(docs), 0, -1))) for query_id, docs in run.items()]
    result = evaluate(Run.from_rankings(rankings), qrels, [measure], undefined="nan" if undefined else "zero")
    values = [row[str(measure)] for row in result.per_query.values()]
    defined = [one for one in values if not math.isnan(one)]
    assert undefined or len(defined) == 4
    if measure.definition.aggregate == "sum":
        assert result[measure] == sum(defined)
    elif defined:
        assert result[measure] == pytest.approx(sum(defined) / len(defined), abs=1e-15)
    else:
        assert math.isnan(result[measure])
