"""The table of measures: those of all families, each with what it takes and what holds for it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from toysearch.evaluation import experimental, graded, incomplete, ranked, sets, users
from toysearch.evaluation.definition import Definition

_FAMILIES = (ranked, graded, users, incomplete, sets, experimental)

MEASURES: Mapping[str, Definition] = MappingProxyType(
    dict(chain.from_iterable(family.MEASURES.items() for family in _FAMILIES))
)
"""Name → definition, in the order in which they are listed."""
