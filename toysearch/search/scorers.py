"""Which scorer a ranker has over an index: the one table, whose files are loaded only for the rankers they score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toysearch.index.inverted_index import Index
from toysearch.models.model import Model
from toysearch.search.model_scorer import ModelScorer
from toysearch.search.scoring import MEMORY, Ranks, Scorer, Weights


def scorer_of(index: Index, ranker: Ranks, memory: int = MEMORY, *, whole: bool = True) -> Scorer:
    """The scorer of a ranker over an index; a learned one that is not `whole` ranks the documents of its pool only."""
    return _SCORERS[type(ranker).__name__](index, ranker, memory, whole)


def _of_model(index: Index, model: Model, memory: int, _: bool) -> Scorer:
    weights = Weights(index, model, memory)
    if not index.shards or model.fields_of_priors:
        return ModelScorer(weights)
    from toysearch.search.sharded_scorer import ShardedScorer

    return ShardedScorer(weights)


def _of_mixture(index: Index, mixture: Any, memory: int, _: bool) -> Scorer:
    from toysearch.search.mixture_scorer import MixtureScorer

    return MixtureScorer(index, mixture, scorer_of, memory)


def _of_pipeline(index: Index, pipeline: Any, memory: int, _: bool) -> Scorer:
    from toysearch.search.pipeline_scorer import KINDS

    return KINDS[pipeline.kind](index, pipeline, scorer_of, memory)


def _of_learned(index: Index, model: Any, _: int, whole: bool) -> Scorer:
    from toysearch.search.learned_scorer import LearnedScorer

    return LearnedScorer(index, model, scorer_of, whole=whole)


def _of_topics(index: Index, model: Any, *_: int) -> Scorer:
    from toysearch.search.vector_scorer import LatentVectors, VectorScorer

    return VectorScorer(index, LatentVectors(index, model), model)


def _of_vectors(index: Index, model: Any, *_: int) -> Scorer:
    from toysearch.search.user_vectors import user_vectors, with_files
    from toysearch.search.vector_scorer import VectorScorer

    return VectorScorer(index, user_vectors(index, with_files(model)), model)


def _of_impacts(index: Index, model: Any, *_: int) -> Scorer:
    from toysearch.search.impact_scorer import ImpactScorer

    return ImpactScorer(index, model)


_SCORERS: dict[str, Callable[[Index, Any, int, bool], Scorer]] = {
    "Model": _of_model,
    "Mixture": _of_mixture,
    "Pipeline": _of_pipeline,
    "LearnedModel": _of_learned,
    "LatentModel": _of_topics,
    "DenseVectors": _of_vectors,
    "ImpactVectors": _of_impacts,
}
"""By the class of the ranker."""
