"""What other folders need of measures and judges."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "judge_agreement": "QueryTally alpha_of_tallies tally",
    "measures.all_measures": "ALIASES CUT",
    "measures.measure": "SIZE mean_measures",
    "measures.preferences": "PREFERENCE_MEASURES preference_values",
    "result": "Evaluation harmonic",
}

__getattr__ = front(__name__, _HOMES)
