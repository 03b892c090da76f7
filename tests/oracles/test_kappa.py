"""Cohen's kappa against scikit-learn's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from toysearch.evaluation.judge_agreement import kappa

pytestmark = pytest.mark.system

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
