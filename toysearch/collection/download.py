"""Download of the files of a named collection into the catalog."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, NamedTuple, cast
from urllib.parse import quote

from toysearch.base import (
    ArgumentError,
    DataError,
    Remedy,
    StorageError,
    ToysearchError,
    cache_folder,
    expect,
    note,
    platform,
    replace,
)
from toysearch.collection import catalog
from toysearch.collection.recipe import leaves_folder
from toysearch.files.part import Part
from toysearch.files.source import open_bytes, sha256
from toysearch.files.unpacking import ALWAYS_UNPACKED, HIGHEST_RATIO

__all__ = ["Fetched", "fetch"]

_STAGING = ".fetching"  # the end of the names of folders in which files are checked
_STALE = 24 * 3600  # seconds after which the leftovers of a killed process are removed
_PATTERN = ("*", "?", "[")
_PAUSE = 0.5  # seconds before the second attempt; doubled before each further one
_CHUNK = 1 << 16  # bytes
_TRY_AGAIN = (408, 425, 429)
_MOST_BYTES = 4 << 30
"""Most bytes of a download, and of its unpacked contents."""

_MOST_ENTRIES = 100_000
_LONGEST_HEADER = 1 << 20  # bytes of a tar header that continues another: a long name, not more
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError)


class Fetched(NamedTuple):
    """Folder of the files of a collection, and the files that were fetched.

    Parameters
    ----------
    folder : Path
        The folder that holds them all.
    paths : list of str
        The fetched files, below the folder; none if all were already there.
    """

    folder: Path
    paths: list[str]


class _Order(NamedTuple):
    timeout: float
    attempts: int
    progress: Callable[[str, int, int | None], None] | None


def fetch(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    address: str | os.PathLike[str] | None = None,
    force: bool = False,
    timeout: float = 30.0,
    attempts: int = 4,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Fetched:
    """Return the folder with the files of a named collection, fetched if they are missing.

    The sources of the recipe are tried in turn. Files are checked against the checksums of the recipe before they are
    put in place, so that no file is ever incomplete.

    Parameters
    ----------
    name : str
        One of `toysearch.collections`.
    folder : path, optional
        A folder of collections: the files go to the folder `name` below it. The default is the cache of the user,
        unless the catalog already finds all files elsewhere.
    address : str or path, optional
        A source to use instead of those in the recipe: the address or the path of an archive (tar or zip) that holds
        the files, or of a folder that holds them (an address of a folder ends in ``/``).
    force : bool
        Fetch files that already exist too; they stay until the new ones are complete and checked.
    timeout : float
        Seconds without any byte after which an attempt is abandoned.
    attempts : int
        The number of attempts.
    progress : function, optional
        Called with an address, the bytes received, and their total (None if unknown).

    Returns
    -------
    Fetched
        The folder, and the paths that were fetched.

    Raises
    ------
    ArgumentError
        If the collection is unknown.
    DataError
        If no source is known or available, or the files are not those that the recipe describes.
    StorageError
        If the files cannot be written.

    Examples
    --------
    >>> fetch("cat-dog-parrot").paths       # it comes with toysearch
    []
    """
    expect(str, name=name)
    recipe = catalog.recipe(name)
    located = catalog.locate(recipe)
    target = Path(folder) / name if folder is not None else cache_folder() / name
    if folder is None and not force and located is not None and located != target:
        return Fetched(located, [])
    missing = [file for file in recipe.files if force or not _is_right(file, target)]
    for file in missing:
        if leaves_folder(file.path) or any(mark in file.path for mark in _PATTERN):
            raise DataError(
                f"collection '{recipe.name}': a file to fetch has a plain path below its folder, not '{file.path}'"
            )
    if address is not None:
        sources = [os.fspath(address)]
    else:
        if missing and not recipe.sources:
            origin = f" Their origin: {' '.join(recipe.origin.split())}" if recipe.origin else ""
            raise DataError(
                f"no source is known for {_listed(missing)} of collection '{recipe.name}'.{origin} Give an archive or "
                f"a folder that holds them ({Remedy('fetch', address=...)}), or put them "
                f"into a folder {recipe.name} below a folder listed in {catalog.VARIABLE}"
            )
        if unchecked := [file for file in missing if not file.sha256]:
            note(f"no checksum is known for {_listed(unchecked)}: check the downloaded content")
        sources = list(recipe.sources)
    try:
        if missing:
            _take_from_first(sources, missing, target, _Order(timeout, attempts, progress))
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            for path in target.glob(f".*{_STAGING}"):
                if time.time() - path.stat().st_mtime > _STALE:
                    shutil.rmtree(path)
            target.rmdir()
    return Fetched(target, [file.path for file in missing])


def _take_from_first(sources: Sequence[str], wanted: Sequence[Part], target: Path, order: _Order) -> None:
    missing, problems = list(wanted), []
    for place, source in enumerate(sources, 1):
        last = place == len(sources)
        # A silent server must not delay the next source for minutes.
        hurried = order if last else order._replace(attempts=min(order.attempts, 2), timeout=min(order.timeout, 10.0))
        try:
            for address, files in _parts(source, missing).items():
                target.mkdir(parents=True, exist_ok=True)
                _take(address, files, target, hurried)
                missing = [file for file in missing if file not in files]
            return
        except DataError as error:
            if len(sources) == 1:
                raise
            problems.append(str(error).removesuffix(_advice()))
            if not last:
                note(f"{problems[-1]}; trying the next source")
    raise DataError(f"none of {len(sources)} sources gave {_listed(missing)}: {'; '.join(problems)}{_advice()}")


def _listed(files: Sequence[Part]) -> str:
    return ", ".join(file.path for file in files)


def _is_right(file: Part, target: Path) -> bool:
    path = file.below(target)
    if not path.is_file():
        return False
    try:
        right = not file.sha256 or sha256(path) == file.sha256
    except DataError:
        right = False
    if not right:
        note(f"{path} does not have the expected checksum and is fetched again")
    return right


def _parts(source: str, wanted: Sequence[Part]) -> dict[str | Path, list[Part]]:
    """Divide a source into parts with their files: an archive holds all, a folder has one part per file."""
    if source.lower().startswith(("http://", "https://")):
        return {f"{source}{quote(f.path)}": [f] for f in wanted} if source.endswith("/") else {source: list(wanted)}
    if "://" in source:
        raise ArgumentError(f"'{source}': expected an address of HTTP or HTTPS, or the path of a folder or an archive")
    path = Path(source)
    return {file.below(path): [file] for file in wanted} if path.is_dir() else {path: list(wanted)}


def _advice() -> str:
    what = (
        "a tab of a browser fetches only from servers that allow it: upload the file, and name it here"
        if platform.ALONE
        else "try again, or use another source"
    )
    return f"; {what} ({Remedy('fetch', address=...)})"


def _take(source: str | Path, files: Sequence[Part], target: Path, order: _Order) -> None:
    with tempfile.TemporaryDirectory(prefix=".", suffix=_STAGING, dir=target) as name:
        folder = Path(name)
        if isinstance(source, str):
            packed = _downloaded(source, folder, order)
        elif (packed := source).is_file() is False:
            raise DataError(f"{source}: there is no such file; expected an archive, or a folder that holds the files")
        staged = {file.path: folder / str(place) for place, file in enumerate(files)}
        unpack(packed, staged, str(source))
        for file in files:
            checksum = sha256(staged[file.path])
            if file.sha256 and checksum != file.sha256:
                raise DataError(
                    f"{source}: expected {file.path} with the checksum {file.sha256}, found {checksum}; it is another "
                    f"edition or was damaged on the way, and was not kept{_advice()}"
                )
        for file in files:
            path = target / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            replace(staged[file.path], path)


def _downloaded(address: str, folder: Path, order: _Order) -> Path:
    import pooch
    from requests import exceptions

    pooch.get_logger().setLevel("WARNING")
    problem, attempts = "", 1 if platform.ALONE else max(order.attempts, 1)
    for attempt in range(attempts):
        if attempt:
            time.sleep(_PAUSE * 2 ** (attempt - 1))
        bar = _Received(address, order.progress)
        get = pooch.HTTPDownloader(
            progressbar=bar,
            chunk_size=_CHUNK,
            timeout=order.timeout,
            headers={"Accept-Encoding": "identity"},  # so that the bytes received are those announced
        )
        try:
            return Path(pooch.retrieve(address, known_hash=None, fname="packed", path=folder, downloader=get))
        except exceptions.HTTPError as error:
            response = cast(Any, error.response)  # raised for an answer, so there is one
            problem = f"the server answers {response.status_code} {response.reason}"
            if response.status_code < 500 and response.status_code not in _TRY_AGAIN:
                raise DataError(f"{address}: {problem}{_advice()}") from None
        except exceptions.SSLError as error:
            raise DataError(f"{address}: there is no secure connection to the server: {error}") from None
        except (
            exceptions.ConnectionError,
            exceptions.Timeout,
            exceptions.ChunkedEncodingError,
            exceptions.ContentDecodingError,
        ) as error:
            problem = bar.interruption(error, order.timeout)
        except exceptions.RequestException as error:
            raise DataError(f"{address} is not an address that can be fetched: {error}") from None
        except ValueError as error:
            if isinstance(error, ToysearchError):
                raise
            raise bar.too_large() from None  # a length of thousands of digits
    attempts_in_words = f"tried {attempts} times" if attempts > 1 else "tried once"
    raise DataError(f"{address}: {problem} ({attempts_in_words}){_advice()}")


class _Received:
    """Progress bar of a download: it counts the bytes, passes the count on, and refuses too many."""

    def __init__(self, address: str, progress: Callable[[str, int, int | None], None] | None) -> None:
        self.address, self.progress = address, progress
        self.total = self.done = 0  # bytes; pooch sets the total, 0 if the server does not say

    def update(self, size: int) -> None:
        self.done = min(self.done + size, self.total or self.done + size)
        if max(self.total, self.done) > _MOST_BYTES:
            raise self.too_large()
        if self.progress and size:
            self.progress(self.address, self.done, self.total or None)

    def too_large(self) -> DataError:
        return DataError(f"{self.address} is larger than {_MOST_BYTES:,} bytes, the limit for a collection")

    def reset(self) -> None:
        """Begin again: pooch then gives the total at once."""
        self.done = 0

    def close(self) -> None:
        """Do nothing: the caller ends the display."""

    def interruption(self, error: Exception, timeout: float) -> str:
        if _is_late(error):
            return f"no answer within {timeout:g} seconds"
        if self.done:
            of = f" of {self.total:,}" if self.total else ""
            return f"the connection was interrupted after {self.done:,} bytes{of}"
        return "the server cannot be reached or closes the connection"


def _is_late(error: BaseException | None) -> bool:
    """True if an error comes of a time limit: requests raises others, too, from it."""
    while error is not None and not isinstance(error, TimeoutError):
        error = error.__cause__ or error.__context__
    return error is not None


class _Member(NamedTuple):
    name: str
    size: int
    open: Callable[[], IO[bytes]]


def unpack(packed: Path, targets: Mapping[str, Path], shown: str) -> None:
    """Write the wanted files of an archive, unpacked, or a single file that is not an archive."""
    # A file is found in the archive by its path, by its path below a folder, or by its name alone. Nothing else is
    # written, and only to the targets, whatever the entries are called; links and devices are not files. Nothing at all
    # is written if the archive unpacks to more than its size accounts for.
    allowed = min(_MOST_BYTES, max(ALWAYS_UNPACKED, HIGHEST_RATIO * packed.stat().st_size))
    too_large = f"{shown} is refused: it unpacks to more than {allowed:,} bytes, which its size does not account for"
    try:
        with _members(packed) as members:
            if members is None and len(targets) > 1:
                names = ", ".join(targets)
                raise DataError(f"{shown} is neither a tar nor a zip archive; expected an archive that holds {names}")
            if members is None:
                [target] = targets.values()
                with open_bytes(packed) as source:
                    _copy(source, target, allowed, too_large)
                return
            entries, size = [], 0
            for entry in members:
                entries.append(entry)
                size += entry.size
                if size > allowed:  # checked before the bytes are read
                    raise DataError(too_large)
                if len(entries) > _MOST_ENTRIES:
                    raise DataError(
                        f"{shown} is refused: it has more than {_MOST_ENTRIES:,} entries; nothing was unpacked"
                    )
            for target, entry in _chosen(targets, entries, shown):
                with entry.open() as source:
                    _copy(source, target, entry.size, too_large)
    except (*_DAMAGED, RuntimeError) as error:  # zipfile raises RuntimeError for a password or an unknown compression
        raise DataError(f"{shown} cannot be unpacked because it is damaged or truncated: {error}") from None


class _Header(tarfile.TarInfo):
    """Tar header that refuses an oversized name before it is read into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        header = super().frombuf(buf, encoding, errors)
        plain = header.isfile() or header.isdir() or header.issym() or header.islnk() or header.isdev()
        if not plain and header.size > _LONGEST_HEADER:
            raise RuntimeError(f"a header of {header.size:,} bytes")
        return header


