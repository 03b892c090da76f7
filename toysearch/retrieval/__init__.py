"""Names of a search that other folders need."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "completion": "completions",
    "expansion_formulas": "Feedback",
    "field_values": "kept_field",
    "filters_and_facets": "fields_of filter_tree sort_order value_texts",
    "fusion": "FUSION_METHODS",
    "matching": "named_fields unrequired_filters with_spelt_fields",
    "relevance_feedback": "search_again",
    "remarks": "tell_spelling",
    "scorers": "scorer_of",
    "scoring": "Weights in_turn",
    "searcher": "Asked IndexLike Searcher SearcherLike index_of searcher_of",
    "similar_documents": "duplicate_groups near_duplicates similarity_matrix",
    "snippets": "snippet title_of",
    "query_terms": "QueryTerms term_counts term_text",
    "typed_query": "TypedQuery read_typed",
    "unsearched_fields": "field_of_values",
}

__getattr__ = front(__name__, _HOMES)
