"""`toysearch trec_eval`: a replacement for trec_eval, with its flags, defaults and output."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.base import note
from toysearch.cli import POSITIVE, Command, examples, option
from toysearch.exchange.trec_eval_output import LAYOUTS, VERSIONS, trec_eval_lines


def _of_trec(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Accept the only format of runs."""
    if value not in (None, "trec_results"):
        raise click.UsageError(f"'{value}' is not a format of runs here; the only one is trec_results")


@click.command(
    "trec_eval",
    cls=Command,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "toysearch trec_eval qrels.txt mine.run",
        "toysearch trec_eval -q -c -m map -m P.5,10 -m ndcg_cut.10 qrels.txt mine.run",
        "toysearch trec_eval -l2 -M100 -m official qrels.txt mine.run",
        "toysearch trec_eval --like 10 -q -c -m all_trec qrels.txt mine.run",
    ),
)
@click.argument("qrels")
@click.argument("run")
@option("-q", "--query_eval_wanted", "per_query", is_flag=True, help="Print lines for each query too.")
@option("-c", "--complete_rel_info_wanted", "complete", is_flag=True, help="Average over all judged queries.")
@option(
    "-n", "--nosummary", "summary", is_flag=True, flag_value=False, default=True, help="Print no lines for all queries."
)
@option("-l", "--level_for_rel", "level", type=POSITIVE, default=1, help="Lowest relevant grade.")
@option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE[.PARAMETERS]",
    help="Measure of trec_eval, or official, all_trec, set.  [default: official; with -R, its own]",
)
@option("-M", "--Max_retrieved_per_topic", "most", type=POSITIVE, help="Number of documents per query that count.")
@option("-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Leave out unjudged documents.")
@option("-N", "--Number_docs_in_coll", "size", type=int, default=0, help="Documents in the collection, for utility.")
@option("-Z", "--Zscore", "means", metavar="FILE", writes="file", help="Print deviations from the means in FILE.")
@option("-D", "--Debug_level", "debug", metavar="LEVEL[.ID]", help="Evaluate the query ID alone.")
@option("-o", "--Output_old_results_format", "_old", is_flag=True, expose_value=False, help="Ignored, as in trec_eval.")
@option("--like", "version", type=click.Choice(VERSIONS), default=VERSIONS[0], help="Version of trec_eval to imitate.")
@option(
    "-R",
    "--Rel_info_format",
    "layout",
    type=click.Choice(["qrels", *LAYOUTS]),
    default="qrels",
    help="Format of QRELS; prefs, qrels_prefs and qrels_jg have their own measures.",
)
@option("-T", "--Results_format", hidden=True, expose_value=False, callback=_of_trec)
def trec_eval_command(
    qrels: str, run: str, measures: tuple[str, ...], layout: str, debug: str | None, **flags: Any
) -> None:
    """Print what trec_eval prints: its flags, its names, its digits.

    Defaults and columns are the same too, so that programs that read its output keep working: those of version 9, or of
    10 with --like 10. Without -c, a judged query that the run lacks does not count. QRELS and RUN may also have other
    formats (`toysearch docs runs-and-judgments`).
    """
    from toysearch.evaluation.lint import suspicions

    if qrels == run == "-":
        raise click.UsageError("standard input (-) can be read only once; give the other input as a file")
    scored = toysearch.read_run(run)
    judged: Any = toysearch.read_qrels(qrels) if layout == "qrels" else qrels
    if layout == "qrels":
        for sentence in suspicions(scored, judged, run):
            note(sentence)
    only = debug.partition(".")[2] or None if debug else None
    for line in trec_eval_lines(scored, judged, measures, layout, only=only, **flags):
        click.echo(line)
