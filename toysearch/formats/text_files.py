"""Text files: lines and blocks of bytes with their places, the beginning of a file, TOML."""

from __future__ import annotations

import codecs
import io
import math
import os
import re
import stat
import sys
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple, TypeVar, cast

from toysearch.base import ArgumentError, DataError, Remedy, checked, counted, holding, malformed, note

__all__ = ["in_encoding", "read_doc_ids"]

T = TypeVar("T")

_GZIP = b"\x1f\x8b"
_PACKED = (
    (_GZIP, "gzip", "zlib", "decompressobj", (zlib.MAX_WBITS | 16,)),
    (b"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", "bzip2", "bz2", "BZ2Decompressor", ()),
    (b"\xfd7zXZ\0", "xz", "lzma", "LZMADecompressor", (1,)),
)
"""How a packed file begins, the name of the form, and the module, the class and its arguments that unpack a stream."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MARKS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Byte order mark → encoding, the longer ones first."""
_OF_HOSTS = ("idna", "punycode")  # encodings of names, which no text has
_UTF16_SEEN = 64  # bytes that are looked at where UTF-16 has no mark

ENCODING: ContextVar[str | None] = ContextVar("the encoding of the files that are read; None: UTF-8", default=None)
REPLACED: ContextVar[list[tuple[str, int, str]] | None] = ContextVar(
    "takes the files that are not UTF-8, with the places and the likely encoding", default=None
)
IN_UTF8: ContextVar[list[str] | None] = ContextVar("takes the files that are UTF-8 despite ENCODING", default=None)
_REPLACEMENT = "\ufffd"
_BLOCK = 1 << 17  # bytes split at a time: they stay in the cache
_PACKED_BLOCK = 1 << 15  # bytes unpacked at a time: those behind the end of a short stream are copied
LONGEST_LINE = 1 << 26
"""Most bytes of a line; a longer one is not text, or would take gigabytes of memory."""

HIGHEST_RATIO = 200
"""Highest ratio of unpacked to packed bytes: text packs to a tenth, judgments to a fiftieth."""

ALWAYS_UNPACKED = 1 << 26
"""Unpacked bytes that are allowed at any ratio."""


_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_open: list[IO[bytes]] = []
_taken_before = [0]  # bytes read from files that are closed by now


def refuse_address(source: object) -> None:
    """Refuse an address, such as one of the web: only files and folders of this computer are read.

    >>> refuse_address("pets/corpus.jsonl")
    >>> refuse_address("https://example.org/mine.run")
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: https://example.org/mine.run is an address; download it first, and ...
    """
    if isinstance(source, str) and _ADDRESS.match(source):
        raise ArgumentError(f"{source} is an address; download it first, and give its path")


@contextmanager
def open_bytes(path: str | Path, data: bytes | None = None) -> Iterator[IO[bytes]]:
    """Open the bytes of a file, unpacked if its first bytes say that it is packed, or its data, if known."""
    if data is not None:
        yield io.BytesIO(data)
        return
    if str(path) == "-":
        yield _unpacked(path, cast("IO[bytes]", sys.stdin.buffer))
        return
    file, content = path.handed() if isinstance(path, Look) else _opened(path)
    if ENCODING.get() and not isinstance(getattr(content, "raw", None), _Recoded) and _is_utf8(path):
        tell_utf8([str(path)])
    with file:
        _open.append(file)
        try:
            yield content
        finally:
            _open.remove(file)
            _taken_before[0] += _place(file)


def _opened(path: str | Path) -> tuple[IO[bytes], IO[bytes]]:
    """Open a file as stored, and its bytes unpacked."""
    try:
        file = open(path, "rb", _BLOCK)  # noqa: SIM115  (whoever takes it closes it)
    except OSError as error:
        refuse_address(path)
        if isinstance(error, FileNotFoundError):
            raise DataError(f"{path}: there is no such file") from None
        if os.path.isdir(path):  # Windows says that it may not be read
            raise DataError(f"{path} is a folder; expected a file") from None
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return file, _unpacked(path, file if RANGES.get() is None else in_range(path, file))
    except BaseException:
        file.close()
        raise


def bytes_read() -> int:
    """Count the bytes read from files by this process so far, as stored, for the progress display."""
    return _taken_before[0] + sum(map(_place, _open))