@contextlib.contextmanager
def _members(packed: Path) -> Iterator[Iterator[_Member] | None]:
    if zipfile.is_zipfile(packed):
        with zipfile.ZipFile(packed) as archive:
            yield (
                _Member(info.filename, info.file_size, partial(archive.open, info))
                for info in archive.infolist()
                if stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG) and not info.filename.endswith("/")
            )
        return
    try:
        tar = tarfile.open(packed, tarinfo=_Header)  # noqa: SIM115  (closed below; an error of opening is another one)
    except tarfile.ReadError:
        yield None
        return
    with tar:
        files = (info for info in tar if info.isfile() and not info.issparse())
        members = (_Member(info.name, info.size, cast(Any, partial(tar.extractfile, info))) for info in files)
        yield members if cast(Any, tar).firstmember else None  # many zeros are no archive


def _chosen(targets: Mapping[str, Path], entries: Iterable[_Member], shown: str) -> list[tuple[Path, _Member]]:
    """Choose for each target the closest entry: by the path, the end of the path, or the name."""
    last_parts = [path.rsplit("/", 1)[-1] for path in targets]
    chosen = []
    for (path, target), last in zip(targets.items(), last_parts, strict=True):
        same = [entry for entry in entries if entry.name.removeprefix("./") == path]
        below = [entry for entry in entries if entry.name.endswith(f"/{path}")]
        alike = [entry for entry in entries if entry.name.rsplit("/", 1)[-1] == last and last_parts.count(last) == 1]
        matches = same or below or alike
        if len(matches) != 1:
            names = ", ".join(entry.name for entry in matches[:3])
            holds = f"{len(matches)} of them ({names})" if matches else "none"
            raise DataError(f"{shown}: expected one file {path} in the archive, found {holds}; nothing was unpacked")
        chosen.append((target, matches[0]))
    return chosen


def _copy(source: IO[bytes], target: Path, most: int, too_large: str) -> None:
    try:
        file = open(target, "xb")  # noqa: SIM115  (closed below; an error of opening is another one)
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
    copied = 0
    with file:
        while chunk := source.read(_CHUNK):
            copied += len(chunk)
            if copied > most:
                raise DataError(too_large)
            try:
                file.write(chunk)
            except OSError as error:
                raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
