"""`toysearch interleave`, `preference`, `clicks` and `counterfactual`: lists for users, and what their clicks say."""

from __future__ import annotations

import click

from toysearch import formats, laboratory
from toysearch.cli import command_of, force_option, keeping, option, shared, show, together

interleave_command = command_of(
    "toysearch.evaluation.interleaving.interleave_runs",
    "toysearch interleave mine.run theirs.run",
    "toysearch interleave mine.run theirs.run --sessions 100 -k 5 --format csv",
    "toysearch interleave mine.run theirs.run --method optimised --json",
    "toysearch interleave mine.run theirs.run --users qrels.txt --sessions 100 --format csv",
    argument=together(
        click.argument("first", metavar="RUN"),
        click.argument("second", metavar="RUN"),
    ),
    reads=together(),
    first=None,
    second=None,
    qrels=option("--users", "qrels", metavar="QRELS", help="Simulate users who click by these judgments."),
)

preference_command = command_of(
    "toysearch.laboratory.experiments.click_preference.preference",
    "toysearch preference clicks.csv",
    "toysearch preference clicks.csv --alpha 0.01 --json",
    argument=click.argument("clicks", metavar="LOG"),
    reads=together(),
    clicks=None,
)


def _show_model(result: laboratory.ClickModel, form: str, output: str | None) -> None:
    """Print the ranks; write the relevance as judgments if a file is named."""
    if output:
        formats.write_qrels(result.qrels(), output)
    if output != "-":
        show(result, form)


clicks_command = command_of(
    "toysearch.laboratory.experiments.click_models.click_model",
    "toysearch clicks clicks.csv",
    "toysearch clicks clicks.csv --click-model dbn -o learned.txt",
    argument=click.argument("clicks", metavar="LOG"),
    reads=together(),
    clicks=None,
    after=_show_model,
    model=option(
        "--click-model",
        "model",
        type=click.Choice(["pbm", "cascade", "sdbn", "dbn"]),
        default="pbm",
        help="What is supposed of users: position-based, cascade, or a dynamic Bayesian network, simplified or full.",
    ),
    output=shared(
        "output",
        stream=True,
        callback=keeping("judgments"),
        help="Write the relevance as judgments, whose grades are chances; - is standard output, without the table.",
    ),
    force=force_option,
)

counterfactual_command = command_of(
    "toysearch.laboratory.experiments.counterfactual.counterfactual",
    "toysearch counterfactual clicks.csv mine.run --propensities pbm",
    "toysearch counterfactual clicks.csv mine.run theirs.run --propensities power:1 --json",
    argument=together(
        click.argument("clicks", metavar="LOG"), click.argument("runs", nargs=-1, required=True, metavar="RUN...")
    ),
    reads=together(),
    clicks=None,
    runs=None,
)
