"""Documents → the columns of an index besides terms: ids, lengths in bytes, titles, texts, values of fields."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from toysearch.base import (
    CountedWords,
    DataError,
    Utf8,
    bordered,
    counted,
    encodable,
    note,
)
from toysearch.collection.collection import Collection
from toysearch.collection.document_batches import Batch, joined
from toysearch.index.stored_values import ValueCounter, value_arrays
from toysearch.index.strings import GrowingStrings, Strings, byte_order, repeated

if TYPE_CHECKING:
    from toysearch.index.saving import SpooledStrings

__all__: list[str] = []


def name_lines(source: Any) -> None:
    """Read the files of a collection again, in which two documents share an id: their reader names the lines."""
    for _ in source.stream() if isinstance(source, Collection) else ():
        pass


class RepeatedIdError(DataError):
    """Error for two documents with the same id."""


Store: TypeAlias = "Callable[[str], GrowingStrings | SpooledStrings]"
"""Function from the name of an array of strings to its collector."""


def in_memory(name: str) -> GrowingStrings:
    """Collect titles or texts in memory."""
    return GrowingStrings()


class Columns:
    """Columns read so far, without the terms."""

    def __init__(self, values: Sequence[str] = (), store: Store | None = None) -> None:
        self._doc_ids = GrowingStrings()
        self._bytes = array("q")
        self._values = {name: ValueCounter() for name in values}
        self._stored = {name: store(name) for name in ("titles", "texts")} if store else {}
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
        for name, counter in self._values.items():
            counter.extend(field_texts(batch, name))
        self._doc_ids.extend(doc_ids)
        sizes = np.diff(texts.offsets)
        if CountedWords in map(type, batch.texts):  # which know the lengths of their texts
            sized = zip(batch.texts, sizes.tolist(), strict=True)
            sizes = np.array([text.size if isinstance(text, CountedWords) else size for text, size in sized], np.int64)
        self._bytes.frombytes(sizes.tobytes())
        if self._stored:
            self._stored["titles"].extend(titles)
            self._stored["texts"].extend(texts)
        return texts

    def _encoded(self, batch: Batch) -> list[Utf8]:
        titles = batch.titles if self._stored else []
        return [Utf8.of([*map(str.encode, strings)]) for strings in (batch.doc_ids, batch.texts, titles)]

    def _mended(self, batch: Batch) -> Batch:
        doc_ids, texts, titles = [], [], []
        for number, (doc_id, text, title, _) in enumerate(zip(*batch, strict=True), len(self)):
            doc_ids.append(self.clean(doc_id, number, "doc_id"))
            texts.append(self.clean(text, number, "text"))
            titles.append(self.clean(title, number, "title") if self._stored else title)
        return Batch(doc_ids, texts, titles, batch.fields)

    def clean(self, value: Any, number: int, what: str) -> str:
        """Replace and count the lone surrogates of a document's text."""
        if not isinstance(value, str):
            advice = f": write {str(value)!r}" if what == "doc_id" else ""
            raise DataError(
                f"document {number + 1} has the {what} {value!r}; expected a str, not {type(value).__name__}{advice}"
            )
        text, replaced = encodable(value)
        self._replaced += replaced
        return text

    def finish(self) -> dict[str, np.ndarray]:
        """Return the arrays of all documents read."""
        if self._replaced:
            replaced = counted(self._replaced, "lone surrogate")
            note(f"{replaced} in the documents became U+FFFD: UTF-8 cannot represent lone surrogates")
        doc_ids = self._doc_ids.finish()
        order = order_of_ids(doc_ids)
        arrays = doc_ids.arrays("doc_ids")
        if self._values:
            arrays |= value_arrays({name: counter.finish() for name, counter in self._values.items()})
        arrays |= {"doc_ids_order": order, "bytes": np.frombuffer(self._bytes, np.int64)}
        for name, strings in self._stored.items():
            arrays |= strings.finish().arrays(name)
        return arrays


def order_of_ids(doc_ids: Strings) -> np.ndarray:
    """Sort the document numbers by the UTF-8 bytes of their ids, which must differ; int32."""
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
    """Return the text of the field of each document; "" if it is missing."""
    texts = {"title": batch.titles, "text": batch.texts}.get(name, [""] * len(batch.fields))
    return [fields.get(name, "") if fields else text for fields, text in zip(batch.fields, texts, strict=True)]


def of_fields(names: Sequence[str], batch: Batch) -> Batch:
    """Return a batch whose texts, in which positions are looked up, are those of the fields that are counted."""
    if CountedWords in map(type, batch.texts):
        return batch
    rows = zip(batch.fields, batch.titles, batch.texts, strict=True)
    fields = [of_document or {"title": title, "text": text} for of_document, title, text in rows]
    try:
        texts = [bordered(joined(record, names)) for record in fields]
    except TypeError:  # a field that is not a text is refused by its name when it is read
        return batch
    return batch._replace(texts=texts, fields=fields)
