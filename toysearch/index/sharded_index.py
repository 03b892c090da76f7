"""An index in several shards of consecutive documents, used like one index; workers may hold the shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import StorageError, note, repeat_each
from toysearch.index.document_columns import joined_keywords, order_of_ids
from toysearch.index.document_vectors import DocumentTerms, Row
from toysearch.index.file_layout import KEYWORDS, Arrays, widened
from toysearch.index.inverted_index import Index, changed, tell_changed
from toysearch.index.latent_topics import LatentTopics, check_size, computed_topics
from toysearch.index.merge import (
    BY_DOCUMENT,
    ROWS_BY_DOCUMENT,
    STRINGS_BY_DOCUMENT,
    already_there,
    finished,
    merged,
    named_documents,
    offsets_of,
    unpacked,
    without,
)
from toysearch.index.posting_blocks import BLOCK, PostingBlocks
from toysearch.index.postings import (
    CollectionStats,
    FieldCounts,
    Postings,
    TermPositions,
    TermPostings,
    places_of,
    read_only,
)
from toysearch.index.strings import (
    Pieces,
    Positions,
    Strings,
    byte_order,
    pieces_of,
    repeated,
    strings_in_one,
    strings_of,
)

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
        self.shards = tuple(Shard(part, whole, numbers) for part, numbers in zip(parts, whole.numbers, strict=True))
        self.bases = [0, *accumulate(len(part) for part in parts)]
        self.n_documents = self.bases[-1]
        self.spread: Spread = self._one_by_one
        self._arrays = JoinedArrays(self.parts, whole)
        self._topics: dict[int, LatentTopics] = {}
        self._folder = None

    def _one_by_one(self, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The results of a function of each shard, in this process."""
        return [task(shard, *own_arguments) for shard, own_arguments in zip(self.shards, arguments, strict=True)]

    @cached_property
    def doc_ids(self) -> Strings:  # type: ignore[override]
        """The ids by document number."""
        return strings_of(self._arrays, "doc_ids")

    def __len__(self) -> int:
        return self.bases[-1]

    @cached_property
    def fields(self) -> FieldCounts:  # type: ignore[override]
        """The counts of each separate field."""
        return _GatheredFields(self)

    @cached_property
    def values(self) -> dict[str, np.ndarray]:  # type: ignore[override]
        """Numbers of the documents; NaN if a document has none."""
        names = self.parts[0].values
        return {name: np.concatenate([part.values[name] for part in self.parts]) for name in names}

    @cached_property
    def blocks(self) -> TermPostings:
        """All postings: those of some terms are gathered from the shards."""
        return _GatheredPostings(self)

    @cached_property
    def joined_blocks(self) -> PostingBlocks:
        """All postings in the memory of this process."""
        return PostingBlocks(self._arrays, self._arrays["offsets"])

    @cached_property
    def position_blocks(self) -> TermPositions | None:
        """All positions: those of some terms are gathered from the shards."""
        return _GatheredPositions(self) if "positions" in self._arrays else None

    @cached_property
    def documents(self) -> DocumentTerms:
        """Finds the terms of documents."""
        return _GatheredTerms(self)

    def field_tokens(self, field: str) -> int:
        """The tokens of a separate field in all documents."""
        return self.whole.field_tokens[self.fields.name(field)]

    def numbers_at(self, name: str, where: np.ndarray) -> np.ndarray:
        """The values of a column of terms or documents in some places; int64."""
        numbers: np.ndarray = (self.cf if name == "cf" else np.asarray(self._arrays[name]))[where]
        return numbers.astype(np.int64, copy=False)

    def field_tf(self, field: str, terms: np.ndarray) -> np.ndarray:
        """The term frequencies of the postings of some terms, at least one, in a separate field."""
        return self.gathered(terms, [(shard.field_tf(field, terms),) for shard in self.shards])[0]

    def gathered(self, terms: np.ndarray, columns: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """Columns of the postings of some terms, one term after the other, from those of each shard."""
        counts = np.stack([shard.posting_counts[terms] for shard in self.shards])
        ends = np.cumsum(counts.T.ravel())
        starts = (ends - counts.T.ravel()).reshape(counts.T.shape).T
        joined = [np.empty(int(ends[-1]) if ends.size else 0, column.dtype) for column in columns[0]]
        for shard_counts, first, of_shard in zip(counts, starts, columns, strict=True):
            rows = repeat_each(first - (np.cumsum(shard_counts) - shard_counts), shard_counts) + np.arange(
                int(shard_counts.sum())
            )
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
        numbers = [number for doc_id in doc_ids if (number := self.find_document(doc_id)) >= 0]
        if numbers and not replace:
            raise already_there(self.doc_ids[numbers[0]], numbers[0])
        parts = self._without(np.array(sorted(numbers), np.int64))
        last = changed(self, merged(parts.pop().arrays, new) if parts else new)
        return ShardedIndex([*parts, last])

    def delete(self, doc_ids: Iterable[str]) -> ShardedIndex:
        """The index of the other documents; see `Index.delete`."""
        numbers = np.sort(named_documents(self.doc_ids, self.doc_ids_order, doc_ids))
        tell_changed(self)
        return ShardedIndex(self._without(numbers))

    def _without(self, numbers: np.ndarray) -> list[Index]:
        """The shards without some documents, given by rising number; a shard that loses all is left out."""
        parts = []
        for part, own_numbers in zip(self.parts, self.parts_of(numbers), strict=True):
            if not len(own_numbers):
                parts.append(part)
            elif len(own_numbers) < len(part):
                parts.append(Index(part.analyzer, without(part.arrays, own_numbers), part.collection))
        return parts


class _GatheredPostings:
    """The postings of all shards; those of some terms are gathered, and all of them are joined."""

    def __init__(self, index: ShardedIndex) -> None:
        self._index = index

    @property
    def packed(self) -> PostingBlocks:
        """The joined postings."""
        return self._index.joined_blocks

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """The postings from start up to stop, counted through all terms; by default all."""
        return self.packed.span(start, stop)

    def of_terms(self, terms: np.ndarray) -> Postings:
        """The postings of some terms, one term after the other."""
        postings = [shard.blocks.of_terms(terms) for shard in self._index.shards]
        docs = [docs + np.int32(base) for (docs, _), base in zip(postings, self._index.bases, strict=False)]
        columns = [*zip(docs, (tf for _, tf in postings), strict=True)]
        return Postings(*self._index.gathered(np.asarray(terms, np.int64), columns))

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """The postings of a term in some documents, given by rising number."""
        index = self._index
        pairs = zip(index.shards, index.parts_of(docs), strict=True)
        postings = [shard.blocks.in_documents(term, own_docs) for shard, own_docs in pairs]
        every = [own_docs + np.int32(base) for (own_docs, _), base in zip(postings, index.bases, strict=False)]
        return Postings(np.concatenate(every), np.concatenate([tf for _, tf in postings]))

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first posting of each of some terms, and the first one after it; int64."""
        ends = np.cumsum(self._index.df)[terms]
        return ends - self._index.df[terms], ends

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """The first documents of each of some terms, at most 128."""
        index = self._index
        of_shards = [shard.blocks.first_docs(terms) for shard in index.shards]
        every = [
            [docs + np.int32(base) for docs in doc_lists]
            for doc_lists, base in zip(of_shards, index.bases, strict=False)
        ]
        return [np.concatenate(doc_lists)[:BLOCK] for doc_lists in zip(*every, strict=True)]

    def of_document(self, number: int) -> Row:
        """The terms of a document, by rising number, and their frequencies in it; int64."""
        return self._index.documents.rows(np.array([number]))[0]


class _GatheredPositions:
    """The positions of all shards."""

    def __init__(self, index: ShardedIndex) -> None:
        self._index = index

    def of_term(self, term: int, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The frequencies of a term in documents that contain it, given by rising number, and its positions there."""
        columns = []
        for shard, own_docs in zip(self._index.shards, self._index.parts_of(docs), strict=True):
            [number] = shard.own_terms(np.array([term])).tolist()
            if len(own_docs) and shard.part.position_blocks is not None:
                columns.append(shard.part.position_blocks.of_term(number, own_docs))
        if not columns:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        tf, places = zip(*columns, strict=True)
        return np.concatenate(tf), np.concatenate(places)


class _GatheredTerms(DocumentTerms):
    """Finds the terms of the documents of all shards."""

    index: ShardedIndex

    def rows(self, docs: np.ndarray) -> list[Row]:
        """The terms and frequencies of the documents with these numbers, in their order."""
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


_AT_ONCE = 16  # shards whose terms are sorted together


class WholeStatistics(NamedTuple):
    """The terms of all shards, and the counts over all their documents."""

    terms: Strings
    df: np.ndarray  # (n_terms,) int64
    cf: np.ndarray  # (n_terms,) int64
    numbers: tuple[np.ndarray, ...]  # of each shard: the number among all terms of each of its terms; int32
    stats: CollectionStats
    field_tokens: Mapping[str, int]  # the tokens of each separate field

    @classmethod
    def of(cls, parts: Sequence[Index]) -> WholeStatistics:
        """The statistics of all shards, given in the order of their documents."""
        terms, numbers = _union([part.terms for part in parts])
        df, cf = np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64)
        for part, own_numbers in zip(parts, numbers, strict=True):
            df[own_numbers] += np.diff(np.asarray(part.arrays["offsets"]))
            cf[own_numbers] += np.asarray(part.cf)
        field_tokens = {name: sum(part.field_tokens(name) for part in parts) for name in parts[0].fields.names}
        every = [part.stats for part in parts]
        N, T, n_empty = (
            sum(column)
            for column in zip(
                *((stats_of_part.N, stats_of_part.T, stats_of_part.n_empty) for stats_of_part in every), strict=True
            )
        )
        n_postings = int(df.sum())
        stats = CollectionStats(N, T, T / N, n_postings / N, len(terms), n_postings, n_empty)
        return cls(terms, df, cf, tuple(numbers), stats, field_tokens)


