"""`toysearch judge`: from runs to judgments of several people, and what their judgments are worth."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch import files
from toysearch.base import Column, DataError, Part, ResultTable, counted, note, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.cli.commands import Span, command, group_in
from toysearch.cli.options import (
    POSITIVE,
    Decorator,
    SourceOptions,
    description,
    documented,
    judges_options,
    option,
    output_options,
    reading_of_runs,
    refuse_if,
    run_columns_option,
    runs_options,
    shared,
    systems_option,
    systems_options,
    threshold_option,
    ties_option,
)
from toysearch.cli.output import emit, force_option, keep, keeping, remark, show
from toysearch.cli.sources import judgments_given, runs_named
from toysearch.evaluation.given_judgments import as_qrels
from toysearch.retrieval.snippets import without_title
from toysearch.workbench.judging.judge_agreement import Alpha, Disputed, Kappa, agree, alpha, merge_qrels
from toysearch.workbench.judging.judge_sheets import in_order, read_decisions, read_judges, write_judges, write_ratings
from toysearch.workbench.judging.judgment_log import Judgment, qrels_of, write_thumbs
from toysearch.workbench.judging.pooling import divide_pool, write_pool
from toysearch.workbench.judging.second_judge import rejudge

_TWO = {
    "agreement": "same grade",
    "by_chance": "same by chance",
    "kappa": "kappa",
    "linear": "kappa, linear weights",
    "quadratic": "kappa, quadratic weights",
}
_MORE = {
    "agreement": "same grade",
    "fleiss": "Fleiss' kappa",
    "nominal": "Krippendorff's alpha",
    "ordinal": "alpha, order of grades",
    "interval": "alpha, difference of grades",
}
_MERGED = {
    "qrels": "one grade per pair: .csv, .tsv, .json, else TREC",
    "ratings": "the same for a Quepid case",
    "sheet": "CSV with a row per grade",
    "book": "a Quepid book in CSV",
    "log": "a judgment log",
}
_THUMBS = {
    "votes": "CSV with a row per vote",
    "counts": "CSV with the thumbs up and down of each document",
    "qrels": "1 or 0 by most thumbs: .csv, .tsv, .json, else TREC",
}


_files = click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE...")


def grades_named(
    paths: Sequence[str],
    only: str | None,
    options: SourceOptions,
    query_texts: Mapping[str, str] | None = None,
    doc_texts: Mapping[str, str] | None = None,
) -> list[Judgment]:
    """Return the grades in some FILE or NAME=FILE, each of which may also be a collection; of all, only those named."""
    names = None if only is None else [name.strip() for name in next(csv.reader([only], skipinitialspace=True), [])]
    sources = []
    for file in paths:  # a file whose own name holds = has no other name
        name, _, path = file.partition("=")
        sources.append((name, path) if name and path and not Path(file).exists() else ("", file))
    if all(files.is_file(path) for _, path in sources):
        reading = options.reading
        return read_judges(
            [(name, options.source(path)) for name, path in sources],
            query_texts,
            doc_texts,
            columns=reading.qrels_columns,
            grades=reading.grades,
            judges=names,
            on_error=reading.on_error or "refuse",
        )
    judged = {name or path: as_qrels(_qrels_in(path, options)) for name, path in sources}
    return in_order([Judgment("", judge, *row) for judge, qrels in judged.items() for row in qrels], names)


def _qrels_in(word: str, options: SourceOptions) -> Any:
    judgments = judgments_given(word, options)
    return getattr(judgments, "qrels", judgments)


def _sheets(pool: Any, output: str, *, judges: str | None, twice: float, seed: int) -> dict[str, tuple[str, Any]]:
    if judges is None:
        return {output: ("", pool)}
    names = [name.strip() for name in judges.split(",")]
    odd = next((name for name in names if not name or name in (".", "..") or set(name) & set('/\\:*?"<>|')), None)
    refuse_if(
        odd is not None, f"the name of a judge becomes part of a file name, and '{odd}' cannot; choose another name"
    )
    whole = Path(output)
    parts = divide_pool(pool, names, twice / 100, seed)
    return {str(whole.with_name(f"{whole.stem}-{name}{whole.suffix}")): (name, part) for name, part in parts.items()}


def _texts(pool: Any, texts: str) -> tuple[dict[str, Any], dict[str, Any]]:
    collection = toysearch.load(texts)
    doc_ids = dict.fromkeys(doc_id for _, doc_id in pool.pairs)
    documents = {doc_id: document for doc_id in doc_ids if (document := collection.documents.get(doc_id))}
    if len(documents) < len(doc_ids):
        missing = next(doc_id for doc_id in doc_ids if doc_id not in documents)
        sentence = f"{texts} lacks {len(doc_ids) - len(documents):,} documents of the pool, such as '{missing}'"
        if not documents:
            raise DataError(f"{sentence}: is this the collection that was ranked?")
        note(sentence)
    topics = collection.queries
    queries = {query_id: {"query_text": text} | topics.need(query_id) for query_id, text in topics}
    shown_texts = {}
    for doc_id, document in documents.items():  # of a text below its title, which is beside it, the rest
        shown_texts[doc_id] = document.title, without_title(document.text, document.title)
    return queries, shown_texts


@command(
    "toysearch judge pool mine.run theirs.run",
    "toysearch judge pool mine.run theirs.run --depth 10 -o sheet.csv --texts cat-dog-parrot",
    "toysearch judge pool mine.run theirs.run -o sheet.csv --judges ada,ben,carla --twice 20",
    "toysearch judge pool third.run --judged judged.csv -o more.csv",
    text=description(
        toysearch.pool,
        "The table shows how many documents of the pool each run found, and how many only that run found. The sheet "
        "of -o has one row per pair of query and document and empty columns relevance and reason; it does not show "
        "runs and ranks. Filled in, even partly, it is a file of judgments. With --judges, each judge gets whole "
        "queries, in a separate order. --json shows the runs that found each document.",
    ),
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@documented(toysearch.pool)("depth", type=POSITIVE, metavar="N")
@option("--judged", "--qrels", "qrels", metavar="QRELS", help="Judgments whose pairs are left out.")
@shared("output", stream=True, help="Judging sheet to write: .csv or .tsv; - is standard output, without the table.")
@force_option
@shared("texts", help="Collection whose queries and documents go into the sheet.")
@option("--judges", metavar="NAMES", help="Judges, one sheet each: ada,ben,carla.")
@option(
    "--twice",
    type=Span(0, 100),
    default=0.0,
    metavar="PERCENT",
    help="Share of each query that a second judge gets too.",
)
@shared("seed", help="Seed for the assignment and the order.")
@runs_options
@output_options
def pool_command(
    runs: Sequence[str],
    depth: int,
    qrels: str | None,
    output: str | None,
    texts: str | None,
    judges: str | None,
    twice: float,
    seed: int,
    form: str,
) -> None:
    """Pool the runs, write the sheets, and show what each run found."""
    refuse_if((texts or judges) and not output, "--texts and --judges apply to the sheet: give -o FILE too")
    refuse_if(judges and output == "-", "--judges writes one sheet per judge: give -o the name of a file")
    refuse_if(twice and not judges, "--twice needs several judges: give --judges ada,ben too")
    reading = reading_of_runs()
    runs_read = [run for run, _ in runs_named(runs, reading)]
    judged = _qrels_in(qrels, reading) if qrels else None
    pool = toysearch.pool(runs_read, depth, qrels=judged)
    sheets = _sheets(pool, output, judges=judges, twice=twice, seed=seed) if output else {}
    for file in sheets:
        keep(file, "sheet")
    queries, documents = _texts(pool, texts) if texts else (None, None)
    for file, (judge, part) in sheets.items():
        write_pool(part, file, queries, documents, judge=judge)
    if output != "-":
        columns = table_columns("run", number_columns(",", documents="in the pool", alone="found by it alone"))
        data = {"depth": pool.depth, "runs": pool.contributions, "queries": pool.ranks}
        emit(columns, pool.contributions, form, data=data)
    where = f", written to {output}" if output not in (None, "-") and not judges else ""
    remark(f"{_size_of(pool, ' to judge')}, depth {pool.depth}{where}")
    for file, (_, part) in sheets.items() if judges else ():
        remark(f"{file}: {_size_of(part)}")


def _size_of(pool: Any, what: str = "") -> str:
    return f"{counted(len(pool.pairs), 'document')}{what} for {counted(len(pool), 'query', 'queries')}"


def _show_figures(found: Kappa | Alpha, judges: Sequence[str], form: str) -> None:
    """Print one figure below the other for people, and the grades of two judges; in columns for programs."""
    names, more = _MORE, list[Part]()
    if isinstance(found, Kappa):
        weighted = len(found.grades) > 2 or form != "table"
        names = {name: text for name, text in _TWO.items() if weighted or "weights" not in text}
        title = "pairs, by the grade of the first judge (row) and the second (column)"
        more.append(found.tables()[0]._replace(title=title))
    values = [getattr(found, name) for name in names]
    rows = [(text, "–" if math.isnan(value) else value) for text, value in zip(names.values(), values, strict=True)]
    title = f"agreement of {', '.join(judges)}"
    for_people = ResultTable([Column("text", " "), *number_columns(".4f", value=" ")], rows, title)
    table = ResultTable(number_columns(".4f", **names), [values])
    show(Page([for_people, *more], table, found.data()), form)


def _show_differences(found: Alpha, given: Sequence[Judgment], texts: str | None, form: str) -> None:
    """Print the pairs with different grades, with the reasons and the texts if there are any."""
    collection = toysearch.load(texts) if texts else None
    reasons = {each[1:4]: f"{each.judge}: {each.reason}" for each in given if each.reason}
    columns = [Column("query_id", "query"), Column("doc_id", "document"), *number_columns("g", *found.judges)]
    rows = list[list[Any]]()
    for query_id, doc_id, grades in found.disputed:
        told = [reasons[key] for judge in found.judges if (key := (judge, query_id, doc_id)) in reasons]
        rows.append([query_id, doc_id, *map(grades.get, found.judges), " · ".join(told)])
    if any(row[-1] for row in rows):
        columns.append(Column("reasons", wrap=True))
    else:
        rows = [row[:-1] for row in rows]
    if collection:
        columns += [Column("query_text", wrap=True), Column("text", wrap=True)]
        for row in rows:
            document = collection.documents.get(row[1])
            row += [collection.query(row[0]).text, document.text if document else ""]
    emit(columns, rows, form)


@command(
    "toysearch judge agree ada.csv ben.csv",
    "toysearch judge agree ada.csv ben.csv --threshold 2",
    "toysearch judge agree ada.csv ben.csv --differences --format csv",
    "toysearch judge agree ada=monday.csv ada=friday.csv ben.csv",
    "toysearch judge agree class.jsonl --judges ada,ben --per-query",
)
@_files
@judges_options
@shared("threshold", heading="Options", help="Compare relevant with not relevant only, from this grade.")
@shared("per_query", help="Show the agreement on each query.")
@option("--differences", is_flag=True, help="List the pairs with different grades.")
@shared("texts", help="Collection whose texts are shown beside the differences.")
@output_options
def agree_command(
    files: Sequence[str],
    judges: str | None,
    options: SourceOptions,
    threshold: float | None,
    per_query: bool,
    differences: bool,
    texts: str | None,
    form: str,
) -> None:
    """Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.

    Each FILE holds the judgments of a judge, who is named after it or by NAME=, or of several: a sheet with a column
    judge, a judgment log, or a sheet with the columns that --judges names, such as a Quepid book; a collection has
    judgments too. The agreement is computed on the pairs of query and document that at least
    two judges have. Kappa and alpha are 1 if all grades are equal, and 0 if no more are equal than by chance; with
    weights, a small difference in grades costs less than a large one. For two judges, Cohen's kappa is shown; for three
    or more, Fleiss' kappa on the pairs that all have, and Krippendorff's alpha.
    """
    refuse_if(per_query and differences, "give one of --per-query and --differences")
    refuse_if(texts and not differences, "--texts goes with --differences")
    given = grades_named(files, judges, options)
    named = qrels_of(given)
    if len(named) < 2:
        problem = f"agreement needs two judges, and there is one: {next(iter(named))}"
        raise click.UsageError(f"{problem}; give more files, or their columns: --judges NAMES")
    found = agree(named, threshold=threshold)
    if per_query:
        emit(*alpha(named, threshold=threshold).tables()[0][:2], form)
    elif differences:
        _show_differences(alpha(named, threshold=threshold), given, texts, form)
    else:
        _show_figures(found, [*named], form)
    if isinstance(found, Kappa):
        counts = [f"{counted(found.n, 'pair')} judged in both"]
        alone = zip((found.only_first, found.only_second), named, strict=True)
        counts += [f"{number:,} only in {name}" for number, name in alone]
    else:
        counts = [f"{counted(found.n, 'pair')} judged by two or more", f"{found.n_all:,} by all {len(named)}"]
        counts.append(f"{found.n_single:,} by only one")
    remark(" · ".join(counts))
    if isinstance(found, Alpha) and not (per_query or differences) and math.isnan(found.fleiss):
        note("Fleiss' kappa needs pairs that all have judged, and there are none")


_rejudged = documented(rejudge)


@command(
    "toysearch judge rejudge companions --by model.jsonl --model bm25 --model cosine",
    "toysearch judge rejudge mine.run theirs.run --qrels qrels.txt --by ada.csv -m RR",
    "toysearch judge rejudge companions --by model.jsonl --model bm25 --model dph --test permutation --json",
    text=description(rejudge),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN...")
@systems_option
@run_columns_option
@_rejudged("measure")
@shared("test", default=None, help="Paired test of all pairs of systems.  [default: tukey]")
@shared("correction")
@_rejudged("alpha")
@_rejudged("seed")
@_rejudged("depth", type=POSITIVE)
@option("--by", required=True, metavar="FILE", heading="Ranking", help="Grades of the second judge.")
@threshold_option
@ties_option
@systems_options
@output_options
def rejudge_command(
    targets: tuple[str, ...], models: Sequence[Any], options: SourceOptions, by: str, form: str, **rules: Any
) -> None:
    """Rank or read the runs, read the grades of the second judge, and compare the systems under both."""
    from toysearch.cli.compare import study_to_compare  # other commands of judges rank nothing

    study = study_to_compare(targets, models, options, {**rules, "measures": rules["measure"]})
    how = options.reading
    reading = files.Reading(on_error=how.on_error, encoding=how.encoding, report=how.report)
    judges = qrels_of(grades_named([by], None, SourceOptions(reading)))
    if len(judges) > 1:
        raise DataError(f"{by} holds {len(judges)} judges: {', '.join(judges)}; give a file of one")
    [grades] = judges.values()
    show(rejudge((), study, **rules, by=grades), form)


def _form_option(forms: dict[str, str]) -> Decorator:
    """Return the option of the form that judgments are written in; the first is the default."""
    return option(
        "--to",
        "form",
        type=click.Choice(forms),
        default=next(iter(forms)),
        metavar="|".join(forms),
        help="; ".join(f"{name}: {text}" for name, text in forms.items()) + ".",
    )


def _file_option(name: str) -> Decorator:
    text = "File to write; - is standard output."
    return shared("output", name, default="-", stream=True, callback=keeping("judgments"), help=text)


@command(
    "toysearch judge merge ada.csv ben.csv carla.csv -o judged.txt",
    "toysearch judge merge ada=monday.csv ada=friday.csv --to sheet -o week.csv",
    "toysearch judge merge class.jsonl --rule pessimistic --decisions decided.csv -o final.csv",
    "toysearch judge merge class.jsonl --to book --texts companions -o book.csv",
    "toysearch judge merge ratings.csv --qrels-columns 'grade=Rating (0-3)' --on-error skip -o rated.txt",
)
@_files
@judges_options
@option("--decisions", metavar="FILE", help="Grades that take precedence: judgments, or the log of the page.")
@documented(merge_qrels)("rule")
@_form_option(_MERGED)
@shared("texts", help="Collection whose texts name the queries in Quepid, and queries and documents in umbrela.")
@_file_option("output")
@force_option
def merge_command(
    files: Sequence[str],
    judges: str | None,
    options: SourceOptions,
    decisions: str | None,
    rule: str,
    form: str,
    texts: str | None,
    output: str,
) -> None:
    """Merge the grades of several judges into one file of judgments.

    Each FILE is a sheet, which may be half filled in, a judgment log, a sheet with one column per judge (--judges names
    them), such as a Quepid book, or any other judgments. Its judge is named after it or by NAME=; two files with one
    NAME are parts of the work of one judge, and two different grades that they gave one pair are refused with both
    places. By
    the rule majority, a pair whose grades are tied is left out until --decisions has a grade for it. The forms sheet,
    book and log keep the judges apart.
    """
    is_apart = form not in ("qrels", "ratings")
    refuse_if(
        is_apart and (decisions or rule != "majority"),
        f"--rule and --decisions make one grade of several; --to {form} keeps the judges apart",
    )
    collection = toysearch.load(texts) if texts else None
    query_texts = {query.query_id: query.text for query in collection.queries} if collection else {}
    doc_texts = {document.doc_id: document.text for document in collection.documents} if collection else {}
    given = grades_named(files, judges, options, query_texts, doc_texts)
    named, undecided = qrels_of(given), tuple[Disputed, ...]()
    if is_apart:
        number = counted(len(given), "grade")
        write_judges(given, output, form, query_texts)
    else:
        on_error = options.reading.on_error or "refuse"
        decided = decisions and read_decisions(options.source(decisions), options.reading.qrels_columns, on_error)
        merged, undecided = merge_qrels(named, decided or None, rule=rule)
        number = counted(len(merged), "judgment")
        if form == "ratings":
            write_ratings(merged, output, query_texts)
        else:
            toysearch.write_qrels(merged, output)
    written = f" written to {output}" if output != "-" else ""
    remark(f"{number} of {counted(len(named), 'judge')}{written}")
    if undecided:
        first = undecided[0]
        note(
            f"{counted(len(undecided), 'pair')} left out because no grade has most votes, such as query "
            f"{first.query_id}, document {first.doc_id}; decide them in a sheet of their own (--decisions)"
        )


@command(
    "toysearch judge votes votes.jsonl",
    "toysearch judge votes votes.jsonl -o thumbs.csv",
    "toysearch judge votes votes.jsonl --to qrels -o judged.txt",
)
@click.argument("log", metavar="FILE")
@_file_option("file")
@_form_option(_THUMBS)
@force_option
def votes_command(log: str, form: str, file: str) -> None:
    """Write the thumbs of readers as judgments.

    FILE is the log that `toysearch serve --votes` keeps. `toysearch eval` reads all three forms; in the forms votes and
    counts the grade is the share of thumbs up.
    """
    number = write_thumbs(log, file, form)
    where = "" if file == "-" else f" written to {file}"
    remark(f"{counted(number, 'thumb' if form == 'votes' else 'document')}{where}")


@group_in(
    __name__,
    {
        "pool": "Pool runs: the documents to judge, and the share of each run.",
        "agree": "Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.",
        "merge": "Merge the grades of several judges into one file of judgments.",
        "rejudge": "Compare systems under two judges, such as a person and a model.",
        "votes": "Write the thumbs of readers as judgments.",
    },
    "toysearch judge pool mine.run theirs.run -o sheet.csv",
    "toysearch judge agree ada.csv ben.csv",
)
def judge_command() -> None:
    """Pool documents to judge, measure agreement, merge judges.

    `toysearch serve COLLECTION --judgments FILE` opens a page on which people judge.
    """
