"""What holds for every measure of the table, on any rankings and judgments."""

import math
from collections.abc import Mapping
from random import Random

import pytest
from every_measure import DEFINITIONS
from hypothesis import assume, given
from hypothesis import strategies as st

from toysearch import Ranking, Run, evaluate
from toysearch.evaluation.measures.definition import Parameter, Value
from toysearch.evaluation.measures.measure import Measure, parse_measures
from toysearch.evaluation.values_and_means import aggregated

DOC_IDS = [f"d{number}" for number in range(10)]
GRADES = st.dictionaries(
    st.sampled_from(DOC_IDS),
    st.one_of(st.integers(-1, 3).map(float), st.floats(-1, 3, allow_subnormal=False)),
    min_size=1,
)
RANKINGS = st.lists(st.sampled_from(DOC_IDS), unique=True)
SHARES = [name for name, definition in DEFINITIONS.items() if definition.range == (0, 1)]
MOVED = [name for name, definition in DEFINITIONS.items() if definition.better]
PERFECT = [name for name, definition in DEFINITIONS.items() if definition.perfect is not None]
OF_RANKS = [name for name, one in DEFINITIONS.items() if one.family in ("ranked", "graded", "user")]
TELL_0_FROM_UNJUDGED = ("Bpref", "infAP", "RBPres", "EUres", "NumNonRelRet")
OF_GAINS = [name for name in OF_RANKS if name not in TELL_0_FROM_UNJUDGED]
TO_THE_END = ("NumRet", "RnDCG", "Compat", "RBU")  # the depth of the ranking is part of these
THRESHOLDS = st.sampled_from([0.0, 0.5, 1.0, 2.0])


def parameters(key: str, parameter: Parameter) -> st.SearchStrategy[Value]:
    """Any value that the parameter takes; N is enough for all documents, and max_rel for all grades."""
    if key in ("N", "max_rel"):
        return st.integers(40, 1400).map(float) if key == "N" else st.floats(3, 8)
    if parameter.kind == "flag":
        return st.booleans()
    if parameter.kind == "choice":
        return st.sampled_from(parameter.choices)
    if parameter.kind == "mapping":
        pairs = st.dictionaries(st.integers(-1, 4).map(float), st.integers(0, 9).map(float), min_size=1)
        return pairs.map(lambda mapping: tuple(sorted(mapping.items())))
    low = -5 if parameter.low is None else parameter.low
    high = low + 5 if parameter.high is None else min(parameter.high, low + 20)
    return st.integers(int(low), int(high)).map(float) if parameter.whole else st.floats(low, high)


@st.composite
def measures(draw: st.DrawFn, names: list[str] = list(DEFINITIONS), plain: bool = False) -> Measure:  # noqa: B006
    """A measure of one of these names; a plain one has a cutoff or parameters only where it needs them."""
    name = draw(st.sampled_from(names))
    definition = DEFINITIONS[name]
    cutoffs = {
        "none": st.none(),
        "optional": st.none() if plain else st.none() | st.integers(1, 12),
        "needed": st.integers(1, 12),
        "recall": st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]) | st.floats(0, 1),
    }
    chosen = {
        key: draw(parameters(key, parameter))
        for key, parameter in definition.parameters.items()
        if parameter.needed or (not plain and draw(st.booleans()))
    }
    for key in definition.either[1:]:
        chosen.pop(key if definition.either[0] in chosen else "", None)
    kept = tuple((key, value) for key, value in chosen.items() if value != definition.parameters[key].default)
    return Measure(name, draw(cutoffs[definition.cutoff]), kept)


def value(ranking: list[str], grades: Mapping[str, float], measure: Measure, threshold: float = 1.0) -> float:
    return evaluate({"1": ranking}, qrels={"1": grades}, measures=[measure], threshold=threshold)[measure]


@given(measures())
def test_the_text_form_parses_back(measure: Measure) -> None:
    assert Measure.parse(str(measure)) == measure


@given(st.lists(measures(), min_size=1), st.sampled_from([" ", ",", ", ", " ,\t"]))
def test_a_list_of_text_forms_parses_back(several: list[Measure], between: str) -> None:
    assert parse_measures(between.join(map(str, several))) == list(dict.fromkeys(several))


@given(RANKINGS, GRADES, measures(), THRESHOLDS)
def test_values_lie_in_the_range_that_is_declared(
    ranking: list[str], grades: Mapping[str, float], measure: Measure, t: float
) -> None:
    low, high = measure.definition.range
    found = value(ranking, grades, measure, t)
    if math.isnan(found):
        assert measure.definition.undefined
    else:
        assert low - 1e-12 <= found <= (math.inf if high is None else high + 1e-12)


