"""Typed query: its tree, the terms to mark, words that no document contains, a better spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError, CountedWords, Marked, Remedy
from toysearch.index import contained
from toysearch.index.inverted_index import Index
from toysearch.query.modes import is_words
from toysearch.retrieval.query_terms import analyzed, query_terms

if TYPE_CHECKING:
    from toysearch.query.syntax import Node
    from toysearch.retrieval.snippets import Snippet


__all__ = ["TypedQuery", "read_typed"]


_FREQUENT = 100  # a word in more than one of this many documents is not looked at


class TypedQuery(NamedTuple):
    """Query as it was read.

    Attributes
    ----------
    text : str
        The text as it was typed.
    tree : Node or None
        The tree; None if the query is only words.
    mode : str
        The way to read it: "plain" for words.
    """

    text: str
    tree: Node | None = None
    mode: str = "plain"

    @property
    def asked(self) -> str | Node:
        """Tree to search for, or the text."""
        return self.tree or self.text

    @property
    def searched(self) -> str | TypedQuery:
        """What `Searcher` takes: the text, or the query itself if it has a tree."""
        return self if self.tree else self.text

    @property
    def words(self) -> str:
        """Words of the query, without signs."""
        if self.tree is None:
            return self.text
        from toysearch.query.syntax import words_of

        return " ".join(words_of(self.tree))

    def searched_words(self, index: Index) -> str:
        """Return the words, except values of a field.

        Parameters
        ----------
        index : Index
            The index that is searched.
        """
        if self.tree is None:
            return self.text
        from toysearch.query.syntax import words_of
        from toysearch.retrieval.matching import filter_fields

        return " ".join(words_of(self.tree, filter_fields(index)))

    def marked_terms(self, index: Index) -> frozenset[str]:
        """Return the terms to mark in titles and passages, and phrases with blanks between their terms.

        Parameters
        ----------
        index : Index
            The index that is searched.
        """
        if self.tree is None:
            return frozenset(analyzed(index, self.text).terms)
        from toysearch.retrieval.matching import Matcher

        return frozenset(Matcher(index, self.mode == "lenient").marked_terms(self.tree))

    def unknown(self, index: Index) -> list[str]:
        """List the words that no document contains.

        Parameters
        ----------
        index : Index
            The index that is searched.
        """
        from toysearch.retrieval.spelling import unknown_words  # usual words do not need it

        return unknown_words(index, self.searched_words(index))

    def better(self, index: Index, where: str | Node | None = None) -> tuple[TypedQuery, int] | None:
        """Spell the query better, and count the documents that it matches; no word of it is unknown.

        Parameters
        ----------
        index : Index
            The index that is searched.
        where : str, Node or None
            The filter of documents, as for `Searcher.search`.

        Returns
        -------
        tuple of TypedQuery and int, or None
            None if no better spelling is known that finds a document with one of its new words.
        """
        if re.search(r"\w:\w|[#\\]", self.words):  # signs of fields and operators that do not exist: nothing is respelt
            return None
        from toysearch.retrieval.spelling import suggest, suggest_tree, unclear_words

        better: TypedQuery | None = None
        if self.tree is None:
            if suggestion := suggest(index, self.text):
                better = self._replace(text=suggestion.text)
        elif tree := suggest_tree(index, self.tree):
            better = self._replace(text=str(tree), tree=tree)
        if not better or unclear_words(index, better.searched_words(index)):
            return None
        docs = better._documents(index, where)
        new_terms = better.marked_terms(index) - self.marked_terms(index)
        new = [number for number in map(index.term_number, new_terms) if number >= 0]
        if new and not contained(docs, index.blocks.of_terms(np.array(new)).docs).any():
            return None
        return (better, len(docs)) if len(docs) else None

    def is_usual(self, index: Index) -> bool:
        """True if no word is rare: such a spelling is not looked at."""
        terms = {index.analyzer.term(token) for token in analyzed(index, self.words).tokens} - {None}
        numbers = [index.term_numbers[str(term)] for term in terms]
        return min(numbers, default=0) >= 0 and bool((index.df_by_term[numbers] * _FREQUENT > len(index)).all())

    def _documents(self, index: Index, where: str | Node | None) -> np.ndarray:
        """Find the documents that match."""
        if self.tree is None:
            docs = np.unique(index.blocks.of_terms(query_terms(index, analyzed(index, self.text).terms).numbers).docs)
        else:
            from toysearch.retrieval.matching import Matcher

            docs = Matcher(index, self.mode == "lenient").matches(self.tree)
        if where is None:
            return docs
        from toysearch.retrieval.filters_and_facets import filtered

        kept: np.ndarray = docs[filtered(index, where)[docs] > 0]
        return kept


def read_typed(
    index: Index, text: str, query_mode: str = "lenient", *, saved: bool = False
) -> tuple[TypedQuery, list[str]]:
    """Read the query of a text; remark on parts that were not taken for the query language.

    Parameters
    ----------
    index : Index
        The index that is searched: its fields can be named.
    text : str
        The query.
    query_mode : {'lenient', 'strict', 'plain'}
        How it is read, as by `Searcher.search`.
    saved : bool
        Whether the index was saved with some fields of the documents, so that another one takes a new index.

    Raises
    ------
    QueryError
        If a strict query is not of the query language.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a dog"])
    >>> typed, remarks = read_typed(index, "cat -dgo")
    >>> str(typed.tree), sorted(typed.marked_terms(index)), typed.unknown(index), remarks
    ('cat AND NOT dgo', ['cat'], ['dgo'], [])
    """
    if is_words(text, query_mode):
        return TypedQuery(text), []
    from toysearch.query.parser import parse
    from toysearch.retrieval.matching import known_fields, plain_words, unkept

    advice = unkept() if saved else ""
    tree, remarks = parse(text, query_mode, known_fields(index), advice)
    words_only = tree is None or plain_words(tree) == text.split()  # else signs were left out, as in C\+\+
    return TypedQuery(text) if words_only else TypedQuery(text, tree, query_mode), remarks


_TITLE = 200  # characters of a title in a table


class IndexTexts:
    """Reads what an index keeps of its documents; the rest comes from the collection that it was built from, if any."""

    def __init__(self, index: Index, text: str | Node, query: str) -> None:  # the query, whose words are marked
        self.index = index
        self._text, self._query = text, query

    @property
    def has_titles(self) -> bool:
        """True if the index keeps titles and texts."""
        return self.index.titles is not None

    def title(self, doc_id: str) -> str:
        """Return the title of a document; "" if it has none."""
        title = "" if self.index.word_counts else self.index.title(doc_id)
        return self._document(doc_id).title if title is None else title

    def text(self, doc_id: str) -> str:
        """Return the searched text of a document."""
        if self.index.word_counts:
            from toysearch.collection.catalog import without_texts  # most documents are texts

            raise without_texts("this asks for a text", self.index.collection)
        text = self.index.text(doc_id)
        return self._document(doc_id).text if text is None else text

    def fields(self, doc_id: str) -> Mapping[str, Any]:
        """Return all fields of a document in the collection; for an index alone, those whose values it keeps."""
        if self.index.source is not None:
            fields = self._document(doc_id).fields
            return {name: text for name, text in fields.items() if not isinstance(text, CountedWords)}
        if not self.index.values:
            raise ArgumentError(
                f"the index keeps no fields of its documents; the collection has them: collection['{doc_id}'].fields"
            )
        from toysearch.retrieval.filters_and_facets import fields_of  # most searches show no fields

        return fields_of(self.index, self.index.doc_number(doc_id))

    def passage(self, doc_id: str) -> Snippet:
        """Return the part of the text below the title with the most words of the query."""
        from toysearch.retrieval.snippets import without_title  # most searches show no text

        return self._snippet("" if self.index.word_counts else without_title(self.text(doc_id), self.title(doc_id)))

    def title_or_passage(self, doc_id: str) -> Marked:
        """Return the title, or the passage if that alone has a phrase or a word of the query."""
        from toysearch.retrieval.snippets import title_or_passage

        title, passage = self._snippet(self.title(doc_id), width=_TITLE), self.passage(doc_id)
        best = title_or_passage(title if title.text else None, passage, self._terms, self.index.analyzer)
        return Marked(best.text, best.spans)

    def _snippet(self, text: str, **width: int) -> Snippet:
        from toysearch.retrieval.snippets import snippet  # most searches show no text

        return snippet(text, self._terms, self.index.analyzer, **width)

    @cached_property
    def _terms(self) -> frozenset[str]:
        if isinstance(self._text, str):
            return read_typed(self.index, self._text, self._query)[0].marked_terms(self.index)
        return TypedQuery(str(self._text), self._text, "lenient").marked_terms(self.index)

    def _document(self, doc_id: str) -> Any:
        if self.index.source is None:
            remedy = Remedy("Index.build", store_text=True)
            raise ArgumentError(f"the index keeps no titles and no texts; build it again with them: {remedy}")
        return self.index.source[doc_id]
