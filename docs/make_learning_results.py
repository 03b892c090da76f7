"""Make docs/look-up/learning-results.md: held-out values of learned rankers on three public collections.

    TOYSEARCH_CORPORA=FOLDER python docs/make_learning_results.py

The folder is that of docs/make_results.py, and the package lightgbm is needed. The test
tests/promises/test_learning_results.py computes the table of Cranfield again and compares.
"""

from __future__ import annotations

from pathlib import Path

import toysearch
from toysearch.laboratory.learning.feature_table import FeatureTable, features
from toysearch.laboratory.learning.ranker_training import Learning, learn
from toysearch.laboratory.reports.comparison_text import p_text

COLLECTIONS = {"cranfield": ("graded", "T,W"), "cisi": ("binary", "T,W"), "scifact": ("binary", "title,text")}
"""The collections with their grade mapping and their fields, the title first."""
MEASURES = ("AP", "nDCG@10")
LEARNERS = ("logistic:C=0.01", "boosting", "lambdamart")
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
and the best 100 of `lsa:200`; what else BM25 ranks follows in its order. *bm25, best 200* is the cost of the cut alone,
without the rest. The features are the scores of these models, each as it is and as min-max over the pool:

{models}

and {counts}.
No judgment enters a feature: the feedback of `rm3` and the topics of `lsa` come from the documents alone.

Settings of learners that are not named have their defaults. The settings in the tables were chosen after a look at some
ten others on these collections. Between learners, a difference below about 0.005 means nothing: other folds move the
values by as much. On SciFact, where a query has one relevant document, trees gain little; a weighted sum gains more.
"""


def features_of(title: str) -> list[str]:
    """The features, for a field of titles."""
    models = [model.format(title=title) for model in MODELS]
    return [*models, *(f"min-max({model})" for model in models), *COUNTS]


def feature_table(name: str) -> FeatureTable:
    """The features of a collection."""
    grades, fields = COLLECTIONS[name]
    collection = toysearch.load(name, grades=grades, fields=fields)
    analyzer = toysearch.Analyzer.for_language("english")
    index = toysearch.Index.build(collection, analyzer, fields=collection.searched_fields, positions=True)
    return features(collection, features_of(fields.partition(",")[0]), POOL, index=index)


def row(found: Learning, table: FeatureTable) -> str:
    """The Markdown row of a learner."""
    means = toysearch.evaluate(found.run, table.qrels, MEASURES, threshold=table.threshold).means
    gain = found.gain
    assert gain is not None
    interval = f"{gain.mean:+.4f} ({gain.low:+.3f} to {gain.high:+.3f})"
    values = [*(f"{means[measure]:.4f}" for measure in MEASURES), interval, p_text(gain.p), f"{found.fitted.value:.4f}"]
    return " | ".join([f"| `{found.learner}`", *values]) + " |"


def lines_of(name: str) -> list[str]:
    """The Markdown table of one collection."""
    table = feature_table(name)
    learned = [learn(table, learner) for learner in LEARNERS]
    lines = [f"| ranking | {' | '.join(MEASURES)} | difference in AP | p | AP on its own queries |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: |")
    for label, k in (("bm25", 1000), ("bm25, best 200", 200)):
        run = toysearch.Searcher(table.index, "bm25").run(table.queries, k)
        means = toysearch.evaluate(run, table.qrels, MEASURES, threshold=table.threshold).means
        lines.append(" | ".join([f"| {label}", *(f"{means[measure]:.4f}" for measure in MEASURES)]) + " | | | |")
    return [*lines, *(row(found, table) for found in learned)]


def main() -> None:
    """Write the page."""
    models = ", ".join(f"`{model.format(title='title')}`" for model in MODELS)
    parts = [HEAD.format(models=models, counts=", ".join(f"`{count}`" for count in COUNTS))]
    for name in COLLECTIONS:
        parts.append("\n".join([f"\n## {toysearch.load(name).title}\n", *lines_of(name), ""]))
        print(parts[-1], flush=True)
    PAGE.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
