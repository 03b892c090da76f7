"""The fields of documents that an index keeps beside the searched text: numbers, dates, and values that are words."""

from __future__ import annotations

from array import array
from collections.abc import Collection as Several
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import checked, encodable
from toysearch.corpus.collection import Collection
from toysearch.index.document_columns import number_in
from toysearch.index.file_layout import Arrays
from toysearch.index.strings import Strings, strings_of

__all__ = ["KeptFields", "every_field", "named_kept_fields", "small_fields"]


_SAMPLE = 1000  # documents that say whether a named field holds numbers
_SMALL = 6_000_000  # bytes of documents that are all looked at if no field is named
_LARGE = 1 << 28  # bytes of documents that are not all kept in memory
_MOST = 1000  # distinct values of a field that is kept without being named
_LONGEST = 60  # characters of such a value
FEW = 24
"""Distinct values of a field that is shown as a facet."""


class KeptFields(NamedTuple):
    """The fields whose numbers are kept, and those whose values are kept as words."""

    values: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@checked
def named_kept_fields(collection: Collection, names: Sequence[str]) -> KeptFields:
    """Fields that somebody names: of numbers if at least half of their first values are numbers or dates.

    Parameters
    ----------
    collection : Collection
        The documents.
    names : sequence of str
        The fields; one that no document has counts as a field of numbers.

    Examples
    --------
    >>> from toysearch import load
    >>> named_kept_fields(load("companions"), ["date", "topic"])
    KeptFields(values=('date',), keywords=('topic',))
    """
    texts: dict[str, list[str]] = {name: [] for name in names}
    if names:
        for document in islice(collection.stream(), _SAMPLE):
            for name in names:
                values = document.title if name == "title" else document.text if name == "text" else ""
                texts[name].append(document.fields.get(name, values).strip())
    columns = {name: list(filter(None, values)) for name, values in texts.items()}
    words = [name for name, values in columns.items() if 2 * _numbers_among(values) < len(values)]
    return KeptFields(tuple(name for name in names if name not in words), tuple(words))


@checked
def every_field(collection: Collection) -> KeptFields:
    """All fields that are not searched, for an index in memory: as words, and those with numbers as numbers too.

    Parameters
    ----------
    collection : Collection
        The documents.
    """
    searched = collection.searched_fields
    if collection.reading is not None and collection.reading.size >= _LARGE:
        fields = (name for document in islice(collection.stream(), _SAMPLE) for name in document.fields)
        return named_kept_fields(collection, [name for name in dict.fromkeys(fields) if name not in searched])
    columns = _columns(collection)
    return KeptFields(tuple(name for name, values in columns.items() if _numbers_among(values)), tuple(columns))


@checked
def small_fields(collection: Collection) -> KeptFields:
    """The fields of a collection of at most 6 MB that every index keeps: numbers, dates, and few short values.

    Parameters
    ----------
    collection : Collection
        The documents; those of other sources than files keep none.
    """
    if collection.reading is None or collection.reading.size > _SMALL:
        return KeptFields()
    columns = _columns(collection)
    numbers = (name for name, values in columns.items() if values and _numbers_among(values) == len(values))
    return KeptFields(tuple(numbers), tuple(name for name, values in columns.items() if _is_small(values)))


def _columns(collection: Collection) -> dict[str, list[str]]:
    """The values of the fields that are not searched, without empty ones."""
    documents, searched = collection.documents, collection.searched_fields
    columns: dict[str, list[str]] = {name: [] for name in documents.field_names if name not in searched}
    for document in documents if columns else ():
        for name, text in document.fields.items():
            if name in columns and (value := text.strip()):
                columns[name].append(value)
    return columns


def _numbers_among(texts: Sequence[str]) -> int:
    """How many texts are numbers or dates."""
    return sum(not np.isnan(number_in(text)) for text in texts)


