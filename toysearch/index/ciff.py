"""CIFF, the Common Index File Format: an index for other search engines (Lucene, PISA, Terrier), and one from them.

A file holds length-prefixed protobuf messages: a Header, a PostingsList for each term, a DocRecord for each document
(Lin et al. 2020, arXiv:2003.08276). A posting gives the difference to the document before it, the first its document.
"""

from __future__ import annotations

import gzip
from array import array
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base.argument_checks import checked
from toysearch.base.errors import DataError, note
from toysearch.base.optional_packages import version_of
from toysearch.base.wide_counts import count_each, repeat_each
from toysearch.base.wording import counted
from toysearch.formats.text_files import DAMAGE, damaged, open_bytes
from toysearch.formats.writing import CIFF_MARK, replacing_bytes
from toysearch.index.ciff_messages import HIGHEST, MessageReader, messages, put_message
from toysearch.index.inverted_index import Index
from toysearch.index.posting_blocks import packed
from toysearch.index.postings import Counts, read_only
from toysearch.index.strings import GrowingStrings, Strings, byte_order, repeated

__all__ = ["read_ciff", "write_ciff"]

AS_THEY_ARE = Analyzer(lowercase=False, tokens="whitespace")
"""The analyzer of an index from CIFF unless one is given: the words of a query are its terms."""

_VERSION = 1
_TOGETHER = 1 << 17  # postings decoded at a time
_AT_ONCE = 1 << 22  # postings counted at a time
_TELL = 1 << 10  # terms between two reports of progress


# Writing


@checked
def write_ciff(index: Index, path: str | Path, *, progress: Callable[[int], object] | None = None) -> None:
    """Write the postings of an index, and the ids and lengths of its documents, as CIFF.

    Titles, texts, separate fields, positions, stored numbers and topics are left out, since CIFF has no place for them;
    the analyzer is named in the description.

    Parameters
    ----------
    index : Index
        The index.
    path : str or Path
        The file, replaced as a whole; gzipped if its name ends in .gz.
    progress : function of int, optional
        Called now and then with the number of terms written.

    Raises
    ------
    ArgumentError
        If the package protobuf is missing.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.ciff.gz")
    >>> write_ciff(Index.build({"d1": "a cat", "d2": "the cat and the dog"}), path)
    >>> read_ciff(path)["the"]
    {'d2': 2}
    """
    made = messages()
    with replacing_bytes(Path(path)) as raw:
        if Path(path).suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
                _write(index, cast("IO[bytes]", file), made, progress)
        else:
            _write(index, raw, made, progress)


def _write(index: Index, file: IO[bytes], made: Any, progress: Callable[[int], object] | None) -> None:
    """Write the messages of an index, made of these classes."""
    stats = index.stats
    header = made.Header(
        version=_VERSION,
        num_postings_lists=stats.n_terms,
        num_doc_records=stats.N,
        total_postings_lists=stats.n_terms,
        total_docs=stats.N,
        total_terms_in_collection=stats.T,
        average_doclength=stats.avgdl,
        description=f"{CIFF_MARK.decode()}{version_of('toysearch')}, analyzer {index.analyzer}",
    )
    put_message(file, header)
    for first, last in _ranges(index.offsets):
        docs, tf = index.blocks.of_terms(np.arange(first, last))
        starts = (index.offsets[first : last + 1] - index.offsets[first]).tolist()
        for number, (start, stop) in enumerate(pairwise(starts), first):
            put_message(file, _postings_list(made, index.terms[number], docs[start:stop], tf[start:stop]))
        if progress:
            progress(last)
    for number, (doc_id, length) in enumerate(zip(index.doc_ids, index.dl.tolist(), strict=True)):
        put_message(file, made.DocRecord(docid=number, collection_docid=doc_id, doclength=length))


