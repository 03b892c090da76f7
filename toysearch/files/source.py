"""Source: a file, standard input or bytes that are read: opened once; its head, its lines and its blocks."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from typing import IO, Any, NamedTuple, NoReturn, TypeAlias, cast

from toysearch.base import ArgumentError, DataError, ReadingNote, Remedy, a, counted, groups_of, note, typed_line
from toysearch.base.optional_packages import present
from toysearch.base.platform import LOCKS_OPEN_FILES
from toysearch.files.encodings import (
    BYTE_ORDER_MARK,
    encoding_of,
    is_utf8,
    likely_encoding,
    mended_bytes,
    recoded,
)
from toysearch.files.reading import Reading
from toysearch.files.unpacking import (
    BLOCK,
    DAMAGE,
    GZIP,
    MadeBytes,
    blocks_of,
    damaged,
    peeked,
    refuse_growth,
    unpacked,
    unpacked_name,
)

__all__ = ["read_doc_ids"]

LONGEST_LINE = 1 << 26
"""Most bytes of a line; a longer one is not text, or would take gigabytes of memory."""

ENOUGH = 1 << 16
"""Number of bytes that determine a format."""

SAVE_AS_UTF8 = "save it as UTF-8"
"""Advice on a file for which no encoding can be named."""

_PARQUET = b"PAR1"
_TABLES = (b"PK\x03\x04", _PARQUET)
_MARKS = (b"BZh", *_TABLES)  # of files in ASCII that are not text
_MOST_LINES = 20
_MOST_KEPT = 64
_NUMBER = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
_BLANKS, _ID = r"[^\S\n]+", r"[^\s\"|]+"
_USUAL = re.compile(
    rf"""\s*(?:\{{\s*"(?!(?:index|create)\")|(?:{_ID}{_BLANKS}){{3}}{_NUMBER}(?:{_BLANKS}{_NUMBER}{_BLANKS}\S+)?[^\S\n]*$)""",
    re.MULTILINE,
)
"""Beginning of a file in no other notation: an object of JSON, or a line of TREC."""
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_VERSION = attrgetter("st_mtime_ns", "st_size", "st_ino")  # of a file
_kept: list[IO[bytes]] = []  # files that wait for their readers
_open: list[IO[bytes]] = []
_taken_before = [0]  # bytes read from files that are closed by now


_Opened: TypeAlias = tuple[IO[bytes], IO[bytes]]  # a file as stored, and its bytes as they are read
AnyPath: TypeAlias = str | os.PathLike[str]
"""A path, or the `Source` of what is read there."""
Line: TypeAlias = tuple[int, str]
"""Line of a file, behind its number."""


class ByteRange(NamedTuple):
    """Lines of a file from byte start up to byte stop, after its first line, which ends at byte first."""

    first: int  # 0 if the range itself begins with the first line
    start: int
    stop: int


@dataclass(eq=False)
class Beginning:
    """First bytes of a file, with a byte order mark, and the file that stays open until a reader takes it."""

    read: bytes = b""
    whole: bool = False  # whether the file is not longer
    version: tuple[object, ...] = ()  # of the file
    unit: str = "line"  # or "row", of a workbook or of Parquet, each row of which is made a line
    encoding: str = ""  # that the letters show, where nobody names one
    sheets: Mapping[str, bytes] = field(default_factory=dict)  # of a workbook
    left: list[_Opened] = field(default_factory=list)  # as stored and its bytes; at most one


@dataclass(eq=False, repr=False)
class Source(os.PathLike[str]):
    """What is read, and how: a file, standard input or bytes.

    A function that takes a path takes a source too. A file that was opened to see what it is stays open for its
    reader. It is opened again where it is read a second time or has changed meanwhile; of a folder with more than 64
    files, each is opened to recognise it and to read it, so that no more are held.

    path : the name, ``-`` for standard input
    reading : the settings with which it is read
    part : the bytes that are read; None for all
    data : its bytes, if they are known
    files : of a folder, the sources that were looked at, by their paths
    beside : the other files of a call, with whose ids the columns of an unknown table are found
    ids : returns the ids of its queries and of its documents, if it is a collection
    sheet : that of a workbook, whose cells are the data
    alike : another file of its folder, whose objects may have the same keys
    stem : the name without its ending, if no other file of JSON in the folder has it
    known : what was found in its head, by a name for it
    """

    path: str
    reading: Reading = Reading()
    part: ByteRange | None = None
    data: bytes | None = None
    files: Mapping[str, Source] = field(default_factory=dict)
    beside: Sequence[Source] = ()
    ids: Callable[[], Sequence[Iterable[str]]] | None = None
    begun: Beginning = field(default_factory=Beginning)
    sheet: str = ""
    alike: Sequence[Source] = ()
    stem: str = ""
    known: dict[object, Any] = field(default_factory=dict, init=False)

    def __str__(self) -> str:
        return self.path

    def __fspath__(self) -> str:
        return self.path

    def __reduce__(self) -> tuple[type[Source], tuple[object, ...]]:
        """Copy or send what says where it is and how it is read; nothing that is open."""
        known = self.path, self.reading, self.part, self.data
        return Source, (*known, {}, (), None, Beginning(), self.sheet, self.alike, self.stem)

    def read_as(self, **settings: Any) -> Source:
        """Return the source with other settings; in another encoding, it is opened again."""
        if all(getattr(self.reading, name) is value for name, value in settings.items()):
            return self
        reading = replace(self.reading, **settings)
        same = reading.encoding == self.reading.encoding
        same = same or not (self.begun.encoding or reading.codec or self.reading.codec)  # all is UTF-8
        begun = self.begun if same else Beginning()
        return replace(self, reading=reading, begun=begun)

    def only(self, part: ByteRange) -> Source:
        """Return the source of a part of the file."""
        return Source(self.path, self.reading, part)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the bytes, unpacked if the first ones say that they are packed, in UTF-8."""
        if self.data is not None:
            yield io.BytesIO(self.data)
            return
        if self.path == "-":
            yield self._readable(sys.stdin.buffer)
            return
        stored, content = self._handed()
        if self.reading.encoding and self.reading.codec and self._is_utf8():
            tell_utf8([self.path], self.reading)
        with stored:
            _open.append(stored)
            try:
                yield content
            finally:
                _open.remove(stored)
                _taken_before[0] += _place(stored)

    @cached_property
    def head(self) -> bytes:
        """First bytes, unpacked, without a byte order mark; empty if they cannot be unpacked."""
        if self.data is not None:
            return self.data[:ENOUGH]
        if self.path == "-":
            return self._waiting(ENOUGH).removeprefix(BYTE_ORDER_MARK)
        if not self.begun.version:
            self._begin()
        return without_separator(self.begun.read.removeprefix(BYTE_ORDER_MARK))

    @property
    def others(self) -> str:
        """Names of the other files of a call."""
        return " and ".join(map(str, self.beside))

    @property
    def unit(self) -> str:
        """Return "line" or "row", as the file numbers what it holds."""
        return "row" if self.sheet or self.sheets else self.begun.unit

    @cached_property
    def sheets(self) -> Mapping[str, bytes]:
        """Sheets of a workbook by their names, as CSV; none of a file that is damaged, or none."""
        is_read = os.path.isfile(self.path) and self.head is not None  # which finds them
        return self.begun.sheets if is_read else {}

    @property
    def is_usual(self) -> bool:
        """Whether no sheet has to be chosen, and no other notation to be read: of JSON, of TREC, of what is no file."""
        if self.data is None and not os.path.isfile(self.path):  # standard input, or a folder
            return True
        begins = _USUAL.match(self.text)  # the file is looked at first, which finds the sheets
        return bool(begins) and not self.begun.sheets

    def of_sheet(self, name: str) -> Source:
        """Return the source of a sheet of a workbook."""
        data = self.sheets[name]
        return replace(self, data=data, sheet=name, begun=Beginning(data[:ENOUGH], whole=len(data) < ENOUGH))

    def at(self, line: int) -> str:
        """Name a line, or a row, of the file."""
        if self.unit == "line":
            return f"{self}:{line}"
        sheet = f", sheet '{self.sheet}'" if self.sheet else ""
        return f"{self}{sheet}, row {line}"

    def _begin(self) -> None:
        """Read the first bytes, and keep the file open for its reader unless they are all."""
        with suppress(OSError):  # opening it reports the problem
            if stat.S_ISFIFO(os.stat(self.path).st_mode):
                raise DataError(
                    f"{self} is a pipe, which can be read only once, and detecting its format takes one reading; save "
                    "it to a file, or pipe it into standard input and name it -"
                )
        begun, (file, content) = self.begun, self._opened()
        begun.version = _VERSION(os.fstat(file.fileno()))
        with suppress(*DAMAGE):  # the reader reports the damage
            begun.read = content.read(ENOUGH)
            begun.whole = len(begun.read) < ENOUGH
        _kept[:] = [other for other in _kept if not other.closed]
        if len(begun.read) < ENOUGH or len(_kept) >= _MOST_KEPT or LOCKS_OPEN_FILES:
            file.close()
        else:
            _kept.append(file)
            begun.left.append((file, content))
            weakref.finalize(begun, file.close)

    @property
    def size(self) -> int:
        """Number of its bytes, as stored; 0 if it is not known."""
        if self.data is not None:
            return len(self.data)
        return os.path.getsize(self.path) if os.path.isfile(self.path) else 0

    @property
    def whole(self) -> bool:
        """Whether the file is not longer than its head."""
        return self.begun.whole

    def _handed(self) -> _Opened:
        """Hand the file and its bytes to a reader: what is open to the first one, unless all of it is here."""
        begun = self.begun
        if not self.is_current:
            self.close()
        elif begun.whole:
            return io.BytesIO(begun.read), io.BytesIO(begun.read)
        try:
            file, content = begun.left.pop()  # one reader gets it, whatever the threads
        except IndexError:
            return self._opened()
        if content is not file:
            return file, MadeBytes(chain([begun.read], blocks_of(content))).buffered()
        file.seek(0)
        return file, file

    def close(self) -> None:
        """Close what is open; a reader opens the file again."""
        while self.begun.left:
            self.begun.left.pop()[0].close()

    @property
    def is_current(self) -> bool:
        """Whether what is kept is of the file as it is now; what is open is read to its end though the file is gone."""
        with suppress(OSError):
            return not self.begun.version or _VERSION(os.stat(self.path)) == self.begun.version
        return not self.begun.whole

    def _opened(self) -> _Opened:
        """Open the file as stored, and its bytes as they are read."""
        try:
            file = cast("io.BufferedReader", open(self.path, "rb", BLOCK))  # noqa: SIM115  (whoever takes it closes it)
        except OSError as error:
            refuse_address(self.path)
            if isinstance(error, FileNotFoundError):
                raise DataError(f"{self}: there is no such file") from None
            if os.path.isdir(self.path):  # Windows says that it may not be read
                raise DataError(f"{self} is a folder; expected a file") from None
            raise DataError(f"{self} cannot be read: {error.strerror}") from None
        try:
            content = file if self.part is None else MadeBytes(_in_range(file, self.part)).buffered()
            head = content.peek(ENOUGH)[:ENOUGH]
            if self.reading.encoding is None and head.isascii() and b"\0" not in head and not head.startswith(_MARKS):
                return file, content  # no mark of a packed file or of another encoding
            return file, self._readable(content)
        except BaseException:
            file.close()
            raise

    def _readable(self, file: IO[bytes]) -> IO[bytes]:
        """Return what a file holds, unpacked and in UTF-8."""
        file, named = unpacked(self.path, file), self.reading.codec
        try:
            head = peeked(file, ENOUGH)[:ENOUGH]
        except DAMAGE:  # reading it reports the damage
            return file
        encoding = self._encoding_of(head)
        if self.path != "-" and head.startswith(_TABLES) and (pieces := self._rows(file)):
            return MadeBytes(pieces).buffered()
        if encoding is None or (encoding == named and self._is_utf8()):
            return file
        return MadeBytes(recoded(self.path, file, encoding)).buffered()

    def _encoding_of(self, head: bytes) -> str | None:
        """Return the encoding of the file that begins so; None for UTF-8."""
        is_text = b"\0" not in head and not head.startswith((*_KINDS_OF_BYTES, GZIP))
        is_open = self.reading.encoding is None and self.part is None and is_text
        encoding = encoding_of(head, self.reading.codec, is_open=is_open)
        self.begun.encoding = encoding if is_open and encoding and not encoding.startswith("utf") else ""
        return encoding

    def _rows(self, file: IO[bytes]) -> Iterator[bytes] | None:
        """Return the lines that are made of a workbook or of Parquet; None for another file, or without its library."""
        head = peeked(file, 64)
        if head.startswith(_PARQUET) and present("pyarrow"):
            return self._of_parquet(file)
        from toysearch.files.syntaxes import workbook

        if not workbook.may_be(head) or not present("python_calamine"):
            return None
        return self._of_workbook(file)

    def _of_workbook(self, file: IO[bytes]) -> Iterator[bytes]:
        from toysearch.files.syntaxes import workbook

        data = file.read()
        found = workbook.sheets(self.path, data)
        if found is None:
            yield data
            return
        self.begun.unit, self.begun.sheets = "row", found
        yield from workbook.only_sheet(found)

    def _of_parquet(self, file: IO[bytes]) -> Iterator[bytes]:
        from toysearch.files.syntaxes import columnar

        self.begun.unit = "row"
        given, size = 0, os.path.getsize(self.path)
        for lines in columnar.lines(file if file.seekable() else io.BytesIO(file.read())):
            given += len(lines)
            refuse_growth(self.path, "Parquet", given, size, "; save it as JSON Lines if that is right")
            yield lines

    def _is_utf8(self) -> bool:
        wide = (self.reading.codec or "").startswith(("utf-16", "utf-32"))
        return self.path != "-" and not wide and is_utf8(self.path)

    def _waiting(self, size: int) -> bytes:
        """Return the next bytes of standard input, unpacked and as UTF-8, without consuming them."""
        data = peeked(sys.stdin.buffer, size)
        try:
            if data.startswith(GZIP):
                data = zlib.decompressobj(wbits=31).decompress(data, size)
            encoding = self._encoding_of(data)
            return codecs.getincrementaldecoder(encoding)().decode(data).encode() if encoding else data
        except (zlib.error, UnicodeError):
            return b""  # the reader reports the damage

    @cached_property
    def text(self) -> str:
        """Complete lines of the head."""
        head = self.head
        cut = not self.begun.whole and b"\n" in head
        return (head[: head.rindex(b"\n")] if cut else head).decode(errors="replace")

    @property
    def lines(self) -> list[str]:
        """Complete lines of the head that are not blank."""
        return [line for line in self.text.split("\n") if line.strip()]

    @cached_property
    def first_lines(self) -> list[str]:
        """First complete lines that are not blank; the beginning of the first one if it is longer than the head."""
        text = self.text.lstrip(" \r\n") or self.head.decode(errors="replace").lstrip(" \r\n")
        return [line for line in text.split("\n") if line.strip()][:_MOST_LINES]  # a tab may stand before a first label

    @property
    def delimiter(self) -> str:
        """Separator of the cells of the first line."""
        return next((mark for mark in "\t;,|" if mark in self.first_lines[0]), ",")

    @property
    def labels(self) -> list[str]:
        """Cells of the first line."""
        return [label.strip().strip('"') for label in self.first_lines[0].split(self.delimiter)]


def source_of(path: AnyPath, **settings: Any) -> Source:
    """Return the source of a path, or the given one if it holds what the file does; with some settings changed."""
    if not isinstance(path, Source):
        if not isinstance(path, str | os.PathLike):
            raise ArgumentError(f"path must be a text or a path, not {a(path)}")
        return Source(os.fspath(path), Reading(**settings))
    if not path.is_current:
        path.close()
        path = Source(path.path, path.reading, path.part, beside=path.beside)
    return path.read_as(**settings) if settings else path


def standard_input() -> Source:
    """Read all of standard input, unpacked and in UTF-8."""
    with Source("-").open() as file:
        return Source("-", data=file.read())


def unit_of(path: AnyPath) -> str:
    """Return "line" or "row", as a file numbers what it holds."""
    return path.unit if isinstance(path, Source) else "line"


def open_bytes(path: AnyPath) -> AbstractContextManager[IO[bytes]]:
    """Open the bytes of a file, unpacked and in UTF-8."""
    return source_of(path).open()


def _in_range(file: IO[bytes], wanted: ByteRange) -> Iterator[bytes]:
    """Yield the bytes of a range of a file, after its first line."""
    for start, stop in ((0, wanted.first), (wanted.start, wanted.stop)):
        file.seek(start)
        while data := file.read(min(BLOCK, stop - file.tell())):
            yield data


def bytes_read() -> int:
    """Count the bytes read from files by this process so far, as stored, for the progress display."""
    return _taken_before[0] + sum(map(_place, _open))


def _place(file: IO[bytes]) -> int:
    try:
        return file.tell()
    except (OSError, ValueError):  # neither a pipe nor a file closed meanwhile has a position
        return 0


def refuse_address(source: object) -> None:
    """Refuse an address, such as one of the web: only files and folders of this computer are read.

    >>> refuse_address("pets/corpus.jsonl")
    >>> refuse_address("https://example.org/mine.run")
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: https://example.org/mine.run is an address; download it first, and ...
    """
    if isinstance(source, str | Source) and _ADDRESS.match(str(source)):
        raise ArgumentError(f"{source} is an address; download it first, and give its path")


INSTALL = "pip install 'toysearch[files]'"
"""What installs the libraries that read files which are no text."""

_READERS = {
    "a PDF": ("pypdf", ".pdf"),
    "an Excel workbook": ("python_calamine", ".xlsx"),
    "a Parquet file": ("pyarrow", ".parquet"),
}
"""Kind of such a file → its library, and the end of its name."""

_KINDS_OF_BYTES = {
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF; save its text as a plain text file",
    b"\xd0\xcf\x11\xe0": (
        "an Office file of before 2007, or one with a password; save a table as CSV, and a text as plain text"
    ),
    _PARQUET: "a Parquet file; save it as CSV or JSON Lines",
    b"\x93NUMPY": "an array of numpy; expected text",
    b"\xff\xd8\xff": "a picture; expected text",
    b"\x89PNG": "a picture; expected text",
    b"GIF89a": "a picture; expected text",
    b"MZ\x90": "a program; expected text",
    b"\x7fELF": "a program; expected text",
    b"\x80\x05\x95": "a pickle of Python; save its records as JSON Lines",
    b"ARROW1\0": "a Feather file; save it as CSV or JSON Lines",
    b"SQLite format 3\0": "a database of SQLite; name its dump: sqlite3 FILE .dump > FILE.sql, or a table as CSV",
    b"7z\xbc\xaf": "a 7-Zip archive; unpack it and name its folder, or a file in it",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it first",
    b"BZh": "packed by bzip2; unpack it first",
    b"\xfd7zXZ": "packed by xz; unpack it first",
}
"""First bytes of a file that is not text → a description, and what to do."""
_TAR, _OF_TAR = b"ustar", 257
"""Bytes of a tar archive, and their place."""

_OFFICE = {
    b"xl/": "an Excel workbook; save the sheet as CSV",
    b"word/": "a Word document; save it as plain text",
    b"opendocument.spreadsheet": "a spreadsheet of OpenDocument; save the sheet as CSV",
}


def unread() -> dict[str, str]:
    """Return the kinds of files whose library is not installed, with the ends of their names."""
    return {kind: suffix for kind, (library, suffix) in _READERS.items() if not present(library)}


def refuse_bytes(path: AnyPath, head: bytes) -> None:
    """Refuse a file whose first bytes show that it is not text."""
    if head.startswith(_TAR, _OF_TAR):
        raise DataError(f"{path} is a tar archive; {_way_of_archive(path, 'tarfile')}")
    for mark, what in _KINDS_OF_BYTES.items():
        if head.startswith(mark):
            inside = head[:4096] if mark.startswith(b"PK") else b""
            what = next((name for part, name in _OFFICE.items() if part in inside), what)
            can_be = what.partition(";")[0] in unread() and str(path) != "-"
            install = f", or install what reads it: {INSTALL}" if can_be else ""
            way = f"; {_way_of_archive(path, 'zipfile')}" if ";" not in what else ""
            raise DataError(f"{path} is {what}{way}{install}")


def _way_of_archive(path: AnyPath, module: str) -> str:
    """Say how a module of Python unpacks an archive."""
    folder = f"{os.path.splitext(unpacked_name(str(path)))[0]}_unpacked"
    return f"unpack it, as with `{typed_line('python', '-m', module, '-e', str(path), folder)}`, and name that folder"


def numbered_lines(path: AnyPath, advice: str = "") -> Iterator[Line]:
    """Yield the lines of a text file, numbered from 1, without their line ends; advice: if it is not UTF-8."""
    # A byte order mark is dropped. Only LF and CRLF end a line (a form feed or U+2028 is part of its line). Invalid
    # UTF-8 becomes U+FFFD; a note says how many sequences.
    for first, block in text_blocks(path, advice):
        for number, line in enumerate(block.split("\n"), first):
            yield number, line.rstrip("\r")


def whole_text(path: AnyPath) -> str:
    """Return the lines of `numbered_lines` as one text."""
    return "\n".join(line for _, line in numbered_lines(path))


def text_blocks(path: AnyPath, advice: str = "") -> Iterator[Line]:
    """Yield the lines of `numbered_lines` in blocks: the first line's number, and the text, less its last line end."""
    source, first, replaced = source_of(path), 1, 0
    with source.open() as file:
        for data in raw_blocks(source, file):
            text, bad = mended_bytes(data)
            replaced += bad
            yield first, text.removesuffix("\n")
            first += text.count("\n")
    if replaced or source.begun.encoding:
        tell_replaced(source, replaced, advice)


def tell_utf8(paths: Sequence[str], reading: Reading, total: int = 1) -> None:
    """Note files that are read as UTF-8 though another encoding is named, unless they are taken together."""
    if reading.report.in_utf8 is not None:
        reading.report.in_utf8.extend(paths)
    elif paths:
        many = "" if total == 1 else f"{len(paths)} of {counted(total, 'file')}: "
        note(f"{many}{paths[0]} is UTF-8 and is read as that, not as {reading.codec}", ReadingNote)


def tell_replaced(source: Source, replaced: int, advice: str = "") -> None:
    """Note the encoding in which a file is read; of bytes replaced by U+FFFD, their number and a likely one."""
    likely = source.begun.encoding
    if replaced and source.path != "-":
        with source.open() as file, suppress(*DAMAGE):
            likely = likely_encoding(file.read(ENOUGH))
    found = source.path, replaced, likely
    if source.reading.report.replaced is not None:
        source.reading.report.replaced.append(found)
    else:
        tell_replaced_in([found], 1, advice)


def tell_replaced_in(files: Sequence[tuple[str, int, str]], total: int, advice: str = "") -> None:
    """Note the files that are not UTF-8, with their likely encoding, in which those without places are read."""
    recoded_first = sorted(files, key=lambda found: found[1] > 0)
    for some in groups_of((found[1] > 0, found) for found in recoded_first).values():
        first, n_places, _ = some[0]
        what = first if len(some) == 1 else f"{len(some):,} of {counted(total, 'file')}, the first {first}"
        likely, times = Counter(likely for _, _, likely in some).most_common(1)[0]
        if not n_places:
            note(f"{what}: not UTF-8, read as {likely} by its letters; if that is wrong, {SAVE_AS_UTF8}", ReadingNote)
            continue
        looking = "it looks"
        if len(some) > 1:
            looking = "they look" if times == len(some) else f"{times:,} of them look{'s' * (times == 1)}"
        looks = f"{looking} like {likely}: " if likely else ""
        places = counted(sum(replaced for _, replaced, _ in some), "place")
        way = advice or Remedy("load", encoding=likely or ...)
        note(f"{what}: not UTF-8 in {places}, read as U+FFFD; {looks}{way}", ReadingNote)


def raw_blocks(path: AnyPath, file: IO[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks of whole lines, without a byte order mark."""
    try:
        yield from _first_line(path, file)
        while data := file.read(size):
            rest = file.readline(LONGEST_LINE)
            if len(rest) == LONGEST_LINE:
                raise too_long(path)
            yield data + rest
    except DAMAGE as error:
        raise damaged(path, error) from None


def raw_lines(path: AnyPath, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, with their line ends, without a byte order mark."""
    try:
        yield from _first_line(path, file)
        for line in iter(partial(file.readline, LONGEST_LINE), b""):
            if len(line) == LONGEST_LINE:
                raise too_long(path)
            yield line
    except DAMAGE as error:
        raise damaged(path, error) from None


def _first_line(path: AnyPath, file: IO[bytes]) -> list[bytes]:
    line = file.readline(LONGEST_LINE)
    if line.startswith(tuple(_KINDS_OF_BYTES)) or line.startswith(_TAR, _OF_TAR):
        refuse_bytes(path, line + peeked(file, 4096))
    if len(line) == LONGEST_LINE:
        raise too_long(path)
    return [without_separator(line.removeprefix(BYTE_ORDER_MARK))] if line else []


def without_separator(data: bytes) -> bytes:
    r"""Leave only the line end of a first line that tells Excel the separator.

    >>> without_separator(b"sep=;\r\nid;text\r\n"), without_separator(b"sep=id\n")
    (b'\r\nid;text\r\n', b'sep=id\n')
    """
    tells = data[:4].lower() == b"sep=" and data[4:5] in b",;\t|" and data[5:7].lstrip(b"\r")[:1] == b"\n"
    return data[5:] if tells else data


def too_long(path: AnyPath) -> DataError:
    """Return the error for a file with an overlong line."""
    return DataError(f"{path} has a line of more than {LONGEST_LINE >> 20} MB; expected lines of text")


def sha256(path: AnyPath) -> str:
    """Return the checksum of the content of a file, unpacked and with CRLF as LF, so that copies agree."""
    import hashlib

    digest = hashlib.sha256()
    with source_of(path, encoding="utf-8").open() as file:
        while chunk := file.read(1 << 20):
            while chunk.endswith(b"\r") and (following := file.read(1)):
                chunk += following  # a CRLF must not fall between two chunks
            digest.update(chunk.replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def is_pattern(path: str) -> bool:
    """True if a path has the signs of a pattern, and is not that of a file or a folder."""
    return re.search(r"[*?[{]", path) is not None and not os.path.exists(path)


def files_named(path: AnyPath) -> list[Source]:
    """Return the files that a pattern matches, such as ``judged/*.txt`` or ``{a,b}.txt``; any other path by itself."""
    source = source_of(path)
    if not is_pattern(source.path):
        return [source]
    import glob

    begin, _, rest = source.path.partition("{")
    inside, brace, end = rest.partition("}")
    patterns = [f"{begin}{part}{end}" for part in inside.split(",")] if brace else [source.path]
    matches = {file for pattern in patterns for file in glob.glob(pattern, recursive=True)}
    files = sorted(file for file in matches if os.path.isfile(file))
    if not files:
        refuse_address(path)
        raise DataError(f"{path} matches no file; give the path of a file, or a pattern that matches some")
    return [replace(source, path=file, begun=Beginning()) for file in files]


def refuse_folder(error: OSError) -> NoReturn:
    """Refuse a folder that `os.walk` cannot read."""
    raise DataError(f"{error.filename} cannot be read: {error.strerror}") from None


_JSON_OF_YAML = (
    'import glob, json, sys, yaml; [open(path.rpartition(".")[0] + ".json", "w").write(json.dumps(each[1:] and each '
    'or each[0])) for path in glob.glob(sys.argv[1]) for each in [[*yaml.load_all(open(path, "rb"), yaml.BaseLoader)]]]'
)


_CONVERTED = {
    r"(?i)(?:.*\n){0,99}[ \t]*(?:INSERT\s+INTO\s|COPY\s+\S+\s*\()": "a dump of a database; give its table as CSV: {}",
    "BEGIN:V": "a list of contacts or events; export it as CSV",
    r"\s*\{\s*\"ids\"\s*:\s*\[\s*\"": "parallel lists, as Chroma returns them; write an object for each document",
    r"WEBVTT|\d+\s*\n[\d:.,]+ -->": "subtitles; save the text of each one on a line of its own",
    r"(?:.*\n){1,2}[ \t]*[|+]?-+[-| ]*\+[-|+ ]*\n": "a table drawn with lines; save it as CSV",
    r"\s*[\[{(]+\s*(?:\(|'|\d+\s*:)": "what Python prints; write it with json.dumps",
}
"""Beginning of a file that is not read → what it is, and what to do."""
_SELECTED = typed_line("sqlite3", "-header", "-csv", "shop.db", "SELECT * FROM products")


def other_notation(head: bytes) -> str:
    """Say what a file in a notation that is not read is by its beginning, and what to do; "" for any other."""
    text = head.decode(errors="replace")
    return next((found.format(_SELECTED) for sign, found in _CONVERTED.items() if re.match(sign, text)), "")


def refuse_converted(path: AnyPath, head: bytes = b"", *, alike: bool = False) -> None:
    """Refuse a file of YAML by its name, or another notation by its beginning, and say how to convert it.

    alike : whether it stands for those of its kind in its folder
    """
    if found := other_notation(head):
        raise DataError(f"{path} is {found}")
    stem, suffix = os.path.splitext(str(path))
    if suffix.lower() in (".yaml", ".yml"):
        pattern = os.path.join(os.path.dirname(stem), f"*{suffix}") if alike else str(path)
        way = typed_line("python", "-c", _JSON_OF_YAML, pattern)
        raise DataError(f"{path} is YAML, which is not read; make JSON of it: {way}")


def refuse_unreadable(path: AnyPath, *, alike: bool = False) -> None:
    """Refuse a file whose beginning cannot be read; alike: it stands for those of its kind in its folder."""
    with open_bytes(path) as file:
        try:
            head = file.read(ENOUGH)
        except DAMAGE as error:
            raise damaged(path, error) from None
    refuse_converted(path, head, alike=alike)
    _first_line(path, io.BytesIO(head))


def read_doc_ids(path: str | os.PathLike[str]) -> list[str]:
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
    >>> from pathlib import Path
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
