"""Values of fields that an index keeps: the distinct texts of a field, their numbers, and those of each document."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as Several
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import (
    BORDER,
    CountedWords,
    StorageError,
    bordered,
    count_each,
    counted,
    encodable,
    expect,
    groups_of,
    note,
    repeat_each,
    shortest,
)
from toysearch.base.wording import cut
from toysearch.collection.collection import Collection
from toysearch.index.field_names import field_spelt, folded
from toysearch.index.file_layout import OF_FORMAT_4, Arrays
from toysearch.index.strings import Strings, strings_of
from toysearch.index.typed_values import (
    DATES,
    LONG,
    NUMBERS,
    WORDS,
    Form,
    day_of,
    has_times,
    holds_dates,
    number_in,
    time_of,
    typed,
    without_unit,
)

__all__ = ["every_field"]

_SAMPLE = 1000  # documents of a large collection that say which fields there are
_SMALL = 6_000_000  # bytes of documents that are all looked at if no field is named
_LARGE = 1 << 28  # bytes of documents that are not all kept in memory
_MOST = 1000  # distinct values of a field that is kept without being named
_LONGEST = 60  # characters of such a value
FEW = 24
"""Most distinct values of a field that is shown as a facet."""


@dataclass(frozen=True, eq=False)
class FieldValues:
    """Values of one field of the documents of an index.

    texts : the distinct ones, in the order of their UTF-8 bytes
    kind : words, numbers, dates, or whole numbers of 64 bits
    numbers : (texts,) float64; a date is its year and the elapsed fraction of it, a word is NaN
    docs, codes : (n,) int32; the document of each value, by rising number, and the place of its text
    """

    texts: Sequence[str]
    kind: int
    numbers: np.ndarray
    docs: np.ndarray
    codes: np.ndarray
    n_documents: int

    @classmethod
    def of(cls, texts: Sequence[str], docs: np.ndarray, codes: np.ndarray, n_documents: int) -> FieldValues:
        """Sort some distinct texts that all occur, and read their numbers."""
        order = sorted(range(len(texts)), key=lambda place: texts[place].encode())
        place = np.empty(len(texts), np.int32)
        place[order] = np.arange(len(texts), dtype=np.int32)
        counts = count_each(codes, minlength=len(texts)).tolist()
        kind, numbers = typed({texts[old]: counts[old] for old in order})
        in_order = [texts[old] for old in order]
        return cls(in_order, kind, np.array(numbers, np.float64), docs.astype(np.int32), place[codes], n_documents)

    def counts(self) -> Counter[str]:
        """Count the documents with each text."""
        return Counter(dict(zip(self.texts, self.frequencies.tolist(), strict=True)))

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Return the number of documents with each text."""
        return count_each(self.codes, minlength=len(self.texts))

    @cached_property
    def exact(self) -> np.ndarray:
        """Return the numbers, whole ones of 64 bits as int64; those of words are of no use."""
        if self.kind != LONG:
            return self.numbers
        return np.array([0 if math.isnan(n) else int(text) for text, n in zip(self.texts, self.numbers, strict=True)])

    @cached_property
    def unit(self) -> str:
        """Return what stands after each number, such as GB; "" without a unit."""
        numeric = np.flatnonzero(~np.isnan(self.numbers))
        example = self.texts[int(numeric[0])] if self.kind == NUMBERS and numeric.size else ""
        return Form.of({example: 1}).unit if example and math.isnan(number_in(example)) else ""

    @cached_property
    def _form(self) -> Form:
        return Form.of(dict.fromkeys(self.texts, 1))

    def number(self, text: str) -> float:
        """Read a text as the numbers of the field are read, else NaN."""
        number = number_in(without_unit(text, self.unit))
        return self._form.number(text) if math.isnan(number) and self.kind == DATES else number

    def docs_with(self, chosen: np.ndarray | Sequence[bool]) -> np.ndarray:
        """Return the documents with one of some texts, given as a mask or by places, by rising number; int64."""
        is_chosen = np.zeros(len(self.texts), bool)
        is_chosen[chosen] = True
        return np.unique(self.docs[is_chosen[self.codes]]).astype(np.int64)

    def codes_of(self, number: int) -> list[int]:
        """Return the places of the texts of a document."""
        first, end = np.searchsorted(self.docs, [number, number + 1])
        codes: list[int] = self.codes[first:end].tolist()
        return codes

    def texts_of(self, number: int) -> list[str]:
        """Return the texts of a document."""
        return [self.texts[code] for code in self.codes_of(number)]

    def least(self, keys: np.ndarray) -> np.ndarray:
        """Return the least key of each document, NaN without one; (N,) float64.

        keys : (texts,) float64, NaN for a text that does not count
        """
        found = np.full(self.n_documents, np.nan)
        np.fmin.at(found, self.docs, keys[self.codes])
        return found

    def repeated(self, counts: Sequence[int]) -> FieldValues:
        """Return the values of documents that each become so many, one after the other."""
        starts = np.cumsum([0, *counts])
        each = [range(starts[doc], starts[doc + 1]) for doc in self.docs.tolist()]
        docs = np.array([doc for some in each for doc in some], np.int32)
        codes = repeat_each(self.codes, [*map(len, each)])
        order = np.argsort(docs, kind="stable")
        return FieldValues(self.texts, self.kind, self.numbers, docs[order], codes[order], int(starts[-1]))


