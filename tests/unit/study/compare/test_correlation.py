"""Correlation of values: two queries are the fewest that have one."""

import math

import numpy as np
import pytest

from toysearch.base import ArgumentError
from toysearch.study.compare.correlation import kendall_tau, rank_biased_overlap, tau_ap, value_correlation


@pytest.mark.parametrize(("actual", "sign", "smare"), [([3.0, 4.0], 1, 0.0), ([4.0, 3.0], -1, 0.5)])
def test_two_queries_correlate_and_one_does_not(actual, sign, smare):
    found = value_correlation(np.array([1.0, 2.0]), np.array(actual), samples=20)
    assert (found.n, found.pearson.value, found.kendall.value) == (2, pytest.approx(sign), sign)
    assert found.smare.value == smare  # both ranks are wrong by one of two, or none
    alone = value_correlation(np.array([1.0]), np.array([3.0]))
    assert alone.n == 1
    assert all(map(math.isnan, (alone.pearson.value, alone.kendall.value, alone.smare.value)))


@pytest.mark.parametrize("correlation", [kendall_tau, tau_ap, rank_biased_overlap])
def test_rankings_are_lists_of_ids_or_texts_of_letters(correlation):
    for wrong in (b"ab", [1, 2], [0.5, 0.25], np.array([1, 2]), range(2), 5, None):
        for pair in ((wrong, wrong), (["a", "b"], wrong)):
            with pytest.raises(ArgumentError, match=r"^(first|second) must be a list of str, not "):
                correlation(*pair)
    assert correlation("abc", "acb") == correlation([*"abc"], np.array([*"acb"]))
