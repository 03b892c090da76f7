"""How much is tried: a part of all cases by `make test`, every one of them by `make test-all`."""

import os
from collections.abc import Iterable
from typing import Any

import pytest

EVERYTHING = os.environ.get("TOYSEARCH_TESTS") == "all"

longer = pytest.mark.longer
"""Marks a test that both try, with fewer cases in `make test`."""

exhaustive = pytest.mark.exhaustive
"""Marks a test that `make test-all` alone tries, because it takes long and repeats a rule that another one tests."""


def often(examples: int, quick: int | None = None) -> int:
    """How many examples a property tries; `make test` tries a fifth, from 10 to 50, or as many as are given."""
    few = quick or min(max(10, examples // 5), 50)
    return max(examples, few) if EVERYTHING else few


def thinned(cases: Iterable[Any], step: int) -> list[Any]:
    """All cases of a parametrized test, of which `make test` tries each step-th."""
    made = []
    for place, case in enumerate(cases):
        if not hasattr(case, "marks"):
            case = pytest.param(*case) if type(case) is tuple else pytest.param(case)
        marks = case.marks if place % step == 0 else [*case.marks, exhaustive]
        made.append(pytest.param(*case.values, id=case.id, marks=marks))
    return made