def _ranges(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of terms, each of which has about as many postings as are decoded together."""
    first, n_terms = 0, offsets.size - 1
    while first < n_terms:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _TOGETHER, side="right")) - 1)
        yield first, last
        first = last


def _postings_list(made: Any, term: str, docs: np.ndarray, tf: np.ndarray) -> Any:
    """The message of a term."""
    postings_list = made.PostingsList(term=term, df=docs.size, cf=int(tf.sum()))
    add = postings_list.postings.add
    for gap, count in zip(np.diff(docs, prepend=0).tolist(), tf.tolist(), strict=True):
        add(docid=gap, tf=count)
    return postings_list


# Reading


@checked
def read_ciff(
    path: str | Path, analyzer: Analyzer | None = None, *, progress: Callable[[int], object] | None = None
) -> Index:
    """The index in a CIFF file.

    The length of a document is the number of its terms in the postings. Lucene writes rounded lengths: a note says how
    many documents have another length in the file.

    Parameters
    ----------
    path : str or Path
        The file, gzipped or not.
    analyzer : Analyzer, optional
        The analyzer of queries, which must make terms like those of the file. By default the words of a query are its
        terms, with no change.
    progress : function of int, optional
        Called now and then with the number of terms read.

    Raises
    ------
    ArgumentError
        If the package protobuf is missing.
    DataError
        If the file is damaged or contradicts itself, or holds only some of the terms or documents.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "pets.ciff")
    >>> write_ciff(Index.build({"d1": "a cat", "d2": "the cat"}), path)
    >>> index = read_ciff(path)
    >>> index["cat"], index.dl.tolist(), index.analyzer("The cat")
    ({'d1': 1, 'd2': 1}, [1, 2], ['The', 'cat'])
    """
    made = AS_THEY_ARE if analyzer is None else analyzer
    with open_bytes(path) as file:
        try:
            arrays = _CiffReader(MessageReader(path, file), progress).arrays()
        except DAMAGE as error:
            raise damaged(path, error) from None
    return Index(made, read_only(arrays))


class _CiffReader:
    """Reads a file from its beginning to its end."""

    def __init__(self, reader: MessageReader, progress: Callable[[int], object] | None) -> None:
        self._path, self._reader, self._progress = reader.path, reader, progress

    def arrays(self) -> dict[str, Any]:
        """The arrays of the index."""
        n_terms, N = self._header()
        terms, cf, ends = GrowingStrings(), array("q"), array("q", [0])
        docs, small, large = array("i"), array("B"), array("q")
        for number in range(1, n_terms + 1):
            read = self._reader.message("PostingsList", f"postings list {number:,} of {n_terms:,}")
            own, tf = self._postings(read, N)
            counts = Counts.of(tf)
            docs.frombytes(own.astype(np.int32).tobytes())
            small.frombytes(counts.small.tobytes())
            large.frombytes(counts.large.tobytes())
            terms.append(read.term.encode())
            cf.append(read.cf)
            ends.append(len(docs))
            if self._progress and (number == n_terms or not number % _TELL):
                self._progress(number)
        doc_ids, lengths = self._records(N)
        if self._reader.file.read(1):
            raise DataError(f"{self._path} goes on after the last of its {counted(N, 'document record')}")
        postings = _Postings(
            terms.finish(),
            np.frombuffer(cf, dtype=np.int64),
            np.frombuffer(ends, dtype=np.int64),
            np.frombuffer(docs, dtype=np.int32),
            Counts(np.frombuffer(small, dtype=np.uint8), np.frombuffer(large, dtype=np.int64)),
        )
        order = self._order(postings.terms, "postings lists {} and {} are both of the term '{}'")
        if (np.diff(order) < 0).any():
            postings = postings.at(order)
        doc_ids_order = self._order(doc_ids, "document records {} and {} both have the collection_docid '{}'")
        columns = self._columns(postings, lengths, doc_ids)
        return {
            **postings.terms.arrays("terms"),
            "offsets": postings.offsets,
            "cf": postings.cf,
            **columns,
            **packed(postings.docs, postings.tf, postings.offsets, columns["dl"]),
            **doc_ids.arrays("doc_ids"),
            "doc_ids_order": doc_ids_order.astype(np.int32),
            "bytes": np.zeros(N, dtype=np.int64),
        }

    def _header(self) -> tuple[int, int]:
        """The numbers of postings lists and of document records."""
        header = self._reader.message("Header", "header")
        if header.version != _VERSION:
            raise self._reader.wrong(f"the version is {header.version}; expected a CIFF file of version {_VERSION}")
        n_terms, N = header.num_postings_lists, header.num_doc_records
        if n_terms < 0 or N < 1:
            raise self._reader.wrong(f"it announces {n_terms} postings lists and {N} documents; expected a document")
        for what, held, total in (
            ("postings lists", n_terms, header.total_postings_lists),
            ("documents", N, header.total_docs),
        ):
            if total > held:
                raise self._reader.wrong(
                    f"the file holds {held:,} of {total:,} {what}, from which the lengths of the documents and the "
                    "statistics cannot be counted; export the whole index"
                )
        return n_terms, N

    def _postings(self, read: Any, N: int) -> tuple[np.ndarray, np.ndarray]:
        """The documents and frequencies of a postings list; int64."""
        n = len(read.postings)
        self._reader.where += f", of the term '{read.term:.60}'"
        if not read.term or not n:
            raise self._reader.wrong("it has no posting" if read.term else "the term is empty")
        if read.df != n:
            raise self._reader.wrong(f"the df is {read.df}, and it holds {counted(n, 'posting')}")
        gaps = np.fromiter((posting.docid for posting in read.postings), np.int64, n)
        tf = np.fromiter((posting.tf for posting in read.postings), np.int64, n)
        docs = np.cumsum(gaps)
        least = np.ones(n, dtype=np.int64)
        least[0] = 0
        if (low := np.flatnonzero(gaps < least)).size:
            place = int(low[0])
            raise self._reader.wrong(
                f"posting {place + 1:,} has the gap {gaps[place]}; expected at least {least[place]}"
            )
        if docs[-1] >= N:
            place = int(np.searchsorted(docs, N))
            raise self._reader.wrong(f"posting {place + 1:,} is of document {docs[place]}; the last one is {N - 1}")
        if (low := np.flatnonzero(tf < 1)).size:
            place = int(low[0])
            raise self._reader.wrong(f"posting {place + 1:,} has the frequency {tf[place]}; expected at least 1")
        if int(tf.sum()) != read.cf:
            raise self._reader.wrong(f"the cf is {read.cf}, and its frequencies add up to {tf.sum()}")
        return docs, tf

    def _records(self, N: int) -> tuple[Strings, np.ndarray]:
        """The ids of the documents, and their lengths as the file has them."""
        doc_ids, lengths = GrowingStrings(), array("q")
        for number in range(N):
            read = self._reader.message("DocRecord", f"document record {number + 1:,} of {N:,}")
            if read.docid != number:
                raise self._reader.wrong(f"the docid is {read.docid}; expected {number}, in the order of the docids")
            if not read.collection_docid:
                raise self._reader.wrong("the collection_docid is empty")
            doc_ids.append(read.collection_docid.encode())
            lengths.append(read.doclength)
        return doc_ids.finish(), np.frombuffer(lengths, dtype=np.int64)

    def _order(self, strings: Strings, twice: str) -> np.ndarray:
        """The positions of strings in the order of their bytes; a repeated string is refused."""
        order = byte_order(strings)
        if (places := np.flatnonzero(repeated(strings, order))).size:
            first, second = order[places[0] - 1 : places[0] + 1].tolist()
            raise DataError(f"{self._path}: {twice.format(first + 1, second + 1, strings[first])}")
        return order

    def _columns(self, postings: _Postings, lengths: np.ndarray, doc_ids: Strings) -> dict[str, np.ndarray]:
        """The lengths of the documents and the like, counted from the postings."""
        N = lengths.size
        dl, distinct, max_tf = (np.zeros(N, dtype=np.int64) for _ in range(3))
        for start in range(0, postings.docs.size, _AT_ONCE):
            docs = postings.docs[start : start + _AT_ONCE]
            tf = postings.tf.span(start, start + docs.size)
            dl += count_each(docs, tf, N).astype(np.int64)
            distinct += count_each(docs, minlength=N)
            np.maximum.at(max_tf, docs, tf)
        if (long := np.flatnonzero(dl > HIGHEST)).size:
            raise DataError(f"{self._path}: document '{doc_ids[int(long[0])]}' has more than {HIGHEST:,} tokens")
        if (other := np.flatnonzero(dl != lengths)).size:
            first = int(other[0])
            note(
                f"{self._path}: {counted(other.size, 'document')} of {N:,} have another doclength than their postings "
                f"give (the first: '{doc_ids[first]}', {lengths[first]} and {dl[first]}); the postings count"
            )
        return {
            name: column.astype(np.int32) for name, column in (("dl", dl), ("distinct", distinct), ("max_tf", max_tf))
        }


class _Postings(NamedTuple):
    """All postings lists, one after the other."""

    terms: Strings
    cf: np.ndarray  # (n_terms,) int64
    offsets: np.ndarray  # (n_terms + 1,) int64, the first posting of each term
    docs: np.ndarray  # (n_postings,) int32
    tf: Counts

    def at(self, order: np.ndarray) -> _Postings:
        """The lists in another order."""
        lengths = np.diff(self.offsets)[order]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.arange(offsets[-1]) + repeat_each(self.offsets[order] - offsets[:-1], lengths)
        terms = Strings.of([self.terms[number] for number in order.tolist()])
        return _Postings(terms, self.cf[order], offsets, self.docs[rows], Counts.of(self.tf.at(rows)))
