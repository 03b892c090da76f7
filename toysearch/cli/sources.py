"""The arguments of a command: an index, a collection, its judgments, systems that rank now, run files."""

from __future__ import annotations

import functools
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

import toysearch
from toysearch.base.errors import ArgumentError, DataError, note
from toysearch.base.wording import byte_size
from toysearch.cli.options import ANALYSIS, DEFAULT, OF_QRELS, OF_QUERIES, SourceOptions, analyzer_for
from toysearch.cli.output import progress, remark
from toysearch.cli.systems import Systems, systems_altered, systems_judged
from toysearch.cli.workers import on_line_of_models, open_index, ranked_elsewhere, spread_work

if TYPE_CHECKING:
    from toysearch.analysis.analyzer import Analyzer
    from toysearch.corpus.collection import Collection
    from toysearch.evaluation.measures.measure import Measure
    from toysearch.formats.judge_sheets import Judges
    from toysearch.index.inverted_index import Index
    from toysearch.laboratory.judged_collection import QrelsLike
    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model
    from toysearch.query.syntax import Node

_OF_JUDGMENTS = ("grades", "split", "input_format", "qrels_columns")
CIFF = (".ciff", ".ciff.gz")  # the ends of the names of indexes in this format
_PART = re.compile(r"[a-z_]+(-[0-9]+)?-[0-9a-f]{16}\.npy")  # a data file of an index


def is_index(source: str) -> bool:
    """Whether a path is the folder of an index: one with a manifest, or with leftovers of a killed save."""
    folder = Path(source)
    if os.path.lexists(folder / "manifest.json") or not folder.is_dir():
        return os.path.lexists(folder / "manifest.json")
    names = os.listdir(folder)
    return any(map(_PART.fullmatch, names)) and all(
        name.startswith("toysearch-") or _PART.fullmatch(name) for name in names
    )


_OF_TOPICS = ("queries", "qrels", *OF_QUERIES, *OF_QRELS, "on_error", "rejected")


def load_source(source: str, options: SourceOptions, topics: bool = True) -> Collection:
    """The collection of a name, a folder or a file, read and judged according to the options."""
    if source.endswith(CIFF):
        raise ArgumentError(f"'{source}' is an index in CIFF; make an index of it: toysearch index {source} -o DIR")
    # Without topics only its documents are read, unless an option concerns its queries or judgments. What --queries and
    # --qrels replace is not read.
    topics = topics or bool(options.given(*_OF_TOPICS))
    own: dict[tuple[bool, bool], bool | str] = {
        (False, False): topics,
        (True, False): "qrels",
        (False, True): "queries",
        (True, True): False,
    }
    read = own[options.queries is not None, options.qrels is not None]
    collection: Collection = toysearch.load(source, topics=read, **options.reading())
    return _judged_as(collection, options) if options.given("queries", "qrels") else collection


def _judged_as(collection: Collection, options: SourceOptions) -> Collection:
    """A collection with the queries of --queries and the judgments of --qrels, if given."""
    from toysearch.formats.detection import is_file
    from toysearch.laboratory.judged_collection import with_topics

    qrels: QrelsLike | None = options.qrels
    if options.qrels is not None and is_file(options.qrels):
        qrels = toysearch.read_qrels(options.qrels, options.qrels_columns, options.on_error or "refuse")
    elif options.qrels is not None:
        read = {name: getattr(options, name) for name in OF_QRELS}
        qrels = toysearch.load(options.qrels, **read)
    named = {"fields": options.query_fields, "columns": options.query_columns}
    return with_topics(collection, options.queries, qrels, **named)


