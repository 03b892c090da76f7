"""The files of a named collection, fetched into the catalog."""

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

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, DataError, StorageError, note
from toysearch.base.remedies import Remedy
from toysearch.base.user_cache import user_cache
from toysearch.corpus import catalog
from toysearch.corpus.http_download import advice, transfer
from toysearch.corpus.recipe import Recipe, RecipeFile
from toysearch.formats.archives import leaves_folder, unpack
from toysearch.formats.text_files import sha256

__all__ = ["Fetched", "fetch"]

_STALE = 24 * 3600  # seconds after which the leftovers of a killed process are removed
_PATTERN = ("*", "?", "[")


class Fetched(NamedTuple):
    """The folder of the files of a collection, and the files that were fetched.

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
    """The settings of a download, the same for all files."""

    timeout: float
    attempts: int
    progress: Callable[[str, int, int | None], None] | None


@checked
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
    """The folder with the files of a named collection, fetched if they are missing.

    The sources of the recipe are tried in turn. Files are checked against the checksums of the recipe before they are
    put in place, so that no file is ever incomplete. An interrupted download is resumed next time.

    Parameters
    ----------
    name : str
        One of `toysearch.corpus.catalog.names`.
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
    recipe = catalog.recipe(name)
    found = catalog.locate(recipe)
    target = Path(folder) / name if folder is not None else user_cache() / name
    if folder is None and not force and found is not None and found != target:
        return Fetched(found, [])
    wanted = [file for file in recipe.files if force or not _is_right(file, target)]
    sources = _sources(recipe, wanted, address)
    try:
        if wanted:
            _take_from_first(sources, wanted, target, _Order(timeout, attempts, progress))
    except OSError as error:
        raise StorageError(f"{target} could not be written: {error.strerror or error}") from error
    finally:
        _tidy(target)
    return Fetched(target, [file.path for file in wanted])


def _take_from_first(sources: Sequence[str], wanted: Sequence[RecipeFile], target: Path, order: _Order) -> None:
    """Take each file from the first source that has it."""
    left, problems = list(wanted), []
    for place, source in enumerate(sources, 1):
        last = place == len(sources)
        # A silent server must not delay the next source for minutes.
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
            problems.append(str(error).removesuffix(advice()))
            if not last:
                note(f"{problems[-1]}; trying the next source")
    raise DataError(f"none of {len(sources)} sources gave {_listed(left)}: {'; '.join(problems)}{advice()}")


def _listed(files: Sequence[RecipeFile]) -> str:
    return ", ".join(file.path for file in files)


def _is_right(file: RecipeFile, target: Path) -> bool:
    """Whether a file exists and matches the recipe, as far as that is known."""
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


def _sources(recipe: Recipe, wanted: Sequence[RecipeFile], source: str | os.PathLike[str] | None) -> list[str]:
    """The sources of the files: that of the user, or those in the recipe."""
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
        note(f"no checksum is known for {_listed(unchecked)}: check the downloaded content")
    return list(recipe.sources)


def _parts(source: str, wanted: Sequence[RecipeFile]) -> dict[str | Path, list[RecipeFile]]:
    """The parts of a source with the files in each: an archive holds all, a folder has one part per file."""
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
        f"folder that holds them ({Remedy('toysearch.corpus.download.fetch', address=...)}), or put them into a folder "
        f"{recipe.name} below a folder listed in {catalog.VARIABLE}"
    )


def _take(source: str | Path, files: Sequence[RecipeFile], target: Path, order: _Order) -> None:
    """Fetch the files of one source, check all of them, and then put them in place."""
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
            f"or was damaged on the way, and was not kept{advice()}"
        )


@contextlib.contextmanager
def _at_hand(source: str | Path, files: Sequence[RecipeFile], target: Path, order: _Order) -> Iterator[Path]:
    """The file of a source, downloaded if necessary; a partial download is kept until it is used or refused."""
    if isinstance(source, Path):
        if not source.is_file():
            raise DataError(f"{source}: there is no such file; expected an archive, or a folder that holds the files")
        yield source
        return
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    part, own = target / f".{digest}.part", target / f".{digest}.{secrets.token_hex(4)}.part"
    if all(file.sha256 for file in files):  # else a file that has changed on the server would go unnoticed
        with contextlib.suppress(FileNotFoundError):
            os.replace(part, own)  # one process takes it; another one starts from the beginning
    keep = True
    try:
        progress = order.progress
        tell = (lambda done, total: progress(source, done, total)) if progress else None
        transfer(source, own, timeout=order.timeout, attempts=order.attempts, progress=tell)
        try:
            yield own
        except Exception:  # not KeyboardInterrupt: the partial download may be right
            keep = False
            raise
        keep = False
    finally:
        if keep and own.exists() and own.stat().st_size:
            os.replace(own, part)
        own.unlink(missing_ok=True)


def _tidy(target: Path) -> None:
    """Remove old leftovers of killed processes, and the folder if it is empty."""
    with contextlib.suppress(OSError):
        for path in (*target.glob(".*.part"), *target.glob(".*.tmp")):
            if time.time() - path.stat().st_mtime > _STALE:
                path.unlink(missing_ok=True)
        target.rmdir()
