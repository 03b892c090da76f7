"""Several systems and what judges them, as `eval` and the commands of experiments take them: models, or run files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

import toysearch
from toysearch.cli.options import ANALYSIS, SourceOptions, open_source
from toysearch.cli.output import progress, remark

_OF_JUDGMENTS = ("grades", "split", "input_format", "qrels_columns")
_ENOUGH_TO_WONDER = 10  # queries: on fewer, systems often agree by chance


class Systems(NamedTuple):
    """Runs of the same queries, and the judgments to score them against.

    Attributes
    ----------
    runs : list of Run
        One a system.
    qrels : Qrels
        The judgments.
    threshold : float or None
        The lowest grade that is relevant: what was asked for, else the collection's; None for bare judgments.
    collection : Collection or None
        Where the judgments are from, if not from a file.
    index : Index or None
        What was searched, if the runs were made here.
    k : int or None
        How deep they rank, if they were made here.
    """

    runs: list[Any]
    qrels: Any
    threshold: float | None
    collection: Any = None
    index: Any = None
    k: int | None = None


def systems_of_models(
    source: str,
    names: tuple[str, ...],
    k: int,
    threads: int | None,
    threshold: float | None,
    options: SourceOptions,
    *,
    ties: str | None = None,
    otherwise: str,
) -> Systems:
    """Rank the judged queries of a collection with each model.

    Parameters
    ----------
    source : str
        The collection or the index.
    names : tuple of str
        The models.
    k, threads, threshold, options
        As the options of these names.
    ties : str, optional
        With "trec_eval", equal scores are ordered as trec_eval does.
    otherwise : str
        What to do for who gives a run here, such as "give the judgments after it: toysearch eval {} QRELS".
    """
    models = [toysearch.model(name) for name in names]
    refuse_run(source, otherwise)
    index, collection = open_source(source, options, models)
    if collection is None or not len(collection.qrels):
        raise toysearch.ArgumentError(
            f"{source} has no judgments to score against; give a collection that has some, or RUN and QRELS files"
        )
    order = "trec_eval" if ties == "trec_eval" else "rank"
    runs = []
    with progress("ranking", "models done") as tell:
        for model in models:
            runs.append(toysearch.Searcher(index, model).run(collection.judged_queries, k, ties=order, threads=threads))
            if tell:
                tell(len(runs))
    for sentence in toysearch.doubts(runs[0], collection.qrels):
        remark(f"note: {sentence}")
    limit = collection.threshold if threshold is None else threshold
    return Systems(runs, collection.qrels, limit, collection, index, k)


def systems_of_runs(targets: tuple[str, ...], threshold: float | None, options: SourceOptions) -> Systems:
    """Read run files, and the judgments of a file or a collection, whichever target that is.

    Parameters
    ----------
    targets : tuple of str
        The files; one of them the judgments, or the name of a collection.
    threshold, options
        As the options of these names.
    """
    judged = toysearch.judgments_among(list(targets))
    judgments = len(targets) - 1 if judged is None else judged
    files = [target for i, target in enumerate(targets) if i != judgments]
    is_file = targets[judgments] == "-" or Path(targets[judgments]).is_file()
    if judged is not None or (is_file and options.qrels_columns):
        collection, qrels = None, toysearch.read_qrels(targets[judgments], options.qrels_columns)
    elif Path(targets[judgments]).is_file() and toysearch.kind_of(targets[judgments]) == "run":
        raise click.UsageError(f"none of {', '.join(targets)} holds judgments (query iteration doc_id grade)")
    elif is_file:
        raise _no_judgments(targets[judgments])
    else:
        read = {name: getattr(options, name) for name in _OF_JUDGMENTS}
        collection = toysearch.load(targets[judgments], **read)
        qrels = collection.qrels
        threshold = collection.threshold if threshold is None else threshold
    runs = [toysearch.read_run(file) for file in files]
    if len({run.name for run in runs}) < len(runs):  # equal tags would not tell the rows apart
        for run, file in zip(runs, files, strict=True):
            run.name = file
    for run, file in zip(runs, files, strict=True):
        for sentence in toysearch.suspicions(run, qrels, file):
            remark(f"note: {sentence}" if len(runs) == 1 else f"note: {run.name}: {sentence}")
    return Systems(runs, qrels, threshold, collection)


def _no_judgments(path: str) -> toysearch.DataError:
    """The error for a file that does not look like judgments: of a table, which columns should be named."""
    try:
        toysearch.read_qrels(path)
    except toysearch.DataError as error:
        if "--qrels-columns" in str(error):
            return error
    return toysearch.DataError(
        f"{path}: expected judgments (query iteration doc_id grade; or a table whose header names query_id, doc_id and "
        "relevance; or JSON) or a collection, and found neither"
    )


def refuse_run(source: str, otherwise: str) -> None:
    """Refuse a run in the place of a collection.

    Parameters
    ----------
    source : str
        What was given.
    otherwise : str
        What to do, such as "give the judgments after it: toysearch eval {} QRELS".
    """
    if Path(source).is_file() and toysearch.kind_of(source) == "run":
        raise click.UsageError(f"{source} is a run; {otherwise.format(source)}")


def refuse_model_options(names: tuple[str, ...], k: int | None, threads: int | None, options: SourceOptions) -> None:
    """Refuse what says how to rank, where run files are scored as they are.

    Parameters
    ----------
    names, k, threads, options
        As the options of these names.
    """
    given = sorted({"--formula" if name.startswith("formula:") else "--model" for name in names}, reverse=True)
    given += ["-k"] * (k is not None) + ["--threads"] * (threads is not None)
    given += options.given(*ANALYSIS, "fields", "columns", "query_fields")
    if given:
        raise click.UsageError(f"{', '.join(given)}: only with one COLLECTION; run files are scored as they are")


def alike(runs: Sequence[Any]) -> list[str]:
    """Which systems rank every one of several queries alike: equal figures are then no accident.

    Parameters
    ----------
    runs : sequence of Run
        The systems.
    """
    groups: dict[tuple[Any, ...], list[str]] = {}
    for run in runs if len(runs) > 1 else ():
        if len(run.query_ids) >= _ENOUGH_TO_WONDER:
            groups.setdefault((tuple(run.query_ids), tuple(run.doc_ids), tuple(run.offsets)), []).append(run.name)
    return [f"{' and '.join(names)} rank all queries alike" for names in groups.values() if len(names) > 1]
