"""`toysearch demo`: the cat/dog/parrot example from documents to a scored ranking, in one screen."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli import Command, emit, examples
from toysearch.laboratory.results.tables import Column

MODELS = ("overlap", "tfidf", "cosine", "dice", "bm25")
MEASURES = "AP RR nDCG@2 nDCG P@2 R@2"
TIED = "nDCG@2"


@click.command(cls=Command, epilog=examples("toysearch demo"))
def command() -> None:
    """Walk through the cat/dog/parrot example in one screen."""
    collection = toysearch.load("cat-dog-parrot")
    index = toysearch.Index.build(collection)
    searcher = toysearch.Searcher(index, "bm25")
    click.echo(f"{len(collection.documents)} documents: " + ", ".join(d.text for d in collection.documents[:2]) + " …")
    click.echo(f"{len(collection.queries)} queries:   " + ", ".join(q.text for q in collection.queries))
    query = collection.queries[0]

    click.echo(f"\nBM25 ranks the documents for '{query.text}', and explains the scores:\n")
    _print_ranking(searcher, collection, query)

    click.echo(f"\nJudged by people (relevant from {collection.threshold:g}), mean over the three queries:\n")
    runs = [toysearch.Searcher(index, name).run(collection.queries) for name in MODELS]
    runs.append(collection.published_run())
    rows = []
    for run in runs:
        evaluation = toysearch.evaluate(run, collection.qrels, MEASURES, threshold=collection.threshold)
        rows.append([run.name, *evaluation.means.values()])
    columns = [Column("system"), *(Column(name, "", "right", ".4f") for name in MEASURES.split())]
    emit(columns, rows, "table")
    _print_ties(searcher, collection)
    click.echo(
        "\n'published' is the order 1, 2, 3, 4 for each query, as printed in the article"
        "\nthat the example is from.\n"
        '\nNext:  toysearch search cat-dog-parrot "train cat" --explain'
        '\n       toysearch search companions "removing a tick" --explain'
        "\n       toysearch eval companions --model bm25 --model cosine"
        "\n       toysearch models"
    )


def _print_ranking(searcher: toysearch.Searcher, collection: toysearch.Collection, query: toysearch.Query) -> None:
    """The ranking of one query, each score as the sum of its terms' shares."""
    grades = collection.qrels[query.query_id]
    rows = []
    for rank, hit in enumerate(searcher.search(query.text), 1):
        why = toysearch.explain(searcher, query.text, hit.doc_id)
        shares = " + ".join(f"{share.term} {share.share:.4f}" for share in why.terms)
        text = searcher.index.text(searcher.index.doc_number(hit.doc_id))
        rows.append([rank, hit.doc_id, hit.score, shares, grades.get(hit.doc_id), text])
    columns = [
        Column("rank", "", "right"),
        Column("doc_id", "document"),
        Column("score", "", "right", ".4f"),
        Column("shares", "= sum of"),
        Column("grade", "", "right", "g"),
        Column("text"),
    ]
    emit(columns, rows, "table")


def _print_ties(searcher: toysearch.Searcher, collection: toysearch.Collection) -> None:
    """The effect of ties on a mean: the lowest and highest values, and the mean over all orders."""
    run = searcher.run(collection.queries)
    means = {
        ties: toysearch.evaluate(run, collection.qrels, TIED, threshold=collection.threshold, ties=ties)
        for ties in ("bounds", "average")
    }
    low, high = means["bounds"].tie_bounds[TIED]
    click.echo(
        "\nDocuments with equal scores keep the order of the collection, which is lucky here."
        f"\nThe order of ties alone moves the {TIED} of {run.name} between {low:.6f}"
        f"\nand {high:.6f}; the mean over all their orders is {means['average'][TIED]:.6f}."
    )
