"""`toysearch tune`: the best parameters of a model, and their value on held-out queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.cli import (
    DEFAULT,
    MODEL,
    Command,
    SourceOptions,
    Workers,
    examples,
    formula_models,
    formula_options,
    judged_options,
    names_in,
    option,
    options_of,
    output_options,
    progress,
    remark,
    shared,
    show,
    study_of,
    together,
    typed_formulas,
)
from toysearch.laboratory.experiments.tuning import tune


def _grid(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[str, str | None]:
    """Name → values as typed, None for a name alone."""
    grid: dict[str, str | None] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not name:
            raise ArgumentError(f"--grid '{text}' names no parameter; an example: --grid k1=0.2:3:0.2")
        if name in grid:
            raise ArgumentError(f"--grid names {name} twice; give all its values at once")
        grid[name] = values if equals else None
    return grid


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
@options_of(
    tune,
    model=together(
        option("--model", type=MODEL, metavar="MODEL", heading="Ranking", help=f"Model to tune.  [default: {DEFAULT}]"),
        formula_options,
    ),
    grid=option(
        "--grid",
        multiple=True,
        metavar="NAME[=VALUES]",
        callback=_grid,
        help="Parameter and its values: k1=0.2:3:0.2 (low:high:step), b=0.3,0.5, or k1 alone; also stem=none,english.  "
        "[default: all that the model declares]",
    ),
    random={"help": "Try N random settings instead of the whole grid."},
    default=None,
    threads={"help": "Number of settings evaluated at once.  [default: one per core]"},
    results=shared("output", "results", help="JSON Lines file of all values; an existing one is resumed."),
    log=option(
        "--experiments",
        "log",
        metavar="FILE",
        writes="file",
        help="Log of all that is tried on these queries (*.jsonl), for the p of `compare` and `serve`; what is tried "
        "here is added.",
    ),
)
@judged_options
@output_options
def command(
    source: str,
    model: Any,
    grid: dict[str, str | None],
    log: str | None,
    workers: Workers,
    options: SourceOptions,
    form: str,
    **settings: Any,
) -> None:
    """Find the best parameters of a model, and their held-out value.

    Every setting of the grid is evaluated on COLLECTION. The queries are split into folds; the setting that is best on
    all folds but one is evaluated on the remaining fold. These held-out values are unbiased, whereas the best value on
    the queries that chose it is optimistic. A custom name in --formula without --set has no default for comparison.
    Workers evaluate settings at the same time, each one by one.
    """
    from toysearch.laboratory.experiments.experiment_log import ExperimentLog

    if workers.wanted and settings["threads"] is not None:
        raise click.UsageError("--threads: only without workers")
    measure, results = settings["measure"], settings["results"]
    formulas, values = typed_formulas()
    unset = [name for name in grid if any(name in names_in(formula) for formula in formulas)]
    unset = [name for name in unset if not any(setting.partition("=")[0].strip() == name for setting in values)]
    typed = formula_models(formulas, [*values, *(f"{name}=1" for name in unset)])
    if len(typed) + (model is not None) > 1:
        raise click.UsageError("give one model, by --model or by --formula")
    model = typed[0] if typed else model or toysearch.model(DEFAULT)
    study = study_of(source, options)
    last: list[Any] = []
    try:
        with workers.connected() as client, progress("tuning") as line:

            def tell(progress: Any) -> None:
                last[:] = [progress]
                if line is not None:
                    line(progress.done, progress.total, _best(progress, measure))

            work = {"log": log and ExperimentLog(log), "progress": tell, "client": client}
            tuning = tune(study, model, grid, default=not unset, **settings, **work)
    except KeyboardInterrupt:
        _tell_interrupted(last, measure, results)
        raise
    show(tuning, form)


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
