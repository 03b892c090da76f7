"""The names that other folders, and several modules of this one, need to offer models and their parameters."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "bm25": "fields_of widened",
    "calls": "CALLS DIMENSIONS LEARNED LSA PRODUCT SUM WEIGHT",
    "formula": "FUNCTIONS PREFIX from_text",
    "model": "ANY Array COLLECTION Model Needs Range STATISTICS TEXT Value call describe_statistic "
    "field_statistic index_needs is_of_document is_shipped names_of prior_statistic "
    "public_name range_text value_text",
    "normalisations": "FACTOR_NORMALISATIONS NORMALISATIONS",
    "prior": "Prior",
    "grammar": "read",
    "rankers": "Factor ModelLike Product Ranker parts_of",
    "ranker_tree": "calls_in tree_rows",
    "registry": "MODELS distinct",
    "similarity": "SIMILARITIES dot",
}

__getattr__ = front(__name__, _HOMES)
