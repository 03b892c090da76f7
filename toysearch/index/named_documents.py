"""Which documents are to be deleted: by their ids, many at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from toysearch.errors import ArgumentError
from toysearch.formats.text_files import counted
from toysearch.index.strings import Strings


def named_documents(doc_ids: Strings, order: np.ndarray, named: Iterable[str]) -> np.ndarray:
    """The numbers of the documents to delete, each once; int64.

    order: (N,) int32, the document numbers in the order of their doc_ids' UTF-8 bytes.

    >>> named_documents(Strings.of(["d7", "d1"]), np.array([1, 0]), ["d1", "d1"]).tolist()
    [1]
    """
    if isinstance(named, str):
        raise ArgumentError(f"expected a list of doc_ids, found the single text {named!r:.60}")
    numbers: dict[str, int] = {}
    for doc_id in named:
        if not isinstance(doc_id, str):
            raise ArgumentError(f"a doc_id is a str, not {doc_id!r:.60}, which is of type {type(doc_id).__name__}")
        numbers[doc_id] = doc_ids.find(doc_id, order)
    missing = [doc_id for doc_id, number in numbers.items() if number < 0]
    if missing:
        others = f" and {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise ArgumentError(f"the index has no document '{missing[0]}'{others}; nothing is deleted")
    if len(numbers) == len(doc_ids):
        raise ArgumentError(
            f"that would delete {counted(len(numbers), 'document')}, all that the index has; an index needs at least "
            "one: remove its folder, or build another in its place"
        )
    return np.array(list(numbers.values()), dtype=np.int64)
