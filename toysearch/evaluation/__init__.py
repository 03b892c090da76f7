"""What other folders need of measures and judges."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "conventions": "side_by_side",
    "evaluate": "DEFAULT_MEASURES extremes out_of_reach",
    "group_exposure": "exposure",
    "judge_agreement": "Alpha QueryTally alpha alpha_of_tallies merge_qrels tally",
    "lint": "suspicions",
    "measures.measure": "ALIASES CUT Measure PRESETS SIZE mean_measures measure_facts measure_form named_measure "
    "parse_measures with_size",
    "measures.trec_eval_only": "PREFERENCE_MEASURES preference_values",
    "pooling": "Pool decisive_pool divide_pool influences write_pool",
    "result": "Evaluation harmonic means",
    "typed_ranking": "all_measures computable",
}

__getattr__ = front(__name__, _HOMES)
