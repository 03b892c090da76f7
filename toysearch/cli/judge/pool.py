"""`toysearch pool`: the documents to judge, the runs that found them, and their assignment to judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.base import Column, DataError, counted, note
from toysearch.cli import (
    POSITIVE,
    Command,
    emit,
    examples,
    force_option,
    judgments_named,
    keep,
    needs_of,
    option,
    output_options,
    remark,
    shared,
)

DEPTH = 20


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch pool mine.run theirs.run",
        "toysearch pool mine.run theirs.run --depth 10 -o sheet.csv --texts cat-dog-parrot",
        "toysearch pool mine.run theirs.run -o sheet.csv --judges ada,ben,carla --twice 20",
        "toysearch pool third.run --judged judged.csv -o more.csv",
        "toysearch pool mine.run theirs.run --decisive AP --most 50 -o first.csv",
    ),
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option("--depth", type=POSITIVE, default=DEPTH, metavar="N", help="Number of documents of each ranking.")
@shared("output", stream=True, help="Judging sheet to write: .csv or .tsv; - is standard output, without the table.")
@force_option
@shared("texts", help="Collection whose queries and documents go into the sheet.")
@option("--judged", metavar="QRELS", help="Judgments whose pairs are left out.")
@option(
    "--decisive",
    metavar="MEASURE",
    help="First the pairs whose grade can change the difference of two runs most, such as AP.",
)
@option("--most", type=POSITIVE, metavar="N", help="With --decisive: only the first N pairs.")
@option("--judges", metavar="NAMES", help="Judges, one sheet each: ada,ben,carla.")
@option(
    "--twice",
    type=click.FloatRange(0, 100),
    default=0.0,
    metavar="PERCENT",
    help="Share of each query that a second judge gets too.",
)
@shared("seed", help="Seed for the assignment and the order.")
@output_options
def command(
    runs: tuple[str, ...],
    depth: int,
    output: str | None,
    texts: str | None,
    judged: str | None,
    decisive: str | None,
    most: int | None,
    form: str,
    **division: Any,
) -> None:
    """Pool runs: the documents to judge, and the share of each run.

    For each query, the pool joins the first documents of every RUN. The table shows how many of them each run found,
    and how many only that run found. The sheet of -o has one row per pair of query and document and empty columns
    relevance and reason; it does not show runs and ranks. Filled in, even partly, it is a file of judgments. With
    --judges, each judge gets whole queries, in a separate order. With --decisive, the pairs come first that can decide
    the comparison soonest: judge some, give them to --judged, and pool again. --json shows the runs that found each
    document.
    """
    from toysearch.evaluation.decisive_documents import decisive_pool, influences
    from toysearch.evaluation.pooling import write_pool

    judges = division["judges"]
    if (texts or judges) and not output:
        raise click.UsageError("--texts and --judges apply to the sheet: give -o FILE too")
    if judges and output == "-":
        raise click.UsageError("--judges writes one sheet per judge: give -o the name of a file")
    if division["twice"] and not judges:
        raise click.UsageError("--twice needs several judges: give --judges ada,ben too")
    if most and not decisive:
        raise click.UsageError("--most keeps the most decisive pairs: give --decisive MEASURE too")
    if [*runs, judged].count("-") > 1:
        raise click.UsageError("standard input holds one file, but - was given more than once")
    runs_read = [toysearch.read_run(run) for run in runs]
    if len({run.name for run in runs_read}) < len(runs_read):  # equal tags would not tell the rows apart
        for run, file in zip(runs_read, runs, strict=True):
            run.name = file
    judged_before = judgments_named(judged) if judged else None
    pool = toysearch.pool(runs_read, depth, qrels=judged_before)
    influence = influences(runs_read, judged_before, decisive, depth=depth) if decisive else None
    if influence is not None:
        pool = decisive_pool(pool, influence, most)
    sheets: dict[str, tuple[str, Any]] = {}
    if output:
        sheets = _sheets(pool, output, **division)
        for file in sheets:
            keep(file, "sheet")
        queries, texts_shown = _texts(pool, texts) if texts else (None, None)
        for file, (judge, part) in sheets.items():
            write_pool(part, file, queries, texts_shown, judge=judge)
    columns = [
        Column("run"),
        Column("documents", "in the pool", "right", ","),
        Column("alone", "found by it alone", "right", ","),
    ]
    if output != "-":
        emit(columns, pool.contributions, form, data=_data(pool, influence))
    remark(
        f"{counted(len(pool.pairs), 'document')} to judge for {counted(len(pool), 'query', 'queries')}, depth {depth}"
        + (f", written to {output}" if output not in (None, "-") and not judges else "")
    )
    for file, (_, part) in sheets.items() if judges else ():
        remark(f"{file}: {counted(len(part.pairs), 'document')} for {counted(len(part), 'query', 'queries')}")


def _sheets(pool: Any, output: str, *, judges: str | None, twice: float, seed: int) -> dict[str, tuple[str, Any]]:
    """The judge and the pairs by file: the whole pool, or a part for each judge."""
    from toysearch.evaluation.pooling import divide_pool

    if judges is None:
        return {output: ("", pool)}
    names = [name.strip() for name in judges.split(",")]
    odd = next((name for name in names if not name or name in (".", "..") or set(name) & set('/\\:*?"<>|')), None)
    if odd is not None:
        raise click.UsageError(
            f"the name of a judge becomes part of a file name, and '{odd}' cannot; choose another name"
        )
    whole = Path(output)
    parts = divide_pool(pool, names, twice / 100, seed)
    return {str(whole.with_name(f"{whole.stem}-{name}{whole.suffix}")): (name, part) for name, part in parts.items()}


def _texts(pool: Any, texts: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is shown of queries and of documents."""
    collection = toysearch.load(texts)
    doc_ids = dict.fromkeys(doc_id for _, doc_id in pool.pairs)
    documents = {doc_id: document for doc_id in doc_ids if (document := collection.documents.get(doc_id))}
    if len(documents) < len(doc_ids):
        missing = next(doc_id for doc_id in doc_ids if doc_id not in documents)
        sentence = f"{texts} lacks {len(doc_ids) - len(documents):,} documents of the pool, such as '{missing}'"
        if not documents:
            raise DataError(f"{sentence}: is this the collection that was ranked?")
        note(sentence)
    queries: dict[str, dict[str, str]] = {query.query_id: {"query_text": query.text} for query in collection.queries}
    for query_id, need in needs_of(texts).items():
        queries[query_id] |= need
    shown_texts = {}
    for doc_id, document in documents.items():  # of a text that begins with the title, which is beside it, the rest
        text, title = (" ".join(part.split()) for part in (document.text, document.title))
        shown_texts[doc_id] = document.title, text.removeprefix(title).lstrip() if title else text
    return queries, shown_texts


def _data(pool: Any, influence: Any) -> dict[str, Any]:
    """The pool, for JSON."""
    by_query = {
        query_id: {doc_id: influence[query_id][doc_id] for doc_id in pool[query_id]}
        for query_id in (pool if influence else ())
    }
    return {
        "depth": pool.depth,
        "runs": [contribution._asdict() for contribution in pool.contributions],
        "queries": pool.ranks,
        **({"influence": by_query} if influence is not None else {}),
    }
