"""`toysearch conventions`: every measure under every convention, and the reasons for differences."""

from __future__ import annotations

from typing import Any

import click

from toysearch.cli import (
    Command,
    SourceOptions,
    emit,
    examples,
    judged_options,
    measures_option,
    models_option,
    named_measures,
    option,
    optional_depth_option,
    output_options,
    paragraph,
    ranked,
    shared,
    study_to_evaluate,
    threads_option,
    threshold_option,
    together,
)
from toysearch.laboratory.results.tables import Column

NAMES = ("trec_eval", "textbook", "sklearn")

counting_options = together(shared("only_retrieved"), shared("undefined"))
"""The queries that count."""


@click.command(
    cls=Command,
    epilog=examples(
        'toysearch conventions cat-dog-parrot -m "AP nDCG@2 RR"',
        "toysearch conventions mine.run qrels.txt",
        "toysearch conventions mine.run qrels.txt -m nDCG --dcg exp-log2",
    ),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... QRELS")
@models_option
@optional_depth_option
@threads_option
@measures_option
@threshold_option
@shared("ties", type=click.Choice(["rank", "trec_eval"]))
@counting_options
@option("--dcg", type=click.Choice(["log2", "exp-log2"]), heading="Evaluation", help="Gain: grade, or 2^grade - 1.")
@option(
    "--discount",
    type=click.Choice(["burges", "jk"]),
    heading="Evaluation",
    help="Discount of nDCG and DCG: log2(rank + 1), or 1 and log2(rank).",
)
@option(
    "--ideal",
    type=click.Choice(["judged", "ranking", "max"]),
    heading="Evaluation",
    help="Source of the ideal ranking of nDCG.",
)
@judged_options
@output_options
def command(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    measures: str,
    dcg: str | None,
    discount: str | None,
    ideal: str | None,
    options: SourceOptions,
    form: str,
    **settings: Any,
) -> None:
    """Show measures under each convention, and why they differ.

    The conventions are those of trec_eval, of textbooks and of scikit-learn: ties, undefined values, gains
    (`toysearch docs conventions`). An option applies to each of them.
    """
    from toysearch.evaluation.convention_comparison import side_by_side

    measures_to_show = named_measures(measures)  # a misspelt measure is reported before anything is ranked
    chosen = {name: value for name, value in (("dcg", dcg), ("discount", discount), ("ideal", ideal)) if value}
    rules = {name: settings.pop(name) for name in ("only_retrieved", "undefined")}
    rules |= {"ties": settings["ties"], "parameters": chosen}
    study = study_to_evaluate(targets, options, models=models, **settings)
    rows: list[list[Any]] = []
    data: list[dict[str, Any]] = []
    for run in ranked(study):
        how: dict[str, Any] = {"threshold": study.stated_threshold, "measures": study.sized(measures_to_show), **rules}
        table = side_by_side(run, study.qrels, **how)
        [(columns, values, *_)] = table.tables(form)
        rows += [[run.name, *row] for row in values]
        effects = [effect._asdict() for effect in table.effects]
        data.append({"system": run.name, "measures": table.values, "effects": effects})
    emit([Column("system"), *columns], rows, form, data={"systems": data})
    for system in data if form == "table" else ():
        effective = [effect for effect in system["effects"] if effect["changes"]]
        click.echo(f"\n{system['system']}: " + ("why they differ, each reason alone" if effective else "no difference"))
        for effect in effective:
            changes = ", ".join(f"{name} {old:.4f} → {new:.4f}" for name, (old, new) in effect["changes"].items())
            click.echo(paragraph(f"{effect['convention']}: {effect['reason']} ({changes})", "    ", "  "))
