"""`toysearch features`: the features of the pooled documents of every judged query, for a learner."""

from __future__ import annotations

from toysearch.cli import command_of, emit, force_option, keeping, option, remark, shared
from toysearch.laboratory.learning.feature_table import FeatureTable, features

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


def show_and_save(table: FeatureTable, form: str, output: str | None) -> None:
    """Print the ranges of the features; write the table if a file was named."""
    if output != "-":
        emit(*table.ranges()[:2], form)
    if output is not None:
        table.save(output)
        where = "standard output" if output == "-" else output
        remark(f"{len(table):,} rows of {len(table.queries):,} queries are in {where}")


command = command_of(
    features,
    "toysearch features cat-dog-parrot",
    "toysearch features companions -o features.svm",
    'toysearch features companions --features "bm25 min-max(bm25) coverage" --pool bm25@50 -o features.svm',
    more="Without -o the features are listed, with their range over all of these documents.",
    after=show_and_save,
    names=FEATURES,
    pool=POOL,
    output=shared(
        "output",
        heading="Output",
        stream=True,
        callback=keeping("features"),
        help="SVMlight file with qid and doc_id, one line per document; - is standard output, without the table.",
    ),
    force=force_option,
)
