"""What other folders need of a search."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "completion": "completions",
    "derived_terms": "Words positions",
    "expanded_queries": "Expansion expanded expansion feedback_of no_documents wrapped",
    "expansions": "EXPANSIONS Feedback",
    "filters_and_facets": "facet_fields fields_of filter_tree",
    "fitting_terms": "fitting terms_within",
    "fusion": "FUSION_METHODS",
    "matching": "Matcher known_fields named_fields unrequired_filters whole_periods",
    "mixture_scorer": "MixtureScorer weighted_sum",
    "model_scorer": "ModelScorer note_left_out_fields",
    "pooled": "Pooled with_rest",
    "relevance_feedback": "known_feedback search_again wrapped_scorer",
    "scorers": "scorer_of",
    "scoring": "Weights document_part in_turn plan",
    "searcher": "IndexLike RankedElsewhere Searcher SearcherLike check_request index_of searcher_of",
    "similar_documents": "document_terms duplicate_groups near_duplicates similarity_matrix",
    "snippets": "Snippet snippet",
    "spelling": "suggest",
    "terms": "QueryTerms query_terms term_counts term_text",
    "typed_query": "TypedQuery read_typed tell_spelling unkept",
}

__getattr__ = front(__name__, _HOMES)
