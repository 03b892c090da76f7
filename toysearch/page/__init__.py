"""What the views of the page are made of."""

from __future__ import annotations

from toysearch.base import front

_HOMES = {
    "access": "Guard OWN_SITE READS_ONLY Readers WRITE_TOKEN class_token cookie_in new_token",
    "case_view": "case grading",
    "class_view": "class_link",
    "compare_view": "missing pairs_of prepare values_of_topic",
    "foreign_run": "ForeignRun foreign_runs told_by_text",
    "judge_view": "first_row judging_of",
    "judging_rules": "ADJUDICATOR Judging JudgingRules judge_keys opened_judging",
    "model_picker": "AnyModel PARAMETER chosen_model description families name_in_list round_up sliders",
    "reply": "FILE_NAME JSON PART_HEADER Reply act as_json as_page form_of line_chart refusal static_file wants_json",
    "search_request": "SearchRequest comparison_command comparison_python explanation_command "
    "explanation_python query_text read_request search_command search_python shown_at_most "
    "similar_command similar_python",
    "served_competition": "ServedCompetition is_competition named_teams",
    "served_source": "FACET MOST_DOCUMENTS ServedSource is_moving names_in_addresses rater visitor without_title",
    "server": "is_loopback",
    "thumbs": "COOKIE Thumbs VOTER opened_thumbs",
}

__getattr__ = front(__name__, _HOMES)
