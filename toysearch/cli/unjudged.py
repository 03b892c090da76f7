"""`toysearch unjudged`: between which values a run's measures lie, whatever the unjudged documents are."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.options import examples
from toysearch.cli.output import count, emit, output_options, remark
from toysearch.reports.tables import Column

MEASURES = "AP P@10 RR DCG@10 RBP"
_ALL = "all"


@click.command(
    epilog=examples(
        "toysearch unjudged mine.run qrels.txt",
        'toysearch unjudged mine.run qrels.txt -m "P@5 ERR(max_rel=4)@10" --per-query --tsv',
    )
)
@click.argument("run")
@click.argument("qrels")
@click.option("-m", "--measures", default=MEASURES, show_default=True, help="Among AP P Success RR CG DCG ERR RBP.")
@click.option(
    "--max-rel",
    type=float,
    help="The highest grade that an unjudged document may have.  [default: the highest of the judgments]",
)
@click.option("--threshold", type=float, help="The lowest grade that is relevant.  [default: 1]")
@click.option("--per-query", is_flag=True, help="A row for each query, and the means as query 'all'.")
@output_options
def command(
    run: str, qrels: str, measures: str, max_rel: float | None, threshold: float | None, per_query: bool, form: str
) -> None:
    """The lowest and highest values of measures over what is unjudged.

    Each document of RUN that QRELS does not judge may be anything from not relevant to the top of the scale, and both
    ends are reached. Between them stands the value that takes all of them for not relevant.
    """
    if run == "-" == qrels:
        raise click.UsageError("standard input (-) can be read once; give the other as a file")
    given, judgments = toysearch.read_run(run), toysearch.read_qrels(qrels)
    found = toysearch.unjudged_bounds(given, judgments, measures, max_rel=max_rel, threshold=threshold)
    values = found.evaluation
    rows = []
    if per_query:
        rows = [
            (name, query_id, low, values.per_query[query_id][name], high)
            for query_id, row in found.per_query.items()
            for name, (low, high) in row.items()
        ]
    rows += [(name, _ALL, low, values[name], high) for name, (low, high) in found.means.items()]
    numbers = [Column(name, "", "right", ".4f") for name in ("lowest", "value", "highest")]
    columns = [Column("measure"), *([Column("query_id", "query")] if per_query else []), *numbers]
    emit(columns, rows if per_query else [(name, *rest) for name, _, *rest in rows], form)
    judged = toysearch.evaluate(given, judgments, "Judged", threshold=values.threshold)["Judged"]
    queries = count(values.n_queries, "query", "queries")
    remark(f"{queries} · relevant from grade {values.threshold:g} · {judged:.1%} of what was retrieved is judged")
    for sentence in values.remarks:
        remark(f"note: {sentence}")
