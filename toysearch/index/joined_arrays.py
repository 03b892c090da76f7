"""The arrays of the index that several shards together are, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from toysearch.base.wide_counts import repeat_each
from toysearch.compiled.plain_or_compiled import compiled, load
from toysearch.index.document_columns import order_of_ids
from toysearch.index.file_layout import KEYWORDS
from toysearch.index.inverted_index import Index
from toysearch.index.keyword_columns import joined_keywords
from toysearch.index.merge import BY_DOCUMENT, ROWS_BY_DOCUMENT, STRINGS_BY_DOCUMENT, finished, offsets_of, unpacked
from toysearch.index.postings import read_only
from toysearch.index.shards import WholeStatistics
from toysearch.index.strings import Pieces, Strings, pieces_of


class JoinedArrays(Mapping[str, Any]):
    """The arrays of one index of all documents, by name; columns of documents are joined without their postings.

    >>> parts = [Index.build({"1": "a cat"}), Index.build({"2": "a dog"})]
    >>> joined = JoinedArrays(parts, WholeStatistics.of(parts))
    >>> joined["dl"].tolist(), joined["cf"].tolist(), joined["last_docs"].tolist()
    ([1, 1], [1, 1], [0, 1])
    """

    def __init__(self, parts: Sequence[Index], whole: WholeStatistics) -> None:
        self._parts = parts
        self._whole = whole
        self._pattern = parts[0].arrays
        self._known: dict[str, Any] = {
            "terms": whole.terms.blob,
            "terms_offsets": whole.terms.offsets,
            "offsets": offsets_of(whole.df),
            "cf": whole.cf,
        }

    def __len__(self) -> int:
        return len(self._pattern)

    def __iter__(self) -> Iterator[str]:
        return iter(self._pattern)

    def __contains__(self, name: object) -> bool:
        return name in self._pattern

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            self._known |= read_only(self._made(name))
        return self._known[name]

    def _made(self, name: str) -> dict[str, Any]:
        """An array, with those that are made along with it."""
        if name in BY_DOCUMENT:
            return {name: np.concatenate([np.asarray(part.arrays[name]) for part in self._parts])}
        if name.removesuffix("_offsets") in STRINGS_BY_DOCUMENT:
            return self._strings(name.removesuffix("_offsets"))
        if name in ROWS_BY_DOCUMENT:
            n_rows = self._pattern[f"{ROWS_BY_DOCUMENT[name]}_offsets"].size - 1
            rows = [np.asarray(part.arrays[name]).reshape(n_rows, -1) for part in self._parts]
            return {name: np.hstack(rows).ravel()}
        if name in KEYWORDS and name in self._pattern:
            return joined_keywords([part.arrays for part in self._parts])
        if name == "doc_ids_order":
            return {name: order_of_ids(Strings(self["doc_ids"], self["doc_ids_offsets"]))}
        if name.removesuffix("_offsets") in ROWS_BY_DOCUMENT.values():
            return {name: self._pattern[name]}
        if name not in self._pattern:
            raise KeyError(name)
        return self._with_postings()

    def _strings(self, name: str) -> dict[str, Any]:
        """The strings of all documents; large texts are not copied."""
        pieces = pieces_of(*(part.arrays[name] for part in self._parts))
        lengths = [np.diff(part.arrays[f"{name}_offsets"]) for part in self._parts]
        blob: np.ndarray | Pieces = pieces.span(0, pieces.size) if name == "doc_ids" else pieces
        return {name: blob, f"{name}_offsets": offsets_of(np.concatenate(lengths))}

    def _with_postings(self) -> dict[str, Any]:
        """All arrays, with the postings of all shards."""
        first_postings = self._known["offsets"]
        filled, n = first_postings[:-1].copy(), int(first_postings[-1])
        if compiled("pack", n):  # once it is loaded, each shard is unpacked by compiled code too
            load()
        postings, base = _Postings(n, self._pattern), 0
        for part, numbers in zip(self._parts, self._whole.numbers, strict=True):
            arrays = unpacked(part.arrays)
            df = np.diff(arrays["offsets"])
            rows = np.arange(arrays["docs"].size) + repeat_each(filled[numbers] - arrays["offsets"][:-1], df)
            postings.put(rows, arrays, base)
            filled[numbers] += df
            base += arrays["dl"].size
        made = postings.finish()
        names = (*BY_DOCUMENT, *ROWS_BY_DOCUMENT, *KEYWORDS, "doc_ids_order", "doc_ids", "titles", "texts")
        names += tuple(f"{name}_offsets" for name in ("doc_ids", "titles", "texts"))
        made |= {name: self[name] for name in names if name in self._pattern} | self._known
        return finished(made, self._pattern)


class _Postings:
    """The postings of all shards, put in their places."""

    def __init__(self, n: int, pattern: Mapping[str, Any]) -> None:
        n_fields = pattern["fields_offsets"].size - 1 if "field_tf" in pattern else 0
        self._docs, self._tf = np.empty(n, np.int32), np.empty(n, np.int32)
        self._field_tf = np.empty((n_fields, n), np.int64)
        self._places: list[tuple[np.ndarray, np.ndarray, np.ndarray]] | None = [] if "positions" in pattern else None

    def put(self, rows: np.ndarray, arrays: Mapping[str, Any], base: int) -> None:
        """Put the postings of a shard into some rows."""
        self._docs[rows] = arrays["docs"] + np.int32(base)
        self._tf[rows] = arrays["tf"]
        if len(self._field_tf):
            self._field_tf[:, rows] = arrays["field_tf"].reshape(len(self._field_tf), -1)
        if self._places is not None:
            self._places.append((rows, arrays["tf"], arrays["places"]))

    def finish(self) -> dict[str, Any]:
        """The arrays of all postings."""
        made: dict[str, Any] = {"docs": self._docs, "tf": self._tf}
        if len(self._field_tf):
            made["field_tf"] = self._field_tf.ravel()
        if self._places is not None:
            starts = offsets_of(self._tf)
            places = np.empty(int(starts[-1]), np.int32)
            for rows, tf, own in self._places:
                places[repeat_each(starts[rows] - offsets_of(tf)[:-1], tf) + np.arange(own.size)] = own
            made["places"] = places
        return made
