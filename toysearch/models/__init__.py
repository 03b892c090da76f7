"""What other folders need to offer models and their parameters."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "composed_models": "is_whole",
    "mixture": "Factor Mixture ModelLike Product is_mixture parse_mixture",
    "model": "ANY Array COLLECTION Model Needs Range STATISTICS TEXT Value call field_statistic index_needs "
    "is_of_document names_of public_name range_text value_text",
    "ranker": "DEFAULT_FEATURES DEFAULT_POOL LearnedModel PoolPart feature_meaning feature_of pool_part",
    "similarity": "COMBINE SIMILARITIES",
}

__getattr__ = front(__name__, _HOMES)