def open_source(
    source: str,
    options: SourceOptions,
    models: Sequence[Model | Mixture] = (),
    *,
    topics: bool = True,
    tree: Node | None = None,
) -> tuple[Index, Collection | None]:
    """The index of a SOURCE, opened from its folder or built in memory, and the collection behind it."""
    # An index that is built here keeps what the models and the query tree need.
    from toysearch.models.model import index_needs

    if not is_index(source):
        collection = load_source(source, options, topics)
        if not topics and collection.reading and collection.reading.size >= _LARGE:  # one text, not a run
            _tell_of_index(source, collection.reading.size)
        apart, values = index_needs(*models)
        keywords: tuple[str, ...] = ()
        if tree is not None:
            from toysearch.index.kept_fields import every_field  # most searches do not need them
            from toysearch.search.matching import named_fields

            fields_of_query = set().union(*named_fields(tree))
            kept = None if fields_of_query.issubset(collection.searched_fields) else every_field(collection)
            apart = apart or bool(fields_of_query)  # a message about an unknown field lists all
            values, keywords = (*values, *kept.values) if kept else values, kept.keywords if kept else ()
        fields = collection.searched_fields if apart else None
        how: dict[str, Any] = {"values": tuple(dict.fromkeys(values)), "keywords": keywords}
        return toysearch.Index.build(collection, analyzer_for(options, collection), fields=fields, **how), collection
    fixed = options.given(*ANALYSIS, "fields", "input_format", "columns")
    if fixed:
        raise ArgumentError(
            f"'{source}' is an index, which stores its own analysis: {' and '.join(fixed)} cannot be chosen here; "
            "leave it out, or name the collection instead of the index"
        )
    index = open_index(source, partial=bool(options.partial))
    if index_needs(*models).apart:
        from toysearch.laboratory.judged_collection import refuse_joined_fields

        refuse_joined_fields(index, models)
    named = options.given("queries", "qrels")
    if index.collection and len(named) < 2:
        return index, cast("Collection", Later(lambda: load_source(index.collection, options)))
    if named:
        from toysearch.laboratory.judged_collection import collection_of

        return index, _judged_as(collection_of(index, Path(source).resolve().name, own=False), options)
    judged = options.given("grades", "split", "query_fields")
    if judged:
        raise ArgumentError(
            f"the index '{source}' was not built from a named collection and has no judgments: "
            f"{' and '.join(judged)} cannot be chosen here; leave it out, or name a collection instead of the index"
        )
    return index, None


_LARGE = 4_000_000  # bytes of documents, whose analysis takes the greater part of a search


def _tell_of_index(source: str, size: int) -> None:
    """Note that an index would answer sooner, for a large collection that was read for one command."""
    name = shlex.quote(f"{Path(source).name.split('.')[0]}.idx")
    note(
        f"{byte_size(size)} of documents are indexed for this command; to do it once: "
        f"toysearch index {shlex.quote(source)} -o {name}, then give {name} instead of {shlex.quote(source)}"
    )


class Later:
    """A placeholder for a collection that is loaded on first use: most searches never need it."""

    def __init__(self, load: Callable[[], Collection]) -> None:
        self._load = load

    @functools.cached_property
    def loaded(self) -> Collection:
        """The collection."""
        return self._load()

    def __getattr__(self, name: str) -> Any:
        """The attribute of the collection."""
        return getattr(self.loaded, name)


@dataclass(frozen=True)
class JudgedSource:
    """A judged collection with its analyzer, or with its index if that was given."""

    collection: Collection
    analyzer: Analyzer | None
    index: Index | None


def judged_source(source: str, options: SourceOptions) -> JudgedSource:
    """The judged collection of a SOURCE; its documents are not read yet."""
    index, analyzer = None, None
    if is_index(source):
        index, collection = open_source(source, options)
    else:
        collection = load_source(source, options)
        analyzer = analyzer_for(options, collection)
    return JudgedSource(with_judgments(source, collection), analyzer, index)


def stored_documents(index: Index, collection: Collection) -> Collection:
    """The documents of an index, which may differ from its collection, with the queries and judgments."""
    from toysearch.laboratory.judged_collection import collection_of

    stored = collection_of(index, collection.name, own=False)
    return stored.with_topics(collection.queries, collection.qrels, collection.threshold)


