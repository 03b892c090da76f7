"""`toysearch compare`: several systems, their differences, and the significance of these."""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import click

from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, judged_options, models_option, option, output_options
from toysearch.cli.output import emit, paragraph, remark, terminal_width
from toysearch.cli.systems import ComparisonOptions, Systems, alike, compared, comparison_options, systems_asked
from toysearch.laboratory.reports.comparison_text import (
    agreement_table,
    caveat_lines,
    compared_data,
    compared_rows,
    comparison_text,
    legend,
    paper_table,
    power_table,
)
from toysearch.wording import counted

_POWER, _DEPTH, _PERSISTENCE = 0.8, 100, 0.9
_ONE_TABLE = ("tsv", "csv")


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch compare companions --model tfidf --model bm25 --model bm25:b=0.4",
        "toysearch compare --qrels qrels.txt mine.run theirs.run -m AP --power",
        "toysearch compare companions --model bm25 --model lm-jm --model cosine --all-pairs --format latex",
    ),
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN...")
@models_option
@comparison_options
@option("--power", is_flag=True, help="Show the power of the tests, and how many queries the differences need.")
@option("--agreement", is_flag=True, help="Show rank agreement: Kendall's τ, τ_AP, rank-biased overlap.")
@judged_options
@output_options
def command(
    targets: tuple[str, ...],
    models: tuple[Any, ...],
    asked: ComparisonOptions,
    power: bool,
    agreement: bool,
    options: SourceOptions,
    form: str,
) -> None:
    """Compare systems: which is better, and what could be chance.

    With a COLLECTION or an INDEX: ranks the judged queries with each MODEL. With RUN files and --qrels: takes the runs.
    For each measure, every system is tested against the baseline on the same queries, and p is corrected for the number
    of comparisons. Notes below the tables say what the conclusions depend on.
    """
    from toysearch.laboratory.experiments.caveats import caveats
    from toysearch.laboratory.experiments.stats.power import sensitivity

    if agreement and form in _ONE_TABLE:
        raise click.UsageError(f"--agreement is a table of its own, and {form} holds one: choose another --format")
    systems = systems_asked(targets, models, asked, options)
    comparison = compared(systems, asked)
    doubts = caveats(comparison)
    sensitivities = sensitivity(comparison, _POWER) if power else []
    alikeness = _agreement(comparison) if agreement else []
    if form == "json":
        data = _about(comparison, systems) | compared_data(comparison, doubts, sensitivities, alikeness)
        emit([], [], form, data=data)
    else:
        _print(comparison, doubts, sensitivities, alikeness, form)
    _remark(comparison, systems)


def _agreement(comparison: Any) -> list[Any]:
    from toysearch.laboratory.experiments.stats.rank_correlation import agreement

    queries = next(iter(comparison.query_ids.values()))
    settings = {"ties": comparison.options["ties"], "depth": _DEPTH, "p": _PERSISTENCE}
    return [
        agreement(comparison.runs[first], comparison.runs[second], queries, **settings)
        for first, second in combinations(comparison.systems, 2)
    ]


def _print(comparison: Any, caveats: list[Any], sensitivity: list[Any], alikeness: list[Any], form: str) -> None:
    """The tables (TSV and CSV have a single one, LaTeX one for a paper), with caveats on stderr."""
    further = [power_table(sensitivity, _POWER)] if sensitivity and form not in _ONE_TABLE else []
    further += [agreement_table(alikeness, _DEPTH, _PERSISTENCE)] if alikeness else []
    if form == "table":
        width = terminal_width(sys.stdout)
        click.echo(comparison_text(comparison, caveats, further, width=width, wrap=width))
        return
    if form == "latex":
        click.echo(paper_table(comparison))
    else:
        table = compared_rows(comparison, form, sensitivity if form in _ONE_TABLE else ())
        emit(table.columns, table.rows, form)
    if form == "markdown":
        click.echo("\n" + paragraph(legend(comparison, terminal_width(sys.stdout) is not None)))
    for table in further:
        click.echo()
        emit(table.columns, table.rows, form)
    for line in caveat_lines(caveats):
        remark(f"note: {line}")


def _about(comparison: Any, systems: Systems) -> dict[str, Any]:
    """The comparison, for JSON."""
    first = next(iter(comparison.evaluations.values()))
    return {
        "collection": systems.collection.name if systems.collection else None,
        "analyzer": str(systems.index.analyzer) if systems.index is not None else None,
        "grades": systems.collection.grades if systems.collection else None,
        "systems": list(comparison.systems),
        "queries": first.n_queries,
        "threshold": first.threshold,
        "ties": first.ties,
        "k": systems.k,
    }


def _remark(comparison: Any, systems: Systems) -> None:
    """The conventions behind the numbers, and the queries that were treated differently, on stderr."""
    about = _about(comparison, systems)
    parts = [
        about["collection"],
        about["analyzer"],
        about["grades"] and f"grades {about['grades']}",
        counted(about["queries"], "query", "queries"),
        f"relevant from grade {about['threshold']:g}",
        f"ties {about['ties']}",
        about["k"] and f"k {about['k']}",
    ]
    remark(" · ".join(part for part in parts if part))
    said = {name: evaluation.remarks for name, evaluation in comparison.evaluations.items()}
    for sentence in dict.fromkeys(sentence for sentences in said.values() for sentence in sentences):
        names = [name for name, sentences in said.items() if sentence in sentences]
        remark(f"note: {'' if len(names) == len(said) else ', '.join(names) + ': '}{sentence}")
    for sentence in alike(systems.runs):
        remark(f"note: {sentence}")
