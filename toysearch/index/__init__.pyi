"""The names of `toysearch.index` with their types; __init__.py loads the same ones lazily."""

from toysearch.index.document_columns import is_facet as is_facet
from toysearch.index.file_layout import MANIFEST as MANIFEST
from toysearch.index.posting_blocks import common_postings as common_postings
from toysearch.index.shard_folder import index_in_shards as index_in_shards
from toysearch.index.shard_folder import index_to_add as index_to_add
