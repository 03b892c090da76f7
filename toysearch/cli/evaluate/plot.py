"""`toysearch plot`: one chart of a comparison, or of what `tune` has tried, in a file."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.cli import (
    Command,
    SourceOptions,
    examples,
    force_option,
    judged_options,
    keeping,
    models_option,
    option,
    refuse_model_options,
    shared,
)
from toysearch.cli.evaluate.compare import ComparisonOptions, compared, comparison_options, study_asked
from toysearch.laboratory.results.chart_files import ENDINGS, PLOTS, checked_ending


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch plot pr companions --model bm25 -o pr.svg",
        "toysearch plot queries cat-dog-parrot --model bm25 --model tfidf -o q.html",
        "toysearch plot box --qrels qrels.txt mine.run theirs.run -m AP -o box.png",
        "toysearch plot surface tuned.jsonl -o surface.svg",
    ),
)
@click.argument("name", metavar="CHART", type=click.Choice([name for name in PLOTS if name != "lorenz"]))
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN... | RESULTS")
@models_option
@shared("output", required=True, callback=keeping("chart"), help="File to write: .svg, .png or .html.")
@force_option
@shared("query_id", help="For pr: draw this query alone.")
@option(
    "--system", metavar="NAME", help="For queries: system to compare with the baseline.  [default: the first other]"
)
@comparison_options
@judged_options
def command(
    name: str,
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    output: str,
    query_id: str | None,
    system: str | None,
    asked: ComparisonOptions,
    options: SourceOptions,
) -> None:
    """Draw one chart: SVG, PNG, or a separate page.

    pr is precision against recall, queries the difference between two systems query by query, box the spread of values
    over queries, unjudged the share of unjudged documents at each rank: each for a COLLECTION and models, or for RUN
    files and --qrels; one system is enough for all but queries. surface shows the settings tried by
    `toysearch tune … -o RESULTS`. The first measure is drawn; box draws all. `toysearch retrievability` draws Lorenz
    curves itself.
    """
    from toysearch.laboratory.results.chart_files import PLOTS

    checked_ending(output, ENDINGS)
    source: Any
    if name == "surface":
        refuse_model_options(models, asked.k, asked.threads, options)
        if len(targets) != 1:
            raise click.UsageError("a surface is drawn from one results file: toysearch plot surface RESULTS -o FILE")
        source, collection = targets[0], None
    else:
        study = study_asked(targets, models, asked, options, fewest=2 if name == "queries" else 1)
        source, collection = compared(study, asked), study.collection
    toysearch.plot(name, source, output, collection=collection, query_id=query_id, system=system)
    click.echo(f"{output}: {PLOTS[name]}")
