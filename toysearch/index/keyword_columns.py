"""Fields whose values are words, such as a brand: the distinct values, and the value of each document."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.wording import encodable
from toysearch.index.file_layout import Arrays
from toysearch.index.strings import Strings, strings_of


class Keywords(NamedTuple):
    """The distinct values of one field by their UTF-8 bytes, and for each document 1 + the place of its value, or 0."""

    values: list[str]
    codes: np.ndarray

    def docs(self, chosen: np.ndarray | Sequence[bool]) -> np.ndarray:
        """The documents with one of some values, given by their places or by a mask, by rising number; int64."""
        wanted = np.zeros(len(self.values) + 1, dtype=bool)
        wanted[1:][chosen] = True
        return np.flatnonzero(wanted[self.codes])

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
    return Keywords([values[each] for each in order], place[codes])


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
        name: Keywords(values[start:end], own)
        for name, start, end, own in zip(names, [0, *ends], ends, codes, strict=False)
    }


def joined_keywords(each: Sequence[Arrays]) -> dict[str, np.ndarray]:
    """The arrays of the fields of all documents of several indexes that keep the same fields."""
    parts = [keywords_of(arrays) for arrays in each]
    joined = {}
    for name in parts[0]:
        places: dict[str, int] = {"": 0}
        codes = []
        for part in parts:
            own = [0, *(places.setdefault(value, len(places)) for value in part[name].values)]
            codes.append(np.array(own, dtype=np.int32)[part[name].codes])
        joined[name] = _sorted([*places], np.concatenate(codes))
    return keyword_arrays(joined)


def keywords_left(arrays: Arrays, stays: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of the fields of the documents that stay, without values that none of them has."""
    left = {}
    for name, (values, codes) in keywords_of(arrays).items():
        used, own = np.unique(np.append(codes[stays], 0), return_inverse=True)
        left[name] = Keywords([values[code - 1] for code in used.tolist() if code], own[:-1].astype(np.int32))
    return keyword_arrays(left)


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
