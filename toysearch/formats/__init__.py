"""What other folders need to read and write files."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "column_names": "JUDGED_PARTS PARTS checked_columns parsed_columns parsed_judged_columns parts_of plain_label",
    "detection": "ColumnNames FolderLayout checked_format files_below holds_documents is_file judgments_among kind_of "
    "layout_of_file layout_of_folder what_is",
    "document_formats": "DATASET FORMATS Format IDS ON_ERROR Record Rejected chosen format_named read_records unique",
    "event_log": "AppendLog logged",
    "judge_sheets": "Judges decisions_in judges_in read_decisions read_judges write_judges write_ratings",
    "judgment_log": "Judgment JudgmentLog VoteLog write_thumbs",
    "remote_files": "copy_like dataset_parts local_copy read_dataset_qrels",
    "runs_and_judgments": "QrelsLike RunLike as_run either_order judgments_of read_qrels read_run "
    "write_judgment_lines write_qrels",
    "sgml": "TITLES",
    "text_files": "ByteRange DAMAGE ENCODING RANGES bytes_read damaged finite_number in_encoding numbered_lines "
    "only_ranges open_bytes read_doc_ids read_in read_toml sha256",
    "topics": "FIELDS LABELS",
    "trec": "TrecColumns trec_rows",
    "triples": "read_smart_qrels read_trec_run",
    "writing": "CIFF_MARK PAGE_MARK refuse_loss refuse_place replacing replacing_bytes write_texts",
}

__getattr__ = front(__name__, _HOMES)
