"""An index made of given postings, such as those of another search engine, instead of documents."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.base import DataError, count_each, repeat_each
from toysearch.index.inverted_index import Index
from toysearch.index.plain_postings import PACKED, with_postings
from toysearch.index.postings import Counts
from toysearch.index.strings import GrowingStrings, Strings, byte_order, repeated

__all__ = ["PostingLists"]

AS_THEY_ARE = Analyzer(lowercase=False, tokens="whitespace")
"""Default analyzer: the words of a query are its terms."""

_AT_ONCE = 1 << 22  # postings counted at a time
_MOST = (1 << 31) - 1  # tokens of a document


class PostingLists:
    """Postings of terms and ids of documents, added one by one, and the index of them.

    Documents have the numbers 0, 1, … in the order in which their ids are added; the length of a document is the
    number of its terms in the postings.

    Examples
    --------
    >>> lists = PostingLists()
    >>> lists.add("the", [0, 1], [1, 2])
    >>> lists.add("cat", [1], [1])
    >>> for doc_id in ("d1", "d2"):
    ...     lists.add_document(doc_id)
    >>> index = lists.index()
    >>> index["the"], index.dl.tolist()
    ({'d1': 1, 'd2': 2}, [1, 3])
    """

    def __init__(self) -> None:
        self._terms, self._doc_ids = GrowingStrings(), GrowingStrings()
        self._cf, self._ends = array("q"), array("q", [0])
        self._docs, self._small, self._large = array("i"), array("B"), array("q")

    def add(self, term: str, docs: Sequence[int] | np.ndarray, tf: Sequence[int] | np.ndarray) -> None:
        """Add a term with the numbers of its documents, which ascend, and its frequency in each, at least 1."""
        tf = np.asarray(tf, dtype=np.int64)
        counts = Counts.of(tf)
        self._docs.frombytes(np.asarray(docs, dtype=np.int32).tobytes())
        self._small.frombytes(counts.small.tobytes())
        self._large.frombytes(counts.large.tobytes())
        self._terms.append(term.encode())
        self._cf.append(int(tf.sum()))
        self._ends.append(len(self._docs))

    def add_document(self, doc_id: str) -> None:
        """Add the next document."""
        self._doc_ids.append(doc_id.encode())

    def index(self, analyzer: AnalyzerLike | None = None) -> Index:
        """Make the index; by default the words of a query are its terms, with no change.

        Raises
        ------
        DataError
            If a term or an id is repeated, or a document has more than 2,147,483,647 tokens.
        """
        terms, doc_ids = self._terms.finish(), self._doc_ids.finish()
        cf, offsets = np.frombuffer(self._cf, dtype=np.int64), np.frombuffer(self._ends, dtype=np.int64)
        docs = np.frombuffer(self._docs, dtype=np.int32)
        tf = Counts(np.frombuffer(self._small, dtype=np.uint8), np.frombuffer(self._large, dtype=np.int64))
        order = _order(terms, "postings lists {} and {} are both of the term '{}'")
        if (np.diff(order) < 0).any():
            lengths = np.diff(offsets)[order]
            first = offsets[order]
            offsets = np.concatenate([[0], np.cumsum(lengths)])
            rows = np.arange(offsets[-1]) + repeat_each(first - offsets[:-1], lengths)
            terms = Strings.of([terms[number] for number in order.tolist()])
            cf, docs, tf = cf[order], docs[rows], Counts.of(tf.at(rows))
        doc_ids_order = _order(doc_ids, "documents {} and {} both have the id '{}'")
        columns = _columns(docs, tf, doc_ids)
        arrays = with_postings(
            {
                **terms.arrays("terms"),
                "offsets": offsets,
                "cf": cf,
                **columns,
                **PACKED,
                "docs": docs,
                "tf": tf,
                **doc_ids.arrays("doc_ids"),
                "doc_ids_order": doc_ids_order.astype(np.int32),
                "bytes": np.zeros(len(doc_ids), dtype=np.int64),
            }
        )
        return Index(AS_THEY_ARE if analyzer is None else Analyzer.of(analyzer), arrays)


def _order(strings: Strings, twice: str) -> np.ndarray:
    order = byte_order(strings)
    if (places := np.flatnonzero(repeated(strings, order))).size:
        first, second = order[places[0] - 1 : places[0] + 1].tolist()
        raise DataError(twice.format(first + 1, second + 1, strings[first]))
    return order


def _columns(docs: np.ndarray, counts: Counts, doc_ids: Strings) -> dict[str, np.ndarray]:
    N = len(doc_ids)
    dl, distinct, max_tf = (np.zeros(N, dtype=np.int64) for _ in range(3))
    for start in range(0, docs.size, _AT_ONCE):
        block = docs[start : start + _AT_ONCE]
        tf = counts.span(start, start + block.size)
        dl += count_each(block, tf, N).astype(np.int64)
        distinct += count_each(block, minlength=N)
        np.maximum.at(max_tf, block, tf)
    if (long := np.flatnonzero(dl > _MOST)).size:
        raise DataError(f"document '{doc_ids[int(long[0])]}' has more than {_MOST:,} tokens")
    return {name: column.astype(np.int32) for name, column in (("dl", dl), ("distinct", distinct), ("max_tf", max_tf))}
