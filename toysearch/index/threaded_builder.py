"""Many documents → postings by compiled loops: threads count blocks of texts, which are then joined in order.

Start with `ScannedTerms`. A block has the postings of some documents, term by term, and can wait in a file. In the end
`postings_of` numbers the terms of all blocks, and joins the postings of some terms at a time.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, pairwise
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.scanner import Scanner
from toysearch.analysis.tokenizer import Tokenizer
from toysearch.base import BORDER, GAP, Utf8, awaited, count_each, pool, repeat_each
from toysearch.base.platform import cores, own_pages
from toysearch.collection.document_batches import Batch
from toysearch.index.plain_postings import MOST
from toysearch.index.position_blocks import joined_positions, positions_in_blocks
from toysearch.index.posting_blocks import WORD, bits_of_blocks, bits_of_tf, copy_bits, cut_in_blocks, packed
from toysearch.index.postings import Counts, offsets_of, refuse_positions
from toysearch.index.strings import Keys, Strings, byte_order, repeated, strings_in_one
from toysearch.index.term_numbers import TermNumbers

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from toysearch.index.saving import SpooledBlocks

_NO_PLACES = np.empty(0, np.int32)


def postings_of(
    blocks: Blocks, edges: np.ndarray, each: list[Strings], columns: list[np.ndarray], threads: int, positions: bool
) -> dict[str, Any]:
    """Make the arrays of terms, postings and their statistics; each: the terms of a counter. The lists are consumed."""
    terms, ranks = _numbered(each)
    inner = np.searchsorted(Keys(terms).at(np.arange(len(terms)), 0), edges).tolist() if edges.size else []
    cuts = [0, *inner, len(terms)]
    of_documents = dict(zip(("dl", "distinct", "max_tf", "holes"), np.concatenate(columns, axis=1), strict=False))
    columns.clear()  # frees the memory
    n = int(of_documents["distinct"].sum(dtype=np.int64))
    merge = _Merge(blocks, ranks * (threads // len(ranks)), cuts, of_documents, positions)
    parts = merge.all_packed(threads) if n > MOST else map(merge.part, range(len(cuts) - 1))
    joined = _joined(parts, n)
    of_terms = {"offsets": offsets_of(joined.pop("df")), "cf": joined.pop("cf")}
    return terms.arrays("terms") | of_terms | of_documents | joined


def _numbered(each: list[Strings]) -> tuple[Strings, list[np.ndarray]]:
    """Return all terms, sorted, and for each counter the places of its terms among them; int32."""
    from toysearch.compiled.posting_sort import gather

    everything, ends = strings_in_one(each), np.cumsum([len(strings) for strings in each])
    each.clear()  # frees the memory
    order = byte_order(everything)
    new = ~repeated(everything, order)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.cumsum(new) - 1
    ranks = np.split(rank, ends[:-1])
    order = order[new]
    offsets = offsets_of(np.diff(everything.offsets)[order])
    blob = np.empty(offsets[-1], np.uint8)
    gather(everything.blob, everything.offsets, order, blob)
    return Strings(blob, offsets), ranks


def _joined(parts: Iterable[dict[str, np.ndarray]], n: int) -> dict[str, Any]:
    """Join the arrays of one range of terms after the other; n: the number of all postings."""
    # A posting takes less than a word; of this upper bound only what is written takes memory.
    words, end, rest = np.zeros(n + 2, np.uint64), 0, []
    for part in parts:
        if "postings" in part:
            size = int(part.pop("bits").sum())
            copy_bits(part.pop("postings"), np.array([0]), np.array([size]), words, np.array([end]))
            end += size
        rest.append(part)
    names = [name for name in rest[0] if not name.startswith("position")]
    joined: dict[str, Any] = {name: np.concatenate([part[name] for part in rest]) for name in names}
    if "docs" in joined:
        return joined | {"tf": Counts(joined.pop("tf"), joined.pop("large_tf"))}
    positions = joined_positions(rest) if "positions" in rest[0] else {}
    return {"postings": words[: end // WORD + 2]} | joined | positions


class _Merge(NamedTuple):
    """Postings of all blocks, to be joined range by range."""

    blocks: Blocks
    ranks: list[np.ndarray]  # for each counter, the place of each of its terms among all
    cuts: list[int]  # the first term of each range, and the end of the last
    of_documents: dict[str, np.ndarray]
    positions: bool

    def all_packed(self, threads: int) -> Iterator[dict[str, np.ndarray]]:
        """Join and pack the postings of each range."""
        with pool(threads) as beside:
            numbers = range(len(self.cuts) - 1)
            for first in numbers[::threads]:
                yield from beside.map(self.packed, numbers[first : first + threads])

    def packed(self, number: int) -> dict[str, np.ndarray]:
        """Join and pack the postings of a range, with the bits of each block of 128."""
        part = self.part(number)
        tf, offsets = Counts(part.pop("tf"), part.pop("large_tf")), offsets_of(part["df"])
        columns = part.pop("docs"), tf, offsets, self.of_documents["dl"]
        if self.positions:
            part |= positions_in_blocks(part.pop("places"), *columns, self.of_documents["holes"])
        part |= packed(*columns)
        bits = bits_of_blocks(cut_in_blocks(offsets)[1], part["gap_bits"], bits_of_tf(part["highest_tf"]))
        return part | {"bits": bits}

    def part(self, number: int) -> dict[str, np.ndarray]:
        """Join the postings of a range."""
        from toysearch.compiled.posting_sort import append, append_places

        low, high = self.cuts[number : number + 2]
        blocks = sorted(self.blocks.of(number), key=attrgetter("first_doc"))
        rows = [self.ranks[block.counter][block.terms] - np.int32(low) for block in blocks]
        df, cf = np.zeros(high - low, np.int64), np.zeros(high - low, np.int64)
        for own, block in zip(rows, blocks, strict=True):
            df[own] += block.df
        following, n_large = offsets_of(df), 0
        docs, tf = own_pages(int(following[-1]), np.int32), own_pages(int(following[-1]), np.uint8)
        large = np.empty((sum(len(block.large) for block in blocks), 2), np.int64)
        for own, block in zip(rows, blocks, strict=True):
            columns = block.df, block.docs, block.tf, block.large, block.first_doc
            n_large = append(own, *columns, following, cf, docs, tf, large, n_large)
        made = {"df": df, "cf": cf, "docs": docs, "tf": tf, "large_tf": large[np.argsort(large[:, 0]), 1]}
        if self.positions:
            following = offsets_of(cf)
            made["places"] = own_pages(int(following[-1]), np.int32)
            for own, block in zip(rows, blocks, strict=True):
                append_places(own, block.cf, block.places, following, made["places"])
        return made


MOST_DOCUMENTS = (1 << 16) - 1
"""Maximum number of documents of a block: it takes two bytes."""


class Block(NamedTuple):
    """Counts of consecutive documents, for the terms of one range."""

    first_doc: int  # the number of the first of them
    counter: int  # the number of the counter that made the block
    terms: np.ndarray  # their terms, by the numbers of the counter
    df: np.ndarray  # the document frequency of each term in the block; uint16
    docs: np.ndarray  # the documents with the first term, numbered from 0 in the block, then with the second …
    tf: np.ndarray  # the term frequencies, aligned; 255 means 255 or more
    large: np.ndarray  # (any, 2) int64; for each frequency of 255 or more, its place in `tf`, rising, and its value
    # with positions: the frequency of each term in the block, and the positions of the first term, then of the second …
    cf: np.ndarray
    places: np.ndarray

    def divided(self, ranges: np.ndarray) -> list[Block]:
        """Divide a block into those of all ranges, given the rising range of each term."""
        cuts = np.searchsorted(ranges, np.arange(int(ranges.max(initial=0)) + 2))
        rows, starts = offsets_of(self.df)[cuts], offsets_of(self.cf)[np.minimum(cuts, self.cf.size)]
        edges = np.stack([cuts, rows, np.searchsorted(self.large[:, 0], rows), starts], axis=1)
        blocks = []
        for begin, end in pairwise(edges.tolist()):
            terms, row, large, place = map(slice, begin, end)
            own = self._replace(terms=self.terms[terms], df=self.df[terms], cf=self.cf[terms])
            own = own._replace(docs=self.docs[row], tf=self.tf[row], places=self.places[place])
            blocks.append(own._replace(large=self.large[large] - [row.start, 0]))
        return blocks


class KeptBlocks:
    """Collector of blocks by range, in memory."""

    def __init__(self) -> None:
        self._blocks: defaultdict[int, list[Block]] = defaultdict(list)

    def append(self, number: int, block: Block) -> None:
        """Add a block of a range."""
        self._blocks[number].append(block)

    def of(self, number: int) -> list[Block]:
        """Return the blocks of a range, in any order, and forget them."""
        return self._blocks.pop(number, [])


_RANGES = 16
_MANY = 1 << 16  # postings of a block: fewer are not divided


class TermRanges:
    """Ranges of terms. Their postings are joined one after the other, which limits memory."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._fixed, self.edges = False, np.empty(0, np.uint64)  # the first eight bytes of a term that begins a range

    def of(self, terms: Strings, df: np.ndarray) -> np.ndarray:
        """Return the range of each term; the first terms, with their document frequencies, fix the edges; uint8."""
        keys, n = Keys(terms).at(np.arange(len(terms)), 0), int(df.sum())
        with self._lock:
            if not self._fixed:
                order = np.argsort(keys)
                shares = np.linspace(0, n, _RANGES + 1 if n > _MANY else 2)[1:-1]
                edges = np.unique(keys[order[np.searchsorted(np.cumsum(df[order]), shares)]])
                self._fixed, self.edges = True, edges
        return np.searchsorted(self.edges, keys, side="right").astype(np.uint8)


