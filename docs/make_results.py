"""Make docs/results.md: every model on the three public collections, with plain and with English analysis.

    TOYSEARCH_CORPORA=FOLDER python docs/make_results.py

FOLDER holds cranfield/, cisi/ and scifact/ (`toysearch corpora show NAME` tells which files). The test
tests/promises/test_results.py computes the table again and compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import toysearch

COLLECTIONS = {"cranfield": "graded", "cisi": "binary", "scifact": "binary"}
ANALYSES = {"plain": "none", "english": "english"}
MEASURES = ("AP", "nDCG@10", "P@5")
MODELS = (
    *toysearch.MODELS,
    "tfidf:query_weights=tf",
    "cosine:idf=smooth",
    "cosine:tf=log,idf=smooth",
)
PAGE = Path(__file__).with_name("results.md")

HEAD = """\
# What each model gives on the public collections

Made by `docs/make_results.py`; a test computes every number again. Default parameters, the best 1000 documents
a query, ties in the order of the collection, means over all judged queries ({queries}).

*plain* is lower case and tokens of two or more word characters; *english* adds the default English stop words and
the Snowball (Porter2) stemmer ([analysis](analysis.md)). Cranfield's judgments are `graded` with −1 counted as not
relevant (see [collections](collections.md) for why that matters more than the choice of a model); SciFact is its test
split.

What to read from it:

- Stop words and stemming gain more than one BM25 gains over another.
- `bm25-robertson` without stop words: its idf is negative for a word in more than half of the documents, and long
  queries have many of those; with stop words out it is a BM25 like the others.
- `bm25plus-rank` adds delta to every document, so it orders as the same formula without delta does (ln((N+1)/df), k1
  1.5); `bm25plus`, the paper's, gives delta to each match, which pays frequent words in these short documents.
- `bm25l-rank` multiplies by tf once more than the paper's `bm25l`, and loses what saturation is for.
- `dice` and `jaccard` rank alike, since each is a rising function of the other: equal figures are no accident.
- CISI's queries are long, some of them whole abstracts: there cosine is ahead; on SciFact it is behind.
"""


def figures(name: str, analysis: str) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Model, number of queries, and means, for one collection and one analysis."""
    collection = toysearch.load(name, grades=COLLECTIONS[name])
    index = toysearch.Index.build(collection, toysearch.Analyzer.for_language(ANALYSES[analysis]))
    for model in MODELS:
        run = toysearch.Searcher(index, model).run(collection.judged_queries)
        result = toysearch.evaluate(run, collection.qrels, MEASURES, threshold=collection.threshold)
        yield model, result.n_queries, result.means


def table(name: str) -> tuple[list[str], int]:
    """The Markdown rows of one collection, and its number of judged queries."""
    columns = [f"{measure}, {analysis}" for analysis in ANALYSES for measure in MEASURES]
    lines = [f"| model | {' | '.join(columns)} |", f"| --- |{' ---: |' * len(columns)}"]
    sides = [list(figures(name, analysis)) for analysis in ANALYSES]
    for (model, _, plain), (_, _, english) in zip(*sides, strict=True):
        cells = [f"{means[measure]:.4f}" for means in (plain, english) for measure in MEASURES]
        lines.append(f"| `{model}` | {' | '.join(cells)} |")
    return lines, sides[0][0][1]


def main() -> None:
    """Write the page."""
    parts, counts = [], []
    for name in COLLECTIONS:
        lines, queries = table(name)
        parts.append("\n".join([f"\n## {toysearch.load(name).title}\n", *lines, ""]))
        counts.append(f"{name} {queries}")
    PAGE.write_text(HEAD.format(queries=", ".join(counts)) + "".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
