"""Sources of documents: the entrance through which all functions take them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from toysearch.collection.collection import Collection, Source, documents_in_memory
from toysearch.collection.document_batches import Batch, batches_in_memory
from toysearch.files import settings_for

_OF_DOCUMENTS = settings_for("documents", "files")


def documents_given(source: Any, first: int = 1) -> Any:
    """Return a collection, for a name, a path or a data frame too; texts, records and dicts unchanged; refuse all else.

    first : the number of the first row of a data frame without ids
    """
    if isinstance(source, str | os.PathLike):
        from toysearch.collection.catalog import collection_of  # documents in memory need no catalog

        return collection_of(source, topics=False)
    return documents_in_memory(source, first)


def reading_of(source: Source) -> dict[str, Any]:
    """Return the arguments of `toysearch.load` with which the documents of a source are read, for a saved index."""
    arguments = source.read_from[1] if isinstance(source, Collection) and source.read_from else {}
    return {
        name: dict(value) if isinstance(value, Mapping) else value if isinstance(value, str) else list(value)
        for name, value in arguments.items()
        if name in _OF_DOCUMENTS
    }


def batches_of(source: Source, first: int = 1) -> Iterator[Batch]:
    """Yield documents as `documents_given` returns them, in batches.

    first : the number of the first document, which is the id of one that has none

    >>> [batch.doc_ids for batch in batches_of(["a cat", {"docno": "d2", "body": "a dog"}], first=5)]
    [('5', 'd2')]
    """
    return source.batches() if isinstance(source, Collection) else batches_in_memory(source, first)
