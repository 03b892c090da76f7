"""Sources of documents: the entrance through which all functions take them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from toysearch.collection.collection import NAME, Collection, documents_in_memory


def documents_given(source: Any, first: int = 1) -> Any:
    """Return a collection, for a name, a path, a data frame or dicts too; texts and records unchanged; refuse all else.

    first : the number of the first row of a data frame without ids
    """
    if isinstance(source, list) and source and isinstance(source[0], Mapping) and first == 1:
        return Collection(NAME, lambda: source)  # whose fields are read again for words that no searched text has
    if isinstance(source, Collection | list):
        return source
    if isinstance(source, str | os.PathLike):
        from toysearch.collection.catalog import collection_of  # documents in memory need no catalog

        return collection_of(source, topics=False)
    return documents_in_memory(source, first)
