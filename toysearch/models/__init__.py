"""What other folders need to offer models and their parameters."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "composed_models": "is_whole",
    "mixture": "ModelLike is_mixture parse_mixture",
    "model": "ANY TEXT Value public_name range_text value_text",
    "ranker": "feature_meaning",
}

__getattr__ = front(__name__, _HOMES)
