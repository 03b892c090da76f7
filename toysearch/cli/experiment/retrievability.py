"""`toysearch retrievability`: which documents a model finds often, and which never."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.cli import (
    DEFAULT,
    POSITIVE,
    Command,
    SourceOptions,
    examples,
    force_option,
    keeping,
    option,
    options_of,
    output_options,
    queries_options,
    remark,
    show,
    study_of,
)
from toysearch.laboratory.experiments.retrieval_bias import KINDS, retrievability
from toysearch.laboratory.results.chart_files import ENDINGS, checked_ending


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch retrievability companions",
        "toysearch retrievability companions --model bm25:b=0 --model bm25 --model cosine -k 10",
        "toysearch retrievability companions --ask own --json",
        "toysearch retrievability companions --model bm25:b=0 --model bm25 --chart lorenz.svg",
    ),
)
@click.argument("source", metavar="SOURCE")
@options_of(
    retrievability,
    kind=option(
        "--ask",
        type=click.Choice([*KINDS, "own"]),
        default="bigrams",
        help="Queries: pairs of neighbouring terms or single terms of the documents; or those of the collection.",
    ),
    n={"names": ["-n", "--number"], "type": POSITIVE},
    k={"heading": "Options", "help": "A document is found if it is among the best k."},
    chart=option(
        "--chart",
        metavar="FILE",
        writes="file",
        callback=keeping("chart"),
        help="File for a chart of the Lorenz curves: .svg, .png or .html.",
    ),
    force=force_option,
)
@queries_options
@output_options
def command(
    source: str,
    models: tuple[Any, ...],
    ask: str,
    chart: str | None,
    options: SourceOptions,
    form: str,
    **settings: Any,
) -> None:
    """Measure how unequally a model finds the documents.

    Many queries are asked, and for each document the queries are counted that find it among the best k. The Gini
    coefficient of these counts is 0 if all documents are found equally often, and near 1 if few documents take all
    places. The Lorenz curve shows the share of all places that goes to the least retrievable documents. Documents that
    are never found are listed; --json has the counts of all. --chart draws the curves. No judgments are needed.
    """
    if chart is not None:
        checked_ending(chart, ENDINGS)
    has_queries = ask == "own" or options.queries is not None
    models = models or (toysearch.model(DEFAULT),)
    study = study_of(source, options, models=models, topics=has_queries)
    queries = None
    if has_queries:
        collection = study.collection
        if collection is None or not len(collection.queries):
            raise ArgumentError(f"{source} has no queries; give some with --queries, or leave out --ask own")
        queries = collection.queries
    kind = "bigrams" if ask == "own" else ask
    counts = retrievability(study.index, models, queries=queries, kind=kind, **settings)
    if chart is not None:
        toysearch.plot("lorenz", counts, chart)
        remark(f"{chart}: the Lorenz curves")
    show(counts, form)
