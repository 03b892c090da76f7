"""Tools of every part of the package: records, errors and notes as sentences, checks of arguments, wording.

Names are imported from here, as in ``from toysearch.base import ArgumentError, expect``; each loads its own module.
"""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "argument_checks": "expect expect_count expect_finite expect_list expect_seed numbers",
    "documents": "BORDER CountedWords Document GAP JoinedText Query QueryWithFields UnmatchedQuery bordered",
    "encoded_texts": "GroupedIds Identifiers Numbered Utf8",
    "errors": "ArgumentError DataError MissingFiles ModelError NoMatchNote QueryNote ReadingNote Remedy "
    "StorageError ToysearchError ToysearchNote a collected_notes expect_name "
    "has_no holding malformed near_name nearest note refuse_in_a_tab unknown without_notes",
    "explanation": "COMPLEMENT COUNT EQUAL Explanation Expression HIGHEST MEAN PRODUCT QUOTIENT SUM",
    "groups": "aligned count_each gather_at groups_of nested reduce_at repeat_each totals",
    "markup": "INLINE UNSEEN WITHIN_WORDS is_html without_html",
    "named_parameters": "SYSTEM_PARTS Spec parse_spec",
    "optional_packages": "loading of_charts present version_of",
    "platform": "LOCK awaited cache_folder lock_folder pool portable_name replace sync sync_folder typed_line",
    "regular_expression": "may_not_end",
    "rendering": "opening render",
    "ranking": "Ranking",
    "result": "Result Rows number_columns table_columns",
    "result_tables": "Column Marked Part ResultTable Sentences plain records",
    "run_and_qrels": "NO_JUDGMENTS Qrels Run TextNeeds UNSTATED Unstated count_from_0 without_zeros",
    "run_order": "ordered score_keys",
    "user_code": "IN_FILE functions_of in_file_meant instead_of_numbers line_in module_of",
    "wording": "BLANKS agreeing byte_size comparable counted cut edits_from_beginnings encodable field_identifier "
    "folded listed one_line percent sentence shortest some spreadsheet_text",
    "worker_tasks": "Tell all_done report workers_of",
    "work_limits": "SECONDS TooLong at_most",
    "lazy_namespaces": "front",
}
__getattr__ = front(__name__, _HOMES)
