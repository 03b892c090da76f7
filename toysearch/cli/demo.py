"""`toysearch demo`: the example of the cat, the dog and the parrot, worked out on the screen."""

from __future__ import annotations

from typing import Any

import toysearch
from toysearch.base import Column, Part, ResultTable, number_columns, table_columns
from toysearch.base.shown_results import Page
from toysearch.cli.commands import command
from toysearch.cli.output import show

MODELS = ("overlap", "tfidf", "cosine", "dice", "bm25")
MEASURES = "AP RR nDCG@2 nDCG P@2 R@2"
TIED = "nDCG@2"


@command("toysearch demo")
def demo_command() -> None:
    """Walk through the cat/dog/parrot example in one screen."""
    collection = toysearch.load("cat-dog-parrot")
    index = toysearch.Index.build(collection)
    searcher = toysearch.Searcher(index, "bm25")
    query = collection.queries[0]
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
    runs = [toysearch.Searcher(index, name).run(collection.queries) for name in MODELS]
    judged: dict[str, Any] = {"qrels": collection.qrels, "threshold": collection.threshold}
    means = [
        [run.name, *toysearch.evaluate(run, measures=MEASURES, **judged).means.values()]
        for run in (*runs, collection.published_run())
    ]
    run = searcher.run(collection.queries)
    bounds, average = (toysearch.evaluate(run, measures=TIED, ties=ties, **judged) for ties in ("bounds", "average"))
    low, high = bounds.tie_bounds[TIED]
    of_measures = number_columns(".4f", *MEASURES.split())
    parts: list[Part] = [
        f"{len(collection.documents)} documents: {', '.join(d.text for d in collection.documents[:2])} …\n"
        f"{len(collection.queries)} queries:   {', '.join(q.text for q in collection.queries)}",
        f"BM25 ranks the documents for '{query.text}', and explains the scores:",
        ResultTable(columns, rows),
        f"Judged by people (relevant from {collection.threshold:g}), mean over the three queries:",
        ResultTable(table_columns("system", of_measures), means),
        "Documents with equal scores keep the order of the collection, which is lucky here."
        f"\nThe order of ties alone moves the {TIED} of {run.name} between {low:.6f}"
        f"\nand {high:.6f}; the mean over all their orders is {average[TIED]:.6f}.",
        "'published' is the order 1, 2, 3, 4 for each query, as printed in the article\nthat the example is from.",
        'Next:  toysearch search cat-dog-parrot "train cat" --explain'
        '\n       toysearch search companions "removing a tick" --explain'
        "\n       toysearch eval companions --model bm25 --model cosine\n       toysearch models",
    ]
    show(Page(parts, ResultTable(columns, rows)), "table")
