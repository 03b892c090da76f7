"""Options of the commands that compare systems, and the comparison that they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

import toysearch
from toysearch.cli.options import MEASURES, POSITIVE, Decorator, SourceOptions, option, together
from toysearch.cli.systems import (
    Systems,
    is_run,
    refuse_model_options,
    refuse_run,
    systems_of_models,
    systems_of_runs,
    with_collection,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toysearch.models.mixture import Mixture
    from toysearch.models.model import Model


class ComparisonOptions(NamedTuple):
    """How systems are made, evaluated and compared; None where the user did not say."""

    measures: str
    baseline: str | None
    all_pairs: bool
    test: str | None
    correction: str
    family: str
    alpha: float
    seed: int
    k: int | None
    threads: int | None
    threshold: float | None
    ties: str | None
    only_retrieved: bool | None
    undefined: str | None


def _asked(*names: str, heading: str = "Test", **settings: Any) -> Decorator:
    return option(*names, into=("asked", ComparisonOptions), heading=heading, **settings)


comparison_options = together(
    _asked(
        "-m",
        "--measures",
        default=MEASURES,
        heading="Evaluation",
        help="Measures (`toysearch measures`), or a set: official, beir, seeds.",
    ),
    _asked("--baseline", metavar="NAME", help="System to compare the others with.  [default: the first]"),
    _asked("--all-pairs", is_flag=True, help="Compare each pair, by randomised Tukey HSD if no --test is given."),
    _asked(
        "--test",
        type=click.Choice(list(toysearch.TESTS)),
        help="Paired test of each difference.  [default: t; tukey for --all-pairs]",
    ),
    _asked(
        "--correction",
        type=click.Choice(list(toysearch.CORRECTIONS)),
        default="holm",
        help="Correction of p for the number of comparisons.",
    ),
    _asked(
        "--family",
        type=click.Choice(["all", "measure"]),
        default="all",
        help="Tests corrected together: all, or those of one measure.",
    ),
    _asked("--alpha", type=float, default=0.05, help="Significance level: differences with p at or below it count."),
    _asked("--seed", type=click.IntRange(min=0), default=0, help="Seed for randomised tests."),
    _asked("-k", type=POSITIVE, heading="Ranking", help="Number of documents to rank per query.  [default: 1000]"),
    _asked("--threads", type=POSITIVE, brief="toysearch run"),
    _asked(
        "--threshold",
        type=float,
        heading="Evaluation",
        help="Lowest relevant grade.  [default: the collection's, or 1]",
    ),
    _asked(
        "--ties",
        type=click.Choice(["rank", "trec_eval", "average"]),
        heading="Evaluation",
        help="Order of equal scores.  [default: rank for models, trec_eval for run files]",
    ),
    _asked(
        "--only-retrieved",
        is_flag=True,
        default=None,
        heading="Evaluation",
        help="Average over the queries that a run answers.",
    ),
    _asked(
        "--undefined",
        type=click.Choice(["zero", "nan"]),
        heading="Evaluation",
        help="Value of a query without relevant documents; nan leaves it out.  [default: zero]",
    ),
)
"""How to compare; the command gets it as ``asked``, `ComparisonOptions`."""


def systems_asked(
    targets: tuple[str, ...],
    models: Sequence[Model | Mixture],
    asked: ComparisonOptions,
    options: SourceOptions,
    *,
    fewest: int = 2,
) -> Systems:
    """The runs: made here of a collection, or read from files."""
    toysearch.parse_measures(asked.measures)  # a misspelt measure is told before anything is ranked
    if not targets:
        raise click.UsageError("Missing argument 'COLLECTION | RUN...'.")
    targets, options = with_collection(targets, options)
    if len(targets) == 1 and (options.qrels is None or not is_run(targets[0])):
        this = click.get_current_context().command_path
        more, other = (" and another one", " OTHER") if fewest > 1 else ("", "")
        otherwise = f"give the judgments{more}: {this} --qrels QRELS {{}}{other}"
        refuse_run(targets[0], otherwise)
        if not models and fewest == 1:
            raise click.UsageError("name at least one model, such as --model bm25")
        if len(models) < fewest:
            raise click.UsageError(f"a comparison takes two systems or more, not {len(models)}: repeat --model")
        k, threads, ties = asked.k or 1000, asked.threads, asked.ties
        return systems_of_models(
            targets[0], models, k, threads, asked.threshold, options, ties=ties, otherwise=otherwise
        )
    refuse_model_options(models, asked.k, asked.threads, options)
    found = systems_of_runs(targets, asked.threshold, options)
    if len(found.runs) < fewest:
        raise toysearch.ArgumentError(f"a comparison takes two systems or more, not {len(found.runs)}")
    return found


def compared(systems: Systems, asked: ComparisonOptions) -> Any:
    """The comparison of systems that was asked for."""
    return toysearch.compare(
        systems.runs,
        systems.qrels,
        asked.measures,
        baseline=asked.baseline,
        test=asked.test,
        correction=asked.correction,
        family=asked.family,
        alpha=asked.alpha,
        pairs="all" if asked.all_pairs else "baseline",
        seed=asked.seed,
        threshold=systems.threshold,
        ties=asked.ties,
        only_retrieved=asked.only_retrieved,
        undefined=asked.undefined,
    )
