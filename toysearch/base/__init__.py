"""What every part of the package uses: records, errors and notes as sentences, checks of arguments, wording.

Names are imported from here, as in ``from toysearch.base import ArgumentError, checked``; each loads its own module.
"""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "annexes": "REPORT Tell all_done annex each_done report workers_of",
    "argument_checks": "checked numbers",
    "documents": "Document Query",
    "errors": "ArgumentError DataError ModelError NoMatchNote Problems QueryNote Remedy StorageError ToysearchError "
    "ToysearchNote collected_notes expect has_no malformed near_name note unknown without_notes",
    "explanation": "COMPLEMENT DIFFERENCE EQUAL Explanation Expression LOWEST MEAN PRODUCT PartName QUOTIENT SUM "
    "bracketed sum_of_texts",
    "optional_packages": "PAGE of_charts of_lightgbm present require_charts version_of",
    "platform": "SYSTEM apart end_group is_orphan limit_resource lock_folder most_files open_place portable_name "
    "replace sync sync_folder",
    "result_tables": "Column Marked Part Result ResultTable Sentences number_columns plain records summary",
    "run_and_qrels": "Qrels Ranking Run ScoredDoc ordered trec_eval_order",
    "spec": "parse_spec",
    "user_cache": "CACHE cache_folder",
    "wide_counts": "count_each reduce_at repeat_each",
    "wording": "agreeing byte_size counted cut display_width encodable listed one_line percent sentence "
    "spreadsheet_text",
    "work_limits": "SECONDS TooLong at_most ended_by go_on",
}
__getattr__ = front(__name__, _HOMES)