class ValueCounter:
    """Values of one field of the documents read so far."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._docs, self._codes = array("i"), array("i")
        self._n_documents = 0

    def extend(self, texts: Iterable[str]) -> None:
        """Add the field of some documents; surrounding blanks do not count."""
        places = self._places
        for text in texts:
            for value in values_in(text):
                self._docs.append(self._n_documents)
                self._codes.append(places.setdefault(value, len(places)))
            self._n_documents += 1

    def finish(self) -> FieldValues:
        """Return the values of all documents."""
        docs, codes = (np.frombuffer(column, np.int32) for column in (self._docs, self._codes))
        return FieldValues.of([*self._places], docs, codes, self._n_documents)


def values_in(text: str) -> list[str]:
    """Return the distinct values in the field of a document, of which a list has several.

    >>> from toysearch.base import JoinedText
    >>> values_in(" Dyson "), values_in(JoinedText.joined(["drama", "crime"])), values_in("")
    (['Dyson'], ['drama', 'crime'], [])
    """
    if not getattr(text, "borders", ()):
        value = encodable(text.strip())[0]
        return [value] if value else []
    parts = (encodable(part.strip())[0] for part in bordered(text).split(BORDER))
    return [*dict.fromkeys(filter(None, parts))]


class ValueGroups(NamedTuple):
    """Values of a field in their order, equal ones as one; words are equal but for case and composed letters."""

    values: FieldValues
    spellings: np.ndarray  # (groups,) int64, the place of the most frequent text of each
    places: np.ndarray  # (texts of the field,) int32, the group of each, -1 for a word among numbers

    @classmethod
    def of(cls, values: FieldValues, fold: Callable[[str], str] | None = None) -> ValueGroups:
        """Group the values of a field; among words, those that are numbers come first, by size."""
        if values.kind != WORDS:
            places = np.full(len(values.texts), -1, np.int32)
            known = ~np.isnan(values.numbers)
            _, places[known] = np.unique(values.exact[known], return_inverse=True)
        else:
            keys = [(fold or folded)(text) for text in values.texts]
            order = {key: place for place, key in enumerate(sorted({*keys}, key=_place_of_word))}
            places = np.array([order[key] for key in keys], np.int32)
        by_frequency = np.argsort(-values.frequencies, kind="stable")[::-1]
        spellings = np.zeros(int(places.max(initial=-1)) + 2, np.int64)
        spellings[places[by_frequency]] = by_frequency  # the last one written is the most frequent
        return cls(values, spellings[:-1], places)

    def text(self, place: int) -> str:
        """Return the most frequent spelling of a group."""
        return self.values.texts[int(self.spellings[place])]


def _place_of_word(word: str) -> tuple[bool, float, str]:
    number = number_in(word)
    return math.isnan(number), 0.0 if math.isnan(number) else number, word


def is_facet(distinct: Several[str], n_documents: int) -> bool:
    """True if a field with these distinct values in so many documents divides them into a few groups."""
    return 2 <= len(distinct) <= FEW and len(distinct) < n_documents and max(map(len, distinct)) <= _LONGEST


def note_left_out(name: str, values: FieldValues) -> None:
    """Note how many values of a field of numbers are no numbers, with one of them."""
    others = np.flatnonzero(np.isnan(values.numbers))
    if others.size and others.size < len(values.texts):
        n_others, n = int(values.frequencies[others].sum()), len(values.codes)
        example = cut(values.texts[int(others[0])], 30)
        share = f"{n_others:,} of {counted(n, 'value')}, such as '{example}'"
        note(f"{name}: {share}, are not plain numbers or dates and are left out")


def kept_fields(collection: Collection | None, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the fields that an index keeps: those that are named, or else some of a collection of at most 6 MB.

    These are all numbers, dates and codes, and words with few short values. Of other sources than files, and of word
    counts, it keeps none.
    """
    if names is not None:
        return _spelt(collection, names) if collection is not None and names else tuple(names)
    reading = None if collection is None else collection.reading
    if collection is None or reading is None or reading.size > _SMALL or reading.counts:
        return ()
    kept = []
    by_field = groups_of(pair for document in collection.documents for pair in document.fields.items())
    for name, texts in by_field.items():
        if name not in collection.searched_fields and not any(isinstance(text, CountedWords) for text in texts):
            values = Counter(value for text in texts if text for value in values_in(text))
            if values and _is_worth_keeping(values):
                kept.append(name)
    return tuple(kept)


