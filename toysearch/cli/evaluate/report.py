"""`toysearch report`: everything about one or several systems on one page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.base.wording import byte_size, listed
from toysearch.cli.commands import Command, command_line, examples, is_given
from toysearch.cli.evaluate.compare import ComparisonOptions, compared, comparison_options, study_asked
from toysearch.cli.options import POSITIVE, SourceOptions, judged_options, models_option, option
from toysearch.cli.output import emit, force_option, keeping, progress, remark, show
from toysearch.cli.sources import judged_source, named_measures, refuse_run, stored_documents
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
        "toysearch report companions --properties --model bm25 -o properties.html",
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
@option(
    "--properties",
    is_flag=True,
    help="Write another page: five properties of each model, by the first measure, and cures with their costs.",
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
    properties: bool,
    poorest: int,
    depth: int,
    asked: ComparisonOptions,
    options: SourceOptions,
) -> None:
    """Write a page about systems: figures, charts, cases.

    With a COLLECTION: ranks its judged queries with each MODEL; one model gives a page about one system. With RUN files
    and --qrels: takes the runs; parts that need an index are left out, and the page says so. The page is one
    self-contained file. It holds no date, so that the same input gives the same bytes.

    With --properties the page shows, for each MODEL, five properties by one number each (other words, rare terms, a
    changing collection, length, misspellings), then cures switched on one by one: the gain of each, its cost on the
    other numbers, in time and in index size. Without -o, the numbers are printed. Times differ from run to run.
    """
    if properties:
        _properties(targets, models, output, as_json, asked, options)
        return
    if output is None and not as_json:
        raise click.UsageError("name the file of the page, such as -o report.html, or give --json")
    if output is not None:
        checked_ending(output, {".html": None})
    study = study_asked(targets, models, asked, options, fewest=1)
    comparison = compared(study, asked)
    card, left_out = _card(study, asked, robustness)
    found = toysearch.report(
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
        found.save(output)
    if as_json:
        emit([], [], "json", data=found.as_dict())
    elif output is not None:
        click.echo(f"{output}: {found.title} ({byte_size(Path(output).stat().st_size)})")
    for sentence in found.left_out:
        remark(f"left out: {sentence}")


_UNUSED = (
    *("robustness", "poorest", "depth", "baseline", "all_pairs", "test", "correction", "family", "alpha", "threads"),
    *("ties", "only_retrieved", "undefined"),
)
"""The options that --properties does not take."""


def _properties(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    output: str | None,
    as_json: bool,
    asked: ComparisonOptions,
    options: SourceOptions,
) -> None:
    """Write the page of properties and cures, or print its numbers."""
    from toysearch.laboratory.experiments.robustness.property_card import property_card
    from toysearch.laboratory.results.chart_files import write_whole
    from toysearch.laboratory.results.property_page import property_page
    from toysearch.laboratory.results.system_report import collection_provenance

    if unused := [name for name in _UNUSED if is_given(name)]:
        raise click.UsageError(f"--properties has no use for --{unused[0].replace('_', '-')}; leave it out")
    if len(targets) != 1 or not models:
        raise click.UsageError("--properties needs one COLLECTION and at least one --model, such as --model bm25")
    if output is not None:
        checked_ending(output, {".html": None})
    refuse_run(targets[0], "--properties needs a collection, whose queries and documents it can alter")
    judged = judged_source(targets[0], options)
    collection, analyzer = judged.collection, judged.analyzer
    if judged.opened is not None:
        _refuse_unalterable(targets[0], judged.opened, models)
        collection, analyzer = stored_documents(judged.opened, collection), judged.opened.analyzer
    with progress("measuring", "systems") as tell:
        found = property_card(
            collection,
            models,
            named_measures(asked.measures)[0],
            analyzer=analyzer,
            k=asked.k or 1000,
            seed=asked.seed,
            threshold=asked.threshold,
            progress=tell,
        )
    if output is not None:
        repeat = collection_provenance(collection, found.systems, command_line())
        write_whole(output, {".html": lambda: property_page(found, repeat)})
    if as_json or output is None:
        show(found, "json" if as_json else "table")
    else:
        used = byte_size(Path(output).stat().st_size)
        click.echo(f"{output}: properties of {listed(found.systems)} on {found.collection} ({used})")


def _refuse_unalterable(source: str, index: Any, models: tuple[Any, ...]) -> None:
    """Refuse an index whose documents cannot be altered."""
    from toysearch.models.model import index_needs

    missing = "texts" if index.texts is None else "fields" if index_needs(*models).apart else ""
    if missing:
        raise ArgumentError(f"'{source}' is an index that keeps no {missing} to alter; name its collection instead")


def _card(study: Study, asked: ComparisonOptions, wanted: bool) -> tuple[Any, list[str]]:
    """The robustness card; or none, and a sentence that says why."""
    from toysearch.models.model import index_needs

    if not wanted:
        return None, ["The robustness card: --no-robustness."]
    if not study.models:
        return None, []
    if study.opened is not None:
        missing = "texts" if study.index.texts is None else "fields" if index_needs(*study.models).apart else ""
        if missing:
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
