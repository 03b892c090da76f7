"""What every part of the package uses: records, errors and notes as sentences, checks of arguments, wording.

Names are imported from here, as in ``from toysearch.base import ArgumentError, checked``; each loads its own module.
"""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "argument_checks": "checked numbers",
    "documents": "Document Query UnmatchedQuery CountedWords",
    "encoded_texts": "GroupedIds Identifiers Utf8 WORD too_wide",
    "errors": "ArgumentError DataError FRONT_ENDS MOST_SHOWN MissingFiles ModelError NoMatchNote "
    "Problems QueryNote Remedy StorageError ToysearchError ToysearchNote UnknownName a "
    "collected_notes expect expect_finite expect_name has_no holding left_out malformed "
    "near_name note refuse_in_a_tab unknown without_notes",
    "explanation": "COMPLEMENT COUNT DIFFERENCE EQUAL Explanation Expression HIGHEST MEAN PRODUCT PartName "
    "QUOTIENT SUM bracketed sum_of_texts",
    "groups": "aligned groups_of nested totals",
    "interrupts": "SENTENCE STATUS end",
    "markup": "INLINE UNSEEN WITHIN_WORDS",
    "named_parameters": "Spec field_identifier parse_spec",
    "optional_packages": "PAGE loading of_charts present require_charts version_of",
    "platform": "CACHE LOCK SYSTEM apart awaited cache_folder end_group is_broken_pipe is_orphan "
    "leads_elsewhere limit_resource lock lock_folder most_files open_place own_pages pool "
    "portable_name replace sync sync_folder typed_line wait_for_room write_as_everywhere",
    "regular_expression": "grows_fast read_expression wildcard_expression",
    "result_forms": "as_text display_width opening render rounded_together turned width_of written",
    "result_tables": "Column Marked Part ResultTable Sentences number_columns plain records",
    "run_and_qrels": "NO_JUDGMENTS Passage Qrels Ranking Run ScoredDoc columns_of",
    "run_order": "Order negated ordered score_keys trec_eval_order",
    "subtopics": "Subtopics",
    "user_code": "IN_FILE functions_of line_in module_of",
    "wide_counts": "count_each gather_at reduce_at repeat_each",
    "wording": "BLANKS agreeing byte_size counted cut encodable folded from_spreadsheet listed "
    "one_line percent sentence shortest spreadsheet_text",
    "worker_tasks": "REPORT Tell all_done each_done report workers_of",
    "work_limits": "SECONDS TooLong at_most ended_by go_on",
    "shown_results": "Result Rows",
    "lazy_namespaces": "front",
    "plain_or_compiled": "cores compiled",
}
__getattr__ = front(__name__, _HOMES)
