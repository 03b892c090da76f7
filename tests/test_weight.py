"""The package stays light: limits that only fall."""

from __future__ import annotations

import weight

LIMITS = {
    "files": 308,
    "statements": 55_442,
    "imports": 3682,
    "single_use": 440,
    "many_parameters": 14,
    "bare": 54,
}
"""What the package may weigh at most; whoever makes it lighter lowers the number."""


def test_the_package_weighs_no_more_than_it_may():
    whole = weight.total(list(weight.weights().values()))
    heavy = {what: count for what, limit in LIMITS.items() if (count := getattr(whole, what)) > limit}
    assert heavy == {}, "`python tests/weight.py` shows where they are"
