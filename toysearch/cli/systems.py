"""The systems that commands evaluate and compare: models that rank now or run files; how to compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import toysearch
from toysearch.cli.options import ANALYSIS, DEFAULT, MEASURES, POSITIVE, Decorator, SourceOptions, option, together
from toysearch.cli.output import progress, remark
from toysearch.cli.sources import is_index, open_source, with_judgments
from toysearch.errors import ArgumentError, DataError
from toysearch.laboratory.experiments.stats.multiple_comparisons import CORRECTIONS
from toysearch.laboratory.experiments.stats.significance import TESTS

if TYPE_CHECKING:
    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model

_OF_JUDGMENTS = ("grades", "split", "input_format", "qrels_columns")
_ENOUGH_TO_WONDER = 10  # queries; on fewer, systems often agree by chance


class Systems(NamedTuple):
    """Runs of the same queries, and the judgments to score them against."""

    runs: list[Any]
    qrels: Any
    threshold: float | None
    collection: Any = None
    index: Any = None
    k: int | None = None


def systems_of_models(
    source: str,
    models: Sequence[Model | Mixture],
    k: int,
    threads: int | None,
    threshold: float | None,
    options: SourceOptions,
    *,
    ties: str | None = None,
    otherwise: str,
) -> Systems:
    """Rank the judged queries of a collection with each model."""
    from toysearch.laboratory.judged_collection import runs_of_models, tell_doubts

    refuse_run(source, otherwise)
    index, collection = open_source(source, options, models)
    collection = with_judgments(source, collection)
    tell_doubts(collection, index)
    runs = []
    with progress("ranking", "models done") as tell:
        for run in runs_of_models(models, index, collection, k, ties=ties, threads=threads):
            runs.append(run)
            if tell:
                tell(len(runs))
    limit = collection.threshold if threshold is None else threshold
    return Systems(runs, collection.qrels, limit, collection, index, k)


def is_run(target: str) -> bool:
    """Whether a target may be a run file: it is neither a collection nor an index."""
    from toysearch.formats.detection import kind_of

    return target == "-" or (Path(target).is_file() and kind_of(target) is not None)


def with_collection(targets: tuple[str, ...], options: SourceOptions) -> tuple[tuple[str, ...], SourceOptions]:
    """INDEX COLLECTION as the index with the queries and judgments of the collection; other targets unchanged.

    SOURCE QRELS (an index, a collection or a file of documents, then a file of judgments) is that source with --qrels.
    """
    from toysearch.formats.detection import judgments_among
    from toysearch.laboratory.judged_collection import holds_documents

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
    from toysearch.formats.detection import judgments_among
    from toysearch.laboratory.judged_collection import is_file

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
        qrels = _read_judgments(judgments, shown, options.qrels_columns)
    runs = [toysearch.read_run(file) for file in files]
    if len({run.name for run in runs}) < len(runs):  # equal tags would not tell the rows apart
        for run, file in zip(runs, files, strict=True):
            run.name = file
    for run, file in zip(runs, files, strict=True):
        for sentence in suspicions(run, qrels, file):
            remark(f"note: {sentence}" if len(runs) == 1 else f"note: {run.name}: {sentence}")
    return Systems(runs, qrels, threshold, collection)


def _no_judgments(path: str) -> DataError:
    """The error for a file that does not look like judgments; for a table, it names the missing columns."""
    try:
        toysearch.read_qrels(path)
    except DataError as error:
        if "--qrels-columns" in str(error):
            return error
    return DataError(
        f"{path}: expected judgments (query iteration doc_id grade; or a table whose header names query_id, doc_id and "
        "relevance; or JSON) or a collection, and found neither"
    )


def judgments_of(name: str) -> Any:
    """The judgments in a file, or of a collection."""
    from toysearch.laboratory.judged_collection import is_file

    return toysearch.read_qrels(name) if is_file(name) else toysearch.load(name).qrels


def run_and_judgments(run: str, judged: str | None, options: SourceOptions) -> list[str]:
    """A run, and the judgments if given, in either order, by argument or by --qrels."""
    from toysearch.formats.detection import judgments_among
    from toysearch.laboratory.judged_collection import is_file

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


def _read_judgments(file: str, targets: Sequence[str], columns: str | None) -> Any:
    """The judgments of a file, or the error that describes the targets."""
    from toysearch.formats.detection import judgments_among, kind_of

    known = file == "-" or Path(file).is_file()
    if known and columns is None and judgments_among([file]) is None:
        if kind_of(file) == "run":
            raise click.UsageError(
                f"none of {', '.join(targets)} holds judgments (query iteration doc_id grade); name them with --qrels"
            )
        raise _no_judgments(file)
    return toysearch.read_qrels(file, columns)


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
) -> Systems:
    """The systems of COLLECTION | RUN... QRELS: models that rank now, or run files."""
    if not targets:
        raise click.UsageError("Missing argument 'COLLECTION | RUN... QRELS'.")
    targets, options = with_collection(targets, options)
    if len(targets) == 1 and (options.qrels is None or not is_run(targets[0])):
        chosen = models or [toysearch.MODELS[DEFAULT]]
        this = click.get_current_context().command_path
        otherwise = f"give the judgments after it: {this} {{}} QRELS"
        return systems_of_models(
            targets[0], chosen, k or 1000, threads, threshold, options, ties=ties, otherwise=otherwise
        )
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
    if given:
        raise click.UsageError(f"{', '.join(given)}: only with one COLLECTION; run files are scored as they are")


def alike(runs: Sequence[Any]) -> list[str]:
    """The systems that rank all of several queries alike: their equal figures are not a coincidence."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for run in runs if len(runs) > 1 else ():
        if len(run.query_ids) >= _ENOUGH_TO_WONDER:
            groups.setdefault((tuple(run.query_ids), tuple(run.doc_ids), tuple(run.offsets)), []).append(run.name)
    return [f"{' and '.join(names)} rank all queries alike" for names in groups.values() if len(names) > 1]


