"""Significance of paired differences: tests of two systems, Tukey's test and corrections for many comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toysearch.base import ArgumentError, Rows, a, expect, expect_name, expect_seed, numbers
from toysearch.evaluation import Measure
from toysearch.evaluation.intervals import FEWEST, check_alpha, half_widths, interval_name

__all__ = ["CORRECTIONS", "TESTS", "TestResult", "corrected", "paired_test", "randomised_tukey"]


PERMUTATIONS = 100_000
"""Default number of sign flips: a p of 0.05 is then known to ±0.0014."""

ROUNDING = 1e-10
"""Sums within this share of the sum of all sizes are equal: they differ only in the order of addition."""


_BLOCK = 1 << 20  # signs flipped, or values permuted, at a time: 8 MB


class SignFlips(NamedTuple):
    """Outcome of a sign-flip test for each column of differences."""

    p: np.ndarray  # (systems,) float64; two-sided
    # low, high: (systems,) float64; the interval of the mean difference; infinite if there are too few queries
    low: np.ndarray
    high: np.ndarray
    exact: bool  # true if all sign flips were enumerated


def sign_flip_test(
    differences: np.ndarray, *, alpha: float | np.ndarray = 0.05, seed: int = 0, permutations: int = PERMUTATIONS
) -> SignFlips:
    """Test mean differences of many systems at once by Fisher's paired two-sided permutation test."""
    # differences: (queries, systems) float64; alpha: one for all systems, or one for each. p is the share of sign flips
    # whose sum is at least as far from 0 as the observed one. Flipping all signs changes nothing, so there are 2ⁿ⁻¹
    # distinct flips. If that exceeds `permutations`, that many are drawn and the observed one is counted too: p =
    # (count + 1) / (permutations + 1), never 0. The interval holds the values that the test would not reject as the
    # mean difference: by the theorem of typical values its ends are quantiles of the means of subsets of the
    # differences (the unflipped and the flipped ones). Fisher, The Design of Experiments, 1935, §21. Smucker, Allan &
    # Carterette, "A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007. The
    # count plus one: Phipson & Smyth, Statistical Applications in Genetics and Molecular Biology 9(1), 2010. Interval:
    # Hartigan, "Using subsample values as typical values", JASA 64, 1969.
    n, systems = differences.shape
    exact = n <= 63 and 2 ** (n - 1) <= permutations
    # The first flip changes no sign: it is the observed one.
    total = 2 ** (n - 1) if exact else permutations + 1
    whole = differences.sum(axis=0)
    slack = ROUNDING * np.abs(differences).sum(axis=0)
    as_far = np.zeros(systems, np.int64)
    subsets = list[np.ndarray]()
    for turned in _flips(n, total, exact, seed):
        of_turned = turned @ differences
        sizes = turned.sum(axis=1)[:, np.newaxis]
        as_far += (np.abs(whole - 2 * of_turned) >= np.abs(whole) - slack).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            subsets += [of_turned / sizes, (whole - of_turned) / (n - sizes)]
    typical = np.concatenate(subsets)
    low, high = np.full(systems, -np.inf), np.full(systems, np.inf)
    for system, level in enumerate(np.broadcast_to(alpha, systems).tolist()):
        rank = int(level * total + 1e-9)
        if rank:  # the ends are values of this rank, without the mean of the empty subset
            means = typical[~np.isnan(typical[:, system]), system]
            low[system] = np.partition(means, rank - 1)[rank - 1]
            high[system] = np.partition(means, -rank)[-rank]
    return SignFlips(as_far / total, low, high, exact)


