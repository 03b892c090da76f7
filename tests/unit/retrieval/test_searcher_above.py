"""A limit on scores: what is left is what an unlimited ranking has above it, in every way to search."""

import json

import pytest
from error_messages import raising
from shell import done, run

from toysearch import MODELS, Index, Searcher, load
from toysearch.base import ArgumentError

COLLECTION = load("companions")
INDEX = Index.build(COLLECTION)
LIKELIHOODS = [name for name, model in MODELS.items() if "document" in model.hooks]


@pytest.mark.parametrize("model", ["tfidf", "bm25", "dice", "euclidean", "rm3(bm25)", "0.5*bm25 + 0.5*min-max(lm-jm)"])
@pytest.mark.parametrize("ties", ["rank", "trec_eval"])
def test_what_is_left_is_what_has_a_higher_score(model, ties):
    searcher, queries = Searcher(INDEX, model), COLLECTION.queries[:8]
    whole = searcher.run(queries, None, ties=ties)
    limit = sorted(whole.scores.tolist())[len(whole) // 2]
    limited = searcher.run(queries, None, ties=ties, above=limit)
    for query in queries:
        hits = [(hit.doc_id, hit.score) for hit in whole.ranking(query.query_id) if hit.score > limit]
        assert [(hit.doc_id, hit.score) for hit in limited.ranking(query.query_id)] == hits
        first = searcher.search(query, 3, ties=ties, above=limit)
        assert [(hit.doc_id, hit.score) for hit in first] == hits[:3]


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_log_probabilities_have_no_such_point(name):
    assert LIKELIHOODS == ["lm-dirichlet", "lm-jm"]
    why = f"the scores of {name} are log-probabilities, so no number separates matches from the rest"
    with raising(ArgumentError, f"above=0: {why}"):
        Searcher(INDEX, name).search("tick", above=0)
    assert run("eval", "cat-dog-parrot", "--model", name, "--above", "0").stderr.endswith(f": {why}\n")


def test_a_number_is_expected():
    with raising(ArgumentError, "above must be a finite number, not nan"):
        Searcher(INDEX).search("tick", above=float("nan"))


def test_tfidf_without_documents_that_share_no_rare_word():
    """The value of the worked example, whose rankings leave out documents without a score."""
    shown = done("eval", "cat-dog-parrot", "--model", "tfidf", "--above", "0", "-m", "nDCG@2", "--json").stdout
    [system] = json.loads(shown)["systems"]
    assert system["measures"]["nDCG@2"] == pytest.approx(0.750774, abs=5e-7)
    searched = done("search", "cat-dog-parrot", "train cat", "--model", "tfidf", "--above", "0", "--json").stdout
    assert [hit["doc_id"] for hit in json.loads(searched)["hits"]] == ["1"]


def test_every_command_that_ranks_takes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done("run", "cat-dog-parrot", "--model", "tfidf", "--above", "0", "-o", "a.run")
    value = json.loads(done("eval", "a.run", "cat-dog-parrot", "-m", "nDCG@2", "--json").stdout)
    assert value["systems"][0]["measures"]["nDCG@2"] == pytest.approx(0.750774, abs=5e-7)
    assert run("eval", "a.run", "cat-dog-parrot", "--above", "0").stderr.endswith("keeps its documents: leave it out\n")
    two = ("--model", "tfidf", "--model", "bm25")
    compared = done("compare", "cat-dog-parrot", *two, "--above", "0", "-m", "nDCG@2", "--json")
    assert json.loads(compared.stdout)["measures"][0]["means"]["tfidf"] == pytest.approx(0.750774, abs=5e-7)
