"""Agreement of rankings: scipy's τ, the definitions as slow loops, the values of Webber's own program."""

import math
import random
import string

import numpy as np
import pytest
from scipy import stats

from toysearch.base.errors import ArgumentError
from toysearch.files.run_arguments import as_run
from toysearch.study.compare.correlation import agreement, kendall_tau, rank_biased_overlap, tau_ap
from toysearch.workbench.judging.second_judge import tau_b

LETTERS = string.ascii_lowercase


def shuffled(seed: int, n: int) -> list[str]:
    return random.Random(seed).sample(LETTERS, n)


@pytest.mark.parametrize("n", [2, 3, 10, 26])
@pytest.mark.parametrize("seed", range(5))
def test_tau_is_scipys(seed, n):
    first, second = shuffled(seed, n), sorted(shuffled(seed, n))
    theirs = stats.kendalltau(range(n), [second.index(item) for item in first]).statistic
    assert kendall_tau(first, second) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_of_rankings_of_other_items_those_in_common_count(seed):
    first, second = shuffled(seed, 15), shuffled(seed + 100, 12)
    common = [item for item in first if item in second]
    theirs = stats.kendalltau([first.index(i) for i in common], [second.index(i) for i in common]).statistic
    assert kendall_tau(first, second) == pytest.approx(theirs, abs=1e-12)
    assert tau_ap(first, second) == tau_ap(common, [item for item in second if item in first])


