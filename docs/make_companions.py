"""Make the statistics in the READMEs of the bundled collections companions and companions-2, and their pool runs.

    python docs/make_companions.py             the statistics
    python docs/make_companions.py --pools     the pool runs as well

The judgments were made by reading what the pool runs have among their first twenty documents; the runs are kept in
corpora/NAME/pools/ so that pooling itself can be studied. Made anew they differ here and there: one word was put into
63 passages after the judging, and a new release of scikit-learn may move a document of the run called `lsa`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

import toysearch
from toysearch.workbench.judging.pooling import Pool

CORPORA = Path(__file__).parents[1] / "corpora"
NAMES = ("companions", "companions-2")
DEPTH = 20
MARKS = ("<!-- made by docs/make_companions.py -->", "<!-- until here -->")
PLAIN = toysearch.Analyzer()
ENGLISH = toysearch.Analyzer.for_language("english")
PIECES = toysearch.Analyzer.for_language("none", char_ngrams=(4, 4))


def ranked(model: str, asked: str, analyzer: toysearch.Analyzer) -> Callable[[str, str], toysearch.Run]:
    """A ranker: the collection's name and the run's → the run of a model, searched with these fields of a query."""

    def run(name: str, run_name: str) -> toysearch.Run:
        collection = toysearch.load(name, query_fields=asked)
        searcher = toysearch.Searcher(toysearch.Index.build(collection, analyzer), model)
        return searcher.run(collection.queries, k=DEPTH, name=run_name)

    return run


def by_meaning(name: str, run_name: str) -> toysearch.Run:
    """Latent semantic analysis (Deerwester et al. 1990): a hundred dimensions of tf-idf, scikit-learn's."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    collection = toysearch.load(name, query_fields="text,description,narrative")
    vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    space = TruncatedSVD(100, random_state=0)
    documents = normalize(space.fit_transform(vectors.fit_transform(d.text for d in collection.documents)))
    queries = normalize(space.transform(vectors.transform(q.text for q in collection.queries)))
    rankings = []
    for query, scores in zip(collection.queries, queries @ documents.T, strict=True):
        best = (-scores).argsort(kind="stable")[:DEPTH]
        ids = [collection.documents[number].doc_id for number in best]
        rankings.append(toysearch.Ranking(query.query_id, ids, scores[best]))
    return toysearch.Run.from_rankings(rankings, run_name)


RANKERS = {
    "bm25-title": ranked("bm25", "text", ENGLISH),
    "bm25-description": ranked("bm25", "description", ENGLISH),
    "bm25-keywords": ranked("bm25", "keywords", ENGLISH),
    "cosine-plain": ranked("cosine:idf=smooth", "text", PLAIN),
    "dirichlet-title": ranked("lm-dirichlet:300", "text", ENGLISH),
    "jelinek-mercer-description": ranked("lm-jm:0.7", "description", ENGLISH),
    "jaccard-title": ranked("jaccard", "text", ENGLISH),
    "dph-narrative": ranked("dph", "text,description,narrative", ENGLISH),
    "pieces-title": ranked("cosine:idf=smooth", "text", PIECES),
    "lsa": by_meaning,
}


def write_pool_runs(name: str) -> None:
    """Write the run of each ranker, twenty documents a query."""
    for run_name, ranker in RANKERS.items():
        toysearch.write_run(ranker(name, run_name), CORPORA / name / "pools" / f"{run_name}.run")


def pooled(name: str) -> Pool:
    """The pool of the runs as they are kept."""
    return toysearch.pool([CORPORA / name / "pools" / f"{run_name}.run" for run_name in RANKERS], DEPTH)


def statistics_of(name: str) -> str:
    """The tables of a README: what there is, and what each pool run found."""
    collection = toysearch.load(name)
    words = [len(document.text.split()) for document in collection.documents]
    grades = Counter(judgment.relevance for judgment in collection.qrels)
    relevant = [sum(g >= 1 for g in collection.qrels[query.query_id].values()) for query in collection.queries]
    unanswered = [query.query_id for query, n in zip(collection.queries, relevant, strict=True) if not n]
    by_grade = ", ".join(f"{grades[grade]} of grade {grade}" for grade in (3, 2, 1, 0))
    lines = [
        "| part | number |",
        "| --- | --- |",
        f"| passages | {len(words)}, of {min(words)} to {max(words)} words, median {median(words):g} |",
        f"| needs | {len(collection.queries)} |",
        f"| judgments | {grades.total()}: {by_grade} |",
        f"| relevant passages per need | {min(relevant)} to {max(relevant)}, median {median(relevant):g} |",
        f"| needs without any | {', '.join(unanswered)} |",
        "",
        "| pool run | relevant in its first 20, per need | relevant found by it alone |",
        "| --- | ---: | ---: |",
    ]
    pool = pooled(name)
    good = {(judgment.query_id, judgment.doc_id) for judgment in collection.qrels if judgment.relevance >= 1}
    finders = [pool.ranks[query_id][doc_id] for query_id, doc_id in pool.pairs if (query_id, doc_id) in good]
    for run_name in RANKERS:
        found = sum(run_name in by for by in finders) / len(collection.queries)
        lines.append(f"| `{run_name}` | {found:.1f} | {sum(list(by) == [run_name] for by in finders)} |")
    return "\n".join(lines)


def write_statistics(name: str) -> None:
    """Put the tables between the two marks of the README."""
    path = CORPORA / name / "README.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    path.write_text(f"{before}{MARKS[0]}\n{statistics_of(name)}\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    for each in NAMES:
        if "--pools" in sys.argv:
            write_pool_runs(each)
        write_statistics(each)
