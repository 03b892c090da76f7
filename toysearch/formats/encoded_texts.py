"""Documents as UTF-8, many at a time and without a string of their own: what compiled loops read, count and write."""

from __future__ import annotations

from collections.abc import Sequence
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
        """The texts of several, at least one, put behind each other; those of one are not copied."""
        if len(several) == 1:
            return several[0]
        lengths = np.concatenate([[0], *(np.diff(each.offsets) for each in several)])
        return cls(np.concatenate([each.blob for each in several]), np.cumsum(lengths))

    @property
    def n(self) -> int:
        """How many texts there are."""
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
    """Some documents that follow each other; what is searched of them, and what is shown."""

    # doc_ids, texts, titles: one a document
    doc_ids: Utf8
    texts: Utf8
    titles: Utf8
