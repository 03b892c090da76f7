"""Random systems: a test finds a difference that is none in at most alpha of all cases, and one that is there often.

Two systems are drawn again and again from the same distribution: how hard a query is, and how lucky a system is with
it, on a scale that is then cut to a measure's range. So their values are correlated, skewed and tied, as real ones.
"""

import math

import numpy as np
import pytest
from tiers import exhaustive

from toysearch.study.compare.comparison import compare
from toysearch.study.compare.significance import TESTS, corrected, paired_tests, randomised_tukey

pytestmark = exhaustive

ALPHA, TIMES = 0.05, 800
FEW = {"permutations": 999, "resamples": 399}


def values(rng: np.random.Generator, queries: int, systems: int, measure: str, gain: float = 0.0) -> np.ndarray:
    """Values of systems that are alike but for what the last gains."""
    hard = rng.normal(-0.8, 1.2, (queries, 1))
    drawn = 1 / (
        1 + np.exp(-(hard + rng.normal(0, 0.7, (queries, systems)) + gain * (np.arange(systems) == systems - 1)))
    )
    return {"AP": drawn, "P@10": np.floor(drawn * 10.999) / 10, "P@1": (drawn > 0.5).astype(float)}[measure]


def most(times: int = TIMES) -> float:
    """alpha and three standard errors."""
    return ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / times)


@pytest.mark.parametrize("measure", ["AP", "P@10", "P@1"])
@pytest.mark.parametrize("queries", [12, 50])
@pytest.mark.parametrize("test", TESTS)
def test_false_positives(test, queries, measure):
    rng = np.random.default_rng([queries, len(measure)])
    drawn = np.stack([values(rng, queries, 2, measure) @ [1, -1] for _ in range(TIMES)], axis=1)
    rejected = np.mean([result.p <= ALPHA for result in paired_tests(drawn, test, **FEW)])
    assert rejected <= most()
    if measure == "AP" and test in ("t", "permutation"):  # and are no more cautious than they have to be
        assert rejected >= ALPHA - 3 * math.sqrt(ALPHA * (1 - ALPHA) / TIMES)


@pytest.mark.parametrize("measure", ["AP", "P@10"])
@pytest.mark.parametrize("test", TESTS)
def test_a_difference_that_is_there_is_found(test, measure):
    rng = np.random.default_rng(5)
    drawn = np.stack([values(rng, 50, 2, measure, gain=0.6) @ [-1, 1] for _ in range(200)], axis=1)
    assert np.mean([result.p <= ALPHA for result in paired_tests(drawn, test, **FEW)]) > 0.7


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_the_interval_holds_the_true_difference(test):
    rng = np.random.default_rng(6)
    truth = 0.03
    drawn = np.stack([values(rng, 50, 2, "AP") @ [1, -1] + truth for _ in range(TIMES)], axis=1)
    outside = np.mean([not result.low <= truth <= result.high for result in paired_tests(drawn, test, **FEW)])
    assert outside <= most()


@pytest.mark.parametrize("test", ["t", "wilcoxon", "permutation"])
def test_any_false_positive_among_many_comparisons(test):
    rng = np.random.default_rng(7)
    tables = [values(rng, 30, 6, "AP") for _ in range(TIMES)]
    drawn = np.concatenate([table[:, 1:] - table[:, :1] for table in tables], axis=1)
    p = np.array([result.p for result in paired_tests(drawn, test, **FEW)]).reshape(TIMES, 5)
    for correction in ("holm", "bonferroni"):
        assert np.mean([(corrected(row, correction) <= ALPHA).any() for row in p]) <= most()
    assert np.mean([(row <= ALPHA).any() for row in p]) > most()  # without one there are too many


@pytest.mark.parametrize("measure", ["AP", "P@10"])
def test_any_false_positive_among_all_pairs(measure):
    rng = np.random.default_rng(8)
    found = [randomised_tukey(values(rng, 30, 5, measure), permutations=499).p for _ in range(TIMES)]
    assert np.mean([(p <= ALPHA).any() for p in found]) <= most()
    assert np.mean([(p <= ALPHA).any() for p in found]) >= ALPHA - 3 * math.sqrt(ALPHA * (1 - ALPHA) / TIMES)


def test_a_real_difference_takes_no_other_pair_with_it():
    rng = np.random.default_rng(9)
    found = [randomised_tukey(values(rng, 30, 4, "AP", gain=1.0), permutations=499).p for _ in range(300)]
    assert np.mean([(p[:3, :3][~np.eye(3, dtype=bool)] <= ALPHA).any() for p in found]) <= most(300)
    assert np.mean([(p[3, :3] <= ALPHA).all() for p in found]) > 0.7


@pytest.mark.parametrize(
    "settings", [{}, {"test": "sign"}, {"correction": "bonferroni"}], ids=["holm", "sign", "bonferroni"]
)
def test_random_runs_are_not_told_apart(settings):
    """All the way: random rankings, evaluated and compared by two measures."""
    rng, times = np.random.default_rng(10), 150
    docs = [f"d{n}" for n in range(15)]
    told = []
    for _ in range(times):
        judged = {f"q{q}": {doc: int(rng.random() < 0.25) for doc in docs} for q in range(25)}
        runs = {f"s{s}": {query: rng.permutation(docs).tolist() for query in judged} for s in range(4)}
        found = compare(runs, judged, "AP P@5", **settings)
        told.append(any(pair.p <= ALPHA for pair in found.pairs))
    assert np.mean(told) <= most(times)
