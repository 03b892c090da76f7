"""`toysearch learn`: a ranker from judged queries, and its value on held-out queries."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.learn.features import features_options
from toysearch.cli.options import (
    SourceOptions,
    depth_option,
    judged_options,
    option,
    output_options,
    threshold_option,
)
from toysearch.cli.output import force_option, keeping, progress, remark, show
from toysearch.cli.sources import study_of
from toysearch.models.ranker import refuse_foreign


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch learn companions --learner logistic -o ranker",
        'toysearch learn companions --learner boosting:trees=50 --features "bm25 min-max(bm25) coverage length" -m RR',
        "toysearch learn companions --learner logistic --folds 10 --pool bm25@100 --pool dph@50",
    ),
)
@click.argument("source", metavar="COLLECTION")
@option(
    "--learner",
    metavar="NAME",
    help="lambdamart (needs toysearch[lightgbm]), logistic or boosting, with settings such as "
    "lambdamart:trees=200,leaves=15,rate=0.05,rows=20 or logistic:C=0.1.  [default: lambdamart, or logistic without "
    "that package]",
)
@features_options
@option("-m", "--measure", default="AP", help="Measure to report.")
@option("--folds", type=int, metavar="N", help="Number of cross-validation folds.  [default: 5]")
@option(
    "--similarity",
    default=0.5,
    help="Queries whose terms have at least this Jaccard similarity are in one fold.",
)
@option("--seed", default=0, type=click.IntRange(min=0), help="Seed for the folds and the learner.")
@option("--alpha", default=0.05, help="Significance level of the test and the interval.")
@depth_option
@threshold_option
@judged_options
@option("-o", "--output", "folder", metavar="FOLDER", heading="Output", help="Folder for the ranker.")
@option(
    "--run",
    "run_file",
    metavar="FILE",
    writes="file",
    heading="Output",
    callback=keeping("run"),
    help="File for the held-out rankings.",
)
@force_option
@output_options
def command(
    source: str,
    learner: str | None,
    features_text: str | None,
    pool: tuple[str, ...],
    measure: str,
    folds: int | None,
    similarity: float,
    seed: int,
    alpha: float,
    k: int,
    threshold: float | None,
    options: SourceOptions,
    folder: str | None,
    run_file: str | None,
    form: str,
) -> None:
    """Learn a ranker from judged queries, with its held-out value.

    The best documents of each query are re-ranked by a learner from their features (`toysearch features`). The queries
    are split into folds, near-duplicate queries in the same one; each fold is ranked by a ranker that was learned from
    the others. These held-out values are unbiased, whereas those of the ranker on its own queries are optimistic.

    The ranker learned from all queries is saved to a folder, which is then a model: learned:FOLDER. The held-out
    rankings (--run) can be compared with other systems on the same queries; the saved ranker cannot, since it was
    learned from them.
    """
    from toysearch.laboratory.learning.ranker_training import learn

    if folder is not None:  # before the work
        refuse_foreign(folder)
    with progress("learning", "rankers") as tell:
        learning = learn(
            study_of(source, options),
            learner,
            None if features_text is None else features_text.split(),
            measure,
            pool=pool or None,
            folds=folds,
            similarity=similarity,
            seed=seed,
            k=k,
            threshold=threshold,
            alpha=alpha,
            progress=tell,
        )
    show(learning, form)
    if folder is not None:
        learning.save(folder)
        remark(f"the ranker is in {folder}: use it as --model learned:{folder}")
    if run_file is not None:
        toysearch.write_run(learning.run, run_file)
        remark(f"the held-out rankings are in {run_file}")
