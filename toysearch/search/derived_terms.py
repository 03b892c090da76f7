"""Derived terms: a phrase, a group of terms or a term of one field, with postings and statistics of its own.

A derived term is counted exactly, so every model can weigh it like a term of the index: tf is the number of its
occurrences in a document, df the number of documents with an occurrence, cf the number of occurrences in all documents.
The documents' own statistics, such as dl, are those of the whole documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from toysearch.index.inverted_index import Index
from toysearch.search.phrases import Words, occurrences, places_of, positions
from toysearch.search.term_weights import in_blocks


class DerivedTerm(NamedTuple):
    """A derived term: its text in the query language, its postings, and what it is made of."""

    text: str
    docs: np.ndarray  # (df,) int32, rising
    tf: np.ndarray  # (df,) int64
    field_tf: Mapping[str, np.ndarray]  # for each separate field of the index: (df,) int64
    parts: tuple[Words, ...] = ()  # the phrases and the single terms that count as one
    field: str | None = None  # the field, if it is of one field only

    @property
    def df(self) -> int:
        """The number of documents with an occurrence."""
        return len(self.docs)

    @property
    def cf(self) -> int:
        """The number of occurrences."""
        return int(self.tf.sum())

    def positions(self, index: Index, doc: int) -> list[int]:
        """The positions in a document where it occurs, rising; empty if the index has neither positions nor texts."""
        if index.position_blocks is None and (index.texts is None or index.analyzer.makes_grams):
            return []
        return sorted(place for part in self.parts for place in positions(index, part, doc, self.field))


def of_terms(index: Index, text: str, numbers: np.ndarray) -> DerivedTerm:
    """Terms of the index that count as one."""
    # numbers: (n,) int64, each once.
    parts = tuple(Words((number,), (0,)) for number in numbers.tolist())
    if len(numbers) == 1:
        docs, tf = index.blocks.of_terms(numbers)
        (start,), (stop,) = map(np.ndarray.tolist, index.blocks.spans(numbers))
        return DerivedTerm(
            text, docs, tf, {name: index.fields.tf(name, start, stop) for name in index.fields.names}, parts
        )
    tf, field_tf = np.zeros(index.stats.N, dtype=np.int64), {}
    for name in index.fields.names:
        field_tf[name] = np.zeros(index.stats.N, dtype=np.int64)
    for own, spans in in_blocks(index, numbers.tolist()):
        postings = index.blocks.of_terms(np.array(own))
        np.add.at(tf, postings.docs, postings.tf)
        for name, counts in field_tf.items():
            of_field = [index.fields.tf(name, start, stop) for start, stop in spans]
            np.add.at(counts, postings.docs, np.concatenate(of_field))
    docs = np.flatnonzero(tf).astype(np.int32)
    return DerivedTerm(text, docs, tf[docs], {name: counts[docs] for name, counts in field_tf.items()}, parts)


def united(index: Index, text: str, parts: list[DerivedTerm]) -> DerivedTerm:
    """Derived terms that count as one: their frequencies add up."""
    every = np.concatenate([part.docs for part in parts]).astype(np.int64)
    docs, places = np.unique(every, return_inverse=True)

    def total(counts: list[np.ndarray]) -> np.ndarray:
        sums = np.zeros(len(docs), dtype=np.int64)
        np.add.at(sums, places, np.concatenate(counts))
        return sums

    names = index.fields.names
    field_tf = {name: total([part.field_tf[name] for part in parts]) for name in names}
    members = tuple(member for part in parts for member in part.parts)
    return DerivedTerm(
        text, docs.astype(np.int32), total([part.tf for part in parts]), field_tf, members, parts[0].field
    )


def phrase(index: Index, text: str, words: Words, field: str | None) -> DerivedTerm:
    """Words near each other, in the documents or in one separate field."""
    return DerivedTerm(text, *occurrences(index, words, places_of(index, words.terms, field), field), (words,), field)


def in_field(text: str, term: DerivedTerm, field: str) -> DerivedTerm:
    """The occurrences of a derived term in one separate field."""
    tf = term.field_tf[field]
    held = np.flatnonzero(tf)
    nothing = np.zeros(len(held), dtype=np.int64)
    field_tf = {name: tf[held] if name == field else nothing for name in term.field_tf}
    return DerivedTerm(text, term.docs[held], tf[held], field_tf, term.parts, field)
