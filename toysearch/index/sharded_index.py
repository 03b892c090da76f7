"""An index in several shards of consecutive documents, used like one index; workers may hold the shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np

from toysearch.base.errors import note
from toysearch.base.wide_counts import repeat_each
from toysearch.index.document_vectors import DocumentTerms, Row
from toysearch.index.file_layout import Arrays
from toysearch.index.inverted_index import Index
from toysearch.index.joined_arrays import JoinedArrays
from toysearch.index.latent_topics import LatentTopics, check_size, computed_topics
from toysearch.index.merge import already_there, changed, merged, named_documents, tell_changed, without
from toysearch.index.position_blocks import PositionBlocks
from toysearch.index.posting_blocks import PostingBlocks
from toysearch.index.postings import FieldCounts, Postings
from toysearch.index.shards import Shard, WholeStatistics, refuse_different
from toysearch.index.strings import Positions, Strings, strings_of
from toysearch.index.term_groups import BLOCK

Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Calls a function of a shard, with the arguments of each shard, for all shards."""


class ShardedIndex(Index):
    """An index of several shards: the documents of the first, then those of the second, and so on.

    It answers as one index of all documents does. The shards are asked for their best documents. Postings of terms,
    terms of documents, texts and ids are gathered from them when they are needed.

    >>> parts = [Index.build({"1": "a cat"}), Index.build({"2": "the dog", "3": "a dog"})]
    >>> index = ShardedIndex(parts)
    >>> index.stats.N, index["dog"]
    (3, {'2': 1, '3': 1})
    >>> index.checksum == Index.build({"1": "a cat", "2": "the dog", "3": "a dog"}).checksum
    True
    """

    def __init__(self, parts: Sequence[Index], whole: WholeStatistics | None = None) -> None:
        refuse_different(parts)
        whole = WholeStatistics.of(parts) if whole is None else whole
        self.parts, self.whole = tuple(parts), whole
        self.analyzer, self.collection = parts[0].analyzer, parts[0].collection
        self.terms, self.term_numbers = whole.terms, Positions(whole.terms)
        self.stats, self.df, self.df_by_term, self.cf = whole.stats, whole.df, whole.df, whole.cf
        self.shards = tuple(Shard(part, whole, own) for part, own in zip(parts, whole.numbers, strict=True))
        self.bases = [0, *accumulate(len(part) for part in parts)]
        self.n_documents = self.bases[-1]
        self.spread: Spread = self._one_by_one
        self._arrays = JoinedArrays(self.parts, whole)
        self._topics: dict[int, LatentTopics] = {}
        self._folder = None

    def _one_by_one(self, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The results of a function of each shard, in this process."""
        return [task(shard, *own) for shard, own in zip(self.shards, arguments, strict=True)]

    @cached_property
    def doc_ids(self) -> Strings:  # type: ignore[override]
        """The ids by document number."""
        return strings_of(self._arrays, "doc_ids")

    def __len__(self) -> int:
        return self.bases[-1]

    @cached_property
    def fields(self) -> FieldCounts:
        """The counts of each separate field."""
        return _GatheredFields(self)

    @cached_property
    def values(self) -> dict[str, np.ndarray]:  # type: ignore[override]
        """Numbers of the documents; NaN if a document has none."""
        names = self.parts[0].values
        return {name: np.concatenate([part.values[name] for part in self.parts]) for name in names}

    @cached_property
    def blocks(self) -> PostingBlocks:
        """All postings: those of some terms are gathered from the shards."""
        return _GatheredBlocks(self)  # type: ignore[return-value]

    @cached_property
    def joined_blocks(self) -> PostingBlocks:
        """All postings in the memory of this process."""
        return PostingBlocks(self._arrays, self._arrays["offsets"])

    @cached_property
    def position_blocks(self) -> PositionBlocks | None:
        """All positions: those of some terms are gathered from the shards."""
        return _GatheredPositions(self) if "positions" in self._arrays else None  # type: ignore[return-value]

    @cached_property
    def documents(self) -> DocumentTerms:
        """Finds the terms of documents."""
        return _GatheredTerms(self)

    def field_tokens(self, field: str) -> int:
        """The tokens of a separate field in all documents."""
        return self.whole.field_tokens[self.fields.name(field)]

    def numbers_at(self, name: str, where: np.ndarray) -> np.ndarray:
        """The values of a column of terms or documents in some places."""
        found: np.ndarray = (self.cf if name == "cf" else np.asarray(self._arrays[name]))[where]
        return found

    def field_tf(self, field: str, terms: np.ndarray) -> np.ndarray:
        """The term frequencies of the postings of some terms, at least one, in a separate field."""
        return self.gathered(terms, [(shard.field_tf(field, terms),) for shard in self.shards])[0]

    def gathered(self, terms: np.ndarray, columns: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """Columns of the postings of some terms, one term after the other, from those of each shard."""
        counts = np.stack([shard.posting_counts[terms] for shard in self.shards])
        ends = np.cumsum(counts.T.ravel())
        starts = (ends - counts.T.ravel()).reshape(counts.T.shape).T
        joined = [np.empty(int(ends[-1]) if ends.size else 0, column.dtype) for column in columns[0]]
        for own, first, of_shard in zip(counts, starts, columns, strict=True):
            rows = repeat_each(first - (np.cumsum(own) - own), own) + np.arange(int(own.sum()))
            for every, column in zip(joined, of_shard, strict=True):
                every[rows] = column
        return joined

    def places(self, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The shard of each of some documents, and its number there."""
        shards = np.searchsorted(self.bases, docs, side="right") - 1
        return shards, docs - np.asarray(self.bases)[shards]

    def parts_of(self, docs: np.ndarray) -> list[np.ndarray]:
        """The documents of each shard among some, given by rising number, by their numbers there."""
        edges = np.searchsorted(docs, self.bases)
        return [docs[a:b] - base for a, b, base in zip(edges[:-1], edges[1:], self.bases, strict=False)]

    def topics(self, dimensions: int) -> LatentTopics:
        """The latent topics of all documents, computed in this process and kept while the index is open."""
        check_size(dimensions)
        if dimensions not in self._topics:
            note(f"lsa:{dimensions}: the topics of all shards are computed in the memory of this process")
            self._topics[dimensions] = computed_topics(self._arrays, dimensions)
        return self._topics[dimensions]

    def with_arrays(self, new: Arrays, replace: bool) -> ShardedIndex:
        """The index with more documents, which the last shard takes."""
        doc_ids = strings_of(new, "doc_ids")
        known = [number for doc_id in doc_ids if (number := self.doc_ids.find(doc_id, self.doc_ids_order)) >= 0]
        if known and not replace:
            raise already_there(self.doc_ids[known[0]], known[0])
        parts = self._without(np.array(sorted(known), np.int64))
        last = changed(self, merged(parts.pop().arrays, new) if parts else new)
        return ShardedIndex([*parts, last])

    def delete(self, doc_ids: Iterable[str]) -> ShardedIndex:
        """The index of the other documents; see `Index.delete`."""
        numbers = np.sort(named_documents(self.doc_ids, self.doc_ids_order, doc_ids))
        tell_changed(self)
        return ShardedIndex(self._without(numbers))

    def _without(self, numbers: np.ndarray) -> list[Index]:
        """The shards without some documents, given by rising number; a shard that loses all is left out."""
        left = []
        for part, own in zip(self.parts, self.parts_of(numbers), strict=True):
            if not len(own):
                left.append(part)
            elif len(own) < len(part):
                left.append(Index(part.analyzer, without(part.arrays, own), part.collection))
        return left


class _GatheredBlocks:
    """The postings of all shards; those of some terms are gathered, and all else is asked of the joined postings."""

    def __init__(self, index: ShardedIndex) -> None:
        self._index = index
        self.of_all = partial(PostingBlocks.of_all, self)  # type: ignore[arg-type]

    @property
    def own(self) -> PostingBlocks:
        """The joined postings."""
        return self._index.joined_blocks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index.joined_blocks, name)

    def of_terms(self, terms: np.ndarray) -> Postings:
        """The postings of some terms, one term after the other."""
        found = [shard.blocks.of_terms(terms) for shard in self._index.shards]
        docs = [docs + np.int32(base) for (docs, _), base in zip(found, self._index.bases, strict=False)]
        columns = [*zip(docs, (tf for _, tf in found), strict=True)]
        return Postings(*self._index.gathered(np.asarray(terms, np.int64), columns))

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """The postings of a term in some documents, given by rising number."""
        index = self._index
        pairs = zip(index.shards, index.parts_of(docs), strict=True)
        found = [shard.blocks.in_documents(term, own) for shard, own in pairs]
        every = [own + np.int32(base) for (own, _), base in zip(found, index.bases, strict=False)]
        return Postings(np.concatenate(every), np.concatenate([tf for _, tf in found]))

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first posting of each of some terms, and the first one after it; int64."""
        ends = np.cumsum(self._index.df)[terms]
        return ends - self._index.df[terms], ends

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """The first documents of each of some terms, at most 128."""
        index = self._index
        found = [shard.blocks.first_docs(terms) for shard in index.shards]
        every = [[docs + np.int32(base) for docs in own] for own, base in zip(found, index.bases, strict=False)]
        return [np.concatenate(own)[:BLOCK] for own in zip(*every, strict=True)]

    def of_document(self, number: int) -> Row:
        """The terms of a document, by rising number, and their frequencies in it; int64."""
        return self._index.documents.rows(np.array([number]))[0]


class _GatheredPositions:
    """The positions of all shards."""

    def __init__(self, index: ShardedIndex) -> None:
        self._index = index

    def of_posting(self, term: int, doc: int) -> np.ndarray:
        """The positions of a term in a document; int32; empty for the unknown term -1."""
        docs = np.array([doc])
        if term < 0 or not self._index.blocks.in_documents(term, docs).docs.size:
            return np.empty(0, dtype=np.int32)
        return self.of_term(term, docs)[1]

    def of_term(self, term: int, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The frequencies of a term in documents that contain it, given by rising number, and its positions there."""
        found = []
        for shard, own in zip(self._index.shards, self._index.parts_of(docs), strict=True):
            [number] = shard.own_terms(np.array([term])).tolist()
            if len(own) and shard.part.position_blocks is not None:
                found.append(shard.part.position_blocks.of_term(number, own))
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        tf, places = zip(*found, strict=True)
        return np.concatenate(tf), np.concatenate(places)


