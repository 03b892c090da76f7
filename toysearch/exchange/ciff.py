"""CIFF, the Common Index File Format: an index for other search engines (Lucene, PISA, Terrier), and one from them.

A file holds length-prefixed protobuf messages: a Header, a PostingsList for each term, a DocRecord for each document
(Lin et al. 2020, arXiv:2003.08276). A posting gives the difference to the document before it, the first its document.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, cast

import numpy as np

import toysearch
from toysearch import Analyzer, Index
from toysearch.base import DataError, checked, counted, loading, note
from toysearch.formats import CIFF_MARK, DAMAGE, damaged, open_bytes, replacing_bytes
from toysearch.index.posting_lists import PostingLists

__all__ = ["read_ciff", "write_ciff"]

_PACKAGE = "io.osirrc.ciff"
_SCHEMA = {
    "Header": (
        *(("version", "INT32"), ("num_postings_lists", "INT32"), ("num_doc_records", "INT32")),
        *(("total_postings_lists", "INT32"), ("total_docs", "INT32"), ("total_terms_in_collection", "INT64")),
        *(("average_doclength", "DOUBLE"), ("description", "STRING")),
    ),
    "Posting": (("docid", "INT32"), ("tf", "INT32")),
    "PostingsList": (("term", "STRING"), ("df", "INT64"), ("cf", "INT64"), ("postings", "Posting")),
    "DocRecord": (("docid", "INT32"), ("collection_docid", "STRING"), ("doclength", "INT32")),
}
"""Message → the names and types of its fields, numbered from 1; a message as type is repeated."""

_HIGHEST = (1 << 31) - 1
"""The highest int32, and the most bytes of a message."""

_CHUNK = 1 << 20  # bytes read at a time
_EXPECTED = "expected a CIFF file, which is damaged or another one here"
_VERSION = 1
_TOGETHER = 1 << 17  # postings decoded at a time
_TELL = 1 << 10  # terms between two reports of progress


# Messages


@cache
def _messages() -> SimpleNamespace:
    """The classes of the messages, and the exceptions of a message that cannot be read."""
    with loading("CIFF needs the package protobuf", "an extra: pip install 'toysearch[ciff]'"):
        from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="ciff.proto", package=_PACKAGE, syntax="proto3")
    for kind_name, fields in _SCHEMA.items():
        described = file.message_type.add(name=kind_name)
        for number, (field, kind) in enumerate(fields, 1):
            if kind in _SCHEMA:
                settings = {
                    "type_name": f".{_PACKAGE}.{kind}",
                    "type": kinds.TYPE_MESSAGE,
                    "label": kinds.LABEL_REPEATED,
                }
            else:
                settings = {"type": getattr(kinds, f"TYPE_{kind}"), "label": kinds.LABEL_OPTIONAL}
            described.field.add(name=field, number=number, **settings)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    by_name = message_factory.GetMessageClassesForFiles([file.name], pool)
    classes = {name: by_name[f"{_PACKAGE}.{name}"] for name in _SCHEMA}
    # Protobuf without compiled parts decodes texts by itself.
    return SimpleNamespace(**classes, unreadable=(message.DecodeError, UnicodeDecodeError))


def _put(file: IO[bytes], message: Any) -> None:
    """Write a message after its length."""
    data = message.SerializeToString()
    length, prefix = len(data), bytearray()
    while length > 0x7F:
        prefix.append(length & 0x7F | 0x80)
        length >>= 7
    prefix.append(length)
    file.write(prefix)
    file.write(data)


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
    with replacing_bytes(Path(path)) as raw:
        if Path(path).suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
                _write(index, cast("IO[bytes]", file), progress)
        else:
            _write(index, raw, progress)


def _write(index: Index, file: IO[bytes], progress: Callable[[int], object] | None) -> None:
    """Write the messages of an index."""
    classes, stats = _messages(), index.stats
    header = classes.Header(
        version=_VERSION,
        num_postings_lists=stats.n_terms,
        num_doc_records=stats.N,
        total_postings_lists=stats.n_terms,
        total_docs=stats.N,
        total_terms_in_collection=stats.T,
        average_doclength=stats.avgdl,
        description=f"{CIFF_MARK.decode()}{toysearch.__version__}, analyzer {index.analyzer}",
    )
    _put(file, header)
    offsets, first = index.offsets, 0
    while first < stats.n_terms:
        end = int(np.searchsorted(offsets, offsets[first] + _TOGETHER, side="right")) - 1
        last = max(first + 1, end)
        docs, tf = index.blocks.of_terms(np.arange(first, last))
        starts = (offsets[first : last + 1] - offsets[first]).tolist()
        for number, (start, stop) in enumerate(pairwise(starts), first):
            gaps, counts = np.diff(docs[start:stop], prepend=0).tolist(), tf[start:stop].tolist()
            postings_list = classes.PostingsList(term=index.terms[number], df=len(gaps), cf=sum(counts))
            for gap, count in zip(gaps, counts, strict=True):
                postings_list.postings.add(docid=gap, tf=count)
            _put(file, postings_list)
        if progress:
            progress(last)
        first = last
    for number, (doc_id, length) in enumerate(zip(index.doc_ids, index.dl.tolist(), strict=True)):
        _put(file, classes.DocRecord(docid=number, collection_docid=doc_id, doclength=length))


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
    with open_bytes(path) as file:
        try:
            return _CiffReader(path, file, progress).index(analyzer)
        except DAMAGE as error:
            raise damaged(path, error) from None


class _CiffReader:
    """Reads the messages of a file one after the other; an error names the message."""

    def __init__(self, path: str | Path, file: IO[bytes], progress: Callable[[int], object] | None) -> None:
        self._path, self._file, self._progress = path, file, progress
        self._where = ""  # the message that was read last
        self._messages = _messages()

    def index(self, analyzer: Analyzer | None) -> Index:
        """The index."""
        n_terms, N = self._header()
        lists = PostingLists()
        for number in range(1, n_terms + 1):
            postings_list = self._message("PostingsList", f"postings list {number:,} of {n_terms:,}")
            lists.add(postings_list.term, *self._postings(postings_list, N))
            if self._progress and (number == n_terms or not number % _TELL):
                self._progress(number)
        lengths = np.empty(N, dtype=np.int64)
        for number in range(N):
            record = self._message("DocRecord", f"document record {number + 1:,} of {N:,}")
            if record.docid != number:
                raise self._wrong(f"the docid is {record.docid}; expected {number}, in the order of the docids")
            if not record.collection_docid:
                raise self._wrong("the collection_docid is empty")
            lists.add_document(record.collection_docid)
            lengths[number] = record.doclength
        if self._file.read(1):
            raise DataError(f"{self._path} goes on after the last of its {counted(N, 'document record')}")
        try:
            index = lists.index(analyzer)
        except DataError as error:
            raise DataError(f"{self._path}: {error}") from None
        if (other := np.flatnonzero(index.dl != lengths)).size:
            first = int(other[0])
            note(
                f"{self._path}: {counted(other.size, 'document')} of {N:,} have another doclength than their postings "
                f"give (the first: '{index.doc_ids[first]}', {lengths[first]} and {index.dl[first]}); the postings "
                "count"
            )
        return index

    def _header(self) -> tuple[int, int]:
        """The numbers of postings lists and of document records."""
        header = self._message("Header", "header")
        if header.version != _VERSION:
            raise self._wrong(f"the version is {header.version}; expected a CIFF file of version {_VERSION}")
        n_terms, N = header.num_postings_lists, header.num_doc_records
        if n_terms < 0 or N < 1:
            raise self._wrong(f"it announces {n_terms} postings lists and {N} documents; expected a document")
        for what, number, total in (
            ("postings lists", n_terms, header.total_postings_lists),
            ("documents", N, header.total_docs),
        ):
            if total > number:
                raise self._wrong(
                    f"the file holds {number:,} of {total:,} {what}, from which the lengths of the documents and the "
                    "statistics cannot be counted; export the whole index"
                )
        return n_terms, N

    def _postings(self, message: Any, N: int) -> tuple[np.ndarray, np.ndarray]:
        """The documents and frequencies of a postings list; int64."""
        n = len(message.postings)
        self._where += f", of the term '{message.term:.60}'"
        if not message.term or not n:
            raise self._wrong("it has no posting" if message.term else "the term is empty")
        if message.df != n:
            raise self._wrong(f"the df is {message.df}, and it holds {counted(n, 'posting')}")
        gaps = np.fromiter((posting.docid for posting in message.postings), np.int64, n)
        tf = np.fromiter((posting.tf for posting in message.postings), np.int64, n)
        docs = np.cumsum(gaps)
        least = np.ones(n, dtype=np.int64)
        least[0] = 0
        if (low := np.flatnonzero(gaps < least)).size:
            place = int(low[0])
            raise self._wrong(f"posting {place + 1:,} has the gap {gaps[place]}; expected at least {least[place]}")
        if docs[-1] >= N:
            place = int(np.searchsorted(docs, N))
            raise self._wrong(f"posting {place + 1:,} is of document {docs[place]}; the last one is {N - 1}")
        if (low := np.flatnonzero(tf < 1)).size:
            place = int(low[0])
            raise self._wrong(f"posting {place + 1:,} has the frequency {tf[place]}; expected at least 1")
        if int(tf.sum()) != message.cf:
            raise self._wrong(f"the cf is {message.cf}, and its frequencies add up to {tf.sum()}")
        return docs, tf

    def _message(self, kind: str, where: str) -> Any:
        """The next message of the file."""
        self._where = where
        length, shift = 0, 0
        while True:
            byte = self._bytes(1)[0]
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 28:
                raise self._wrong(f"its length is not a number below 2^31; {_EXPECTED}")
        if length > _HIGHEST:
            raise self._wrong(f"its length is {length:,} bytes; {_EXPECTED}")
        try:
            return getattr(self._messages, kind).FromString(self._bytes(length))
        except self._messages.unreadable:
            raise self._wrong(f"it is not a {kind}; {_EXPECTED}") from None

    def _bytes(self, size: int) -> bytes:
        """The next bytes of the file."""
        parts, missing = [], size
        while missing and (part := self._file.read(min(missing, _CHUNK))):  # a length that lies takes no memory
            parts.append(part)
            missing -= len(part)
        if missing:
            raise self._wrong(f"the file ends {missing:,} bytes too early; {_EXPECTED}")
        return b"".join(parts)

    def _wrong(self, problem: str) -> DataError:
        """The error for the message that was read last."""
        return DataError(f"{self._path}: {self._where}: {problem}")
