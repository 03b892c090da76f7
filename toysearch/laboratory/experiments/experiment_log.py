"""The experiment log: the settings tried on a set of queries, and named snapshots, in an append-only file."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Qrels, Query
from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, StorageError, malformed, unknown
from toysearch.formats.event_log import AppendLog, logged, now, texts_of
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.experiment_log import code_fingerprint, data_fingerprint
from toysearch.models.mixture import ModelLike
from toysearch.models.registry import model as find_model

__all__ = ["ExperimentLog", "Snapshot"]

_EXPECTED = "an entry of an experiment log: a JSON object with time, kind and what belongs to the kind"
_LONGEST_NAME = 100  # characters
_PATIENCE = 5.0  # seconds for which another program may write
_WAIT = 0.01
_DIGITS = 16


class Snapshot(NamedTuple):
    """A comparison as it was when it was saved.

    Attributes
    ----------
    snapshot_id : str
        Its id.
    name : str
        Its present name.
    time : str
        When it was saved: UTC, ISO 8601.
    data : dict
        What was saved: systems, measures, means, fingerprints.
    removed : bool
        Whether it has been removed from the list; it can be restored.
    """

    snapshot_id: str
    name: str
    time: str
    data: Mapping[str, Any]
    removed: bool = False


class ExperimentLog:
    """The settings tried on queries, and snapshots of comparisons, in an append-only file of JSON Lines.

    Several programs may use one file: each entry is appended under a lock, and synced to the disk. Nothing in the file
    is ever changed: a new name, and the removal of a snapshot, are entries too.

    Parameters
    ----------
    path : str or Path
        The file.
    create : bool, default True
        Whether a missing file is made at once; otherwise it is made with the first snapshot, and the settings tried
        until then are kept in memory.

    Raises
    ------
    DataError
        If a line is not an entry of such a log.
    StorageError
        If the file cannot be made.

    Examples
    --------
    >>> import tempfile, toysearch
    >>> index, queries = toysearch.Index.build(["the cat sat", "a dog"]), [Query("1", "cat")]
    >>> log = ExperimentLog(Path(tempfile.mkdtemp(), "pets.jsonl"))
    >>> log.add(queries, index, ["bm25", "bm25:b=0.4"]), log.add(queries, index, ["bm25"])
    (2, 2)
    >>> saved = log.save("less length", {"systems": {"a": "bm25:b=0.4"}})
    >>> log.rename(saved.snapshot_id, "b = 0.4").name, [each.name for each in log.snapshots]
    ('b = 0.4', ['b = 0.4'])
    """

    @checked
    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path, self._lock = Path(path), threading.RLock()
        self._tried: dict[str, set[str]] = {}  # key of queries → settings
        self._waiting: dict[str, set[str]] = {}  # those that are not in the file yet
        self._snapshots: dict[str, Snapshot] = {}
        self._seen: tuple[int, int] | None = None  # size and time of the file that has been read
        self._read()
        if create and not self.path.exists():
            self._append()

    @checked
    def add(self, queries: Iterable[Query], index: Index | Analyzer, models: Iterable[ModelLike]) -> int:
        """Count models that are tried on queries, and return the number of settings tried on these in all.

        Parameters
        ----------
        queries : iterable of Query
            The queries on which conclusions are drawn.
        index : Index or Analyzer
            The index that is searched, or its analysis, which is a part of a setting.
        models : iterable of str, function, Model or Mixture
            The models.

        Raises
        ------
        StorageError
            If the file cannot be written. The settings are counted in memory.
        """
        key = _queries_key(queries)
        analyzer = index if isinstance(index, Analyzer) else index.analyzer
        settings = {_setting(analyzer, model) for model in models}
        with self._lock:
            self._read()
            new = settings - self._tried.setdefault(key, set())
            self._tried[key] |= new
            if new:
                self._waiting.setdefault(key, set()).update(new)
                if self.path.exists():
                    self._append()
            return len(self._tried[key])

    @property
    def snapshots(self) -> list[Snapshot]:
        """All snapshots in the order in which they were saved, removed ones included."""
        with self._lock:
            self._read()
            return [*self._snapshots.values()]

    @checked
    def save(self, name: str, data: Mapping[str, Any]) -> Snapshot:
        """Save a snapshot: when this returns, it is on the disk.

        Parameters
        ----------
        name : str
            Its name.
        data : mapping
            What is saved, as JSON can hold it.

        Raises
        ------
        ArgumentError
            If the name is empty or too long.
        StorageError
            If the file cannot be written; then nothing is saved.
        """
        snapshot_id = secrets.token_hex(4)
        self._append({"kind": "snapshot", "id": snapshot_id, "name": _checked_name(name), "data": dict(data)})
        return self._snapshots[snapshot_id]

    @checked
    def rename(self, snapshot_id: str, name: str) -> Snapshot:
        """Give a snapshot another name; the old one stays in the file.

        Parameters
        ----------
        snapshot_id : str
            The snapshot.
        name : str
            Its new name.
        """
        return self._change(snapshot_id, {"kind": "renamed", "name": _checked_name(name)})

    @checked
    def remove(self, snapshot_id: str) -> Snapshot:
        """Take a snapshot off the list; it stays in the file, and can be restored.

        Parameters
        ----------
        snapshot_id : str
            The snapshot.
        """
        return self._change(snapshot_id, {"kind": "removed"})

    @checked
    def restore(self, snapshot_id: str) -> Snapshot:
        """Put a removed snapshot on the list again.

        Parameters
        ----------
        snapshot_id : str
            The snapshot.
        """
        return self._change(snapshot_id, {"kind": "restored"})

    def _change(self, snapshot_id: str, entry: Mapping[str, Any]) -> Snapshot:
        with self._lock:
            self._read()
            if snapshot_id not in self._snapshots:
                raise unknown("snapshot", snapshot_id, self._snapshots)
            self._append({**entry, "id": snapshot_id})
            return self._snapshots[snapshot_id]

    def _append(self, *entries: Mapping[str, Any]) -> None:
        """Write the waiting settings and then other entries, and read what the file has now."""
        with self._lock:
            waiting = [
                {"time": now(), "kind": "tried", "queries": key, "setting": setting}
                for key, settings in self._waiting.items()
                for setting in sorted(settings)
            ]
            with contextlib.closing(self._opened()) as file:
                file.append(*waiting, *({"time": now(), **entry} for entry in entries))
            self._waiting.clear()
            self._read()

    def _opened(self) -> AppendLog:
        """The file, open for appending once no other program writes."""
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                return AppendLog(self.path)
            except StorageError:
                if not self.path.exists() or time.monotonic() > end:
                    raise
                time.sleep(_WAIT)

    def _read(self) -> None:
        """Read the file if it has changed; a torn last line was never acknowledged, and is left out."""
        with self._lock:
            try:
                status = self.path.stat()
            except FileNotFoundError:
                return
            if self._seen == (status.st_size, status.st_mtime_ns):
                return
            snapshots: dict[str, Snapshot] = {}
            for line, item in logged(self.path, _EXPECTED):
                self._take(line, item, snapshots)
            self._snapshots, self._seen = snapshots, (status.st_size, status.st_mtime_ns)

    def _take(self, line: int, item: Mapping[str, Any], snapshots: dict[str, Snapshot]) -> None:
        """Take one entry of the file."""
        [kind] = texts_of(self.path, line, item, ("kind",))
        if kind == "tried":
            key, setting = texts_of(self.path, line, item, ("queries", "setting"))
            self._tried.setdefault(key, set()).add(setting)
            return
        [snapshot_id] = texts_of(self.path, line, item, ("id",))
        if kind == "snapshot" and isinstance(item.get("data"), dict):
            saved, name = texts_of(self.path, line, item, ("time", "name"))
            snapshots[snapshot_id] = Snapshot(snapshot_id, name, saved, item["data"])
        elif kind in ("renamed", "removed", "restored") and snapshot_id in snapshots:
            snapshot = snapshots[snapshot_id]
            snapshot = (
                snapshot._replace(name=texts_of(self.path, line, item, ("name",))[0]) if kind == "renamed" else snapshot
            )
            snapshots[snapshot_id] = snapshot._replace(
                removed=kind == "removed" or (kind == "renamed" and snapshot.removed)
            )
        else:
            raise malformed(self.path, line, f"expected {_EXPECTED}, found the kind '{kind:.40}'")


def data_fingerprints(index: Index, queries: Iterable[Query], qrels: Qrels) -> dict[str, str]:
    """The checksums of documents with their analysis, of queries, and of judgments."""
    judged = hashlib.sha256("\n".join(f"{qrel.query_id}\t{qrel.doc_id}\t{qrel.relevance!r}" for qrel in qrels).encode())
    return {
        "documents": data_fingerprint(index, {}, Qrels.from_dict({})),
        "queries": _queries_key(queries),
        "judgments": judged.hexdigest()[:_DIGITS],
    }


def _queries_key(queries: Iterable[Query]) -> str:
    """A checksum of queries, which distinguishes the samples on which settings are tried."""
    digest = hashlib.sha256()
    for query in queries:
        digest.update(f"{query.query_id}\0{query.text}\n".encode(errors="surrogatepass"))
    return digest.hexdigest()[:_DIGITS]


def _setting(analyzer: Analyzer, model: ModelLike) -> str:
    """The analysis and the model; for a function of the user also a checksum of its file."""
    ranker = find_model(model)
    return " ".join(part for part in (f"{analyzer} | {ranker}", code_fingerprint(ranker)) if part)


def _checked_name(name: str) -> str:
    """The name of a snapshot without blanks around it; refused if it is empty, too long or has control characters."""
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise ArgumentError(f"a snapshot needs a name of 1 to {_LONGEST_NAME} characters, not {name[:40]!r}")
    return name