def with_judgments(source: str, collection: Collection | None) -> Collection:
    """The collection of a SOURCE, refused if it lacks queries or judgments."""
    for name, what, option in (("qrels", "judgments to score against", "qrels"), ("queries", "queries", "queries")):
        if collection is None or not len(getattr(collection, name)):
            raise ArgumentError(f"{source} has no {what}; give some with --{option}, or a collection that has some")
    from toysearch.laboratory.judged_collection import refuse_strangers

    found = cast("Collection", collection.loaded if isinstance(collection, Later) else collection)
    refuse_strangers(found)
    return found


def named_measures(names: str) -> list[Measure]:
    """The measures of an option; N, which some need, may be missing until the collection is known."""
    from toysearch.evaluation.measures.measure import parse_measures

    return parse_measures(names, ["N"])


def refuse_out_of_reach(
    qrels: Any, measures: Sequence[Measure], threshold: float | None, undefined: str | None
) -> None:
    """Refuse a threshold or a ``rel`` that no grade reaches: a table of zeros would say nothing."""
    from toysearch.evaluation.evaluate import out_of_reach

    found = out_of_reach(qrels, measures, threshold)
    if found and undefined != "nan":
        raise ArgumentError(f"{found} (--undefined nan says so query by query)")


def systems_of_models(
    source: str,
    models: Sequence[Model | Mixture],
    k: int,
    threads: int | None,
    threshold: float | None,
    options: SourceOptions,
    *,
    ties: str | None = None,
    alter: tuple[str, int] | None = None,
    feedback: int | None = None,
    predicts: bool = False,
    otherwise: str,
) -> Systems:
    """Rank judged queries with each model, also altered or after judged documents; predict difficulties if asked."""
    from toysearch.formats.detection import is_file
    from toysearch.laboratory.judged_collection import runs_of_models, tell_doubts

    if predicts:
        from toysearch.laboratory.experiments.prediction.query_difficulty import PredictingSearcher

    refuse_run(source, otherwise)
    index, collection = open_source(source, options, models)
    collection = with_judgments(source, collection)
    tell_doubts(collection, index, models)
    limit = collection.threshold if threshold is None else threshold
    named = threshold is not None or not (options.qrels and is_file(options.qrels))  # else evaluation notes fractions
    whole = alter is None and feedback is None and not predicts
    if not whole:
        spread_work(index, source)
    if alter is not None:
        return systems_altered(collection, index, models, alter, k, threads, ties)._replace(threshold=limit)
    if feedback is not None:
        return systems_judged(collection, index, models, feedback, k, limit)
    runs: list[Any] = []
    searchers: list[Any] = []
    usual: Any = PredictingSearcher if predicts else toysearch.Searcher
    how: dict[str, Any] = {"query_mode": options.query_mode, "ties": ties, "threads": threads}

    def searcher(index: Any, model: Any) -> Any:
        searchers.append(usual(index, model))
        return searchers[-1]

    with progress("ranking", "models done") as tell:
        if whole:
            spread_work(index, source, whole_systems=True, tell=on_line_of_models(tell, runs, len(models)))
            how["ranked"] = ranked_elsewhere(index, collection, len(models), tell)
        for run in runs_of_models(models, index, collection, k, **how, searcher=searcher):
            runs.append(run)
            if tell and not how.get("ranked"):
                tell(len(runs))
    predicting = tuple(searchers) if predicts else ()
    return Systems(runs, collection.qrels, limit if named else None, collection, index, k, predicting=predicting)


def is_run(target: str) -> bool:
    """Whether a target may be a run file: it is neither a collection nor an index."""
    from toysearch.formats.detection import kind_of

    return target == "-" or (Path(target).is_file() and kind_of(target) is not None)


