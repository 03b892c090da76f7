"""Names of studies, effects and explanations that other folders need."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "effects": "excerpts p_text",
    "comparison": "Comparison caveats",
    "ledger": "run_fingerprint",
    "need_texts": "consistency",
    "query_groups": "means_by_group",
    "system_scores": "about_study alike conventions refuse_out_of_reach remarks scores",
    "stats.correlation": "agreement",
    "stats.power": "POWER detectable_difference sensitivity",
    "stats.significance": "DECIMALS corrected",
    "document_comparison": "explain_similar not_ranked order_text rival shared_terms standing turns_text weights_text",
    "failure_analysis": "causes hardest poorest",
    "measure_explanation": "measure_text",
    "score_explanation": "explain_again explain_expansion",
    "search_result": "SearchResult find",
    "vocabulary_laws": "heaps zipf",
    "comparison_tables": "caveat_lines",
    "score_text": "expansion_text explanation_text score_parts",
    "expressed_score": "expressed_data expressed_text",
    "text_charts": "binned histogram text_plot",
    "study": "DEPTH StudySource Scoring Study tell_own_queries",
}

__getattr__ = front(__name__, _HOMES)
