"""Terms of documents with their frequencies, which an index, being organised by term, must first find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.base import count_each, repeat_each
from toysearch.index.postings import NO_NUMBERS, offsets_of

if TYPE_CHECKING:
    from toysearch.index.inverted_index import Index

_AT_ONCE = 1 << 13  # blocks scanned at a time: limits memory
SMALL = 1 << 21  # postings: an index of at most this many is turned by document once
_FEW_TERMS = 1 << 14
Row = tuple[np.ndarray, np.ndarray]
"""Terms of a document, by rising number, and their frequencies in it."""


class DocumentVectors(NamedTuple):
    """Documents as vectors: one row per document, one column per term in one of them; zeros are left out."""

    terms: np.ndarray  # (t,) int64; the numbers of the terms, rising
    n_documents: int
    rows: np.ndarray  # (n,) int64; document by document, for each of its terms the row,
    columns: np.ndarray  # (n,) int64; the column, rising in each row,
    counts: np.ndarray  # (n,) float64; and the frequency

    @classmethod
    def of_rows(cls, rows: Sequence[Row], places: np.ndarray | None = None) -> DocumentVectors:
        """Join the terms and frequencies of documents to vectors; `places` is room for a number of each term."""
        every = np.concatenate([NO_NUMBERS, *(numbers for numbers, _ in rows)])
        if places is None:
            terms = np.sort(every)  # numpy.unique would import numpy.ma, which takes longer than all the rest
            terms = terms[np.append(True, terms[1:] != terms[:-1])] if len(terms) else terms
            columns = np.searchsorted(terms, every)
        else:
            places[:] = -1
            places[every] = 0
            terms = np.flatnonzero(places + 1)
            places[terms] = np.arange(len(terms))
            columns = places[every]
        holders = repeat_each(np.arange(len(rows)), [len(numbers) for numbers, _ in rows])
        counts = np.concatenate([np.empty(0), *(counts for _, counts in rows)])
        return cls(terms, len(rows), holders, columns, counts)

    @property
    def tf(self) -> np.ndarray:
        """Whole matrix; (d, t) float64."""
        tf = np.zeros((self.n_documents, len(self.terms)))
        tf[self.rows, self.columns] = self.counts
        return tf

    def by_term(self, values: np.ndarray) -> np.ndarray:
        """Sum each column of values that stand for the frequencies, one by one from the first row."""
        return count_each(self.columns, values, len(self.terms))

    def by_document(self, values: np.ndarray) -> np.ndarray:
        """Sum each row of values that stand for the frequencies, one by one from the first column."""
        return count_each(self.rows, values, self.n_documents)


class DocumentTerms:
    """Finder of the terms of documents: in all postings turned by document, stored texts, or a scan of the postings."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._turned: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def vectors(self, docs: np.ndarray) -> DocumentVectors:
        """Return the vectors of the documents with these numbers, in their order."""
        return DocumentVectors.of_rows(self.rows(docs))

    def vectors_of_all(self, lists: Sequence[np.ndarray]) -> list[DocumentVectors]:
        """Return the vectors of the documents in each of some lists; each document is read once."""
        every = np.array(sorted(set().union(*(docs.tolist() for docs in lists))), np.int64)
        rows = dict(zip(every.tolist(), self.rows(every), strict=True))
        # Where all terms are few, numbering them takes less time than sorting those of each list.
        few = len(lists) > 1 and self.index.stats.n_terms <= _FEW_TERMS
        places = np.empty(self.index.stats.n_terms, np.int64) if few else None
        return [DocumentVectors.of_rows([rows[doc] for doc in docs.tolist()], places) for docs in lists]

    def rows(self, docs: np.ndarray) -> list[Row]:
        """Return the terms and frequencies of the documents with these numbers, in their order."""
        numbers = docs.tolist()
        if self.index.stats.n_postings <= SMALL:
            return self.by_document(numbers)
        return self.analysed(numbers) or self.scanned(numbers)

    def by_document(self, docs: list[int]) -> list[Row]:
        """Read the terms and frequencies of documents from all postings turned by document."""
        index = self.index
        if self._turned is None:
            all_docs, tf = index.blocks.span()
            order = np.argsort(all_docs, kind="stable")
            terms = repeat_each(np.arange(index.stats.n_terms), index.df)[order]
            starts = offsets_of(count_each(all_docs, minlength=index.stats.N))
            self._turned = starts, terms, tf[order]
        starts, terms, tf = self._turned
        spans = [slice(starts[doc], starts[doc + 1]) for doc in docs]
        return [(terms[span], tf[span]) for span in spans]

    def analysed(self, docs: list[int]) -> list[Row]:
        """Analyse the texts of documents for terms and frequencies; empty if the index lacks texts of these terms."""
        index, rows = self.index, []
        if index.texts is None or index.analyzer.makes_grams:
            return []
        lengths = index.numbers_at("dl", np.array(docs, np.int64)).tolist()
        counted = [Counter(index.analyzer(text)) for text in index.texts.take(docs)]
        terms = [*dict.fromkeys(chain.from_iterable(counted))]
        numbered = dict(zip(terms, index.term_numbers.of_each(terms), strict=True))
        for counts, length in zip(counted, lengths, strict=True):
            numbers = np.array([numbered[term] for term in counts], np.int64)
            tf = np.array([*counts.values()], np.int64)
            if (numbers < 0).any() or int(tf.sum()) != length:
                return []
            order = np.argsort(numbers)
            rows.append((numbers[order], tf[order]))
        return rows

    def scanned(self, docs: list[int]) -> list[Row]:
        """Scan all blocks of postings that may have one of some documents for their terms and frequencies."""
        blocks, sorted_docs = self.index.blocks.packed, np.array(sorted({*docs}), np.int64)
        whole = blocks.terms.whole
        edges = whole.columns.before, whole.columns.last_docs
        before, last = (np.searchsorted(sorted_docs, column, "right") for column in edges)
        near = np.flatnonzero(last > before)
        parts = []
        for first in range(0, len(near), _AT_ONCE):
            some = near[first : first + _AT_ONCE]
            (docs_here, tf), places = blocks.among(blocks.terms.blocks_at(some), sorted_docs)
            parts.append((docs_here, np.searchsorted(whole.first_blocks, some[places], side="right") - 1, tf))
        if not parts:
            return [(NO_NUMBERS, NO_NUMBERS) for _ in docs]
        of_doc, terms, tf = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(of_doc, kind="stable")
        starts, stops = (np.searchsorted(of_doc[order], docs, side) for side in ("left", "right"))
        spans = [order[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        return [(terms[span], tf[span]) for span in spans]
