"""The index: term → postings, document lengths, statistics. It knows no ranking model and never changes.

Start with `Index`: the postings of term t are the rows ``offsets[t]:offsets[t + 1]``. `Index.build` makes one,
`Index.open` and `Index.save` read and write its folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial, wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.analysis.tokenizer import refuse_endless
from toysearch.base import (
    ArgumentError,
    Column,
    Remedy,
    ResultTable,
    Rows,
    StorageError,
    counted,
    expect,
    note,
    number_columns,
)
from toysearch.index.file_layout import Arrays, is_sharded
from toysearch.index.posting_blocks import DocumentFrequencies, PostingBlocks
from toysearch.index.postings import (
    CollectionStats,
    FieldCounts,
    Postings,
    TermCount,
    TermPositions,
    TermPostings,
    numbers_in,
)
from toysearch.index.strings import Positions, SearchedTexts, Strings, order_of, strings_of

if TYPE_CHECKING:
    from pathlib import Path

    from toysearch.collection.collection import Collection, Source
    from toysearch.index.document_vectors import DocumentTerms
    from toysearch.index.latent_topics import LatentTopics
    from toysearch.index.stored_values import FieldValues

__all__ = ["Index"]

Arguments = ParamSpec("Arguments")
Memo = TypeVar("Memo")


_FOR_SEARCHERS = {
    *("arrays", "blocks", "df_by_term", "doc_ids_order", "document_numbers", "documents"),
    *("field_tf", "find_document"),
    *("folder", "held_terms"),
    *("latent_topics", "memo", "n_documents", "numbers_at", "offsets", "own_terms", "path", "position_blocks"),
    *("posting_counts", "reading", "shards", "term_numbers", "with_arrays"),
}


def _column(name: str, dtype: type[np.generic], described: str) -> cached_property[np.ndarray]:
    """Widen an array for calculation at first use; files hold the narrowest type."""
    column = cached_property(lambda index: np.asarray(index.arrays[name], dtype))
    column.__doc__ = described
    return column


class Index(Rows):
    """Inverted index, made with `Index.build` or `Index.open`; it never changes.

    Documents are numbered from 0 in the order of the collection, terms from 0 in the order of their UTF-8 bytes.
    The postings of term t are the rows ``offsets[t]:offsets[t + 1]``.

    Parameters
    ----------
    analyzer : Analyzer
        The analyzer of its documents and of queries.
    arrays : mapping of name to ndarray
        The arrays that docs/look-up/index-format.md names.
    collection : str
        The name in the catalog of the collection that it was built from; "" for any other source.
    word_counts : bool
        Whether its documents are word counts instead of texts. Default False.

    Attributes
    ----------
    doc_ids, terms : Strings
        By document number; by term number.
    doc_ids_order : ndarray of int32, shape (N,)
        The document numbers in the order of the UTF-8 bytes of their doc_ids.
    term_numbers : mapping of str to int
        By term; -1 for an unknown term.
    titles, texts : Strings or None
        By document number; None in an index without stored text.
    fields : FieldCounts
        The counts of each separate field.
    values : dict of str to ndarray of float64, shape (N,)
        Numbers of the documents, such as a year; NaN if a document has none.

    Examples
    --------
    >>> index = Index.build(["the cat sat", "a cat and another cat"])
    >>> index.postings("cat").docs.tolist(), index.postings("cat").tf.tolist()
    ([0, 1], [1, 2])
    >>> index["cat"], index.vector("2")
    ({'1': 1, '2': 2}, {'and': 1, 'another': 1, 'cat': 2})
    >>> index.stats.N, index.stats.avgdl
    (2, 3.5)
    """

    shards: Sequence[Index] = ()  # of an index that consists of several

    def tables(self, form: str = "table") -> list[ResultTable]:
        """List the terms, most frequent first."""
        columns, n = [Column("term"), *number_columns(",", "df", "cf")], self.stats.n_terms
        return [ResultTable(columns, iter(self.frequent_terms(n)), n=n)]

    source: Collection | None = None  # the collection that it was built from in this process
    reading: Mapping[str, Any] = MappingProxyType({})  # the arguments of `load` with which its documents were read

    def __init__(self, analyzer: Analyzer, arrays: Arrays, collection: str = "", word_counts: bool = False) -> None:
        expect(Analyzer, analyzer=analyzer)
        self.analyzer = analyzer
        self.collection, self.word_counts = collection, word_counts
        self.arrays = arrays
        self.doc_ids = strings_of(arrays, "doc_ids")
        self.terms = strings_of(arrays, "terms")
        self.fields = FieldCounts(arrays, int(arrays["offsets"][-1]))
        self.term_numbers = Positions(self.terms)
        self.n_documents = int(arrays["dl"].size)  # its own: those of a shard are fewer than stats.N
        self._topics: dict[int, LatentTopics] = {}  # computed since the index was made
        self.memo: dict[Any, Any] = {}  # results that searches compute once for this index, whatever the model
        self.path = ""  # of the folder that it was opened from

    @classmethod
    def build(
        cls,
        source: Source,
        analyzer: AnalyzerLike | None = None,
        *,
        store_text: bool = True,
        fields: Sequence[str] | None = None,
        values: Sequence[str] | None = None,
        positions: bool = False,
        lsa: int | None = None,
        folder: str | Path | None = None,
        threads: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Index:
        """Build an index of documents, in memory or in a folder.

        Parameters
        ----------
        source : list of str, Document or dict, data frame, dict of doc_id to text, Collection, its name or its path
            The documents; texts alone get the ids "1", "2", and so on. The rows of a data frame of pandas or polars and
            the keys of dicts are read as those of a file with the same columns: ``doc_id``, ``title``, ``text``
            (docs/look-up/formats.md).
        analyzer : Analyzer, str or function, optional
            Default: that of the language that a collection names; plain for all other documents.
        store_text : bool
            Whether titles and texts are kept (snippets need them), unless the documents are word counts. Default True.
        fields : sequence of str
            Searched fields that are also counted separately, for `bm25f`; of what is no collection, no other text is
            searched. Default: those that a collection asks for.
        values : sequence of str
            Fields whose values are kept for filters (``+brand:dyson``, ``price:<50``), facets, sorting and priors:
            words, numbers, dates, or lists of them. Default: those that `toysearch index` keeps of a collection of at
            most 6 MB, which are all numbers and dates, and words with few values.
        positions : bool
            Whether the positions of terms in documents are kept (see `Index.positions`). Default False.
        lsa : int, optional
            The number of latent topics to keep, for the model ``lsa``; by default none are.
        folder : str or Path, optional
            The folder to save to: titles and texts are written there while they are read, never kept in memory, and
            the result is the index opened from there. Default: in memory only.
        threads : int, optional
            The number of threads that may scan long text. Default: one per core. The result does not depend on it.
        progress : callable, optional
            Called now and then with the number of documents done.

        Raises
        ------
        DataError
            If there is no document, a doc_id is repeated, or an id or a text is not a str.
        ArgumentError
            If `source` is of another kind, `threads` is less than 1, an analyzer with n-grams is to give positions,
            no document has a field of `values`, or word counts are given where texts are needed.
        StorageError
            If the folder holds something else, or cannot be written.
        """
        from toysearch.collection.collection import Collection, reading_of  # most indexes are opened
        from toysearch.index.builder import build_parts
        from toysearch.index.document_columns import in_memory

        if not isinstance(source, Collection):
            from toysearch.collection.document_sources import documents_given

            source = documents_given(source, fields=fields)
            if fields and isinstance(source, Collection):
                fields = source.searched_fields
        analyzer = None if analyzer is None else Analyzer.of(analyzer)
        parts = partial(
            build_parts,
            source,
            analyzer,
            fields=fields,
            values=values,
            positions=positions,
            topics=lsa,
            threads=threads,
            progress=progress,
        )
        if folder is None:
            index = cls(*parts(store=in_memory if store_text else None, spooled=None))
            index.reading = reading_of(source)
        else:
            from toysearch.index.saving import spooling  # most indexes are in memory, or opened

            if analyzer is not None:  # before the work
                refuse_endless(analyzer.to_dict()["tokens"])
            with spooling(folder) as spool:
                store = spool.store if store_text else None
                analyzer, arrays, name, word_counts = parts(store=store, spooled=spool.blocks)
                spool.save(_description(analyzer, name, word_counts, reading_of(source)), arrays)
            index = cls.open(folder)
        index.source = source if isinstance(source, Collection) else None
        return index

    @classmethod
    def open(cls, path: str | Path) -> Index:
        """Open the index saved in a folder, mapped into memory: opening reads very little.

        It stays usable and unchanged when another index is saved to the folder.

        Parameters
        ----------
        path : str or Path
            Where an index was saved.

        Raises
        ------
        StorageError
            If the folder holds no index, or one that is damaged or of a newer format.
        """
        if "://" in str(path):
            from toysearch.files.source import refuse_address  # a path has none

            refuse_address(path)
        path = os.fspath(path) or "."
        if is_sharded(path):
            from toysearch.rings import ring  # most indexes are whole

            opened: Index = ring("shards").ShardedIndex.open(path)
            return opened
        from toysearch.index.opened_files import analyzer_of, load, without_words, wrong_content

        description, arrays = load(path)
        analyzer = analyzer_of(description, path)
        try:
            index = cls(analyzer, arrays, description["collection"], "word_counts" in description)
        except ValueError:  # from the names read here
            raise StorageError(wrong_content(path, "its names are not UTF-8")) from None
        if problem := without_words(analyzer, arrays):
            raise StorageError(wrong_content(path, problem))
        index.path, index.reading = path, description.get("reading") or index.reading
        return index

    def __reduce__(self) -> tuple[Callable[[str], Index], tuple[str]]:
        """Send an index to another process as the folder that it was opened from."""
        if self.folder is None:
            raise ArgumentError(
                "another process opens an index from its folder, and this one is only in memory: index.save('my.idx'), "
                "then Index.open('my.idx')"
            )
        return Index.open, (str(self.folder.resolve()),)

    def __copy__(self) -> Index:
        """Return the index itself, which never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Index:
        """Return the index itself, which never changes."""
        return self

    def damage(self) -> str:
        """Read all files of an opened index, and return the problem with them, else ""."""
        from toysearch.index.content_checks import damage_of  # most indexes are sound

        return damage_of(self.folder) if self.folder else ""

    def save(self, path: str | Path, *, checked: bool = False) -> None:
        """Save the index as a folder, replacing any index in it.

        Parameters
        ----------
        path : str or Path
            A folder that does not exist, is empty, or holds an index.
        checked : bool
            Whether the folder is already locked and its index checked, as in `change_index`. Default False.

        Raises
        ------
        StorageError
            If the folder holds something else, or cannot be written; an existing index is unchanged.
        """
        from toysearch.index.saving import save  # most indexes are opened

        save(path, self._description, self.arrays, checked=checked)

    def add(self, source: Source, *, replace: bool = False, progress: Callable[[int], object] | None = None) -> Index:
        """Return an index of these documents followed by those of a source, equal to one built from all of them.

        The new documents are analysed and stored like the old ones. An index of a named collection keeps its queries
        and judgments, which do not cover the added documents.

        Parameters
        ----------
        source : list of str, Document or dict, data frame, dict of doc_id to text, Collection, its name or its path
            The documents to add, as in `build`; texts alone are numbered on from the last document.
        replace : bool
            Whether an old document with the doc_id of a new one is deleted. Default False: the new one is refused.
        progress : callable, optional
            Called now and then with the number of documents done.

        Raises
        ------
        DataError
            If there is no document, a doc_id is repeated or in the index, or an id or a text is not a str.
        ArgumentError
            If `source` is of another kind.

        Examples
        --------
        >>> index = Index.build({"d1": "a cat"}).add({"d2": "a dog"}).add({"d1": "a parrot"}, replace=True)
        >>> list(index.doc_ids), list(index.terms)
        (['d2', 'd1'], ['dog', 'parrot'])
        """
        from toysearch.index import merge

        return self.with_arrays(merge.arrays_to_add(self, source, progress), replace)

    def with_arrays(self, new: Arrays, replace: bool) -> Index:
        """Return an index of these documents followed by those of other arrays, which are of the same kind."""
        from toysearch.index import merge

        old = self.arrays
        if replace and (numbers := merge.shared(old, new)).size:
            old = merge.without(old, numbers)
        return changed(self, merge.merged(old, new))

    def delete(self, doc_ids: Iterable[str]) -> Index:
        """Return an index of the other documents, equal to one built from them alone.

        Of a named collection, it keeps queries and judgments: deleted relevant documents count as not found.

        Parameters
        ----------
        doc_ids : iterable of str
            The documents to delete; a repeated id counts once.

        Raises
        ------
        ArgumentError
            If the index lacks one of them, or no document would be left.

        Examples
        --------
        >>> index = Index.build({"d1": "a cat", "d2": "a dog"}).delete(["d1"])
        >>> list(index.doc_ids), list(index.terms)
        (['d2'], ['dog'])
        """
        from toysearch.index import merge

        return changed(
            self, merge.without(self.arrays, merge.named_documents(self.doc_ids, self.doc_ids_order, doc_ids))
        )

    def topics(self, dimensions: int) -> LatentTopics:
        """Return the latent topics of the documents: stored, or computed and kept while the index is open.

        Parameters
        ----------
        dimensions : int
            The number of topics; there are fewer if the documents do not have so many.

        Raises
        ------
        ArgumentError
            If it is out of range, or an index opened from a folder stores another number of topics or none.

        Examples
        --------
        >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"], lsa=2)
        >>> index.topics(2).documents.shape
        (3, 2)
        """
        from toysearch.index.latent_topics import check_size, computed_topics  # most searches need none

        expect(int, dimensions=dimensions)
        check_size(dimensions)
        stored = self.latent_topics
        if stored is not None and stored.dimensions == dimensions:
            return stored
        if self.folder is not None:
            has = f"stores lsa:{stored.dimensions}; take that," if stored else "stores no latent topics;"
            raise ArgumentError(
                f"the index in {self.folder} {has} build it with "
                f"{Remedy('Index.build', lsa=dimensions)}, or name the collection instead of the index"
            )
        if dimensions not in self._topics:
            note(
                f"lsa:{dimensions}: the topics of {counted(self.stats.N, 'document')} are computed for this search; "
                f"{Remedy('Index.build', lsa=dimensions)} stores them"
            )
            self._topics[dimensions] = computed_topics(self.arrays, dimensions)
        return self._topics[dimensions]

    @property
    def checksum(self) -> str:
        """Checksum of the whole index: the one at the end of the manifest once it is saved."""
        from toysearch.index.file_entries import index_checksum  # a search writes no index

        return index_checksum(self._description, self.arrays)

    def own_terms(self, terms: np.ndarray) -> np.ndarray:
        """Return the numbers of terms among those of its postings; -1 for a term that no document here contains."""
        return terms

    def field_tokens(self, field: str) -> int:
        """Count the tokens of a separate field in all documents."""
        expect(str, field=field)
        return int(self.fields.dl(field).sum(dtype=np.int64))

    @property
    def _description(self) -> dict[str, object]:
        return _description(self.analyzer, self.collection, self.word_counts, self.reading)

    def __dir__(self) -> list[str]:
        """List the attributes that complete a name; the others are for searchers, shards and changes of the index."""
        return [name for name in super().__dir__() if name not in _FOR_SEARCHERS]

    def __len__(self) -> int:
        return len(self.doc_ids)

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and self.term_number(term) >= 0

    def __repr__(self) -> str:
        stats = self.stats
        return f"<Index of {stats.N} documents, {stats.n_terms} terms, {stats.n_postings} postings; {self.analyzer}>"

    @cached_property
    def folder(self) -> Path | None:
        """Folder that it was opened from."""
        from pathlib import Path  # a search needs none

        return Path(self.path) if self.path else None

    @cached_property
    def stats(self) -> CollectionStats:
        """Counts over the whole collection."""
        return CollectionStats.of(self.arrays["dl"], len(self.terms), int(self.arrays["offsets"][-1]))

    @cached_property
    def titles(self) -> Strings | None:
        """Titles by document number; None in an index without stored text."""
        return strings_of(self.arrays, "titles") if "titles" in self.arrays else None

    @cached_property
    def texts(self) -> Strings | None:
        """Searched texts by document number; None in an index without stored text."""
        return strings_of(self.arrays, "texts", SearchedTexts) if "texts" in self.arrays else None

    @cached_property
    def blocks(self) -> TermPostings:
        """All postings, in the layout that the index has."""
        if self.path:  # files hold blocks
            return PostingBlocks(self.arrays, self.arrays["offsets"])
        from toysearch.index.plain_postings import term_postings  # an index in memory may have them

        return term_postings(self.arrays)

    @cached_property
    def documents(self) -> DocumentTerms:
        """Finder of the terms of documents."""
        from toysearch.index.document_vectors import DocumentTerms  # a search by words needs none

        return DocumentTerms(self)

    @cached_property
    def position_blocks(self) -> TermPositions | None:
        """All positions, in the layout that the index has; None in an index without positions."""
        from toysearch.index.plain_postings import term_positions  # a search by words needs none

        return term_positions(self.arrays, self.blocks)

    dl = _column("dl", np.int32, "The tokens of each document; int32, shape (N,).")
    distinct = _column("distinct", np.int32, "The distinct terms of each document; int32, shape (N,).")
    max_tf = _column("max_tf", np.int32, "The tf of the most frequent term of each document, 0 in an empty one; int32.")
    bytes = _column("bytes", np.int64, "The length of the searched text of each document in UTF-8 bytes; int64.")
    offsets = _column("offsets", np.int64, "The first posting of each term, and the end of the last; int64.")
    doc_ids_order: cached_property[np.ndarray] = cached_property(lambda index: order_of(index.arrays))
    cf = _column("cf", np.int64, "The collection frequency of each term; int64, shape (n_terms,).")

    @cached_property
    def values(self) -> dict[str, FieldValues]:
        """The values of the fields that the index keeps, by name."""
        from toysearch.index.stored_values import values_of  # most searches name no field

        return values_of(self.arrays)

    @cached_property
    def latent_topics(self) -> LatentTopics | None:
        """Stored latent topics; None in an index without them."""
        from toysearch.index.latent_topics import stored_topics

        return stored_topics(self.arrays)

    @cached_property
    def df(self) -> np.ndarray:
        """Document frequency of each term; int64, shape (n_terms,)."""
        return np.diff(self.offsets)

    @cached_property
    def df_by_term(self) -> np.ndarray | DocumentFrequencies:
        """Document frequencies, to look up those of some terms: in an opened index, not all are computed."""
        return self.df if isinstance(self.arrays["offsets"], np.ndarray) else DocumentFrequencies(self.blocks.packed)

    @property
    def held_terms(self) -> np.ndarray:
        """Numbers of the terms that its documents contain, rising."""
        return np.arange(self.arrays["cf"].size)

    @cached_property
    def posting_counts(self) -> Any:
        """Number of postings of each term, to look up those of some; a shard has fewer than df."""
        return self.df_by_term

    def numbers_at(self, name: str, places: np.ndarray) -> np.ndarray:
        """Return the values of a column of terms or documents (cf, dl, …) at some places, widened alone; int64."""
        return numbers_in(self.__dict__.get(name, self.arrays[name]), places)

    def field_tf(self, field: str, terms: np.ndarray) -> np.ndarray:
        """Return the term frequencies of the postings of some terms, at least one, in a separate field."""
        spans = zip(*map(np.ndarray.tolist, self.blocks.spans(terms)), strict=True)
        return np.concatenate([self.fields.tf(field, start, stop) for start, stop in spans])

    def term_number(self, term: str) -> int:
        """Return the number of a term, -1 if it is unknown."""
        expect(str, term=term)
        return self.term_numbers[term]

    def term(self, number: int) -> str:
        """Return the term of a number."""
        expect(int, number=number)
        return self.terms[number]

    def postings(self, term: str) -> Postings:
        """Return the documents that contain a term, with its frequencies; empty for an unknown term.

        Parameters
        ----------
        term : str
            A term in the form of the analyzer: lower-cased, stemmed.
        """
        number = self.term_number(term)
        return self.blocks.of_terms(np.array([number] if number >= 0 else [], np.int64))

    def positions(self, term: str, doc_id: str) -> np.ndarray:
        """Return the positions of a term in a document, rising; int32, shape (tf,).

        A position counts the tokens before it in the searched text, also those that are left out, such as stop words.

        Parameters
        ----------
        term, doc_id : str
            A term in the form of the analyzer, and the id of a document.

        Examples
        --------
        >>> Index.build(["my dog, the cat and another cat"], positions=True).positions("cat", "1")
        array([3, 6], dtype=int32)
        """
        expect(str, term=term)
        if self.position_blocks is None:
            from toysearch.index.position_blocks import no_positions  # a search by words needs none

            raise no_positions(self.collection, self.word_counts)
        number, docs = self.term_number(term), np.array([self.doc_number(doc_id)])
        if number < 0 or not self.blocks.in_documents(number, docs).docs.size:
            return np.empty(0, np.int32)
        return self.position_blocks.of_term(number, docs)[1]

    def __getitem__(self, term: str) -> dict[str, int]:
        """Return the documents that contain a term, by doc_id, with its frequencies; empty for an unknown term."""
        if not isinstance(term, str):
            raise ArgumentError(f"index[…] takes a term, not {term!r}; the terms are index.terms")
        docs, tf = self.postings(term)
        return dict(zip(self.doc_ids.take(docs.tolist()), tf.tolist(), strict=True))

    def docs(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return the documents of the postings from start up to stop; int32, shape (stop - start,).

        Parameters
        ----------
        start, stop : int
            Postings, counted through all terms, 0 ≤ start ≤ stop ≤ n_postings. Default: all.
        """
        expect(int, start=start)
        return self.blocks.span(start, stop).docs

    def tf(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return the term frequencies of the postings from start up to stop; int64, shape (stop - start,).

        Parameters
        ----------
        start, stop : int
            As in `docs`.
        """
        expect(int, start=start)
        return self.blocks.span(start, stop).tf

    def frequent_terms(self, k: int | None = 10) -> list[TermCount]:
        """Return the terms with the highest collection frequencies, in descending order; ties are ordered by term.

        Parameters
        ----------
        k : int or None
            The maximum number of terms; None for all. Default 10.
        """
        if k is not None:
            expect(int, k=k)
        most = np.argsort(-self.cf, kind="stable")[:k].tolist()
        return [TermCount(self.term(number), int(self.df[number]), int(self.cf[number])) for number in most]

    def find_document(self, doc_id: str) -> int:
        """Return the number of a document, -1 if the index lacks it."""
        return self.doc_ids.find(doc_id, self.doc_ids_order)

    def document_numbers(self, doc_ids: Iterable[str]) -> np.ndarray:
        """Return the number of each document, int64; -1 for one that the index lacks."""
        from toysearch.index.strings import places  # a search looks up no documents

        wanted = Strings.of(doc_ids, "surrogatepass")
        before, found = places(self.doc_ids, self.doc_ids_order, wanted)
        numbers: np.ndarray = np.append(self.doc_ids_order, -1)[np.where(found, before, -1)]
        return numbers.astype(np.int64)

    def doc_number(self, doc_id: str) -> int:
        """Return the number of a document.

        Parameters
        ----------
        doc_id : str
            Its id.

        Raises
        ------
        ArgumentError
            If the index has no document with that id.
        """
        number = self.find_document(doc_id)
        if number < 0:
            if near := next((other for other in self.doc_ids if other.startswith(f"{doc_id}.")), None):
                raise ArgumentError(f"the index has no document '{doc_id}'; did you mean '{near}'?")
            has = f"{counted(len(self.doc_ids), 'document')}, the first is '{self.doc_ids[0]}'"
            raise ArgumentError(f"the index has no document '{doc_id}'; it has {has}")
        return number

    def vector(self, doc_id: str) -> dict[str, int]:
        """Return the terms of a document with their frequencies, by term number.

        This scans all postings (about a millisecond per million), since an index is organised by term.

        Parameters
        ----------
        doc_id : str
            The document's id.

        Raises
        ------
        ArgumentError
            If the index has no document with that id.
        """
        terms, tf = self.blocks.of_document(self.doc_number(doc_id))
        return dict(zip(self.terms.take(terms), tf.tolist(), strict=True))

    def title(self, document: int | str) -> str | None:
        """Return the title of a document by number or id ("" if it has none), None if the index keeps no texts."""
        return None if self.titles is None else self.titles[self._place(document)]

    def text(self, document: int | str) -> str | None:
        """Return the searched text of a document by number or id, None if the index keeps no texts."""
        return None if self.texts is None else self.texts[self._place(document)]

    def _place(self, document: int | str) -> int:
        if isinstance(document, str):
            return self.doc_number(document)
        expect(int, document=document)
        return document


def _description(
    analyzer: Analyzer, collection: str, word_counts: bool, reading: Mapping[str, Any]
) -> dict[str, object]:
    of_counts = {"word_counts": True} if word_counts else {}
    of_files = {"reading": {**reading}} if reading else {}
    return {"collection": collection, "analyzer": analyzer.to_dict(), **of_counts, **of_files}


def changed(index: Index, arrays: Arrays) -> Index:
    """Return an index of other documents with the same analyzer, queries and judgments."""
    tell_changed(index)
    new = Index(index.analyzer, arrays, index.collection, index.word_counts)
    new.reading = index.reading
    return new


def once_per_index(
    function: Callable[Concatenate[Index, Arguments], Memo],
) -> Callable[Concatenate[Index, Arguments], Memo]:
    """Decorate a function of an index so that a result is computed once for the index, and lives as long."""

    @wraps(function)
    def memoised(index: Index, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Memo:
        key = function, *args, *sorted(kwargs.items())
        if key not in index.memo:
            index.memo[key] = function(index, *args, **kwargs)
        result: Memo = index.memo[key]
        return result

    return memoised


def tell_changed(index: Index) -> None:
    """Note that an index keeps the queries and judgments of a collection whose documents it no longer has."""
    if index.collection:
        note(
            f"the documents of the index now differ from collection '{index.collection}', whose queries and judgments "
            "it keeps: added documents are unjudged, and deleted relevant documents count as not found"
        )
