"""The names that other folders, and several modules of this one, need to read and write files."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "column_names": "JUDGED_PARTS NOTHING PARTS cells_of checked_columns field_names header_of holds_text "
    "listed_labels parsed_columns parsed_judged_columns parts_of places_of plain_label "
    "rows_of without_text",
    "claims": "ColumnNames What",
    "datasets": "dataset_parts read_dataset_qrels",
    "detection": "holds_documents is_file judgments_among kind_of rows_in what_is",
    "document_formats": "DATASET FORMATS Format IDS ON_ERROR Record RecordFile Rejected chosen format_named "
    "is_dataset read_records unique",
    "event_log": "AppendLog EventLog logged now texts_of",
    "jsonl": "first_object mended object_lines reached text_of",
    "folder_layout": "FolderLayout checked_format files_below layout_of_file layout_of_folder",
    "run_arguments": "Graded HasJudgments QrelsLike RunLike RunsLike as_run judgments_in named_runs",
    "replaceable_files": "refuse_loss",
    "rows_in_memory": "Frame NamedCells column_values frame_columns is_frame",
    "runs_and_judgments": "read_qrels read_run refuse_unnamed",
    "sgml": "TITLES",
    "smart_files": "TEXT",
    "text_files": "ByteRange DAMAGE ENCODING ENOUGH Look RANGES bytes_read damaged finite_number "
    "finite_value in_encoding known_encoding look_at not_a_number numbered_lines "
    "only_ranges open_bytes read_doc_ids read_in read_toml refuse_address refuse_folder "
    "refuse_unreadable sha256 text_blocks whole_or_fraction",
    "text_folder": "SUFFIXES",
    "topics": "FIELDS LABELS",
    "trec": "columns_of_line is_comment run_columns score_of",
    "triples": "read_smart_qrels read_trec_run run_name",
    "writing": "FEATURES_MARK PAGE_MARK PDF_MARK PNG_TEXT SVG_MARK format_of_name refuse_place "
    "replacing replacing_bytes table_texts write_texts",
    "run_writer": "write_judgment_lines write_qrels write_run",
}

__getattr__ = front(__name__, _HOMES)
