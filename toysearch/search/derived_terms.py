"""Derived terms: a phrase, a group of terms or a term of one field, with postings and statistics of its own.

A derived term is counted exactly, so every model can weigh it like a term of the index: tf is the number of its
occurrences in a document, df the number of documents with an occurrence, cf the number of occurrences in all documents.
The documents' own statistics, such as dl, are those of the whole documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from toysearch.base.wide_counts import repeat_each
from toysearch.index.inverted_index import Index
from toysearch.search.phrases import Words, occurrences, places_of, positions
from toysearch.search.term_weights import in_blocks

_NONE = np.empty(0, dtype=np.int64)
_MANY = 200  # terms of a pattern that are not looked for one by one
_SORTED = 16  # up to one occurrence per so many documents, occurrences are sorted, else counted for all documents


class DerivedTerm(NamedTuple):
    """A derived term: its text in the query language, its postings, and what it is made of."""

    text: str
    docs: np.ndarray  # (df,) int32, rising
    tf: np.ndarray  # (df,) int64
    field_tf: Mapping[str, np.ndarray]  # for each separate field of the index: (df,) int64
    phrases: tuple[Words, ...] = ()  # the phrases that count as one
    terms: np.ndarray = _NONE  # the single terms that count as one with them, by number
    field: str | None = None  # the field, if it is of one field only
    counts: tuple[int, int] | None = None  # df and cf in all documents, if the postings are those of a shard

    @property
    def df(self) -> int:
        """The number of documents with an occurrence."""
        return len(self.docs) if self.counts is None else self.counts[0]

    @property
    def cf(self) -> int:
        """The number of occurrences."""
        return int(self.tf.sum()) if self.counts is None else self.counts[1]

    def between(self, start: int, stop: int) -> DerivedTerm:
        """The same term in the documents from start up to stop, which are numbered from 0."""
        first, last = np.searchsorted(self.docs, (start, stop)).tolist()
        field_tf = {name: tf[first:last] for name, tf in self.field_tf.items()}
        docs = self.docs[first:last] - np.int32(start)
        return self._replace(docs=docs, tf=self.tf[first:last], field_tf=field_tf, counts=(self.df, self.cf))

    def positions(self, index: Index, doc: int) -> list[int]:
        """The positions in a document where it occurs, rising; empty for many terms, and if the index cannot tell."""
        if len(self.terms) > _MANY:
            return []
        if index.position_blocks is None and (index.texts is None or index.analyzer.makes_grams):
            return []
        parts = [*self.phrases, *(Words((term,), (0,)) for term in self.terms.tolist())]
        return sorted(place for part in parts for place in positions(index, part, doc, self.field))


def of_terms(index: Index, text: str, numbers: np.ndarray) -> DerivedTerm:
    """Terms of the index that count as one."""
    # numbers: (n,) int64, each once.
    if len(numbers) == 1:
        docs, tf = index.blocks.of_terms(numbers)
        return DerivedTerm(
            text, docs, tf, {name: index.field_tf(name, numbers) for name in index.fields.names}, terms=numbers
        )
    names, N = index.fields.names, len(index)
    sums = {name: np.zeros(N, dtype=np.int32) for name in names}  # no sum exceeds the length of a document
    tf = np.zeros(N, dtype=np.int32)
    for own in in_blocks(index, numbers):
        postings = index.blocks.of_terms(own)
        if len(own) == len(numbers) and not names and int(postings.tf.sum()) <= N // _SORTED:
            return DerivedTerm(text, *_counted(repeat_each(postings.docs, postings.tf)), {}, terms=numbers)
        np.add.at(tf, postings.docs, postings.tf.astype(np.int32))
        for name, counts in sums.items():
            np.add.at(counts, postings.docs, index.field_tf(name, own).astype(np.int32))
    docs = np.flatnonzero(tf != 0).astype(np.int32)
    field_tf = {name: counts[docs].astype(np.int64) for name, counts in sums.items()}
    return DerivedTerm(text, docs, tf[docs].astype(np.int64), field_tf, terms=numbers)


def _counted(docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The documents in an array, rising, and how often each is in it."""
    docs.sort()
    first = np.flatnonzero(np.diff(docs, prepend=np.int32(-1)) != 0)
    return docs[first], np.diff(first, append=len(docs))


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
    phrases, terms = tuple(each for part in parts for each in part.phrases), [part.terms for part in parts]
    tf = total([part.tf for part in parts])
    return DerivedTerm(text, docs.astype(np.int32), tf, field_tf, phrases, np.concatenate(terms), parts[0].field)


def phrase(index: Index, text: str, words: Words, field: str | None) -> DerivedTerm:
    """Words near each other, in the documents or in one separate field."""
    return DerivedTerm(
        text, *occurrences(index, words, places_of(index, words.terms, field), field), (words,), field=field
    )


def in_field(text: str, term: DerivedTerm, field: str) -> DerivedTerm:
    """The occurrences of a derived term in one separate field."""
    tf = term.field_tf[field]
    held = np.flatnonzero(tf)
    nothing = np.zeros(len(held), dtype=np.int64)
    field_tf = {name: tf[held] if name == field else nothing for name in term.field_tf}
    return DerivedTerm(text, term.docs[held], tf[held], field_tf, term.phrases, term.terms, field)
