"""`toysearch merge`: the grades of several judges in one file, merged or kept apart."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.base import counted, note
from toysearch.cli import Command, examples, force_option, judges_named, judges_option, keeping, option, remark, shared

_RULES = ("majority", "optimistic", "pessimistic", "mean")
_FORMS = {
    "qrels": "one grade per pair: .csv, .tsv, .json, else TREC",
    "ratings": "the same for a Quepid case",
    "sheet": "CSV with a row per grade",
    "book": "a Quepid book in CSV",
    "import": "a book that Quepid imports",
    "log": "a judgment log",
}


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch merge ada.csv ben.csv carla.csv -o judged.txt",
        "toysearch merge ada=monday.csv ada=friday.csv --to sheet -o week.csv",
        "toysearch merge class.jsonl --rule pessimistic --decisions decided.csv -o final.csv",
        "toysearch merge class.jsonl --to book --texts companions -o book.csv",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE...")
@judges_option
@option(
    "--rule",
    type=click.Choice(_RULES),
    default=_RULES[0],
    help="Grade of a pair: that of most judges, the highest, the lowest, or the mean.",
)
@option("--decisions", metavar="FILE", help="Grades that take precedence: judgments, or the log of the page.")
@option(
    "--to",
    "form",
    type=click.Choice(_FORMS),
    default="qrels",
    metavar="|".join(_FORMS),
    help="; ".join(f"{name}: {text}" for name, text in _FORMS.items()) + ".",
)
@shared("texts", help="Collection whose query texts name the queries in Quepid.")
@shared("output", default="-", stream=True, callback=keeping("judgments"), help="File to write; - is standard output.")
@force_option
def command(
    files: tuple[str, ...],
    judges: str | None,
    rule: str,
    decisions: str | None,
    form: str,
    texts: str | None,
    output: str,
) -> None:
    """Merge the grades of several judges into one file of judgments.

    Each FILE is a sheet, which may be half filled in, a judgment log, a Quepid book, or any other judgments. Its judge
    is named after it or by NAME=; two files with one NAME are parts of the work of one judge, and two different grades
    that they gave one pair are refused with both places. By the rule majority, a pair whose grades are tied is left out
    until --decisions has a grade for it. The forms sheet, book, import and log keep the judges apart.
    """
    from toysearch.formats.judge_sheets import write_judges, write_ratings

    apart = form not in ("qrels", "ratings")
    if apart and (decisions or rule != _RULES[0]):
        raise click.UsageError(f"--rule and --decisions make one grade of several; --to {form} keeps the judges apart")
    if [*(file.rpartition("=")[2] for file in files), decisions].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once; give the others as files")
    query_texts = {query.query_id: query.text for query in toysearch.load(texts).queries} if texts else {}
    judged_files = judges_named(files, judges, query_texts)
    if apart:
        write_judges(judged_files, output, form, query_texts)
        _tell(sum(map(len, judged_files.values())), "grade", judged_files, output)
        return
    from toysearch.evaluation.judge_agreement import merge_qrels
    from toysearch.formats.judge_sheets import read_decisions

    merged = merge_qrels(judged_files, read_decisions(decisions) if decisions else None, rule=rule)
    if form == "ratings":
        write_ratings(merged.qrels, output, query_texts)
    else:
        toysearch.write_qrels(merged.qrels, output)
    _tell(len(merged.qrels), "judgment", judged_files, output)
    if merged.undecided:
        first = merged.undecided[0]
        note(
            f"{counted(len(merged.undecided), 'pair')} left out because no grade has most votes, such as query "
            f"{first.query_id}, document {first.doc_id}; decide them in a sheet of their own (--decisions)"
        )


def _tell(number: int, noun: str, judges: Any, output: str) -> None:
    of_judges = f"{counted(number, noun)} of {counted(len(judges), 'judge')}"
    remark(of_judges + (f" written to {output}" if output != "-" else ""))
