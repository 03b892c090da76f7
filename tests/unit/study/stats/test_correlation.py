"""Correlation of values: two queries are the fewest that have one."""

import math

import numpy as np
import pytest

from toysearch.study.stats.correlation import value_correlation


@pytest.mark.parametrize(("actual", "sign", "smare"), [([3.0, 4.0], 1, 0.0), ([4.0, 3.0], -1, 0.5)])
def test_two_queries_correlate_and_one_does_not(actual, sign, smare):
    found = value_correlation(np.array([1.0, 2.0]), np.array(actual), samples=20)
    assert (found.n, found.pearson.value, found.kendall.value) == (2, pytest.approx(sign), sign)
    assert found.smare.value == smare  # both ranks are wrong by one of two, or none
    alone = value_correlation(np.array([1.0]), np.array([3.0]))
    assert alone.n == 1
    assert all(map(math.isnan, (alone.pearson.value, alone.kendall.value, alone.smare.value)))
