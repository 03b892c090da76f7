"""`toysearch query`: how a query is read, and what becomes of its words."""

from __future__ import annotations

from typing import Any

import click

from toysearch.base import Column, annex, cut, note
from toysearch.cli import (
    Command,
    SourceOptions,
    analyzer_for,
    emit,
    examples,
    fields_named,
    option,
    output_options,
    paragraph,
    query_mode_option,
    source_options,
    study_of,
)
from toysearch.laboratory.explain.query_outline import PATTERNS, QueryPart, condition, query_outline
from toysearch.query.parser import parse
from toysearch.query.syntax import Range
from toysearch.search.matching import known_fields, unrequired_filters
from toysearch.search.typed_query import unkept

_WIDEST = 40  # characters of a word or a phrase, in the outline
_SOME = 4  # terms of a pattern


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch query '\"tick removal\" -dog' --analyzer english",
        "toysearch query 'cat* AND (train OR leash~1)^2' companions",
        "toysearch query --json -- '-dog +tick removal' my-index",
        "toysearch query 'C++ \"unclosed'",
        "toysearch query 'c*t NOT guinae~' companions --textbook",
    ),
)
@click.argument("text")
@click.argument("source", required=False)
@query_mode_option("lenient")
@option("--textbook", is_flag=True, help="Work out merges, phrases, patterns and ranges step by step.")
@source_options
@output_options
def command(text: str, source: str | None, textbook: bool, options: SourceOptions, form: str) -> None:
    """Show how a query is read, and the terms of its words.

    SOURCE is an index or a collection: its analyzer is used, its fields may stand before a colon, and the documents
    that each part matches are counted. Without one, --analyzer is used, by default plain. Write -- before a query that
    begins with -.

    \b
      a b  "a b"  "a b"~8                  one of the words, a phrase, near
      a AND b  a OR b  NOT a  +a  -a  ( )  required, prohibited, grouped
      title:a  title:(a b)  year:[1990 TO 2000]  year:>=1990
      a*  a?b  a~1  /a+b/                  patterns
      a^2                                  weight
      #1(a b) #od4(a b) #uw8(a b) #syn(a b) #weight(0.8 a 0.2 b)

    The page `toysearch docs queries` explains each.
    """  # noqa: D301 - \b is for click
    if textbook and source is None:
        raise click.UsageError("--textbook reads postings and terms; give an index or a collection after the query")
    if textbook and form not in ("table", "json"):
        raise click.UsageError("--textbook has no rows; it is shown with --format table or json")
    mode = options.query_mode or "lenient"
    index = None
    if source is not None:
        index = study_of(source, options, topics=False, named_fields=fields_named(parse(text, mode).tree)).index
    analyzer = analyzer_for(options) if index is None else index.analyzer
    if index is None:
        tree, remarks = parse(text, mode)
    else:
        tree, remarks = parse(text, mode, known_fields(index), "" if index.folder is None else unkept())
        remarks += unrequired_filters(index, tree)
    for remark in remarks:
        note(remark)
    outline = [] if tree is None else query_outline(tree, analyzer, index)
    columns = [Column("node"), Column("terms", wrap=True), Column("n_documents", "documents", "right", ",")]
    rows: list[tuple[Any, ...]]
    rows = [("  " * part.depth + cut(part.label, _WIDEST), _terms(part), part.n_documents) for part in outline]
    if index is None:
        columns.pop()
        rows = [row[:2] for row in rows]
    data: dict[str, Any] = {
        "analyzer": str(analyzer),
        "query": None if tree is None else str(tree),
        "remarks": remarks,
        "tree": _nested(outline, index),
    }
    title = "\n".join([paragraph(f"analyzer: {analyzer}"), paragraph(f"query: {data['query'] or 'no words'}"), ""])
    steps: list[Any] = []
    if textbook and tree is not None and index is not None:
        steps = annex("textbook").textbook_query(tree, index)
        data["textbook"] = [{"kind": type(step).__name__, **step._asdict()} for step in steps]
    emit(columns, rows, form, data=data, title=title)
    if form == "table":
        for step in steps:
            click.echo(f"\n{annex('textbook').textbook_step_text(step)}")
        if textbook and not steps:
            note("the query has no operator, phrase or pattern to work out")


def _terms(part: QueryPart) -> str:
    """The terms of a node, then its words without one."""
    if isinstance(part.node, Range):
        return condition(part.node)
    if part.n_documents is not None and isinstance(part.node, PATTERNS):
        first = " ".join(part.terms[:_SOME])
        return f"{first} … ({len(part.terms):,} terms)" if len(part.terms) > _SOME else first or "no term fits"
    reasons = dict.fromkeys(part.left_out.values())
    if len(part.left_out) == 1 and not part.terms:
        return f"left out: {next(iter(reasons))}"
    omitted = "; ".join(
        f"{', '.join(word for word, why in part.left_out.items() if why == reason)}: {reason}" for reason in reasons
    )
    return " ".join(filter(None, [" ".join(part.terms), omitted and f"(left out: {omitted})"]))


def _nested(outline: list[QueryPart], index: Any) -> dict[str, Any] | None:
    """The outline as objects in objects."""
    path: list[dict[str, Any]] = []
    for part in outline:
        nested = {
            "node": type(part.node).__name__,
            "text": str(part.node),
            "terms": part.terms,
            "left_out": part.left_out,
            **({} if index is None else {"n_documents": part.n_documents}),
            "parts": [],
        }
        del path[part.depth :]
        if path:
            path[-1]["parts"].append(nested)
        path.append(nested)
    return path[0] if path else None
