"""Sources of documents: the entrance through which all functions take them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from toysearch.collection.collection import NAME, Collection, documents_in_memory
from toysearch.files import is_frame
from toysearch.files.reading import Reading


def documents_given(source: Any, first: int = 1, fields: Sequence[str] | None = None) -> Any:
    """Return a collection, for a name, a path, a data frame or dicts too; texts and records unchanged; refuse all else.

    first : the number of the first row of a data frame without ids
    fields : those that are searched, each alone, unless the source is a collection
    """
    is_name = isinstance(source, str | os.PathLike)
    first_row = source[:1] if isinstance(source, list) else [source]
    are_rows = is_frame(source) or any(isinstance(row, Mapping) for row in first_row)
    if is_name or (fields and are_rows):
        from toysearch.collection.catalog import collection_of  # most documents in memory need no catalog

        return collection_of(source, Reading(fields=fields or None), topics=False)
    if isinstance(source, list) and source and isinstance(source[0], Mapping) and first == 1:
        return Collection(NAME, lambda: source)  # whose fields are read again for words that no searched text has
    if isinstance(source, Collection | list):
        return source
    return documents_in_memory(source, first)
