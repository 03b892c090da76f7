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
from toysearch.base import Column, DataError, Part, ResultTable, Run, counted, note, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.cli.commands import Span, group_in, kept_value
from toysearch.cli.options import (
    POSITIVE,
    Decorator,
    SourceOptions,
    judges_options,
    models_option,
    option,
    refuse_if,
    run_columns_option,
    runs_options,
    shared,
    shell_report,
    threshold_option,
    ties_option,
    together,
)
from toysearch.cli.output import emit, force_option, keep, keeping, remark, show
from toysearch.cli.signatures import command_of, popped
from toysearch.cli.sources import judgments_given, runs_named
from toysearch.workbench.judging.judge_agreement import Alpha, Kappa, Merged, alpha
from toysearch.workbench.judging.judge_sheets import Judges, read_decisions, read_judges, write_judges, write_ratings
from toysearch.workbench.judging.pooling import Pool, decisive_pool, divide_pool, influences, write_pool

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
    paths: Sequence[str],
    only: str | None,
    options: SourceOptions = _NO_OPTIONS,
    query_texts: Mapping[str, str] | None = None,
    doc_texts: Mapping[str, str] | None = None,
) -> Judges:
    """Return the judges of some FILE or NAME=FILE, each of which may also be a collection; of all, only those named."""
    names = None if only is None else [name.strip() for name in next(csv.reader([only], skipinitialspace=True), [])]
    sources = []
    for file in paths:  # a file whose own name holds = has no other name
        name, _, path = file.partition("=")
        sources.append((name, path) if name and path and not Path(file).exists() else ("", file))
    if all(files.is_file(path) for _, path in sources):
        return read_judges(
            [(name, options.source(path)) if name else options.source(path) for name, path in sources],
            query_texts,
            doc_texts,
            columns=options.qrels_columns,
            grades=options.grades,
            judges=names,
            on_error=options.on_error or "refuse",
        )
    judges = Judges({name or path: _qrels_in(path, options) for name, path in sources})
    return judges if names is None else judges.only(names)


def _qrels_in(word: str, options: SourceOptions) -> Any:
    judgments = judgments_given(word, options)
    return getattr(judgments, "qrels", judgments)


def _runs_taken(values: dict[str, Any]) -> list[Any]:
    output, judges, files = values["output"], values["judges"], values.pop("runs")
    of_sheet = values["texts"] or judges
    refuse_if(of_sheet and not output, "--texts and --judges apply to the sheet: give -o FILE too")
    refuse_if(judges and output == "-", "--judges writes one sheet per judge: give -o the name of a file")
    refuse_if(values["twice"] and not judges, "--twice needs several judges: give --judges ada,ben too")
    refuse_if(
        values["k"] and not values["decisive"],
        "-k keeps the most decisive pairs: give --decisive MEASURE too",
    )
    told = SourceOptions(report=shell_report(), run_columns=kept_value("run_columns"))
    values["runs_read"] = [run for run, _ in runs_named(files, told)]
    values["qrels"] = _qrels_in(values["qrels"], told) if values["qrels"] else None
    return [values["runs_read"]]