def _flips(n: int, total: int, exact: bool, seed: int) -> Iterator[np.ndarray]:
    """Yield rows of 1 for a flipped sign and 0 for an unflipped one; the first row flips none."""
    rng = np.random.default_rng(seed)
    most = max(1, _BLOCK // n)
    for start in range(0, total, most):
        rows = min(most, total - start)
        if exact:
            numbers = np.arange(start, start + rows, dtype=np.int64)
            yield ((numbers[:, np.newaxis] >> np.arange(n)) & 1).astype(np.float64)
        else:
            tossed = rng.integers(0, 256, size=(rows, -(-n // 8)), dtype=np.uint8)
            turned = np.unpackbits(tossed, axis=1, count=n)
            turned[: start == 0] = 0
            yield turned.astype(np.float64)


RESAMPLES = 10_000
"""Default number of samples: a p of 0.05 is then known to ±0.004."""

_RESAMPLES_AT_ONCE = 1 << 20  # the number of values drawn at a time
_ROUNDING = 1e-9  # of a standard error: what is nearer is equal but for rounding


def bootstrap_test(differences: np.ndarray, alpha: float, seed: int, resamples: int) -> tuple[float, float, float]:
    """Test a mean difference by the studentised paired bootstrap: the two-sided p, and the ends of the interval.

    >>> p, low, high = bootstrap_test(np.array([0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.0, 0.2]), 0.05, 0, 10_000)
    >>> p < 0.05 < 0.2 < high, low > 0
    (True, True)
    """
    # differences: (queries,) float64. With d̄ the mean and s the deviation of the n differences, t = √n·d̄ / s. Samples
    # of n are drawn with replacement from the differences minus d̄, for which the null hypothesis is true, and t* is
    # computed for each: p = (number of |t*| ≥ |t|, plus 1) / (resamples + 1). The interval is d̄ ± q·s/√n, where q is
    # the matching quantile of |t*|: it holds the values that the test would not reject. Sakai, "Evaluating evaluation
    # metrics based on the bootstrap", SIGIR 2006. Efron & Tibshirani, An Introduction to the Bootstrap, 1993, §16.4.
    # The symmetric interval: Hall, J. of the Royal Statistical Society B 50, 1988.
    n, mean = differences.size, float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    rng, centred = np.random.default_rng(seed), differences - mean
    drawn = np.empty(resamples)
    rows = max(1, _RESAMPLES_AT_ONCE // n)
    for start in range(0, resamples, rows):
        sample = centred[rng.integers(n, size=(min(rows, resamples - start), n))]
        same = (sample == sample[:, :1]).all(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.abs(sample.mean(axis=1)) / (sample.std(axis=1, ddof=1) / math.sqrt(n))
        ratios[same] = np.where(np.abs(sample[same, 0]) < _ROUNDING * error, 0, np.inf)  # a sample of equal values
        drawn[start : start + rows] = ratios
    as_far = int((drawn >= abs(mean / error) - _ROUNDING).sum())
    rank = int(alpha * (resamples + 1) + 1e-9)
    farthest = float(np.partition(drawn, -rank)[-rank]) if rank else math.inf
    return (as_far + 1) / (resamples + 1), mean - farthest * error, mean + farthest * error


DECIMALS = 12
"""Decimal places kept of differences: the rest is rounding error and would break ties at random."""

_MOST_EXACT = 50  # untied differences up to which the exact distribution of Wilcoxon's statistic is used
_TOGETHER = 16  # columns of differences flipped in one product: 50 MB with 100,000 flips
_MOST_TIED = 17  # tied differences up to which all sign flips of the ranks are enumerated


class _TestResult(NamedTuple):
    test: str
    n: int
    mean: float
    low: float
    high: float
    p: float
    effect: float


class TestResult(Rows, _TestResult):
    """Result of a test of the differences between a system and a baseline.

    Attributes
    ----------
    test : str
        The name of the test.
    n : int
        The number of queries.
    mean : float
        The mean difference.
    low, high : float
        Its interval of level 1 − alpha; infinite if there are too few queries.
    p : float
        Two-sided.
    effect : float
        Cohen's d_z: the mean difference divided by the standard deviation. 0 if all differences are 0, infinite if
        all are equal but not 0, NaN for one query.
    """

    __test__ = False  # pytest would take it for a class of tests

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of the interval, as every view gives them; None for fewer than 5 queries, for which it is too wide."""
        return (self.low, self.high) if self.n >= FEWEST else None


class _Asked(NamedTuple):
    alpha: np.ndarray  # (systems,) float64: 1 minus the level of each interval
    seed: int
    permutations: int
    resamples: int


_Found = tuple[np.ndarray, np.ndarray, np.ndarray]  # p, low and high of each column


class SignificanceTest(NamedTuple):
    """Test: its function for p and interval, and its question."""

    function: Callable[[np.ndarray, _Asked], _Found]
    asks: str


def _student_interval(differences: np.ndarray, request: _Asked) -> tuple[np.ndarray, np.ndarray]:
    from scipy.special import stdtrit  # not scipy.stats, which takes a second to import

    means, quantiles = differences.mean(axis=0), stdtrit(len(differences) - 1, 1 - request.alpha / 2)
    half = half_widths(differences, quantiles)
    return means - half, means + half


def _t(differences: np.ndarray, request: _Asked) -> _Found:
    from scipy.special import stdtr  # not scipy.stats, which takes a second to import

    n = len(differences)
    t = differences.mean(axis=0) * math.sqrt(n) / differences.std(axis=0, ddof=1)
    return 2 * stdtr(n - 1, -np.abs(t)), *_student_interval(differences, request)


def _wilcoxon(differences: np.ndarray, request: _Asked) -> _Found:
    from scipy.stats import rankdata, wilcoxon

    p = []
    for column in differences.T:
        moved = column[column != 0]
        sizes = np.abs(moved)
        tied = np.unique(sizes).size < sizes.size
        if tied and moved.size <= _MOST_TIED:  # too few for the normal approximation
            signed = np.sign(moved) * rankdata(sizes)
            p.append(sign_flip_test(signed[:, np.newaxis], permutations=2**_MOST_TIED).p[0])
        else:
            method = "approx" if tied or moved.size > _MOST_EXACT else "exact"
            p.append(wilcoxon(moved, method=method).pvalue)
    return np.array(p), *_student_interval(differences, request)


def _sign(differences: np.ndarray, request: _Asked) -> _Found:
    from scipy.stats import binomtest

    wins, losses = (differences > 0).sum(axis=0).tolist(), (differences < 0).sum(axis=0).tolist()
    p = np.array([binomtest(won, won + lost).pvalue for won, lost in zip(wins, losses, strict=True)])
    return p, *_student_interval(differences, request)


def side_of_test(test: str, differences: np.ndarray) -> int:
    """Return the side that a test finds, 1 or −1: most signs, most signed ranks, or the mean; 0 for neither.

    >>> [side_of_test(test, np.array([-0.1, -0.1, -0.1, 0.9])) for test in ("t", "wilcoxon", "sign")]
    [1, -1, -1]
    """
    if test not in ("sign", "wilcoxon"):
        return int(np.sign(mean_of(differences)))
    moved = np.round(differences, DECIMALS)
    moved = moved[moved != 0]
    weights = np.ones(len(moved))
    if test == "wilcoxon":
        from scipy.stats import rankdata

        weights = rankdata(np.abs(moved))
    return int(np.sign((np.sign(moved) * weights).sum()))


def _permutation(differences: np.ndarray, request: _Asked) -> _Found:
    parts = [
        sign_flip_test(
            differences[:, start : start + _TOGETHER],
            alpha=request.alpha[start : start + _TOGETHER],
            seed=request.seed,
            permutations=request.permutations,
        )
        for start in range(0, differences.shape[1], _TOGETHER)
    ]
    p, low, high = (np.concatenate(arrays) for arrays in zip(*(part[:3] for part in parts), strict=True))
    return p, low, high


def _bootstrap(differences: np.ndarray, request: _Asked) -> _Found:
    results = [
        bootstrap_test(column, alpha, request.seed, request.resamples)
        for column, alpha in zip(differences.T, request.alpha.tolist(), strict=True)
    ]
    p, low, high = np.array(results).T
    return p, low, high


TESTS: Mapping[str, SignificanceTest] = MappingProxyType(
    {
        "t": SignificanceTest(_t, "is the mean difference 0?"),  # Student, Biometrika 6, 1908
        "wilcoxon": SignificanceTest(  # Wilcoxon 1945
            _wilcoxon, "are the differences symmetric about 0, by their signed ranks?"
        ),
        "sign": SignificanceTest(_sign, "are wins as likely as losses?"),  # Conover 1999, §3.4
        "permutation": SignificanceTest(  # Fisher 1935
            _permutation, "are the systems' names exchangeable within each query?"
        ),
        "bootstrap": SignificanceTest(  # Sakai 2006
            _bootstrap, "is the mean difference over all possible queries 0?"
        ),
    }
)


def paired_test(
    differences: ArrayLike,
    test: str = "t",
    *,
    alpha: float = 0.05,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    resamples: int = RESAMPLES,
) -> TestResult:
    """Test a system against a baseline on the same queries, two-sided.

    The interval is always an interval of the mean difference: Student's for "t", "wilcoxon" and "sign", of typical
    values for "permutation", studentised for "bootstrap". The rank and sign tests do not test the mean, so their p and
    the interval may disagree; with the other three the interval excludes 0 exactly when p ≤ alpha.

    Conventions: differences are rounded to 12 decimal places, except for their mean. If all are 0, p is 1 and the
    interval [0, 0]. With one query, p is 1 and the interval infinite. If all differences are equal
    but not 0, Student's t is infinite: p of "t" and "bootstrap" is 0, and the interval is a point. Wilcoxon's test
    and the sign test drop differences of 0. In Wilcoxon's test ties share their mean rank, and all sign flips of the
    ranks are enumerated for up to 17 differences; beyond that the normal approximation is used. Without ties the
    exact distribution is used up to 50.

    Parameters
    ----------
    differences : array_like of float, shape (queries,)
        Value of the system minus that of the baseline.
    test : {"t", "wilcoxon", "sign", "permutation", "bootstrap"}, default "t"
        One of `TESTS`.
    alpha : float, default 0.05
        1 minus the level of the interval, between 0 and 1.
    seed : int, default 0
        The seed of "permutation" and "bootstrap".
    permutations : int, default 100,000
        The number of sign flips that "permutation" draws; if there are no more than that, all are enumerated.
    resamples : int, default 10,000
        The number of samples that "bootstrap" draws.

    Returns
    -------
    TestResult

    Raises
    ------
    ArgumentError
        If the test is unknown, there is no difference, a difference is not finite, or alpha is out of range.

    References
    ----------
    Smucker, Allan & Carterette, CIKM 2007, compare the tests for retrieval. d_z: Cohen, Statistical Power Analysis for
    the Behavioral Sciences, 1988, §2.3.5; Lakens, Frontiers in Psychology 4:863, 2013.

    Examples
    --------
    Five queries; t = 2.45 with 4 degrees of freedom:

    >>> found = paired_test([0.1, 0.2, 0.0, 0.1, 0.1])
    >>> round(found.mean, 4), round(found.p, 4), round(found.effect, 4)
    (0.1, 0.0341, 1.4142)
    >>> paired_test([0.1, 0.2, 0.0, 0.1, 0.1], "sign").p
    0.125
    """
    expect_seed(seed)
    check_alpha(alpha)
    if not isinstance(test, str):
        raise ArgumentError(f"test must be a name such as 't', not {a(test)}; two systems are one list of differences")
    expect(int, permutations=permutations, resamples=resamples)
    values = numbers(differences, "differences")
    if values.ndim != 1 or not values.size:
        raise ArgumentError(f"differences must be a row of at least one number, not an array of shape {values.shape}")
    return paired_tests(
        values[:, np.newaxis], test, alpha=alpha, seed=seed, permutations=permutations, resamples=resamples
    )[0]


def paired_tests(
    differences: np.ndarray,
    test: str = "t",
    *,
    alpha: float | np.ndarray = 0.05,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    resamples: int = RESAMPLES,
) -> list[TestResult]:
    """Test many systems in the same way, each against its own baseline: `paired_test` of each column."""
    # differences: (queries, systems) float64; alpha: one for all systems, or one for each.
    expect_name("test", test, TESTS)
    if min(permutations, resamples) < 1:
        raise ArgumentError("permutations and resamples must be at least 1")
    values = np.round(differences, DECIMALS)
    if not np.isfinite(values).all():
        raise ArgumentError("differences must be finite; drop the queries without a value")
    # The mean is that of the differences as given: rounded ones would bring noise into digits that are shown.
    n, means = len(values), np.array([mean_of(column) for column in np.transpose(differences)])
    means[~values.any(axis=0)] = 0.0
    if n == 1:
        return [TestResult(test, n, mean, -math.inf, math.inf, 1.0, math.nan) for mean in means.tolist()]
    effects = np.array([effect_size(column) for column in values.T])
    p, low, high = np.where(effects == 0, 1.0, 0.0), means.copy(), means.copy()  # the result if no test is needed
    open_ = values.any(axis=0) & ~(np.isinf(effects) & (test in ("t", "bootstrap")))
    if open_.any():
        request = _Asked(np.broadcast_to(alpha, means.shape)[open_], seed, permutations, resamples)
        p[open_], low[open_], high[open_] = TESTS[test].function(values[:, open_], request)
    # The ends are rounded like the differences, so an end of 0 is exactly 0 and includes it.
    columns = (column.tolist() for column in (means, low.round(DECIMALS), high.round(DECIMALS), p, effects))
    return [TestResult(test, n, *row) for row in zip(*columns, strict=True)]


def finite_differences(after: np.ndarray | Sequence[float], before: np.ndarray | Sequence[float]) -> np.ndarray:
    """Differences of the pairs whose two values are finite; a value may be undefined (NaN) or infinite (ESL)."""
    after, before = np.asarray(after, np.float64), np.asarray(before, np.float64)
    both = np.isfinite(after) & np.isfinite(before)
    return np.asarray(after[both] - before[both])


def effect_size(differences: np.ndarray) -> float:
    """Cohen's d_z: the mean of the differences divided by their standard deviation (denominator n − 1)."""
    # differences: (queries,) float64.
    if (differences == differences[0]).all():  # rounding would make the deviation slightly more than 0
        return math.copysign(math.inf, differences[0]) if differences[0] else 0.0
    return float(differences.mean() / differences.std(ddof=1))


def _holm(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    # A larger p-value can never be rejected before a smaller one.
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return adjusted


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"))


CORRECTIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = MappingProxyType(
    {
        "holm": _holm,
        "bonferroni": lambda p: p * p.size,
        "bh": _benjamini_hochberg,
        "none": lambda p: p,
    }
)
"""Corrections by name. Holm (1979) and Bonferroni (Dunn, JASA 56, 1961) bound the probability of any false rejection,
for tests of any dependence; Benjamini and Hochberg (1995) the expected share of false ones among all rejections, for
independent or positively dependent tests, such as those against one baseline."""


def corrected(p_values: ArrayLike, correction: str = "holm") -> np.ndarray:
    """Correct p-values for their number; compare each with alpha.

    With m p-values, p₍₁₎ ≤ … ≤ p₍ₘ₎: Bonferroni gives m·p; Holm max over j ≤ i of (m − j + 1)·p₍ⱼ₎; Benjamini and
    Hochberg min over j ≥ i of (m/j)·p₍ⱼ₎; all are capped at 1.

    Parameters
    ----------
    p_values : array_like of float
        Any shape, each in [0, 1]. NaN (a comparison that could not be made) stays NaN and does not count.
    correction : {"holm", "bonferroni", "bh", "none"}, default "holm"
        One of `CORRECTIONS`.

    Returns
    -------
    ndarray of float64
        Same shape as `p_values`.

    Raises
    ------
    ArgumentError
        If the correction is unknown, or a value is not in [0, 1].

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    Benjamini & Hochberg, "Controlling the false discovery rate", J. of the Royal Statistical Society B 57, 1995.

    Examples
    --------
    >>> corrected([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    >>> corrected([0.01, 0.04, 0.03], "bonferroni").round(6).tolist()
    [0.03, 0.12, 0.09]
    >>> corrected([0.01, 0.04, 0.03], "bh").round(6).tolist()
    [0.03, 0.04, 0.04]
    """
    expect_name("correction", correction, CORRECTIONS)
    values = numbers(p_values, "p_values").copy()
    defined = ~np.isnan(values)
    of_defined = values[defined]
    if not ((of_defined >= 0) & (of_defined <= 1)).all():
        wrong = of_defined[(of_defined < 0) | (of_defined > 1)][0]
        raise ArgumentError(f"a p-value must be a number from 0 to 1, not {wrong:g}")
    if of_defined.size:
        values[defined] = np.minimum(CORRECTIONS[correction](of_defined), 1)
    return values


JOINT_PERMUTATIONS = 20_000
"""Default number of permutations: a p of 0.05 is then known to ±0.003."""


class HonestDifferences(NamedTuple):
    """Outcome for all pairs of systems."""

    p: np.ndarray  # (systems, systems) float64, corrected for all pairs; 1 on the diagonal
    # The difference of two means at which p is at most alpha: half the width of the simultaneous intervals of all
    # differences. Infinite if there are too few permutations
    critical: float


def randomised_tukey(
    values: np.ndarray, *, alpha: float = 0.05, seed: int = 0, permutations: int = JOINT_PERMUTATIONS
) -> HonestDifferences:
    """Test all pairs of systems by the randomised Tukey HSD test.

    If all systems were the same, the values of each query could be permuted freely among the systems. Each of many
    permutations gives new means; their largest minus their smallest is the largest difference that any pair shows by
    chance. The p of a pair is the share of permutations, including the observed one, whose range is at least the
    difference of the pair. So p is corrected for all pairs: the probability of any false rejection is at most alpha.
    With two systems it is the sign-flip test. (``tukey_hsd`` of scipy assumes independent samples, but the same
    queries are hard for all systems.)

    Parameters
    ----------
    values : ndarray of float64, shape (queries, systems)
        The value of the measure for each query and system.
    alpha : float, default 0.05
        1 minus the level of the simultaneous intervals.
    seed : int, default 0
        The seed of the permutations.
    permutations : int, default 20,000
        The number of permutations drawn.

    Returns
    -------
    HonestDifferences

    Raises
    ------
    ArgumentError
        If there are fewer than two systems or no query, or a value is not finite.

    References
    ----------
    Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM
    TOIS 30(1), 2012.

    Examples
    --------
    The third system is better; the first two differ by chance:

    >>> first = np.arange(20) / 40
    >>> found = randomised_tukey(np.stack([first, first + 0.01 * (-1.0) ** np.arange(20), first + 0.2], axis=1))
    >>> (found.p < 0.05).tolist()
    [[False, False, True], [False, False, True], [True, True, False]]
    """
    expect_seed(seed)
    values = numbers(values, "values")
    if values.ndim != 2 or values.shape[1] < 2 or not values.size:
        raise ArgumentError(
            "expected values with one row per query and one column per system (two or more), found shape "
            f"{values.shape}"
        )
    if not np.isfinite(values).all():
        raise ArgumentError("values must be finite; drop the queries for which a system has no value")
    means = values.mean(axis=0)
    differences = np.abs(means[:, np.newaxis] - means)
    slack = ROUNDING * float(np.abs(values).max(axis=1).sum()) / len(values)
    ranges = np.concatenate(list(_ranges(values, seed, permutations)))
    as_large = permutations - np.searchsorted(np.sort(ranges), differences - slack)
    p = (as_large + 1) / (permutations + 1)
    np.fill_diagonal(p, 1)
    rank = int(alpha * (permutations + 1) + 1e-9)
    return HonestDifferences(p, float(np.partition(ranges, -rank)[-rank]) if rank else math.inf)


def _ranges(values: np.ndarray, seed: int, permutations: int) -> Iterator[np.ndarray]:
    """Yield the range of the means in each permutation, one block of permutations at a time."""
    rng = np.random.default_rng(seed)
    queries, systems = values.shape
    rows = max(1, _BLOCK // values.size)
    for start in range(0, permutations, rows):
        some = min(rows, permutations - start)
        shuffled = np.repeat(values.T[:, np.newaxis, :], some, axis=1).reshape(systems, -1)
        columns = np.arange(some * queries)
        for last in range(systems - 1, 0, -1):  # Fisher–Yates shuffle of all columns at once
            chosen = rng.integers(0, last, size=columns.size, dtype=np.uint16, endpoint=True)
            moved = shuffled[chosen, columns]
            shuffled[chosen, columns] = shuffled[last]
            shuffled[last] = moved
        means = shuffled.reshape(systems, some, queries).mean(axis=2)
        yield means.max(axis=0) - means.min(axis=0)


TUKEY = "tukey"
"""Name of the randomised Tukey HSD test, which covers all pairs."""


class Pair(NamedTuple):
    """System compared with another one by a measure."""

    # measure, system, other: the text form of the measure and the names; `other` is the baseline, if there is one
    measure: str
    system: str
    other: str
    result: TestResult  # the test of the differences, `system` minus `other`
    p: float  # the p of the test, corrected for all comparisons made
    # wins, ties, losses: the number of queries where `system` is better than `other`, equal, worse
    wins: int
    ties: int
    losses: int

    @property
    def sign(self) -> int:
        """−1 if lower values of the measure are better, else 1."""
        return Measure.parse(self.measure).sign


def interval_source(test: str) -> str:
    """Return whose interval stands beside the p of a test without one of its own; "" for the others."""
    return " by Student's t" if test in ("sign", "wilcoxon") else ""


class Procedure(NamedTuple):
    """Choices that a comparison of systems makes."""

    test: str  # one of `toysearch.study.compare.significance.TESTS`, or "tukey"
    correction: str  # one of `toysearch.study.compare.significance.CORRECTIONS`
    alpha: float  # the significance level
    seed: int  # the seed of random tests
    family: str = "all"  # "all" | "measure": correct all tests together, or those by one measure
    tried: int = 0  # the settings tried on the queries in all, which Bonferroni's correction counts; 0: those compared
    margin: float = 0.0  # a system is to be shown not worse than the baseline by this or more; 0: not asked

    @property
    def interval(self) -> str:
        """Name of the intervals, with their source where the test has none of its own."""
        return f"{interval_name(self.alpha)}{interval_source(self.test)}"

    @property
    def shares_measures(self) -> bool:
        """True if the correction counts the measures too."""
        return self.family == "all" and self.correction != "none"

    def comparisons(self, pairs: int, measures: int) -> int:
        """Number of comparisons that p is corrected for: those of this family, or all that were tried."""
        return max(pairs, (self.tried - 1) * measures)

    def level_of_first(self, pairs: int, measures: int) -> float:
        """Level that the smallest p of a family has to reach: alpha, divided by their number for Holm, Bonferroni."""
        is_divided = self.test == TUKEY or self.correction in ("holm", "bonferroni")
        return self.alpha / (self.comparisons(pairs, measures) if is_divided else 1)

    def corrected(self, p_values: ArrayLike, measures: int) -> np.ndarray:
        """Correct the p-values of a family for it, or multiply them for all settings tried."""
        if not self.tried:
            return corrected(p_values, self.correction)
        values = np.asarray(p_values, np.float64)
        return np.minimum(values * self.comparisons(values.size, measures), 1)

    def factors(self, p_values: np.ndarray, measures: int) -> np.ndarray:
        """Return what the correction multiplies each p of a family by, also beyond 1."""
        n = self.comparisons(p_values.size, measures)
        if self.tried:
            return np.full(p_values.size, float(n))
        beyond = CORRECTIONS[self.correction](p_values)
        largest = 1 if self.correction == "none" else n
        factors = np.full(p_values.size, float(largest))
        np.divide(beyond, p_values, out=factors, where=p_values > 0)
        return factors


class Tested(NamedTuple):
    """Test of a difference among others: `result` with p alone, and the corrected p.

    The level of the interval is corrected by the same factor: 1 − alpha · p alone / p corrected.
    """

    result: TestResult
    p: float


def corrected_tests(tables: Sequence[np.ndarray], how: Procedure, measures: int = 1) -> list[Tested]:
    """Test the columns of tables of differences, and correct p and the intervals for all of them together.

    So the interval of a test whose own interval agrees with its p excludes 0 exactly if the corrected p is at most
    alpha. Bonferroni's intervals hold simultaneously. Those of Holm's and of Benjamini and Hochberg's method decide
    like their p, which says less: their level depends on the data.

    >>> pair = np.array([[0.1, 0.01], [0.2, -0.1], [0.0, 0.1], [0.1, 0.05], [0.1, 0.0]])
    >>> for tested in corrected_tests([pair], Procedure("t", "bonferroni", 0.05, 0)):
    ...     print(round(tested.result.p, 4), round(tested.p, 4), round(tested.result.low, 4))
    0.0341 0.0682 -0.0105
    0.7351 1.0 -0.1036
    """
    # tables: (queries, systems) float64 each
    alone = [result for table in tables for result in paired_tests(table, how.test, alpha=how.alpha, seed=how.seed)]
    p_values = np.array([result.p for result in alone])
    factors = how.factors(p_values, measures)
    if (factors > 1).any():
        ends = np.cumsum([table.shape[1] for table in tables])
        levels = np.split(how.alpha / factors, ends[:-1])
        pairs = zip(tables, levels, strict=True)
        alone = [one for table, level in pairs for one in paired_tests(table, how.test, alpha=level, seed=how.seed)]
    return list(map(Tested, alone, how.corrected(p_values, measures).tolist()))


def tested_pairs(
    values: Mapping[str, np.ndarray],
    measures: Sequence[Measure],
    names: Sequence[str],
    compared: Sequence[tuple[str, str]],
    how: Procedure,
) -> tuple[Pair, ...]:
    """Test pairs for each measure; p is corrected for all of them or for those by the same measure."""
    # values: measure → (queries, systems) float64.
    if not compared:
        return ()
    places = np.array([[names.index(first), names.index(second)] for first, second in compared])
    tables = [values[measure.text] for measure in measures]
    differences = [table[:, places[:, 0]] - table[:, places[:, 1]] for table in tables]
    outcomes: list[tuple[int, int, int]] = []
    for measure, of_pairs in zip(measures, differences, strict=True):
        signs = np.sign(np.round(of_pairs, DECIMALS)) * measure.sign
        wins, ties, losses = ((signs == side).sum(axis=0).tolist() for side in (1, 0, -1))
        outcomes += zip(wins, ties, losses, strict=True)
    if how.test == TUKEY:
        # Tukey's test corrects for all pairs of systems by one measure only.
        factor = len(measures) if how.shares_measures else 1
        tested = []
        for table, of_pairs in zip(tables, differences, strict=True):
            p_values, critical = randomised_tukey(table, alpha=how.alpha / factor, seed=how.seed)
            for (first, second), column in zip(places.tolist(), of_pairs.T, strict=True):
                n, mean, p = len(column), mean_of(column), float(p_values[first, second])
                effect = effect_size(np.round(column, DECIMALS)) if n > 1 else math.nan
                ends = round(mean - critical, DECIMALS), round(mean + critical, DECIMALS)
                tested.append(Tested(TestResult(how.test, n, mean, *ends, p, effect), min(1.0, p * factor)))
    else:
        families = [differences] if how.shares_measures else [[of_pairs] for of_pairs in differences]
        tested = [one for family in families for one in corrected_tests(family, how, len(measures))]
    keys = [(measure.text, *pair) for measure in measures for pair in compared]
    rows = zip(keys, tested, outcomes, strict=True)
    return tuple(Pair(*key, result, p, *outcome) for key, (result, p), outcome in rows)


def mean_of(values: np.ndarray) -> float:
    """Mean, rounded once: it does not depend on the order of the queries."""
    # values: (queries,) float64.
    return math.fsum(values.tolist()) / len(values)