class _Parts(NamedTuple):
    """Texts cut at their borders."""

    texts: Utf8  # all parts
    docs: np.ndarray  # the document of each, int64
    last: np.ndarray  # the last part of each document, int64

    @classmethod
    def of(cls, texts: Utf8, positions: bool) -> _Parts:
        """Cut texts, if their positions are counted."""
        numbers = np.arange(len(texts.offsets) - 1)
        if not positions:
            return cls(texts, numbers, numbers)
        borders = np.flatnonzero(texts.blob == ord(BORDER))
        before = np.searchsorted(borders, texts.offsets)
        offsets = np.sort(np.concatenate([texts.offsets, borders]), kind="stable")
        docs = repeat_each(numbers, np.diff(before) + 1)
        return cls(Utf8(texts.blob, offsets), docs, before[1:] + numbers)


class SharedTerms:
    """Terms of an analyzer with token rules, shared by several counters: each token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._numbers = TermNumbers(analyzer)
        self._lock = Lock()

    def of(self, tokens: list[str]) -> np.ndarray:
        """Return the numbers of the tokens' terms, -1 for those that are left out; int32."""
        with self._lock:
            return np.fromiter(map(self._numbers.__getitem__, tokens), np.int32, count=len(tokens))

    def __len__(self) -> int:
        return len(self._numbers.terms)

    def strings(self, first: int = 0) -> Strings:
        """Return all terms so far, from a number on."""
        with self._lock:
            latest = [*islice(reversed(self._numbers.terms), len(self) - first)]
        return Strings.of(latest[::-1])


