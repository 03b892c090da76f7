"""Documents → the arrays of an index."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.errors import DataError, note
from toysearch.formats.lines import counted
from toysearch.index.counts import Counts
from toysearch.index.fields import field_arrays, field_text, number_in, value_arrays
from toysearch.index.numbering import GramNumbers, TermNumbers
from toysearch.index.strings import GrowingStrings, Strings
from toysearch.records import Document, encodable

_PROGRESS_EVERY = 100  # documents


def build_arrays(
    documents: Iterable[Document],
    analyzer: Analyzer,
    *,
    store_text: bool = True,
    fields: Sequence[str] = (),
    values: Sequence[str] = (),
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
    fields : sequence of str
        The fields whose terms are counted apart; their texts are then what is searched.
    values : sequence of str
        The fields whose numbers are kept.
    progress : callable, optional
        Called with the number of documents done, now and then and at the end.

    Raises
    ------
    DataError
        If there is no document, an id is given twice, or an id or a text is not a str.
    """
    builder = _Builder(analyzer, store_text, fields, values)
    for document in documents:
        builder.add(document)
        if progress and len(builder.doc_ids) % _PROGRESS_EVERY == 0:
            progress(len(builder.doc_ids))
    if progress and len(builder.doc_ids) % _PROGRESS_EVERY:
        progress(len(builder.doc_ids))
    return builder.finish()


class _Builder:
    """What has been read so far: a number for every token, and where each document ends."""

    def __init__(self, analyzer: Analyzer, store_text: bool, fields: Sequence[str], values: Sequence[str]) -> None:
        self.doc_ids: dict[str, int] = {}
        self._numbers = GramNumbers(analyzer) if analyzer.makes_grams else TermNumbers(analyzer)
        self._tokens = array("i")
        self._ends = array("q")
        self._fields = fields
        self._field_ends = array("q")
        self._values = {name: array("d") for name in values}
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
        for part in self._parts(document, text):
            self._tokens.extend(self._numbers.of(part))
            self._field_ends.append(len(self._tokens))
        self._ends.append(len(self._tokens))
        for name, column in self._values.items():
            column.append(number_in(field_text(document, name)))
        self._bytes.append(len(raw))
        if self._titles is not None and self._texts is not None:
            self._titles.append(self._clean(document.title, number, "title")[1])
            self._texts.append(raw)

    def _parts(self, document: Document, text: str) -> list[str]:
        """The texts that are searched: that of the document, or of each field where fields are counted apart."""
        if not self._fields:
            return [text]
        number = len(self._ends)
        return [self._clean(field_text(document, name), number, name)[0] for name in self._fields]

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
        if self._values:
            arrays |= value_arrays(list(self._values), list(self._values.values()))
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
        terms, docs, kept = self._term_and_document_of_each_token()
        dl = np.bincount(docs, minlength=N)
        cf = np.bincount(terms, minlength=len(names))
        pairs = terms * N
        pairs += docs
        keys = pairs.copy() if self._fields else pairs
        pairs.sort()
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        tf = np.diff(first, append=pairs.size)
        apart = {}
        if self._fields:
            labels = self._field_of_each_token()[kept]
            apart = field_arrays(self._fields, labels, docs, keys, pairs[first], N)
        terms, docs = np.divmod(pairs[first], N)
        max_tf = np.zeros(N, dtype=np.int64)
        np.maximum.at(max_tf, docs, tf)
        counts = Counts.of(tf)
        return {
            **self._strings("terms", Strings.of(sorted(names))),
            "offsets": np.searchsorted(terms, np.arange(len(names) + 1)).astype(np.int64),
            "cf": cf.astype(np.int64),
            "docs": docs.astype(np.int32),
            "tf": counts.small,
            "large_positions": counts.large_positions,
            "large_tf": counts.large,
            "dl": dl.astype(np.int32),
            "distinct": np.bincount(docs, minlength=N).astype(np.int32),
            "max_tf": max_tf.astype(np.int32),
            **apart,
        }

    def _term_and_document_of_each_token(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Term (by the terms' UTF-8 bytes) and document of each token but stop words, and which tokens these are."""
        names = self._numbers.terms
        rank = np.empty(len(names), dtype=np.int64)
        rank[[names[term] for term in sorted(names)]] = np.arange(len(names))
        tokens = np.frombuffer(self._tokens, dtype=np.int32)
        docs = np.repeat(np.arange(len(self._ends), dtype=np.int32), np.diff(self._ends, prepend=0))
        kept = tokens >= 0
        return rank[tokens[kept]], docs[kept], kept

    def _field_of_each_token(self) -> np.ndarray:
        """Field numbers, stop words included."""
        fields = np.tile(np.arange(len(self._fields), dtype=np.int16), len(self._ends))
        return np.repeat(fields, np.diff(self._field_ends, prepend=0))