def _place(file: IO[bytes]) -> int:
    try:
        return file.tell()
    except (OSError, ValueError):  # neither a pipe nor a file closed meanwhile has a position
        return 0


def peeked(stream: IO[bytes], size: int) -> bytes:
    """Return the next bytes that a stream has buffered, without consuming them."""
    if hasattr(stream, "peek"):
        return cast(bytes, stream.peek(size))
    place = stream.tell()
    data = stream.read(size)
    stream.seek(place)
    return data


def _unpacked(path: str | Path, file: IO[bytes]) -> IO[bytes]:
    file = _content(path, file)
    try:
        head = peeked(file, _UTF16_SEEN)[:_UTF16_SEEN]
    except DAMAGE:  # reading it reports the damage
        return file
    encoding = _encoding_of(head)
    if encoding and encoding == ENCODING.get() and _is_utf8(path):
        return file
    return cast("IO[bytes]", io.BufferedReader(_Recoded(path, file, encoding), _BLOCK)) if encoding else file


def _content(path: str | Path, file: IO[bytes]) -> IO[bytes]:
    """Return what a file holds, unpacked if it is packed."""
    head = peeked(file, 10)
    # The first bytes of standard input are looked at without using them up, which gzip alone allows.
    for begin, form, module, kind, settings in _PACKED if str(path) != "-" else _PACKED[:1]:
        if head[:1] == begin[:1] and re.match(begin, head):
            with suppress(ImportError):  # some builds of Python lack one; the reader says that the file is packed
                opener = partial(getattr(import_module(module), kind), *settings)
                return cast("IO[bytes]", io.BufferedReader(_Unpacked(path, file, form, opener), _BLOCK))
    return file


def unpacked_name(name: str) -> str:
    """Return the name of a file without the suffix that says how it is packed.

    >>> unpacked_name("mine.csv.gz"), unpacked_name("mine.run.BZ2"), unpacked_name("a.txt")
    ('mine.csv', 'mine.run', 'a.txt')
    """
    return re.sub(r"(?i)\.(?:gz|bz2|xz)\Z", "", name)


def _encoding_of(head: bytes) -> str | None:
    """Read the encoding off the first bytes, or take the user's; None for UTF-8."""
    encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), ENCODING.get())
    head = head[:_UTF16_SEEN]
    if encoding is None and len(head) >= _UTF16_SEEN // 2:  # letters of Latin-1 in UTF-16 without a mark
        for zeros, name in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
            if not any(zeros) and head.count(0) == len(zeros):
                return name
    return None if head.startswith(_BYTE_ORDER_MARK) else encoding


def _is_utf8(path: str | Path) -> bool:
    """True if a file is UTF-8 with more than ASCII, which no file in another encoding is by accident."""
    if str(path) == "-" or (ENCODING.get() or "").startswith(("utf-16", "utf-32")):
        return False
    decoder, beyond = codecs.getincrementaldecoder("utf-8")(), False
    with suppress(*DAMAGE, UnicodeDecodeError), open(path, "rb", _BLOCK) as stored:
        file = _content(path, stored)
        while data := file.read(_BLOCK):
            decoder.decode(data)
            beyond = beyond or not data.isascii()
        decoder.decode(b"", final=True)
        return beyond
    return False


def tell_utf8(paths: Sequence[str], total: int = 1) -> None:
    """Note files that are read as UTF-8 though another encoding is named, unless they are taken together."""
    collected = IN_UTF8.get()
    if collected is not None:
        collected += paths
    elif paths:
        many = "" if total == 1 else f"{len(paths)} of {counted(total, 'file')}: "
        note(f"{many}{paths[0]} is UTF-8 and is read as that, not as {ENCODING.get()}")


@checked
def in_encoding(encoding: str | None) -> AbstractContextManager[None]:
    """Return a context in which files are read in an encoding.

    Parameters
    ----------
    encoding : str or None
        The name of the encoding, such as ``cp1252``; None leaves it as it is.

    Raises
    ------
    ArgumentError
        If there is no such encoding.
    """
    return holding(ENCODING, known_encoding(encoding) if encoding is not None else ENCODING.get())