@pytest.mark.parametrize("seed", range(5))
def test_tau_ap_is_its_definition(seed):
    first, second = shuffled(seed, 14), sorted(shuffled(seed, 14))
    total = 0.0
    for i in range(2, 15):  # the rank of the item that is compared with those above it
        right = sum(second.index(first[j - 1]) < second.index(first[i - 1]) for j in range(1, i))
        total += right / (i - 1)
    assert tau_ap(first, second, symmetric=False) == pytest.approx(2 * total / 13 - 1, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_of_tied_values_tau_b_is_scipys(seed):
    rng = random.Random(seed)
    first, second = ([float(rng.randrange(3)) for _ in range(5)] for _ in range(2))
    assert tau_b(np.array(first), np.array(second)) == pytest.approx(
        stats.kendalltau(first, second).statistic, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_they_are_those_of_the_orders(seed):
    first, second = (np.array(random.Random(seed + start).sample(range(9), 9), float) for start in (0, 50))
    one, other = ([*map(str, np.argsort(-values))] for values in (first, second))
    assert tau_b(first, second) == pytest.approx(kendall_tau(one, other))


@pytest.mark.parametrize("measure", [kendall_tau, tau_ap])
def test_the_ends_of_tau(measure):
    assert measure("abcde", "abcde") == 1
    assert measure("abcde", "edcba") == -1
    assert math.isnan(measure("abc", "cde"))
    assert math.isnan(measure("", ""))


def test_the_papers_example_of_overlap():
    # Webber, Moffat & Zobel 2010, Figure 5: the agreement at depths 1 to 7 is 0, 0, 2/3, 2/4, 2/5, 2/6, 2/7.
    agreements = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    for p in (0.5, 0.9, 0.98):
        found = rank_biased_overlap("abcdefg", "zcavwxy", p)
        prefix = sum((1 - p) * p**d * agreement for d, agreement in enumerate(agreements))
        assert found.extrapolated == pytest.approx(prefix + 2 / 7 * p**7)
        assert found.lowest > prefix


# The program of the paper's first author, of each list against the alphabet; p, RBO_ext to six places.
WEBBER = [
    ("drfuoxnpszeva", 0.1, 0.000246), ("akdwcjomxrubqitenhspyl", 0.1, 0.948509), ("z", 0.1, 0.0),
    ("cuxbflnmoj", 0.1, 0.003491), ("av", 0.2, 0.9), ("b", 0.2, 0.092574), ("bncxagm", 0.2, 0.105466),
    ("aweptzrs", 0.4, 0.770904), ("snaqox", 0.4, 0.046379), ("ma", 0.4, 0.200001),
    ("karfvodcjmwgzlypebunq", 0.9, 0.468431), ("zhatsimjpnkvcfxwqgoeryubd", 0.9, 0.364444), ("f", 0.9, 0.05309),
    ("zclx", 0.9, 0.233312), ("nxqyk", 0.9, 0.04905),
]  # fmt: skip


@pytest.mark.parametrize(("other", "p", "expected"), WEBBER)
def test_rbo_ext_is_what_webbers_program_says(other, p, expected):
    assert rank_biased_overlap(LETTERS, other, p).extrapolated == pytest.approx(expected, abs=6e-7)
    assert rank_biased_overlap(other, LETTERS, p) == rank_biased_overlap(LETTERS, other, p)


def residual(first: str, second: str, p: float) -> float:
    """Equation 30 of the paper, for s <= l."""
    s, l = sorted((len(first), len(second)))  # noqa: E741
    x = len(set(first) & set(second))
    f = l + s - x
    sums = [sum(p**d / d for d in range(low + 1, f + 1)) for low in (s, l, 0)]
    rest = s * sums[0] + l * sums[1] + x * (math.log(1 / (1 - p)) - sums[2])
    return p**s + p**l - p**f - (1 - p) / p * rest


@pytest.mark.parametrize("p", [0.3, 0.9, 0.98])
@pytest.mark.parametrize("seed", range(6))
def test_the_residual_is_the_papers_equation(seed, p):
    first, second = "".join(shuffled(seed, 3 + 4 * seed)), "".join(shuffled(seed + 50, 11))
    assert rank_biased_overlap(first, second, p).residual == pytest.approx(residual(first, second, p), abs=1e-10)


@pytest.mark.parametrize("p", [0.5, 0.9])
@pytest.mark.parametrize("seed", range(6))
def test_however_two_rankings_go_on_the_overlap_stays_within_its_bounds(seed, p):
    whole_first, whole_second = shuffled(seed, 26), shuffled(seed + 9, 26)
    whole = rank_biased_overlap(whole_first, whole_second, p)
    for a, b in ((3, 3), (5, 9), (20, 12), (1, 26)):
        found = rank_biased_overlap(whole_first[:a], whole_second[:b], p)
        assert found.lowest - 1e-12 <= whole.lowest
        assert whole.lowest + whole.residual <= found.lowest + found.residual + 1e-12
        assert found.lowest - 1e-12 <= found.extrapolated <= found.lowest + found.residual + 1e-12


def test_the_ends_of_overlap():
    assert rank_biased_overlap("abcdefg", "abcdefg").extrapolated == pytest.approx(1)
    assert rank_biased_overlap("abcdefg", "abcdefg").residual == pytest.approx(0.232860, abs=1e-6)
    assert rank_biased_overlap("abc", "def").extrapolated == 0
    assert rank_biased_overlap("", "abc") == pytest.approx((0, 0, 1))
    assert all(math.isnan(value) for value in rank_biased_overlap("", ""))


@pytest.mark.parametrize("p", [0, 1, 1.5])
def test_a_persistence_out_of_range_is_refused(p):
    with pytest.raises(ArgumentError) as refused:
        rank_biased_overlap("ab", "ba", p)
    assert str(refused.value) == f"the p of rank-biased overlap must be a number between 0 and 1, not {p:g}"


def test_runs_agree_in_the_mean_of_their_queries():
    first = as_run({"1": ["a", "b", "c"], "2": ["a", "b"], "3": ["x"]})
    second = as_run({"1": ["b", "a", "c"], "2": ["a", "b"], "4": ["x"]})
    found = agreement(first, second, ["1", "2", "3", "5"])
    assert found.tau == pytest.approx((1 / 3 + 1) / 2)
    assert found.tau_ap == pytest.approx((0 + 1) / 2)
    overlap = rank_biased_overlap("abc", "bac").extrapolated
    assert found.rbo == pytest.approx((overlap + 1 + 0) / 3)
    assert (found.n, found.n_common) == (3, 2)
    assert agreement(first, second, ["2"], depth=1).rbo == pytest.approx(1)
    assert agreement(first, second, ["1"], depth=1).rbo == 0
    every = agreement(first, second)
    assert (every.n, every.rbo) == (4, pytest.approx((overlap + 1 + 0 + 0) / 4))


def test_documents_are_compared_in_the_order_of_their_ranks():
    scored = {"1": {"a": 1.0, "b": 3.0, "c": 3.0}}  # trec_eval has c before b
    assert agreement(scored, {"1": ["c", "b", "a"]}).tau == 1
    assert agreement(scored, {"1": ["b", "c", "a"]}, ties="rank").tau == 1
