"""Table of the scorer of each ranker over an index; its files are loaded only for the rankers they score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from toysearch.index.inverted_index import Index
from toysearch.retrieval.scoring import MEMORY, Scorer

_SUMS = "toysearch.retrieval.mixture_scorer", "MixtureScorer"
_SCORERS: Mapping[str, tuple[str, str]] = {
    "model": ("toysearch.retrieval.model_scorer", "ModelScorer"),
    ">>": ("toysearch.retrieval.pipeline_scorer", "PipelineScorer"),
    "passages": ("toysearch.retrieval.pipeline_scorer", "PassageScorer"),
    "mmr": ("toysearch.retrieval.pipeline_scorer", "DiversityScorer"),
    "xquad": ("toysearch.retrieval.pipeline_scorer", "DiversityScorer"),
    "learned": ("learned rankers", "LearnedScorer"),
    "search": ("toysearch.retrieval.brought_scorers", "FunctionScorer"),
    "run": ("toysearch.retrieval.brought_scorers", "RunScorer"),
}
"""Module, or ability of a ring, and name of the scorer of each call; any other call is scored as a sum."""

_SCORERS_INSIDE: Mapping[str, tuple[str, str]] = {
    "lsa": ("vectors", "TopicScorer"),
    "dense": ("vectors", "FileScorer"),
    "impact": ("impacts", "ImpactScorer"),
    "learned": ("learned rankers", "PoolScorer"),
}
"""Scorers of calls inside a sum, where they differ."""


_SCORERS_OF_SHARDS: Mapping[str, tuple[str, str]] = {"model": ("sharded rankers", "ShardedScorer")}
"""Scorers of calls over an index in shards, unless a prior needs the whole."""


def scorer_of(index: Index, ranker: Any, memory: int = MEMORY, *, inside: bool = False) -> Scorer:
    """Return the scorer of a ranker over an index; `inside`: as a part of a sum."""
    spread = index.shards and not ranker.fields_of_priors
    special = (inside and _SCORERS_INSIDE.get(ranker.call)) or (spread and _SCORERS_OF_SHARDS.get(ranker.call))
    place, name = special or _SCORERS.get(ranker.call, _SUMS)
    if "." in place:
        module = import_module(place)
    else:
        from toysearch.rings import ring  # most rankers are scored by the core

        module = ring(place)
    made: Callable[..., Scorer] = getattr(module, name)
    return made(index, ranker, scorer_of, memory)
