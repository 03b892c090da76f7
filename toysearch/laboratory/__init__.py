"""What other folders need of experiments, and to show results."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "effects": "excerpts p_text queries_text",
    "experiments.click_models": "ClickModel",
    "experiments.comparison": "Comparison caveats compared",
    "experiments.gate_file": "Expectation",
    "experiments.gate": "Gate GateResult",
    "experiments.grids": "setting_text",
    "experiments.ledger": "run_fingerprint",
    "experiments.prediction": "Prediction",
    "experiments.prepared_postings": "PreparedPostings",
    "experiments.query_groups": "group_means means_by_group",
    "experiments.retrieval_bias": "retrievability",
    "experiments.robustness.scorecard": "Robustness",
    "experiments.scores": "BOUNDED EVERY Scores about_study alike conventions exposure_by "
    "refuse_out_of_reach remarks scores",
    "experiments.second_judge": "rejudge",
    "experiments.stats.correlation": "agreement",
    "experiments.stats.power": "POWER detectable_difference sensitivity",
    "experiments.stats.significance": "CORRECTIONS DECIMALS Pair Procedure TESTS check_alpha corrected paired_tests",
    "experiments.verification": "Verification",
    "explain.compression": "delta gamma variable_byte",
    "explain.document_comparison": "explain_similar not_ranked order_text rival shared_terms "
    "standing turns_text weights_text",
    "explain.failure_analysis": "causes hardest poorest",
    "explain.measure_explanation": "measure_text",
    "explain.query_outline": "PATTERNS QueryPart condition query_outline",
    "explain.rank_flip": "turning_points",
    "explain.score_explanation": "ScoreExplanation explain_again explain_expansion",
    "explain.search_result": "SearchResult find",
    "explain.vocabulary_laws": "heaps laws_parts zipf",
    "learning.feature_table": "FeatureTable features",
    "learning.ranker_training": "Learning",
    "results.chart_files": "Chart ENDINGS Figure checked_ending page_of png svg write_whole",
    "results.charts": "DIGITS GREY LABELS PLOTS WIDTH finished ticks",
    "results.comparison_report": "agreement_table caveat_lines compared_data compared_rows comparison_parts "
    "legend pair_data paper_table power_table",
    "results.explanation_text": "expansion_text explanation_text score_parts",
    "results.expressed_score": "expressed_data expressed_text",
    "results.system_report": "table_of",
    "results.text_charts": "binned histogram text_plot",
    "study": "DEPTH Engine Inputs JudgedLike Scoring Study refuse_joined_fields tell_own_queries",
}

__getattr__ = front(__name__, _HOMES)
