"""Make docs/look-up/results.md: every model on companions and three public collections, by plain and English analysis.

    TOYSEARCH_CORPORA=FOLDER python docs/make_results.py

FOLDER holds cranfield/, cisi/ and scifact/ (`toysearch corpora show NAME` tells which files). The test
tests/promises/test_results.py computes the table again and compares.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
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
    "sdm(lm-dirichlet)",
    "sdm(lm-dirichlet:200)",
    "sdm(bm25)",
    "rm3(lm-dirichlet:200)",
    "axiomatic(bm25)",
)
FEEDBACK = (
    "rm3(bm25)",
    "rocchio(bm25)",
    "bo1(bm25)",
    "bo1(bm25:docs=10,terms=20)",
    "kl(bm25)",
    "axiomatic(bm25)",
    "rm3(sdm(bm25))",
)
LATENT = (
    "lsa:100",
    "lsa:200",
    "lsa:300",
    "0.7*min-max(bm25) + 0.3*min-max(lsa:200)",
    "0.5*min-max(bm25) + 0.5*min-max(lsa:100)",
    "rrf(bm25, lsa:200)",
)
BM25F = {"companions": "bm25f", "cranfield": "bm25f:T=2,W=1", "cisi": "bm25f:T=2,W=1", "scifact": "bm25f"}
PUBLIC = ("cranfield", "cisi", "scifact")
PAGE = Path(__file__).parent / "look-up" / "results.md"

HEAD = """\
# Results

Every model on four collections. `docs/make_results.py` makes this page, and a test recomputes every number. Parameters
have their defaults, rankings have the best 1000 documents per query, ties keep the order of the collection, and means
are over all judged queries ({queries}).

