"""How much is tried: a part of all cases by `make test`, every one of them by `make test-all`.

Where CI is set, random cases are the same each time. There `make test-all` draws a third of them, and leaves out the
tests of which `make test` has tried the first cases.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

EVERYTHING = os.environ.get("TOYSEARCH_TESTS") == "all"
SAME_AGAIN = bool(os.environ.get("CI"))

longer = pytest.mark.longer
"""Marks a test that both try, with fewer cases in `make test`."""

exhaustive = pytest.mark.exhaustive
"""Marks a test that `make test-all` alone tries, because it takes long and repeats a rule that another one tests."""

not_in_ci = pytest.mark.skipif(SAME_AGAIN, reason="takes long: `make test-all` tries it by hand")
"""Leaves a test out where CI is set: a smaller one tests the same rule, or only pages and notebooks depend on it."""

by_hand = [exhaustive, not_in_ci]
"""Marks a case that `make test-all` alone tries, where CI is not set."""


def often(examples: int, quick: int | None = None) -> int:
    """How many examples a property tries; `make test` tries a fifth, from 10 to 50, or as many as are given."""
    few = quick or min(max(10, examples // 5), 50)
    return max(drawn(examples), few) if EVERYTHING else few


def drawn(cases: int) -> int:
    """How many random cases `make test-all` draws, of a number given."""
    return -(-cases // 3) if SAME_AGAIN else cases


def thinned(cases: Iterable[Any], step: int) -> list[Any]:
    """All cases of a parametrized test, of which `make test` tries each step-th."""
    made = []
    for place, case in enumerate(cases):
        if not hasattr(case, "marks"):
            case = pytest.param(*case) if type(case) is tuple else pytest.param(case)
        marks = case.marks if place % step == 0 else [*case.marks, exhaustive]
        made.append(pytest.param(*case.values, id=case.id, marks=marks))
    return made
