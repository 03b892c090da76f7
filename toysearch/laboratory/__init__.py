"""What other folders need of experiments, and to show results."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "effects": "p_text queries_text",
    "experiments.comparison": "compared",
    "experiments.experiment_log": "data_fingerprints",
    "experiments.ledger": "code_fingerprint",
    "experiments.prepared_postings": "PreparedPostings",
    "experiments.stats.multiple_comparisons": "Pair Procedure",
    "experiments.stats.power": "POWER",
    "experiments.stats.significance": "DECIMALS check_alpha paired_tests",
    "explain.compression": "delta gamma variable_byte",
    "explain.measure_explanation": "measure_text",
    "results.chart_files": "png svg write_whole",
    "results.charts": "DIGITS GREY LABELS WIDTH Chart finished ticks",
    "results.comparison_report": "caveat_lines pair_data",
    "results.explanation_text": "expressed_data expressed_text explanation_text score_parts unranked",
    "results.report_page": "Figure page_of table_of",
    "results.tables": "opening render",
    "results.text_charts": "text_plot",
    "study": "DEPTH Study refuse_joined_fields tell_own_queries",
}

__getattr__ = front(__name__, _HOMES)
