"""Which scorer a ranker has over an index: the one table, whose files are loaded only for the rankers they score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from toysearch.index.inverted_index import Index
from toysearch.models.model import Model
from toysearch.search.model_scorer import ModelScorer
from toysearch.search.scoring import MEMORY, Scorer, Weights

_SUMS = "toysearch.search.mixture_scorer", "MixtureScorer"
_SCORERS: Mapping[str, tuple[str, str]] = {
    ">>": ("toysearch.search.pipeline_scorer", "PipelineScorer"),
    "passages": ("toysearch.search.pipeline_scorer", "PassageScorer"),
    "mmr": ("toysearch.search.pipeline_scorer", "DiversityScorer"),
    "xquad": ("toysearch.search.pipeline_scorer", "DiversityScorer"),
    "learned": ("toysearch.search.learned_scorer", "LearnedScorer"),
    "search": ("toysearch.search.function_scorer", "FunctionScorer"),
}
"""The module and the name of the scorer of each call; of any other call, that of a sum."""

_SCORERS_INSIDE: Mapping[str, tuple[str, str]] = {
    "lsa": ("toysearch.search.vector_scorer", "VectorScorer"),
    "dense": ("toysearch.search.vector_scorer", "VectorScorer"),
    "impact": ("toysearch.search.impact_scorer", "ImpactScorer"),
    "learned": ("toysearch.search.learned_scorer", "PoolScorer"),
}
"""Those of a call inside a sum, where they differ."""


def scorer_of(index: Index, ranker: Any, memory: int = MEMORY, *, inside: bool = False) -> Scorer:
    """The scorer of a ranker over an index; `inside`: as a part of a sum."""
    if isinstance(ranker, Model):
        return _scorer_of_model(index, ranker, memory)
    module, name = (inside and _SCORERS_INSIDE.get(ranker.call)) or _SCORERS.get(ranker.call, _SUMS)
    made: Callable[..., Scorer] = getattr(import_module(module), name)
    return made(index, ranker, scorer_of, memory)


def _scorer_of_model(index: Index, model: Model, memory: int) -> Scorer:
    weights = Weights(index, model, memory)
    if not index.shards or model.fields_of_priors:
        return ModelScorer(weights)
    from toysearch.search.sharded_scorer import ShardedScorer

    return ShardedScorer(weights)
