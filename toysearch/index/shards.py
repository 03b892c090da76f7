"""Consecutive documents in several indexes, and what is known of all together: each index is a shard of the whole.

A shard weighs its documents with the statistics of the whole: terms are numbered as in the whole, and df, cf and the
counts of the collection are those of the whole. So the score of a document is the same, bit by bit, as in one index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.errors import StorageError
from toysearch.index.inverted_index import Index
from toysearch.index.merge import offsets_of, places_of
from toysearch.index.posting_blocks import PostingBlocks
from toysearch.index.postings import CollectionStats, Postings
from toysearch.index.strings import Positions, Strings, byte_order, repeated, strings_in_one

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
        for part, own in zip(parts, numbers, strict=True):
            df[own] += np.diff(np.asarray(part.arrays["offsets"]))
            cf[own] += np.asarray(part.cf)
        field_tokens = {name: sum(part.field_tokens(name) for part in parts) for name in parts[0].fields.names}
        every = [part.stats for part in parts]
        N, T, n_empty = (
            sum(column) for column in zip(*((each.N, each.T, each.n_empty) for each in every), strict=True)
        )
        n_postings = int(df.sum())
        stats = CollectionStats(N, T, T / N, n_postings / N, len(terms), n_postings, n_empty)
        return cls(terms, df, cf, tuple(numbers), stats, field_tokens)


def _union(each: Sequence[Strings]) -> tuple[Strings, list[np.ndarray]]:
    """All strings of several sequences, sorted and each once, and the number among them of each string; int32."""
    if len(each) > _AT_ONCE:  # the strings of all sequences would take much more memory than their union
        groups = [_union(each[start : start + _AT_ONCE]) for start in range(0, len(each), _AT_ONCE)]
        whole, of_groups = _union([strings for strings, _ in groups])
        return whole, [own[each] for own, (_, inner) in zip(of_groups, groups, strict=True) for each in inner]
    every = strings_in_one(each)
    order = byte_order(every)
    new = ~repeated(every, order)
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.cumsum(new) - 1
    kept = order[new]
    starts, lengths = every.offsets[:-1][kept], np.diff(every.offsets)[kept]
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
        self.blocks = ShardBlocks(part.blocks, self)  # type: ignore[assignment]
        self.posting_counts = _PostingCounts(self.blocks)
        self.scorers: dict[Any, Any] = {}  # of the models that it has been asked for

    def numbers_at(self, name: str, where: np.ndarray) -> np.ndarray:
        """The values of a column of terms or documents in some places: those of all for terms."""
        found: np.ndarray = self.cf[where] if name == "cf" else self.part.numbers_at(name, where)
        return found

    def own_terms(self, terms: np.ndarray) -> np.ndarray:
        """The numbers of some terms among its own; -1 for a term that none of its documents contains."""
        if not len(self.numbers):
            return np.full(len(terms), -1)
        wanted = np.asarray(terms, self.numbers.dtype)  # of another type, all numbers would be copied
        rows = np.minimum(np.searchsorted(self.numbers, wanted), len(self.numbers) - 1)
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


class ShardBlocks:
    """The postings of a shard by the numbers of terms in the whole; none of a term that the shard lacks."""

    def __init__(self, blocks: PostingBlocks, shard: Shard) -> None:
        self.own = blocks
        self._shard = shard

    def _held(self, terms: np.ndarray) -> np.ndarray:
        numbers = self._shard.own_terms(terms)
        return numbers[numbers >= 0]

    def spans(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first posting of each of some terms, and the first one after it; int64."""
        numbers = self._shard.own_terms(terms)
        starts, stops = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        starts[numbers >= 0], stops[numbers >= 0] = self.own.spans(numbers[numbers >= 0])
        return starts, stops

    def of_terms(self, terms: np.ndarray) -> Postings:
        """The postings of some terms, one term after the other."""
        return self.own.of_terms(self._held(terms))

    def in_documents(self, term: int, docs: np.ndarray) -> Postings:
        """The postings of a term in some documents, given by rising number."""
        held = self._held(np.array([term])).tolist()
        return self.own.in_documents(held[0], docs) if held else self.own.span(0, 0)

    def of_all(self, terms: np.ndarray) -> tuple[np.ndarray, dict[int, Postings]]:
        """The documents that contain all terms, by rising number, and the postings of each term, at least in these."""
        numbers = self._shard.own_terms(terms)
        if (numbers < 0).any():
            nothing = self.own.span(0, 0)
            return nothing.docs, dict.fromkeys(terms.tolist(), nothing)
        docs, postings = self.own.of_all(numbers)
        return docs, {term: postings[own] for term, own in zip(terms.tolist(), numbers.tolist(), strict=True)}

    def first_docs(self, terms: np.ndarray) -> list[np.ndarray]:
        """The first documents of each of some terms, at most 128."""
        numbers = self._shard.own_terms(terms)
        held = iter(self.own.first_docs(numbers[numbers >= 0]))
        return [next(held) if number >= 0 else np.empty(0, np.int32) for number in numbers.tolist()]


def refuse_different(parts: Sequence[Index]) -> None:
    """Refuse shards that are not parts of one index: other analyzers, fields, or other things stored."""
    kinds = {
        (str(part.analyzer.to_dict()), *part.arrays.keys(), *part.fields.names, *part.values, *part.keywords)
        for part in parts
    }
    if len(kinds) > 1:
        raise StorageError("the shards differ in their analyzer or in what they store; build the index again")
