"""What the page and the classroom need of the workbench."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "report.charts": "DIGITS GREY LABELS WIDTH finished ticks COLOURS",
    "report.chart_files": "Chart Figure page_of write_whole png svg",
    "report.system_report": "table_of",
    "robustness.length_and_rarity": "ranking_of_lengths",
    "judging.judgment_log": "Judgment JudgmentLog",
    "judging.judge_sheets": "decisions_in judges_in read_judges write_judges write_ratings",
    "judging.judge_agreement": "Alpha QueryTally alpha_of_tallies tally",
    "judging.pooling": "Pool divide_pool influences",
}

__getattr__ = front(__name__, _HOMES)
