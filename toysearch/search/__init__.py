"""What other folders need of a search."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "derived_terms": "Words positions",
    "distributed_search": "Ranked ranked_by",
    "matching": "whole_periods",
    "scoring": "QueryTerms Weights in_turn plan term_counts term_text",
    "searcher": "IndexLike Searcher SearcherLike index_of searcher_of",
}

__getattr__ = front(__name__, _HOMES)
