"""What holds of every test and correction, whatever the differences."""

import math
from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from scipy import stats
from tiers import often

from toysearch.evaluation import Measure
from toysearch.study.compare import significance
from toysearch.study.compare.comparison import FAMILIES
from toysearch.study.compare.correlation import kendall_tau, rank_biased_overlap, tau_ap
from toysearch.study.compare.significance import (
    CORRECTIONS,
    TESTS,
    TUKEY,
    Procedure,
    corrected,
    paired_test,
)

TENTHS = st.integers(-10, 10).map(lambda n: n / 10)
FEW = {"permutations": 999, "resamples": 400}


def differences(least: int = 1):
    numbers = st.one_of(TENTHS, st.floats(-1, 1).map(lambda value: round(value, 6)))
    return st.integers(least, 40).flatmap(lambda n: arrays(np.float64, n, elements=numbers))


@pytest.mark.parametrize("test", TESTS)
@given(drawn=differences())
@settings(max_examples=often(40), deadline=None)
def test_p_is_a_probability_and_the_interval_holds_the_mean(test, drawn):
    found = paired_test(drawn, test, **FEW)
    assert 0 <= found.p <= 1
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert found.n == drawn.size
    assert (found.effect > 0) == (found.mean > 0) or math.isnan(found.effect) or abs(found.mean) < 1e-12


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation"])
@given(drawn=differences(2), seed=st.integers(0, 99))
@settings(max_examples=often(40), deadline=None)
def test_the_order_of_the_queries_is_no_matter(test, drawn, seed):
    shuffled = np.random.default_rng(seed).permutation(drawn)
    ours, theirs = paired_test(drawn, test, permutations=2**13), paired_test(shuffled, test, permutations=2**13)
    drawn_by_lot = test == "permutation" and drawn.size > 14
    assert ours.p == pytest.approx(theirs.p, abs=0.06 if drawn_by_lot else 1e-9)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation"])
@given(drawn=differences(2))
@settings(max_examples=often(40), deadline=None)
def test_turned_round_it_says_the_same_the_other_way(test, drawn):
    ours, theirs = paired_test(drawn, test, **FEW), paired_test(-drawn, test, **FEW)
    assert ours.p == pytest.approx(theirs.p, abs=1e-12)
    assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low), abs=1e-9)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
@given(drawn=differences(2), alpha=st.sampled_from([0.01, 0.05, 0.2, 0.5]))
@settings(max_examples=often(60), deadline=None)
def test_the_interval_leaves_0_out_exactly_where_p_is_at_most_alpha(test, drawn, alpha):
    found = paired_test(drawn, test, alpha=alpha, **FEW)
    assert (found.low > 0 or found.high < 0) == (found.p <= alpha)


WALKED = [
    (test, correction, family)
    for test in ("t", "permutation", "bootstrap", TUKEY)
    for correction in CORRECTIONS
    for family in FAMILIES
]


def some_pairs(test, correction, seed, family="all", tried=0):
    """Values of five systems by two measures, with differences of all sizes, and the pairs that are tested."""
    rng = np.random.default_rng(seed)
    names = ("s0", "s1", "s2", "s3", "s4")
    n = int(rng.integers(6, 12 if test == "permutation" else 30))
    shifts = rng.choice([0, 0.02, 0.05, 0.1, 0.2], 5)
    values = {measure: np.round(rng.normal(shifts, 0.1, (n, 5)), 2) for measure in ("AP", "P@5")}
    pairs = list(combinations(names, 2)) if test == TUKEY else [(name, "s0") for name in names[1:]]
    how = Procedure(test, correction, 0.05, seed, family, tried)
    measures = [Measure.parse(name) for name in values]
    return significance.tested_pairs(values, measures, names, pairs, how)


@pytest.mark.parametrize(("test", "correction", "family"), WALKED)
def test_a_corrected_interval_leaves_0_out_exactly_where_the_corrected_p_is_at_most_alpha(test, correction, family):
    assert len(WALKED) == 4 * 4 * 2
    random = test in ("permutation", "bootstrap", TUKEY)
    found = [
        pair for seed in range(often(3, 1) if random else 20) for pair in some_pairs(test, correction, seed, family)
    ]
    excluded = [pair.result.low > 0 or pair.result.high < 0 for pair in found]
    assert excluded == [pair.p <= 0.05 for pair in found]
    assert {*excluded} == {True, False}


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_so_it_is_if_settings_were_tried_before(test):
    found = [pair for seed in range(2) for pair in some_pairs(test, "bonferroni", seed, tried=9)]
    assert [pair.result.low > 0 or pair.result.high < 0 for pair in found] == [pair.p <= 0.05 for pair in found]
    assert any(pair.result.p <= 0.05 < pair.p for pair in found)


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_the_interval_beside_a_test_of_ranks_is_students_at_the_level_of_its_p(test):
    for pair in some_pairs(test, "bonferroni", 5, tried=3):
        n, mean, half = pair.result.n, pair.result.mean, (pair.result.high - pair.result.low) / 2
        deviation = mean / pair.result.effect
        assert half == pytest.approx(stats.t.ppf(1 - 0.05 / 8 / 2, n - 1) * deviation / math.sqrt(n))


@pytest.mark.parametrize("method", CORRECTIONS)
@given(p=st.lists(st.floats(0, 1), max_size=12))
@settings(deadline=None)
def test_a_correction_keeps_the_order_and_lowers_no_p(method, p):
    found = corrected(p, method)
    assert (found >= np.array(p) - 1e-15).all()
    assert (found <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(found[order]) >= -1e-15).all()


@given(p=st.lists(st.floats(0, 1), max_size=12))
@settings(deadline=None)
def test_holm_lies_between_benjamini_hochberg_and_bonferroni(p):
    none, bh, holm, bonferroni = (corrected(p, method) for method in ("none", "bh", "holm", "bonferroni"))
    for less, more in ((none, bh), (bh, holm), (holm, bonferroni)):
        assert (less <= more + 1e-12).all()


RANKINGS = st.permutations("abcdefgh").flatmap(lambda items: st.integers(0, 8).map(lambda n: items[:n]))


@given(first=RANKINGS, second=RANKINGS, p=st.sampled_from([0.2, 0.8, 0.95]))
@settings(deadline=None)
def test_agreement_is_symmetric_and_within_its_range(first, second, p):
    overlap, back = rank_biased_overlap(first, second, p), rank_biased_overlap(second, first, p)
    assert overlap == pytest.approx(back, nan_ok=True)
    if first or second:
        assert -1e-12 <= overlap.lowest <= overlap.extrapolated + 1e-12
        assert overlap.extrapolated <= overlap.lowest + overlap.residual + 1e-12 <= 1 + 1e-9
    for measure in (kendall_tau, tau_ap):
        value = measure(first, second)
        assert math.isnan(value) or -1 <= value <= 1 + 1e-12
        assert value == pytest.approx(measure(second, first), nan_ok=True)