@given(GRADES, st.permutations(DOC_IDS), measures(PERFECT, plain=True))
def test_a_perfect_ranking_has_the_value_that_is_declared(
    grades: Mapping[str, float], others: list[str], measure: Measure
) -> None:
    assume(max(grades.values()) >= 1)
    # Unjudged documents and those of grade 0 or less come last: no value is higher with them elsewhere.
    best = sorted(others, key=lambda doc_id: max(grades.get(doc_id, 0), 0), reverse=True)
    assert value(best, grades, measure) == pytest.approx(measure.definition.perfect, abs=1e-12)


@pytest.mark.system
@given(st.permutations(DOC_IDS), GRADES, measures(MOVED), st.data())
def test_a_better_document_moved_up_never_makes_a_value_worse(
    ranking: list[str], grades: Mapping[str, float], measure: Measure, data: st.DataObject
) -> None:
    assume("gains" not in dict(measure.parameters))  # which may take away from better documents
    # A document of a negative grade above a relevant one raises what infAP expects of the pool above it.
    assume(measure.name != "infAP" or min(grades.values()) >= 0)
    upper = data.draw(st.integers(0, len(ranking) - 2))
    lower = data.draw(st.integers(upper + 1, len(ranking) - 1))
    assume(grades.get(ranking[lower], 0) >= max(grades.get(doc_id, 0) for doc_id in ranking[upper:lower]))
    moved = [*ranking[:upper], ranking[lower], *ranking[upper:lower], *ranking[lower + 1 :]]
    before, after = value(ranking, grades, measure), value(moved, grades, measure)
    assume(not math.isnan(before))  # undefined, whatever the ranking is
    assert after >= before - 1e-12 if measure.definition.better == "higher" else after <= before + 1e-12
    if not measure.definition.ordered and lower < (measure.cutoff or len(ranking)):
        assume("Rprec" not in measure.name and not dict(measure.parameters).get("judged_only"))  # cut at multiples of R
        assert after == pytest.approx(before, abs=1e-12)


@given(RANKINGS, GRADES, measures(OF_RANKS), st.integers(0, 10))
def test_unjudged_documents_change_nothing_behind_the_last_judged_one(
    ranking: list[str], grades: Mapping[str, float], measure: Measure, more: int
) -> None:
    assume(measure.name not in TO_THE_END and dict(measure.parameters).get("ideal") != "max")
    longer = [*ranking, *(f"unjudged {number}" for number in range(more))]
    assert value(longer, grades, measure) == pytest.approx(value(ranking, grades, measure), abs=0, rel=0, nan_ok=True)


@pytest.mark.system
@given(RANKINGS, GRADES, measures(OF_GAINS))
def test_a_document_of_grade_0_counts_as_an_unjudged_one(
    ranking: list[str], grades: Mapping[str, float], measure: Measure
) -> None:
    without = {doc_id: grade for doc_id, grade in grades.items() if grade > 0}
    assume(without and not {"judged_only", "gains"} & dict(measure.parameters).keys())
    assert value(ranking, grades, measure) == pytest.approx(value(ranking, without, measure), abs=1e-12, nan_ok=True)


@pytest.mark.system
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
    expected = evaluate(run, qrels=qrels, measures=names, threshold=1)
    shuffled = Run.from_records(rows)
    if any(query_id in qrels for query_id in shuffled.query_ids):
        assert evaluate(shuffled, qrels=qrels, measures=names, threshold=1).per_query == expected.per_query


@given(st.dictionaries(st.sampled_from(["1", "2", "3"]), RANKINGS, min_size=1), measures(), st.booleans())
def test_the_value_for_all_is_that_of_the_queries_together(
    run: dict[str, list[str]], measure: Measure, undefined: bool
) -> None:
    qrels = {"1": {"d0": 1, "d1": 2}, "2": {"d0": 0}, "3": {"d2": 1, "d3": 3}, "4": {"d0": 1}}
    rankings = [Ranking(query_id, docs, list(range(len(docs), 0, -1))) for query_id, docs in run.items()]
    result = evaluate(Run.from_rankings(rankings), qrels, [measure], undefined="nan" if undefined else "zero")
    values = [row[str(measure)] for row in result.per_query.values()]
    defined = [one for one in values if not math.isnan(one)]
    assert undefined or len(defined) == 4 or measure.definition.better == "lower"
    if measure.definition.aggregate == "mean" and defined:
        assert result[measure] == pytest.approx(sum(defined) / len(defined), abs=1e-12)
    assert result[measure] == pytest.approx(aggregated(defined, measure.definition.aggregate), abs=1e-15, nan_ok=True)
