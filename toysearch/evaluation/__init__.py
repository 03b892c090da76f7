"""Names of measures and judges that other folders, and several modules of this one, need."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "convention_effects": "side_by_side",
    "conventions": "Convention",
    "evaluate": "DEFAULT_MEASURES out_of_reach",
    "joined_run": "Cutoff Grade JoinedRun condensed join",
    "measures.definition": "Definition LOG2 Mapped Parameter Piece Sum Terms Value fraction",
    "measures.graded": "top_of_scale",
    "measures.measure": "Measure SIZE mean_measures parse_measures placed with_size",
    "values_and_means": "Evaluation",
    "typed_ranking": "all_measures computable",
}

__getattr__ = front(__name__, _HOMES)
