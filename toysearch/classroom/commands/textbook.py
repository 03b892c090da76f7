"""`toysearch textbook`: algorithms of textbooks with all their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from toysearch import Searcher
from toysearch.base import DataError
from toysearch.classroom.commands.lessons import examples_command, means_command
from toysearch.classroom.textbook_pages import (
    blocks_merged,
    champion_lists,
    hubs_and_authorities,
    page_rank,
    relevance_weights,
    wand,
)
from toysearch.cli.commands import SuggestingGroup, examples
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    judged_options,
    model_option,
    option,
    output_options,
    source_options,
)
from toysearch.cli.output import show
from toysearch.cli.sources import study_of
from toysearch.formats import numbered_lines
from toysearch.models.calls import WEIGHT, chosen

_k_option = option("-k", type=POSITIVE, default=10, help="Number of documents wanted.")


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        'toysearch textbook wand cat-dog-parrot "train dog" -k 1',
        "toysearch textbook champions companions --sizes 5,20",
        "toysearch textbook build cat-dog-parrot --block 6",
    ),
)
def textbook_command() -> None:
    """Work out textbook algorithms with all their numbers.

    Postings, codes and skips are shown by `show --textbook`, merges of Boolean queries by `query --textbook`.
    """


def _links(path: str) -> dict[str, list[str]]:
    """Read the links of a file, one per line: two pages between blanks, from and to."""
    links: dict[str, list[str]] = {}
    for number, line in numbered_lines(path):
        pages = line.split()
        if len(pages) not in (0, 2):
            raise DataError(f"{path}:{number}: expected two pages, from and to, found '{line.strip()[:80]}'")
        if pages:
            links.setdefault(pages[0], []).append(pages[1])
    if not links:
        raise DataError(f"{path}: expected a link per line, two pages, found no line")
    return links


@textbook_command.command(
    "links",
    epilog=examples(
        r"printf 'a b\nb a\nb c\nc a\n' > links.txt; toysearch textbook links links.txt",
        r"printf 'a c\na d\nb c\n' > links.txt; toysearch textbook links links.txt --method hits -k 2",
    ),
)
@click.argument("file")
@option(
    "--method",
    default="pagerank",
    metavar="NAME",
    help="pagerank, with the probability of a jump to any page as pagerank:teleport=0.15; or hits.",
)
@option("-k", "steps", type=POSITIVE, default=5, help="Number of steps that are shown.")
@output_options
def links_command(file: str, method: str, steps: int, form: str) -> None:
    """Show PageRank, or hubs and authorities, step by step.

    Each line of FILE has a link: two names of pages, from and to. For hubs and authorities (hits), two lines for one
    link count twice.
    """
    of_method: dict[str, Callable[..., Any]] = {"pagerank": page_rank, "hits": hubs_and_authorities}
    name, settings = chosen("method", method, {"pagerank": {"teleport": WEIGHT}, "hits": {}})
    show(of_method[name](_links(file), steps=steps, **settings), form)


@textbook_command.command("build", epilog=examples("toysearch textbook build cat-dog-parrot --block 6"))
@click.argument("source")
@option(
    "--block", "capacity", type=POSITIVE, required=True, metavar="N", help="Number of tokens that fit into a block."
)
@option("--method", type=click.Choice(["spimi", "bsbi"]), default="spimi", help="How a block is built.")
@source_options
@output_options
def build_command(source: str, form: str, options: SourceOptions, **settings: Any) -> None:
    """Build an index in blocks and merge them, by SPIMI or BSBI."""
    study = study_of(source, options, topics=False)
    if study.inputs.collection is None:
        raise click.UsageError(f"{source} is an index already; name a collection, or a file of documents")
    texts = [document.text for document in study.inputs.collection.documents]
    show(blocks_merged(texts, analyzer=study.engine.analyzer, **settings), form)


def _sizes(ctx: click.Context, parameter: click.Parameter, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"expected whole numbers such as 5,10,20, not '{text}'") from None


@textbook_command.command("champions", epilog=examples("toysearch textbook champions companions --sizes 5,20 -k 5"))
@click.argument("source", metavar="COLLECTION")
@option("--sizes", default="5,10,20,50,100", metavar="R,R,…", callback=_sizes, help="Numbers of champions per term.")
@_k_option
@option("-m", "--measure", default="nDCG@10", help="Measure of both results.")
@model_option
@judged_options
@output_options
def champions_command(source: str, form: str, options: SourceOptions, **settings: Any) -> None:
    """Show what champion lists save and lose."""
    show(champion_lists(study_of(source, options), **settings), form)


@textbook_command.command(
    "wand",
    epilog=examples(
        'toysearch textbook wand cat-dog-parrot "train dog" -k 1',
        'toysearch textbook wand companions "tick bite" -k 1 --block 4',
    ),
)
@click.argument("source")
@click.argument("text", metavar="QUERY")
@_k_option
@option("--block", type=POSITIVE, metavar="N", help="Postings per block, for block-max WAND.  [default: no blocks]")
@model_option
@source_options
@output_options
def wand_command(source: str, text: str, form: str, model: Any, options: SourceOptions, **settings: Any) -> None:
    """Find the best documents by WAND: what is skipped, and why."""
    show(wand(Searcher(study_of(source, options, topics=False).engine.index, model), text, **settings), form)


@textbook_command.command(
    "relevance", epilog=examples('toysearch textbook relevance companions "tick bite" --relevant p271')
)
@click.argument("source")
@click.argument("text", metavar="QUERY")
@option("--relevant", multiple=True, metavar="ID", help="A document known to be relevant, repeatable.")
@source_options
@output_options
def relevance_command(source: str, text: str, relevant: tuple[str, ...], form: str, options: SourceOptions) -> None:
    """Show the relevance weights of Robertson and Spärck Jones."""
    show(relevance_weights(study_of(source, options, topics=False).engine.index, text, relevant), form)


textbook_command.add_command(means_command, "means")
textbook_command.add_command(examples_command, "examples")
