"""The words of a command line become a study: of a collection or an index, whose models rank now, or of run files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import click

import toysearch
import toysearch.study
from toysearch import files, index, retrieval
from toysearch.base import (
    ArgumentError,
    DataError,
    Remedy,
    ToysearchError,
    byte_size,
    note,
    typed_line,
    without_notes,
)
from toysearch.cli.commands import kept_value
from toysearch.cli.options import (
    DEFAULT,
    SourceOptions,
    Target,
    analysis_of,
    refuse_if,
)
from toysearch.cli.output import progress

if TYPE_CHECKING:
    from toysearch.base import Run
    from toysearch.collection.collection import Collection
    from toysearch.evaluation import Measure
    from toysearch.files import QrelsLike
    from toysearch.query.syntax import Node
    from toysearch.study.study import Scoring, Study
    from toysearch.study.system import ModelOrSystem


_NO_OPTIONS = SourceOptions()
ONLY_READ = "toysearch.only_read"
"""The key under which a context says that a command ends once its files are read."""
_MANY = 100_000  # documents
_LARGE = 4_000_000  # bytes of documents, whose analysis takes the greater part of a search


class FilesAreRead(Exception):
    """End of a command that only reads its files."""


def study_of(
    source: Target,
    options: SourceOptions,
    models: Iterable[ModelOrSystem] = (),
    *,
    topics: bool = True,
    named_fields: Iterable[str] | None = (),
    beside: bool = False,
    indexes: Sequence[Target] = (),
    rows: files.JudgedRows | None = None,
) -> Study:
    """Return the study of a SOURCE, read and analysed according to the options; its documents are not read yet.

    models : that the index must serve
    topics : whether queries and judgments are read
    named_fields : the fields that queries name; None if they may name any
    beside : whether run files are given too
    indexes : folders of indexes of the same documents, each of which makes systems of the models
    rows : what is in a file that is its own judgments, if it is read already
    """
    study = _read_study(source, options, topics, beside, rows, named_fields=named_fields)
    if models:
        study = study.with_models(systems_of(models, options, indexes))
    reading = study.searched().reading if not topics and study.opened() is None else None
    if reading and reading.size >= _LARGE:
        from pathlib import Path  # few sources are that large

        name, typed = typed_line(f"{Path(source).name.split('.')[0]}.idx"), typed_line(str(source))
        note(
            f"{byte_size(reading.size)} of documents are indexed for this command; to do it once: "
            f"toysearch index {typed} -o {name}, then give {name} instead of {typed}"
        )
    return _kept(study)


def _kept(study: Study) -> Study:
    """Keep the study of a command, whose JSON says what its numbers depend on."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta["toysearch.study"] = study
        if context.meta.get(ONLY_READ):
            study.ready()
            raise FilesAreRead
    return study


def systems_of(
    models: Iterable[ModelOrSystem], options: SourceOptions, indexes: Sequence[Target] = ()
) -> Sequence[ModelOrSystem]:
    """Return the systems of a command line: every model with every analysis, list of fields and index."""
    stop = {} if options.stop is None else {"stop": options.stop}
    of_languages = [{"language": language, **stop} for language in options.several.get("language", ())]
    analyzers = options.several.get("analyzer", of_languages)
    fields = options.several.get("fields", ())
    if not (analyzers or fields or indexes):
        return [*models]
    return toysearch.study.crossed([*models], analyzers or [None], fields or [None], indexes or [None])


def _read_study(
    source: Target,
    options: SourceOptions,
    topics: bool,
    beside: bool = False,
    rows: files.JudgedRows | None = None,
    **parts: Any,
) -> Study:
    """Read the study of a SOURCE, and refuse options without an effect on its kind."""
    is_saved = index.is_index_folder(source)
    qrels = None if options.qrels is None else judgments_given(options.qrels, options, source)
    analysis = None if is_saved else analysis_of(options)
    is_asked = topics and options.known_items is None  # these are made, not read
    queries, documents, reading = cast("Any", options.queries), cast("Any", source), options.of_source
    rows = rows or _judged_rows(source, options)
    if rows is not None and isinstance(qrels, toysearch.Qrels):
        from toysearch.collection.collection import collection_in_memory  # most files hold one role

        columns = {"id": rows.id_column, **files.parsed_columns(options.reading.columns or {})}
        documents = collection_in_memory(rows.documents, files.Reading(columns=columns, fields=options.reading.fields))
        documents.name, reading = str(source), files.Reading()
        qrels.texts = qrels.texts or rows.texts
    is_named = options.reading.query_columns is not None or options.reading.query_fields is not None
    in_one = queries is not None and str(queries) == str(options.qrels)
    if in_one and isinstance(qrels, toysearch.Qrels) and not is_named:
        from toysearch.collection.collection import Queries
        from toysearch.collection.queries import named_by_text  # most files hold one of both

        queries = named_by_text(Queries([]), qrels).queries or queries
    given = toysearch.study.StudySource(documents, queries, qrels, reading, options.of_queries, is_asked, analysis)
    scoring = toysearch.study.Scoring(query_mode=options.query_mode)
    study = replace(toysearch.study.Study.of(given), scoring=scoring, **parts)
    if options != _NO_OPTIONS or kept_value("get"):  # else all have an effect
        from toysearch.cli.source_kinds import kinds_of, refuse_idle

        opened = study.opened() if is_saved else None
        same = opened is not None and options.analyzer == opened.analyzer  # which says what is true
        kinds = kinds_of(source, opened, options, topics)._replace(runs="runs" if beside else "none")
        refuse_idle(kinds, options._replace(analyzer=None) if same else options, source)
    if options.known_items is None:
        return study
    how = toysearch.study.ItemSettings.parse(options.known_items)
    return study.with_known_items(toysearch.study.known_items(study, **how._asdict()))


