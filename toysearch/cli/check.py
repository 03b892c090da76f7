"""`toysearch check`: problems of an index, a collection, a run, judgments or a notebook."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch import files, index
from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    ResultTable,
    byte_size,
    counted,
    table_columns,
)
from toysearch.base.result import Page
from toysearch.cli.commands import Span, command, kept_value
from toysearch.cli.options import (
    NOT_CHECKED,
    POSITIVE,
    SourceOptions,
    Target,
    checking_options,
    option,
    output_options,
    refuse_if,
    together,
)
from toysearch.cli.output import Tell, force_option, progress, remark, show
from toysearch.cli.source_kinds import CHECKED, INDEX_ALONE, NOTEBOOK, SourceKinds, kinds_of, refuse_idle
from toysearch.cli.sources import run_and_judgments
from toysearch.rings import ring

limit_options = together(
    option(
        "--seconds",
        type=Span(min=0, min_open=True),
        default=300.0,
        heading="Notebooks",
        help="Time limit for a notebook.",
    ),
    option(
        "--memory",
        type=POSITIVE,
        default=4000,
        metavar="MB",
        callback=lambda _, __, megabytes: megabytes * 1_000_000,
        heading="Notebooks",
        help="Memory limit for a notebook, in megabytes.",
    ),
)
"""--seconds and --memory; the command gets seconds, and bytes."""


def _diagnosed(source: Target | Sequence[Target], options: SourceOptions) -> Any:
    from toysearch.study.corpus_check.diagnosis import diagnosis_of  # an index needs none

    with progress("reading", "documents") as tell:
        return diagnosis_of(source, _reading(options), tell)


def _reading(options: SourceOptions) -> files.Reading:
    without: Any = dict.fromkeys(NOT_CHECKED)
    return replace(options.of_source, **without)


def _written(targets: Sequence[Target], options: SourceOptions, form: str) -> bool:
    """Write the collection.toml of a folder or of files in one folder, if all can be read; True if they are sound."""
    place = Path(targets[0])
    path = (place if place.is_dir() else place.parent) / "collection.toml"
    if path.exists() and not kept_value("force"):
        raise ArgumentError(f"'{path}' already exists; edit it, or give --force to replace it")
    diagnosis = _diagnosed(targets, options)
    readable = not any(finding.check == "readable" for finding in diagnosis.of_level("error"))
    if readable and diagnosis.toml:
        files.write_texts([diagnosis.toml, "\n"], path)
        diagnosis = replace(diagnosis, written=str(path))
    show(diagnosis, form)
    if diagnosis.written:
        remark(f"{path} is written: `toysearch eval {shlex.quote(str(path.parent))}` reads the files without options")
    else:
        why = "the folder is read as it is, without options" if readable else "not everything can be read"
        remark(f"{path} is not written{': ' if readable else ', because '}{why}")
    return bool(diagnosis.healthy)


def _checked_index(folder: Target) -> tuple[Any, bool]:
    problems = index.check_index(str(folder))
    sizes = {} if problems else index.index_files(str(folder))
    files = f"{counted(len(sizes), 'file')}, {byte_size(sum(sizes.values()))}"
    text = "\n".join(problems) or f"{folder} is sound: {files}, every checksum matches"
    table = ResultTable([Column("problem")], [[problem] for problem in problems])
    return Page([text], table, problems), not problems


def _all_sound(targets: Sequence[Target], reading: files.Reading) -> bool:
    """Print what is found in several collections and indexes, in their order; True if all are sound."""
    from toysearch.study.corpus_check.diagnosis import diagnosis_of  # an index needs none

    sound, counts = True, [0] * len(targets)
    line: Tell | None = None

    def tell(count: int, place: int = 0) -> None:
        """Tell how many documents have been read of the target at a place, or of all."""
        counts[place] = count
        if line is not None:
            words = f"{counted(sum(counts), 'document')} read" if any(counts) else ""
            line(number, len(targets), words)

    for number, target in enumerate(targets):
        with progress("checking", "sources", untold=True) as line:  # gone while a result is printed  # noqa: F811
            tell(counts[0])
            if index.is_index_folder(target):
                findings, is_sound = _checked_index(target)
            else:
                findings = diagnosis_of(target, reading, partial(tell, place=number))
                is_sound = findings.healthy
        if number:
            click.echo()
        show(findings, "table")
        sound &= is_sound
    return sound


@command(
    "toysearch check cat-dog-parrot",
    "toysearch check pets.idx",
    "toysearch check pets.idx companions",
    "toysearch check mine.run qrels.txt",
    "toysearch check qrels.txt",
    "toysearch check 01-tokens.ipynb",
    "toysearch check products.csv ratings.csv --qrels-columns 'grade=Rating (0-3)' --on-error skip --write",
)
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@checking_options
@option(
    "--write",
    is_flag=True,
    heading="Output",
    help="Write the collection.toml of a folder, or of files in one folder, with the options for reading them.",
)
@force_option
@limit_options
@output_options
def check_command(
    targets: tuple[str, ...],
    seconds: float,
    memory: int,
    write: bool,
    options: SourceOptions,
    form: str,
) -> None:
    """Check an index, a collection, a run, judgments or a notebook.

    An index: compares every file with its checksum. A collection (a name, a folder, documents): checks its files,
    documents, queries and judgments, and the ranks of judged documents under BM25; shows each finding with its evidence
    and its remedy, and at the end a collection.toml to paste. A run, alone or with QRELS (a file or a collection), or
    judgments: shows problems that make figures wrong, with the likely cause. A notebook of a lab: shows the right
    answers; it runs as in grading.

    Several indexes and collections are checked one after the other.

    With --write, the TARGETs are the documents, queries and judgments of one collection: a folder, or files in one
    folder. If they can be read, the collection.toml is written beside them, and other commands read the folder without
    options.

    Exit code 0 without problems, 1 with problems, 2 if TARGET cannot be read.
    """
    is_here = Path(targets[0]).exists() or targets[0] in toysearch.collections()
    refuse_if(
        options.qrels is not None and is_here and _is_documents(targets[0]),
        f"--qrels: only with a run; leave it out to check '{targets[0]}'",
    )
    if write:
        refuse_if(options.qrels, "--qrels: not with --write, which takes all files as TARGETs; leave it out")
        refuse_idle(SourceKinds("files", "files", "files"), options)
        sound = _written(targets, options, form)
    else:
        refuse_if(kept_value("force"), "--force: only with --write; leave it out")
        sources = [*map(options.target, targets)]
        refuse_idle(_kinds(sources, options), options, sources[0])
        _tell_taken(sources, options)
        several = len(sources) > 1 and options.qrels is None and all(map(_is_documents, sources))
        refuse_if(several and form != "table", f"--format {form}: only for one TARGET")
        if several:
            sound = _all_sound(sources, _reading(options))
        else:
            kinds = "several TARGETs must be collections, files of documents or indexes"
            refuse_if(len(sources) > 2, f"{kinds}; add --write to check the files of one collection together")
            sound = _one_sound(sources, options, form, seconds, memory)
    if not sound:
        click.get_current_context().exit(1)


def _tell_taken(sources: Sequence[Target], options: SourceOptions) -> None:
    """Say what each file is taken for; refuse one that is nothing to check."""
    columns = files.parsed_judged_columns(options.reading.qrels_columns)
    looked = [source for source in sources if not files.lists_by_query(source)]
    for file in itertools.chain.from_iterable(map(files.files_named, looked)):
        if not files.is_file(file) or Path(file).suffix in (".ipynb", ".py"):
            continue
        rows = files.rows_in(file, columns)
        what = rows if rows.role or file.path == "-" else files.what_is(file)
        if not what.role and file.path != "-":
            files.refuse_unreadable(file)
        if what.role or what.why:
            remark(what.taken(file))
        files.refuse_use(what, file, "a collection, a run, judgments or a notebook")


def _one_sound(sources: Sequence[Target], options: SourceOptions, form: str, seconds: float, memory: int) -> bool:
    """Print what is found in one target, or in a run and its judgments; True if it is sound."""
    target, judged = sources[0], sources[1] if len(sources) == 2 else None
    alone, ending = judged is None and options.qrels is None, Path(target).suffix
    if alone and (ending == ".ipynb" or (ending == ".py" and Path(target).is_file())):
        return bool(ring("notebooks").notebook_is_right(Path(target), seconds, memory, form))
    if alone and index.is_index_folder(target):
        with progress("checking", untold=True):
            findings, is_sound = _checked_index(target)
        show(findings, form)
        return is_sound
    columns = files.parsed_judged_columns(options.reading.qrels_columns)
    if alone and _is_documents(target, columns, perhaps=True):
        diagnosis = _diagnosed(target, options)
        show(diagnosis, form)
        return bool(diagnosis.healthy)
    return _run_is_sound(run_and_judgments(target, judged, options), options, form)


def _kinds(targets: Sequence[Target], options: SourceOptions) -> SourceKinds:
    """Kinds of the target; of several, of the first that is no index."""
    alone = len(targets) == 1 and options.qrels is None
    if alone and Path(targets[0]).suffix in (".ipynb", ".py") and Path(targets[0]).is_file():
        return NOTEBOOK
    columns = files.parsed_judged_columns(options.reading.qrels_columns)
    if options.qrels is not None or not all(_is_documents(target, columns, perhaps=alone) for target in targets):
        return CHECKED
    collections = [target for target in targets if not index.is_index_folder(target)]
    return kinds_of(collections[0], None, options, topics=True) if collections else INDEX_ALONE


def _is_documents(target: Target, columns: Mapping[str, str] | None = None, *, perhaps: bool = False) -> bool:
    """True for an index, a collection or documents.

    columns : those of judgments that are named
    perhaps : whether a file of an unknown kind counts
    """
    source = files.files_named(target)[0]  # of a pattern, which only judgments may be
    if source.path == "-" or not Path(source).is_file() or index.is_index_folder(source):
        return source.path != "-"
    is_named = bool(columns) and files.rows_in(source, columns).form in ("table", "lines")
    return not is_named and (files.holds_documents(source) or (perhaps and files.kind_of(source) is None))


def _run_is_sound(paths: list[Target], options: SourceOptions, form: str) -> bool:
    """Print suspicious facts about a run, judgments, or both; True if there are none."""
    from toysearch.evaluation.judgment_doubts import Suspicion
    from toysearch.evaluation.lint import lint

    read: dict[str, files.Account] = {}
    report = options.reading.report._replace(read=lambda account: read.setdefault(account.path, account))
    paths = [path.read_as(report=report) if isinstance(path, files.Source) else path for path in paths]
    how = {"columns": options.reading.qrels_columns, "grades": options.reading.grades}
    kind = files.kind_of(files.files_named(paths[0])[0]) if len(paths) == 1 and str(paths[0]) != "-" else "run"
    alone = kind == "qrels" or (len(paths) == 1 and any(how.values()))
    run, judged = (None, paths[0]) if alone else (paths[0], paths[1] if len(paths) > 1 else None)
    names_columns = judged is not None and any(how.values()) and files.reads_as_judgments(judged)
    findings: list[Any]
    try:
        qrels = files.read_qrels(judged, **how) if names_columns else judged  # type: ignore[arg-type]
    except DataError as error:
        findings = [Suspicion("malformed", str(error), True)]
    else:
        findings = lint(run, qrels)
    columns = table_columns(
        Column("name", "found"), "serious", Column("message", "evidence and likely cause", wrap=True)
    )
    from toysearch.study.provenance import record_lines  # most checks are of collections

    said = [files.in_full(account) for account in read.values()]
    said += record_lines(run) if run is not None and str(run) != "-" else []
    rows = [("read", False, sentence) for sentence in said]
    rows += [(finding.name, finding.serious, finding.message) for finding in findings]
    show(Page(["\n".join([*said, *map(str, findings)])], ResultTable(columns, rows)), form)
    if not findings:
        remark("nothing suspicious")
    return not findings
