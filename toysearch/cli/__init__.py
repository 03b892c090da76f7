"""What a command is made of: options, output and sources."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "check": "limit_options",
    "commands": "Command Span SuggestingGroup command_line examples given_options group_in kept_value "
    "refuse_given was_given",
    "options": "ANALYSIS DEFAULT Decorator MEASURES MODEL POSITIVE SourceOptions analysis_options "
    "analyzer_for checking_options collection_options depth_option described_options "
    "document_options formula_models formula_options index_options judged_options "
    "judges_options method_of model_option models_option names_in notes_option option "
    "optional_depth_option optional_model output_options output_options_with "
    "queries_options query_mode_option reading_options shared source_options threads_option "
    "threshold_option ties_option together",
    "output": "Page Tell emit first_words force_option keep keeping paragraph progress remark show terminal_width",
    "shell_completion": "completions",
    "signatures": "command_of options_of",
    "sources": "Workers altered_study fields_named judgments_named load_source named_measures "
    "named_worker_option ranked refuse_run residual_study run_and_judgments spread_work "
    "study_of study_of_runs study_of_targets study_taken title_of with_collection "
    "worker_option",
}

__getattr__ = front(__name__, _HOMES)
