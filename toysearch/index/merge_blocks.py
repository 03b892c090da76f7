"""Blocks of documents → the postings of an index: their terms are sorted, then postings put behind each other."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from toysearch.index.strings import Strings, byte_order, repeated
from toysearch.index.threaded_builder import Block

_ITSELF = np.empty(0, dtype=np.int32)  # stands for 0, 1, 2, …


class _Numbered(NamedTuple):
    """The terms of all counters.

    Frequent terms are met early, so that what is needed most of a table stands side by side.
    """

    terms: Strings  # all terms, sorted
    rank: np.ndarray  # by row: which of the terms it is
    rows: list[np.ndarray]  # for each counter the rows of its terms; empty where a term's number is its row


def postings_of(blocks: list[Block], terms: Sequence[Strings], threads: int) -> dict[str, np.ndarray]:
    """The arrays of terms, postings and what is counted from them; the blocks are used up."""
    numbered = _numbered(terms)
    if len(terms) < threads:
        numbered = numbered._replace(rows=numbered.rows * threads)
    of_rows = _df(blocks, numbered)
    offsets = np.zeros(len(of_rows) + 1, dtype=np.int64)
    offsets[1 + numbered.rank] = of_rows
    offsets = np.cumsum(offsets)
    of_documents = {
        name: np.concatenate([getattr(block, name) for block in blocks]) for name in ("dl", "distinct", "max_tf")
    }
    edges = np.searchsorted(np.cumsum(of_rows), np.linspace(0, offsets[-1], threads + 1)[1:-1])
    postings = _sorted(blocks, numbered, offsets, [0, *edges.tolist(), len(of_rows)])
    return numbered.terms.arrays("terms") | {"offsets": offsets} | postings | of_documents


def _numbered(each: Sequence[Strings]) -> _Numbered:
    everything = _joined(each)
    order = byte_order(everything)
    new = ~repeated(everything, order) if len(each) > 1 else np.ones(len(order), dtype=bool)
    first = np.empty(len(order), dtype=np.int64)  # of each string, where it stands first
    first[order] = order[new][np.cumsum(new) - 1]
    row = (np.cumsum(first == np.arange(len(first))) - 1)[first].astype(np.int32)
    order = order[new]
    rank = np.empty(len(order), dtype=np.int64)
    rank[row[order]] = np.arange(len(order))
    others = np.split(row, np.cumsum([len(strings) for strings in each])[:-1])[1:]
    return _Numbered(_in_order(everything, order), rank, [_ITSELF, *others])


def _joined(each: Sequence[Strings]) -> Strings:
    """All strings of several sequences."""
    ends = np.cumsum([0, *(strings.blob.size for strings in each)])
    offsets = [strings.offsets[:-1] + start for strings, start in zip(each, ends[:-1], strict=True)]
    return Strings(np.concatenate([strings.blob for strings in each]), np.concatenate([*offsets, ends[-1:]]))


def _in_order(strings: Strings, order: np.ndarray) -> Strings:
    from toysearch.compiled.posting_sort import gather

    offsets = np.concatenate([[0], np.cumsum(np.diff(strings.offsets)[order])])
    blob = np.empty(offsets[-1], dtype=np.uint8)
    gather(strings.blob, strings.offsets, order, blob)
    return Strings(blob, offsets)


def _df(blocks: list[Block], numbered: _Numbered) -> np.ndarray:
    """In how many documents the term of each row occurs."""
    df = np.zeros(len(numbered.rank), dtype=np.int64)
    for block in blocks:
        rows = numbered.rows[block.counter]
        df[rows[block.terms] if rows.size else block.terms] += block.df
    return df


class _Part:
    """A thread's part of the work: the postings of the terms whose rows run from low up to high."""

    def __init__(self, low: int, high: int, large: int) -> None:
        self.low, self.high = low, high
        self.apart, self.n = np.empty((large, 2), dtype=np.int64), 0


def _sorted(blocks: list[Block], numbered: _Numbered, offsets: np.ndarray, edges: list[int]) -> dict[str, np.ndarray]:
    """The postings by term, each part of the terms in a thread of its own."""
    from toysearch.compiled.posting_sort import CF, NEXT, append

    docs, tf = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1], dtype=np.uint8)
    table = np.zeros((len(numbered.rank), 2), dtype=np.int64)
    table[:, NEXT] = offsets[:-1][numbered.rank]
    large = sum(len(block.large) for block in blocks)
    parts = [_Part(low, high, large) for low, high in pairwise(edges)]

    def put(part: _Part, block: Block) -> None:
        columns = (block.terms, block.df, block.docs, block.tf, block.large, block.first_doc)
        arguments = (*columns, numbered.rows[block.counter], part.low, part.high)
        part.n = append(*arguments, table, docs, tf, part.apart, part.n)

    with ThreadPoolExecutor(len(parts)) as pool:
        blocks.reverse()
        while blocks:  # what has found its place is let go at once: its room is soon needed
            list(pool.map(put, parts, repeat(blocks.pop())))
    apart = np.concatenate([part.apart[: part.n] for part in parts])
    apart = apart[np.argsort(apart[:, 0])]
    cf = np.empty(len(table), dtype=np.int64)
    cf[numbered.rank] = table[:, CF]
    return {"cf": cf, "docs": docs, "tf": tf, "large_positions": apart[:, 0].copy(), "large_tf": apart[:, 1].copy()}
