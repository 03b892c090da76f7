"""What was tried: the ledger of tuning, which can be resumed, and the log of experiments and snapshots."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from toysearch.analysis.analyzer import Analyzer, variant
from toysearch.base import (
    NO_JUDGMENTS,
    ArgumentError,
    DataError,
    Qrels,
    Query,
    Ranking,
    Run,
    StorageError,
    checked,
    counted,
    expect_name,
    malformed,
    note,
    pool,
)
from toysearch.compiled.plain_or_compiled import cores
from toysearch.evaluation import Measure
from toysearch.formats import AppendLog, finite_value, logged, now, texts_of
from toysearch.index.inverted_index import Index
from toysearch.laboratory.effects import System
from toysearch.laboratory.experiments.grids import Axis, Setting, variation
from toysearch.laboratory.study import Study
from toysearch.models import Mixture, Model, ModelLike, Value, is_shipped
from toysearch.models.registry import model as find_model
from toysearch.search import Searcher

__all__ = ["ExperimentLog", "Snapshot"]


_DIGITS = 16  # of a checksum: enough to distinguish files, short enough to read


def data_fingerprint(index: Index, queries: Mapping[str, str], qrels: Qrels) -> str:
    """A checksum of the counts of an index, of queries and of judgments."""
    digest = hashlib.sha256()
    for strings in (index.doc_ids, index.terms, *queries.items(), qrels.query_ids, qrels.doc_ids):
        for text in strings:
            digest.update(text.encode(errors="surrogatepass") + b"\0")
        digest.update(b"\n")
    of_fields = [index.fields.dl(name) for name in index.fields.names]
    counts = [*reversed(index.blocks.span()), index.offsets, index.dl, index.bytes, *of_fields]
    for array in (*counts, qrels.relevance, qrels.offsets):
        digest.update(np.ascontiguousarray(array, dtype="<f8").data)
    return digest.hexdigest()[:_DIGITS]


def choices_fingerprint(analyzer: Analyzer, axes: Iterable[Axis]) -> str:
    """A checksum of the contents of the analysis choices: the words of a file, not its name."""
    choices = [(axis.name, str(value)) for axis in axes if axis.of_analysis for value in axis.values]
    analyzers = [variant(analyzer, {name: value}).to_dict() for name, value in choices]
    return hashlib.sha256(json.dumps(analyzers).encode()).hexdigest()[:_DIGITS] if analyzers else ""


def code_fingerprint(model: Model | Mixture) -> str:
    """A checksum of the files with a model's functions, vectors and rankers; an empty string if there are none."""
    # The checksums of the files of vectors, of the functions that make those of queries, and of learned rankers.
    names = [name for vectors in getattr(model, "vectors", ()) for name in getattr(vectors, "files", ())]
    folders = [ranker.source for ranker in getattr(model, "rankers", ())]
    files = {}
    for path in map(Path, [*names, *folders]):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                with file.open("rb") as opened:
                    files[str(file)] = hashlib.file_digest(opened, "sha256").digest()
    for part in model.models:
        for function in (part.function, *part.hooks.values(), part.similarity.function):
            code = getattr(function, "__code__", None)
            if code is not None and not is_shipped(function) and Path(code.co_filename).is_file():
                files[code.co_filename] = Path(code.co_filename).read_bytes()
    if not files:
        return ""
    return hashlib.sha256(b"\0".join(files[name] for name in sorted(files))).hexdigest()[:_DIGITS]


def run_fingerprint(searcher: Searcher, queries: Mapping[str, str], *how: object) -> str:
    """A checksum of what makes a run: the counts of the index, the queries, the model with its code, and settings."""
    data, model = data_fingerprint(searcher.index, queries, NO_JUDGMENTS), searcher.model
    parts = data, searcher.index.analyzer, model, code_fingerprint(model), *how
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:_DIGITS]


KIND = "toysearch-tune"
_LONGEST = 60  # characters of a header value shown in an error


