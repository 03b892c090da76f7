"""What other folders need of a search."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "completion": "completions",
    "derived_terms": "Words positions",
    "distributed_search": "Ranked ranked_by spread_over",
    "filters_and_facets": "facet_fields fields_of filter_tree",
    "fitting_terms": "fitting terms_within",
    "fusion": "FUSION_METHODS",
    "matching": "Matcher known_fields named_fields unrequired_filters whole_periods",
    "relevance_feedback": "search_again",
    "scoring": "QueryTerms Weights in_turn plan term_counts term_text",
    "searcher": "IndexLike Searcher SearcherLike index_of searcher_of",
    "similar_documents": "duplicate_groups near_duplicates similar_terms similarity_matrix",
    "typed_query": "TypedQuery read_typed tell_spelling unkept",
}

__getattr__ = front(__name__, _HOMES)
