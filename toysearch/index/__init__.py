"""What other folders need to know of an index."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "document_columns": "is_facet",
    "file_layout": "MANIFEST",
    "posting_blocks": "common_postings",
    "shard_folder": "index_in_shards index_to_add",
}

__getattr__ = front(__name__, _HOMES)
