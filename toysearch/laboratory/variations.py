"""A named change to a system: another analysis, other documents or queries, another model."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from toysearch.base.errors import ToysearchError
from toysearch.laboratory.study import Study
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model

System: TypeAlias = tuple[Study, Model | Mixture]
"""A judged collection as it is indexed, and the model that ranks it."""


class NotPossible(ToysearchError):
    """A variation that a system cannot have, with the reason; without one if another variation takes its place."""


class Example(NamedTuple):
    """An altered input: its place (query 12, document 7), and its text before and after."""

    where: str
    before: str
    after: str


class Variation(NamedTuple):
    """A named change to a system.

    >>> from toysearch.models.registry import model
    >>> Variation("b = 0", "long documents count in full", lambda study, model: (study, model.bind(b=0))).name
    'b = 0'
    """

    name: str  # a few words, the same in all output
    what: str  # the change, as a sentence
    # the changed study and model; raises `NotPossible` for a system that cannot have the change
    apply: Callable[[Study, Model | Mixture], System]
    example: Example | None = None  # the first input that it changes
    cure: Variation | None = None  # what undoes it, such as the correction of misspelt queries
    against: Variation | None = None  # what it is compared with; None: with the system as it is


def of_model(name: str, what: str, change: Callable[[Study, Model | Mixture], Model | Mixture]) -> Variation:
    """A variation of the model alone."""
    return Variation(name, what, lambda study, model: (study, change(study, model)))


def of_study(
    name: str,
    what: str,
    change: Callable[[Study], Study],
    example: Example | None = None,
    cure: Variation | None = None,
) -> Variation:
    """A variation of the study alone, which is made once for all models."""
    changed = functools.cache(change)
    return Variation(name, what, lambda study, model: (changed(study), model), example, cure)


def refused(name: str, reason: str) -> Variation:
    """A variation that no system can have."""

    def refuse(study: Study, model: Model | Mixture) -> System:
        raise NotPossible(reason)

    return Variation(name, "", refuse)
