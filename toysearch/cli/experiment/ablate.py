"""`toysearch ablate`: the contribution of each part of a search system."""

from __future__ import annotations

from typing import Any

import click

import toysearch
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
from toysearch.cli.output import progress, remark, show
from toysearch.cli.sources import study_of
from toysearch.laboratory.experiments.stats.multiple_comparisons import CORRECTIONS
from toysearch.laboratory.experiments.stats.significance import TESTS


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch ablate companions",
        "toysearch ablate companions --model lm-dirichlet -m nDCG@10 --analyzer none",
        "toysearch ablate cisi --model cosine --test permutation --correction bh --format latex",
        "toysearch ablate companions --model mine.py:rank --json",
    ),
)
@click.argument("source", metavar="COLLECTION")
@model_option
@option("-m", "--measure", default="AP", help="Measure.")
@option("--test", type=click.Choice(list(TESTS)), default="t", help="Paired test of each difference.")
@option(
    "--correction",
    type=click.Choice(list(CORRECTIONS)),
    default="holm",
    help="Correction of p for the number of switches.",
)
@option("--alpha", default=0.05, help="Significance level of the intervals.")
@option("--seed", default=0, type=click.IntRange(min=0), help="Seed for randomised tests.")
@depth_option
@threshold_option
@judged_options
@output_options
def command(
    source: str,
    model: Any,
    measure: str,
    test: str,
    correction: str,
    alpha: float,
    seed: int,
    k: int,
    threshold: float | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Measure what each part of a search system contributes.

    Stop words, stemming, the title, idf, length normalisation, tf, its saturation and repeated query terms are switched
    off one at a time, or on if the system lacks them, and each variant is tested against the full system. This works
    for any model, because the switches change the input of its function.
    """
    study = study_of(source, options)
    with progress("ablating") as tell:
        found = toysearch.ablate(
            study,
            model,
            measure,
            test=test,
            correction=correction,
            alpha=alpha,
            seed=seed,
            k=k,
            threshold=threshold,
            progress=tell,
        )
    if form == "table" and study.opened is not None:
        remark("note: an index stores its own analysis, so stop words, stemming and title are not switched")
    show(found, form)