def read_in(encoding: str, records: Iterable[T]) -> Iterator[T]:
    """Yield records as their reader makes them while files are read in an encoding."""
    context, rest = copy_context(), iter(records)
    context.run(ENCODING.set, encoding)
    while (record := context.run(next, rest, None)) is not None:
        yield record


def known_encoding(name: str) -> str | None:
    """Return the name of an encoding of texts as Python spells it; None for UTF-8."""
    found = f"unknown encoding '{name}'"
    try:
        codec = codecs.lookup(name)
        found = f"'{name}' is not an encoding of texts"
        "".encode(codec.name)
        if codec.name in _OF_HOSTS:
            raise LookupError
    except (LookupError, ValueError):
        raise ArgumentError(
            f"{found}; usual ones are utf-8, cp1252 (Windows), latin-1, cp1250, cp1251, shift_jis, gb18030, utf-16"
        ) from None
    return None if codec.name in ("utf-8", "utf-8-sig") else codec.name


class _Stream(io.RawIOBase):
    """Bytes that are made when they are read."""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._next(len(room))
        room[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        raise NotImplementedError


class _Recoded(_Stream):
    """Text of a file in another encoding, as UTF-8."""

    def __init__(self, path: str | Path, file: IO[bytes], encoding: str) -> None:
        self._path, self._file, self._encoding = path, file, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._waiting = b""

    def _next(self, size: int) -> bytes:
        while not self._waiting:
            data = self._file.read(_BLOCK)
            try:
                self._waiting = self._decoder.decode(data, final=not data).encode()
            except UnicodeDecodeError as error:
                odd_bytes = error.object[error.start : error.end].hex(" ")
                raise DataError(
                    f"{self._path} is not in {self._encoding}: it has the bytes {odd_bytes}; name another encoding"
                ) from None
            except UnicodeError:  # without the mark by which UTF-16 and UTF-32 say the order of bytes
                raise DataError(
                    f"{self._path} is not in {self._encoding}: it does not begin with a byte order mark; name another "
                    "encoding, such as utf-16-le"
                ) from None
            if not data:
                break
        data, self._waiting = self._waiting[:size], self._waiting[size:]
        return data


_KINDS_OF_BYTES = {
    b"PK\x03\x04": "a zip archive; unpack it and name a file in it",
    b"%PDF": "a PDF; save its text as a plain text file",
    b"\xd0\xcf\x11\xe0": "an Office file of before 2007; save a table as CSV, and a text as plain text",
    b"PAR1": "a Parquet file; save it as CSV or JSON Lines",
    b"\x93NUMPY": "an array of numpy; expected text",
    b"7z\xbc\xaf": "a 7-Zip archive; unpack it and name a file in it",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it first",
    b"BZh": "packed by bzip2; unpack it first",
    b"\xfd7zXZ": "packed by xz; unpack it first",
}
"""First bytes of a file that is not text → a description, and what to do."""

_OFFICE = {b"xl/": "an Excel workbook; save the sheet as CSV", b"word/": "a Word document; save it as plain text"}


def refuse_bytes(path: str | Path, head: bytes) -> None:
    """Refuse a file whose first bytes show that it is not text."""
    for mark, what in _KINDS_OF_BYTES.items():
        if head.startswith(mark):
            inside = head[:4096] if mark.startswith(b"PK") else b""
            what = next((name for part, name in _OFFICE.items() if part in inside), what)
            raise DataError(f"{path} is {what}")


class _Counted:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.taken += len(data)
        return data


class _Streams:
    """Bytes of compressed streams, one behind the other: after each comes another, padding, or the end of the file."""

    # The file objects of Python take a later stream with a damaged beginning for the end of the file.

    def __init__(self, packed: _Counted, opener: Callable[[], Any], padding: int) -> None:
        self._packed, self._opener, self._padding = packed, opener, padding
        self._stream, self._following = opener(), b""

    def read(self, size: int) -> bytes:
        data = b""
        while not data and (not self._stream.eof or self._is_followed()):
            needed = not self._following and getattr(self._stream, "needs_input", True)
            packed = self._packed.read(_PACKED_BLOCK) if needed else self._following
            data = self._stream.decompress(packed, size)
            self._following = getattr(self._stream, "unconsumed_tail", b"")
            if needed and not packed and not data and not self._stream.eof:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        return data

    def _is_followed(self) -> bool:
        """True if another stream begins after this one and its padding of zero bytes."""
        rest, n_zeros = self._stream.unused_data or self._packed.read(_PACKED_BLOCK), 0
        following = rest.lstrip(b"\0")
        while rest and not following:
            n_zeros += len(rest)
            rest = self._packed.read(_PACKED_BLOCK)
            following = rest.lstrip(b"\0")
        n_zeros += len(rest) - len(following)
        if n_zeros % self._padding:
            raise OSError(f"{n_zeros:,} zero bytes stand after a compressed stream")
        if following:
            self._stream, self._following = self._opener(), following
        return bool(following)


class _Unpacked(_Stream):
    """Bytes of a packed file, refused if they expand too much."""

    def __init__(self, path: str | Path, file: IO[bytes], form: str, opener: Callable[[], Any]) -> None:
        self._path, self._form = path, form
        self._packed = _Counted(file)
        self._content = _Streams(self._packed, opener, padding=4 if form == "xz" else 1)
        self._given = 0
        self._damage: Exception | None = None

    def _next(self, size: int) -> bytes:
        data = b""
        try:
            data = self._content.read(size) if self._damage is None else b""
        except Exception as error:  # the one of lzma is no OSError
            self._damage = error if isinstance(error, DAMAGE) else OSError(str(error))
        if self._damage is not None:  # also for a reader after one that only looked at the beginning
            raise self._damage from None
        self._given += len(data)
        if self._given > max(ALWAYS_UNPACKED, HIGHEST_RATIO * self._packed.taken):
            raise DataError(
                f"{self._path} is {self._form} that grows more than {HIGHEST_RATIO}-fold, to over "
                f"{self._given >> 20} MB; unpack it yourself if that is right"
            )
        return data


def numbered_lines(path: str | Path, data: bytes | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file, or of its bytes, numbered from 1, without their line ends."""
    # A byte order mark is dropped. Only LF and CRLF end a line (a form feed or U+2028 is part of its line). Invalid
    # UTF-8 becomes U+FFFD; a note says how many sequences.
    replaced = 0
    with open_bytes(path, data) as file:
        for number, raw in enumerate(raw_lines(path, file), 1):
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                line, bad = mended_bytes(raw)
                replaced += bad
            yield number, line.rstrip("\r\n")
    if replaced:
        tell_replaced(path, replaced)


def text_blocks(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of `numbered_lines` in blocks: the first line's number, and the text, less its last line end."""
    first, replaced = 1, 0
    with open_bytes(path) as file:
        for data in raw_blocks(path, file):
            text, bad = mended_bytes(data)
            replaced += bad
            yield first, text.removesuffix("\n")
            first += text.count("\n")
    if replaced:
        tell_replaced(path, replaced)


def mended_bytes(data: bytes) -> tuple[str, int]:
    """Decode bytes that may be invalid UTF-8, and count the sequences replaced by U+FFFD."""
    with suppress(UnicodeDecodeError):  # as usual, and quicker
        return data.decode(), 0
    text = data.decode(errors="replace")
    return text, text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())


def readable(data: bytes) -> str:
    r"""Decode a line of UTF-8, or of Windows-1252 if its bytes look like that; U+FFFD stands for others.

    >>> readable(b"Price (\x80)"), readable("Price (\u20ac)".encode()), readable(b"\x81\x8d")
    ('Price (€)', 'Price (€)', '\ufffd\ufffd')
    """
    text = data.decode(errors="replace")
    is_western = {byte for byte in data if byte > 0x7F} <= _USUAL_BYTES
    return data.decode("cp1252") if _REPLACEMENT in text and is_western else text


def tell_replaced(path: str | Path, replaced: int) -> None:
    """Note the number of byte sequences of a file replaced by U+FFFD, and a likely encoding."""
    high: list[int] = []  # bytes above ASCII
    if str(path) != "-":
        with open_bytes(path) as file, suppress(*DAMAGE):
            high = [byte for byte in file.read(1 << 20) if byte > 0x7F]
    letters = sum(byte >= 0xC0 for byte in high)
    likely = "cp1252" if high and {*high} <= _USUAL_BYTES and 2 * letters >= len(high) else ""
    collected = REPLACED.get()
    if collected is not None:
        collected.append((str(path), replaced, likely))
    else:
        _tell_places(str(path), replaced, likely)


def _tell_places(what: str, replaced: int, likely: str, looking: str = "it looks") -> None:
    looks = f"{looking} like {likely}: " if likely else ""
    sentence = f"{what}: not UTF-8 in {counted(replaced, 'place')}, read as U+FFFD"
    note(f"{sentence}; {looks}{Remedy('load', encoding=likely or ...)}")


def tell_replaced_in(files: Sequence[tuple[str, int, str]], total: int) -> None:
    """Note several files that are not UTF-8, each with its places and its likely encoding, in one sentence."""
    if len(files) == 1:
        _tell_places(*files[0])
    elif files:
        likely, times = Counter(likely for _, _, likely in files).most_common(1)[0]
        what = f"{len(files):,} of {counted(total, 'file')}, the first {files[0][0]}"
        looking = "they look" if times == len(files) else f"{times:,} of them look{'s' * (times == 1)}"
        _tell_places(what, sum(replaced for _, replaced, _ in files), likely, looking)


_USUAL_BYTES = frozenset(b"\x80\x82\x84\x85\x8a\x8c\x8e\x91\x92\x93\x94\x95\x96\x97\x99\x9a\x9c\x9e\x9f") | {
    *range(0xA0, 0x100)
}
"""Bytes above ASCII that are letters, quotation marks, dashes and signs in Windows-1252."""


def raw_blocks(path: str | Path, file: IO[bytes], size: int = _BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks of whole lines, without a byte order mark."""
    raw = raw_lines(path, file)
    for first in raw:  # the first line, without its mark; the rest is read past the iterator
        yield first
        break
    try:
        while data := file.read(size):
            rest = file.readline(LONGEST_LINE)
            if len(rest) == LONGEST_LINE:
                raise too_long(path)
            yield data + rest
    except (EOFError, zlib.error, OSError) as error:
        raise damaged(path, error) from None


def raw_lines(path: str | Path, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, with their line ends, without a byte order mark."""
    try:
        refuse_bytes(path, peeked(file, 4096))
        first = file.readline(LONGEST_LINE)
        if first:
            yield without_separator(first.removeprefix(_BYTE_ORDER_MARK))
        if len(first) == LONGEST_LINE:
            raise too_long(path)
        for line in iter(partial(file.readline, LONGEST_LINE), b""):
            if len(line) == LONGEST_LINE:
                raise too_long(path)
            yield line
    except (EOFError, zlib.error, OSError) as error:
        raise damaged(path, error) from None


def without_separator(data: bytes) -> bytes:
    r"""Leave only the line end of a first line that tells Excel the separator.

    >>> without_separator(b"sep=;\r\nid;text\r\n"), without_separator(b"sep=id\n")
    (b'\r\nid;text\r\n', b'sep=id\n')
    """
    tells = data[:4].lower() == b"sep=" and data[4:5] in b",;\t|" and data[5:7].lstrip(b"\r")[:1] == b"\n"
    return data[5:] if tells else data


def too_long(path: str | Path) -> DataError:
    """Return the error for a file with an overlong line."""
    return DataError(f"{path} has a line of more than {LONGEST_LINE >> 20} MB; expected lines of text")


def damaged(path: str | Path, error: Exception) -> DataError:
    """Return the error for a file that cannot be unpacked to its end."""
    return DataError(f"{path} cannot be read to its end because it is damaged or truncated: {error}")


def sha256(path: str | Path) -> str:
    """Return the checksum of the content of a file, unpacked and with CRLF as LF, so that copies agree."""
    import hashlib

    digest = hashlib.sha256()
    with open_bytes(path) as file:
        while chunk := file.read(1 << 20):
            while chunk.endswith(b"\r") and (following := file.read(1)):
                chunk += following  # a CRLF must not fall between two chunks
            digest.update(chunk.replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def finite_number(text: str) -> float | None:
    """Return the finite number that a text denotes, else None."""
    try:
        number = float(text)
    except ValueError:
        return None
    is_plain = text.isascii() and "_" not in text  # a number elsewhere too: not 1_000, and no digits of other scripts
    return number if is_plain and math.isfinite(number) else None


_GROUPED = r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+"  # points that may group thousands
_GROUPED_ONCE = re.compile(r"(?a)[+-]?[1-9]\d{0,2}[.,]\d{3}")  # or it has three decimals
WITH_COMMAS = re.compile(rf"(?a)(?:[+-]?\d+|{_GROUPED})(?:,\d+)?")
"""Number of a column in which a comma separates decimals."""


class DecimalMarks(NamedTuple):
    """What separates decimals in a column of numbers: commas, points, or some of each."""

    commas: bool = False
    points: bool = False

    @classmethod
    def of(cls, cells: Iterable[str]) -> DecimalMarks:
        """Return the marks that some cells can only have for decimals; a point may also group thousands."""
        numbers = [plain_minus(cell) for cell in cells]
        by_comma = {cell for cell in numbers if WITH_COMMAS.fullmatch(cell)}
        points = any("." in cell and cell not in by_comma and finite_number(cell) is not None for cell in numbers)
        return cls(any("," in cell for cell in by_comma), points)

    def plain(self, cell: str) -> str:
        """Return a number as `finite_number` reads it; as it is if it is not a number.

        >>> DecimalMarks.of(["900,5", "1.234"]).plain("1.234"), DecimalMarks.of(["900.5"]).plain("1.234")
        ('1234', '1.234')
        """
        cell = plain_minus(cell)
        if not self.commas or not WITH_COMMAS.fullmatch(cell):
            return cell
        if self.points and _GROUPED_ONCE.fullmatch(cell):
            return f"{cell}, beside decimal commas and decimal points"
        return cell.replace(".", "").replace(",", ".")


def plain_minus(text: str) -> str:
    """Return a number with a hyphen in place of a minus sign (U+2212)."""
    return f"-{text[1:]}" if text[:1] == "\u2212" else text


def whole_or_fraction(number: float) -> int | float:
    """Return a number to be written, a whole one without its decimal point.

    >>> whole_or_fraction(2.0), whole_or_fraction(0.5)
    (2, 0.5)
    """
    return int(number) if number.is_integer() else number


def not_a_number(name: str, text: str) -> str:
    """Return the problem with a text that should be a number."""
    large = ""
    with suppress(ValueError):
        is_large = text.isascii() and "_" not in text and text[-1:].isdigit() and math.isinf(float(text))
        large = ", which is too large" if is_large else ""
    return f"expected a number as {name}, found '{text}'{large}"


def finite_value(value: object) -> float | None:
    """Return the finite number in a value of JSON or TOML, else None."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


ENOUGH = 1 << 16
"""Number of bytes that determine a format."""


DAMAGE = (EOFError, zlib.error, OSError)
"""Exceptions raised while a damaged or truncated file is unpacked."""


class Look(str):
    """Name of a file that is looked at once: its beginning is kept, and its reader goes on with what is open.

    A function that takes the name of a file takes its look too. Of a folder, the look has those at its files. A file is
    opened again where it is read a second time, where it has changed meanwhile, and where a process reads a range of
    it; of a folder with more than 64 files, each is opened to recognise it and to read it, so that no more are held.
    """

    files: Mapping[str, Look] = MappingProxyType({})  # path → the look at a file of a folder

    whole = False  # whether the file is not longer than its beginning
    _read = b""  # its first bytes, with a byte order mark
    _left: tuple[IO[bytes], IO[bytes]] | None = None  # the file as stored and its bytes, until a reader takes them
    _version: tuple[object, ...] = ()  # of the file and the encoding, when it was looked at

    @cached_property
    def head(self) -> bytes:
        """First bytes, unpacked, without a byte order mark; empty if they cannot be unpacked."""
        if self == "-":
            return _waiting(ENOUGH).removeprefix(_BYTE_ORDER_MARK)
        with suppress(OSError):  # opening it reports the problem
            if stat.S_ISFIFO(os.stat(self).st_mode):
                raise DataError(
                    f"{self} is a pipe, which can be read only once, and detecting its format takes one reading; save "
                    "it to a file, or pipe a run or judgments into standard input and name it -"
                )
        file, content = _opened(str(self))  # whose names do not hold the look
        self._version = _version(os.fstat(file.fileno()))
        with suppress(*DAMAGE):  # the reader reports the damage
            self._read = content.read(ENOUGH)
            self.whole = len(self._read) < ENOUGH
        _kept[:] = [other for other in _kept if not other.closed]
        if len(self._read) < ENOUGH or len(_kept) >= _MOST_KEPT:
            file.close()
        else:
            _kept.append(file)
            self._left = file, content
            weakref.finalize(self, file.close)
        return without_separator(self._read.removeprefix(_BYTE_ORDER_MARK))

    def handed(self) -> tuple[IO[bytes], IO[bytes]]:
        """Hand the file and its bytes to a reader: what is open to the first one, unless all of it is here."""
        if self.whole and RANGES.get() is None and self.is_current:
            return io.BytesIO(self._read), io.BytesIO(self._read)
        if RANGES.get() is not None or not self.is_current:
            self.close()
        left = self.__dict__.pop("_left", None)  # one reader gets it, whatever the threads
        if left is None:
            return _opened(str(self))
        file, content = left
        if content is not file:
            return file, cast("IO[bytes]", io.BufferedReader(_Again(self._read, content), _BLOCK))
        file.seek(0)
        return file, file

    def close(self) -> None:
        """Close what is open; a reader opens the file again."""
        if left := self.__dict__.pop("_left", None):
            left[0].close()

    @property
    def is_current(self) -> bool:
        """Whether what is kept is of the file as it is now; what is open is read to its end though the file is gone."""
        with suppress(OSError):
            return not self._version or _version(os.stat(self)) == self._version
        return not self.whole

    @cached_property
    def text(self) -> str:
        """Complete lines of the beginning."""
        head = self.head
        cut = not self.whole and b"\n" in head
        return (head[: head.rindex(b"\n")] if cut else head).decode(errors="replace")

    @property
    def lines(self) -> list[str]:
        """Complete lines of the beginning that are not blank."""
        return [line for line in self.text.split("\n") if line.strip()]

    @cached_property
    def first_lines(self) -> list[str]:
        """First lines that are not blank; the last one may be cut."""
        lines = self.head.lstrip().decode(errors="replace").split("\n")
        return [line for line in lines if line.strip()][:_MOST_LINES]

    @property
    def delimiter(self) -> str:
        """Separator of the cells of the first line."""
        return next((mark for mark in "\t;" if mark in self.first_lines[0]), ",")

    @property
    def labels(self) -> list[str]:
        """Cells of the first line."""
        return [label.strip().strip('"') for label in self.first_lines[0].split(self.delimiter)]

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Copy or send only the name."""
        return str, (str(self),)


_MOST_LINES = 20
_MOST_KEPT = 64
_kept: list[IO[bytes]] = []  # files that wait for their readers


def _version(facts: os.stat_result) -> tuple[object, ...]:
    return ENCODING.get(), facts.st_mtime_ns, facts.st_size, facts.st_ino


def look_at(path: str | Path) -> Look:
    """Return the look at a file, which is the same if it was taken before and holds what the file does."""
    if isinstance(path, Look):
        if path.is_current:
            return path
        path.close()
    return Look(path)


class _Again(_Stream):
    """Bytes that were read, and those that follow them."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def _next(self, size: int) -> bytes:
        data, self._head = self._head[:size], self._head[size:]
        return data or self._rest.read(size)


def _waiting(size: int) -> bytes:
    """Return the next bytes of standard input, unpacked and as UTF-8, without consuming them."""
    data = peeked(sys.stdin.buffer, size)
    try:
        if data.startswith(_GZIP):
            data = zlib.decompressobj(wbits=31).decompress(data, size)
        encoding = _encoding_of(data)
        return codecs.getincrementaldecoder(encoding)().decode(data).encode() if encoding else data
    except (zlib.error, UnicodeError):
        return b""  # the reader reports the damage


def files_named(path: str | Path) -> list[str | Path]:
    """Return the files that a pattern such as ``judged/*.txt`` matches, sorted; any other path by itself."""
    if not re.search(r"[*?[]", str(path)) or os.path.exists(path):
        return [path]
    import glob

    files = sorted(file for file in glob.glob(str(path), recursive=True) if os.path.isfile(file))
    if not files:
        refuse_address(path)
        raise DataError(f"{path} matches no file; give the path of a file, or a pattern that matches some")
    return [*files]


def refuse_folder(error: OSError) -> None:
    """Refuse a folder that `os.walk` cannot read."""
    raise DataError(f"{error.filename} cannot be read: {error.strerror}") from None


def refuse_unreadable(path: str | Path) -> None:
    """Refuse a file whose beginning cannot be read."""
    with open_bytes(path) as file:
        try:
            head = file.read(ENOUGH)
        except DAMAGE as error:
            raise damaged(path, error) from None
    for _ in raw_blocks(path, io.BytesIO(head)):
        break


_MOST_BYTES = 1 << 23
_MOST_PARTS = 64
_PART = r"(?:[A-Za-z0-9_-]{1,999}|\"[^\"\n]{0,999}\"|'[^'\n]{0,999}')"
_DEEP = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{_MOST_PARTS}}}"
# An error of tomllib has the place as attributes only since Python 3.14.
_PLACE = r"(?s)(?P<message>.*) \(at line (?P<line>\d+), column \d+\)"


def read_toml(path: str | Path) -> tuple[dict[str, Any], list[str]]:
    """Read the table that a file holds, and its lines."""
    import tomllib

    lines: list[str] = []
    size = 0
    for number, line in numbered_lines(path):
        lines.append(line)
        size += len(line)
        if size > _MOST_BYTES:
            raise DataError(f"{path} has more than {_MOST_BYTES >> 20} MB; expected a short file of TOML")
        if line.count(".") > _MOST_PARTS and re.search(_DEEP, line):
            raise malformed(path, number, f"expected TOML; a key has more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads("\n".join(lines)), lines
    except (ValueError, RecursionError) as error:  # ValueError: numbers of thousands of digits too
        if place := re.fullmatch(_PLACE, str(error)):
            raise malformed(path, int(place["line"]), f"expected TOML; {place['message']}") from None
        raise DataError(f"{path}: expected TOML; {error}") from None


@checked
def read_doc_ids(path: str | Path) -> list[str]:
    r"""Read the doc_ids of a file, in its order; blanks around them and blank lines are ignored.

    Parameters
    ----------
    path : str or Path
        The file, gzipped or not; ``-`` is standard input.

    Raises
    ------
    DataError
        If the file cannot be read, or holds no doc_id.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "gone.txt")
    >>> _ = path.write_text("d1\n\nd7 \n")
    >>> read_doc_ids(path)
    ['d1', 'd7']
    """
    doc_ids = [line.strip() for _, line in numbered_lines(path) if line.strip()]
    if not doc_ids:
        name = "standard input" if str(path) == "-" else path
        raise DataError(f"{name} holds no doc_id; expected one on each line")
    return doc_ids


class ByteRange(NamedTuple):
    """Lines of a file from byte start up to byte stop, after its first line, which ends at byte first."""

    first: int  # 0 if the range itself begins with the first line
    start: int
    stop: int


RANGES: ContextVar[Mapping[str, ByteRange] | None] = ContextVar("ranges of files", default=None)
"""Ranges that this thread reads; None: all files as a whole."""


def only_ranges(ranges: Mapping[str, ByteRange] | None) -> AbstractContextManager[None]:
    """Let this thread read only these ranges of documents, by the absolute paths of their files; None: all files."""
    return holding(RANGES, ranges)


def in_range(path: Path | str, file: IO[bytes]) -> IO[bytes]:
    """Return the bytes of a file that are read."""
    chosen = (RANGES.get() or {}).get(os.path.abspath(path))
    return file if chosen is None else io.BufferedReader(_Part(file, chosen), 1 << 17)


class _Part(_Stream):
    """Bytes of a range of a file, after its first line."""

    def __init__(self, file: IO[bytes], wanted: ByteRange) -> None:
        self._file = file
        self._left = [(0, wanted.first), (wanted.start, wanted.stop)]
        self._place = 0

    def _next(self, size: int) -> bytes:
        while self._left:
            start, stop = self._left[0]
            self._file.seek(max(start, self._place))
            data = self._file.read(min(size, stop - self._file.tell()))
            self._place = self._file.tell()
            if self._place >= stop or not data:
                del self._left[0]
                self._place = 0
            if data:
                return data
        return b""
