"""The names of measures and judges that other folders, and several modules of this one, need."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "convention_effects": "side_by_side",
    "conventions": "CONVENTIONS Convention",
    "evaluate": "ByRank Curve DEFAULT_MEASURES by_rank curve evaluated evaluation_of extremes "
    "first_values judgments_for out_of_reach resolve",
    "joined_run": "JoinedBlocks JoinedRun condensed join",
    "lint": "suspicions",
    "measures.definition": "Best Definition FLAG IDEAL JUDGED_ONLY LOG2 Mapped Mean Parameter Piece REL Sum Terms "
    "Value fraction",
    "measures.graded": "discount_of top_of_scale",
    "measures.measure": "ALIASES CUT MEASURES Measure PRESETS SIZE defined_measure mean_measures measure_facts "
    "measure_form named_measure parse_measures placed with_size",
    "result": "Evaluation aggregated arithmetic harmonic means",
    "typed_ranking": "all_measures computable QUERY_ID",
}

__getattr__ = front(__name__, _HOMES)
