"""`toysearch run`: the rankings of all queries, as a TREC run."""

from __future__ import annotations

from typing import Any

import click

import toysearch
import toysearch.study
from toysearch.base import ArgumentError, counted
from toysearch.cli.commands import command
from toysearch.cli.options import (
    SourceOptions,
    depth_option,
    model_option,
    option,
    queries_options,
    query_mode_option,
    shared,
)
from toysearch.cli.output import force_option, keeping, progress, remark, write_run
from toysearch.cli.sources import study_of
from toysearch.cli.workers import connected, spread_over, worker_option


@command(
    "toysearch run companions --model bm25 -o bm25.run",
    "toysearch run companions --model cosine -o - | toysearch eval - companions",
    "toysearch run my-index --queries topics.txt -o bm25.run",
)
@click.argument("source")
@model_option
@shared("output", required=True, stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@depth_option
@option("--tag", help="Name of the run, its last column.  [default: the model's]")
@shared("above")
@query_mode_option("plain", "Ranking")
@shared("threads")
@worker_option
@queries_options
def run_command(
    source: str,
    model: Any,
    output: str,
    k: int,
    above: float | None,
    tag: str | None,
    threads: int | None,
    workers: int | str | None,
    options: SourceOptions,
) -> None:
    """Rank every query of a collection and write a TREC run.

    SOURCE is the name of a collection, a folder, a file or an index; its own queries are ranked, or those of --queries.
    Each line is `query Q0 document rank score tag`. The scores are written so that trec_eval, which sorts a run again,
    keeps the ranked order: if necessary, a score is lowered to the next 32-bit number. Beside FILE, FILE.json keeps
    what made the run: the collection, the index and the model with their checksums and parameters.
    """
    with connected(workers) as client:
        study = study_of(source, options, models=[model])
        index, collection = study.index(), study.collection()
        if collection is None or not len(collection.queries):
            raise ArgumentError(f"{source} has no queries to rank; give some with --queries FILE")
        if len(collection.qrels):
            toysearch.study.note_own_queries(collection, [model])
        searcher = toysearch.Searcher(index, model)
        with progress("ranking", "queries") as tell:
            if client is not None:
                spread_over(client, index, source, tell)
            how: dict[str, Any] = {"query_mode": options.query_mode, "threads": threads, "above": above}
            run = searcher.run(collection.queries, k, name=tag, **how)
    write_run(run, output)
    remark(f"{counted(len(run.query_ids), 'query', 'queries')}, {counted(len(run), 'ranked document')}, {model}")
