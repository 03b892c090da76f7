"""Tar and zip archives: only the requested files are unpacked, and hostile archives are refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, cast

from toysearch.base.errors import DataError, StorageError
from toysearch.formats.text_files import ALWAYS_UNPACKED, HIGHEST_RATIO, open_bytes

MOST_BYTES = 4 << 30
"""Upper bounds for a download and for its unpacked contents."""

_LONGEST_HEADER = 1 << 20  # bytes of a tar header that continues another: a long name, not more
_MOST_ENTRIES = 100_000
_CHUNK = 1 << 20
_DRIVE = re.compile("[A-Za-z]:")
_ZIP = b"PK"
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError)


class _Entry(NamedTuple):
    name: str
    size: int
    kind: str  # "file", "folder", or a description of anything else
    open: Callable[[], IO[bytes]]


_Entries = Generator[_Entry, None, None]


def leaves_folder(name: str) -> bool:
    r"""Whether a path may lead out of the folder that it is joined to: it is absolute or contains ``..``."""
    parts = name.replace("\\", "/").split("/")
    return not name or parts[0] == "" or ".." in parts or bool(_DRIVE.match(name)) or "\0" in name


def unpack(packed: Path, targets: Mapping[str, Path], shown: str) -> None:
    """Write the wanted files of an archive, unpacked, or a single file that is not an archive."""
    # A file is found in the archive by its path, by its path below a folder, or by its name alone. Nothing else is
    # written. Nothing at all is written if the archive holds a path that leads out of its folder, a link or a device,
    # or unpacks to more than its size accounts for.
    allowed = min(MOST_BYTES, max(ALWAYS_UNPACKED, HIGHEST_RATIO * packed.stat().st_size))
    try:
        entries = _entries_of(packed, allowed, shown)
        if entries is not None:
            _unpack_entries(entries, targets, allowed, shown)
        elif len(targets) == 1:
            with open_bytes(packed) as source:
                _copy(source, next(iter(targets.values())), allowed, shown)
        else:
            wanted = ", ".join(targets)
            raise DataError(f"{shown} is neither a tar nor a zip archive; expected an archive that holds {wanted}")
    except (*_DAMAGED, RuntimeError) as error:  # zipfile raises RuntimeError for a password or an unknown compression
        raise DataError(f"{shown} cannot be unpacked because it is damaged or truncated: {error}") from None


def _entries_of(packed: Path, allowed: int, shown: str) -> Callable[[], _Entries] | None:
    """A function that yields the entries of an archive from the first; None for a file that is not an archive."""
    with open(packed, "rb") as file:
        if file.read(2) == _ZIP and zipfile.is_zipfile(packed):
            return lambda: _zip_entries(packed)
    try:
        with _tar_bytes(packed, allowed, shown) as stream:
            tarfile.TarInfo.frombuf(stream.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
    except _DAMAGED:
        return None
    return lambda: _tar_entries(packed, allowed, shown)


def _unpack_entries(entries: Callable[[], _Entries], targets: Mapping[str, Path], allowed: int, shown: str) -> None:
    """Check all entries first, then copy the wanted ones in a second pass."""
    with closing(entries()) as first:
        chosen = _chosen(targets, _checked(first, allowed, shown), shown)
    with closing(entries()) as second:
        for entry in second:
            if entry.kind == "file" and entry.name in chosen:
                with entry.open() as source:
                    _copy(source, targets[chosen[entry.name]], entry.size, f"{shown}: {entry.name}")


def _checked(entries: Iterable[_Entry], allowed: int, shown: str) -> list[str]:
    """The names of the files, after every entry has been checked."""
    names: list[str] = []
    total = 0
    for number, entry in enumerate(entries, 1):
        if leaves_folder(entry.name):
            raise DataError(
                f"{shown} is refused: its entry '{entry.name}' leads out of the folder; nothing was unpacked"
            )
        if entry.kind not in ("file", "folder"):
            raise DataError(
                f"{shown} is refused: its entry '{entry.name}' is {entry.kind}; the archive of a collection may hold "
                "only files and folders; nothing was unpacked"
            )
        if number > _MOST_ENTRIES:
            raise DataError(f"{shown} is refused: it has more than {_MOST_ENTRIES:,} entries; nothing was unpacked")
        total += entry.size
        if total > allowed:  # checked before the bytes are read
            raise _too_large(shown, allowed)
        if entry.kind == "file":
            names.append(entry.name)
    return names


def _chosen(wanted: Iterable[str], names: list[str], shown: str) -> dict[str, str]:
    """The entry for each wanted file, by the closest match: the path, the end of the path, or the name."""
    paths = list(wanted)
    last_parts = [path.rsplit("/", 1)[-1] for path in paths]
    chosen: dict[str, str] = {}
    for path, last in zip(paths, last_parts, strict=True):
        same = [name for name in names if name.removeprefix("./") == path]
        below = [name for name in names if name.endswith(f"/{path}")]
        named = [name for name in names if name.rsplit("/", 1)[-1] == last and last_parts.count(last) == 1]
        found = same or below or named
        if len(found) != 1:
            holds = f"{len(found)} of them ({', '.join(found[:3])})" if found else "none"
            raise DataError(f"{shown}: expected one file {path} in the archive, found {holds}; nothing was unpacked")
        chosen[found[0]] = path
    return chosen


def _copy(source: IO[bytes], target: Path, most: int, shown: str) -> None:
    """Copy a stream to a new file, up to the allowed number of bytes."""
    copied = 0
    with _written(target) as file:
        while chunk := source.read(_CHUNK):
            copied += len(chunk)
            if copied > most:
                raise _too_large(shown, most)
            try:
                file.write(chunk)
            except OSError as error:
                raise StorageError(f"{target} could not be written: {error.strerror or error}") from error


@contextmanager
def _written(target: Path) -> Iterator[IO[bytes]]:
    try:
        file = open(target, "xb")  # noqa: SIM115  (closed below; an error of opening is another one)
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
    with file:
        yield file


def _too_large(shown: str, most: int) -> DataError:
    return DataError(f"{shown} is refused: it unpacks to more than {most:,} bytes, which its size does not account for")


def _zip_entries(packed: Path) -> _Entries:
    with zipfile.ZipFile(packed) as archive:
        for info in archive.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            plain = "folder" if info.is_dir() else "file"
            other = {stat.S_IFLNK: "a link"}.get(kind, "a special file")
            known = kind in (0, stat.S_IFREG, stat.S_IFDIR)
            yield _Entry(info.filename, info.file_size, plain if known else other, partial(archive.open, info))


def _tar_entries(packed: Path, allowed: int, shown: str) -> _Entries:
    with (
        _tar_bytes(packed, allowed, shown) as stream,
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive,
    ):
        for info in archive:
            plain = "folder" if info.isdir() else "file"
            other = "a link" if info.issym() or info.islnk() else "a special file"
            known = info.isdir() or (info.isfile() and not info.issparse())
            content = cast("Callable[[], IO[bytes]]", partial(archive.extractfile, info))
            yield _Entry(info.name, info.size, plain if known else other, content)


class _Header(tarfile.TarInfo):
    """A tar header that refuses an oversized name before it is read into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        header = super().frombuf(buf, encoding, errors)
        plain = header.isfile() or header.isdir() or header.issym() or header.islnk() or header.isdev()
        if not plain and header.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {header.size:,} bytes")
        return header


class _Bounded:
    """A stream with an upper bound on its bytes: compressed data may expand without end."""

    def __init__(self, stream: IO[bytes], most: int, shown: str) -> None:
        self.stream, self.most, self.shown = stream, most, shown
        self.given = 0

    def read(self, size: int) -> bytes:
        """The next bytes."""
        data = self.stream.read(size)
        self.given += len(data)
        if self.given > self.most:
            raise _too_large(self.shown, self.most)
        return data


@contextmanager
def _tar_bytes(packed: Path, allowed: int, shown: str) -> Iterator[IO[bytes]]:
    """The bytes of a tar archive; their first bytes determine the compression."""
    openers = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
    with open(packed, "rb") as file:
        opener = openers.get(file.read(2), open)
    with opener(packed, "rb") as stream:  # type: ignore[operator]
        yield cast("IO[bytes]", _Bounded(stream, allowed + ALWAYS_UNPACKED, shown))
