"""`toysearch query`: how a query is read, and what becomes of its words."""

from __future__ import annotations

from typing import Any

import click

from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, analyzer_for, option, output_options, source_options
from toysearch.cli.output import emit, paragraph
from toysearch.cli.sources import open_source
from toysearch.errors import note
from toysearch.laboratory.explain.query_outline import QueryPart, condition, query_outline
from toysearch.laboratory.reports.tables import Column
from toysearch.query.parser import MODES, parse
from toysearch.query.syntax import Range
from toysearch.wording import cut

_WIDEST = 40  # characters of a word or a phrase, in the outline


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch query '\"tick removal\" -dog' --analyzer english",
        "toysearch query 'cat* AND (train OR leash~1)^2' companions",
        "toysearch query '+ticks removal' my-index --json",
        "toysearch query 'C++ \"unclosed' --query strict",
    ),
)
@click.argument("text")
@click.argument("source", required=False)
@option(
    "--query",
    "mode",
    type=click.Choice(MODES),
    default="lenient",
    help="lenient: what is not of the query language is text; strict: it is refused; plain: all is text.",
)
@source_options
@output_options
def command(text: str, source: str | None, mode: Any, options: SourceOptions, form: str) -> None:
    """Show how a query is read, and the terms of its words.

    SOURCE is an index or a collection; its analyzer is used, and its fields may stand before a colon. Without one,
    --analyzer is used, by default plain.

    \b
      a b  "a b"  "a b"~8                  one of the words, a phrase, near
      a AND b  a OR b  NOT a  +a  -a  ( )  required, prohibited, grouped
      title:a  title:(a b)  year:[1990 TO 2000]  year:>=1990
      a*  a?b  a~1  /a+b/                  patterns
      a^2                                  weight
      #1(a b) #od4(a b) #uw8(a b) #syn(a b) #weight(0.8 a 0.2 b)

    The page `toysearch docs queries` explains each.
    """  # noqa: D301 - \b is for click
    index = None
    if source is not None:
        index, _ = open_source(source, options, topics=False)
    analyzer = index.analyzer if index is not None else analyzer_for(options)
    fields = None if index is None else [*index.fields.names, *index.values]
    tree, remarks = parse(text, mode, fields)
    for remark in remarks:
        note(remark)
    outline = [] if tree is None else query_outline(tree, analyzer)
    rows = [("  " * part.depth + cut(part.label, _WIDEST), _terms(part)) for part in outline]
    data = {
        "analyzer": str(analyzer),
        "query": None if tree is None else str(tree),
        "remarks": remarks,
        "tree": _nested(outline),
    }
    title = "\n".join([paragraph(f"analyzer: {analyzer}"), paragraph(f"query: {data['query'] or 'no words'}"), ""])
    emit([Column("node"), Column("terms", wrap=True)], rows, form, data=data, title=title)


def _terms(part: QueryPart) -> str:
    """The terms of a node, then its words without one."""
    if isinstance(part.node, Range):
        return condition(part.node)
    reasons = dict.fromkeys(part.left_out.values())
    if len(part.left_out) == 1 and not part.terms:
        return f"left out: {next(iter(reasons))}"
    omitted = "; ".join(
        f"{', '.join(word for word, why in part.left_out.items() if why == reason)}: {reason}" for reason in reasons
    )
    return " ".join(filter(None, [" ".join(part.terms), omitted and f"(left out: {omitted})"]))


def _nested(outline: list[QueryPart]) -> dict[str, Any] | None:
    """The outline as objects in objects."""
    path: list[dict[str, Any]] = []
    for part in outline:
        made = {
            "node": type(part.node).__name__,
            "text": str(part.node),
            "terms": part.terms,
            "left_out": part.left_out,
            "parts": [],
        }
        del path[part.depth :]
        if path:
            path[-1]["parts"].append(made)
        path.append(made)
    return path[0] if path else None
