"""`toysearch report`: a page about systems, or one chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.base import byte_size
from toysearch.cli.commands import command, command_line, refuse_given
from toysearch.cli.compare import compared, comparison_options, study_to_compare
from toysearch.cli.options import (
    SourceOptions,
    option,
    run_columns_option,
    shared,
    systems_option,
    systems_options,
)
from toysearch.cli.output import force_option, keeping, remark, show
from toysearch.workbench.report.chart_files import ENDINGS, checked_ending
from toysearch.workbench.report.charts import PLOTS


def _kept(context: click.Context, parameter: click.Parameter, path: Any) -> Any:
    """Refuse, before the work, a file that holds something else than a page or a chart."""
    return keeping("chart" if context.params.get("chart") else "page")(context, parameter, path)


@command(
    "toysearch report companions --model bm25 --model bm25:b=0.4 -o report.html",
    "toysearch report cat-dog-parrot --model bm25 -o pets.html",
    "toysearch report --qrels qrels.txt mine.run theirs.run -o report.html",
    "toysearch report cat-dog-parrot --model bm25 --model jaccard --json",
    "toysearch report companions --model bm25 --chart pr -o pr.svg",
    "toysearch report --qrels qrels.txt mine.run theirs.run -m AP --chart depth -o depth.png",
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN...")
@systems_option
@shared("output", callback=_kept, help="File to write: .html; a chart also as .svg, .png or .pdf.")
@force_option
@option("--json", "as_json", is_flag=True, help="Print the data of the page.")
@option(
    "--chart",
    type=click.Choice([*PLOTS]),
    is_eager=True,
    heading="Output",
    help="Draw this chart instead of the page.",
)
@comparison_options
@systems_options
@run_columns_option
def report_command(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    options: SourceOptions,
    output: str | None,
    as_json: bool,
    chart: str | None,
    **rules: Any,
) -> None:
    """Write a page about systems, or draw one chart.

    With a COLLECTION: ranks its judged queries with each MODEL; one model gives a page about one system. With RUN files
    and --qrels: takes the runs; parts that need an index are left out, and the page says so. The page is one
    self-contained file. It holds no date, so that the same input gives the same bytes.
    Pages and charts need an extra: pip install 'toysearch[charts]'

    --chart draws one chart instead: pr is precision against recall, queries the difference between two systems query by
    query by the first measure, depth the share of relevant and unjudged documents at each rank.
    """
    if output is None and (chart or not as_json):
        file = f"chart, such as -o {chart}.svg" if chart else "page, such as -o report.html, or give --json"
        raise click.UsageError(f"name the file of the {file}")
    if chart is not None and output is not None:
        refuse_given(("as_json",), "{} is for the page: leave out --chart")
        checked_ending(output, ENDINGS)
        study = study_to_compare(targets, models, options, rules, fewest=2 if chart == "queries" else 1)
        toysearch.plot(chart, compared(study, rules), output, collection=study.collection())
        click.echo(f"{output}: {PLOTS[chart]}")
        return
    if output is not None:
        checked_ending(output, [".html"])
    study = study_to_compare(targets, models, options, rules, fewest=1)
    comparison = compared(study, rules)
    of_models: dict[str, Any] = {"index": study.indexes(), "k": study.scoring.k} if study.models else {}
    report = toysearch.report(
        comparison,
        collection=study.collection(),
        **of_models,
        command=command_line(),
    )
    if output is not None:
        report.save(output)
    if as_json:
        show(report, "json")
    elif output is not None:
        click.echo(f"{output}: {report.title} ({byte_size(Path(output).stat().st_size)})")
    for sentence in report.left_out:
        remark(f"left out: {sentence}")
