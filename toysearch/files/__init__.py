"""Names that other folders, and several modules of this one, need to read and write files."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "account": "Account in_full",
    "claims": "refuse_use",
    "columns": "checked_columns field_names holds_text listed_labels parsed_columns "
    "parsed_judged_columns parts_of plain_label without_text",
    "judged_passages": "JudgedRows judged_rows",
    "labels": "PARTS",
    "datasets": "dataset_parts read_dataset_qrels",
    "part": "FILE_NAME Part files_below",
    "recognise": "files_of holds_judgments_only is_file judgments_among kind_of reads_as_judgments rows_in what_is",
    "document_formats": "DATASET FORMATS Record RecordFile Rejected format_named is_dataset",
    "encodings": "known_encoding",
    "event_log": "AppendLog now",
    "syntaxes.json_tables": "object_lines tables_if_any",
    "query_lists": "lists_by_query with_ids",
    "folder_layout": "checked_format layout_of_file layout_of_files layout_of_folder taken_alone",
    "rows_in_memory": "NamedCells cell_text framed is_frame is_ordered queries_in_memory rows_of_frame",
    "run_arguments": "Graded QrelsLike RunLike as_run judgments_in",
    "reading": "ARGUMENTS ON_ERROR READ_KINDS Reading ReadingReport SETTINGS TOPIC_KINDS settings_for",
    "replaceable_files": "refuse_loss",
    "runs_and_judgments": "read_qrels read_run read_runs reads_as_run",
    "numbers": "finite_number finite_value whole_or_fraction",
    "problems": "Problems",
    "source": "Source bytes_read files_named numbered_lines open_bytes read_doc_ids refuse_address refuse_unreadable "
    "is_pattern sha256 source_of standard_input text_blocks",
    "triples": "read_smart_qrels read_trec_run",
    "writing": "new_folder record_in record_of refuse_place replacing replacing_bytes without_records write_texts",
    "run_writer": "write_qrels",
}

__getattr__ = front(__name__, _HOMES)
