"""What other folders need of experiments, and to show results."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "effects": "p_text queries_text",
    "experiments.comparison": "caveats compared",
    "experiments.experiment_log": "ExperimentLog code_fingerprint data_fingerprints",
    "experiments.grids": "setting_text",
    "experiments.judged_feedback": "judged_feedback",
    "experiments.model_watch": "Watch",
    "experiments.prediction": "FEWEST PredictingSearcher query_difficulty",
    "experiments.prepared_postings": "PreparedPostings",
    "experiments.retrieval_bias": "retrievability",
    "experiments.robustness.alterations": "altered_runs",
    "experiments.robustness.scorecard": "excerpts",
    "experiments.stats.correlation": "agreement",
    "experiments.stats.power": "POWER sensitivity",
    "experiments.stats.significance": "CORRECTIONS DECIMALS Pair Procedure TESTS check_alpha paired_tests",
    "experiments.vote_counts": "count_votes votes_table",
    "explain.compression": "delta gamma heaps law_data laws_text textbook_text textbook_view variable_byte zipf",
    "explain.document_comparison": "explain_similar order_data order_text shared_terms standing turns_text "
    "weights_text",
    "explain.failure_analysis": "causes hardest poorest",
    "explain.measure_explanation": "measure_text",
    "explain.rank_flip": "turning_points",
    "explain.score_explanation": "explain_again explain_expansion",
    "explain.snippet": "snippet",
    "results.charts": "Chart DIGITS ENDINGS GREY LABELS PLOTS WIDTH checked_ending finished png svg ticks write_whole",
    "results.comparison_report": "caveat_lines pair_data",
    "results.explanation_text": "expansion_text explanation_text expressed_data expressed_text score_parts unranked",
    "results.system_report": "Figure page_of table_of",
    "results.tables": "as_text opening render rounded_together written",
    "results.text_charts": "text_plot",
    "study": "DEPTH Study refuse_joined_fields tell_own_queries",
}

__getattr__ = front(__name__, _HOMES)
