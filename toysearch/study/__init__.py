"""What other folders need of studies, effects and explanations."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "effects": "excerpts p_text queries_text",
    "comparison": "Comparison caveats compared",
    "ledger": "run_fingerprint",
    "prepared_postings": "PreparedPostings",
    "query_groups": "group_means means_by_group",
    "system_scores": "BOUNDED EVERY Scores about_study alike conventions exposure_by refuse_out_of_reach "
    "remarks scores",
    "stats.correlation": "agreement",
    "stats.power": "POWER detectable_difference sensitivity",
    "stats.significance": "CORRECTIONS DECIMALS Pair Procedure TESTS check_alpha corrected paired_tests",
    "document_comparison": "explain_similar not_ranked order_text rival shared_terms standing turns_text weights_text",
    "failure_analysis": "causes hardest poorest",
    "measure_explanation": "measure_text",
    "query_parts": "PATTERNS QueryPart condition query_outline",
    "rank_flip": "turning_points",
    "score_explanation": "ScoreExplanation explain_again explain_expansion",
    "search_result": "SearchResult find",
    "vocabulary_laws": "heaps laws_parts zipf",
    "comparison_tables": "agreement_table caveat_lines compared_data compared_rows comparison_parts legend "
    "pair_data paper_table power_table",
    "score_text": "expansion_text explanation_text score_parts",
    "expressed_score": "expressed_data expressed_text",
    "text_charts": "binned histogram text_plot",
    "study": "DEPTH Engine Inputs JudgedLike Scoring Study refuse_joined_fields tell_own_queries",
}

__getattr__ = front(__name__, _HOMES)
