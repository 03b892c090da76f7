"""Which scorer a ranker has over an index: the one table, whose files are loaded only for the rankers they score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toysearch.index.inverted_index import Index
from toysearch.models.model import Model
from toysearch.rings import ring
from toysearch.search.model_scorer import ModelScorer
from toysearch.search.scoring import MEMORY, Ranks, Scorer, Weights


def scorer_of(index: Index, ranker: Ranks, memory: int = MEMORY, *, whole: bool = True) -> Scorer:
    """The scorer of a ranker over an index; a learned one that is not `whole` ranks the documents of its pool only."""
    return _SCORERS[type(ranker).__name__](index, ranker, memory, whole)


def _by_a_ring(ability: str, name: str, *arguments: Any, **settings: Any) -> Scorer:
    """The scorer that a module of a ring makes."""
    scorer: Scorer = getattr(ring(ability), name)(*arguments, **settings)
    return scorer


def _of_model(index: Index, model: Model, memory: int, _: bool) -> Scorer:
    weights = Weights(index, model, memory)
    if not index.shards or model.fields_of_priors:
        return ModelScorer(weights)
    return _by_a_ring("sharded rankers", "ShardedScorer", weights)


def _of_mixture(index: Index, mixture: Any, memory: int, _: bool) -> Scorer:
    from toysearch.search.mixture_scorer import MixtureScorer

    return MixtureScorer(index, mixture, scorer_of, memory)


def _of_pipeline(index: Index, pipeline: Any, memory: int, _: bool) -> Scorer:
    from toysearch.search.pipeline_scorer import KINDS

    return KINDS[pipeline.kind](index, pipeline, scorer_of, memory)


def _of_learned(index: Index, model: Any, _: int, whole: bool) -> Scorer:
    return _by_a_ring("learned rankers", "LearnedScorer", index, model, scorer_of, whole=whole)


def _of_topics(index: Index, model: Any, *_: int) -> Scorer:
    return _by_a_ring("vectors", "topics_scorer", index, model)


def _of_vectors(index: Index, model: Any, *_: int) -> Scorer:
    return _by_a_ring("vectors", "user_vectors_scorer", index, model)


def _of_impacts(index: Index, model: Any, *_: int) -> Scorer:
    return _by_a_ring("impacts", "ImpactScorer", index, model)


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
