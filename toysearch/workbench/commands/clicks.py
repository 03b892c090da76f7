"""`toysearch clicks`: lists of two runs for users to click in, and what their clicks tell."""

from __future__ import annotations

from typing import Any

import click

from toysearch import files
from toysearch.cli.commands import command, group_in
from toysearch.cli.options import description, documented, option, output_options, runs_options, shared
from toysearch.cli.output import force_option, keeping, show
from toysearch.workbench.clicks.click_model import click_model
from toysearch.workbench.clicks.interleaving import interleave_runs
from toysearch.workbench.commands.derived_commands import command_of

interleave_command = command_of(
    interleave_runs,
    "toysearch clicks interleave mine.run theirs.run",
    "toysearch clicks interleave mine.run theirs.run --sessions 100 -k 5 --format csv",
    "toysearch clicks interleave mine.run theirs.run --users qrels.txt --sessions 100 --format csv",
    reads=runs_options,
    first={"metavar": "RUN"},
    second={"metavar": "RUN"},
    qrels=option("--users", "qrels", metavar="QRELS", help="Simulate users who click by these judgments."),
)


_modelled = documented(click_model)


@command(
    "toysearch clicks model clicks.csv",
    "toysearch clicks model clicks.csv -o learned.txt",
    text=description(click_model),
)
@click.argument("clicks", metavar="LOG")
@_modelled("rounds")
@_modelled("columns", metavar="PART=NAME,…")
@shared(
    "output",
    stream=True,
    callback=keeping("judgments"),
    help="Write the relevance as judgments, whose grades are chances; - is standard output, without the table.",
)
@force_option
@output_options
def model_command(clicks: str, form: str, output: str | None, **chosen: Any) -> None:
    """Estimate the relevance, write it as judgments, and show the model."""
    result = click_model(clicks, **chosen)
    if output:
        files.write_qrels(result.qrels(), output)
    if output != "-":
        show(result, form)


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