*plain* is lower case and tokens of two or more word characters. *english* adds the default English stop words and the
Snowball (Porter2) stemmer ([analysis](../understand/analysis.md)). The judgments of Cranfield are `graded`, with −1
read as not relevant, which matters more than the choice of a model ([grade mappings](collections.md#grade-mappings)).
SciFact is its test split. Companions comes with toysearch.

A model, an analysis and a measure are one command, here for nDCG@10 of `bm25` on Cranfield:

```text
$ toysearch eval cranfield --analyzer english --model bm25 -m nDCG@10
```

`--analyzer none` is *plain*. Several models and measures may be given at once. `bm25f` takes `--fields T,W` too on
Cranfield and CISI. On the site, each number opens to its command.

Observations:

- Stop words and stemming gain more than one form of BM25 gains over another.
- `bm25-robertson` without stop words has a negative idf for words in more than half of the documents, and long queries
  have many of these. With stop words removed it performs like the other forms of BM25.
- `bm25plus-rank` adds delta to every document, so it ranks like the same formula without delta (ln((N+1)/df), k1 1.5).
  `bm25plus`, the form of the paper, adds delta to each match, which rewards frequent words in these short documents.
- `bm25l-rank` multiplies by tf once more than `bm25l`, the form of the paper, and loses the benefit of saturation.
- `dice` and `jaccard` have equal figures because each is an increasing function of the other.
- The queries of CISI are long, some of them whole abstracts. There cosine is ahead; on SciFact it is behind.
- `lm-dirichlet` has mu 2000, as in its paper and in Lucene, for documents of several hundred words. These documents
  have about a hundred, and mu 200 suits them better. `lm-jm` has lambda 0.1, for queries of two or three words. Queries
  that are sentences need 0.7, as its paper found.
- `pl2` without stop words gives a negative or tiny weight to words that occur more often than there are documents, and
  the queries are full of these. With stop words removed it performs like the rest of its family.
- `euclidean` ranks the shortest documents first. It is included to show how it fails.
- `bm25f` gains on Cranfield because the text repeats the title, and on SciFact because titles state the finding of a
  paper.
- A mixture of two models that agree gains little over the better one.
- `sdm(…)` counts neighbouring words of a query as [pairs](../do/combine-models.md#pairs-of-neighbours). It gains on
  Cranfield and SciFact, whose queries are sentences. With the long queries of CISI it does not.
- `rm3(…)` and `axiomatic(…)` add terms of the first documents: more [below](#feedback-compared-with-bm25).
- Companions has only 58 short queries, and the better half of the models is indistinguishable. The query matters more
  than the model: with `--query-fields keywords`, the words of a person who knows the passages, every model except
  `euclidean` gains about 0.3 in AP.
"""

FEEDBACK_HEAD = """
## Feedback compared with BM25

Terms of the first documents come into the query, and the query is searched again ([expand
queries](../do/expand-queries.md)). The analysis is *english*. Cranfield is searched in its fields T and W, so titles
count twice, as in most tools, and its judgments are as they are in the file (`raw`). p is that of a paired t-test of AP
against `bm25`, not corrected; *better* and *worse* are numbers of queries.
{tables}
- Feedback helps on Cranfield and CISI (7 and 41 relevant documents per query), and harms on SciFact (1.1 per query):
  nine of the ten first documents are not relevant there, and their terms lead away from the one that is. This does not
  predict other collections: long queries with many relevant documents may lose by feedback too. Measure it on yours.
- RM3 is better for more claims of SciFact than it is worse, and its mean is lower: it loses more where it loses.
  `toysearch diff` names these queries.
"""

LATENT_HEAD = """
## Latent topics compared with BM25

`lsa` ranks by the topics of documents and queries, so that a document need not contain a word of the query ([search by
topic](../do/search-by-topic.md)). Collections, analysis and columns are those of the table before. The decomposition is
exact, so there is no seed.

On Cranfield and CISI, whose queries are long and have many relevant documents, topics alone are better than words. The
queries of SciFact are single claims with one or two relevant documents, which only the exact words find: there topics
help as a part of a mixture only.
{tables}"""


def figures(name: str, analysis: str, models: tuple[str, ...]) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Model, number of queries, and means, for one collection and one analysis; bm25f is the last."""
    analyzer = toysearch.Analyzer.for_language(ANALYSES[analysis])
    collection = toysearch.load(name, grades=COLLECTIONS[name])
    index = toysearch.Index.build(collection, analyzer, positions=True)
    for model in models:
        yield model, *scored(index, collection, model)
    collection = toysearch.load(name, grades=COLLECTIONS[name], fields="T,W" if "T=" in BM25F[name] else "title,text")
    index = toysearch.Index.build(collection, analyzer, fields=collection.searched_fields)
    yield BM25F[name], *scored(index, collection, BM25F[name])


def scored(index: toysearch.Index, collection: toysearch.Collection, model: str) -> tuple[int, dict[str, float]]:
    """The number of queries, and the means of the measures over them."""
    run = toysearch.Searcher(index, model).run(collection.judged_queries)
    result = toysearch.evaluate(run, collection.qrels, MEASURES, threshold=collection.threshold)
    return result.n_queries, result.means


def table(name: str, models: tuple[str, ...] = MODELS) -> tuple[list[str], int]:
    """The Markdown rows of models and bm25f on one collection, and its number of judged queries."""
    columns = [f"{measure}, {analysis}" for analysis in ANALYSES for measure in MEASURES]
    lines = [f"| model | {' | '.join(columns)} |", f"| --- |{' ---: |' * len(columns)}"]
    sides = [list(figures(name, analysis, models)) for analysis in ANALYSES]
    for (model, _, plain), (_, _, english) in zip(*sides, strict=True):
        cells = [f"{means[measure]:.4f}" for means in (plain, english) for measure in MEASURES]
        lines.append(f"| `{model}` | {' | '.join(cells)} |")
    return lines, sides[0][0][1]


def command(name: str, analysis: str, models: Sequence[str], measures: Sequence[str]) -> str:
    """The command that prints these means of these models on one collection."""
    fields = "--fields T,W " if any("T=" in model for model in models) else ""
    listed = " ".join(f"--model {shlex.quote(model)}" for model in models)
    wanted = shlex.quote(" ".join(measures))
    return f"toysearch eval {name} {fields}--analyzer {ANALYSES[analysis]} {listed} -m {wanted}"


def comparison_command(name: str, model: str) -> str:
    """The command that prints a row of the tables that compare with BM25."""
    cranfield = "--grades raw --fields T,W " if name == "cranfield" else ""
    other = "" if model == "bm25" else f" --model {shlex.quote(model)}"
    verb, tested = ("compare", " --correction none") if other else ("eval", "")
    return f"toysearch {verb} {name} {cranfield}--analyzer english --model bm25{other} -m 'AP nDCG@10'{tested}"


def comparison_table(name: str, models: tuple[str, ...]) -> str:
    """The Markdown table of models on one collection, compared with BM25."""
    cranfield = {"grades": "raw", "fields": "T,W"} if name == "cranfield" else {}
    collection = toysearch.load(name, **cranfield)
    index = toysearch.Index.build(collection, toysearch.Analyzer.for_language("english"), positions=True)
    runs = {model: toysearch.Searcher(index, model).run(collection.judged_queries) for model in ("bm25", *models)}
    found = toysearch.compare(
        runs, collection.qrels, ["AP", "nDCG@10"], baseline="bm25", threshold=collection.threshold, correction="none"
    )
    pairs = {pair.system: pair for pair in found.pairs if pair.measure == "AP"}
    lines = ["| model | AP | nDCG@10 | AP, difference | p | better | worse |", f"| --- |{' ---: |' * 6}"]
    for model in runs:
        cells = [f"{found.means[measure][model]:.4f}" for measure in ("AP", "nDCG@10")]
        pair = pairs.get(model)
        gained = ["", "", "", ""]
        if pair is not None:
            gained = [f"{pair.result.mean:+.4f}", f"{pair.p:.2g}", str(pair.wins), str(pair.losses)]
        lines.append(f"| `{model}` | {' | '.join([*cells, *gained])} |")
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    parts, counts = [], []
    for name in COLLECTIONS:
        lines, queries = table(name)
        parts.append("\n".join([f"\n## {toysearch.load(name).title}\n", *lines, ""]))
        counts.append(f"{name} {queries}")
    feedback, latent = comparison(FEEDBACK_HEAD, FEEDBACK), comparison(LATENT_HEAD, LATENT)
    PAGE.write_text(HEAD.format(queries=", ".join(counts)) + "".join(parts) + feedback + latent, encoding="utf-8")


def comparison(head: str, models: tuple[str, ...]) -> str:
    """The part of the page that compares models with BM25 on each public collection."""
    tables = (f"\n{toysearch.load(name).title}:\n\n{comparison_table(name, models)}\n" for name in PUBLIC)
    return head.format(tables="".join(tables))


if __name__ == "__main__":
    main()
