"""The graded measures against their papers' formulas written out, and what holds for them on any ranking."""

import math
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toysearch import evaluate

DOC_IDS = [f"d{number}" for number in range(7)]
RANKINGS = st.lists(st.sampled_from([*DOC_IDS, "u", "v"]), unique=True)
GRADES = st.dictionaries(
    st.sampled_from(DOC_IDS), st.integers(-1, 3) | st.floats(0, 3, allow_subnormal=False), min_size=1
).filter(lambda grades: max(grades.values()) >= 1)
pytestmark = [
    pytest.mark.filterwarnings("ignore:no grade is 0 or less"),
    pytest.mark.filterwarnings("ignore:relevant means grade 1"),
]

Gains = list[float]


def value(ranking: list[str], grades: dict[str, float], measure: str) -> float:
    return evaluate({"q": ranking}, qrels={"q": grades}, measures=measure)[measure]


def gains(ranking: list[str], grades: dict[str, float]) -> Gains:
    return [max(grades.get(doc_id, 0), 0) for doc_id in ranking]


def robertson(own: Gains, judged: Gains) -> float:
    """GAP by the double sum of the paper, with equal chances of all thresholds."""
    total = sum(min(own[n], own[m]) / (n + 1) for n in range(len(own)) for m in range(n + 1))
    return total / sum(judged)


def chapelle(own: Gains, judged: Gains) -> float:
    """ERR by the recursion of the paper."""
    reading, total = 1.0, 0.0
    for rank, gain in enumerate(own, 1):
        chance = (2**gain - 1) / 2**3
        total += reading * chance / rank
        reading *= 1 - chance
    return total


def sakai(own: Gains, judged: Gains) -> float:
    """Q with a gain value of 0 for what is below 1, which is not relevant."""
    own, ideal = ([gain if gain >= 1 else 0 for gain in row] for row in (own, sorted(judged, reverse=True)))
    relevant = sum(gain > 0 for gain in ideal)
    blended = 0.0
    for rank, gain in enumerate(own, 1):
        if gain:
            count = sum(gain > 0 for gain in own[:rank])
            blended += (count + sum(own[:rank])) / (rank + sum(ideal[:rank]))
    return blended / relevant


def moffat(own: Gains, judged: Gains) -> float:
    return 0.2 * sum(gain / 3 * 0.8 ** (rank - 1) for rank, gain in enumerate(own, 1))


def burges(own: Gains, judged: Gains) -> float:
    def dcg(row: Gains) -> float:
        return sum((2**gain - 1) / math.log2(rank + 1) for rank, gain in enumerate(row, 1))

    return dcg(own) / dcg(sorted(judged, reverse=True))


@given(RANKINGS, GRADES)
@pytest.mark.parametrize(
    ("measure", "formula"),
    [
        ("GAP", robertson),
        ("ERR(max_rel=3)", chapelle),
        ("Q", sakai),
        ("RBP(max_rel=3)", moffat),
        ("nDCG(dcg='exp-log2')", burges),
    ],
)
def test_the_papers_formulas(
    measure: str, formula: Callable[[Gains, Gains], float], ranking: list[str], grades: dict[str, float]
) -> None:
    expected = formula(gains(ranking, grades), gains(list(grades), grades))
    assert value(ranking, grades, measure) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "u"]), unique=True, min_size=1), st.data(), st.floats(0, 1))
def test_no_order_of_the_documents_of_one_grade_overlaps_more(
    ranking: list[str], data: st.DataObject, p: float
) -> None:
    grades = {doc_id: data.draw(st.integers(0, 2)) for doc_id in "abcd"}
    assume(max(grades.values()) > 0)
    relevant = [doc_id for doc_id in grades if grades[doc_id] > 0]
    ideals = [row for row in permutations(relevant) if [grades[d] for d in row] == sorted(map(grades.get, row))[::-1]]  # type: ignore[type-var]
    depth = max(len(ranking), len(relevant))

    def overlap(one: list[str], other: list[str]) -> float:
        return sum(p ** (i - 1) * len({*one[:i]} & {*other[:i]}) / i for i in range(1, depth + 1))

    best = max(overlap(ranking, list(ideal)) for ideal in ideals)
    expected = best / overlap(list(ideals[0]), list(ideals[0]))
    assert value(ranking, grades, f"Compat(p={p})" if p != 0.95 else "Compat") == pytest.approx(expected, abs=1e-9)


@given(RANKINGS, GRADES)
def test_rbp_and_its_residual_are_the_ends_of_what_is_possible(ranking: list[str], grades: dict[str, float]) -> None:
    unjudged = [doc_id for doc_id in ranking if doc_id not in grades]
    full = {**grades, **dict.fromkeys(unjudged, 3), **{f"further {number}": 3 for number in range(200)}}
    highest = value([*ranking, *(f"further {number}" for number in range(200))], full, "RBP(max_rel=3)")
    low, residual = value(ranking, grades, "RBP(max_rel=3)"), value(ranking, grades, "RBPres")
    assert low + residual == pytest.approx(highest, abs=1e-12)


@pytest.mark.system
@given(RANKINGS, GRADES, st.integers(1, 3))
def test_the_search_length_is_the_number_of_others_above(ranking: list[str], grades: dict[str, float], n: int) -> None:
    assume(sum(grade >= 1 for grade in grades.values()) >= n)
    places = [place for place, doc_id in enumerate(ranking) if grades.get(doc_id, 0) >= 1]
    expected = places[n - 1] - (n - 1) if len(places) >= n else math.inf
    assert value(ranking, grades, "ESL" if n == 1 else f"ESL(n={n})") == expected


@pytest.mark.system
@given(RANKINGS, GRADES, st.sampled_from(["CG", "DCG", "DCG(discount='jk')", "RBP(max_rel=3)", "ERR(max_rel=3)"]))
def test_a_longer_ranking_gains_no_less(ranking: list[str], grades: dict[str, float], measure: str) -> None:
    for cutoff in range(1, 10):
        both = [f"{measure}@{k}" for k in (cutoff, cutoff + 1)]
        less, more = evaluate({"q": ranking}, qrels={"q": grades}, measures=both).means.values()
        assert less <= more + 1e-12
