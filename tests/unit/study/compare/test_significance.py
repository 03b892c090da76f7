"""Paired tests, corrections and the test of all pairs: by hand, where a choice was made, and what is refused."""

import math

import numpy as np
import pytest
from error_messages import raising

from toysearch.base.errors import ArgumentError
from toysearch.study.compare import significance
from toysearch.study.compare.comparison import compare
from toysearch.study.compare.significance import (
    CORRECTIONS,
    TESTS,
    corrected,
    finite_differences,
    paired_test,
    randomised_tukey,
    sign_flip_test,
)

# Student 1908, after Cushny & Peebles 1905: additional hours of sleep of ten patients with two drugs.
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


@pytest.mark.parametrize("test", TESTS)
def test_one_query_says_nothing(test):
    found = paired_test([0.4], test)
    assert found[:6] == (test, 1, 0.4, -math.inf, math.inf, 1.0)
    assert math.isnan(found.effect)


@pytest.mark.parametrize(("test", "p"), [("t", 0), ("bootstrap", 0), ("sign", 1 / 8), ("permutation", 1 / 8)])
def test_the_same_difference_everywhere(test, p):
    found = paired_test([0.1] * 4, test)
    assert found.p == p
    assert found.effect == math.inf


@pytest.mark.parametrize("differences", [[1, 2, 3], [0, -3, 4, -1]])  # as tenths their means are 2⁻⁵⁵ beside 0.2 and 0
@pytest.mark.parametrize("test", TESTS)
def test_p_does_not_depend_on_the_unit(test, differences):
    whole, tenths = (paired_test(values, test).p for values in (differences, np.multiply(differences, 0.1)))
    assert whole == pytest.approx(tenths, abs=1e-15)


@pytest.mark.parametrize("test", TESTS)
def test_the_mean_difference_is_the_difference_of_the_means(test):
    runs = {name: {query: list(ranking) for query in "1234"} for name, ranking in (("old", "bcda"), ("new", "bca"))}
    runs["new"]["4"] = ["b", "a"]
    found = compare(runs, {query: {"a": 1} for query in "1234"}, "RR", test=test)
    assert found.pairs[0].result.mean == pytest.approx((1 / 3 + 1 / 3 + 1 / 3 + 1 / 2) / 4 - 1 / 4, abs=1e-16)


@pytest.mark.parametrize("test", TESTS)
def test_a_seed_makes_it_repeatable(test):
    differences = np.random.default_rng(4).normal(0.02, 0.1, 40)
    drawn = [paired_test(differences, test, seed=seed, permutations=499, resamples=499) for seed in (7, 7, 8)]
    assert drawn[0] == drawn[1]
    assert (drawn[0].p != drawn[2].p) == (test in ("permutation", "bootstrap"))


def test_a_lower_alpha_makes_a_wider_interval():
    for test in TESTS:
        wide, narrow = (paired_test(SLEEP, test, alpha=alpha) for alpha in (0.02, 0.2))
        assert wide.low < narrow.low < 1.58 < narrow.high < wide.high
        assert wide.p == narrow.p


@pytest.mark.parametrize(
    ("differences", "settings", "message"),
    [
        ([0.1, 0.2], {"test": "anova"}, "unknown test 'anova'. Tests: t, wilcoxon, sign, permutation, bootstrap"),
        (
            [0.1, 0.2],
            {"test": [0.2, 0.3]},
            "test must be a name such as 't', not a list; two systems are one list of differences",
        ),
        ([0.1, 0.2], {"alpha": 0}, "alpha must be a number between 0 and 1, not 0"),
        ([0.1, 0.2], {"alpha": 1.5}, "alpha must be a number between 0 and 1, not 1.5"),
        ([0.1, 0.2], {"alpha": math.nan}, "alpha must be a number between 0 and 1, not nan"),
        ([0.1, 0.2], {"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ([0.1, 0.2], {"permutations": 0}, "permutations and resamples must be at least 1"),
        ([], {}, "differences must be a row of at least one number, not an array of shape (0,)"),
        ([[0.1]], {}, "differences must be a row of at least one number, not an array of shape (1, 1)"),
        ([0.1, math.nan], {}, "differences must be finite; drop the queries without a value"),
    ],
)
def test_what_is_refused(differences, settings, message):
    with raising(ArgumentError, message):
        paired_test(differences, **settings)


def test_an_interval_that_ends_at_0_ends_at_0():
    # A subset whose mean is 0 on paper has one of 1e-16 in binary: 0 is not left out all the same.
    found = paired_test([0.6, -0.1, 0.2, 0.3, 0.7, 0.4, 0.2, -0.2], "permutation")
    assert found.p == 18 / 256
    assert found.low == 0


def test_what_is_drawn_is_never_all_there_is():
    # No sample is as far, but the one at hand is: p is not 0.
    clear = 0.3 + np.random.default_rng(1).normal(0, 0.01, 40)
    assert paired_test(clear, "bootstrap", resamples=999).p == 1 / 1000
    assert paired_test(clear, "permutation", permutations=999).p == 1 / 1000


def test_differences_are_those_of_pairs_of_finite_values():
    after, before = [1.0, math.inf, math.inf, math.nan, 2.0], [0.5, 1.0, math.inf, 1.0, -math.inf]
    assert finite_differences(after, before).tolist() == [0.5]


@pytest.mark.system
@pytest.mark.parametrize("method", CORRECTIONS)
def test_what_could_not_be_compared_does_not_count(method):
    found = corrected([0.02, np.nan, 0.01], method)
    assert np.isnan(found[1])
    assert found[[0, 2]] == pytest.approx(corrected([0.02, 0.01], method))


@pytest.mark.system
@pytest.mark.parametrize("method", CORRECTIONS)
def test_of_none_and_of_one(method):
    assert corrected([], method).size == 0
    assert np.isnan(corrected([np.nan], method)).all()
    assert corrected([0.04], method).tolist() == [0.04]


@pytest.mark.system
def test_an_unknown_method_and_no_probability_are_refused():
    with pytest.raises(ArgumentError) as refused:
        corrected([0.1], "hommel")
    assert str(refused.value).startswith("unknown correction 'hommel'")
    with pytest.raises(ArgumentError, match=r"^a p-value must be a number from 0 to 1, not 1\.2$"):
        corrected([0.1, 1.2])


def values(seed: int, queries: int = 30, systems: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((queries, 1)) + rng.normal(0, 0.1, (queries, systems)) + 0.04 * np.arange(systems)


@pytest.mark.system
def test_ties_by_rounding_count_as_large():
    # 0.1 + 0.2 is not 0.3 in binary: of two queries, every arrangement that is as far must count as such.
    drawn = np.array([[0.1 + 0.2, 0.0], [0.3, 0.0]])
    assert randomised_tukey(drawn, permutations=2000).p[0, 1] == pytest.approx(0.5, abs=0.05)


@pytest.mark.system
def test_a_seed_makes_tukeys_test_repeatable():
    drawn = values(4)
    assert (randomised_tukey(drawn, seed=5).p == randomised_tukey(drawn, seed=5).p).all()
    assert (randomised_tukey(drawn, seed=5).p != randomised_tukey(drawn, seed=6).p).any()


@pytest.mark.system
def test_too_few_permutations_for_alpha():
    assert randomised_tukey(values(5), permutations=18).critical == math.inf
    assert randomised_tukey(values(5), permutations=19).critical < math.inf


SHAPE = "expected values with one row per query and one column per system (two or more)"


@pytest.mark.system
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((3, 1)), f"{SHAPE}, found shape (3, 1)"),
        (np.zeros((0, 2)), f"{SHAPE}, found shape (0, 2)"),
        (np.zeros(4), f"{SHAPE}, found shape (4,)"),
        (np.array([[0.1, math.nan]]), "values must be finite; drop the queries for which a system has no value"),
    ],
)
def test_what_tukeys_test_refuses(given, message):
    with raising(ArgumentError, message):
        randomised_tukey(given)


