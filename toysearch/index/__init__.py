"""What other folders need to know of an index."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "file_layout": "MANIFEST",
    "kept_fields": "is_facet",
    "postings": "common_postings",
    "shard_building": "index_in_shards index_to_add",
}

__getattr__ = front(__name__, _HOMES)
