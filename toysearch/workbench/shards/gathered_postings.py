"""Postings of the shards of an index, gathered as those of one index; and those of one shard, numbered alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.index.document_vectors import DocumentTerms, Row
from toysearch.index.posting_blocks import BLOCK, PostingBlocks
from toysearch.index.postings import FieldCounts, Postings

if TYPE_CHECKING:
    from toysearch.workbench.shards.sharded_index import Shard, ShardedIndex


class GatheredPostings:
    """Postings of all shards; those of some terms are gathered, and all of them are joined."""

    def __init__(self, index: ShardedIndex) -> None:
        self._index = index

    @property
    def packed(self) -> PostingBlocks:
        """Return the joined postings."""
        return self._index.joined_blocks

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """Return the postings from start up to stop, counted through all terms; by default all."""
        return self.packed.span(start, stop)

    def of_terms(self, terms: np.ndarray) -> Postings:
        """Return the postings of some terms, one term after the other."""
        columns = self._numbered(shard.blocks.of_terms(terms) for shard in self._index.shards)
        return Postings(*self._index.gathered(np.asarray(terms, np.int64), columns))

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """Return the postings of a term in some documents, given by rising number."""
        pairs = zip(self._index.shards, self._index.parts_of(docs), strict=True)
        columns = self._numbered(shard.blocks.in_documents(term, own_docs) for shard, own_docs in pairs)
        return Postings(*map(np.concatenate, zip(*columns, strict=True)))

    def _numbered(self, postings: Iterable[Postings]) -> list[Postings]:
        """Return the postings of the shards with the numbers of their documents in the whole."""
        pairs = zip(postings, self._index.bases, strict=False)
        return [Postings(docs + np.int32(base), tf) for (docs, tf), base in pairs]

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first posting of each of some terms, and the first one after it; int64."""
        ends = np.cumsum(self._index.df)[terms]
        return ends - self._index.df[terms], ends

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """Return the first documents of each of some terms, at most 128."""
        index = self._index
        of_shards = [shard.blocks.first_docs(terms) for shard in index.shards]
        every = [
            [docs + np.int32(base) for docs in doc_lists]
            for doc_lists, base in zip(of_shards, index.bases, strict=False)
        ]
        return [np.concatenate(doc_lists)[:BLOCK] for doc_lists in zip(*every, strict=True)]

    def of_document(self, number: int) -> Row:
        """Return the terms of a document, by rising number, and their frequencies in it; int64."""
        return self._index.documents.rows(np.array([number]))[0]


class GatheredPositions:
    """Positions of all shards."""

    def __init__(self, index: ShardedIndex) -> None:
        self._index = index

    def of_term(self, term: int, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the frequencies and the positions of a term in documents that contain it, given by rising number."""
        columns = []
        for shard, own_docs in zip(self._index.shards, self._index.parts_of(docs), strict=True):
            [number] = shard.own_terms(np.array([term])).tolist()
            if len(own_docs) and shard.part.position_blocks is not None:
                columns.append(shard.part.position_blocks.of_term(number, own_docs))
        if not columns:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        tf, places = zip(*columns, strict=True)
        return np.concatenate(tf), np.concatenate(places)


class GatheredTerms(DocumentTerms):
    """Terms of the documents of all shards."""

    index: ShardedIndex

    def rows(self, docs: np.ndarray) -> list[Row]:
        """Return the terms and frequencies of the documents with these numbers, in their order."""
        shards, numbers = self.index.places(docs)
        rows: list[Row] = [(np.empty(0, np.int64), np.empty(0, np.int64))] * len(docs)
        for number, shard in enumerate(self.index.shards):
            own_places = np.flatnonzero(shards == number)
            if len(own_places):
                for place, (terms, tf) in zip(
                    own_places.tolist(), shard.part.documents.rows(numbers[own_places]), strict=True
                ):
                    rows[place] = shard.numbers[terms].astype(np.int64), tf
        return rows


class GatheredFields(FieldCounts):
    """Counts of the separate fields in all shards."""

    def __init__(self, index: ShardedIndex) -> None:
        self.names = index.parts[0].fields.names
        self._index = index

    def tf(self, field: str, start: int, stop: int) -> np.ndarray:
        """Return the term frequencies in a field of the postings from start up to stop; int64."""
        return FieldCounts(self._index.arrays, self._index.stats.n_postings).tf(field, start, stop)

    def dl(self, field: str) -> np.ndarray:
        """Return the length of a field in each document, in tokens; int32, shape (N,)."""
        return np.concatenate([part.fields.dl(field) for part in self._index.parts])


class PostingCounts:
    """Number of postings of terms in a shard."""

    def __init__(self, blocks: Any) -> None:
        self._blocks = blocks

    def __getitem__(self, terms: np.ndarray) -> np.ndarray:
        starts, stops = self._blocks.spans(np.asarray(terms, np.int64))
        counts: np.ndarray = stops - starts
        return counts


class ShardPostings:
    """Postings of a shard by the numbers of terms in the whole; none of a term that the shard lacks."""

    def __init__(self, shard: Shard) -> None:
        self._shard, self._lists = shard, shard.part.blocks

    @property
    def packed(self) -> PostingBlocks:
        """Return the same postings in packed blocks, by the numbers of the shard's own terms."""
        return self._lists.packed

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """Return the postings from start up to stop, counted through all terms; by default all."""
        return self._lists.span(start, stop)

    def of_document(self, number: int) -> Row:
        """Return the terms of a document, by rising number, and their frequencies in it; int64."""
        terms, tf = self._lists.of_document(number)
        return self._shard.numbers[terms].astype(np.int64), tf

    def _held(self, terms: np.ndarray) -> np.ndarray:
        numbers = self._shard.own_terms(terms)
        return numbers[numbers >= 0]

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first posting of each of some terms, and the first one after it; int64."""
        numbers = self._shard.own_terms(terms)
        starts, stops = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        starts[numbers >= 0], stops[numbers >= 0] = self._lists.spans(numbers[numbers >= 0])
        return starts, stops

    def of_terms(self, terms: np.ndarray) -> Postings:
        """Return the postings of some terms, one term after the other."""
        return self._lists.of_terms(self._held(terms))

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """Return the postings of a term in some documents, given by rising number."""
        own_numbers = self._held(np.array([term])).tolist()
        return self._lists.in_documents(own_numbers[0], docs) if own_numbers else self._lists.span(0, 0)

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """Return the first documents of each of some terms, at most 128."""
        numbers = self._shard.own_terms(terms)
        own_lists = iter(self._lists.first_docs(numbers[numbers >= 0]))
        return [next(own_lists) if number >= 0 else np.empty(0, np.int32) for number in numbers.tolist()]
