"""`toysearch report`: everything about one or several systems on one page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.cli.commands import Command, command_line, examples
from toysearch.cli.evaluate.compare import ComparisonOptions, compared, comparison_options, systems_asked
from toysearch.cli.options import POSITIVE, SourceOptions, judged_options, models_option, option
from toysearch.cli.output import emit, force_option, keeping, progress, remark, size
from toysearch.cli.sources import is_index, named_measures, stored_documents
from toysearch.cli.systems import Systems
from toysearch.laboratory.reports.chart_files import checked_ending


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch report companions --model bm25 --model bm25:b=0.4 -o report.html",
        "toysearch report cat-dog-parrot --model bm25 -o pets.html",
        "toysearch report --qrels qrels.txt mine.run theirs.run -o report.html",
        "toysearch report cat-dog-parrot --model bm25 --model jaccard --json",
    ),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN...")
@models_option
@option("-o", "--output", metavar="FILE", callback=keeping("page"), help="Page to write; its name ends in .html.")
@force_option
@option("--json", "as_json", is_flag=True, help="Print the data of the page.")
@option(
    "--robustness/--no-robustness",
    default=True,
    help="Include the robustness card, by the first measure.  [default: with]",
)
@option("--poorest", default=5, type=POSITIVE, help="Number of worst queries to show.")
@option("--depth", default=5, type=POSITIVE, help="Number of documents to show for each.")
@comparison_options
@judged_options
def command(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    output: str | None,
    as_json: bool,
    robustness: bool,
    poorest: int,
    depth: int,
    asked: ComparisonOptions,
    options: SourceOptions,
) -> None:
    """Write a page about systems: figures, charts, cases.

    With a COLLECTION: ranks its judged queries with each MODEL; one model gives a page about one system. With RUN files
    and --qrels: takes the runs; parts that need an index are left out, and the page says so. The page is one
    self-contained file. It holds no date, so that the same input gives the same bytes.
    """
    if output is None and not as_json:
        raise click.UsageError("name the file of the page, such as -o report.html, or give --json")
    if output is not None:
        checked_ending(output, {".html": None})
    systems = systems_asked(targets, models, asked, options, fewest=1)
    comparison = compared(systems, asked)
    card, left_out = _card(targets, models, systems, asked, robustness)
    found = toysearch.report(
        comparison,
        collection=systems.collection,
        index=systems.index,
        k=systems.k,
        robustness=card,
        poorest=poorest,
        depth=depth,
        command=command_line(),
        left_out=left_out,
    )
    if output is not None:
        found.save(output)
    if as_json:
        emit([], [], "json", data=found.as_dict())
    elif output is not None:
        click.echo(f"{output}: {found.title} ({size(Path(output).stat().st_size)})")
    for sentence in found.left_out:
        remark(f"left out: {sentence}")


def _card(
    targets: tuple[str, ...], models: tuple[Any, ...], systems: Systems, asked: ComparisonOptions, wanted: bool
) -> tuple[Any, list[str]]:
    """The robustness card; or none, and a sentence that says why."""
    from toysearch.models.model import index_needs

    if not wanted:
        return None, ["The robustness card: --no-robustness."]
    if systems.index is None:
        return None, []
    collection = systems.collection
    if is_index(targets[0]):
        missing = "texts" if systems.index.texts is None else "fields" if index_needs(*models).apart else ""
        if missing:
            return None, [f"The robustness card: the index keeps no {missing} to alter; name the collection instead."]
        collection = stored_documents(systems.index, collection)
    with progress("measuring", "altered inputs") as tell:
        card = toysearch.robustness(
            collection,
            models,
            named_measures(asked.measures)[:1],
            analyzer=systems.index.analyzer,
            k=systems.k or 1000,
            seed=asked.seed,
            threshold=systems.threshold,
            progress=tell,
        )
    return card, []
