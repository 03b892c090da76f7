"""`toysearch unjudged`: bounds of the measures of a run over all judgments of its unjudged documents."""

from __future__ import annotations

from pathlib import Path

import click

import toysearch
from toysearch.base import counted, note
from toysearch.cli import (
    Command,
    SourceOptions,
    emit,
    examples,
    option,
    output_options,
    remark,
    run_and_judgments,
    runs_options,
    shared,
    threshold_option,
)

MEASURES = "AP P@10 RR DCG@10 RBP"


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch unjudged mine.run --qrels qrels.txt",
        "toysearch unjudged mine.run companions",
        'toysearch unjudged mine.run qrels.txt -m "P@5 ERR(max_rel=4)@10" --per-query --tsv',
    ),
)
@click.argument("run")
@click.argument("more", metavar="[QRELS]", nargs=-1)
@shared("measures", default=MEASURES, help="Measures, of AP P Success RR CG DCG ERR RBP.")
@option("--max-rel", type=float, help="Highest possible grade of an unjudged document.  [default: the highest judged]")
@threshold_option
@shared("per_query")
@runs_options
@output_options
def command(
    run: str,
    more: tuple[str, ...],
    measures: str,
    max_rel: float | None,
    threshold: float | None,
    per_query: bool,
    options: SourceOptions,
    form: str,
) -> None:
    """Bound measures over all judgments of the unjudged documents.

    QRELS is a file or a collection. Each unjudged document of RUN may have any grade from not relevant to the top of
    the scale, and both bounds are reached. Between them stands the usual value, which takes all of them as not
    relevant.
    """
    from toysearch.evaluation.lint import suspicions
    from toysearch.evaluation.unjudged_bounds import unjudged_bounds
    from toysearch.formats.detection import is_file, kind_of

    runs = [file for file in (run, *more) if Path(file).is_file() and kind_of(file) == "run"]
    if len(runs) > 1:
        decisive = f"toysearch pool {' '.join(runs)} --decisive AP"
        raise click.UsageError(f"give one run; {decisive} lists the documents that can decide between several")
    if len(more) > 1:
        raise click.UsageError("give one run and its judgments")
    files = run_and_judgments(run, more[0] if more else None, options)
    if len(files) < 2:
        raise click.UsageError("Missing argument 'QRELS'; give it last, or by --qrels.")
    ranking = toysearch.read_run(files[0])
    collection = None if is_file(files[1]) else toysearch.load(files[1])
    qrels = toysearch.read_qrels(files[1]) if collection is None else collection.qrels
    judgments = qrels if collection is None else collection
    for sentence in suspicions(ranking, qrels, files[0]):
        note(sentence)
    bounds = unjudged_bounds(ranking, judgments, measures, max_rel=max_rel, threshold=threshold)
    values = bounds.evaluation
    [(columns, rows, *_)] = bounds.tables(form)
    if not per_query:
        columns = [columns[0], *columns[2:]]
        rows = [(name, *numbers) for name, _, *numbers in [*rows][-len(bounds.means) :]]
    emit(columns, rows, form)
    share = toysearch.evaluate(ranking, judgments, "Judged", threshold=values.threshold)["Judged"]
    queries = counted(values.n_queries, "query", "queries")
    remark(f"{queries} · relevant from grade {values.threshold:g} · {share:.1%} of the retrieved documents are judged")
    for sentence in values.remarks:
        note(sentence)
