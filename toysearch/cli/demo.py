"""`toysearch demo`: a score explained, what ties hide, and two models compared, on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import toysearch
from toysearch.base import Column, Part, ResultTable, number_columns, table_columns
from toysearch.base.result import Page
from toysearch.cli.commands import command
from toysearch.cli.output import paragraph, show

if TYPE_CHECKING:
    from toysearch.collection.collection import Collection

SMALL, LARGE = "cat-dog-parrot", "companions"
TIED = "nDCG@2"
NEXT = """Next, with a folder of your own texts:
    toysearch search notes "some words"
    toysearch index notes -o notes.idx
    toysearch eval notes.idx --known-items sentence
    toysearch serve notes.idx --open      # with the extra page: pip install '.[page]'"""


@command("toysearch demo")
def demo_command() -> None:
    """Explain a score, show what ties hide, and compare two models."""
    small, large = toysearch.load(SMALL), toysearch.load(LARGE)
    searcher = toysearch.Searcher(toysearch.Index.build(small), "bm25")
    ranking = _explained_ranking(searcher, small)
    comparison = toysearch.compare(["cosine", "bm25"], large, measures="AP")
    parts: list[Part] = [
        f"{SMALL}: {len(small.documents)} documents. BM25 ranks them for '{small.queries[0].text}':",
        ranking,
        paragraph(
            f"Over the {len(small.queries)} queries; documents of equal score keep their order, which is lucky here "
            "('published' is the order printed with the example):"
        ),
        _values_with_ties(searcher, small),
        f"{LARGE}: {len(large.documents)} documents. Is BM25 better than the cosine of tf-idf?",
        *comparison.tables(),
        paragraph(comparison.sentences()[0]),
        NEXT,
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


def _values_with_ties(searcher: toysearch.Searcher, collection: Collection) -> ResultTable:
    """Make a row for a system with ties, and for the printed order 1, 2, 3, 4, which has none."""
    rows = []
    for run in (searcher.run(collection.queries), collection.published_run()):
        given, bounds, average = (
            toysearch.evaluate(run, collection.qrels, TIED, threshold=collection.threshold, ties=ties)
            for ties in ("rank", "bounds", "average")
        )
        low, high = bounds.tie_bounds[TIED]
        rows.append([run.name, given.means[TIED], f"{low:.4f} … {high:.4f}", average.means[TIED]])
    numbers = [number_columns(".4f", name) for name in (TIED, "mean over them")]
    return ResultTable(table_columns("system", numbers[0], "any order of ties", numbers[1]), rows)
