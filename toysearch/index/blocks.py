"""A block of documents → what is counted in it, by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.scanner import Scanner
from toysearch.index.counts import Counts
from toysearch.index.numbering import TermNumbers
from toysearch.index.strings import Strings


class Block(NamedTuple):
    """What was counted in documents that stand together.

    Attributes
    ----------
    first_doc : int
        The number of the first of them.
    terms : ndarray of int32
        The terms of the first document, each once, then those of the second …, by their counter's numbers.
    tf : Counts
        How often each occurs, aligned.
    dl, distinct, max_tf : ndarray of int32
        Of each document: tokens, distinct terms, the greatest tf.
    counter : int
        The number of the counter that has counted.
    """

    first_doc: int
    terms: np.ndarray
    tf: Counts
    dl: np.ndarray
    distinct: np.ndarray
    max_tf: np.ndarray
    counter: int


class SharedTerms:
    """The terms of an analyzer that does something to tokens, for several counters: each token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._numbers = TermNumbers(analyzer)
        self._lock = Lock()

    def of(self, tokens: list[str]) -> np.ndarray:
        """The numbers of the tokens' terms, -1 for those that are left out; int32."""
        with self._lock:
            return np.fromiter(map(self._numbers.__getitem__, tokens), dtype=np.int32, count=len(tokens))

    def __len__(self) -> int:
        return len(self._numbers.terms)

    def strings(self) -> Strings:
        """All terms so far."""
        return Strings.of(self._numbers.terms)


class BlockCounter:
    """Counts terms in blocks of documents, one block at a time.

    Parameters
    ----------
    number : int
        Its own number.
    shared : SharedTerms or None
        What gives tokens their terms; None where each token is its own term.
    **hashing : int
        As in `Scanner`.
    """

    def __init__(self, number: int, shared: SharedTerms | None, **hashing: int) -> None:
        self._number = number
        self._scanner = Scanner(**hashing)
        self._shared = shared
        self._term_of = np.empty(0, dtype=np.int32)
        self._table = np.zeros((0, 2), dtype=np.int64)
        self._postings = np.empty((2, 0), dtype=np.int32)  # used again for each block

    def count(self, first_doc: int, texts: Sequence[bytes]) -> Block:
        """What is counted in the texts, in UTF-8, of a document and those after it."""
        from toysearch.index.kernels import count

        found, ends = self._scanner.scan(texts)
        self._follow()
        if self._postings.shape[1] < len(found):
            self._postings = np.empty((2, len(found) + len(found) // 4), dtype=np.int32)
        terms, tf = self._postings
        dl, distinct, max_tf = (np.empty(len(texts), dtype=np.int32) for _ in range(3))
        n, _ = count(found, ends, self._term_of, first_doc, self._table, terms, tf, dl, distinct, max_tf)
        return Block(first_doc, terms[:n].copy(), Counts.of(tf[:n]), dl, distinct, max_tf, self._number)

    def _follow(self) -> None:
        """Give the scanner's new tokens their terms, and new terms their rows."""
        known, n_terms = self._term_of.size, self._scanner.n_tokens
        if self._shared is not None:
            new = [self._scanner.token(number) for number in range(known, n_terms)]
            self._term_of = np.concatenate([self._term_of, self._shared.of(new)])
            n_terms = len(self._shared)
        if n_terms > len(self._table):
            table = np.zeros((n_terms + n_terms // 4, 2), dtype=np.int64)
            table[: len(self._table)] = self._table
            self._table = table

    @property
    def df(self) -> np.ndarray:
        """How many of the documents counted here hold each term; by the counter's numbers of terms."""
        from toysearch.index.kernels import DF

        return self._table[:, DF]

    def terms(self) -> Strings:
        """The terms by the counter's numbers, where they are its own."""
        return Strings(*self._scanner.tokens())