def _is_worth_keeping(texts: Counter[str]) -> bool:
    kind, numbers = typed(texts)
    n_numbers = sum(count for count, number in zip(texts.values(), numbers, strict=True) if not math.isnan(number))
    if kind != WORDS or 2 * n_numbers >= texts.total():
        return True
    distinct = {*map(folded, texts)}
    few = is_facet(distinct, texts.total()) or 2 <= len(distinct) <= min(_MOST, texts.total() // 2)
    return few and max(map(len, texts)) <= _LONGEST


_PLAIN = {"title": "", "text": ""}  # the fields of a document without others


def every_field(collection: Collection, also: Iterable[str] = ()) -> tuple[str, ...]:
    """Return all fields that are not searched and hold values, not word counts, for an index in memory.

    Parameters
    ----------
    collection : Collection
        The documents.
    also : iterable of str
        Searched fields, and fields of word counts, in any case, to be kept too. Default: none.
    """
    expect(Collection, collection=collection)
    large = collection.reading is not None and collection.reading.size >= _LARGE
    documents = islice(collection.stream(), _SAMPLE) if large else collection.documents
    asked, names = {*map(str.casefold, also)}, dict[str, None]()
    for document in documents:
        fields = (document.fields or _PLAIN).items()
        names |= dict.fromkeys(
            name for name, text in fields if type(text) is not CountedWords or name.casefold() in asked
        )
    left_out = {*collection.searched_fields}.difference(field_spelt(name, names) for name in also)
    return tuple(name for name in names if name not in left_out)


def _spelt(collection: Collection, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of fields as the first documents spell them."""
    spellings: dict[str, None] = {}
    for document in islice(collection.stream(), _SAMPLE):
        spellings |= dict.fromkeys(document.fields or ("title", "text"))
        if spellings.keys() >= {*names}:
            break
    return tuple(dict.fromkeys(field_spelt(name, spellings) for name in names))


def value_arrays(fields: Mapping[str, FieldValues]) -> dict[str, np.ndarray]:
    """Return the arrays of the values of fields, as docs/look-up/index-format.md describes them; empty without any."""
    if not fields:
        return {}
    every = fields.values()
    texts = [values.texts for values in every]
    docs = [values.docs for values in every]
    codes = [values.codes for values in every]
    return {
        **Strings.of(list(fields)).arrays("value_names"),
        "value_kinds": np.array([values.kind for values in every], np.int64),
        **Strings.of(list(chain.from_iterable(texts))).arrays("value_texts"),
        "value_counts": np.fromiter(map(len, texts), np.int64),
        "value_numbers": np.concatenate([values.numbers for values in every]),
        "value_sizes": np.fromiter(map(len, docs), np.int64),
        "value_docs": np.concatenate(docs).astype(np.int32),
        "value_codes": np.concatenate(codes).astype(np.int32),
    }


def values_of(arrays: Arrays) -> dict[str, FieldValues]:
    """Return the values of the fields that an index keeps, by name."""
    if "value_names" not in arrays:
        return {}
    if problem := values_problem(arrays):
        raise StorageError(f"the index is damaged: {problem}; build it again")
    names, texts = strings_of(arrays, "value_names"), strings_of(arrays, "value_texts")
    kinds, counts, sizes = (np.asarray(arrays[f"value_{each}"], np.int64) for each in ("kinds", "counts", "sizes"))
    fields, text, doc = {}, 0, 0
    for name, kind, count, size in zip(names, kinds.tolist(), counts.tolist(), sizes.tolist(), strict=True):
        of_texts, of_docs = slice(text, text + count), slice(doc, doc + size)
        fields[name] = FieldValues(
            Strings(texts.blob, texts.offsets[text : text + count + 1]),
            kind,
            np.asarray(arrays["value_numbers"][of_texts]),
            np.asarray(arrays["value_docs"][of_docs], np.int32),
            np.asarray(arrays["value_codes"][of_docs], np.int32),
            arrays["dl"].size,
        )
        text, doc = text + count, doc + size
    return fields


def of_format_4(arrays: Arrays) -> dict[str, Any]:
    """Return the arrays of an index of format 4, which keeps numbers as numbers alone, as today's."""
    try:
        fields = _of_rows(arrays) | _of_keywords(arrays)
    except (ValueError, IndexError, KeyError):
        raise StorageError("the index is damaged: its values do not fit its documents; build it again") from None
    new: dict[str, Any] = {}
    for name in arrays:
        new |= value_arrays(fields) if name == "doc_ids_order" else {}
        new |= {} if name in OF_FORMAT_4 or name.startswith("value_names") else {name: arrays[name]}
    return new


def _of_rows(arrays: Arrays) -> dict[str, FieldValues]:
    if "values" not in arrays:
        return {}
    names = strings_of(arrays, "value_names")
    rows = np.asarray(arrays["values"]).reshape(len(names), arrays["dl"].size)
    return {name: _of_numbers(row) for name, row in zip(names, rows, strict=True)}


def _of_keywords(arrays: Arrays) -> dict[str, FieldValues]:
    if "keyword_names" not in arrays:
        return {}
    names, texts = strings_of(arrays, "keyword_names"), list(strings_of(arrays, "keywords"))
    counts = np.asarray(arrays["keyword_counts"], np.int64)
    rows = np.asarray(arrays["keyword_codes"], np.int64).reshape(len(names), arrays["dl"].size)
    if (rows < 0).any() or (rows > counts[:, None]).any() or counts.sum() != len(texts):
        raise ValueError
    fields, start = {}, 0
    for name, count, row in zip(names, counts.tolist(), rows, strict=True):
        docs = np.flatnonzero(row)
        fields[name] = FieldValues.of(texts[start : start + count], docs, row[docs] - 1, row.size)
        start += count
    return fields


def _of_numbers(row: np.ndarray) -> FieldValues:
    """Return the values of a field that is kept as one number for each document."""
    docs = np.flatnonzero(~np.isnan(row))
    distinct, codes = np.unique(row[docs], return_inverse=True)
    are_dates = holds_dates(row) and (np.floor(distinct) != distinct).any()
    text_of = (time_of if has_times(row) else day_of) if are_dates else shortest
    return FieldValues.of([*map(text_of, distinct.tolist())], docs, codes, row.size)


def joined_values(*each: tuple[Arrays, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of the values of the documents of several indexes that keep the same fields.

    Each comes with the new numbers of its documents, -1 for one that is left out.
    """
    parts, joined = [(values_of(arrays), numbers) for arrays, numbers in each], {}
    n_documents = sum(int(np.count_nonzero(numbers >= 0)) for _, numbers in parts)
    for name in parts[0][0]:
        docs, codes = [], []
        places: dict[str, int] = {}
        for fields, numbers in parts:
            values = fields[name]
            of_each = numbers[values.docs]
            rows = np.flatnonzero(of_each >= 0)
            used, own = np.unique(values.codes[rows], return_inverse=True)
            texts = [values.texts[code] for code in used.tolist()]
            codes.append(np.array([places.setdefault(text, len(places)) for text in texts], np.int32)[own])
            docs.append(of_each[rows])
        every, every_code = np.concatenate(docs), np.concatenate(codes)
        order = np.argsort(every, kind="stable")
        joined[name] = FieldValues.of([*places], every[order], every_code[order], n_documents)
    return value_arrays(joined)


def values_problem(arrays: Arrays) -> str:
    """Return the problem with the sizes and the numbers of the values of fields, else ""."""
    if "value_names" not in arrays:
        return ""
    kinds, counts, sizes, docs, codes = (
        np.asarray(arrays[f"value_{each}"], np.int64) for each in ("kinds", "counts", "sizes", "docs", "codes")
    )
    if (kinds < WORDS).any() or (kinds > LONG).any():
        return "its value_kinds are unknown"
    if (counts < 0).any() or counts.sum() != arrays["value_numbers"].size:
        return "its value_counts do not fit its value_texts"
    if np.isinf(arrays["value_numbers"]).any():
        return "a stored value is not finite"
    if (sizes < 0).any() or sizes.sum() != docs.size:
        return "its value_sizes do not fit its value_docs"
    fields, n_documents = repeat_each(np.arange(kinds.size, dtype=np.int64), sizes), arrays["dl"].size
    if (docs < 0).any() or (docs >= n_documents).any() or (np.diff(fields * n_documents + docs) < 0).any():
        return "its value_docs are no documents by rising number"
    if (codes < 0).any() or (codes >= counts[fields]).any():
        return "its value_codes do not fit its value_texts"
    return ""


def numbers_problem(arrays: Arrays) -> str:
    """Return the problem if the values of a field are not those of its texts, else ""; their sizes fit."""
    for name, values in values_of(arrays).items():
        read = FieldValues.of(list(values.texts), values.docs, values.codes, values.n_documents)
        same = np.array_equal(values.numbers, read.numbers, equal_nan=True) and values.kind == read.kind
        if not same or list(values.texts) != read.texts:
            return f"its value_numbers of '{name}' are not those of its value_texts"
    return ""
