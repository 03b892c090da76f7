"""Documents and queries of a collection, in batches, and the records left out among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, overload

from toysearch.errors import DataError
from toysearch.formats.bad_lines import Rejected
from toysearch.formats.text_files import Record
from toysearch.records import Document, Query

Source = tuple["Path | str", Iterable[Record]]


def chosen(read: Callable[[], Iterable[Source]], choice: str) -> Iterator[Record]:
    """Of the records with one id the first or the last; or all, the later ones with a number behind their id.

    >>> records = [(1, "a", {"text": "cat"}), (2, "a", {"text": "dog"}), (3, "b", {"text": "parrot"})]
    >>> for choice in ("first", "last", "number"):
    ...     print([(line, doc_id) for line, doc_id, _ in chosen(lambda: [("pets.csv", records)], choice)])
    [(1, 'a'), (3, 'b')]
    [(2, 'a'), (3, 'b')]
    [(1, 'a'), (2, 'a-2'), (3, 'b')]
    """
    if choice == "last":
        last = {record[1]: (path, record[0]) for path, records in read() for record in records}
        yield from (record for path, records in read() for record in records if last[record[1]] == (path, record[0]))
        return
    seen: dict[str, int] = {}
    for _, records in read():
        for line, record_id, fields in records:
            seen[record_id] = count = seen.get(record_id, 0) + 1
            if count == 1:
                yield line, record_id, fields
            elif choice == "number":
                while (name := f"{record_id}-{count}") in seen:
                    count += 1
                seen[record_id], seen[name] = count, 1
                yield line, name, fields


def without_second(sources: Iterable[Source], kind: str, rejected: Rejected) -> Iterator[Record]:
    """The records as they come, those with an id that an earlier one has among the rejected."""
    first: dict[str, tuple[Path | str, int]] = {}
    for path, records in sources:
        for record in records:
            line, record_id, fields = record
            place = first.setdefault(record_id, (path, line))
            if place == (path, line):
                yield record
                continue
            earlier = f"on line {place[1]}" if place[0] == path else f"in {place[0]}"
            reason = f"{kind} '{record_id}' was given {earlier} already; each may occur once"
            rejected.add(path, line, reason, " ".join(fields.values()))


BATCH = 100
"""Documents that are read before anything is done with them."""


class Batch(NamedTuple):
    """Some documents that follow each other, as columns.

    >>> Batch.of([Document("1", "a cat"), Document("2", "a dog")]).texts
    ('a cat', 'a dog')
    """

    # doc_ids, texts, titles: one a document
    doc_ids: Sequence[str]
    texts: Sequence[str]
    titles: Sequence[str]
    fields: Sequence[Mapping[str, str]]  # likewise

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Batch:
        """The documents given, at least one."""
        return cls(*zip(*documents, strict=True))

    def documents(self) -> Iterator[Document]:
        """The same as records."""
        return map(Document, *self)


def batches(documents: Iterable[Document]) -> Iterator[Batch]:
    """Documents one by one, as batches."""
    rest = iter(documents)
    while some := list(islice(rest, BATCH)):
        yield Batch.of(some)


class Documents(Sequence[Document]):
    """Documents as columns: indexing and iterating give `Document` records, made on the way."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.doc_ids: list[str] = []
        self.texts: list[str] = []
        self.titles: list[str] = []
        self._fields: dict[str, list[str | None]] = {}
        self._numbers: dict[str, int] = {}
        for number, (doc_id, text, title, fields) in enumerate(documents):
            first = self._numbers.setdefault(doc_id, number)
            if first != number:
                raise _twice("doc_id", doc_id, "documents", first, number)
            self.doc_ids.append(doc_id)
            self.texts.append(text)
            self.titles.append(title)
            for name in fields:
                if name not in self._fields:
                    self._fields[name] = [None] * number
            for name, column in self._fields.items():
                column.append(fields.get(name))

    @property
    def field_names(self) -> list[str]:
        """The names of the fields that at least one document has."""
        return list(self._fields)

    def get(self, doc_id: str) -> Document | None:
        """The document with an id, or None."""
        number = self._numbers.get(doc_id)
        return None if number is None else self[number]

    def __len__(self) -> int:
        return len(self.doc_ids)

    @overload
    def __getitem__(self, number: int) -> Document: ...
    @overload
    def __getitem__(self, number: slice) -> list[Document]: ...
    def __getitem__(self, number: int | slice) -> Document | list[Document]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        columns = ((name, column[number]) for name, column in self._fields.items())
        fields = {name: value for name, value in columns if value is not None}
        return Document(self.doc_ids[number], self.texts[number], self.titles[number], fields)


class Queries(Sequence[Query]):
    """Queries as columns: indexing and iterating give `Query` records.

    >>> queries = Queries([Query("1", "train cat"), Query("2", "train dog")])
    >>> queries[1], queries.get("1").text, queries.get("3")
    (Query(query_id='2', text='train dog'), 'train cat', None)
    """

    def __init__(self, queries: Iterable[Query], fields: Sequence[Mapping[str, str]] = ()) -> None:
        self.query_ids: list[str] = []
        self.texts: list[str] = []
        self.fields = fields
        self._numbers: dict[str, int] = {}
        for number, (query_id, text) in enumerate(queries):
            first = self._numbers.setdefault(query_id, number)
            if first != number:
                raise _twice("query_id", query_id, "queries", first, number)
            self.query_ids.append(query_id)
            self.texts.append(text)

    def get(self, query_id: str) -> Query | None:
        """The query with an id, or None."""
        number = self._numbers.get(query_id)
        return None if number is None else self[number]

    def __len__(self) -> int:
        return len(self.query_ids)

    @overload
    def __getitem__(self, number: int) -> Query: ...
    @overload
    def __getitem__(self, number: slice) -> list[Query]: ...
    def __getitem__(self, number: int | slice) -> Query | list[Query]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        return Query(self.query_ids[number], self.texts[number])


def _twice(kind: str, name: str, plural: str, first: int, second: int) -> DataError:
    return DataError(f"{kind} '{name}' is given twice, by {plural} {first + 1} and {second + 1}; each may occur once")
