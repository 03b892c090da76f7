"""`toysearch demo`: the example of the cat, the dog and the parrot, worked out on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import toysearch
from toysearch.base import Column, Part, ResultTable, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.cli.commands import command
from toysearch.cli.output import show

if TYPE_CHECKING:
    from toysearch.collection.collection import Collection

MODELS = ("overlap", "tfidf", "cosine", "dice", "bm25")
MEASURES = "AP RR nDCG@2 nDCG P@2 R@2"
TIED = "nDCG@2"


@command("toysearch demo")
def demo_command() -> None:
    """Walk through the cat/dog/parrot example in one screen."""
    collection = toysearch.load("cat-dog-parrot")
    searcher = toysearch.Searcher(toysearch.Index.build(collection), "bm25")
    query, ranking = collection.queries[0], _explained_ranking(searcher, collection)
    parts: list[Part] = [
        f"{len(collection.documents)} documents: {', '.join(d.text for d in collection.documents[:2])} …\n"
        f"{len(collection.queries)} queries:   {', '.join(q.text for q in collection.queries)}",
        f"BM25 ranks the documents for '{query.text}', and explains the scores:",
        ranking,
        f"Judged by people (relevant from {collection.threshold:g}), mean over the three queries:",
        _means(searcher.index, collection),
        _about_ties(searcher.run(collection.queries), collection),
        "'published' is the order 1, 2, 3, 4 for each query, as printed in the article\nthat the example is from.",
        'Next:  toysearch search cat-dog-parrot "train cat" --explain'
        '\n       toysearch search companions "removing a tick" --explain'
        "\n       toysearch eval companions --model bm25 --model cosine\n       toysearch models",
    ]
    show(Page(parts, ranking), "table")


def _explained_ranking(searcher: toysearch.Searcher, collection: Collection) -> ResultTable:
    query, index = collection.queries[0], searcher.index
    columns = table_columns(
        number_columns("", "rank"),
        Column("doc_id", "document"),
        number_columns(".4f", "score"),
        Column("shares", "= sum of"),
        number_columns("g", "grade"),
        "text",
    )
    rows = []
    for rank, hit in enumerate(searcher.search(query.text), 1):
        why = toysearch.explain(searcher, query.text, hit.doc_id)
        shares = " + ".join(f"{share.term} {share.share:.4f}" for share in why.terms)
        grade = collection.qrels[query.query_id].get(hit.doc_id)
        rows.append([rank, hit.doc_id, hit.score, shares, grade, index.text(index.doc_number(hit.doc_id))])
    return ResultTable(columns, rows)


def _means(index: toysearch.Index, collection: Collection) -> ResultTable:
    runs = [toysearch.Searcher(index, name).run(collection.queries) for name in MODELS]
    rows = []
    for run in (*runs, collection.published_run()):
        evaluation = toysearch.evaluate(run, collection.qrels, MEASURES, threshold=collection.threshold)
        rows.append([run.name, *evaluation.means.values()])
    return ResultTable(table_columns("system", number_columns(".4f", *MEASURES.split())), rows)


def _about_ties(run: toysearch.Run, collection: Collection) -> str:
    bounds, average = (
        toysearch.evaluate(run, collection.qrels, TIED, threshold=collection.threshold, ties=ties)
        for ties in ("bounds", "average")
    )
    low, high = bounds.tie_bounds[TIED]
    return (
        "Documents with equal scores keep the order of the collection: lucky here."
        f"\nThe order of ties alone moves the {TIED} of {run.name} between {low:.6f}"
        f"\nand {high:.6f}; the mean over all their orders is {average[TIED]:.6f}."
    )
