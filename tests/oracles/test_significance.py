"""Tests of significance: scipy.stats on the same differences, and slow loops written down from the definitions."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import stats
from tiers import thinned

from toysearch.study.compare.significance import corrected, paired_test, sign_flip_test

SEEDS = range(6)


def differences(seed: int, n: int, tied: bool = False) -> np.ndarray:
    """Differences as between two systems; tied ones are tenths, a third of them 0."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(0.03, 0.15, n)
    return np.where(rng.random(n) < 1 / 3, 0.0, drawn.round(1)) if tied else drawn


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [2, 5, 12, 40, 225])
@pytest.mark.parametrize("seed", SEEDS)
def test_t_is_scipys(seed, n, tied):
    drawn = differences(seed, n, tied)
    drawn[0] += 0.25  # not all the same
    theirs = stats.ttest_1samp(drawn, 0)
    ours = paired_test(drawn, "t", alpha=0.1)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-9)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.9)), abs=1e-9)
    assert ours.effect == pytest.approx(theirs.statistic / math.sqrt(n), abs=1e-9)


@pytest.mark.parametrize("n", [5, 12, 40, 50, 51, 225])
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_is_scipys(seed, n):
    drawn = differences(seed, n)
    method = "exact" if n <= 50 else "approx"
    assert paired_test(drawn, "wilcoxon").p == pytest.approx(stats.wilcoxon(drawn, method=method).pvalue, abs=1e-9)


@pytest.mark.parametrize("n", [80, 225])
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_with_many_ties_is_scipys_approximation(seed, n):
    drawn = differences(seed, n, tied=True)
    theirs = stats.wilcoxon(drawn, zero_method="wilcox", method="approx").pvalue
    assert paired_test(drawn, "wilcoxon").p == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_with_few_ties_is_scipys_permutation_of_ranks(seed):
    drawn = differences(seed, 14, tied=True)
    moved = drawn[drawn != 0]
    signed = np.sign(moved) * stats.rankdata(np.abs(moved))
    theirs = stats.permutation_test((signed,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert paired_test(drawn, "wilcoxon").p == pytest.approx(theirs.pvalue, abs=1e-9)


@pytest.mark.parametrize("n", [5, 12, 225])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_sign_test_is_scipys(seed, n):
    drawn = differences(seed, n, tied=True)
    drawn[0] = 0.1
    wins, losses = int((drawn > 0).sum()), int((drawn < 0).sum())
    assert paired_test(drawn, "sign").p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, abs=1e-9)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [2, 3, 8, 13])
@pytest.mark.parametrize("seed", SEEDS)
def test_all_sign_flips_are_scipys(seed, n, tied):
    drawn = differences(seed, n, tied)
    drawn[0] = 0.1
    theirs = stats.permutation_test((drawn,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert paired_test(drawn, "permutation").p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.system
@pytest.mark.parametrize("seed", thinned(SEEDS, 3))
def test_drawn_sign_flips_agree_with_scipys_within_their_own_error(seed):
    drawn = differences(seed, 60)
    theirs = stats.permutation_test(
        (drawn,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=50_000, vectorized=True,
        rng=np.random.default_rng(seed),
    ).pvalue  # fmt: skip
    ours = paired_test(drawn, "permutation", seed=seed).p
    error = math.sqrt(theirs * (1 - theirs) * (1 / 50_000 + 1 / 100_000)) + 1e-4
    assert abs(ours - theirs) < 4 * error


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_sign_flips_agree_with_all_of_them(seed):
    drawn = differences(seed, 12)[:, np.newaxis]
    every, some = sign_flip_test(drawn), sign_flip_test(drawn, permutations=2_000, seed=seed)
    assert (every.exact, some.exact) == (True, False)
    assert abs(every.p - some.p)[0] < 4 * math.sqrt(every.p[0] / 2_000) + 1e-3
    assert abs(every.low - some.low)[0] < 0.03
    assert abs(every.high - some.high)[0] < 0.03


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.25])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_permutation_interval_is_what_the_test_does_not_reject(seed, alpha):
    drawn = differences(seed, 9)
    found = paired_test(drawn, "permutation", alpha=alpha)

    def p_of(mean: float) -> float:
        moved = [value - mean for value in drawn]
        sums = [abs(sum(s * v for s, v in zip(signs, moved, strict=True)))
                for signs in itertools.product((1, -1), repeat=len(moved))]  # fmt: skip
        return sum(each >= abs(sum(moved)) - 1e-12 for each in sums) / len(sums)

    for end, inside in ((found.low, 1e-6), (found.high, -1e-6)):
        assert p_of(end + inside) > alpha
        assert p_of(end - inside) <= alpha


@pytest.mark.system
@pytest.mark.parametrize("seed", SEEDS)
def test_the_bootstrap_agrees_with_a_slow_loop_within_their_error(seed):
    drawn = differences(seed, 30)
    rng, n, resamples = np.random.default_rng(100 + seed), len(drawn), 4_000
    centred = [value - sum(drawn) / n for value in drawn]

    def ratio(values: list[float]) -> float:
        mean = sum(values) / n
        return abs(mean) / math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)

    drawn_ratios = sorted(ratio([centred[i] for i in rng.integers(n, size=n)]) for _ in range(resamples))
    expected = sum(each >= ratio(list(drawn)) for each in drawn_ratios) / resamples
    found = paired_test(drawn, "bootstrap", seed=seed)
    assert abs(found.p - expected) < 4 * math.sqrt(expected * (1 - expected) * (1 / resamples + 1e-4)) + 1e-3
    quantile = drawn_ratios[int(0.95 * resamples)]
    assert (found.high - found.mean) * math.sqrt(n) / drawn.std(ddof=1) == pytest.approx(quantile, rel=0.06)


@pytest.mark.parametrize("seed", SEEDS)
def test_benjamini_and_hochberg_and_holm_by_their_definitions(seed):
    p = np.random.default_rng(seed).random(12) ** 3
    for alpha in (0.01, 0.05, 0.2):
        ordered = sorted(p)
        steps = [i for i, value in enumerate(ordered, 1) if value <= i * alpha / 12]
        assert (corrected(p, "bh") <= alpha).sum() == max(steps, default=0)
        kept = next((i for i, value in enumerate(ordered) if value > alpha / (12 - i)), 12)
        assert (corrected(p, "holm") <= alpha).sum() == kept


@pytest.mark.system
def test_nothing_of_scipy_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for test in ("t", "wilcoxon", "sign", "permutation", "bootstrap"):
            for drawn in ([0.1] * 30, [0.0, 0.1], [0.1, -0.1] * 10, [0.2] * 29 + [0.1]):
                paired_test(drawn, test)


@pytest.mark.parametrize("drawn", [[0.3, 0.1, 0.25, -0.05], [0.5, 0.2, -0.1, 0.15, 0.3]], ids=["four", "five"])
def test_the_bootstrap_of_few_queries_is_what_all_samples_say(drawn):
    n, mean = len(drawn), sum(drawn) / len(drawn)

    def ratio(values: tuple[float, ...]) -> float:
        own = sum(values) / n
        error = math.sqrt(sum((value - own) ** 2 for value in values) / (n - 1) / n)
        return abs(own) / error if error > 1e-12 else math.inf

    every = [ratio(sample) for sample in itertools.product([value - mean for value in drawn], repeat=n)]
    assert len(every) == n**n
    expected = sum(each >= ratio(tuple(drawn)) - 1e-9 for each in every) / len(every)
    found = paired_test(drawn, "bootstrap", resamples=40_000)
    assert abs(found.p - expected) < 4 * math.sqrt(expected * (1 - expected) / 40_000)
