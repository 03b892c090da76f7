"""The package stays light: limits that only fall."""

from __future__ import annotations

import pytest
import weight

LIMITS = {
    "files": 460,
    "statements": 54_150,
    "imports": 5_940,
    "single_use": 1_030,
    "many_parameters": 50,
    "bare": 2_170,
}
"""What the package may weigh at most; whoever makes it lighter lowers the number."""


@pytest.fixture(scope="module")
def whole():
    return weight.total(list(weight.weights().values()))


@pytest.mark.parametrize("what", LIMITS)
def test_the_package_weighs_no_more_than_it_may(whole, what):
    assert getattr(whole, what) <= LIMITS[what], f"python tests/weight.py shows where the {what} are"
