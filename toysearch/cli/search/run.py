"""`toysearch run`: rank every query of a collection and write a TREC run."""

from __future__ import annotations

import sys
from typing import Any

import click

import toysearch
from toysearch.base import ArgumentError, counted
from toysearch.cli import (
    Command,
    SourceOptions,
    Workers,
    depth_option,
    examples,
    force_option,
    keeping,
    model_option,
    option,
    partial_option,
    progress,
    queries_options,
    query_mode_option,
    remark,
    shared,
    spread_work,
    study_of,
    threads_option,
    worker_options,
)


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch run companions --model bm25 -o bm25.run",
        "toysearch run companions --model cosine -o - | toysearch eval - companions",
        "toysearch run my-index --queries topics.txt -o bm25.run",
    ),
)
@click.argument("source")
@model_option
@shared("output", required=True, stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@depth_option
@option("--tag", help="Name of the run, its last column.  [default: the model's]")
@query_mode_option("plain", "Ranking")
@threads_option
@partial_option
@worker_options
@queries_options
def command(
    source: str,
    model: Any,
    output: str,
    k: int,
    tag: str | None,
    threads: int | None,
    workers: Workers,
    options: SourceOptions,
) -> None:
    """Rank every query of a collection and write a TREC run.

    SOURCE is the name of a collection, a folder, a file or an index; its own queries are ranked, or those of --queries.
    Each line is `query Q0 document rank score tag`. The scores are written so that trec_eval, which sorts a run again,
    keeps the ranked order: if necessary, a score is lowered to the next 32-bit number.
    """
    from toysearch.laboratory.study import tell_own_queries

    with workers.connected():
        study = study_of(source, options, models=[model])
        index, collection = study.index, study.collection
        if collection is None or not len(collection.queries):
            raise ArgumentError(f"{source} has no queries to rank; give some with --queries FILE")
        if len(collection.qrels):
            tell_own_queries(collection, [model])
        searcher = toysearch.Searcher(index, model)
        with progress("ranking", "queries") as tell:
            spread_work(index, source, tell=tell)
            run = searcher.run(collection.queries, k, query_mode=options.query_mode, name=tag, threads=threads)
    toysearch.write_run(run, sys.stdout if output == "-" else output)
    remark(f"{counted(len(run.query_ids), 'query', 'queries')}, {counted(len(run), 'ranked document')}, {model}")