def _is_small(texts: Sequence[str]) -> bool:
    """Whether the values of a field are few and short, so that many documents share one."""
    distinct = {*texts}
    few = is_facet(distinct, len(texts)) or 2 <= len(distinct) <= min(_MOST, len(texts) // 2)
    return few and max(map(len, distinct)) <= _LONGEST


def is_facet(distinct: Several[str], n_documents: int) -> bool:
    """Whether a field with these distinct values in so many documents divides them into a few groups."""
    return 2 <= len(distinct) <= FEW and len(distinct) < n_documents and max(map(len, distinct)) <= _LONGEST


class Keywords(NamedTuple):
    """The distinct values of one field by their UTF-8 bytes, and for each document 1 + the place of its value, or 0."""

    values: list[str]
    codes: np.ndarray

    def docs(self, chosen: np.ndarray | Sequence[bool]) -> np.ndarray:
        """The documents with one of some values, given by their places or by a mask, by rising number; int64."""
        is_chosen = np.zeros(len(self.values) + 1, dtype=bool)
        is_chosen[1:][chosen] = True
        return np.flatnonzero(is_chosen[self.codes])

    def of_documents(self) -> list[str]:
        """The value of each document, "" if it has none."""
        values = ["", *self.values]
        return [values[code] for code in self.codes.tolist()]


class KeywordCounter:
    """The values of one field of the documents read so far."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {"": 0}
        self._codes = array("i")

    def extend(self, texts: Iterable[str]) -> None:
        """Add the field of some documents; surrounding blanks do not count."""
        places = self._places
        self._codes.extend(places.setdefault(encodable(text.strip())[0], len(places)) for text in texts)

    def finish(self) -> Keywords:
        """The values of all documents."""
        return _sorted([*self._places], np.frombuffer(self._codes, dtype=np.int32))


def _sorted(values: Sequence[str], codes: np.ndarray) -> Keywords:
    """The values in order, with the codes that follow; the first of `values` is the "" of documents without any."""
    order = sorted(range(1, len(values)), key=lambda place: values[place].encode())
    place = np.zeros(len(values), dtype=np.int32)
    place[order] = np.arange(1, len(order) + 1)
    return Keywords([values[old] for old in order], place[codes])


def keyword_arrays(columns: Mapping[str, Keywords]) -> dict[str, np.ndarray]:
    """The arrays of the fields, as docs/look-up/index-format.md describes them; empty without any."""
    if not columns:
        return {}
    values = Strings.of([value for column in columns.values() for value in column.values])
    return {
        **Strings.of(list(columns)).arrays("keyword_names"),
        **values.arrays("keywords"),
        "keyword_counts": np.array([len(column.values) for column in columns.values()], dtype=np.int64),
        "keyword_codes": np.concatenate([column.codes for column in columns.values()]).astype(np.int32),
    }


def keywords_of(arrays: Arrays) -> dict[str, Keywords]:
    """The fields that an index keeps so, by name."""
    if "keyword_names" not in arrays:
        return {}
    names, values = list(strings_of(arrays, "keyword_names")), list(strings_of(arrays, "keywords"))
    ends = np.cumsum(np.asarray(arrays["keyword_counts"], dtype=np.int64)).tolist()
    codes = np.asarray(arrays["keyword_codes"], dtype=np.int32).reshape(len(names), -1)
    return {
        name: Keywords(values[start:end], field_codes)
        for name, start, end, field_codes in zip(names, [0, *ends], ends, codes, strict=False)
    }


def joined_keywords(each: Sequence[Arrays]) -> dict[str, np.ndarray]:
    """The arrays of the fields of all documents of several indexes that keep the same fields."""
    parts = [keywords_of(arrays) for arrays in each]
    joined = {}
    for name in parts[0]:
        places: dict[str, int] = {"": 0}
        codes = []
        for part in parts:
            new_codes = [0, *(places.setdefault(value, len(places)) for value in part[name].values)]
            codes.append(np.array(new_codes, dtype=np.int32)[part[name].codes])
        joined[name] = _sorted([*places], np.concatenate(codes))
    return keyword_arrays(joined)


def keywords_left(arrays: Arrays, stays: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of the fields of the documents that stay, without values that none of them has."""
    columns = {}
    for name, (values, codes) in keywords_of(arrays).items():
        old_codes, new_codes = np.unique(np.append(codes[stays], 0), return_inverse=True)
        columns[name] = Keywords(
            [values[code - 1] for code in old_codes.tolist() if code], new_codes[:-1].astype(np.int32)
        )
    return keyword_arrays(columns)


def keywords_problem(arrays: Mapping[str, Any], n_documents: int) -> str:
    """The problem with the sizes and the codes of the fields, else ""."""
    if "keyword_names" not in arrays:
        return ""
    n_names = arrays["keyword_names_offsets"].size - 1
    counts = np.asarray(arrays["keyword_counts"], dtype=np.int64)
    codes = np.asarray(arrays["keyword_codes"], dtype=np.int64)
    if counts.size != n_names or counts.sum() != arrays["keywords_offsets"].size - 1:
        return "its keyword_counts do not fit its keywords"
    if codes.size != n_names * n_documents or (codes.reshape(n_names, -1) > counts[:, None]).any():
        return "its keyword_codes do not fit its keywords"
    return ""
