"""`toysearch votes`: the votes of an audience on two systems, counted, and its thumbs as judgments."""

from __future__ import annotations

import math

import click

from toysearch.base import counted, note
from toysearch.cli import Command, emit, examples, force_option, keeping, option, output_options, remark, shared

_FORMS = {
    "votes": "CSV with a row per vote",
    "counts": "CSV with the thumbs up and down of each document",
    "qrels": "1 or 0 by most thumbs: .csv, .tsv, .json, else TREC",
}


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch votes votes.jsonl",
        "toysearch votes votes.jsonl --json",
        "toysearch votes votes.jsonl -o thumbs.csv",
        "toysearch votes votes.jsonl --to qrels -o judged.txt",
    ),
)
@click.argument("file")
@shared("alpha", help="Level of the test.")
@option(
    "--to",
    "as_form",
    type=click.Choice(_FORMS),
    default="votes",
    metavar="|".join(_FORMS),
    help="What -o writes: " + "; ".join(f"{name}: {text}" for name, text in _FORMS.items()) + ".",
)
@shared(
    "output",
    stream=True,
    callback=keeping("judgments"),
    help="Write the thumbs as judgments; - is standard output, without the table.",
)
@force_option
@output_options
def command(file: str, alpha: float, as_form: str, output: str | None, form: str) -> None:
    """Count the votes of an audience on two systems.

    FILE is a vote log. A vote on two lists side by side counts for the system behind the chosen side. The thumbs that
    a voter gives in an interleaved list count together as one vote. The share is that of the first system among the
    votes that are not ties, with its interval (Clopper and Pearson) and the p of the sign test. In the row of
    queries, each query goes to the system that most of its voters prefer. With -o, the thumbs are written as judgments
    for `toysearch eval`; in the forms votes and counts the grade is the share of thumbs up.
    """
    from toysearch.formats.vote_log import VoteLog, write_thumbs
    from toysearch.laboratory.experiments.vote_counts import count_votes, votes_table

    if as_form != "votes" and not output:
        raise click.UsageError(f"--to {as_form} needs -o FILE")
    log = VoteLog(file, append=False)
    if output:
        number = write_thumbs(log, output, as_form)
        where = "" if output == "-" else f" written to {output}"
        remark(f"{counted(number, 'thumb' if as_form == 'votes' else 'document')}{where}")
    preferences = log.preferences()
    if output != "-" and (preferences or not output):
        counts = count_votes(preferences, alpha=alpha)
        emit(*votes_table(counts)[:2], form)
        queries = len({row.query_id for row in preferences})
        remark(
            f"{counted(len(preferences), 'vote')} of {counted(len(log.voters), 'voter')} on "
            f"{counted(queries, 'query', 'queries')}"
        )
        if any(math.isnan(row.share) for row in counts):
            note("where all votes are ties, there is no share")
