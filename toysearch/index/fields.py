"""The separate fields of documents in an index: counts of terms per field, and numbers such as a year."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.corpus.collection import Batch
from toysearch.errors import ArgumentError, DataError, unknown
from toysearch.formats.text_files import finite_number
from toysearch.index.packed_postings import Counts
from toysearch.index.strings import Strings
from toysearch.spec import field_identifier


class CollectionStats(NamedTuple):
    """Counts over all documents, including those without terms."""

    N: int  # documents, empty ones included
    T: int  # tokens: the sum of all document lengths, without stop words
    avgdl: float  # T / N, tokens per document
    avg_distinct: float  # n_postings / N, distinct terms per document
    n_terms: int  # distinct terms
    n_postings: int  # pairs of a term and a document that contains it
    n_empty: int  # documents without any term


class TermCount(NamedTuple):
    """A term, its document frequency and its collection frequency."""

    term: str
    df: int
    cf: int


def collection_stats(dl: np.ndarray, n_terms: int, n_postings: int) -> CollectionStats:
    """The statistics of a collection of at least one document.

    >>> collection_stats(np.array([3, 0]), n_terms=2, n_postings=2)
    CollectionStats(N=2, T=3, avgdl=1.5, avg_distinct=1.0, n_terms=2, n_postings=2, n_empty=1)
    """
    # dl: (N,) int.
    N, T = len(dl), int(dl.sum(dtype=np.int64))
    return CollectionStats(N, T, T / N, n_postings / N, n_terms, n_postings, int(np.count_nonzero(dl == 0)))


_MOST_CELLS = 1 << 30  # a byte each
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")


def field_texts(batch: Batch, name: str) -> list[str]:
    """The text of the field of each document; "" if it is missing."""
    own = {"title": batch.titles, "text": batch.texts}.get(name, [""] * len(batch.fields))
    return [fields.get(name, "") if fields else text for fields, text in zip(batch.fields, own, strict=True)]


def number_in(text: str) -> float:
    """The number in a field (for a date, the year plus the elapsed fraction of it), else NaN."""
    text = text.strip()
    if not _DATE.fullmatch(text):
        number = finite_number(text)
        return math.nan if number is None else number
    try:
        day = datetime.date.fromisoformat(text if len(text) > 7 else f"{text}-01")
    except ValueError:
        return math.nan
    start, end = datetime.date(day.year, 1, 1), datetime.date(day.year, 12, 31)
    return day.year + (day - start).days / ((end - start).days + 1)


def field_arrays(
    fields: Sequence[str], labels: np.ndarray, docs: np.ndarray, keys: np.ndarray, postings: np.ndarray, N: int
) -> dict[str, np.ndarray]:
    """The arrays of separately counted fields, as docs/look-up/index-format.md describes them."""
    # labels, docs, keys: (T,) int; postings: (n_postings,) int64.
    if len(fields) * max(postings.size, N) > _MOST_CELLS:
        raise DataError(
            f"{len(fields):,} separate fields are too many for {postings.size:,} postings and {N:,} documents; "
            "name only those that matter (--fields title,text)"
        )
    dl = np.zeros((len(fields), N), dtype=np.int32)
    apart = []
    for number in range(len(fields)):
        own = labels == number
        held, counts = np.unique(keys[own], return_counts=True)
        tf = np.zeros(postings.size, dtype=np.int64)
        tf[np.searchsorted(postings, held)] = counts
        apart.append(Counts.of(tf))
        dl[number] = np.bincount(docs[own], minlength=N)
    positions = [each.large_positions + number * postings.size for number, each in enumerate(apart)]
    packed = Counts(
        np.concatenate([each.small for each in apart]),
        np.concatenate(positions),
        np.concatenate([each.large for each in apart]),
    )
    names = Strings.of(fields)
    return {
        "fields": names.blob,
        "fields_offsets": names.offsets,
        "field_tf": packed.small,
        "field_large_positions": packed.large_positions,
        "field_large_tf": packed.large,
        "field_dl": dl.ravel(),
    }


class FieldCounts:
    """The counts of the separate fields of an index; postings are numbered as in the index."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        apart = "fields" in arrays
        self.names: list[str] = list(Strings(arrays["fields"], arrays["fields_offsets"])) if apart else []
        self._postings = arrays["docs"].size
        if apart:
            self._tf = Counts(np.asarray(arrays["field_tf"]), arrays["field_large_positions"], arrays["field_large_tf"])
            self._dl = arrays["field_dl"].reshape(len(self.names), -1)

    def tf(self, field: str, start: int, stop: int) -> np.ndarray:
        """The term frequencies in a field of the postings from start up to stop; int64."""
        first = self._number(field) * self._postings
        return self._tf.span(first + start, first + stop)

    def dl(self, field: str) -> np.ndarray:
        """The length of a field in each document, in tokens; int32, shape (N,)."""
        number = self._number(field)
        lengths: np.ndarray = self._dl[number]
        return lengths

    def _number(self, field: str) -> int:
        """The number of a field, by its name or its form as an identifier: head-line is head_line."""
        known = [field_identifier(name) for name in self.names]
        if field_identifier(field) not in known:
            if not known:
                raise ArgumentError(
                    f"this index counts all fields together and cannot separate '{field}'; build it again with "
                    "separate fields: toysearch index SOURCE -o DIR --apart (Index.build(…, fields=…) in Python)"
                )
            example = ",".join(f"{name}=1" for name in known)
            raise ArgumentError(
                f"{unknown('field', field, self.names)}; an example for this index: bm25f:{example}; other fields are "
                "searched if --fields names them (Index.build(…, fields=…) in Python)"
            )
        return known.index(field_identifier(field))


def value_arrays(names: Sequence[str], columns: Sequence[Sequence[float]]) -> dict[str, np.ndarray]:
    """The arrays of the numbers kept for each document: one row per name, NaN for a missing number."""
    strings = Strings.of(names)
    return {
        "value_names": strings.blob,
        "value_names_offsets": strings.offsets,
        "values": np.array(columns, dtype=np.float64).ravel(),
    }


def rows_by_name(arrays: Mapping[str, np.ndarray], names: str, rows: str) -> dict[str, np.ndarray]:
    """The rows of an array by the names in another array; empty if the index lacks these arrays."""
    if names not in arrays:
        return {}
    strings = Strings(arrays[names], arrays[f"{names}_offsets"])
    return dict(zip(strings, arrays[rows].reshape(len(strings), -1), strict=True))
