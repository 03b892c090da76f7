"""`toysearch clicks`: lists of two runs for users to click in, and what their clicks tell."""

from __future__ import annotations

import click

from toysearch import files
from toysearch.cli.commands import group_in
from toysearch.cli.options import option, runs_options, shared
from toysearch.cli.output import force_option, keeping, show
from toysearch.cli.signatures import command_of
from toysearch.workbench.clicks.click_models import ClickModel

interleave_command = command_of(
    "toysearch.workbench.clicks.interleaving.interleave_runs",
    "toysearch clicks interleave mine.run theirs.run",
    "toysearch clicks interleave mine.run theirs.run --sessions 100 -k 5 --format csv",
    "toysearch clicks interleave mine.run theirs.run --users qrels.txt --sessions 100 --format csv",
    reads=runs_options,
    first={"metavar": "RUN"},
    second={"metavar": "RUN"},
    qrels=option("--users", "qrels", metavar="QRELS", help="Simulate users who click by these judgments."),
)


def _show_model(result: ClickModel, form: str, output: str | None) -> None:
    if output:
        files.write_qrels(result.qrels(), output)
    if output != "-":
        show(result, form)


model_command = command_of(
    "toysearch.workbench.clicks.click_models.click_model",
    "toysearch clicks model clicks.csv",
    "toysearch clicks model clicks.csv --method cascade -o learned.txt",
    clicks={"metavar": "LOG"},
    columns={"metavar": "PART=NAME,…"},
    after=_show_model,
    model=option(
        "--method",
        "model",
        type=click.Choice(["pbm", "cascade"]),
        default="pbm",
        help="Model of users: position-based, or cascade.",
    ),
    output=shared(
        "output",
        stream=True,
        callback=keeping("judgments"),
        help="Write the relevance as judgments, whose grades are chances; - is standard output, without the table.",
    ),
    force=force_option,
)


@group_in(
    __name__,
    {
        "interleave": "Mix two runs into lists for users to click in.",
        "model": "Estimate from clicks how relevant documents are.",
    },
    "toysearch clicks interleave mine.run theirs.run",
    "toysearch clicks model clicks.csv",
)
def clicks_command() -> None:
    """Interleave runs for users, and learn from their clicks."""
