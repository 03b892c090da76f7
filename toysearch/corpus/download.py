"""The files of a named collection, fetched to where the catalog finds them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from toysearch.arguments import checked
from toysearch.corpus import catalog
from toysearch.corpus.http_download import ADVICE, transfer
from toysearch.corpus.recipe import Recipe, RecipeFile
from toysearch.errors import ArgumentError, DataError, StorageError, note
from toysearch.formats.archives import leaves_folder, unpack
from toysearch.formats.text_files import sha256
from toysearch.user_cache import user_cache

_STALE = 24 * 3600  # seconds after which what a killed process left is nobody's
_PATTERN = ("*", "?", "[")


class Fetched(NamedTuple):
    """Where the files of a collection are, and which of them were fetched now.

    Parameters
    ----------
    folder : Path
        The folder that holds them all.
    paths : list of str
        Those that were fetched, below the folder; none if all were there.
    """

    folder: Path
    paths: list[str]


class _Order(NamedTuple):
    """How things are fetched: what a caller may say once for all files."""

    timeout: float
    attempts: int
    progress: Callable[[str, int, int | None], None] | None


@checked
def fetch(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    source: str | os.PathLike[str] | None = None,
    force: bool = False,
    timeout: float = 30.0,
    attempts: int = 4,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Fetched:
    """The folder of a named collection's files, fetched if they are nowhere.

    The sources of the recipe are tried in turn. What comes is checked against the checksums of the recipe before it
    takes its place; a file is never there in part. A download that was cut or interrupted is resumed next time.

    Parameters
    ----------
    name : str
        One of `toysearch.corpus.catalog.names`.
    folder : path, optional
        A folder of collections: the files go to the folder `name` below it. By default the user's cache, unless the
        catalog finds all files in another place already.
    source : str or path, optional
        Where to take the files from instead of the sources that the recipe lists: the address or the path of an
        archive (tar or zip) that holds them; or those of a folder below which they are (an address then ends in ``/``).
    force : bool
        Fetch files that are there already; they stay until the new ones are complete and checked.
    timeout : float
        Seconds without any byte after which an attempt to download is given up.
    attempts : int
        How often to try to download.
    progress : function, optional
        Called with an address, how many bytes of it are there, and how many there will be (None if unknown).

    Returns
    -------
    Fetched
        The folder, and the paths that were fetched.

    Raises
    ------
    ArgumentError
        If there is no such collection.
    DataError
        If no source is known, none gives the files, or what comes is not what the recipe describes.
    StorageError
        If the files cannot be written.

    Examples
    --------
    >>> fetch("cat-dog-parrot").paths       # it comes with toysearch
    []
    """
    recipe = catalog.recipe(name)
    found = catalog.locate(recipe)
    target = Path(folder) / name if folder is not None else user_cache() / name
    if folder is None and not force and found is not None and found != target:
        return Fetched(found, [])
    wanted = [file for file in recipe.files if force or not _is_right(file, target)]
    sources = _sources(recipe, wanted, source)
    try:
        if wanted:
            _take_from_first(sources, wanted, target, _Order(timeout, attempts, progress))
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
    finally:
        _tidy(target)
    return Fetched(target, [file.path for file in wanted])


def _take_from_first(sources: Sequence[str], wanted: Sequence[RecipeFile], target: Path, order: _Order) -> None:
    """Take the files from the first source that has them; what one gave is not asked of the next."""
    left, problems = list(wanted), []
    for place, source in enumerate(sources, 1):
        last = place == len(sources)
        # A silent server must not keep the user from the next one for minutes.
        hurried = order if last else order._replace(attempts=min(order.attempts, 2), timeout=min(order.timeout, 10.0))
        try:
            for address, files in _parts(source, left).items():
                target.mkdir(parents=True, exist_ok=True)
                _take(address, files, target, hurried)
                left = [file for file in left if file not in files]
            return
        except DataError as error:
            if len(sources) == 1:
                raise
            problems.append(str(error).removesuffix(ADVICE))
            if not last:
                note(f"{problems[-1]}; trying the next source")
    raise DataError(f"none of {len(sources)} sources gave {_listed(left)}: {'; '.join(problems)}{ADVICE}")


def _listed(files: Sequence[RecipeFile]) -> str:
    return ", ".join(file.path for file in files)


def _is_right(file: RecipeFile, target: Path) -> bool:
    """Whether a file is there and is what the recipe says, as far as that can be told."""
    path = file.below(target)
    if not path.is_file():
        return False
    try:
        right = not file.sha256 or sha256(path) == file.sha256
    except DataError:
        right = False
    if not right:
        note(f"{path} has another checksum than it should have, and is fetched again")
    return right


def _sources(recipe: Recipe, wanted: Sequence[RecipeFile], source: str | os.PathLike[str] | None) -> list[str]:
    """Where the files are looked for: the user's own source, or those that the recipe lists."""
    for file in wanted:
        if leaves_folder(file.path) or any(mark in file.path for mark in _PATTERN):
            raise DataError(
                f"collection '{recipe.name}': a file to fetch has a plain path below its folder, not '{file.path}'"
            )
    if source is not None:
        return [os.fspath(source)]
    if wanted and not recipe.sources:
        raise DataError(_no_source(recipe, wanted))
    if unchecked := [file for file in wanted if not file.sha256]:
        note(f"no checksum is known for {_listed(unchecked)}: look at what came")
    return list(recipe.sources)


