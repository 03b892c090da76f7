"""The titles, texts, passages and fields of the documents that a search has found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from toysearch.base import ArgumentError, Remedy
from toysearch.base.ranking import Passage
from toysearch.index.inverted_index import Index
from toysearch.query.syntax import Node
from toysearch.search.typed_query import TypedQuery, read_typed

_TITLE = 200  # characters of a title in a table


class IndexTexts:
    """Reads what an index keeps of its documents; the rest comes from the collection that it was built from, if any."""

    def __init__(self, index: Index, text: str | Node, query: str) -> None:  # the query, whose words are marked
        self.index = index
        self._text, self._query = text, query

    @property
    def has_titles(self) -> bool:
        """Whether the index keeps titles and texts."""
        return self.index.titles is not None

    def title(self, doc_id: str) -> str:
        """The title of a document; "" if it has none."""
        title = self.index.title(self.index.doc_number(doc_id))
        return self._document(doc_id).title if title is None else title

    def text(self, doc_id: str) -> str:
        """The searched text of a document."""
        text = self.index.text(self.index.doc_number(doc_id))
        return self._document(doc_id).text if text is None else text

    def fields(self, doc_id: str) -> Mapping[str, Any]:
        """All fields of a document in the collection; for an index alone, the numbers that it keeps."""
        if self.index.source is not None:
            return self._document(doc_id).fields  # type: ignore[no-any-return]
        number = self.index.doc_number(doc_id)
        if not self.index.values:
            raise ArgumentError(
                f"the index keeps no fields of its documents; the collection has them: collection['{doc_id}'].fields"
            )
        return {name: float(values[number]) for name, values in self.index.values.items()}

    def passage(self, doc_id: str) -> Passage:
        """The part of the text with the most words of the query."""
        return self._snippet(self.text(doc_id))

    def marked_title(self, doc_id: str) -> Passage:
        """The title, with the words of the query."""
        return self._snippet(self.title(doc_id), width=_TITLE)

    def _snippet(self, text: str, **width: int) -> Passage:
        snippet = import_module("toysearch.laboratory.explain.snippet").snippet
        return snippet(text, self._terms, self.index.analyzer, **width)  # type: ignore[no-any-return]

    @cached_property
    def _terms(self) -> frozenset[str]:
        """The terms to mark."""
        if isinstance(self._text, str):
            return read_typed(self.index, self._text, self._query)[0].marked_terms(self.index)
        return TypedQuery(str(self._text), self._text, "lenient").marked_terms(self.index)

    def _document(self, doc_id: str) -> Any:
        """A document of the collection that the index was built from."""
        if self.index.source is None:
            remedy = Remedy("Index.build", store_text=True)
            raise ArgumentError(f"the index keeps no titles and no texts; build it again with them: {remedy}")
        return self.index.source[doc_id]
