"""Parts rounded together: they add up as printed, and each is within one unit of its value."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.laboratory.results.tables import rounded_together

NUMBERS = st.floats(-1e5, 1e5, allow_subnormal=False)


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.sampled_from([2, 4, 6]))
def test_printed_parts_add_up_to_the_printed_total(parts, digits):
    total = math.fsum(parts)
    rounded = rounded_together(parts, total, digits)
    printed = [Decimal(f"{part:.{digits}f}") for part in rounded]
    assert sum(printed) == Decimal(f"{total:.{digits}f}")
    assert all(abs(after - before) <= 1.0001 * 10**-digits for before, after in zip(parts, rounded, strict=True))


def test_whole_units_stay_and_the_largest_remainders_are_raised():
    assert rounded_together([0.5, 0.0, 0.25], 0.75, 2) == [0.5, 0.0, 0.25]
    assert rounded_together([1 / 3, 1 / 3, 1 / 3], 1.0, 2) == [0.34, 0.33, 0.33]
    assert rounded_together([-1 / 3, -2 / 3], -1.0, 2) == [-0.33, -0.67]


def test_parts_of_something_else_are_rounded_one_by_one():
    assert rounded_together([0.126, 0.333], 7.0, 2) == [0.13, 0.33]
    assert rounded_together([math.inf, 0.333], math.inf, 2) == [math.inf, 0.333]
    assert rounded_together([], 0.0) == []


def test_the_first_example_of_the_documentation():
    assert rounded_together([0.5472603656, 0.0478911], 0.5951515) == pytest.approx([0.547260, 0.047891], abs=1.1e-6)
