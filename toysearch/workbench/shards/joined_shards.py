"""Arrays and statistics of the shards of an index, joined as those of one index of all documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import StorageError
from toysearch.index.document_columns import order_of_ids
from toysearch.index.file_layout import VALUES, Arrays, widened
from toysearch.index.merge import (
    BY_DOCUMENT,
    ROWS_BY_DOCUMENT,
    STRINGS_BY_DOCUMENT,
    merged,
)
from toysearch.index.postings import CollectionStats, FieldCounts, offsets_of, places_of, read_only
from toysearch.index.stored_values import joined_values
from toysearch.index.strings import Pieces, Strings, byte_order, pieces_of, repeated, strings_in_one, strings_of

_AT_ONCE = 16  # shards whose terms are sorted together


class WholeStatistics(NamedTuple):
    """Terms of all shards, and the counts over all their documents."""

    terms: Strings
    df: np.ndarray  # (n_terms,) int64
    cf: np.ndarray  # (n_terms,) int64
    numbers: tuple[np.ndarray, ...]  # of each shard: the number among all terms of each of its terms; int32
    stats: CollectionStats
    field_tokens: Mapping[str, int]  # the tokens of each separate field

    @classmethod
    def of(cls, each: Sequence[Arrays]) -> WholeStatistics:
        """Join the statistics of all shards, from their arrays in the order of their documents."""
        terms, numbers = _union([strings_of(arrays, "terms") for arrays in each])
        df, cf = np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64)
        N, T, n_empty, field_tokens = 0, 0, 0, Counter[str]()
        for arrays, own_numbers in zip(each, numbers, strict=True):
            own_df = np.diff(np.asarray(arrays["offsets"]))
            df[own_numbers] += own_df
            cf[own_numbers] += np.asarray(arrays["cf"])
            stats, fields = CollectionStats.of(arrays["dl"], 0, 0), FieldCounts(arrays, int(own_df.sum()))
            N, T, n_empty = N + stats.N, T + stats.T, n_empty + stats.n_empty
            field_tokens.update({name: int(fields.dl(name).sum(dtype=np.int64)) for name in fields.names})
        n_postings = int(df.sum())
        stats = CollectionStats(N, T, T / N, n_postings / N, len(terms), n_postings, n_empty)
        return cls(terms, df, cf, tuple(numbers), stats, field_tokens)


def _union(each: Sequence[Strings]) -> tuple[Strings, list[np.ndarray]]:
    """Return all strings, sorted and each once, and the number of each string among them; int32."""
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


def refuse_different(shards: Iterable[tuple[Analyzer, Arrays]]) -> None:
    """Refuse shards that are not parts of one index: other analyzers, fields, or other things stored."""
    labels = ("fields", "value_names")
    kinds = set()
    for analyzer, arrays in shards:
        names = [name for label in labels if label in arrays for name in strings_of(arrays, label)]
        kinds.add((analyzer, *arrays, *names))
    if len(kinds) > 1:
        raise StorageError("the shards differ in their analyzer or in what they store; build the index again")


class JoinedArrays(Mapping[str, Any]):
    """Arrays of one index of all documents, by name; columns of documents are joined without their postings.

    >>> from toysearch import Index
    >>> each = [Index.build({"1": "a cat"}).arrays, Index.build({"2": "a dog"}).arrays]
    >>> joined = JoinedArrays(each, WholeStatistics.of(each))
    >>> joined["dl"].tolist(), joined["cf"].tolist(), joined["last_docs"].tolist()
    ([1, 1], [1, 1], [0, 1])
    """

    def __init__(self, each: Sequence[Arrays], whole: WholeStatistics) -> None:
        self._each = each
        self._pattern = each[0]
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
        """Make an array, with those that are made along with it."""
        if name in BY_DOCUMENT:
            return widened({name: np.concatenate([np.asarray(arrays[name]) for arrays in self._each])})
        if name.removesuffix("_offsets") in STRINGS_BY_DOCUMENT:
            return self._strings(name.removesuffix("_offsets"))
        if name in ROWS_BY_DOCUMENT:
            n_rows = self._pattern[f"{ROWS_BY_DOCUMENT[name]}_offsets"].size - 1
            rows = [np.asarray(arrays[name]).reshape(n_rows, -1) for arrays in self._each]
            return widened({name: np.hstack(rows).ravel()})
        if name in VALUES and name in self._pattern:
            sizes = [arrays["dl"].size for arrays in self._each]
            numbers = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
            return joined_values(*zip(self._each, numbers, strict=True))
        if name == "doc_ids_order":
            return {name: order_of_ids(Strings(self["doc_ids"], self["doc_ids_offsets"]))}
        if name.removesuffix("_offsets") in ROWS_BY_DOCUMENT.values():
            return {name: self._pattern[name]}
        if name not in self._pattern:
            raise KeyError(name)
        return self._with_postings()

    def _strings(self, name: str) -> dict[str, Any]:
        """Join the strings of all documents; large texts are not copied."""
        pieces = pieces_of(*(arrays[name] for arrays in self._each))
        lengths = [np.diff(arrays[f"{name}_offsets"]) for arrays in self._each]
        blob: np.ndarray | Pieces = pieces.span(0, pieces.size) if name == "doc_ids" else pieces
        return {name: blob, f"{name}_offsets": offsets_of(np.concatenate(lengths))}

    def _with_postings(self) -> dict[str, Any]:
        order = self["doc_ids_order"]  # first, as this refuses an id of several shards
        joined: list[Arrays] = [*self._each]
        while joined[1:]:  # by neighbours, so that each posting is copied few times
            joined = [reduce(merged, joined[place : place + 2]) for place in range(0, len(joined), 2)]
        return {**joined[0], **self._known, "doc_ids_order": order}
