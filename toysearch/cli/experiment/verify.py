"""`toysearch verify`: the numbers of a collection, recomputed by other libraries."""

from __future__ import annotations

from typing import Any

import click

from toysearch.base.errors import ArgumentError
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    analyzer_for,
    models_option,
    option,
    output_options,
    source_options,
)
from toysearch.cli.output import show
from toysearch.cli.sources import Later, is_index, load_source, open_source


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch verify cat-dog-parrot",
        "toysearch verify companions --model bm25-okapi --model cosine:idf=smooth --json",
    ),
)
@click.argument("source", metavar="COLLECTION")
@models_option
@option("--sample", default=50, type=POSITIVE, help="Number of queries whose scores are compared.")
@source_options
@output_options
@click.pass_context
def command(
    ctx: click.Context, source: str, models: tuple[Any, ...], sample: int, options: SourceOptions, form: str
) -> None:
    """Recompute the numbers of a collection with other libraries.

    Tokens and counts, TF-IDF and cosine by scikit-learn; BM25 by rank-bm25; measures by pytrec_eval and ir_measures,
    if these are installed. Each row shows the number of values compared, the largest difference, the number of
    significant digits to which all agree (at most 16), and the library. COLLECTION may be an index of a named
    collection.

    Exit code 0 if all agree, 1 otherwise.
    """
    from toysearch.laboratory.experiments.verification import VERIFIED_MODELS, verify

    if is_index(source):
        index, collection = open_source(source, options)
        if collection is None:
            raise ArgumentError(f"{source} was not made from a named collection; name the collection itself")
        whole = collection.loaded if isinstance(collection, Later) else collection
        found = verify(whole, models or VERIFIED_MODELS, index=index, sample=sample)
    else:
        collection = load_source(source, options)
        analyzer = analyzer_for(options, collection)
        found = verify(collection, models or VERIFIED_MODELS, analyzer=analyzer, sample=sample)
    show(found, form)
    if not found.agrees:
        ctx.exit(1)
