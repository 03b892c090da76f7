"""`toysearch explain`: a score as an expression, two documents side by side, and the changes that swap their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import toysearch
from toysearch.base import ArgumentError, typed_line
from toysearch.cli.commands import command
from toysearch.cli.options import (
    SourceOptions,
    documented,
    judged_options,
    model_option,
    option,
    output_options,
    query_mode_option,
    refuse_if,
)
from toysearch.cli.output import progress, show
from toysearch.cli.sources import fields_named, study_of
from toysearch.query.modes import mode_of
from toysearch.query.parser import tree_of
from toysearch.study.explain.document_explanation import explain_documents

_explained = documented(explain_documents)


@command(
    'toysearch explain cat-dog-parrot --query "train cat" --doc 1',
    "toysearch explain companions p202 --query-id 52",
    "toysearch explain companions p202 p300 --query-id 52 --model bm25:b=0.4",
    'toysearch explain my-index --query "tick removal" --doc p057 --doc p271 --json',
)
@click.argument("source")
@click.argument("named", nargs=-1, metavar="[DOC_ID]...")
@option("--query", metavar="TEXT", help="Query.")
@option("--doc", "doc_ids", metavar="ID", multiple=True, help="Another way to give DOC_ID.")
@_explained("query_id")
@query_mode_option("lenient; plain with --query-id")
@_explained("k", heading="Options")
@model_option
@judged_options
@output_options
def explain_command(
    source: str,
    named: Sequence[str],
    query: str | None,
    doc_ids: Sequence[str],
    query_id: str | None,
    k: int,
    model: Any,
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
    doc_ids = (*named, *doc_ids)
    if query is None and query_id is None and len(texts) == 1:
        documents = [doc_id for doc_id in doc_ids if doc_id not in texts]
        advice = typed_line("toysearch", "explain", source, *documents, "--query", *texts)
        raise click.UsageError(f"the text of the query stands after --query: {advice}")
    refuse_if(not 1 <= len(doc_ids) <= 2, f"give one DOC_ID, or two to compare, not {len(doc_ids)}")
    tree = None if query is None else tree_of(query, mode_of(options.query_mode))
    study = study_of(source, options, models=[model], topics=query_id is not None, named_fields=fields_named(tree))
    index, collection = study.index(), study.collection() if query_id is not None else None
    refuse_if(
        (query is None) == (query_id is None), "give one query, either its text by --query or its id by --query-id"
    )
    how: Any = {"query_id": query_id, "query_mode": options.query_mode}
    if query_id is not None:
        if collection is None:
            reason = "is an index and holds no queries; give its text by --query, or --queries FILE"
            raise ArgumentError(f"{source} {reason}")
        query, how["grades"] = collection.query(query_id).text, collection.qrels[query_id]
    with progress("comparing", "rankings") as tell:
        explained = explain_documents(toysearch.Searcher(index, model), query or "", doc_ids, **how, k=k, progress=tell)
    show(explained, form)