def column(*values: float) -> np.ndarray:
    return np.array(values)[:, np.newaxis]


@pytest.mark.parametrize(("n", "exact"), [(11, True), (12, False)])
def test_all_flips_are_gone_through_where_they_are_no_more(n, exact):
    found = sign_flip_test(np.random.default_rng(1).normal(0.1, 1, (n, 1)), permutations=1024)
    assert found.exact == exact
    denominator = 1024 if exact else 1025
    assert found.p[0] * denominator == pytest.approx(round(found.p[0] * denominator))


def test_sums_that_are_tied_but_for_rounding_count_as_far():
    # 0.1 + 0.2 − 0.3 is not 0 in binary: flips whose sums are equal on paper must count.
    drawn = column(0.1, 0.2, 0.3)
    assert sign_flip_test(drawn).p[0] == 0.25
    assert sign_flip_test(column(0.1, 0.2, -0.3)).p[0] == 1
    assert sign_flip_test(drawn * 1e-9).p[0] == 0.25
    assert sign_flip_test(drawn * 1e9).p[0] == 0.25


@pytest.mark.parametrize("n", [5, 30])
def test_the_size_of_the_blocks_is_no_matter_to_how_many_there_are(n, monkeypatch):
    drawn = np.random.default_rng(4).normal(0.3, 1, (n, 1))
    whole = sign_flip_test(drawn, permutations=1000)
    monkeypatch.setattr(significance, "_BLOCK", 64 if n > 5 else 7)
    parts = sign_flip_test(drawn, permutations=1000)
    assert parts.exact == whole.exact
    assert parts.p[0] == pytest.approx(whole.p[0], abs=0 if whole.exact else 0.05)


def test_signs_are_tossed_evenly_and_apart():
    flips = np.concatenate(list(significance._flips(9, 20_001, False, 5)))[1:]
    assert flips.shape == (20_000, 9)
    assert np.abs(flips.mean(axis=0) - 0.5).max() < 0.015
    assert np.abs(np.corrcoef(flips.T) - np.eye(9)).max() < 0.03


def test_the_honest_difference_of_two_queries_by_all_their_permutations(monkeypatch):
    """Each query as it is or swapped: ranges 1, 0, 0, 1. Two of four reach 1, and the observed one is counted too."""
    values = np.array([[0.0, 1.0], [0.0, 1.0]])
    monkeypatch.setattr(significance, "_ranges", lambda *_: iter([np.array([1.0, 0.0]), np.array([0.0, 1.0])]))
    for alpha, critical in [
        (0.2, 1.0),
        (0.4, 1.0),
        (0.6, 0.0),
        (0.1, math.inf),
    ]:  # the k-th largest of 4, k = ⌊5 alpha⌋
        found = randomised_tukey(values, alpha=alpha, permutations=4)
        assert found.p.tolist() == [[1.0, 3 / 5], [3 / 5, 1.0]]
        assert found.critical == critical


def test_a_difference_that_every_permutation_shows_has_a_p_of_one():
    """One query: its two values differ by the same in either order."""
    found = randomised_tukey(np.array([[0.0, 1.0]]), permutations=9)
    assert found.p[0, 1] == found.p[1, 0] == 1.0
