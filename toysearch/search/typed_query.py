"""A query as somebody types it: its tree, the terms to mark, words that no document contains, a better spelling."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.index.inverted_index import Index
from toysearch.query.parser import parse
from toysearch.query.syntax import Node, words_of
from toysearch.search.matching import Matcher, known_fields, plain_words


class TypedQuery(NamedTuple):
    """A query: its text, its tree unless it is only words, and the way to read it: 'plain' for words."""

    text: str
    tree: Node | None = None
    mode: str = "plain"

    @property
    def asked(self) -> str | Node:
        """What is searched for: the tree, or the text."""
        return self.tree or self.text

    @property
    def words(self) -> str:
        """The words of the query, without signs."""
        return self.text if self.tree is None else " ".join(words_of(self.tree))

    def marked_terms(self, index: Index) -> frozenset[str]:
        """The terms to mark in titles and passages."""
        if self.tree is None:
            return frozenset(index.analyzer(self.text))
        return frozenset(Matcher(index, self.mode == "lenient").marked_terms(self.tree))

    def unknown(self, index: Index) -> list[str]:
        """The words that no document contains."""
        from toysearch.search.spelling import unknown_words  # usual words do not need it

        return unknown_words(index, self.words)

    def better(self, index: Index) -> tuple[TypedQuery, int] | None:
        """The query in a better spelling, and the number of documents with all its words, or that its tree matches."""
        if self.tree is None:
            from toysearch.search.spelling import suggest

            found = suggest(index, self.text)
            return (self._replace(text=found.text), found.documents) if found else None
        from toysearch.search.query_spelling import suggest_tree

        tree = suggest_tree(index, self.tree, self.text)
        return (self._replace(tree=tree), len(Matcher(index, self.mode == "lenient").matches(tree))) if tree else None


def read_typed(index: Index, text: str, mode: str) -> tuple[TypedQuery, list[str]]:
    """The query of a text, and remarks on what was not taken for a part of the query language.

    >>> index = Index.build(["the cat sat", "a dog"])
    >>> query, remarks = read_typed(index, "cat -dgo", "lenient")
    >>> str(query.tree), sorted(query.marked_terms(index)), query.unknown(index), remarks
    ('cat AND NOT dgo', ['cat'], ['dgo'], [])
    """
    tree, remarks = (None, []) if mode == "plain" else parse(text, mode, known_fields(index))
    words_only = tree is None or plain_words(tree)
    return TypedQuery(text) if words_only else TypedQuery(text, tree, mode), remarks
