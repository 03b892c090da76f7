"""Documents → the columns of an index besides terms: ids, lengths in bytes, titles, texts, numbers."""

from __future__ import annotations

import datetime
import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from toysearch.base import ArgumentError, DataError, Document, counted, encodable, note
from toysearch.base.encoded_texts import Utf8
from toysearch.corpus.collection import BATCH, Batch, Collection, batches
from toysearch.formats.text_files import finite_number
from toysearch.index.strings import GrowingStrings, Strings, byte_order, repeated, strings_of

if TYPE_CHECKING:
    from toysearch.index.kept_fields import KeywordCounter

Source = Collection | Iterable[Document | str] | Mapping[str, str]


def batches_of(source: Any, first: int = 1) -> Iterator[Batch]:
    """The documents of any source that `Index.build` takes, in batches.

    >>> [batch.doc_ids for batch in batches_of(["a cat", "a dog"], first=5)]
    [('5', '6')]
    """
    if isinstance(source, Collection):
        return source.batches()
    if isinstance(source, Mapping):
        return _batches_of_texts(source)
    if isinstance(source, str):
        raise ArgumentError(
            f"{source!r:.60} is a single string; give a list of texts, or toysearch.load(…) for a collection"
        )
    if not isinstance(source, Iterable):
        raise ArgumentError(
            f"an index is built from a collection, documents, a dict of texts or a list of texts, not {source!r:.60}"
        )
    return batches(_document(item, place, first) for place, item in enumerate(source))


@contextmanager
def lines_of_repeats(source: Any) -> Iterator[None]:
    """If two documents of a collection share an id, read the files again to report the lines."""
    try:
        yield
    except RepeatedIdError:
        if isinstance(source, Collection):
            for _ in source.stream():
                pass
        raise


def _batches_of_texts(texts: Mapping[str, str]) -> Iterator[Batch]:
    """Texts by doc_id, without records."""
    doc_ids, values = iter(texts), iter(texts.values())
    while some := list(islice(doc_ids, BATCH)):
        yield Batch(some, list(islice(values, len(some))), [""] * len(some), [{}] * len(some))


def _document(item: Any, place: int, first: int) -> Document:
    if isinstance(item, Document):
        return item
    if isinstance(item, str):
        return Document(str(first + place), item)
    raise ArgumentError(
        f"document {place + 1} is {item!r:.60}, a {type(item).__name__}; expected a Document(doc_id, text) or a text"
    )


class RepeatedIdError(DataError):
    """The error for two documents with the same id."""


class Growing(Protocol):
    """A collector of strings: `GrowingStrings` in memory, `SpooledStrings` in a file."""

    def extend(self, strings: Utf8) -> None:
        """Add some strings."""

    def finish(self) -> Strings:
        """All strings added."""


Store = Callable[[str], Growing]
"""A function from the name of an array of strings to its collector."""


def in_memory(name: str) -> Growing:
    """Titles or texts, collected in memory."""
    return GrowingStrings()


