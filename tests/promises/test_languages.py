"""The numbers that the README of the collection languages promises, computed again."""

import re
from functools import cache

import pytest
from conftest import ROOT

import toysearch

pytestmark = pytest.mark.system

README = (ROOT / "corpora" / "languages" / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)`, `(.+?)` \| ([\d.| ]+) \|$", README, re.MULTILINE)
MEASURES = ("AP", "nDCG@10", "R@20")


@cache
def values(wording: str, model: str):
    """The evaluation of a model on one wording of the queries."""
    collection = toysearch.load("languages", query_fields=wording)
    mode = "strict" if wording == "synonyms" else None
    run = toysearch.Searcher(toysearch.Index.build(collection), model).run(collection.judged_queries, query_mode=mode)
    return toysearch.evaluate(run, collection.qrels, MEASURES, threshold=collection.threshold)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("wording", "model", "promised"), ROWS)
def test_the_readme_says_what_the_models_give(wording, model, promised):
    found = values(wording, model)
    row = [found.per_query["1"][measure] for measure in MEASURES] + [found["AP"]]
    assert promised == " | ".join(f"{value:.4f}" for value in row)


@pytest.mark.filterwarnings("ignore")
def test_what_bm25_misses_feedback_topics_and_synonyms_find():
    plain = values("text", "bm25")
    better = [("text", "rm3(bm25)"), ("text", "rocchio(bm25)"), ("text", "lsa:25"), ("synonyms", "bm25")]
    assert {(wording, model) for wording, model, _ in ROWS} > {*better, ("text", "bm25")}
    for wording, model in better:
        found = values(wording, model)
        assert found.per_query["1"]["AP"] > 1.7 * plain.per_query["1"]["AP"]
        assert all(found.per_query["1"][measure] > plain.per_query["1"][measure] for measure in MEASURES)
        assert found["AP"] > plain["AP"]


@pytest.mark.filterwarnings("ignore")
def test_the_three_wordings_differ_as_the_readme_says():
    pattern = r"mean AP of `bm25` is ([\d.]+) for the first, ([\d.]+) for the second and ([\d.]+) for the third"
    [said] = re.findall(pattern, README)
    assert said == tuple(f"{values(name, 'bm25')['AP']:.4f}" for name in ("text", "wording_2", "wording_3"))
