"""`toysearch judge`: from runs to judgments of several people, and what their judgments are worth."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch import formats
from toysearch.base import Column, DataError, Part, ResultTable, counted, note
from toysearch.cli.commands import Span, group_in
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    judges_options,
    models_option,
    option,
    shared,
    threshold_option,
    ties_option,
    together,
)
from toysearch.cli.output import Page, emit, force_option, keep, keeping, remark, show
from toysearch.cli.signatures import command_of
from toysearch.cli.sources import judgments_named
from toysearch.workbench.judging.judge_agreement import alpha, merge_qrels
from toysearch.workbench.judging.judge_sheets import Judges, read_decisions, read_judges, write_judges, write_ratings
from toysearch.workbench.judging.judgment_log import VoteLog, write_thumbs
from toysearch.workbench.judging.pooling import decisive_pool, divide_pool, influences, write_pool

_TWO = (
    ("agreement", "same grade"),
    ("by_chance", "same by chance"),
    ("kappa", "kappa"),
    ("linear", "kappa, linear weights"),
    ("quadratic", "kappa, quadratic weights"),
)
_MORE = (
    ("agreement", "same grade"),
    ("fleiss", "Fleiss' kappa"),
    ("nominal", "Krippendorff's alpha"),
    ("ordinal", "alpha, order of grades"),
    ("interval", "alpha, difference of grades"),
)
_MERGED = {
    "qrels": "one grade per pair: .csv, .tsv, .json, else TREC",
    "ratings": "the same for a Quepid case",
    "sheet": "CSV with a row per grade",
    "book": "a Quepid book in CSV",
    "import": "a book that Quepid imports",
    "log": "a judgment log",
}
_THUMBS = {
    "votes": "CSV with a row per vote",
    "counts": "CSV with the thumbs up and down of each document",
    "qrels": "1 or 0 by most thumbs: .csv, .tsv, .json, else TREC",
}


_NO_OPTIONS = SourceOptions()


def judges_named(
    files: Sequence[str],
    only: str | None,
    options: SourceOptions = _NO_OPTIONS,
    query_texts: Mapping[str, str] | None = None,
    doc_texts: Mapping[str, str] | None = None,
) -> Judges:
    """The judges of some FILE or NAME=FILE, each of which may also be a collection; of all, only those named."""
    names = None if only is None else [name.strip() for name in next(csv.reader([only], skipinitialspace=True), [])]
    sources = []
    for file in files:  # a file whose own name holds = has no other name
        name, _, path = file.partition("=")
        sources.append((name, path) if name and path and not Path(file).exists() else ("", file))
    if all(formats.is_file(path) for _, path in sources):
        return read_judges(
            [(name, path) if name else path for name, path in sources],
            query_texts,
            doc_texts,
            columns=options.qrels_columns,
            judges=names,
            on_error=options.on_error or "refuse",
        )
    judges = Judges({name or path: judgments_named(path, options) for name, path in sources})
    return judges if names is None else judges.only(names)


def _pool(
    runs: tuple[str, ...],
    depth: int,
    output: str | None,
    texts: str | None,
    judged: str | None,
    decisive: str | None,
    k: int | None,
    form: str,
    **division: Any,
) -> None:
    """Pool runs: the documents to judge, and the share of each run.

    For each query, the pool joins the first documents of every RUN. The table shows how many of them each run found,
    and how many only that run found. The sheet of -o has one row per pair of query and document and empty columns
    relevance and reason; it does not show runs and ranks. Filled in, even partly, it is a file of judgments. With
    --judges, each judge gets whole queries, in a separate order. With --decisive, the pairs come first that can decide
    the comparison soonest: judge some, give them to --judged, and pool again. --json shows the runs that found each
    document.
    """
    judges = division["judges"]
    if (texts or judges) and not output:
        raise click.UsageError("--texts and --judges apply to the sheet: give -o FILE too")
    if judges and output == "-":
        raise click.UsageError("--judges writes one sheet per judge: give -o the name of a file")
    if division["twice"] and not judges:
        raise click.UsageError("--twice needs several judges: give --judges ada,ben too")
    if k and not decisive:
        raise click.UsageError("-k keeps the most decisive pairs: give --decisive MEASURE too")
    named_runs = [toysearch.read_run(run) for run in runs]
    if len({run.name for run in named_runs}) < len(named_runs):  # equal tags would not tell the rows apart
        for run, file in zip(named_runs, runs, strict=True):
            run.name = file
    judged_before = judgments_named(judged) if judged else None
    pool = toysearch.pool(named_runs, depth, qrels=judged_before)
    more: dict[str, Any] = {}
    if decisive:
        influence = influences(named_runs, judged_before, decisive, depth=depth)
        pool = decisive_pool(pool, influence, k)
        more = {"influence": {query_id: {one: influence[query_id][one] for one in pool[query_id]} for query_id in pool}}
    data = {"depth": pool.depth, "runs": pool.contributions, "queries": pool.ranks, **more}
    sheets = _sheets(pool, output, **division) if output else {}
    for file in sheets:
        keep(file, "sheet")
    queries, documents = _texts(pool, texts) if texts else (None, None)
    for file, (judge, part) in sheets.items():
        write_pool(part, file, queries, documents, judge=judge)
    columns = [
        Column("run"),
        Column("documents", "in the pool", "right", ","),
        Column("alone", "found by it alone", "right", ","),
    ]
    if output != "-":
        emit(columns, pool.contributions, form, data=data)
    remark(
        f"{counted(len(pool.pairs), 'document')} to judge for {counted(len(pool), 'query', 'queries')}, depth {depth}"
        + (f", written to {output}" if output not in (None, "-") and not judges else "")
    )
    for file, (_, part) in sheets.items() if judges else ():
        remark(f"{file}: {counted(len(part.pairs), 'document')} for {counted(len(part), 'query', 'queries')}")


def _sheets(pool: Any, output: str, *, judges: str | None, twice: float, seed: int) -> dict[str, tuple[str, Any]]:
    """The judge and the pairs by file: the whole pool, or a part for each judge."""
    if judges is None:
        return {output: ("", pool)}
    names = [name.strip() for name in judges.split(",")]
    odd = next((name for name in names if not name or name in (".", "..") or set(name) & set('/\\:*?"<>|')), None)
    if odd is not None:
        raise click.UsageError(
            f"the name of a judge becomes part of a file name, and '{odd}' cannot; choose another name"
        )
    whole = Path(output)
    parts = divide_pool(pool, names, twice / 100, seed)
    return {str(whole.with_name(f"{whole.stem}-{name}{whole.suffix}")): (name, part) for name, part in parts.items()}


def _texts(pool: Any, texts: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is shown of queries and of documents."""
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
    for doc_id, document in documents.items():  # of a text that begins with the title, which is beside it, the rest
        text, title = (" ".join(part.split()) for part in (document.text, document.title))
        shown_texts[doc_id] = document.title, text.removeprefix(title).lstrip() if title else text
    return queries, shown_texts