class Columns:
    """The columns read so far, without the terms."""

    def __init__(self, values: Sequence[str] = (), keywords: Sequence[str] = (), store: Store | None = None) -> None:
        self._doc_ids = GrowingStrings()
        self._bytes = array("q")
        self._values = {name: array("d") for name in values}
        self._keywords: dict[str, KeywordCounter] = {}
        if keywords:
            from toysearch.index.kept_fields import KeywordCounter  # most indexes keep none

            self._keywords = {name: KeywordCounter() for name in keywords}
        self._titles = store("titles") if store else None
        self._texts = store("texts") if store else None
        self._replaced = 0

    def __len__(self) -> int:
        return len(self._bytes)

    def add(self, batch: Batch) -> Utf8:
        """Add a batch of at least one document, and return its texts in UTF-8."""
        try:
            doc_ids, texts, titles = self._encoded(batch)
        except (TypeError, UnicodeEncodeError):
            batch = self._mended(batch)
            doc_ids, texts, titles = self._encoded(batch)
        for name, column in self._values.items():
            column.extend(map(number_in, field_texts(batch, name)))
        for name, counter in self._keywords.items():
            counter.extend(field_texts(batch, name))
        self._doc_ids.extend(doc_ids)
        self._bytes.frombytes(np.diff(texts.offsets).tobytes())
        if self._titles is not None and self._texts is not None:
            self._titles.extend(titles)
            self._texts.extend(texts)
        return texts

    def _encoded(self, batch: Batch) -> list[Utf8]:
        """Ids, texts and titles in UTF-8, with titles only if they are kept."""
        titles = batch.titles if self._titles is not None else []
        return [Utf8.of([*map(str.encode, strings)]) for strings in (batch.doc_ids, batch.texts, titles)]

    def _mended(self, batch: Batch) -> Batch:
        doc_ids, texts, titles = [], [], []
        for number, (doc_id, text, title, _) in enumerate(zip(*batch, strict=True), len(self)):
            doc_ids.append(self.clean(doc_id, number, "doc_id"))
            texts.append(self.clean(text, number, "text"))
            titles.append(title if self._titles is None else self.clean(title, number, "title"))
        return Batch(doc_ids, texts, titles, batch.fields)

    def clean(self, value: str, number: int, what: str) -> str:
        """A text of a document; lone surrogates are replaced and counted."""
        if not isinstance(value, str):
            raise DataError(
                f"document {number + 1} has the {what} {value!r}; expected a str, not {type(value).__name__}"
            )
        text, replaced = encodable(value)
        self._replaced += replaced
        return text

    def finish(self) -> dict[str, np.ndarray]:
        """The arrays of all documents read."""
        if not len(self):
            raise DataError("there is no document to index; an index needs at least one")
        if self._replaced:
            replaced = counted(self._replaced, "lone surrogate")
            note(f"{replaced} in the documents became U+FFFD: UTF-8 cannot represent lone surrogates")
        doc_ids = self._doc_ids.finish()
        order = order_of_ids(doc_ids)
        arrays = doc_ids.arrays("doc_ids")
        if self._values:
            arrays |= value_arrays(list(self._values), list(self._values.values()))
        if self._keywords:
            from toysearch.index.kept_fields import keyword_arrays

            arrays |= keyword_arrays({name: counter.finish() for name, counter in self._keywords.items()})
        arrays |= {"doc_ids_order": order, "bytes": np.frombuffer(self._bytes, dtype=np.int64)}
        if self._titles is not None and self._texts is not None:
            arrays |= self._titles.finish().arrays("titles") | self._texts.finish().arrays("texts")
        return arrays


def order_of_ids(doc_ids: Strings) -> np.ndarray:
    """The document numbers in the order of the UTF-8 bytes of their ids, which must differ; int32."""
    order = byte_order(doc_ids)
    twice = np.flatnonzero(repeated(doc_ids, order))
    if twice.size:
        place = int(twice[np.argmin(order[twice])])
        first, second = int(order[place - 1]), int(order[place])
        raise RepeatedIdError(
            f"doc_id '{doc_ids[first]}' is given twice, by documents {first + 1} and {second + 1}; "
            "each id may occur once"
        )
    return order.astype(np.int32)


def field_texts(batch: Batch, name: str) -> list[str]:
    """The text of the field of each document; "" if it is missing."""
    texts = {"title": batch.titles, "text": batch.texts}.get(name, [""] * len(batch.fields))
    return [fields.get(name, "") if fields else text for fields, text in zip(batch.fields, texts, strict=True)]


_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")


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


def holds_dates(values: np.ndarray) -> bool:
    """Whether all numbers of a field can be dates: days of the years from 1000 to 2999.

    >>> holds_dates(np.array([2012.0, 2015 + 31 / 365, np.nan])), holds_dates(np.array([1200.99, 20.0]))
    (True, False)
    """
    numbers = values[~np.isnan(values)]
    years = np.floor(numbers)
    leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    days = (numbers - years) * np.where(leap, 366, 365)
    return bool(len(numbers) and ((years >= 1000) & (years < 3000) & (np.abs(days - np.round(days)) < 1e-6)).all())


def after_period(text: str) -> float:
    """The first number after a year or a month; NaN for another text, such as a day.

    >>> after_period("2012"), after_period("2012-12"), after_period("2012-12-24")
    (2013.0, 2013.0, nan)
    """
    if re.fullmatch(r"[0-9]{4}", text):
        return int(text) + 1.0
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}", text):
        return math.nan
    year, month = int(text[:4]), int(text[5:])
    return year + 1.0 if month == 12 else number_in(f"{year}-{month + 1:02}")


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
    strings = strings_of(arrays, names)
    return dict(zip(strings, np.asarray(arrays[rows]).reshape(len(strings), -1), strict=True))