def _show_pool(
    pool: Pool,
    form: str,
    output: str | None,
    texts: str | None,
    decisive: str | None,
    k: int | None,
    runs_read: Sequence[Run],
    qrels: Any,
    **division: Any,
) -> None:
    more = {}
    if decisive:
        influence = influences(runs_read, qrels, decisive, depth=pool.depth)
        pool = decisive_pool(pool, influence, k)
        more = {"influence": {query_id: {one: influence[query_id][one] for one in pool[query_id]} for query_id in pool}}
    data = {"depth": pool.depth, "runs": pool.contributions, "queries": pool.ranks, **more}
    sheets = _sheets(pool, output, **division) if output else {}
    for file in sheets:
        keep(file, "sheet")
    queries, documents = _texts(pool, texts) if texts else (None, None)
    for file, (judge, part) in sheets.items():
        write_pool(part, file, queries, documents, judge=judge)
    columns = table_columns("run", number_columns(",", documents="in the pool", alone="found by it alone"))
    if output != "-":
        emit(columns, pool.contributions, form, data=data)
    n_documents = f"{counted(len(pool.pairs), 'document')} to judge for {counted(len(pool), 'query', 'queries')}"
    where = f", written to {output}" if output not in (None, "-") and not division["judges"] else ""
    remark(f"{n_documents}, depth {pool.depth}{where}")
    for file, (_, part) in sheets.items() if division["judges"] else ():
        remark(f"{file}: {counted(len(part.pairs), 'document')} for {counted(len(part), 'query', 'queries')}")


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
    take=_runs_taken,
    after=_show_pool,
    more="The table shows how many documents of the pool each run found, and how many only that run found. The sheet "
    "of -o has one row per pair of query and document and empty columns relevance and reason; it does not show runs "
    "and ranks. Filled in, even partly, it is a file of judgments. With --judges, each judge gets whole queries, in a "
    "separate order. With --decisive, the pairs come first that can decide the comparison soonest: judge some, give "
    "them to --judged, and pool again. --json shows the runs that found each document.",
    reads=runs_options,
    runs={"metavar": "RUN...", "nargs": -1},
    depth={"type": POSITIVE, "metavar": "N"},
    ties=None,
    output=shared(
        "output", stream=True, help="Judging sheet to write: .csv or .tsv; - is standard output, without the table."
    ),
    force=force_option,
    texts=shared("texts", help="Collection whose queries and documents go into the sheet."),
    qrels=option("--judged", "qrels", metavar="QRELS", help="Judgments whose pairs are left out."),
    decisive=option(
        "--decisive",
        metavar="MEASURE",
        help="Put first the pairs whose grade can change the difference of two runs in this measure most.",
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


def _judges_taken(values: dict[str, Any]) -> list[Any]:
    refuse_if(values["per_query"] and values["differences"], "give one of --per-query and --differences")
    refuse_if(values["texts"] and not values["differences"], "--texts goes with --differences")
    values["judges"] = judges_named(*popped(values, "files", "judges", "options"))
    if len(values["judges"]) < 2:
        [alone] = values["judges"]
        problem = f"agreement needs two judges, and there is one: {alone}"
        raise click.UsageError(f"{problem}; give more files, or their columns: --judges NAMES")
    return [values["judges"]]


def _show_agreement(
    found: Kappa | Alpha,
    form: str,
    judges: Judges,
    threshold: float | None,
    per_query: bool,
    differences: bool,
    texts: str | None,
) -> None:
    if per_query or differences:
        several = alpha(judges, threshold=threshold)
        if per_query:
            emit(*several.tables()[0][:2], form)
        else:
            _print_differences(several, judges.reasons, texts, form)
    elif isinstance(found, Alpha):
        _show_values(_MORE, found, judges, form)
    else:
        names = [name for name in _TWO if len(found.grades) > 2 or form != "table" or "weights" not in name[1]]
        title = "pairs, by the grade of the first judge (row) and the second (column)"
        _show_values(names, found, judges, form, found.tables()[0]._replace(title=title))
    if isinstance(found, Kappa):
        alone = zip((found.only_first, found.only_second), judges, strict=True)
        counts = [
            f"{counted(found.n, 'pair')} judged in both",
            *(f"{number:,} only in {name}" for number, name in alone),
        ]
    else:
        counts = [f"{counted(found.n, 'pair')} judged by two or more", f"{found.n_all:,} by all {len(judges)}"]
        counts.append(f"{found.n_single:,} by only one")
    remark(" · ".join(counts))
    if isinstance(found, Alpha) and not (per_query or differences) and math.isnan(found.fleiss):
        note("Fleiss' kappa needs pairs that all have judged, and there are none")


def _show_values(names: Sequence[tuple[str, str]], agreement: Any, judges: Judges, form: str, *more: Part) -> None:
    """Print one figure below the other for people, and more; in columns for programs."""
    values = [getattr(agreement, name) for name, _ in names]
    rows = [(text, "–" if math.isnan(value) else value) for (_, text), value in zip(names, values, strict=True)]
    title = f"agreement of {', '.join(judges)}"
    for_people = ResultTable([Column("text", " "), *number_columns(".4f", value=" ")], rows, title)
    table = ResultTable(number_columns(".4f", **dict(names)), [values])
    show(Page([for_people, *more], table, agreement.data()), form)


def _print_differences(found: Any, reasons: dict[tuple[str, str, str], str], texts: str | None, form: str) -> None:
    columns = [Column("query_id", "query"), Column("doc_id", "document"), *number_columns("g", *found.judges)]
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
    "toysearch.workbench.judging.judge_agreement.agree",
    "toysearch judge agree ada.csv ben.csv",
    "toysearch judge agree ada.csv ben.csv --threshold 2",
    "toysearch judge agree ada.csv ben.csv --differences --format csv",
    "toysearch judge agree ada=monday.csv ada=friday.csv ben.csv",
    "toysearch judge agree class.jsonl --judges ada,ben --per-query",
    text="""Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.

    Each FILE holds the judgments of a judge, who is named after it or by NAME=, or of several: a sheet with a column
    judge, a judgment log, a Quepid book, or a sheet with the columns that --judges names; a collection has judgments
    too. A book with a column that is hardly one of a judge is asked about, and a note names the columns that are taken
    for judges unless their names show it. The agreement is computed on the pairs of query and document that at least
    two judges have. Kappa and alpha are 1 if all grades are equal, and 0 if no more are equal than by chance; with
    weights, a small difference in grades costs less than a large one. For two judges, Cohen's kappa is shown; for three
    or more, Fleiss' kappa on the pairs that all have, and Krippendorff's alpha.
    """,
    take=_judges_taken,
    after=_show_agreement,
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
    from toysearch.cli.compare import study_to_compare  # other commands of judges rank nothing

    targets, models, options, by = popped(values, "targets", "models", "options", "by")
    rules = {**values, "measures": values["measure"], "k": None, "threads": None}
    study = study_to_compare(targets, models, options, rules)
    judges = judges_named(
        [by], None, SourceOptions(on_error=options.on_error, encoding=options.encoding, report=options.report)
    )
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
    argument=together(
        click.argument("targets", nargs=-1, metavar="COLLECTION | RUN..."), models_option, run_columns_option
    ),
    by=option("--by", required=True, metavar="FILE", help="Grades of the second judge.", heading="Ranking"),
    test={"default": None, "help": "Paired test of all pairs of systems.  [default: tukey]"},
    threshold=threshold_option,
    ties=ties_option,
    depth={"type": POSITIVE},
)


