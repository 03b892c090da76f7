"""Many texts in a few arrays: UTF-8 bytes one after the other, as the compiled loops read and compare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np


class Utf8(NamedTuple):
    """Texts as UTF-8, one after the other.

    >>> both = Utf8.of([b"a cat", "ein Rüde".encode()])
    >>> both.n, both.texts(), Utf8.joined([both, both]).offsets.tolist()
    (2, ['a cat', 'ein Rüde'], [0, 5, 14, 19, 28])
    """

    blob: np.ndarray  # the bytes of all texts
    offsets: np.ndarray  # (n + 1,) int64; text i is ``blob[offsets[i]:offsets[i + 1]]``; the first begins at 0

    @classmethod
    def of(cls, raws: Sequence[bytes]) -> Utf8:
        """The texts given."""
        offsets = np.zeros(len(raws) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, raws), dtype=np.int64, count=len(raws)), out=offsets[1:])
        return cls(np.frombuffer(b"".join(raws), dtype=np.uint8), offsets)

    @classmethod
    def joined(cls, several: Sequence[Utf8]) -> Utf8:
        """The texts of one or more objects, concatenated; those of a single object are not copied."""
        if len(several) == 1:
            return several[0]
        lengths = np.concatenate([[0], *(np.diff(each.offsets) for each in several)])
        return cls(np.concatenate([each.blob for each in several]), np.cumsum(lengths))

    @property
    def n(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """Their length in bytes."""
        return len(self.blob)

    def raws(self) -> list[bytes]:
        """Each text by itself, in UTF-8."""
        data = self.blob.tobytes()
        return [data[start:stop] for start, stop in pairwise(self.offsets.tolist())]

    def texts(self) -> list[str]:
        """Each text by itself."""
        return [raw.decode() for raw in self.raws()]


class Encoded(NamedTuple):
    """Consecutive documents: the searched texts and the displayed ones."""

    # doc_ids, texts, titles: one per document
    doc_ids: Utf8
    texts: Utf8
    titles: Utf8


class Identifiers(NamedTuple):
    """Ids as their UTF-8 bytes, one after the other.

    >>> blob = np.frombuffer("catStraße".encode(), np.uint8)
    >>> ids = Identifiers(blob, np.array([0, 3, 10]), np.zeros(2, np.uint32))
    >>> ids.texts(0, 2)
    ['cat', 'Straße']
    """

    blob: np.ndarray  # the bytes of all ids
    offsets: np.ndarray  # (n + 1,) int64; id i is ``blob[offsets[i]:offsets[i + 1]]``
    # (n,) uint32; a hash of each id: ids whose hashes differ need not be compared
    hashes: np.ndarray

    @classmethod
    def of(cls, texts: Iterable[str]) -> Identifiers:
        """The ids given; a lone surrogate, which no file can hold, stays one."""
        from toysearch.compiled.utf8 import hash_ids

        raw = [text.encode(errors="surrogatepass") for text in texts]
        offsets = np.zeros(len(raw) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, raw), np.int64, len(raw)), out=offsets[1:])
        blob = np.frombuffer(bytearray().join(raw), dtype=np.uint8)
        ids = cls(blob, offsets, np.empty(len(raw), dtype=np.uint32))
        hash_ids(*ids)
        return ids

    def repeats(self, groups: np.ndarray) -> bool:
        """Whether an id occurs twice in a group; groups: (n + 1,) int64, where each begins, and the last end."""
        from toysearch.compiled.utf8 import repeats

        return bool(repeats(groups, *self))

    def taken(self, order: np.ndarray) -> Identifiers:
        """The ids in another order."""
        from toysearch.compiled.utf8 import gather

        ids = Identifiers(np.empty_like(self.blob), np.empty_like(self.offsets), self.hashes[order])
        gather(self.blob, self.offsets, order, ids.blob, ids.offsets)
        return ids

    def by_falling_score(self, groups: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The rows of each group by decreasing 32-bit float score, ties by decreasing id; int64."""
        from toysearch.compiled.trec_lines import put_in_order

        order = np.arange(scores.size)
        put_in_order(order, groups, scores, self.blob, self.offsets)
        return order

    def texts(self, start: int, stop: int) -> list[str]:
        """The ids from start up to stop, as texts."""
        first, *_ = bounds = self.offsets[start : stop + 1].tolist()
        data = self.blob[first : bounds[-1]].tobytes()
        cut: Iterator[tuple[int, int]] = pairwise(bounds)
        if data.isascii():  # the usual case: all are decoded as one text, which is then cut
            text = data.decode("ascii")
            return [text[begin - first : end - first] for begin, end in cut]
        return [data[begin - first : end - first].decode(errors="surrogatepass") for begin, end in cut]