def with_collection(targets: tuple[str, ...], options: SourceOptions) -> tuple[tuple[str, ...], SourceOptions]:
    """INDEX COLLECTION as the index with the queries and judgments of the collection; other targets unchanged.

    SOURCE QRELS (an index, a collection or a file of documents, then a file of judgments) is that source with --qrels.
    """
    from toysearch.formats.detection import holds_documents, judgments_among

    known = len(targets) == 2 and (is_index(targets[0]) or _is_collection(targets[0]) or holds_documents(targets[0]))
    if not known:
        return targets, options
    if options.qrels is None and judgments_among(list(targets)) == 1:
        return targets[:1], options._replace(qrels=targets[1])
    if not is_index(targets[0]) or is_run(targets[1]) or is_index(targets[1]):
        return targets, options
    of = options._replace(queries=options.queries or targets[1], qrels=options.qrels or targets[1])
    return targets[:1], of


def _is_collection(target: str) -> bool:
    """Whether a target is the folder or the name of a collection."""
    return Path(target).is_dir() or (not Path(target).exists() and target in toysearch.collections())


def systems_of_runs(targets: tuple[str, ...], threshold: float | None, options: SourceOptions) -> Systems:
    """Read run files, and the judgments of a file or a collection among the targets."""
    from toysearch.evaluation.lint import suspicions
    from toysearch.formats.detection import is_file, judgments_among

    if options.queries is not None:
        raise click.UsageError("--queries: only with one COLLECTION or INDEX; run files already have their queries")
    files, judgments = list(targets), options.qrels
    if [*files, judgments].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")
    if judgments is None:
        judged = judgments_among(files)
        if judged is None:  # the collection, at any position; else the last
            named = [place for place, file in enumerate(files) if _is_collection(file)]
            judged = named[0] if len(named) == 1 else len(files) - 1
        judgments = files.pop(judged)
    if not files:
        raise click.UsageError(f"{judgments}: give the runs to score too")
    collection = None
    if not is_file(judgments):
        read = {name: getattr(options, name) for name in _OF_JUDGMENTS}
        collection = toysearch.load(judgments, **read)
        if not len(collection.qrels):
            raise ArgumentError(f"{judgments} has no judgments to score against; name them with --qrels")
        qrels, threshold = collection.qrels, collection.threshold if threshold is None else threshold
    else:
        shown = targets if options.qrels is None else (*targets, options.qrels)
        qrels = _read_judgments(judgments, shown, options.qrels_columns, options.on_error or "refuse")
    runs = [toysearch.read_run(file) for file in files]
    if len({run.name for run in runs}) < len(runs):  # equal tags would not tell the rows apart
        for run, file in zip(runs, files, strict=True):
            run.name = file
    for run, file in zip(runs, files, strict=True):
        for sentence in suspicions(run, qrels, file):
            remark(f"note: {sentence}" if len(runs) == 1 else f"note: {run.name}: {sentence}")
    return Systems(runs, qrels, threshold, collection)


def _judgments_of_any_form(path: str, on_error: str) -> Any:
    """The judgments of a file that does not look like any; the error of its reader, or that it holds none at all."""
    try:
        return toysearch.read_qrels(path, None, on_error)
    except DataError as error:
        if ": expected 4 columns" not in str(error):  # it says more than that
            raise
    raise DataError(
        f"{path}: expected judgments (query iteration doc_id grade; or a table whose header names query_id, doc_id and "
        "relevance; or JSON) or a collection, and found neither"
    )


def judgments_named(name: str) -> Any:
    """The judgments in a file, or of a collection."""
    from toysearch.formats.detection import is_file

    return toysearch.read_qrels(name) if is_file(name) else toysearch.load(name).qrels


def judges_named(files: Sequence[str], only: str | None, query_texts: Mapping[str, str] | None = None) -> Judges:
    """The judges of some FILE or NAME=FILE, each of which may also be a collection; of all, only those named."""
    from toysearch.formats.detection import is_file
    from toysearch.formats.judge_sheets import Judges, read_judges

    if [file.rpartition("=")[2] for file in files].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")
    sources = [_named_source(file) for file in files]
    if all(is_file(path) for _, path in sources):
        judges = read_judges([(name, path) if name else path for name, path in sources], query_texts)
    else:  # the judgments of collections
        judges = Judges({name or path: judgments_named(path) for name, path in sources})
    return judges if only is None else judges.only([name.strip() for name in only.split(",")])