def _union(each: Sequence[Strings]) -> tuple[Strings, list[np.ndarray]]:
    """All strings of several sequences, sorted and each once, and the number among them of each string; int32."""
    if len(each) > _AT_ONCE:  # the strings of all sequences would take much more memory than their union
        groups = [_union(each[start : start + _AT_ONCE]) for start in range(0, len(each), _AT_ONCE)]
        whole, of_groups = _union([strings for strings, _ in groups])
        return whole, [
            group_numbers[shard] for group_numbers, (_, inner) in zip(of_groups, groups, strict=True) for shard in inner
        ]
    every = strings_in_one(each)
    order = byte_order(every)
    new = ~repeated(every, order)
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.cumsum(new) - 1
    distinct = order[new]
    starts, lengths = every.offsets[:-1][distinct], np.diff(every.offsets)[distinct]
    whole = Strings(every.blob[places_of(starts, lengths)], offsets_of(lengths))
    return whole, np.split(numbers, np.cumsum([len(strings) for strings in each])[:-1])


class Shard(Index):
    """One of the indexes: its own documents and postings, the terms and statistics of all.

    >>> parts = [Index.build({"1": "a cat"}), Index.build({"2": "the dog", "3": "a dog"})]
    >>> whole = WholeStatistics.of(parts)
    >>> shard = Shard(parts[0], whole, whole.numbers[0])
    >>> list(shard.terms), shard.df.tolist(), shard.stats.N, list(shard.doc_ids)
    (['cat', 'dog', 'the'], [1, 2, 1], 3, ['1'])
    >>> shard.postings("cat").docs.tolist(), shard.postings("dog").docs.tolist()
    ([0], [])
    """

    def __init__(self, part: Index, whole: WholeStatistics, numbers: np.ndarray) -> None:
        # part: the index of its documents alone; numbers: the number among all terms of each of its terms.
        super().__init__(part.analyzer, part.arrays, part.collection)
        self._folder = part.folder
        self.part, self.whole, self.numbers = part, whole, numbers
        self.terms, self.term_numbers = whole.terms, Positions(whole.terms)
        self.stats, self.df, self.df_by_term, self.cf = whole.stats, whole.df, whole.df, whole.cf
        self.blocks = ShardPostings(self)
        self.posting_counts = _PostingCounts(self.blocks)
        self.scorers: dict[Any, Any] = {}  # of the models that it has been asked for

    def numbers_at(self, name: str, where: np.ndarray) -> np.ndarray:
        """The values of a column of terms or documents in some places: those of all for terms."""
        numbers: np.ndarray = self.cf[where] if name == "cf" else self.part.numbers_at(name, where)
        return numbers

    def own_terms(self, terms: np.ndarray) -> np.ndarray:
        """The numbers of some terms among its own; -1 for a term that none of its documents contains."""
        if not len(self.numbers):
            return np.full(len(terms), -1)
        narrow = np.asarray(terms, self.numbers.dtype)  # of another type, all numbers would be copied
        rows = np.minimum(np.searchsorted(self.numbers, narrow), len(self.numbers) - 1)
        return np.where(self.numbers[rows] == terms, rows, -1)

    @property
    def held_terms(self) -> np.ndarray:
        """The numbers of the terms that its documents contain, rising."""
        return self.numbers

    def field_tokens(self, field: str) -> int:
        """The tokens of a separate field in all documents of the whole."""
        return self.whole.field_tokens[self.fields.name(field)]


