"""`toysearch predict`: how well the difficulty of queries can be predicted without judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    SourceOptions,
    depth_option,
    judged_options,
    model_option,
    option,
    output_options,
    threshold_option,
)
from toysearch.cli.output import emit, progress, show
from toysearch.cli.sources import study_of

if TYPE_CHECKING:
    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch predict companions",
        'toysearch predict companions --predictors "wig wig:k=10 clarity:docs=10" --measure nDCG@10',
        "toysearch predict companions --predictors wig --per-query --tsv",
    ),
)
@click.argument("source", metavar="COLLECTION")
@model_option
@option("-m", "--measure", default="AP", help="Measure to predict (`toysearch measures`).")
@option(
    "--predictors",
    metavar="NAMES",
    help="wig, nqc, smv, sigma-max, clarity, max-scq, avg-scq, max-idf, avg-idf, with parameters such as wig:k=10.  "
    "[default: all]",
)
@option("--per-query", is_flag=True, help="List the queries too, worst first; --tsv prints only them.")
@option("--alpha", default=0.05, help="The intervals have the level 1 − alpha.")
@option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the bootstrap.")
@depth_option
@threshold_option
@judged_options
@output_options
def command(
    source: str,
    model: Model | Mixture,
    measure: str,
    predictors: str | None,
    per_query: bool,
    alpha: float,
    seed: int,
    k: int,
    threshold: float | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Measure how well the difficulty of queries can be predicted.

    Predictors need no judgments: they use the query terms and the scores of a ranking. The table shows for each
    predictor its correlation with a measure over the judged queries: Pearson's r, Kendall's tau-b and sMARE (the mean
    error of the rank of a query; 0 is perfect), with bootstrap intervals ('from', 'to'). Definitions are below the
    table.

    What predicts well on one collection need not do so on another: read the intervals. `toysearch docs
    predict-difficulty` has figures on three collections.
    """
    from toysearch.laboratory.experiments.prediction.query_prediction import predict

    with progress("predicting", "queries") as tell:
        found = predict(
            study_of(source, options),
            model,
            measure,
            predictors=predictors,
            k=k,
            threshold=threshold,
            alpha=alpha,
            seed=seed,
            progress=tell,
        )
    if form == "table":
        show(found, form, queries=per_query)
    elif per_query and form != "json":
        emit(*found.queries_table()[:2], form)
    else:
        show(found, form)
