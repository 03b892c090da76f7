"""What charts and reports need of a comparison besides its figures, evaluated by the same rules."""

from __future__ import annotations

from toysearch.corpus.collection import Collection
from toysearch.evaluation.curves import ByRank, Curve, by_rank, curve
from toysearch.laboratory.experiments.comparison import Comparison

RANKS = 20
"""How many ranks are looked at one by one."""

_RULES = ("threshold", "ties", "only_retrieved", "undefined", "convention")  # what curves take of them


def curves_of(comparison: Comparison) -> dict[str, Curve]:
    """System → interpolated precision at 11 levels of recall.

    No curve has a mean over all orders of tied documents: where that was asked for, the order of the rankings counts.
    """
    rules = {name: value for name, value in comparison.options.items() if name in _RULES and value != "average"}
    return {name: curve(run, comparison.qrels, **rules) for name, run in comparison.runs.items()}


def ranks_of(comparison: Comparison) -> dict[str, ByRank]:
    """System → what stands at the first ranks, over all judged queries."""
    threshold = next(iter(comparison.evaluations.values())).threshold
    ties = comparison.options.get("ties")
    return {name: by_rank(run, comparison.qrels, threshold, RANKS, ties) for name, run in comparison.runs.items()}


def texts_of(comparison: Comparison, collection: Collection | None) -> dict[str, str]:
    """Query_id → text of the queries that were evaluated; empty without a collection."""
    if collection is None:
        return {}
    texts = {query.query_id: query.text for query in collection.judged_queries}
    evaluated = next(iter(comparison.evaluations.values())).per_query
    return {query_id: texts[query_id] for query_id in evaluated if query_id in texts}
