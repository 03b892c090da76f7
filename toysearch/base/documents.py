"""Documents and queries: what is searched, and what with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toysearch.base.wording import cut

__all__ = ["Document", "Query"]

_SHOWN = 60  # characters of a text in a repr


class Document(NamedTuple):
    """A document: its id, the text that is searched, a title to show, and all fields unchanged.

    >>> Document("d1", "How to train a cat", title="Cats")
    Document(doc_id='d1', text='How to train a cat', title='Cats')
    """

    doc_id: str
    text: str
    title: str = ""
    fields: Mapping[str, str] = {}

    def __repr__(self) -> str:
        parts = [f"doc_id={self.doc_id!r}", f"text={cut(self.text, _SHOWN)!r}"]
        parts += [f"title={cut(self.title, _SHOWN)!r}"] if self.title else []
        parts += [f"fields={{{', '.join(map(repr, self.fields))}}}"] if self.fields else []
        return f"Document({', '.join(parts)})"


class Query(NamedTuple):
    """A query: its id and its text.

    >>> Query("1", "train cat").text
    'train cat'
    """

    query_id: str
    text: str


class UnmatchedQuery(Query):
    """A query that its collection declares to match no document, so that no note repeats it."""
