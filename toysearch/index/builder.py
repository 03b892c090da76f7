"""Documents → the arrays of an index."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.errors import DataError, note
from toysearch.formats.lines import counted
from toysearch.index.strings import GrowingStrings, Strings
from toysearch.records import Document, encodable

_LARGE = 255  # the greatest tf that fits in a byte; it marks those that are kept apart
_PROGRESS_EVERY = 100  # documents


def build_arrays(
    documents: Iterable[Document],
    analyzer: Analyzer,
    *,
    store_text: bool = True,
    progress: Callable[[int], object] | None = None,
) -> dict[str, np.ndarray]:
    """The arrays of an index, as docs/index-format.md describes them.

    Parameters
    ----------
    documents : iterable of Document
        Read once, from first to last.
    analyzer : Analyzer
        What turns their text into terms.
    store_text : bool
        Whether titles and texts are part of the index.
    progress : callable, optional
        Called with the number of documents done, now and then and at the end.

    Raises
    ------
    DataError
        If there is no document, an id is given twice, or an id or a text is not a str.
    """
    builder = _Builder(analyzer, store_text)
    for document in documents:
        builder.add(document)
        if progress and len(builder.doc_ids) % _PROGRESS_EVERY == 0:
            progress(len(builder.doc_ids))
    if progress and len(builder.doc_ids) % _PROGRESS_EVERY:
        progress(len(builder.doc_ids))
    return builder.finish()


class _TermNumbers(dict[str, int]):
    """Token → number of its term, by first occurrence; -1 for a stop word. Each distinct token is analysed once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.terms: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        term = self._analyzer.term(token)
        number = -1 if term is None else self.terms.setdefault(term, len(self.terms))
        self[token] = number
        return number


class _Builder:
    """What has been read so far: a number for every token, and where each document ends."""

    def __init__(self, analyzer: Analyzer, store_text: bool) -> None:
        self.doc_ids: dict[str, int] = {}
        self._analyzer = analyzer
        self._numbers = _TermNumbers(analyzer)
        self._tokens = array("i")
        self._ends = array("q")
        self._bytes = array("q")
        self._titles = GrowingStrings() if store_text else None
        self._texts = GrowingStrings() if store_text else None
        self._replaced = 0

    def add(self, document: Document) -> None:
        """Read one document."""
        number = len(self.doc_ids)
        doc_id, _ = self._clean(document.doc_id, number, "doc_id")
        first = self.doc_ids.setdefault(doc_id, number)
        if first != number:
            raise DataError(
                f"doc_id '{doc_id}' is given twice, by documents {first + 1} and {number + 1}; each may occur once"
            )
        text, raw = self._clean(document.text, number, "text")
        self._tokens.extend(map(self._numbers.__getitem__, self._analyzer.tokens(text)))
        self._ends.append(len(self._tokens))
        self._bytes.append(len(raw))
        if self._titles is not None and self._texts is not None:
            self._titles.append(self._clean(document.title, number, "title")[1])
            self._texts.append(raw)

    def _clean(self, value: str, number: int, what: str) -> tuple[str, bytes]:
        """A field with lone surrogates replaced (and counted), and its UTF-8."""
        if not isinstance(value, str):
            raise DataError(
                f"document {number + 1} has the {what} {value!r}; expected a str, not {type(value).__name__}"
            )
        try:
            return value, value.encode()
        except UnicodeEncodeError:
            value, replaced = encodable(value)
            self._replaced += replaced
            return value, value.encode()

    def finish(self) -> dict[str, np.ndarray]:
        """The arrays of all documents read."""
        if not self.doc_ids:
            raise DataError("there is no document to index; an index needs at least one")
        if self._replaced:
            replaced = counted(self._replaced, "lone surrogate")
            note(f"{replaced} in the documents became U+FFFD: such text cannot be written")
        arrays = self._postings() | self._strings("doc_ids", Strings.of(self.doc_ids))
        by_id = sorted(self.doc_ids)  # by code point, which is the order of the UTF-8 bytes
        arrays["doc_ids_order"] = np.array([self.doc_ids[doc_id] for doc_id in by_id], dtype=np.int32)
        arrays["bytes"] = np.array(self._bytes, dtype=np.int64)
        if self._titles is not None and self._texts is not None:
            arrays |= self._strings("titles", self._titles.finish()) | self._strings("texts", self._texts.finish())
        for values in arrays.values():
            values.flags.writeable = False
        return arrays

    @staticmethod
    def _strings(name: str, strings: Strings) -> dict[str, np.ndarray]:
        return {name: strings.blob, f"{name}_offsets": strings.offsets}

    def _postings(self) -> dict[str, np.ndarray]:
        """Terms, postings and what is counted from them, by sorting (term, document) pairs."""
        N, names = len(self.doc_ids), self._numbers.terms
        terms, docs = self._term_and_document_of_each_token()
        dl = np.bincount(docs, minlength=N)
        cf = np.bincount(terms, minlength=len(names))
        pairs = terms * N
        pairs += docs
        pairs.sort()
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        tf = np.diff(first, append=pairs.size)
        terms, docs = np.divmod(pairs[first], N)
        max_tf = np.zeros(N, dtype=np.int64)
        np.maximum.at(max_tf, docs, tf)
        large = np.flatnonzero(tf >= _LARGE)
        return {
            **self._strings("terms", Strings.of(sorted(names))),
            "offsets": np.searchsorted(terms, np.arange(len(names) + 1)).astype(np.int64),
            "cf": cf.astype(np.int64),
            "docs": docs.astype(np.int32),
            "tf": np.minimum(tf, _LARGE).astype(np.uint8),
            "large_positions": large.astype(np.int64),
            "large_tf": tf[large].astype(np.int64),
            "dl": dl.astype(np.int32),
            "distinct": np.bincount(docs, minlength=N).astype(np.int32),
            "max_tf": max_tf.astype(np.int32),
        }

    def _term_and_document_of_each_token(self) -> tuple[np.ndarray, np.ndarray]:
        """Term numbers (by the terms' UTF-8 bytes) and document numbers, aligned, stop words left out."""
        names = self._numbers.terms
        rank = np.empty(len(names), dtype=np.int64)
        rank[[names[term] for term in sorted(names)]] = np.arange(len(names))
        tokens = np.frombuffer(self._tokens, dtype=np.int32)
        docs = np.repeat(np.arange(len(self._ends), dtype=np.int32), np.diff(self._ends, prepend=0))
        kept = tokens >= 0
        return rank[tokens[kept]], docs[kept]