class _GatheredTerms(DocumentTerms):
    """Finds the terms of the documents of all shards."""

    index: ShardedIndex

    def rows(self, docs: np.ndarray) -> list[Row]:
        """The terms and frequencies of the documents with these numbers, in their order."""
        shards, numbers = self.index.places(docs)
        rows: list[Row] = [(np.empty(0, np.int64), np.empty(0, np.int64))] * len(docs)
        for number, shard in enumerate(self.index.shards):
            own = np.flatnonzero(shards == number)
            if len(own):
                for place, (terms, tf) in zip(own.tolist(), shard.part.documents.rows(numbers[own]), strict=True):
                    rows[place] = shard.numbers[terms].astype(np.int64), tf
        return rows


class _GatheredFields(FieldCounts):
    """The counts of the separate fields in all shards."""

    def __init__(self, index: ShardedIndex) -> None:
        self.names = index.parts[0].fields.names
        self._index = index

    def tf(self, field: str, start: int, stop: int) -> np.ndarray:
        """The term frequencies in a field of the postings from start up to stop; int64."""
        return FieldCounts(self._index.arrays, self._index.stats.n_postings).tf(field, start, stop)

    def dl(self, field: str) -> np.ndarray:
        """The length of a field in each document, in tokens; int32, shape (N,)."""
        return np.concatenate([part.fields.dl(field) for part in self._index.parts])
