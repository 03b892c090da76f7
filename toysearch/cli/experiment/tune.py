"""`toysearch tune`: the best parameters of a model, and their value on held-out queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    DEFAULT,
    MODEL,
    POSITIVE,
    SourceOptions,
    depth_option,
    formula_models,
    formula_options,
    judged_options,
    names_in,
    option,
    output_options,
    threshold_option,
    typed_formulas,
)
from toysearch.cli.output import progress, remark, show
from toysearch.cli.sources import study_of
from toysearch.cli.workers import Workers, named_worker_options


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch tune companions --grid k1=0.2:3:0.2 --grid b=0:1:0.05",
        "toysearch tune companions --grid k1 --grid b --grid stem=none,english -m RR",
        "toysearch tune companions --model lm-dirichlet --grid mu=50:5000 --random 50",
        "toysearch tune companions --grid k1 --grid b --ascent --folds 10",
        'toysearch tune companions --formula "tf/(tf+k)*log(N/df)" --grid k=0.1:5:0.1',
        "toysearch tune companions --grid k1=0.5:5:0.5 --grid b=0:1:0.1 -o a.jsonl",
        "toysearch tune companions --grid b=0:1:0.1 --experiments companions.experiments.jsonl",
    ),
)
@click.argument("source", metavar="COLLECTION")
@option("--model", type=MODEL, metavar="MODEL", heading="Ranking", help=f"Model to tune.  [default: {DEFAULT}]")
@formula_options
@option(
    "--grid",
    "grids",
    multiple=True,
    metavar="NAME[=VALUES]",
    help="Parameter and its values: k1=0.2:3:0.2 (low:high:step), b=0.3,0.5, or k1 alone; also stem=none,english.  "
    "[default: all that the model declares]",
)
@option("-m", "--measure", default="AP", help="Measure to maximise.")
@option("--folds", type=int, metavar="N", help="Number of cross-validation folds.  [default: 5]")
@option("--random", type=int, metavar="N", help="Try N random settings instead of the whole grid.")
@option("--ascent", is_flag=True, help="Climb from the defaults, one parameter at a time.")
@option("--seed", default=0, type=click.IntRange(min=0), help="Seed for the folds and the random settings.")
@option("--alpha", default=0.05, help="Significance level of the test and the intervals.")
@option("-o", "--output", "results", metavar="FILE", help="JSON Lines file of all values; an existing one is resumed.")
@option(
    "--experiments",
    metavar="FILE",
    writes="file",
    help="Log of all that is tried on these queries (*.jsonl), for the p of `compare` and `serve`; what is tried here "
    "is added.",
)
@depth_option
@threshold_option
@option("--threads", type=POSITIVE, help="Number of settings evaluated at once.  [default: one per core]")
@named_worker_options
@judged_options
@output_options
def command(
    source: str,
    model: Any,
    grids: tuple[str, ...],
    measure: str,
    folds: int | None,
    random: int | None,
    ascent: bool,
    seed: int,
    alpha: float,
    results: str | None,
    experiments: str | None,
    k: int,
    threshold: float | None,
    threads: int | None,
    workers: Workers,
    options: SourceOptions,
    form: str,
) -> None:
    """Find the best parameters of a model, and their held-out value.

    Every setting of the grid is evaluated on COLLECTION. The queries are split into folds; the setting that is best on
    all folds but one is evaluated on the remaining fold. These held-out values are unbiased, whereas the best value on
    the queries that chose it is optimistic. A custom name in --formula without --set has no default for comparison.
    Workers evaluate settings at the same time, each one by one.
    """
    if workers.wanted and threads is not None:
        raise click.UsageError("--threads: only without workers")
    grid = _grid(grids)
    formulas, settings = typed_formulas()
    unset = [name for name in grid if any(name in names_in(formula) for formula in formulas)]
    unset = [name for name in unset if not any(setting.partition("=")[0].strip() == name for setting in settings)]
    typed = formula_models(formulas, [*settings, *(f"{name}=1" for name in unset)])
    if len(typed) + (model is not None) > 1:
        raise click.UsageError("give one model, by --model or by --formula")
    model = typed[0] if typed else model or toysearch.model(DEFAULT)
    study = study_of(source, options)
    log = None if experiments is None else _log(experiments)
    last: list[Any] = []
    try:
        with workers.connected() as client, progress("tuning") as line:

            def tell(progress: Any) -> None:
                last[:] = [progress]
                if line is not None:
                    line(progress.done, progress.total, _best(progress, measure))

            tuning = toysearch.tune(
                study,
                model,
                grid,
                measure,
                folds=folds,
                random=random,
                ascent=ascent,
                seed=seed,
                alpha=alpha,
                k=k,
                threshold=threshold,
                default=not unset,
                threads=threads,
                results=results,
                log=log,
                progress=tell,
                client=client,
            )
    except KeyboardInterrupt:
        _tell_interrupted(last, measure, results)
        raise
    show(tuning, form)


def _log(path: str) -> Any:
    """The log of what is tried, in a file that is made if it is missing."""
    from toysearch.laboratory.experiments.experiment_log import ExperimentLog

    return ExperimentLog(path)


def _grid(grids: Sequence[str]) -> dict[str, str | None]:
    """Name → values as typed, None for a name alone."""
    grid: dict[str, str | None] = {}
    for text in grids:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not name:
            raise ArgumentError(f"--grid '{text}' names no parameter; an example: --grid k1=0.2:3:0.2")
        if name in grid:
            raise ArgumentError(f"--grid names {name} twice; give all its values at once")
        grid[name] = values if equals else None
    return grid


def _best(progress: Any, measure: str) -> str:
    from toysearch.laboratory.experiments.grids import setting_text

    return f"{measure} {progress.best.value:.4f} at {setting_text(progress.best.setting) or 'default'}"


def _tell_interrupted(last: Sequence[Any], measure: str, results: str | None) -> None:
    """Report the finished settings after an interruption, and where they are kept."""
    if not last:
        return
    progress = last[0]
    number = f"{progress.done} of {progress.total}" if progress.total else str(progress.done)
    where = f"kept in {results}: the same command resumes there" if results else "with -o FILE they would be kept"
    remark(f"{number} settings are done, the best so far {_best(progress, measure)}; {where}")
