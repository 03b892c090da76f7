"""A collection: documents, queries and judgments under one name.

Start with `Collection`. Its `Documents` and `Queries` are sequences that also find an item by its id; `stream` gives
the documents one by one, without keeping them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

from toysearch import files
from toysearch.base import (
    NO_JUDGMENTS,
    UNSTATED,
    ArgumentError,
    CountedWords,
    DataError,
    Document,
    Qrels,
    Query,
    QueryWithFields,
    Remedy,
    ResultTable,
    Rows,
    Run,
    UnmatchedQuery,
    a,
    agreeing,
    bordered,
    count_from_0,
    counted,
    expect,
    expect_finite,
    expect_list,
    expect_name,
    note,
    number_columns,
    result_tables,
    without_zeros,
)
from toysearch.base.documents import Frame
from toysearch.base.result import brief
from toysearch.collection.document_batches import (
    BATCH,
    Batch,
    batches,
    batches_in_memory,
    documents_in,
    documents_of_frame,
    documents_of_records,
    expect_documents,
)
from toysearch.collection.grades import AS_GIVEN
from toysearch.files import Reading

__all__ = ["Collection"]

T = TypeVar("T")
UNDECLARED = {"language": "none", "tokens": "word2"}
"""Analysis of a collection that declares none, which is that of `Analyzer()`."""

_OF_DOCUMENTS = files.settings_for("documents", "files")

NAME = "documents"
"""Name of a collection of documents that come without one."""


class ItemsById(Sequence[T]):
    """Items as columns, with the number of each id, which may occur once."""

    _numbers: dict[str, int]
    __repr__ = brief

    def _twice(self, kind: str, item_id: str, items: str, number: int) -> DataError:
        places = f"{items} {self._numbers[item_id] + 1} and {number + 1}"
        return DataError(f"{kind} '{item_id}' is given twice, by {places}; each id may occur once")

    def _item(self, number: int) -> T:
        raise NotImplementedError

    def _refuse(self, item_id: str) -> None:
        """Refuse an id that no item has."""
        raise NotImplementedError

    def get(self, item_id: str) -> T | None:
        """Return the item with an id, or None."""
        number = self._numbers.get(item_id)
        return None if number is None else self._item(number)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, key: int | str) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> list[T]: ...
    def __getitem__(self, key: int | str | slice) -> T | list[T]:
        if isinstance(key, slice):
            return [self._item(number) for number in range(len(self))[key]]
        if isinstance(key, str):
            if key not in self._numbers:
                self._refuse(key)
            key = self._numbers[key]
        return self._item(key)


class CountedDocument(Document):
    """Document of which only the frequency of each word is known, its second item; it has no text."""

    collection = ""  # the name in the catalog

    @property
    def text(self) -> str:
        """Refuse to show words in an order without meaning."""
        name = self.collection
        texts = f"`{Remedy('fetch', name)}` fetches the texts of '{name}'" if name else "read the texts instead"
        raise ArgumentError(f"this document is word counts, without a text; {texts}")


class Documents(ItemsById[Document]):
    """Documents as columns: indexing, by number or by id, and iterating create `Document` records.

    >>> documents = Documents([Document("d1", "a cat"), Document("d2", "a dog")])
    >>> documents["d2"] == documents[1], "d1" in documents, "d3" in documents
    (True, True, False)
    """

    def __init__(self, documents: Iterable[Document], collection: str = "") -> None:
        self.collection = collection  # its name in the catalog
        self._numbers = {}
        self.doc_ids: list[str] = []
        self.texts: list[str] = []
        self.titles: list[str] = []
        self._labels: list[tuple[str, ...]] = []  # of each document its fields, one tuple for all that have the same
        self._cells: list[tuple[str, ...]] = []  # and their texts
        layouts: dict[tuple[str, ...], tuple[str, ...]] = {}
        for number, (doc_id, text, title, fields) in enumerate(documents):
            if self._numbers.setdefault(doc_id, number) != number:
                raise self._twice("doc_id", doc_id, "documents", number)
            self.doc_ids.append(doc_id)
            self.texts.append(text)
            self.titles.append(title)
            labels = tuple(fields)
            self._labels.append(layouts.setdefault(labels, labels))
            self._cells.append(tuple(fields.values()))
        self.field_names = [*dict.fromkeys(chain.from_iterable(layouts))]  # those that at least one document has
        self._places = {name: place for place, name in enumerate(self.field_names)}

    def __contains__(self, document: object) -> bool:
        return document in self._numbers if isinstance(document, str) else super().__contains__(document)

    def _refuse(self, item_id: str) -> None:
        has = f"{counted(len(self), 'document')}, from '{self.doc_ids[0]}' to '{self.doc_ids[-1]}'"
        raise ArgumentError(f"there is no document '{item_id}'; there are {has}")

    def _item(self, number: int) -> Document:
        parts = self.doc_ids[number], self.texts[number], self.titles[number], self._fields(number)
        if type(self.texts[number]) is not CountedWords:
            return Document(*parts)
        counted_document = CountedDocument(*parts)
        counted_document.collection = self.collection
        return counted_document

    def _fields(self, number: int) -> dict[str, str]:
        pairs = zip(self._labels[number], self._cells[number], strict=True)
        return dict(sorted(pairs, key=lambda pair: self._places[pair[0]]))

    def batches(self) -> Iterator[Batch]:
        """Yield the documents in batches."""
        numbers = range(len(self.doc_ids))
        for first in numbers[::BATCH]:
            some = slice(first, first + BATCH)
            fields = [*map(self._fields, numbers[some])]
            yield Batch(self.doc_ids[some], [*map(bordered, self.texts[some])], self.titles[some], fields)


NEED = ("description", "narrative", "guideline")
"""Parts of a topic that say what is relevant."""

_NEED_IDS = ("need", "need_id")  # fields of a query that name the need of which it is a text
_NUMBERED = r"(.+)[-_.:]\d+"  # the id of a text: that of its need, and a number


class Queries(ItemsById[Query]):
    """Queries as columns: indexing and iterating give `Query` records.

    >>> queries = Queries([Query("1", "train cat"), Query("2", "train dog")])
    >>> queries[1], queries["1"].text, queries.get("3")
    (Query(query_id='2', text='train dog'), 'train cat', None)
    """

    def __init__(self, queries: Iterable[Query], fields: Sequence[Mapping[str, str]] = ()) -> None:
        self._numbers = {}
        self.query_ids: list[str] = []
        self.texts: list[str] = []
        read: list[Mapping[str, str]] = []
        self.unmatched: frozenset[str] = frozenset()  # those that a recipe declares to match no document
        for number, query in enumerate(queries):
            query_id, text = query
            if isinstance(query, UnmatchedQuery):
                self.unmatched |= {query_id}
            if self._numbers.setdefault(query_id, number) != number:
                raise self._twice("query_id", query_id, "queries", number)
            if isinstance(query, QueryWithFields):
                read.append(query.fields)
            self.query_ids.append(query_id)
            self.texts.append(text)
        self.fields = read if len(read) == len(self.query_ids) else fields

    @cached_property
    def needs(self) -> dict[str, str]:
        """Query → the need that its field ``need`` or ``need_id`` names, for those that have one.

        >>> Queries([Query("1a", "train cat"), Query("1b", "teach cat")], [{"need": "1"}, {"need": "1"}]).needs
        {'1a': '1', '1b': '1'}
        """
        fields = dict.fromkeys(chain.from_iterable(self.fields))
        names = [name for name in fields if files.plain_label(name) in _NEED_IDS]
        pairs = zip(self.query_ids, self.fields, strict=False) if names else ()
        needs = {query_id: str(of_query.get(names[0]) or "").strip() for query_id, of_query in pairs}
        ids = {*needs.values()} - {""}
        return {query_id: need or query_id for query_id, need in needs.items() if need or query_id in ids}

    def with_texts(self, queries: Iterable[Query]) -> Queries:
        """Return other texts of some of these queries, with the fields of each."""
        queries = [*queries]
        places = [self._numbers[query.query_id] for query in queries] if self.fields else []
        return Queries(queries, [self.fields[place] for place in places])

    def need(self, query_id: str) -> dict[str, str]:
        """Return a topic's description, narrative and guideline, as far as it has them."""
        number = self._numbers.get(query_id)
        if number is None or not self.fields:
            return {}
        parts = {name.lower(): text for name, text in self.fields[number].items() if isinstance(text, str)}
        return {name: parts[name] for name in NEED if parts.get(name, self.texts[number]) != self.texts[number]}

    def _refuse(self, item_id: str) -> None:
        expect_name("query", item_id, self._numbers, "queries")

    def _item(self, number: int) -> Query:
        kind = UnmatchedQuery if self.query_ids[number] in self.unmatched else Query
        return kind(self.query_ids[number], self.texts[number])


