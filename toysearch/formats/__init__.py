"""What other folders need to read and write files."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "click_log": "ShownList click_lists",
    "column_names": "JUDGED_PARTS PARTS checked_columns parsed_columns parsed_judged_columns parts_of "
    "plain_label rows_of",
    "detection": "ColumnNames FolderLayout checked_format files_below first_object holds_documents is_file "
    "judgments_among kind_of layout_of_file layout_of_folder what_is",
    "document_formats": "DATASET FORMATS Format IDS ON_ERROR Record Rejected chosen format_named read_records unique",
    "event_log": "AppendLog logged now texts_of",
    "judge_sheets": "Judges decisions_in judges_in read_decisions read_judges write_judges write_ratings",
    "judgment_log": "Judgment JudgmentLog Preference VoteLog write_thumbs",
    "remote_files": "copy_like dataset_parts local_copy read_dataset_qrels",
    "run_arguments": "Graded QrelsLike RunLike RunsLike as_qrels as_run either_order is_frame judgments_of named_runs",
    "runs_and_judgments": "read_qrels read_run write_judgment_lines write_qrels write_run",
    "sgml": "TITLES",
    "smart_files": "TEXT",
    "text_files": "ByteRange DAMAGE ENCODING RANGES beginning bytes_read damaged finite_number finite_value "
    "in_encoding numbered_lines only_ranges open_bytes read_doc_ids read_in read_toml sha256",
    "text_folder": "SUFFIXES",
    "topics": "FIELDS LABELS",
    "trec": "TrecColumns columns_of_line is_comment run_columns score_of trec_rows",
    "triples": "read_smart_qrels read_trec_run",
    "writing": "CIFF_MARK FEATURES_MARK PAGE_MARK PDF_MARK PNG_TEXT SVG_MARK format_of_name refuse_loss refuse_place "
    "replacing replacing_bytes write_texts",
}

__getattr__ = front(__name__, _HOMES)
