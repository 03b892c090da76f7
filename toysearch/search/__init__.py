"""What other folders need of a search."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "derived_terms": "Words positions",
    "distributed_search": "Ranked ranked_by spread_over",
    "fusion": "FUSION_METHODS",
    "matching": "named_fields unrequired_filters whole_periods",
    "relevance_feedback": "search_again",
    "scoring": "QueryTerms Weights in_turn plan term_counts term_text",
    "searcher": "IndexLike Searcher SearcherLike index_of is_index_folder searcher_of",
    "similar_documents": "duplicate_groups near_duplicates similar_terms similarity_matrix",
    "typed_query": "TypedQuery read_typed tell_spelling",
}

__getattr__ = front(__name__, _HOMES)
