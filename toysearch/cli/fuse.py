"""`toysearch fuse`: one ranking of several runs together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch import retrieval
from toysearch.base import Column, ResultTable, counted, table_columns
from toysearch.base.result import Page
from toysearch.cli.commands import command
from toysearch.cli.options import (
    Read,
    depth_option,
    documented,
    option,
    output_options,
    reading_of_runs,
    refuse_if,
    runs_options,
    shared,
)
from toysearch.cli.output import force_option, keeping, remark, show, write_run
from toysearch.cli.sources import runs_named
from toysearch.models.calls import WEIGHT, Setting, chosen


def _numbers(weights: str) -> list[float]:
    try:
        return [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise click.UsageError(f"--weights takes a number for each run, such as 0.7,0.3; found '{weights}'") from None


def _method_of(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a method with its setting, such as rrf:k=20."""
    normalisation = Setting(None, words="a normalisation")
    settings = {
        name: {"normalise": normalisation} if method.by_score else {}
        for name, method in retrieval.FUSION_METHODS.items()
    }
    settings["rrf"] = {"k": WEIGHT}
    name, how = chosen("method", text, settings)
    if "k" in how:
        how["rrf_k"] = how.pop("k")
    return name, how


_fused = documented(toysearch.fuse)


@command(
    "toysearch fuse mine.run theirs.run -o fused.run",
    "toysearch fuse mine.run theirs.run --method combsum --weights 0.7,0.3 | toysearch eval - cat-dog-parrot",
    "toysearch fuse mine.run theirs.run --method rrf:k=20 -o fused.run",
    "toysearch fuse",
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@_fused("method", metavar="NAME", help="Fusion method, with its setting.")
@depth_option
@option(
    "--weights", metavar="A,B,…", type=Read(_numbers), help="Weight of each run, such as 0.7,0.3.  [default: equal]"
)
@_fused("name", names=["--tag"])
@shared("output", default="-", stream=True, callback=keeping("run"), help="File to write; - is standard output.")
@force_option
@runs_options
@output_options
def fuse_command(
    runs: Sequence[str],
    method: str,
    k: int,
    weights: list[float] | None,
    name: str | None,
    output: str,
    form: str,
) -> None:
    """Fuse several runs into one TREC run.

    Each RUN is a file in any known format (`toysearch docs runs-and-judgments`); one of them may be - for standard
    input. A query that some run lacks is fused from the others. Equal fused scores keep the order of the first run; the
    scores are written so that every reader keeps the order.

    Methods of ranks are rrf, with its constant as rrf:k=60, isr, logisr and borda. Those of scores, such as combsum,
    take a normalisation too: combsum:normalise=min-max, sum, z-score, rank or none. Without a RUN the methods are
    listed with their formulas, in a --format.
    """
    if not runs and output == "-":
        rows = [
            [name, method.formula, "scores" if method.by_score else "ranks", method.source]
            for name, method in retrieval.FUSION_METHODS.items()
        ]
        table = ResultTable(table_columns("method", "formula", "of", Column("source", wrap=True)), rows)
        legend = (
            "w weight of a run · n number of runs that have the document · c number of\n"
            "documents that any run has · s normalised score"
        )
        show(Page([table, legend], table), form)
        return
    refuse_if(
        form != "table",
        f"--format {form} is for the list of methods; for -o, the ending .json, .csv or .tsv chooses the format",
    )
    exists = output != "-" and Path(output).exists()
    is_fused = exists and any(Path(run).exists() and Path(output).samefile(run) for run in runs)
    refuse_if(is_fused, f"'{output}' is one of the runs that are fused; write to another file")
    one, how = _method_of(method)
    given = [run for run, _ in runs_named(runs, reading_of_runs())]
    fused = toysearch.fuse(given, one, k=k, weights=weights, name=name, **how)
    write_run(fused, output, {run.name: run for run in given})
    n_queries, ranked = counted(len(fused.query_ids), "query", "queries"), counted(len(fused), "ranked document")
    remark(f"{counted(len(runs), 'run')}, {n_queries}, {ranked}, {method}")