class BlockCounter:
    """Counter of terms in blocks of documents, one block at a time."""

    def __init__(
        self,
        number: int,
        shared: SharedTerms | None,
        tokenizer: Tokenizer | None = None,
        positions: bool = False,
        **hashing: int,
    ) -> None:
        self._number, self._positions = number, positions
        self.scanner = Scanner(tokenizer, **hashing)  # it numbers the terms, unless they are shared
        self._shared = shared
        self._term_of = np.empty(0, np.int32)
        self._range_of = np.empty(0, np.uint8)  # of each term
        self._table = np.zeros((0, 2), np.int64)
        self._postings = np.empty((4, 0), np.int32)  # reused for each block

    def count(self, first_doc: int, texts: Utf8, ranges: TermRanges | None = None) -> tuple[np.ndarray, list[Block]]:
        """Count consecutive UTF-8 texts, at most `MOST_DOCUMENTS`, from a given document on.

        Returned are columns of the documents (the numbers of tokens and of distinct terms, the highest tf, and with
        positions the holes) and a block for each range of terms, or one for all.
        """
        from toysearch.compiled.posting_sort import LARGE, count, invert

        parts = _Parts.of(texts, self._positions)
        tokens, part_ends = self.scanner.scan(parts.texts)
        ends = part_ends[parts.last]
        self._follow()
        if self._postings.shape[1] < len(tokens):
            most = len(tokens) + len(tokens) // 4
            self._postings = own_pages(4 * most, np.int32).reshape(4, most)
        of_each, tf, met, df = self._postings
        columns = np.empty((3 + self._positions, parts.last.size), np.int32)
        arrays = self._term_of, first_doc, self._table, self._postings, columns
        n, n_met, _ = count(tokens, ends, *arrays, self._positions)
        range_of = None if ranges is None else self._range_of_each(ranges, met[:n_met], df[:n_met])
        order = np.arange(n_met) if range_of is None else np.argsort(range_of, kind="stable")
        terms, df = met[order], df[order]
        following = np.empty(n_met, np.int32)
        following[order] = np.cumsum(df) - df
        docs, small = own_pages(n, np.uint16), own_pages(n, np.uint8)
        large = np.empty((np.count_nonzero(tf[:n] >= LARGE), 2), np.int64)
        invert(of_each, tf, columns[1], following, docs, small, large)
        large = large[np.argsort(large[:, 0])]
        placed = self._places(tokens, part_ends, parts.docs, order, columns) if self._positions else [_NO_PLACES] * 2
        block = Block(first_doc, self._number, terms, df.astype(np.uint16), docs, small, large, *placed)
        return columns, [block] if range_of is None else block.divided(range_of[order])

    def _range_of_each(self, ranges: TermRanges, terms: np.ndarray, df: np.ndarray) -> np.ndarray:
        """Return the range of each term of a block; uint8."""
        known = len(self._range_of)
        new = Strings(*self.scanner.tokens(known)) if self._shared is None else self._shared.strings(known)
        new_df = np.zeros(len(new), np.int64)
        if not known:
            new_df[terms] = df
        self._range_of = np.append(self._range_of, ranges.of(new, new_df))
        range_of: np.ndarray = self._range_of[terms]
        return range_of

    def _places(
        self, found: np.ndarray, ends: np.ndarray, docs: np.ndarray, order: np.ndarray, columns: np.ndarray
    ) -> list[np.ndarray]:
        """Return frequencies and positions of a block's terms, and fill in the holes of documents."""
        from toysearch.compiled.posting_sort import sort_places

        dl, _, _, holes = columns
        spans = count_each(docs, np.diff(ends, prepend=0) + GAP, minlength=dl.size)
        refuse_positions(int(spans.max(initial=0)))
        narrow = spans.max(initial=0) <= 1 << 16
        places = own_pages(int(dl.sum(dtype=np.int64)), np.uint16 if narrow else np.int32)
        cf = np.zeros(order.size, np.int32)
        sort_places(found, ends, docs, GAP, dl, order, cf, places, holes)
        return [cf[order], places]

    def _follow(self) -> None:
        n_known, n_terms = self._term_of.size, self.scanner.n_tokens
        if self._shared is not None:
            new = [self.scanner.token(number) for number in range(n_known, n_terms)]
            self._term_of = np.concatenate([self._term_of, self._shared.of(new)])
            n_terms = len(self._shared)
        if n_terms > len(self._table):
            rows = n_terms + n_terms // 4
            table = own_pages(2 * rows, np.int64).reshape(rows, 2)
            table[: len(self._table)] = self._table
            self._table = table


