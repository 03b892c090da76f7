"""Damaged files: a valid one with bytes gone, doubled, swapped or made up, and what a reader may do with it."""

import bz2
import gzip
import itertools
import lzma
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from hypothesis import strategies as st

from toysearch.base.errors import DataError, ToysearchNote
from toysearch.files.document_formats import Record, read_records

Mutation = Callable[[bytes, int, int, bytes], bytes]

ODD = [
    *(b"\0", b"\n", b"\r\n", b"\r", b"<", b">", b"<!--", b"-->", b"</", b"&", b"&#0;", b'"', b",", b"\t", b"{", b"}"),
    b":",
]
ODD += [
    *(b"[", b"\\", b"\\ud800", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"\xc3", b"\x0c", "\u2028".encode()),
    b"1" * 5000,
]

PACKERS = (partial(gzip.compress, mtime=0), bz2.compress, lzma.compress)
MUTATIONS: dict[str, Mutation] = {
    "delete": lambda data, start, stop, made: data[:start] + data[stop:],
    "insert": lambda data, start, stop, made: data[:start] + made + data[start:],
    "replace": lambda data, start, stop, made: data[:start] + made + data[stop:],
    "duplicate": lambda data, start, stop, made: data[:stop] + data[start:],
    "swap": lambda data, start, stop, made: data[:start] + data[stop:] + data[start:stop],
    "truncate": lambda data, start, stop, made: data[:start],
    "behead": lambda data, start, stop, made: data[start:],
}


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """The bytes of a valid file after one to four mutations, perhaps packed, perhaps the packed data damaged too.

    Spans are drawn by place and length, most of them short: a long one leaves nothing of the file to read.
    """
    data = valid
    for _ in range(draw(st.integers(1, 4))):
        data = _once(draw, data)
    packing = draw(st.sampled_from(["plain", "plain", "plain", "whole", "damaged", "truncated"]))
    if packing == "plain":
        return data
    packed = draw(st.sampled_from(PACKERS))(data)
    if packing == "truncated":
        return packed[: draw(st.integers(2, len(packed)))]
    return packed if packing == "whole" else packed[:2] + _once(draw, packed[2:])


def _once(draw: st.DrawFn, data: bytes) -> bytes:
    mutation = draw(st.sampled_from(sorted(MUTATIONS)))
    start = draw(st.integers(0, len(data)))
    stop = min(len(data), start + draw(st.integers(1, 8) | st.integers(1, 200)))
    made = draw(st.sampled_from(ODD) | st.binary(min_size=1, max_size=6)) if mutation in ("insert", "replace") else b""
    return MUTATIONS[mutation](data, start, stop, made)


def of_pages(suffix: str) -> Callable[[Path], Iterable[Record]]:
    """A reader of one file as a folder of one page."""

    def read(path: Path) -> Iterable[Record]:
        if not path.stat().st_size:
            return  # a document without text: a record, but no byte
        page = path.with_suffix(suffix)
        path.replace(page)
        try:
            yield from read_records("folder", "documents", path.parent)
        finally:
            page.unlink()

    return read


def check_reader(reader: Callable[[Path], Iterable[Record]], folder: Path, data: bytes) -> None:
    """Assert that a file of these bytes is read as records, or refused by an error that names it.

    There can be no more records than bytes: a reader that never ends fails here and does not hang.
    """
    path = folder / "file"
    path.write_bytes(data)
    unpacked = 1100 * len(data)  # the most that gzip packs into a byte, and a little
    refusal = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        try:
            records = list(itertools.islice(reader(path), unpacked + 1))
        except DataError as error:
            records, refusal = [], str(error)
    assert refusal is None or str(path) in refusal
    assert len(records) <= unpacked
    for line, record_id, fields in records:
        assert type(line) is int
        assert line >= 1
        assert type(record_id) is str
        assert record_id
        for name, value in fields.items():
            assert type(name) is str
            assert isinstance(value, str)
            (record_id + name + value).encode()  # no lone surrogate, which no file of ours could hold
