"""What a ranking is tuned for: one measure, and which of its values are better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.evaluation.means import aggregated
from toysearch.evaluation.measures.measure import Measure, parse_measures


@dataclass(frozen=True)
class Objective:
    """One measure as what is to be made better."""

    measure: Measure  # the measure

    @classmethod
    def of(cls, measure: str | Measure) -> Objective:
        """The objective of a measure's name.

        >>> Objective.of("AP").worth(np.array([0.5, 0.25]))
        0.375
        """
        found = parse_measures([measure] if isinstance(measure, Measure) else measure)
        if len(found) != 1:
            raise ArgumentError(f"one measure decides which setting is best, not {len(found)}: {measure}")
        if found[0].definition.better is None:
            raise ArgumentError(f"of {found[0]} neither high nor low values are better; name a measure of quality")
        return cls(found[0])

    def value(self, per_query: np.ndarray) -> float:
        """The measure for all of some queries, as an evaluation gives it."""
        return aggregated(per_query.tolist(), self.measure.definition.aggregate)

    def worth(self, per_query: np.ndarray) -> float:
        """The same so that larger is better; what is undefined is worse than everything."""
        value = self.sign * self.value(per_query)
        return -np.inf if np.isnan(value) else value

    @property
    def sign(self) -> int:
        """1 where high values are better, else −1."""
        return -1 if self.measure.definition.better == "lower" else 1