def _judged_rows(source: Target, options: SourceOptions) -> files.JudgedRows | None:
    """Return what is in the rows of a file that is its own judgments; None for another."""
    is_own = str(source) == str(options.qrels) != "-" and files.is_file(source)
    return files.judged_rows(options.source(source), options.reading.qrels_columns) if is_own else None


def fields_named(tree: Node | None) -> set[str]:
    """Return the fields that a query names."""
    return set() if tree is None else retrieval.named_fields(tree)


def load_source(source: Target, options: SourceOptions, topics: bool = True) -> Collection:
    """Return the collection of a name, a folder or a file, read and judged according to the options."""
    return _read_study(source, options, topics).searched()


def judgments_given(word: Target, options: SourceOptions, of: Target | None = None) -> QrelsLike:
    """Return the judgments in a file, perhaps of a collection or an index, or a collection for its judgments."""
    if not files.reads_as_judgments(word):
        return _loaded(word, options, files.settings_for("qrels", "other"))
    source, on_error = options.source(word), options.reading.on_error or "refuse"
    given = [str(of), str(options.queries), "-"]
    # Standard input is read once, and one file tells nothing of itself, unless it has several sheets.
    if of is not None and (len({*given}) == len(given) or len(source.sheets) > 1):
        source = replace(source, beside=[files.Source(str(of), ids=lambda: _ids_of(of, options))])
    return toysearch.read_qrels(source, options.reading.qrels_columns, on_error, options.reading.grades)


def _ids_of(source: Target, options: SourceOptions) -> tuple[Iterable[str], Iterable[str]]:
    """Return the ids and texts of all queries of a source, and the names of its documents if they are not too many."""
    from toysearch.collection.judged_queries import names_of
    from toysearch.collection.queries import queries_given  # most judgments name their columns

    accounts, is_asked = list[files.Account](), options.queries is not None
    own = replace(options.of_source, report=files.ReadingReport(read=accounts.append), rejected=None)
    with without_notes(), suppress(ToysearchError):  # its readers tell
        study = toysearch.study.Study.of(toysearch.study.StudySource(source, reading=own, topics=not is_asked))
        of_queries, opened = replace(options.of_queries, report=own.report), study.opened()
        names: Iterable[str] = ()
        with suppress(ToysearchError):
            queries = queries_given(options.queries, of_queries) if is_asked else study.searched().queries  # type: ignore[arg-type]
            names = chain(queries.query_ids, queries.texts)  # judgments may have either
        if opened is not None:
            return names, opened.doc_ids
        documents = ((document.doc_id, document.fields) for document in study.searched().stream())
        of_some = names_of(islice(documents, _MANY), accounts)
        return names, () if any(documents) else of_some
    return (), ()


def _loaded(name: Target, options: SourceOptions, settings: Iterable[str]) -> Collection:
    """Return the collection of a name or a folder, read with some of the settings."""
    from toysearch.collection.catalog import collection_of  # a search of an index reads none

    return collection_of(str(name), options.some_of(settings))


def named_measures(names: str) -> list[Measure]:
    """Return the measures of an option; N, which some need, may be missing until the collection is known."""
    from toysearch.evaluation.measures.measure import parse_measures  # a search needs no measure

    return parse_measures(names, ["N"])


def is_run(target: Target) -> bool:
    """Return True if a target may be a run: a file that is neither a collection nor an index, or files by query."""
    return (
        _is_run_folder(target) or str(target) == "-" or (os.path.isfile(target) and files.kind_of(target) is not None)
    )


def _has_hits(target: Target, options: SourceOptions) -> bool:
    """True for a file with scores beside queries and documents, and perhaps texts, unless it is to be searched."""
    if options.queries is not None or options.reading.columns is not None or not os.path.isfile(target):
        return False
    return files.reads_as_run(options.source(target))


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
    if len(targets) != 2 or not (_is_collection(targets[0]) or (searches and _holds_documents(targets[0]))):
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
    others = [options.source(other) for other in (*targets, options.qrels) if other not in (None, target)]
    lists = [files.with_ids(other) for other in others if options.queries is None]
    folder.beside = [*filter(files.is_file, others), *filter(None, lists)]
    by_query = folder.beside and files.lists_by_query(folder, "run")
    return [folder] if by_query else files.files_of(target, "run") or [target]


def _is_run_folder(target: Target) -> bool:
    """True for the source of a folder whose files are the rankings of queries."""
    return isinstance(target, files.Source) and os.path.isdir(target)


def _is_collection(target: Target) -> bool:
    return (os.path.isdir(target) and not _is_run_folder(target)) or (
        not os.path.exists(target) and target in toysearch.collections()
    )


def _holds_documents(target: Target) -> bool:
    return os.path.isfile(target) and files.taken_alone(target).role == "documents"


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
    if judgments is not None and files.reads_as_judgments(judgments):
        judgments = options.source(judgments)
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
    from toysearch.cli.source_kinds import kinds_of_runs, refuse_idle  # a search has no runs

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
        qrels = _loaded(judgments, options, settings)
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
        source: [listed] if (listed := files.with_ids(source)) else files.files_of(source, "qrels") or [source]
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
    from toysearch.base import groups_of  # a search has no runs
    from toysearch.evaluation.lint import suspicions

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
    rows = _judged_rows(targets[0], options) if len(targets) == 1 else None
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
    return _kept(study.with_scoring(**scoring._replace(k=scoring.k or toysearch.study.DEPTH)._asdict()))


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
