"""Systems that are compared: runs, and models that rank the judged queries of a collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from toysearch.corpus.collection import Collection
from toysearch.errors import ArgumentError, ToysearchError
from toysearch.formats.frames import is_frame
from toysearch.formats.run_and_qrels import QrelsLike, RunLike, as_run, judgments_of, named_runs
from toysearch.index.index import Index
from toysearch.laboratory.experiments.doubts import tell_doubts
from toysearch.laboratory.sources import JudgedLike, QueriesLike, is_file, judged, runs_of_models
from toysearch.models.formula import PREFIX
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.models.registry import model as find_model
from toysearch.records import Qrels, Ranking, Run
from toysearch.search.searcher import Searcher, index_of

SystemLike: TypeAlias = RunLike | Callable[..., Any] | Model | Mixture
SystemsLike: TypeAlias = Mapping[str, SystemLike] | Iterable[SystemLike]

DEPTH = 1000
"""How deep models rank unless told otherwise."""

_Found = Model | Mixture | None


class Systems(NamedTuple):
    """Runs with their names, their judgments, and the lowest relevant grade where a collection says so."""

    runs: list[tuple[str, Run]]
    qrels: Qrels
    threshold: float | None


def systems_of(
    systems: SystemsLike,
    source: QrelsLike | JudgedLike,
    *,
    index: JudgedLike | None = None,
    queries: QueriesLike | None = None,
    k: int | None = DEPTH,
    ties: str | None = None,
    threads: int | None = None,
) -> Systems:
    """The systems as runs: models rank the judged queries, runs are taken as they are."""
    can_rank = index is not None or _holds_documents(source)
    systems = systems if _is_single(systems) else list(systems)
    named = _named(systems)
    found = [_model(value, can_rank) for _, value in named]
    models = [each for each in found if each is not None]
    if not models:
        if index is not None or queries is not None or threads is not None or k != DEPTH:
            raise ArgumentError("index, queries, k and threads are for models; runs are compared as they are")
        return Systems(named_runs(systems), *judgments_of(source))  # type: ignore[arg-type]
    if not can_rank:
        raise ArgumentError(
            f"'{models[0]}' is a model, which needs documents to rank: give a collection or an index in place of the "
            "judgments, or as index=… beside them"
        )
    if _holds_documents(source):
        what = judged(source, queries)  # type: ignore[arg-type]
        searched = index if index is not None else what.index or what.collection
    else:
        what = judged(index, queries, source)  # type: ignore[arg-type]
        searched = what.index or what.collection
    searched = index_of(searched, *models)
    tell_doubts(what.collection, searched)
    ranked = runs_of_models(models, searched, what.collection, k, ties=ties, threads=threads)
    runs = []
    for (name, value), model in zip(named, found, strict=True):
        run = as_run(value) if model is None else next(ranked)
        runs.append((run.name if name is None else name, run))
    return Systems(runs, what.collection.qrels, what.collection.threshold)


def _is_single(systems: object) -> bool:
    """Whether this is no list of systems: one run, systems by name, or nothing of the kind."""
    single = isinstance(systems, str | Path | Run | Qrels | Ranking | Mapping) or is_frame(systems)
    return single or not isinstance(systems, Iterable)


def _named(systems: SystemsLike) -> list[tuple[str | None, Any]]:
    """Systems with the names that a mapping gives them; none where there is only one, without a name."""
    if isinstance(systems, Mapping):
        return [(str(name), value) for name, value in systems.items()]
    return [] if _is_single(systems) else [(None, value) for value in systems]


def _model(value: Any, can_rank: bool) -> _Found:
    """The model that a system is; None for a run."""
    if isinstance(value, Model | Mixture):
        return value
    if not isinstance(value, str):
        is_function = callable(value) and not isinstance(value, type | Mapping) and not is_frame(value)
        return find_model(value) if is_function else None
    if value == "-" or Path(value).is_file():
        return None
    try:
        return find_model(value)
    except ToysearchError:
        if value.startswith(PREFIX) or ".py:" in value or (can_rank and not is_file(value)):
            raise
        return None  # whoever reads it as a run says that there is no such file


def _holds_documents(source: object) -> bool:
    """Whether a source is a collection or an index, also by its name or its folder."""
    if isinstance(source, str | os.PathLike):
        return not is_file(Path(source) if isinstance(source, os.PathLike) else source)
    return isinstance(source, Collection | Index | Searcher)
