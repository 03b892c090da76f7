"""What an index can be made of, as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from toysearch.corpus.collection import Collection
from toysearch.corpus.documents import BATCH, Batch, batches
from toysearch.encoded_texts import Encoded
from toysearch.errors import ArgumentError
from toysearch.index.document_columns import RepeatedIdError
from toysearch.records import Document

Source = Collection | Iterable[Document | str] | Mapping[str, str]


def batches_of(source: Any, first: int = 1, *, encoded: bool = False) -> Iterator[Batch | Encoded]:
    """The documents of any source that `Index.build` takes, some at a time.

    >>> [batch.doc_ids for batch in batches_of(["a cat", "a dog"], first=5)]
    [('5', '6')]
    """
    if isinstance(source, Collection):
        return source.batches(encoded=encoded)
    if isinstance(source, Mapping):
        return _batches_of_texts(source)
    if isinstance(source, str):
        raise ArgumentError(
            f"{source!r:.60} is a single text; give a list of texts, or toysearch.load(…) for a collection"
        )
    if not isinstance(source, Iterable):
        raise ArgumentError(
            f"an index is built from a collection, documents, a dict of texts or a list of texts, not {source!r:.60}"
        )
    return batches(_document(item, place, first) for place, item in enumerate(source))


@contextmanager
def lines_of_repeats(source: Any) -> Iterator[None]:
    """Where two documents of a collection's files turn out to have one id, say on which lines: read the files again."""
    try:
        yield
    except RepeatedIdError:
        if isinstance(source, Collection):
            for _ in source.stream():
                pass
        raise


def _batches_of_texts(texts: Mapping[str, str]) -> Iterator[Batch]:
    """Texts by doc_id; no records are made of them."""
    doc_ids, values = iter(texts), iter(texts.values())
    while some := list(islice(doc_ids, BATCH)):
        yield Batch(some, list(islice(values, len(some))), [""] * len(some), [{}] * len(some))


def _document(item: Any, place: int, first: int) -> Document:
    if isinstance(item, Document):
        return item
    if isinstance(item, str):
        return Document(str(first + place), item)
    raise ArgumentError(
        f"document {place + 1} is {item!r:.60}, a {type(item).__name__}; expected a Document(doc_id, text) or a text"
    )
