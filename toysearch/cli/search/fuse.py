"""`toysearch fuse`: several runs become one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import toysearch
from toysearch.base import Column, counted
from toysearch.cli import (
    Command,
    depth_option,
    emit,
    examples,
    force_option,
    keeping,
    option,
    output_options,
    remark,
    shared,
)


def _numbers(_: click.Context, __: click.Parameter, weights: str | None) -> list[float] | None:
    """The numbers of ``0.7,0.3``."""
    if weights is None:
        return None
    try:
        return [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise click.UsageError(f"--weights takes a number for each run, such as 0.7,0.3; found '{weights}'") from None


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch fuse mine.run theirs.run -o fused.run",
        "toysearch fuse mine.run theirs.run --method combsum --weights 0.7,0.3 | toysearch eval - cat-dog-parrot",
        "toysearch fuse --list",
    ),
)
@click.argument("runs", nargs=-1, metavar="RUN...")
@option("--method", default="rrf", metavar="NAME", help="Fusion method, one of --list.")
@shared("output", default="-", stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@depth_option
@option("--rrf-k", type=float, metavar="K", help="Constant of rrf.  [default: 60]")
@option(
    "--normalise", metavar="NAME", help="Score normalisation: min-max, sum, z-score, rank or none.  [default: min-max]"
)
@option("--weights", metavar="A,B,…", callback=_numbers, help="Weight of each run, such as 0.7,0.3.  [default: equal]")
@option("--tag", help="Name of the new run, its last column.  [default: the method's]")
@option("--list", "listed", is_flag=True, help="List the methods with their formulas.")
@output_options
def command(
    runs: tuple[str, ...],
    method: str,
    output: str,
    k: int,
    rrf_k: float | None,
    normalise: str | None,
    weights: list[float] | None,
    tag: str | None,
    listed: bool,
    form: str,
) -> None:
    """Fuse several runs into one TREC run.

    Each RUN is a file in any known format (`toysearch docs runs-and-judgments`); one of them may be - for standard
    input. A query that some run lacks is fused from the others. Equal fused scores keep the order of the first run; the
    scores are written so that every reader keeps the order. --format applies only to --list.
    """
    if listed:
        _list(form)
        return
    if runs.count("-") > 1:
        raise click.UsageError("standard input holds one run, but - was given more than once")
    if form != "table":
        raise click.UsageError(
            f"--format {form} is for --list; for -o, the ending .json, .csv or .tsv chooses the format"
        )
    for run in runs:
        if output != "-" and Path(output).exists() and Path(run).exists() and Path(output).samefile(run):
            raise click.UsageError(f"'{output}' is one of the runs that are fused; write to another file")
    fused = toysearch.fuse(runs, method, k=k, weights=weights, normalise=normalise, rrf_k=rrf_k, name=tag)
    toysearch.write_run(fused, sys.stdout if output == "-" else output)
    ranked = counted(len(fused), "ranked document")
    remark(f"{counted(len(runs), 'run')}, {counted(len(fused.query_ids), 'query', 'queries')}, {ranked}, {method}")


def _list(form: str) -> None:
    """The methods, one line each."""
    from toysearch.search.fusion import FUSION_METHODS

    columns = [Column("method"), Column("formula"), Column("of"), Column("source", wrap=True)]
    rows = [
        [name, method.formula, "scores" if method.by_score else "ranks", method.source]
        for name, method in FUSION_METHODS.items()
    ]
    caption = (
        "\nw weight of a run · n number of runs that have the document · c number of\n"
        "documents that any run has · s normalised score"
    )
    emit(columns, rows, form, caption=caption)
