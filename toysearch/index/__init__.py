"""Names of an index that other folders use."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "content_checks": "check_index",
    "typed_values": "holds_dates number_in",
    "file_layout": "MANIFEST is_index_folder",
    "index_change": "change_index",
    "inverted_index": "Index",
    "latent_topics": "idf",
    "merge": "differences made_like synced",
    "listed_files": "index_files",
    "posting_blocks": "common_postings",
    "postings": "NO_NUMBERS Postings contained offsets_of ranges_of rows_of",
    "saving": "refuse_foreign",
    "stored_values": "note_left_out",
    "strings": "Picked Strings",
}

__getattr__ = front(__name__, _HOMES)
