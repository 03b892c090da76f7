"""`toysearch agree`: the agreement of several judges, and their judgments merged into one set."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import option, output_options
from toysearch.cli.output import emit, force_option, keeping, remark
from toysearch.cli.sources import judgments_named
from toysearch.laboratory.reports.evaluation_text import grades_table, judges_table
from toysearch.laboratory.reports.tables import Column
from toysearch.wording import counted

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


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch agree ada.csv ben.csv",
        "toysearch agree ada.csv ben.csv --threshold 2",
        "toysearch agree ada.csv ben.csv --differences --format csv",
        "toysearch agree ada.csv ben.csv judged.csv --merge all.csv",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="QRELS QRELS...")
@option("--threshold", type=float, help="Compare relevant with not relevant only, from this grade.")
@option("--per-query", is_flag=True, help="Show the agreement on each query.")
@option("--differences", is_flag=True, help="List the pairs with different grades.")
@option("--texts", metavar="COLLECTION", help="Collection whose texts are shown beside the differences.")
@option("--merge", metavar="FILE", callback=keeping("judgments"), help="Judgments to write, by majority of grades.")
@force_option
@option("--decisions", metavar="QRELS", help="Grades that take precedence in --merge.")
@output_options
def command(
    files: tuple[str, ...],
    threshold: float | None,
    per_query: bool,
    differences: bool,
    texts: str | None,
    merge: str | None,
    decisions: str | None,
    form: str,
) -> None:
    """Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.

    Each QRELS is a file or a collection. The agreement is computed on the pairs of query and document that at least two
    of them have. Kappa and alpha are 1 if all grades are equal, and 0 if no more are equal than by chance; with
    weights, a small difference in grades costs less than a large one. For two judges, Cohen's kappa is shown; for three
    or more, Fleiss' kappa on the pairs that all have, and Krippendorff's alpha.
    """
    from toysearch.evaluation.judge_agreement import alpha

    if len(files) < 2 or (per_query and differences):
        raise click.UsageError("give two files or more, and one of --per-query and --differences")
    if [*files, decisions].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")
    if (texts and not differences) or (decisions and not merge):
        raise click.UsageError("--texts goes with --differences, and --decisions with --merge")
    judged = dict(zip(_names(files), map(judgments_named, files), strict=True))
    several = alpha(judged, threshold=threshold) if len(files) > 2 or per_query or differences else None
    if several and per_query:
        emit(*judges_table(several), form)
    elif several and differences:
        _print_differences(several, texts, form)
    elif several:
        values = [(text, getattr(several, name)) for name, text in _MORE]
        _print_values(_MORE, values, form, _data_of_several(several))
    if several and len(files) > 2:
        remark(
            f"{counted(several.n, 'pair')} judged by two or more · {several.n_all:,} by all {len(files)} · "
            f"{several.n_single:,} by only one"
        )
        if not per_query and not differences and math.isnan(several.fleiss):
            remark("note: Fleiss' kappa needs pairs that all have judged, and there are none")
    else:
        _two(judged, threshold, form, quiet=several is not None)
    if merge:
        _merge(judged, merge, decisions)


def _names(files: tuple[str, ...]) -> list[str]:
    """The names of the judges: their files, shortened as long as they stay distinct."""
    stems = ["standard input" if file == "-" else Path(file).stem for file in files]
    return stems if len(set(stems)) == len(stems) else [f"{place}: {file}" for place, file in enumerate(files, 1)]


def _two(judged: dict[str, Any], threshold: float | None, form: str, quiet: bool) -> None:
    """Cohen's kappa, and below it the table of grades."""
    found = toysearch.kappa(*judged.values(), threshold=threshold)
    if not quiet:
        weighted = len(found.grades) > 2 or form != "table"
        values = [(text, getattr(found, name)) for name, text in _TWO if weighted or "weights" not in text]
        _print_values(_TWO, values, form, _data(found))
        if form == "table":
            click.echo("\npairs, by the grade of the first judge (row) and the second (column)")
            emit(*grades_table(found), "table")
    alone = zip((found.only_first, found.only_second), judged, strict=True)
    told = [f"{number:,} only in {name}" for number, name in alone]
    remark(" · ".join([f"{counted(found.n, 'pair')} judged in both", *told]))


def _print_values(names: tuple[tuple[str, str], ...], values: list[tuple[str, float]], form: str, data: Any) -> None:
    """One figure below the other for people, in columns for programs."""
    if form == "table":
        shown = [(text, "–" if math.isnan(value) else value) for text, value in values]
        emit([Column("text", " "), Column("value", " ", "right", ".4f")], shown, "table")
    else:
        columns = [Column(name, text, "right", ".4f") for name, text in names]
        emit(columns, [[value for _, value in values]], form, data=data)


def _print_differences(found: Any, texts: str | None, form: str) -> None:
    columns = [Column("query_id", "query"), Column("doc_id", "document")]
    columns += [Column(judge, judge, "right", "g") for judge in found.judges]
    rows = [[each.query_id, each.doc_id, *map(each.grades.get, found.judges)] for each in found.disputed]
    if texts:
        collection = toysearch.load(texts)
        columns += [Column("query_text", wrap=True), Column("text", wrap=True)]
        for row in rows:
            document = collection.documents.get(row[1])
            row += [collection.query(row[0]).text, document.text if document else ""]
    emit(columns, rows, form)


def _merge(judged: dict[str, Any], file: str, decisions: str | None) -> None:
    """Write one set of judgments, and note the missing pairs."""
    from toysearch.evaluation.judge_agreement import merge_qrels

    merged = merge_qrels(judged, toysearch.read_qrels(decisions) if decisions else None)
    toysearch.write_qrels(merged.qrels, file)
    remark(f"{counted(len(merged.qrels), 'judgment')} written to {file}")
    if merged.undecided:
        first = merged.undecided[0]
        remark(
            f"note: {counted(len(merged.undecided), 'pair')} left out because no grade has most votes, such as query "
            f"{first.query_id}, document {first.doc_id}; decide them in a sheet of their own (--decisions)"
        )


def _data(found: Any) -> dict[str, Any]:
    """All results for two judges, for JSON."""
    data: dict[str, Any] = {name: getattr(found, name) for name, _ in _TWO}
    data |= {name: getattr(found, name) for name in ("n", "only_first", "only_second", "grades")}
    data["table"] = found.table.tolist()
    data["disagreements"] = [pair._asdict() for pair in found.disagreements]
    return data


def _data_of_several(found: Any) -> dict[str, Any]:
    """All results for several judges, for JSON."""
    data = {name: getattr(found, name) for name in (*(name for name, _ in _MORE), "judges", "n", "n_all", "n_single")}
    data["by_query"] = [each._asdict() for each in found.by_query]
    data["disputed"] = [each._asdict() for each in found.disputed]
    return data
