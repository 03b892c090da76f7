"""`toysearch compare`: which of several systems is better, by how much, and whether that could be chance."""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import click

import toysearch
from toysearch.cli.options import SourceOptions, examples, source_options
from toysearch.cli.output import count, emit, output_options, paragraph, remark, terminal_width
from toysearch.cli.ranking import compared_models_option, threads_option
from toysearch.cli.systems import Systems, alike, refuse_model_options, refuse_run, systems_of_models, systems_of_runs
from toysearch.reports.compared import (
    Table,
    agreement_table,
    caveat_lines,
    compared_data,
    compared_rows,
    compared_tables,
    legend,
    power_table,
)

MEASURES = "AP nDCG@10 P@10"
_POWER, _DEPTH, _PERSISTENCE = 0.8, 100, 0.9
_ONE_TABLE = ("tsv", "csv")


@click.command(
    epilog=examples(
        "toysearch compare cranfield --model tfidf --model bm25 --model bm25:b=0.4",
        "toysearch compare --qrels qrels.txt mine.run theirs.run -m AP --power",
        "toysearch compare cranfield --model bm25 --model lm-jm --model cosine --all-pairs --format latex",
    )
)
@click.argument("targets", nargs=-1, metavar="COLLECTION | RUN...")
@compared_models_option
@click.option("--qrels", metavar="QRELS", help="The judgments of the RUNs: a file or a collection.")
@click.option(
    "-m",
    "--measures",
    default=MEASURES,
    show_default=True,
    help="Measures (`toysearch measures`), or official, beir, seeds.",
)
@click.option("--baseline", metavar="NAME", help="What the others are compared with.  [default: the first system]")
@click.option(
    "--all-pairs", is_flag=True, help="Compare each with each, by randomised Tukey HSD if no --test is given."
)
@click.option(
    "--test",
    type=click.Choice(list(toysearch.TESTS)),
    help="How a difference is tested, query by query.  [default: t; tukey for --all-pairs]",
)
@click.option(
    "--correction",
    type=click.Choice(list(toysearch.CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How p is corrected for the number of comparisons.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="From which p down it is a difference.")
@click.option("--power", is_flag=True, help="What so many queries can show, and how many the differences need.")
@click.option("--agreement", is_flag=True, help="How alike the systems rank: Kendall's τ, τ_AP, rank-biased overlap.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what a test draws by lot.")
@click.option("-k", type=click.IntRange(min=1), help="How deep models rank.  [default: 1000]")
@threads_option
@click.option("--threshold", type=float, help="The lowest grade that is relevant.  [default: the collection's, or 1]")
@click.option(
    "--ties",
    type=click.Choice(["rank", "trec_eval", "average"]),
    help="Order of equal scores.  [default: rank for models, trec_eval for run files]",
)
@click.option("--only-retrieved", is_flag=True, default=None, help="Leave out the queries that a run does not answer.")
@click.option(
    "--undefined",
    type=click.Choice(["zero", "nan"]),
    help="What a query without relevant documents counts as; nan: not at all.  [default: zero]",
)
@source_options
@output_options
def command(
    targets: tuple[str, ...],
    names: tuple[str, ...],
    qrels: str | None,
    measures: str,
    baseline: str | None,
    all_pairs: bool,
    test: str | None,
    correction: str,
    alpha: float,
    power: bool,
    agreement: bool,
    seed: int,
    k: int | None,
    threads: int | None,
    threshold: float | None,
    ties: str | None,
    only_retrieved: bool | None,
    undefined: str | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Compare systems: which is better, and what could be chance.

    With a COLLECTION: ranks its judged queries with each MODEL. With RUN files and --qrels: takes the runs. By each
    measure every system is tested against the baseline on the same queries, and p is corrected for all comparisons
    made. Below the tables stands what the conclusions hang on.
    """
    if agreement and form in _ONE_TABLE:
        raise click.UsageError(f"--agreement is a table of its own, and {form} holds one: choose another --format")
    toysearch.parse_measures(measures)  # a misspelt measure is told before anything is ranked
    systems = _systems(targets, names, qrels, k, threads, threshold, ties, options)
    comparison = toysearch.compare(
        systems.runs,
        systems.qrels,
        measures,
        baseline=_canonical(baseline, systems),
        test=test,
        correction=correction,
        alpha=alpha,
        pairs="all" if all_pairs else "baseline",
        seed=seed,
        threshold=systems.threshold,
        ties=ties,
        only_retrieved=only_retrieved,
        undefined=undefined,
    )
    caveats = toysearch.caveats(comparison)
    sensitivity = toysearch.sensitivity(comparison, _POWER) if power else []
    alikeness = _agreement(comparison) if agreement else []
    if form == "json":
        data = _about(comparison, systems) | compared_data(comparison, caveats, sensitivity, alikeness)
        emit([], [], form, data=data)
    else:
        _print(comparison, sensitivity, alikeness, form)
        _print_caveats(caveat_lines(caveats), form)
    _remark(comparison, systems)


def _systems(
    targets: tuple[str, ...],
    names: tuple[str, ...],
    qrels: str | None,
    k: int | None,
    threads: int | None,
    threshold: float | None,
    ties: str | None,
    options: SourceOptions,
) -> Systems:
    """The runs: made here of a collection, or read from files."""
    if not targets:
        raise click.UsageError("Missing argument 'COLLECTION | RUN...'.")
    if qrels is None and len(targets) == 1:
        otherwise = "give the judgments and another one: toysearch compare --qrels QRELS {} OTHER"
        refuse_run(targets[0], otherwise)
        if len(names) < 2:
            raise click.UsageError(f"a comparison takes two systems or more, not {len(names)}: repeat --model")
        return systems_of_models(
            targets[0], names, k or 1000, threads, threshold, options, ties=ties, otherwise=otherwise
        )
    refuse_model_options(names, k, threads, options)
    return systems_of_runs(targets if qrels is None else (*targets, qrels), threshold, options)


def _canonical(baseline: str | None, systems: Systems) -> str | None:
    """A model's name as its system has it: bm25:k1=1.2 is bm25."""
    if baseline is None or systems.index is None or any(baseline == run.name for run in systems.runs):
        return baseline
    try:
        return str(toysearch.model(baseline))
    except toysearch.ToysearchError:
        return baseline  # the comparison says which there are


def _agreement(comparison: Any) -> list[Any]:
    queries = next(iter(comparison.query_ids.values()))
    settings = {"ties": comparison.options["ties"], "depth": _DEPTH, "p": _PERSISTENCE}
    return [
        toysearch.agreement(comparison.runs[first], comparison.runs[second], queries, **settings)
        for first, second in combinations(comparison.systems, 2)
    ]


def _print(comparison: Any, sensitivity: list[Any], alikeness: list[Any], form: str) -> None:
    """The tables; TSV and CSV have one with all."""
    terminal = terminal_width(sys.stdout) is not None
    if form == "table":
        tables = compared_tables(comparison, terminal)
    else:
        tables = [compared_rows(comparison, form, sensitivity if form in _ONE_TABLE else ())]
    extra = [power_table(sensitivity, _POWER)] if sensitivity and form not in _ONE_TABLE else []
    extra += [agreement_table(alikeness, _DEPTH, _PERSISTENCE)] if alikeness else []
    _emit_all(tables, form)
    if form == "table":
        click.echo("\n" + paragraph(legend(comparison, terminal)))
    for table in extra:
        click.echo()
        _emit_all([table], form)


def _emit_all(tables: list[Table], form: str) -> None:
    for place, table in enumerate(tables):
        if place:
            click.echo()
        emit(table.columns, table.rows, form, title=table.title)


def _print_caveats(lines: list[str], form: str) -> None:
    """What the conclusions hang on: below the tables; for papers and programs on stderr."""
    if form != "table":
        for line in lines:
            remark(f"note: {line}")
    elif lines:
        click.echo("\nwhat the conclusions hang on")
        for line in lines:
            click.echo(paragraph(line, "    ", "  "))


def _about(comparison: Any, systems: Systems) -> dict[str, Any]:
    """What was compared, for JSON."""
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
    """The conventions behind the numbers, and which queries did not count like the others, on stderr."""
    about = _about(comparison, systems)
    parts = [
        about["collection"],
        about["analyzer"],
        about["grades"] and f"grades {about['grades']}",
        count(about["queries"], "query", "queries"),
        f"relevant from grade {about['threshold']:g}",
        f"ties {about['ties']}",
        about["k"] and f"k {about['k']}",
    ]
    remark(" · ".join(part for part in parts if part))
    for name, evaluation in comparison.evaluations.items():
        for sentence in evaluation.remarks:
            remark(f"note: {name}: {sentence}")
    for sentence in alike(systems.runs):
        remark(f"note: {sentence}")
