"""What other folders need to read and write files."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "detection": "holds_documents is_file judgments_among kind_of",
    "event_log": "AppendLog logged",
    "judge_sheets": "Judges read_decisions read_judges write_judges write_ratings",
    "judgment_log": "VoteLog write_thumbs",
    "runs_and_judgments": "QrelsLike RunLike as_run either_order judgments_of read_run",
    "text_files": "DAMAGE damaged finite_number numbered_lines open_bytes read_doc_ids",
    "trec": "TrecColumns trec_rows",
    "writing": "CIFF_MARK PAGE_MARK refuse_loss refuse_place replacing replacing_bytes write_texts",
}

__getattr__ = front(__name__, _HOMES)
