"""Options of the commands that compare systems, and the comparison that they ask for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import click

import toysearch
from toysearch.cli.model_options import threads_option
from toysearch.cli.options import SourceOptions
from toysearch.cli.systems import (
    Systems,
    is_run,
    refuse_model_options,
    refuse_run,
    systems_of_models,
    systems_of_runs,
    with_collection,
)

MEASURES = "AP nDCG@10 P@10"


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


_OPTIONS = (
    click.option(
        "-m",
        "--measures",
        default=MEASURES,
        show_default=True,
        help="Measures (`toysearch measures`), or official, beir, seeds.",
    ),
    click.option("--baseline", metavar="NAME", help="What the others are compared with.  [default: the first system]"),
    click.option(
        "--all-pairs", is_flag=True, help="Compare each with each, by randomised Tukey HSD if no --test is given."
    ),
    click.option(
        "--test",
        type=click.Choice(list(toysearch.TESTS)),
        help="How a difference is tested, query by query.  [default: t; tukey for --all-pairs]",
    ),
    click.option(
        "--correction",
        type=click.Choice(list(toysearch.CORRECTIONS)),
        default="holm",
        show_default=True,
        help="How p is corrected for the number of comparisons.",
    ),
    click.option(
        "--family",
        type=click.Choice(["all", "measure"]),
        default="all",
        show_default=True,
        help="Which tests are corrected together: all, or those by the same measure.",
    ),
    click.option("--alpha", type=float, default=0.05, show_default=True, help="From which p down it is a difference."),
    click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what a test draws by lot."
    ),
    click.option("-k", type=click.IntRange(min=1), help="How deep models rank.  [default: 1000]"),
    threads_option,
    click.option(
        "--threshold", type=float, help="The lowest grade that is relevant.  [default: the collection's, or 1]"
    ),
    click.option(
        "--ties",
        type=click.Choice(["rank", "trec_eval", "average"]),
        help="Order of equal scores.  [default: rank for models, trec_eval for run files]",
    ),
    click.option(
        "--only-retrieved", is_flag=True, default=None, help="Leave out the queries that a run does not answer."
    ),
    click.option(
        "--undefined",
        type=click.Choice(["zero", "nan"]),
        help="What a query without relevant documents counts as; nan: not at all.  [default: zero]",
    ),
)


def comparison_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says how to compare; the command gets it as ``asked``, `ComparisonOptions`."""

    @functools.wraps(function)
    def command(*args: Any, **values: Any) -> Any:
        asked = ComparisonOptions(**{name: values.pop(name) for name in ComparisonOptions._fields})
        return function(*args, asked=asked, **values)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def systems_asked(
    targets: tuple[str, ...],
    names: tuple[str, ...],
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
        if not names and fewest == 1:
            raise click.UsageError("name at least one model, such as --model bm25")
        if len(names) < fewest:
            raise click.UsageError(f"a comparison takes two systems or more, not {len(names)}: repeat --model")
        k, threads, ties = asked.k or 1000, asked.threads, asked.ties
        return systems_of_models(
            targets[0], names, k, threads, asked.threshold, options, ties=ties, otherwise=otherwise
        )
    refuse_model_options(names, asked.k, asked.threads, options)
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