pool_command = command_of(
    "toysearch.pool",
    "toysearch judge pool mine.run theirs.run",
    "toysearch judge pool mine.run theirs.run --depth 10 -o sheet.csv --texts cat-dog-parrot",
    "toysearch judge pool mine.run theirs.run -o sheet.csv --judges ada,ben,carla --twice 20",
    "toysearch judge pool third.run --judged judged.csv -o more.csv",
    "toysearch judge pool mine.run theirs.run --decisive AP -k 50 -o first.csv",
    call=_pool,
    runs={"metavar": "RUN...", "nargs": -1},
    depth={"type": POSITIVE, "metavar": "N"},
    ties=None,
    output=shared(
        "output", stream=True, help="Judging sheet to write: .csv or .tsv; - is standard output, without the table."
    ),
    force=force_option,
    texts=shared("texts", help="Collection whose queries and documents go into the sheet."),
    judged=option("--judged", metavar="QRELS", help="Judgments whose pairs are left out."),
    decisive=option(
        "--decisive",
        metavar="MEASURE",
        help="First the pairs whose grade can change the difference of two runs most, such as AP.",
    ),
    k=option("-k", type=POSITIVE, metavar="N", help="With --decisive: only the first N pairs."),
    judges=option("--judges", metavar="NAMES", help="Judges, one sheet each: ada,ben,carla."),
    twice=option(
        "--twice",
        type=Span(0, 100),
        default=0.0,
        metavar="PERCENT",
        help="Share of each query that a second judge gets too.",
    ),
    seed=shared("seed", help="Seed for the assignment and the order."),
)


