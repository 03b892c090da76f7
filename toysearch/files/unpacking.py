"""Unpacking: the bytes of gz, bz2 and xz as they were, and what damages them."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import IO, Any, cast

from toysearch.base import DataError

GZIP = b"\x1f\x8b"
_PACKED = (
    (GZIP, "gzip", "zlib", "decompressobj", (zlib.MAX_WBITS | 16,)),
    (b"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", "bzip2", "bz2", "BZ2Decompressor", ()),
    (b"\xfd7zXZ\0", "xz", "lzma", "LZMADecompressor", (1,)),
)
"""How a packed file begins, the name of the form, and the module, the class and its arguments that unpack a stream."""

BLOCK = 1 << 17
"""Bytes that are split at a time: they stay in the cache."""

_PACKED_BLOCK = 1 << 15  # bytes unpacked at a time: those behind the end of a short stream are copied
HIGHEST_RATIO = 200
"""Highest ratio of unpacked to packed bytes: text packs to a tenth, judgments to a fiftieth."""

ALWAYS_UNPACKED = 1 << 26
"""Unpacked bytes that are allowed at any ratio."""


DAMAGE = (EOFError, zlib.error, OSError)
"""Exceptions raised while a damaged or truncated file is unpacked."""


def peeked(stream: IO[bytes], size: int) -> bytes:
    """Return the next bytes that a stream has buffered, without consuming them."""
    if hasattr(stream, "peek"):
        return cast(bytes, stream.peek(size))
    place = stream.tell()
    data = stream.read(size)
    stream.seek(place)
    return data


def unpacked(path: str, file: IO[bytes]) -> IO[bytes]:
    """Return what a file holds, unpacked if it is packed."""
    head = peeked(file, 10)
    # The first bytes of standard input are looked at without using them up, which gzip alone allows.
    for begin, form, module, kind, settings in _PACKED if path != "-" else _PACKED[:1]:
        if head[:1] == begin[:1] and re.match(begin, head):
            with suppress(ImportError):  # some builds of Python lack one; the reader says that the file is packed
                opener = partial(getattr(import_module(module), kind), *settings)
                return MadeBytes(_contents(path, file, form, opener)).buffered()
    return file


def table_name(name: str) -> str:
    """Return the name of a file as that of the text which it is read as.

    >>> table_name("mine.csv.gz"), table_name("Mine.XLSX")
    ('mine.csv', 'Mine.csv')
    """
    return re.sub(r"(?i)\.xls[xm]\Z", ".csv", unpacked_name(name))


def unpacked_name(name: str) -> str:
    """Return the name of a file without the suffix that says how it is packed.

    >>> unpacked_name("mine.csv.gz"), unpacked_name("mine.run.BZ2"), unpacked_name("a.txt")
    ('mine.csv', 'mine.run', 'a.txt')
    """
    return re.sub(r"(?i)\.(?:gz|bz2|xz)\Z", "", name)


class Undecided(OSError):
    """Why a file cannot be read though it is whole."""


class MadeBytes(io.RawIOBase):
    """Bytes that are made piece by piece when they are read; whatever stops that is raised for each reader."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._piece = pieces, b""
        self._damage: Exception | None = None

    def readable(self) -> bool:
        """Return True: a stream must say whether it can be read."""
        return True

    def readinto(self, room: Any) -> int:
        """Write the next bytes into an array, and return their number."""
        try:
            while self._damage is None and not self._piece and (piece := next(self._pieces, None)) is not None:
                self._piece = piece
        except (DataError, *DAMAGE) as error:
            self._damage = error
        except ImportError as error:
            self._damage = Undecided(f"cannot be read, since a library is not loaded: {error}")
        except Exception as error:  # the libraries raise many kinds
            self._damage = OSError(" ".join(str(error).split()) or type(error).__name__)
        if self._damage is not None:
            raise self._damage from None
        data = self._piece[: len(room)]
        self._piece = self._piece[len(data) :]
        room[: len(data)] = data
        return len(data)

    def buffered(self) -> io.BufferedReader:
        """Return them as a file."""
        return io.BufferedReader(self, BLOCK)


def blocks_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what is left of a file in blocks."""
    return iter(partial(file.read, BLOCK), b"")


def _contents(path: object, file: IO[bytes], form: str, opener: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the contents of a packed file; refuse one that expands too much."""
    taken, given = 0, 0

    def read() -> bytes:
        nonlocal taken
        data = file.read(_PACKED_BLOCK)
        taken += len(data)
        return data

    for data in _of_streams(read, opener, padding=4 if form == "xz" else 1):
        given += len(data)
        refuse_growth(path, form, given, taken, "; unpack it yourself if that is right")
        yield data


def _of_streams(read: Callable[[], bytes], opener: Callable[[], Any], padding: int) -> Iterator[bytes]:
    """Yield the bytes of compressed streams: another one follows each, or padding of zero bytes, or nothing."""
    # The file objects of Python take a later stream with a damaged beginning for the end of the file.
    stream, following = opener(), b""
    while True:
        needed = not following and getattr(stream, "needs_input", True)
        packed = read() if needed else following
        data = stream.decompress(packed, BLOCK)
        yield data
        following = getattr(stream, "unconsumed_tail", b"")
        if needed and not packed and not data and not stream.eof:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        if not stream.eof:
            continue
        rest, n_zeros = stream.unused_data or read(), 0
        while rest and not rest.strip(b"\0"):
            n_zeros += len(rest)
            rest = read()
        following = rest.lstrip(b"\0")
        n_zeros += len(rest) - len(following)
        if n_zeros % padding:
            raise OSError(f"{n_zeros:,} zero bytes stand after a compressed stream")
        if not following:
            return
        stream = opener()


def refuse_growth(path: object, form: str, given: int, taken: int, advice: str = "") -> None:
    """Refuse a file that grows too much while it is unpacked."""
    if given > max(ALWAYS_UNPACKED, HIGHEST_RATIO * taken):
        raise DataError(f"{path} is {form} that grows more than {HIGHEST_RATIO}-fold, to over {given >> 20} MB{advice}")


def damaged(path: object, error: Exception) -> DataError:
    """Return the error for a file that cannot be unpacked to its end."""
    if isinstance(error, Undecided):
        return DataError(f"{path} {error}")
    return DataError(f"{path} cannot be read to its end because it is damaged or truncated: {error}")
