"""`toysearch features`: the features of the pooled documents of every judged query, for a learner."""

from __future__ import annotations

import click

from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, judged_options, option, output_options
from toysearch.cli.output import emit, force_option, keeping, remark
from toysearch.cli.sources import study_of

FEATURES = option(
    "--features",
    "names",
    metavar="'A B …'",
    callback=lambda _, __, names: names and names.split(),
    help="Features, separated by blanks: models, prior:FIELD, and counts such as coverage or length; each also as "
    "min-max(A), z-score(A) or sum(A) over the pool.  [default: as `toysearch features COLLECTION` lists]",
)
POOL = option(
    "--pool",
    multiple=True,
    metavar="MODEL@N",
    callback=lambda _, __, pool: pool or None,
    help="Documents of a query: the best N of a model; repeat to add those of others.  [default: bm25@200]",
)


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch features cat-dog-parrot",
        "toysearch features companions -o features.svm",
        'toysearch features companions --features "bm25 min-max(bm25) coverage" --pool bm25@50 -o features.svm',
    ),
)
@click.argument("source", metavar="COLLECTION")
@FEATURES
@POOL
@judged_options
@option(
    "-o",
    "--output",
    metavar="FILE",
    heading="Output",
    stream=True,
    callback=keeping("features"),
    help="SVMlight file with qid and doc_id, one line per document; - is standard output, without the table.",
)
@force_option
@output_options
def command(
    source: str,
    names: list[str] | None,
    pool: tuple[str, ...] | None,
    options: SourceOptions,
    output: str | None,
    form: str,
) -> None:
    """Compute the features of pooled documents, for a learner.

    The documents are those of every judged query. Without -o the features are listed, with their range over all of
    these documents. The file has the form of LETOR: grade qid:1 1:0.5 2:3.0 # doc_id. An unjudged document has grade 0.
    """
    from toysearch.laboratory.learning.feature_table import features

    table = features(study_of(source, options), names, pool)
    if output != "-":
        emit(*table.ranges()[:2], form)
    if output is not None:
        table.save(output)
        where = "standard output" if output == "-" else output
        remark(f"{len(table):,} rows of {len(table.queries):,} queries are in {where}")
