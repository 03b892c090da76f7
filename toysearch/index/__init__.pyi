"""The names of `toysearch.index` with their types; __init__.py loads the same ones lazily."""

from toysearch.index.file_layout import MANIFEST as MANIFEST
from toysearch.index.kept_fields import is_facet as is_facet
from toysearch.index.postings import common_postings as common_postings