class _PostingCounts:
    """The number of postings of terms in a shard."""

    def __init__(self, blocks: Any) -> None:
        self._blocks = blocks

    def __getitem__(self, terms: np.ndarray) -> np.ndarray:
        starts, stops = self._blocks.spans(np.asarray(terms, np.int64))
        counts: np.ndarray = stops - starts
        return counts


class ShardPostings:
    """The postings of a shard by the numbers of terms in the whole; none of a term that the shard lacks."""

    def __init__(self, shard: Shard) -> None:
        self._shard, self._lists = shard, shard.part.blocks

    @property
    def packed(self) -> PostingBlocks:
        """The same postings in packed blocks, by the numbers of the shard's own terms."""
        return self._lists.packed

    def span(self, start: int = 0, stop: int | None = None) -> Postings:
        """The postings from start up to stop, counted through all terms; by default all."""
        return self._lists.span(start, stop)

    def of_document(self, number: int) -> Row:
        """The terms of a document, by rising number, and their frequencies in it; int64."""
        terms, tf = self._lists.of_document(number)
        return self._shard.numbers[terms].astype(np.int64), tf

    def _held(self, terms: np.ndarray) -> np.ndarray:
        numbers = self._shard.own_terms(terms)
        return numbers[numbers >= 0]

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first posting of each of some terms, and the first one after it; int64."""
        numbers = self._shard.own_terms(terms)
        starts, stops = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        starts[numbers >= 0], stops[numbers >= 0] = self._lists.spans(numbers[numbers >= 0])
        return starts, stops

    def of_terms(self, terms: np.ndarray) -> Postings:
        """The postings of some terms, one term after the other."""
        return self._lists.of_terms(self._held(terms))

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """The postings of a term in some documents, given by rising number."""
        own_numbers = self._held(np.array([term])).tolist()
        return self._lists.in_documents(own_numbers[0], docs) if own_numbers else self._lists.span(0, 0)

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """The first documents of each of some terms, at most 128."""
        numbers = self._shard.own_terms(terms)
        own_lists = iter(self._lists.first_docs(numbers[numbers >= 0]))
        return [next(own_lists) if number >= 0 else np.empty(0, np.int32) for number in numbers.tolist()]


def refuse_different(parts: Sequence[Index]) -> None:
    """Refuse shards that are not parts of one index: other analyzers, fields, or other things stored."""
    kinds = {(part.analyzer, *part.arrays.keys(), *part.fields.names, *part.values, *part.keywords) for part in parts}
    if len(kinds) > 1:
        raise StorageError("the shards differ in their analyzer or in what they store; build the index again")


class JoinedArrays(Mapping[str, Any]):
    """The arrays of one index of all documents, by name; columns of documents are joined without their postings.

    >>> parts = [Index.build({"1": "a cat"}), Index.build({"2": "a dog"})]
    >>> joined = JoinedArrays(parts, WholeStatistics.of(parts))
    >>> joined["dl"].tolist(), joined["cf"].tolist(), joined["last_docs"].tolist()
    ([1, 1], [1, 1], [0, 1])
    """

    def __init__(self, parts: Sequence[Index], whole: WholeStatistics) -> None:
        self._parts = parts
        self._whole = whole
        self._pattern = parts[0].arrays
        self._known: dict[str, Any] = {
            "terms": whole.terms.blob,
            "terms_offsets": whole.terms.offsets,
            "offsets": offsets_of(whole.df),
            "cf": whole.cf,
        }

    def __len__(self) -> int:
        return len(self._pattern)

    def __iter__(self) -> Iterator[str]:
        return iter(self._pattern)

    def __contains__(self, name: object) -> bool:
        return name in self._pattern

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            self._known |= read_only(self._made(name))
        return self._known[name]

    def _made(self, name: str) -> dict[str, Any]:
        """An array, with those that are made along with it."""
        if name in BY_DOCUMENT:
            return widened({name: np.concatenate([np.asarray(part.arrays[name]) for part in self._parts])})
        if name.removesuffix("_offsets") in STRINGS_BY_DOCUMENT:
            return self._strings(name.removesuffix("_offsets"))
        if name in ROWS_BY_DOCUMENT:
            n_rows = self._pattern[f"{ROWS_BY_DOCUMENT[name]}_offsets"].size - 1
            rows = [np.asarray(part.arrays[name]).reshape(n_rows, -1) for part in self._parts]
            return widened({name: np.hstack(rows).ravel()})
        if name in KEYWORDS and name in self._pattern:
            return joined_keywords([part.arrays for part in self._parts])
        if name == "doc_ids_order":
            return {name: order_of_ids(Strings(self["doc_ids"], self["doc_ids_offsets"]))}
        if name.removesuffix("_offsets") in ROWS_BY_DOCUMENT.values():
            return {name: self._pattern[name]}
        if name not in self._pattern:
            raise KeyError(name)
        return self._with_postings()

    def _strings(self, name: str) -> dict[str, Any]:
        """The strings of all documents; large texts are not copied."""
        pieces = pieces_of(*(part.arrays[name] for part in self._parts))
        lengths = [np.diff(part.arrays[f"{name}_offsets"]) for part in self._parts]
        blob: np.ndarray | Pieces = pieces.span(0, pieces.size) if name == "doc_ids" else pieces
        return {name: blob, f"{name}_offsets": offsets_of(np.concatenate(lengths))}

    def _with_postings(self) -> dict[str, Any]:
        """All arrays, with the postings of all shards."""
        first_postings = self._known["offsets"]
        filled, n = first_postings[:-1].copy(), int(first_postings[-1])
        postings, base = _Postings(n, self._pattern), 0
        for part, numbers in zip(self._parts, self._whole.numbers, strict=True):
            arrays = unpacked(part.arrays)
            df = np.diff(arrays["offsets"])
            rows = np.arange(arrays["docs"].size) + repeat_each(filled[numbers] - arrays["offsets"][:-1], df)
            postings.put(rows, arrays, base)
            filled[numbers] += df
            base += arrays["dl"].size
        columns = postings.finish()
        names = (*BY_DOCUMENT, *ROWS_BY_DOCUMENT, *KEYWORDS, "doc_ids_order", "doc_ids", "titles", "texts")
        names += tuple(f"{name}_offsets" for name in ("doc_ids", "titles", "texts"))
        columns |= {name: self[name] for name in names if name in self._pattern} | self._known
        return dict(finished(columns, self._pattern, self._pattern))


class _Postings:
    """The postings of all shards, put in their places."""

    def __init__(self, n: int, pattern: Mapping[str, Any]) -> None:
        n_fields = pattern["fields_offsets"].size - 1 if "field_tf" in pattern else 0
        self._docs, self._tf = np.empty(n, np.int32), np.empty(n, np.int32)
        self._field_tf = np.empty((n_fields, n), np.int64)
        self._places: list[tuple[np.ndarray, np.ndarray, np.ndarray]] | None = [] if "positions" in pattern else None

    def put(self, rows: np.ndarray, arrays: Mapping[str, Any], base: int) -> None:
        """Put the postings of a shard into some rows."""
        self._docs[rows] = arrays["docs"] + np.int32(base)
        self._tf[rows] = arrays["tf"]
        if len(self._field_tf):
            self._field_tf[:, rows] = arrays["field_tf"].reshape(len(self._field_tf), -1)
        if self._places is not None:
            self._places.append((rows, arrays["tf"], arrays["places"]))

    def finish(self) -> dict[str, Any]:
        """The arrays of all postings."""
        columns: dict[str, Any] = {"docs": self._docs, "tf": self._tf}
        if len(self._field_tf):
            columns["field_tf"] = self._field_tf.ravel()
        if self._places is not None:
            starts = offsets_of(self._tf)
            places = np.empty(int(starts[-1]), np.int32)
            for rows, tf, shard_places in self._places:
                places[repeat_each(starts[rows] - offsets_of(tf)[:-1], tf) + np.arange(shard_places.size)] = (
                    shard_places
                )
            columns["places"] = places
        return columns
