"""Names of studies, effects and explanations that other folders need."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "known_item_queries": "ItemSettings known_items",
    "search_result": "SearchResult find",
    "paper_methods": "methods_paragraph",
    "study": "DEPTH StudySource Scoring Study ranked_of note_own_queries",
    "system": "System crossed distinct",
    "text_charts": "text_plot",
    "vocabulary_laws": "heaps zipf",
    "compare.comparison": "Comparison caveats",
    "compare.comparison_tables": "caveat_lines",
    "compare.correlation": "agreement",
    "compare.tested_differences": "p_text",
    "compare.consistency": "consistency",
    "compare.power": "POWER detectable_difference",
    "compare.group_means": "means_by_group",
    "compare.sensitivity": "sensitivity",
    "compare.significance": "DECIMALS corrected",
    "compare.system_scores": "ITEM_MEASURES about_study alike conventions refuse_out_of_reach remarks scores",
    "explain.order_explanation": ("explain_similar not_ranked order_text rival shared_terms standing"),
    "explain.score_explanation_formulas": "expressed_data expressed_text",
    "explain.failure_analysis": "causes hardest poorest",
    "explain.measure_explanation": "measure_text",
    "explain.score_explanation": "explain_again explain_expansion",
    "explain.score_explanation_text": "expansion_text explanation_text part_label",
    "explain.score_explanation_html": "order_html score_html",
}

__getattr__ = front(__name__, _HOMES)