def _agree(
    files: tuple[str, ...],
    judges: str | None,
    threshold: float | None,
    per_query: bool,
    differences: bool,
    texts: str | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.

    Each FILE holds the judgments of a judge, who is named after it or by NAME=, or of several: a sheet with a column
    judge, a judgment log, a Quepid book, or a sheet with the columns that --judges names; a collection has judgments
    too. Other columns of numbers are not taken for grades. The agreement is computed on the pairs of query and document
    that at least two judges have. Kappa and alpha are 1 if all grades are equal, and 0 if no more are equal than by
    chance; with weights, a small difference in grades costs less than a large one. For two judges, Cohen's kappa is
    shown; for three or more, Fleiss' kappa on the pairs that all have, and Krippendorff's alpha.
    """
    if per_query and differences:
        raise click.UsageError("give one of --per-query and --differences")
    if texts and not differences:
        raise click.UsageError("--texts goes with --differences")
    judged = judges_named(files, judges, options)
    if len(judged) < 2:
        raise click.UsageError(f"agreement needs two judges, and there is one: {next(iter(judged))}; give more files")
    two = toysearch.kappa(*judged.values(), threshold=threshold) if len(judged) == 2 else None
    if two is not None and not (per_query or differences):
        names = [name for name in _TWO if len(two.grades) > 2 or form != "table" or "weights" not in name[1]]
        title = "pairs, by the grade of the first judge (row) and the second (column)"
        _show_values(names, two, form, two.tables()[0]._replace(title=title))
    else:
        several = alpha(judged, threshold=threshold)
        if per_query:
            emit(*several.tables()[0][:2], form)
        elif differences:
            _print_differences(several, judged.reasons, texts, form)
        else:
            _show_values(_MORE, several, form)
    if two is not None:
        alone = zip((two.only_first, two.only_second), judged, strict=True)
        notes = [f"{number:,} only in {name}" for number, name in alone]
        remark(" · ".join([f"{counted(two.n, 'pair')} judged in both", *notes]))
        return
    remark(
        f"{counted(several.n, 'pair')} judged by two or more · {several.n_all:,} by all {len(judged)} · "
        f"{several.n_single:,} by only one"
    )
    if not per_query and not differences and math.isnan(several.fleiss):
        note("Fleiss' kappa needs pairs that all have judged, and there are none")


def _show_values(names: Sequence[tuple[str, str]], agreement: Any, form: str, *more: Part) -> None:
    """One figure below the other for people, and more; in columns for programs."""
    values = [getattr(agreement, name) for name, _ in names]
    rows = [(text, "–" if math.isnan(value) else value) for (_, text), value in zip(names, values, strict=True)]
    for_people = ResultTable([Column("text", " "), Column("value", " ", "right", ".4f")], rows)
    table = ResultTable([Column(name, text, "right", ".4f") for name, text in names], [values])
    show(Page([for_people, *more], table, agreement.data()), form)


def _print_differences(found: Any, reasons: dict[tuple[str, str, str], str], texts: str | None, form: str) -> None:
    """The pairs with different grades, and the reasons of the judges if any gave one."""
    columns = [Column("query_id", "query"), Column("doc_id", "document")]
    columns += [Column(judge, judge, "right", "g") for judge in found.judges]
    rows = [[pair.query_id, pair.doc_id, *map(pair.grades.get, found.judges)] for pair in found.disputed]
    sentences = [
        " · ".join(
            f"{judge}: {reason}"
            for judge in found.judges
            if (reason := reasons.get((judge, pair.query_id, pair.doc_id)))
        )
        for pair in found.disputed
    ]
    if any(sentences):
        columns.append(Column("reasons", wrap=True))
        rows = [[*row, sentence] for row, sentence in zip(rows, sentences, strict=True)]
    if texts:
        collection = toysearch.load(texts)
        columns += [Column("query_text", wrap=True), Column("text", wrap=True)]
        for row in rows:
            document = collection.documents.get(row[1])
            row += [collection.query(row[0]).text, document.text if document else ""]
    emit(columns, rows, form)


agree_command = command_of(
    "toysearch.kappa",
    "toysearch judge agree ada.csv ben.csv",
    "toysearch judge agree ada.csv ben.csv --threshold 2",
    "toysearch judge agree ada.csv ben.csv --differences --format csv",
    "toysearch judge agree ada=monday.csv ada=friday.csv ben.csv",
    "toysearch judge agree class.jsonl --judges ada,ben --per-query",
    call=_agree,
    argument=together(click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE..."), judges_options),
    reads=together(),
    threshold={
        "heading": "Options",
        "help": "Compare relevant with not relevant only, from this grade.",
    },
    per_query=shared("per_query", help="Show the agreement on each query."),
    differences=option("--differences", is_flag=True, help="List the pairs with different grades."),
    texts=shared("texts", help="Collection whose texts are shown beside the differences."),
)


def _systems_taken(values: dict[str, Any]) -> list[Any]:
    """The systems of a study, to which the file of the second judge is read."""
    from toysearch.cli.compare import study_to_compare  # other commands of judges rank nothing

    targets, models, options, by = (values.pop(name) for name in ("targets", "models", "options", "by"))
    rules = {**values, "measures": values["measure"], "k": None, "threads": None}
    study = study_to_compare(targets, models, options, rules)
    judges = judges_named([by], None, SourceOptions(on_error=options.on_error))
    if len(judges) > 1:
        raise DataError(f"{by} holds {len(judges)} judges: {', '.join(judges)}; give a file of one")
    [values["by"]] = judges.values()
    return [(), study]


rejudge_command = command_of(
    "toysearch.workbench.judging.second_judge.rejudge",
    "toysearch judge rejudge companions --by model.jsonl --model bm25 --model cosine",
    "toysearch judge rejudge mine.run theirs.run --qrels qrels.txt --by ada.csv -m RR",
    "toysearch judge rejudge companions --by model.jsonl --model bm25 --model dph --test permutation --json",
    take=_systems_taken,
    argument=together(click.argument("targets", nargs=-1, metavar="COLLECTION | RUN..."), models_option),
    by=option("--by", required=True, metavar="FILE", help="Grades of the second judge.", heading="Ranking"),
    test={"default": None, "help": "Paired test of all pairs of systems.  [default: tukey]"},
    threshold=threshold_option,
    ties=ties_option,
    depth={"type": POSITIVE},
)


def _merge(
    files: tuple[str, ...],
    judges: str | None,
    rule: str,
    decisions: str | None,
    form: str,
    texts: str | None,
    output: str,
    options: SourceOptions,
) -> None:
    """Merge the grades of several judges into one file of judgments.

    Each FILE is a sheet, which may be half filled in, a judgment log, a Quepid book, a sheet with one column per judge
    (--judges names them), or any other judgments. Its judge is named after it or by NAME=; two files with one NAME are
    parts of the work of one judge, and two different grades that they gave one pair are refused with both places. By
    the rule majority, a pair whose grades are tied is left out until --decisions has a grade for it. The forms sheet,
    book, import and log keep the judges apart.
    """
    apart = form not in ("qrels", "ratings")
    if apart and (decisions or rule != "majority"):
        raise click.UsageError(f"--rule and --decisions make one grade of several; --to {form} keeps the judges apart")
    collection = toysearch.load(texts) if texts else None
    query_texts = {query.query_id: query.text for query in collection.queries} if collection else {}
    doc_texts = {document.doc_id: document.text for document in collection.documents} if collection else {}
    judged_files = judges_named(files, judges, options, query_texts, doc_texts)
    undecided: tuple[Any, ...] = ()
    if apart:
        write_judges(judged_files, output, form, query_texts)
        number = counted(sum(map(len, judged_files.values())), "grade")
    else:
        how = (options.qrels_columns, options.on_error or "refuse")
        merged = merge_qrels(judged_files, read_decisions(decisions, *how) if decisions else None, rule=rule)
        if form == "ratings":
            write_ratings(merged.qrels, output, query_texts)
        else:
            toysearch.write_qrels(merged.qrels, output)
        number, undecided = counted(len(merged.qrels), "judgment"), merged.undecided
    where = f" written to {output}" if output != "-" else ""
    remark(f"{number} of {counted(len(judged_files), 'judge')}{where}")
    if undecided:
        first = undecided[0]
        note(
            f"{counted(len(undecided), 'pair')} left out because no grade has most votes, such as query "
            f"{first.query_id}, document {first.doc_id}; decide them in a sheet of their own (--decisions)"
        )


merge_command = command_of(
    "toysearch.workbench.judging.judge_agreement.merge_qrels",
    "toysearch judge merge ada.csv ben.csv carla.csv -o judged.txt",
    "toysearch judge merge ada=monday.csv ada=friday.csv --to sheet -o week.csv",
    "toysearch judge merge class.jsonl --rule pessimistic --decisions decided.csv -o final.csv",
    "toysearch judge merge class.jsonl --to book --texts companions -o book.csv",
    "toysearch judge merge ratings.csv --qrels-columns 'grade=Rating (0-3)' --on-error skip -o rated.txt",
    call=_merge,
    argument=together(click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE..."), judges_options),
    reads=together(),
    forms=together(),
    decisions=option(
        "--decisions", metavar="FILE", help="Grades that take precedence: judgments, or the log of the page."
    ),
    form=option(
        "--to",
        "form",
        type=click.Choice(_MERGED),
        default="qrels",
        metavar="|".join(_MERGED),
        help="; ".join(f"{name}: {text}" for name, text in _MERGED.items()) + ".",
    ),
    texts=shared(
        "texts", help="Collection whose texts name the queries in Quepid, and queries and documents in umbrela."
    ),
    output=shared(
        "output",
        default="-",
        stream=True,
        callback=keeping("judgments"),
        help="File to write; - is standard output.",
    ),
    force=force_option,
)


def _votes(votes: str, form: str, output: str) -> None:
    """Write the thumbs of readers as judgments.

    FILE is the log that `toysearch serve --votes` keeps. `toysearch eval` reads all three forms; in the forms votes and
    counts the grade is the share of thumbs up.
    """
    number = write_thumbs(VoteLog(votes, append=False), output, form)
    where = "" if output == "-" else f" written to {output}"
    remark(f"{counted(number, 'thumb' if form == 'votes' else 'document')}{where}")


votes_command = command_of(
    "toysearch.workbench.judging.judgment_log.write_thumbs",
    "toysearch judge votes votes.jsonl",
    "toysearch judge votes votes.jsonl -o thumbs.csv",
    "toysearch judge votes votes.jsonl --to qrels -o judged.txt",
    call=_votes,
    argument=click.argument("votes", metavar="FILE"),
    reads=together(),
    forms=together(),
    form=option(
        "--to",
        "form",
        type=click.Choice(_THUMBS),
        default="votes",
        metavar="|".join(_THUMBS),
        help="; ".join(f"{name}: {text}" for name, text in _THUMBS.items()) + ".",
    ),
    output=shared(
        "output",
        default="-",
        stream=True,
        callback=keeping("judgments"),
        help="File to write; - is standard output.",
    ),
    force=force_option,
)


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