def _judges_to_merge(values: dict[str, Any]) -> list[Any]:
    """Read the judges; in a form that keeps them apart, write them and end the command."""
    form, output, decisions = (values[name] for name in ("form", "output", "decisions"))
    is_apart = form not in ("qrels", "ratings")
    refuse_if(
        is_apart and (decisions or values["rule"] != "majority"),
        f"--rule and --decisions make one grade of several; --to {form} keeps the judges apart",
    )
    collection = toysearch.load(values["texts"]) if values["texts"] else None
    query_texts = {query.query_id: query.text for query in collection.queries} if collection else {}
    doc_texts = {document.doc_id: document.text for document in collection.documents} if collection else {}
    files, names, options = popped(values, "files", "judges", "options")
    values["judges"] = judges = judges_named(files, names, options, query_texts, doc_texts)
    if is_apart:
        write_judges(judges, output, form, query_texts)
        _tell_merged(counted(sum(map(len, judges.values())), "grade"), judges, output)
        click.get_current_context().exit()
    if decisions:
        values["decisions"] = read_decisions(
            options.source(decisions), options.qrels_columns, options.on_error or "refuse"
        )
    values["texts"] = query_texts
    return [judges]


def _write_merged(merged: Merged, form: str, output: str, judges: Judges, texts: dict[str, str]) -> None:
    if form == "ratings":
        write_ratings(merged.qrels, output, texts)
    else:
        toysearch.write_qrels(merged.qrels, output)
    _tell_merged(counted(len(merged.qrels), "judgment"), judges, output)
    if merged.undecided:
        first = merged.undecided[0]
        note(
            f"{counted(len(merged.undecided), 'pair')} left out because no grade has most votes, such as query "
            f"{first.query_id}, document {first.doc_id}; decide them in a sheet of their own (--decisions)"
        )


def _tell_merged(number: str, judges: Judges, output: str) -> None:
    remark(f"{number} of {counted(len(judges), 'judge')}" + (f" written to {output}" if output != "-" else ""))


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


merge_command = command_of(
    "toysearch.workbench.judging.judge_agreement.merge_qrels",
    "toysearch judge merge ada.csv ben.csv carla.csv -o judged.txt",
    "toysearch judge merge ada=monday.csv ada=friday.csv --to sheet -o week.csv",
    "toysearch judge merge class.jsonl --rule pessimistic --decisions decided.csv -o final.csv",
    "toysearch judge merge class.jsonl --to book --texts companions -o book.csv",
    "toysearch judge merge ratings.csv --qrels-columns 'grade=Rating (0-3)' --on-error skip -o rated.txt",
    text="""Merge the grades of several judges into one file of judgments.

    Each FILE is a sheet, which may be half filled in, a judgment log, a Quepid book, a sheet with one column per judge
    (--judges names them), or any other judgments. Its judge is named after it or by NAME=; two files with one NAME are
    parts of the work of one judge, and two different grades that they gave one pair are refused with both places. By
    the rule majority, a pair whose grades are tied is left out until --decisions has a grade for it. The forms sheet,
    book, import and log keep the judges apart.
    """,
    take=_judges_to_merge,
    after=_write_merged,
    argument=together(click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE..."), judges_options),
    reads=together(),
    forms=together(),
    decisions=option(
        "--decisions", metavar="FILE", help="Grades that take precedence: judgments, or the log of the page."
    ),
    form=_form_option(_MERGED),
    texts=shared(
        "texts", help="Collection whose texts name the queries in Quepid, and queries and documents in umbrela."
    ),
    output=_file_option("output"),
    force=force_option,
)


def _tell_thumbs(number: int, form: str, file: str) -> None:
    where = "" if file == "-" else f" written to {file}"
    remark(f"{counted(number, 'thumb' if form == 'votes' else 'document')}{where}")


votes_command = command_of(
    "toysearch.workbench.judging.judgment_log.write_thumbs",
    "toysearch judge votes votes.jsonl",
    "toysearch judge votes votes.jsonl -o thumbs.csv",
    "toysearch judge votes votes.jsonl --to qrels -o judged.txt",
    text="""Write the thumbs of readers as judgments.

    FILE is the log that `toysearch serve --votes` keeps. `toysearch eval` reads all three forms; in the forms votes and
    counts the grade is the share of thumbs up.
    """,
    after=_tell_thumbs,
    forms=together(),
    log={"metavar": "FILE"},
    form=_form_option(_THUMBS),
    file=_file_option("file"),
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
