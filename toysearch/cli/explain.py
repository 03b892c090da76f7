"""`toysearch explain`: a score as an expression, two documents side by side, and the changes that swap their ranks."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.base import ArgumentError, typed_line
from toysearch.cli.options import judged_options, model_option, option, query_mode_option, refuse_if, together
from toysearch.cli.signatures import command_of, popped
from toysearch.cli.sources import fields_named, study_of
from toysearch.query.modes import mode_of
from toysearch.query.parser import tree_of


def _query_taken(values: dict[str, Any]) -> list[Any]:
    source, named, query, model, options = popped(values, "source", "named", "query", "model", "options")
    query_id = values["query_id"]
    texts = [text for text in named if len(text.split()) > 1]
    if query is None and query_id is None and len(texts) == 1:
        documents = [doc_id for doc_id in (*named, *values["doc_ids"]) if doc_id not in texts]
        advice = typed_line("toysearch", "explain", source, *documents, "--query", *texts)
        raise click.UsageError(f"the text of the query stands after --query: {advice}")
    doc_ids = (*named, *values.pop("doc_ids"))
    refuse_if(not 1 <= len(doc_ids) <= 2, f"give one DOC_ID, or two to compare, not {len(doc_ids)}")
    tree = None if query is None else tree_of(query, mode_of(options.query_mode))
    study = study_of(source, options, models=[model], topics=query_id is not None, named_fields=fields_named(tree))
    index, collection = study.index(), study.collection() if query_id is not None else None
    text = _query(query, query_id, collection, source)
    values |= {"query_mode": options.query_mode, "grades": collection and collection.qrels[query_id]}
    return [toysearch.Searcher(index, model), text, doc_ids]


def _query(text: str | None, query_id: str | None, collection: Any, source: str) -> str:
    refuse_if(
        (text is None) == (query_id is None), "give one query, either its text by --query or its id by --query-id"
    )
    if text is not None:
        return text
    if collection is None:
        raise ArgumentError(f"{source} is an index and holds no queries; give its text by --query, or --queries FILE")
    return str(collection.query(query_id).text)


explain_command = command_of(
    "toysearch.study.explain.document_explanation.explain_documents",
    'toysearch explain cat-dog-parrot --query "train cat" --doc 1',
    "toysearch explain companions p202 --query-id 52",
    "toysearch explain companions p202 p300 --query-id 52 --model bm25:b=0.4",
    'toysearch explain my-index --query "tick removal" --doc p057 --doc p271 --json',
    text="""Explain the score of a document, or why one ranks above another.

    SOURCE is a folder made by `toysearch index`, the name of a collection, or its folder or file. For one document: its
    score as an expression with all numbers, from the code of the model; then why it is not higher, compared with the
    last of the first -k ranks or the document above it. For two: both side by side. For each parameter of the model:
    the smallest change within its range that swaps the two documents, found by ranking.
    """,
    doing="comparing rankings",
    take=_query_taken,
    argument=together(click.argument("source"), click.argument("named", nargs=-1, metavar="[DOC_ID]...")),
    reads=together(model_option, judged_options),
    query=option("--query", metavar="TEXT", help="Query."),
    doc_ids=option("--doc", "doc_ids", metavar="ID", multiple=True, help="Another way to give DOC_ID."),
    query_mode=query_mode_option("lenient; plain with --query-id"),
    grades=None,
    k={"heading": "Options"},
)
