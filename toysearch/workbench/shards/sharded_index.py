"""Index of several shards of consecutive documents, used like one index; workers may hold the shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.base import StorageError, note, repeat_each
from toysearch.index import check_index, merge
from toysearch.index.file_layout import MANIFEST, SHARDED, Arrays, read_manifest, seal
from toysearch.index.inverted_index import Index, changed, tell_changed
from toysearch.index.latent_topics import LatentTopics, check_size, computed_topics
from toysearch.index.listed_files import wrong_files
from toysearch.index.opened_files import analyzer_of, load, wrong_content
from toysearch.index.posting_blocks import PostingBlocks
from toysearch.index.postings import TermPostings
from toysearch.index.saving import only_writer
from toysearch.index.strings import Positions, Strings, strings_of
from toysearch.workbench.shards.gathered_postings import (
    GatheredFields,
    GatheredPositions,
    GatheredPostings,
    GatheredTerms,
    PostingCounts,
    ShardPostings,
)
from toysearch.workbench.shards.joined_shards import JoinedArrays, WholeStatistics, refuse_different
from toysearch.workbench.shards.shard_folder import (
    open_each,
    place_of_shard,
    read_shards,
    save_shards,
    shard_entries,
    statistics_files,
)

Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Calls a function of a shard, with the arguments of each shard, for all shards."""


class _OfWhole(Index):
    """Index with the terms and statistics of all shards."""

    def take(self, whole: WholeStatistics) -> None:
        self.whole = whole
        self.terms, self.term_numbers = whole.terms, Positions(whole.terms)
        self.stats, self.df, self.df_by_term, self.cf = whole.stats, whole.df, whole.df, whole.cf

    def field_tokens(self, field: str) -> int:
        """Return the tokens of a separate field in all documents of the whole."""
        return self.whole.field_tokens[self.fields.name(field)]


