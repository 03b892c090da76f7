"""The whole idea in one file gives the numbers of the package, to the last bit."""

import ast
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from tiers import exhaustive

import toysearch
from toysearch import tiny

pytestmark = pytest.mark.system

SOURCE = Path(tiny.__file__)
COLLECTIONS = ["cat-dog-parrot", "companions", pytest.param("cranfield", marks=exhaustive)]
PLAIN = toysearch.Analyzer()


def _same_logarithms(n_documents: int, counts: np.ndarray) -> bool:
    """Whether the logarithms of numpy and of the C library are the same for all idf of a collection."""
    df = np.unique(counts).astype(float)
    ratios = [*(n_documents / df), *(1 + (n_documents - df + 0.5) / (df + 0.5))]
    return np.log(np.array(ratios)).tolist() == [math.log(ratio) for ratio in ratios]


@pytest.fixture(scope="module", params=COLLECTIONS)
def both(request):
    if request.param == "cranfield":
        request.getfixturevalue("corpora")
    collection = toysearch.load(request.param)
    index = toysearch.Index.build(collection, PLAIN)
    return collection, index, tiny.Index({document.doc_id: document.text for document in collection.documents})


@pytest.mark.parametrize("model", tiny.MODELS)
def test_scores_rankings_and_values_are_those_of_the_package(both, model):
    collection, index, small = both
    searcher = toysearch.Searcher(index, model)
    exact = _same_logarithms(len(index), index.df_by_term)
    run = searcher.run(collection.judged_queries, query_mode="plain")
    values = toysearch.evaluate(run, collection.qrels, " ".join(tiny.MEASURES), threshold=collection.threshold)
    assert len(collection.judged_queries) >= 3
    for query in collection.judged_queries:
        ranking = searcher.search(query, None, query_mode="plain")
        mine = tiny.search(small, query.text, tiny.MODELS[model], None)
        assert [doc_id for doc_id, _ in mine] == list(ranking.doc_ids)
        scores = [score for _, score in mine]
        # numpy adds eight squares and more in another order, so the length of a long query may differ in the last bit
        long = model == "cosine" and len({*tiny.terms_of(query.text)}) >= 8
        if exact and not long:
            assert scores == ranking.scores.tolist()
        else:
            assert scores == pytest.approx(ranking.scores.tolist(), rel=1e-14)
        grades = {row.doc_id: row.relevance for row in collection.qrels if row.query_id == query.query_id}
        found = [doc_id for doc_id, _ in mine[:1000]]
        for name, measure in tiny.MEASURES.items():
            value = measure(found, grades, collection.threshold)
            assert value == pytest.approx(values.per_query[query.query_id][name], rel=1e-14), name


def test_the_means_are_those_of_eval():
    documents, queries, qrels = tiny.read(ROOT / "corpora" / "companions")
    means = tiny.evaluate(tiny.Index(documents), queries, qrels, tiny.bm25)
    assert {name: round(value, 4) for name, value in means.items()} == {
        "AP": 0.3275,
        "nDCG@10": 0.4123,
        "P@10": 0.1931,
        "RR": 0.6324,
    }


def test_it_stands_alone_and_fits_in_an_hour():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names
    assert len(SOURCE.read_text(encoding="utf-8").splitlines()) <= 300


def test_it_runs_by_itself():
    def printed(*arguments: str) -> list[str]:
        command = [sys.executable, "-I", str(SOURCE), str(ROOT / "corpora" / "cat-dog-parrot"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert printed("train cat") == [
        " 1  1          0.5952  How to train a cat",
        " 2  2          0.0479  How to train a dog",
        " 3  3          0.0479  How to train a parrot",
        " 4  4          0.0479  How to train a hamster",
    ]
    assert printed()[0].split() == ["model", *tiny.MEASURES]
