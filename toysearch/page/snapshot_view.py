"""The view of snapshots: comparisons that were saved with a name, their values then and now; and what changes them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import toysearch
from toysearch.base import ArgumentError, ToysearchError, groups_of, note, unknown
from toysearch.laboratory import ExperimentLog, Snapshot, code_fingerprint, data_fingerprints
from toysearch.page import (
    AnyModel,
    ComparisonRequest,
    ForeignRun,
    LineChart,
    Reply,
    ServedSource,
    act,
    comparison_command,
    line_chart,
    missing,
    overall,
    own_snapshots,
    pairs_of,
    read_comparison,
)

_SOURCES = 16  # whose checksums are kept


def snapshots(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The snapshots of a source, the newest first, with the values of their systems then and now."""
    log = _log_of(source)
    rows = [_row(source, models, snapshot) for snapshot in reversed(own_snapshots(source))]
    present = [row for row in rows if not row["removed"]]
    measures = [*dict.fromkeys(measure for row in present for measure in row["then"])]
    measure = asked.get("measure") or next(iter(measures), "")
    if asked.get("measure") and measure not in measures:
        raise unknown("measure of a snapshot", measure, measures, "measures of snapshots")
    data = {
        "source": source.typed,
        "file": str(log.path),
        "measure": measure,
        "snapshots": present,
        "removed": [row for row in rows if row["removed"]],
        "tried": source.tried,
        "notes": [],
    }
    address = f"/{source.name}/snapshots"
    addresses = {name: f"{address}?{urlencode({'measure': name})}" for name in measures}
    form = {"trend": trend(present, measure), "measures": addresses}
    if asked.get("measure"):
        address = addresses[measure]
    return Reply("snapshots.html", f"Snapshots – {source.typed}", data, form, address)


def trend(rows: Sequence[Mapping[str, Any]], measure: str) -> LineChart | None:
    """The chart of a measure over snapshots, which come newest first: a line per system, in the order of saving.

    None with fewer than two snapshots that have the measure.
    """
    snapshots_of_measure = [row for row in reversed(rows) if measure in row["then"]]
    lines = groups_of(
        (model, (place, value, f"{row['name']}: {model} {value:.4f}"))
        for place, row in enumerate(snapshots_of_measure)
        for letter, model in row["systems"].items()
        if (value := row["then"][measure].get(letter)) is not None
    )
    if len(snapshots_of_measure) < 2 or not lines:
        return None
    return line_chart(lines, snapshots_of_measure[0]["name"], snapshots_of_measure[-1]["name"])


def change(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Save a comparison as a snapshot, rename one, remove one or restore one; the answer is the list."""
    log, snapshot_id, name = _log_of(source), asked.get("id", ""), asked.get("name", "")

    def save() -> None:
        request = read_comparison(source, models, pairs_of(asked.get("comparison", "")))._replace(depends=False)
        measured = overall(source, request)["measures"]
        log.save(
            name,
            {
                "source": source.typed,
                "systems": request.settings,
                "measure": request.measure_text,
                "address": request.over_all(source),
                "command": comparison_command(
                    source, [*request.models.values()], [str(measure) for measure in request.measures]
                ),
                "analyzer": str(source.index.analyzer),
                "means": {table["measure"]: table["means"] for table in measured},
                "queries": {table["measure"]: table["queries"] for table in measured},
                "tried": source.tried,
                "fingerprints": {**_fingerprints(source), "models": _code(request)},
            },
        )

    actions: dict[str, Callable[[], object]] = {
        "save": save,
        "rename": lambda: log.rename(snapshot_id, name),
        "remove": lambda: log.remove(snapshot_id),
        "restore": lambda: log.restore(snapshot_id),
    }
    act(asked.get("action", "save"), actions)
    return snapshots(source, models, {})


@functools.lru_cache(_SOURCES)
def _fingerprints(source: ServedSource) -> dict[str, str]:
    """The present checksums of documents, queries and judgments."""
    assert source.collection is not None
    return data_fingerprints(source.index, source.judged_queries, source.collection.qrels)


def _code(request: ComparisonRequest) -> str:
    """The version of toysearch and the checksums of model files and runs, on which values depend beside the data."""
    files = (
        model.fingerprint if isinstance(model, ForeignRun) else code_fingerprint(model)
        for model in request.models.values()
    )
    return " ".join(["toysearch", toysearch.__version__, *files]).strip()


def _log_of(source: ServedSource) -> ExperimentLog:
    """The log of a source; if there is none, an error that says why."""
    lacks = missing(source)
    if lacks is not None:
        raise ArgumentError(f"there are no snapshots: {lacks}")
    if source.experiments is None:
        raise ArgumentError(
            f"there are no snapshots: start `toysearch serve {source.typed} --experiments FILE.jsonl` to keep some"
        )
    return source.experiments


def _row(source: ServedSource, models: Mapping[str, AnyModel], saved: Snapshot) -> dict[str, Any]:
    """A snapshot with its values then and now, recomputed only if data or models have changed."""
    data, before, then = saved.data, saved.data.get("fingerprints", {}), saved.data.get("means", {})
    row = {
        "id": saved.snapshot_id,
        "name": saved.name,
        "time": saved.time,
        "removed": saved.removed,
        "systems": data.get("systems", {}),
        "then": then,
        "now": then,
        "changed": [],
        "problem": None,
        "command": data.get("command"),
        "address": None,
    }
    try:
        request = read_comparison(source, models, {**row["systems"], "measure": data.get("measure", "")})
        present = {**_fingerprints(source), "models": _code(request)}
        changed = [name for name, checksum in present.items() if before.get(name) != checksum]
        row |= {"address": request.over_all(source), "changed": changed}
        if changed:
            row["now"] = {table["measure"]: table["means"] for table in overall(source, request)["measures"]}
    except ToysearchError as error:  # such as a model that is not served any more
        row |= {"now": None, "problem": str(error)}
    return row


def experiments_of(source: ServedSource, file: str | None) -> ExperimentLog | None:
    """The log of what is tried on a source: the given file, or the usual one, created by the first snapshot."""
    if file is not None:
        return ExperimentLog(file)
    folder = Path(source.typed).resolve().parent if Path(source.typed).exists() else Path()
    try:
        return ExperimentLog(folder / f"{source.name}.experiments.jsonl", create=False)
    except (ToysearchError, OSError) as error:
        note(f"nothing is known of earlier experiments: {error}")
        return None
