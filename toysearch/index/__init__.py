"""What other folders need to know of an index."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "content_checks": "check_index",
    "document_columns": "after_period day_of field_texts holds_dates is_facet number_in",
    "document_vectors": "DocumentVectors",
    "file_layout": "MANIFEST is_index_folder seal",
    "index_change": "change_index",
    "inverted_index": "Index",
    "latent_topics": "LatentTopics NOISE idf",
    "opened_files": "index_files",
    "position_blocks": "PositionBlocks",
    "posting_blocks": "BLOCK common_postings contradiction",
    "postings": "Counts Postings contained rows_of",
    "replacement": "refuse_foreign",
    "strings": "LetterSets Picked Strings set_of",
}

__getattr__ = front(__name__, _HOMES)
