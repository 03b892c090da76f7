"""Sources of documents: the entrance through which all functions take them."""

from __future__ import annotations

import os
from typing import Any

from toysearch.collection.collection import Collection, documents_in_memory


def documents_given(source: Any, first: int = 1) -> Any:
    """Return a collection, for a name, a path or a data frame too; texts, records and dicts unchanged; refuse all else.

    first : the number of the first row of a data frame without ids
    """
    if isinstance(source, Collection | list):
        return source
    if isinstance(source, str | os.PathLike):
        from toysearch.collection.catalog import collection_of  # documents in memory need no catalog

        return collection_of(source, topics=False)
    return documents_in_memory(source, first)
