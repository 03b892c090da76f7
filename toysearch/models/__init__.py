"""The names that other folders, and several modules of this one, need to offer models and their parameters."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "bm25": "fields_of widened",
    "composed_models": "COMPOSED DIMENSIONS DenseVectors ImpactVectors LatentModel STAGES "
    "WRAPPERS Wrapper WrapperParameter bound depths_of",
    "formula": "FUNCTIONS PREFIX from_text",
    "mixture": "CALL FACTOR_NORMALISATIONS Factor LEARNED Mixture ModelLike NORMALISATIONS OPERATORS Prior "
    "Product is_mixture parse_mixture products_of split",
    "model": "ANY Array COLLECTION Model Needs Range STATISTICS TEXT Value call describe_statistic "
    "field_statistic index_needs is_of_document is_shipped names_of prior_statistic public_name "
    "range_text value_text",
    "pipelines": "PIPE Pipeline Stage is_pipeline parse_pipeline piped",
    "ranker": "COUNTED DEFAULT_FEATURES DEFAULT_POOL Feature Function LearnedModel Linear NODE PoolPart "
    "QueryCounts Ranker Trees as_model feature_meaning feature_of pool_part ranked_by save_ranker",
    "registry": "MODELS distinct",
    "similarity": "SIMILARITIES dot",
}

__getattr__ = front(__name__, _HOMES)