class ComparisonOptions(NamedTuple):
    """The settings for making, evaluating and comparing systems; None for options not given."""

    measures: str
    baseline: str | None
    all_pairs: bool
    test: str | None
    correction: str
    family: str
    alpha: float
    seed: int
    k: int | None
    threads: int | None
    threshold: float | None
    ties: str | None
    only_retrieved: bool | None
    undefined: str | None


_COUNTING: dict[str, dict[str, Any]] = {
    "--only-retrieved": {
        "is_flag": True,
        "default": None,
        "heading": "Evaluation",
        "help": "Average over the queries that a run answers, as bare trec_eval does.",
    },
    "--undefined": {
        "type": click.Choice(["zero", "nan"]),
        "heading": "Evaluation",
        "help": "Value of a query without relevant documents; nan leaves it out.  [default: zero]",
    },
}

counting_options = together(*(option(name, **settings) for name, settings in _COUNTING.items()))
"""The queries that count."""


def _asked(*names: str, heading: str = "Test", **settings: Any) -> Decorator:
    return option(*names, into=("asked", ComparisonOptions), heading=heading, **settings)


comparison_options = together(
    _asked(
        "-m",
        "--measures",
        default=MEASURES,
        heading="Evaluation",
        help="Measures (`toysearch measures`), or a set: official, beir, seeds.",
    ),
    _asked("--baseline", metavar="NAME", help="System to compare the others with.  [default: the first]"),
    _asked("--all-pairs", is_flag=True, help="Compare each pair, by randomised Tukey HSD if no --test is given."),
    _asked(
        "--test",
        type=click.Choice(list(TESTS)),
        help="Paired test of each difference.  [default: t; tukey for --all-pairs]",
    ),
    _asked(
        "--correction",
        type=click.Choice(list(CORRECTIONS)),
        default="holm",
        help="Correction of p for the number of comparisons.",
    ),
    _asked(
        "--family",
        type=click.Choice(["all", "measure"]),
        default="all",
        help="Tests corrected together: all, or those of one measure.",
    ),
    _asked("--alpha", type=float, default=0.05, help="Significance level: differences with p at or below it count."),
    _asked("--seed", type=click.IntRange(min=0), default=0, help="Seed for randomised tests."),
    _asked("-k", type=POSITIVE, heading="Ranking", help="Number of documents to rank per query.  [default: 1000]"),
    _asked("--threads", type=POSITIVE, brief="toysearch run"),
    _asked(
        "--threshold",
        type=float,
        heading="Evaluation",
        help="Lowest relevant grade.  [default: the collection's, or 1]",
    ),
    _asked(
        "--ties",
        type=click.Choice(["rank", "trec_eval", "average"]),
        heading="Evaluation",
        help="Order of equal scores.  [default: rank for models, trec_eval for run files]",
    ),
    *(_asked(name, **settings) for name, settings in _COUNTING.items()),
)
"""How to compare; the command gets it as ``asked``, `ComparisonOptions`."""


def systems_asked(
    targets: tuple[str, ...],
    models: Sequence[Model | Mixture],
    asked: ComparisonOptions,
    options: SourceOptions,
    *,
    fewest: int = 2,
) -> Systems:
    """The runs: ranked here on a collection, or read from files."""
    from toysearch.evaluation.measures.measure import parse_measures

    parse_measures(asked.measures)  # a misspelt measure is told before anything is ranked
    if not targets:
        raise click.UsageError("Missing argument 'COLLECTION | RUN...'.")
    targets, options = with_collection(targets, options)
    if len(targets) == 1 and (options.qrels is None or not is_run(targets[0])):
        this = click.get_current_context().command_path
        more, other = (" and another one", " OTHER") if fewest > 1 else ("", "")
        otherwise = f"give the judgments{more}: {this} --qrels QRELS {{}}{other}"
        refuse_run(targets[0], otherwise)
        if not models and fewest == 1:
            raise click.UsageError("name at least one model, such as --model bm25")
        if len(models) < fewest:
            raise click.UsageError(f"a comparison takes two systems or more, not {len(models)}: repeat --model")
        k, threads, ties = asked.k or 1000, asked.threads, asked.ties
        return systems_of_models(
            targets[0], models, k, threads, asked.threshold, options, ties=ties, otherwise=otherwise
        )
    refuse_model_options(models, asked.k, asked.threads, options)
    found = systems_of_runs(targets, asked.threshold, options)
    if len(found.runs) < fewest:
        raise ArgumentError(f"a comparison takes two systems or more, not {len(found.runs)}")
    return found


def compared(systems: Systems, asked: ComparisonOptions) -> Any:
    """The requested comparison of systems."""
    return toysearch.compare(
        systems.runs,
        systems.qrels,
        asked.measures,
        baseline=asked.baseline,
        test=asked.test,
        correction=asked.correction,
        family=asked.family,
        alpha=asked.alpha,
        pairs="all" if asked.all_pairs else "baseline",
        seed=asked.seed,
        threshold=systems.threshold,
        ties=asked.ties,
        only_retrieved=asked.only_retrieved,
        undefined=asked.undefined,
    )
