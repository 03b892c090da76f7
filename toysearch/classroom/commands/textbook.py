"""`toysearch textbook`: algorithms of textbooks with all their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from toysearch.base import DataError
from toysearch.classroom.commands.lessons import examples_command, means_command
from toysearch.classroom.textbook_pages import (
    hubs_and_authorities,
    page_rank,
    relevance_weights,
)
from toysearch.cli.commands import SuggestingGroup, examples
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    option,
    output_options,
    source_options,
)
from toysearch.cli.output import show
from toysearch.cli.sources import study_of
from toysearch.files import numbered_lines
from toysearch.models.calls import WEIGHT, chosen


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "toysearch textbook examples",
        'toysearch textbook relevance companions "tick bite" --relevant p271',
        "toysearch textbook means 2 8",
    ),
)
def textbook_command() -> None:
    """Work out textbook algorithms with all their numbers.

    Merges of Boolean queries are shown by `query --textbook`.
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
    show(relevance_weights(study_of(source, options, topics=False).index(), text, relevant), form)


textbook_command.add_command(means_command, "means")
textbook_command.add_command(examples_command, "examples")