class Ledger:
    """Setting → the value of each query, in a file that grows by whole lines and can be resumed.

    The first line is the header: what was measured, and on what. An incomplete last line, left by a program that was
    killed, is removed when the file is opened. Use it as a context manager.
    """

    kind, command = KIND, "`tune`"

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.found: dict[Any, Any] = {}
        first = {"kind": self.kind, **header}
        stranger = DataError(f"{path}: this is not a file of results of {self.command}; choose another name")

        def whole(data: bytes) -> int:
            """Take the whole lines of the file, which must be results of this experiment; their size."""
            lines = data.split(b"\n")[:-1]
            if lines:
                item = _parsed(lines[0])
                if item.get("kind") != self.kind:
                    raise stranger
                for name, value in json.loads(json.dumps(header)).items():
                    if item.get(name) != value:
                        raise DataError(
                            f"{self.path} holds another experiment: its {name}: {_shown(item.get(name))}, not "
                            f"{_shown(value)}; choose another file, or delete this one"
                        )
                self._take(lines[1:], header)
            elif not json.dumps(first, ensure_ascii=False).encode().startswith(data):
                raise stranger
            return data.rfind(b"\n") + 1

        self._file = AppendLog(self.path, sync=False, keep=whole)
        if not self.path.stat().st_size:
            self._file.append(first)

    def _take(self, lines: Iterable[bytes], header: Mapping[str, Any]) -> None:
        """Take the lines after the header."""
        settings = _entries(self.path, lines, len(header["queries"]))
        self.found.update((key(setting), values) for setting, values in settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, setting: Setting, values: np.ndarray) -> None:
        """Record the values of a setting."""
        # values: (queries,) float64.
        numbers = [None if math.isnan(value) else value for value in values.tolist()]
        self._file.append({"setting": setting, "values": numbers})


_BATCH = 32  # queries that are ranked and then recorded together


class RunLedger(Ledger):
    """System and query → its ranking, in a file from which an interrupted evaluation is resumed."""

    kind, command = "toysearch-rankings", "`eval` or `compare`"

    def _take(self, lines: Iterable[bytes], header: Mapping[str, Any]) -> None:
        for number, line in enumerate(lines, 2):
            entry = _parsed(line)
            doc_ids, scores = entry.get("doc_ids"), entry.get("scores")
            if not (isinstance(doc_ids, list) and isinstance(scores, list) and len(doc_ids) == len(scores)):
                raise malformed(self.path, number, "expected a ranking: doc_ids and scores; choose another file")
            of_system = self.found.setdefault(entry.get("system"), {})
            of_system[entry.get("query_id")] = Ranking(str(entry.get("query_id")), doc_ids, np.array(scores, float))

    def run(self, searcher: Any, queries: Sequence[Query], how: Mapping[str, Any]) -> Run:
        """The run of a searcher, of which the rankings in the file are not made again."""
        system = f"{searcher.model} {code_fingerprint(searcher.model)}".strip()
        rankings = self.found.setdefault(system, {})
        missing = [query for query in queries if query.query_id not in rankings]
        if rankings:
            n, of = len(queries) - len(missing), counted(len(queries), "ranking")
            note(f"{self.path}: {n} of {of} of {searcher.model} are taken from this file")
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            run = searcher.run(part, **how)
            ranked = [run.ranking(query.query_id) for query in part]
            self._file.append(
                *(
                    {"system": system, "query_id": one.query_id, "doc_ids": one.doc_ids, "scores": one.scores.tolist()}
                    for one in ranked
                )
            )
            rankings.update((one.query_id, one) for one in ranked)
        return Run.from_rankings([rankings[query.query_id] for query in queries], str(searcher.model))


def read_ledger(path: str | Path) -> tuple[dict[str, Any], list[tuple[Setting, np.ndarray]]]:
    """The header of a results file, and its settings with the values of the queries; the file is not changed."""
    lines = Path(path).read_bytes().split(b"\n")[:-1]
    header = _parsed(lines[0]) if lines else {}
    if header.get("kind") != KIND:
        raise DataError(
            f"{path}: this is not a file of results of `tune`; create one with toysearch tune COLLECTION … -o FILE"
        )
    return header, list(_entries(Path(path), lines[1:], len(header.get("queries", ()))))