def _parts(source: str, wanted: Sequence[RecipeFile]) -> dict[str | Path, list[RecipeFile]]:
    """What is fetched from a source, and which files each part gives: an archive all, a folder one file each."""
    if source.lower().startswith(("http://", "https://")):
        return {f"{source}{quote(f.path)}": [f] for f in wanted} if source.endswith("/") else {source: list(wanted)}
    if "://" in source:
        raise ArgumentError(f"'{source}': expected an address of HTTP or HTTPS, or the path of a folder or an archive")
    path = Path(source)
    if path.is_dir():
        return {file.below(path): [file] for file in wanted}
    return {path: list(wanted)}


def _no_source(recipe: Recipe, wanted: Sequence[RecipeFile]) -> str:
    origin = f" Their origin: {' '.join(recipe.origin.split())}" if recipe.origin else ""
    return (
        f"no source is known for {_listed(wanted)} of collection '{recipe.name}'.{origin} Give an archive or a "
        f"folder that holds them (--from), or put them into a folder {recipe.name} below one "
        f"that {catalog.VARIABLE} names"
    )


def _take(source: str | Path, files: Sequence[RecipeFile], target: Path, order: _Order) -> None:
    """Fetch what one source gives, check all of it, and only then put it in place."""
    token = secrets.token_hex(4)
    staged = {file.path: target / f".{token}.{place}.tmp" for place, file in enumerate(files)}
    with _at_hand(source, files, target, order) as packed:
        try:
            unpack(packed, staged, str(source))
            for file in files:
                _check(file, staged[file.path], source)
            for file in files:
                path = target / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                os.replace(staged[file.path], path)
        finally:
            for path in staged.values():
                path.unlink(missing_ok=True)


def _check(file: RecipeFile, path: Path, source: str | Path) -> None:
    found = sha256(path)
    if file.sha256 and found != file.sha256:
        raise DataError(
            f"{source}: expected {file.path} with the checksum {file.sha256}, found {found}; it is another edition "
            "or was damaged on the way, and was not kept: try again, or take it from another place (--from)"
        )


@contextlib.contextmanager
def _at_hand(source: str | Path, files: Sequence[RecipeFile], target: Path, order: _Order) -> Iterator[Path]:
    """The file of a source, downloaded if it has to be; what has come of it is kept until it is used or refused."""
    if isinstance(source, Path):
        if not source.is_file():
            raise DataError(f"{source}: there is no such file; expected an archive, or a folder that holds the files")
        yield source
        return
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    part, own = target / f".{digest}.part", target / f".{digest}.{secrets.token_hex(4)}.part"
    if all(file.sha256 for file in files):  # else nothing would tell that the file has changed there since
        with contextlib.suppress(FileNotFoundError):
            os.replace(part, own)  # one process takes it; another that comes now begins anew
    keep = True
    try:
        progress = order.progress
        tell = (lambda done, total: progress(source, done, total)) if progress else None
        transfer(source, own, timeout=order.timeout, attempts=order.attempts, progress=tell)
        try:
            yield own
        except Exception:  # not KeyboardInterrupt: what has come may well be right
            keep = False
            raise
        keep = False
    finally:
        if keep and own.exists() and own.stat().st_size:
            os.replace(own, part)
        own.unlink(missing_ok=True)


def _tidy(target: Path) -> None:
    """Remove what killed processes left long ago, and the folder if nothing came into it."""
    with contextlib.suppress(OSError):
        for path in (*target.glob(".*.part"), *target.glob(".*.tmp")):
            if time.time() - path.stat().st_mtime > _STALE:
                path.unlink(missing_ok=True)
        target.rmdir()
