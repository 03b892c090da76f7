"""Make docs/look-up/results.md: every model on companions and three public collections, by plain and English analysis.

    TOYSEARCH_CORPORA=FOLDER python docs/make_results.py

FOLDER holds cranfield/, cisi/ and scifact/ (`toysearch corpora show NAME` tells which files). The test
tests/promises/test_results.py computes the table again and compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import toysearch

COLLECTIONS: dict[str, str | None] = {"companions": None, "cranfield": "graded", "cisi": "binary", "scifact": "binary"}
ANALYSES = {"plain": "none", "english": "english"}
MEASURES = ("AP", "nDCG@10", "P@5")
MODELS = (
    *(name for name in toysearch.MODELS if name != "bm25f"),
    "tfidf:query_weights=tf",
    "cosine:idf=smooth",
    "cosine:tf=log,idf=smooth",
    "smart:Lnu.ltu",
    "lm-dirichlet:200",
    "lm-jm:0.7",
    "0.5*min-max(bm25) + 0.5*min-max(lm-jm:0.7)",
)
BM25F = {"companions": "bm25f", "cranfield": "bm25f:T=2,W=1", "cisi": "bm25f:T=2,W=1", "scifact": "bm25f"}
PAGE = Path(__file__).parent / "look-up" / "results.md"

HEAD = """\
# Results of every model on four collections

Made by `docs/make_results.py`; a test computes every number again. Default parameters, the best 1000 documents
of each query, ties in the order of the collection, means over all judged queries ({queries}).

*plain* is lower case and tokens of two or more word characters; *english* adds the default English stop words and
the Snowball (Porter2) stemmer ([analysis](../understand/analysis.md)). Cranfield's judgments are `graded`, with −1
counted as not relevant (see [collections](collections.md) for why that matters more than the choice of a model);
SciFact is its test split. Companions comes with toysearch.

What to read from it:

- Stop words and stemming gain more than one BM25 gains over another.
- `bm25-robertson` without stop words: its idf is negative for a word in more than half of the documents, and long
  queries have many of those; with stop words out it is a BM25 like the others.
- `bm25plus-rank` adds delta to every document, so it orders as the same formula without delta does (ln((N+1)/df), k1
  1.5); `bm25plus`, the paper's, gives delta to each match, which pays frequent words in these short documents.
- `bm25l-rank` multiplies by tf once more than the paper's `bm25l`, and loses what saturation is for.
- `dice` and `jaccard` rank alike, since each is a rising function of the other: equal figures are no accident.
- CISI's queries are long, some of them whole abstracts: there cosine is ahead; on SciFact it is behind.
- `lm-dirichlet` takes mu 2000, as its paper and Lucene do, for documents of several hundred words; these have about a
  hundred, and mu 200 suits them better. `lm-jm` takes lambda 0.1, for queries of two or three words; queries that are
  sentences want 0.7, as its paper found.
- `ifb2`, `bb2` and `pl2` without stop words: a word that occurs more often than there are documents gets a negative or
  a tiny weight from them, and the queries are full of such words. With stop words out they are where their family is.
- `overlap-coefficient` divides by the smaller set, which nearly always is the query: so it ranks as `overlap` does, but
  for documents shorter than the query. `tversky` with alpha = beta = 1 is `jaccard`.
- `dice-minmax` and `jaccard-minmax` on counts have no idf and punish each word of a document that the query lacks;
  `euclidean` and `manhattan` even rank the shortest documents first. They are here to be seen to fail, as in a lecture.
- `bm25f` pays on Cranfield because the text repeats the title, and on SciFact because titles say what a paper found.
- A mixture of two models that agree gains little over the better one.
- On companions queries are short, and 58 are few: the better half of the models is indistinguishable. What is asked
  matters more than how it is ranked: with `--query-fields keywords`, the words of somebody who knows the passages,
  every model but the two distances gains about 0.3 in AP.
"""


def figures(name: str, analysis: str) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Model, number of queries, and means, for one collection and one analysis."""
    analyzer = toysearch.Analyzer.for_language(ANALYSES[analysis])
    collection = toysearch.load(name, grades=COLLECTIONS[name])
    index = toysearch.Index.build(collection, analyzer)
    for model in MODELS:
        yield model, *scored(index, collection, model)
    collection = toysearch.load(name, grades=COLLECTIONS[name], fields="T,W" if "T=" in BM25F[name] else "title,text")
    index = toysearch.Index.build(collection, analyzer, fields=collection.searched_fields)
    yield BM25F[name], *scored(index, collection, BM25F[name])


def scored(index: toysearch.Index, collection: toysearch.Collection, model: str) -> tuple[int, dict[str, float]]:
    """The number of queries, and the means of the measures over them."""
    run = toysearch.Searcher(index, model).run(collection.judged_queries)
    result = toysearch.evaluate(run, collection.qrels, MEASURES, threshold=collection.threshold)
    return result.n_queries, result.means


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
