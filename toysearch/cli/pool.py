"""`toysearch pool`: which documents to judge, and which run found them."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.cli.options import examples
from toysearch.cli.output import count, emit, output_options, remark
from toysearch.reports.tables import Column

DEPTH = 20


@click.command(
    epilog=examples(
        "toysearch pool mine.run theirs.run",
        "toysearch pool mine.run theirs.run --depth 10 -o sheet.csv --texts cat-dog-parrot",
        "toysearch pool third.run --judged judged.csv -o more.csv",
    )
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=DEPTH,
    show_default=True,
    metavar="N",
    help="How many documents of each ranking.",
)
@click.option("-o", "--output", metavar="FILE", help="Write a sheet to be judged: .csv or .tsv.")
@click.option("--texts", metavar="COLLECTION", help="Put the texts of its queries and documents into the sheet.")
@click.option("--judged", metavar="QRELS", help="Leave out what these judgments have.")
@output_options
def command(
    runs: tuple[str, ...], depth: int, output: str | None, texts: str | None, judged: str | None, form: str
) -> None:
    """Pool runs: which documents to judge, and what each run brings.

    For each query the pool holds the first documents of every RUN together. The table says how many of them each run
    has, and how many it alone. The sheet of -o has a row for each pair of query and document and an empty column
    relevance; it says nothing of runs and ranks. Filled in, it is a file of judgments. --json has which run found what.
    """
    if texts and not output:
        raise click.UsageError("--texts is for the sheet: give -o FILE too")
    if [*runs, judged].count("-") > 1:
        raise click.UsageError("standard input holds one file, and - was given more than once")
    read = [toysearch.read_run(run) for run in runs]
    if len({run.name for run in read}) < len(read):  # equal tags would not tell the rows apart
        for run, file in zip(read, runs, strict=True):
            run.name = file
    pool = toysearch.pool(read, depth, judged=judged)
    if output:
        _write(pool, output, texts)
    columns = [
        Column("run"),
        Column("documents", "in the pool", "right", ","),
        Column("alone", "found by it alone", "right", ","),
    ]
    emit(columns, pool.contributions, form, data=_data(pool))
    remark(
        f"{count(len(pool.pairs), 'document')} to judge for {count(len(pool), 'query', 'queries')}, depth {depth}"
        + (f", written to {output}" if output else "")
    )


def _write(pool: Any, output: str, texts: str | None) -> None:
    """The sheet, with texts where they are asked for."""
    if texts is None:
        toysearch.write_pool(pool, output)
        return
    collection = toysearch.load(texts)
    wanted = dict.fromkeys(doc_id for _, doc_id in pool.pairs)
    found = {doc_id: document for doc_id in wanted if (document := collection.documents.get(doc_id))}
    if len(found) < len(wanted):
        missing = next(doc_id for doc_id in wanted if doc_id not in found)
        sentence = f"{texts} lacks {len(wanted) - len(found):,} of the pool's documents, such as '{missing}'"
        if not found:
            raise toysearch.DataError(f"{sentence}: is this the collection that was ranked?")
        remark(f"note: {sentence}")
    queries = {query.query_id: query.text for query in collection.queries}
    toysearch.write_pool(pool, output, queries, {name: (one.title, one.text) for name, one in found.items()})


def _data(pool: Any) -> dict[str, Any]:
    """All that is known, for JSON."""
    return {
        "depth": pool.depth,
        "runs": [contribution._asdict() for contribution in pool.contributions],
        "queries": pool.ranks,
    }
