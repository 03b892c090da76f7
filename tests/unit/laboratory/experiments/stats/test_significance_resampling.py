"""The sign-flip test: by hand, its ties, its draw. Its oracle is scipy's, in tests/oracles/test_significance.py."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch.laboratory.experiments.stats import significance
from toysearch.laboratory.experiments.stats.significance import sign_flip_test


def column(*values: float) -> np.ndarray:
    return np.array(values)[:, np.newaxis]


def test_three_queries_by_hand():
    # Sums of 0.1, 0.2, −0.05 with all signs: ±0.35, ±0.25, ±0.15, ±0.05; four of eight are as far as 0.25.
    found = sign_flip_test(column(0.1, 0.2, -0.05))
    assert found.exact
    assert found.p.tolist() == [0.5]


def test_the_interval_by_hand():
    # The means of the seven subsets of 1, 2, 4: 1, 1.5, 2, 2.33, 2.5, 3, 4. At 0.25 one of eight is left on each side.
    found = sign_flip_test(column(1, 2, 4), alpha=0.25)
    assert (found.low[0], found.high[0]) == (1, 4)
    found = sign_flip_test(column(1, 2, 4), alpha=0.5)
    assert (found.low[0], found.high[0]) == (1.5, 3)
    found = sign_flip_test(column(1, 2, 4), alpha=0.2)
    assert (found.low[0], found.high[0]) == (-np.inf, np.inf)


@pytest.mark.parametrize(("n", "exact"), [(11, True), (12, False)])
def test_all_flips_are_gone_through_where_they_are_no_more(n, exact):
    found = sign_flip_test(np.random.default_rng(1).normal(0.1, 1, (n, 1)), permutations=1024)
    assert found.exact == exact
    denominator = 1024 if exact else 1025
    assert found.p[0] * denominator == pytest.approx(round(found.p[0] * denominator))


def test_of_drawn_flips_p_is_never_0():
    assert sign_flip_test(np.full((60, 1), 0.1), permutations=999).p[0] == 1 / 1000


def test_ties_by_rounding_count_as_far():
    # 0.1 + 0.2 − 0.3 is not 0 in binary: flips whose sums are equal on paper must count.
    drawn = column(0.1, 0.2, 0.3)
    assert sign_flip_test(drawn).p[0] == 0.25
    assert sign_flip_test(column(0.1, 0.2, -0.3)).p[0] == 1
    assert sign_flip_test(drawn * 1e-9).p[0] == 0.25
    assert sign_flip_test(drawn * 1e9).p[0] == 0.25


def test_systems_together_are_as_each_alone():
    drawn = np.random.default_rng(2).normal(0.05, 0.3, (50, 7))
    together = sign_flip_test(drawn, permutations=5000, seed=3)
    for place in range(7):
        alone = sign_flip_test(drawn[:, [place]], permutations=5000, seed=3)
        assert (alone.p[0], alone.low[0], alone.high[0]) == pytest.approx(
            (together.p[place], together.low[place], together.high[place])
        )


@pytest.mark.parametrize("n", [5, 30])
def test_the_size_of_the_blocks_is_no_matter_to_how_many_there_are(n, monkeypatch):
    drawn = np.random.default_rng(4).normal(0.3, 1, (n, 1))
    whole = sign_flip_test(drawn, permutations=4000)
    monkeypatch.setattr(significance, "_BLOCK", 7)
    parts = sign_flip_test(drawn, permutations=4000)
    assert parts.exact == whole.exact
    assert parts.p[0] == pytest.approx(whole.p[0], abs=0 if whole.exact else 0.03)


def test_signs_are_tossed_evenly_and_apart():
    flips = np.concatenate(list(significance._flips(9, 20_001, False, 5)))[1:]
    assert flips.shape == (20_000, 9)
    assert np.abs(flips.mean(axis=0) - 0.5).max() < 0.015
    assert np.abs(np.corrcoef(flips.T) - np.eye(9)).max() < 0.03
