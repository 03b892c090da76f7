"""The words of a command line become the study of run files, or of run files beside models that rank now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

import toysearch
import toysearch.study
from toysearch import files, index
from toysearch.base import ArgumentError, DataError, Remedy, groups_of, note, typed_line, without_notes
from toysearch.cli.options import DEFAULT, SourceOptions, Target, refuse_if
from toysearch.cli.output import progress
from toysearch.cli.source_kinds import kinds_of_runs, refuse_idle
from toysearch.cli.sources import judgments_given, keep_study, loaded, own_rows, study_of
from toysearch.evaluation.lint import suspicions

if TYPE_CHECKING:
    from toysearch.base import Run
    from toysearch.study.study import Scoring, Study
    from toysearch.study.system import ModelOrSystem


def is_run(target: Target) -> bool:
    """Return True if a target may be a run: a file that is neither a collection nor an index, or files by query."""
    return (
        _is_run_folder(target) or str(target) == "-" or (os.path.isfile(target) and files.kind_of(target) is not None)
    )


def _has_hits(target: Target, options: SourceOptions) -> bool:
    """True for a file with scores beside queries and documents, and perhaps texts, unless it is to be searched.

    Unknown columns are those of a run if they hold ids of the judgments.
    """
    if options.queries is not None or options.reading.columns is not None or not os.path.isfile(target):
        return False
    source = options.source(target)
    if options.qrels is not None and files.is_file(options.qrels):
        source.beside = [options.source(options.qrels)]
    return files.has_scores(source) or (not files.what_is(source).role and files.reads_as_run(source))


def with_indexes(
    targets: Sequence[Target], options: SourceOptions, models: Sequence[ModelOrSystem]
) -> tuple[Sequence[Target], SourceOptions, Sequence[Target]]:
    """INDEX INDEX … as the first of them and all that make systems; other targets unchanged, or with a collection.

    INDEX COLLECTION is the index with the queries and judgments of the collection. SOURCE QRELS (an index or a
    collection, then a file of judgments) is that source with --qrels. So is a file of documents with models or queries;
    without, a file before another one is a run. Files are returned as sources, for their readers.
    """
    indexes = [target for target in targets if index.is_index_folder(target)]
    if len(indexes) < 2:
        indexes = []
    else:
        targets = [indexes[0], *(target for target in targets if target not in indexes)]
    targets = files.without_records(targets)
    of_folders = [_runs_in(target, targets, options) for target in targets]
    targets = tuple(options.target(target) for of_folder in of_folders for target in of_folder)
    # Models or queries are given to search a file of documents with, or its columns are named.
    searches = bool(models) or options.queries is not None or options.reading.columns is not None
    if len(targets) != 2 or not (_is_collection(targets[0]) or (searches and files.holds_documents(targets[0]))):
        return targets, options, indexes
    source, other = targets
    if options.qrels is None and (files.judgments_among(targets) == 1 or _is_folder_of_lists(other)):
        return (source,), options._replace(qrels=other), indexes
    if not index.is_index_folder(source) or is_run(other) or index.is_index_folder(other):
        return targets, options, indexes
    of = options._replace(queries=options.queries or other, qrels=options.qrels or other)
    return (source,), of, indexes


def _runs_in(target: Target, targets: Sequence[Target], options: SourceOptions) -> Sequence[Target]:
    """Return the runs of a folder: as its source if its files are named after queries in the other files; else each."""
    if not os.path.isdir(target):
        return [target]
    folder = options.source(target)
    others = [other for other in (*targets, options.qrels) if other not in (None, target)]
    folder.beside = [options.source(other) for other in others if other is not None and files.is_file(other)]
    by_query = folder.beside and files.lists_by_query(folder, "run")
    return [folder] if by_query else files.files_of(target, "run") or [target]


def _is_run_folder(target: Target) -> bool:
    """True for the source of a folder whose files are the rankings of queries."""
    return isinstance(target, files.Source) and os.path.isdir(target)


def _is_collection(target: Target) -> bool:
    return (os.path.isdir(target) and not _is_run_folder(target)) or (
        not os.path.exists(target) and target in toysearch.collections()
    )


def _is_folder_of_lists(target: Target) -> bool:
    """True for a folder of files that are named after queries."""
    return os.path.isdir(target) and bool(files.lists_by_query(target))


def _is_judgments(target: Target) -> bool:
    """True if a target is a file that can only hold judgments."""
    return files.is_file(target) and files.holds_judgments_only(target)


def study_of_runs(targets: Sequence[Target], options: SourceOptions) -> Study:
    """Return the study of run files, and of the judgments of a file or a collection among them."""
    paths: list[Target] = [*targets]
    judgments = options.qrels
    _set_beside(paths if judgments is None else [*paths, judgments])
    if judgments is None:
        place = files.judgments_among(paths)
        last = files.rows_in(paths[-1]) if place is None and all(os.path.isfile(file) for file in paths) else None
        refuse_if(
            last is not None and last.role == "run" and last.form != "json",
            f"none of {', '.join(map(str, targets))} holds judgments (query iteration doc_id grade); name them with "
            "--qrels",
        )
        if place is None:  # the collection, at any position; else the last
            collections = [place for place, file in enumerate(paths) if _is_collection(file)]
            place = collections[0] if len(collections) == 1 else len(paths) - 1
        judgments = paths.pop(place)
    elif twice := [file for file in paths if _is_collection(file) or _is_judgments(file)]:
        raise _given_twice(twice[0], judgments)
    refuse_if(not paths, f"{judgments}: give the runs to score too")
    if (folder := next((file for file in paths if os.path.isdir(file)), None)) and not any(map(is_run, paths)):
        topics_file = next((file for file in paths if file != folder), "QUERIES")
        command = str(click.get_current_context().info_name)
        words = (folder, "--queries", topics_file, "--qrels", judgments)
        line = typed_line("toysearch", command, *map(str, words))
        raise click.UsageError(f"{folder} is a folder; queries and judgments have options: {line}")
    for file in paths:
        if files.reads_as_run(file) or not files.holds_documents(file):
            continue
        raise DataError(f"{files.not_a_run(file)}; to search it: {Remedy('', queries=...)}")
    refuse_idle(kinds_of_runs(judgments, options), options)
    refuse_if(
        options.reading.rejected is not None and options.reading.on_error != "skip",
        "--rejected: only with --on-error skip",
    )
    qrels: Any = None
    if files.reads_as_judgments(judgments):
        judgments = options.source(judgments)
        _set_beside([*paths, judgments])
    else:
        settings = [*files.settings_for("qrels", "collection"), *(["query_fields"] * (options.queries is None))]
        qrels = loaded(judgments, options, settings)
        if not len(qrels.qrels):
            raise ArgumentError(f"{judgments} has no judgments to score against; name a file of judgments in its place")
    with _rejecting(options) as options:
        qrels = judgments_given(judgments, options) if qrels is None else qrels
        runs = runs_named(paths, options)
    if twin := next(
        (run for run, file in runs if str(file) == str(judgments) and _is_judged_by_itself(run, qrels)), None
    ):
        ways = f"{Remedy('read_run', columns=...)} {Remedy('read_qrels', columns=...)}"
        raise DataError(f"{judgments}: the run '{twin.name}' is its own judgments; name the columns of each: {ways}")
    queries = None
    if options.queries is not None:  # only these of the judged queries count
        alone = isinstance(qrels, toysearch.Qrels)
        with without_notes():
            judged = toysearch.Collection(str(judgments), tuple, qrels=qrels) if alone else qrels
        given = toysearch.study.StudySource(judged, options.queries, query_reading=options.of_queries)
        judged = toysearch.study.Study.of(given).judged()
        queries, qrels = judged.queries, judged.qrels if alone else judged
    return _with_runs(toysearch.study.Study.of(toysearch.study.StudySource(None, queries, qrels)), runs)


def _is_judged_by_itself(run: Run, qrels: Any) -> bool:
    """True if scores are the grades, or if the documents of a run are all that is relevant."""
    judged = {query_id: qrels[query_id] for query_id in qrels.query_ids} if isinstance(qrels, toysearch.Qrels) else {}
    return all(
        query_id in judged
        and run[query_id].keys() == judged[query_id].keys()
        and (run[query_id] == judged[query_id] or {*judged[query_id].values()} == {1.0})
        for query_id in run.query_ids
    )


def _set_beside(targets: Sequence[Target]) -> None:
    """Let the files of a call know each other: the ids of the others say what unknown columns hold."""
    sources = [target for target in targets if isinstance(target, files.Source)]
    inside = {
        source: (_is_run_folder(source) and files.lists_by_query(source, "run"))
        or files.files_of(source, "qrels")
        or [source]
        for source in sources
    }
    for source in sources:
        others = (inside[other] for other in sources if other is not source)
        source.beside = list(chain.from_iterable(others))


@contextmanager
def _rejecting(options: SourceOptions) -> Iterator[SourceOptions]:
    """Write the lines of runs and judgments that are left out meanwhile to the file of --rejected."""
    if options.reading.rejected is None:
        yield options
        return
    rejected = files.Rejected(options.reading.rejected)
    report = options.reading.report._replace(left_out=rejected.take)
    yield options._replace(reading=replace(options.reading, report=report))
    rejected.write()


def _with_runs(study: Study, runs: Sequence[tuple[Run, Target]]) -> Study:
    """Return the study with runs in files, and tell what is suspicious about these."""
    qrels = study.qrels()
    names_of = groups_of((sentence, run.name) for run, file in runs for sentence in suspicions(run, qrels, file))
    every = "in both runs" if len(runs) == 2 else f"in all {len(runs)} runs"
    for sentence, names in names_of.items():
        named = every if len(names) == len(runs) else ", ".join(names)
        note(sentence if len(runs) == 1 else f"{named}: {sentence}")
    return replace(study, fixed_runs=[run for run, _ in runs])


def runs_named(targets: Sequence[Target], options: SourceOptions) -> list[tuple[Run, Target]]:
    """Return the runs in some files, each with its file; named after it if the tags do not distinguish them."""
    on_error = options.reading.on_error or "refuse"
    of_trec = [bool(options.reading.run_columns) and files.rows_in(file).form == "trec" for file in targets]
    sources = [*map(options.source, targets)]
    if not all(of_trec):  # the columns are of the other files
        pairs = zip(sources, of_trec, strict=True)
        sources = [source.read_as(run_columns=None) if is_trec else source for source, is_trec in pairs]
    of_files = [(file, files.read_runs(source, on_error)) for file, source in zip(targets, sources, strict=True)]
    runs = [(run, file) for file, of_file in of_files for run in of_file]
    if len({run.name for run, _ in runs}) < len(runs):
        for file, of_file in of_files:
            for run in of_file:
                run.name = str(file) if len(of_file) == 1 else f"{file}: {run.name}"
    return runs


def _given_twice(target: Target, qrels: Target) -> click.UsageError:
    return click.UsageError(f"the judgments are given twice, as {target} and by --qrels {qrels}")


def run_and_judgments(run: Target, judged: Target | None, options: SourceOptions) -> list[Target]:
    """Return a run, and the judgments if given, in either order, by argument or by --qrels."""
    if judged is not None and options.qrels is not None:
        raise _given_twice(judged, options.qrels)
    paths = [file for file in (run, judged, options.qrels) if file is not None]
    _set_beside(paths)
    if judged is not None:
        place = 1 if not files.is_file(judged) else files.judgments_among(paths)
        if place == 0 or (place is None and not files.is_file(run)):
            paths.reverse()
    return paths


def refuse_run(source: Target, otherwise: str) -> None:
    """Refuse a run instead of a collection."""
    if os.path.isfile(source) and files.kind_of(source) == "run":
        raise click.UsageError(f"{source} is a run; {otherwise.format(source)}")


def study_of_targets(
    targets: Sequence[Target],
    options: SourceOptions,
    models: Sequence[ModelOrSystem],
    scoring: Scoring,
    otherwise: str = "",
) -> Study:
    """Return the study of COLLECTION | RUN... QRELS: with models that rank, with the runs in files, or with both.

    otherwise : what to do with a run in place of a collection, which is then refused before anything is read
    """
    targets, options, indexes = with_indexes(targets, options, models)
    rows = own_rows(targets[0], options) if len(targets) == 1 else None
    may_be_run = options.qrels is not None and (is_run(targets[0]) or _has_hits(targets[0], options))
    if rows or (len(targets) == 1 and not may_be_run):
        if otherwise and not rows:
            refuse_run(targets[0], otherwise)
        study = study_of(targets[0], options, models or [toysearch.MODELS[DEFAULT]], indexes=indexes, rows=rows)
    else:
        refuse_if(indexes, f"{' and '.join(map(str, indexes))}: indexes are compared without run files")
        study = _study_beside_runs(targets, options, models) if models else study_of_runs(targets, options)
    refuse_if(
        scoring.above is not None and not study.models,
        "--above limits what models rank now; a run file keeps its documents: leave it out",
    )
    return keep_study(study.with_scoring(**scoring._replace(k=scoring.k or toysearch.study.DEPTH)._asdict()))


def _study_beside_runs(targets: Sequence[Target], options: SourceOptions, models: Iterable[ModelOrSystem]) -> Study:
    """Return the study of models that rank a collection, beside the runs in files; it refuses models without one."""
    places = [*targets, *([options.qrels] if options.qrels is not None else [])]
    source = next((place for place in places if _is_collection(place)), None)
    if source is None or (source is options.qrels and _is_folder_of_lists(source)):
        return study_of_runs(targets, options)
    others = [place for place in places if place is not source]
    qrels = next((place for place in others if _is_judgments(place) or _is_folder_of_lists(place)), None)
    study = study_of(source, options._replace(qrels=qrels), models, beside=True).ready()
    runs = runs_named([target for target in targets if target not in (source, qrels)], options)
    for run, file in runs:
        run.name = str(file) if run.name in {str(model) for model in study.models} else run.name
    return _with_runs(study, runs)


def ranked(study: Study) -> list[Run]:
    """Return the runs of a study that is ready, those of files first; models rank now."""
    runs, total = [*study.fixed_runs], len(study.models)
    if not runs or total:
        with progress("ranking", "models done") as tell:
            for run in study.runs():
                runs.append(run)
                if tell:
                    tell(len(runs), total)
    return runs
