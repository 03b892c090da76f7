"""Files at addresses such as s3://bucket/corpus.jsonl, copied by fsspec into the cache of the user and read there."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from toysearch.base import (
    COPIES,
    DataError,
    Qrels,
    StorageError,
    ToysearchError,
    cache_folder,
    checked,
    counted,
    expect_name,
    leads_elsewhere,
    loading,
    note,
    portable_name,
    refuse_in_a_tab,
    replace,
    unknown,
)
from toysearch.formats import PARTS, Record, RecordFile, mended, text_of

__all__ = ["is_address", "local_copy"]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://.*", re.DOTALL)
_CHANGES = ("ETag", "etag", "mtime", "LastModified", "last_modified", "Last-Modified", "modified", "md5Hash", "created")
"""What file systems say of a file that another version does not share."""

_FILES_ONLY = ("http", "https")
"""Protocols without folders: the links of a page are not its files."""

_REFUSED, _MISSING = (401, 403), (404, 410)  # answers over HTTP
_UNTOLD = "untold-"  # what the name of a copy begins with if nothing is known of its version
_LONGEST = 200  # characters of a message from elsewhere

Progress = Callable[[int], object]


@checked
def is_address(source: str | Path) -> bool:
    """Whether a source is an address and not a path or a name.

    Parameters
    ----------
    source : str or Path
        Any source.

    Examples
    --------
    >>> is_address("s3://bucket/pets.jsonl"), is_address("pets/pets.jsonl"), is_address("irds:beir/scifact/test")
    (True, False, False)
    """
    return isinstance(source, str) and _ADDRESS.fullmatch(source) is not None


@checked
def local_copy(address: str, *, progress: Progress | None = None) -> Path:
    """The copy of a file or a folder in the cache, made if it is missing or the original has changed.

    Whether it has changed is asked once per process.

    Parameters
    ----------
    address : str
        An address of fsspec: ``s3://``, ``gs://``, ``https://``, ``memory://`` and others. Over HTTP, always a file.
    progress : function of int, optional
        Called with the number of bytes that have been copied.

    Raises
    ------
    ArgumentError
        If fsspec does not know the protocol, or the package fsspec or that of the protocol is missing.
    DataError
        If there is no such file, or it cannot be read.
    StorageError
        If the cache cannot be written.

    Examples
    --------
    >>> import fsspec
    >>> fsspec.filesystem("memory").pipe("/pets/a.txt", b"a cat")
    >>> local_copy("memory://pets/a.txt").read_text()
    'a cat'
    """
    copied = _copied(address, progress)
    COPIES[str(copied)] = address
    return copied


def copy_like(path: str, address: str) -> Path:
    """The copy here of an address that another machine has at a path; refused if the original has changed since."""
    if path not in _alike or not _alike[path].exists():
        _known.pop(address, None)  # it may be long ago that this process asked for the address
        copied, version = local_copy(address), Path(path).parent.name
        if not version.startswith(_UNTOLD) and copied.parent.name != version:
            raise DataError(f"{address} has changed since the command copied it; run the command again")
        _alike[path] = copied
    return _alike[path]


_known: dict[str, Path] = {}
_alike: dict[str, Path] = {}


def _copied(address: str, progress: Progress | None) -> Path:
    """The copy of an address, as far as this process has asked for it before."""
    if address in _known and _known[address].exists():
        return _known[address]
    refuse_in_a_tab(f"a copy of {address}", "download the file, and give its name")
    with loading(f"{address} needs the package fsspec", "a part of an extra: pip install 'toysearch[remote]'"):
        import fsspec
    protocol = address.partition("://")[0]
    expect_name("protocol", protocol, sorted(fsspec.available_protocols()))
    with _blamed(address):
        system, root = fsspec.core.url_to_fs(address)
        files = _files(system, root, address, protocol in _FILES_ONLY)
    _known[address] = copy = _in_cache(address, system, files, progress)
    return copy


def _files(system: Any, root: str, address: str, alone: bool) -> dict[str, Mapping[str, Any]]:
    """The files below an address, by their paths below it, each with what is known of it; "" for a single file."""
    about = system.info(root)
    if alone or about["type"] != "directory":
        return {"": about}
    files = {name: entry for name, entry in system.find(root, detail=True).items() if entry["type"] == "file"}
    below = {name[len(about["name"].rstrip("/")) :].lstrip("/"): entry for name, entry in sorted(files.items())}
    if not below:
        raise DataError(f"{address} is a folder without files")
    for name in below:
        if not name or ".." in PurePosixPath(name).parts or "\\" in name or leads_elsewhere(name):
            raise DataError(f"{address} has a file with the path '{name}', which leads out of its folder")
    return below


def _in_cache(address: str, system: Any, files: Mapping[str, Mapping[str, Any]], progress: Progress | None) -> Path:
    """The copy of some files in the cache, made in a new folder that gets its name last."""
    place = cache_folder() / "addresses" / hashlib.sha256(address.encode()).hexdigest()[:16]
    parts = urlsplit(address)
    name = portable_name(unquote(PurePosixPath(parts.path).name or parts.netloc).lstrip("."))
    version = _version(files)
    folder = place / (version or f"{_UNTOLD}{secrets.token_hex(8)}")
    if version and (folder / name).exists():
        return folder / name
    new = place / f"new-{secrets.token_hex(8)}"
    try:
        target = new / name
        copied_bytes = 0
        for below, about in files.items():
            file = target / below
            file.parent.mkdir(parents=True, exist_ok=True)
            with _blamed(address):
                system.get_file(about["name"], str(file), **_told(progress, copied_bytes))
            size = file.stat().st_size
            if about.get("size") not in (None, size):
                raise DataError(
                    f"{address}: {size:,} of {about['size']:,} bytes of {below or 'the file'} came; try again"
                )
            copied_bytes += size
        for older in list(place.iterdir()):
            if not older.name.startswith("new-") and older != folder:  # another process may be making or reading it
                shutil.rmtree(older, ignore_errors=True)
        replace(new, folder)
    except OSError as error:
        if not (folder / name).exists():  # another process may have made it meanwhile
            raise StorageError(f"{address} could not be copied to {place}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder / name


def _told(progress: Progress | None, done: int) -> dict[str, Any]:
    """What makes fsspec tell of the bytes that it has copied."""
    if progress is None:
        return {}
    from fsspec.callbacks import Callback

    return {"callback": Callback(hooks={"tell": lambda _, value, **__: progress(done + value)})}


def _version(files: Mapping[str, Mapping[str, Any]]) -> str:
    """A name for what files hold now; "" if their file system does not say when they change."""
    versions = {}
    for below, about in files.items():
        changes = {name: str(about[name]) for name in _CHANGES if about.get(name)}
        if not changes:
            return ""
        versions[below] = {**changes, "size": about.get("size")}
    return hashlib.sha256(json.dumps(versions, sort_keys=True).encode()).hexdigest()[:16]


@contextmanager
def _blamed(address: str) -> Iterator[None]:
    """Turn any exception of a file system into a sentence."""
    try:
        yield
    except ToysearchError:
        raise
    except ImportError as error:
        raise DataError(f"{address} needs a package that is not installed; fsspec says: {_short(error)}") from None
    except Exception as error:
        # Over HTTP, every failure is a FileNotFoundError, whose cause tells what happened.
        cause = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
        status = getattr(cause, "status", None)
        if isinstance(cause, FileNotFoundError) or status in _MISSING:
            raise DataError(f"{address}: there is no such file") from error
        if isinstance(cause, PermissionError) or status in _REFUSED:
            raise DataError(f"{address}: you have no permission to read it; check your credentials") from error
        raise DataError(f"{address} could not be read: {type(cause).__name__}: {_short(cause)}") from error


def _short(error: BaseException) -> str:
    """The beginning of what an exception says."""
    return str(error)[:_LONGEST]


_PLURALS = {"docs": "documents", "queries": "queries", "qrels": "judgments"}


def read_dataset_documents(dataset: RecordFile) -> Iterator[Record]:
    """The documents of a collection of ir_datasets."""
    # They keep the ir_datasets fields that hold a string, a number or a list of strings. The title (or headline)
    # becomes `title`; the text is the field `text`, else `default_text()` without the title.
    return _records(str(dataset.path), "docs")


def read_dataset_queries(dataset: RecordFile) -> Iterator[Record]:
    """The queries of a collection of ir_datasets."""
    # They keep the ir_datasets fields that hold a string, a number or a list of strings. The text is the field `text`,
    # else `default_text()`: the title of a TREC topic.
    return _records(str(dataset.path), "queries")


def read_dataset_qrels(dataset_id: str) -> Qrels:
    """The judgments of a collection of ir_datasets, with its grades."""
    grades: dict[str, dict[str, float]] = {}
    with _blamed_dataset(dataset_id, "qrels"):
        for judgment in _items(dataset_id, "qrels"):
            of_query = grades.setdefault(judgment.query_id, {})
            if judgment.doc_id in of_query:
                raise DataError(
                    f"ir_datasets:{dataset_id} judges query '{judgment.query_id}' and document '{judgment.doc_id}' "
                    f"twice (its judgments have {', '.join(judgment._fields)}); each pair may occur once"
                )
            of_query[judgment.doc_id] = float(judgment.relevance)
    return Qrels.from_dict(grades)


def dataset_parts(dataset_id: str) -> list[str]:
    """The parts (documents, queries, qrels) that a collection of ir_datasets has."""
    dataset = _dataset(dataset_id)
    parts = {"documents": "docs", "queries": "queries", "qrels": "qrels"}
    return [role for role, part in parts.items() if getattr(dataset, f"has_{part}")()]


def _records(dataset_id: str, part: Literal["docs", "queries"]) -> Iterator[Record]:
    surrogates = 0
    with _blamed_dataset(dataset_id, part):
        for place, item in enumerate(_items(dataset_id, part), 1):
            record_id, fields, replaced = mended(item[0], _fields(item, part))
            surrogates += replaced
            yield place, record_id, fields
    if surrogates:
        note(f"ir_datasets:{dataset_id}: {counted(surrogates, 'lone surrogate')} read as U+FFFD")


@contextmanager
def _blamed_dataset(dataset_id: str, part: str) -> Iterator[None]:
    """Turn any exception of an ir_datasets download or parser into a one-sentence error."""
    try:
        yield
    except ToysearchError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise DataError(
            f"ir_datasets:{dataset_id}: its {_PLURALS[part]} could not be read; ir_datasets says: "
            f"{problem[:_LONGEST]}{'…' if len(problem) > _LONGEST else ''}"
        ) from error


def _items(dataset_id: str, part: str) -> Iterable[Any]:
    """The named tuples of ir_datasets; the first element of a document or a query is its id."""
    dataset = _dataset(dataset_id)
    if not getattr(dataset, f"has_{part}")():
        raise DataError(f"ir_datasets:{dataset_id} has no {_PLURALS[part]}; name a collection that has some")
    items: Iterable[Any] = getattr(dataset, f"{part}_iter")()
    return items


def _dataset(dataset_id: str) -> Any:
    use = f"'ir_datasets:{dataset_id}' needs the package ir_datasets"
    with loading(use, "an extra: pip install 'toysearch[datasets]'"):
        import ir_datasets
    try:
        return ir_datasets.load(dataset_id)
    except KeyError:
        raise unknown("data set", dataset_id, ir_datasets.registry) from None


def _fields(item: Any, part: Literal["docs", "queries"]) -> dict[str, str]:
    """The fields of a named tuple that can be read as text; the text is always among them."""
    values = item._asdict()
    del values[item._fields[0]]
    fields = {name: text for name, value in values.items() if (text := text_of(value)) is not None}
    title = ""
    if part == "docs" and (name := next((name for name in PARTS["title"] if name in fields), "")):
        title = fields["title"] = fields.pop(name)
    if "text" not in fields and hasattr(item, "default_text"):  # it begins with the title, a field of its own
        whole: str = item.default_text()
        fields["text"] = whole.removeprefix(title).lstrip() if title else whole
    elif "text" not in fields:
        fields["text"] = " ".join(value for name, value in fields.items() if name != "title" and value)
    return fields
