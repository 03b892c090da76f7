"""Krippendorff's alpha and Fleiss' kappa in fractions, by their definitions; Cohen's kappa against scikit-learn's."""

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from toysearch.workbench.judging.judge_agreement import alpha, kappa

pytestmark = pytest.mark.system

UNITS = st.lists(
    st.tuples(*[st.one_of(st.none(), st.integers(-1, 3), st.just(0.5))] * 4), min_size=1, max_size=12
).filter(lambda units: any(sum(grade is not None for grade in unit) > 1 for unit in units))


def costs(values):
    """The three costs of two grades; `values`: every grade that counts, repeated as often as it was given."""
    count = {grade: values.count(grade) for grade in set(values)}

    def ordinal(one, other):
        between = sum(count[grade] for grade in count if min(one, other) <= grade <= max(one, other))
        return (between - Fraction(count[one] + count[other], 2)) ** 2 if one != other else 0

    return {
        "nominal": lambda one, other: int(one != other),
        "ordinal": ordinal,
        "interval": lambda one, other: (Fraction(one) - Fraction(other)) ** 2,
    }


@given(UNITS)
def test_alpha_and_fleiss_are_their_definitions(units):
    judged: dict[str, dict[str, dict[str, float]]] = {f"judge {place}": {} for place in range(4)}
    for number, unit in enumerate(units):
        for judge, grade in zip(judged, unit, strict=True):
            if grade is not None:
                judged[judge].setdefault(str(number % 2), {})[str(number)] = grade
    judged = {judge: of for judge, of in judged.items() if of}
    found = alpha(judged)
    several = [given for unit in units if len(given := [grade for grade in unit if grade is not None]) > 1]
    values = [grade for given in several for grade in given]
    for name, cost in costs(values).items():
        observed = sum(
            Fraction(sum(cost(*two) for two in permutations(given, 2))) / (len(given) - 1) for given in several
        ) / len(values)
        expected = Fraction(sum(cost(*two) for two in permutations(values, 2))) / (len(values) * (len(values) - 1))
        value = getattr(found, name)
        assert math.isnan(value) if not expected else value == pytest.approx(float(1 - observed / expected), abs=1e-12)
    alike = [
        Fraction(sum(a == b for a, b in permutations(given, 2)), len(given) * (len(given) - 1)) for given in several
    ]
    assert found.agreement == pytest.approx(float(sum(alike) / len(alike)), abs=1e-12)
    whole = [given for given in several if len(given) == len(judged)]
    all_grades = [grade for given in whole for grade in given]
    chance = sum(Fraction(all_grades.count(grade), len(all_grades)) ** 2 for grade in set(all_grades))
    if not whole or chance == 1:
        assert math.isnan(found.fleiss)
    else:
        agreed = sum(
            Fraction(sum(a == b for a, b in permutations(given, 2)), len(given) * (len(given) - 1)) for given in whole
        ) / len(whole)
        assert found.fleiss == pytest.approx(float((agreed - chance) / (1 - chance)), abs=1e-12)
    assert (found.n, found.n_all) == (len(several), len(whole))
    for each in found.by_query:
        own = {judge: {each.query_id: of[each.query_id]} for judge, of in judged.items() if each.query_id in of}
        alone = alpha(own)
        assert (each.pairs, each.agreement) == (alone.n, alone.agreement)
        assert each.alpha == pytest.approx(alone.nominal, nan_ok=True, abs=1e-12)


# Cohen's kappa, as scikit-learn has it


GRADES = st.integers(-1, 3)


@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=30))
def test_kappa_is_scikit_learns(pairs):
    first, second = zip(*pairs, strict=True)
    found = kappa(*({"q": {f"{n}": grade for n, grade in enumerate(grades)}} for grades in (first, second)))
    if len({*first, *second}) == 1:
        assert math.isnan(found.kappa)
        return
    for value, weights in ((found.kappa, None), (found.linear, "linear"), (found.quadratic, "quadratic")):
        # With all grades of the scale as labels, the places that scikit-learn subtracts are the grades.
        expected = cohen_kappa_score(first, second, labels=range(-1, 4), weights=weights)
        assert value == pytest.approx(expected, abs=1e-12)
    assert found.agreement == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=30))
def test_kappa_is_symmetric(pairs):
    first, second = ({"q": {f"{n}": pair[place] for n, pair in enumerate(pairs)}} for place in (0, 1))
    one, other = kappa(first, second), kappa(second, first)
    for name in ("kappa", "linear", "quadratic", "by_chance"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-12, nan_ok=True)
    assert one.table.tolist() == other.table.T.tolist()
