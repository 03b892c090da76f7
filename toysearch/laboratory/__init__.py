"""What other folders need of experiments, and to show results."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "effects": "p_text queries_text",
    "experiments.comparison": "compared",
    "experiments.experiment_log": "code_fingerprint data_fingerprints",
    "experiments.prepared_postings": "PreparedPostings",
    "experiments.stats.significance": "DECIMALS Pair Procedure check_alpha paired_tests",
    "experiments.stats.power": "POWER",
    "explain.compression": "delta gamma variable_byte",
    "explain.document_comparison": "order_data order_text turns_text weights_text",
    "explain.measure_explanation": "measure_text",
    "results.charts": "Chart DIGITS GREY LABELS WIDTH finished png svg ticks write_whole",
    "results.comparison_report": "caveat_lines pair_data",
    "results.explanation_text": "expressed_data expressed_text explanation_text score_parts unranked",
    "results.system_report": "Figure page_of table_of",
    "results.tables": "opening render",
    "results.text_charts": "text_plot",
    "study": "DEPTH Study refuse_joined_fields tell_own_queries",
}

__getattr__ = front(__name__, _HOMES)
