"""`toysearch explain`: a score as an expression, two documents side by side, and the changes that swap their ranks."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.base import ArgumentError, Column, Part, Result, ResultTable, typed_line
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    SourceOptions,
    judged_options,
    model_option,
    option,
    output_options,
    query_mode_option,
    shared,
)
from toysearch.cli.output import paragraph, progress, show, terminal_width
from toysearch.cli.sources import fields_named, study_of, title_of
from toysearch.query.modes import mode_of
from toysearch.query.parser import tree_of
from toysearch.study import (
    expansion_text,
    explain_expansion,
    expressed_data,
    expressed_text,
    not_ranked,
    order_text,
    rival,
    turns_text,
    weights_text,
)

_TOP = 10


@click.command(
    cls=Command,
    epilog=examples(
        'toysearch explain cat-dog-parrot --query "train cat" --doc 1',
        "toysearch explain companions p202 --query-id 52",
        "toysearch explain companions p202 p300 --query-id 52 --model bm25:b=0.4",
        'toysearch explain my-index --query "tick removal" --doc p057 --doc p271 --json',
    ),
)
@click.argument("source")
@click.argument("named", nargs=-1, metavar="[DOC_ID]...")
@option("--query", metavar="TEXT", help="Query.")
@shared("query_id", help="Id of a query of the collection.")
@query_mode_option("lenient; plain with --query-id")
@option("--doc", "doc_ids", metavar="ID", multiple=True, help="Another way to give DOC_ID.")
@model_option
@shared("k", default=_TOP, heading="Options", help="Number of ranks that count as the first.")
@judged_options
@output_options
def explain_command(
    source: str,
    named: tuple[str, ...],
    query: str | None,
    query_id: str | None,
    doc_ids: tuple[str, ...],
    model: Any,
    k: int,
    options: SourceOptions,
    form: str,
) -> None:
    """Explain the score of a document, or why one ranks above another.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or its folder or file. For one document: its
    score as an expression with all numbers, from the code of the model; then why it is not higher, compared with the
    last of the first -k ranks or the document above it. For two: both side by side. For each parameter of the model:
    the smallest change within its range that swaps the two documents, found by ranking.
    """
    texts = [text for text in named if len(text.split()) > 1]
    if query is None and query_id is None and len(texts) == 1:
        documents = [doc_id for doc_id in named if doc_id not in texts]
        advice = typed_line("toysearch", "explain", source, *documents, "--query", *texts)
        raise click.UsageError(f"the text of the query stands after --query: {advice}")
    doc_ids = (*named, *doc_ids)
    if not 1 <= len(doc_ids) <= 2:
        raise click.UsageError(f"give one DOC_ID, or two to compare, not {len(doc_ids)}")
    tree = None if query is None else tree_of(query, mode_of(options.query_mode))
    study = study_of(source, options, models=[model], topics=query_id is not None, named_fields=fields_named(tree))
    index, collection = study.engine.index, study.inputs.collection if query_id is not None else None
    text = _query(query, query_id, collection, source)
    searcher = toysearch.Searcher(index, model)
    terms = searcher.terms(text, options.query_mode, query_id or "")
    grades = {} if query_id is None or collection is None else collection.qrels[query_id]
    if len(set(doc_ids)) < len(doc_ids):
        raise ArgumentError(f"'{doc_ids[0]}' is given twice; name two documents, or one")
    whys = [toysearch.explain(searcher, terms, doc_id) for doc_id in doc_ids]
    ranks = [toysearch.study.standing(searcher, terms, doc_id).rank for doc_id in doc_ids]
    other, reason = (doc_ids[1], "") if len(doc_ids) == 2 else rival(searcher, terms, doc_ids[0], ranks[0], k)
    order, turns = None, []
    if other is not None and None not in ranks:
        order = toysearch.explain_order(searcher, terms, doc_ids[0], other)
        with progress("varying parameters", "rankings") as tell:
            turns = toysearch.study.turning_points(
                searcher, terms, order.above.doc_id, order.below.doc_id, progress=tell
            )
    query_of = {"query": text, "query_id": query_id}
    show(_Explained(query_of, searcher, terms, grades, whys, ranks, order, reason, turns), form)


@dataclass(frozen=True, repr=False)
class _Explained(Result):
    """Documents and their ranks, two of them side by side, and the changes that swap them."""

    query: dict[str, str | None]
    searcher: Any
    terms: Any
    grades: Mapping[str, float]
    whys: list[Any]
    ranks: list[int | None]
    order: Any
    reason: str
    turns: list[Any]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """The documents, then two of them side by side, and the changes that swap them."""
        order, searcher, terms = self.order, self.searcher, self.terms
        ordered = [] if order is None else [order.above.doc_id, order.below.doc_id]
        lines = [paragraph(f"query {self.query['query_id'] or ''}".rstrip() + f": {self.query['query']}")]
        for doc_id in dict.fromkeys([*(why.doc_id for why in self.whys), *ordered]):
            grade = f" (grade {self.grades[doc_id]:g})" if doc_id in self.grades else ""
            lines.append(f"document {doc_id}{grade}: {title_of(searcher.index, doc_id) or 'no text'}")
        parts: list[Part] = ["\n".join(lines)]
        for why, rank in zip(self.whys, self.ranks, strict=True):
            if rank is None:
                parts.append(paragraph(not_ranked(searcher, terms, why.doc_id)))
            elif len(self.whys) == 1 or order is None:
                table, *lines = expressed_text(rank, why, searcher, terms)
                parts.append("\n".join([table, *map(_wrapped, lines)]))
        parts += map(expansion_text, explain_expansion(searcher, terms))
        if order is None:
            return parts
        weights = weights_text(order, searcher.model) if len(self.whys) == 2 else []
        changes = [line if "\n" in line else _wrapped(line) for line in turns_text(self.turns, *ordered)]
        return [
            *parts,
            self.reason,
            "\n".join([order_text(order, width), *map(_wrapped, weights)]),
            "The smallest change of one parameter that swaps them",
            "\n".join(changes),
        ]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """What sets the two documents apart."""
        columns = [Column(part) for part in ("kind", "name", "above", "below", "ahead")]
        return [ResultTable(columns, self.order.tables()[0].rows if self.order else [])]

    def data(self) -> dict[str, Any]:
        """All results, for JSON."""
        documents = [
            {"doc_id": why.doc_id, "rank": rank, "explanation": expressed_data(why, self.searcher, self.terms)}
            for why, rank in zip(self.whys, self.ranks, strict=True)
        ]
        order = self.order.data() if self.order else None
        if order is not None and len(self.whys) == 1:
            rival = next(why for why in (self.order.above, self.order.below) if why.doc_id != self.whys[0].doc_id)
            order["against"] = expressed_data(rival, self.searcher, self.terms)
        expansions = [expansion.data() for expansion in explain_expansion(self.searcher, self.terms)]
        more = {"expansions": expansions} if expansions else {}
        about = {**self.query, "model": str(self.searcher.model), "documents": documents}
        return {**about, "order": order, "turns": self.turns, **more}


def _query(text: str | None, query_id: str | None, collection: Any, source: str) -> str:
    """The query, given by its text or its id."""
    if (text is None) == (query_id is None):
        raise click.UsageError("give one query, either its text by --query or its id by --query-id")
    if text is not None:
        return text
    if collection is None:
        raise ArgumentError(f"{source} is an index and holds no queries; give its text by --query, or --queries FILE")
    return str(collection.query(query_id).text)


def _wrapped(line: str) -> str:
    """A line of an expression, wrapped for the terminal with an indent."""
    width = terminal_width(sys.stdout)
    blanks = " " * (len(line) - len(line.lstrip()))
    return line if width is None else textwrap.fill(line, width, subsequent_indent=f"{blanks}    ")