Blocks = Union[KeptBlocks, "SpooledBlocks"]
"""Collector of blocks by range."""

BLOCK = 1 << 23
"""Bytes of text counted together: enough to keep a thread busy, few enough for several blocks in memory."""


class ScannedTerms:
    """Counter of the terms of documents in blocks."""

    def __init__(
        self,
        analyzer: Analyzer,
        threads: int | None = None,
        block: int = BLOCK,
        positions: bool = False,
        spooled: Callable[[], Blocks] | None = None,
        **hashing: int,
    ) -> None:
        self._threads, self._positions = threads or cores(), positions
        self._shared = None if analyzer.keeps_tokens else SharedTerms(analyzer)
        self._ranges, self._spooled = TermRanges(), spooled
        self._blocks: Blocks = KeptBlocks()
        tokenizer = analyzer.tokenizer
        self._counter = partial(BlockCounter, shared=self._shared, tokenizer=tokenizer, positions=positions, **hashing)
        self._counters: list[BlockCounter] = []
        self._free: list[BlockCounter] = []  # the one used last is reused first
        self._pool: Executor | None = None
        self._waiting: deque[Future[np.ndarray]] = deque()
        self._columns: list[np.ndarray] = []
        self._texts: list[Utf8] = []
        self._block, self._size, self._first, self._documents = block, 0, 0, 0

    def add(self, batch: Batch, texts: Utf8) -> None:
        """Count the terms of some documents, possibly later."""
        n, size = len(batch.doc_ids), len(texts.blob)
        large = 2 * size >= self._block  # a block by itself: nothing is copied
        if self._texts and (large or self._documents + n > MOST_DOCUMENTS):
            self._hand_over()
        self._texts.append(texts)
        self._documents += n
        self._size += size
        if large or self._size >= self._block:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._pool is None:
            self._pool = pool(self._threads)
            self._counters = [*map(self._counter, range(self._threads))]
            self._free = self._counters[::-1]
            if self._spooled:
                self._blocks = self._spooled()
        self._waiting.append(self._pool.submit(self._count, self._first, Utf8.joined(self._texts), self._ranges))
        self._first += self._documents
        self._texts, self._size, self._documents = [], 0, 0
        if len(self._waiting) > self._threads:
            self._columns.append(awaited(self._waiting.popleft()))

    def _count(self, first_doc: int, texts: Utf8, ranges: TermRanges | None = None) -> np.ndarray:
        counter = self._free.pop()  # there are as many as threads
        try:
            columns, blocks = counter.count(first_doc, texts, ranges)
        finally:
            self._free.append(counter)
        for number, block in enumerate(blocks):
            self._blocks.append(number, block)
        return columns

    def finish(self) -> dict[str, Any]:
        """Return terms, postings and their statistics."""
        if self._pool is None:  # a single block
            self._counters = self._free = [self._counter(number=0)]
            self._columns.append(self._count(0, Utf8.joined(self._texts)))
        elif self._texts:
            self._hand_over()
        while self._waiting:
            self._columns.append(awaited(self._waiting.popleft()))
        if self._pool is not None:
            self._pool.shutdown()
        threads = len(self._counters)
        if self._shared is None:
            terms = [Strings(*counter.scanner.tokens()) for counter in self._counters]
        else:
            terms = [self._shared.strings()]
        # Their tables are no longer needed: free the memory.
        del self._counter, self._counters, self._free, self._shared
        return postings_of(self._blocks, self._ranges.edges, terms, self._columns, threads, self._positions)