def _entries(path: Path, lines: Iterable[bytes], n_queries: int) -> Iterator[tuple[Setting, np.ndarray]]:
    """The settings on the lines after the first, with their values."""
    for number, line in enumerate(lines, 2):
        entry = _parsed(line)
        setting, values = entry.get("setting"), entry.get("values", ())
        if not isinstance(setting, dict) or not (
            isinstance(values, list)
            and len(values) == n_queries
            and all(value is None or finite_value(value) is not None for value in values)
        ):
            raise malformed(
                path,
                number,
                f"expected a setting with {n_queries} values, one per query; delete this line and those after it, or "
                "choose another file",
            )
        yield setting, np.array([math.nan if value is None else value for value in values], dtype=float)


def key(setting: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """A key that equal settings share, whatever the order of their names."""
    return tuple(sorted(setting.items()))


def _parsed(line: bytes) -> dict[str, Any]:
    """The object on a line; an empty one if there is none."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_AT_ONCE = 256  # settings queued at once: each is recorded soon after it is computed


Elsewhere = Callable[[Study, Sequence[Model | Mixture]], Iterable[np.ndarray]]
"""Evaluates models on a study in other processes: the values of each, in their order."""


class Trials:
    """Settings → the value of each query."""

    def __init__(
        self,
        study: Study,
        model: Model | Mixture,
        axes: Sequence[Axis],
        measure: Measure,
        *,
        ledger: Ledger | None = None,
        threads: int | None = None,
        keep: bool = False,
        tell: Callable[[Setting, np.ndarray], None] | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise ArgumentError(
                f"threads must be a whole number of at least 1 (or None for all cores), not {threads!r}"
            )
        self._study, self._model, self._axes, self._measure = study, model, axes, measure
        self._ledger, self._tell, self._elsewhere = ledger, tell, elsewhere
        self._threads, self._keep = threads or cores(), keep
        self._studies: dict[Analyzer, Study] = {}
        self._known: dict[tuple[tuple[str, Value], ...], np.ndarray] = {}

    def values(self, settings: Iterable[Setting]) -> list[np.ndarray]:
        """The values of settings, each of shape (queries,), in the order of the judgments."""
        settings = list(settings)
        missing = {key(setting): setting for setting in settings if key(setting) not in self._known}
        systems = [(setting, *self._system(setting)) for setting in missing.values()]
        for _, group in groupby(systems, lambda system: system[1].analyzer):
            for setting, values in self._recorded(list(group)):
                self._known[key(setting)] = values
                if self._tell is not None:
                    self._tell(setting, values)
        return [self._known[key(setting)] for setting in settings]

    @property
    def tried(self) -> Iterator[System]:
        """The study and the model of every setting whose values are known."""
        return (self._system(dict(setting)) for setting in self._known)

    def _system(self, setting: Setting) -> System:
        return variation(self._axes, setting).apply(self._study, self._model)

    def _recorded(self, systems: list[tuple[Setting, Study, Model | Mixture]]) -> Iterator[tuple[Setting, np.ndarray]]:
        """Settings with their values, in order: from the ledger, or computed and recorded there."""
        recorded = self._ledger.found if self._ledger is not None else {}
        models = [model for setting, _, model in systems if key(setting) not in recorded]
        computed = self._computed(systems[0][1], models)
        for setting, _, _ in systems:
            values = recorded.get(key(setting))
            if values is None:
                values = next(computed)
                if self._ledger is not None:
                    self._ledger.add(setting, values)
            yield setting, values

    def _computed(self, study: Study, models: list[Model | Mixture]) -> Iterator[np.ndarray]:
        """The values of models on a study, computed by all threads, in order."""
        if not models:
            return
        if self._elsewhere is not None:
            yield from self._elsewhere(study, models)
            return
        evaluator = self._kept(study).evaluator([self._measure])
        yield evaluator.values(models[0])  # alone, so that the evaluator prepares shared data only once
        if self._threads == 1:
            yield from map(evaluator.values, models[1:])
            return
        waiting = iter(models[1:])
        beside = pool(self._threads)
        try:
            while batch := list(islice(waiting, _AT_ONCE)):
                yield from beside.map(evaluator.values, batch)
        finally:
            beside.shutdown(cancel_futures=True)

    def _kept(self, study: Study) -> Study:
        """The study of an analysis, whose index is kept; without `keep`, until another one is needed."""
        if study.analyzer not in self._studies and not self._keep:
            self._studies.clear()
        return self._studies.setdefault(study.analyzer, study)


_EXPECTED = "an entry of an experiment log: a JSON object with time, kind and what belongs to the kind"
_LONGEST_NAME = 100  # characters
_PATIENCE = 5.0  # seconds for which another program may write
_WAIT = 0.01


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
        settings = set()
        for ranker in map(find_model, models):
            checksum = code_fingerprint(ranker)  # of the file of a user's function
            settings.add(f"{analyzer} | {ranker} {checksum}".rstrip())
        with self._lock:
            self._read()
            new = settings - self._tried.setdefault(key, set())
            self._tried[key] |= new
            if new:
                self._waiting.setdefault(key, set()).update(new)
                if self.path.exists():
                    self._append()
            return len(self._tried[key])

    @checked
    def begin(self, queries: Iterable[Query]) -> None:
        """Count the settings tried on queries anew; what was tried before stays in the file.

        Parameters
        ----------
        queries : iterable of Query
            The queries on which conclusions are drawn.

        Raises
        ------
        StorageError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile, toysearch
        >>> index, queries = toysearch.Index.build(["the cat sat"]), [Query("1", "cat")]
        >>> log = ExperimentLog(Path(tempfile.mkdtemp(), "pets.jsonl"))
        >>> _ = log.add(queries, index, ["bm25", "dph"]), log.begin(queries)
        >>> log.add(queries, index, ["dph"])
        1
        """
        key = _queries_key(queries)
        with self._lock:
            if self.path.exists():
                self._append({"kind": "begun", "queries": key})
            self._tried.pop(key, None)
            self._waiting.pop(key, None)

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
            expect_name("snapshot", snapshot_id, self._snapshots)
            self._append({**entry, "id": snapshot_id})
            return self._snapshots[snapshot_id]

    def _append(self, *entries: Mapping[str, Any]) -> None:
        """Write the waiting settings and then other entries, and read what the file has now."""
        with self._lock:
            waiting = [
                {"kind": "tried", "queries": key, "setting": setting}
                for key, settings in self._waiting.items()
                for setting in sorted(settings)
            ]
            with contextlib.closing(self._opened()) as file:
                file.append(*({"time": now(), **entry} for entry in (*waiting, *entries)))
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
        if kind == "begun":
            [key] = texts_of(self.path, line, item, ("queries",))
            self._tried.pop(key, None)
            return
        [snapshot_id] = texts_of(self.path, line, item, ("id",))
        if kind == "snapshot" and isinstance(item.get("data"), dict):
            saved, name = texts_of(self.path, line, item, ("time", "name"))
            snapshots[snapshot_id] = Snapshot(snapshot_id, name, saved, item["data"])
        elif kind in ("renamed", "removed", "restored") and snapshot_id in snapshots:
            change: dict[str, Any] = {"removed": kind == "removed"}
            if kind == "renamed":
                change = {"name": texts_of(self.path, line, item, ("name",))[0]}
            snapshots[snapshot_id] = snapshots[snapshot_id]._replace(**change)
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


def _checked_name(name: str) -> str:
    """The name of a snapshot without blanks around it; refused if it is empty, too long or has control characters."""
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise ArgumentError(f"a snapshot needs a name of 1 to {_LONGEST_NAME} characters, not {name[:40]!r}")
    return name
