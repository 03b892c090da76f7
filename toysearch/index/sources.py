"""What an index can be made of, as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toysearch.corpus.collection import Collection
from toysearch.errors import ArgumentError
from toysearch.records import Document

Source = Collection | Iterable[Document | str] | Mapping[str, str]


def documents_of(source: Any, first: int = 1) -> Iterator[Document]:
    """The documents of any source that `Index.build` takes.

    Parameters
    ----------
    source : Collection, iterable of Document, mapping of doc_id to text, or iterable of str
        What the user gave.
    first : int
        The id of the first text, where texts come alone; the next have the numbers after it.

    Raises
    ------
    ArgumentError
        If it is none of these.

    Examples
    --------
    >>> [document.doc_id for document in documents_of(["a cat", "a dog"], first=5)]
    ['5', '6']
    """
    if isinstance(source, Collection):
        return source.stream()
    if isinstance(source, Mapping):
        return (Document(doc_id, text) for doc_id, text in source.items())
    if isinstance(source, str):
        raise ArgumentError(
            f"{source!r:.60} is a single text; give a list of texts, or toysearch.load(…) for a collection"
        )
    if not isinstance(source, Iterable):
        raise ArgumentError(
            f"an index is built from a collection, documents, a dict of texts or a list of texts, not {source!r:.60}"
        )
    return (_document(item, place, first) for place, item in enumerate(source))


def _document(item: Any, place: int, first: int) -> Document:
    if isinstance(item, Document):
        return item
    if isinstance(item, str):
        return Document(str(first + place), item)
    raise ArgumentError(
        f"document {place + 1} is {item!r:.60}, a {type(item).__name__}; expected a Document(doc_id, text) or a text"
    )