class ReadFiles(NamedTuple):
    """Settings with which the files of a collection were read, for writing them again."""

    title: str  # the field of a document with its title
    text: str  # the field with its main text
    searched: tuple[str, ...]  # the fields whose texts, joined, are the text of a document
    query_fields: tuple[str, ...] = ()  # the fields whose texts, joined, are the text of a query
    splits: tuple[str, ...] = ()  # the names of all sets of judgments
    # the set of judgments with a name, as gains like those of the collection
    qrels_of: Callable[[str], Qrels] = lambda split: NO_JUDGMENTS
    licence: str = ""  # of the files
    origin: str = ""  # of the files
    size: int = 0  # the bytes of the document files; 0 if there are no files
    # reads the documents in batches without checking for repeated ids; in UTF-8 if asked, and if the files are large
    batches: Callable[..., Iterator[Batch]] | None = None
    line_files: Callable[[], tuple[Path, ...]] = tuple  # the document files, if each of their lines is a document
    seen_fields: dict[str, None] | None = None  # of a share of a collection, as its documents are read
    counts: bool = False  # whether the documents are word counts instead of texts
    name: str = ""  # the field shown where the title is empty


class Collection(Rows):
    """Documents, queries and judgments under one name, with their description.

    Parameters
    ----------
    name : str
        A short name, shown in all output.
    documents : list of Document, texts or dicts, data frame, dict, collection; or a function
        The documents in memory, of any kind that `Index.build` takes; or a function without parameters that returns
        them, which is called each time they are read, so that `stream` need not keep them.
    queries : dict of query_id to text, data frame, or list of Query, pairs or dicts
        All queries, judged or not.
    qrels : Qrels, or what `evaluate` takes as judgments, optional
        The judgments, with gains as grades: larger is better. Default none.
    title, description : str
        For people.
    language, tokens : str, optional
        The default language and tokenizer of the analysis. By default those of a collection that gives the documents,
        else "none", which is not a language, and "word2".
    stop : str
        The name of the default list of stop words; "" for that of the language.
    grades : str
        The full text of the grade mapping that made the gains, such as ``graded:minus1=nonrelevant``.
    threshold : float
        The lowest grade that counts as relevant. Default 1.
    split : str
        The name of the set of judgments, if the collection has several.
    apart : bool
        Whether an index counts each searched field separately, as `bm25f` needs.
    complete : bool
        Whether every relevant document is judged, so that all others are not relevant.
    in_catalog : bool
        Whether `toysearch.load(name)` finds this collection by its name.
    published : Path, optional
        A published TREC run on this collection.
    folder : Path, optional
        The folder that holds its files.
    reading : ReadFiles, optional
        The settings with which its files were read, if it comes from files.

    Attributes
    ----------
    notes : list of str
        Observations from reading that are not errors; each was also issued as a warning.
    read_from : tuple of str and dict, or None
        Where other processes can read its documents: the source and the other arguments of `toysearch.load`, or the
        folder of an index that stores them. None for a collection made in Python.
    searched_fields : tuple of str
        The fields whose texts, joined, are searched.
    catalog_name : str
        The name by which the catalog finds it; "" for any other.
    without_relevant : frozenset of str
        The queries without a relevant document at the usual threshold, if its description names them.
    vouched : bool
        Whether queries and judgments are those that the catalog describes, by their checksums.
    unasked : int
        The number of judged queries, or needs, that are left out.
    known_items : str
        What the queries were made of, title, sentence or words, if `known_items` made them; "" for others.

    Raises
    ------
    DataError
        If two documents or two queries have one id, or there is no document.

    Examples
    --------
    >>> documents = [Document("1", "How to train a cat"), Document("2", "How to train a dog")]
    >>> qrels = Qrels.from_dict({"1": {"1": 1, "2": 0.5}})
    >>> pets = Collection("pets", documents, [Query("1", "train cat")], qrels, threshold=0.5)
    >>> pets
    <Collection pets: 2 documents, 1 query, 2 judgments>
    >>> pets["2"].text, "3" in pets, [document.doc_id for document in pets.documents]
    ('How to train a dog', False, ['1', '2'])
    """

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Tabulate the queries, with the numbers of their judgments."""
        columns = [
            result_tables.Column("query_id"),
            result_tables.Column("text"),
            *number_columns(",", "judgments"),
        ]
        rows = ((query_id, text, len(self.qrels[query_id])) for query_id, text in self.queries)
        return [ResultTable(columns, rows, n=len(self.queries))]

    def __init__(
        self,
        name: str,
        documents: Source | Callable[[], Source],
        queries: QueriesInMemory = (),
        qrels: files.QrelsLike | None = None,
        *,
        title: str = "",
        description: str = "",
        language: str | None = None,
        tokens: str | None = None,
        stop: str = "",
        grades: str = AS_GIVEN,
        threshold: float = UNSTATED,
        split: str = "",
        apart: bool = False,
        complete: bool = False,
        in_catalog: bool = False,
        published: Path | None = None,
        folder: Path | None = None,
        reading: ReadFiles | None = None,
    ) -> None:
        self.name = name
        self.queries = queries if isinstance(queries, Queries) else Queries(files.queries_in_memory(queries))
        self.qrels = NO_JUDGMENTS if qrels is None else _judgments(qrels)
        if complete:
            self.qrels = copy(self.qrels)
            self.qrels.complete = True
        self.title = title or name
        self.description = description
        self.language, self.tokens, self.stop = language or "none", tokens or "word2", stop
        self.grades = grades
        expect_finite(threshold, "the threshold")
        self.threshold = threshold
        self.split = split
        self.apart = apart
        self.in_catalog = in_catalog
        self.catalog_name = name if in_catalog else ""
        self.published = published
        self.folder = folder
        self.reading = reading
        self.notes: list[str] = []
        self.vouched, self.unasked, self.known_items = False, 0, ""
        self.without_relevant: frozenset[str] = frozenset()
        self.read_from: tuple[str, dict[str, Any]] | None = None
        self._documents: Documents | None = None
        self._started: int | None = None
        self._read: Any = documents  # of files
        if reading is None or not callable(documents):
            self._take(documents, language, tokens)
        self.searched_fields = self.reading.searched if self.reading else ("title", "text")
        if self.qrels is not NO_JUDGMENTS:
            self._judge_texts()
            self._check_queries()

    def _take(self, documents: Any, language: str | None, tokens: str | None) -> None:
        """Take documents in memory, or their source; of a collection its settings too, unless others are given."""
        if callable(documents):
            self._read = lambda: _stream(documents())
            return
        source = documents_in_memory(documents)
        if not isinstance(source, Collection):
            self._read = lambda: _stream(source)
            self._documents = Documents(self.stream())
            self._read = self._started = None  # nothing is left to read
            return
        self._documents, self._read = source._documents, source.stream
        self.reading, self.read_from = self.reading or source.reading, source.read_from
        self.language, self.tokens = language or source.language, tokens or source.tokens
        self.stop = self.stop or source.stop
        self.apart = self.apart or source.apart

    @property
    def complete(self) -> bool:
        """True if every relevant document is judged, so that all others are not relevant."""
        return self.qrels.complete

    @property
    def analysis(self) -> dict[str, Any]:
        """Settings of its usual analysis, as arguments of `Analyzer.for_language`."""
        stop = {"stop": self.stop} if self.stop else {}
        return {"language": self.language, "tokens": self.tokens, **stop}

    @property
    def word_counts(self) -> bool:
        """True if the documents are word counts instead of texts: each is its words, in an order without meaning."""
        return self.reading is not None and self.reading.counts

    def separate_fields(self, needed: bool = False) -> tuple[str, ...]:
        """Return the fields to count separately: all searched ones if it declares so, or if a model needs it."""
        return self.searched_fields if needed or self.apart else ()

    @property
    def documents(self) -> Documents:
        """All documents, read at first use and then kept in memory."""
        if self._documents is None:
            self._documents = Documents(self.stream(), self.catalog_name)
        return self._documents

    def __getitem__(self, doc_id: str) -> Document:
        """Return the document with an id; all documents are read at first use."""
        if not isinstance(doc_id, str):
            raise ArgumentError(
                f"collection[…] takes a doc_id, not {doc_id!r}; collection.documents lists all, by number too"
            )
        return self.documents[doc_id]

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self.documents.get(doc_id) is not None

    @property
    def position(self) -> tuple[int, int] | None:
        """Bytes of the document files read by `stream`, and the total; None if it reads no files."""
        if self._started is None or self.reading is None or not self.reading.size:
            return None
        return min(files.bytes_read() - self._started, self.reading.size), self.reading.size

    def stream(self) -> Iterator[Document]:
        """Yield the documents one by one, without keeping them (from memory if they are already there).

        Raises
        ------
        DataError
            If the files are malformed or hold no document.
        """
        if self._documents is not None:
            yield from self._documents
        elif self._read is not None:
            yield from self._watched(self._read(), lambda document: [document.doc_id])

    def batches(self) -> Iterator[Batch]:
        """Yield the documents of `stream` in batches, which is faster.

        A repeated id in the files is not noticed here; the index, which sorts the ids, notices it.

        Raises
        ------
        DataError
            As in `stream`, except for a repeated id.
        """
        if self._documents is not None:
            yield from self._documents.batches()
        elif self.reading and self.reading.batches:
            yield from self._watched(self.reading.batches(), lambda batch: batch.doc_ids)
        else:
            yield from batches(self.stream())

    def _watched(self, items: Iterable[T], ids_of: Callable[[T], Sequence[str]]) -> Iterator[T]:
        """Yield what is read; refuse nothing at all, and tell of judged documents that are missing."""
        self._started = files.bytes_read()
        unseen, empty = set(self.qrels.doc_ids), True
        for item in items:
            empty = False
            if unseen:
                unseen.difference_update(ids_of(item))
            yield item
        if empty:
            raise DataError(f"collection '{self.name}' has no documents; an index needs at least one")
        if unseen:
            judged = counted(len(unseen), "judged document")
            self.tell(
                agreeing(
                    len(unseen),
                    f"{judged} [is|are] not in collection '{self.name}' (the first: '{min(unseen)}'); "
                    "if relevant, [it|they] [counts|count] as not found",
                )
            )

    def _judge_texts(self) -> None:
        """Judge each text of a need as the need is judged; without a field that names it, ids as 1-1 and 1-2 do."""
        needs = self.queries.needs if len(self.qrels) else {}
        if not needs and len(self.qrels) and not any(query_id in self.qrels for query_id in self.queries.query_ids):
            matches = ((query_id, re.fullmatch(_NUMBERED, query_id)) for query_id in self.queries.query_ids)
            judged = {*map(without_zeros, self.qrels.query_ids)}
            needs = {query_id: match[1] for query_id, match in matches if match and without_zeros(match[1]) in judged}
            for text, need in islice(needs.items(), 1):
                self.tell(
                    f"{counted(len(needs), 'query', 'queries')} judged as texts of "
                    f"{counted(len({*needs.values()}), 'need')}, such as '{text}' as '{need}'; a field need of the "
                    "queries can say otherwise"
                )
        if needs:
            before, self.qrels = self.qrels, self.qrels.for_texts(needs)
            both = [text for text, need in needs.items() if text != need and text in before and need in before]
            own = [text for text in both if text not in before.needs and self.qrels[text] != before[needs[text]]]
            if own:
                self.tell(
                    f"{counted(len(own), 'text')} of a judged need {agreeing(len(own), '[has|have]')} judgments of "
                    f"{agreeing(len(own), '[its|their]')} own, such as '{own[0]}' of need '{needs[own[0]]}', and "
                    f"{agreeing(len(own), '[keeps|keep]')} them; if they are of another query, give the text another id"
                )

    def _check_queries(self) -> None:
        missing = [query_id for query_id in self.qrels.query_ids if self.queries.get(query_id) is None]
        if missing:
            queries = counted(len(missing), "judged query", "judged queries")
            kept = "kept: nothing is found for them"
            if count_from_0(self.qrels.query_ids, self.queries.query_ids):
                kept = "they count the queries from 0, whose file is numbered from 1: write their numbers into the file"
            self.tell(
                f"{queries} of collection '{self.name}' {agreeing(len(missing), '[has|have]')} no text, such as "
                f"'{missing[0]}'; {kept}"
            )

    def with_topics(
        self, queries: Queries | None = None, qrels: Qrels | None = None, threshold: float | None = None
    ) -> Collection:
        """Return the same documents with other queries, other judgments, or both.

        Parameters
        ----------
        queries : Queries, optional
            The queries; by default those of the collection.
        qrels : Qrels, optional
            The judgments; by default those of the collection.
        threshold : float, optional
            The lowest grade that is relevant in these judgments. Default 1.
        """
        other = copy(self)
        other.notes, other.vouched, other.unasked, other.known_items = [], False, 0, ""
        if queries is not None:
            expect(Queries, queries=queries)
            other.queries = queries
        if qrels is not None:
            expect(Qrels, qrels=qrels)
            other.qrels, other.threshold = qrels, UNSTATED if threshold is None else threshold
            other.grades, other.split, other.published = AS_GIVEN, "", None
            other.without_relevant = frozenset()
        other._judge_texts()
        if qrels is not None and other.judged_queries:
            other._check_queries()
        return other

    def with_documents(self, documents: Sequence[Document], searched_fields: Sequence[str]) -> Collection:
        """Return the collection with other texts of its documents, which are those of some fields."""
        expect_list(Document, documents=documents)
        expect_list(str, searched_fields=searched_fields)
        other = copy(self)
        other._documents, other._read, other.searched_fields = Documents(documents), None, tuple(searched_fields)
        return other

    @property
    def judged_queries(self) -> list[Query]:
        """Queries that have judgments, in the order of the queries."""
        return [query for query in self.queries if query.query_id in self.qrels]

    def query(self, query_id: str) -> Query:
        """Return the query with an id.

        Parameters
        ----------
        query_id : str
            The id.

        Raises
        ------
        ArgumentError
            If there is none.
        """
        expect(str, query_id=query_id)
        query = self.queries.get(query_id)
        if query is not None:
            return query
        if not len(self.queries):
            raise ArgumentError(f"collection '{self.name}' has no queries, so it has no query '{query_id}'")
        raise ArgumentError(
            f"collection '{self.name}' has no query '{query_id}'; its {counted(len(self.queries), 'query', 'queries')} "
            f"run from '{self.queries.query_ids[0]}' to '{self.queries.query_ids[-1]}'"
        )

    def published_run(self) -> Run:
        """Read the run that comes with the collection.

        Raises
        ------
        ArgumentError
            If none does.
        """
        if self.published is None:
            raise ArgumentError(f"collection '{self.name}' comes without a published run")
        return files.read_trec_run(self.published)

    def tell(self, message: str) -> None:
        """Give the user a note, once, and keep it in `notes`.

        Parameters
        ----------
        message : str
            A sentence.
        """
        expect(str, message=message)
        if message not in self.notes:
            self.notes.append(message)
            note(message)

    def __repr__(self) -> str:
        in_memory = self._documents is not None
        documents = counted(len(self.documents), "document") if in_memory else "documents not read yet"
        queries = counted(len(self.queries), "query", "queries")
        return f"<Collection {self.name}: {documents}, {queries}, {counted(len(self.qrels), 'judgment')}>"


Source: TypeAlias = (
    Collection
    | Iterable[Document | tuple[str, str] | str | Mapping[str, Any]]
    | Mapping[str, Any]
    | Frame
    | str
    | os.PathLike[str]
)
"""Source of documents."""
QueriesInMemory: TypeAlias = Mapping[str, Any] | Frame | Iterable[Query | tuple[str, str] | Mapping[str, Any]]
"""Queries in memory, each with its id."""


def _judgments(source: files.QrelsLike) -> Qrels:
    return source if isinstance(source, Qrels) else files.judgments_in(source).qrels


def documents_in_memory(source: Any, first: int = 1) -> Any:
    """Return a collection, for a data frame too; texts, records and dicts unchanged; refuse all else.

    first : the number of the first row of a data frame without ids
    """
    source = files.framed(source)
    if isinstance(source, Collection | list | Mapping):
        return source
    if files.is_frame(source):
        return _searching(*documents_of_frame(source, first=first))
    expect_documents(source)
    return source


def reading_of(source: Source) -> dict[str, Any]:
    """Return the arguments of `toysearch.load` with which the documents of a source are read, for a saved index."""
    arguments = source.read_from[1] if isinstance(source, Collection) and source.read_from else {}
    return {
        name: dict(value) if isinstance(value, Mapping) else value if isinstance(value, str) else list(value)
        for name, value in arguments.items()
        if name in _OF_DOCUMENTS
    }


def collection_in_memory(source: Source, reading: Reading) -> Collection:
    """Make a collection of a source in memory, unless it is one; refuse settings without a meaning for it."""
    documents: Any = files.framed(source)
    documents = documents if files.is_frame(documents) else documents_in_memory(documents)
    for name in reading.chosen():
        is_meant = name == "fields" or (name == "columns" and not isinstance(documents, Mapping))
        if not is_meant or isinstance(documents, Collection):
            raise ArgumentError(f"{name} cannot be chosen for {a(source)}; leave it out")
    columns, fields = files.parsed_columns(reading.columns), reading.searched
    if files.is_frame(documents):
        return _searching(*documents_of_frame(documents, columns, fields))
    if isinstance(documents, Collection):
        return documents
    if fields:
        return _searching(*documents_of_records(documents, columns, fields))
    return Collection(NAME, documents_in(batches_in_memory(documents, 1, columns)))


def _searching(documents: Sequence[Document], searched: tuple[str, ...]) -> Collection:
    return Collection(NAME, Documents(documents), reading=ReadFiles("title", "text", searched))


def _stream(source: Any) -> Iterator[Document]:
    documents = documents_in_memory(source)
    return documents.stream() if isinstance(documents, Collection) else documents_in(batches_in_memory(documents))
