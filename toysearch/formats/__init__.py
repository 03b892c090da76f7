"""What other folders need to read and write files."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "event_log": "AppendLog logged",
    "runs_and_judgments": "QrelsLike RunLike as_run either_order judgments_of read_run",
    "text_files": "DAMAGE damaged finite_number numbered_lines open_bytes",
    "trec": "TrecColumns trec_rows",
    "writing": "CIFF_MARK PAGE_MARK replacing replacing_bytes write_texts",
}

__getattr__ = front(__name__, _HOMES)
