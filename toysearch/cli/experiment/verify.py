"""`toysearch verify`: the numbers of a collection, recomputed by other libraries."""

from __future__ import annotations

from typing import Any

import click

from toysearch.base.errors import ArgumentError
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    models_option,
    option,
    output_options,
    source_options,
)
from toysearch.cli.output import show
from toysearch.cli.sources import study_of


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

    study = study_of(source, options)
    if study.collection is None:
        raise ArgumentError(f"{source} was not made from a named collection; name the collection itself")
    analysed = {"index": study.opened} if study.opened else {"analyzer": study.analyzer}
    found = verify(study.collection, models or VERIFIED_MODELS, sample=sample, **analysed)
    show(found, form)
    if not found.agrees:
        ctx.exit(1)