def _named_source(text: str) -> tuple[str, str]:
    """The name and the file of NAME=FILE; a file whose own name holds = has none."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and name and path and not Path(text).exists() else ("", text)


def run_and_judgments(run: str, judged: str | None, options: SourceOptions) -> list[str]:
    """A run, and the judgments if given, in either order, by argument or by --qrels."""
    from toysearch.formats.detection import is_file, judgments_among

    if judged is not None and options.qrels is not None:
        raise click.UsageError(f"the judgments are given twice, as {judged} and by --qrels {options.qrels}")
    files = [each for each in (run, judged, options.qrels) if each is not None]
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once; give the other input as a file")
    if judged is not None:
        place = 1 if not is_file(judged) else judgments_among(files)
        if place == 0 or (place is None and not is_file(run)):
            files.reverse()
    return files


def _read_judgments(file: str, targets: Sequence[str], columns: str | None, on_error: str) -> Any:
    """The judgments of a file, or the error that describes the targets."""
    from toysearch.formats.detection import judgments_among, kind_of

    known = file == "-" or Path(file).is_file()
    if known and columns is None and judgments_among([file]) is None:
        if kind_of(file) == "run":
            raise click.UsageError(
                f"none of {', '.join(targets)} holds judgments (query iteration doc_id grade); name them with --qrels"
            )
        return _judgments_of_any_form(file, on_error)
    return toysearch.read_qrels(file, columns, on_error)


def refuse_run(source: str, otherwise: str) -> None:
    """Refuse a run instead of a collection."""
    from toysearch.formats.detection import kind_of

    if Path(source).is_file() and kind_of(source) == "run":
        raise click.UsageError(f"{source} is a run; {otherwise.format(source)}")


def systems_to_evaluate(
    targets: tuple[str, ...],
    models: Sequence[Model | Mixture],
    k: int | None,
    threads: int | None,
    threshold: float | None,
    options: SourceOptions,
    ties: str | None,
    predicts: bool = False,
) -> Systems:
    """The systems of COLLECTION | RUN... QRELS: models that rank now and may predict difficulties, or run files."""
    if not targets:
        raise click.UsageError("Missing argument 'COLLECTION | RUN... QRELS'.")
    targets, options = with_collection(targets, options)
    if len(targets) == 1 and (options.qrels is None or not is_run(targets[0])):
        chosen = models or [toysearch.MODELS[DEFAULT]]
        this = click.get_current_context().command_path
        otherwise = f"give the judgments after it: {this} {{}} QRELS"
        how: dict[str, Any] = {"ties": ties, "predicts": predicts, "otherwise": otherwise}
        return systems_of_models(targets[0], chosen, k or 1000, threads, threshold, options, **how)
    refuse_model_options(models, k, threads, options)
    return systems_of_runs(targets, threshold, options)


def refuse_model_options(
    models: Sequence[Model | Mixture], k: int | None, threads: int | None, options: SourceOptions
) -> None:
    """Refuse ranking options for run files, which are scored unchanged."""
    names = {"--formula" if str(model).startswith("formula:") else "--model" for model in models}
    given = sorted(names, reverse=True)
    given += ["-k"] * (k is not None) + ["--threads"] * (threads is not None)
    given += options.given(*ANALYSIS, "fields", "columns", "query_fields")
    given += ["--query-mode"] * (options.query_mode is not None)
    if given:
        raise click.UsageError(f"{', '.join(given)}: only with one COLLECTION; run files are scored as they are")


def needs_of(source: str) -> dict[str, dict[str, str]]:
    """What the topics of a collection say beyond their queries: query_id → the parts that they have."""
    needs: dict[str, dict[str, str]] = {}
    for part in ("description", "narrative", "guideline"):
        with suppress(toysearch.ToysearchError):  # the queries of this collection may have none
            for query in toysearch.load(source, query_fields=part).queries:
                needs.setdefault(query.query_id, {})[part] = query.text
    return needs