class ShardedIndex(_OfWhole):
    """Index of several shards: the documents of the first, then those of the second, and so on.

    It answers as one index of all documents does. The shards are asked for their best documents. Postings of terms,
    terms of documents, texts and ids are gathered from them when they are needed.

    >>> parts = [Index.build({"1": "a cat"}), Index.build({"2": "the dog", "3": "a dog"})]
    >>> index = ShardedIndex(parts)
    >>> index.stats.N, index["dog"]
    (3, {'2': 1, '3': 1})
    >>> index.checksum == Index.build({"1": "a cat", "2": "the dog", "3": "a dog"}).checksum
    True
    """

    shards: Sequence[Shard]

    def __init__(self, parts: Sequence[Index], whole: WholeStatistics | None = None) -> None:

        refuse_different((part.analyzer, part.arrays) for part in parts)
        arrays = [part.arrays for part in parts]
        whole = WholeStatistics.of(arrays) if whole is None else whole
        self.take(whole)
        self.parts = tuple(parts)
        self.analyzer, self.collection = parts[0].analyzer, parts[0].collection
        self.word_counts, self.reading = parts[0].word_counts, parts[0].reading
        self.shards = tuple(Shard(part, whole, numbers) for part, numbers in zip(parts, whole.numbers, strict=True))
        self.bases = [0, *accumulate(len(part) for part in parts)]
        self.n_documents = self.bases[-1]
        self.spread: Spread = self._one_by_one
        self.arrays = JoinedArrays(arrays, whole)
        self.fields = GatheredFields(self)
        self.blocks: TermPostings = GatheredPostings(self)
        self.documents = GatheredTerms(self)
        self.position_blocks = GatheredPositions(self) if "positions" in arrays[0] else None
        self._topics: dict[int, LatentTopics] = {}
        self.memo: dict[Any, Any] = {}
        self.path = ""

    @classmethod
    def open(cls, path: str | Path) -> ShardedIndex:
        """Open the index in shards saved in a folder; see `Index.open`."""
        folder = Path(path)
        entries, whole = read_shards(folder)
        index = cls(open_each(folder, entries, Index.open), whole)
        index.path = str(folder)
        return index

    def _one_by_one(self, task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [task(shard, *own_arguments) for shard, own_arguments in zip(self.shards, arguments, strict=True)]

    @cached_property
    def doc_ids(self) -> Strings:  # type: ignore[override]
        """Return the ids by document number."""
        return strings_of(self.arrays, "doc_ids")

    def __len__(self) -> int:
        return self.bases[-1]

    @cached_property
    def joined_blocks(self) -> PostingBlocks:
        """Return all postings, in the memory of this process."""
        return PostingBlocks(self.arrays, self.arrays["offsets"])

    def numbers_at(self, name: str, where: np.ndarray) -> np.ndarray:
        """Return the values of a column of terms or documents in some places; int64."""
        numbers: np.ndarray = (self.cf if name == "cf" else np.asarray(self.arrays[name]))[where]
        return numbers.astype(np.int64, copy=False)

    def field_tf(self, field: str, terms: np.ndarray) -> np.ndarray:
        """Return the term frequencies of the postings of some terms, at least one, in a separate field."""
        return self.gathered(terms, [(shard.field_tf(field, terms),) for shard in self.shards])[0]

    def gathered(self, terms: np.ndarray, columns: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """Gather columns of the postings of some terms, one term after the other, from those of each shard."""
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
        """Return the shard of each of some documents, and its number there."""
        shards = np.searchsorted(self.bases, docs, side="right") - 1
        return shards, docs - np.asarray(self.bases)[shards]

    def parts_of(self, docs: np.ndarray) -> list[np.ndarray]:
        """Return the documents of each shard among some, given by rising number, by their numbers there."""
        edges = np.searchsorted(docs, self.bases)
        return [docs[a:b] - base for a, b, base in zip(edges[:-1], edges[1:], self.bases, strict=False)]

    def topics(self, dimensions: int) -> LatentTopics:
        """Compute the latent topics of all documents in this process and keep them while the index is open."""
        check_size(dimensions)
        if dimensions not in self._topics:
            note(f"lsa:{dimensions}: the topics of all shards are computed in the memory of this process")
            self._topics[dimensions] = computed_topics(self.arrays, dimensions)
        return self._topics[dimensions]

    def with_arrays(self, new: Arrays, replace: bool) -> ShardedIndex:
        """Return the index with more documents, which the last shard takes."""
        numbers = self.document_numbers(strings_of(new, "doc_ids"))
        numbers = numbers[numbers >= 0]
        if numbers.size and not replace:
            number = int(numbers[0])
            raise merge.already_there(self.doc_ids[number], number)
        parts = self._without(np.sort(numbers))
        last = changed(self, merge.merged(parts.pop().arrays, new) if parts else new)
        return ShardedIndex([*parts, last])

    def delete(self, doc_ids: Iterable[str]) -> ShardedIndex:
        """Return the index of the other documents; see `Index.delete`."""
        numbers = np.sort(merge.named_documents(self.doc_ids, self.doc_ids_order, doc_ids))
        tell_changed(self)
        return ShardedIndex(self._without(numbers))

    def _without(self, numbers: np.ndarray) -> list[Index]:
        """Return the shards without some documents, given by rising number; a shard that loses all is left out."""
        parts = []
        for part, own_numbers in zip(self.parts, self.parts_of(numbers), strict=True):
            if not len(own_numbers):
                parts.append(part)
            elif len(own_numbers) < len(part):
                smaller = merge.without(part.arrays, own_numbers)
                parts.append(Index(part.analyzer, smaller, part.collection, part.word_counts))
                parts[-1].reading = part.reading
        return parts


class Shard(_OfWhole):
    """Index of one shard: its own documents and postings, the terms and statistics of all.

    >>> parts = [Index.build({"1": "a cat"}), Index.build({"2": "the dog", "3": "a dog"})]
    >>> shard = ShardedIndex(parts).shards[0]
    >>> list(shard.terms), shard.df.tolist(), shard.stats.N, list(shard.doc_ids)
    (['cat', 'dog', 'the'], [1, 2, 1], 3, ['1'])
    >>> shard.postings("cat").docs.tolist(), shard.postings("dog").docs.tolist()
    ([0], [])
    """

    def __init__(self, part: Index, whole: WholeStatistics, numbers: np.ndarray) -> None:

        # part: the index of its documents alone; numbers: the number among all terms of each of its terms.
        super().__init__(part.analyzer, part.arrays, part.collection)
        self.folder = part.folder
        self.part, self.numbers = part, numbers
        self.take(whole)
        self.blocks = ShardPostings(self)
        self.posting_counts = PostingCounts(self.blocks)
        self.scorers: dict[Any, Any] = {}  # of the models that it has been asked for

    def numbers_at(self, name: str, where: np.ndarray) -> np.ndarray:
        """Return the values of a column of terms or documents in some places: those of all for terms."""
        numbers: np.ndarray = self.cf[where] if name == "cf" else self.part.numbers_at(name, where)
        return numbers

    def own_terms(self, terms: np.ndarray) -> np.ndarray:
        """Return the numbers of some terms among its own; -1 for a term that none of its documents contains."""
        if not len(self.numbers):
            return np.full(len(terms), -1)
        narrow = np.asarray(terms, self.numbers.dtype)  # of another type, all numbers would be copied
        rows = np.minimum(np.searchsorted(self.numbers, narrow), len(self.numbers) - 1)
        return np.where(self.numbers[rows] == terms, rows, -1)

    @property
    def held_terms(self) -> np.ndarray:
        """Return the numbers of the terms that its documents contain, rising."""
        return self.numbers


def one_shard(folder: Path, checksum: str, name: str) -> Shard:
    """Open one shard of an index with the statistics of all; the checksum is that of the manifest."""
    if seal((folder / MANIFEST).read_bytes() if (folder / MANIFEST).is_file() else b"") != checksum:
        raise StorageError(f"{folder} is not the index that the command opened: it is changed, or another computer's")
    [entry], whole = read_shards(folder, name)
    return Shard(Index.open(place_of_shard(folder, entry)), whole, whole.numbers[0])


def change_shards(folder: Path, change: Callable[[Index], Index]) -> ShardedIndex:
    """Change the index in shards in a folder; see `change_index`."""
    with only_writer(folder):
        before = ShardedIndex.open(folder)
        changed = change(before)
        assert isinstance(changed, ShardedIndex)
        replaced = [part for part in before.parts if all(part is not other for other in changed.parts)]
        for problem in (problem for part in replaced if part.folder for problem in check_index(part.folder)):
            raise StorageError(problem)
        save_shards(folder, changed)
    return ShardedIndex.open(folder)


def problems_of_shards(folder: Path) -> list[str]:
    """Return the problems of an index in shards."""
    try:
        manifest = read_manifest(folder, SHARDED)
        problems = wrong_files(folder, dict(statistics_files(folder, manifest)))
        for entry in shard_entries(folder, manifest):
            try:
                problems += check_index(place_of_shard(folder, entry))
            except StorageError as error:
                problems.append(str(error))
        if problems:
            return problems
        entries, saved = read_shards(folder)
        stored = open_each(folder, entries, load)
        refuse_different((analyzer_of(description, folder), arrays) for description, arrays in stored)
        recounted = WholeStatistics.of([arrays for _, arrays in stored])
        equal = (
            recounted.stats == saved.stats
            and list(recounted.terms) == list(saved.terms)
            and np.array_equal(recounted.df, saved.df)
            and np.array_equal(recounted.cf, saved.cf)
            and all(map(np.array_equal, recounted.numbers, saved.numbers))
            and dict(recounted.field_tokens) == dict(saved.field_tokens)
        )
        return [] if equal else [wrong_content(folder, "its statistics are not those of its shards")]
    except StorageError as error:
        return [str(error)]
