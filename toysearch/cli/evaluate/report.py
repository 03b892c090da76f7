"""`toysearch report`: everything about one or several systems on one page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.base.wording import byte_size
from toysearch.cli import (
    POSITIVE,
    Command,
    SourceOptions,
    command_line,
    emit,
    examples,
    force_option,
    judged_options,
    keeping,
    models_option,
    named_measures,
    option,
    progress,
    remark,
    shared,
)
from toysearch.cli.evaluate.compare import ComparisonOptions, compared, comparison_options, study_asked
from toysearch.laboratory.results.chart_files import checked_ending

if TYPE_CHECKING:
    from toysearch.laboratory.study import Study


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
@shared("output", callback=keeping("page"), help="Page to write; its name ends in .html.")
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
    study = study_asked(targets, models, asked, options, fewest=1)
    comparison = compared(study, asked)
    card, left_out = _card(study, asked, robustness)
    report = toysearch.report(
        comparison,
        collection=study.collection,
        index=study.index if study.models else None,
        k=study.k if study.models else None,
        robustness=card,
        poorest=poorest,
        depth=depth,
        command=command_line(),
        left_out=left_out,
    )
    if output is not None:
        report.save(output)
    if as_json:
        emit([], [], "json", data=report.data())
    elif output is not None:
        click.echo(f"{output}: {report.title} ({byte_size(Path(output).stat().st_size)})")
    for sentence in report.left_out:
        remark(f"left out: {sentence}")


def _card(study: Study, asked: ComparisonOptions, wanted: bool) -> tuple[Any, list[str]]:
    """The robustness card; or none, and a sentence that says why."""
    if not wanted:
        return None, ["The robustness card: --no-robustness."]
    if not study.models:
        return None, []
    if missing := study.not_stored:
        return None, [f"The robustness card: the index keeps no {missing} to alter; name the collection instead."]
    with progress("measuring", "altered inputs") as tell:
        card = toysearch.robustness(
            study.of_stored_documents().judged,
            study.models,
            named_measures(asked.measures)[:1],
            analyzer=study.analyzer,
            k=study.k or 1000,
            seed=asked.seed,
            threshold=study.stated_threshold,
            progress=tell,
        )
    return card, []
