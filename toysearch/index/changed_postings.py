"""Postings of an index that loses some documents and gains others: only blocks that differ are packed again.

A block differs if a posting leaves or joins it or an earlier block of its term, or if a document leaves or comes
between its documents without another in its place, as one gap changes then. All others are copied as bits. Terms are
taken in ranges, which limits memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from toysearch import loops
from toysearch.base import count_each, repeat_each
from toysearch.base.plain_or_compiled import compiled
from toysearch.index.checksums import Paged
from toysearch.index.file_layout import Arrays
from toysearch.index.plain_postings import term_postings
from toysearch.index.position_blocks import PositionBlocks, joined_positions, positions_in_blocks
from toysearch.index.posting_blocks import (
    BIT,
    BLOCKS,
    POSTING,
    WORD,
    PostingBlocks,
    TermRange,
    bits_of_blocks,
    bits_of_tf,
    contradiction,
    copy_bits,
    cut_in_blocks,
    packed,
)
from toysearch.index.postings import LARGE_COUNT, NO_NUMBERS, Counts, offsets_of, places_of
from toysearch.index.strings import Places

_AT_ONCE = 1 << 19  # postings of a range
_OF_BLOCK = 8  # as many count for a block


class Change(NamedTuple):
    """Documents that leave an index, and the places where others come.

    >>> change = Change.of(3, np.array([0]), np.array([2, 3]))
    >>> change.numbers.tolist(), change.new_numbers.tolist()
    ([0, 0, 2], [1, 3])
    """

    gone: np.ndarray  # (n,) int64, rising
    at: np.ndarray  # (m,) int64, rising: the old document before which each new one comes, N after the last
    stays: np.ndarray  # (N,) bool
    numbers: np.ndarray  # (N,) int32: the new number of each old document; those that leave have that of a neighbour
    new_numbers: np.ndarray  # (m,) int32
    numbers_that_stay: np.ndarray  # (N,) int32: the same, but -1 for those that leave
    # (N + 1, 2) int32: how many old documents before each are moved further than the ones before them, or less far; and
    # how many leave
    steps: np.ndarray

    @classmethod
    def of(cls, N: int, gone: np.ndarray, at: np.ndarray) -> Change:
        """Number the documents anew."""
        stays, moves = np.ones(N, bool), np.zeros(N + 1, np.int32)
        stays[gone] = False
        leaves = np.cumsum(np.append(False, ~stays), dtype=np.int32)
        shifts = (np.cumsum(count_each(at, minlength=N + 1), dtype=np.int32) - leaves)[:N]
        numbers = np.arange(N, dtype=np.int32) + shifts
        new_numbers = (at - leaves[at] + np.arange(at.size)).astype(np.int32)
        moves[1:][stays] = np.diff(shifts[stays], prepend=0) != 0
        steps = np.stack([np.cumsum(moves, dtype=np.int32), leaves], axis=1)
        return cls(gone, at, stays, numbers, new_numbers, np.where(stays, numbers, np.int32(-1)), steps)


def spliced(values: Any, gone: np.ndarray, at: np.ndarray, new: Any) -> Any:
    """Return numbers without those in some places, and with new ones before others; places are old ones, and rise.

    >>> spliced(np.array([5, 6, 7]), np.array([1]), np.array([2, 3]), np.array([8, 300])).tolist()
    [5, 8, 7, 300]
    """
    if isinstance(values, Counts):
        new, small = Counts.of(np.asarray(new)), np.asarray(values.small)
        places = gone[small[gone] == LARGE_COUNT], at[new.small == LARGE_COUNT]
        large_gone, large_at = (np.searchsorted(values.large_places, large) for large in places)
        return Counts(spliced(small, gone, at, new.small), spliced(values.large, large_gone, large_at, new.large))
    left = np.delete(values, gone) if gone.size else np.asarray(values)
    if not at.size:
        return left
    new = np.asarray(new)
    dtype = np.promote_types(left.dtype, np.min_scalar_type(int(new.max())))  # as narrow as possible
    left = left.astype(dtype, copy=False)
    return np.insert(left, at - np.searchsorted(gone, at), new)


def in_rows(places: np.ndarray, n: int, size: int) -> np.ndarray:
    """Return the same places in each of n rows of so many columns, one row after the other."""
    return np.concatenate([places + row * size for row in range(n)])


class _NewPostings(NamedTuple):
    """Postings to insert, one term after the other."""

    docs: np.ndarray  # new numbers, rising within a term
    tf: np.ndarray
    places: np.ndarray | None
    df: np.ndarray  # of each term
    before: np.ndarray  # how many old terms come before each
    found: np.ndarray  # whether it is the next one of these

    @classmethod
    def of(cls, arrays: Arrays, terms: Places, numbers: np.ndarray) -> _NewPostings:
        """Take all postings of an index, with the new numbers of its documents."""
        blocks, places = term_postings(arrays).packed, None
        docs, tf = blocks.span()
        if "positions" in arrays:
            _, places = PositionBlocks(arrays, blocks).decoded()
        return cls(numbers[docs], tf, places, np.diff(np.asarray(arrays["offsets"], np.int64)), *terms)

    def between(self, first: int, last: int) -> _NewPostings:
        """Return the postings of the old terms from first up to last, and of new terms before each."""
        a, b = np.searchsorted(self.before, [first, last]).tolist()
        start, stop = int(self.df[:a].sum()), int(self.df[:b].sum())
        places = self.places
        if places is not None:
            places = places[int(self.tf[:start].sum()) : int(self.tf[:stop].sum())]
        of_terms = self.df[a:b], self.before[a:b] - first, self.found[a:b]
        return _NewPostings(self.docs[start:stop], self.tf[start:stop], places, *of_terms)


def changed_postings(
    first: Arrays, second: Arrays, terms: Places, change: Change, dl: np.ndarray, holes: np.ndarray
) -> dict[str, Any]:
    """Return the arrays of all postings, and the terms that lose some, with their frequencies.

    terms: the place of each term of the second index among those of the first; dl, holes: of all documents.
    """
    mapped = first["postings"]
    if isinstance(mapped, Paged):
        first = {**first, "postings": np.asarray(mapped)}  # verifies all pages
    blocks = term_postings(first).packed
    source = _Source(change, blocks, PositionBlocks(first, blocks) if "positions" in first else None)
    new, groups = _NewPostings.of(second, terms, change.new_numbers), blocks.terms.groups_of_all()
    sizes, last = groups[:, POSTING] + _OF_BLOCK * groups[:, BLOCKS], len(groups) - 1
    edges = np.minimum(np.searchsorted(sizes, np.arange(_AT_ONCE, sizes[-1], _AT_ONCE)), last - 1).tolist()
    # A posting takes less than a word; of this upper bound only what is written takes memory.
    words, parts, n_bits = np.zeros(int(groups[-1, POSTING]) + new.docs.size + 2, np.uint64), [], 0
    for start, stop in pairwise([*dict.fromkeys([0, *edges]), last]):
        first_term, end = blocks.terms.numbers_between(start, stop)
        joining = new.between(first_term, end + (stop == last))
        if joining.df.size or not source.is_extended:
            some = _Range(source, blocks.terms.between(groups, start, stop), joining)
            part = some.packed(dl, holes)
            n_bits = some.join(part, words, n_bits)
            parts.append({name: part[name] for name in _KEPT if name in part} | some.columns(part))
        else:
            before, after = groups[[start, stop]].tolist()
            parts.append(source.copied(before, after, words, n_bits))
            n_bits += after[BIT] - before[BIT]
        if isinstance(mapped, Paged):
            mapped.forget()  # what is written takes as much memory

    columns = {
        name: np.concatenate([part[name] for part in parts if name in part] or [NO_NUMBERS]) for name in _COLUMNS
    }
    columns["postings"] = words[: n_bits // WORD + 2]
    gone, at = columns.pop("gone"), columns.pop("before")
    if "field_tf" in first:
        n, size = first["fields_offsets"].size - 1, int(groups[-1, POSTING])
        places = in_rows(gone, n, size), in_rows(at, n, size)
        columns["field_tf"] = spliced(first["field_tf"], *places, second["field_tf"])
    return columns if source.positions is None else columns | joined_positions(parts)


class _Source(NamedTuple):
    """Old postings, and the change."""

    change: Change
    blocks: PostingBlocks
    positions: PositionBlocks | None

    @property
    def is_extended(self) -> bool:
        """True if documents only come after all others, so that terms without new postings stay as they are."""
        # With positions, no array says where those of a single block begin.
        return self.positions is None and not self.change.steps[-1].any()

    def copied(
        self, before: Sequence[int], after: Sequence[int], words: np.ndarray, position: int
    ) -> dict[str, np.ndarray]:
        """Copy the blocks between two counts: their bits from a position on, and their columns."""
        n_bits = after[BIT] - before[BIT]
        if n_bits > WORD * (after[POSTING] - before[POSTING]):
            raise contradiction()
        start, size, to = (np.array([number]) for number in (before[BIT], n_bits, position))
        copy_bits(self.blocks.words, start, size, words, to)
        gap_bits, highest_tf, last_docs = self.blocks.terms.columns_between(before, after)
        least_dl = self.blocks.least_dl[before[BLOCKS] : after[BLOCKS]]
        return {"gap_bits": gap_bits, "highest_tf": highest_tf, "last_docs": last_docs, "least_dl": least_dl}


class _Range:
    """Change of the postings of consecutive terms."""

    def __init__(self, source: _Source, terms: TermRange, new: _NewPostings) -> None:
        change = source.change
        self._source, self._terms, self._old, self._new = source, terms, terms.columns, new
        self._first_blocks = terms.first_blocks - terms.first_blocks[0]
        self._of_block = repeat_each(np.arange(terms.offsets.size - 1), np.diff(self._first_blocks))

        known = repeat_each(new.found, new.df)
        joined = self._joined(repeat_each(new.before, new.df)[known], new.docs[known])
        steps = change.steps.take(self._old.last_docs + 1, axis=0) != change.steps.take(self._old.before + 1, axis=0)
        touched, others = steps[:, 0], steps[:, 1] & ~steps[:, 0]
        self._words, self._first_bit = source.blocks.words, 0
        if compiled() and source.positions is None and touched.any():
            self._renumber(touched)
        left, left_tf = self._left(np.flatnonzero(touched | others))
        self._touch(touched, np.append(left, joined))
        if source.positions is not None:
            touched[:] = True  # no array says where the positions of a single block begin
        self._lost = {"lost_terms": self._of_block[left] + terms.first_term, "lost_tf": left_tf}

        # Blocks are packed in stretches, each of one term. The stretch of a new term has no old blocks.
        begins = touched.copy()
        begins[1:] &= ~touched[:-1] | (np.diff(self._of_block) > 0)
        starts, new_starts = np.flatnonzero(begins), self._first_blocks[new.before[~new.found]]
        at = np.searchsorted(starts, new_starts)
        is_new = np.insert(np.zeros(starts.size, bool), at, True)
        before = self._old.before[starts]
        before = np.where(before < 0, -1, change.numbers[before])
        self._starts = spliced(starts, NO_NUMBERS, at, new_starts)
        self._before = spliced(before, NO_NUMBERS, at, np.full(at.size, -1, np.int32))
        self._touched, self._copied = np.flatnonzero(touched), ~touched
        self._stretches = np.flatnonzero(~is_new)[np.cumsum(begins[self._touched]) - 1]  # of each touched block
        self._of_new = np.empty(new.docs.size, np.int64)  # the stretch of each new posting
        self._of_new[known] = self._stretches[np.searchsorted(self._touched, joined)]
        self._of_new[~known] = repeat_each(np.flatnonzero(is_new), new.df[~new.found])

    def _renumber(self, touched: np.ndarray) -> None:
        """Give documents their new numbers in a copy of the bits; touched then are only blocks that need others."""
        first = int(self._old.starts[0]) // WORD
        words, blocks = self._source.blocks.words[first : self._terms.bits // WORD + 2], np.flatnonzero(touched)
        rows = self._source.blocks.verified(self._old.at(blocks))
        rows[0] -= first * WORD  # where the blocks begin
        fits = np.empty(blocks.size, np.uint8)
        self._words, self._first_bit = words.copy(), first * WORD
        if not loops.renumber(words, rows, self._source.change.numbers_that_stay, self._words, fits):
            raise contradiction()
        touched[blocks] = fits == 0

    def _left(self, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the postings in blocks whose documents leave: the block of each, and its frequency."""
        if not self._source.change.gone.size:
            return NO_NUMBERS, NO_NUMBERS
        postings, places = self._source.blocks.among(self._old.at(blocks), self._source.change.gone)
        return blocks[places], postings.tf

    def _joined(self, terms: np.ndarray, docs: np.ndarray) -> np.ndarray:
        """Find the block that each new posting of a known term joins."""
        if not docs.size:
            return NO_NUMBERS
        last_docs = self._source.change.numbers[self._old.last_docs]
        blocks = np.searchsorted(_keys(self._of_block, last_docs), _keys(terms, docs))
        joined: np.ndarray = np.minimum(blocks, self._first_blocks[terms + 1] - 1)
        return joined

    def _touch(self, touched: np.ndarray, changed: np.ndarray) -> None:
        """Touch all blocks of a term from the first one on that a posting leaves or joins."""
        changed.sort()
        terms, places = np.unique(self._of_block[changed], return_index=True)
        steps = np.zeros(touched.size + 1, np.int8)
        steps[changed[places]] += 1
        steps[self._first_blocks[terms + 1]] -= 1
        touched |= np.cumsum(steps[:-1], dtype=np.int8) > 0

    def packed(self, dl: np.ndarray, holes: np.ndarray) -> dict[str, np.ndarray]:
        """Pack the postings of all stretches; also say which old postings are gone, and where new ones come."""
        change, new, n = self._source.change, self._new, self._starts.size
        docs, tf, places = self._decoded()
        first_rows = offsets_of(count_each(self._stretches, self._old.counts[self._touched], n))
        gone, numbers, at = np.flatnonzero(~change.stays[docs]), change.numbers[docs], NO_NUMBERS
        if new.docs.size:
            stretches = repeat_each(np.arange(n), np.diff(first_rows))
            at = np.searchsorted(_keys(stretches, numbers), _keys(self._of_new, new.docs))
        of_gone = np.searchsorted(first_rows, gone, side="right") - 1
        shifts = self._terms.offsets[0] + offsets_of(self._old.counts)[self._starts] - first_rows[:-1]
        made = {"gone": gone + shifts[of_gone], "before": at + shifts[self._of_new]}

        if places is not None:
            rows = offsets_of(tf)
            gone_places = places_of(rows[gone], tf[gone])
            places = spliced(places, gone_places, repeat_each(rows[at], new.tf), new.places)
        df = np.diff(first_rows) - count_each(of_gone, minlength=n) + count_each(self._of_new, minlength=n)
        some = np.flatnonzero(df)
        docs, counts = spliced(numbers, gone, at, new.docs), Counts.of(spliced(tf, gone, at, new.tf))
        offsets = offsets_of(df[some])
        made |= packed(docs, counts, offsets, dl, self._before[some])
        if places is not None:
            made |= positions_in_blocks(places, docs, counts, offsets, dl, holes)
        first_blocks, sizes = cut_in_blocks(offsets)
        stretches = repeat_each(some, np.diff(first_blocks))
        bits = bits_of_blocks(sizes, made["gap_bits"], bits_of_tf(made["highest_tf"]))
        return made | {"stretches": stretches, "bits": count_each(stretches, bits, n).astype(np.int64)}

    def _decoded(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        if self._source.positions is None:
            return *self._source.blocks.of_columns(self._old.at(self._touched)), None
        return self._source.positions.between(*self._terms.first_blocks[[0, -1]].tolist())

    def join(self, part: Mapping[str, np.ndarray], words: np.ndarray, position: int) -> int:
        """Write packed stretches, and what is between them, from a bit position on; return its end."""
        edges = np.append(self._old.starts, self._terms.bits)
        starts = edges[self._starts]
        ends = edges[self._starts + count_each(self._stretches, minlength=starts.size)]
        shifts = position - edges[0] + offsets_of(part["bits"] - (ends - starts))
        copied, end = np.append(edges[0], ends), int(edges[-1] + shifts[-1])
        sizes = np.append(starts, edges[-1]) - copied
        copy_bits(self._words, copied - self._first_bit, sizes, words, copied + shifts)
        copy_bits(part["postings"], offsets_of(part["bits"])[:-1], part["bits"], words, starts + shifts[:-1])
        return end

    def columns(self, part: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Join the columns of all blocks."""
        at = offsets_of(self._copied)[self._starts[part["stretches"]]]
        first, last = self._terms.first_blocks[[0, -1]].tolist()
        columns = {
            "gap_bits": self._old.gap_bits,
            "highest_tf": self._old.highest_tf,
            "last_docs": self._source.change.numbers[self._old.last_docs],
            "least_dl": self._source.blocks.least_dl[first:last],
        }
        return self._lost | {
            name: spliced(old[self._copied], NO_NUMBERS, at, part[name]) for name, old in columns.items()
        }


_KEPT = ("gone", "before", "positions", "position_sizes", "position_bits")
_COLUMNS = ("gap_bits", "highest_tf", "last_docs", "least_dl", "lost_terms", "lost_tf", "gone", "before")


def _keys(stretches: np.ndarray, docs: np.ndarray) -> np.ndarray:
    """Return numbers that rise by stretch, and then by document."""
    keys: np.ndarray = stretches.astype(np.int64) << 32 | docs
    return keys
