"""Names that other folders, and several modules of this one, need to offer models and their parameters."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "bm25": "VARIANTS",
    "formula": "PREFIX",
    "model": "ANY Array Model STATISTICS TEXT Value call describe_statistic field_statistic "
    "index_needs is_of_document is_shipped names_of public_name range_text value_text",
    "prior": "Prior",
    "rankers": "COMBINED Factor ModelLike Ranker calls_in tree_rows",
    "registry": "MODELS distinct",
    "similarity": "SIMILARITIES dot",
}

__getattr__ = front(__name__, _HOMES)
