"""`toysearch agree`: the agreement of several judges, and the pairs on which they differ."""

from __future__ import annotations

import math
from typing import Any

import click

import toysearch
from toysearch.base import Column, counted, note
from toysearch.cli import Command, emit, examples, judges_named, judges_option, option, output_options, remark, shared

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
        "toysearch agree ada=monday.csv ada=friday.csv ben.csv",
        "toysearch agree class.jsonl --judges ada,ben --per-query",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE...")
@judges_option
@option("--threshold", type=float, help="Compare relevant with not relevant only, from this grade.")
@shared("per_query", help="Show the agreement on each query.")
@option("--differences", is_flag=True, help="List the pairs with different grades.")
@shared("texts", help="Collection whose texts are shown beside the differences.")
@output_options
def command(
    files: tuple[str, ...],
    judges: str | None,
    threshold: float | None,
    per_query: bool,
    differences: bool,
    texts: str | None,
    form: str,
) -> None:
    """Measure how far judges agree: Cohen's kappa, Krippendorff's alpha.

    Each FILE holds the judgments of a judge, who is named after it or by NAME=, or of several: a sheet with a column
    judge, a judgment log, a book with one column per judge; a collection has judgments too. The agreement is computed
    on the pairs of query and document that at least two judges have. Kappa and alpha are 1 if all grades are equal, and
    0 if no more are equal than by chance; with weights, a small difference in grades costs less than a large one. For
    two judges, Cohen's kappa is shown; for three or more, Fleiss' kappa on the pairs that all have, and Krippendorff's
    alpha.
    """
    from toysearch.evaluation.judge_agreement import alpha

    if per_query and differences:
        raise click.UsageError("give one of --per-query and --differences")
    if texts and not differences:
        raise click.UsageError("--texts goes with --differences")
    judged = judges_named(files, judges)
    if len(judged) < 2:
        raise click.UsageError(f"agreement needs two judges, and there is one: {next(iter(judged))}; give more files")
    several = alpha(judged, threshold=threshold) if len(judged) > 2 or per_query or differences else None
    if several and per_query:
        emit(*several.tables()[0][:2], form)
    elif several and differences:
        _print_differences(several, judged.reasons, texts, form)
    elif several:
        values = [(text, getattr(several, name)) for name, text in _MORE]
        _print_values(_MORE, values, form, several.data())
    if several and len(judged) > 2:
        remark(
            f"{counted(several.n, 'pair')} judged by two or more · {several.n_all:,} by all {len(judged)} · "
            f"{several.n_single:,} by only one"
        )
        if not per_query and not differences and math.isnan(several.fleiss):
            note("Fleiss' kappa needs pairs that all have judged, and there are none")
    else:
        _two(judged, threshold, form, quiet=several is not None)


def _two(judged: Any, threshold: float | None, form: str, quiet: bool) -> None:
    """Cohen's kappa, and below it the table of grades."""
    agreement = toysearch.kappa(*judged.values(), threshold=threshold)
    if not quiet:
        weighted = len(agreement.grades) > 2 or form != "table"
        values = [(text, getattr(agreement, name)) for name, text in _TWO if weighted or "weights" not in text]
        _print_values(_TWO, values, form, agreement.data())
        if form == "table":
            click.echo("\npairs, by the grade of the first judge (row) and the second (column)")
            emit(*agreement.tables()[0][:2], "table")
    alone = zip((agreement.only_first, agreement.only_second), judged, strict=True)
    notes = [f"{number:,} only in {name}" for number, name in alone]
    remark(" · ".join([f"{counted(agreement.n, 'pair')} judged in both", *notes]))


def _print_values(names: tuple[tuple[str, str], ...], values: list[tuple[str, float]], form: str, data: Any) -> None:
    """One figure below the other for people, in columns for programs."""
    if form == "table":
        rows = [(text, "–" if math.isnan(value) else value) for text, value in values]
        emit([Column("text", " "), Column("value", " ", "right", ".4f")], rows, "table")
    else:
        columns = [Column(name, text, "right", ".4f") for name, text in names]
        emit(columns, [[value for _, value in values]], form, data=data)


def _print_differences(found: Any, reasons: dict[tuple[str, str, str], str], texts: str | None, form: str) -> None:
    """The pairs with different grades, and the reasons of the judges if any gave one."""
    columns = [Column("query_id", "query"), Column("doc_id", "document")]
    columns += [Column(judge, judge, "right", "g") for judge in found.judges]
    rows = [[pair.query_id, pair.doc_id, *map(pair.grades.get, found.judges)] for pair in found.disputed]
    given_reasons = [
        [(judge, reasons.get((judge, pair.query_id, pair.doc_id), "")) for judge in found.judges]
        for pair in found.disputed
    ]
    if any(reason for of_pair in given_reasons for _, reason in of_pair):
        columns.append(Column("reasons", wrap=True))
        for row, of_pair in zip(rows, given_reasons, strict=True):
            row.append(" · ".join(f"{judge}: {reason}" for judge, reason in of_pair if reason))
    if texts:
        collection = toysearch.load(texts)
        columns += [Column("query_text", wrap=True), Column("text", wrap=True)]
        for row in rows:
            document = collection.documents.get(row[1])
            row += [collection.query(row[0]).text, document.text if document else ""]
    emit(columns, rows, form)
