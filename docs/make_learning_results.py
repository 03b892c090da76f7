"""Make docs/look-up/learning-results.md: held-out values of learned rankers on three public collections.

    TOYSEARCH_CORPORA=FOLDER python docs/make_learning_results.py

The folder is that of docs/make_results.py, and the package lightgbm is needed. The test
tests/promises/test_learning_results.py computes the table of Cranfield again and compares.
"""

from __future__ import annotations

from pathlib import Path

import toysearch
from toysearch.laboratory.learning.feature_table import FeatureTable, features
from toysearch.laboratory.learning.ranker_training import learn
from toysearch.laboratory.results.comparison_report import p_text

COLLECTIONS = {"cranfield": ("graded", "T,W"), "cisi": ("binary", "T,W"), "scifact": ("binary", "title,text")}
"""The collections with their grade mapping and their fields, the title first."""
MEASURES = ("AP", "nDCG@10")
KINDS = ("bm25", "lm-dirichlet:mu=200", "sdm(bm25)", "bm25f:{title}=1", "lsa:200", "length", "coverage")
"""One feature for each kind of evidence."""
MODELS = (
    "bm25",
    "bm25:b=0.4,k1=0.9",
    "lm-dirichlet:mu=200",
    "lm-jm:lambda=0.7",
    "dph",
    "cosine:idf=smooth,tf=log",
    "sdm(bm25)",
    "bm25f:{title}=1",
    "rm3(bm25)",
    "lsa:100",
    "lsa:200",
    "lsa:300",
)
COUNTS = ("coverage", "idf-coverage", "length", "query-length")
LEARNED = (("logistic", "kinds"), ("logistic:C=0.01", "models"), ("boosting", "models"), ("lambdamart", "models"))
"""The learners, each with a list of features."""
POOL = ("bm25@200", "lsa:200@100")
PAGE = Path(__file__).parent / "look-up" / "learning-results.md"

HEAD = """\
# Results of learning to rank

Rankers learned by `toysearch learn` from the judgments of three collections. `docs/make_learning_results.py` makes
this page, and a test recomputes the numbers of Cranfield. The values in the first two columns are *held out*: the
ranking of each query is by a ranker that was learned from other queries, in five folds (seed 0), with near-duplicate
queries in the same fold ([how](../do/learn-a-ranker.md)). The difference from BM25 in AP has a 95 % interval and the
p of a paired t test. The last column is the AP of the ranker on the queries that it was learned from, which shows how
far such a value misleads.

Analysis is English (stop words and Porter2 stems), over title and text. The pool is the best 200 documents of `bm25`
and the best 100 of `lsa:200`; documents outside the pool follow in the order of BM25. *bm25, best 200* is the cost of
the cut alone, without the rest. There are two lists of features. *kinds* has one feature for each kind of evidence
(words, a language model, pairs of neighbours, the title, topics, the document itself), all as z-score over the pool of
the query:

{kinds}.

*models* has the scores of these models, each as it is and as min-max over the pool:

{models}

and {counts}.
No judgment enters a feature: the feedback of `rm3` and the topics of `lsa` come from the documents alone.

Settings of learners that are not named have their defaults. Features and settings were chosen after a look at some two
hundred others on these collections: *kinds*, for its nDCG@10 on SciFact without loss of the gain on Cranfield.
So the values of that row are optimistic. Between learners, a difference below about 0.005 means nothing: other folds
move the values by as much. On SciFact a query has one relevant document. Trees gain little, and so does a weighted sum
of many models that say nearly the same; a sum of a few different ones gains more.
"""


def features_of(kind: str, title: str) -> list[str]:
    """The features of a list, for a field of titles."""
    if kind == "kinds":
        return [f"z-score({feature.format(title=title)})" for feature in KINDS]
    models = [model.format(title=title) for model in MODELS]
    return [*models, *(f"min-max({model})" for model in models), *COUNTS]


def feature_tables(name: str) -> dict[str, FeatureTable]:
    """Both lists of features of a collection."""
    grades, fields = COLLECTIONS[name]
    collection = toysearch.load(name, grades=grades, fields=fields)
    analyzer = toysearch.Analyzer.for_language("english")
    index = toysearch.Index.build(collection, analyzer, fields=collection.searched_fields, positions=True)
    title = fields.partition(",")[0]
    return {kind: features(collection, features_of(kind, title), POOL, index=index) for kind in ("kinds", "models")}


def row(learner: str, kind: str, table: FeatureTable) -> str:
    """The Markdown row of a learner on a list of features."""
    found = learn(table, learner)
    means = toysearch.evaluate(found.run, table.qrels, MEASURES, threshold=table.threshold).means
    gain = found.gain
    assert gain is not None
    interval = f"{gain.mean:+.4f} ({gain.low:+.3f} to {gain.high:+.3f})"
    values = [*(f"{means[measure]:.4f}" for measure in MEASURES), interval, p_text(gain.p), f"{found.fitted.value:.4f}"]
    return " | ".join([f"| `{found.learner}` on *{kind}*", *values]) + " |"


def lines_of(name: str) -> list[str]:
    """The Markdown table of one collection."""
    tables = feature_tables(name)
    table = tables["kinds"]
    lines = [f"| ranking | {' | '.join(MEASURES)} | difference in AP | p | AP on its own queries |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: |")
    for label, k in (("bm25", 1000), ("bm25, best 200", 200)):
        run = toysearch.Searcher(table.index, "bm25").run(table.queries, k)
        means = toysearch.evaluate(run, table.qrels, MEASURES, threshold=table.threshold).means
        lines.append(" | ".join([f"| {label}", *(f"{means[measure]:.4f}" for measure in MEASURES)]) + " | | | |")
    return [*lines, *(row(learner, kind, tables[kind]) for learner, kind in LEARNED)]


def main() -> None:
    """Write the page."""
    models = ", ".join(f"`{model.format(title='title')}`" for model in MODELS)
    kinds = ", ".join(f"`{feature}`" for feature in features_of("kinds", "title"))
    parts = [HEAD.format(kinds=kinds, models=models, counts=", ".join(f"`{count}`" for count in COUNTS))]
    for name in COLLECTIONS:
        parts.append("\n".join([f"\n## {toysearch.load(name).title}\n", *lines_of(name), ""]))
        print(parts[-1], flush=True)
    PAGE.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
