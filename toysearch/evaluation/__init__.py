"""What other folders need of measures and judges."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "judge_agreement": "QueryTally alpha_of_tallies tally",
    "measures.measure": "ALIASES CUT Measure SIZE mean_measures parse_measures with_size",
    "measures.trec_eval_only": "PREFERENCE_MEASURES preference_values",
    "result": "Evaluation harmonic",
}

__getattr__ = front(__name__, _HOMES)
